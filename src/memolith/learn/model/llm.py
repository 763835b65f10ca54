"""Choosing a model by the settings, and asking it until there is a usable answer.

Roles: `default` extracts, `smol` consolidates and falls back to `default`. `auto` means the agent of the
session if it is installed here, else the first that is. No model is asked unless a person's own settings
name one; a project's file cannot (`config.PROJECT_KEYS`).

`Client.complete` is the last step before a text leaves the machine: it masks secrets, whoever wrote the text.
It has one deadline, retries while a service is busy, and asks once for a repair; the result satisfies the
schema, so callers need not check it.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from memolith.base.errors import ConfigError
from memolith.env import programs
from memolith.learn.model import schema as schemas
from memolith.learn.model.http import Anthropic, OpenAI
from memolith.learn.model.program import AGENTS, Command
from memolith.learn.model.values import AdjustedError, ModelError, ModelUnavailableError, Question, estimate
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.env.settings import Settings
    from memolith.learn.model.values import Backend, Completion
    from memolith.learn.queue.ledger import Ledger

    About = tuple[str, str, str, str]  # run, phase, project, session of a request

TRIES = 3  # attempts while the service is busy or broken
ADJUSTMENTS = 8  # attempts to leave out a feature that the service lacks


def is_wanted(settings: Settings, role: str) -> bool:
    """Whether the settings name a model for a role, of whatever use; otherwise only rules do its work."""
    return _named(settings, role) != "none"


def called(settings: Settings) -> str:
    """Return the models of both roles in words: `none` if only rules learn."""
    extracts, consolidates = _named(settings, "default"), _named(settings, "smol")
    return extracts if extracts == consolidates else f"{extracts}; consolidation: {consolidates}"


def _named(settings: Settings, role: str) -> str:
    own = settings.text("models.smol").strip() if role == "smol" else ""
    return own or settings.text("models.default").strip() or "none"


def why_not(settings: Settings, role: str, env: Mapping[str, str] = os.environ) -> str:
    """Return why there is no model for a role; empty if there is one."""
    try:
        find(settings, role, env)
    except ModelUnavailableError as error:
        return str(error)
    return ""


def find(settings: Settings, role: str, env: Mapping[str, str] = os.environ, *, agent: str = "") -> Backend:
    """Return the model for a role; `auto` prefers the `agent` of the session.

    ModelUnavailableError if there is none, with the reason.
    """
    problems: list[str] = []
    for key in ["models.smol", "models.default"] if role == "smol" else ["models.default"]:
        value = settings.text(key).strip()
        if not value:
            continue
        try:
            return _backend(settings, key, value, env, agent)
        except ConfigError as error:
            problems.append(str(error))
        if value == "none":
            break
    raise ModelUnavailableError(problems[0])


def _backend(settings: Settings, key: str, value: str, env: Mapping[str, str], agent: str) -> Backend:
    kind, _, model = value.partition(":")
    if kind == "none":
        raise ModelUnavailableError(f"{key} is none: only rules learn; name a model there to use one")
    if kind == "auto":
        kind = _installed(key, agent, env, settings.root)
    if kind in ("openai", "anthropic"):
        if not model:
            raise ModelUnavailableError(f"{key} = {value!r} names no model; write {kind}:MODEL")
        return (OpenAI if kind == "openai" else Anthropic)(settings, model, env)
    if kind in AGENTS:
        return AGENTS[kind](settings, model, env)
    if kind == "command":
        return Command(settings, model, env)
    raise ModelUnavailableError(
        f"{key} = {value!r} is unknown; one of none, auto, openai:MODEL, anthropic:MODEL, "
        f"{', '.join(AGENTS)}, command"
    )


def _installed(key: str, agent: str, env: Mapping[str, str], project: str) -> str:
    for name in dict.fromkeys([agent, *AGENTS]):
        if name in AGENTS and programs.find(name, project, env):
            return name
    raise ModelUnavailableError(f"{key} is auto, and none of {', '.join(AGENTS)} is in PATH; install one")


class Client:
    """A back-end with retries; the ledger has every request, retries and repairs included."""

    def __init__(
        self, backend: Backend, ledger: Ledger, about: About, *, timeout: float, pause: float = 0.5
    ) -> None:
        self.name, self.window = backend.name, backend.window
        self._backend, self._ledger, self._about = backend, ledger, about
        self._timeout, self._pause = timeout, pause

    def complete(
        self, system: str, user: str, schema: dict[str, Any], *, max_output: int, deadline: float
    ) -> dict[str, Any]:
        """Return an object that satisfies `schema`; ModelError otherwise, CeilingError at a spending ceiling.

        `deadline` is a value of `time.monotonic()`. `system` holds only instructions, nothing private: some
        agents take it on their command line.
        """
        # The mark that exempts a line from masking applies to local memory only.
        question = Question(
            system=redact(system).text, user=redact(user).text, schema=schema, max_output=max_output
        )
        if not self._fits(question):
            raise ModelError(
                "too_long",
                f"{self.name}: about {question.most_tokens:,} tokens and {max_output:,} for the answer do "
                f"not fit into its window of {self.window:,}; send less",
            )
        failures: Counter[str] = Counter()
        try:
            return self._patiently(question, deadline, failures)
        except _UnusableError as error:
            question = self._repaired(question, str(error))
            if not self._fits(question):
                raise ModelError("malformed", f"{self.name}: {error}; nothing was learned") from None
        try:
            return self._patiently(question, deadline, failures)
        except _UnusableError as error:
            raise ModelError("malformed", f"{self.name}: {error}, twice; nothing was learned") from None

    def fits(self, system: str, user: str, schema: dict[str, Any], *, max_output: int) -> bool:
        """Whether a request and its answer fit into the model's window; one that does not is never sent."""
        return self._fits(Question(system=system, user=user, schema=schema, max_output=max_output))

    def _fits(self, question: Question) -> bool:
        return not self.window or question.most_tokens + question.max_output <= self.window

    def _repaired(self, question: Question, problem: str) -> Question:
        """Return a question once more, with what was wrong; with twice the room if the answer was cut off."""
        shorter = " Make it much shorter." if "cut off" in problem else ""
        wrong = f"An earlier reply to this could not be used: {problem}.{shorter}"
        user = f"{question.user}\n\n# Once more\n\n{wrong}\n{schemas.described(question.schema)}"
        again = question.but(user=user)
        longer = again.but(max_output=2 * question.max_output)
        return next((each for each in (longer, again) if shorter and self._fits(each)), again)

    def _patiently(self, question: Question, deadline: float, failures: Counter[str]) -> dict[str, Any]:
        """Retry until there is an answer; `failures` counts across the question and its repair."""
        while True:
            try:
                return self._ask(question, deadline)
            except AdjustedError:
                failures["adjusted"] += 1
                if failures["adjusted"] > ADJUSTMENTS:
                    raise
            except ModelError as error:
                if error.kind not in ("rate_limited", "server"):
                    raise
                failures["busy"] += 1
                wait = error.retry_after
                if wait is None:
                    wait = self._pause * 2 ** (failures["busy"] - 1) * (1 + random.random() / 2)  # noqa: S311
                if failures["busy"] >= TRIES or wait >= deadline - time.monotonic():
                    raise
                time.sleep(wait)

    def _ask(self, question: Question, deadline: float) -> dict[str, Any]:
        """Send one request: reserve it on the ledger first, settle it afterwards."""
        started = time.monotonic()
        seconds = min(deadline - started, self._timeout)
        if seconds <= 0:
            raise ModelError("timeout", f"{self.name}: the time for it is over")
        tokens = question.tokens + question.max_output
        entry = self._ledger.reserve(*self._about, self.name, tokens=tokens, seconds=seconds)
        outcome, tokens_in, tokens_out = "interrupted", 0, 0
        try:
            completion = self._backend.ask(question, entry.seconds)
            text = completion.text if completion.data is None else str(completion.data)
            counted = completion.tokens_in, completion.tokens_out
            tokens_in = question.tokens if counted[0] is None else counted[0]
            tokens_out = estimate(text) if counted[1] is None else counted[1]
            data = _understood(completion, question)
            outcome = "ok"
        except ModelError as error:
            outcome = error.kind
            if outcome in ("timeout", "refused"):  # the service read the prompt all the same
                tokens_in = question.tokens
            raise
        finally:
            self._ledger.settle(entry, tokens_in, tokens_out, time.monotonic() - started, outcome)
        return data


class _UnusableError(ModelError):
    """A reply arrived but does not satisfy the schema."""

    def __init__(self, message: str) -> None:
        super().__init__("malformed", message)


def _understood(completion: Completion, question: Question) -> dict[str, Any]:
    try:
        if completion.data is not None:
            return schemas.check(completion.data, question.schema)
        return schemas.understand(completion.text, question.schema)
    except schemas.ReplyError as error:
        cut = f"the reply was cut off after {question.max_output:,} tokens"
        raise _UnusableError(cut if completion.cut else str(error)) from None
