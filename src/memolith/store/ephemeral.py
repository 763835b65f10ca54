"""Throw-away homes: created for one run, removed at its end, or after a crash by the next run."""

from __future__ import annotations

import contextlib
import os
import stat
import time

from memolith.base.errors import MemolithError
from memolith.env import runs
from memolith.env.paths import Tree
from memolith.store import files
from memolith.store.locks import holding, try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MAKING = f".{runs.PREFIX}"  # until its run has locked it
_MAKING_SECONDS = 600.0  # seconds; a run that has not locked it by then was killed
_ALIVE = "alive.lock"  # locked while its run is alive
_LAST_WORDS = 30.0  # seconds for a host to end after it said so


def create() -> tuple[str, Callable[[], None]]:
    """Return a fresh home and the function that removes it."""
    import tempfile

    base = tempfile.gettempdir()
    _sweep(base)
    home, fd = _make(base, tempfile.mkdtemp(prefix=_MAKING, dir=base))
    remove = _remove_at_exit(home)

    def cleanup() -> None:
        remove()
        with contextlib.suppress(OSError):
            os.close(fd)

    return home, cleanup


def enter(home: str) -> None:
    """Create the home of a run, before anybody else does; removed at exit if this process is the run."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(home, 0o700)
        _sweep(os.path.dirname(home))
        if runs.is_ours(home):
            _remove_at_exit(home)


def _remove_at_exit(home: str) -> Callable[[], None]:
    """Remove a home when this process ends, or when the function that is returned is called."""
    import atexit
    import shutil

    owner = os.getpid()

    def remove() -> None:
        atexit.unregister(remove)
        if os.getpid() == owner:  # a forked child must not remove its parent's memory
            shutil.rmtree(home, ignore_errors=True)

    atexit.register(remove)
    return remove


def remove_after_run(home: str) -> None:
    """Wait for a run that is about to end, and remove its home; one that goes on keeps it."""
    deadline = time.monotonic() + _LAST_WORDS
    while runs.is_running(home) and time.monotonic() < deadline:
        time.sleep(0.1)
    _sweep(os.path.dirname(home))


def _make(base: str, making: str) -> tuple[str, int]:
    """Lock the home before renaming it into view, so that a sweep cannot mistake it for abandoned."""
    fd = files.open_own(Tree(making).place(_ALIVE), os.O_RDWR | os.O_CREAT)
    try_lock(fd)
    home = os.path.join(base, os.path.basename(making)[1:])
    try:
        os.rename(making, home)
    except OSError:  # Windows, because of the open file in it
        home = making
    return home, fd


def _sweep(base: str) -> None:
    """Remove the homes of runs that did not clean up."""
    import shutil

    for name in os.listdir(base):
        path = os.path.join(base, name)
        if not name.startswith((runs.PREFIX, _MAKING)):
            continue
        with contextlib.suppress(OSError, MemolithError):
            found = os.lstat(path)
            is_new = name.startswith(_MAKING) and time.time() - found.st_mtime < _MAKING_SECONDS
            # Leave other users' homes alone: they could swap one for a link meanwhile.
            is_ours = os.name != "posix" or found.st_uid == os.getuid()
            if is_new or not is_ours or not stat.S_ISDIR(found.st_mode):
                continue
            if name.startswith(runs.RUN):
                if not runs.is_running(path):
                    shutil.rmtree(path, ignore_errors=True)
                continue
            # Created if missing: a run may have been killed before creating it, or while removing it.
            with holding(Tree(path).place(_ALIVE), os.O_CREAT, 0):
                shutil.rmtree(path, ignore_errors=True)
