"""What a server tells about itself: the window of a model, and how it brakes repetition.

Small local models run with a window that is far below what they were trained for, and a server cuts a longer
prompt without a word. So it is asked once; where it does not tell, its usual window counts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memolith.base.values import Value
from memolith.env.endpoint import Endpoint, UnansweredError

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = 3.0
_MAX_BYTES = 4 << 20
_USUAL = 4096  # of Ollama and LM Studio, unless somebody raised it
# What servers call the window in their list of models: vLLM, OpenRouter and Together, Groq, LM Studio.
_WINDOW = ("max_model_len", "context_length", "context_window", "loaded_context_length", "max_context_length")


class Server(Value):
    """What is known of a server. `extra` goes into the body of each request."""

    extra: dict[str, Any]
    window: int  # tokens; 0 if it does not tell


def look(url: str, model: str, headers: Mapping[str, str], key: str) -> Server:
    """Ask a server about itself; one that does not answer tells nothing."""
    endpoint, root = Endpoint(url, "models.url"), Endpoint(url.rstrip("/").removesuffix("/v1"), "models.url")

    def get(base: Endpoint, path: str) -> Any:
        try:
            answer = base.get(path, headers, seconds=_SECONDS, limit=_MAX_BYTES, secret=key)
            return json.loads(answer.data) if answer.status == 200 else None
        except (UnansweredError, ValueError, RecursionError):
            return None

    row = _row(get(endpoint, "/models"), "data", "id", model)
    owner = row.get("owned_by")
    if owner == "llamacpp":
        props = get(root, "/props")
        loaded = props.get("default_generation_settings") if isinstance(props, dict) else None
        tokens = _number(loaded.get("n_ctx")) if isinstance(loaded, dict) else 0
        return Server(extra={"repeat_penalty": 1.1}, window=tokens)
    if owner == "library":  # Ollama; a model that is not loaded yet gets the usual window
        running = _row(get(root, "/api/ps"), "models", "name", model)
        return Server(extra={}, window=_of(running) or _USUAL)
    if owner == "organization_owner":  # LM Studio
        loaded = _row(get(root, "/api/v0/models"), "data", "id", model)
        return Server(extra={}, window=_number(loaded.get("loaded_context_length")) or _USUAL)
    extra = {"repetition_penalty": 1.05} if owner == "vllm" else {}
    return Server(extra=extra, window=_of(row))


def _row(found: Any, rows: str, name: str, model: str) -> dict[str, Any]:
    listed = found.get(rows) if isinstance(found, dict) else None
    objects = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return next(
        (each for each in objects if each.get(name) == model), objects[0] if len(objects) == 1 else {}
    )


def _of(row: Mapping[str, Any]) -> int:
    return next(filter(None, map(_number, map(row.get, _WINDOW))), 0)


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
