"""Agents that are installed and logged in: asked once, without tools, without a trace in their history."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memolith.learn.model.command import Program
from memolith.learn.model.schema import parse, strict
from memolith.learn.model.values import ANTHROPIC_INPUT, Completion, Question, nearest_effort, sum_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.learn.model.command import Ended

_MAX_ARGUMENT = 100_000  # Linux takes 128 KiB in one


class _Agent(Program):
    levels: tuple[str, ...] = ()

    def _chosen(self, flag: str) -> list[str]:
        return [flag, self._model] if self._model else []

    def _effort(self) -> str:
        return nearest_effort(self._settings.text("models.effort"), self.levels)


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

    def _answer(self, ended: Ended) -> Completion:
        reply = parse(ended.output) or {}
        if ended.code or reply.get("is_error") or "result" not in reply:
            raise self._failure(str(reply.get("result") or ended.error or ended.output), ended.code)
        usage = reply.get("usage") or {}
        read = sum_counts(*map(usage.get, ANTHROPIC_INPUT))
        written, data = sum_counts(usage.get("output_tokens")), reply.get("structured_output")
        return Completion(str(reply["result"]), read, written, data=data if isinstance(data, dict) else None)


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

    def _answer(self, ended: Ended) -> Completion:
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
        read, written = sum_counts(usage.get("input_tokens")), sum_counts(usage.get("output_tokens"))
        return Completion(text, read, written)


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

    def _answer(self, ended: Ended) -> Completion:
        reply = parse(ended.output) or {}
        if ended.code or reply.get("error") or "response" not in reply:
            error = reply.get("error") or {}
            raise self._failure(str(error.get("message") or ended.error or ended.output), ended.code)
        models = (reply.get("stats") or {}).get("models") or {}
        tokens = [each.get("tokens") or {} for each in models.values() if isinstance(each, dict)]
        read = sum_counts(*[each.get("prompt") for each in tokens])
        written = sum_counts(*[each.get(part) for each in tokens for part in ("candidates", "thoughts")])
        return Completion(str(reply["response"]), read, written)


AGENTS: dict[str, type[_Agent]] = {each.program: each for each in (Claude, Codex, Gemini)}
