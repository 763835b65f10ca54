"""Transforming imported texts: names of notes, links between them, merging lines into a document.

Notes live in one directory, so `Ideas/Plan.md` becomes `Plan`, and a second `Plan` gets its folder's name as
a prefix. Names that are not portable file names are spelled with dashes. Links still lead to the same notes.
"""

from __future__ import annotations

import os
import re
from itertools import chain, islice

from memolith.base.errors import InputError
from memolith.memory.entries import numbered
from memolith.store import layout
from memolith.store.screen import refuse_secret
from memolith.text import frontmatter, markdown, names
from memolith.text.digest import sha256
from memolith.text.safe import lookalikes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SPELLED = frozenset("./\\:*?\"<>|%&;$`[]{}#^'~")
_WIKI = re.compile(r"\[\[(.*?)\]\]")
_INLINE = re.compile(r"\]\((.*?)\)")


class Names:
    """The names in use in a scope; names that look alike count as the same."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {lookalikes.look(name): name for name in taken}

    def holder(self, name: str) -> str | None:
        """Return the note with this name, or with one that looks like it."""
        return self._taken.get(lookalikes.look(name))

    def take(self, name: str) -> str:
        """Reserve a name for one note."""
        self._taken[lookalikes.look(name)] = name
        return name

    def free(self, *wanted: str) -> str:
        """Return the first of these names that is free, else the last with a number."""
        some = chain(wanted, islice(numbered(wanted[-1][:100]), 1, None))
        return next(name for name in some if self.holder(name) is None)


def note_name(stem: str) -> str:
    """Return the nearest allowed name for a note."""
    spelled = "".join("-" if char in _SPELLED else char for char in stem).strip(" -")
    for name in (stem, spelled, layout.file_name(stem)):
        try:
            allowed = layout.note_name(name)
            refuse_secret(allowed, "name")
        except InputError:
            continue
        if not names.problem_if_new(allowed):
            return allowed
    return f"note-{sha256(stem.encode('utf-8', 'replace'))[:8]}"


def wanted(path: str, name: str) -> list[str]:
    """Return the preferred names for a file, best first."""
    folder = os.path.basename(os.path.dirname(path))
    return [note_name(name), *([note_name(f"{folder}-{name}")] if folder else [])]


def relinked(text: str, path: str, targets: Mapping[str, str]) -> str:
    """Return a text with its links to other notes of the source changed to their names here.

    `targets` maps the names of notes in links, in lower case, to their names here. Unknown links, and links
    in code, stay as they are.
    """
    if "[[" not in text and "](" not in text:
        return text
    folder = os.path.dirname(path)
    return "".join(
        line if fenced else _relinked(line, folder, targets) for _, line, fenced in markdown.rows(text)
    )


def _relinked(line: str, folder: str, targets: Mapping[str, str]) -> str:
    if "[[" not in line and "](" not in line:
        return line
    spans = line.split("`")
    # Text between an odd and an even backtick is code; a single one at the end opens nothing.
    for number in range(0, len(spans), 2):
        span = _WIKI.sub(lambda link: f"[[{_wiki(link[1], folder, targets)}]]", spans[number])
        spans[number] = _INLINE.sub(lambda link: f"]({_inline(link[1], folder, targets)})", span)
    return "`".join(spans)


def _wiki(link: str, folder: str, targets: Mapping[str, str]) -> str:
    target, bar, shown = link.partition("|")
    if target.endswith("\\") and bar:  # in a table, where a plain bar would end the cell
        target, bar = target[:-1], "\\|"
    bare, mark, heading = target.partition("#")
    name = _find(bare, folder, targets)
    if name is None or name == bare:
        return link
    return f"{name}{mark}{heading}{bar or '|'}{shown if bar else target}"


def _inline(link: str, folder: str, targets: Mapping[str, str]) -> str:
    bare, mark, heading = link.removeprefix("<").removesuffix(">").partition("#")
    name = _find(bare.replace("%20", " "), folder, targets) if bare.lower().endswith(".md") else None
    if name is None or f"{name}.md" == bare:
        return link
    new = f"{name}.md{mark}{heading}"
    return f"<{new}>" if " " in new else new


def _find(target: str, folder: str, targets: Mapping[str, str]) -> str | None:
    if not target.strip() or "://" in target:
        return None
    bare = target.strip()
    if bare.lower().endswith(".md"):
        bare = bare[:-3]
    near = os.path.normpath(f"{folder}/{bare}" if folder else bare)
    for key in (near, os.path.normpath(bare), bare, bare.rpartition("/")[2]):
        if (name := targets.get(key.lower())) is not None:
            return name
    return None


def with_valid_head(text: str) -> str:
    """Return a note whose head is YAML: other programs write `name: Grid: flipped # twice` without quotes.

    Only if each line of it is a key and a text; else it stays as it is.
    """
    parsed = frontmatter.split(text)
    if not parsed.problem or not parsed.head:
        return text
    pairs = [line.partition(": ") for line in parsed.head.splitlines()[1:-1] if line.strip()]
    if not all(key.isidentifier() and colon for key, colon, _ in pairs):
        return text
    return frontmatter.compose({key: value.strip() for key, _, value in pairs}, parsed.body)


# ---------------------------------------------------------------- lines


def merged(old: str, new: str) -> str:
    """Return `old` with the lines that only `new` has.

    A section in both gets the new lines at its end; a section only in `new` comes last. A line is known if
    its section already contains it; a code block counts as one line.
    """
    parts = [[_compared(heading), body] for heading, body in sections(old)]
    for title, body in ((_compared(heading), body) for heading, body in sections(new)):
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
    """Split the heading off a section."""
    heading, end, text = body.partition("\n") if title else ("", "", body)
    return heading + end, text


def _units(text: str) -> list[str]:
    """Return the lines of a text; a fenced code block counts as one."""
    units: list[str] = []
    for _, line, fenced in markdown.rows(text):
        if fenced:
            units[-1] += line
        else:
            units.append(line)
    return units


def sections(text: str) -> list[list[str]]:
    """Return the sections of a text, each with its heading line (empty before the first heading)."""
    found = [["", ""]]
    for _, line, fenced in markdown.rows(text):
        if not fenced and line.startswith(("# ", "## ")):
            found.append([line, ""])
        found[-1][1] += line
    return found


def _compared(heading: str) -> str:
    return markdown.same_line(heading).casefold()
