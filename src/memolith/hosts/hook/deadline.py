"""The time limit of an event. When it expires, whatever is running is interrupted."""

from __future__ import annotations

import sys

# Seconds for a prompt (1.5 in all, with the start of Python and the answer), and for the start of a session.
PROMPT, START = 1.0, 1.5
_AGAIN = 0.1  # seconds until it is raised once more, in case a destructor swallowed the first


class LateError(BaseException):
    """The time is up. A BaseException, so that no `except` on the way catches it."""


_armed: list[bool] = []  # in a host's own process the alarm is the host's


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
    _armed[:] = [True]


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


def _late(*_: object) -> None:
    if _armed:  # else it fired while being switched off
        raise LateError("the time limit of a prompt was reached")
