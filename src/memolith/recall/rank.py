"""Ranks candidates by words, meaning, neighbours and priors: pure functions.

The evidence for a unit is the sum of two numbers from 0 to about 1:
- words: BM25 as a share of its maximum, which a unit with every word of the question would reach. A question
  of rare words that all match counts fully; one of which only the common words match counts little. So the
  weight of words against meaning follows from the question and needs no setting.
- meaning: the cosine of the vectors, if there are any.

Then small factors for metadata (kind, role, age) apply, and the order in which statements were made
(`supersede`). A question that nothing here is about gets no answer (`abstain`).
"""

from __future__ import annotations

from math import exp, inf, log

from memolith.base.lean import lru_cache
from memolith.base.values import Value
from memolith.recall import abstain, statement, supersede, weights
from memolith.text.source_label import is_outside
from memolith.text.words import terms
from memolith.text.words import times as when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memolith.index import Analysis, Unit

    Conversation = Mapping[int, "Candidate"]  # turns by position
    Texts = Callable[[Sequence[Unit]], Mapping[int, str]]

# Words for asking, as opposed to the subject of the question.
_FILLERS = (
    # asking itself
    "user users currently current now today please tell remind remember know think believe actually "
    "really say said ask see let want need long often ever even still yet anything something someone "
    "thing things way kind lot "
    # quantity, selection, order
    "much many all both each more most other only same too very such few before after during between "
    "while because until once again further over under off through against above below within without "
    "upon whose whom nor "
    # doing anything at all
    "go going come take make use used got getting being having doing"
)


class Question(Value):
    """A query with its scopes, kinds and days."""

    categories: Collection[str] | None
    day: str  # today, or the day that a question about the past refers to
    kinds: Collection[str] | None
    limit: int
    past: bool
    query: str
    since: str | None
    slugs: list[str]
    unasked: bool

    def allows(self, unit: Unit) -> bool:
        """Whether the question covers a unit."""
        if self.unasked and (unit.status == "candidate" or is_outside(unit.source)):
            return False  # shown only on request
        if self.kinds is not None and unit.kind not in self.kinds:
            return False
        if self.categories is not None and unit.category not in self.categories:
            return False
        return self.since is None or unit.date[:10] >= self.since


class Candidate:
    """A unit that may answer: BM25 score, matched terms, similarity in meaning (None: unknown).

    Ranking fills in the rest: the contribution of each term (`parts`), and the evidence.
    """

    def __init__(
        self, unit: Unit, lexical: float = 0.0, terms: Sequence[str] = (), similarity: float | None = None
    ) -> None:
        self.unit, self.lexical, self.terms, self.similarity = unit, lexical, terms, similarity
        self.parts: dict[str, float] = {}
        self.also: list[str] = []
        self.words = self.covered = self.meaning = self.evidence = 0.0
        self.lent = self.then = self.heard = False


class Ranked(Value):
    """A ranked unit: a score from 0 to 1 (the probability that it is an answer), and the reasons for it."""

    also: list[str]  # the keys of other units that say the same
    newer_than: list[str]  # the keys of units that it replaces
    score: float
    terms: list[str]
    unit: Unit
    weak: bool  # whether nothing but the order speaks for it
    why: str


def rank(
    candidates: Sequence[Candidate],
    asked: Analysis,
    day: str,
    *,
    past: bool = False,
    spelled: Mapping[str, str] | None = None,
    times: Sequence[when.Span] = (),
    limit: int | None = None,
    names: Collection[str] = (),
    texts: Texts = lambda _: {},
    is_long: bool = False,
    identifiers: Collection[str] = (),
    keep: Collection[int] = (),
) -> list[Ranked]:
    """Return the candidates that answer, best first.

    `day` is today, or with `past` the day in question; `spelled` maps terms to their original spelling,
    `times` are the time spans that the question names, `names` are those of its terms that are names, `texts`
    returns the texts. A note with one of the `identifiers` is about them. An `is_long` text always has
    answers, weak ones if need be; units to `keep` are among them.
    """
    hits = _valid(candidates, day, past=past)
    turns = _turns(hits)
    _by_words(hits, turns, asked)
    semantic = any(hit.similarity is not None for hit in hits)
    waiting = [hit for hit in hits if semantic and hit.terms and hit.similarity is None]
    for hit in hits:
        hit.meaning = hit.evidence = max(0.0, hit.similarity or 0.0)
        hit.then = bool(times) and when.within(hit.unit.date, times)
    for hit in waiting:  # no vector yet: as near as an answer usually is
        hit.meaning = hit.evidence = weights.CENTRE_WITH_MEANING - weights.CENTRE
    for conversation in turns.values():
        (_by_meaning if semantic else _by_company)(conversation)
    then = weights.WHEN * log((len(hits) + 2) / (sum(hit.then for hit in hits) + 1))
    for hit in hits:
        hit.evidence += hit.words + then * hit.then
        hit.evidence *= _prior(hit.unit, day)
    # Ties: the newer one first, of one day by the time of its file, then a stable order. Sorted before the
    # first selection, so that the order of indexing does not decide whose text is read.
    hits.sort(key=lambda hit: hit.unit.key)
    hits.sort(key=lambda hit: (hit.unit.date, hit.unit.stamp[2:3]), reverse=True)
    if not hits:
        return []
    subject = abstain.Subject(asked, word_weights(asked), names, _fillers())
    related = sure = semantic and _is_near([hit for hit in hits if hit.similarity is not None], asked)
    by_words = waiting if semantic else hits
    if by_words and not related:
        related, sure = _is_related(by_words, asked, subject, texts)
    heard = _listen(hits, subject, texts) if is_long and not subject.is_foreign else inf
    _name(hits, {term.term for term in asked.terms if term.df <= weights.NAMED and term.term in identifiers})
    known = abstain.known_names(asked)
    strange = not known and max(hit.words for hit in hits) < weights.STRANGE_TEXT
    if not related and (strange or not is_long) and not any(hit.heard for hit in hits):
        return []
    at_home = sure or known >= weights.AT_HOME
    least = max(hit.evidence for hit in hits) * weights.TAIL
    centre = weights.CENTRE_WITH_MEANING if semantic else weights.CENTRE
    worth = _worth(hits, centre, heard)
    return [
        Ranked(
            unit=hit.unit,
            score=certainty(worth[hit.unit.id], centre),
            terms=list(hit.parts),
            also=hit.also,
            newer_than=[],
            weak=not (hit.heard or (at_home if hit.unit.is_turn else sure)),
            why=_why(hit, spelled or {}),
        )
        for place, hit in enumerate(
            _single([hit for hit in hits if worth[hit.unit.id] >= least or hit.unit.id in keep])
        )
        if limit is None or place < limit or hit.unit.id in keep
    ]


def _name(hits: Sequence[Candidate], identifiers: Collection[str]) -> None:
    """Find the notes that have an identifier of the question: they are about it."""
    for hit in hits:
        hit.heard |= not hit.unit.is_turn and any(term in identifiers for term in hit.terms)


def _worth(hits: list[Candidate], centre: float, heard: float) -> dict[int, float]:
    """Sort the hits; return the evidence of each as it counts for its score.

    Documents with the evidence of one that was `heard`, or more, go before what was said in sessions.
    """
    worth = {hit.unit.id: max(hit.evidence, centre) if hit.heard else hit.evidence for hit in hits}
    # Of a log, the text with its identifier; of a question in words, the one with most of them.
    by_name = 2 * max(hit.evidence for hit in hits) < centre
    hits.sort(
        key=lambda hit: (
            hit.unit.is_turn or hit.evidence < heard,
            -worth[hit.unit.id] if by_name else 0.0,
            -hit.evidence,
        )
    )
    return worth


def certainty(evidence: float, centre: float) -> float:
    """Return the probability that a unit with this evidence is an answer; measured (docs/benchmarks.md).

    Above one half it grows more slowly: by words alone, more evidence tells less and less.
    """
    slope = weights.SLOPE if evidence < centre else weights.SLOPE_ABOVE
    return round(1 / (1 + exp(slope * (centre - evidence))), 4)


def _is_near(hits: Sequence[Candidate], asked: Analysis) -> bool:
    """Whether a question is about anything here, by meaning, with words as support."""
    size = log(max(asked.total, 1)) / log(weights.USUAL)
    words = min(max(hit.words for hit in hits), weights.ENOUGH)
    nearest = max(hit.meaning for hit in hits) + weights.SUPPORT * words
    needed = weights.NEAR * (weights.NEAR_FIXED + weights.NEAR_BY_SIZE * size)
    return nearest >= needed or max(hit.covered for hit in hits) >= weights.CERTAIN


def _listen(hits: Sequence[Candidate], subject: abstain.Subject, texts: Texts) -> float:
    """Find the texts of which most is in a long question; return the least evidence of one."""
    documents = sorted((hit for hit in hits if not hit.unit.is_turn), key=lambda hit: -hit.evidence)
    said = texts([hit.unit for hit in documents[: weights.LED]])
    for hit in documents[: weights.LED]:
        text = said.get(hit.unit.id, "").partition("\n")[2]
        if subject.has(hit.unit.title, text) >= weights.HEARD:
            hit.heard = True
    return min((hit.evidence for hit in documents if hit.heard), default=inf)


def _is_related(
    hits: Sequence[Candidate], asked: Analysis, subject: abstain.Subject, texts: Texts
) -> tuple[bool, bool]:
    """Whether a question is about anything here by words, and surely; credits texts that begin with them."""
    best = sorted(hits, key=lambda hit: -hit.words)[: weights.BEST]
    documents = [hit for hit in hits if not hit.unit.is_turn]
    shown = sorted(documents, key=lambda hit: -hit.evidence)[: weights.LED]
    said = texts([hit.unit for hit in {*best, *shown}])
    for hit in shown:
        hit.evidence += weights.LEADS * subject.leads(said.get(hit.unit.id, ""))
    near = max(subject.close(said.get(hit.unit.id, "")) for hit in best)
    few = asked.total < weights.USUAL
    found = []
    for hit in best:
        text, has = said.get(hit.unit.id, ""), hit.terms
        title, _, body = text.partition("\n")
        # With hardly anything else in memory, a single statement may be meant whatever it begins with.
        if few and not hit.unit.is_turn and (asked.total > weights.FEW or "\n" in body):
            has = [*has, *subject.beside(text, has)]
            if not subject.is_about(title, body, has):
                continue
        found.append((hit.words, hit.covered, has))
    if max(hit.covered for hit in hits) >= weights.CERTAIN:
        return True, True
    related = subject.evidence(found, near) >= abstain.needed(weights.ANSWER, asked.total)
    sure = abstain.needed(weights.SURE, asked.total, weights.SURE_GROWTH)
    return related, related and subject.evidence(found, near, weights.SURE_COMMON_HERE) >= sure


@lru_cache(maxsize=1)
def _fillers() -> frozenset[str]:
    return frozenset(terms.count(_FILLERS)[0])


def word_weights(asked: Analysis) -> dict[str, float]:
    """Return the weight of each content word of a question: how rare it is here."""
    telling = [term for term in asked.terms if term.weight] or asked.terms
    found = {}
    fillers = _fillers()
    for term in telling:
        weight = term.weight or 1.0
        if weight < 1 and not term.df:
            continue  # an unused variant of a word (gen-itgc as one)
        if not term.df and when.is_date(term.term):
            continue  # a date is in the head of a text more often than in its body
        rarity = abstain.rarity(term.df, asked.total)
        found[term.term] = rarity * weight * (weights.FILLER if term.term in fillers else 1.0)
    return found


def _valid(candidates: Sequence[Candidate], day: str, *, past: bool) -> list[Candidate]:
    gone = supersede.superseded((each.unit for each in candidates), day, past=past)
    return [
        each
        for each in candidates
        if supersede.holds(each.unit, day, past=past)
        and not (each.unit.record and (each.unit.scope, each.unit.record) in gone)
    ]


def _turns(hits: Sequence[Candidate]) -> dict[str, dict[int, Candidate]]:
    """Return the turns of each conversation by position."""
    found: dict[str, dict[int, Candidate]] = {}
    for hit in hits:
        unit = hit.unit
        if unit.kind == "session":
            found.setdefault(unit.path, {})[unit.position] = hit
    return found


def _by_words(hits: Sequence[Candidate], turns: Mapping[str, Conversation], asked: Analysis) -> None:
    """Set the evidence by words, including the share from neighbouring turns."""
    weight = word_weights(asked)
    # The same weights as in the score.
    plain = {
        term.term: log(1 + (asked.total - term.df + 0.5) / (term.df + 0.5)) * (term.weight or 1.0)
        for term in asked.terms
    }
    best = sum(weight.values()) * weights.SATURATION
    if not best:
        return
    for hit in hits:
        # Distribute the score over the matched terms by their weight.
        share = hit.lexical / (sum(plain.get(term, 0.0) for term in hit.terms) or 1.0)
        hit.parts = {term: weight.get(term, 0.0) * share for term in hit.terms}
        hit.words = sum(hit.parts.values()) / best
        hit.covered = sum(weight.get(term, 0.0) for term in hit.terms) * weights.SATURATION / best
    for conversation in turns.values():
        said: dict[str, float] = {}  # the best value of each term
        for hit in conversation.values():
            for term, value in hit.parts.items():
                said[term] = max(said.get(term, 0.0), value)
        around = weights.CONVERSATION * sum(said.values())
        for position, hit in conversation.items():
            heard = dict(hit.parts)
            for part, neighbour in _beside(conversation, position):
                for term, value in neighbour.parts.items():
                    if part * value > heard.get(term, 0.0):
                        heard[term] = part * value
                        hit.lent = True
            hit.words = (sum(heard.values()) + around) / best


def _beside(conversation: Conversation, position: int) -> Iterator[tuple[float, Candidate]]:
    """Yield the turns around one, and the share of their evidence that it gets."""
    for distance, part in enumerate(weights.NEIGHBOURS, 1):
        for there in (position - distance, position + distance):
            if there in conversation:
                yield part, conversation[there]


def _by_meaning(conversation: Conversation) -> None:
    """Set the evidence by meaning as if each turn were embedded together with its neighbours."""
    for position, hit in conversation.items():
        beside = [(1.0, hit), *_beside(conversation, position)]
        parts = [part for part, _ in beside]
        length = weights.ALIKE * sum(parts) ** 2 + (1 - weights.ALIKE) * sum(part * part for part in parts)
        hit.evidence = sum(part * other.meaning for part, other in beside) / length**0.5


def _by_company(conversation: Conversation) -> None:
    """Add to each turn of a conversation a share of the next best turns' evidence."""
    best = sorted((hit.words for hit in conversation.values()), reverse=True)
    for hit in conversation.values():
        hit.evidence += weights.TOGETHER * sum(best[1:3]) / 2


def _prior(unit: Unit, day: str) -> float:
    age: float = 0.5 ** (_days(unit.date, day) / weights.HALF_LIFE)
    return weights.KINDS.get(unit.kind, 1.0) * weights.ROLES.get(unit.role, 1.0) * (1 + weights.RECENT * age)


def _days(date: str, day: str) -> float:
    """Return the number of days between two dates; a large number if one is unknown."""
    one, other = statement.day_of(date), statement.day_of(day)
    return max(0.0, other - one) if one and other else 10 * weights.HALF_LIFE


def _single(hits: Sequence[Candidate]) -> list[Candidate]:
    """Drop repetitions: the same text, or a document next to a better part of it."""
    kept: list[Candidate] = []
    texts: dict[bytes, Candidate] = {}
    documents: set[str] = set()
    for hit in hits:
        unit = hit.unit
        whole = unit.kind in ("note", "record", "ticket", "skill", "summary")
        if unit.content_hash in texts:
            texts[unit.content_hash].also.append(unit.key)
            continue
        if whole and unit.path in documents:
            continue
        texts[unit.content_hash] = hit
        if whole:
            documents.add(unit.path)
        kept.append(hit)
    return kept


def _why(hit: Candidate, spelled: Mapping[str, str]) -> str:
    reasons = []
    if hit.parts:
        best = sorted(hit.parts, key=lambda term: -hit.parts[term])
        words = list(dict.fromkeys(spelled.get(term, term) for term in best))[:6]
        reasons.append(f"words: {', '.join(words)} ({hit.words:.2f})")
    if hit.lent:
        reasons.append("words in the turns around it")
    if hit.then:
        reasons.append("of that time")
    if hit.similarity is not None:
        reasons.append(f"meaning {hit.meaning:.2f}")
    return "; ".join(reasons) or "said beside it"
