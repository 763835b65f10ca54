"""A lock between processes that the operating system releases when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from _thread import RLock

from memolith.base.errors import BusyError
from memolith.base.lean import contextmanager
from memolith.env.paths import Place, Tree
from memolith.store import files, forks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


DIRECTORY = "locks"


class _Held:
    """The locks of this process. The kernel gives a lock to an open file, and a forked child has that too."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.files: dict[object, int] = {}

    def forked(self) -> None:
        """Close them in the child, where nobody would: they stay the parent's."""
        self.lock = RLock()
        while self.files:
            os.close(self.files.popitem()[1])


_held = _Held()
forks.watch(_held)


@contextmanager
def locked(home: str, name: str, seconds: float) -> Iterator[None]:
    """Hold the lock `name` of a home; BusyError after `seconds`.

    The lock is on a file of its own, never on a memory file: editors replace those.
    """
    place = files.make_place(tree(home), f"{DIRECTORY}/{name}.lock")
    with holding(place, os.O_CREAT, seconds):
        yield


@contextmanager
def holding(place: Place, flags: int, seconds: float) -> Iterator[int]:
    """Hold the lock on a file, which is given out open; BusyError after `seconds`."""
    ours = object()
    with (
        _held.lock,
        files.storage_errors(place.path),
    ):  # no fork between the two: the child would not know of it
        fd = _held.files[ours] = open_lock(place, flags)
    try:
        acquire(fd, place.path, seconds)
        yield fd
    finally:
        if _held.files.pop(ours, None) is not None:  # else this is a child, and the lock its parent's
            release(fd)


def release(fd: int) -> None:
    """Give a lock back, also if a child that was started without our knowledge has the file open too."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


def tree(home: str) -> Tree:
    """Return the part of a home that the locks are in."""
    return Tree(os.path.join(home, "state"))


def open_lock(place: Place, flags: int = 0) -> int:
    """Open a lock file."""
    return files.open_own(place, os.O_RDWR | flags)


def acquire(fd: int, path: str, seconds: float) -> None:
    """Take the lock on an open file; BusyError after `seconds`."""
    deadline = time.monotonic() + seconds
    pause = 0.0002
    while not try_lock(fd):
        if time.monotonic() > deadline:
            raise BusyError(
                f"{path}: another process has been writing for {seconds:.2g} seconds; try again, "
                "or raise lock.seconds"
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.004)


def try_lock(fd: int) -> bool:
    """Take the lock on an open file if it is free."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
