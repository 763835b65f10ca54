"""Questions to a model, its replies, and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from memolith.base.errors import ConfigError, ProviderError
from memolith.base.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["refused", "malformed", "timeout", "rate_limited", "server", "unavailable", "too_long"]
CHARS_PER_TOKEN = 4
EFFORTS = ("minimal", "low", "medium", "high")
# What services say when a prompt is too long, in lower case.
TOO_LONG = ("context_length", "context length", "context window", "prompt is too long", "too many tokens")
# The fields in which Anthropic counts input.
ANTHROPIC_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Question(Value):
    """One request."""

    max_output: int
    schema: dict[str, Any]
    system: str
    user: str

    @property
    def tokens(self) -> int:
        """Estimate the tokens of the input."""
        return estimate(self.system + self.user)

    @property
    def most_tokens(self) -> int:
        """Estimate on the safe side: a short word a token, other scripts by the character, and the schema."""
        text = f"{self.system}{self.user}{self.schema}"
        plain = sum(map(str.isascii, text))
        return -(-plain // 3) + len(text) - plain


class Completion(Value):
    """The reply of a back-end: text, or the object itself. Tokens are None if not counted."""

    cut: bool  # truncated at the limit
    data: dict[str, Any] | None
    text: str
    tokens_in: int | None
    tokens_out: int | None

    def __init__(
        self,
        text: str,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        *,
        cut: bool = False,
        data: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(text=text, tokens_in=tokens_in, tokens_out=tokens_out, cut=cut, data=data)


class Backend(Protocol):
    """One way to reach a model. Each call of `ask` is one request."""

    name: str

    @property
    def window(self) -> int:
        """The tokens that fit into its window; 0 if unknown."""

    def ask(self, question: Question, seconds: float) -> Completion:
        """Send one request; ModelError if no answer came within `seconds`."""


class ModelError(ProviderError):
    """A model gave no usable answer. `retry_after`: seconds that the service asks to wait, or None."""

    def __init__(self, kind: Kind, message: str, retry_after: float | None = None) -> None:
        self.kind, self.retry_after = kind, retry_after
        super().__init__(message)


class AdjustedError(ModelError):
    """The service lacks a feature; the next request omits it."""

    def __init__(self, message: str) -> None:
        super().__init__("unavailable", message)


class ModelUnavailableError(ConfigError):
    """No model is available; the message says why and what to do."""


def estimate(text: str) -> int:
    """Estimate tokens as the ceilings count them."""
    return -(-len(text) // CHARS_PER_TOKEN)


def sum_counts(*counts: object) -> int | None:
    """Add up the counts of a service; None if it gave none."""
    known = [each for each in counts if isinstance(each, int) and not isinstance(each, bool) and each >= 0]
    return sum(known) if known else None


def nearest_effort(wanted: str, supported: Sequence[str]) -> str:
    """Return the nearest supported level of effort, the cheaper of two; empty if there is none."""
    if wanted not in EFFORTS or not supported:
        return ""
    place = EFFORTS.index(wanted)
    return min(supported, key=lambda level: (abs(EFFORTS.index(level) - place), EFFORTS.index(level)))
