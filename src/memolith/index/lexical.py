"""Finding units by words: BM25 over the units that the rarer words of the query lead to.

A word that is everywhere costs much and says little, so it does not bring units in; it counts for those that
a rarer word brought in. The work depends on the query, hardly on the size of the memory.
"""

from __future__ import annotations

from itertools import pairwise
from math import log

from memolith.index import schema
from memolith.index.model import KINDS, Analysis, Match, Term
from memolith.text import terms as analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from sqlite3 import Connection

    Scored = tuple[int, float]

_K1, _B = 1.2, 0.75
_POSTINGS = 3500  # how many units the rarer words may bring in
_CANDIDATES = 200  # how many of them are kept
_EXACT = 60  # for how many of those the words count that are too common to be followed
_MOST_TERMS = 32
# Who wants only a few of the nearest needs the rarest words only.
_FEW, _FEW_POSTINGS = 20, 500


class Lexicon:
    """The scopes that are asked, and what is known of them while nothing is written."""

    def __init__(self, connection: Connection, slugs: Iterable[str]) -> None:
        self._db = connection
        self._words = schema.words(connection)
        self._lengths = schema.lengths(connection)
        known = {
            row[0]: row[1:] for row in connection.execute("SELECT slug, number, units, words FROM scopes")
        }
        found = [known[slug] for slug in dict.fromkeys(slugs) if slug in known]
        self.scopes = [row[0] for row in found]
        self.total = sum(row[1] for row in found)
        self._average = sum(row[2] for row in found) / self.total if self.total else 1.0
        self._frequencies: dict[str, int] = {}

    def analyse(self, query: str) -> Analysis:
        """Return the terms of a query with their frequencies."""
        found = [
            Term(term=term, df=self._frequency(term), weight=weight)
            for term, weight in list(analyser.of_query(query).items())[: 4 * _MOST_TERMS]
        ]
        return Analysis(terms=found, total=self.total)

    def search(self, query: str, limit: int, kinds: Collection[str] | None) -> list[Match]:
        """Return the units that match best, best first; ties in the order of their files."""
        asked = [term for term in self.analyse(query).terms if term.df]
        # Words that say nothing count only if the query has no others.
        telling = [term for term in asked if term.weight]
        if not telling and any(analyser.of_query(query).values()):
            return []
        weights = {
            term.term: log(1 + (self.total - term.df + 0.5) / (term.df + 0.5)) * (term.weight or 1.0)
            for term in sorted(telling or asked, key=lambda term: (term.df, term.term))[:_MOST_TERMS]
        }
        codes = None if kinds is None else {KINDS.index(kind) for kind in kinds if kind in KINDS}
        few = limit <= _FEW
        scores, having = self._followed(weights, codes, _FEW_POSTINGS if few else _POSTINGS)
        chosen = _best(scores, min(_CANDIDATES, 4 * limit))
        scored = chosen if few or len(having) == len(weights) else self._with_common(chosen, weights, having)
        return [
            Match(unit_id=unit, score=score, terms=[term for term in having if unit in having[term]])
            for unit, score in self._untied(scored)[:limit]
        ]

    def _frequency(self, term: str) -> int:
        df = self._frequencies.get(term)
        if df is None:
            df = self._words.count(self._scoped(term)) if self.scopes else 0
            if len(self._frequencies) > 50_000:
                self._frequencies.clear()
            self._frequencies[term] = df
        return df

    def _scoped(self, term: str) -> list[str]:
        return [f"{scope}:{term}" for scope in self.scopes]

    def _followed(
        self, weights: dict[str, float], codes: set[int] | None, budget: int
    ) -> tuple[dict[int, float], dict[str, set[int]]]:
        """Return the units that the rarer terms lead to with their scores, and who has which term."""
        scores: dict[int, float] = {}
        having: dict[str, set[int]] = {}
        for term, weight in weights.items():
            df = self._frequency(term)
            if df > budget:
                if not scores:
                    self._newest(scores, weights, codes)
                break
            budget -= df
            before = 0
            for often, sign in ((1, ""), *schema.OFTEN):
                units = self._words.find([self._scoped(term + sign)], _POSTINGS)
                if codes is not None:
                    units = [unit for unit in units if unit & 15 in codes]
                if not before:
                    having[term] = set(units)
                self._add(scores, units, weight, often, before)
                if not units:
                    break
                before = often
        return scores, having

    def _add(
        self, scores: dict[int, float], units: list[int], weight: float, often: int, before: int
    ) -> None:
        """Add what it gives to units to have a term at least so often, where `before` was counted already."""
        get, lengths, weight = scores.get, self._lengths, weight * (_K1 + 1)
        fixed, per_word = _K1 * (1 - _B), _K1 * _B / self._average
        if not before:
            for unit in units:
                scores[unit] = get(unit, 0.0) + weight * often / (
                    often + fixed + per_word * lengths[unit >> 4]
                )
            return
        for unit in units:
            norm = fixed + per_word * lengths[unit >> 4]
            scores[unit] = get(unit, 0.0) + weight * (often / (often + norm) - before / (before + norm))

    def _newest(self, scores: dict[int, float], weights: dict[str, float], codes: set[int] | None) -> None:
        """Bring in units although even the rarest term is everywhere: those with all terms, or most often."""
        everywhere = [self._scoped(term) for term in weights]
        rarest = next(iter(weights))
        for groups in (
            everywhere,
            *([self._scoped(rarest + sign)] for _, sign in schema.OFTEN[::-1]),
            everywhere[:1],
        ):
            for unit in self._words.find(groups, _POSTINGS):
                if len(scores) < _CANDIDATES and (codes is None or unit & 15 in codes):
                    scores.setdefault(unit, 0.0)

    def _with_common(
        self, chosen: list[Scored], weights: dict[str, float], having: dict[str, set[int]]
    ) -> list[Scored]:
        """Add to the best what the terms give that are too common to be followed."""
        common = [term for term in weights if term not in having]
        having.update({term: set() for term in common})
        asked = ",".join(str(unit) for unit, _ in chosen[:_EXACT])
        rows = self._db.execute(f"SELECT id, bag FROM units WHERE id IN ({asked})")  # noqa: S608 - numbers
        scores = dict(chosen)
        fixed, per_word = _K1 * (1 - _B), _K1 * _B / self._average
        for unit, packed in rows:
            bag = schema.unpack(packed)
            norm = fixed + per_word * self._lengths[unit >> 4]
            for term in common:
                often = schema.LEVELS[schema.frequency(bag, term)]
                if often:
                    having[term].add(unit)
                    scores[unit] += weights[term] * often * (_K1 + 1) / (often + norm)
        return sorted(((unit, score) for unit, score in scores.items() if score), key=lambda row: -row[1])

    def _untied(self, scored: list[Scored]) -> list[Scored]:
        """Put equal scores in an order that does not depend on when a file was indexed."""
        tied = {unit for one, two in pairwise(scored) if one[1] == two[1] for unit in (one[0], two[0])}
        if not tied:
            return scored
        asked = ",".join(map(str, tied))
        rows = self._db.execute(
            "SELECT units.id, path, name, position FROM units JOIN files ON files.id = file "  # noqa: S608 - numbers
            f"JOIN directories ON directories.number = directory WHERE units.id IN ({asked})"
        )
        order = {row[0]: row[1:] for row in rows}
        return sorted(scored, key=lambda row: (-row[1], order.get(row[0], ())))


def _best(scores: dict[int, float], count: int) -> list[Scored]:
    """Return the best units, with all that are as good as the last as far as that is affordable."""
    if len(scores) <= count:
        return sorted(scores.items(), key=lambda row: -row[1])
    least = sorted(scores.values(), reverse=True)[count - 1]
    chosen = [row for row in scores.items() if row[1] >= least]
    return sorted(chosen, key=lambda row: (-row[1], -row[0]))[: 2 * count]
