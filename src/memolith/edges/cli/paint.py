"""What a terminal shows in colour and columns, and a pipe as plain text.

Each of these is the plain text itself; `drawn` renders it for a terminal, and only there imports rich.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import time
from collections import Counter

from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal, Self

    from rich.console import RenderableType


class Table(str):
    """Rows below a head. A narrow terminal leaves out what is `spare`, in that order."""

    __slots__ = ("head", "rows", "spare")

    head: tuple[str, ...]
    rows: list[tuple[str | int, ...]]
    spare: Sequence[str]

    def __new__(
        cls, head: Sequence[str], rows: Iterable[Sequence[str | int]], spare: Sequence[str] = ()
    ) -> Self:
        """Lay the rows out as text; empty if there are none."""
        cells = [tuple(row) for row in rows]
        kept = [at for at in range(len(head)) if any(row[at] not in ("", None) for row in cells)]
        cells = [tuple(row[at] for at in kept) for row in cells]
        names = tuple(head[at] for at in kept)
        widths = [max(_wide(_cell(row[at])) for row in [names, *cells]) for at in range(len(names))]
        lines = [
            "  ".join(
                _cell(each).rjust(width) if isinstance(each, int) else _padded(_cell(each), width)
                for each, width in zip(row, widths, strict=True)
            ).rstrip()
            for row in [names, *cells]
        ]
        table = super().__new__(cls, "\n".join(lines) if cells else "")
        table.head, table.rows, table.spare = names, cells, spare
        return table


class Diff(str):
    """A unified diff, perhaps with lines around it."""

    __slots__ = ()


class Facts(str):
    """Lines that begin with the name of a figure; warnings stand out."""

    __slots__ = ()


class Prose(str):
    """Lines for reading, which may be laid out with spaces; what does not fit goes on below, indented."""

    __slots__ = ()


class Marked(str):
    """A text with the words that were looked for."""

    __slots__ = ("words",)

    words: tuple[str, ...]

    def __new__(cls, text: str, words: Iterable[str]) -> Self:
        """Keep the words that are long enough to be worth a colour."""
        marked = super().__new__(cls, text)
        marked.words = tuple(sorted({each for each in words if len(each) > 1}, key=len, reverse=True))
        return marked


def is_terminal() -> bool:
    """Whether a person sees the answer on a screen that can show more than text."""
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def drawn(value: str) -> str:
    """Return a text as a terminal shows it."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    console = Console(force_terminal=True, no_color=plain, highlight=False, emoji=False, markup=False)
    with console.capture() as captured:
        console.print(_renderable(value, console.width), soft_wrap=not isinstance(value, Table))
    return captured.get()


def when(stamp: str | float) -> str:
    """Return a time for a person: how long ago at a terminal, the local time in a pipe."""
    seconds = _seconds(stamp) if isinstance(stamp, str) else stamp
    if seconds is None:
        return str(stamp)
    local = time.localtime(seconds)
    if not is_terminal():
        return time.strftime("%Y-%m-%d %H:%M", local)
    past, now = time.time() - seconds, time.localtime()
    if past < 60:
        return "just now"
    if past < 3600:
        return f"{past / 60:.0f} min ago"
    if local[:3] == now[:3]:
        return time.strftime("today %H:%M", local)
    if past < 6 * 86_400:
        return time.strftime("%a %H:%M", local)
    return time.strftime("%d %b %H:%M" if local.tm_year == now.tm_year else "%Y-%m-%d", local)


def _seconds(stamp: str) -> float | None:
    from datetime import datetime

    try:
        return datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError):
        return None


def _cell(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else " ".join(hygiene.inert(value).split())


def _wide(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(char) in ("Mn", "Me", "Cf") else 1 + (east_asian_width(char) in "WF") for char in text
    )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _wide(text))


def _renderable(value: str, width: int) -> RenderableType:
    from rich.text import Text

    if isinstance(value, Table):
        return _table(value, width)
    text = Text(_wrapped(hygiene.inert(value).rstrip("\n"), value, width))
    if isinstance(value, Marked):
        text.highlight_words(value.words, "bold yellow", case_sensitive=False)
    elif isinstance(value, Facts):
        text.highlight_regex(r"(?m)^[\w.]+( [\w.]+)?(?=  |$)|^last session", "bold")
        text.highlight_regex(r"(?m)^(warning .*|memory +OFF.*|found .*|BAD .*)$", "yellow")
    elif isinstance(value, Diff):
        for sign, style in (("-", "red"), ("+", "green"), ("@", "cyan")):
            text.highlight_regex(rf"(?m)^{re.escape(sign)}.*$", style)
    return text


def _wrapped(text: str, value: str, width: int) -> str:
    """Break long lines between words, and indent what follows; a diff and a text of somebody stay."""
    untouched: tuple[str, ...] = ()
    if isinstance(value, Diff):
        indent, untouched = "  ", ("+", "-", "@", " ")
    elif isinstance(value, Facts):
        indent = " " * 13
    elif isinstance(value, Marked):
        indent = " " * 5
    elif isinstance(value, Prose):
        indent = ""
    else:
        return text
    wrapped = []
    for line in text.split("\n"):
        margin = len(line) - len(line.lstrip())
        below = indent or " " * (margin and margin + 2)
        is_long = len(line) > width and not line.startswith(untouched)
        # A path that is longer than the screen goes on below its beginning, too.
        more = {"break_long_words": isinstance(value, Facts), "break_on_hyphens": False}
        wrapped.append(textwrap.fill(line, width, subsequent_indent=below, **more) if is_long else line)  # type: ignore[arg-type]
    return "\n".join(wrapped)


def _table(value: Table, width: int) -> RenderableType:
    from rich.table import Table as Drawn
    from rich.text import Text

    cells = [[Text(_cell(each)) for each in row] for row in [value.head, *value.rows]]
    wanted = {at: max(row[at].cell_len for row in cells) for at in range(len(value.head))}
    for name in value.spare:
        if sum(min(each, _READABLE) + _GAP for each in wanted.values()) - _GAP > width:
            wanted.pop(value.head.index(name) if name in value.head else -1, None)
    table = Drawn(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
    for at, most in _widths(wanted, width).items():
        numbers = all(isinstance(row[at], int) for row in value.rows)
        side: Literal["left", "right"] = "right" if numbers else "left"
        head = Text(value.head[at])
        table.add_column(head, justify=side, no_wrap=True, overflow="ellipsis", width=most)
        for row, told in zip(cells[1:], _told_apart([row[at].plain for row in cells[1:]], most), strict=True):
            row[at] = Text(told)
    for row in cells[1:]:
        table.add_row(*(row[at] for at in wanted))
    return table


def _told_apart(texts: list[str], most: int) -> list[str]:
    """Return the cells of a column, with their ends where their beginnings alone would look the same."""
    begins = Counter(each[: most - 1] for each in set(texts))
    end = most // 3
    return [
        f"{each[: most - 1 - end]}…{each[-end:]}"
        if end and len(each) > most and begins[each[: most - 1]] > 1
        else each
        for each in texts
    ]


def _widths(wanted: dict[int, int], width: int) -> dict[int, int]:
    """Return the widths of columns on a line: short ones as they are, the long ones share what is left."""
    left, found = max(width - _GAP * (len(wanted) - 1), len(wanted)), {}
    for number, at in enumerate(sorted(wanted, key=lambda each: wanted[each])):
        found[at] = max(min(wanted[at], left // (len(wanted) - number)), 1)
        left -= found[at]
    return {at: found[at] for at in wanted}


_GAP = 2
_READABLE = 16  # columns that suffice for most names
