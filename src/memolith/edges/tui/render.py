"""From Markdown to styled lines: nothing is executed, nothing is hidden.

Lines stay lines, so that the screen matches the file. Characters that a terminal obeys, or that hide text,
are shown as visible signs. Styles are set by position and never parsed from the text: `[bold]` in a note is
four letters and two brackets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.content import Content, Span

from memolith.text.safe import hygiene

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TITLE = ("bold $text-primary", "bold $text-accent", "bold")
CODE, QUIET, MATCH = "$text-success", "$foreground-muted", "bold $text-warning on $warning-muted"
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(.*)")
_INLINE = re.compile(
    r"(?P<code>`+)(?P<code_text>.+?)(?P=code)"
    r"|(?P<comment><!--.*?(?:-->|$))"
    r"|(?P<bold>\*\*)(?=\S)(?P<bold_text>.+?)(?<=\S)(?P=bold)"
    r"|(?P<strike>~~)(?=\S)(?P<strike_text>.+?)(?<=\S)~~"
    r"|(?<![\w*])(?P<italic>[*_])(?=[^\s*_])(?P<italic_text>[^*_]+?)(?<=\S)(?P=italic)(?!\w)"
    r"|\[(?P<link>[^\]\n]+)\]\((?P<url>[^)\s]+)\)"
)
_BOX = {" ": ("☐ ", "$warning"), "x": ("☑ ", "$success"), "X": ("☑ ", "$success")}
_RULE = re.compile(r"\s*([-*_])(\s*\1){2,}\s*")
_TAB = 4
_SIGNS = {"\r": "␍", "\x7f": "␡"}


def visible(text: str) -> str:
    """Replace every character that a terminal obeys, or that hides text, by a visible sign."""
    text = text.replace("\r\n", "\n")
    safe = hygiene.inert(text)
    if safe == text:
        return text
    # The safe text lacks some characters, or has a space or a newline instead.
    shown: list[str] = []
    at = 0
    for char in text:
        here = safe[at : at + 1]
        if char == here:
            shown.append(char)
            at += 1
            continue
        shown.append(_sign(char))
        if here and here in "\n " and char in "\r\x85\u2028\u2029\u2800":
            shown.append(here)
            at += 1
    return "".join(shown)


def for_editor(text: str) -> str:
    """Replace only what a terminal obeys by signs: everything else must be saved unchanged."""
    unsafe = {char for char in text if (char < " " or "\x7f" <= char < "\xa0") and char not in "\t\n\r"}
    return text.translate({ord(char): _sign(char) for char in unsafe}) if unsafe else text


def _sign(char: str) -> str:
    code = ord(char)
    return _SIGNS.get(char) or (chr(0x2400 + code) if code < 32 else f"⟨{code:04X}⟩")


def one_line(text: str) -> str:
    """Return a text as one visible line."""
    return " ".join(visible(text).split())


def plain(text: str, style: str = "") -> Content:
    """Return a text unchanged, in one style."""
    shown = visible(text)
    return Content(shown, [Span(0, len(shown), style)] if style else None)


def matching(text: str, query: str) -> list[Span]:
    """Return where the words of a query occur in a text; longer words also match with another ending."""
    words = {word[:-2] if len(word) > 5 else word for word in query.split() if len(word) > 1}
    if not words:
        return []
    found = re.finditer(rf"(?:{'|'.join(map(re.escape, words))})\w*", text, re.IGNORECASE)
    return [Span(each.start(), each.end(), MATCH) for each in found]


class Line(NamedTuple):
    """A styled line, and the indentation of its continuation rows."""

    content: Content
    indent: int = 0

    def rows(self, width: int) -> list[Content]:
        """Split the line into rows of at most `width` cells."""
        if self.content.cell_length <= width:
            return [self.content]
        indent = self.indent if self.indent < width // 2 else 0
        first, *rest = self.content.divide(_breaks(self.content.plain, width, indent))
        return [first.rstrip(), *(each.rstrip().pad_left(indent) for each in rest)]


BLANK = Line(Content(""))


def line(text: str, style: str = "", indent: int = 0) -> Line:
    """Return a text unchanged, as a line in one style."""
    return Line(plain(text, style), indent)


_SEAMS = "/-_."  # where the names of files are best taken apart


def _breaks(text: str, width: int, indent: int) -> list[int]:
    """Return the line breaks of a text: between words, or else behind a sign of a path, or anywhere."""
    breaks, used, room = [], 0, width
    for found in re.finditer(r"\s*\S+", text):
        size = cell_len(found.group())
        if used and used + size > room:
            start = found.start() + len(found.group()) - len(found.group().lstrip())
            breaks.append(start)
            used, room = 0, width - indent
            size = cell_len(found.group().lstrip())
            begin = start
        else:
            begin = found.start()
        if size > room - used:
            start = begin
            for at in range(begin, found.end()):
                wide = cell_len(text[at])
                if used + wide > room:
                    room = width - indent
                    signs = (text.rfind(sign, start, at) + 1 for sign in _SEAMS)
                    cut = max(0, *signs)
                    start = cut if cut > start and cell_len(text[cut:at]) + wide <= room else at
                    breaks.append(start)
                    used = cell_len(text[start:at])
                used += wide
        else:
            used += size
    return breaks


def markdown(text: str, query: str = "") -> list[Line]:
    """Return the lines of a Markdown text, with matches of a query highlighted."""
    lines = []
    rows = visible(text).expandtabs(_TAB).split("\n")
    while rows and not rows[-1].strip():
        rows.pop()
    head = head_length(rows)
    fence = ""
    for number, row in enumerate(rows):
        bare = row.strip()
        if number < head:
            line = Line(Content(row, [Span(0, len(row), QUIET)]))
        elif fence or bare.startswith(("```", "~~~")):
            if bare.startswith(("```", "~~~")):
                fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
                line = Line(Content(row, [Span(0, len(row), QUIET)]))
            else:
                line = Line(Content(f"  {row}", [Span(0, len(row) + 2, CODE)]), 4)
        else:
            line = _line(row)
        if query and (spans := matching(line.content.plain, query)):
            line = Line(line.content.add_spans(spans), line.indent)
        lines.append(line)
    return lines


def head_length(rows: Sequence[str]) -> int:
    """Return the number of lines of the frontmatter."""
    if not rows or rows[0].rstrip() != "---":
        return 0
    return next((at + 1 for at, row in enumerate(rows[1:60], 1) if row.rstrip() == "---"), 0)


def _line(row: str) -> Line:
    if found := _HEADING.fullmatch(row):
        marks, title = found.groups()
        style = _TITLE[min(len(marks), 3) - 1]
        return Line(_joined([(f"{marks} ", QUIET)], _inline(title, style)), len(marks) + 1)
    if _RULE.fullmatch(row):
        return Line(Content("─" * 24, [Span(0, 24, QUIET)]))
    if found := _ITEM.fullmatch(row):
        space, mark, box, said = found.groups()
        sign, style = _BOX.get(box or "", ("• " if mark in "-*+" else f"{mark} ", "$primary"))
        inner = _inline(said, QUIET if box in ("x", "X") else "")
        return Line(_joined([(space, ""), (sign, style)], inner), cell_len(space + sign))
    if row.lstrip().startswith(">"):
        return Line(_joined([("▎ ", "$primary")], _inline(row.lstrip()[1:].lstrip(), "italic")), 2)
    return Line(_joined([], _inline(row)), len(row) - len(row.lstrip()))


Pieces = list[tuple[str, str]]


def _inline(text: str, style: str = "") -> Pieces:
    """Return the pieces of a line with their styles."""
    pieces: Pieces = []
    done = 0
    for found in _INLINE.finditer(text):
        pieces.append((text[done : found.start()], style))
        done = found.end()
        if found["code"]:
            pieces.append((found["code_text"], CODE))
        elif found["comment"]:
            pieces.append((found["comment"], QUIET))
        elif found["bold"]:
            pieces += _inline(found["bold_text"], f"{style} bold".strip())
        elif found["strike"]:
            pieces += _inline(found["strike_text"], f"{style} strike".strip())
        elif found["italic"]:
            pieces += _inline(found["italic_text"], f"{style} italic".strip())
        else:
            # Keep the URL visible: a link's text may claim another.
            pieces += [(found["link"], f"{style} underline".strip()), (f" ({found['url']})", QUIET)]
    pieces.append((text[done:], style))
    return pieces


def _joined(*parts: Pieces) -> Content:
    text, spans = "", []
    for piece, style in (each for part in parts for each in part):
        if piece and style:
            spans.append(Span(len(text), len(text) + len(piece), style))
        text += piece
    return Content(text, spans)


def diff(text: str) -> list[Line]:
    """Return a unified diff with removals and additions in colour."""
    styles = {"+": "$text-success", "-": "$text-error", "@": "$text-accent"}
    rows = visible(text).expandtabs(_TAB).split("\n")
    return [
        Line(Content(row, [Span(0, len(row), styles[row[0]])] if row[:1] in styles else None)) for row in rows
    ]


def facts(pairs: Iterable[tuple[str, str]]) -> list[Line]:
    """Return the metadata of a text, one line each."""
    shown = [(name, one_line(value)) for name, value in pairs if value]
    return [Line(_joined([(f"{name:<9} ", QUIET)], [(value, "")]), 10) for name, value in shown]


def wrapped(lines: Iterable[Line], width: int) -> Content:
    """Return lines as one text, no row wider than `width`."""
    return Content("\n").join([row for line in lines for row in line.rows(max(8, width))])


def is_light(colours: str) -> bool:
    """Whether the terminal reports a light background (COLORFGBG: `0;15`)."""
    return colours.rpartition(";")[2] in ("7", "15")
