"""The index of the notes: one line for each, derived from the notes themselves whenever it is read.

No file repeats what a note says, so no line can be outdated and a write costs the same however many notes
there are. `notes/MEMORY.md` is a person's page: memolith creates it with a header and leaves it alone. What
stands there is shown first, and a note that it links to is not listed again.

Lines of the newest notes are cached, each with the stamp of its note: a prompt costs a `stat` for each of
them. While the directory is unchanged, it is not listed again.
"""

from __future__ import annotations

import os
import stat
import time
from errno import EISDIR
from zlib import crc32

from memolith.base.errors import MemolithError, StorageError, UnsafePathError
from memolith.base.lean import lru_cache, suppress
from memolith.base.whole import Watch, is_regular, note
from memolith.env.paths import Place, Tree
from memolith.env.settings import open_regular
from memolith.memory import note_links
from memolith.store import allow_list, files, layout
from memolith.store.entry import Entry
from memolith.text import markdown, source_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.env.folders import Folder
    from memolith.store.gate import Gate

    Stamp = tuple[int, int, int, int]

PAGE = """# Notes

<!-- memolith lists the notes in this directory by itself, by title and description, the newest last.
     What you write here is shown before that list; a note that you link to is not listed again. -->
"""
SEEDED = "index"  # the change that makes the page
_CACHE = "notes-4"  # another number whenever its format changes
_KEPT, _SHOWN = 400, 200  # cached lines; of which a block shows at most
_MAX_CACHE = 1_048_576
_MAX_PAGE = 65_536
_PREFERENCE = 1_000  # characters of a preference, which is shown whole: it holds for every task
# Enough of a note to know its source, title and first line: a head may have 16 KiB.
_GLANCE = 20_480
_ENDS = " .,;:!"  # signs that a title made of a text lacks


def note_files(root: str, slug: str) -> list[str]:
    """Return the sorted names of a scope's note files.

    Without a person's page, links, directories, and names that a line of the index cannot contain.
    """
    try:
        folder = Tree(root).folder(layout.path(slug, "notes"))
    except (FileNotFoundError, UnsafePathError):
        return []
    found = (entry for entry in folder.entries() if layout.is_note_file(entry.name))
    return sorted(
        entry.name
        for entry in found
        if entry.is_file(follow_symlinks=False) or Place(folder, entry.name).is_file()  # which says why not
    )


def seed(gate: Gate, slug: str) -> None:
    """Create a person's page with its header, if there is none."""
    relative = layout.path(slug, layout.INDEX)
    if Tree(gate.root).stat(relative) is None:
        gate.rewrite(relative, lambda old: PAGE if old is None else old, op=SEEDED)


def glance(tree: Tree, slug: str, lines: int, size: int) -> tuple[str, int]:
    """Return a person's page and the lines of the newest notes (newest last) within limits, without secrets.

    The number counts the notes, and the rows of the page, that are left out. What is from outside is neither
    shown nor counted.
    """
    try:
        shelf = _shelf(tree, slug)
    except (FileNotFoundError, StorageError, UnsafePathError):
        return "", 0  # a link or an unreadable directory costs its notes, not the block
    page, linked = _page(tree, slug, shelf)
    shown: list[str] = []
    for row in page:
        size -= len(row.encode("utf-8", "replace")) + 1
        if size < 0 or len(shown) >= lines:
            break
        shown.append(row)
    left = shelf.count - len(linked) + len(page) - len(shown)
    newest: list[str] = []
    for name in shelf.names():
        if name in linked:
            continue
        line = shelf.line(name)
        if not line or not source_label.inside(line):
            left -= 1
            continue
        size -= len(line.encode("utf-8", "replace")) + 1
        if size < 0 or len(shown) + len(newest) >= lines:
            break
        newest.append(line)
        left -= 1
    shelf.save()
    return "\n".join([*shown, *reversed(newest)]), max(0, left)


def whole(tree: Tree, slug: str) -> str:
    """Return the index for a person: the page, the lines, and how many notes are not in it."""
    text, left = glance(tree, slug, 2 * _KEPT, _MAX_CACHE)
    return f"{text}\n" + (f"({left} older notes are not shown)\n" if left else "") if text else ""


def described(tree: Tree, slug: str) -> dict[str, tuple[str, str]]:
    """Return title and first words of the newest notes by file name."""
    found: dict[str, tuple[str, str]] = {}
    with suppress(FileNotFoundError, StorageError, UnsafePathError):
        shelf = _shelf(tree, slug)
        for name in shelf.names():
            title, _, rest = shelf.line(name).partition("[")[2].partition("](")
            found[name] = title, rest.partition(" — ")[2]
        shelf.save()
    return found


def revision(tree: Tree, slug: str) -> object:
    """Return a value that changes when a line of the newest notes may have changed."""
    try:
        shelf = _shelf(tree, slug)
    except (FileNotFoundError, StorageError, UnsafePathError):
        return None
    shelf.save()
    return [shelf.rules, *(shelf.stamp(name) for name in shelf.names()[:_SHOWN])]


def _shelf(tree: Tree, slug: str) -> _Shelf:
    """Return the notes of a scope as they were when an operation first looked at them."""
    found: _Shelf | None = tree.kept.get((_CACHE, slug))
    if found is None:
        found = _Shelf(tree, slug)
        if found.is_whole:
            tree.kept[_CACHE, slug] = found
    return found


@lru_cache(maxsize=4)
def _parsed(data: bytes) -> tuple[str, str, int, dict[str, tuple[Stamp | tuple[()], str]]]:
    checksum, _, rest = data.partition(b"\n")
    if int(checksum, 16) != crc32(rest):
        raise ValueError("damaged")
    rules, directory, count, *rows = files.text_of(rest).split("\n")
    found: dict[str, tuple[Stamp | tuple[()], str]] = {}
    for row in rows:
        given, name, line = row.split("\t")
        stamp = tuple(map(int, given.split()))
        found[name] = (stamp if len(stamp) == 4 else (), line)
    return rules, directory, int(count), found


def _why_unread(entry: os.DirEntry[str]) -> str:
    from memolith.memory.strays import why_unread

    return why_unread(entry)


class _Shelf:
    """The notes of a scope: their number, and the newest of them."""

    def __init__(self, tree: Tree, slug: str) -> None:
        self._tree, self._slug = tree, slug
        self.folder: Folder = tree.folder(layout.path(slug, "notes"))
        self._path = os.path.join(os.path.dirname(tree.root), "cache", f"{_CACHE}-{slug or '_'}")
        self._changed = False
        # What may be shown depends on these, too: values that are allowed, and what a person accepted.
        lists = [allow_list.place(""), allow_list.place(slug), layout.path(slug, layout.ACCEPTED)]
        allow = [allow_list.fingerprint(tree, each) for each in lists]
        self.rules = f"{allow_list.CLEARED} {allow}".replace("\n", "")
        about = [each.stat() for each in self.folder.parts()]
        self._directory = " ".join(f"{each.st_ino} {each.st_mtime_ns}" for each in about)
        rules, directory, count, self._lines = self._cached()
        if rules != self.rules:
            self._lines = {}  # other values are allowed now: the lines must be screened again
        self._stamps: dict[str, Stamp] = {}
        if directory == self._directory and rules == self.rules:
            self.count = count
            self._sort()
        else:
            if not layout.is_settled(max(each.st_mtime_ns for each in about), time.time_ns()):
                self._directory = "-"  # must be listed again: another note may get the same timestamp
            self._list()

    @property
    def is_whole(self) -> bool:
        """Whether all was read, and nothing has to be looked at again."""
        return self._directory != "-" and len(self._stamps) == len(self._lines)

    def names(self) -> list[str]:
        """Return the newest notes, newest first."""
        return list(self._lines)

    def stamp(self, name: str) -> Stamp | None:
        """Return what changes when a note does; None if it is gone."""
        known = self._stamps.get(name)
        if known is None:
            found = Place(self.folder, name).stat()
            if found is not None and stat.S_ISREG(found.st_mode):
                known = found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
                self._stamps[name] = known
        return known

    def _sort(self) -> None:
        """Put the newest first: a note that was saved in place leaves the directory as it was."""
        self._look()
        stamp = self.stamp
        order = sorted(self._lines, key=lambda name: ((stamp(name) or (0, 0, 0))[2], name), reverse=True)
        if order != list(self._lines):
            self._lines = {name: self._lines[name] for name in order}
            self._changed = True

    def _look(self) -> None:
        """Stat all notes in a row, a third of what `stamp` takes, which says what cannot be read."""
        look, regular, fd = os.stat, stat.S_ISREG, self.folder.fd
        for name in self._lines if fd is not None else ():
            try:
                found = look(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            if regular(found.st_mode):
                self._stamps[name] = found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def line(self, name: str) -> str:
        """Return a note's line; empty if the note cannot be read, because then its source is unknown."""
        now = self.stamp(name)
        if now is None:
            return ""
        known, line = self._lines.get(name, ((), ""))
        if known != now:
            with Watch() as watch:
                line = line_of(self._tree, self._slug, Place(self.folder, name))
            if name in self._lines and line:
                # Of a damaged one, the next answer must say so, too.
                stays = layout.is_settled(max(now[2:]), time.time_ns()) and not watch.errors
                self._lines[name] = (now if stays else (), line)
                self._changed = True
        return line

    def _list(self) -> None:
        found = []
        for entry in self.folder.entries():
            if layout.is_note_file(entry.name):
                with suppress(FileNotFoundError):
                    about = entry.stat(follow_symlinks=False)
                    if is_regular(about.st_mode, os.path.join(self.folder.path, entry.name)):
                        found.append((about.st_mtime_ns, entry.name))
                    else:
                        self._directory = "-"  # the next answer must say so, too
            elif not entry.name.endswith(".md") and (why := _why_unread(entry)):
                note(os.path.join(self.folder.path, entry.name), OSError(EISDIR, why))
                self._directory = "-"
        self.count = len(found)
        found.sort(reverse=True)
        self._lines = {name: self._lines.get(name, ((), "")) for _, name in found[:_KEPT]}
        self._changed = True

    def _cached(self) -> tuple[str, str, int, dict[str, tuple[Stamp | tuple[()], str]]]:
        try:
            with open(self._path, "rb", buffering=0, opener=open_regular) as file:
                rules, directory, count, rows = _parsed(file.read(_MAX_CACHE))
            return rules, directory, count, rows.copy()
        except (OSError, ValueError):
            return "", "", 0, {}

    def save(self) -> None:
        """Write the cache. Not synced, and failures are ignored."""
        if not self._changed:
            return
        self._changed = False
        rows = [self.rules, self._directory, str(self.count)]
        for name, (stamp, line) in self._lines.items():
            rows.append(f"{' '.join(map(str, stamp))}\t{name}\t{line}")
        data = "\n".join(rows).encode("utf-8", "surrogateescape")
        data = b"%08x\n%b" % (crc32(data), data)
        with suppress(OSError, MemolithError):
            files.make_directory(os.path.dirname(self._path))
            files.write_cache(self._path, data)


def _page(tree: Tree, slug: str, shelf: _Shelf) -> tuple[list[str], set[str]]:
    """Return the rows of a person's page that are shown, and the notes that it links to.

    A line in our format gives way to the note's own if the note is newer: it repeats what the note said.
    """
    relative = layout.path(slug, layout.INDEX)
    seen = allow_list.fingerprint(tree, relative)
    try:
        place = tree.place(relative)
        text = files.text_of(place.read_part(_MAX_PAGE)[0])
        about = place.stat()
    except (FileNotFoundError, UnsafePathError, StorageError):
        return [], set()
    if about is None:
        return [], set()
    rows, linked = list[str](), set[str]()
    for row in markdown.strip_comments(allow_list.masked(tree, relative, text, seen)).splitlines():
        target, ours = note_links.parsed(row)
        now = shelf.stamp(target) if target else None
        if ours and (now is None or target in linked):
            continue
        outdated = ours and now and now[2] > about.st_mtime_ns
        row = shelf.line(target) if target and outdated else row  # noqa: PLW2901
        if not row.strip() or row.lstrip().startswith("# ") or not source_label.inside(row):
            continue
        rows.append(row)
        linked.update(name for name in note_links.targets(row, slug) if shelf.stamp(name))
    return rows, linked


def line_of(tree: Tree, slug: str, note: Place) -> str:
    """Return a note's line; empty if the note cannot be read, because then its source is unknown."""

    def screen(text: str) -> str:
        from memolith.text.secrets.precheck import may_hold_secret

        if not may_hold_secret(text):
            return text
        return allow_list.masked(tree, layout.path(slug, "notes"), text, None)

    title, hook = describe(note, screen)
    if hook is None:
        return ""
    title = title.replace("[", "(").replace("]", ")")
    target = note.name
    for char, code in reversed(note_links.ESCAPES[1:]):
        target = target.replace(char, code)
    if " " in note.name or "(" in note.name or ")" in note.name:
        # `<memory` could be mistaken for our block's tag.
        target = f"<./{target}>" if note.name.lower().startswith("memory") else f"<{target}>"
    return f"- [{title}]({target})" + (f" — {hook}" if hook else "")


def describe(note: Place, screen: Callable[[str], str] = str) -> tuple[str, str | None]:
    """Return a note's title and hook, from its frontmatter or else from its first lines."""
    try:
        data = note.read_part(_GLANCE)[0]
    except MemolithError:
        return note.name[:-3], None  # a link or unreadable file; `doctor` says what is wrong
    entry = Entry("note", note.name, screen(files.text_of(data)))
    parsed, source = entry.parsed, entry.origin
    body = parsed.body if not parsed.problem else parsed.body.removeprefix("---")
    heading = f"# {entry.title}"
    said = "\n".join(line for line in body.splitlines() if markdown.same_line(line) != heading)
    if parsed.get("type") == "preference":
        hook = markdown.first_line(markdown.same_line(said), _PREFERENCE)
    else:
        hook = markdown.first_line(parsed.get("description") or said)
        mark, _, rest = hook.partition(" ")  # of a list, or a heading
        hook = rest if mark in ("-", "*", "+") or (mark and not mark.strip("#")) else hook
        if hook.rstrip(_ENDS) == entry.title.rstrip(_ENDS):
            hook = ""  # the title is the text
    hook = (
        f"{source_label.own(hook)} {source_label.label(source)}".lstrip()
        if source
        else source_label.escaped(hook)
    )
    return entry.title, hook
