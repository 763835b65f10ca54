"""The vectors of a scope in memory, and the nearest of them.

Small integers instead of floats: a quarter of the memory, and similarities differ in the fourth digit. Up to
some ten thousand rows, all are compared. Above that, the signs alone (one bit per number) select a few
thousand candidates, and only those are compared: a quarter of the time, and 99 % of the same ten nearest.
"""

from __future__ import annotations

from memolith.index.vectors.numbers import np, npt
from memolith.index.vectors.packs import KEY, NAME, Pack, Packs, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.index.vectors.numbers import Array

Names = npt.NDArray[np.uint64]  # the first eight bytes of a key: a text and its sentences share them

_ALL = 20_000  # rows compared without preselection
_NEAR = 4_000  # rows after preselection
_BLOCK = 1024  # rows turned into floats at once: they stay in the cache


def names(keys: bytes) -> Names:
    """Return the short names of concatenated keys."""
    return np.frombuffer(keys, ">u8")[:: KEY // NAME].astype(np.uint64)


def quantise(keys: Sequence[bytes], rows: Array) -> list[Row]:
    """Quantise vectors to small integers, each with its scale."""
    scales = (np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127).astype(np.float32)
    small = np.rint(rows / scales[:, None]).astype(np.int8)
    return [(key, scales[at].tobytes(), small[at].tobytes()) for at, key in enumerate(keys)]


class _Part:
    """A pack as arrays."""

    def __init__(self, pack: Pack) -> None:
        self.names = names(pack.keys)
        self.scales = np.frombuffer(pack.scales, np.float32)
        self.rows = np.frombuffer(pack.vectors, np.int8).reshape(pack.count, -1)

    def all(self, query: Array) -> Array:
        """Return the similarity of every row."""
        found = np.empty(len(self.rows), np.float32)
        for start in range(0, len(found), _BLOCK):
            found[start : start + _BLOCK] = self.rows[start : start + _BLOCK].astype(np.float32) @ query
        found *= self.scales
        return found

    def some(self, which: npt.NDArray[np.intp], query: Array) -> Array:
        """Return the similarity of some rows."""
        found: Array = (self.rows[which].astype(np.float32) @ query) * self.scales[which]
        return found


class Matrix:
    """All vectors of one model in one scope."""

    def __init__(self) -> None:
        self._parts: dict[int, _Part] = {}
        # The signs of all rows, 64 per word; and the parts they belong to.
        self._signs: tuple[list[_Part], npt.NDArray[np.uint64]] | None = None

    def refresh(self, packs: Packs, model: str, slug: str) -> bool:
        """Load new packs, release removed ones; return whether there may be others."""
        numbers = packs.numbers(model, slug)
        if numbers and numbers == list(self._parts):
            return False
        new = {number: self._parts.get(number) for number in numbers}
        for number, part in new.items():
            if part is None and (pack := packs.load(number)) is not None and pack.count:
                new[number] = _Part(pack)
        self._parts = {number: part for number, part in new.items() if part is not None}
        return True

    def has(self, wanted: Names) -> bool:
        """Whether every one of these texts has a row."""
        parts = [part.names for part in self._parts.values()]
        return bool(np.isin(wanted, np.concatenate(parts) if parts else []).all())

    def nearest(self, query: Array, limit: int) -> tuple[Names, Array]:
        """Return names and similarities of the nearest rows, best first."""
        parts = [part for part in self._parts.values() if part.rows.shape[1] == len(query)]
        if not parts:
            return np.empty(0, np.uint64), np.empty(0, np.float32)
        if sum(len(part.rows) for part in parts) <= _ALL:
            found = [(part.names, part.all(query)) for part in parts]
        else:
            differing = self._differing(parts, query)
            # Counting instead of sorting: there are few distinct numbers.
            bound = np.searchsorted(np.cumsum(np.bincount(differing)), _NEAR, "right")
            near = np.flatnonzero(differing <= bound)
            ends = np.cumsum([len(part.rows) for part in parts])
            shares = np.split(near, np.searchsorted(near, ends[:-1]))
            found = []
            for part, share, end in zip(parts, shares, ends.tolist(), strict=True):
                which = share - (end - len(part.rows))
                found.append((part.names[which], part.some(which, query)))
        all_names, scores = (np.concatenate(column) for column in zip(*found, strict=True))
        if len(scores) > limit:
            best = np.argpartition(-scores, limit)[:limit]
            all_names, scores = all_names[best], scores[best]
        order = np.argsort(-scores, kind="stable")
        return all_names[order], scores[order]

    def _differing(self, parts: list[_Part], query: Array) -> npt.NDArray[np.uint16]:
        """Return the number of signs in which each row differs from the query."""
        if self._signs is None or self._signs[0] != parts:
            self._signs = parts, np.concatenate([_signs(part.rows).T for part in parts], axis=1)
        signs = self._signs[1]
        found = np.zeros(signs.shape[1], np.uint16)
        for ours, its in zip(signs, _signs(query[None])[0], strict=True):
            found += np.bitwise_count(ours ^ its)
        return found

    def of(self, wanted: Names, query: Array) -> Array:
        """Return the similarity of named texts, by their nearest row; NaN if there is none."""
        scores = np.full(len(wanted), np.nan, np.float32)
        for part in self._parts.values():
            if part.rows.shape[1] == len(query):
                first = np.searchsorted(part.names, wanted, "left")
                count = np.searchsorted(part.names, wanted, "right") - first
                here = np.flatnonzero(count)
                if len(here):
                    starts = np.cumsum(count[here]) - count[here]
                    rows = np.repeat(first[here] - starts, count[here]) + np.arange(count[here].sum())
                    best = np.maximum.reduceat(part.some(rows, query), starts)
                    scores[here] = np.fmax(scores[here], best)
        return scores


class Live:
    """The current units, and the name of each one's text."""

    def __init__(self, hashes: Sequence[tuple[int, bytes]]) -> None:
        ids = np.array([unit for unit, _ in hashes], np.int64)
        known = names(b"".join(key[:KEY] for _, key in hashes))
        by_id, by_name = np.argsort(ids, kind="stable"), np.argsort(known, kind="stable")
        self._ids, self._names = ids[by_id], known[by_id]
        self.all, self._units = known[by_name], ids[by_name]  # sorted by name

    def units(self, wanted: Names) -> list[list[int]]:
        """Return for each name the units with that text."""
        first = np.searchsorted(self.all, wanted, "left")
        last = np.searchsorted(self.all, wanted, "right")
        return [self._units[a:b].tolist() for a, b in zip(first.tolist(), last.tolist(), strict=True)]

    def names(self, units: Sequence[int]) -> tuple[list[int], Names]:
        """Return those of the given units that exist, and the names of their texts."""
        asked = np.array(units, np.int64)
        at = np.searchsorted(self._ids, asked)
        at[at == len(self._ids)] = 0
        here = np.flatnonzero(self._ids[at] == asked) if len(self._ids) else np.empty(0, np.intp)
        return asked[here].tolist(), self._names[at[here]] if len(here) else np.empty(0, np.uint64)


def _signs(rows: npt.NDArray[np.int8] | Array) -> npt.NDArray[np.uint64]:
    """Return one bit for each number, padded to 64-bit words."""
    bits = np.packbits(rows > 0, axis=1)
    missing = -bits.shape[1] % 8
    if missing:
        bits = np.pad(bits, ((0, 0), (0, missing)))
    return bits.view(np.uint64)
