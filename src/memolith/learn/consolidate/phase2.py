"""Phase 2 from beginning to end: read what is there, propose, check, and write it or let it wait."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from memolith.base.errors import ConflictError
from memolith.base.values import Value
from memolith.learn.consolidate import consolidate, proposals, waiting
from memolith.learn.consolidate import current as on_disk
from memolith.memory import review
from memolith.store import writeset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from memolith.learn.consolidate.consolidate import Proposal
    from memolith.learn.consolidate.current import Current
    from memolith.learn.consolidate.statements import Extraction
    from memolith.learn.model.asking import Answer, Model, Prompts
    from memolith.learn.queue.queue import Fence
    from memolith.memory.home import Home


# How often a person may save while we try to write.
_ROUNDS = 5


class Outcome(Value):
    """What a consolidation did: `written` files, or the number under which it waits, and why."""

    held: str
    kept: list[str]
    message: str
    written: list[str]


def run(
    home: Home,
    extractions: Iterable[Extraction],
    model: Model | None,
    prompts: Prompts | None,
    still_mine: Callable[[], bool] = lambda: True,
    *,
    fence: Callable[[], AbstractContextManager[Fence | None]] = nullcontext,
    deadline: float | None = None,
) -> Outcome:
    """Consolidate this project: propose, check, write or hold. After a MemolithError nothing is changed.

    `fence` is entered around the writing only, not around the request. What a person changes meanwhile is
    seen: the answer is looked at again with their text, without a second request.
    """
    given = list(extractions)
    once = None if model is None else _Once(model)
    for left in range(_ROUNDS - 1, -1, -1):
        previous = on_disk.read(home)
        proposals.refuse_links(previous)
        asked = consolidate.notes(home)
        proposal = consolidate.propose(
            previous, given, asked, once, home.settings, prompts, deadline=deadline
        )
        try:
            with fence() as work:
                outcome = settle(home, proposal, previous, still_mine)
                if work is not None:
                    work.outcome, work.sessions = outcome.message, proposal.sessions
                return outcome
        except ConflictError:
            if not left:
                raise
    raise AssertionError


class _Once:
    """A model that is asked once, however often its answer is needed."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.window = model.window
        self._reply: Answer | None = None

    def complete(
        self,
        system: str,
        user: str,
        schema: dict[str, object],
        *,
        max_output: int,
        deadline: float | None,
    ) -> Answer:
        """Return the model's answer, or the one that it gave."""
        if self._reply is None:
            self._reply = self._model.complete(system, user, schema, max_output=max_output, deadline=deadline)
        return self._reply


def settle(
    home: Home, proposal: Proposal, previous: Current, still_mine: Callable[[], bool] = lambda: True
) -> Outcome:
    """Write a proposal, or let it wait for a person.

    Statements from outside are not part of it: each waits on its own, to become a lesson.
    """
    verdict = proposals.check(proposal, previous, home.settings)
    if verdict.problems:
        raise consolidate.ReplyError("; ".join(verdict.problems))
    if verdict.reasons:
        if not still_mine():
            raise writeset.NotMineError("another process has taken this work over; nothing was written")
        _hold_statements(home, proposal)
        number = waiting.hold(home, proposal, previous, verdict)
        told = f"waits for review as {number}: " if number else "a person refused this before: "
        return Outcome(held=number, written=[], kept=[], message=told + "; ".join(verdict.reasons))
    done = proposals.commit(home, proposal, previous, still_mine)
    _hold_statements(home, proposal)
    message = f"{len(done.changed)} file(s) written" if done.changed else "nothing is different"
    if done.kept:
        message += f"; {', '.join(done.kept)} was changed meanwhile and stays as it is"
    return Outcome(held="", written=done.changed, kept=done.kept, message=message)


def _hold_statements(home: Home, proposal: Proposal) -> None:
    outside = home.from_source("extracted")
    for statement in proposal.held:
        review.hold(outside, "lessons.add", statement, {}, user_wide=False)
