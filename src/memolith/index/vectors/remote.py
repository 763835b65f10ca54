"""A model behind HTTP: any service with OpenAI's protocol, including Ollama. Only if the settings say so.

The key comes from the environment or from a command, is sent only to the configured address (redirects are
not followed) and is neither stored nor printed. Answers are validated.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from memolith.base.errors import ProviderError
from memolith.env.endpoint import Endpoint, UnansweredError, find_key
from memolith.index.vectors.numbers import np, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.env.settings import Settings
    from memolith.index.vectors.numbers import Array

_URL = "https://api.openai.com/v1"
_MODEL = "text-embedding-3-small"
_AT_ONCE = 64  # texts of one request
_MAX_ANSWER = 64 << 20
# Prefixes by which some families of models distinguish a question from a text.
_RETRIEVAL = "Represent this sentence for searching relevant passages: "
_PREFIXES = (
    ("nomic-embed", "search_query: ", "search_document: "),
    ("e5-", "query: ", "passage: "),
    ("mxbai-embed", _RETRIEVAL, ""),
    ("snowflake-arctic-embed", _RETRIEVAL, ""),
    ("bge-", _RETRIEVAL, ""),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
)


class Remote:
    """Any service with OpenAI's `/embeddings`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model = settings.text("semantic.model") or _MODEL
        self._endpoint = Endpoint(settings.text("semantic.url") or _URL, "semantic.url")
        self.name = f"openai:{self.model}"
        self.sends = not self._endpoint.local  # texts leave this machine
        self.dimension = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:
        """Return one row for each text."""
        given = _prefixed(self.model, texts, query=query)
        parts = [self._some(given[start : start + _AT_ONCE]) for start in range(0, len(given), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)

    def _some(self, texts: list[str]) -> Array:
        answer = self._ask({"model": self.model, "input": texts, "encoding_format": "float"})
        try:
            ordered = sorted(answer["data"], key=lambda row: row["index"])
            rows = np.array([row["embedding"] for row in ordered], np.float32)
        except (KeyError, TypeError, ValueError, IndexError):
            raise self._failure("the answer is not a list of vectors") from None
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise self._failure(f"{len(texts)} texts sent, but not as many complete vectors received")
        if self.dimension not in (0, rows.shape[1]):
            raise self._failure(f"vectors of length {rows.shape[1]} instead of {self.dimension}")
        self.dimension = rows.shape[1]
        return unit(rows)

    def _ask(self, question: dict[str, object]) -> Any:
        headers = {"Content-Type": "application/json"}
        key = self._key()
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            answer = self._endpoint.post(
                "/embeddings",
                json.dumps(question).encode(),
                headers,
                seconds=self._settings.number("semantic.timeout"),
                limit=_MAX_ANSWER,
                secret=key,
            )
        except UnansweredError as error:
            raise self._failure(str(error)) from None
        if answer.status != 200:
            raise self._failure(f"HTTP {answer.status}: {answer.summary}")
        try:
            return json.loads(answer.data)
        except ValueError:
            raise self._failure("the answer is not JSON") from None

    def _failure(self, why: str) -> ProviderError:
        return ProviderError(
            f"openai at {self._endpoint.url}, model {self.model!r}: {why}; recall continues without it"
        )

    def _key(self) -> str:
        command = self._settings.text("semantic.key_command")
        return find_key(
            os.environ,
            self._settings.text("semantic.key_env"),
            command,
            "semantic.key_command",
            self._settings.root,
        )


def _prefixed(model: str, texts: Sequence[str], *, query: bool) -> list[str]:
    """Add the prefix that this family of models was trained with."""
    name = model.rpartition("/")[2].lower()
    for family, question, passage in _PREFIXES:
        if name.startswith(family) or f"-{family}" in name:
            prefix = question if query else passage
            return [prefix + text for text in texts]
    return list(texts)
