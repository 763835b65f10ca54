"""The time limit of an event. When it expires, whatever is running is interrupted.

Time that the process spends waiting for a processor does not count (on Linux, and within bounds): on a busy
machine a session gets the same answer as on a quiet one, a little later.
"""

from __future__ import annotations

import sys

# Seconds for a prompt (1.5 in all, with the start of Python and the answer), for the start of a session, and
# for what a person typed for us.
PROMPT, START, TYPED = 1.0, 1.5, 8.0
_BUSY = 2.0  # seconds that waiting for a processor may add
_AGAIN = 0.1  # seconds until it is raised once more, in case a destructor swallowed the first
_LEAST = 0.01  # seconds of waiting that are worth another timer


class LateError(BaseException):
    """The time is up. A BaseException, so that no `except` on the way catches it."""


# How long this process had waited for a processor, and how much of that may still be added. Empty without a
# limit: in a host's own process the alarm is the host's.
_armed: list[float] = []


def begin(seconds: float) -> None:
    """Raise LateError after this many seconds; replaces an earlier limit."""
    try:
        # `signal` itself imports `enum`, which takes half an interpreter start
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
    except ImportError:
        return  # Windows: hosts have limits of their own
    sys.unraisablehook = lambda _: None  # an interrupted destructor prints nothing
    signal(SIGALRM, _late)
    setitimer(ITIMER_REAL, seconds, _AGAIN)
    _armed[:] = [_waited(), _BUSY]


def extend(seconds: float) -> None:
    """Change the limit, if there is one."""
    if _armed:
        begin(seconds)


def end() -> None:
    """Remove the limit."""
    if _armed:
        from _signal import ITIMER_REAL, setitimer

        setitimer(ITIMER_REAL, 0)
        _armed.clear()


def _waited() -> float:
    """Return for how many seconds this process was ready to run and had no processor; 0 if unknown."""
    try:
        with open("/proc/self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _late(*_: object) -> None:
    if not _armed:  # it fired while being switched off
        return
    now = _waited()
    more = min(now - _armed[0], _armed[1])
    if more > _LEAST:
        from _signal import ITIMER_REAL, setitimer

        _armed[:] = [now, _armed[1] - more]
        setitimer(ITIMER_REAL, more, _AGAIN)
        return
    raise LateError("the time limit of a prompt was reached")
