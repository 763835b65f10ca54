"""Which files the index covers, and whether any of them changed, at one `stat` each.

A directory has a signature: the sum of the hashes of its files' names, sizes, times and inodes. Comparing
directories takes one number, and a changed file updates it without the others.
"""

from __future__ import annotations

import os
import time
from itertools import islice
from zlib import crc32

from memolith.base.lean import lru_cache, suppress
from memolith.base.whole import is_regular
from memolith.env.paths import inside
from memolith.index.units import KINDS
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memolith.env.folders import Folder
    from memolith.env.paths import Tree

_MASK = (1 << 63) - 1  # of SQLite's integers; a time after 2262 counts as then
_INDEX = layout.MEMORY
_PAGES = (layout.MEMORY, layout.SCRATCHPAD)  # files in a directory of others
_MAX_SESSION = 64 * 1_048_576
_FEW = 300  # files of a directory that are looked at for every prompt


class Place:
    """A directory with files of one kind; `path` is relative to the home.

    A `deep` one includes the files in subdirectories; their names are relative paths.
    """

    __slots__ = ("accepts", "category", "deep", "kind", "path", "slug")

    def __init__(
        self,
        slug: str,
        path: str,
        kind: str,
        accepts: Callable[[str], bool],
        category: str = "",
        *,
        deep: bool = False,
    ) -> None:
        self.slug, self.path, self.kind, self.category = slug, path, KINDS.index(kind), category
        self.accepts, self.deep = accepts, deep


class Entry:
    """A file as listed in its directory."""

    __slots__ = ("ctime", "inode", "mtime", "name", "settled", "size")

    def __init__(self, name: str, found: os.stat_result, now: int, revision: int = 0) -> None:
        self.name, self.size, self.inode = name, found.st_size, found.st_ino & _MASK
        self.mtime, self.ctime = min(found.st_mtime_ns, _MASK), min(found.st_ctime_ns, _MASK)
        self.settled = layout.is_settled(max(self.mtime, self.ctime), now)
        self.ctime ^= revision

    def stamp(self) -> tuple[int, int, int, int]:
        """Return the values to compare."""
        return self.inode, self.size, self.mtime, self.ctime

    def digest(self) -> int:
        """Return this file's share of its directory's signature."""
        return digest(self.name, *self.stamp())


def digest(name: str, inode: int, size: int, mtime: int, ctime: int) -> int:
    """Return the hash of a file's name and stamp. Hashes of numbers are the same in every process."""
    return hash((crc32(name.encode()), inode, size, mtime, ctime)) & _MASK


@lru_cache(maxsize=64)
def places(slug: str, only: str = "") -> tuple[Place, ...]:
    """Return the directories of a scope, or `only` those of a kind."""
    base = f"{layout.STORE}/{layout.path(slug)}".rstrip("/")
    found = []
    for kind in layout.KINDS:
        if not kind.recalled_as or not (slug or kind.user_wide) or only not in ("", kind.recalled_as):
            continue
        accepts = _ACCEPTS.get(kind.path, _is_markdown)
        if kind.is_file:
            found.append(Place(slug, base, kind.recalled_as, accepts))
            continue
        for part in layout.CATEGORIES if kind.path == "records" else ("",):
            path = "/".join(filter(None, (base, kind.path, part)))
            deep = kind.path == "memories"
            found.append(Place(slug, path, kind.recalled_as, accepts, part, deep=deep))
    if slug and not only:
        found.append(Place(slug, f"sessions/{slug}", "session", is_session))
    return tuple(found)


def _is_note(name: str) -> bool:
    # `_is_markdown` and not the index, in one call: see `signature`.
    return name[-3:] == ".md" and name[0] != "." and (name.isascii() or _is_text(name)) and name != _INDEX


def _is_markdown(name: str) -> bool:
    return name[-3:] == ".md" and name[0] != "." and (name.isascii() or _is_text(name))


def _is_markdown_below(name: str) -> bool:
    return all(part[0] != "." for part in name.split("/")) and _is_markdown(name)


def _is_day(name: str) -> bool:
    return name[-3:] == ".md" and layout.is_date(name[:-3])


# Which files count, by kind; by default, all Markdown files that are not hidden.
_ACCEPTS: dict[str, Callable[[str], bool]] = {
    layout.MEMORY: _PAGES.__contains__,
    "notes": _is_note,
    "daily": _is_day,
    "memories": _is_markdown_below,
}


def is_session(name: str) -> bool:
    """Whether a file is the copy of a session."""
    return name[-9:] == ".jsonl.gz" and name[0] != "." and (name.isascii() or _is_text(name))


def _is_text(name: str) -> bool:
    """Whether a name is UTF-8; others cannot be shown."""
    return not any("\ud800" <= char <= "\udfff" for char in name)


def signature(home: str, place: Place) -> int:
    """Return the signature of a directory; 0 if it does not exist.

    UnsafePathError if it is a link, StorageError or OSError if it cannot be listed.
    """
    if place.kind == 0 or place.deep:
        return sum(entry.digest() for entry in entries(home, place).values()) & _MASK
    folder = _folder(home, place)
    if folder is None:
        return 0
    accepts, revision = place.accepts, _revision(home, place)
    total = 0
    # Equals the sum of `digest`, inlined: this runs for every file at every query.
    for item in [item for item in folder.entries() if accepts(item.name)]:
        found = item.stat(follow_symlinks=False)
        if found.st_mode >> 12 == 8:  # a regular file
            total += hash(
                (
                    crc32(item.name.encode()),
                    found.st_ino & _MASK,
                    found.st_size,
                    min(found.st_mtime_ns, _MASK),
                    min(found.st_ctime_ns, _MASK) ^ revision,
                )
            )
        else:
            is_regular(found.st_mode, f"{folder.path}/{item.name}")
    return total & _MASK


def _revision(home: str, place: Place) -> int:
    """Return what changes with a person's decisions about entries in a repository; 0 for other places.

    Whose an entry is depends on them: it must be read again.
    """
    tree, rest = inside(home, place.path)
    if tree.mount(rest) is None:
        return 0
    found = tree.stat(layout.path(place.slug, layout.ACCEPTED))
    return crc32(repr(found and (found.st_ino, found.st_size, found.st_mtime_ns)).encode())


def directories(home: str, places: Sequence[Place]) -> str:
    """Return a value that changes when a file is added, removed or replaced.

    One `stat` per directory, and per file where there are few. It misses files saved in place among many, and
    sessions, which nobody edits.
    """
    seen: list[tuple[object, ...]] = []
    for place in places:
        for path in [f"{place.path}/{each}" for each in _PAGES] if place.kind == 0 else [place.path]:
            tree, rest = inside(home, path)
            where = [f"{home}/{path}"]
            if (mount := tree.mount(rest)) is not None:
                where.append(f"{mount.path}/{rest.split('/', 2)[2]}")
                seen.append((_revision(home, place),))
            for each in where:
                try:
                    found = os.stat(each, follow_symlinks=False)
                except OSError:
                    continue
                seen.append((path, found.st_ino, found.st_mtime_ns, found.st_ctime_ns))
                if place.kind and place.accepts is not is_session:
                    seen.append((_few_files(each),))
    return f"{crc32(repr(seen).encode()):08x}"


def _few_files(path: str) -> int:
    """Return a value that changes with any file in a directory; 0 if there are many."""
    with suppress(OSError), os.scandir(path) as found:
        items = list(islice(found, _FEW + 1))
        if len(items) <= _FEW:
            stamps = [(crc32(os.fsencode(item.name)), item.stat(follow_symlinks=False)) for item in items]
            return sum(hash((name, s.st_size, s.st_mtime_ns, s.st_ctime_ns)) for name, s in stamps) & _MASK
    return 0


def entries(home: str, place: Place) -> dict[str, Entry]:
    """Return the files of a directory by name, without links and special files; errors as in `signature`."""
    now = time.time_ns()
    if place.kind == 0:
        return {name: entry for name in _PAGES if (entry := look(home, place, name))}
    found: dict[str, Entry] = {}
    folder = _folder(home, place)
    if folder and place.deep:
        tree, top = inside(home, place.path)
        for directory, _, names in tree.walk(top):
            for name in (f"{directory}/{each}"[len(top) + 1 :] for each in names):
                if place.accepts(name) and (entry := look(home, place, name)):
                    found[name] = entry
        return found
    revision = _revision(home, place)
    for item in folder.entries() if folder else ():
        if place.accepts(item.name):
            try:
                state = item.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if is_regular(state.st_mode, f"{home}/{place.path}/{item.name}"):
                found[item.name] = Entry(item.name, state, now, revision)
    return found


def _folder(home: str, place: Place) -> Folder | None:
    """Open a directory, if it exists, so that no `stat` has to follow the path."""
    tree, rest = inside(home, place.path)
    try:
        return tree.folder(rest)
    except FileNotFoundError:
        return None


def look(home: str, place: Place, name: str) -> Entry | None:
    """Return the current entry of one file; None if none counts. UnsafePathError behind a link."""
    now = time.time_ns()
    if not place.accepts(name):
        return None
    tree, rest = inside(home, f"{place.path}/{name}")
    found = tree.stat(rest)
    if found is None or not is_regular(found.st_mode, f"{home}/{place.path}/{name}"):
        return None
    return Entry(name, found, now, _revision(home, place))


class Files:
    """Reads files of a home for one operation; further files in the same directory are cheap."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._trees: dict[str, Tree] = {}

    def read(self, path: str) -> tuple[bytes, tuple[int, int, int, int]] | None:
        """Return a file's bytes and its stamp; None if it does not exist."""
        top, _, rest = path.partition("/")
        tree = self._trees.get(top)
        if tree is None:
            tree = self._trees[top] = inside(self._home, path)[0]
        try:
            place = tree.place(rest)
        except FileNotFoundError:
            return None
        # Session copies may be larger than a memory.
        return place.read_as_of(_MAX_SESSION, cut=True) if top == "sessions" else place.read_as_of()
