"""The values of learning: a fact with its evidence, the findings of a session, where a fact belongs.

Personal rules (how to answer, which language, what to ask first) are preferences and hold everywhere. A fact
that names a path, a command or "this repository" belongs to the project: elsewhere it would be wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.values import Source, Value
from memolith.learn.extract.speech import pattern
from memolith.text import source_label
from memolith.text.budget import plural
from memolith.text.voice import is_own, is_personal
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Quotes = list[tuple[int, str]]
_MAX_SOURCES = 10
MOST_OUTSIDE = 8  # statements of one session in somebody else's words: each asks for a decision
# The heading of candidates in a raw memory.
SAID_ONCE = "## Said once"


class Fact(Value):
    """One learned fact, from the sentence that states it to its line in MEMORY.md.

    `quotes` are the turns and words that prove it, `taint` says whose words those are; `sources` are the
    sessions that state it, with the turn, and `date` is the day of the newest.
    """

    aliases: list[str]
    asked: bool  # somebody asked outright to have it remembered
    category: str
    certain: bool  # else a candidate: it counts when another session says it again
    date: str
    keywords: list[str]
    quotes: Quotes
    scope: str
    sources: list[str]
    taint: str
    text: str
    title: str

    def __init__(self, text: str, category: str, scope: str = "project", **more: object) -> None:
        fresh: dict[str, object] = {"aliases": [], "keywords": [], "quotes": [], "sources": []}
        fields = {
            "text": text,
            "category": category,
            "scope": scope,
            "title": "",
            "date": "",
            "taint": "",
            "certain": True,
            "asked": False,
        }
        super().__init__(**{**fresh, **fields, **more})

    @property
    def outside(self) -> bool:
        """Whether the fact is in somebody else's words, so that it waits for a person."""
        return Source("extracted", self.taint).outside

    def labelled(self, text: str) -> str:
        """Return a text about the fact, labelled if the fact is not in the session's own words."""
        source = Source("extracted", self.taint)
        return source_label.own(text) + (f" {source_label.label(str(source))}" if source.outside else "")

    def raw_line(self) -> str:
        """Return the fact as a line of the raw memory, with its evidence."""
        cited = " ".join(f'[turn {turn}: "{quote}"]' for turn, quote in self.quotes)
        return f"- {self.labelled(self.text)} {cited}"

    def line(self) -> str:
        """Return the fact as a list item of MEMORY.md, with its sources."""
        shown = self.sources[:_MAX_SOURCES] + (["…"] if len(self.sources) > _MAX_SOURCES else [])
        when = f"{self.date}: " if self.date else ""
        return f"- {when}{self.text}" + (f" [{', '.join(shown)}]" if shown else "")


class Findings(Value):
    """All that a session taught; texts are empty if nothing. `dropped` counts statements by reason.

    `candidates` may be meant to last, but were not said plainly: they count once another session has them.
    """

    candidates: list[Fact]
    dropped: dict[str, int]
    facts: list[Fact]
    outcome: str
    raw_memory: str
    rollout_slug: str
    rollout_summary: str

    @property
    def empty(self) -> bool:
        """Whether the session taught nothing."""
        return not self.raw_memory


def findings(
    facts: Sequence[Fact], synopsis: Sequence[str], dropped: Mapping[str, int], slug: str
) -> Findings:
    """Return the findings of a session, with the outcome in words. The last word counts."""
    facts = [
        fact
        for fact in facts
        if not any(
            fact.quotes and later.quotes > fact.quotes and likeness.contradicts(fact.text, later.text)
            for later in facts
        )
    ]
    certain = [fact for fact in facts if fact.certain]
    candidates = [fact for fact in facts if not fact.certain]
    counts = [plural(len(certain), "record")] if certain or not candidates else []
    counts += [plural(len(candidates), "candidate")] if candidates else []
    return Findings(
        raw_memory=_raw_memory(certain, candidates),
        rollout_summary="\n".join(synopsis),
        rollout_slug=slug,
        facts=certain,
        candidates=candidates,
        dropped=dict(dropped),
        outcome=f"learned {' and '.join(counts)}{_counted(dropped)}",
    )


def united(one: Findings, other: Findings) -> Findings:
    """Return the findings of one reader, and what only the other found."""
    mine = [*one.facts, *one.candidates]
    known = {quote for fact in mine for quote in fact.quotes}
    more = [
        fact
        for fact in [*other.facts, *other.candidates]
        if not any(likeness.same(fact.text, each.text) for each in one.facts)
        and (fact.certain or not known & set(fact.quotes))
    ]
    if not mine and not more:
        return one
    dropped = {**one.dropped, **other.dropped}
    synopsis = one.rollout_summary.splitlines() or other.rollout_summary.splitlines()
    return findings([*mine, *more], synopsis, dropped, one.rollout_slug or other.rollout_slug)


def _raw_memory(certain: Sequence[Fact], candidates: Sequence[Fact]) -> str:
    """Return the facts as text, by category, with what was said once at the end."""
    groups: dict[str, list[Fact]] = {}
    for fact in certain:
        groups.setdefault(f"## {fact.category.capitalize()}", []).append(fact)
    if candidates:
        groups[SAID_ONCE] = list(candidates)
    return "\n\n".join(
        "\n".join([heading, *(fact.raw_line() for fact in facts)]) for heading, facts in groups.items()
    )


def nothing(why: str, dropped: Mapping[str, int] | None = None) -> Findings:
    """Return the findings of a session that taught nothing."""
    found = findings([], [], dropped or {}, "")
    return found.but(outcome=why + _counted(found.dropped))


def _counted(dropped: Mapping[str, int]) -> str:
    reasons = ", ".join(f"{why}: {count}" for why, count in sorted(dropped.items()))
    return f"; dropped {sum(dropped.values())} ({reasons})" if dropped else ""


def is_bound(text: str) -> bool:
    """Whether a text is specific to one project."""
    return bool(pattern("bound").search(text) or pattern("path").search(text))


def place_of_rule(text: str) -> tuple[str, str]:
    """Return the category and scope of a rule in a person's own words."""
    wish = is_own(text) and is_personal(text)
    if (wish or pattern("personal").search(text) or pattern("everywhere").search(text)) and not is_bound(
        text
    ):
        return "preferences", "user"
    return "procedures" if pattern("doing").search(text) else "principles", "project"


def settled_place(category: str, scope: str, text: str) -> tuple[str, str]:
    """Return a consistent category and scope: nothing specific to one project is user-wide."""
    if category == "preferences":
        return category, "project" if is_bound(text) else "user"
    if scope == "user" and (category in ("decisions", "incidents") or is_bound(text)):
        return category, "project"
    return category, scope
