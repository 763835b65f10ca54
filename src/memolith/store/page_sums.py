"""Checksums of the pages of a SQLite file: SQLite itself does not notice a flipped bit.

Beside the file is `NAME.sums`: a line that says which file was verified, and when, then a CRC for each page.
Opening the file reads and compares all pages: half a millisecond per megabyte. For a large file the result
is recorded in the line, for all processes, and trusted for ten minutes: while its stamp is the same and the
system still has it in memory, not even a bad disk can have changed what is read.

A writer learns from SQLite's journal which pages it changed, without reading everything.
"""

from __future__ import annotations

import os
import time
from array import array
from zlib import crc32

from memolith.base.lean import suppress
from memolith.env.paths import Place
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Stamp = tuple[int, int, int, int]  # inode, size, time of the last change of the content, and of anything

TRUSTED = 600.0  # seconds
_SMALL = 4 * 1_048_576  # bytes; smaller files are always verified
_LINE = 160  # bytes
_AT_ONCE = 1_048_576
_SAMPLES = 8
_ONLY_IF_THERE = getattr(os, "RWF_NOWAIT", 0)
_SECTORS = (512, 4096)  # maximum size of a journal's header

# Verified files stay open: closing one would release SQLite's locks on it in this process (POSIX). By path,
# with an identity that shows that the descriptor still refers to that file.
_opened: dict[str, tuple[int, tuple[int, int]]] = {}


class Sums:
    """The checksums of one file."""

    def __init__(self, path: str) -> None:
        self._path, self._beside = path, f"{path}.sums"

    def hold(self, stamp: Stamp) -> bool:
        """Whether the file, with its current stamp, is as its writer left it."""
        file = _file(self._path, stamp)
        if file is None:
            return False
        beside, writable = _open(self._beside)
        if beside is None:
            return False
        try:
            line = os.read(beside, _LINE)
            known = _parsed(line)
            if known is None:
                return False
            noted = stamp[1] > _SMALL and known[:4] == stamp and 0 <= time.time() - known[4] < TRUSTED
            if noted and _is_cached(file, stamp[1]):
                return True
            sums = array("I", _rest(beside))
            if crc32(sums) != known[6] or not _is_right(file, stamp[1], known[5], sums):
                return False
            if writable and _stamp(file) == stamp:
                with suppress(OSError):
                    os.lseek(beside, 0, os.SEEK_SET)
                    os.write(beside, _line(stamp, known[5], known[6]))
        except (OSError, ValueError):
            return False
        finally:
            os.close(beside)
        return True

    def write(self, changed: set[int] | None = None) -> Stamp:
        """Record the current checksums; only these pages (and those after the last known one) are new."""
        found = os.lstat(self._path)
        file = _file(self._path, (found.st_ino, found.st_size, 0, 0))
        if file is None:
            raise FileNotFoundError(2, "it is gone", self._path)
        stamp = _stamp(file)
        page = _page(file)
        count = stamp[1] // page
        sums = array("I")
        if changed is not None:
            beside, _ = _open(self._beside)
            if beside is not None:
                try:
                    known = _parsed(os.read(beside, _LINE))
                    sums.frombytes(_rest(beside))
                    if known is None or known[5] != page or crc32(sums) != known[6]:
                        del sums[:]
                finally:
                    os.close(beside)
        del sums[count:]
        for number in (changed or set()) if sums else ():
            if 0 < number <= len(sums):
                sums[number - 1] = crc32(_read(file, page, (number - 1) * page))
        for some in _pages(file, len(sums) * page, stamp[1], page):
            sums.extend(some)
        files.write_cache(self._beside, _line(stamp, page, crc32(sums)) + sums.tobytes())
        return stamp

    def remove(self) -> None:
        """Remove the checksums, before the file itself."""
        fd, known = _opened.pop(self._path, (-1, (0, 0)))
        if fd >= 0:
            with suppress(OSError):
                if _identity(fd) == known:
                    os.close(fd)
        with suppress(FileNotFoundError):
            os.unlink(self._beside)


def journalled(path: str, pages: int) -> set[int] | None:
    """Return the pages that a transaction changed, according to its journal; None if unknown.

    Previously free pages may be missing, and appended ones are: see `free`.
    """
    fd, _ = _open(f"{path}-journal")
    if fd is None:
        return None
    try:
        size = os.fstat(fd).st_size
        page = next((each for each in _SECTORS if size >= each and not (size - each) % (pages + 8)), None)
        if page is None:
            return None
        return {int.from_bytes(_read(fd, 4, at), "big") for at in range(page, size, pages + 8)}
    finally:
        os.close(fd)


def free(path: str, stamp: Stamp) -> tuple[int, set[int]]:
    """Return the page size, and the free pages: the journal does not show when one gets used."""
    file = _file(path, stamp)
    if file is None:
        raise FileNotFoundError(2, "it is gone", path)
    page, found = _page(file), set[int]()
    trunk = int.from_bytes(_read(file, 4, 32), "big")
    while trunk and trunk not in found:
        found.add(trunk)
        numbers = array("I", _read(file, page, (trunk - 1) * page))
        numbers.byteswap()
        trunk = numbers[0]
        found.update(numbers[2 : 2 + numbers[1]])
    return page, found


def _file(path: str, stamp: Stamp) -> int | None:
    fd, known = _opened.get(path, (-1, (0, 0)))
    if fd >= 0:
        with suppress(OSError):
            now = _identity(fd)
            if now == known and now[1] == stamp[0]:
                return fd
            if now == known:  # else the descriptor has been reused
                os.close(fd)
    try:
        fd = files.open_own(Place.of(path), os.O_RDONLY)
    except OSError:
        return None
    identity = _identity(fd)
    _opened[path] = (fd, identity)
    return fd if identity[1] == stamp[0] else None


def _identity(fd: int) -> tuple[int, int]:
    found = os.fstat(fd)
    return found.st_dev, found.st_ino


def _stamp(fd: int) -> Stamp:
    found = os.fstat(fd)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _open(path: str) -> tuple[int | None, bool]:
    """Open the checksum file, for writing if possible."""
    for flags in (os.O_RDWR, os.O_RDONLY):
        with suppress(OSError):
            return files.open_own(Place.of(path), flags), flags == os.O_RDWR
    return None, False


def _line(stamp: Stamp, page: int, total: int) -> bytes:
    fields = " ".join(map(str, (*stamp, int(time.time()), page, total))).encode()
    return fields.ljust(_LINE - 12) + b" %010d\n" % crc32(fields)


def _parsed(line: bytes) -> tuple[int, ...] | None:
    fields = line[: _LINE - 12].rstrip()
    if len(line) != _LINE or line[_LINE - 12 :] != b" %010d\n" % crc32(fields):
        return None
    return tuple(map(int, fields.split()))


def _page(fd: int) -> int:
    size = int.from_bytes(_read(fd, 2, 16), "big")
    return 65_536 if size == 1 else max(512, size)


def _read(fd: int, size: int, at: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, size, at)
    os.lseek(fd, at, os.SEEK_SET)
    return os.read(fd, size)


def _rest(fd: int) -> bytes:
    parts = []
    while part := os.read(fd, _AT_ONCE):
        parts.append(part)
    return b"".join(parts)


def _pages(fd: int, begin: int, end: int, page: int) -> Iterator[array[int]]:
    """Yield the checksums of a range of pages, in batches."""
    step = max(page, _AT_ONCE // 4 // page * page)
    buffer = bytearray(step)
    view = memoryview(buffer)
    for at in range(begin, end, step):
        if hasattr(os, "preadv"):
            size = os.preadv(fd, [view[: end - at]], at)
        else:
            part = _read(fd, min(step, end - at), at)
            size = len(part)
            buffer[:size] = part
        yield array("I", [crc32(view[here : here + page]) for here in range(0, size, page)])


def _is_right(fd: int, size: int, page: int, sums: array[int]) -> bool:
    if size != len(sums) * page:
        return False
    at = 0
    for some in _pages(fd, 0, size, page):
        if sums[at : at + len(some)] != some:
            return False
        at += len(some)
    return at == len(sums)


def _is_cached(fd: int, size: int) -> bool:
    """Whether the file is in the system's page cache, judged by a few bytes; True if unknown."""
    byte = [bytearray(1)]
    for at in range(0, size if _ONLY_IF_THERE else 0, max(1, size // _SAMPLES)):
        try:
            os.preadv(fd, byte, at, _ONLY_IF_THERE)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True
