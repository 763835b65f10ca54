"""Learning without a model: what a session says outright, and nothing else.

It learns from explicit signals only: "remember that …", "from now on …", corrections, stated preferences and
decisions, commands that worked after another form had failed. In doubt it learns nothing: a missed fact can
be said again, a false one has to be found first.

A person speaks for themselves in sentences that are no code, quotation, log, or text to be written. A line
may stand below another that says what it is: "remember these:" makes rules of the list that follows.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.learn.extract import commands, evidence, signals
from memolith.learn.extract.facts import Fact, Findings, findings, nothing
from memolith.learn.extract.strip import own_words
from memolith.text import markdown, typed
from memolith.text.patterns import lazy
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.env.settings import Settings
    from memolith.memory.sessions import Session, Turn

MAX_RECORDS = 50
_LEAST, _MOST = 12, 320
_MAX_SENTENCE = 400  # characters of a sentence that somebody says
_TITLE = 80
_SPLIT = lazy(r"(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)\s+(?=[^\s])|(?<=[。！？])(?=.)")
_QUOTED = lazy(
    r"\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|„[^“”\n]{2,300}[“”]|«[^»\n]{2,300}»|「[^」\n]{2,300}」|`[^`\n]{1,300}`"
)


class _Sentence(Value):
    """A sentence as it was said. `masked` hides what it quotes; `rule` if a line above makes it one."""

    masked: str
    rule: bool
    text: str


def extract(session: Session, settings: Settings | None = None) -> Findings:
    """Return what a session teaches by its own words; most teach nothing."""
    witness = evidence.Witness(session)
    dropped: Counter[str] = Counter()
    kept: list[Fact] = []
    for fact in _facts(session):
        verdict = witness.check(fact.text, fact.quotes, of_user=fact.category == "preferences")
        if fact.scope == "user" and not witness.speaks_for_all(verdict.quotes):
            fact = fact.but(scope="project")  # noqa: PLW2901 - of a message that may be somebody else's
        if not verdict.holds:
            dropped[verdict.reason] += 1
        elif settings is not None and not settings.flag(f"memories.{fact.scope}"):
            dropped[f"memories.{fact.scope} is off"] += 1
        elif len(kept) < MAX_RECORDS:
            # Said again, or with another value: the last word counts.
            kept = [
                each
                for each in kept
                if not likeness.same(each.text, fact.text) and not likeness.contradicts(each.text, fact.text)
            ]
            title = markdown.first_line(fact.text, _TITLE).rstrip(".。")
            kept.append(fact.but(title=title, quotes=verdict.quotes, taint=verdict.taint))
    if not kept:
        return nothing("nothing in it was said to be remembered", dropped)
    lines = [fact.raw_line() for fact in kept]
    return findings(kept, lines, lines[:5], dropped, "")


def _facts(session: Session) -> Iterator[Fact]:
    said: list[Fact] = []
    before = 0  # how many facts the user's turn before this one gave
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
    yield from commands.facts(session.turns)


def _of_turn(turn: Turn, *, answering: bool) -> tuple[list[Fact], bool]:
    """Return what a turn teaches, and whether it takes back what was said before it."""
    found: list[Fact] = []
    retracted = False
    for each in _sentences(own_words(turn)):
        if signals.retracts(each.masked):
            retracted = retracted or not found
            found = []
            continue
        fact = signals.fact(each.masked, each.text, rule=each.rule, answering=answering)
        if fact and evidence.weight(fact.text) >= _LEAST and len(fact.text) <= _MOST:
            found.append(fact.but(quotes=[(turn.number, each.text)]))
    return found, retracted


def _sentences(text: str) -> Iterator[_Sentence]:
    """Yield what a person says in their own words."""
    header = ""  # `rule` while the list below a line with a colon lasts
    for line in typed.spoken(text):
        listed = bool(typed.BULLET.match(line))
        if header == "rule" and not listed:
            header = ""
        for part in _SPLIT.split(typed.BULLET.sub("", line).strip()):
            said = part.strip()
            if said and len(said) <= _MAX_SENTENCE:
                yield _Sentence(text=said, masked=_mask(said), rule=header == "rule" and listed)
        if line.rstrip().endswith((":", "：")):
            header = "rule" if typed.is_rules(line.strip()) else ""


def _mask(text: str) -> str:
    """Hide what is quoted; every character keeps its place."""
    return str(_QUOTED.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], text))
