"""What happened to memory, and taking it back: log, history, undo, redo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError
from memolith.care import written
from memolith.care.erase import masked
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import cli, opened, shared
from memolith.edges.cli.paint import Diff, Table, when
from memolith.env.paths import Tree
from memolith.memory.document import diff as difference
from memolith.memory.find import find_file
from memolith.memory.undo import files_with_history
from memolith.store import files, layout
from memolith.store.allow_list import allowed
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem
    from memolith.memory.undo import Undone

_file = click.argument("name", nargs=-1, shell_complete=completion.anything)


@cli.command()
@click.option("--days", type=click.IntRange(1, 3650), default=1, help="How many days back; 1 is today.")
@opened
def log(mem: Mem, days: int) -> Answer:
    """Show what was written to memory today: when, by whom, from where, and its first line.

    \b
    memolith log
    memolith log --days 7 --json
    """
    rows = written.since(mem, days)
    cells = [
        (when(row.time), row.by or "-", _did(row.op), _short(row.filename), row.source, row.says)
        for row in rows
    ]
    table = Table(("when", "by", "did", "what", "from", "says"), cells)
    return common.listed("written", rows, table, "nothing was written" + (" today" if days == 1 else ""))


def _did(op: str) -> str:
    """Return what a change did; the number that several files of one change share is not for people."""
    return op.partition("-")[0]


def _short(path: str) -> str:
    """Return a path in the store as a person says it: without the folder of this project."""
    slug = layout.scope_of(path)
    return path.removeprefix(f"{layout.path(slug)}/") if slug else path


@cli.command()
@_file
@click.option("--all", "everything", is_flag=True, help="Include changes that removed nothing.")
@click.option("--show", type=int, metavar="VERSION", help="Print a version, with secrets masked.")
@click.option("--diff", is_flag=True, help="Show what has changed since; with --show, since that version.")
@shared
def history(
    options: Options, name: tuple[str, ...], everything: bool, show: int | None, diff: bool
) -> Answer | None:
    """List the versions that can be restored: the states before each destructive change.

    NAME is whatever `show` takes; without one, all that changed here is listed.

    \b
    memolith history
    memolith history database --diff
    memolith history database --show 3
    """
    words = " ".join(name) or None
    if show is None and not diff:
        return options.answer(lambda mem: _versions(mem, words, everything=everything))
    if words is None:
        raise InputError(f"{'--diff' if show is None else '--show'} needs the NAME of a file")
    with options.open() as mem:
        return _shown(mem, find_file(mem, words), show, diff=diff, as_json=options.json)


def _shown(mem: Mem, path: str, version: int | None, *, diff: bool, as_json: bool) -> Answer | None:
    """Print a version, or what has changed since it (by default: since the newest)."""
    if version is None:
        known = mem.gate.history.versions(path)
        if not known:
            raise InputError(f"{path} has no earlier version; nothing was overwritten or deleted")
        version = known[0].id
    kept = mem.gate.history.read(path, version)
    data = masked(kept, allowed(str(mem.root), layout.scope_of(path)))
    if data != kept:
        output.note("a secret in it is masked; `memolith scan --purge` removes it from the history")
    if diff:
        now = Tree(str(mem.root)).read(path)
        text = difference(files.text_of(data), files.text_of(now or b""))
        fields: dict[str, object] = {"path": path, "since": version, "diff": text}
        return fields, Diff(text) if text else output.Note(f"nothing has changed since version {version}")
    if as_json:
        return {"path": path, "text": data.decode("utf-8", "replace")}, ""
    output.raw(data)
    return None


def _versions(mem: Mem, words: str | None, *, everything: bool) -> Answer:
    names = [find_file(mem, words)] if words else files_with_history(mem)
    rows = [row for name in names for row in mem.gate.history.versions(name, markers=everything)]
    rows.sort(key=lambda row: (row.time, row.id), reverse=True)
    cells = [
        (
            row.id,
            when(row.time),
            row.op,
            row.by or "-",
            "" if row.size is None else row.size,
            _short(row.filename),
        )
        for row in rows
    ]
    table = Table(("version", "when", "before", "by", "bytes", "file"), cells)
    return common.listed(
        "versions",
        rows,
        table,
        "no earlier versions: nothing was overwritten or deleted (--all shows additions)",
    )


@cli.command()
@_file
@click.option("--to", type=int, metavar="VERSION", help="Restore this version (see history).")
@opened
def undo(mem: Mem, name: tuple[str, ...], to: int | None) -> Answer:
    """Revert the last change to NAME (or the last change here), byte for byte, and show what was reverted.

    Repeat to go further back; `redo` takes an undo back.

    \b
    memolith undo
    memolith undo scratchpad
    memolith undo long_term --to 4
    """
    words = " ".join(name) or None
    if words is None and to is not None:
        raise InputError("--to needs a NAME; `memolith history` shows both")
    return _told("Undid", mem.undo(words, to))


@cli.command()
@_file
@opened
def redo(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Take an undo back, of NAME or the last one here, unless something was changed since.

    \b
    memolith redo
    """
    return _told("Took back", mem.redo(" ".join(name) or None))


def _told(verb: str, done: Undone) -> Answer:
    now = "it is gone again" if done.bytes is None else f"it has {plural(done.bytes, 'byte')} again"
    whose = f" by {done.by}" if done.by else ""
    lines = [
        *([done.diff] if done.diff else []),
        f"{verb} the {_did(done.op)}{whose} of {when(done.time)} in {_short(done.name)}: {now}",
    ]
    if done.also:
        lines.append(f"and {plural(len(done.also), 'other file')} changed with it")
    return done.as_dict(), Diff("\n".join(lines))
