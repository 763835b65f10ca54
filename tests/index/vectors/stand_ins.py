"""What the tests of meaning need: an index in memory, and a model that needs no weights."""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memolith.base.errors import ProviderError
from memolith.index.vectors.numbers import unit as to_unit
from memolith.index.vectors.statements import Parts

# Words that mean the same to the stand-in model.
_SAME = {"undo": "rollback", "revert": "rollback", "car": "vehicle", "auto": "vehicle"}


class Shelf:
    """An index over texts that a test puts in by hand."""

    def __init__(self, home: Path) -> None:
        self.home = str(home)
        self._units: dict[str, dict[int, str]] = {}
        self._next = 0
        self._changes = 0

    def put(self, slug: str, *texts: str) -> list[int]:
        """Add units and return their ids."""
        ids = list(range(self._next, self._next + len(texts)))
        self._next += len(texts)
        self._changes += 1
        self._units.setdefault(slug, {}).update(zip(ids, texts, strict=True))
        return ids

    def take(self, slug: str, unit: int) -> None:
        """Remove a unit."""
        del self._units[slug][unit]
        self._changes += 1

    def stamp(self) -> object:
        return self._changes

    def hashes(self, slugs: Sequence[str]) -> list[tuple[int, bytes]]:
        return [(unit, key(text)) for slug in slugs for unit, text in self._units.get(slug, {}).items()]

    def texts(self, slugs: Sequence[str], skip: Collection[bytes] = ()) -> Iterator[tuple[int, bytes, str]]:
        for slug in slugs:
            for unit, text in list(self._units.get(slug, {}).items()):
                if key(text) not in skip:
                    yield unit, key(text), text


def key(text: str) -> bytes:
    """Return a text's content hash."""
    return hashlib.sha256(text.encode()).digest()[:16]


class WordModel:
    """A model of 128 numbers: each word has its own direction, some words share one."""

    def __init__(self, name: str = "words", dimension: int = 128) -> None:
        self.name, self.dimension = name, dimension
        self.seen: list[str] = []
        self.fails_after = -1

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for number, text in enumerate(texts):
            for word in text.lower().split():
                digest = hashlib.sha256((self.name + _SAME.get(word, word)).encode()).digest()
                rows[number] += np.random.default_rng(list(digest)).standard_normal(self.dimension)
        return to_unit(rows)

    def passages(self, texts: Sequence[Parts]) -> list[npt.NDArray[np.float32]]:
        found = []
        for parts in texts:
            whole = " ".join(text for text, _ in parts)
            if 0 <= self.fails_after <= len(self.seen):
                raise ProviderError("the stand-in does not answer")
            self.seen.append(whole)
            found.append(self.embed([whole, *(text for text, states in parts if states)]))
        return found
