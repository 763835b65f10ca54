"""Finding units by words: BM25, exact over candidates that the rarer words of the query choose.

A word that is everywhere costs much and says little, so it does not bring units in; it counts for those that
a rarer word brought in. The work depends on the query, hardly on the size of the memory.
"""

from __future__ import annotations

from math import log

from memolith.index import schema
from memolith.index.model import KINDS, Analysis, Match, Term
from memolith.text import terms as analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from sqlite3 import Connection

_K1, _B = 1.2, 0.75
_POSTINGS = 3000  # how many units the rarer words may bring in
_CANDIDATES = 300  # how many of them are scored exactly
_MOST_TERMS = 32
# What the score of a term gains when it is there at least 2, 4 times (see schema.OFTEN).
_GAINS = (0.375, 0.32)


class Lexicon:
    """The scopes that are asked, and what is known of them while nothing is written."""

    def __init__(self, connection: Connection, slugs: Iterable[str]) -> None:
        self._db = connection
        self._words = schema.words(connection)
        known = {row[0]: row[1:] for row in connection.execute("SELECT slug, number, units, words FROM scopes")}
        found = [known[slug] for slug in dict.fromkeys(slugs) if slug in known]
        self.scopes = [row[0] for row in found]
        self.total = sum(row[1] for row in found)
        self._average = sum(row[2] for row in found) / self.total if self.total else 1.0
        self._frequencies: dict[str, int] = {}

    def analyse(self, query: str) -> Analysis:
        """Return the terms of a query with their frequencies."""
        found = [
            Term(term=term, df=self._frequency(term), stop=stop)
            for term, stop in list(analyser.of_query(query).items())[: 4 * _MOST_TERMS]
        ]
        return Analysis(terms=found, total=self.total)

    def search(self, query: str, limit: int, kinds: Collection[str] | None) -> list[Match]:
        """Return the units that match best, best first; ties in the order of their files."""
        asked = [term for term in self.analyse(query).terms if term.df]
        # Words that say nothing count only if the query has no others.
        telling = [term for term in asked if not term.stop]
        if not telling and any(not stop for stop in analyser.of_query(query).values()):
            return []
        weights = {
            term.term: log(1 + (self.total - term.df + 0.5) / (term.df + 0.5))
            for term in sorted(telling or asked, key=lambda term: (term.df, term.term))[:_MOST_TERMS]
        }
        codes = None if kinds is None else {KINDS.index(kind) for kind in kinds if kind in KINDS}
        chosen = self._choose(self._candidates(weights, codes))
        matches = [self._score(row, weights) for row in self._bags(chosen)]
        matches = [match for match in matches if match.terms]
        matches.sort(key=lambda match: -match.score)
        return self._untied(matches, limit)[:limit]

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

    def _candidates(self, weights: dict[str, float], codes: set[int] | None) -> dict[int, float]:
        """Return units that have the rarer terms, each with about the score that these give it."""
        about: dict[int, float] = {}
        budget = _POSTINGS
        for term, weight in weights.items():
            df = self._frequency(term)
            if about and df > budget:
                break
            if df > budget:
                self._common(about, weights)
            budget -= df
            groups = [term, *(term + sign for _, sign in schema.OFTEN)]
            for group, gain in zip(groups, (1.0, *_GAINS), strict=True):
                more = weight * gain
                for unit in self._words.find([self._scoped(group)], _POSTINGS):
                    if codes is None or unit & 15 in codes:
                        about[unit] = about.get(unit, 0.0) + more
        return about

    def _common(self, about: dict[int, float], weights: dict[str, float]) -> None:
        """Bring in units that have all terms of a query whose rarest term is everywhere."""
        if len(weights) > 1:
            whole = sum(weights.values()) - min(weights.values())
            for unit in self._words.find([self._scoped(term) for term in weights], _POSTINGS):
                about[unit] = whole

    def _choose(self, about: dict[int, float]) -> list[int]:
        if len(about) <= _CANDIDATES:
            return list(about)
        least = sorted(about.values(), reverse=True)[_CANDIDATES - 1]
        # All that are as good as the last, as far as that is affordable: which of them is better is not known.
        chosen = [unit for unit, score in about.items() if score >= least]
        return sorted(chosen, key=lambda unit: (-about[unit], -unit))[: 2 * _CANDIDATES]

    def _bags(self, units: Sequence[int]) -> Iterable[tuple[int, int, str]]:
        asked = ",".join(map(str, units))
        return self._db.execute(f"SELECT id, length, bag FROM units WHERE id IN ({asked})")  # noqa: S608 - numbers

    def _score(self, row: tuple[int, int, str], weights: dict[str, float]) -> Match:
        unit, length, bag = row
        norm = _K1 * (1 - _B + _B * length / self._average)
        score = 0.0
        found: list[str] = []
        for term, weight in weights.items():
            often = schema.frequency(bag, term)
            if often:
                found.append(term)
                score += weight * often * (_K1 + 1) / (often + norm)
        return Match(unit_id=unit, score=score, terms=found)

    def _untied(self, matches: list[Match], limit: int) -> list[Match]:
        """Put equal scores in an order that does not depend on when a file was indexed."""
        if not any(one.score == two.score for one, two in zip(matches[:limit], matches[1:], strict=False)):
            return matches
        asked = ",".join(str(match.unit_id) for match in matches)
        rows = self._db.execute(
            "SELECT units.id, path, name, position FROM units JOIN files ON files.id = file "  # noqa: S608 - numbers
            f"JOIN directories ON directories.number = directory WHERE units.id IN ({asked})"
        )
        order = {row[0]: row[1:] for row in rows}
        return sorted(matches, key=lambda match: (-match.score, order[match.unit_id]))
