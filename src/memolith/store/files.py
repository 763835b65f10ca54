"""Files on disk: bounded and stable reads, and replacing a file without ever losing what was there.

How a replacement works (`exchange`): the new bytes are in a synced temporary file; one system call
exchanges the two names; only then we look at what we got out. So even a save that an editor made in the last
microsecond is in our hands and not gone. Where the file system cannot exchange, the file is compared just
before it is replaced; the window is then some microseconds (docs/design.md, "The gate").
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys

from memolith.errors import StorageError, UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WINDOWS = sys.platform == "win32"
_OPEN_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_OPEN_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@contextlib.contextmanager
def told(path: str) -> Iterator[None]:
    """Turn an OSError into a StorageError that names `path`."""
    try:
        yield
    except OSError as error:
        raise StorageError(path, error) from error


# ---------------------------------------------------------------- reading


def _open(path: str) -> int | None:
    """Open a regular file for reading; None if there is none. Links and special files are refused."""
    try:
        fd = os.open(path, _OPEN_READ)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnsafePathError(f"{path}: is a symbolic link; replace it by a real file") from None
        if error.errno in (errno.ENXIO, errno.EISDIR):
            raise UnsafePathError(f"{path}: is not a regular file") from None
        raise StorageError(path, error) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UnsafePathError(f"{path}: is not a regular file")
    return fd


def read(path: str) -> bytes | None:
    """Return the whole file, or None if it does not exist.

    A file that changes while it is read (an editor saving in place) is read again.
    """
    for attempt in range(4):
        fd = _open(path)
        if fd is None:
            return None
        try:
            with told(path):
                before = os.fstat(fd)
                data = _read_all(fd, before.st_size)
                after = os.fstat(fd)
        finally:
            os.close(fd)
        same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        if (same and len(data) == after.st_size) or attempt == 3:
            break
    return data


def _read_all(fd: int, size: int) -> bytes:
    data = os.read(fd, size + 1)
    if len(data) <= size and len(data) < 65_536:
        return data
    chunks = [data]
    while chunk := os.read(fd, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def is_file(path: str) -> bool:
    """Tell whether there is a regular file, not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def fingerprint(path: str) -> tuple[int, int, int, int] | None:
    """Return what changes when a file is saved, for one `stat`; None if there is no file.

    A hint that spares work: a save within one tick of the clock may leave it the same.
    """
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_part(path: str, limit: int, *, end: bool = False) -> tuple[bytes, int]:
    """Return at most `limit` bytes from the start (or the end) of a file, and its whole size.

    So a huge file costs no more than what is shown of it. A missing file is empty.
    """
    fd = _open(path)
    if fd is None:
        return b"", 0
    try:
        with told(path):
            size = os.fstat(fd).st_size
            if end and size > limit:
                os.lseek(fd, size - limit, os.SEEK_SET)
            return os.read(fd, limit), size
    finally:
        os.close(fd)


def text_of(data: bytes) -> str:
    """Decode for showing: bytes that are not UTF-8 become a visible replacement character."""
    return data.decode("utf-8", "replace")


def names(directory: str, suffix: str = ".md") -> list[str]:
    """Return the sorted names of the files in a directory that end in `suffix`; hidden ones never count."""
    try:
        found = os.listdir(directory)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(directory, error) from error
    return sorted(name for name in found if name.endswith(suffix) and not name.startswith("."))


# ---------------------------------------------------------------- writing


def sync_directory(path: str) -> None:
    """Make the names in a directory durable."""
    if _WINDOWS:
        return
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_directory(path: str) -> None:
    """Create a directory and its parents, private to the user, each durable in its parent."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for directory in reversed(missing):
        with told(directory):
            with contextlib.suppress(FileExistsError):
                os.mkdir(directory, 0o700)
            sync_directory(os.path.dirname(directory))


def refuse_links(root: str, relative: str) -> None:
    """Raise UnsafePathError if the store or any directory on the way to `relative` is a link.

    Also if `relative` has another spelling (`./a`, `a//b`, `a/../b`): scopes are read off it.
    """
    parts = relative.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise UnsafePathError(f"{relative!r} is not a path in the memory")
    path = root
    for part in ["", *parts[:-1]]:
        path = os.path.join(path, part) if part else path
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(path, error) from error
        if stat.S_ISLNK(mode):
            raise UnsafePathError(f"{path}: is a symbolic link; memory is only kept in real directories")
        if not stat.S_ISDIR(mode):
            raise UnsafePathError(f"{path}: is not a directory; move it out of the way")


def write_new(path: str, data: bytes) -> None:
    """Create a file that must not exist yet, with its bytes on disk when this returns."""
    fd = os.open(path, _OPEN_NEW, 0o600)
    try:
        os.fchmod(fd, 0o600) if not _WINDOWS else None
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        full_sync(fd)
    finally:
        os.close(fd)


def full_sync(fd: int) -> None:
    """Push a file's bytes to the disk; on macOS plain fsync stops at the drive's cache."""
    if sys.platform == "darwin":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def replace(source: str, target: str, attempts: int = 20) -> None:
    """Rename over a file. Windows refuses while somebody has it open, so try again for a moment."""
    for attempt in range(attempts):
        try:
            os.replace(source, target)
        except PermissionError:
            if not _WINDOWS or attempt == attempts - 1:
                raise
            import time

            time.sleep(0.005 * (attempt + 1))
        else:
            return


def create(temporary: str, path: str) -> bool:
    """Give a temporary file its name only if that name is free; False if somebody was faster."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        # No hard links here (some network and FAT file systems): the check is then not atomic.
        if os.path.lexists(path):
            return False
        os.rename(temporary, path)
        return True
    os.unlink(temporary)
    return True


def exchange(one: str, other: str) -> bool:
    """Swap two files' names in one step; False where the system cannot."""
    swap = _swap_function()
    if swap is None:
        return False
    code = swap(os.fsencode(one), os.fsencode(other))
    if code == 0:
        return True
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV):
        return False
    raise OSError(code, os.strerror(code), other)


_swap: list[Callable[[bytes, bytes], int] | None] = []


def _swap_function() -> Callable[[bytes, bytes], int] | None:
    if not _swap:
        _swap.append(_find_swap())
    return _swap[0]


def _find_swap() -> Callable[[bytes, bytes], int] | None:
    if _WINDOWS:
        return None
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        call = library.renamex_np if sys.platform == "darwin" else library.renameat2
    except (OSError, AttributeError):
        return None
    at_cwd, rename_exchange, rename_swap = -100, 2, 2

    def swap(one: bytes, other: bytes) -> int:
        if sys.platform == "darwin":
            failed = call(one, other, rename_swap)
        else:
            failed = call(at_cwd, one, at_cwd, other, rename_exchange)
        return ctypes.get_errno() if failed else 0

    return swap


def wait_for_writers(path: str, seconds: float) -> bool:
    """Wait until no process has `path` open for writing; False if one still has.

    Linux grants a read lease only when there is no writer. Elsewhere nothing is known: True.
    """
    if not sys.platform.startswith("linux"):
        return True
    import fcntl
    import signal
    import time

    set_signal = 10  # F_SETSIG: `fcntl` has no name for it
    fd = _open(path)
    if fd is None:
        return True
    try:
        deadline = time.monotonic() + seconds
        while True:
            try:
                # If an opener breaks the lease in between, the kernel sends a signal; the default
                # one would end this process, SIGURG is ignored by default.
                fcntl.fcntl(fd, set_signal, signal.SIGURG)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    return True
            else:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
    finally:
        os.close(fd)
