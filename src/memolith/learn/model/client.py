"""Asking a model until there is a usable answer: one deadline, patience with a busy service, one repair.

The last place before a text leaves the machine: secrets in it are masked here, whoever wrote it. What comes
back satisfies the schema, so nobody checks its form again.
"""

from __future__ import annotations

import random
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from memolith.learn.model import schema as schemas
from memolith.learn.model.values import AdjustedError, ModelError, Question, Reply, estimate
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.learn.model.values import Backend, Completion
    from memolith.learn.queue.ledger import Ledger

PATIENCE = 3  # times the time-out of one request, where the caller sets no deadline
TRIES = 3  # requests that may fail because the service is busy or broken
ADJUSTMENTS = 8  # requests that may fail because the service lacks something that can be left away


class Bill:
    """What one request may take, and what it took, filled in while it runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.tokens_in = self.tokens_out = 0


class Meter:
    """Puts every request on the ledger, retries and repairs too: reserved before it is sent, then settled."""

    def __init__(self, ledger: Ledger, run: str, phase: str, project: str, session: str = "") -> None:
        self._ledger, self._where = ledger, (run, phase, project, session)

    @contextmanager
    def request(self, model: str, tokens: int, seconds: float) -> Iterator[Bill]:
        """Reserve a request (upper bound in tokens, seconds); the Bill carries its deadline.

        Whatever the ledger raises comes through, and then nothing is sent.
        """
        entry = self._ledger.reserve(*self._where, model, tokens=tokens, seconds=seconds)
        bill, started, outcome = Bill(min(seconds, entry.seconds)), time.monotonic(), "interrupted"
        try:
            yield bill
            outcome = "ok"
        except ModelError as error:
            outcome = error.kind
            raise
        finally:
            self._ledger.settle(entry, bill.tokens_in, bill.tokens_out, time.monotonic() - started, outcome)


class Client:
    """A model: a back-end with patience, and a meter if its requests are counted."""

    def __init__(
        self, backend: Backend, *, timeout: float = 120.0, pause: float = 0.5, meter: Meter | None = None
    ) -> None:
        self.name, self.window = backend.name, backend.window
        self._backend, self._timeout, self._pause, self._meter = backend, timeout, pause, meter

    def metered(self, meter: Meter) -> Client:
        """Return the same model with its requests counted."""
        return Client(self._backend, timeout=self._timeout, pause=self._pause, meter=meter)

    def complete(
        self,
        system: str,
        user: str,
        schema: dict[str, Any],
        *,
        max_output: int,
        deadline: float | None = None,
    ) -> Reply:
        """Return an object that satisfies `schema`; ModelError otherwise.

        `deadline` is a time of `time.monotonic()`. `system` holds instructions and nothing private: some
        agents take it on their command line.
        """
        # The mark that keeps a line as it is counts for memory, which stays here.
        question = Question(
            system=redact(system).text, user=redact(user).text, schema=schema, max_output=max_output
        )
        if self.window and question.tokens + max_output > self.window:
            raise ModelError(
                "too_long",
                f"{self.name}: about {question.tokens:,} tokens and {max_output:,} for the answer do not fit "
                f"into its window of {self.window:,}; send less",
            )
        started = time.monotonic()
        end = started + PATIENCE * self._timeout if deadline is None else deadline
        run = _Run(self._backend, self._meter, end, self._timeout)
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
                time.sleep(wait)


class _UnusableError(ModelError):
    """A reply came, and it is not what was asked for."""

    def __init__(self, message: str) -> None:
        super().__init__("malformed", message)


class _Run:
    """The requests for one answer."""

    def __init__(self, backend: Backend, meter: Meter | None, end: float, timeout: float) -> None:
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
        metered = self._meter.request(self._backend.name, tokens, seconds) if self._meter else None
        with metered or nullcontext(Bill(seconds)) as bill:
            try:
                completion = self._backend.ask(question, bill.seconds)
            except ModelError as error:
                if error.kind in ("timeout", "refused"):  # it was read all the same
                    self._count(bill, question.tokens, 0)
                raise
            text = completion.text if completion.data is None else str(completion.data)
            tokens_in, tokens_out = completion.tokens_in, completion.tokens_out
            self._count(
                bill,
                question.tokens if tokens_in is None else tokens_in,
                estimate(text) if tokens_out is None else tokens_out,
            )
            self.model = completion.model
            return _understood(completion, question)

    def _count(self, bill: Bill, tokens_in: int, tokens_out: int) -> None:
        bill.tokens_in, bill.tokens_out = tokens_in, tokens_out
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


def _understood(completion: Completion, question: Question) -> dict[str, Any]:
    try:
        if completion.data is not None:
            return schemas.check(completion.data, question.schema)
        return schemas.understand(completion.text, question.schema)
    except schemas.ReplyError as error:
        cut = f"the reply was cut off after {question.max_output:,} tokens"
        raise _UnusableError(cut if completion.cut else str(error)) from None


def _repaired(question: Question, problem: str) -> Question:
    shorter = " Make it much shorter." if "cut off" in problem else ""
    user = (
        f"{question.user}\n\n# Once more\n\nAn earlier reply to this could not be used: {problem}.{shorter}\n"
        f"{schemas.described(question.schema)}"
    )
    return question.but(user=user)
