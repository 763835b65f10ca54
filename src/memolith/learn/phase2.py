"""Phase 2 from beginning to end: read what is there, propose, check, and write it or let it wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.learn import consolidate, proposals, waiting
from memolith.learn import current as on_disk
from memolith.model import Value
from memolith.store import writeset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memolith.learn.consolidate import Model, Prompts, Proposal
    from memolith.learn.current import Current
    from memolith.learn.merging import Extraction
    from memolith.mem import Mem


class Outcome(Value):
    """What a consolidation did: `written` files, or the number under which it waits, and why."""

    __slots__ = ("held", "kept", "message", "written")
    held: str
    kept: list[str]
    message: str
    written: list[str]


def run(
    mem: Mem,
    extractions: Iterable[Extraction],
    model: Model | None,
    prompts: Prompts | None,
    still_mine: Callable[[], bool] = lambda: True,
    *,
    deadline: float | None = None,
) -> Outcome:
    """Consolidate this project: propose, check, write or hold. After a MemolithError nothing is changed."""
    previous = on_disk.read(mem)
    proposals.refuse_links(previous)
    asked = consolidate.notes(mem)
    proposal = consolidate.propose(
        previous, extractions, asked, model, mem.settings, prompts, deadline=deadline
    )
    return settle(mem, proposal, previous, still_mine)


def settle(
    mem: Mem, proposal: Proposal, previous: Current, still_mine: Callable[[], bool] = lambda: True
) -> Outcome:
    """Write a proposal, or let it wait for a person.

    Statements that read like instructions are not part of it: each waits on its own, to become a lesson.
    """
    verdict = proposals.check(proposal, previous, mem.settings)
    if verdict.problems:
        raise consolidate.ReplyError("; ".join(verdict.problems))
    if verdict.reasons:
        if not still_mine():
            raise writeset.NotMineError("another process has taken this work over; nothing was written")
        _hold_statements(mem, proposal)
        number = waiting.hold(mem, proposal, previous, verdict)
        told = f"waits for review as {number}: " if number else "a person refused this before: "
        return Outcome(held=number, written=[], kept=[], message=told + "; ".join(verdict.reasons))
    done = proposals.commit(mem, proposal, previous, still_mine)
    _hold_statements(mem, proposal)
    message = f"{len(done.changed)} file(s) written" if done.changed else "nothing is different"
    if done.kept:
        message += f"; {', '.join(done.kept)} was changed meanwhile and stays as it is"
    return Outcome(held="", written=done.changed, kept=done.kept, message=message)


def _hold_statements(mem: Mem, proposal: Proposal) -> None:
    outside = mem.from_source("extracted")
    for statement in proposal.held:
        outside.lessons.add(statement)
