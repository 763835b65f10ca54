"""Finding units by words: BM25, exact over candidates that the rarer words of the query choose.

A word that is everywhere costs much and says little, so it does not bring units in; it counts for those that
a rarer word brought in. The work depends on the query, hardly on the size of the memory.
"""

from __future__ import annotations

from itertools import pairwise
from math import log

from memolith.index import schema
from memolith.index.model import KINDS, Analysis, Match, Term
from memolith.index.schema import BLOCK
from memolith.text import terms as analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from sqlite3 import Connection

    Scored = tuple[float, int, list[str]]

_K1, _B = 1.2, 0.75
_POSTINGS = 2500  # how many units the rarer words may bring in
_CANDIDATES = 200  # how many of them are scored exactly
_MOST_TERMS = 32


class Lexicon:
    """The scopes that are asked, and what is known of them while nothing is written."""

    def __init__(self, connection: Connection, slugs: Iterable[str]) -> None:
        self._db = connection
        self._words = schema.words(connection)
        self._lengths = schema.Lengths(connection)
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
        found = self._candidates(weights, codes)
        scored = sorted(self._scored(found, weights), key=lambda row: -row[0])
        return [
            Match(unit_id=unit, score=score, terms=terms)
            for score, unit, terms in self._untied(scored)[:limit]
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

    def _candidates(self, weights: dict[str, float], codes: set[int] | None) -> Candidates:
        """Choose the units that may match best, by the terms that are rare enough to be followed."""
        found = Candidates(codes, self._lengths, self._average)
        budget = _POSTINGS
        for term, weight in weights.items():
            df = self._frequency(term)
            if found.about and df > budget:
                break
            followed = df <= budget
            if followed:
                found.followed.add(term)
            elif len(weights) > 1:
                # Even the rarest term is everywhere: those first that have all of them.
                found.add(self._words.find([self._scoped(each) for each in weights], _POSTINGS), "", weight)
            budget -= df
            before = 0
            for often, sign in ((1, ""), *schema.OFTEN):
                units = self._words.find([self._scoped(term + sign)], _POSTINGS)
                if not units:
                    break
                found.add(units, term if followed else "", weight, often, before)
                before = often
        return found

    def _scored(self, found: Candidates, weights: dict[str, float]) -> Iterator[Scored]:
        """Yield exact scores of the chosen units."""
        asked = ",".join(map(str, found.best()))
        everywhere = [term for term in weights if term not in found.followed]
        rows = self._db.execute(f"SELECT id, length, bag FROM units WHERE id IN ({asked})")  # noqa: S608 - numbers
        for unit, length, packed in rows:
            bag = schema.unpack(packed)
            norm = _K1 * (1 - _B + _B * length / self._average)
            score = 0.0
            matched: list[str] = []
            for term in (*found.terms[unit], *everywhere):
                often = schema.frequency(bag, term)
                if often:
                    matched.append(term)
                    score += weights[term] * often * (_K1 + 1) / (often + norm)
            if matched:
                yield score, unit, matched

    def _untied(self, scored: list[Scored]) -> list[Scored]:
        """Put equal scores in an order that does not depend on when a file was indexed."""
        tied = {unit for one, two in pairwise(scored) if one[0] == two[0] for unit in (one[1], two[1])}
        if not tied:
            return scored
        asked = ",".join(map(str, tied))
        rows = self._db.execute(
            "SELECT units.id, path, name, position FROM units JOIN files ON files.id = file "  # noqa: S608 - numbers
            f"JOIN directories ON directories.number = directory WHERE units.id IN ({asked})"
        )
        order = {row[0]: row[1:] for row in rows}
        return sorted(scored, key=lambda row: (-row[0], order.get(row[1], ())))


class Candidates:
    """Units that have some term of a query, which ones, and about which score that gives them."""

    def __init__(self, codes: set[int] | None, lengths: schema.Lengths, average: float) -> None:
        self._codes, self._lengths = codes, lengths
        self._fixed, self._per_word = _K1 * (1 - _B), _K1 * _B / average
        self.about: dict[int, float] = {}
        self.terms: dict[int, list[str]] = {}
        self.followed: set[str] = set()

    def add(self, units: list[int], term: str, weight: float, often: int = 1, before: int = 0) -> None:
        """Note that units have a term so often, where `before` was known; no term only brings them in."""
        about, terms, codes, block = self.about, self.terms, self._codes, self._lengths.block
        fixed, per_word = self._fixed, self._per_word
        weight *= _K1 + 1
        number, lengths = -1, None
        for unit in units:
            if codes is not None and unit & 15 not in codes:
                continue
            serial = unit >> 4
            if lengths is None or serial // BLOCK != number:
                number = serial // BLOCK
                lengths = block(number)
            norm = fixed + per_word * lengths[serial % BLOCK]
            gain = weight * often / (often + norm)
            if unit not in about:
                about[unit], terms[unit] = gain, [term] if term else []
            elif before:
                about[unit] += gain - weight * before / (before + norm)
            else:
                about[unit] += gain
                if term:
                    terms[unit].append(term)

    def best(self) -> list[int]:
        """Return the best of them, with all that seem as good as the last as far as that is affordable."""
        about = self.about
        if len(about) <= _CANDIDATES:
            return list(about)
        least = sorted(about.values(), reverse=True)[_CANDIDATES - 1]
        chosen = [unit for unit, score in about.items() if score >= least]
        return sorted(chosen, key=lambda unit: (-about[unit], -unit))[: 2 * _CANDIDATES]
