"""Which program a memory comes from, and what each of its files becomes here.

A kind is a row of `KINDS`: where that program keeps its memory, and the layout of its files. The files
themselves reveal the kind. Other programs' folders are read within limits, in a stable order, and never
through a link.
"""

from __future__ import annotations

import os
import stat

from memolith.base.errors import InputError, MemolithError, StorageError, TextError, TooLargeError
from memolith.base.values import MAX_ACCEPT_BYTES, Value
from memolith.care.transfer import texts
from memolith.env import whose
from memolith.env.paths import Tree
from memolith.memory.note_links import target as link_target
from memolith.store import layout
from memolith.store.screen import quoted
from memolith.text import frontmatter, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memolith.memory.home import Home

AGENT_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md")
_CODEX = {"MEMORY.md": "memory", "memory_summary.md": "memory-summary", "raw_memories.md": "raw-memories"}
_SLUG = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_TEXT = (".md", ".markdown", ".txt")
# Claude Code's types of notes, in our words.
_TYPES = {"feedback": "preference"}


class Item(Value):
    """A text of a source and what it becomes: a `note`, part of a `document`, `checklist`, `daily`, `skill`.

    `name` is its name in the source (for a day, the date), `section` the heading of a part of a file.
    """

    becomes: str
    name: str
    path: str
    scope: str
    section: str


class Source:
    """Another program's memory: its items in a stable order, and what is skipped."""

    def __init__(
        self, path: str, kind: str | None, scope_of: Callable[[str], str], *, alone: bool, ours: str = ""
    ) -> None:
        self.left: list[tuple[str, str]] = []
        self.alone = alone  # not the user's: it cannot choose the project of a text
        self.sheaf = Sheaf(path, lambda name, why: self.left.append((name, why)), ours)
        self.kind = kind or detect(self.sheaf)
        self.path = path
        self.listed: dict[str, tuple[str, str]] = {}  # the title and hook that an index gives a note
        self.items = list(KINDS[self.kind](self, scope_of(self.kind)))

    @property
    def taint(self) -> str:
        """Who else may have written it: files in a checkout may be anybody's."""
        return "repository" if self.kind == "agent-file" or whose.checkout(self.path) else ""

    def read(self, item: Item) -> tuple[str, int]:
        """Return the text of an item, ready to store, and its modification time."""
        text, time = self.sheaf.read(item.path)
        if self.kind == "agent-file":
            parts = dict(sections(text))
            first = next(iter(parts), "") == item.section
            return (frontmatter.split(text).head if first else "") + parts.get(item.section, ""), time
        if item.becomes == "document" and self.kind in _INDEXED:
            return self._prose(text), time
        return self._described(item, text), time

    def _prose(self, index: str) -> str:
        """Return the text of an index without its lines for notes; empty if only headings are left."""
        lines = [line for line in index.splitlines() if link_target(line) not in self.sheaf.files]
        has_text = any(line.strip() and not line.startswith("#") for line in lines)
        return "\n".join(lines) if has_text else ""

    def _described(self, item: Item, text: str) -> str:
        """Give a note what only the index, or a nested key, says about it.

        The hook in the index is curated, so it becomes the description; another one stays beside it. One that
        repeats the first line goes: it would hide what the line says once it is corrected.
        """
        if item.becomes != "note" or self.kind not in _INDEXED:
            return text
        text = texts.with_valid_head(text)
        head = frontmatter.split(text)
        title, hook = self.listed.get(item.path, ("", ""))
        was = head.get("description")
        metadata = head.fields.get("metadata")
        kind = metadata.get("type") if isinstance(metadata, dict) else None
        new: dict[str, str | None] = {}
        if hook and was and was != hook:
            new = {"description": hook, "described": was}
        extra = {"name": title, "description": hook, "type": kind if isinstance(kind, str) else ""}
        missing = {key: value for key, value in extra.items() if value and key not in head.fields}
        new |= {key: _TYPES.get(value, value) for key, value in missing.items()}
        if head.get("title") or markdown.heading_title(head.body):
            new.pop("name", None)
        if (hook or was) and (hook or was) == markdown.first_line(head.body):
            new["description"] = None
        if head.problem:  # then it is part of the text
            return frontmatter.set_fields("", new) + text if new else text
        return frontmatter.set_fields(text, new) if new else text


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sections of a document with their titles; text before the first has an empty title."""
    seen: set[str] = set()
    for heading, part in texts.sections(frontmatter.split(text).body):
        title = bare = heading and (markdown.same_line(heading.lstrip("#")) or "Untitled")
        number = 1
        while title in seen:
            number += 1
            title = f"{bare} {number}"
        seen.add(title)
        if part.strip():
            yield title, part


# ---------------------------------------------------------------- reading folders

_OPEN = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)
_MARKDOWN = (".md", ".markdown")
# Directories that belong to programs, not to the notes.
_NOT_NOTES = ("node_modules", "__pycache__")


class Sheaf:
    """The Markdown files of a folder, or one file, by their paths in it."""

    def __init__(self, path: str, leave: Callable[[str, str], None], ours: str = "") -> None:
        path, self._ours = os.path.realpath(path), os.path.realpath(ours)
        self.is_file = os.path.isfile(path)
        self.root, self.name = os.path.split(path) if self.is_file else (path, "")
        self._tree = Tree(self.root)
        # If two folders share a name, the file nearer to the top gets it.
        found = [self.name] if self.is_file else self._walk(leave)
        self.files = sorted(found, key=lambda path: (path.count("/"), path))

    def _walk(self, leave: Callable[[str, str], None]) -> list[str]:
        found = []
        for directory, below, names in self._tree.walk():
            below[:] = [name for name in below if name[0] != "." and name not in _NOT_NOTES]
            for name in list(below):
                if os.path.join(self.root, directory, name) == self._ours:
                    below.remove(name)
                elif not os.access(os.path.join(self.root, directory, name), os.R_OK | os.X_OK):
                    leave(os.path.join(directory, name), "a folder that cannot be opened")
            for name in names:
                path = f"{directory}/{name}" if directory else name
                if name.startswith("."):
                    continue
                if self._is_link(path):
                    leave(path, "a link; links are not followed")
                elif not name.lower().endswith(_MARKDOWN):
                    leave(path, "not Markdown")
                else:
                    found.append(path)
        return found

    def _is_link(self, path: str) -> bool:
        found = self._tree.stat(path)
        return found is None or stat.S_ISLNK(found.st_mode)

    def read(self, path: str) -> tuple[str, int]:
        """Return a file's text, and its modification time in nanoseconds."""
        place = self._tree.place(path)
        try:
            fd = os.open(place.at, _OPEN, dir_fd=place.fd)
        except OSError as error:
            raise StorageError(place.path, error) from error
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise TextError(f"{path}: is not a regular file")
            data = file.read(MAX_ACCEPT_BYTES + 1)
        if len(data) > MAX_ACCEPT_BYTES:
            raise TooLargeError(f"{path}: more than {MAX_ACCEPT_BYTES:,} bytes; split it")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TextError(
                f"{path}: not UTF-8 (byte {error.start}); convert it, for example with iconv"
            ) from None
        if "\0" in text:
            raise TextError(f"{path}: contains NUL bytes; this is no text")
        return text, found.st_mtime_ns

    def has(self, name: str) -> bool:
        """Whether a file or directory with that name exists."""
        try:
            return self._tree.stat(name) is not None
        except MemolithError:
            return False


# ---------------------------------------------------------------- layouts


def _item(path: str, scope: str, becomes: str = "note", name: str = "", section: str = "") -> Item:
    stem = os.path.basename(path).rpartition(".")[0]
    return Item(path=path, scope=scope, becomes=becomes, name=name or stem, section=section)


def _folder(source: Source, scope: str) -> Iterator[Item]:
    """Every file is a note."""
    for path in source.sheaf.files:
        yield _item(path, scope)


def _indexed(source: Source, scope: str) -> Iterator[Item]:
    """MEMORY.md is an index with a line for each note; the rest of it is part of the document."""
    if layout.MEMORY in source.sheaf.files:
        text, _ = source.sheaf.read(layout.MEMORY)
        for line in text.splitlines():
            if target := link_target(line):
                title, _, rest = line.partition("](")
                hook = rest.partition(")")[2].strip().lstrip("—–-:>").strip()
                source.listed[target] = title.partition("[")[2].strip(), hook
        yield _item(layout.MEMORY, scope, "document")
    for path in source.sheaf.files:
        if path != layout.MEMORY:
            yield _item(path, scope)


def _learned(source: Source, scope: str) -> Iterator[Item]:
    """Yield what Codex and oh-my-pi learned: a document, its summary, lessons from sessions, and skills."""
    prefix = source.kind.removesuffix("-memories")
    for path in source.sheaf.files:
        parts = path.split("/")
        if path in _CODEX:
            yield _item(path, scope, name=f"{prefix}-{_CODEX[path]}")
        elif parts[0] == "skills" and parts[-1] == "SKILL.md" and len(parts) == 3:
            yield _item(path, scope, "skill", parts[1])
        elif parts[0] == "skills":
            source.left.append((path, "an appendix of a skill; only SKILL.md is brought"))
        else:
            yield _item(path, scope)


def _zerostack(source: Source, scope: str) -> Iterator[Item]:
    """Yield the items of a tree with our own layout and project names."""
    for path in source.sheaf.files:
        parts = path.split("/")
        slug = parts[1] if parts[0] == "projects" and len(parts) > 2 else None
        inside = parts[2:] if slug is not None else parts
        where = scope if slug is None else slug
        if source.alone and (slug is not None or parts == [layout.MEMORY]):
            source.left.append((path, "a checkout speaks for no other project; if it is yours, add --mine"))
        elif slug is not None and (not slug.isascii() or set(slug) - _SLUG):
            source.left.append((path, "its folder is not called like a project"))
        elif parts == [layout.MEMORY]:
            yield _item(path, layout.USER, "document")
        elif inside == ["SCRATCHPAD.md"]:
            yield _item(path, where, "checklist")
        elif len(inside) == 2 and inside[0] == "daily" and layout.is_date(inside[1].removesuffix(".md")):
            yield _item(path, where, "daily")
        elif inside != ["notes", "MEMORY.md"]:  # an index, which is rebuilt
            yield _item(path, where)


def _document(source: Source, scope: str) -> Iterator[Item]:
    """One file is the whole memory."""
    if not source.sheaf.is_file and source.sheaf.files != [layout.MEMORY]:
        raise InputError(f"{quoted(source.path)}: name the file itself, not its folder")
    yield _item(source.sheaf.files[0], scope, "document")


def _agent_file(source: Source, scope: str) -> Iterator[Item]:
    """Each section of CLAUDE.md, AGENTS.md or GEMINI.md is a note."""
    for path in source.sheaf.files:
        name = os.path.basename(path)
        if not source.sheaf.is_file and name not in AGENT_FILES:
            source.left.append((path, "not a file of instructions for agents"))
            continue
        try:
            titles = [title for title, _ in sections(source.sheaf.read(path)[0])]
        except MemolithError:
            titles = [""]  # reported when it is read
        stem = name.rpartition(".")[0]
        for title in titles:
            yield _item(path, scope, name=f"{stem} {title}".strip(), section=title)


KINDS: dict[str, Callable[[Source, str], Iterator[Item]]] = {
    "claude-memory": _indexed,
    "codex-memories": _learned,
    "oh-my-pi-memories": _learned,
    "zerostack": _zerostack,
    "jutul": _indexed,
    "memory-file": _document,
    "agent-file": _agent_file,
    "basic-memory": _folder,
    "obsidian": _folder,
    "markdown": _folder,
}
_INDEXED = ("claude-memory", "jutul")
# The default scope of each kind.
USER_WIDE = ("memory-file",)

# ---------------------------------------------------------------- which kind


def detect(sheaf: Sheaf) -> str:
    """Return the kind that the files look like; at least a folder of Markdown."""
    if sheaf.is_file and not sheaf.name.lower().endswith(_TEXT):
        raise InputError(
            f"{quoted(sheaf.name)}: neither Markdown nor an archive of memolith; `memolith session import` "
            "reads sessions; if it is a memory all the same, say of which kind with --from"
        )
    if sheaf.is_file:
        is_memory = "memory-file" if sheaf.name == layout.MEMORY else "markdown"
        return "agent-file" if sheaf.name in AGENT_FILES else is_memory
    if "/.claude/projects/" in sheaf.root:
        return "claude-memory"
    if sheaf.has(".obsidian"):
        return "obsidian"
    if sheaf.has("memory_summary.md") or sheaf.has("raw_memories.md"):
        return "oh-my-pi-memories" if "/.omp/" in f"{sheaf.root}/" else "codex-memories"
    if sheaf.has("projects") or sheaf.has("SCRATCHPAD.md"):
        return "zerostack"
    if sheaf.files == [layout.MEMORY]:
        return "memory-file"
    if sheaf.has(layout.MEMORY) and _is_index(sheaf):
        return "claude-memory" if _has_field(sheaf, "metadata") else "jutul"
    if sheaf.files and all(os.path.basename(path) in AGENT_FILES for path in sheaf.files):
        return "agent-file"
    return "basic-memory" if _has_field(sheaf, "permalink") else "markdown"


def _is_index(sheaf: Sheaf) -> bool:
    return any(link_target(line) in sheaf.files for line in _glance(sheaf, layout.MEMORY)[0].splitlines())


def _has_field(sheaf: Sheaf, name: str) -> bool:
    return any(name in _glance(sheaf, path)[1] for path in sheaf.files[:20])


def _glance(sheaf: Sheaf, path: str) -> tuple[str, Mapping[str, object]]:
    try:
        text, _ = sheaf.read(path)
    except MemolithError:
        return "", {}
    return text, frontmatter.split(text).fields


# ---------------------------------------------------------------- where they are


def find(home: Home, kind: str, env: Mapping[str, str]) -> str:
    """Return where a program keeps its memory of this project. InputError if the user must name it."""
    user = os.path.expanduser("~")
    if kind == "claude-memory":
        below = os.path.join("projects", claude_name(home.identity.root), "memory")
        path = os.path.join(whose.folder("claude", env, user), below)
    elif kind == "codex-memories":
        path = os.path.join(whose.folder("codex", env, user), "memories")
    else:
        raise InputError(f"where is it? Name the file or folder: memolith import PATH --from {kind}")
    if not os.path.isdir(path):
        why = f"{path}: not there, so {kind} has nothing about this project"
        raise InputError(f"{why}; to import something else, name it: memolith import PATH")
    return path


def is_mine(path: str, env: Mapping[str, str]) -> bool:
    """Whether the user's own agents keep this path: outside of any checkout."""
    return whose.is_kept(path, env) and not whose.checkout(path)


def claude_name(path: str) -> str:
    """Return Claude Code's directory name for a project.

    Everything but ASCII letters and digits becomes a dash, counted in UTF-16 as in JavaScript; a long name is
    cut and ends in a hash of the path.
    """
    units = memoryview(path.encode("utf-16-le", "surrogatepass")).cast("H")
    name = "".join(chr(unit) if unit < 128 and chr(unit).isalnum() else "-" for unit in units)
    if len(name) <= 200:
        return name
    total = 0
    for unit in units:
        total = (total * 31 + unit) & 0xFFFFFFFF
    number = min(total, (1 << 32) - total)  # the absolute value of a signed 32-bit number
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{name[:200]}-{digits or '0'}"
