"""Any command: it reads the prompt on standard input and prints the answer."""

from __future__ import annotations

import json
import shlex
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from memolith.env import programs
from memolith.env.endpoint import printable
from memolith.learn.model import child
from memolith.learn.model.client import Answer, Question, described
from memolith.learn.model.replies import ModelError, ModelUnavailableError
from memolith.learn.model.schema import strict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memolith.env.settings import Settings

_SCHEMA = "schema.json"
_BUSY = ("rate limit", "usage limit", "429", "overloaded", "529", "quota", "too many requests")
_LOGIN = ("login", "log in", "logged in", "api key", "authenticat", "unauthorized", "credential")
_LONG = ("prompt is too long", "context window", "context length", "context_length")


class Program(ABC):
    """What all programs that ask a model share."""

    name = ""
    window = 0

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        self._settings, self._model, self._env = settings, model, env
        self.window = int(settings.number("models.window")) or self.window
        argv = self._argv("")
        program = programs.find(argv[0], settings.root, env) if argv else None
        if program is None:
            found = repr(argv[0]) if argv else "the command"
            raise ModelUnavailableError(f"{self.name}: {found} is not in PATH; {self._advice()}")
        self._program = program

    def ask(self, question: Question, seconds: float) -> Answer:
        """Run the program once."""
        with child.workplace(self._files(question)) as folder:
            argv = self._argv(folder, question)
            env = child.environment(self._env, self._settings.root, **self._variables(folder, question))
            try:
                ended = child.run(
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
    def _answer(self, ended: child.Ended) -> Answer:
        """Return what the program said."""

    def _advice(self) -> str:
        return "install it, or name another model in models.default"

    def _files(self, question: Question) -> dict[str, str]:
        return {_SCHEMA: json.dumps(strict(question.schema))}

    def _variables(self, folder: str, question: Question) -> dict[str, str]:
        del folder, question
        return {}

    def _input(self, question: Question) -> str:
        return f"{question.system}\n\n{described(question.schema)}\n\n{question.user}"

    def _failure(self, said: str, code: int | None) -> ModelError:
        """Return the error for what a program said; its words tell more than its exit code."""
        lower = said.lower()
        kind = "server"
        for words, means in ((_BUSY, "rate_limited"), (_LONG, "too_long"), (_LOGIN, "unavailable")):
            if any(word in lower for word in words):
                kind = means
                break
        shown = printable(said[-2000:]) or "it said nothing"
        return ModelError(kind, f"{self.name}: exit code {code}: {shown}")


class Command(Program):
    """The command of the setting `models.command`."""

    def __init__(self, settings: Settings, model: str, env: Mapping[str, str]) -> None:
        self.name = f"command:{model}" if model else "command"
        super().__init__(settings, model, env)

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

    def _answer(self, ended: child.Ended) -> Answer:
        if ended.code:
            raise self._failure(ended.error or ended.output, ended.code)
        return Answer(
            cut=False, data=None, model=self.name, text=ended.output, tokens_in=None, tokens_out=None
        )
