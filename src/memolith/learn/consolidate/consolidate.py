"""Consolidation from start to finish: read the current files, propose, check, then write or hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.errors import ConflictError
from memolith.base.values import Value
from memolith.learn.consolidate import current as on_disk
from memolith.learn.consolidate import draft, proposals, sources
from memolith.text.budget import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from memolith.learn.consolidate.current import Current
    from memolith.learn.consolidate.draft import Proposal
    from memolith.learn.model.llm import Client
    from memolith.learn.queue.queue import Extraction, Fence
    from memolith.memory.home import Home

# Retries after a person's save during our write.
_ROUNDS = 5


class Outcome(Value):
    """What a consolidation did; `held` is the id of the waiting proposal."""

    held: str
    message: str


def run(
    home: Home,
    extractions: Iterable[Extraction],
    model: Client | None,
    *,
    fence: Callable[[], AbstractContextManager[Fence]],
    deadline: float,
) -> Outcome:
    """Consolidate this project: propose, check, write or hold. After a MemolithError nothing is changed.

    `fence` surrounds only the writing, not the request. If a person changes a file meanwhile,
    the same answer is checked against their text, without a second request.
    """
    given = list(extractions)
    gone = sources.gone(home)
    writer = None if model is None else draft.Writer(model, home, deadline)
    for left in range(_ROUNDS - 1, -1, -1):
        previous = on_disk.read(home)
        proposals.refuse_links(previous)
        told = sources.accepted(given, home)
        drafts = draft.draft(previous, told, sources.lessons(home), writer, home.settings, gone)
        try:
            with fence() as work:
                outcome = _settle(home, drafts, previous)
                work.outcome, work.sessions = outcome.message, drafts[0].sessions
                return outcome
        except ConflictError:
            if not left:
                raise
    raise AssertionError


def _settle(home: Home, drafts: list[Proposal], previous: Current) -> Outcome:
    """Write what somebody said, and hold for a person what nobody did or what loses too much."""
    proposal = drafts[0]
    if proposals.check(proposal, previous, home.settings):
        return _held(home, drafts[-1], previous)
    done = proposals.commit(home, proposal, previous)
    message = f"{plural(len(done.changed), 'file')} written" if done.changed else "nothing is different"
    if done.kept:
        message += f"; {', '.join(done.kept)} was changed meanwhile and stays as it is"
    if len(drafts) == 1:
        return Outcome(held="", message=message)
    now = on_disk.read(home)
    waits = _held(home, drafts[1], now)
    return waits.but(message=f"{message}; {waits.message}")


def _held(home: Home, proposal: Proposal, previous: Current) -> Outcome:
    reasons = proposals.check(proposal, previous, home.settings)
    waits_as = proposals.hold(home, proposal, previous, reasons)
    state = f"waits for review as {waits_as}: " if waits_as else "a person refused this before: "
    return Outcome(held=waits_as, message=state + "; ".join(reasons))
