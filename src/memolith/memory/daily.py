"""The daily log: the person's local date, the days that have a log, and the format of an entry."""

from __future__ import annotations

import time

from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.paths import Tree

# A clock that is far off must not make the memory unreadable: it has no date before 1001 or after 9998.
_FIRST, _LAST = -30_578_688_000, 253_370_678_400


def _local(seconds: float) -> time.struct_time:
    if hasattr(time, "tzset"):
        time.tzset()  # a long-lived process follows a change of the time zone
    seconds = min(max(seconds, _FIRST), _LAST)
    return time.localtime(seconds)


def day(seconds: float) -> str:
    """Return the local date at a point in time."""
    return time.strftime("%Y-%m-%d", _local(seconds))


def clock(stamp: str) -> str:
    """Return a stored time to the minute, as the clock here shows it; as it is if it is no time."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return stamp


def day_before(seconds: float) -> str:
    """Return the local date of the day before a point in time."""
    here = _local(seconds)
    # Noon of the previous day exists in every time zone, whatever the clocks did at night.
    noon = time.mktime((here.tm_year, here.tm_mon, here.tm_mday - 1, 12, 0, 0, 0, 0, -1))
    return time.strftime("%Y-%m-%d", time.localtime(noon))


def days(tree: Tree, slug: str) -> list[str]:
    """Return the dates that have a log, oldest first; empty if it cannot be listed (`doctor` reports it)."""
    names = tree.listed(layout.path(slug, "daily"))
    return [name[:-3] for name in names if layout.is_date(name[:-3])]


def entry(seconds: float, heading: str, body: str) -> str:
    """Return a timestamped entry."""
    from memolith.text.secrets.veil import in_one_line

    clock = time.strftime("%H:%M", _local(seconds))
    return f"### {clock} — {' '.join(in_one_line(heading).split())}\n{body.strip()}\n"


def add(old: str | None, text: str) -> str:
    """Append an entry to a log, with a blank line before it."""
    from memolith.text import markdown

    return markdown.append(old, "\n" + text) if old else text


def without(text: str, mark: str) -> str:
    """Return a log without the entries whose heading has this mark."""
    kept, is_left_out = [], False
    for line in text.split("\n"):
        clock = line.removeprefix("### ")
        if clock != line and clock[2:3] == ":" and clock[5:8] == " — ":
            is_left_out = mark in line
        if not is_left_out:
            kept.append(line)
    return "\n".join(kept)
