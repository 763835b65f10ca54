"""The files by their names: `write`, `read` and `update`, as agents and the designs have them."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from memolith.base import whole
from memolith.base.errors import InputError, NotFoundError
from memolith.base.values import MODES, TARGETS
from memolith.edges.cli import common, completion
from memolith.edges.cli.app import cli, opened
from memolith.env.paths import Tree
from memolith.memory import arguments, find, notes, writing
from memolith.memory.find import day_of
from memolith.store import layout
from memolith.text import markdown
from memolith.text.budget import plural
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from typing import Literal

    from memolith.base.values import Mode, Scope, Target
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem
    from memolith.memory.find import Found

_force = click.option(
    "--force",
    is_flag=True,
    help="Replace MEMORY.md even if that drops more than half of its lines, and more than two.",
)


def _target(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    return "long_term" if value == "long-term" else value


@cli.command()
@click.argument(
    "target",
    metavar="{long_term|scratchpad|daily|note NAME}",
    callback=_target,
    shell_complete=completion.words(*TARGETS),
)
@click.argument("text", nargs=-1, required=True, cls=common.Text, shell_complete=completion.names)
@common.one_of("--mode", MODES, default="append", show_default=True)
@_force
@common.scope
@common.if_sha256
@common.source
@opened
def write(
    mem: Mem,
    target: Target,
    text: tuple[str, ...],
    mode: Mode,
    force: bool,
    scope: Scope,
    if_sha256: str | None,
) -> Answer:
    """Write TEXT (or standard input, with -) to a memory file.

    \b
    memolith write long_term "- I live in Vienna."
    memolith write scratchpad "- [ ] update the changelog"
    git log -3 | memolith write daily -
    memolith write note database "Use port 5433."
    """
    name, words = _named(target, text)
    content = common.text_argument(" ".join(words))
    is_new = (
        name is not None and Tree(mem.store).stat(layout.find_note(mem.store, mem.scope(scope), name)) is None
    )
    meant = _meant(mem, name) if name is not None and is_new else None
    if meant and common.attended():
        question = f"There is no note {name}. Add it to the note {meant.name} instead?"
        if click.confirm(question, default=True, err=True):
            scope = "project" if layout.scope_of(meant.path) else "user"
            name, is_new, meant = meant.name, False, None
    is_lost = mode == "overwrite" and mem.read(target, name, scope=scope) != arguments.EMPTY
    done = mem.write(target, content, mode, name, force=force, scope=scope, if_sha256=if_sha256)
    if name is not None and done.bytes and not done.held:
        file = os.path.relpath(done.filename, mem.store)
        how = "Created" if is_new else "Added to" if mode == "append" else "Replaced"
        what = f"{how} note {os.path.basename(file)[:-3]}"
        done = done.but(message=f"{what}: {plural(done.bytes, 'byte')} in {done.filename}")
    if is_lost and done.bytes and not (done.held or whole.lost()):
        done = done.but(message=f"{done.message} (`memolith undo` brings the old text back)")
    if meant:
        other = f"if you meant {meant.name}: `memolith undo`, then `memolith write note {meant.name} TEXT`"
        done = done.but(warnings=[*done.warnings, other])
    if target == "scratchpad" and not markdown.open_items(content).strip():
        note = "no agent sees this: of the scratchpad they get what is open, not headings and ticked items"
        return done.but(warnings=[*done.warnings, note])
    return done


def _named(target: str, text: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Return the name that a text begins with, if the target has one, and the rest."""
    if target == "note":
        if len(text) == 1 and text[0] != "-" and common.is_piped():
            text = (*text, "-")
        if len(text) < 2:
            raise InputError("a note needs its name and a text: memolith write note NAME TEXT")
        return text[0], text[1:]
    if target == "daily" and len(text) > 1 and (text[0] == "yesterday" or layout.is_date(text[0])):
        # A text that begins with a day is one argument, or is piped in.
        raise InputError(f"the log is written for today, not for {text[0]}; put the whole text in quotes")
    return None, text


def _meant(mem: Mem, name: str) -> Found | None:
    """Return the one note whose title or beginning a name is that no note has."""
    try:
        found = mem.find(name, "note")
    except (InputError, NotFoundError):  # several, or none
        return None
    return found if found.kind == "note" else None


def _check_no_name(mem: Mem, text: tuple[str, ...]) -> None:
    """Refuse a text that names something, or without quotes begins so: `update` is not about that.

    A sentence from which a title was made is a text.
    """
    try:
        found = mem.find(text[0])
    except (InputError, NotFoundError):
        return
    if found.kind in find.KINDS and find.is_whole(mem, found, text[0]):
        words = text[0].split()
        if len(words) > 1 and notes.is_made_from(text[0].rstrip(" ."), find.entry_of(mem, found).parsed.body):
            return
        alone = f"memolith write long_term {shlex.quote(text[0])}"
        meant = {
            "note": f"`memolith write note {found.name} TEXT` adds to that, `memolith edit {found.name}` "
            "changes it",
            "record": f"`memolith record edit {found.name} TEXT` changes that",
            "ticket": f"`memolith ticket note {found.name} TEXT` adds to that",
            "session": f"`memolith show {found.name}` prints that",
        }
        raise InputError(
            f"update writes to MEMORY.md, not to the {found.kind} {found.name}: {meant[found.kind]}; for "
            f"MEMORY.md{', put the whole text in quotes' if len(text) > 1 else f': `{alone}`'}"
        )


@cli.command()
@click.argument(
    "source",
    metavar="[long_term|scratchpad|daily|note|list|memory://…]",
    callback=_target,
    default="long_term",
    shell_complete=completion.sources,
)
@click.argument("name", required=False, shell_complete=completion.names)
@click.option("--offset", default=0, metavar="N", help="Skip the first N lines.")
@click.option("--lines", type=int, metavar="N", help="Show at most N lines.")
@common.scope
@opened
def read(mem: Mem, source: str, name: str | None, offset: int, lines: int | None, scope: Scope) -> Answer:
    """Print a memory file, at most 32 KiB at a time. NAME is that of a note, or a day of the log.

    \b
    memolith read                          # MEMORY.md
    memolith read daily yesterday
    memolith read note database
    memolith read list                     # all files
    memolith read memory://root            # what was learned from sessions
    memolith read memory://root/MEMORY.md  # the project's MEMORY.md, by address
    """
    if source == "list":
        text = veil.masked(mem.read("list", offset=offset, lines=lines))
        return {"source": source, "name": name, "text": text}, text
    if name is not None and source not in ("note", "daily"):
        raise InputError(f"{source} has no NAME; `note` and `daily` have")
    if source == "daily" and name is not None:
        name = day_of(mem, name) or name
    if source == "note" and name is not None:
        found = mem.find(f"note:{name}")
        resource = writing.look(
            mem, "note", found.name, scope="project" if layout.scope_of(found.path) else "user"
        )
    else:
        resource = writing.look(mem, source, name, scope=scope)
    shown = arguments.page(resource.text, offset, lines)
    text = shown if resource.text.strip() else arguments.EMPTY
    return {"source": source, "name": name, **resource.as_dict(), "text": text}, text


@cli.command()
@click.argument("text", nargs=-1, required=True, cls=common.Text)
@click.option(
    "--mode",
    metavar="append|rewrite",
    help="append is the default.",
    shell_complete=completion.words("append", "rewrite"),
)
@click.option("--action", hidden=True, help="Another name for --mode.")
@click.option("--section", metavar="TITLE", help="Replace this section only, and date it.")
@_force
@common.if_sha256
@common.source
@opened
def update(
    mem: Mem,
    text: tuple[str, ...],
    mode: Literal["append", "rewrite"] | None,
    action: str | None,
    section: str | None,
    force: bool,
    if_sha256: str | None,
) -> Answer:
    """Update MEMORY.md as one document: add to it, replace a section, or rewrite it.

    \b
    memolith update "- The laptop has 16 GB." --section "Machine / Runtime"
    memolith update - --mode rewrite < condensed.md
    """
    if section is None or len(text) > 1:
        _check_no_name(mem, text)
    content = common.text_argument(" ".join(text))
    if section is None:
        return mem.update(content, mode, force, action=action, if_sha256=if_sha256)
    common.choice(mode or action or "append", ["append"], "mode with --section:")
    return mem.update_section(section, content, if_sha256=if_sha256)
