"""What happened to memory, and taking it back: log, history, undo, redo."""

from __future__ import annotations

import os
from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, NotFoundError
from memolith.care import written
from memolith.care.erase import masked
from memolith.edges.cli import ask, common, completion, output
from memolith.edges.cli.app import cli, opened, shared
from memolith.edges.cli.paint import Diff, Table, when
from memolith.env.paths import Tree
from memolith.memory import daily
from memolith.memory.document import diff as difference
from memolith.memory.find import find_file
from memolith.memory.undo import files_with_history, lineage, notice, version_of
from memolith.store import files, layout
from memolith.store.allow_list import allowed
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem
    from memolith.memory.undo import Undone

_file = click.argument("name", nargs=-1, shell_complete=completion.anything)
_version_of = click.argument(
    "name", nargs=-1, metavar="[NAME [VERSION]]", shell_complete=completion.anything_or_version
)


def _with_version(mem: Mem, name: tuple[str, ...]) -> tuple[str | None, int | None]:
    """Return the name and the version that these words are; a number at the end may be part of the name."""
    if len(name) > 1 and name[-1].isdecimal():
        try:
            find_file(mem, " ".join(name))
        except NotFoundError:
            return " ".join(name[:-1]), int(name[-1])
    if len(name) == 1 and name[0].isdecimal() and _is_nothing(mem, name[0]):
        raise InputError(
            f"version {name[0]} of what? Give NAME VERSION, as `memolith history` shows them; to take back "
            "several changes, repeat `memolith undo`"
        )
    return " ".join(name) or None, None


def _is_nothing(mem: Mem, word: str) -> bool:
    try:
        find_file(mem, word)
    except NotFoundError:
        return True
    except InputError:  # several
        pass
    return False


@cli.command()
@click.argument("day", required=False, metavar="[DAY]", shell_complete=completion.words("yesterday"))
@click.option("--days", type=click.IntRange(1, 3650), metavar="N", help="How many days back; 1 is today.")
@click.option("--since", metavar="DATE", help="From this day on: YYYY-MM-DD, yesterday, 7d.")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Only the last N changes.")
@opened
def log(mem: Mem, day: str | None, days: int | None, since: str | None, limit: int | None) -> Answer:
    """Show what was written to memory today, or on DAY: when, by whom, the first new line, and from where.

    A narrow terminal leaves columns out; --json has them all. `history` has the earlier texts.

    \b
    memolith log
    memolith log -n 3
    memolith log yesterday
    memolith log --since 2026-11-14
    memolith log --days 7 --json
    """
    if since is not None:
        if days is not None:
            raise InputError("--days and --since say the same; give one of them")
        days = _days_since(mem, "--since", since)
    if day is not None:
        if days is not None:
            raise InputError("DAY is one day, --days and --since are several; give one of them")
        days, wanted = _days_since(mem, "DAY", day), ask.day(mem, "DAY", day)
    rows = [row for row in written.since(mem, days or 1) if day is None or _local(row.time) == wanted][:limit]
    cells = [
        (when(row.time), row.by or "-", _did(row.op), _short(row.filename), row.says, row.source)
        for row in rows
    ]
    head = ("when", "by", "did", "what", "says", "from")
    table = Table(head, cells, spare=("from", "did", "says", "by", "when"))
    nothing = "nothing was written" + ("" if days else " today; `memolith log --days 7` goes further back")
    nothing += f" on {wanted}" if day else ""
    return common.listed("written", rows, table, nothing)


def _days_since(mem: Mem, option: str, since: str) -> int:
    """Return how many days there are from a day until today."""
    day = ask.day(mem, option, since)
    if day > mem.today:
        raise InputError(f"{option} {since!r} is in the future; give a day that is past")
    return (date.fromisoformat(mem.today) - date.fromisoformat(day)).days + 1


def _local(time: str) -> str:
    """Return the day of a time, here."""
    return daily.day(datetime.fromisoformat(time).timestamp())


def _did(op: str) -> str:
    """Return what a change did; the number that several files of one change share is not for people."""
    return op.partition("-")[0]


def _short(path: str) -> str:
    """Return a path in the store as a person says it: without the folder of this project."""
    slug = layout.scope_of(path)
    return path.removeprefix(f"{layout.path(slug)}/") if slug else path


@cli.command()
@_version_of
@click.option("--all", "everything", is_flag=True, help="Include changes that removed nothing.")
@click.option("--diff", is_flag=True, help="Show what has changed since, or since that VERSION.")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Only the last N versions.")
@shared
def history(
    options: Options,
    name: tuple[str, ...],
    everything: bool,
    diff: bool,
    limit: int | None,
) -> Answer | None:
    """List the versions that can be restored: the states before each destructive change; or print one.

    What a change did, when, by whom, and how big the file was before it, which is what its VERSION has.
    NAME is whatever `show` takes; without one, all that changed here is listed. Secrets are masked.

    \b
    memolith history
    memolith history database
    memolith history database 3
    memolith history database --diff
    memolith history database 3 --diff
    """

    def run(mem: Mem) -> Answer | None:
        words, version = _with_version(mem, name)
        if version is None and not diff:
            return _versions(mem, words, limit, everything=everything)
        if words is None:
            raise InputError("--diff needs the NAME of a file")
        notice(mem)
        path = find_file(mem, words)
        if version is None:
            return _last_change(mem, path)
        return _shown(mem, path, version, diff=diff, as_json=options.json)

    return options.answer(run)


def _last_change(mem: Mem, path: str) -> Answer:
    """Return what has changed since the newest version that says something else, under any of its names."""
    now = files.text_of(Tree(str(mem.root)).read(path) or b"")
    versions = mem.gate.history.versions(*lineage(mem, path))
    if not versions:
        raise InputError(f"{path} has no earlier version; nothing was overwritten or deleted")
    for row in versions:
        allow = allowed(str(mem.root), layout.scope_of(path))
        before = files.text_of(masked(mem.gate.history.read(row.filename, row.id), allow))
        if text := difference(before, now, allow):
            fields: dict[str, object] = {"path": path, "since": row.id, "diff": text}
            return fields, Diff(text)
    same = output.Note("nothing has changed since its versions")
    return {"path": path, "since": versions[0].id, "diff": ""}, same


def _shown(mem: Mem, path: str, version: int, *, diff: bool, as_json: bool) -> Answer | None:
    """Print a version, or what has changed since it."""
    kept = mem.gate.history.read(version_of(mem, path, version), version)
    allow = allowed(str(mem.root), layout.scope_of(path))
    data = masked(kept, allow)
    if data != kept:
        output.note("a secret in it is masked; `memolith scan --purge` removes it from the history")
    if diff:
        now = Tree(str(mem.root)).read(path)
        text = difference(files.text_of(data), files.text_of(now or b""), allow)
        fields: dict[str, object] = {"path": path, "since": version, "diff": text}
        return fields, Diff(text) if text else output.Note(f"nothing has changed since version {version}")
    if as_json:
        return {"path": path, "text": data.decode("utf-8", "replace")}, ""
    output.raw(data)
    return None


def _versions(mem: Mem, words: str | None, limit: int | None, *, everything: bool) -> Answer:
    notice(mem)
    names = lineage(mem, find_file(mem, words)) if words else files_with_history(mem)
    rows = mem.gate.history.versions(*names, markers=everything)[:limit]
    cells = [
        (
            row.id,
            when(row.time),
            _did(row.op),
            row.by or "-",
            "" if row.size is None else row.size,
            _short(row.filename),
        )
        for row in rows
    ]
    head = ("version", "when", "did", "by", "bytes before", "file")
    table = Table(head, cells, spare=("bytes before", "by", "when"))
    return common.listed(
        "versions",
        rows,
        table,
        "no earlier versions: nothing was overwritten or deleted (--all shows additions)",
    )


@cli.command()
@_version_of
@opened
def undo(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Revert the last change to NAME (or the last change here), byte for byte, and show what was reverted.

    Repeat to go further back, or restore a VERSION of `history`; `redo` takes an undo back. Settings and
    projects are not memory: see `config unset` and `project`.

    \b
    memolith undo
    memolith undo scratchpad
    memolith undo long_term 4
    """
    words, version = _with_version(mem, name)
    done = mem.undo(words, version)
    answer = _told("Undid" if version is None else f"Restored version {version}", done)
    if words is None and _settings_changed_after(mem, done.time):
        return *answer, output.Note("your settings changed after that; undo leaves them: `memolith config`")
    return answer


def _settings_changed_after(mem: Mem, stamp: str) -> bool:
    try:
        return os.path.getmtime(mem.settings.path) > datetime.fromisoformat(stamp).timestamp() + 1
    except OSError:
        return False


@cli.command()
@_file
@opened
def redo(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Take an undo back, of NAME or the last one here, unless something was changed since.

    \b
    memolith redo
    """
    return _told("Redid", mem.redo(" ".join(name) or None))


_WHO = {"user": "you", "agent": "an agent", "extracted": "learning", "hand": "hand"}


def _told(verb: str, done: Undone) -> tuple[dict[str, object], Diff]:
    again = "" if verb.startswith("Restored") else " again"
    now = "it is gone again" if done.bytes is None else f"it has {plural(done.bytes, 'byte')}{again}"
    by = f" by {_WHO.get(done.by, done.by)}" if done.by and done.by != "imported" else ""
    also = [_placed(each, layout.scope_of(done.name)) for each in done.also]
    more = f" and {len(also) - _NAMED} more" if len(also) > _NAMED else ""
    if not done.diff and not also and verb != "Redid":
        same = f"{_short(done.name)} is already as it was before that change ({_did(done.op)}{by})"
        return done.as_dict(), Diff(f"Nothing changed: {same}")
    how, here = f"{_did(done.op)}{by}, {when(done.time)}", layout.scope_of(done.name)
    said = f"a change of {_short(done.name)} ({how}): {now}"
    if verb.startswith("Restored"):
        said = f"of {_short(done.name)}, which it was before a change ({how}): {now}"
    elif _did(done.op) in ("rename", "move") and len(done.also) == 1:  # one thing, not two files
        was, is_now = sorted(
            (done.name, *done.also), key=lambda each: (each == done.name) == bool(done.bytes)
        )
        said = f"the {how}: what was {_placed(was, here)} is {_placed(is_now, here)} again"
        also = []
    lines = [
        *_bounded(done.diff),
        f"{verb} {said}",
        *([f"With it: {', '.join(also[:_NAMED])}{more}"] if also else []),
    ]
    return done.as_dict(), Diff("\n".join(lines))


def _placed(path: str, here: str) -> str:
    """Return a file of the same change as a person says it; elsewhere, with whose it is."""
    slug = layout.scope_of(path)
    return _short(path) + ("" if slug == here else f" of {slug}" if slug else " for all projects")


def _bounded(diff: str) -> list[str]:
    """Return the first lines of a difference, and how many more there are."""
    lines = diff.splitlines()
    more = len(lines) - _LINES
    return lines if more <= 1 else [*lines[:_LINES], f"… and {more} more lines (--json has all of them)"]


_NAMED = 5
_LINES = 30
