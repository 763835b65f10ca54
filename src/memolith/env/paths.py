"""Reaching a memory file: from the root of the store, directory by directory, never through a link.

A checked path can lead elsewhere by the time it is used: somebody may swap a directory for a link. So nothing
is checked in advance. Each directory is opened relative to its parent and refused if it is a link; a file is
opened, renamed or removed relative to its open directory. A later swap has no effect. Where the system lacks
such calls (Windows), each directory is checked and then used by its path.

Terms. A `Folder` is a directory held open, a `Place` is a name in one, a `Tree` finds places below a root.
"""

from __future__ import annotations

import errno
import os
import stat

from memolith.base import whole
from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.env.folders import ABSENT, INSTEAD, SAFELY, Folder, is_kind, open_directory, refused
from memolith.env.settings import owners

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Protocol

    class Mount(Protocol):
        """Where else a project has entries."""

        path: str

        def folder(self, tree: Tree, directory: str) -> Folder:
            """Open a directory of the store together with the one inside the repository."""


# More than any memory has: gigabytes, or millions of lines, would exhaust ours.
MAX_FILE_BYTES = 4 * 1_048_576
MAX_FILE_LINES = 200_000
# How much of a file is shown or searched, whatever its size.
MAX_LOOK_BYTES = 1_048_576
_MAX_DEPTH = 32  # the store is four directories deep, its history five

# Without O_NONBLOCK, opening a pipe would block until it has a writer.
_OPEN_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | SAFELY

# On every file that we write (`files.write_new`): it tells ours from foreign ones that were hard-linked here.
MARK = "user.memolith"
# How the rest of a project is found that is kept inside its repository, by the root of an opened store.
MOUNTS: dict[str, Callable[[str], Mount | None]] = {}
SHARED = ("notes", "records", "tickets")  # the kinds that can be there
PAGE = "notes/MEMORY.md"  # but for a person's own page


class Place:
    """A name in a directory, whether or not the file exists. `str()` gives its path."""

    __slots__ = ("folder", "name")

    def __init__(self, folder: Folder, name: str) -> None:
        self.folder, self.name = folder.holder(name), name

    @classmethod
    def of(cls, path: str) -> Place:
        """Return the place of a path outside of the store, such as config.yml."""
        directory, name = os.path.split(path)
        return cls(Folder(directory), name)

    @property
    def path(self) -> str:
        """The path, for people."""
        return os.path.join(self.folder.path, self.name)

    def __str__(self) -> str:
        return self.path

    @property
    def at(self) -> str:
        """The path argument for a system call with `dir_fd=fd`."""
        return self.folder.at(self.name)

    @property
    def fd(self) -> int | None:
        """The descriptor of the directory."""
        return self.folder.fd

    def stat(self) -> os.stat_result | None:
        """Return the `stat` of the file, or of the link itself; None if nothing is there.

        Also None if the system does not answer; then the current answer is incomplete.
        """
        try:
            return os.stat(self.at, dir_fd=self.fd, follow_symlinks=False)
        except OSError as error:
            if error.errno not in ABSENT:
                whole.note(self.path, error)
            return None

    def fingerprint(self) -> tuple[int, int, int, int] | None:
        """Return a value that changes when the file is saved, from one `stat`; None if it does not exist.

        Only a hint that saves work: two saves within one clock tick may share it.
        """
        found = self.stat()
        return found and (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def is_file(self) -> bool:
        """Whether this is a regular file. A link to one is not, and an answer lacks it."""
        found = self.stat()
        return found is not None and whole.is_regular(found.st_mode, self.path)

    def open(self, *, shared: bool = False) -> int | None:
        """Open a regular file for reading; None if it does not exist. Links and special files are refused.

        `shared` allows hard links and another owner, which git's objects may have; a memory may not.
        """
        opened = self._opened(shared=shared)
        return None if opened is None else opened[0]

    def _opened(self, *, shared: bool = False) -> tuple[int, os.stat_result] | None:
        """Open a file as `open` does; return its `stat`, too."""
        try:
            fd = os.open(self.at, _OPEN_READ, dir_fd=self.fd)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            is_link = error.errno in INSTEAD and is_kind(stat.S_ISLNK, self.at, self.fd)
            if is_link or error.errno in (errno.ENXIO, errno.EISDIR):
                raise whole.unsafe(self.path, whole.NOT_FILES[is_link], noted=not shared) from None
            raise refused(self.path, error) from error
        try:
            found = os.fstat(fd)
            ours = shared or found.st_uid in owners() | {0}  # root can do anything anyway
            if ours and stat.S_ISREG(found.st_mode) and (shared or found.st_nlink < 2 or is_marked(fd)):
                return fd, found
        except OSError as error:
            os.close(fd)
            raise refused(self.path, error) from error
        os.close(fd)
        if not ours:
            raise refused(self.path, OSError(errno.EPERM, f"belongs to user {found.st_uid}, not to you"))
        if not stat.S_ISREG(found.st_mode):
            raise whole.unsafe(self.path, whole.NOT_FILES[0], noted=not shared)
        raise whole.unsafe(
            self.path,
            f"has {found.st_nlink} names (hard links), so it may be a file from elsewhere; if it is yours, "
            f"give it a copy of its own: cp {self.name} {self.name}~ && mv {self.name}~ {self.name}",
        )

    def read(self, limit: int = MAX_FILE_BYTES, *, cut: bool = False, raw: bool = False) -> bytes | None:
        """Return the whole file, or None if it does not exist. Beyond `limit`: cut it, or raise StorageError.

        A file that changes during the read (an editor saving in place) is read again. One inside a repository
        says whose it is, unless its bytes are wanted `raw`.
        """
        found = self.read_as_of(limit, cut=cut, raw=raw)
        return None if found is None else found[0]

    def read_as_of(
        self, limit: int = MAX_FILE_BYTES, *, cut: bool = False, raw: bool = False
    ) -> tuple[bytes, tuple[int, int, int, int]] | None:
        """Return the whole file as `read` does, and its `fingerprint`."""
        for attempt in range(4):
            opened = self._opened()
            if opened is None:
                return None
            fd, before = opened
            try:
                data = _read_all(fd, min(before.st_size, limit), limit)
                after = os.fstat(fd)
            except OSError as error:
                raise refused(self.path, error) from error
            finally:
                os.close(fd)
            if not cut:
                refuse_too_large(self.path, data, limit, after.st_size)
            same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
            if (same and len(data) == min(after.st_size, limit + 1)) or attempt == 3:
                break
        stamp = after.st_ino, after.st_size, after.st_mtime_ns, after.st_ctime_ns
        if not raw:
            whole.note_damage(self.path, data[:limit], ends=len(data) <= limit)
        return data[:limit] if raw else self.shown(data[:limit]), stamp

    def is_marked(self) -> bool:
        """Whether memolith wrote this file, as far as the file system can say."""
        fd = self.open()
        try:
            return fd is not None and is_marked(fd)
        finally:
            if fd is not None:
                os.close(fd)

    def shown(self, data: bytes) -> bytes:
        """Return a file's bytes as a reader gets them."""
        return data if self.folder.label is None else self.folder.label(data)

    def read_part(self, limit: int, *, end: bool = False, shared: bool = False) -> tuple[bytes, int]:
        """Return at most `limit` bytes from the start (or the end) of a file, and its total size.

        A huge file thus costs no more than the part that is shown. A missing file is empty.
        """
        if self.folder.label is not None:  # whose it is depends on all of it
            data = self.read(cut=True) or b""
            return data[-limit:] if end else data[:limit], len(data)
        fd = self.open(shared=shared)
        if fd is None:
            return b"", 0
        try:
            size = os.fstat(fd).st_size
            if end and size > limit:
                os.lseek(fd, size - limit, os.SEEK_SET)
            data = os.read(fd, min(limit, size))
        except OSError as error:
            raise refused(self.path, error) from error
        finally:
            os.close(fd)
        if not shared:
            whole.note_damage(self.path, data, ends=len(data) == size)
        return data, size


def is_marked(fd: int) -> bool:
    """Whether memolith wrote this file. Further hard links are then copies, such as from `cp -al`."""
    if not hasattr(os, "getxattr"):
        return False
    try:
        os.getxattr(fd, MARK)
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.ENOTSUP, errno.EPERM):
            return False
        raise
    return True


def refuse_too_large(path: str, data: bytes, limit: int, size: int = 0, verb: str = "has") -> None:
    """Refuse what is too large for a memory; `size` is that of the file, if not all of it was read."""
    unit, found, most = "bytes", max(size, len(data)), limit
    if len(data) <= limit:
        unit, found, most = "lines", data.count(b"\n") if len(data) > MAX_FILE_LINES else 0, MAX_FILE_LINES
    if found > most:
        why = f"{verb} {found:,} {unit}, more than the {most:,} of a memory; split it"
        raise refused(path, OSError(errno.EFBIG, why))


def _read_all(fd: int, size: int, limit: int) -> bytes:
    """Read a file of about `size` bytes, up to `limit` + 1."""
    data = os.read(fd, size + 1)
    if len(data) <= size and len(data) < 65_536:
        return data
    chunks, left = [data], limit + 1 - len(data)
    while left > 0 and (chunk := os.read(fd, min(left, 1 << 20))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


class Tree:
    """The directories below a root, for one operation; the root must not be a link either.

    The directories of the last place stay open, so that its neighbours cost one call each. What readers
    found out may be `kept` for those after them, unless something could not be read: each of them says so.
    """

    __slots__ = ("_find", "_mounts", "_ours", "_way", "kept", "root")

    def __init__(self, root: str, *, ours: bool = True, alone: bool = False) -> None:
        self.root, self._ours = root, ours  # else an answer lacks nothing without it
        self._find = None if alone else MOUNTS.get(root)  # alone: without what is inside repositories
        self._way: list[tuple[str, Folder]] = []
        self._mounts: dict[str, Mount | None] = {}
        self.kept: dict[object, Any] = {}

    def mount(self, relative: str) -> Mount | None:
        """Return where else there may be what is at a path of a store: in the repository of its project."""
        if self._find is None or not relative.startswith("projects/"):
            return None
        _, slug, *rest = relative.split("/", 2)
        inside = "".join(rest)
        if inside == PAGE or inside.partition("/")[0] not in SHARED:
            return None
        if slug not in self._mounts:
            self._mounts[slug] = self._find(slug)
        return self._mounts[slug]

    def folder(self, directory: str = "") -> Folder:
        """Open a directory. FileNotFoundError if it is missing, UnsafePathError if a link is on the way."""
        mount = self.mount(directory)
        return self.own_folder(directory) if mount is None else mount.folder(self, directory)

    def own_folder(self, directory: str = "") -> Folder:
        """Open a directory below the root itself."""
        parts = _parts(directory) if directory else []
        way = self._way
        if not way:
            way.append(("", open_directory(self.root, self.root, None, noted=self._ours)))
        same = 1
        for (name, _), part in zip(way[1:], parts, strict=False):
            if name != part:
                break
            same += 1
        del way[same:]
        for part in parts[same - 1 :]:
            way.append((part, way[-1][1].enter(part, noted=self._ours)))
        return way[-1][1]

    def place(self, relative: str) -> Place:
        """Return the place of a file. FileNotFoundError if its directory is missing."""
        _parts(relative)
        directory, _, name = relative.rpartition("/")
        opened = self.own_folder if self.mount(relative) is None else self.folder
        return Place(opened(directory), name)

    def check(self, relative: str) -> None:
        """Raise UnsafePathError if the path contains a link or is not in its canonical spelling."""
        with suppress(FileNotFoundError):
            self.place(relative)

    def stat(self, relative: str) -> os.stat_result | None:
        """Return `Place.stat` of a file; None if nothing is there or the system does not answer."""
        with suppress(FileNotFoundError, StorageError):
            return self.place(relative).stat()
        return None

    def is_file(self, relative: str) -> bool:
        """Whether this is a regular file, not a link to one."""
        with suppress(FileNotFoundError, UnsafePathError, StorageError):
            return self.place(relative).is_file()
        return False

    def read(self, relative: str, limit: int = MAX_FILE_BYTES, *, cut: bool = False) -> bytes | None:
        """Return a whole file, None if it does not exist. Beyond `limit`: cut it, or raise StorageError."""
        try:
            return self.place(relative).read(limit, cut=cut)
        except FileNotFoundError:
            return None

    def read_part(self, relative: str, limit: int, *, end: bool = False) -> tuple[bytes, int]:
        """Return at most `limit` bytes from the start (or the end) of a file, and its total size."""
        try:
            return self.place(relative).read_part(limit, end=end)
        except FileNotFoundError:
            return b"", 0

    def names(self, directory: str, suffix: str = ".md") -> list[str]:
        """Return the sorted names in a directory that end in `suffix`, without hidden ones."""
        try:
            found = self.folder(directory).names()
        except FileNotFoundError:
            return []
        return sorted(name for name in found if name.endswith(suffix) and not name.startswith("."))

    def listed(self, directory: str) -> list[str]:
        """Return `names` for an answer: a directory that must not or cannot be read hides no other."""
        with suppress(UnsafePathError, StorageError):  # noted where it was met
            return self.names(directory)
        return []

    def walk(
        self, directory: str = "", failed: Callable[[str, StorageError], None] | None = None
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield a directory and everything below it: path, names of subdirectories, other names, all sorted.

        As with `os.walk`, the caller may remove names from the first list to skip them. A directory that
        cannot be opened counts as empty and is reported to `failed`.
        """
        below, others = list[str](), list[str]()
        try:
            folder = self.folder(directory)
            for entry in folder.entries():
                (below if entry.is_dir(follow_symlinks=False) else others).append(entry.name)
        except (FileNotFoundError, UnsafePathError):
            pass
        except (StorageError, OSError) as error:  # OSError where a listing lacks file types
            problem = error if isinstance(error, StorageError) else refused(folder.path, error)
            if failed:
                failed(directory, problem)
        if directory.count("/") == 1 and self.mount(
            f"{directory}/notes"
        ):  # not all of them need be in the store, too
            below = list({*below, *SHARED})
        below.sort()
        yield directory, below, sorted(others)
        if directory.count("/") < _MAX_DEPTH:
            for name in below:
                yield from self.walk(f"{directory}/{name}" if directory else name, failed)


def inside(home: str, path: str) -> tuple[Tree, str]:
    """Return the tree and relative path of a path below a home. The home itself may be a link."""
    top, _, rest = path.partition("/")
    return Tree(os.path.join(home, top)), rest


def _parts(relative: str) -> list[str]:
    """Split a path of the store. It has only one valid spelling, because scopes are derived from it."""
    parts = relative.split("/")
    if "" in parts or "." in parts or ".." in parts or "\0" in relative:
        raise UnsafePathError(f"{relative!r} is not a path in the memory")
    return parts
