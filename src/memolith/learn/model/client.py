"""Asking a model until there is a usable answer: one deadline, patience with a busy service, one repair.

The last place before a text leaves the machine: secrets in it are masked here, whoever wrote it.
"""

from __future__ import annotations

import random
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from memolith.base.values import Value
from memolith.learn.model import schema as schemas
from memolith.learn.model.replies import ModelError, Reply
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 3  # times the time-out of one request, where the caller sets no deadline
TRIES = 3  # requests that may fail because the service is busy or broken
ADJUSTMENTS = 8  # requests that may fail because the service lacks something that can be left away
CHARS_PER_TOKEN = 4


class Question(Value):
    """One request."""

    max_output: int
    schema: dict[str, Any]
    system: str
    user: str

    @property
    def tokens(self) -> int:
        """Estimate what the input takes."""
        return estimate(self.system + self.user)


class Answer(Value):
    """What came back: text, or the object itself. Tokens are None where nobody counted them."""

    cut: bool  # it ends where the limit was
    data: dict[str, Any] | None
    model: str
    text: str
    tokens_in: int | None
    tokens_out: int | None


class AdjustedError(ModelError):
    """The service lacks something; the next request goes without it."""

    def __init__(self, message: str) -> None:
        super().__init__("unavailable", message)


class Backend(Protocol):
    """One way to reach a model. Each call of `ask` is one request."""

    name: str
    window: int

    def ask(self, question: Question, seconds: float) -> Answer:
        """Send one request; ModelError if no answer came within `seconds`."""


class Bill:
    """What one request may take, and what it took, filled in while it runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.tokens_in = self.tokens_out = 0


class Meter(Protocol):
    """Whoever counts requests. Entering may raise, and then nothing is sent."""

    def request(self, model: str, tokens: int, seconds: float) -> AbstractContextManager[Bill]:
        """Begin a request that takes at most about so much; the bill says how long it may take."""


class _Unmetered:
    def request(self, model: str, tokens: int, seconds: float) -> AbstractContextManager[Bill]:
        del model, tokens
        return nullcontext(Bill(seconds))


class Client:
    """A back-end with patience. This is the Model that `llm.choose` gives."""

    def __init__(
        self,
        backend: Backend,
        *,
        timeout: float = 120.0,
        pause: float = 0.5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self.window = backend.name, backend.window
        self._backend, self._timeout, self._pause, self._sleep = backend, timeout, pause, sleep

    def complete(
        self,
        system: str,
        user: str,
        schema: dict[str, Any],
        *,
        max_output: int,
        deadline: float | None = None,
        meter: Meter | None = None,
    ) -> Reply:
        """Return an object that satisfies `schema`; see `llm.Model`."""
        question = Question(
            system=sendable(system), user=sendable(user), schema=schema, max_output=max_output
        )
        if self.window and question.tokens + max_output > self.window:
            raise ModelError(
                "too_long",
                f"{self.name}: about {question.tokens:,} tokens and {max_output:,} for the answer do not fit "
                f"into its window of {self.window:,}; send less",
            )
        started = time.monotonic()
        end = started + PATIENCE * self._timeout if deadline is None else deadline
        run = _Run(self._backend, meter or _Unmetered(), end, self._timeout)
        try:
            data = self._patiently(run, question)
        except _UnusableError as error:
            try:
                data = self._patiently(run, _repaired(question, str(error)))
            except _UnusableError as again:
                raise ModelError("malformed", f"{self.name}: {again}, twice; nothing was learned") from None
        return Reply(
            data=data,
            model=run.model or self.name,
            seconds=time.monotonic() - started,
            tokens_in=run.tokens_in,
            tokens_out=run.tokens_out,
        )

    def _patiently(self, run: _Run, question: Question) -> dict[str, Any]:
        while True:
            try:
                return run.ask(question)
            except AdjustedError:
                run.adjustments += 1
                if run.adjustments > ADJUSTMENTS:
                    raise
            except ModelError as error:
                if error.kind not in ("rate_limited", "server"):
                    raise
                run.failures += 1
                wait = error.retry_after
                if wait is None:
                    wait = self._pause * 2 ** (run.failures - 1) * (1 + random.random() / 2)  # noqa: S311
                if run.failures >= TRIES or wait >= run.left:
                    raise
                self._sleep(wait)


class _UnusableError(ModelError):
    """A reply came, and it is not what was asked for."""

    def __init__(self, message: str) -> None:
        super().__init__("malformed", message)


class _Run:
    """The requests for one answer."""

    def __init__(self, backend: Backend, meter: Meter, end: float, timeout: float) -> None:
        self._backend, self._meter, self._end, self._timeout = backend, meter, end, timeout
        self.adjustments = self.failures = self.tokens_in = self.tokens_out = 0
        self.model = ""

    @property
    def left(self) -> float:
        return self._end - time.monotonic()

    def ask(self, question: Question) -> dict[str, Any]:
        seconds = min(self.left, self._timeout)
        if seconds <= 0:
            raise ModelError("timeout", f"{self._backend.name}: the time for it is over")
        tokens = question.tokens + question.max_output
        with self._meter.request(self._backend.name, tokens, seconds) as bill:
            try:
                answer = self._backend.ask(question, bill.seconds)
            except ModelError as error:
                if error.kind in ("timeout", "refused"):  # it was read all the same
                    self._count(bill, question.tokens, 0)
                raise
            text = answer.text if answer.data is None else str(answer.data)
            given, made = answer.tokens_in, answer.tokens_out
            self._count(
                bill,
                question.tokens if given is None else given,
                estimate(text) if made is None else made,
            )
            self.model = answer.model
            return _understood(answer, question)

    def _count(self, bill: Bill, tokens_in: int, tokens_out: int) -> None:
        bill.tokens_in, bill.tokens_out = tokens_in, tokens_out
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


def _understood(answer: Answer, question: Question) -> dict[str, Any]:
    try:
        if answer.data is not None:
            return schemas.check(answer.data, question.schema)
        return schemas.understand(answer.text, question.schema)
    except schemas.ReplyError as error:
        why = f"the reply was cut off after {question.max_output:,} tokens" if answer.cut else str(error)
        raise _UnusableError(why) from None


def _repaired(question: Question, problem: str) -> Question:
    shorter = " Make it much shorter." if "cut off" in problem else ""
    user = (
        f"{question.user}\n\n# Once more\n\nAn earlier reply to this could not be used: {problem}.{shorter}\n"
        f"{described(question.schema)}"
    )
    return question.but(user=user)


def described(schema: dict[str, Any]) -> str:
    """Return what to tell a model that is not bound to a schema."""
    import json

    return (
        "Reply with one JSON object and nothing else: no code fence, no text around it. It satisfies this"
        f" JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )


def estimate(text: str) -> int:
    """Estimate tokens the way the ceilings count them."""
    return -(-len(text) // CHARS_PER_TOKEN)


def sendable(text: str) -> str:
    """Return a text with its secrets masked.

    The mark that keeps a line as it is counts for memory, which stays here; and a session in JSON may be one
    line.
    """
    return redact(text).text
