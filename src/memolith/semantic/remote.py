"""Models behind HTTP: Ollama, and whatever speaks OpenAI's protocol. Only when the settings say so.

The key comes from the environment or from a command, is sent to the configured address alone (no redirect is
followed) and is neither kept nor printed. An answer is checked before it is believed.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING
from urllib import error as url_error
from urllib import request
from urllib.parse import urlsplit

from memolith.errors import ConfigError, ProviderError
from memolith.semantic.bert import unit
from memolith.semantic.numbers import np
from memolith.semantic.providers import prefixed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.config import Settings
    from memolith.semantic.bert import Array

_AT_ONCE = 64  # texts of one request
_MAX_ANSWER = 64 << 20
_LOCAL = ("127.0.0.1", "localhost", "::1")


class _NoRedirects(request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Follow none: the next address is not the one that was configured, and would get key and texts."""


class _Service:
    """What the two protocols share."""

    default_url = ""
    default_model = ""
    kind = ""
    path = ""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model = settings.text("semantic.model") or self.default_model
        self._url = (settings.text("semantic.url") or self.default_url).rstrip("/")
        where = urlsplit(self._url)
        if where.scheme not in ("http", "https") or not where.hostname or where.username:
            raise ConfigError(
                f"semantic.url = {self._url!r}: must be http(s)://HOST[:PORT][/PATH], without a user in it"
            )
        self._local = where.hostname in _LOCAL
        self._secure = where.scheme == "https" or self._local
        self.name = f"{self.kind}:{self.model}"
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

    def _rows(self, answer: object) -> object:
        raise NotImplementedError

    def _key(self) -> str:
        return ""

    def _ask(self, question: dict[str, object]) -> object:
        headers = {"Content-Type": "application/json"}
        key = self._key()
        if key:
            if not self._secure:
                raise ConfigError(f"semantic.url = {self._url!r}: a key is only sent over https")
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps(question).encode()
        call = request.Request(self._url + self.path, body, headers)  # noqa: S310 - the scheme is checked
        handlers: list[request.BaseHandler] = [_NoRedirects()]
        if self._local:
            handlers.append(request.ProxyHandler({}))
        try:
            with request.build_opener(*handlers).open(
                call, timeout=self._settings.number("semantic.timeout")
            ) as reply:
                data = reply.read(_MAX_ANSWER + 1)
        except url_error.HTTPError as error:
            with error:
                raise self._failure(f"HTTP {error.code}: {self._said(error.read(2000), key)}") from None
        except (OSError, ValueError) as error:  # URLError, time-outs, a broken connection, a broken answer
            raise self._failure(str(getattr(error, "reason", error))) from None
        if len(data) > _MAX_ANSWER:
            raise self._failure("the answer is too large")
        try:
            return json.loads(data)
        except ValueError:
            raise self._failure("the answer is not JSON") from None

    def _said(self, data: bytes, key: str) -> str:
        """Return what the service says of an error: one line, and without the key should it repeat it."""
        text = " ".join(data.decode("utf-8", "replace").split())
        shown = "".join(char for char in text if char.isprintable())[:200]
        return shown.replace(key, "…") if key else shown

    def _failure(self, why: str) -> ProviderError:
        return ProviderError(
            f"{self.kind} at {self._url}, model {self.model!r}: {why}; recall goes on without it"
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
        if not command:
            return os.environ.get(self._settings.text("semantic.key_env"), "").strip()
        import shlex
        import subprocess

        try:
            done = subprocess.run(
                shlex.split(command),
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise ConfigError(f"semantic.key_command = {command!r}: {error}") from None
        if done.returncode or not done.stdout.strip():
            raise ConfigError(
                f"semantic.key_command = {command!r}: it gave no key (exit code {done.returncode})"
            )
        return done.stdout.strip()
