"""A question that every test of a model asks, and the failure in which it may end."""

import time
from typing import Any

import pytest

from memolith.learn.model.llm import Client
from memolith.learn.model.values import ModelError

KEY = "sk-proj-Zx81kQvT0aLpW93mNcYb7RdE5uHs2JgF"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "fact": {"type": "string", "maxLength": 20},
        "level": {"type": "string", "enum": ["low", "high"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["fact", "level"],
    "additionalProperties": False,
}
GOOD = {"fact": "uses pnpm", "level": "low"}


def ask(model: Client, *, seconds: float = 60, user: str = "What is it?") -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    return model.complete("You extract.", user, SCHEMA, max_output=500, deadline=deadline)


def failure(model: Client, kind: str, said: str, **how: Any) -> ModelError:
    """Ask, and return the error in which that ends."""
    with pytest.raises(ModelError, match=said) as caught:
        ask(model, **how)
    assert caught.value.kind == kind
    return caught.value
