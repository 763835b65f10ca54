"""What consolidation wrote so far, as it is on disk now, and what a person has changed since.

`generated.txt` in the project's directory lists what we wrote: a hash per line and per file, no text. A line
below the marker that it does not list was written by a person; a listed line that is gone was deleted by a
person, and is not written again. Without that file, everything counts as written by hand.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.learn.consolidate import statements
from memolith.memory.document import MARKER
from memolith.store import files, layout, writeset
from memolith.text import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.home import Home

SUMMARY = "memory_summary.md"
RAW = "raw_memories.md"
ROLLOUTS = "rollout_summaries"
SKILLS = "skills"
MADE = "generated.txt"
# The first line of the summary, so that a later release recognises the format.
VERSION = "<!-- memolith: summary, version 1 -->"
_HEAD = "# memolith: hashes of what learning wrote here; what is not among them was written by a person\n"
_KINDS = ("line", "summary", "forgotten", "session", "left", "record", "skill", "file")
_FIELDS = ("lines", "summary", "forgotten", "sessions", "left", "records", "skills")


class Made(Value):
    """The hashes of what we wrote last, and of our lines that a person deleted."""

    files: dict[str, str]
    forgotten: frozenset[str]
    left: frozenset[str]  # facts that a model left out
    lines: frozenset[str]
    records: frozenset[str]  # learned records that there were
    sessions: frozenset[str]
    skills: frozenset[str]  # the name of each, and the facts in it
    summary: frozenset[str]

    def dump(self) -> str:
        """Return the text of the file."""
        groups = zip(_KINDS, (getattr(self, name) for name in _FIELDS), strict=False)
        rows = [f"{kind} {each}" for kind, group in groups for each in sorted(group)]
        rows += [f"file {digest} {path}" for path, digest in sorted(self.files.items())]
        return _HEAD + "".join(f"{row}\n" for row in rows)


class Current(Value):
    """The files of one project that consolidation writes. Paths are relative to the project's directory."""

    links: list[str]  # symbolic links, which do not belong in a memory
    made: Made
    memory: str | None
    others: dict[str, str]  # all but MEMORY.md
    root: str
    slug: str

    @property
    def below(self) -> str:
        """The generated part of MEMORY.md."""
        return markdown.halves(self.memory or "", MARKER)[1] or ""

    @property
    def above(self) -> str:
        """The hand-written part of MEMORY.md."""
        return markdown.halves(self.memory or "", MARKER)[0]

    @property
    def summary(self) -> str:
        """The summary without its first line."""
        return body(self.others.get(SUMMARY, ""))

    @property
    def skills(self) -> dict[str, str]:
        """The files of all skills."""
        return {path: text for path, text in self.others.items() if path.startswith(f"{SKILLS}/")}

    def base(self) -> str:
        """Return a hash of everything that a proposal replaces."""
        parts = [self.below, self.summary, *(f"{path}\0{text}" for path, text in sorted(self.skills.items()))]
        return writeset.base_of("\0".join(parts)) or ""

    def by_hand(self) -> list[str]:
        """Return the lines that a person wrote below the marker, with the blank lines between them."""
        return _foreign(self.below, self.made.lines)

    def by_hand_in_summary(self) -> list[str]:
        """Return the lines that a person wrote into the summary."""
        return _foreign(self.summary, self.made.summary)

    def forgotten(self) -> frozenset[str]:
        """Return the hashes of our lines that a person deleted, now or earlier, from either text."""
        gone = self.made.forgotten
        for ours, text in ((self.made.lines, self.below), (self.made.summary, self.summary)):
            if text.strip():  # deleting the whole file requests a new one
                gone |= ours - {statements.key(line) for line in statements.nonblank(text)}
        return gone

    def deleted_skills(self) -> dict[str, list[str]]:
        """Return our skills that a person deleted: the name of each, and the keys of its facts."""
        rows = [row.split() for row in self.made.skills]
        return {name: keys for name, *keys in rows if f"{SKILLS}/{name}/SKILL.md" not in self.others}

    def is_ours(self, skill: str) -> bool:
        """Whether we made a skill and nobody has changed it since."""
        there = {path: text for path, text in self.skills.items() if path.startswith(f"{SKILLS}/{skill}/")}
        return all(self.made.files.get(path) == writeset.base_of(text) for path, text in there.items())


def body(summary: str) -> str:
    """Return a summary without its version line."""
    first, newline, rest = summary.partition("\n")
    return rest if first.strip() == VERSION and newline else summary


def _foreign(text: str, ours: frozenset[str]) -> list[str]:
    """Return the lines that we did not write, without our headings above them."""
    found: list[str] = []
    blanks: list[str] = []
    readable = text.encode("utf-8", "replace").decode()
    for line in readable.replace("\r\n", "\n").split("\n"):
        if not line.strip():
            blanks.append("")
        elif statements.key(line) in ours or line.strip() == statements.BY_HAND:
            blanks = []
        else:
            found += blanks[:1] if found else []
            found.append(line)
            blanks = []
    return found


def read(home: Home) -> Current:
    """Read all files that a consolidation of this project uses. UnsafePathError if its root is a link.

    What a crash left half done is finished first: of half a set, all lines would count as written by hand.
    """
    home.gate.catch_up(home.project)
    # A link in a repository is nothing that learning could write through.
    tree, slug = Tree(str(home.root), alone=True), home.project
    top = layout.path(slug)
    others: dict[str, str] = {}
    links: list[str] = []
    for path, is_link in _walk(tree, top):
        inside = path[len(top) + 1 :]
        if is_link:
            links.append(path)
        elif inside in (SUMMARY, RAW, MADE) or inside.startswith((f"{SKILLS}/", f"{ROLLOUTS}/")):
            text = _text(tree, path)
            if text is not None:
                others[inside] = text
    memory = (
        None if layout.path(slug, layout.MEMORY) in links else _text(tree, layout.path(slug, layout.MEMORY))
    )
    made = parse(others.get(MADE, ""))
    return Current(slug=slug, root=tree.root, memory=memory, others=others, links=sorted(links), made=made)


def _walk(tree: Tree, directory: str) -> Iterator[tuple[str, bool]]:
    """Yield the files and links below a directory, except hidden ones."""
    try:
        entries = tree.folder(directory).entries()
    except FileNotFoundError:
        return
    below = []
    for entry in entries:
        path = f"{directory}/{entry.name}"
        if entry.is_symlink():
            yield path, True
        elif entry.name.startswith("."):
            continue
        elif entry.is_dir(follow_symlinks=False):
            below.append(path)
        else:
            yield path, False
    for path in sorted(below):
        yield from _walk(tree, path)


def _text(tree: Tree, path: str) -> str | None:
    try:
        data = tree.read(path)
    except UnsafePathError:
        return None  # a special file: not ours
    except StorageError as error:
        if error.error.errno == errno.EFBIG:
            return None  # nor is a file that is too large
        # Unreadable is not missing: otherwise all our lines would count as written by hand.
        raise
    return None if data is None else files.text_of(data, files.EXACT)


def parse(text: str) -> Made:
    """Parse what `Made.dump` wrote."""
    found: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in found and rest:
            found[kind].append(rest)
    sets = {name: frozenset(found[kind]) for kind, name in zip(_KINDS, _FIELDS, strict=False)}
    pairs = [each.split(" ", 1) for each in found["file"]]
    files = {pair[1]: pair[0] for pair in pairs if len(pair) == 2}
    return Made(**sets, files=files)
