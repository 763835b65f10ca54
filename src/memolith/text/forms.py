"""The lines that are ours: what the block and a brief are made of. No stored text can imitate one of them.

Whoever prints such a line takes its form from here, and so does what escapes imitations (`structure`).
"""

from __future__ import annotations

from memolith.base.whole import NOT_WHOLE

# Titles of sections; what stands behind them in the line depends on the section.
LONG_TERM = "Long-term memory ("
PROJECT = "Project memory ("
USER_NOTES = "User notes index ("
NOTES = "Notes index ("
SUMMARY = "Memory summary ("
GUIDANCE = "Memory Guidance"
SCRATCHPAD = "Scratchpad (open items)"
DAILY = "Daily log 2"  # and the rest of a date
RECALLED = "Recalled for this task"
NEW = "New in memory since this session began"
TITLES = (LONG_TERM, PROJECT, USER_NOTES, NOTES, SUMMARY, GUIDANCE, SCRATCHPAD, DAILY, RECALLED, NEW)
# Lines that are no titles.
SOURCES = "Sources: "
GAP = "(The last daily log is of "
TROUBLE = "(memolith could not do everything: "
LINES = (SOURCES, GAP, NOT_WHOLE, TROUBLE)


def item(score: float) -> str:
    """Return how an item of a brief begins: with how well it answers."""
    return f"- [{score:.2f}] "


def is_item(line: str) -> bool:
    """Tell whether a line, without spaces and look-alikes, begins as an item does."""
    mark, _, rest = line.partition("[")
    whole, point, rest = rest.partition("]")[0].partition(".")
    return not mark.strip(">-+*") and bool(point) and len(whole) == 1 and (whole + rest).isdigit()
