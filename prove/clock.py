"""A clock that the kit sets by hand: it stands, so that a command run twice writes the same bytes.

It takes the place of `time.time` when this module is imported. memolith takes its clock as a default
argument, so this must happen before memolith is imported; `prove/__main__.py` does that first.
"""

import time
from collections.abc import Callable


class Clock:
    """The seconds that everything in this process believes."""

    def __init__(self) -> None:
        self.real = time.time
        self.seconds = float(int(time.time()))
        self.stands = False
        self.step = 0.0  # seconds by which it goes on each time that somebody looks
        self.until = float("inf")
        self.then: Callable[[], object] = int  # what happens at that moment

    def __call__(self) -> float:
        """Return the time."""
        if not self.stands:
            return self.real()
        self.seconds += self.step
        if self.seconds >= self.until:
            self.until = float("inf")
            self.then()
        return self.seconds


CLOCK = Clock()
setattr(time, "time", CLOCK)  # noqa: B010 - mypy knows that one does not assign to it
