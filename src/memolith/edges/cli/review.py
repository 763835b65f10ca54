"""`memolith review`: what waits for a person, and their decision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, TextError
from memolith.edges.cli import completion, output
from memolith.edges.cli.app import choice, cli, shared, text_argument
from memolith.edges.cli.options import notice
from memolith.memory import review as decisions
from memolith.store.layout import PROPOSAL
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.mem import Mem
    from memolith.memory.review import Held

_ACTIONS = ("list", "show", "accept", "refuse", "edit")


@cli.command()
@click.argument(
    "action",
    default="list",
    metavar="[list|show|accept|refuse|edit]",
    shell_complete=completion.words(*_ACTIONS),
)
@click.argument("numbers", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Everything that waits.")
@click.option("--yes", is_flag=True, help="Accept without asking, also where nobody can be asked.")
@click.option("--file", metavar="FILE", help="With edit: take the new texts from this file (- = input).")
@shared
def review(
    options: Options, action: str, numbers: tuple[str, ...], everything: bool, yes: bool, file: str | None
) -> None:
    """Decide about what waits for a person.

    Texts from outside (also notes, records and tickets), and changes that learning proposes but that drop
    too much, as a diff. Who asks finds them, labelled; nothing of it is injected or recalled unasked until a
    person accepts it. All decisions can be undone, and what was refused is not held a second time.

    \b
    memolith review
    memolith review show 3fa9c1
    memolith review accept 3fa9c1
    memolith review refuse --all
    memolith review edit 3fa9c1
    """
    choice(action, _ACTIONS, "action")
    if file is not None and action != "edit":
        raise InputError("--file belongs to `review edit`")
    with options.open() as mem:
        notice(mem)
        waiting = decisions.waiting(mem)
        if action == "list":
            if numbers or everything:
                raise InputError("`review list` takes nothing; give `show`, `accept` or `refuse` first")
            _list(options, waiting)
            return
        if not numbers and not everything:
            raise InputError(f"which one? Give its ID or --all: memolith review {action} ID")
        chosen = waiting if everything else [decisions.find(mem, number) for number in numbers]
        if action == "show":
            if options.json:
                output.json({"waiting": [_as_dict(mem, held) for held in chosen]})
            else:
                output.text("\n\n".join(_describe(mem, held) for held in chosen) or "Nothing waits.")
            return
        if action == "edit":
            _edit(options, mem, chosen, file)
            return
        _decide(options, mem, action, chosen, yes=yes)


def _list(options: Options, waiting: list[Held]) -> None:
    if options.json:
        output.json({"waiting": [held.as_dict() for held in waiting]})
    elif waiting:
        lines = [f"{held.id}  {held.since}  {held.source!s:<20}  {_first(held.reasons)}" for held in waiting]
        output.text("\n".join(lines))
        output.note("`memolith review show ID` has the text; `accept` or `refuse` decides")
    else:
        output.text("Nothing waits for review.")


def _first(reasons: list[str]) -> str:
    return (reasons[0] if reasons else "") + (f" (+{len(reasons) - 1})" if len(reasons) > 1 else "")


def _as_dict(mem: Mem, held: Held) -> dict[str, object]:
    if held.call != PROPOSAL:
        return held.as_dict()
    from memolith.learn.consolidate import waiting

    return {**held.as_dict(), "diff": waiting.describe(mem, held)}


def _describe(mem: Mem, held: Held) -> str:
    if held.call == PROPOSAL:
        from memolith.learn.consolidate import waiting

        reasons = "\n".join(f"  - {reason}" for reason in held.reasons)
        changes = waiting.describe(mem, held) or "(nothing is different by now)"
        return f"{held.id}  proposed {held.since}, source: {held.source}\nbecause it\n{reasons}\n{changes}"
    asked = ", ".join(f"{key}={value!r}" for key, value in held.arguments.items())
    reasons = "\n".join(f"  - {reason}" for reason in held.reasons)
    text = "\n".join(f"  | {line}" for line in held.text.splitlines())
    return (
        f"{held.id}  held {held.since}, source: {held.source}\nasked: {held.call} {asked}\n"
        f"because:\n{reasons}\ntext:\n{text}"
    )


def _decide(options: Options, mem: Mem, action: str, chosen: list[Held], *, yes: bool) -> None:
    done = []
    for held in chosen:
        if action == "accept":
            if not yes:
                _ask(mem, held)
            message = _accept(mem, held)
            done.append({"id": held.id, "decision": "accept", "message": message})
        else:
            decisions.refuse(mem, held.id)
            message = "refused; `memolith undo` brings it back"
            done.append({"id": held.id, "decision": "refuse", "message": message})
    if options.json:
        output.json({"decided": done})
    else:
        output.text("\n".join(f"{row['id']}: {row['message']}" for row in done) or "Nothing waits.")


def _accept(mem: Mem, held: Held) -> str:
    from memolith.learn.consolidate import waiting

    return waiting.accept(mem, held) if held.call == PROPOSAL else decisions.accept(mem, held.id)


def _edit(options: Options, mem: Mem, chosen: list[Held], file: str | None) -> None:
    """Let a person change the texts of a proposal: in an editor, or by giving a file."""
    from memolith.learn.consolidate import waiting

    if len(chosen) != 1 or chosen[0].call != PROPOSAL:
        raise InputError("`review edit` takes the ID of one proposal; other texts are accepted or refused")
    if file is not None:
        text: str | None = text_argument("-") if file == "-" else _read(file)
    elif sys.stdin.isatty():
        text = click.edit(chosen[0].text, extension=".md")
    else:
        raise InputError("nobody can be asked here; give the new texts with --file FILE")
    if text is None:
        raise click.exceptions.Exit(1)
    waiting.edit(mem, chosen[0], text)
    message = f"changed; `memolith review accept {chosen[0].id}` writes it"
    if options.json:
        output.json({"edited": chosen[0].id, "message": message})
    else:
        output.text(f"{chosen[0].id}: {message}")


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except UnicodeDecodeError:
        raise TextError(f"{veil.masked(file)}: is not UTF-8; save it as UTF-8") from None


def _ask(mem: Mem, held: Held) -> None:
    """Show the text and ask. Where nobody can be asked, accepting needs --yes."""
    if not sys.stdin.isatty():
        raise InputError("a person accepts: run it in a terminal, or add --yes")
    output.text(_describe(mem, held))
    if not click.confirm("Store this as memory?", default=False, err=True):
        raise click.exceptions.Exit(1)
