"""A progress line for a person at a terminal, once something takes more than a second.

It disappears when the work is done. Nothing is written to a pipe or a file.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    class Show(Protocol):
        """Shows progress."""

        def __call__(self, done: int, total: int = 0, /) -> None:
            """Update the line."""


AFTER = 1.0  # seconds
_BETWEEN = 0.1
_WIDTH = 20
# The current work: the message after an interruption, and whether the line is visible.
_again = ""
_drawn = False


def bar(what: str, again: str = "run it again: completed work is not repeated") -> Show | None:
    """Return `show(done, total)` (total 0: unknown), which shows progress; None without a terminal.

    `again` says how to continue after an interruption.
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
    """Remove the line; return how to continue if the work was interrupted."""
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
