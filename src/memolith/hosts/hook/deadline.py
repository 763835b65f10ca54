"""The time that an event has. When it is over, what is being done ends, wherever that is."""

from __future__ import annotations

import sys

# Seconds for a prompt (1.5 in all, with the start of Python and the answer), and for the start of a session.
PROMPT, START = 1.0, 1.5
_AGAIN = 0.1  # seconds after which it is over once more, should a destructor have swallowed the first


class LateError(BaseException):
    """The time is over. No `except` on the way may take it for something else."""


_armed: list[bool] = []  # in a host's own process the alarm is the host's


def begin(seconds: float) -> None:
    """Raise LateError after so many seconds, in place of what was set before."""
    try:
        # `signal` itself imports `enum`, which takes half an interpreter start
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
    except ImportError:
        return  # Windows: hosts have limits of their own
    sys.unraisablehook = lambda _: None  # a destructor that it ended says nothing
    signal(SIGALRM, _late)
    setitimer(ITIMER_REAL, seconds, _AGAIN)
    _armed[:] = [True]


def extend(seconds: float) -> None:
    """Set another time, if there is a limit at all."""
    if _armed:
        begin(seconds)


def end() -> None:
    """Set no limit to what is still to be done."""
    if _armed:
        from _signal import ITIMER_REAL, setitimer

        setitimer(ITIMER_REAL, 0)
        _armed.clear()


def _late(*_: object) -> None:
    if _armed:  # else it came while it was being switched off
        raise LateError("the time that a prompt can wait was over")
