"""Changing files on disk: create, exchange and remove them without ever losing their old contents.

How a replacement works (`exchange`; `gate.py` does the rest): the new bytes are in a synced temporary file;
one system call exchanges the two names; only then the gate checks what came out. So even a save that an
editor made in the last microsecond is not lost. Where the file system cannot exchange, the file is compared
just before it is replaced, which leaves a window of some microseconds (docs/design.md, "The gate").
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from memolith.base.errors import MemolithError, StorageError
from memolith.base.lean import contextmanager, suppress
from memolith.env.folders import refused
from memolith.env.paths import MARK, Place, Tree, is_marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.env.folders import Folder

_WINDOWS = sys.platform == "win32"
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_AT_ONCE = _SAFELY | getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for its other end
_OPEN_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
_MAX_LOG = 1_048_576
BOM = "\ufeff"  # the byte order mark
EXACT = "surrogateescape"
_NOT_SUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV)


@contextmanager
def storage_errors(path: str, kind: type[StorageError] = StorageError) -> Iterator[None]:
    """Turn an OSError into a StorageError that names `path`."""
    try:
        yield
    except OSError as error:
        raise kind(path, error) from error


def text_of(data: bytes, errors: str = "replace") -> str:
    """Decode a file of the store, without the byte order mark that some editors put before the text.

    Bytes that are not UTF-8 become a visible replacement character, or survive (`EXACT`).
    """
    return data.decode("utf-8", errors).removeprefix(BOM)


def bytes_of(text: str, before: bytes | None) -> bytes:
    """Encode the new text of a file; a byte order mark that it had before stays."""
    mark = BOM.encode() if before and before.startswith(BOM.encode()) else b""
    return mark + text.encode("utf-8", EXACT)


def state(home: str) -> Tree:
    """Return the directory of a home with locks, receipts and logs."""
    return Tree(os.path.join(home, "state"))


# ---------------------------------------------------------------- directories


def is_directory(path: str) -> bool:
    """Whether a directory exists, also through a link; StorageError if that cannot be determined."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise refused(path, error) from error


def sync_directory(folder: Folder) -> None:
    """Make the names in a directory durable."""
    if folder.fd is not None:
        os.fsync(folder.fd)
    elif not _WINDOWS:
        fd = os.open(folder.path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def make_directory(path: str, mode: int = 0o700, kind: type[StorageError] = StorageError) -> list[str]:
    """Create a directory and its parents outside the store, durably; return those created."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for directory in reversed(missing):
        with storage_errors(directory, kind):
            _make(Place.of(directory), mode)
    return missing


def _make(place: Place, mode: int = 0o700) -> None:
    with suppress(FileExistsError):
        os.mkdir(place.at, mode, dir_fd=place.fd)
    sync_directory(place.folder)


def make_folder(tree: Tree, directory: str) -> Folder:
    """Open a directory of the store; create missing directories on the way, durably."""
    try:
        return tree.own_folder(directory)
    except FileNotFoundError:
        pass
    if directory:
        above, _, name = directory.rpartition("/")
        place = Place(make_folder(tree, above), name)
    else:
        make_directory(os.path.dirname(tree.root))
        place = Place.of(tree.root)
    with storage_errors(place.path):
        _make(place)
        return tree.own_folder(directory)


def remove_empty(tree: Tree, directory: str) -> None:
    """Remove a directory and its subdirectories, as far as they are empty."""
    with suppress(OSError, MemolithError):
        for entry in tree.folder(directory).entries():
            if entry.is_dir(follow_symlinks=False):
                remove_empty(tree, f"{directory}/{entry.name}")
        remove_directory(tree.place(directory))


def remove_directory(place: Place) -> None:
    """Remove an empty directory, durably."""
    os.rmdir(place.at, dir_fd=place.fd)
    sync_directory(place.folder)


def make_place(tree: Tree, relative: str) -> Place:
    """Return the place of a file; create its directory if necessary."""
    with suppress(FileNotFoundError):
        return tree.place(relative)
    directory, _, name = relative.rpartition("/")
    return Place(make_folder(tree, directory), name)


def make_private(tree: Tree, relative: str) -> None:
    """Restrict a file or directory to the user; `.` is the root itself."""
    with storage_errors(os.path.join(tree.root, relative)):
        found = tree.stat(relative) if relative != "." else None
        if relative == "." or (found is not None and stat.S_ISDIR(found.st_mode)):
            folder = tree.folder("" if relative == "." else relative)
            os.chmod(folder.path if folder.fd is None else folder.fd, 0o700)
        elif (fd := tree.place(relative).open()) is not None:
            try:
                os.chmod(fd, 0o600)
            finally:
                os.close(fd)


# ---------------------------------------------------------------- files


def open_log(home: str, name: str) -> int:
    """Open a log in the home for appending; rotate a long one, keeping one old log."""
    place = make_place(state(home), f"log/{name}")
    with storage_errors(place.path):
        found = place.stat()
        if found is not None and found.st_size > _MAX_LOG:
            with suppress(OSError):
                replace(place, Place(place.folder, f"{name}.1"))
        return open_own(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def open_own(place: Place, flags: int) -> int:
    """Open a log, a lock or a receipt for writing: a regular file, without blocking or following a link."""
    fd = os.open(place.at, flags | _AT_ONCE, 0o600, dir_fd=place.fd)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "is not a regular file; move it out of the way")


def write_new(place: Place, data: bytes, *, sync: bool = True) -> None:
    """Create a file that must not exist yet; with `sync`, its bytes are on disk when this returns."""
    fd = os.open(place.at, _OPEN_NEW, 0o600, dir_fd=place.fd)
    try:
        if not _WINDOWS:
            os.fchmod(fd, 0o600)
        _mark(fd)  # before the bytes: see `temporary._was`
        write_all(fd, data)
        if sync:
            full_sync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes; the system may accept only some at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def overwrite(place: Place, data: bytes, aside: str = "") -> None:
    """Replace a file that has no history, atomically and durably.

    `aside` is the name of the temporary file, whose lock the caller holds; by default it contains the number
    of this process.
    """
    temporary = Place(place.folder, aside or f"{place.name}.{os.getpid()}.tmp")
    with storage_errors(place.path):
        with suppress(FileNotFoundError):
            unlink(temporary)  # left by a crash
        write_new(temporary, data)
        replace(temporary, place)
        sync_directory(place.folder)


def write_cache(path: str, data: bytes) -> None:
    """Replace a file that can be regenerated, atomically, without syncing."""
    fresh = Place.of(f"{path}.{os.getpid()}")
    fd = open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(fd, data)
    finally:
        os.close(fd)
    replace(fresh, Place.of(path))


def _mark(fd: int) -> None:
    """Mark a file as written by memolith, if the file system supports it."""
    if hasattr(os, "setxattr"):
        with suppress(OSError):
            os.setxattr(fd, MARK, b"")


def full_sync(fd: int) -> None:
    """Push a file's bytes to the disk; on macOS plain fsync stops at the drive's cache."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
    os.fsync(fd)


def unlink(place: Place) -> None:
    """Remove a name."""
    os.unlink(place.at, dir_fd=place.fd)


def rename(source: Place, target: Place) -> None:
    """Rename a file, replacing any file with that name."""
    os.rename(source.at, target.at, src_dir_fd=source.fd, dst_dir_fd=target.fd)


def set_time(place: Place, time: int) -> None:
    """Set the modification time of a file, in nanoseconds."""
    follow = os.utime not in os.supports_follow_symlinks
    os.utime(place.at, ns=(time, time), dir_fd=place.fd, follow_symlinks=follow)


def replace(source: Place, target: Place, attempts: int = 20) -> None:
    """Rename over a file. Windows refuses while somebody has it open, so retry for a while."""
    for attempt in range(attempts):
        try:
            os.replace(source.at, target.at, src_dir_fd=source.fd, dst_dir_fd=target.fd)
        except PermissionError:
            if not _WINDOWS or attempt == attempts - 1:
                raise
            import time

            time.sleep(0.005 * (attempt + 1))
        else:
            return


def add_name(place: Place, other: Place) -> bool:
    """Temporarily give a file a second name; False if it would look like a stranger's afterwards.

    A crash may leave both names. Such a file is read only if it has our mark.
    """
    fd = place.open()
    if fd is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.path)
    try:
        if not is_marked(fd):
            _mark(fd)
        if not is_marked(fd):
            return False
        os.link(place.at, other.at, src_dir_fd=place.fd, dst_dir_fd=other.fd, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except (OSError, NotImplementedError):
        return False
    finally:
        os.close(fd)
    return True


def create(temporary: Place, place: Place) -> bool:
    """Give a temporary file its final name if that is free; False if somebody else took it."""
    code = _rename_with(_KEEP, temporary, place)
    if code in _NOT_SUPPORTED:
        # Not atomic on some network file systems: as with `exchange`, a window of some microseconds.
        if place.stat() is not None:
            return False
        rename(temporary, place)
    elif code == errno.EEXIST:
        return False
    elif code:
        raise OSError(code, os.strerror(code), place.path)
    return True


def exchange(one: Place, other: Place) -> bool:
    """Swap two files' names in one step; False where the system cannot."""
    code = _rename_with(_SWAP, one, other)
    if code in _NOT_SUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), other.path)
    return True


_SWAP = 2  # RENAME_EXCHANGE on Linux, RENAME_SWAP on macOS
_KEEP = 4 if sys.platform == "darwin" else 1  # RENAME_EXCL, RENAME_NOREPLACE
_HERE = -2 if sys.platform == "darwin" else -100  # AT_FDCWD


def _rename_with(flag: int, source: Place, target: Place) -> int:
    """Rename with a flag that Python does not offer; return the error number, 0 for success."""
    if not _renames:
        _renames.append(_find_rename())
    call = _renames[0]
    if call is None:
        return errno.ENOSYS
    one, other = (_HERE if each.fd is None else each.fd for each in (source, target))
    return call(one, os.fsencode(source.at), other, os.fsencode(target.at), flag)


_renames: list[Callable[[int, bytes, int, bytes, int], int] | None] = []


def _find_rename() -> Callable[[int, bytes, int, bytes, int], int] | None:
    if _WINDOWS:
        return None
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        call = library.renameatx_np if sys.platform == "darwin" else library.renameat2
    except (OSError, AttributeError):
        return None

    def rename_with(from_fd: int, source: bytes, to_fd: int, target: bytes, flag: int) -> int:
        return ctypes.get_errno() if call(from_fd, source, to_fd, target, flag) else 0

    return rename_with


def wait_for_writers(place: Place, seconds: float) -> bool:
    """Wait until no process has a file open for writing; False if one still has.

    Linux grants a read lease only when there is no writer. Elsewhere it cannot be determined: True.
    """
    if not sys.platform.startswith("linux"):
        return True
    import fcntl
    import signal
    import time

    set_signal = 10  # F_SETSIG: `fcntl` has no name for it
    fd = place.open()
    if fd is None:
        return True
    try:
        deadline = time.monotonic() + seconds
        while True:
            try:
                # If an opener breaks the lease meanwhile, the kernel sends a signal; the default
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
