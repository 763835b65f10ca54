"""Commands about tickets: pieces of work."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import TextError
from memolith.edges.cli import common
from memolith.edges.cli.app import Group, cli, opened
from memolith.memory.tickets import PRIORITIES, TYPES
from memolith.store.entry import TICKET_STATUSES as STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_id = click.argument("ticket_id", metavar="ID")


@cli.group(cls=Group)
def ticket() -> None:
    """Pieces of work, their notes and executions."""


def _fields(command: Callable[..., Answer]) -> Callable[..., Answer]:
    for name, known in (("type", TYPES), ("priority", PRIORITIES), ("status", STATUSES)):
        command = common.one_of(f"--{name}", known)(command)
    return click.option("--description", metavar="TEXT", help="What is to be done (- reads it).")(command)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    given = common.given(options)
    if "description" in given:
        given["description"] = common.text_argument(given["description"])
    return given


@ticket.command("add")
@click.argument("title")
@click.option("--id", "ticket_id", metavar="ID", help="Its id (default: made from the title).")
@_fields
@common.source
@opened
def add_ticket(mem: Mem, title: str, **options: Any) -> Answer:
    """Create a ticket and print its id.

    \b
    memolith ticket add "Login fails on Safari" --type bug --priority high --description "Since 4.2."
    """
    return mem.tickets.add(title, **_given(options))


@ticket.command("update")
@_id
@click.option("--title", metavar="TITLE")
@_fields
@common.source
@opened
def update_ticket(mem: Mem, ticket_id: str, **options: Any) -> Answer:
    """Change a ticket; its notes stay.

    \b
    memolith ticket update login-fails --status in_progress
    """
    return mem.tickets.update(ticket_id, **_given(options))


@ticket.command("note")
@_id
@click.argument("text")
@common.source
@opened
def note_ticket(mem: Mem, ticket_id: str, text: str) -> Answer:
    """Add a dated note to a ticket.

    \b
    memolith ticket note login-fails "It is the proxy."
    """
    return mem.tickets.note(ticket_id, common.text_argument(text))


@ticket.command("close")
@_id
@opened
def close_ticket(mem: Mem, ticket_id: str) -> Answer:
    """Mark a ticket as closed.

    \b
    memolith ticket close login-fails
    """
    return mem.tickets.close(ticket_id)


@ticket.command("delete")
@_id
@opened
def delete_ticket(mem: Mem, ticket_id: str) -> Answer:
    """Delete a ticket; `memolith undo` brings it back.

    \b
    memolith ticket delete login-fails
    """
    return mem.tickets.delete(ticket_id)


@ticket.command("list")
@common.one_of("--status", STATUSES)
@common.one_of("--type", TYPES, name="kind")
@opened
def list_tickets(mem: Mem, status: str | None, kind: str | None) -> Answer:
    """List tickets.

    \b
    memolith ticket list --status open
    """
    found = mem.tickets.list(status, kind)
    rows = [f"{t.status:<11}  {t.type:<8}  {t.priority:<7}  {t.id}  {t.title}" for t in found]
    return common.listed(
        "tickets", found, rows, "no tickets; `memolith ticket add --help` shows how to make one"
    )


@ticket.command("get")
@_id
@opened
def get_ticket(mem: Mem, ticket_id: str) -> Answer:
    """Print a ticket with its notes and executions.

    \b
    memolith ticket get login-fails
    """
    return common.described(mem.tickets.get(ticket_id), "description")


@ticket.command("import")
@click.argument("file", metavar="FILE")
@partial(common.source, default="imported")
@opened
def import_tickets(mem: Mem, file: str) -> Answer:
    """Take tickets over from a JSON file (- reads it): a list, or one object per line.

    Understood are id, title, description, status, type and priority, and what other trackers call them (key,
    number, summary, body, state). Known ids are updated.

    \b
    gh issue list --json number,title,body,state | memolith ticket import -
    """
    done = mem.tickets.load(_json_rows(file))
    text = "\n".join(each.message for each in done) or "There was nothing to import."
    return {"tickets": [each.as_dict() for each in done]}, text


def _json_rows(file: str) -> list[dict[str, object]]:
    text = common.file_text(file)
    rows: list[dict[str, object]]
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = [json.loads(row) for row in text.split("\n") if row.strip()]
    except (ValueError, RecursionError) as error:
        raise TextError(f"{file}: is not JSON ({error}); give a list, or one object per line") from None
    if not all(isinstance(row, dict) for row in rows):
        raise TextError(f"{file}: every ticket must be an object with a title")
    return rows
