"""`memolith learn`: what sessions taught, what that cost, and why something was not learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, PartialError
from memolith.edges.cli import output, progress
from memolith.edges.cli.app import Group, cli, opened

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_session = click.argument("session", required=False, metavar="[SESSION]")


@cli.group(cls=Group)
def learn() -> None:
    """Learn from finished sessions. Off until `memolith config set memories.enabled true`."""


@learn.command("run")
@click.option("--phase", metavar="1|2", help="Only extract (1), or only consolidate (2).")
@click.option("--force", is_flag=True, help="Also sessions that are not idle yet, and without a pause.")
@click.option("--model", metavar="MODEL", help="Instead of models.default; `none` learns by rules.")
@opened
def run_learning(mem: Mem, phase: str | None, force: bool, model: str | None) -> Answer:
    """Extract what finished sessions teach and bring it into MEMORY.md.

    Any number of these may run at once. Without a model, only what was said in so many words is learned.

    \b
    memolith learn run
    memolith learn run --force --model none
    memolith learn run --phase 2
    """
    if phase not in (None, "1", "2"):
        raise InputError(f"--phase {phase!r}: must be 1 or 2")
    only = int(phase) if phase else None
    report = mem.learning.run(phase=only, force=force, model=model, progress=progress.bar("sessions"))
    if report.failed:
        why = "a part of it failed and is done by a later run; `memolith learn why` says what happened"
        return report.as_dict(), str(report), PartialError(why)
    return report.as_dict(), str(report)


@learn.command("status")
@opened
def show_status(mem: Mem) -> Answer:
    """Show whether learning is on, what waits, what failed, and what today cost.

    \b
    memolith learn status
    """
    found = mem.learning.status()
    return found.as_dict(), "\n".join(found.lines(mem.settings))


@learn.command("why")
@_session
@opened
def explain(mem: Mem, session: str | None) -> Answer:
    """Say for each session what was learned from it, or why nothing was.

    \b
    memolith learn why
    memolith learn why claude-3f2a
    """
    reasons = mem.learning.why(session)
    fields: dict[str, object] = {"sessions": [{"name": name, "why": why} for name, why in reasons.items()]}
    if not reasons:
        nothing = "no sessions are stored for this project; `memolith session add` stores one"
        return fields, output.Note(nothing)
    return fields, "\n".join(f"{name}: {why}" for name, why in reasons.items())


@learn.command("enqueue")
@_session
@opened
def enqueue(mem: Mem, session: str | None) -> Answer:
    """Let the next run learn from a session again, or without one consolidate though nothing is new.

    \b
    memolith learn enqueue
    memolith learn enqueue claude-3f2a
    """
    name = mem.learning.enqueue(session)
    does = f"learns from {name} again" if name else "consolidates even if no session changed"
    return f"Enqueued: the next run {does} (memolith learn run)"


@learn.command("retry")
@_session
@opened
def retry(mem: Mem, session: str | None) -> Answer:
    """Give a failed session, or without one the consolidation, all its attempts again.

    \b
    memolith learn retry claude-3f2a
    """
    return f"{mem.learning.retry(session).key} is tried again by the next run"


@learn.command("cancel")
@_session
@opened
def cancel(mem: Mem, session: str | None) -> Answer:
    """Leave a session, or without one the consolidation, alone until something is new.

    \b
    memolith learn cancel claude-3f2a
    """
    return f"{mem.learning.cancel(session).key} is left alone until it changes"


@learn.command("cost")
@click.option("--days", default=30, show_default=True, metavar="N", help="How many days back.")
@opened
def show_cost(mem: Mem, days: int) -> Answer:
    """Show what learning has cost, per day, phase and model.

    \b
    memolith learn cost --days 7
    """
    since, rows = mem.learning.costs(days)
    lines = [
        f"{row.day}  {row.phase:<11}  {row.requests:>5} requests  {row.tokens_in:>9} in  "
        f"{row.tokens_out:>8} out  {row.seconds:>7.1f} s  {row.model}  {row.project}"
        for row in rows
    ]
    text = "\n".join(lines) or f"Nothing was asked of a model since {since}."
    return {"since": since, "costs": [row.as_dict() for row in rows]}, text
