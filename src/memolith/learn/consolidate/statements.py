"""Merging what sessions taught without a model: dated statements by category, newest first, each once.

The same extractions give the same text. A statement is a list item; what several sessions say is said once,
with all of them as its sources; of two values for one thing the newer one stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from memolith.base.values import Value
from memolith.text import markdown
from memolith.text.budget import utf8_len
from memolith.text.digest import sha256
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memolith.memory.lessons import Lesson

# Of a file; a person's own lines come on top.
MAX_BYTES = 49_152
_CATEGORIES = {
    "decision": "Decisions",
    "procedure": "Procedures",
    "workflow": "Procedures",
    "principle": "Principles",
    "constraint": "Principles",
    "incident": "Incidents",
    "failure": "Incidents",
    "pitfall": "Incidents",
    "preference": "Preferences",
}
ORDER = ("Preferences", "Decisions", "Principles", "Procedures", "Incidents", "Facts")
BY_HAND = "## Added by hand"
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_EVIDENCE = re.compile(r'\s*\[turns? \d+(?:: ?".*"|\b[^\]"]*)\]\s*$', re.DOTALL)
_TURN = re.compile(r'\bturns? (\d+)(?=: ?"|\])')
_DATE = re.compile(r"\d{4}-\d\d-\d\d:?\s+")
_SOURCES = re.compile(r"\s*\[[A-Za-z0-9._-]+(?:#\d+)?(?:, ?(?:[A-Za-z0-9._-]+(?:#\d+)?|…))*\]$")
_TAG = re.compile(r"(?:\[(\w+)\]|\((\w+)\)|(\w+):)\s+", re.ASCII)
# Postings longer than this belong to words that tell nothing.
_COMMON = 64
_MAX_SOURCES = 10


class Extraction(Protocol):
    """What phase 1 made of one session; the parts that a consolidation reads."""

    @property
    def session(self) -> str: ...  # noqa: D102
    @property
    def project(self) -> str: ...  # noqa: D102
    @property
    def started(self) -> str: ...  # noqa: D102
    @property
    def raw_memory(self) -> str: ...  # noqa: D102
    @property
    def rollout_summary(self) -> str: ...  # noqa: D102
    @property
    def rollout_slug(self) -> str | None: ...  # noqa: D102


class Statement(Value):
    """One thing that was learned, from where and when."""

    category: str
    date: str
    sources: list[str]
    text: str

    def line(self) -> str:
        """Return it as an item of the document."""
        shown = self.sources[:_MAX_SOURCES] + (["…"] if len(self.sources) > _MAX_SOURCES else [])
        when = f"{self.date}: " if self.date else ""
        return f"- {when}{self.text}" + (f" [{', '.join(shown)}]" if shown else "")


def statement(line: str) -> str:
    """Return what a line says, without its bullet, date and sources."""
    bare = _DATE.sub("", _ITEM.sub("", line, count=1).strip(), count=1)
    return markdown.same_line(_SOURCES.sub("", _EVIDENCE.sub("", bare)))


def key(line: str) -> str:
    """Return what a line is known by: the same for the same words, whatever their date and sources."""
    return sha256(statement(line).casefold().rstrip(".").encode("utf-8", "surrogatepass"))[:12]


def sessions_of(line: str) -> set[str]:
    """Return the sessions that a line names as its sources."""
    found = _SOURCES.search(line.rstrip())
    if not found:
        return set()
    return {each.partition("#")[0].strip() for each in found[0].strip(" []").split(",")} - {"…"}


def said(text: str) -> list[str]:
    """Return the lines of a text that say something."""
    return [line for line in text.split("\n") if line.strip()]


def statements(extraction: Extraction) -> list[Statement]:
    """Return the statements of a raw memory. Headings and tags such as `decision:` give the category."""
    found = []
    category = "Facts"
    date = extraction.started[:10]
    for line in extraction.raw_memory.split("\n"):
        if line.startswith("#"):
            category = _category(line) or "Facts"
        elif _ITEM.match(line):
            turns = _TURN.findall(line)
            text, own = _tagged(statement(line))
            if text:
                sources = [f"{extraction.session}#{turn}" for turn in turns] or [extraction.session]
                found.append(Statement(text=text, category=own or category, date=date, sources=sources))
    return found


def asked_for(lesson: Lesson) -> list[Statement]:
    """Return what a lesson says: its items, or all of it as one."""
    lines = [line for line in said(lesson.text) if not line.startswith("#")]
    items = [line for line in lines if _ITEM.match(line)]
    texts = items if len(items) == len(lines) else [" ".join(lines)]
    pairs = [_tagged(statement(text)) for text in texts]
    return [
        Statement(text=text, category=own or "Preferences", date=lesson.date, sources=[])
        for text, own in pairs
        if text
    ]


def _category(heading: str) -> str:
    lower = heading.lower()
    return next((title for word, title in _CATEGORIES.items() if word in lower), "")


def _tagged(text: str) -> tuple[str, str]:
    tag = _TAG.match(text)
    own = _category(tag[0]) if tag else ""
    return (text[tag.end() :], own) if tag and own else (text, "")


def merge(found: Iterable[Statement]) -> list[Statement]:
    """Return each statement once, newest first; of two values for one thing, the newer.

    Those of one day are given with the newer session first.
    """
    kept: list[Statement] = []
    postings: dict[str, list[int]] = {}
    exact: dict[frozenset[str], int] = {}
    for each in sorted(found, key=lambda one: one.date, reverse=True):
        words = frozenset(likeness.words(each.text))
        same = exact.get(words, -1)
        if same < 0:
            near = {at for word in words if len(places := postings.get(word, [])) <= _COMMON for at in places}
            same = next((at for at in sorted(near) if likeness.same(kept[at].text, each.text)), -1)
            if same < 0 and any(likeness.contradicts(kept[at].text, each.text) for at in near):
                continue
        if same >= 0:
            kept[same].sources.extend(one for one in each.sources if one not in kept[same].sources)
            continue
        exact[words] = len(kept)
        for word in words:
            postings.setdefault(word, []).append(len(kept))
        kept.append(
            Statement(text=each.text, category=each.category, date=each.date, sources=list(each.sources))
        )
    return kept


def document(found: Sequence[Statement], by_hand: Sequence[str]) -> str:
    """Return the generated part of MEMORY.md."""
    parts = ["# Learned from sessions"]
    if by_hand:
        parts.append("\n".join([BY_HAND, *by_hand]))
    left = MAX_BYTES
    for title in ORDER:
        lines = []
        for each in (one for one in found if one.category == title):
            left -= utf8_len(each.line()) + 1
            if left < 0:
                break
            lines.append(each.line())
        if lines:
            parts.append("\n".join([f"## {title}", *lines]))
    return "\n\n".join(parts) + "\n" if len(parts) > 1 else ""


def summary(
    found: Sequence[Statement], synopses: Sequence[tuple[str, str, str]], by_hand: Sequence[str], limit: int
) -> str:
    """Return the text for the block: the newest statements of each category, what happened lately.

    `synopses` are the date, the address and the text of each session, newest first; `limit` is in characters.
    """
    parts = ["\n".join([BY_HAND, *by_hand])] if by_hand else []
    left = min(limit, MAX_BYTES)
    for title in ORDER:
        lines = []
        for each in (one for one in found if one.category == title):
            line = f"- {each.text}"
            left -= len(line) + 1
            if left < 0:
                break
            lines.append(line)
        if lines:
            parts.append("\n".join([f"## {title}", *lines]))
    lately = []
    for date, address, text in synopses[:10]:
        said = statement(markdown.first_line(text.lstrip("# -*"), 400))
        line = f"- {date}: {markdown.first_line(said, 160)} ({address})"
        left -= len(line) + 1
        if left < 0:
            break
        lately.append(line)
    if lately:
        parts.append("\n".join(["## Lately", *lately]))
    if parts:
        parts.append("Everything that was learned, with its sources: memory://root/MEMORY.md")
    return "\n\n".join(parts) + "\n" if parts else ""
