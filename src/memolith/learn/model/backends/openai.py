"""Any endpoint with OpenAI's chat/completions: OpenAI, Ollama, LM Studio, vLLM, OpenRouter and others.

Not all of them know all of it. Asked with the strictest form first; what an endpoint names in a complaint is
left away, and remembered.
"""

from __future__ import annotations

from typing import Any

from memolith.learn.model.client import Answer, Question, described
from memolith.learn.model.http import HttpBackend, Known, count, less_effort
from memolith.learn.model.schema import strict


class OpenAI(HttpBackend):
    """A model behind chat/completions."""

    kind = "openai"
    default_url = "https://api.openai.com/v1"
    key_env = "OPENAI_API_KEY"
    path = "/chat/completions"
    forms = ("json_schema", "json_object", "text")

    def _headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _body(self, question: Question, known: Known) -> dict[str, Any]:
        form = self.forms[known.form]
        system = question.system
        body: dict[str, Any] = {"model": self._model}
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
        """Tell which name the limit has: OpenAI's own models want the new one, most others know the old."""
        return self._endpoint.url == self.default_url if known.new_limit is None else known.new_limit

    def _adjusted(self, said: str, known: Known) -> Known | None:
        if "max_tokens" in said or "max_completion_tokens" in said:
            return known.but(new_limit=not self._new_limit(known)) if known.new_limit is None else None
        if "effort" in said:
            return less_effort(known, said)
        if any(word in said for word in ("response_format", "json_schema", "json_object", "schema")):
            return self._looser(known)
        return None

    def _answer(self, envelope: Any) -> Answer:
        choice = envelope["choices"][0]
        message, usage = choice["message"], envelope.get("usage") or {}
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise self._failure("refused", "the model refused to answer")
        return Answer(
            cut=choice.get("finish_reason") == "length",
            data=None,
            model=str(envelope.get("model") or self._model),
            text=_text(message.get("content")),
            tokens_in=count(usage.get("prompt_tokens")),
            tokens_out=count(usage.get("completion_tokens")),
        )


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    return "" if content is None else str(content)
