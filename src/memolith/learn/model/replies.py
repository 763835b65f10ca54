"""What a model gives back, and what can go wrong with one."""

from __future__ import annotations

from typing import Any, Protocol

from memolith.base.errors import ConfigError, ProviderError
from memolith.base.values import Value

KINDS = ("refused", "malformed", "timeout", "rate_limited", "server", "unavailable", "too_long")


class Reply(Value):
    """What a model answered: an object that satisfies the schema, and what it took, repairs included."""

    data: dict[str, Any]
    model: str
    seconds: float
    tokens_in: int
    tokens_out: int


class ModelError(ProviderError):
    """A model did not answer as it should. `retry_after`: seconds that the service asks to wait, or None."""

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        assert kind in KINDS  # noqa: S101
        self.kind, self.retry_after = kind, retry_after
        super().__init__(message)


class ModelUnavailableError(ConfigError):
    """No model can be asked; `reason` says why and what to do."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Model(Protocol):
    """Anything that turns two texts into an object."""

    name: str
    window: int  # tokens; 0 if nobody knows

    def complete(
        self,
        system: str,
        user: str,
        schema: dict[str, Any],
        *,
        max_output: int,
        deadline: float | None = None,
    ) -> Reply:
        """Return an object that satisfies `schema`; ModelError otherwise.

        `deadline` is a time of `time.monotonic()`. `system` holds instructions and nothing private: some
        agents take it on their command line.
        """
