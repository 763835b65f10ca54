"""Programs that ask a model: run in an empty directory, limited in time and output, gone afterwards.

Such a program has its own process group and no terminal; the group is killed at the deadline, and also after
success, in case a helper is left. MEMOLITH_INTERNAL=1 silences our own hooks in it. The known programs are
agents that are installed and logged in, asked without tools and without a trace in their history;
`models.command` names any other command that reads the prompt and prints the answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from memolith.base.values import Value
from memolith.env import programs
from memolith.env.endpoint import printable
from memolith.env.settings import GUARD
from memolith.learn.model.schema import described, parse, strict
from memolith.learn.model.values import (
    ANTHROPIC_INPUT,
    TOO_LONG,
    Completion,
    Kind,
    ModelError,
    ModelUnavailableError,
    Question,
    nearest_effort,
    sum_counts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memolith.env.settings import Settings

MAX_BYTES = 16 << 20
_GRACE = 0.5  # seconds between SIGTERM and SIGKILL
_LOOK = 0.05  # seconds between polls
_MAX_ARGUMENT = 100_000  # characters; Linux allows 128 KiB per argument
# Variables that tell an agent it runs inside another session; ours is independent.
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")
_SCHEMA = "schema.json"
_BUSY = ("rate limit", "usage limit", "429", "overloaded", "529", "quota", "too many requests")
_LOGIN = ("login", "log in", "logged in", "api key", "authenticat", "unauthorized", "credential")


class Ended(Value):
    """How a program ended. `code` is None if it had to be stopped: `why` is `timeout` or `too_large`."""

    code: int | None
    error: str
    output: str
    why: str


@contextlib.contextmanager
def workplace(files: Mapping[str, str]) -> Iterator[str]:
    """Create a private directory with these files for the duration of the block."""
    with tempfile.TemporaryDirectory(prefix="memolith-", ignore_cleanup_errors=True) as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield folder


class Program(ABC):
    """Base of all programs that ask a model."""

    program = ""
    window = 0

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        self._settings, self._model, self._env = settings, model, env
        self.name = f"{self.program}:{model}" if model else self.program
        self.window = int(settings.number("models.window")) or self.window
        argv = self._argv("")
        program = programs.find(argv[0], settings.root, env) if argv else None
        if program is None:
            found = repr(argv[0]) if argv else "the command"
            raise ModelUnavailableError(f"{self.name}: {found} is not in PATH; {self._advice()}")
        self._program = program

    def ask(self, question: Question, seconds: float) -> Completion:
        """Run the program once."""
        with workplace(self._files(question)) as folder:
            argv = self._argv(folder, question)
            env = _environment(self._env, self._settings.root, self._variables(folder, question))
            try:
                ended = _run(
                    [self._program, *argv[1:]], self._input(question), folder=folder, env=env, seconds=seconds
                )
            except (OSError, ValueError) as error:
                raise ModelError("unavailable", f"{self.name}: cannot be started ({error})") from None
        if ended.why == "timeout":
            raise ModelError("timeout", f"{self.name}: no answer within {seconds:g} seconds; it was stopped")
        if ended.why:
            raise ModelError("too_long", f"{self.name}: it printed too much and was stopped")
        return self._answer(ended)

    @abstractmethod
    def _argv(self, folder: str, question: Question | None = None) -> Sequence[str]:
        """Return the command."""

    @abstractmethod
    def _answer(self, ended: Ended) -> Completion:
        """Parse the output of the program."""

    def _advice(self) -> str:
        return "install it, or name another model in models.default"

    def _files(self, question: Question) -> dict[str, str]:
        return {_SCHEMA: json.dumps(strict(question.schema))}

    def _variables(self, folder: str, question: Question) -> dict[str, str]:
        del folder, question
        return {}

    def _input(self, question: Question) -> str:
        return f"{question.system}\n\n{described(question.schema)}\n\n{question.user}"

    def _failure(self, words: str, code: int | None) -> ModelError:
        """Return the error for a program's output, which tells more than its exit code."""
        lower = words.lower()
        kind: Kind = "server"
        if any(word in lower for word in _BUSY):
            kind = "rate_limited"
        elif any(word in lower for word in TOO_LONG):
            kind = "too_long"
        elif any(word in lower for word in _LOGIN):
            kind = "unavailable"
        shown = printable(words[-2000:]) or "it said nothing"
        return ModelError(kind, f"{self.name}: exit code {code}: {shown}")


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
    """Gemini CLI: `gemini -p`. It has no schema and no effort; a settings file names its tools."""

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
        # Headless, it starts only in a trusted directory; this one is ours and empty.
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


class Command(Program):
    """The command of the setting `models.command`."""

    program = "command"

    def _argv(self, folder: str, question: Question | None = None) -> Sequence[str]:
        del question
        template = self._settings.text("models.command")
        try:
            parts = shlex.split(template)
        except ValueError as error:
            raise ModelUnavailableError(f"models.command = {template!r}: {error}; mend the quotes") from None
        values = {"{schema}": f"{folder}/{_SCHEMA}", "{model}": self._model}
        for mark, value in values.items():
            parts = [part.replace(mark, value) for part in parts]
        return parts

    def _advice(self) -> str:
        return "set models.command to a command that reads a prompt and prints the answer"

    def _answer(self, ended: Ended) -> Completion:
        if ended.code:
            raise self._failure(ended.error or ended.output, ended.code)
        return Completion(ended.output)


def _environment(env: Mapping[str, str], project: str, more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program: of our variables only the guard, and nothing from the project."""
    safe = programs.environment(project, env)
    kept = {key: safe[key] for key in safe if not key.startswith("MEMOLITH_") and key not in _NESTED}
    return {**kept, GUARD: "1", **more}


def _run(argv: Sequence[str], text: str, *, folder: str, env: Mapping[str, str], seconds: float) -> Ended:
    """Run a program in a folder with `text` on its standard input; OSError if it cannot be started."""
    deadline = time.monotonic() + max(seconds - _GRACE, seconds / 2)  # reserve time to end it
    # Files, not pipes: it may read late or never, and a helper may keep its output open.
    with contextlib.ExitStack() as stack:
        prompt, output, error = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        prompt.write(text.encode("utf-8", "replace"))
        prompt.seek(0)
        process = subprocess.Popen(
            argv, stdin=prompt, stdout=output, stderr=error, cwd=folder, env=env, start_new_session=True
        )
        try:
            why = _watch(process, (output, error), deadline)
        finally:
            if not _has_ended(process):
                _signal(process, signal.SIGTERM)
                _wait(process, _GRACE)
            _signal(process, signal.SIGKILL)
            code = process.wait()
        return Ended(code=None if why else code, error=_text(error), output=_text(output), why=why)


def _watch(process: subprocess.Popen[bytes], files: Sequence[IO[bytes]], deadline: float) -> str:
    """Wait for a program to end; return why it must be stopped, or an empty text."""
    while True:
        ended = _has_ended(process)
        if sum(os.fstat(file.fileno()).st_size for file in files) > MAX_BYTES:
            return "too_large"
        if ended:
            return ""
        if time.monotonic() >= deadline:
            return "timeout"
        _wait(process, min(_LOOK, deadline - time.monotonic()))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MAX_BYTES).decode("utf-8", "replace")


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it ended, without reaping it: until it is reaped, its group's number cannot be reused."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    end = time.monotonic() + seconds
    pause = 0.001
    while not _has_ended(process) and (left := end - time.monotonic()) > 0:
        time.sleep(min(pause, left))
        pause = min(pause * 2, _LOOK)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
