"""Locks between processes, which the operating system releases when their holder dies; and forks.

A forked child has only the thread that forked, and must not have what was its parent's: locks held by other
threads, connections, descriptors. So before a fork, whoever is inside SQLite or an import is waited for, a
second at most: a lock held by a thread that is not there any more would never be free. In the child,
everything that was open is dropped, and opened again when it is needed.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import RLock, get_ident
from _weakref import ref

from memolith.base.errors import BusyError
from memolith.base.lean import contextmanager
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from memolith.env.paths import Place

    class Owner(Protocol):
        """Something that a child must not share."""

        lock: RLock  # held by a thread that is at work

        def forked(self) -> None:
            """Drop what is open, without closing it where that would reach the parent's; make a new lock."""


DIRECTORY = "locks"
_FORK_SECONDS = 1.0
_owners: list[ref[Owner]] = []
_taken: list[RLock] = []
_registered: list[bool] = []
_waiting: list[bool] = []


def watch_forks(owner: Owner) -> None:
    """Have something looked after whenever this process forks, for as long as it is there."""
    if not _registered and hasattr(os, "register_at_fork"):
        _registered.append(True)
        os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
    _owners[:] = [each for each in _owners if each() is not None]
    _owners.append(ref(owner))


def fair(lock: RLock) -> RLock:
    """Return a lock to be taken; a fork that waits for it goes first, else whoever gave it back would."""
    if _waiting and not lock._is_owned():  # type: ignore[attr-defined] # noqa: SLF001 - as `Condition` does
        time.sleep(0.002)
    return lock


def _live() -> list[Owner]:
    return [owner for each in _owners if (owner := each()) is not None]


def _before() -> None:
    deadline = time.monotonic() + _FORK_SECONDS
    while _is_importing() and time.monotonic() < deadline:
        time.sleep(0.001)
    _waiting.append(True)
    for owner in _live():
        lock = owner.lock
        if lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            _taken.append(lock)


def _in_parent() -> None:
    _waiting.clear()
    while _taken:
        _taken.pop().release()


def _in_child() -> None:
    _waiting.clear()
    _taken.clear()
    for owner in _live():
        owner.forked()


def _is_importing() -> bool:
    """Whether another thread is in the middle of an import, which would never end in the child."""
    known = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
    locks = [each() for each in list(known.values())]
    return any(getattr(lock, "owner", None) not in (None, get_ident()) for lock in locks)


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
watch_forks(_held)


@contextmanager
def locked(home: str, name: str, seconds: float) -> Iterator[None]:
    """Hold the lock `name` of a home; BusyError after `seconds`.

    The lock is on a file of its own, never on a memory file: editors replace those.
    """
    place = files.make_place(files.state(home), f"{DIRECTORY}/{name}.lock")
    with holding(place, os.O_CREAT, seconds):
        yield


@contextmanager
def holding(place: Place, flags: int, seconds: float) -> Iterator[int]:
    """Hold the lock on a file, which is given out open; BusyError after `seconds`."""
    ours = object()
    with _held.lock, files.storage_errors(place.path):  # no fork in between: the child would not know of it
        fd = _held.files[ours] = files.open_own(place, os.O_RDWR | flags)
    deadline, pause = time.monotonic() + seconds, 0.0002
    try:
        while not try_lock(fd):
            if time.monotonic() > deadline:
                raise BusyError(
                    f"{place.path}: another process has been writing for {seconds:.2g} seconds; try again, "
                    "or raise lock.seconds"
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.004)
        yield fd
    finally:
        if _held.files.pop(ours, None) is not None:  # else this is a child, and the lock its parent's
            if sys.platform != "win32":  # a child that was started without our knowledge may have it open too
                import fcntl

                fcntl.flock(fd, fcntl.LOCK_UN)
            os.close(fd)


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
