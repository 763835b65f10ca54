"""What the two phases need of a model and of its prompts; `llm` and `prompting` have the real ones."""

from __future__ import annotations

from typing import Any, Protocol


class Answer(Protocol):
    """What came back (`llm.Reply`)."""

    @property
    def data(self) -> Any:
        """The object in the answer."""


class Model(Protocol):
    """A model that answers in a given form (`llm.Model`)."""

    @property
    def window(self) -> int:
        """Tokens that fit into it, 0 if unknown."""

    def complete(
        self, system: str, user: str, schema: dict[str, Any], *, max_output: int, deadline: float | None
    ) -> Answer:
        """Send one request."""


class Prompt(Protocol):
    """A prompt with places to fill (`prompting.Prompt`)."""

    def fill(self, **variables: str) -> str:
        """Return the text for a request."""


class StageOne(Prompt, Protocol):
    """The prompts of phase 1 (`prompting.StageOne`): filled with `thread_id` and `response_items_json`."""

    @property
    def system(self) -> str:
        """What the model is to do."""


class Prompts(Protocol):
    """Finds a prompt by its name (`prompting.load`)."""

    def __call__(self, name: str) -> Prompt:
        """Return it."""
