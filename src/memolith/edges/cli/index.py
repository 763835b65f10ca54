"""The command that looks after the derived index."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from memolith.edges.cli import completion, output, progress
from memolith.edges.cli.app import choice, cli, shared
from memolith.store import layout

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.index.vectors.meaning import Coverage
    from memolith.mem import Mem

_AGAIN = "`memolith index sync` goes on where it stopped, and so does the next recall"
_ACTIONS = ("status", "sync", "rebuild")


@cli.command()
@click.argument(
    "action", default="status", metavar="[status|sync|rebuild]", shell_complete=completion.words(*_ACTIONS)
)
@shared
def index(options: Options, action: str) -> None:
    """Show, catch up or make anew what recall searches in. It is derived: the files know everything.

    Recall does this by itself; nothing is lost when the index is deleted. With memolith[semantic], `sync` and
    `rebuild` also make the vectors that recall could not make in its time; a service on another machine gets
    the texts of this project and the user's alone.

    \b
    memolith index
    memolith index rebuild
    """
    choice(action, _ACTIONS, "action")
    with options.open() as mem:
        found = mem.index
        slugs = list(dict.fromkeys([layout.USER, *layout.projects(mem.home), *found.scopes()]))
        if action == "status":
            state = found.status(slugs)
        elif action == "sync":
            state = found.sync(slugs, progress=progress.bar("files", _AGAIN))
        else:
            mem.vectors.clear()
            state = found.rebuild(slugs, progress=progress.bar("files", _AGAIN))
        meaning = _meaning(mem, slugs, catch_up=action != "status")
        size = os.path.getsize(found.path) if os.path.isfile(found.path) else 0
        if options.json:
            output.json({"path": found.path, "bytes": size, **state.as_dict(), "meaning": str(meaning)})
            return
        for note in state.notes:
            output.note(note, "warning")
        for what in state.missing:
            output.text(f"missing  {what}")
        behind = "" if state.complete else ", not complete"
        output.text(
            f"{state.files} file(s), {state.units} unit(s), {size:,} bytes in {found.path}{behind}\n"
            + (
                f"{state.changed} file(s) to catch up"
                if action == "status"
                else f"{state.changed} file(s) read"
            )
            + f"\nMeaning: {meaning}"
        )


def _meaning(mem: Mem, slugs: list[str], *, catch_up: bool) -> Coverage:
    """Return how much has a vector; catching up takes what it takes, here nobody waits for an answer."""
    vectors = mem.vectors
    if getattr(vectors.provider, "sends", False):
        slugs = [layout.USER, mem.project]
    return (
        vectors.sync(slugs, progress=progress.bar("texts", _AGAIN)) if catch_up else vectors.coverage(slugs)
    )
