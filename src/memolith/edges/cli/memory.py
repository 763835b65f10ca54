"""Commands that write and read memory."""

from __future__ import annotations

import stat
import time
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError
from memolith.base.values import TARGETS
from memolith.edges.cli import completion, explained, fast, output
from memolith.edges.cli import write as writing
from memolith.edges.cli.app import choice, cli, shared, text_argument
from memolith.edges.cli.options import notice
from memolith.env.paths import Tree
from memolith.memory import arguments
from memolith.memory.notes import KINDS
from memolith.store import layout
from memolith.text.memory_url import SCHEME

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.mem import Mem

_TARGETS = "{long_term|scratchpad|daily|note}"
_scope = click.option(
    "--scope",
    default="project",
    show_default=True,
    metavar="project|user",
    help="Whose notes.",
    shell_complete=completion.words("project", "user"),
)
_target = click.argument("target", metavar=_TARGETS, shell_complete=completion.words(*TARGETS))
_if_sha256 = click.option(
    "--if-sha256", metavar="HASH", help="Only if the file still has this content hash (see --json)."
)


@cli.command()
@_target
@click.argument("text")
@click.option(
    "--mode",
    default="append",
    show_default=True,
    metavar="append|overwrite",
    shell_complete=completion.words("append", "overwrite"),
)
@click.option("--name", metavar="NAME", help="Name of the note.", shell_complete=completion.names)
@_scope
@_if_sha256
@writing.origin
@writing.taint
@shared
def write(
    options: Options,
    target: str,
    text: str,
    mode: str,
    name: str | None,
    scope: str,
    if_sha256: str | None,
    origin: str | None,
    taint: str | None,
) -> None:
    """Write TEXT (or standard input, with -) to a memory file.

    \b
    memolith write long_term "- I live in Vienna."
    memolith write scratchpad "- [ ] update the changelog"
    git log -3 | memolith write daily -
    memolith write note "Use port 5433." --name database
    """
    with options.open() as mem:
        writer, content = writing.writer(mem, origin, taint), text_argument(text)
        writing.report(
            options, mem, writer.write(target, content, mode, name, scope=scope, if_sha256=if_sha256)
        )


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
@_scope
@shared
def read(options: Options, source: str, name: str | None, offset: int, lines: int | None, scope: str) -> None:
    """Print a memory file, at most 32 KiB at a time.

    \b
    memolith read                          MEMORY.md
    memolith read daily --name 2026-11-14
    memolith read note --name database
    memolith read list                     all files
    memolith read memory://root            what was learned from sessions
    memolith read memory://root/MEMORY.md  this project's, by its address
    """
    with options.open() as mem:
        if source.startswith(SCHEME):
            _read_address(options, mem, source, offset, lines)
            return
        text = mem.read(source, name, offset=offset, lines=lines, scope=scope)
        notice(mem)
        if options.json:
            output.json({"source": source, "name": name, "text": text})
        else:
            output.text(text)


def _read_address(options: Options, mem: Mem, uri: str, offset: int, lines: int | None) -> None:
    from memolith.memory.addresses import resolve

    found = resolve(mem, uri)
    notice(mem)
    text = arguments.page(found.text, offset, lines)
    if options.json:
        output.json({**found.as_dict(), "text": text})
    else:
        output.text(text)


@cli.command()
@_target
@click.option("--old", metavar="TEXT", help="The text to replace; must occur exactly once.")
@click.option("--new", metavar="TEXT", default="", help="What to put there (default: nothing).")
@click.option(
    "--name", metavar="NAME", help="Name of the note, or day of the log.", shell_complete=completion.names
)
@_scope
@_if_sha256
@writing.origin
@writing.taint
@shared
def edit(
    options: Options,
    target: str,
    old: str | None,
    new: str,
    name: str | None,
    scope: str,
    if_sha256: str | None,
    origin: str | None,
    taint: str | None,
) -> None:
    """Replace a piece of text; without --old, delete a note.

    \b
    memolith edit long_term --old Vienna --new Graz
    memolith edit scratchpad --old "- [ ] tests" --new "- [x] tests"
    memolith edit note --name database
    """
    with options.open() as mem:
        writer = writing.writer(mem, origin, taint)
        writing.report(options, mem, writer.edit(target, old, new, name, scope=scope, if_sha256=if_sha256))


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--max-chars", metavar="N", help="The host's own limit in characters.")
@click.option("--explain", is_flag=True, help="Say which file gave which bytes, what was cut, and why.")
@click.option("--price", type=float, metavar="P", help="With --explain: price of a million input tokens.")
@click.option("--per-day", type=int, metavar="N", help="With --price: prompts per day.  [default: 100]")
@shared
def context(
    options: Options,
    query: tuple[str, ...],
    max_chars: str | None,
    explain: bool,
    price: float | None,
    per_day: int | None,
) -> None:
    """Print the block that an agent gets to see; nothing if there is nothing.

    QUERY is the task at hand; what is recalled for it is added.

    \b
    memolith context
    memolith context "fix the flaky login test"
    memolith context --max-chars 9500
    memolith context --explain
    memolith context --explain --price 3 --per-day 200
    """
    options.max_chars = max_chars
    if explain:
        explained.show(options, " ".join(query), price, per_day)
        return
    if price is not None or per_day is not None:
        raise InputError("--price and --per-day say what the block costs: add --explain")
    fast.answer(options, "context", " ".join(query))


@cli.command()
@click.argument("query", nargs=-1)
@shared
def search(options: Options, query: tuple[str, ...]) -> None:
    """Find memory files that contain any of the words, literally and in any case.

    \b
    memolith search redis port
    """
    fast.answer(options, "search", " ".join(query))


@cli.command()
@click.argument("text")
@click.option("--title", required=True, metavar="TITLE", help="What the note is about; names its file.")
@click.option(
    "--kind",
    default="project",
    show_default=True,
    metavar="user|project|domain|preference|reference",
    shell_complete=completion.words(*KINDS),
)
@_scope
@writing.origin
@writing.taint
@shared
def remember(
    options: Options, text: str, title: str, kind: str, scope: str, origin: str | None, taint: str | None
) -> None:
    """Keep one fact as a note of its own, with a line in the index that agents always see.

    The same title again replaces the note (the old text stays in the history).

    \b
    memolith remember "The suite needs Redis on 6380." --title "Running the tests"
    memolith remember "Answer in German." --title "Language" --kind preference --scope user
    """
    with options.open() as mem:
        writer, content = writing.writer(mem, origin, taint), text_argument(text)
        writing.report(options, mem, writer.remember(content, title, kind, scope=scope))


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
@writing.origin
@writing.taint
@shared
def update(
    options: Options,
    text: str,
    mode: str,
    section: str | None,
    force: bool,
    if_sha256: str | None,
    origin: str | None,
    taint: str | None,
) -> None:
    """Update MEMORY.md as one document: add to it, replace a section, or rewrite it.

    \b
    memolith update "- The laptop has 16 GB." --section "Machine / Runtime"
    memolith update - --mode rewrite < condensed.md
    """
    with options.open() as mem:
        writer, content = writing.writer(mem, origin, taint), text_argument(text)
        if section is not None:
            choice(mode, ["append"], "mode with --section:")
            writing.report(options, mem, writer.update_section(section, content, if_sha256=if_sha256))
        else:
            writing.report(options, mem, writer.update(content, mode, force, if_sha256=if_sha256))


@cli.command("list")
@click.argument(
    "what",
    default="all",
    metavar="[all|notes|daily]",
    shell_complete=completion.words("all", "notes", "daily"),
)
@_scope
@shared
def list_files(options: Options, what: str, scope: str) -> None:
    """List memory files with size and time of the last change.

    \b
    memolith list
    memolith list notes --scope user
    """
    choice(what, ["all", "notes", "daily"], "listing")
    user_wide = arguments.is_user_wide(scope)
    with options.open() as mem:
        slug = layout.USER if user_wide else mem.project
        wanted = {"all": "", "notes": layout.notes(slug) + "/", "daily": layout.daily_directory(slug) + "/"}
        rows = [row for name in mem.list() if name.startswith(wanted[what]) for row in _row(mem, name)]
        notice(mem)
        if options.json:
            output.json({"root": str(mem.root), "files": rows, "complete": True, "missing": []})
        elif rows:
            output.text("\n".join(f"{row['bytes']:>8}  {row['changed']}  {row['path']}" for row in rows))
        else:
            output.note("nothing is remembered here yet; try `memolith remember TEXT --title TITLE`")


def _row(mem: Mem, relative: str) -> list[dict[str, object]]:
    """Return what `list` says of a file; nothing if it is gone by now, or is not a regular file."""
    status = Tree(str(mem.root)).stat(relative)
    if status is None or not stat.S_ISREG(status.st_mode):
        return []
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(status.st_mtime))
    return [{"path": relative, "bytes": status.st_size, "changed": changed}]


@cli.command()
@shared
def status(options: Options) -> None:
    """Show what is remembered, how big it is, and what needs attention.

    \b
    memolith status
    """
    from memolith.care.status import overview

    with options.open() as mem:
        facts = overview(mem)
        notice(mem)
        if options.json:
            output.json(facts.as_dict())
        else:
            output.text(facts.render())
