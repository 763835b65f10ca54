"""`forget`: a fact goes from everything that is kept, for good."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, NotFoundError, PartialError
from memolith.care import erase
from memolith.edges.cli import output
from memolith.edges.cli.app import cli, shared, text_argument
from memolith.learn.queue.queue import Queue
from memolith.store import tombstones

if TYPE_CHECKING:
    from memolith.care.purge import Cleaned
    from memolith.edges.cli.options import Options
    from memolith.mem import Mem

_OUTSIDE = "what agents, editors and backups keep themselves is not touched"


@cli.command()
@click.argument("text")
@click.option("--all", "everywhere", is_flag=True, help="In every project, not only this one and the user's.")
@click.option("--dry-run", "dry", is_flag=True, help="Only show where it is.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@shared
def forget(options: Options, text: str, everywhere: bool, dry: bool, yes: bool) -> None:
    """Take every line that has TEXT out of memory, history and session copies, for good; there is no undo.

    TEXT is a part of the line; case and spaces do not matter. With - it is read from standard input. What was
    imported does not come back by importing it again. To delete a note and keep its history, see `edit`.

    \b
    memolith forget "port 6380" --dry-run
    memolith forget "port 6380"
    """
    with options.open() as mem:
        wanted = text_argument(text) if text == "-" else text
        eraser = erase.Eraser(mem, wanted)
        found = erase.erase(mem, eraser, _warn, everywhere=everywhere, dry=True)
        found += _learned(mem, eraser, everywhere=everywhere, dry=True)
        problems: list[str] = []
        if not found:
            raise NotFoundError("no line that is kept has this text; `memolith search` finds words of it")
        if not dry:
            _agree(_places(mem, found), yes=yes)
            # First of all: who is interrupted from here on has lost no hash with the lines.
            tombstones.keep(mem.gate, eraser.keys)
            done = _learned(mem, eraser, everywhere=everywhere)
            found = erase.erase(mem, eraser, problems.append, everywhere=everywhere) + done
        problems += erase.named_so(mem, eraser, everywhere=everywhere)
        places = _places(mem, found)
        message = f"{'Would forget' if dry else 'Forgot'} it in {len(places)} place(s)"
        if options.json:
            rows = [{"path": path, "lines": lines} for path, lines in places.items()]
            output.json({"places": rows, "message": message, "forgotten": not dry and not problems})
        else:
            output.text("\n".join(_told(places)))
            output.text(f"{message}; {_OUTSIDE}" if not dry else message)
        for problem in problems:
            _warn(problem)
        if problems:
            raise PartialError("some of it may be left; see to what is named above and forget it again")


def _warn(problem: str) -> None:
    output.note(problem, "warning")


def _learned(mem: Mem, eraser: erase.Eraser, *, everywhere: bool, dry: bool = False) -> list[Cleaned]:
    """Take it out of what was extracted from sessions and waits for a consolidation."""
    from memolith.care.purge import Cleaned

    lines = 0

    def change(text: str) -> str:
        nonlocal lines
        lines += sum(map(eraser.has, text.split("\n")))
        rest = eraser.without(text)
        return text if dry else rest

    with Queue(mem.home, mem.settings, mem.now) as queue:
        queue.erase(None if everywhere else mem.project, change)
        path = queue.database.path
    return [Cleaned(path=path, action="masked", secrets=lines)] if lines else []


def _places(mem: Mem, found: list[Cleaned]) -> dict[str, int]:
    """Return the lines of each place below the home; all versions of a file are one place."""
    places: dict[str, int] = {}
    for each in found:
        path = os.path.relpath(each.path, mem.home)
        path = os.path.dirname(path) if path.startswith("history") else path
        places[path] = places.get(path, 0) + each.secrets
    return places


def _told(places: dict[str, int]) -> list[str]:
    return [f"{path}: {lines} line(s)" for path, lines in places.items()]


def _agree(places: dict[str, int], *, yes: bool) -> None:
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise InputError(
            f"this removes lines in {len(places)} place(s) for good: add --yes, or --dry-run to see"
        )
    for line in _told(places):
        output.note(line)
    if not click.confirm(f"Remove them in {len(places)} place(s) for good?", err=True):
        raise click.exceptions.Exit(1)
