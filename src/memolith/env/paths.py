"""Reaching a memory file: from the root of the store, directory by directory, never through a link.

A path that was checked can lead elsewhere by the time it is used: somebody swaps a directory for a link in
between. So nothing is checked beforehand. Each directory is opened inside the one above it, and refused if it
is a link; a file is opened, renamed or removed inside its open directory. What is swapped later changes
nothing. Where the system has no such calls (Windows), each directory is checked and then its path is used.

Terms. A `Folder` is a directory held open, a `Place` is a name in one, a `Tree` finds places below a root.
"""

from __future__ import annotations

import errno
import os
import stat

from memolith.base import whole
from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.lean import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# More than any memory. A file of gigabytes, read as a whole, would take as much room, and so would a list of
# millions of lines.
MAX_FILE_BYTES = 4 * 1_048_576
MAX_FILE_LINES = 200_000
# How much of a file is shown or searched, whatever its size.
MAX_LOOK_BYTES = 1_048_576
# Memory is four directories deep, its history five.
_MAX_DEPTH = 32

_HELD_OPEN = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_OPEN_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFELY
# Without O_NONBLOCK, opening a pipe would wait for its writer.
_OPEN_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _SAFELY

# Every file that memolith writes carries this attribute (see `files.write_new`): so it is known from one that
# was written elsewhere and given a second name in the store.
MARK = "user.memolith"
# What the system says of a link where a real file or directory is asked for, and of a name that no file has.
_INSTEAD = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


class Folder:
    """A directory. It is held open by its descriptor until nobody refers to it any more."""

    __slots__ = ("fd", "path")

    def __init__(self, path: str, fd: int | None = None) -> None:
        self.path, self.fd = path, fd

    def __del__(self) -> None:
        if self.fd is not None:
            with suppress(OSError):
                os.close(self.fd)

    def at(self, name: str) -> str:
        """Return what to give a system call, along with `fd`, to reach a name in here."""
        return name if self.fd is not None else os.path.join(self.path, name)

    def enter(self, name: str) -> Folder:
        """Open a directory in here. FileNotFoundError if there is none, UnsafePathError if it is a link."""
        return _open_directory(os.path.join(self.path, name), self.at(name), self.fd)

    def entries(self) -> list[os.DirEntry[str]]:
        """Return what is in here, as `os.scandir` does; to be asked while the directory is held open."""
        try:
            with os.scandir(self.fd if self.fd is not None else self.path) as found:
                return list(found)
        except OSError as error:
            raise refused(self.path, error) from error

    def names(self) -> list[str]:
        """Return the names in here, hidden ones too."""
        try:
            return os.listdir(self.fd if self.fd is not None else self.path)
        except OSError as error:
            raise refused(self.path, error) from error

    def stat(self) -> os.stat_result:
        """Return what the system knows of the directory itself."""
        try:
            return os.stat(self.fd if self.fd is not None else self.path)
        except OSError as error:
            raise refused(self.path, error) from error


def refused(path: str, error: OSError) -> StorageError:
    """Return the error of a read that the system refused. Whoever catches it, the answer is not whole."""
    if error.errno not in _ABSENT:
        whole.note(path, error)
    return StorageError(path, error)


def _open_directory(path: str, at: str, above: int | None) -> Folder:
    try:
        if _HELD_OPEN:
            return Folder(path, os.open(at, _OPEN_DIRECTORY, dir_fd=above))
        if stat.S_ISDIR(os.lstat(path).st_mode):
            return Folder(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno not in _INSTEAD or _is(stat.S_ISDIR, at, above):
            raise refused(path, error) from error
    if _is(stat.S_ISLNK, at, above):
        raise UnsafePathError(f"{path}: is a symbolic link; memory is only kept in real directories")
    raise UnsafePathError(f"{path}: is not a directory; move it out of the way")


def _is(kind: Callable[[int], bool], at: str, above: int | None) -> bool:
    with suppress(OSError):
        return kind(os.stat(at, dir_fd=above, follow_symlinks=False).st_mode)
    return False


class Place:
    """A name in a directory, whether there is a file or not. As text it is its path."""

    __slots__ = ("folder", "name")

    def __init__(self, folder: Folder, name: str) -> None:
        self.folder, self.name = folder, name

    @classmethod
    def of(cls, path: str) -> Place:
        """Return the place of a path that is not in the store, such as that of config.yml."""
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
        """What to give a system call, along with `fd`."""
        return self.folder.at(self.name)

    @property
    def fd(self) -> int | None:
        """The descriptor of the directory."""
        return self.folder.fd

    def stat(self) -> os.stat_result | None:
        """Return what the system knows of the file, or of the link that is there; None if nothing is.

        Also None if the system does not say; then the answer that is being made is not whole.
        """
        try:
            return os.stat(self.at, dir_fd=self.fd, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _ABSENT:
                whole.note(self.path, error)
            return None

    def fingerprint(self) -> tuple[int, int, int, int] | None:
        """Return what changes when a file is saved, for one `stat`; None if there is no file.

        A hint that spares work: a save within one tick of the clock may leave it the same.
        """
        found = self.stat()
        return found and (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def is_file(self) -> bool:
        """Whether there is a regular file, not a link to one."""
        found = self.stat()
        return found is not None and stat.S_ISREG(found.st_mode)

    def open(self, *, shared: bool = False) -> int | None:
        """Open a regular file for reading; None if there is none. Links and special files are refused.

        `shared`: it may have other names (hard links), as git's objects do; a memory may not.
        """
        try:
            fd = os.open(self.at, _OPEN_READ, dir_fd=self.fd)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in _INSTEAD and _is(stat.S_ISLNK, self.at, self.fd):
                raise UnsafePathError(f"{self}: is a symbolic link; replace it by a real file") from None
            if error.errno in (errno.ENXIO, errno.EISDIR):
                raise UnsafePathError(f"{self}: is not a regular file") from None
            raise refused(self.path, error) from error
        try:
            found = os.fstat(fd)
            if stat.S_ISREG(found.st_mode) and (shared or found.st_nlink < 2 or is_marked(fd)):
                return fd
        except OSError as error:
            os.close(fd)
            raise refused(self.path, error) from error
        os.close(fd)
        if not stat.S_ISREG(found.st_mode):
            raise UnsafePathError(f"{self}: is not a regular file")
        raise UnsafePathError(
            f"{self}: has {found.st_nlink} names (hard links), so it may be a file from elsewhere; if it is "
            f"yours, give it a copy of its own: cp {self.name} {self.name}~ && mv {self.name}~ {self.name}"
        )

    def read(self, limit: int = MAX_FILE_BYTES, *, cut: bool = False) -> bytes | None:
        """Return the whole file, or None if it does not exist. Beyond `limit` it is cut, or a StorageError.

        A file that changes while it is read (an editor saving in place) is read again.
        """
        for attempt in range(4):
            fd = self.open()
            if fd is None:
                return None
            try:
                before = os.fstat(fd)
                data = _read_all(fd, min(before.st_size, limit), limit)
                after = os.fstat(fd)
            except OSError as error:
                raise refused(self.path, error) from error
            finally:
                os.close(fd)
            if not cut:
                _refuse_too_large(self.path, data, limit, after.st_size)
            same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
            if (same and len(data) == min(after.st_size, limit + 1)) or attempt == 3:
                break
        return data[:limit]

    def read_part(self, limit: int, *, end: bool = False, shared: bool = False) -> tuple[bytes, int]:
        """Return at most `limit` bytes from the start (or the end) of a file, and its whole size.

        So a huge file costs no more than what is shown of it. A missing file is empty.
        """
        fd = self.open(shared=shared)
        if fd is None:
            return b"", 0
        try:
            size = os.fstat(fd).st_size
            if end and size > limit:
                os.lseek(fd, size - limit, os.SEEK_SET)
            return os.read(fd, min(limit, size)), size
        except OSError as error:
            raise refused(self.path, error) from error
        finally:
            os.close(fd)


def is_marked(fd: int) -> bool:
    """Whether memolith wrote a file. Its other names are then copies, such as those of `cp -al`."""
    if not hasattr(os, "getxattr"):
        return False
    try:
        os.getxattr(fd, MARK)
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.ENOTSUP, errno.EPERM):
            return False
        raise
    return True


def _refuse_too_large(path: str, data: bytes, limit: int, size: int) -> None:
    lines = data.count(b"\n") if len(data) > MAX_FILE_LINES else 0
    if len(data) > limit:
        why = f"has {max(size, len(data)):,} bytes, more than the {limit:,} of a memory; split it"
    elif lines > MAX_FILE_LINES:
        why = f"has {lines:,} lines, more than the {MAX_FILE_LINES:,} of a memory; split it"
    else:
        return
    raise refused(path, OSError(errno.EFBIG, why))


def _read_all(fd: int, size: int, limit: int) -> bytes:
    """Read a file of about `size` bytes, at most one more than `limit`."""
    data = os.read(fd, size + 1)
    if len(data) <= size and len(data) < 65_536:
        return data
    chunks, left = [data], limit + 1 - len(data)
    while left > 0 and (chunk := os.read(fd, min(left, 1 << 20))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


class Tree:
    """The directories below a root, for one operation; the root may not be a link either.

    The directories on the way to the last place stay open, so that its neighbours cost one call each.
    """

    __slots__ = ("_way", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self._way: list[tuple[str, Folder]] = []

    def folder(self, directory: str = "") -> Folder:
        """Open a directory. FileNotFoundError if there is none, UnsafePathError if a link is on the way."""
        parts = _parts(directory) if directory else []
        way = self._way
        if not way:
            way.append(("", _open_directory(self.root, self.root, None)))
        same = 1
        for (name, _), part in zip(way[1:], parts, strict=False):
            if name != part:
                break
            same += 1
        del way[same:]
        for part in parts[same - 1 :]:
            way.append((part, way[-1][1].enter(part)))
        return way[-1][1]

    def place(self, relative: str) -> Place:
        """Return the place of a file. FileNotFoundError if its directory is missing."""
        _parts(relative)
        directory, _, name = relative.rpartition("/")
        return Place(self.folder(directory), name)

    def check(self, relative: str) -> None:
        """Raise UnsafePathError if a link is on the way to a file, or if this is no spelling of its path."""
        with suppress(FileNotFoundError):
            self.place(relative)

    def stat(self, relative: str) -> os.stat_result | None:
        """Return what `Place.stat` does; None if nothing is there, or the system does not say."""
        try:
            return self.place(relative).stat()
        except (FileNotFoundError, StorageError):
            return None

    def is_file(self, relative: str) -> bool:
        """Whether there is a regular file, not a link to one."""
        try:
            return self.place(relative).is_file()
        except (FileNotFoundError, UnsafePathError, StorageError):
            return False

    def read(self, relative: str, limit: int = MAX_FILE_BYTES, *, cut: bool = False) -> bytes | None:
        """Return a whole file, or None if it does not exist. Beyond `limit` it is cut, or a StorageError."""
        try:
            return self.place(relative).read(limit, cut=cut)
        except FileNotFoundError:
            return None

    def read_part(self, relative: str, limit: int, *, end: bool = False) -> tuple[bytes, int]:
        """Return at most `limit` bytes from the start (or the end) of a file, and its whole size."""
        try:
            return self.place(relative).read_part(limit, end=end)
        except FileNotFoundError:
            return b"", 0

    def names(self, directory: str, suffix: str = ".md") -> list[str]:
        """Return the sorted names in a directory that end in `suffix`; hidden ones never count."""
        try:
            found = self.folder(directory).names()
        except FileNotFoundError:
            return []
        return sorted(name for name in found if name.endswith(suffix) and not name.startswith("."))

    def walk(
        self, directory: str = "", failed: Callable[[str, StorageError], None] | None = None
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield a directory and all below it: path, names of its directories, names of all else, sorted.

        As with `os.walk`, what the caller takes out of the first list is left out. A directory that cannot
        be opened is empty; `failed` hears of it.
        """
        below: list[str] = []
        others: list[str] = []
        try:
            folder = self.folder(directory)
            for entry in folder.entries():
                (below if entry.is_dir(follow_symlinks=False) else others).append(entry.name)
        except (FileNotFoundError, UnsafePathError):
            pass
        except (StorageError, OSError) as error:  # the latter where a listing does not say what is what
            problem = error if isinstance(error, StorageError) else refused(folder.path, error)
            if failed:
                failed(directory, problem)
        below.sort()
        yield directory, below, sorted(others)
        if directory.count("/") < _MAX_DEPTH:
            for name in below:
                yield from self.walk(f"{directory}/{name}" if directory else name, failed)


def inside(home: str, path: str) -> tuple[Tree, str]:
    """Return the tree, and the path in it, of a path below a home. The home itself may be a link."""
    top, _, rest = path.partition("/")
    return Tree(os.path.join(home, top)), rest


def _parts(relative: str) -> list[str]:
    """Split a path of the store. Scopes are read off it, so it has one spelling only."""
    parts = relative.split("/")
    if "" in parts or "." in parts or ".." in parts or "\0" in relative:
        raise UnsafePathError(f"{relative!r} is not a path in the memory")
    return parts
