"""Directories held open, so that no link is followed on the way to what is in them."""

from __future__ import annotations

import errno
import os
import stat

from memolith.base import whole
from memolith.base.errors import StorageError
from memolith.base.lean import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_HELD_OPEN = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_OPEN_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | SAFELY
# The errors for a link in place of a file or directory, and for a name that no file can have.
INSTEAD = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


class Folder:
    """A directory, kept open by its descriptor until the last reference is gone."""

    __slots__ = ("fd", "label", "path")

    def __init__(self, path: str, fd: int | None = None) -> None:
        self.path, self.fd = path, fd
        # Inside a repository: what makes of a file's bytes those that are read (`mount`).
        self.label: Callable[[bytes], bytes] | None = None

    def __del__(self) -> None:
        if self.fd is not None:
            with suppress(OSError):
                os.close(self.fd)

    def at(self, name: str) -> str:
        """Return the path argument for a system call with `dir_fd=fd` that reaches a name in here."""
        return name if self.fd is not None else os.path.join(self.path, name)

    def enter(self, name: str, *, noted: bool = True) -> Folder:
        """Open a subdirectory. FileNotFoundError if it is missing, UnsafePathError if it is a link."""
        return open_directory(os.path.join(self.path, name), self.at(name), self.fd, noted=noted)

    def entries(self) -> list[os.DirEntry[str]]:
        """Return the entries, as `os.scandir` does; use them while the directory is open."""
        try:
            with os.scandir(self.fd if self.fd is not None else self.path) as found:
                return list(found)
        except OSError as error:
            raise refused(self.path, error) from error

    def names(self, most: int = 1 << 32) -> list[str]:
        """Return the names in here, including hidden ones, or as many as are enough."""
        try:
            with os.scandir(self.fd if self.fd is not None else self.path) as found:
                return [entry.name for _, entry in zip(range(most), found, strict=False)]
        except OSError as error:
            raise refused(self.path, error) from error

    def holder(self, name: str) -> Folder:
        """Return the directory that has a name."""
        del name
        return self

    def parts(self) -> list[Folder]:
        """Return the directories on disk that this is made of."""
        return [self]

    def stat(self) -> os.stat_result:
        """Return the `stat` of the directory itself."""
        try:
            return os.stat(self.fd if self.fd is not None else self.path)
        except OSError as error:
            raise refused(self.path, error) from error


def refused(path: str, error: OSError) -> StorageError:
    """Return the error for a read that the system refused, and note that the answer is incomplete."""
    if error.errno not in ABSENT:
        whole.note(path, error)
    return StorageError(path, error)


class Both(Folder):
    """One directory out of two: what `first` has, and what the other one has besides, but for `reserved`."""

    __slots__ = ("_first", "_other", "_reserved")

    def __init__(self, first: Folder, other: Folder, reserved: str) -> None:
        super().__init__(first.path)
        self._first, self._other, self._reserved = first, other, reserved

    def entries(self) -> list[os.DirEntry[str]]:
        """Return the entries of both."""
        found = self._first.entries()
        known = {self._reserved, *(entry.name for entry in found)}
        return found + [entry for entry in self._other.entries() if entry.name not in known]

    def names(self, most: int = 1 << 32) -> list[str]:
        """Return the names in both."""
        return [entry.name for entry in self.entries()][:most]

    def holder(self, name: str) -> Folder:
        """Return the one that has a name; the other, if none has it."""
        first = self._first
        return first if name == self._reserved or is_kind(bool, first.at(name), first.fd) else self._other

    def parts(self) -> list[Folder]:
        """Return both."""
        return [self._first, self._other]

    def stat(self) -> os.stat_result:
        """Return the `stat` of the first."""
        return self._first.stat()


def open_directory(path: str, at: str, above: int | None, *, noted: bool) -> Folder:
    """Open a directory; an answer lacks what is in one that is refused, if `noted`."""
    try:
        if _HELD_OPEN:
            return Folder(path, os.open(at, _OPEN_DIRECTORY, dir_fd=above))
        if stat.S_ISDIR(os.lstat(path).st_mode):
            return Folder(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno not in INSTEAD or is_kind(stat.S_ISDIR, at, above):
            raise refused(path, error) from error
    if is_kind(stat.S_ISLNK, at, above):
        raise whole.unsafe(path, "is a symbolic link; memory is only kept in real directories", noted=noted)
    raise whole.unsafe(path, "is not a directory; move it out of the way", noted=noted)


def is_kind(kind: Callable[[int], bool], at: str, above: int | None) -> bool:
    """Whether what is there has this kind of mode; a link is not followed."""
    with suppress(OSError):
        return kind(os.stat(at, dir_fd=above, follow_symlinks=False).st_mode)
    return False
