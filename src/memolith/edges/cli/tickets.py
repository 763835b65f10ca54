"""Commands about tickets: pieces of work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import TextError
from memolith.edges.cli import completion, output, write
from memolith.edges.cli.app import Group, cli, shared, text_argument
from memolith.edges.cli.options import notice
from memolith.memory.tickets import PRIORITIES, TYPES
from memolith.store.entry import TICKET_STATUSES as STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.options import Options

_id = click.argument("ticket_id", metavar="ID")


@cli.group(cls=Group)
def ticket() -> None:
    """Pieces of work, their notes and executions."""


def _ticket_options(command: Callable[..., None]) -> Callable[..., None]:
    for name, known in (("type", TYPES), ("priority", PRIORITIES), ("status", STATUSES)):
        words = completion.words(*known)
        command = click.option(f"--{name}", metavar="|".join(known), shell_complete=words)(command)
    return click.option("--description", metavar="TEXT", help="What is to be done (- reads it).")(command)


@ticket.command("add")
@click.argument("title")
@click.option("--id", "ticket_id", metavar="ID", help="Its id (default: made from the title).")
@_ticket_options
@write.origin
@write.taint
@shared
def add_ticket(options: Options, title: str, origin: str | None, taint: str | None, **given: Any) -> None:
    """Create a ticket and print its id.

    \b
    memolith ticket add "Login fails on Safari" --type bug --priority high --description "Since 4.2."
    """
    with options.open() as mem:
        write.report(
            options, mem, write.writer(mem, origin, taint).tickets.add(title, **_ticket_given(given))
        )


def _ticket_given(given: dict[str, Any]) -> dict[str, Any]:
    chosen = write.given(**given)
    if "description" in chosen:
        chosen["description"] = text_argument(chosen["description"])
    return chosen


@ticket.command("update")
@_id
@click.option("--title", metavar="TITLE")
@_ticket_options
@write.origin
@write.taint
@shared
def update_ticket(
    options: Options, ticket_id: str, origin: str | None, taint: str | None, **given: Any
) -> None:
    """Change a ticket; its notes stay.

    \b
    memolith ticket update login-fails --status in_progress
    """
    with options.open() as mem:
        write.report(
            options, mem, write.writer(mem, origin, taint).tickets.update(ticket_id, **_ticket_given(given))
        )


@ticket.command("note")
@_id
@click.argument("text")
@write.origin
@write.taint
@shared
def note_ticket(options: Options, ticket_id: str, text: str, origin: str | None, taint: str | None) -> None:
    """Add a dated note to a ticket.

    \b
    memolith ticket note login-fails "It is the proxy."
    """
    with options.open() as mem:
        write.report(
            options, mem, write.writer(mem, origin, taint).tickets.note(ticket_id, text_argument(text))
        )


@ticket.command("close")
@_id
@shared
def close_ticket(options: Options, ticket_id: str) -> None:
    """Mark a ticket as closed.

    \b
    memolith ticket close login-fails
    """
    with options.open() as mem:
        write.report(options, mem, mem.tickets.close(ticket_id))


@ticket.command("delete")
@_id
@shared
def delete_ticket(options: Options, ticket_id: str) -> None:
    """Delete a ticket; `memolith undo` brings it back.

    \b
    memolith ticket delete login-fails
    """
    with options.open() as mem:
        write.report(options, mem, mem.tickets.delete(ticket_id))


@ticket.command("list")
@click.option("--status", metavar="|".join(STATUSES), shell_complete=completion.words(*STATUSES))
@click.option("--type", "kind", metavar="|".join(TYPES), shell_complete=completion.words(*TYPES))
@shared
def list_tickets(options: Options, status: str | None, kind: str | None) -> None:
    """List tickets.

    \b
    memolith ticket list --status open
    """
    with options.open() as mem:
        found = mem.tickets.list(status, kind)
        notice(mem)
        if options.json:
            output.json({"tickets": [each.as_dict() for each in found]})
        elif not found:
            output.note("no tickets; `memolith ticket add --help` shows how to make one")
        else:
            rows = [(each.status, each.type, each.priority, each.id, each.title) for each in found]
            output.text("\n".join(f"{a:<11}  {b:<8}  {c:<7}  {d}  {e}" for a, b, c, d, e in rows))


@ticket.command("get")
@_id
@shared
def get_ticket(options: Options, ticket_id: str) -> None:
    """Print a ticket with its notes and executions.

    \b
    memolith ticket get login-fails
    """
    with options.open() as mem:
        found = mem.tickets.get(ticket_id)
        notice(mem)
        if options.json:
            output.json(found.as_dict())
        else:
            write.describe(found, "description")


@ticket.command("import")
@click.argument("file", metavar="FILE")
@write.origin
@write.taint
@shared
def import_tickets(options: Options, file: str, origin: str | None, taint: str | None) -> None:
    """Take tickets over from a JSON file (- reads it): a list, or one object per line.

    Understood are id, title, description, status, type and priority, and what other trackers call them (key,
    number, summary, body, state). Known ids are updated.

    \b
    gh issue list --json number,title,body,state | memolith ticket import -
    """
    rows = _json_rows(file)
    with options.open() as mem:
        tickets = write.writer(mem, origin or "imported", taint).tickets
        done = tickets.load(rows)
        notice(mem)
        if options.json:
            output.json({"tickets": [each.as_dict() for each in done]})
        else:
            output.text("\n".join(each.message for each in done) or "There was nothing to import.")


def _json_rows(file: str) -> list[dict[str, object]]:
    import json

    text = write.file_text(file)
    try:
        whole = (
            json.loads(text)
            if text.lstrip().startswith("[")
            else [json.loads(row) for row in text.split("\n") if row.strip()]
        )
    except (ValueError, RecursionError) as error:
        raise TextError(f"{file}: is not JSON ({error}); give a list, or one object per line") from None
    if not all(isinstance(row, dict) for row in whole):
        raise TextError(f"{file}: every ticket must be an object with a title")
    return whole
