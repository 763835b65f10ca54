"""Models behind HTTP: OpenAI's chat/completions and Anthropic's Messages.

OpenAI, Ollama, LM Studio, vLLM, OpenRouter and others speak the first, and not all of them support all of it.
The strictest form is tried first; a feature that an endpoint rejects is left out from then on.
"""

from __future__ import annotations

import json
import math
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from memolith.base.errors import ConfigError
from memolith.base.values import Value
from memolith.env.endpoint import Answer, Endpoint, UnansweredError, find_key
from memolith.learn.model.schema import described, strict
from memolith.learn.model.server import Server, look
from memolith.learn.model.values import (
    ANTHROPIC_INPUT,
    EFFORTS,
    TOO_LONG,
    AdjustedError,
    Completion,
    Kind,
    ModelError,
    ModelUnavailableError,
    Question,
    nearest_effort,
    sum_counts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.env.settings import Settings

MAX_BYTES = 16 << 20
# Kinds of endpoint errors as kinds of model errors.
_KINDS: dict[str, Kind] = {"broken": "server", "too_large": "too_long"}
_KINDS |= {"timeout": "timeout", "unavailable": "unavailable"}
_BUSY = frozenset([408, 409, 425, 429])
# Retrying is useless here, whatever the status code.
_NO_MONEY = ("insufficient_quota", "billing", "credit balance")
_BEFORE_A_LIST = ("supported values", "one of", "should be", "expected")


class Known(Value):
    """The features that an endpoint supports, for one model."""

    form: int  # index into `forms`
    levels: tuple[str, ...]  # supported levels of effort
    new_limit: bool | None  # whether to use the limit's new name; None: not known yet


# By address and model: what one request finds out, all later ones of this process use.
_known: dict[tuple[str, str], Known] = {}
_servers: dict[tuple[str, str], Server] = {}


class HttpBackend(ABC):
    """A model behind HTTP."""

    kind = ""
    default_url = ""
    key_env = ""
    path = ""
    usual_window = 0
    levels: tuple[str, ...] = EFFORTS
    forms: tuple[str, ...] = ()  # ways to ask for JSON, strictest first

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        self._settings, self._env, self._model = settings, env, model
        self.name = f"{self.kind}:{model}"
        url = settings.text("models.url")
        self._endpoint = Endpoint(url or self.default_url, "models.url")
        self._key_env = settings.text("models.key_env") or self.key_env
        self._key_command = settings.text("models.key_command")
        self._key: str | None = None
        has_key = bool(self._key_command or env.get(self._key_env, "").strip())
        if has_key and not self._endpoint.secure:
            raise ModelUnavailableError(
                f"models.url = {self._endpoint.url!r}: a key is only sent over https; if it needs none, set"
                " models.key_env to a variable that is not set"
            )
        if not url and not has_key:
            raise ModelUnavailableError(
                f"{self.name} needs a key: set the environment variable {self._key_env} or models.key_command"
            )
        self._place = (self._endpoint.url, self.name)

    def ask(self, question: Question, seconds: float) -> Completion:
        """Send one request."""
        key = self._find_key()
        known = self._known()
        try:
            received = self._endpoint.post(
                self.path,
                json.dumps(self._body(question, known)).encode(),
                {"Content-Type": "application/json", **self._headers(key)},
                seconds=seconds,
                limit=MAX_BYTES,
                secret=key,
            )
        except UnansweredError as error:
            raise self._failure(_KINDS[error.kind], str(error)) from None
        if received.status != 200:
            raise self._refusal(received, known)
        try:
            envelope = json.loads(received.data)
            return self._answer(envelope)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            raise self._failure("server", f"an answer of another protocol: {received.summary}") from None

    @property
    def window(self) -> int:
        """The tokens that fit into the model's window: as set, as the server tells, or as usual."""
        return int(self._settings.number("models.window")) or self._server().window or self.usual_window

    def _server(self) -> Server:
        return Server(extra={}, window=0)

    def _find_key(self) -> str:
        if self._key is None:
            try:
                self._key = find_key(
                    self._env, self._key_env, self._key_command, "models.key_command", self._settings.root
                )
            except ConfigError as error:
                raise ModelError("unavailable", f"{self._where()}: {error}") from None
        return self._key

    @abstractmethod
    def _body(self, question: Question, known: Known) -> dict[str, Any]:
        """Return the body of the request."""

    @abstractmethod
    def _headers(self, key: str) -> dict[str, str]:
        """Return the headers of the protocol, with the key."""

    @abstractmethod
    def _answer(self, envelope: Any) -> Completion:
        """Parse a complete response."""

    @abstractmethod
    def _adjusted(self, complaint: str, known: Known) -> Known | None:
        """Return `known` without the feature an endpoint rejects; None if it rejects something else."""

    def _looser(self, known: Known) -> Known | None:
        return known.but(form=known.form + 1) if known.form + 1 < len(self.forms) else None

    def _effort(self, known: Known) -> str:
        return nearest_effort(self._settings.text("models.effort"), known.levels)

    def _known(self) -> Known:
        return _known.get(self._place) or Known(form=0, levels=self.levels, new_limit=None)

    def _adjust(self, complaint: str, known: Known) -> bool:
        """Whether a retry is worthwhile: with fewer features, or because another thread found which."""
        if self._known() == known:
            less = self._adjusted(complaint, known)
            if less is None:
                return False
            _known[self._place] = less
        return True

    def _refusal(self, received: Answer, known: Known) -> ModelError:
        status = received.status
        lower = received.data[:20_000].decode("utf-8", "replace").lower()
        why = f"HTTP {status}: {received.summary}"
        if status == 413 or (status in (400, 422) and any(each in lower for each in TOO_LONG)):
            return self._failure("too_long", why)
        if status in (400, 422) and self._adjust(lower, known):
            return AdjustedError(f"{self._where()}: {why}")
        if any(each in lower for each in _NO_MONEY):
            return self._failure("unavailable", why, _retry_after(received.headers.get("Retry-After")))
        if status in _BUSY or status >= 500:
            kind: Kind = "rate_limited" if status in (429, 529) else "server"
            return self._failure(kind, why, _retry_after(received.headers.get("Retry-After")))
        if status in (401, 403):
            why += f"; check the key in {(self._key_command and 'models.key_command') or self._key_env}"
        return self._failure("unavailable", why)

    def _failure(self, kind: Kind, why: str, retry_after: float | None = None) -> ModelError:
        return ModelError(kind, f"{self._where()}: {why}", retry_after)

    def _where(self) -> str:
        return f"{self.name} at {self._endpoint.url}"


class OpenAI(HttpBackend):
    """A model behind chat/completions."""

    kind = "openai"
    default_url = "https://api.openai.com/v1"
    key_env = "OPENAI_API_KEY"
    path = "/chat/completions"
    forms = ("json_schema", "json_object", "text")

    def _headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _server(self) -> Server:
        """Return what the server tells about itself; OpenAI's own tells nothing."""
        if self._endpoint.url == self.default_url:
            return super()._server()
        if self._place not in _servers:
            try:
                key = self._find_key()
            except ModelError:  # the request will say so
                return super()._server()
            _servers[self._place] = look(self._endpoint.url, self._model, self._headers(key), key)
        return _servers[self._place]

    def _body(self, question: Question, known: Known) -> dict[str, Any]:
        form = self.forms[known.form]
        system = question.system
        body: dict[str, Any] = {"model": self._model, **self._server().extra}
        if form == "json_schema":
            wrapped = {"name": "reply", "strict": True, "schema": strict(question.schema)}
            body["response_format"] = {"type": form, "json_schema": wrapped}
        else:
            system = f"{system}\n\n{described(question.schema)}"
        if form == "json_object":
            body["response_format"] = {"type": form}
        body["messages"] = [
            {"role": "system", "content": system},
            {"role": "user", "content": question.user},
        ]
        body["max_completion_tokens" if self._new_limit(known) else "max_tokens"] = question.max_output
        if effort := self._effort(known):
            body["reasoning_effort"] = effort
        return body

    def _new_limit(self, known: Known) -> bool:
        """Whether to use the limit's new name: OpenAI's models require it, most others know the old one."""
        return self._endpoint.url == self.default_url if known.new_limit is None else known.new_limit

    def _adjusted(self, complaint: str, known: Known) -> Known | None:
        if "max_tokens" in complaint or "max_completion_tokens" in complaint:
            return known.but(new_limit=not self._new_limit(known)) if known.new_limit is None else None
        if "effort" in complaint:
            return _less_effort(known, complaint)
        if any(word in complaint for word in ("response_format", "json_schema", "json_object", "schema")):
            return self._looser(known)
        return None

    def _answer(self, envelope: Any) -> Completion:
        choice = envelope["choices"][0]
        message, usage = choice["message"], envelope.get("usage") or {}
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise self._failure("refused", "the model refused to answer")
        return Completion(
            _text(message.get("content")),
            sum_counts(usage.get("prompt_tokens")),
            sum_counts(usage.get("completion_tokens")),
            cut=choice.get("finish_reason") == "length",
        )


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    return "" if content is None else str(content)


class Anthropic(HttpBackend):
    """A model behind /v1/messages."""

    kind = "anthropic"
    default_url = "https://api.anthropic.com"
    key_env = "ANTHROPIC_API_KEY"
    path = "/v1/messages"
    usual_window = 200_000
    levels = ("low", "medium", "high")
    forms = ("json_schema", "text")

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        super().__init__(settings, model, env)
        if self._endpoint.url.endswith("/v1"):
            self.path = "/messages"

    def _headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}

    def _body(self, question: Question, known: Known) -> dict[str, Any]:
        bound = self.forms[known.form] == "json_schema"
        config: dict[str, Any] = {}
        if bound:
            config["format"] = {"type": "json_schema", "schema": strict(question.schema)}
        if effort := self._effort(known):
            config["effort"] = effort
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": question.max_output,
            "system": question.system if bound else f"{question.system}\n\n{described(question.schema)}",
            "messages": [{"role": "user", "content": question.user}],
        }
        return {**body, "output_config": config} if config else body

    def _adjusted(self, complaint: str, known: Known) -> Known | None:
        if "effort" in complaint:
            return _less_effort(known, complaint)
        if any(word in complaint for word in ("output_config", "output_format", "schema", "structured")):
            return self._looser(known)
        return None

    def _answer(self, envelope: Any) -> Completion:
        if envelope.get("stop_reason") == "refusal":
            raise self._failure("refused", "the model refused to answer")
        usage = envelope.get("usage") or {}
        return Completion(
            _text(envelope["content"]),
            sum_counts(*map(usage.get, ANTHROPIC_INPUT)),
            sum_counts(usage.get("output_tokens")),
            cut=envelope.get("stop_reason") == "max_tokens",
        )


def _less_effort(known: Known, complaint: str) -> Known | None:
    """Keep only the levels of effort that an endpoint lists as valid; none if it lists none."""
    if not known.levels:
        return None
    lists = [complaint.partition(mark)[2] for mark in _BEFORE_A_LIST if mark in complaint]
    listed = lists[0].replace('"', "'") if lists else ""
    left = tuple(level for level in known.levels if f"'{level}'" in listed)
    return known.but(levels=() if left == known.levels else left)


def _retry_after(value: str | None) -> float | None:
    """Parse the header: seconds or a date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        from email.utils import parsedate_to_datetime

        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
