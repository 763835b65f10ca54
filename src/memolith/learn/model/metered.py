"""Every request on the ledger: reserved before it is sent, settled whatever comes of it."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from memolith.learn.model.client import Bill, Client, estimate
from memolith.learn.model.replies import Model, ModelError, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator


class Entry(Protocol):
    """A request on the ledger."""

    @property
    def seconds(self) -> float:
        """How long it may take."""


class Ledger(Protocol):
    """What is needed of `ledger.Ledger`."""

    def reserve(
        self, run: str, phase: str, project: str, session: str, model: str, *, tokens: int, seconds: float
    ) -> Any:
        """Note a request that takes at most about so much, and return its Entry; raise at a ceiling."""

    def settle(self, entry: Any, tokens_in: int, tokens_out: int, seconds: float, outcome: str) -> None:
        """Note what it took and what came of it."""


class Metered:
    """A model whose requests are counted one by one, retries and repairs too."""

    def __init__(
        self, model: Model, ledger: Ledger, run: str, phase: str, project: str, session: str = ""
    ) -> None:
        self.name, self.window = model.name, model.window
        self._model, self._ledger = model, ledger
        self._where = (run, phase, project, session)

    def complete(
        self,
        system: str,
        user: str,
        schema: dict[str, Any],
        *,
        max_output: int,
        deadline: float | None = None,
    ) -> Reply:
        """Ask the model; whatever the ledger raises comes through, and then nothing was sent."""
        if isinstance(self._model, Client):
            return self._model.complete(
                system, user, schema, max_output=max_output, deadline=deadline, meter=self
            )
        seconds = math.inf if deadline is None else deadline - time.monotonic()
        with self.request(self.name, estimate(system + user) + max_output, seconds) as bill:
            reply = self._model.complete(system, user, schema, max_output=max_output, deadline=deadline)
            bill.tokens_in, bill.tokens_out = reply.tokens_in, reply.tokens_out
            return reply

    @contextmanager
    def request(self, model: str, tokens: int, seconds: float) -> Iterator[Bill]:
        """Reserve one request, and settle it at the end."""
        entry: Entry = self._ledger.reserve(*self._where, model, tokens=tokens, seconds=seconds)
        bill, started, outcome = Bill(min(seconds, entry.seconds)), time.monotonic(), "interrupted"
        try:
            yield bill
            outcome = "ok"
        except ModelError as error:
            outcome = error.kind
            raise
        finally:
            self._ledger.settle(entry, bill.tokens_in, bill.tokens_out, time.monotonic() - started, outcome)
