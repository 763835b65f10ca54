"""Reading and changing Markdown by its headings and lines, byte for byte where nothing is meant to change."""

from __future__ import annotations

from zlib import crc32

from memolith.base.lean import lru_cache
from memolith.text.fences import fence_after, open_fence
from memolith.text.secrets.veil import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_UPDATED = "<!-- updated "
_ITEMS = tuple(f"{number}{sign}" for number in range(10) for sign in (". ", ") "))
_BLANKS = " \t\r\n"
# Headings that end a section above them.
_HEADINGS = ("# ", "## ")
# What a new document brings along (document.TEMPLATE): without content these headings say nothing, while any
# other heading may be the whole message, such as `## Never push to main`.
TEMPLATE_TITLE = "# Memory"
FACTS = "Facts"  # the section for what is appended and belongs to none of the template
TEMPLATE_SECTIONS = frozenset(
    [
        "about me",
        "interaction preferences",
        "safety + guardrails",
        "machine / runtime",
        "memory management policy",
    ]
)


class Part:
    """A section: where it and its body begin, its title, its date, and whether it says anything.

    `stamp` is the comment with its date, `said` what stands below. A date counts (`updated`) only for the
    text it was given to: a hash in the stamp tells when somebody has changed the section by hand since.
    """

    __slots__ = ("blank", "body", "end", "said", "stamp", "start", "title", "updated")

    def __init__(
        self, title: str, start: int, body: int, end: int, stamp: str, said: str, *, blank: bool
    ) -> None:
        self.title, self.start, self.body, self.end = title, start, body, end
        self.stamp, self.said, self.blank = stamp, said, blank
        date = stamp[len(_UPDATED) :].partition(" ")[0].rstrip(",")
        self.updated = date if stamp in ("", _stamp(date, said), f"{_UPDATED}{date} -->") else ""


def same_line(line: str) -> str:
    """Return the form in which two lines are compared: Unicode white space collapsed, case kept."""
    return " ".join(line.split())


def newline_of(text: str) -> str:
    """Return the line ending that `text` uses (its first one), `\\n` by default."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def append(old: str, new: str) -> str:
    """Add `new` as whole lines at the end of `old`, in the line ending that `old` uses."""
    newline = newline_of(old) if old else "\n"
    if newline == "\r\n":
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    if old and not old.endswith("\n"):
        old += newline
    return old + new + ("" if new.endswith("\n") else newline)


def parts(text: str) -> list[Part]:
    """Return the sections of `text` in order: below `## `, and below `# ` if that is not just its title.

    A section ends at the next of these headings. Those in code fences do not count.
    """
    found = list(_headings(text))
    several = sum(level == 1 for *_, level in found) > 1
    ends = [start for start, *_ in found[1:]] + [len(text)]
    return [
        _part(title, text[body:end], start, body, end)
        for (start, body, title, level), end in zip(found, ends, strict=False)
        if several or level > 1
    ]


def _headings(text: str) -> Iterator[tuple[int, int, str, int]]:
    """Yield where a heading of the two upper levels begins and ends, its title and its level."""
    above, start = "", 0  # a paragraph of one line, which a line below it may make a heading
    alone = True
    underlined = "\n---" in text or "\n===" in text
    for at, line, fenced in rows(text):
        bare = line.strip(_BLANKS)
        mark = bare.partition(" ")[0] if bare[:1] == "#" else ""
        if fenced or line.startswith("    "):
            above, alone = "", False
        elif mark in ("#", "##") and mark != bare:
            yield at, at + len(line), _title(bare), len(mark)
            above, alone = "", True
        elif not underlined:
            continue
        elif above and len(bare) > 2 and not bare.strip(bare[0]) and bare[0] in "=-":
            yield start, at + len(line), same_line(above), 1 if bare[0] == "=" else 2
            above, alone = "", True
        else:
            above = bare if alone and bare[:1].isalnum() and not bare.startswith(_ITEMS) else ""
            start, alone = at, not bare


def _part(title: str, text: str, start: int, body: int, end: int) -> Part:
    content = text.strip()
    stamp, closed, said = content.partition(" -->")
    stamp, said = (f"{stamp}{closed}", said) if closed and stamp.startswith(_UPDATED) else ("", content)
    hollow = title.casefold() in TEMPLATE_SECTIONS if not content else not strip_comments(text).strip()
    return Part(title, start, body, end, stamp, said, blank=hollow)


def _stamp(date: str, said: str) -> str:
    """Return the comment that dates a section; the hash ignores white space."""
    return f"{_UPDATED}{date}, {crc32(same_line(said).encode('utf-8', 'replace')):08x} -->"


def find_part(text: str, title: str) -> Part | None:
    """Return the section called `title` (case and spacing do not matter)."""
    wanted = _title(f"# {title.lstrip('#')}").casefold()
    for part in parts(text):
        if part.title.casefold() == wanted:
            return part
    return None


def _title(line: str) -> str:
    """Return the title in a heading line, without a closing `##` (the `#` of `C#` is not one)."""
    title = same_line(line.partition(" ")[2])
    bare = title.rstrip("#")
    return bare.rstrip() if bare.endswith(" ") or not bare else title


def set_part(text: str, title: str, body: str, date: str) -> str:
    """Replace the body of one section and its date; create the section at the end if it is new."""
    newline = newline_of(text)
    body = body.replace("\r\n", "\n").strip("\n")
    fence = open_fence(body)
    if fence:
        body += "\n" + fence  # else the sections below would become code
    section = f"{_stamp(date, body)}\n{body}\n".replace("\n", newline)
    part = find_part(text, title)
    if part is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}## {_title('# ' + title.lstrip('#'))}{newline}{section}"
    above, rest = text[: part.body], text[part.end :]
    return above + ("" if above.endswith("\n") else newline) + section + (newline if rest else "") + rest


def dated(old: str, new: str, date: str, *, as_given: bool = False) -> str:
    """Return `new` with a new date in each changed section that has one, or is the template's or ours.

    `as_given`: only where its date is another text's, so that all else is verbatim.
    """
    before = {(part.title.casefold(), same_line(part.said)) for part in parts(old)}
    newline = newline_of(new)
    for part in reversed(parts(new)):
        title = part.title.casefold()
        ours = bool(part.stamp) or title in TEMPLATE_SECTIONS or title == FACTS.casefold()
        if as_given:
            ours = bool(part.stamp) and not part.updated
        if not ours or part.blank or (title, same_line(part.said)) in before:
            continue
        body = new[part.body : part.end]
        body = body.replace(part.stamp, "", 1).lstrip("\r\n") if part.stamp else body
        gap = "" if new[: part.body].endswith("\n") else newline
        stamped = f"{gap}{_stamp(date, part.said)}{newline}{body}"
        new = new[: part.body] + stamped + new[part.end :]
    return new


@lru_cache(maxsize=8)
def presentable(text: str) -> str:
    """Return a document as the reader of a prompt should see it.

    Comments go, sections that hold nothing but comments go (an untouched template leaves nothing), and a
    section's date moves from its comment to its heading.
    """
    kept: list[str] = []
    at = 0
    for part in parts(text) if "# " in text or "\n---" in text else ():
        if part.blank or part.updated:
            kept.append(text[at : part.start])
            at = part.end
        if part.updated and not part.blank:
            heading, _, line = text[part.start : part.body].partition("\n")
            after = text[part.body : part.end].partition("-->")[2].lstrip("\r\n")
            kept.append(f"{heading.rstrip()} (updated {part.updated})\n{line}{after}")
    text = strip_comments("".join(kept) + text[at:])
    if same_line(text).casefold() == TEMPLATE_TITLE.casefold():
        return ""
    return close_up(text).strip("\n")


def close_up(text: str) -> str:
    """Return a text with one blank line where it has several."""
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text


def halves(text: str, marker: str) -> tuple[str, str | None]:
    """Split a text at the first line that is `marker`: what is above, and what is below (None: no such line).

    A marker in the middle of a line, or indented, is only mentioned.
    """
    at = text.find(marker)
    while at >= 0:
        end = text.find("\n", at)
        rest = text[at + len(marker) : len(text) if end < 0 else end]
        if (at == 0 or text[at - 1] == "\n") and not rest.strip():
            return text[:at], text[end + 1 :] if end >= 0 else ""
        at = text.find(marker, at + 1)
    return text, None


def with_lower_half(text: str, marker: str, below: str) -> str:
    """Return `text` with another lower half; what is above the marker stays, byte for byte.

    Without anything below it, the marker goes too.
    """
    above, _ = halves(text, marker)
    if not below.strip():
        return above
    newline = newline_of(text)
    gap = newline if above and not above.endswith("\n") else ""
    return above + gap + f"{marker}\n{below.replace(chr(13) + chr(10), chr(10))}".replace("\n", newline)


def above(text: str, marker: str, change: Callable[[str], str]) -> str:
    """Return `text` with its upper half changed, if it has two; what is below the marker stays."""
    upper, lower = halves(text, marker)
    if lower is None:
        return change(text)
    new, rest = change(upper), text[len(upper) :]
    return new + ("" if not new or new.endswith("\n") else newline_of(text)) + rest


def strip_comments(text: str) -> str:
    """Remove the comments that stand at the start of a line; whatever else looks like one stays visible."""
    if "<!--" not in text:
        return text
    kept: list[str] = []
    at = 0
    blank = True  # nothing was kept of the current line so far
    for start, close in _comments(text):
        before, newline, line = text[at:start].rpartition("\n")
        blank = (blank or bool(newline)) and not line.strip()
        # A comment that fills its lines takes them with it.
        end = close
        stop = end + 1 if text.startswith("\n", end) else end + 2 if text.startswith("\r\n", end) else end
        if blank and (stop > end or end == len(text)):
            line, end = "", stop
        kept += [before, newline, line]
        at = end
    return "".join([*kept, text[at:]])


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each comment begins and ends.

    `<!--` in the middle of a line may be quoted, and one that nobody closed must not swallow what a person
    wrote until some arrow far below: a heading or the start of another comment shows that it was left open.
    """
    opened = -1
    for at, line, fenced in rows(text):
        if fenced:
            continue
        search = 0
        start = _indent(line)
        if line.startswith("<!--", start) and start <= 3:
            opened, search = at + start, start + 4
        elif line.startswith(_HEADINGS):
            opened = -1
        while opened >= 0:
            close = line.find("-->", search)
            if close < 0:
                break
            yield opened, at + close + 3
            start = _indent(line, close + 3)
            opened = at + start if line.startswith("<!--", start) else -1
            search = start + 4


def _indent(line: str, at: int = 0) -> int:
    """Return where the spaces from `at` on end."""
    while line.startswith(" ", at):
        at += 1
    return at


def open_items(text: str) -> str:
    """Return what is open in a scratchpad: all but headings, and ticked items with what is indented below.

    An open item below a ticked one is open. Comments go; in a code block, every line stays.
    """
    kept: list[str] = []
    items: list[tuple[int, bool]] = []  # those that a line is part of: their indentation, whether ticked
    for _, row, fenced in rows(strip_comments(text)):
        line = row.rstrip()
        bare = line.lstrip()
        indent, box = len(line) - len(bare), "" if fenced else _box(bare)
        while items and bare and not fenced and indent <= items[-1][0]:
            items.pop()
        if box and box in " xX":
            items.append((indent, box != " "))
        heading = not fenced and bare.startswith("#") and bare.lstrip("#")[:1] in ("", " ")
        heading = heading and not bare.startswith("#" * 7)
        if (bare or fenced) and not heading and not (items and items[-1][1]):
            kept.append(line)
    return "\n".join(kept)


_MARKS = frozenset("-*+0123456789")


def _box(line: str) -> str:
    """Return what is in the box of an item (`- [x]`, `1. [ ]`); empty if the line is none."""
    if line[:1] not in _MARKS:
        return ""
    mark, *rest = line.split(None, 1) or [""]
    is_item = mark in ("-", "*", "+") or (mark[-1:] in (".", ")") and mark[:-1].isdigit())
    return rest[0][1] if is_item and rest and rest[0][:1] == "[" and rest[0][2:3] == "]" else ""


def first_line(text: str, limit: int = 100) -> str:
    """Return the first line that says something, collapsed, cut to `limit` characters and `…`."""
    for line in text.splitlines():
        collapsed = same_line(line)
        if collapsed:
            part = cut(collapsed, limit, exact=True)
            return part if part == collapsed else part.rstrip() + "…"
    return ""


def heading_title(text: str) -> str:
    """Return the text of the first `# ` heading, or the empty string."""
    if not text.startswith("# ") and "\n# " not in text:
        return ""
    for _, line, fenced in rows(text):
        if not fenced and line.startswith("# "):
            return line[2:].strip()
    return ""


def _split(text: str) -> list[str]:
    """Split into lines, ends kept. `str.splitlines` would also split at U+2028, form feed and others."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def rows(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each line with its position and whether it is inside a code fence."""
    fence = ""
    at = 0
    for line in _split(text):
        yield at, line, bool(fence)
        fence = fence_after(fence, line)
        at += len(line)
