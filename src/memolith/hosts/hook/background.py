"""Work in the background: detached, bounded in time, silent but for the log.

Hooks call this, so it costs one `posix_spawn` and imports nothing heavy.
"""

from __future__ import annotations

import os

from memolith.env import programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home

_SPARE = 60.0  # seconds beyond the run's own time before the process is ended from outside


def spawn(home: Home, name: str, *arguments: str) -> None:
    """Start a command of ours for this memory, detached from us; what it prints goes into the log `name`."""
    from memolith.store import files

    place = home.identity.root
    if not place or not os.path.isdir(place):
        place = home.path  # a worktree that is removed when its session ends; work for others goes on
    command = programs.ourselves("--home", home.path, "--project", place, *arguments)
    log, nothing = files.open_log(home.path, name), os.open(os.devnull, os.O_RDONLY)
    try:
        os.posix_spawn(
            command[0],
            command,
            programs.environment(place),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ],
            setsid=True,
        )
    finally:
        os.close(log)
        os.close(nothing)


def bound(seconds: float) -> None:
    """End this process when its time is over, whatever it waits for; its children have deadlines too."""
    import signal

    def over(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 5.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # should the way out hang too
        raise SystemExit(1)

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds + _SPARE)
