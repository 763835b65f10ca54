"""`memolith learn`: what sessions taught, what that cost, and why something was not learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, PartialError
from memolith.edges.cli import output, progress
from memolith.edges.cli.app import Group, cli, shared
from memolith.edges.cli.options import notice

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.learn.queue.queue import Job, Queue
    from memolith.mem import Mem

_PHASES = ("1", "2")
_MAX_DAYS = 3650


@cli.group(cls=Group)
def learn() -> None:
    """Learn from finished sessions. Off until `memolith config set memories.enabled true`."""


@learn.command("run")
@click.option("--phase", metavar="1|2", help="Only extract (1), or only consolidate (2).")
@click.option("--force", is_flag=True, help="Also sessions that are not idle yet, and without a pause.")
@click.option("--model", metavar="MODEL", help="Instead of models.default; `none` learns by rules.")
@click.option("--background", is_flag=True, hidden=True)
@shared
def run_learning(
    options: Options, phase: str | None, force: bool, model: str | None, background: bool
) -> None:
    """Extract what finished sessions teach and bring it into MEMORY.md.

    Any number of these may run at once. Without a model, only what was said in so many words is learned.

    \b
    memolith learn run
    memolith learn run --force --model none
    memolith learn run --phase 2
    """
    from memolith.learn import background as worker
    from memolith.learn import run

    if phase is not None and phase not in _PHASES:
        raise InputError(f"--phase {phase!r}: must be 1 or 2")
    with options.open() as mem:
        notice(mem)
        if background:
            worker.bound(mem.settings.number("memories.seconds_per_run"))
        report = run.run(
            mem,
            phase=int(phase) if phase else None,
            force=force,
            model=model,
            progress=progress.bar("sessions"),
        )
        output.json(report.as_dict()) if options.json else output.text(str(report))
        if report.failed:
            raise PartialError(
                "a part of it failed and is done by a later run; `memolith learn why` says what happened"
            )


@learn.command("status")
@shared
def show_status(options: Options) -> None:
    """Show whether learning is on, what waits, what failed, and what today cost.

    \b
    memolith learn status
    """
    from memolith.learn import run

    with options.open() as mem:
        notice(mem)
        found = run.status(mem)
        if options.json:
            output.json(found.as_dict())
        else:
            output.text("\n".join(found.lines(mem.settings)))


@learn.command("why")
@click.argument("session", required=False, metavar="[SESSION]")
@shared
def explain(options: Options, session: str | None) -> None:
    """Say for each session what was learned from it, or why nothing was.

    \b
    memolith learn why
    memolith learn why claude-3f2a
    """
    from memolith.learn import run
    from memolith.learn.queue.queue import EXTRACT, Queue

    with options.open() as mem:
        notice(mem)
        wanted = mem.sessions.get(session).name if session else None
        reasons: dict[str, str] = {}
        off = run.why_not(mem)
        if off:
            reasons = {each.name: off for each in mem.sessions.list()}
        else:
            with Queue(mem.home, mem.settings, mem.now) as queue:
                choice = run.look(mem, queue)
                reasons = {each.session.name: "the next run learns from it" for each in choice.candidates}
                reasons |= {each.name: each.reason for each in choice.refused}
                for job in queue.jobs(mem.project, EXTRACT):
                    reasons[job.session] = _told(job, reasons.get(job.session, ""))
        reasons = {name: why for name, why in sorted(reasons.items()) if wanted in (None, name)}
        if options.json:
            output.json({"sessions": [{"name": name, "why": why} for name, why in reasons.items()]})
        elif not reasons:
            output.note("no sessions are stored for this project; `memolith session add` stores one")
        else:
            output.text("\n".join(f"{name}: {why}" for name, why in reasons.items()))


def _told(job: Job, now: str) -> str:
    if job.status == "done":
        changed = f"; it has changed since: {now}" if now and not now.startswith("nothing changed") else ""
        return job.outcome + changed
    if job.status in ("failed", "error"):
        left = f"{job.retry_remaining} attempt(s) left" if job.retry_remaining else "no attempts left"
        return f"failed: {job.last_error} ({left}; memolith learn retry {job.session})"
    return job.last_error or {"running": "a process is at it"}.get(job.status, "the next run learns from it")


@learn.command("enqueue")
@click.argument("session", required=False, metavar="[SESSION]")
@shared
def ask_for(options: Options, session: str | None) -> None:
    """Let the next run learn from a session again, or without one consolidate though nothing is new.

    \b
    memolith learn enqueue
    memolith learn enqueue claude-3f2a
    """
    from memolith.learn.extract import eligible
    from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT

    with options.open() as mem, _queue(mem) as queue:
        if session:
            name = mem.sessions.get(session).name
            mark = eligible.watermark(mem.sessions.get(name))
            queue.enqueue(EXTRACT, f"{mem.project}/{name}", mark, forced=True)
        else:
            queue.enqueue(CONSOLIDATE, mem.project, forced=True)
        told = f"the next run learns from {name} again" if session else "the next run consolidates"
        _say(options, f"Enqueued: {told} (memolith learn run)")


@learn.command("retry")
@click.argument("session", required=False, metavar="[SESSION]")
@shared
def try_again(options: Options, session: str | None) -> None:
    """Give a failed session, or without one the consolidation, all its attempts again.

    \b
    memolith learn retry claude-3f2a
    """
    with options.open() as mem, _queue(mem) as queue:
        job = queue.retry(_key(mem, session))
        _say(options, f"{job.key} is tried again by the next run")


@learn.command("cancel")
@click.argument("session", required=False, metavar="[SESSION]")
@shared
def leave_be(options: Options, session: str | None) -> None:
    """Leave a session, or without one the consolidation, alone until something is new.

    \b
    memolith learn cancel claude-3f2a
    """
    with options.open() as mem, _queue(mem) as queue:
        job = queue.cancel(_key(mem, session))
        _say(options, f"{job.key} is left alone until it changes")


@learn.command("cost")
@click.option("--days", default=30, show_default=True, metavar="N", help="How many days back.")
@shared
def show_cost(options: Options, days: int) -> None:
    """Show what learning has cost, per day, phase and model.

    \b
    memolith learn cost --days 7
    """
    from memolith.learn.queue.queue import Queue
    from memolith.memory.daily import day

    if not 1 <= days <= _MAX_DAYS:
        raise InputError(f"--days {days}: must be from 1 to {_MAX_DAYS}")
    with options.open() as mem:
        since = day(mem.now() - (days - 1) * 86_400)
        with Queue(mem.home, mem.settings, mem.now) as queue:
            rows = queue.ledger.costs(since=since)
        if options.json:
            output.json({"since": since, "costs": [row.as_dict() for row in rows]})
        elif not rows:
            output.text(f"Nothing was asked of a model since {since}.")
        else:
            told = [
                f"{row.day}  {row.phase:<11}  {row.requests:>5} requests  {row.tokens_in:>9} in  "
                f"{row.tokens_out:>8} out  {row.seconds:>7.1f} s  {row.model}  {row.project}"
                for row in rows
            ]
            output.text("\n".join(told))


def _queue(mem: Mem) -> Queue:
    from memolith.base.errors import ConfigError
    from memolith.learn import run
    from memolith.learn.queue.queue import Queue

    if off := run.why_not(mem):
        raise ConfigError(off)
    return Queue(mem.home, mem.settings, mem.now)


def _key(mem: Mem, session: str | None) -> str:
    return f"{mem.project}/{mem.sessions.get(session).name}" if session else mem.project


def _say(options: Options, message: str) -> None:
    output.json({"message": message}) if options.json else output.text(message)
