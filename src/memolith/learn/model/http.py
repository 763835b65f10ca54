"""What the two HTTP protocols share: key, errors by status, and what an endpoint turned out not to know."""

from __future__ import annotations

import json
import math
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from memolith.base.errors import ConfigError
from memolith.base.values import Value
from memolith.env.endpoint import Answer as Received
from memolith.env.endpoint import Endpoint, UnansweredError, find_key
from memolith.learn.model.client import AdjustedError, Answer, Question
from memolith.learn.model.effort import LEVELS, clamp, named
from memolith.learn.model.replies import ModelError, ModelUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.env.settings import Settings

MAX_BYTES = 16 << 20
_BUSY = frozenset([408, 409, 425, 429])
# Waiting does not help against these, whatever the status says.
_NO_MONEY = ("insufficient_quota", "billing", "credit balance")
_LONG = ("context_length", "context length", "context window", "prompt is too long", "too many tokens")


class Known(Value):
    """What an endpoint turned out to know, for one model."""

    form: int  # a step of the ladder `forms`
    levels: tuple[str, ...]  # of effort
    new_limit: bool | None  # whether the limit goes by its new name; None: nobody complained


# By address and model: what one request found out holds for all others of this process.
_known: dict[tuple[str, str], Known] = {}


class HttpBackend(ABC):
    """A model behind HTTP."""

    kind = ""
    default_url = ""
    key_env = ""
    path = ""
    window = 0
    levels: tuple[str, ...] = LEVELS
    forms: tuple[str, ...] = ()  # ways to ask for JSON, the strictest first

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        self._settings, self._env, self._model = settings, env, model
        self.name = f"{self.kind}:{model}"
        self.window = int(settings.number("models.window")) or self.window
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

    def ask(self, question: Question, seconds: float) -> Answer:
        """Send one request."""
        if self._key is None:
            try:
                self._key = find_key(
                    self._env,
                    self._key_env,
                    self._key_command,
                    "models.key_command",
                    self._settings.root,
                )
            except ConfigError as error:
                raise ModelError("unavailable", f"{self._where()}: {error}") from None
        known = self._known()
        try:
            received = self._endpoint.post(
                self.path,
                json.dumps(self._body(question, known)).encode(),
                {"Content-Type": "application/json", **self._headers(self._key)},
                seconds=seconds,
                limit=MAX_BYTES,
                secret=self._key,
            )
        except UnansweredError as error:
            kind = {"broken": "server", "too_large": "too_long"}.get(error.kind, error.kind)
            raise self._failure(kind, str(error)) from None
        if received.status != 200:
            raise self._refusal(received, known)
        try:
            envelope = json.loads(received.data)
            return self._answer(envelope)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            raise self._failure(
                "server", f"an answer that is none of its protocol: {received.said}"
            ) from None

    @abstractmethod
    def _body(self, question: Question, known: Known) -> dict[str, Any]:
        """Return what is sent."""

    @abstractmethod
    def _headers(self, key: str) -> dict[str, str]:
        """Return the headers of the protocol, with the key."""

    @abstractmethod
    def _answer(self, envelope: Any) -> Answer:
        """Return what a whole answer says."""

    @abstractmethod
    def _adjusted(self, said: str, known: Known) -> Known | None:
        """Return what to go by, without what an endpoint complains about; None if that is something else."""

    def _looser(self, known: Known) -> Known | None:
        return known.but(form=known.form + 1) if known.form + 1 < len(self.forms) else None

    def _effort(self, known: Known) -> str:
        return clamp(self._settings.text("models.effort"), known.levels)

    def _known(self) -> Known:
        return _known.get(self._place) or Known(form=0, levels=self.levels, new_limit=None)

    def _adjust(self, said: str, known: Known) -> bool:
        """Tell whether it is worth asking again: with less, or because another thread found out what with."""
        if self._known() == known:
            less = self._adjusted(said, known)
            if less is None:
                return False
            _known[self._place] = less
        return True

    def _refusal(self, received: Received, known: Known) -> ModelError:
        status, said = received.status, received.said
        lower = received.data[:20_000].decode("utf-8", "replace").lower()
        why = f"HTTP {status}: {said}"
        if status == 413 or (status in (400, 422) and any(each in lower for each in _LONG)):
            return self._failure("too_long", why)
        if status in (400, 422) and self._adjust(lower, known):
            return AdjustedError(f"{self._where()}: {why}")
        if any(each in lower for each in _NO_MONEY):
            return self._failure("unavailable", why, _retry_after(received.headers.get("Retry-After")))
        if status in _BUSY or status >= 500:
            kind = "rate_limited" if status in (429, 529) else "server"
            return self._failure(kind, why, _retry_after(received.headers.get("Retry-After")))
        if status in (401, 403):
            why += f"; check the key in {(self._key_command and 'models.key_command') or self._key_env}"
        return self._failure("unavailable", why)

    def _failure(self, kind: str, why: str, retry_after: float | None = None) -> ModelError:
        return ModelError(kind, f"{self._where()}: {why}", retry_after)

    def _where(self) -> str:
        return f"{self.name} at {self._endpoint.url}"


def less_effort(known: Known, said: str) -> Known | None:
    """Keep to the levels of effort that an endpoint names; without any, to none."""
    if not known.levels:
        return None
    left = tuple(level for level in named(said) if level in known.levels)
    return known.but(levels=() if left == known.levels else left)


def count(*numbers: object) -> int | None:
    """Add what a service counted; None if it counted nothing."""
    given = [each for each in numbers if isinstance(each, int) and not isinstance(each, bool) and each >= 0]
    return sum(given) if given else None


def _retry_after(value: str | None) -> float | None:
    """Read the header: seconds, or a date."""
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
