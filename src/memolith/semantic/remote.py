"""Models behind HTTP: Ollama, and whatever speaks OpenAI's protocol. Only when the settings say so.

The key comes from the environment or from a command, is sent to the configured address alone (no redirect is
followed) and is neither kept nor printed. An answer is checked before it is believed.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from memolith.errors import ProviderError
from memolith.semantic.bert import unit
from memolith.semantic.numbers import np
from memolith.semantic.providers import prefixed
from memolith.service import Endpoint, UnansweredError, find_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.config import Settings
    from memolith.semantic.bert import Array

_AT_ONCE = 64  # texts of one request
_MAX_ANSWER = 64 << 20


class _Service(ABC):
    """What the two protocols share."""

    default_url = ""
    default_model = ""
    kind = ""
    path = ""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model = settings.text("semantic.model") or self.default_model
        self._endpoint = Endpoint(settings.text("semantic.url") or self.default_url, "semantic.url")
        self.name = f"{self.kind}:{self.model}"
        self.sends = not self._endpoint.local  # texts leave this machine
        self.dimension = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:
        """Return one row for each text."""
        given = prefixed(self.model, texts, query=query)
        parts = [self._some(given[start : start + _AT_ONCE]) for start in range(0, len(given), _AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimension), np.float32)

    def _some(self, texts: list[str]) -> Array:
        answer = self._ask(self._question(texts))
        try:
            rows = np.array(self._rows(answer), np.float32)
        except (KeyError, TypeError, ValueError, IndexError):
            raise self._failure("the answer is not a list of vectors") from None
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise self._failure(f"{len(texts)} texts sent, and not as many whole vectors came back")
        if self.dimension not in (0, rows.shape[1]):
            raise self._failure(f"vectors of length {rows.shape[1]} after some of length {self.dimension}")
        self.dimension = rows.shape[1]
        return unit(rows)

    def _question(self, texts: list[str]) -> dict[str, object]:
        return {"model": self.model, "input": texts}

    @abstractmethod
    def _rows(self, answer: object) -> object:
        """Return the vectors of an answer."""

    def _key(self) -> str:
        return ""

    def _ask(self, question: dict[str, object]) -> object:
        headers = {"Content-Type": "application/json"}
        key = self._key()
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            answer = self._endpoint.post(
                self.path,
                json.dumps(question).encode(),
                headers,
                seconds=self._settings.number("semantic.timeout"),
                limit=_MAX_ANSWER,
                secret=key,
            )
        except UnansweredError as error:
            raise self._failure(str(error)) from None
        if answer.status != 200:
            raise self._failure(f"HTTP {answer.status}: {answer.said}")
        try:
            return json.loads(answer.data)
        except ValueError:
            raise self._failure("the answer is not JSON") from None

    def _failure(self, why: str) -> ProviderError:
        return ProviderError(
            f"{self.kind} at {self._endpoint.url}, model {self.model!r}: {why}; recall goes on without it"
        )


class Ollama(_Service):
    """A model served by Ollama."""

    kind = "ollama"
    default_url = "http://127.0.0.1:11434"
    default_model = "nomic-embed-text"
    path = "/api/embed"

    def _rows(self, answer: object) -> object:
        return answer["embeddings"]  # type: ignore[index]


class OpenAI(_Service):
    """Any service with OpenAI's `/embeddings`."""

    kind = "openai"
    default_url = "https://api.openai.com/v1"
    default_model = "text-embedding-3-small"
    path = "/embeddings"

    def _question(self, texts: list[str]) -> dict[str, object]:
        return {**super()._question(texts), "encoding_format": "float"}

    def _rows(self, answer: object) -> object:
        rows = sorted(answer["data"], key=lambda row: row["index"])  # type: ignore[index]
        return [row["embedding"] for row in rows]

    def _key(self) -> str:
        command = self._settings.text("semantic.key_command")
        return find_key(
            os.environ,
            self._settings.text("semantic.key_env"),
            command,
            "semantic.key_command",
            self._settings.root,
        )
