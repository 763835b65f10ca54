"""Telling a person at a terminal how far something is, once it takes more than a second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTH = 20


def bar(what: str) -> Callable[[int, int], None] | None:
    """Return what shows it; None where nobody looks."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    begin = time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - begin > 1:
            end = "\n" if done >= total else ""
            full = "#" * (_WIDTH * done // max(total, 1))
            sys.stderr.write(f"\rmemolith: [{full:<{_WIDTH}}] {done:,} of {total:,} {what}{end}")
            sys.stderr.flush()

    return show
