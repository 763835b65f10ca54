"""`memolith review`: what waits for a person, and their decision."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memolith import quarantine
from memolith.cli import completing, output
from memolith.cli.app import choice, cli, shared
from memolith.cli.fast import notice
from memolith.errors import InputError

if TYPE_CHECKING:
    from memolith.cli.fast import Options
    from memolith.mem import Mem
    from memolith.quarantine import Held

_ACTIONS = ("list", "show", "accept", "refuse")


@cli.command()
@click.argument(
    "action", default="list", metavar="[list|show|accept|refuse]", shell_complete=completing.words(*_ACTIONS)
)
@click.argument("numbers", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Everything that waits.")
@click.option("--yes", is_flag=True, help="Accept without asking, also where nobody can be asked.")
@shared
def review(options: Options, action: str, numbers: tuple[str, ...], everything: bool, yes: bool) -> None:
    """Decide about texts that were held: from outside, and worded like an instruction.

    They are not injected, searched or recalled until a person accepts them. Both decisions can be undone,
    and the same text is not held a second time.

    \b
    memolith review
    memolith review show 3fa9c1
    memolith review accept 3fa9c1
    memolith review refuse --all
    """
    choice(action, _ACTIONS, "action")
    with options.open() as mem:
        notice(mem)
        waiting = quarantine.waiting(mem)
        if action == "list":
            if numbers or everything:
                raise InputError("`review list` takes nothing; give `show`, `accept` or `refuse` first")
            _list(options, waiting)
            return
        if not numbers and not everything:
            raise InputError(f"which one? Give its ID or --all: memolith review {action} ID")
        chosen = waiting if everything else [quarantine.find(mem, number) for number in numbers]
        if action == "show":
            if options.json:
                output.json({"waiting": [held.as_dict() for held in chosen]})
            else:
                output.text("\n\n".join(map(_describe, chosen)) or "Nothing waits.")
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


def _describe(held: Held) -> str:
    asked = ", ".join(f"{key}={value!r}" for key, value in held.arguments.items())
    reasons = "\n".join(f"  - {reason}" for reason in held.reasons)
    text = "\n".join(f"  | {line}" for line in held.text.splitlines())
    return (
        f"{held.id}  held {held.since}, source: {held.source}\nasked: {held.call} {asked}\n"
        f"because:\n{reasons}\ntext:\n{text}"
    )


def _decide(options: Options, mem: Mem, action: str, chosen: list[Held], *, yes: bool) -> None:
    from memolith import review as decisions

    done = []
    for held in chosen:
        if action == "accept":
            if not yes:
                _ask(held)
            message = decisions.accept(mem, held.id)
            done.append({"id": held.id, "decision": "accept", "message": message})
        else:
            decisions.refuse(mem, held.id)
            message = "refused; `memolith undo` brings it back"
            done.append({"id": held.id, "decision": "refuse", "message": message})
    if options.json:
        output.json({"decided": done})
    else:
        output.text("\n".join(f"{row['id']}: {row['message']}" for row in done) or "Nothing waits.")


def _ask(held: Held) -> None:
    """Show the text and ask. Where nobody can be asked, accepting needs --yes."""
    if not sys.stdin.isatty():
        raise InputError("a person accepts: run it in a terminal, or add --yes")
    output.text(_describe(held))
    if not click.confirm("Store this as memory?", default=False, err=True):
        raise click.exceptions.Exit(1)
