"""Phase 1 without a model: what a session says outright, and nothing else.

It learns from explicit signals only: "remember that …", "from now on …", corrections, stated preferences and
decisions, commands that worked after another form had failed. In doubt it learns nothing: a missed fact can
be said again, a false one has to be found first.
"""

from __future__ import annotations

from collections import Counter

from memolith.learn.extract import evidence, extracted
from memolith.learn.extract.extracted import Extracted, Learned
from memolith.learn.extract.rules import commands, doubt, signals, tongues
from memolith.learn.extract.rules.sentences import sentences
from memolith.learn.extract.strip import own_words
from memolith.text import markdown
from memolith.text.words import likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.env.settings import Settings
    from memolith.learn.extract.rules.signals import Lesson
    from memolith.memory.sessions import Session, Turn

MAX_RECORDS = 50
_LEAST, _MOST = 12, 320
_TITLE = 80


def extract(session: Session, settings: Settings | None = None) -> Extracted:
    """Return what a session teaches by its own words; most teach nothing."""
    witness = evidence.Witness(session)
    dropped: Counter[str] = Counter()
    kept: list[Learned] = []
    for lesson, quotes in _lessons(session):
        of_user = lesson.category == "preferences"
        verdict = witness.check(lesson.statement, quotes, of_user=of_user)
        if not verdict.holds:
            dropped[verdict.reason] += 1
        elif settings is not None and not settings.flag(f"memories.{lesson.scope}"):
            dropped[f"memories.{lesson.scope} is off"] += 1
        elif len(kept) < MAX_RECORDS:
            fact = _fact(lesson, verdict)
            # Said again, or with another value: the last word counts.
            kept = [each for each in kept if not _replaced(each, fact)]
            kept.append(fact)
    if not kept:
        return extracted.nothing("nothing in it was said to be remembered", dropped)
    lines = [extracted.line(fact.body, fact.evidence, fact.taint) for fact in kept]
    return Extracted(
        raw_memory="\n".join(lines),
        rollout_summary="\n".join(lines[:5]),
        rollout_slug="",
        records=kept,
        dropped=dict(dropped),
        outcome=extracted.outcome(len(kept), len(lines), dict(dropped)),
    )


def _lessons(session: Session) -> Iterator[tuple[Lesson, extracted.Quotes]]:
    said: list[tuple[Lesson, extracted.Quotes]] = []
    before = 0  # how many lessons the user's turn before this one gave
    answering = False
    for turn in session.turns:
        if turn.role != "user":
            answering = answering or turn.role in ("assistant", "tool")
            continue
        found, retracted = _of_turn(turn, answering=answering)
        if retracted:
            del said[len(said) - before :]
        said += found
        before = len(found)
    yield from said
    yield from commands.lessons(session.turns)


def _of_turn(turn: Turn, *, answering: bool) -> tuple[list[tuple[Lesson, extracted.Quotes]], bool]:
    found: list[tuple[Lesson, extracted.Quotes]] = []
    retracted = False
    for each in sentences(own_words(turn)):
        if doubt.retracts(each.masked):
            retracted = retracted or not found
            found = []
            continue
        lesson = signals.lesson(
            each.masked, each.text, rule=each.rule, answering=answering
        ) or tongues.lesson(each.masked, each.text)
        if (
            lesson is not None
            and evidence.weight(lesson.statement) >= _LEAST
            and len(lesson.statement) <= _MOST
        ):
            found.append((lesson, [(turn.number, each.text)]))
    return found, retracted


def _fact(lesson: Lesson, verdict: evidence.Verdict) -> Learned:
    return Learned(
        category=lesson.category,
        scope=lesson.scope,
        title=markdown.first_line(lesson.statement, _TITLE).rstrip(".。"),
        body=lesson.statement,
        aliases=[],
        keywords=[],
        evidence=verdict.quotes,
        taint=verdict.taint,
    )


def _replaced(old: Learned, new: Learned) -> bool:
    return likeness.same(old.body, new.body) or likeness.contradicts(old.body, new.body)
