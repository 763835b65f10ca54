"""Commands about records: typed facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memolith.edges.cli import completion, output, write
from memolith.edges.cli.app import Group, cli, shared, text_argument
from memolith.edges.cli.options import notice
from memolith.store.entry import STATUSES
from memolith.store.layout import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.options import Options

_id = click.argument("record_id", metavar="ID")
_any_scope = click.option("--scope", metavar="project|user", help="Only this scope's (default: both).")
_repeat = "Give it several times for several."


def _metadata(command: Callable[..., None]) -> Callable[..., None]:
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
@click.option(
    "--category",
    required=True,
    metavar="|".join(CATEGORIES),
    shell_complete=completion.words(*CATEGORIES),
)
@click.option("--scope", required=True, metavar="project|user", help="For this project, or for all.")
@_metadata
@click.option("--supersedes", multiple=True, metavar="ID", help=f"A record that it replaces. {_repeat}")
@click.option("--force", is_flag=True, help="Add it even if a record says the same or the opposite.")
@write.origin
@write.taint
@shared
def add(options: Options, text: str, origin: str | None, taint: str | None, **given: Any) -> None:
    """Store one fact (or standard input, with -) and print its id.

    A record that says the same already is returned instead; one that gives the same thing another value
    is superseded.

    \b
    memolith record add "Use pnpm, not npm." --category decisions --scope project
    memolith record add "Staging is down." --category incidents --scope project --expires 2026-11-20
    """
    with options.open() as mem:
        records = write.writer(mem, origin, taint).records
        write.report(options, mem, records.add(text_argument(text), **write.given(**given)))


@record.command("update")
@_id
@click.argument("text", required=False)
@_metadata
@_any_scope
@write.origin
@write.taint
@shared
def update_record(
    options: Options, record_id: str, text: str | None, origin: str | None, taint: str | None, **given: Any
) -> None:
    """Change a record's text or metadata; id and creation date stay.

    \b
    memolith record update use-pnpm "Use pnpm 10, not npm." --keyword corepack
    """
    with options.open() as mem:
        records = write.writer(mem, origin, taint).records
        content = None if text is None else text_argument(text)
        write.report(options, mem, records.update(record_id, content, **write.given(**given)))


@record.command()
@_id
@click.argument("category", metavar="|".join(CATEGORIES), shell_complete=completion.words(*CATEGORIES))
@_any_scope
@shared
def reclassify(options: Options, record_id: str, category: str, scope: str | None) -> None:
    """Move a record to another category.

    \b
    memolith record reclassify use-pnpm principles
    """
    with options.open() as mem:
        write.report(options, mem, mem.records.reclassify(record_id, category, scope=scope))


@record.command()
@_id
@_any_scope
@shared
def archive(options: Options, record_id: str, scope: str | None) -> None:
    """Take a record out of recall; its file stays.

    \b
    memolith record archive use-pnpm
    """
    with options.open() as mem:
        write.report(options, mem, mem.records.archive(record_id, scope=scope))


@record.command()
@_id
@_any_scope
@shared
def restore(options: Options, record_id: str, scope: str | None) -> None:
    """Bring an archived or superseded record back.

    \b
    memolith record restore use-pnpm
    """
    with options.open() as mem:
        write.report(options, mem, mem.records.restore(record_id, scope=scope))


@record.command("delete")
@_id
@_any_scope
@shared
def delete_record(options: Options, record_id: str, scope: str | None) -> None:
    """Delete a record; `memolith undo` brings it back.

    \b
    memolith record delete use-pnpm
    """
    with options.open() as mem:
        write.report(options, mem, mem.records.delete(record_id, scope=scope))


@record.command("list")
@click.option("--category", metavar="|".join(CATEGORIES), shell_complete=completion.words(*CATEGORIES))
@_any_scope
@click.option("--status", metavar="|".join(STATUSES), shell_complete=completion.words(*STATUSES))
@click.option("--all", "archived", is_flag=True, help="Also those that are archived or superseded.")
@shared
def list_records(
    options: Options, category: str | None, scope: str | None, status: str | None, archived: bool
) -> None:
    """List records; archived and superseded ones only if asked for.

    \b
    memolith record list
    memolith record list --category incidents --status archived
    """
    with options.open() as mem:
        found = mem.records.list(category, scope, status, archived=archived)
        notice(mem)
        if options.json:
            output.json({"records": [each.as_dict() for each in found]})
        elif not found:
            output.note("no records; `memolith record add --help` shows how to make one")
        else:
            rows = [(each.category, each.scope, each.status, each.id, each.title) for each in found]
            output.text("\n".join(f"{a:<11}  {b:<7}  {c:<10}  {d}  {e}" for a, b, c, d, e in rows))


@record.command("get")
@_id
@_any_scope
@shared
def get_record(options: Options, record_id: str, scope: str | None) -> None:
    """Print a record with all that is known about it.

    \b
    memolith record get use-pnpm
    """
    with options.open() as mem:
        found = mem.records.get(record_id, scope)
        notice(mem)
        if options.json:
            output.json(found.as_dict())
            return
        write.describe(found, "body")
