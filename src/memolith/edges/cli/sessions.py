"""Commands about finished sessions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, NotFoundError
from memolith.edges.cli import output, write
from memolith.edges.cli.app import Group, cli, shared
from memolith.edges.cli.options import notice
from memolith.store.screen import quoted

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.group(cls=Group)
def session() -> None:
    """Finished sessions, kept redacted and compressed as a source for recall."""


@session.command("add")
@click.argument("file", metavar="FILE")
@click.option("--agent", required=True, metavar="NAME", help="Which agent it was with.")
@click.option("--id", "session_id", required=True, metavar="ID", help="The agent's own id of the session.")
@click.option("--ticket", metavar="ID", help="The ticket that it was an execution of.")
@click.option("--status", default="completed", show_default=True, metavar="running|paused|completed|failed")
@click.option("--scope", default="project", hidden=True)
@shared
def add_session(
    options: Options, file: str, agent: str, session_id: str, ticket: str | None, status: str, scope: str
) -> None:
    """Store a session from JSON lines (- reads them), one turn each: {"role", "text", "time"}.

    The same session again changes nothing; one that has grown adds its new turns. Secrets are masked.

    \b
    memolith session add turns.jsonl --agent claude --id 3f2a
    """
    from memolith.memory.sessions import STATUSES as KNOWN
    from memolith.memory.sessions import Session, read_turns

    if status not in KNOWN:
        raise InputError(f"unknown status {quoted(status)}; one of {', '.join(KNOWN)}")
    turns = list(read_turns(write.file_text(file).split("\n"), file))
    with options.open() as mem:
        linked = mem.tickets.get(ticket).id if ticket else ""
        started = next((turn.time for turn in turns if turn.time), "")
        value = Session(
            agent=agent, id=session_id, project="", started=started, status=status, ticket=linked, turns=turns
        )
        done = mem.sessions.add(value, scope=scope)
        if linked:
            mem.tickets.link(linked, done.name)
        write.report(options, mem, done)


@session.command("list")
@shared
def list_sessions(options: Options) -> None:
    """List sessions, oldest first.

    \b
    memolith session list
    """
    with options.open() as mem:
        found = mem.sessions.list()
        notice(mem)
        if options.json:
            output.json({"sessions": [{**each.head(), "turns": len(each.turns)} for each in found]})
        elif not found:
            output.note("no sessions are stored for this project")
        else:
            rows = [(each.started or "-", len(each.turns), each.name, each.ticket) for each in found]
            output.text("\n".join(f"{a:<25}  {b:>5} turns  {c}  {d}".rstrip() for a, b, c, d in rows))


@session.command("show")
@click.argument("name", metavar="SESSION")
@click.option("--turn", type=int, metavar="N", help="Only this turn.")
@shared
def show_session(options: Options, name: str, turn: int | None) -> None:
    """Print a session, or one turn of it.

    \b
    memolith session show claude-3f2a --turn 12
    """
    with options.open() as mem:
        found = mem.sessions.get(name)
        turns = [each for each in found.turns if turn in (None, each.number)]
        if turn is not None and not turns:
            raise NotFoundError(f"{found.name} has no turn {turn}; they are 1 to {len(found.turns)}")
        notice(mem)
        if options.json:
            output.json({**found.head(), "turns": [each.as_dict() for each in turns]})
            return
        for each in turns:
            about = " ".join(filter(None, [each.role, each.tool, each.outcome, each.time]))
            output.text(f"#{each.number} {about}\n{each.text}\n")


@session.command("delete")
@click.argument("name", metavar="SESSION")
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@shared
def delete_session(options: Options, name: str, yes: bool) -> None:
    """Remove a session's copy for good; it cannot be undone.

    \b
    memolith session delete claude-3f2a
    """
    with options.open() as mem:
        found = mem.sessions.get(name)
        if not yes:
            if not sys.stdin.isatty():
                raise InputError(f"this removes {found.name} for good: add --yes")
            if not click.confirm(f"Remove {found.name} ({len(found.turns)} turns) for good?", err=True):
                raise click.exceptions.Exit(1)
        name = mem.sessions.delete(found.name)
        notice(mem)
        message = f"Removed {name}"
        output.json({"name": name, "message": message}) if options.json else output.text(message)
