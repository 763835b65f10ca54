"""Commands that write, read and list memory, and say where it came from."""

from __future__ import annotations

import stat
import time
from typing import TYPE_CHECKING

import click

from memolith.base.values import MODES, TARGETS
from memolith.edges.cli import common, completion
from memolith.edges.cli.app import cli, opened
from memolith.edges.cli.output import Note
from memolith.env.paths import Tree
from memolith.memory import addresses, arguments
from memolith.memory.notes import KINDS
from memolith.store import layout
from memolith.text.names import SCHEME
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from typing import Literal

    from memolith.base.values import Mode, NoteKind, Scope, Target
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_target = click.argument(
    "target", metavar="{long_term|scratchpad|daily|note}", shell_complete=completion.words(*TARGETS)
)
_files = ("all", "notes", "daily")
_if_sha256 = click.option(
    "--if-sha256", metavar="HASH", help="Only if the file still has this content hash (see --json)."
)


@cli.command()
@_target
@click.argument("text")
@common.one_of("--mode", MODES, default="append", show_default=True)
@click.option("--name", metavar="NAME", help="Name of the note.", shell_complete=completion.names)
@common.scope
@_if_sha256
@common.source
@opened
def write(
    mem: Mem, target: Target, text: str, mode: Mode, name: str | None, scope: Scope, if_sha256: str | None
) -> Answer:
    """Write TEXT (or standard input, with -) to a memory file.

    \b
    memolith write long_term "- I live in Vienna."
    memolith write scratchpad "- [ ] update the changelog"
    git log -3 | memolith write daily -
    memolith write note "Use port 5433." --name database
    """
    content = common.text_argument(text)
    return mem.write(target, content, mode, name, scope=scope, if_sha256=if_sha256)


@cli.command()
@click.argument(
    "source",
    metavar="{long_term|scratchpad|daily|note|list|memory://…}",
    default="long_term",
    shell_complete=completion.sources,
)
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the note, or day of the log (YYYY-MM-DD).",
    shell_complete=completion.names,
)
@click.option("--offset", default=0, metavar="N", help="Skip the first N lines.")
@click.option("--lines", type=int, metavar="N", help="Show at most N lines.")
@common.scope
@opened
def read(mem: Mem, source: Target, name: str | None, offset: int, lines: int | None, scope: Scope) -> Answer:
    """Print a memory file, at most 32 KiB at a time.

    \b
    memolith read                          MEMORY.md
    memolith read daily --name 2026-11-14
    memolith read note --name database
    memolith read list                     all files
    memolith read memory://root            what was learned from sessions
    memolith read memory://root/MEMORY.md  this project's, by its address
    """
    if source.startswith(SCHEME):
        found = addresses.resolve(mem, source)
        text = arguments.page(found.text, offset, lines)
        return {**found.as_dict(), "text": text}, text
    text = mem.read(source, name, offset=offset, lines=lines, scope=scope)
    return {"source": source, "name": name, "text": text}, text


@cli.command()
@_target
@click.option("--old", metavar="TEXT", help="The text to replace; must occur exactly once.")
@click.option("--new", metavar="TEXT", default="", help="What to put there (default: nothing).")
@click.option(
    "--name", metavar="NAME", help="Name of the note, or day of the log.", shell_complete=completion.names
)
@common.scope
@_if_sha256
@common.source
@opened
def edit(
    mem: Mem, target: Target, old: str | None, new: str, name: str | None, scope: Scope, if_sha256: str | None
) -> Answer:
    """Replace a piece of text; without --old, delete a note.

    \b
    memolith edit long_term --old Vienna --new Graz
    memolith edit scratchpad --old "- [ ] tests" --new "- [x] tests"
    memolith edit note --name database
    """
    return mem.edit(target, old, new, name, scope=scope, if_sha256=if_sha256)


@cli.command()
@click.argument("text")
@click.option("--title", required=True, metavar="TITLE", help="What the note is about; names its file.")
@common.one_of("--kind", KINDS, default="project", show_default=True)
@common.scope
@common.source
@opened
def remember(mem: Mem, text: str, title: str, kind: NoteKind, scope: Scope) -> Answer:
    """Keep one fact as a note of its own, with a line in the index that agents always see.

    The same title again replaces the note (the old text stays in the history).

    \b
    memolith remember "The suite needs Redis on 6380." --title "Running the tests"
    memolith remember "Answer in German." --title "Language" --kind preference --scope user
    """
    return mem.remember(common.text_argument(text), title, kind, scope=scope)


@cli.command()
@click.argument("text")
@click.option(
    "--mode",
    "--action",
    "mode",
    default="append",
    show_default=True,
    metavar="append|rewrite",
    shell_complete=completion.words("append", "rewrite"),
)
@click.option("--section", metavar="TITLE", help="Replace this section only, and date it.")
@click.option("--force", is_flag=True, help="Rewrite even if that drops more than half of the lines.")
@_if_sha256
@common.source
@opened
def update(
    mem: Mem,
    text: str,
    mode: Literal["append", "rewrite"],
    section: str | None,
    force: bool,
    if_sha256: str | None,
) -> Answer:
    """Update MEMORY.md as one document: add to it, replace a section, or rewrite it.

    \b
    memolith update "- The laptop has 16 GB." --section "Machine / Runtime"
    memolith update - --mode rewrite < condensed.md
    """
    content = common.text_argument(text)
    if section is None:
        return mem.update(content, mode, force, if_sha256=if_sha256)
    common.choice(mode, ["append"], "mode with --section:")
    return mem.update_section(section, content, if_sha256=if_sha256)


@cli.command("list")
@click.argument("what", default="all", metavar="[all|notes|daily]", shell_complete=completion.words(*_files))
@common.scope
@opened
def list_files(mem: Mem, what: str, scope: str) -> Answer:
    """List memory files with size and time of the last change.

    \b
    memolith list
    memolith list notes --scope user
    """
    common.choice(what, _files, "listing")
    slug = mem.scope(scope)
    wanted = {"all": "", "notes": layout.path(slug, "notes") + "/", "daily": layout.path(slug, "daily") + "/"}
    rows = [row for name in mem.list() if name.startswith(wanted[what]) for row in _row(mem, name)]
    fields: dict[str, object] = {"root": str(mem.root), "files": rows, "complete": True, "missing": []}
    if not rows:
        return fields, Note("nothing is remembered here yet; try `memolith remember TEXT --title TITLE`")
    return fields, "\n".join(f"{row['bytes']:>8}  {row['changed']}  {row['path']}" for row in rows)


def _row(mem: Mem, relative: str) -> list[dict[str, object]]:
    """Return what `list` says of a file; nothing if it is gone by now, or is not a regular file."""
    status = Tree(str(mem.root)).stat(relative)
    if status is None or not stat.S_ISREG(status.st_mode):
        return []
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(status.st_mtime))
    return [{"path": relative, "bytes": status.st_size, "changed": changed}]


@cli.command()
@opened
def status(mem: Mem) -> Answer:
    """Show what is remembered, how big it is, and what needs attention.

    \b
    memolith status
    """
    found = mem.status()
    return found.as_dict(), found.render()


@cli.command()
@click.argument("ref", shell_complete=completion.files_to_undo)
@opened
def why(mem: Mem, ref: str) -> Answer:
    """Tell where a memory came from, who changed it when, and which sessions were given it.

    REF is a path, a note's name, memory://…, the id of a record, ticket or hit, or session:NAME#TURN.

    \b
    memolith why running-the-tests
    memolith why use-pnpm
    memolith why session:claude-3f2a#12
    """
    found = mem.why(ref)
    return found.as_dict(), veil.masked(found.render())


@cli.command()
@click.argument("note", nargs=-1, required=True, shell_complete=completion.names)
@opened
def promote(mem: Mem, note: tuple[str, ...]) -> Answer:
    """Make a skill of a note that became a procedure: skills/NAME/SKILL.md; each links to the other.

    It stays in the memory, where no agent loads it by itself: copy the directory to where your agent looks
    for skills. Run it again, and the skill follows the note. `memolith undo` takes both back.

    \b
    memolith promote running-the-tests
    """
    return mem.promote(" ".join(note))
