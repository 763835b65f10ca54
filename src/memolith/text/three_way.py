"""Two changes of one text brought together, line by line."""

from __future__ import annotations

import difflib

Hunk = tuple[int, int, tuple[str, ...]]


def merged(base: str, one: str, other: str) -> str | None:
    """Return `base` with both changes; None where they give the same lines different texts.

    What both insert at the same place is kept of both, that of `one` first: a memory is mostly a list that
    grows at its end.
    """
    lines = base.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"  # else a line that is only added behind it would count as a change of it
    first, second = _hunks(lines, one), _hunks(lines, other)
    second = [hunk for hunk in second if hunk not in first]
    if any(_clash(a, b) for a in first for b in second):
        return None
    result: list[str] = []
    at = 0
    for start, end, new in sorted([*first, *second], key=lambda hunk: hunk[:2]):
        result += [*lines[at:start], *new]
        at = end
    return "".join([*result, *lines[at:]])


def _hunks(lines: list[str], text: str) -> list[Hunk]:
    """Return what a text replaces: from line, to line, by which lines."""
    new = text.splitlines(keepends=True)
    if new and not new[-1].endswith("\n"):
        new[-1] += "\n"
    steps = difflib.SequenceMatcher(None, lines, new, autojunk=False).get_opcodes()
    return [(a, b, tuple(new[c:d])) for kind, a, b, c, d in steps if kind != "equal"]


def _clash(one: Hunk, other: Hunk) -> bool:
    (a, b, _), (c, d, _) = one, other
    if a == b or c == d:  # an insertion clashes only with a change around it
        return c < a < d or a < c < b
    return a < d and c < b
