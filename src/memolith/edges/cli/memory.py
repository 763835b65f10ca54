"""Commands that write, read, list and query memory, and show where it came from."""

from __future__ import annotations

import stat
import time
from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError
from memolith.base.values import HIT_KINDS, MODES, NOTE_KINDS, TARGETS
from memolith.edges.cli import ask, common, completion
from memolith.edges.cli.app import cli, opened, shared
from memolith.edges.cli.output import Note
from memolith.env.paths import Tree
from memolith.memory import arguments, writing
from memolith.store import layout
from memolith.store.layout import CATEGORIES
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from typing import Literal

    from memolith.base.values import Mode, NoteKind, Scope, Target
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_target = click.argument(
    "target", metavar="{long_term|scratchpad|daily|note}", shell_complete=completion.words(*TARGETS)
)
_files = ("all", "notes", "daily")
_PER_DAY = 100
_force = click.option(
    "--force", is_flag=True, help="Replace MEMORY.md even if that drops more than half of its lines."
)
_if_sha256 = click.option(
    "--if-sha256", metavar="HASH", help="Write only if the file still has this content hash (see --json)."
)


@cli.command()
@_target
@click.argument("text")
@common.one_of("--mode", MODES, default="append", show_default=True)
@click.option("--name", metavar="NAME", help="Name of the note.", shell_complete=completion.names)
@_force
@common.scope
@_if_sha256
@common.source
@opened
def write(
    mem: Mem,
    target: Target,
    text: str,
    mode: Mode,
    name: str | None,
    force: bool,
    scope: Scope,
    if_sha256: str | None,
) -> Answer:
    """Write TEXT (or standard input, with -) to a memory file.

    \b
    memolith write long_term "- I live in Vienna."
    memolith write scratchpad "- [ ] update the changelog"
    git log -3 | memolith write daily -
    memolith write note "Use port 5433." --name database
    """
    content = common.text_argument(text)
    return mem.write(target, content, mode, name, force=force, scope=scope, if_sha256=if_sha256)


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
def read(mem: Mem, source: str, name: str | None, offset: int, lines: int | None, scope: Scope) -> Answer:
    """Print a memory file, at most 32 KiB at a time.

    \b
    memolith read                          MEMORY.md
    memolith read daily --name 2026-11-14
    memolith read note --name database
    memolith read list                     all files
    memolith read memory://root            what was learned from sessions
    memolith read memory://root/MEMORY.md  this project's MEMORY.md, by address
    """
    if source == "list":
        text = mem.read("list", offset=offset, lines=lines)
        return {"source": source, "name": name, "text": text}, text
    found = writing.look(mem, source, name, scope=scope)
    shown = arguments.page(found.text, offset, lines)
    text = shown if found.text.strip() else arguments.EMPTY
    return {"source": source, "name": name, **found.as_dict(), "text": text}, text


@cli.command()
@_target
@click.option("--old", metavar="TEXT", help="The text to replace; must occur exactly once.")
@click.option("--new", metavar="TEXT", default="", help="The replacement (default: nothing).")
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
@common.one_of("--kind", NOTE_KINDS, default="project", show_default=True)
@common.scope
@common.source
@opened
def remember(mem: Mem, text: str, title: str, kind: NoteKind, scope: Scope) -> Answer:
    """Keep one fact as a note, with a line in the index that agents always see.

    Reusing a title replaces the note (the old text stays in the history).

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
@_force
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
        return fields, Note("no memory here yet; try `memolith remember TEXT --title TITLE`")
    return fields, "\n".join(f"{row['bytes']:>8}  {row['changed']}  {row['path']}" for row in rows)


def _row(mem: Mem, relative: str) -> list[dict[str, object]]:
    """Return the row of a file for `list`; None if it has gone meanwhile, or is not a regular file."""
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
    """Show where a memory came from, who changed it when, and which sessions received it.

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
    """Turn a note that describes a procedure into a skill: skills/NAME/SKILL.md; each links to the other.

    The skill stays in the memory, where no agent loads it: copy the directory to where your agent looks
    for skills. Run the command again to update the skill from the note. `memolith undo` reverts both.

    \b
    memolith promote running-the-tests
    """
    return mem.promote(" ".join(note))


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--max-chars", metavar="N", help="The host's limit in characters.")
@click.option(
    "--explain", is_flag=True, help="Show which file contributed which bytes, what was cut, and why."
)
@click.option("--price", type=float, metavar="P", help="With --explain: price of a million input tokens.")
@click.option("--per-day", type=int, metavar="N", help="With --price: prompts per day.  [default: 100]")
@opened
def context(
    mem: Mem,
    query: tuple[str, ...],
    max_chars: str | None,
    explain: bool,
    price: float | None,
    per_day: int | None,
) -> Answer:
    """Print the block that an agent sees, if there is anything to inject.

    QUERY is the task at hand; adds what is recalled for it.

    \b
    memolith context
    memolith context "fix the flaky login test"
    memolith context --max-chars 9500
    memolith context --explain
    memolith context --explain --price 3 --per-day 200
    """
    words = " ".join(query)
    if not explain:
        if price is not None or per_day is not None:
            raise InputError("--price and --per-day need --explain")
        return ask.context(mem, words, {"max_chars": max_chars})
    if price is None and per_day is not None:
        raise InputError("--per-day needs --price, the price of a million input tokens")
    found = mem.explain(words or None, max_chars=ask.number("--max-chars", max_chars))
    often = _PER_DAY if per_day is None else per_day
    cost = None if price is None else found.cost(price, often)
    text = found.render()
    if cost is not None:
        text += (
            f"\n\n{often:,} prompts a day: {found.tokens * often:,} tokens, {cost:,.2f} a day "
            "(less where the provider caches prompts)"
        )
    return {**found.as_dict(), "per_day": often, "cost_per_day": cost}, text


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--within", metavar="N", help="All words within N lines (1: on one line), not any word.")
@click.option("--loose", is_flag=True, help="Ignore what stands between letters: - _ . / and spaces.")
@click.option("--context", metavar="N", help="Lines to show around a match (default: 3).")
@click.option("--offset", metavar="N", help="Skip the first N files.")
@click.option("--limit", metavar="N", help="Show at most N files.")
@click.option("--sessions", is_flag=True, help="Also look into past sessions.")
@opened
def search(mem: Mem, query: tuple[str, ...], **given: Any) -> Answer:
    """Find memory files that contain any of the words, literally, ignoring case.

    \b
    memolith search redis port
    memolith search redis port --within 1
    memolith search session-cache --loose
    """
    return ask.search(mem, " ".join(query), given)


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--limit", metavar="N", help="Maximum number of hits (default: 10).")
@common.one_of("--format", ask.FORMATS, "How to print them (default: snippets).")
@common.one_of("--scope", common.SCOPES, "Whose memory (default: both).")
@common.one_of("--kind", HIT_KINDS, "Only these kinds, separated by commas.")
@common.one_of("--category", CATEGORIES, "Only records of these categories, separated by commas.")
@click.option("--since", metavar="YYYY-MM-DD", help="Nothing older than this date.")
@click.option("--as-of", metavar="YYYY-MM-DD", help="Answer for that day instead of today.")
@click.option("--budget", metavar="TOKENS", help="Only as many whole hits as fit into this many tokens.")
@click.option("--ticket", metavar="ID", help="Ask with a ticket's title and description; QUERY adds to it.")
@click.option("--dry-run", is_flag=True, help="Show what an agent's prompt would get for this task.")
@click.option(
    "--semantic", is_flag=True, help="Also search by meaning (needs memolith[semantic]; loads a model)."
)
@shared
def recall(options: Options, query: tuple[str, ...], **given: Any) -> Answer | None:
    """Ask a question: get the best answers from notes, records, sessions, tickets and daily logs.

    A question about something that is not in memory gets no answer.

    \b
    memolith recall how do we deploy the gateway
    memolith recall --ticket fix-login --format prompt
    memolith recall "release process" --as-of 2026-03-01
    """
    options.json = options.json or given["format"] == "json"
    return options.answer(lambda mem: ask.recall(mem, " ".join(query), given))
