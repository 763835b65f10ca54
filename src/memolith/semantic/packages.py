"""Models of other Python packages, for those who have them: fastembed and sentence-transformers.

Both fetch weights from a hub at the first use, which is why neither is ever chosen without being named in the
settings. They are imported here, at the edge, and nowhere else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from memolith.errors import ConfigError
from memolith.semantic.bert import unit
from memolith.semantic.numbers import np
from memolith.semantic.providers import prefixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memolith.semantic.bert import Array


class _Package(ABC):
    """A model that another package runs; loaded at the first text."""

    kind = ""
    default_model = ""

    def __init__(self, model: str) -> None:
        self.model = model or self.default_model
        self.name = f"{self.kind}:{self.model}"
        self.dimension = 0
        self._runner: Any = None

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:
        """Return one row for each text."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        if self._runner is None:
            try:
                self._runner = self._load()
            except ImportError:
                raise ConfigError(
                    f"semantic.provider = {self.kind!r}, but it is not installed; pip install {self.kind}"
                ) from None
        rows = np.array(list(self._run(list(texts), query=query)), np.float32)
        self.dimension = rows.shape[1]
        return unit(rows)

    @abstractmethod
    def _load(self) -> object:
        """Return the model of the package."""

    @abstractmethod
    def _run(self, texts: list[str], *, query: bool) -> Iterable[object]:
        """Return one row for each text."""


class FastEmbed(_Package):
    """ONNX models of the package fastembed."""

    kind = "fastembed"
    default_model = "BAAI/bge-small-en-v1.5"

    def _load(self) -> object:
        import fastembed

        return fastembed.TextEmbedding(self.model)

    def _run(self, texts: list[str], *, query: bool) -> Iterable[object]:
        # It knows itself what its models want to see before a question.
        found: Iterable[object] = (
            self._runner.query_embed(texts) if query else self._runner.passage_embed(texts)
        )
        return found


class SentenceTransformers(_Package):
    """PyTorch models of the package sentence-transformers."""

    kind = "sentence-transformers"
    default_model = "sentence-transformers/all-MiniLM-L6-v2"

    def _load(self) -> object:
        import sentence_transformers

        return sentence_transformers.SentenceTransformer(self.model)

    def _run(self, texts: list[str], *, query: bool) -> Iterable[object]:
        given = prefixed(self.model, texts, query=query)
        found: Iterable[object] = self._runner.encode(given, show_progress_bar=False)
        return found
