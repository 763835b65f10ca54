"""Agents that are installed and logged in: asked once, without tools, without a trace in their history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memolith.learn.model.backends.command import Program
from memolith.learn.model.client import Answer, Question
from memolith.learn.model.effort import clamp
from memolith.learn.model.http import count
from memolith.learn.model.schema import parse, strict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memolith.env.settings import Settings
    from memolith.learn.model import child

_MAX_ARGUMENT = 100_000  # Linux takes 128 KiB in one


class _Agent(Program):
    program = ""
    levels: tuple[str, ...] = ()

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        self.name = f"{self.program}:{model}" if model else self.program
        super().__init__(settings, model, env)

    def _chosen(self, flag: str) -> list[str]:
        return [flag, self._model] if self._model else []

    def _effort(self) -> str:
        return clamp(self._settings.text("models.effort"), self.levels)

    def _given(self, text: str, data: Any, usage: tuple[int | None, int | None]) -> Answer:
        return Answer(
            cut=False,
            data=data if isinstance(data, dict) else None,
            model=self.name,
            text=text,
            tokens_in=usage[0],
            tokens_out=usage[1],
        )


class Claude(_Agent):
    """Claude Code: `claude -p`."""

    program = "claude"
    window = 200_000
    levels = ("low", "medium", "high")

    def _argv(self, folder: str, question: Question | None = None) -> Sequence[str]:
        del folder
        argv = ["claude", "-p", "--output-format", "json", "--tools", "", "--setting-sources", ""]
        argv += ["--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"]
        argv += self._chosen("--model")
        if effort := self._effort():
            argv += ["--effort", effort]
        if question:
            argv += ["--json-schema", json.dumps(strict(question.schema))]
            if self._short(question):
                argv += ["--system-prompt", question.system]
        return argv

    def _files(self, question: Question) -> dict[str, str]:
        del question
        return {}

    def _variables(self, folder: str, question: Question) -> dict[str, str]:
        del folder
        return {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(question.max_output)}

    def _input(self, question: Question) -> str:
        return question.user if self._short(question) else f"{question.system}\n\n{question.user}"

    def _short(self, question: Question) -> bool:
        return len(question.system.encode("utf-8", "replace")) < _MAX_ARGUMENT

    def _answer(self, ended: child.Ended) -> Answer:
        said = parse(ended.output) or {}
        if ended.code or said.get("is_error") or "result" not in said:
            raise self._failure(str(said.get("result") or ended.error or ended.output), ended.code)
        usage = said.get("usage") or {}
        read = count(
            usage.get("input_tokens"),
            usage.get("cache_creation_input_tokens"),
            usage.get("cache_read_input_tokens"),
        )
        return self._given(
            str(said["result"]), said.get("structured_output"), (read, count(usage.get("output_tokens")))
        )


class Codex(_Agent):
    """Codex: `codex exec`."""

    program = "codex"
    window = 200_000
    levels = ("low", "medium", "high")

    def _argv(self, folder: str, question: Question | None = None) -> Sequence[str]:
        del question
        argv = ["codex", "exec", "--ephemeral", "--ignore-user-config", "--ignore-rules"]
        argv += ["--skip-git-repo-check", "-s", "read-only", "--json"]
        argv += ["--output-schema", f"{folder}/schema.json", *self._chosen("-m")]
        if effort := self._effort():
            argv += ["-c", f"model_reasoning_effort={json.dumps(effort)}"]
        return [*argv, "-"]

    def _answer(self, ended: child.Ended) -> Answer:
        text = problem = ""
        usage: dict[str, Any] = {}
        for event in filter(None, map(parse, ended.output.splitlines())):
            kind, item = event.get("type"), event.get("item") or {}
            if kind == "item.completed" and item.get("type") == "agent_message":
                text = str(item.get("text") or "")
            elif kind == "turn.completed":
                usage, problem = event.get("usage") or {}, ""
            elif kind in ("turn.failed", "error"):
                problem = str((event.get("error") or event).get("message") or problem or kind)
        if problem or ended.code or not text:
            raise self._failure(problem or ended.error or ended.output, ended.code)
        return self._given(text, None, (count(usage.get("input_tokens")), count(usage.get("output_tokens"))))


class Gemini(_Agent):
    """Gemini CLI: `gemini -p`. It has no schema and no effort; its tools are those a settings file names."""

    program = "gemini"
    window = 1_000_000

    def _argv(self, folder: str, question: Question | None = None) -> Sequence[str]:
        del folder, question
        argv = ["gemini", "-p", "Do what the text above asks.", "--output-format", "json", "-e", "none"]
        return [*argv, "--allowed-mcp-server-names", "none", *self._chosen("-m")]

    def _files(self, question: Question) -> dict[str, str]:
        return {".gemini/settings.json": '{"tools": {"core": ["none"]}}', "system.md": question.system}

    def _variables(self, folder: str, question: Question) -> dict[str, str]:
        del question
        # The directory is ours and empty, and headless it starts in a trusted one only.
        return {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SYSTEM_MD": f"{folder}/system.md"}

    def _input(self, question: Question) -> str:
        return super()._input(question).removeprefix(question.system).lstrip()

    def _answer(self, ended: child.Ended) -> Answer:
        said = parse(ended.output) or {}
        if ended.code or said.get("error") or "response" not in said:
            error = said.get("error") or {}
            raise self._failure(str(error.get("message") or ended.error or ended.output), ended.code)
        models = (said.get("stats") or {}).get("models") or {}
        tokens = [each.get("tokens") or {} for each in models.values() if isinstance(each, dict)]
        made = [each.get(part) for each in tokens for part in ("candidates", "thoughts")]
        return self._given(
            str(said["response"]), None, (count(*[each.get("prompt") for each in tokens]), count(*made))
        )


AGENTS: dict[str, Callable[[Settings, str, Mapping[str, str]], _Agent]] = {
    "claude": Claude,
    "codex": Codex,
    "gemini": Gemini,
}
