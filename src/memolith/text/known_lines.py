"""Leaving out of a text what another one says already, line by line."""

from __future__ import annotations

from memolith.text.markdown import rows, same_line

_DEEP = ("    ", "\t")
_BLOCKS = ("#", ">", "- ", "* ", "+ ", "```", "~~~")  # how a line begins that ends a table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def drop(old: str, new: str) -> tuple[str, int]:
    """Remove from `new` the lines that `old` has already, and repeats; blank lines stay.

    A code block or a table goes or stays as a whole, and a line without words, such as a rule, goes with the
    rest. Returns what is left and how many lines were dropped.
    """
    known = [same_line(line) for line in old.split("\n")]
    single = set(known)
    kept: list[str] = []
    skipped = 0
    for unit in _units(new):
        keys = [same_line(line) for line in unit]
        if _has_words(keys[0]) and keys[0] in single if len(keys) == 1 else _contains(known, keys):
            skipped += len(keys)
            continue
        known += keys
        single.update(keys)
        kept += unit
    if skipped and not any(map(_has_words, kept)):
        blank = [line for line in kept if not line.strip()]
        kept, skipped = blank, skipped + len(kept) - len(blank)
    return "".join(kept), skipped


def _units(text: str) -> Iterator[list[str]]:
    """Yield the lines of a text, those of a code block or a table together."""
    unit: list[str] = []
    was_table = was_code = False
    lines = [*rows(text), (0, "", False)]
    for at, (_, line, fenced) in enumerate(lines[:-1]):
        below = lines[at + 1][1]
        # Its head, above a line of dashes and pipes, tells a table whose lines do not begin with a pipe.
        begins = line.lstrip().startswith("|") or ("|" in below and not below.strip(" \t\r\n|:-"))
        is_table = not fenced and (_is_row(line) if was_table else "|" in line and begins)
        # Code by its indentation begins where no paragraph stands above it, and goes on behind an empty line.
        is_free = at == 0 or lines[at - 1][2] or _ends_paragraph(lines[at - 1][1])
        deep = line.startswith(_DEEP) if line.strip() else was_code and below.startswith(_DEEP)
        is_code = not fenced and deep and (was_code or is_free)
        if unit and not fenced and not (is_table and was_table) and not (is_code and was_code):
            yield unit
            unit = []
        unit.append(line)
        was_table, was_code = is_table, is_code
    if unit:
        yield unit


def _is_row(line: str) -> bool:
    """Whether a line below a table's row is one, too: a row of one cell needs no pipe."""
    return "|" in line or (bool(line.strip()) and not line.lstrip().startswith(_BLOCKS))


def _ends_paragraph(line: str) -> bool:
    """Whether no paragraph goes on below a line: an empty one, a heading, a rule."""
    signs, bare = line.partition(" ")[0], "".join(line.split())
    is_rule = len(bare) > 2 and bare[0] in "-*_" and len(set(bare)) == 1
    return is_rule or not bare or not signs.strip("#\r\n")


def _contains(lines: list[str], part: list[str]) -> bool:
    """Whether some lines stand among others, one after the other."""
    starts = (at for at, line in enumerate(lines) if line == part[0])
    return any(lines[at : at + len(part)] == part for at in starts)


def _has_words(line: str) -> bool:
    return any(map(str.isalnum, line))
