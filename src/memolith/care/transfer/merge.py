"""Putting the lines of one document into another: each under its own heading, none twice, none lost."""

from __future__ import annotations

from memolith.text import markdown


def merged(old: str, new: str) -> str:
    """Return `old` with what only `new` says.

    A section that both have gets the new lines at its end; one that only `new` has comes last. A line is
    known if it stands in its section already; a code block is one line in this.
    """
    parts = _sections(old)
    for title, body in _sections(new):
        place = next((part for part in parts if part[0] == title), None)
        heading, text = _cut(title, body)
        if place is None:
            if body.strip():
                parts[-1][1] = _ended(
                    parts[-1][1], "\n" if "".join(part[1] for part in parts).strip() else ""
                )
                parts.append([title, markdown.append("", heading + text)])
            continue
        known = {markdown.same_line(unit) for part in parts if part[0] == title for unit in _units(part[1])}
        fresh = [unit for unit in _units(text) if markdown.same_line(unit) not in known]
        if any(unit.strip() for unit in fresh):
            here = place[1].rstrip("\r\n")
            tail = place[1][len(here) :].removeprefix("\r").removeprefix("\n")
            added = "".join(fresh).strip("\n")
            place[1] = (markdown.append(here, added) if here else f"{added}\n") + tail
    return "".join(part[1] for part in parts)


def _ended(text: str, gap: str) -> str:
    if not text.strip():
        return text
    newline = markdown.newline_of(text)
    text = text if text.endswith("\n") else text + newline
    return text if text.endswith(newline * 2) else text + gap


def _cut(title: str, body: str) -> tuple[str, str]:
    """Split the heading's line off a section."""
    heading, end, text = body.partition("\n") if title else ("", "", body)
    return heading + end, text


def _units(text: str) -> list[str]:
    """Return the lines of a text; a fenced block of code is one."""
    units: list[str] = []
    for _, line, fenced in markdown.rows(text):
        if fenced:
            units[-1] += line
        else:
            units.append(line)
    return units


def _sections(text: str) -> list[list[str]]:
    """Return the parts of a text, each with its heading line to compare (nothing before the first one)."""
    parts = [["", ""]]
    for _, line, fenced in markdown.rows(text):
        if not fenced and line.startswith(("# ", "## ")):
            parts.append([markdown.same_line(line).casefold(), ""])
        parts[-1][1] += line
    return parts
