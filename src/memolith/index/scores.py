"""How well units match by words: BM25 from lists of the units that have each term, and from their bags.

Thousands of units have one of the rarer terms. They are scored as if they had each once, which takes their
lengths alone; the bags of the best tell how often each term is in them, and which of the common ones.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.index import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Mapping
    from sqlite3 import Connection

    Scored = tuple[int, float]
    Weights = Mapping[str, float]  # of terms
    Having = dict[str, set[int]]  # the units with each term

K1, B = 1.2, 0.75
EXACT = 60  # how many of the best are scored exactly, with frequencies and common words


class Scores:
    """Scores of the units of an index; `average` is how many words they have."""

    def __init__(self, connection: Connection, average: float) -> None:
        self._db = connection
        self._lengths = schema.column(connection, "words")
        self._lots: array[int] | None = None  # loaded when ties must be broken
        # The norm of a unit: a fixed part, and one that grows with its words.
        self._fixed, self._per_word = K1 * (1 - B), K1 * B / (average or 1.0)

    def once(self, weight: float, units: Iterable[int]) -> dict[int, float]:
        """Return the scores of units that have terms of this weight once."""
        lengths, fixed, per_word = self._lengths, 1 + self._fixed, self._per_word
        weight *= K1 + 1
        return {unit: weight / (fixed + per_word * lengths[unit >> 4]) for unit in units}

    def all(self, weights: Weights, having: Having) -> dict[int, float]:
        """Return the scores of all units, as if each term occurred once."""
        scores: dict[int, float] = {}
        for term, units in having.items():
            scores.update(self.once(weights[term], units))
        return scores | self._several(weights, having)

    def _several(self, weights: Weights, having: Having) -> dict[int, float]:
        """Return the scores of the units that have several of the terms, as if each occurred once."""
        sums: dict[int, float] = {}
        several: set[int] = set()
        for term, units in having.items():
            both = units & sums.keys()
            more = [(unit, sums[unit] + weights[term]) for unit in both]
            sums.update(dict.fromkeys(units, weights[term]))
            sums.update(more)
            several |= both
        return {unit: sums[unit] * once for unit, once in self.once(1.0, several).items()}

    def best(self, weights: Weights, having: Having, count: int) -> list[Scored]:
        """Return the best units, scored as if each term occurred once, with ties as far as affordable.

        Most units have one term, and a common one: only the short ones of these can be among the best.
        """
        scores = self._several(weights, having)
        several, least, known = set(scores), 0.0, 0
        lengths, fixed, per_word = self._lengths, 1 + self._fixed, self._per_word
        for term in sorted(having, key=lambda term: -weights[term]):
            if len(scores) >= max(
                count, 1.2 * known
            ):  # what was enough before some were added still excludes
                least, known = sorted(scores.values(), reverse=True)[count - 1], len(scores)
            if not least:
                scores |= self.once(weights[term], having[term] - several)
                continue
            longest = (weights[term] * (K1 + 1) / least - fixed) / per_word + 1
            if longest > 0:
                units = having[term] - several
                scores |= self.once(weights[term], [each for each in units if lengths[each >> 4] <= longest])
        chosen: Iterable[Scored] = scores.items()
        if len(scores) > count:
            least = sorted(scores.values(), reverse=True)[count - 1]
            chosen = [row for row in scores.items() if row[1] >= least]
        return self._ordered(chosen)[: 2 * count]

    def exactly(
        self,
        chosen: list[Scored],
        weights: Weights,
        counts: Mapping[str, int],
        having: Having,
    ) -> list[Scored]:
        """Score the best units by their term frequencies, including terms too common to follow."""
        having.update({term: set() for term in weights if term not in having})
        wanted: dict[int, list[tuple[bytes, float, Callable[[int], None]]]]
        wanted = {unit: [] for unit, _ in chosen[:EXACT]}
        others = []
        for term, weight in weights.items():
            each = schema.in_bag(term), weight, having[term].add
            if len(having[term]) == counts[term]:  # it was followed: all of its units are known
                for unit in having[term] & wanted.keys():
                    wanted[unit].append(each)
            else:
                others.append(each)
        scores = dict(chosen)
        asked = ",".join(map(str, wanted))
        rows = self._db.execute(f"SELECT id, bag FROM units WHERE id IN ({asked})")  # noqa: S608 - numbers
        for unit, packed in rows:
            bag = schema.unpack(packed)
            norm = self._fixed + self._per_word * self._lengths[unit >> 4]
            score = 0.0
            for begins, weight, has in wanted[unit] + others:
                often = (
                    schema.frequency(bag, begins) if begins in bag else 0
                )  # most have not even its letters
                if often:
                    has(unit)
                    score += weight * often / (often + norm)
            scores[unit] = score * (K1 + 1)
        # Rounded: equal scores must be equal, whether computed here or before.
        return self._ordered((unit, round(score, 9)) for unit, score in scores.items())

    def _ordered(self, scored: Iterable[Scored]) -> list[Scored]:
        """Return units, best first; ties are broken by lot, then by place."""
        if self._lots is None:
            self._lots = schema.column(self._db, "lots")
        lots = self._lots
        found = sorted([(-score, lots[unit >> 4], unit) for unit, score in scored])
        same = [
            each
            for one, other in pairwise(found)
            if one[0] == other[0] and one[1] == other[1]
            for each in (one[2], other[2])
        ]
        if same:
            asked = ",".join(map(str, same))
            rows = self._db.execute(
                "SELECT units.id, path, name, position FROM units JOIN files ON files.id = file "  # noqa: S608 - numbers
                f"JOIN directories ON directories.number = directory WHERE units.id IN ({asked})"
            )
            places = {row[0]: row[1:] for row in rows}
            found.sort(key=lambda row: (*row[:2], places.get(row[2], ())))
        return [(unit, -score) for score, _, unit in found]
