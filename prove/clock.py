"""A clock that the kit sets by hand: it stands, so that a command run twice writes the same bytes.

It takes the place of `time.time` when this module is imported. memolith takes its clock as a default
argument, so this must happen before memolith is imported; `prove/__main__.py` does that first.
"""

from __future__ import annotations

import time


class Clock:
    """The seconds that everything in this process believes."""

    def __init__(self) -> None:
        self.real = time.time
        self.seconds = float(int(time.time()))
        self.stands = False

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds if self.stands else self.real()


CLOCK = Clock()
setattr(time, "time", CLOCK)  # noqa: B010 - mypy knows that one does not assign to it
