"""Throw-away homes: made for one run, removed at its end, and after a crash by the next one."""

from __future__ import annotations

import contextlib
import os

from memolith.store.locks import try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PREFIX = "memolith-ephemeral-"
_ALIVE = "alive.lock"  # locked as long as its run lives


def create() -> tuple[str, Callable[[], None]]:
    """Return a fresh home and the function that removes it."""
    import atexit
    import shutil
    import tempfile

    base = tempfile.gettempdir()
    _sweep(base)
    home = tempfile.mkdtemp(prefix=_PREFIX)
    fd = os.open(os.path.join(home, _ALIVE), os.O_RDWR | os.O_CREAT, 0o600)
    try_lock(fd)
    owner = os.getpid()

    def remove() -> None:
        atexit.unregister(remove)
        if os.getpid() == owner:  # a forked child must not remove its parent's memory
            shutil.rmtree(home, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(fd)

    atexit.register(remove)
    return home, remove


def _sweep(base: str) -> None:
    """Remove the homes of runs that ended without cleaning up."""
    import shutil

    for name in os.listdir(base):
        if not name.startswith(_PREFIX):
            continue
        path = os.path.join(base, name)
        with contextlib.suppress(OSError):
            fd = os.open(os.path.join(path, _ALIVE), os.O_RDWR)
            try:
                if try_lock(fd):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(fd)
