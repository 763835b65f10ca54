"""Commands about records: typed facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memolith.edges.cli import common, completion
from memolith.edges.cli.app import Group, cli, opened
from memolith.store.entry import STATUSES
from memolith.store.layout import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_id = click.argument("record_id", metavar="ID")
_any_scope = click.option("--scope", metavar="project|user", help="Only this scope's (default: both).")
_repeat = "Give it several times for several."


def _metadata(command: Callable[..., Answer]) -> Callable[..., Answer]:
    for option in (
        click.option("--title", metavar="TITLE", help="What it is about; names its file."),
        click.option("--alias", "aliases", multiple=True, metavar="TEXT", help=f"Another name. {_repeat}"),
        click.option(
            "--keyword", "keywords", multiple=True, metavar="TEXT", help=f"A search word. {_repeat}"
        ),
        click.option("--source", metavar="TEXT", help="Where it was learned."),
        click.option("--expires", metavar="DATE", help="Last day of a temporary incident."),
        click.option("--valid-from", metavar="DATE", help="First day on which it holds."),
        click.option("--valid-until", metavar="DATE", help="First day on which it no longer holds."),
    ):
        command = option(command)
    return command


@cli.group(cls=Group)
def record() -> None:
    """Typed facts: decisions, procedures, principles, incidents and preferences."""


@record.command()
@click.argument("text")
@common.one_of("--category", CATEGORIES, required=True)
@click.option("--scope", required=True, metavar="project|user", help="For this project, or for all.")
@_metadata
@click.option("--supersedes", multiple=True, metavar="ID", help=f"A record that it replaces. {_repeat}")
@click.option("--force", is_flag=True, help="Add it even if a record says the same or the opposite.")
@common.source
@opened
def add(mem: Mem, text: str, **options: Any) -> Answer:
    """Store one fact (or standard input, with -) and print its id.

    A record that says the same already is returned instead; one that gives the same thing another value
    is superseded.

    \b
    memolith record add "Use pnpm, not npm." --category decisions --scope project
    memolith record add "Staging is down." --category incidents --scope project --expires 2026-11-20
    """
    return mem.records.add(common.text_argument(text), **common.given(options))


@record.command("update")
@_id
@click.argument("text", required=False)
@_metadata
@_any_scope
@common.source
@opened
def update_record(mem: Mem, record_id: str, text: str | None, **options: Any) -> Answer:
    """Change a record's text or metadata; id and creation date stay.

    \b
    memolith record update use-pnpm "Use pnpm 10, not npm." --keyword corepack
    """
    content = None if text is None else common.text_argument(text)
    return mem.records.update(record_id, content, **common.given(options))


@record.command()
@_id
@click.argument("category", metavar="|".join(CATEGORIES), shell_complete=completion.words(*CATEGORIES))
@_any_scope
@opened
def reclassify(mem: Mem, record_id: str, category: str, scope: str | None) -> Answer:
    """Move a record to another category.

    \b
    memolith record reclassify use-pnpm principles
    """
    return mem.records.reclassify(record_id, category, scope=scope)


@record.command()
@_id
@_any_scope
@opened
def archive(mem: Mem, record_id: str, scope: str | None) -> Answer:
    """Take a record out of recall; its file stays.

    \b
    memolith record archive use-pnpm
    """
    return mem.records.archive(record_id, scope=scope)


@record.command()
@_id
@_any_scope
@opened
def restore(mem: Mem, record_id: str, scope: str | None) -> Answer:
    """Bring an archived or superseded record back.

    \b
    memolith record restore use-pnpm
    """
    return mem.records.restore(record_id, scope=scope)


@record.command("delete")
@_id
@_any_scope
@opened
def delete_record(mem: Mem, record_id: str, scope: str | None) -> Answer:
    """Delete a record; `memolith undo` brings it back.

    \b
    memolith record delete use-pnpm
    """
    return mem.records.delete(record_id, scope=scope)


@record.command("list")
@common.one_of("--category", CATEGORIES)
@_any_scope
@common.one_of("--status", STATUSES)
@click.option("--all", "archived", is_flag=True, help="Also those that are archived or superseded.")
@opened
def list_records(
    mem: Mem, category: str | None, scope: str | None, status: str | None, archived: bool
) -> Answer:
    """List records; archived and superseded ones only if asked for.

    \b
    memolith record list
    memolith record list --category incidents --status archived
    """
    found = mem.records.list(category, scope, status, archived=archived)
    rows = [f"{r.category:<11}  {r.scope:<7}  {r.status:<10}  {r.id}  {r.title}" for r in found]
    return common.listed(
        "records", found, rows, "no records; `memolith record add --help` shows how to make one"
    )


@record.command("get")
@_id
@_any_scope
@opened
def get_record(mem: Mem, record_id: str, scope: str | None) -> Answer:
    """Print a record with all that is known about it.

    \b
    memolith record get use-pnpm
    """
    return common.described(mem.records.get(record_id, scope), "body")
