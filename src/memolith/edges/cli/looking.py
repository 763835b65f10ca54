"""Commands for people who want to know: where a memory came from, how it grows, what to make of a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.edges.cli import completion, output
from memolith.edges.cli.app import cli, shared
from memolith.edges.cli.options import notice
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.command()
@click.argument("ref", shell_complete=completion.files_to_undo)
@shared
def why(options: Options, ref: str) -> None:
    """Tell where a memory came from, who changed it when, and which sessions were given it.

    REF is a path, a note's name, memory://…, the id of a record, ticket or hit, or session:NAME#TURN.

    \b
    memolith why running-the-tests
    memolith why use-pnpm
    memolith why session:claude-3f2a#12
    """
    from memolith.care.why import why as explain

    with options.open() as mem:
        notice(mem)
        found = explain(mem, ref)
        output.json(found.as_dict()) if options.json else output.text(veil.masked(found.render()))


@cli.command()
@click.argument("note", nargs=-1, required=True, shell_complete=completion.names)
@shared
def promote(options: Options, note: tuple[str, ...]) -> None:
    """Make a skill of a note that became a procedure: skills/NAME/SKILL.md; each links to the other.

    It stays in the memory, where no agent loads it by itself: copy the directory to where your agent looks
    for skills. Run it again, and the skill follows the note. `memolith undo` takes both back.

    \b
    memolith promote running-the-tests
    """
    from memolith.learn.consolidate.skills import promote as make

    with options.open() as mem:
        notice(mem)
        done = make(mem, " ".join(note))
        output.json(done.as_dict()) if options.json else output.text(done.message)
