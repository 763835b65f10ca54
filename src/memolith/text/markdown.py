"""Reading and changing Markdown by its headings and lines, byte for byte where nothing is meant to change."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_UPDATED = "<!-- updated "


class Part:
    """A `## ` section of a document: where it is, its title, its date, and whether it says anything."""

    __slots__ = ("blank", "end", "start", "title", "updated")

    def __init__(self, title: str, start: int, end: int, *, updated: str, blank: bool) -> None:
        self.title, self.start, self.end = title, start, end
        self.updated, self.blank = updated, blank


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


def drop_known_lines(old: str, new: str) -> tuple[str, int]:
    """Remove from `new` the lines that `old` has already, and repeats; blank lines stay.

    Returns what is left and how many lines were dropped.
    """
    known = {same_line(line) for line in old.split("\n")}
    kept: list[str] = []
    skipped = 0
    for line in _split(new):
        key = same_line(line)
        if key and key in known:
            skipped += 1
            continue
        known.add(key)
        kept.append(line)
    return "".join(kept), skipped


def parts(text: str) -> list[Part]:
    """Return the `## ` sections of `text` in order. Headings in code fences do not count."""
    found: list[tuple[str, int]] = []
    for start, line, fenced in _lines(text):
        if not fenced and line.startswith("## "):
            found.append((_title(line), start))
    result = []
    for index, (title, start) in enumerate(found):
        end = found[index + 1][1] if index + 1 < len(found) else len(text)
        body = text[start:end].partition("\n")[2]
        updated = ""
        if body.lstrip().startswith(_UPDATED):
            updated = body.lstrip()[len(_UPDATED) :].partition(" ")[0]
        blank = not strip_comments(body).strip()
        result.append(Part(title, start, end, updated=updated, blank=blank))
    return result


def find_part(text: str, title: str) -> Part | None:
    """Return the section called `title` (case and spacing do not matter)."""
    wanted = _title("## " + title.lstrip("#")).casefold()
    for part in parts(text):
        if part.title.casefold() == wanted:
            return part
    return None


def _title(line: str) -> str:
    """Return the title in a heading line, without a closing `##` (the `#` of `C#` is not one)."""
    title = same_line(line[3:])
    bare = title.rstrip("#")
    return bare.rstrip() if bare.endswith(" ") or not bare else title


def set_part(text: str, title: str, body: str, date: str) -> str:
    """Replace the body of one section and its date; create the section at the end if it is new."""
    newline = newline_of(text)
    body = body.replace("\r\n", "\n").strip("\n")
    fence = open_fence(body)
    if fence:
        body += "\n" + fence  # else the sections below would become code
    section = f"{_UPDATED}{date} -->\n{body}\n".replace("\n", newline)
    part = find_part(text, title)
    if part is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}## {_title('## ' + title.lstrip('#'))}{newline}{section}"
    heading, line_end, _ = text[part.start : part.end].partition("\n")
    rest = text[part.end :]
    return text[: part.start] + heading + (line_end or newline) + section + (newline if rest else "") + rest


@lru_cache(maxsize=8)
def presentable(text: str) -> str:
    """Return a document as the reader of a prompt should see it.

    Comments go, headings without content go (an untouched template leaves nothing), and a
    section's date moves from its comment to its heading.
    """
    text = text.removeprefix("\ufeff")
    if "<!--" in text and "## " in text:
        for part in reversed(parts(text)):
            if part.blank:
                text = text[: part.start] + text[part.end :]
            elif part.updated:
                heading, _, body = text[part.start : part.end].partition("\n")
                after = body.partition("-->")[2].lstrip("\n")
                dated = f"{heading.rstrip()} (updated {part.updated})\n{after}"
                text = text[: part.start] + dated + text[part.end :]
    elif "## " in text:
        for part in reversed(parts(text)):
            if part.blank:
                text = text[: part.start] + text[part.end :]
    text = strip_comments(text)
    # A document that consists of its title only says nothing.
    said = [line for line in text.splitlines() if line.strip()]
    if len(said) == 1 and said[0].startswith("# "):
        return ""
    return _squeeze(text)


def strip_comments(text: str) -> str:
    """Remove `<!-- … -->`; an unclosed comment is left as it is, so that nothing vanishes."""
    kept: list[str] = []
    at = 0
    blank = True  # nothing was kept of the current line so far
    while True:
        start = text.find("<!--", at)
        end = text.find("-->", start + 4) if start >= 0 else -1
        if end < 0:
            return "".join([*kept, text[at:]])
        end += 3
        before, newline, line = text[at:start].rpartition("\n")
        blank = (blank or bool(newline)) and not line.strip()
        # A comment that fills its lines takes them with it.
        stop = end + 1 if text.startswith("\n", end) else end + 2 if text.startswith("\r\n", end) else end
        if blank and (stop > end or end == len(text)):
            line, end = "", stop
        kept += [before, newline, line]
        at = end


def _squeeze(text: str) -> str:
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip("\n")


def open_items(text: str) -> str:
    """Return the unchecked list items of a checklist, indentation kept."""
    return "\n".join(
        line.rstrip() for line in text.splitlines() if line.lstrip().startswith(("- [ ]", "* [ ]"))
    )


def first_line(text: str, limit: int = 100) -> str:
    """Return the first line that says something, collapsed, cut to `limit` characters and `…`."""
    for line in text.splitlines():
        collapsed = same_line(line)
        if collapsed:
            return collapsed if len(collapsed) <= limit else collapsed[:limit].rstrip() + "…"
    return ""


def heading_title(text: str) -> str:
    """Return the text of the first `# ` heading, or the empty string."""
    for _, line, fenced in _lines(text):
        if not fenced and line.startswith("# "):
            return line[2:].strip()
    return ""


def open_fence(text: str) -> str:
    """Return the code fence that `text` leaves open, or the empty string."""
    fence = ""
    for line in text.split("\n"):
        fence = _fence_after(fence, line)
    return fence


def _fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after `line`, when `fence` was open before it."""
    bare = line.strip()
    if not bare.startswith(("```", "~~~")):
        return fence
    sign = bare[0]
    info = bare.lstrip(sign)
    if fence:
        return "" if bare.startswith(fence) and not info else fence
    # ```one line``` is a code span, not a fence.
    return "" if sign == "`" and "`" in info else bare[: len(bare) - len(info)]


def _split(text: str) -> list[str]:
    """Split into lines, ends kept. `str.splitlines` would also split at U+2028, form feed and others."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each line with its position and whether it is inside a code fence."""
    fence = ""
    at = 0
    for line in _split(text):
        yield at, line, bool(fence)
        fence = _fence_after(fence, line)
        at += len(line)
