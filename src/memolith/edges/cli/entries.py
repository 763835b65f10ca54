"""`memolith record` and `memolith ticket`: typed facts, and pieces of work."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError, NotFoundError
from memolith.edges.cli import ask, common, completion
from memolith.edges.cli.app import Group, cli, opened
from memolith.edges.cli.paint import Table
from memolith.memory import find
from memolith.memory.record import Record, read
from memolith.memory.tickets import PRIORITIES, TYPES
from memolith.store import layout
from memolith.store.entry import STATUSES, TICKET_STATUSES, is_over
from memolith.store.layout import CATEGORIES
from memolith.store.together import Command
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem
    from memolith.memory.entries import EntryResult
    from memolith.memory.find import Found

    Parameter = Callable[[Callable[..., Any]], Callable[..., Any]]

_record = click.argument("record_id", metavar="ID", shell_complete=completion.of("record"))
_ticket = click.argument("ticket_id", metavar="ID", shell_complete=completion.of("ticket"))
_whole_ticket = click.argument(
    "ticket_id", nargs=-1, required=True, metavar="ID", shell_complete=completion.of("ticket")
)
_any_scope = common.one_of("--scope", common.SCOPES, "Only this scope's (default: both).")
_repeat = "May be repeated."
_metadata = (
    click.option("--title", metavar="TITLE", help="What it is about; names its file."),
    click.option("--alias", "aliases", multiple=True, metavar="TEXT", help=f"Another name. {_repeat}"),
    click.option(
        "--keyword",
        "--keywords",
        "keywords",
        multiple=True,
        metavar="TEXT",
        callback=lambda _, __, value: tuple(part for each in value for part in ask.several(each) or ()),
        help="A search word; several with commas, or one by one.",
    ),
    click.option("--source", metavar="TEXT", help="Where it was learned."),
    click.option(
        "--expires", metavar="DATE", help="Last day of a temporary incident: YYYY-MM-DD, tomorrow, 7d."
    ),
    click.option("--valid-from", metavar="DATE", help="First day on which it holds."),
    click.option("--valid-until", metavar="DATE", help="First day on which it no longer holds."),
)
_work = (
    common.one_of("--type", TYPES),
    common.one_of("--priority", PRIORITIES),
    common.one_of("--status", TICKET_STATUSES),
    click.option("--description", metavar="TEXT", help="The work to do (- reads standard input)."),
)


def _with(*parameters: Parameter) -> Parameter:
    """Return a decorator that gives a command several parameters."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for parameter in parameters:
            command = parameter(command)
        return command

    return decorate


def _given(mem: Mem, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were passed; a repeatable one that was not is empty."""
    given = {key: value for key, value in options.items() if value not in (None, ())}
    for key in given.keys() & {"expires", "valid_from", "valid_until"}:
        given[key] = find.day_at(mem, given[key], ahead=True)
    if "description" in given:
        given["description"] = common.text_argument(given["description"])
    return given


@cli.group(cls=Group, alone="list")
def record() -> None:
    """Typed facts: decisions, procedures, principles, incidents and preferences."""


@record.command()
@click.argument("text", nargs=-1, required=True, cls=common.Text)
@common.category()
@common.one_of(
    "--scope", common.SCOPES, "For this project, or for all.", default="project", show_default=True
)
@_with(*_metadata)
@click.option(
    "--supersedes",
    multiple=True,
    metavar="ID",
    shell_complete=completion.of("record"),
    help=f"A record that it replaces. {_repeat}",
)
@click.option("--force", is_flag=True, help="Add it even if a record says the same or the opposite.")
@common.source
@opened
def add(mem: Mem, text: tuple[str, ...], **options: Any) -> Answer:
    """Store one fact (or standard input, with -) and print its id; its category may be the first word.

    If a record already says the same, that one is returned; a record that gives the same thing another value
    is superseded (at a terminal you are asked if that is not certain).

    \b
    memolith record add decision "Use pnpm, not npm."
    memolith record add "Use pnpm 10." --category decisions --supersedes use-pnpm-not-npm
    memolith record add incident "Staging is down." --expires 2026-11-20
    """
    if options["category"] is None:
        options["category"], text = _categorised(text)
    fact, given = common.text_argument(" ".join(text)), _given(mem, options)
    if sys.stdin.isatty() and sys.stderr.isatty() and not given.get("supersedes") and not given.get("force"):
        others = mem.records.rivals(fact, scope=given["scope"], title=given.get("title"))
        given["supersedes"] = [
            each.id
            for each in others
            if click.confirm(f"Instead of {each.id} ({each.body.strip()})?", err=True)
        ]
    return _with_end(mem, mem.records.add(fact, **given))


def _categorised(text: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the category that a text begins with, and the rest of it."""
    word = common.plural(text[0])
    if word not in CATEGORIES or text == ("-",):
        raise InputError(
            f"which category? Give it first, or with --category: memolith record add decision TEXT "
            f"({', '.join(CATEGORIES)})"
        )
    rest = text[1:] or (("-",) if common.is_piped() else ())
    if not rest:
        raise InputError(f"there is nothing to record: give the text behind {text[0]}")
    return word, rest


def _with_end(mem: Mem, done: EntryResult) -> EntryResult:
    """Add a warning to what is said of a record that should hold, but by its dates is over."""
    known = None if done.held else read(mem.store, layout.below(mem.store, done.filename, mem.project))
    if known is None or known.status != "active" or not is_over(mem.today, known.expires, known.valid_until):
        return done
    option = "--valid-until" if known.valid_until else "--expires"
    how = f"`memolith record edit {known.id} {option} DATE` gives it a later one"
    return done.but(warnings=[*done.warnings, f"by its date it is over already, so no agent gets it; {how}"])


@record.command("edit")
@_record
@click.argument("text", nargs=-1)
@common.category("Move it to this category.")
@_with(*_metadata)
@_any_scope
@common.source
@opened
def edit_record(
    mem: Mem, record_id: str, text: tuple[str, ...], category: str | None, **options: Any
) -> Answer:
    """Change a record's text, category or metadata; id and creation date stay.

    \b
    memolith record edit use-pnpm "Use pnpm 10, not npm." --keyword corepack
    memolith record edit use-pnpm --category principles
    """
    content = common.text_argument(" ".join(text)) if text else None
    found = _meant(mem, record_id, "record", options["scope"])
    given, record_id = _given(mem, {**options, "scope": common.whose(found)}), found.name
    with Command("reclassify", when=category is not None):
        if category is not None:
            moved = mem.records.reclassify(record_id, category, scope=given["scope"])
            if content is None and not given.keys() - {"scope"}:
                return moved
        return _with_end(mem, mem.records.update(record_id, content, **given))


def _meant(mem: Mem, name: str, kind: str, scope: str | None = None) -> Found:
    """Return the record or ticket that a name means; a scope narrows it to ids and their beginnings."""
    if scope:
        return find.of_path(mem, mem.records.get(name, scope).filename)
    found = mem.find(name, kind)
    if found.kind != kind:
        raise NotFoundError(f"{name!r} is no {kind}; `memolith {kind} list` shows them")
    return found


@record.command("list")
@common.category()
@_any_scope
@common.one_of("--status", STATUSES)
@click.option("--keyword", metavar="TEXT", help="Only those with this keyword.")
@click.option("--all", "archived", is_flag=True, help="Also those that are archived, superseded or expired.")
@opened
def list_records(
    mem: Mem, category: str | None, scope: str | None, status: str | None, keyword: str | None, archived: bool
) -> Answer:
    """List the records that hold, newest first; options include archived, superseded and expired ones.

    \b
    memolith record list
    memolith record list --category incidents --status archived
    """
    found = mem.records.list(category, scope, status, archived=archived)
    if keyword is not None:
        wanted = keyword.casefold()
        found = [each for each in found if wanted in map(str.casefold, each.keywords)]
    is_part = any(each is not None for each in (category, scope, status, keyword))
    return record_table(mem, found, over=archived or status is not None, is_part=is_part)


def record_table(
    mem: Mem, found: list[Record], limit: int | None = None, *, over: bool, is_part: bool = False
) -> Answer:
    """Return records as a list, newest first; those that are `over` by their dates on request."""
    states = {each.filename: common.status_of(mem, each) for each in found}
    found = common.newest(mem, (each for each in found if over or states[each.filename] != "expired"))[:limit]
    rows = [
        (veil.masked(r.id), r.category, r.scope, states[r.filename].replace("active", ""), r.title)
        for r in found
    ]
    table = Table(("id", "category", "whose", "status", "title"), rows, spare=("whose", "category"))
    nothing = "no records yet; `memolith record add decision TEXT` adds one"
    if count := 0 if found else len(mem.records.list(None, None, None, archived=True)):
        such = "such records" if is_part else "records that hold now"
        nothing = f"no {such}; `memolith record list --all` shows all ({count})"
    return common.listed("records", found, table, nothing)


@record.command("show")
@_record
@_any_scope
@opened
def show_record(mem: Mem, record_id: str, scope: str | None) -> Answer:
    """Print a record with all its metadata.

    \b
    memolith record show use-pnpm
    """
    meant = _meant(mem, record_id, "record", scope)
    found = mem.records.get(meant.name, common.whose(meant))
    return common.described(found, "body", common.status_of(mem, found))


@cli.group(cls=Group, alone="list")
def ticket() -> None:
    """Pieces of work, their notes and executions."""


@ticket.command("add")
@click.argument("title", nargs=-1, required=True)
@click.option("--id", "ticket_id", metavar="ID", help="Its id (default: made from the title).")
@_with(*_work)
@common.source
@opened
def add_ticket(mem: Mem, title: tuple[str, ...], **options: Any) -> Answer:
    """Create a ticket and print its id.

    \b
    memolith ticket add "Login fails on Safari" --type bug --priority high --description "Since 4.2."
    """
    called = " ".join(title)
    same = [each.id for each in mem.tickets.list() if each.title.casefold() == called.casefold()]
    done = mem.tickets.add(called, **_given(mem, options))
    if beside := ", ".join(each for each in same if each != done.id):
        return done.but(message=f"{done.message}, beside {beside} of the same title")
    return done


@ticket.command("edit")
@_ticket
@click.option("--title", metavar="TITLE")
@_with(*_work)
@common.source
@opened
def edit_ticket(mem: Mem, ticket_id: str, **options: Any) -> Answer:
    """Change a ticket; its notes stay.

    \b
    memolith ticket edit login-fails --status in_progress
    """
    return mem.tickets.update(_meant(mem, ticket_id, "ticket").name, **_given(mem, options))


@ticket.command("note")
@_ticket
@click.argument("text", nargs=-1, required=True, cls=common.Text)
@common.source
@opened
def note_ticket(mem: Mem, ticket_id: str, text: tuple[str, ...]) -> Answer:
    """Add a dated note to a ticket.

    \b
    memolith ticket note login-fails "It is the proxy."
    """
    return mem.tickets.note(_meant(mem, ticket_id, "ticket").name, common.text_argument(" ".join(text)))


_OVER = ("done", "closed")
_NO_TICKETS = "no tickets yet; `memolith ticket add TITLE` adds one"


@ticket.command("list")
@common.one_of("--status", TICKET_STATUSES)
@common.one_of("--type", TYPES, name="kind")
@click.option("--open", "pending", is_flag=True, help="Only what is neither done nor closed.")
@opened
def list_tickets(mem: Mem, status: str | None, kind: str | None, pending: bool) -> Answer:
    """List tickets, those changed last first; what is done or closed comes after all others.

    \b
    memolith ticket list --open
    """
    found, count = common.newest(mem, mem.tickets.list(status, kind)), len(mem.tickets.list())
    found.sort(key=lambda each: each.status in _OVER)
    if pending:
        found = [each for each in found if each.status not in _OVER]
    rows = [(veil.masked(t.id), t.status, t.type, t.priority, t.title) for t in found]
    table = Table(("id", "status", "type", "priority", "title"), rows, spare=("type", "priority"))
    nothing = f"no such tickets; `memolith ticket list` shows all ({count})" if count else _NO_TICKETS
    return common.listed("tickets", found, table, nothing)


@ticket.command("show")
@_whole_ticket
@opened
def show_ticket(mem: Mem, ticket_id: tuple[str, ...]) -> Answer:
    """Print a ticket with its notes and executions.

    \b
    memolith ticket show login-fails
    """
    return common.described(mem.tickets.get(_meant(mem, " ".join(ticket_id), "ticket").name), "description")


@ticket.command("import")
@click.argument("file", metavar="FILE", shell_complete=completion.files)
@partial(common.source, default="imported")
@opened
def import_tickets(mem: Mem, file: str) -> Answer:
    """Import tickets from a JSON file (- reads standard input): a list, or one object per line.

    Reads id, title, description, status, type and priority, and the names that other trackers use (key,
    number, summary, body, state). Tickets with known ids are updated.

    \b
    gh issue list --json number,title,body,state | memolith ticket import -
    """
    done = mem.tickets.load(common.json_rows(file))
    text = "\n".join(each.message.partition(";")[0] for each in done) or "Nothing to import."
    held = {layout.locate(str(mem.root), each.filename) for each in mem.review.list()}
    if waiting := sum(each.filename in held for each in done):
        text += f"\n{waiting:,} wait{'s' if waiting == 1 else ''} for your decision: `memolith review`"
    return {"tickets": [each.as_dict() for each in done]}, text


def _verb(group: click.Group, name: str, text: str, act: Callable[[Mem], Callable[..., Answer]]) -> None:
    """Add a command that does one thing to the entry with an id; to one that goes, only by its whole name."""

    def run(mem: Mem, entry_id: str, *, yes: bool = True, **scope: str | None) -> Answer:
        found = _meant(mem, entry_id, str(group.name), scope.get("scope"))
        common.check_whole(mem, found, entry_id, yes=yes, does=name.capitalize().replace("Rm", "Delete"))
        return act(mem)(found.name, **({"scope": common.whose(found)} if group is record else {}))

    command = opened(run)
    if name in ("archive", "rm"):
        command = click.option("--yes", is_flag=True, help="Do not ask if ID is only a beginning.")(command)
    if group is record:
        command = _any_scope(command)
    example = "use-pnpm" if group is record else "login-fails"
    group.command(name, help=f"{text}\n\n\b\nmemolith {group.name} {name} {example}")(
        click.argument("entry_id", metavar="ID", shell_complete=completion.of(str(group.name)))(command)
    )


_verb(record, "archive", "Take a record out of recall; its file stays.", lambda mem: mem.records.archive)
_verb(
    record,
    "restore",
    "Bring an archived or superseded record back.",
    lambda mem: lambda record_id, **scope: _with_end(mem, mem.records.restore(record_id, **scope)),
)
_verb(record, "rm", "Delete a record; `memolith undo` brings it back.", lambda mem: mem.records.delete)
_verb(ticket, "close", "Mark a ticket as closed.", lambda mem: mem.tickets.close)
_verb(
    ticket,
    "reopen",
    "Open a closed or done ticket again.",
    lambda mem: lambda ticket_id: mem.tickets.update(ticket_id, status="open"),
)
_verb(ticket, "rm", "Delete a ticket; `memolith undo` brings it back.", lambda mem: mem.tickets.delete)
