"""How a memory grows and what it is used for, week by week, and a chart of it that fits into a terminal."""

from __future__ import annotations

import datetime as dt
import time
from typing import TYPE_CHECKING

from memolith.errors import InputError
from memolith.model import Value
from memolith.noteindex import note_files
from memolith.places import Tree
from memolith.store import layout, receipts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memolith.mem import Mem

WEEKS = 12
MAX_WEEKS = 520
_BLOCKS = "▁▂▃▄▅▆▇█"
_FIELDS = 6  # of a receipt, before its references


class Week(Value):
    """What came in one week (`begins` is its Monday), and what was used of memory."""

    __slots__ = (
        "begins",
        "bytes",
        "injections",
        "notes",
        "recalls",
        "records",
        "requests",
        "sessions",
        "tokens",
    )
    begins: str
    bytes: int
    injections: int
    notes: int
    recalls: int
    records: int
    requests: int
    sessions: int
    tokens: int


# What is charted, with how it is called.
ROWS = {
    "notes": "new notes",
    "records": "new records",
    "sessions": "sessions",
    "bytes": "bytes added",
    "injections": "blocks given",
    "recalls": "recalls given",
    "requests": "learning: requests",
    "tokens": "learning: tokens",
}


class Growth(Value):
    """The weeks, oldest first, and what there is in all, now."""

    __slots__ = ("bytes", "notes", "project", "records", "sessions", "weeks")
    bytes: int
    notes: int
    project: str
    records: int
    sessions: int
    weeks: list[Week]

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {**super().as_dict(), "weeks": [week.as_dict() for week in self.weeks]}

    def table(self) -> str:
        """Return the figures as plain columns, for a pipe."""
        names = ["begins", *ROWS]
        rows = [names, *([str(getattr(week, name)) for name in names] for week in self.weeks)]
        return "\n".join("  ".join(f"{cell:>10}" for cell in row) for row in rows)

    def chart(self, width: int) -> str:
        """Return the figures as rows of blocks, at most `width` columns wide."""
        wide = max(map(len, ROWS.values()))
        shown = self.weeks[-max(1, width - wide - 16) :]
        much = [f"{getattr(self, name):,} {name}" for name in ("notes", "records", "sessions", "bytes")]
        lines = [f"{self.project}: {', '.join(much)}"[:width], ""]
        for name, title in ROWS.items():
            values = [getattr(week, name) for week in shown]
            lines.append(f"{title:<{wide}}  {bars(values)}  {sum(values):>11,}".rstrip()[:width])
        weeks = f"{len(shown)} weeks" if len(shown) > 1 else "1 week"
        return "\n".join(
            [*lines, "", f"{weeks}, from {shown[0].begins}; all projects: blocks, recalls"[:width]]
        )


def bars(values: Iterable[int]) -> str:
    """Return a block for each value, as high as it is beside the largest; nothing is a blank."""
    found = list(values)
    top = max(found, default=0)
    return "".join(_BLOCKS[-(-value * len(_BLOCKS) // top) - 1] if value > 0 else " " for value in found)


def growth(mem: Mem, weeks: int = WEEKS) -> Growth:
    """Collect the figures of this project (with what is kept for all projects) for the last weeks."""
    if not 1 <= weeks <= MAX_WEEKS:
        raise InputError(f"--weeks {weeks}: must be from 1 to {MAX_WEEKS}")
    today = dt.date.fromisoformat(mem.today)
    monday = today - dt.timedelta(days=today.weekday())
    begins = [(monday - dt.timedelta(weeks=back)).isoformat() for back in reversed(range(weeks))]
    found = {day: dict.fromkeys(ROWS, 0) for day in begins}

    def count(day: str, name: str, much: int = 1) -> None:
        week = found.get(_monday(day))
        if week is not None:
            week[name] += much

    notes = list(_notes(mem))
    for day, size in notes:
        count(day, "notes")
        count(day, "bytes", size)
    records = mem.records.list(archived=True)
    tree = Tree(str(mem.root))
    sizes = [(each, tree.stat(each.filename)) for each in records]
    for record, status in sizes:
        count(record.created, "records")
        count(record.created, "bytes", status.st_size if status else 0)
    sessions = mem.sessions.stored()
    for stamp in sessions.values():
        count(_day(stamp / 1e9), "sessions")
    for _, fields in receipts.told(mem.home):
        if len(fields) > _FIELDS:
            count(_day(_number(fields[0])), "recalls" if fields[1] == "prompt" else "injections")
    _add_costs(mem, begins[0], count)
    return Growth(
        project=mem.project,
        notes=len(notes),
        records=len(records),
        sessions=len(sessions),
        bytes=sum(size for _, size in notes) + sum(status.st_size for _, status in sizes if status),
        weeks=[Week(begins=day, **week) for day, week in found.items()],
    )


def _notes(mem: Mem) -> Iterable[tuple[str, int]]:
    """Yield the day each note was made, as far as the history knows, and its size."""
    tree, keeper = Tree(str(mem.root)), mem.gate.history
    for slug in (mem.project, layout.USER):
        for name in note_files(str(mem.root), slug):
            relative = f"{layout.notes(slug)}/{name}"
            status, entries = tree.stat(relative), keeper.entries(relative)
            if status is not None:
                stamp = entries[0].stamp if entries else ""
                made = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}" if stamp else _day(status.st_mtime)
                yield made, status.st_size


def _add_costs(mem: Mem, since: str, count: Callable[[str, str, int], None]) -> None:
    from memolith.learn.ledger import Ledger

    if not mem.settings.flag("memories.enabled"):
        return
    with Ledger(mem.home, mem.settings, mem.now) as ledger:
        for cost in ledger.costs(since=since, project=mem.project):
            count(cost.day, "requests", cost.requests)
            count(cost.day, "tokens", cost.tokens)


def _monday(day: str) -> str:
    try:
        date = dt.date.fromisoformat(day[:10])
    except ValueError:
        return ""
    return (date - dt.timedelta(days=date.weekday())).isoformat()


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
