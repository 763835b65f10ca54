"""Telling a person at a terminal how far something is, once it takes more than a second.

The line goes when the work is done. Nothing is written to a pipe or a file.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    class Show(Protocol):
        """Shows how far it is."""

        def __call__(self, done: int, total: int = 0, /) -> None:
            """Show it."""


AFTER = 1.0  # seconds
_BETWEEN = 0.1
_WIDTH = 20
# What is under way: what to tell whoever interrupts it, and whether a line stands on the terminal.
_again = ""
_drawn = False


def bar(what: str, again: str = "run it again: what is done already is not done twice") -> Show | None:
    """Return what shows how far it is, `show(done, total)` (total 0: not known); None where nobody looks.

    `again` is how to go on after an interruption.
    """
    global _again
    _again = again
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    after = time.monotonic() + AFTER

    def show(done: int, total: int = 0) -> None:
        nonlocal after
        if total and done >= total:
            end()
        elif time.monotonic() >= after:
            after = time.monotonic() + min(_BETWEEN, AFTER)
            full = "#" * (_WIDTH * done // total) if total else ""
            far = f"[{full:<{_WIDTH}}] {done:,} of {total:,}" if total else f"{done:,}"
            _draw(f"\rmemolith: {far} {what}\x1b[K")

    return show


def end() -> str:
    """Take the line away; return how to go on if what was under way was interrupted."""
    global _again
    again, _again = _again, ""
    if _drawn:
        _draw("\r\x1b[K", drawn=False)
    return again


def _draw(text: str, *, drawn: bool = True) -> None:
    global _drawn
    _drawn = drawn
    sys.stderr.write(text)
    sys.stderr.flush()
