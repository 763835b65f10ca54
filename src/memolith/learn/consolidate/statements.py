"""Lines and facts: reading facts from a raw memory, merging them without a model, writing them as a document.

The same extractions give the same text. A fact is a list item; a fact from several sessions appears once,
with all of them as sources; of two values for one thing, the newer stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memolith.learn.extract.facts import SAID_ONCE, Fact
from memolith.text import markdown
from memolith.text.budget import utf8_len
from memolith.text.digest import sha256
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memolith.learn.queue.extractions import Extraction
    from memolith.memory.lessons import Lesson

# Limit of a generated file; a person's own lines do not count.
MAX_BYTES = 49_152
_CATEGORIES = {
    "decision": "decisions",
    "procedure": "procedures",
    "workflow": "procedures",
    "principle": "principles",
    "constraint": "principles",
    "incident": "incidents",
    "failure": "incidents",
    "pitfall": "incidents",
    "preference": "preferences",
}
ORDER = ("preferences", "decisions", "principles", "procedures", "incidents", "facts")
BY_HAND = "## Added by hand"
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_EVIDENCE = re.compile(r'\s*\[turns? \d+(?:: ?".*"|\b[^\]"]*)\]\s*$', re.DOTALL)
_TURN = re.compile(r'\bturns? (\d+)(?=: ?"|\])')
_DATE = re.compile(r"^\d{4}-\d\d-\d\d:\s+")
_SOURCES = re.compile(r"\s*\[[A-Za-z0-9._-]+(?:#\d+)?(?:, ?(?:[A-Za-z0-9._-]+(?:#\d+)?|…))*\]$")
_TAG = re.compile(r"(?:\[(\w+)\]|\((\w+)\)|(\w+):)\s+", re.ASCII)
ALL_OF_IT = "Everything that was learned, with its sources: memory://root/MEMORY.md"  # ends a summary
# Words in more facts than this are too common to identify one.
_COMMON = 64


def content(line: str) -> str:
    """Return a line without its bullet, date and sources."""
    bare = _DATE.sub("", _ITEM.sub("", line).strip())
    return markdown.same_line(_SOURCES.sub("", _EVIDENCE.sub("", bare)))


def key(line: str) -> str:
    """Return the key of a line: equal for equal words, whatever the date and sources."""
    return sha256(content(line).casefold().rstrip(".").encode("utf-8", "surrogatepass"))[:12]


def sessions_of(line: str) -> set[str]:
    """Return the sessions that a line cites as sources."""
    found = _SOURCES.search(line.rstrip())
    if not found:
        return set()
    return {_session(each) for each in found[0].strip(" []").split(",")} - {"…"}


def _session(source: str) -> str:
    return source.partition("#")[0].strip()


def is_supported(line: str, sessions: set[str]) -> bool:
    """Whether a line cites one of these sessions; a line without sources needs none."""
    cited = sessions_of(line)
    return not cited or bool(cited & sessions)


def nonblank(text: str) -> list[str]:
    """Return the non-blank lines of a text."""
    return [line for line in text.split("\n") if line.strip()]


def facts(extraction: Extraction) -> list[Fact]:
    """Return the facts of a raw memory. Headings and tags such as `decision:` give the category."""
    found = []
    category = "facts"
    certain = True
    date = extraction.started[:10]
    for line in extraction.raw_memory.split("\n"):
        if line.startswith("#"):
            category, certain = category_of(line) or "facts", line != SAID_ONCE
        elif _ITEM.match(line):
            # Cited behind the statement; all before it was said, and is kept as it was said.
            cited = _EVIDENCE.search(line)
            turns = _TURN.findall(cited[0] if cited else "")
            text = markdown.same_line(_ITEM.sub("", line[: cited.start()] if cited else line))
            own = ""
            if category == "facts" and certain:
                text, own = _tagged(text)
            if text:
                sources = [f"{extraction.session}#{turn}" for turn in turns] or [extraction.session]
                found.append(Fact(text, own or category, date=date, sources=sources, certain=certain))
    return found


def asked_for(lesson: Lesson) -> list[Fact]:
    """Return the facts of a lesson: its list items, or the whole text as one."""
    lines = [line for line in nonblank(lesson.text) if not line.startswith("#")]
    items = [line for line in lines if _ITEM.match(line)]
    texts = items if len(items) == len(lines) else [" ".join(lines)]
    pairs = [_tagged(content(text)) for text in texts]
    return [Fact(text, own or "preferences", date=lesson.date) for text, own in pairs if text]


def standing(lines: Iterable[str]) -> list[Fact]:
    """Return the facts of lines that were written before, with the category of the heading above them."""
    found = []
    category = "facts"
    for line in lines:
        if line.startswith("#"):
            category = category_of(line) or "facts"
        elif text := content(line):
            dated = _DATE.match(_ITEM.sub("", line, count=1).strip())
            sources = _SOURCES.search(line.rstrip())
            cited = [each.strip() for each in sources[0].strip(" []").split(",")] if sources else []
            date = dated[0][:10] if dated else ""
            found.append(Fact(text, category, date=date, sources=[each for each in cited if each != "…"]))
    return found


def lately(date: str, address: str, text: str) -> str:
    """Return the line of a session in the summary."""
    return f"- {date}: {markdown.first_line(content(text), 160)} ({address})"


def category_of(heading: str) -> str:
    """Return the category that a heading names; empty if none."""
    lower = heading.lower()
    return next((title for word, title in _CATEGORIES.items() if word in lower), "")


def _tagged(text: str) -> tuple[str, str]:
    tag = _TAG.match(text)
    own = category_of(tag[0]) if tag else ""
    return (text[tag.end() :], own) if tag and own else (text, "")


def merge(found: Iterable[Fact]) -> list[Fact]:
    """Return each fact once, newest first; of two values for one thing, the newer.

    Facts of one day must come in with the newer session first. A candidate counts if two sessions have it.
    """
    kept: list[Fact] = []
    postings: dict[str, list[int]] = {}
    exact: dict[frozenset[str], int] = {}
    for each in sorted(found, key=lambda one: one.date, reverse=True):
        words = frozenset(likeness.words(each.text))
        same = exact.get(words, -1)
        if same < 0:
            near = {at for word in words if len(places := postings.get(word, [])) <= _COMMON for at in places}
            same = next((at for at in sorted(near) if likeness.same(kept[at].text, each.text)), -1)
            newer = [kept[at] for at in near if kept[at].certain or not each.certain]
            if same < 0 and any(likeness.contradicts(one.text, each.text) for one in newer):
                continue
        if same >= 0:
            sources = list(dict.fromkeys([*kept[same].sources, *each.sources]))
            better = kept[same] if kept[same].certain or not each.certain else each
            kept[same] = better.but(sources=sources, date=kept[same].date)
            continue
        exact[words] = len(kept)
        for word in words:
            postings.setdefault(word, []).append(len(kept))
        kept.append(each)
    return [fact for fact in kept if fact.certain or len({_session(each) for each in fact.sources}) > 1]


def document(found: Sequence[Fact], by_hand: Sequence[str]) -> str:
    """Return the generated part of MEMORY.md."""
    parts = ["\n".join([BY_HAND, *by_hand])] if by_hand else []
    parts += _sections(found, Fact.line, MAX_BYTES, utf8_len)[0]
    return "\n\n".join(["# Learned from sessions", *parts]) + "\n" if parts else ""


def summary(
    found: Sequence[Fact],
    synopses: Sequence[tuple[str, str, str]],
    skills: Sequence[tuple[str, str]],
    by_hand: Sequence[str],
    limit: int,
    gone: frozenset[str] = frozenset(),
) -> str:
    """Return the text for the block: the facts of each category, the skills, then recent sessions.

    `synopses` are the date, address and text of each session, newest first, `skills` the address of each and
    what it is for; `limit` is in characters. A session about which the facts say it all is not listed, nor
    is a line that a person deleted, whose key is in `gone`.
    """
    listed = [
        line for line in (f"- {address}: {about}" for address, about in skills) if key(line) not in gone
    ]
    limit -= sum(len(line) + 1 for line in listed)
    parts = ["\n".join([BY_HAND, *by_hand])] if by_hand else []
    sections, left = _sections(found, lambda fact: f"- {fact.text}", min(limit, MAX_BYTES), len)
    parts += sections
    if listed:
        parts.append("\n".join(["## Skills", *listed]))
    recent = []
    said = [set(likeness.words(fact.text)) for fact in found]
    for date, address, text in synopses[:10]:
        first = text.strip().partition("\n")[0]
        line = lately(date, address, first)
        if key(line) in gone or likeness.is_kept(content(first), said):
            continue  # deleted, or said above
        left -= len(line) + 1
        if left < 0:
            break
        recent.append(line)
    if recent:
        parts.append("\n".join(["## Lately", *recent]))
    if parts:
        parts.append(ALL_OF_IT)
    return "\n\n".join(parts) + "\n" if parts else ""


def _sections(
    found: Sequence[Fact], show: Callable[[Fact], str], room: int, size: Callable[[str], int]
) -> tuple[list[str], int]:
    """Return a section per category, with as many facts as fit, and the remaining room."""
    sections = []
    for category in ORDER:
        lines = []
        for line in (show(fact) for fact in found if fact.category == category):
            room -= size(line) + 1
            if room < 0:
                break
            lines.append(line)
        if lines:
            sections.append("\n".join([f"## {category.capitalize()}", *lines]))
    return sections, room
