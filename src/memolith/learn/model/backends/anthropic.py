"""Anthropic's Messages, and whatever speaks that protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memolith.learn.model.client import Answer, Question, described
from memolith.learn.model.http import HttpBackend, Known, count, less_effort
from memolith.learn.model.schema import strict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.env.settings import Settings


class Anthropic(HttpBackend):
    """A model behind /v1/messages."""

    kind = "anthropic"
    default_url = "https://api.anthropic.com"
    key_env = "ANTHROPIC_API_KEY"
    path = "/v1/messages"
    window = 200_000
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

    def _adjusted(self, said: str, known: Known) -> Known | None:
        if "effort" in said:
            return less_effort(known, said)
        if any(word in said for word in ("output_config", "output_format", "schema", "structured")):
            return self._looser(known)
        return None

    def _answer(self, envelope: Any) -> Answer:
        if envelope.get("stop_reason") == "refusal":
            raise self._failure("refused", "the model refused to answer")
        usage = envelope.get("usage") or {}
        return Answer(
            cut=envelope.get("stop_reason") == "max_tokens",
            data=None,
            model=str(envelope.get("model") or self._model),
            text="".join(part["text"] for part in envelope["content"] if part.get("type") == "text"),
            tokens_in=count(
                usage.get("input_tokens"),
                usage.get("cache_creation_input_tokens"),
                usage.get("cache_read_input_tokens"),
            ),
            tokens_out=count(usage.get("output_tokens")),
        )
