"""A lock between processes that the operating system releases when its holder dies."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from memolith.errors import BusyError
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def locked(path: str, seconds: float) -> Iterator[None]:
    """Hold the lock file `path`; BusyError after `seconds`.

    The lock is on a file of its own, never on a memory file: editors replace those.
    """
    files.make_directory(os.path.dirname(path))
    with files.told(path):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        _acquire(fd, path, seconds)
        yield
    finally:
        os.close(fd)


def _acquire(fd: int, path: str, seconds: float) -> None:
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
