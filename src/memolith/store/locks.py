"""A lock between processes that the operating system releases when its holder dies."""

from __future__ import annotations

import os
import sys
import time

from memolith.errors import BusyError
from memolith.lean import contextmanager
from memolith.places import Place, Tree
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


DIRECTORY = "locks"


@contextmanager
def locked(home: str, name: str, seconds: float) -> Iterator[None]:
    """Hold the lock `name` of a home; BusyError after `seconds`.

    The lock is on a file of its own, never on a memory file: editors replace those.
    """
    place = files.make_place(tree(home), f"{DIRECTORY}/{name}.lock")
    with files.told(place.path):
        fd = open_lock(place, os.O_CREAT)
    try:
        acquire(fd, place.path, seconds)
        yield
    finally:
        os.close(fd)


def tree(home: str) -> Tree:
    """Return the part of a home that the locks are in."""
    return Tree(os.path.join(home, "state"))


def open_lock(place: Place, flags: int = 0) -> int:
    """Open a lock file, without waiting for anybody if it is a pipe."""
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    return os.open(place.at, os.O_RDWR | flags, 0o600, dir_fd=place.fd)


def acquire(fd: int, path: str, seconds: float) -> None:
    """Take the lock on an open file; BusyError after `seconds`."""
    deadline = time.monotonic() + seconds
    pause = 0.0002
    while not try_lock(fd):
        if time.monotonic() > deadline:
            raise BusyError(
                f"{path}: another process has been writing for {seconds:g} seconds; try again, "
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
