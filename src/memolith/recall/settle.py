"""What is current goes before what it replaced: among the best hits, and by later statements nobody found.

`supersede` compares two statements; here is what is compared. What answers goes before what only asks.
"""

from __future__ import annotations

from memolith.index.walk import Files
from memolith.recall import rank, statement, supersede, weights
from memolith.recall.rank import Ranked
from memolith.text.words import talk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from memolith.index import Index, State, Unit
    from memolith.recall.rank import Question

# Kinds that state facts, which a later statement may replace; a conversation is only a transcript.
STATEMENTS = ("memory", "note", "record", "daily")


def settled(index: Index, texts: Texts, asked: Question, ranked: list[Ranked], state: State) -> list[Ranked]:
    """Put current statements before those they replace, even if the search did not find them."""
    best = ranked[: weights.SETTLED]
    known = {hit.unit.id: hit for hit in texts.of([hit for hit in best if _states(hit.unit)])}
    # What was said in passing replaces nothing, but may be replaced.
    passing = {
        unit
        for unit, hit in known.items()
        if hit.unit.is_turn and not talk.is_correction(hit.unit.text or "")
    }
    known = {
        unit: hit
        for unit, hit in known.items()
        if unit not in passing or len(hit.unit.text or "") <= weights.STATEMENT
    }
    statements = [
        hit
        for unit, hit in known.items()
        if unit not in passing and len(hit.unit.text or "") <= weights.STATEMENT
    ]
    links: dict[tuple[int, int], float] = {}
    for hit in statements[: weights.FOLLOWED]:
        links.update(_links(index, asked, hit))
    few = bool(statements) and state.units <= weights.FEW
    near = {later for _, later in links}
    theirs = talk.asked_of_person(asked.query) if few else None
    if theirs is not None:  # what somebody says of themselves next need not share a word
        near.update(unit for unit, _ in index.hashes(asked.slugs))
    first = min((hit.unit.date for hit in statements), default="")
    later = [
        unit
        for unit in index.units(sorted(near.difference(hit.unit.id for hit in best)))
        if unit.date > first and asked.allows(unit) and supersede.holds(unit, asked.day, past=asked.past)
    ]
    others = texts.units(later)
    best = [known.get(hit.unit.id, hit) for hit in best]
    moved = current_first(best, others, links, few=few, theirs=theirs, passing=passing)
    shown = {hit.unit.id for hit in moved}
    return moved + [hit for hit in ranked[weights.SETTLED :] if hit.unit.id not in shown]


def of_person(index: Index, texts: Texts, asked: Question, state: State) -> list[Ranked]:
    """Return what a person said of themselves, if they are asked about and hardly anything else is known.

    `What camera does the user have?` and `I shoot on a Canon` have no word in common. All of it is weak.
    """
    if asked.unasked or state.units > weights.FEW or not talk.is_about_person(asked.query):
        return []
    units = [
        unit
        for unit in index.units([unit for unit, _ in index.hashes(asked.slugs)])
        if unit.kind in STATEMENTS
        and asked.allows(unit)
        and supersede.holds(unit, asked.day, past=asked.past)
    ]
    gone = supersede.superseded(units, asked.day, past=asked.past)
    told = [unit for unit in texts.units(units) if (unit.scope, unit.record) not in gone]
    score = rank.certainty(0.0, weights.CENTRE)
    why = "hardly anything else is known"
    return [
        Ranked(unit=unit, score=score, terms=[], also=[], newer_than=[], weak=True, why=why)
        for unit in sorted(told, key=lambda unit: unit.date, reverse=True)
        if talk.is_of_self(unit.text or "")
    ]


def answers_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Put what answers before a turn that only asks, which may have more of this question's words.

    An answer is what the agent said next, and any statement with the same words: `Find the port.` is short,
    and so scores above the note that has it.
    """
    replies = {
        (hit.unit.path, hit.unit.position): hit
        for hit in ranked
        if hit.unit.is_turn and hit.unit.role != "user"
    }
    done: list[Ranked] = []
    for at, hit in enumerate(ranked):
        unit = hit.unit
        first: list[Ranked | None] = []
        if unit.is_turn and unit.role == "user" and talk.says_nothing(unit.text or "", "user"):
            first += [each for each in ranked[at:] if _states_same(each, hit)]
            if talk.is_question(unit.text or ""):
                first.append(replies.get((unit.path, unit.position + 1)))
        done += [each for each in (*first, hit) if each is not None and all(each is not x for x in done)]
    return done


def is_weak(hit: Ranked) -> bool:
    """Whether a hit is doubtful: what would not be told unasked is so for who asks, too."""
    least = weights.WORTH_TELLING_A_TURN if hit.unit.is_turn else weights.WORTH_TELLING
    return hit.weak or hit.score < least


def scored(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Give the scores of some hits to them in their order, which knows more than the words do.

    Each place keeps its score, so that as many of them are answers as before; what was doubtful stays so.
    """
    scores = sorted((hit.score for hit in ranked), reverse=True)
    return [hit.but(score=score, weak=is_weak(hit)) for score, hit in zip(scores, ranked, strict=True)]


def _states_same(hit: Ranked, asking: Ranked) -> bool:
    return hit.unit.kind in STATEMENTS and not hit.weak and set(hit.terms) >= set(asking.terms) != set()


def _states(unit: Unit) -> bool:
    """Whether a unit may say what holds now: people correct in sessions, too."""
    return unit.kind in STATEMENTS or (unit.kind == "session" and unit.role == "user" and not unit.source)


def _links(index: Index, asked: Question, hit: Ranked) -> dict[tuple[int, int], float]:
    """Return how much others share with a hit's statement: their BM25 for its text, relative to its own."""
    unit = hit.unit
    said = statement.statements(unit)
    text = statement.about(said, hit.terms).text if len(said) > 1 else f"{unit.title} {unit.text}"
    about = text[: weights.SUBJECT]
    scores = {
        match.unit_id: match.score
        for match in index.lexical(asked.slugs, about, weights.FOLLOWERS, STATEMENTS)
    }
    own = scores.pop(unit.id, 0.0)
    return {(unit.id, other): score / own for other, score in scores.items()} if own else {}


def current_first(
    ranked: Sequence[Ranked],
    others: Sequence[Unit] = (),
    links: Mapping[tuple[int, int], float] | None = None,
    *,
    few: bool = False,
    theirs: Collection[str] | None = None,
    passing: Collection[int] = (),
) -> list[Ranked]:
    """Put each statement's replacement before it, whether ranked itself or among the `others`.

    Only units with their text are statements. `links` gives, by ids, how much of an earlier statement is in
    another (without it, or of a `few` statements, their words are compared). If the question asks about the
    person whose memory this is, `theirs` are the words for what it asks for: see `supersede.may_be_instead`.
    Units said in `passing` replace nothing.
    """
    known = {hit.unit.content_hash for hit in ranked}
    new = [unit for unit in others if unit.content_hash not in known]
    waiting = list(ranked) + [
        Ranked(unit=unit, score=0.0, terms=[], also=[], newer_than=[], weak=False, why="") for unit in new
    ]
    said = _Said(waiting, () if few else new, links or {}, few=few, theirs=theirs, passing=passing)
    done: list[Ranked] = []
    while waiting:
        first = waiting[0]
        later = said.after(waiting[1:], first) if first.why else []
        newer = [hit for hit in later if said.goes_first(hit, first)]
        if newer:
            # Check it again at its new position: a third statement may have replaced it in turn.
            best = max(newer, key=lambda hit: (hit.unit.date, hit.unit.first_line or 0, hit.score))
            waiting = [_lifted(best, first, said), *(hit for hit in waiting if hit is not best)]
        else:
            del waiting[0]
            if first.why:
                # What is before it already may replace it, too: unasked, it is not told then.
                instead = [id(hit) for hit in said.after(done, first) if said.replaces(hit, first)]
                done = [_newer(hit, first) if id(hit) in instead else hit for hit in done]
                done.append(first)
    return done


class _Said:
    """What hits say, and which of them replaces which, as far as a question is about it."""

    def __init__(
        self,
        hits: Sequence[Ranked],
        others: Sequence[Unit],
        links: Mapping[tuple[int, int], float],
        *,
        few: bool,
        theirs: Collection[str] | None,
        passing: Collection[int],
    ) -> None:
        self._passing = passing
        self._said = {
            hit.unit.id: statement.statements(hit.unit) for hit in hits if hit.unit.text is not None
        }
        self._question = {term for hit in hits for term in hit.terms}
        self._answers: dict[int, statement.Statement] = {}  # what each says about the question
        self._links, self._few, self._theirs = links, few, theirs
        self._followed = {earlier for earlier, _ in links}
        self._found = {unit.id for unit in others} if links else set[int]()

    def after(self, hits: Sequence[Ranked], first: Ranked) -> list[Ranked]:
        """Return those of the hits that state something later than another one: only these are compared."""
        told = self._said.get(first.unit.id)
        if not told:
            return []
        # The others are compared with the hits they were found for, and with each other.
        is_apart = first.unit.id not in self._followed and first.unit.id not in self._found
        apart, said = self._found if is_apart else (), self._said
        return [
            hit
            for hit in hits
            if (later := said.get(hit.unit.id))
            and hit.unit.id not in apart
            and hit.unit.id not in self._passing
            # All statements of a unit are of one time.
            if statement.is_later(later[0], told[0])
        ]

    def replaces(self, hit: Ranked, first: Ranked) -> bool:
        """Whether a hit seems to replace another that it is `after`."""
        # A handful of statements does not show which words are rare. Those that are not among the nearest
        # have nothing rare in common.
        least = 0.0 if first.unit.id in self._followed else None
        common = None if self._few else self._links.get((first.unit.id, hit.unit.id), least)
        earlier = self._answer(first)
        return any(
            supersede.replaces(each, earlier, self._question, common) for each in self._said[hit.unit.id]
        )

    def goes_first(self, hit: Ranked, first: Ranked) -> bool:
        """Whether a hit replaces another that it is `after`, or may be what a person is asked about."""
        if self.replaces(hit, first):
            return True
        theirs = self._theirs
        return theirs is not None and any(
            supersede.may_be_instead(each, self._answer(first), self._question, theirs)
            for each in self._said[hit.unit.id]
        )

    def _answer(self, first: Ranked) -> statement.Statement:
        """Return what a hit says about the question."""
        found = self._answers.get(first.unit.id)
        if found is None:
            found = statement.about(self._said[first.unit.id], self._question)
            self._answers[first.unit.id] = found
        return found


def _newer(hit: Ranked, first: Ranked) -> Ranked:
    return hit.but(newer_than=[*hit.newer_than, first.unit.key])


def _lifted(hit: Ranked, first: Ranked, said: _Said) -> Ranked:
    why = "; ".join(filter(None, (hit.why, f"newer than {first.unit.key}")))
    lifted = hit.but(score=max(hit.score, first.score), why=why)
    # What only may be instead of the other one does not hide it.
    return _newer(lifted, first) if said.replaces(hit, first) else lifted


class Texts:
    """The texts of a question's units, from the current files; each is read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._opened = Files(index.home)
        self._read: dict[int, Unit] = {}

    def units(self, units: Sequence[Unit]) -> list[Unit]:
        """Return units with their texts, without those that are gone."""
        missing = [unit for unit in units if unit.id not in self._read]
        self._read.update((unit.id, unit) for unit in self._index.with_text(missing, self._opened))
        return [self._read[unit.id] for unit in units if unit.id in self._read]

    def titled(self, units: Sequence[Unit]) -> dict[int, str]:
        """Return titles and texts, by the units' ids."""
        return {unit.id: f"{unit.title}\n{unit.text}" for unit in self.units(units)}

    def of(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Return hits with their texts."""
        known = {unit.id: unit for unit in self.units([hit.unit for hit in ranked])}
        return [hit.but(unit=known[hit.unit.id]) for hit in ranked if hit.unit.id in known]
