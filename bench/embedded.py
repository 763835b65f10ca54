"""A model that remembers its vectors between runs of the benchmarks: ten thousand turns take many minutes.

They are kept in `.dev/` by the text itself, so they stay right whatever a run does with the texts.
"""

from __future__ import annotations

import bisect
import hashlib
import struct
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memolith.index.vectors import install, meaning, nearest, statements
from memolith.index.vectors.minilm import MiniLM
from memolith.index.vectors.packs import KEY, Packs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from memolith.index.vectors.meaning import Provider
    from memolith.index.vectors.numbers import Array
    from memolith.index.vectors.statements import Parts

PLACE = Path(__file__).parent.parent / ".dev" / "embedded"


def remember() -> None:
    """Let every memory of this process ask a model that remembers."""
    choose = lru_cache(maxsize=1)(lambda path: Remembered(MiniLM(path)))
    meaning.choose = lambda settings: choose(found) if (found := install.find(settings)) else None


class Remembered:
    """Another provider, asked only for what it has not been asked before."""

    def __init__(self, provider: Provider, place: Path = PLACE) -> None:
        self._provider = provider
        self.name = provider.name
        place.mkdir(parents=True, exist_ok=True)
        self._packs = _Shelf(str(place), 0)

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row for each text."""
        rows = self._known("query", [[(text, False)] for text in texts], lambda some: [
            row[None] for row in self._provider.embed([parts[0][0] for parts in some])
        ])  # fmt: skip
        return np.concatenate(rows) if rows else np.empty((0, 0), np.float32)

    def passages(self, texts: Sequence[Parts]) -> list[Array]:
        """Return the rows of each text."""
        return self._known("text", texts, self._provider.passages)

    def _known(
        self, scope: str, texts: Sequence[Parts], ask: Callable[[Sequence[Parts]], Sequence[Array]]
    ) -> list[Array]:
        wanted = [_keys(parts) for parts in texts]
        known = self._packs.some(self.name, scope, {key for keys in wanted for key in keys})
        missing = [at for at, keys in enumerate(wanted) if not known.keys() >= set(keys)]
        if missing:
            found = ask([texts[at] for at in missing])
            rows = [
                row
                for at, vectors in zip(missing, found, strict=True)
                for row in nearest.quantise(wanted[at], vectors)
            ]
            self._packs.add(self.name, scope, rows)
            known.update((key, (scale, vector)) for key, scale, vector in rows)
        return [np.stack([_row(*known[key]) for key in keys]) for keys in wanted]


def _keys(parts: Parts) -> list[bytes]:
    key = hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=KEY).digest()
    return statements.keys(key, 1 + sum(states for _, states in parts))


def _row(scale: bytes, vector: bytes) -> Array:
    row: Array = np.float32(struct.unpack("f", scale)[0]) * np.frombuffer(vector, np.int8).astype(np.float32)
    return row


class _Shelf(Packs):
    """Packs of which a few rows are read one by one from where they lie: there are millions of them here."""

    def some(self, model: str, slug: str, keys: Collection[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """Return scale and vector of a few hashes."""
        found: dict[bytes, tuple[bytes, bytes]] = {}
        rows = self._ask("SELECT id, keys FROM pack WHERE model = ? AND slug = ?", model, slug)
        for number, known in rows:
            likely = [key for key in keys if known[:KEY] <= key <= known[-KEY:] and key not in found]
            here = [(place, key) for key in likely if (place := _place(known, key)) >= 0]
            if here and self._open is not None:
                with (
                    self._open.blobopen("pack", "scales", number, readonly=True) as scales,
                    self._open.blobopen("pack", "vectors", number, readonly=True) as vectors,
                ):
                    size = len(vectors) // (len(known) // KEY)
                    for at, key in sorted(here):
                        scales.seek(at * 4)
                        vectors.seek(at * size)
                        found[key] = (scales.read(4), vectors.read(size))
        return found


def _place(keys: bytes, wanted: bytes) -> int:
    at = bisect.bisect_left(range(len(keys) // KEY), wanted, key=lambda at: keys[at * KEY : at * KEY + KEY])
    return at if keys[at * KEY : at * KEY + KEY] == wanted else -1
