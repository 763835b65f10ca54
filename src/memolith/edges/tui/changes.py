"""Changes that a person makes here, and taking them back in the order in which they were made.

What belongs to a change is what the history got while it was made: a change of several files (a record that
moves, a proposal that is accepted) is taken back as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.errors import HistoryError
from memolith.memory.undo import files_with_history
from memolith.store.history import stamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.mem import Mem
    from memolith.memory.review import Held


class Changes:
    """What was changed in this run of the program."""

    def __init__(self, mem: Mem) -> None:
        self._mem = mem
        self._done: list[tuple[str, str, str]] = []

    def make(self, what: str, change: Callable[[], str]) -> str:
        """Make a change; return what is told of it. It can be undone."""
        begin = stamp(self._mem.now())
        told = change()
        self._done.append((what, begin, stamp(self._mem.now())))
        return told

    @property
    def last(self) -> str:
        """What `undo` would take back; empty if nothing was changed here."""
        return self._done[-1][0] if self._done else ""

    def undo(self) -> str:
        """Take back the last change made here. HistoryError if there is none."""
        if not self._done:
            raise HistoryError("nothing was changed here yet")
        what, begin, end = self._done.pop()
        history = self._mem.gate.history
        names = []
        for name in files_with_history(self._mem):
            made = [each.id for each in history.entries(name) if begin <= each.stamp <= end]
            if made:
                self._mem.undo(name, min(made))
                names.append(name)
        return f"Undone: {what}" if names else f"There was nothing to undo of: {what}"

    def newest(self) -> tuple[str, str] | None:
        """Return the file that was changed last by anybody, and how; None if memolith changed none."""
        found: tuple[str, str, str] | None = None
        for name in files_with_history(self._mem):
            try:
                entry = self._mem.gate.history.to_undo(name, None)
            except HistoryError:
                continue
            if found is None or entry.stamp > found[0]:
                by = f" by {entry.by}" if entry.by else ""
                day, clock = entry.stamp[:8], entry.stamp[9:13]
                when = f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:]} UTC"
                found = (entry.stamp, name, f"{entry.op}{by}, {when}")
        return found[1:] if found else None


# ---------------------------------------------------------------- what waits for a person


def accept(mem: Mem, held: Held) -> str:
    """Do what was asked with what waits."""
    return mem.review.accept(held.id)


def refuse(mem: Mem, held: Held) -> str:
    """Drop what waits."""
    mem.review.refuse(held.id)
    return f"Refused {held.id}; it is not held a second time"


def edit(mem: Mem, held: Held, text: str) -> list[str]:
    """Replace the text of what waits."""
    mem.review.edit(held.id, text)
    return []


def safe(mem: Mem) -> list[Held]:
    """Return what waits although nothing speaks against it any more."""
    return [held for held in mem.review.list() if mem.review.is_safe(held)]
