"""A model that remembers its vectors between runs of the benchmarks: ten thousand turns take many minutes.

They are kept in `.dev/` by the text itself, so they stay right whatever a run does with the texts.
"""

from __future__ import annotations

import hashlib
import struct
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memolith.semantic import minilm, providers, scan
from memolith.semantic.minilm import MiniLM
from memolith.semantic.packs import KEY, Packs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.semantic.bert import Array
    from memolith.semantic.providers import Provider

PLACE = Path(__file__).parent.parent / ".dev" / "embedded"


def remember() -> None:
    """Let every memory of this process ask a model that remembers."""
    choose = lru_cache(maxsize=1)(lambda provider: Remembered(MiniLM(provider)))
    providers.choose = lambda settings: (
        choose(found) if (found := minilm.find(settings.text("semantic.model"))) else None
    )


class Remembered:
    """Another provider, asked only for what it has not been asked before."""

    def __init__(self, provider: Provider, place: Path = PLACE) -> None:
        self._provider = provider
        self.name = provider.name
        place.mkdir(parents=True, exist_ok=True)
        self._packs = Packs(str(place), 0)

    @property
    def dimension(self) -> int:
        """How long the vectors are."""
        return self._provider.dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:
        """Return one row for each text."""
        scope = "query" if query else "text"
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=KEY).digest() for text in texts]
        known = self._packs.some(self.name, scope, set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            rows = scan.quantise(list(missing), self._provider.embed(list(missing.values()), query=query))
            self._packs.add(self.name, scope, rows)
            known.update((key, (scale, vector)) for key, scale, vector in rows)
        return np.stack(
            [struct.unpack("f", known[key][0])[0] * np.frombuffer(known[key][1], np.int8) for key in keys]
        ).astype(np.float32)
