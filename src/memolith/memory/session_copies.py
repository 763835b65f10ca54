"""Changing the stored copies of sessions afterwards: masking what today's rules find, taking texts out."""

from __future__ import annotations

from memolith.memory.sessions import CODES, TEXTS, line_of, masked_field, masked_text, parse, row_for
from memolith.store.archive import row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.store.archive import Archive

    Change = Callable[[str], str]


def mask_copy(archive: Archive, name: str, allow: frozenset[str]) -> int:
    """Mask the secrets that today's rules find in a copy; return how many. Needs the project's lock."""
    lines = archive.read(name) or []
    masked = [_masked_line(line, allow) for line in lines]
    count = sum(len(kinds) for _, kinds in masked)
    if count:
        archive.write(name, [line for line, _ in masked])
    return count


def secrets_of(lines: list[str], allow: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield line and kind of each secret in a copy: exactly what `mask_copy` finds."""
    for number, line in enumerate(lines, 1):
        yield from ((number, kind) for kind in _masked_line(line, allow)[1])


def _masked_line(line: str, allow: frozenset[str]) -> tuple[str, list[str]]:
    """Return a line with the secrets in its strings masked (not in the JSON syntax), and their kinds."""
    row = row_of(line)
    if row is None:
        return masked_text(line, allow)
    kinds: list[str] = []
    for key, value in row.items():
        text, found = masked_field(key, value if isinstance(value, str) else line_of(value), allow)
        if found:
            row[key] = text
            kinds += found
    return line_of(row) if kinds else line, kinds


def change_copy(archive: Archive, name: str, change: Change, new_id: Change, *, dry: bool = False) -> int:
    """Change the texts of a copy and its id; return the number of changed lines. `dry` only counts."""
    lines = archive.read(name) or []
    fresh, rest, count = changed(lines, name, change, new_id)
    if count and not dry:
        archive.write(fresh, rest)
        if fresh != name:
            archive.delete(name)
    return count


def changed(lines: list[str], name: str, change: Change, new_id: Change) -> tuple[str, list[str], int]:
    """Return the name and the lines of a copy with its texts and its id changed, and how many of them are."""
    session = parse(lines)
    if session is None:
        return name, lines, 0
    turns = [turn.but(**{key: change(getattr(turn, key)) for key in TEXTS}) for turn in session.turns]
    head = {
        key: change(value) if isinstance(value, str) and key not in CODES else value
        for key, value in (row_of(lines[0]) or {}).items()
    }
    head |= {key: new_id(each) for key in ("id", "ticket") if isinstance(each := head.get(key), str)}
    agent, dash, called = name.partition("-")
    fresh = f"{agent}{dash}{new_id(called)}"
    count = sum(one != other for one, other in zip(session.turns, turns, strict=True))
    count += fresh != name or line_of(head) != lines[0]
    return fresh, [line_of(head), *(line_of(row_for(turn)) for turn in turns)], count
