"""Locks between processes, released by the operating system when their holder dies; and forks.

A forked child has only the thread that forked, and must not use its parent's resources: locks held by other
threads, connections, descriptors. So a fork waits, for a second at most, for threads inside SQLite or an
import: a lock held by a thread that does not exist in the child would never be released. The child drops
everything that was open, and reopens it when needed.
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
        """A resource that a child must not share."""

        lock: RLock  # held by a working thread

        def forked(self) -> None:
            """Drop what is open, without closing it where that would affect the parent; create a new lock."""


DIRECTORY = "locks"
_FORK_SECONDS = 1.0
_owners: list[ref[Owner]] = []
_taken: list[RLock] = []
_registered: list[bool] = []
_waiting: list[bool] = []


def watch_forks(owner: Owner) -> None:
    """Call an owner's hooks at every fork of this process, while the owner exists."""
    if not _registered and hasattr(os, "register_at_fork"):
        _registered.append(True)
        os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
    _owners[:] = [each for each in _owners if each() is not None]
    _owners.append(ref(owner))


def fair(lock: RLock) -> RLock:
    """Return a lock to take; a waiting fork goes first, or the last holder could retake it for ever."""
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
    """Whether another thread is importing, which would never end in the child."""
    known = getattr(sys.modules["_frozen_importlib"], "_module_locks", {})
    locks = [each() for each in list(known.values())]
    return any(getattr(lock, "owner", None) not in (None, get_ident()) for lock in locks)


class _Held:
    """The locks of this process. The kernel ties a lock to an open file, which a forked child inherits."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.files: dict[object, int] = {}

    def forked(self) -> None:
        """Close them in the child; the parent keeps them."""
        self.lock = RLock()
        while self.files:
            os.close(self.files.popitem()[1])


_held = _Held()
watch_forks(_held)


@contextmanager
def locked(home: str, name: str, seconds: float) -> Iterator[None]:
    """Hold the lock `name` of a home; BusyError after `seconds`.

    The lock is on a dedicated file, never on a memory file: editors replace those.
    """
    place = files.make_place(files.state(home), f"{DIRECTORY}/{name}.lock")
    with holding(place, os.O_CREAT, seconds):
        yield


@contextmanager
def holding(place: Place, flags: int, seconds: float) -> Iterator[int]:
    """Hold the lock on a file and yield its descriptor; BusyError after `seconds`."""
    ours = object()
    with (
        _held.lock,
        files.storage_errors(place.path),
    ):  # no fork in between: the child would not know about it
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
        if (
            _held.files.pop(ours, None) is not None
        ):  # else this is a child, and the lock belongs to its parent
            if sys.platform != "win32":  # a child started without our knowledge may have it open too
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
