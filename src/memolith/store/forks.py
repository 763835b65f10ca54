"""What a forked child must not have from its parent: locks held by other threads, connections, descriptors.

A child has only the thread that forked. So before a fork, whoever is inside SQLite or an import is waited
for, a second at most: a lock held by a thread that is not there any more would never be free. In the child,
everything that was open is dropped, and made anew when it is needed.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident
from _weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import RLock
    from typing import Protocol

    class Owner(Protocol):
        """Something that a child must not share."""

        lock: RLock  # held by a thread that is at work

        def forked(self) -> None:
            """Drop what is open, without closing it where that would reach the parent's; make a new lock."""


_WAIT = 1.0  # seconds
_owners: list[ref[Owner]] = []
_taken: list[RLock] = []
_registered: list[bool] = []
_waiting: list[bool] = []


def watch(owner: Owner) -> None:
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
    deadline = time.monotonic() + _WAIT
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
