"""`memolith import` and `memolith export`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, PartialError
from memolith.care import doubled
from memolith.care.transfer import bring, sources, unpack
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import cli, opened
from memolith.edges.cli.options import Options
from memolith.store import layout, portable
from memolith.text.budget import plural
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.care.transfer.bring import Row
    from memolith.care.transfer.pack import Exported
    from memolith.care.transfer.unpack import Archive
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_KINDS = (*sources.KINDS, unpack.KIND)
_SHOWN = 20  # rows shown to a person for each action


@cli.command("import")
@click.argument("path", required=False, shell_complete=completion.files)
@common.one_of("--from", _KINDS, "The format (default: detected).", name="kind", metavar="KIND")
@common.one_of("--scope", common.SCOPES, "Whose memory it becomes.")
@click.option(
    "--mine/--others",
    default=None,
    help="Whose words: yours, or somebody else's, which wait for review (default: ask, or judge by place).",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be imported; write nothing.")
@click.option(
    "--yes",
    is_flag=True,
    help="Do not ask; required without a terminal for an archive, or a folder of many files.",
)
@click.option("--large", is_flag=True, help="The archive may hold more than 10,000 files.")
@opened
def import_command(
    mem: Mem,
    path: str | None,
    kind: str | None,
    scope: str | None,
    mine: bool | None,
    dry_run: bool,
    yes: bool,
    large: bool,
) -> Answer:
    """Import another program's memory, or an archive of `memolith export`.

    PATH is a file or folder: Claude Code's auto-memory (found without a PATH, too), Codex or oh-my-pi
    memories, a zerostack or jutul memory, a single MEMORY.md, CLAUDE.md, AGENTS.md or GEMINI.md, a
    basic-memory folder, an Obsidian vault, any folder of Markdown. It is only read. Nothing is overwritten,
    secrets are masked, and somebody else's words wait for `memolith review`, shown only when asked for. Run
    it again to import only what is new. `memolith undo` reverts an import (but not that of an archive).

    \b
    memolith import --dry-run
    memolith import ~/vault --from obsidian --mine
    memolith import memory.tar.gz
    """
    if kind is not None:
        common.choice(kind, _KINDS, "kind")
    if scope is not None:
        common.choice(scope, common.SCOPES, "scope")
    if not (yes or dry_run or mine is not None or common.attended()):
        _check_size(path)
    done = mem.import_(
        path,
        kind=kind,
        scope=scope,
        mine=_whose(path) if mine is None and not dry_run else mine,
        dry_run=dry_run,
        progress=output.progress("texts"),
        agree=(lambda _: None) if dry_run or yes else _agree,
        large=large,
    )
    # The versions of an archive's files are no matter of a person's.
    versions = {row.path for row in done.rows if row.path.startswith("history/") and row.action != "broken"}
    told = [row for row in done.rows if row.path not in versions]
    counts = Counter(row.action for row in told)
    counted = ", ".join(f"{counts[action]:,} {action}" for action in bring.ACTIONS if counts[action])
    message = (
        f"{'Would import' if dry_run else 'Imported'} from {done.kind}: {counted or 'nothing was found'}"
    )
    older = sum(row.action == "new" for row in done.rows if row.path in versions)
    message += f", with {plural(older, 'earlier version')}" if older else ""
    message += ". Nothing was written" if dry_run else ""
    if waiting := 0 if dry_run else _waiting(mem, done.rows):
        message += f"; {waiting:,} wait{'s' if waiting == 1 else ''} for your decision: `memolith review`"
    rows = [{key: veil.masked(str(value)) for key, value in row.as_dict().items()} for row in done.rows]
    lines = [line for action in bring.ACTIONS for line in _lines(action, told)]
    fields: dict[str, object] = {"kind": done.kind, "rows": rows, "message": veil.masked(message)}
    text = veil.masked("\n".join([*lines, message]))
    if not dry_run and (doubles := doubled.told(mem, mem.identity.identity)):
        fields["warnings"] = [doubles]
    if counts["broken"]:
        left = f"{counts['broken']:,} could not be imported; fix them and import again"
        return fields, text, PartialError(left)
    return fields, text


def _check_size(path: str | None) -> None:
    """Refuse a large folder where nobody can be asked."""
    files = (file for _, _, names in os.walk(path or "") for file in names if file.endswith(".md"))
    if sum(1 for _ in islice(files, _MANY + 1)) > _MANY:
        many = f"{path} has more than {_MANY:,} Markdown files"
        raise InputError(f"{many}: add --yes to import them, or --dry-run to see what would be")


_MANY = 500


def _waiting(mem: Mem, rows: list[Row]) -> int:
    """Return how many of the imported texts no agent sees before a person has accepted them."""
    held = {each.filename for each in mem.review.list()}
    return sum(row.action in ("new", "beside", "held") and row.to in held for row in rows)


def _whose(path: str | None) -> bool | None:
    """Ask whose words they are; None without a terminal, or for an archive, which asks later."""
    if path is None or not sys.stdin.isatty() or not os.path.exists(path) or unpack.is_archive(path):
        return None
    default = sources.is_mine(path, os.environ)
    return click.confirm("Are these your own words (or your agents')?", default=default, err=True)


def _agree(archive: Archive) -> None:
    says = f" ({archive.settings})" if archive.settings else ""
    also = f", with settings{says}, which may name programs to run"
    also = also if portable.CONFIG in archive.hashes else ""
    asked = f"{len(archive.hashes):,} files become your memory as they are{also}."
    common.agree(
        f"{asked} Did you make this archive, or do you trust who did?",
        f"{asked} If you made this archive or trust who did: add --yes",
    )


def _lines(action: str, rows: list[Row]) -> list[str]:
    """Return the rows for a person, grouped by action."""
    found = [row for row in rows if row.action == action and action != "known"]
    lines = []
    for row in found[:_SHOWN]:
        to = f" -> {row.to}" if row.to and row.to != row.path and action != "held" else ""
        lines.append(f"{action:<8}  {row.path}{to}{f'  ({row.why})' if row.why else ''}")
    if len(found) > _SHOWN:
        lines.append(f"{action:<8}  … and {len(found) - _SHOWN:,} more (--json names all)")
    return lines


@cli.command("export")
@click.argument("file", metavar="FILE.tar.gz", shell_complete=completion.files)
@click.option("--no-history", is_flag=True, help="Without the earlier versions of the files.")
@click.option("--no-sessions", is_flag=True, help="Without the copies of sessions.")
@opened
def export_command(mem: Mem, file: str, no_history: bool, no_sessions: bool) -> Answer | None:
    """Write all of memory into an archive that `memolith import` restores without loss.

    With --project, only that project and what you keep for all projects.

    The archive is an ordinary tar.gz of the Markdown files with a manifest, readable only by you; with - as
    FILE it goes to standard output. It holds everything you stored, and settings: treat it like the memory
    itself. For programs, `list --json` and `show NAME --json` have the same texts.

    \b
    memolith export memory.tar.gz
    memolith export - | ssh backup "cat > memory.tar.gz"
    memolith export shop.tar.gz --project ~/shop
    memolith export small.tar.gz --no-history --no-sessions
    """
    everything = not common.has_project()
    if file == "-":
        return _to_stdout(mem, everything, not no_history, not no_sessions)
    done = mem.export(
        file,
        everything=everything,
        history=not no_history,
        sessions=not no_sessions,
        progress=output.progress("files", "no archive was written; run it again"),
    )
    held = ", ".join(f"{part} {count:,}" for part, count in done.parts.items() if count)
    of = f" of {plural(len(done.projects), 'project')}"
    message = f"Wrote {done.path}: {plural(done.files, 'file')}{of} ({held}), {done.bytes:,} bytes"
    others = 0 if everything else len({*layout.projects(mem.home)} - {mem.project})
    message += f"; without {plural(others, 'other project')}" if others else ""
    message = veil.masked(message)
    left = [{"path": veil.masked(path), "why": veil.masked(why)} for path, why in done.left_out]
    lines = [f"left out  {each['path']}  ({each['why']})" for each in left[:_SHOWN]]
    fields = {**done.as_dict(), "path": veil.masked(done.path), "left_out": left, "message": message}
    text = "\n".join([*lines, message])
    return (fields, text, PartialError(_lost(done))) if left else (fields, text)


def _lost(done: Exported) -> str:
    """Return what an archive lacks."""
    lost = f"{plural(len(done.left_out), 'file')} could not be put into the archive"
    return f"{lost}; see `memolith doctor`, mend what was left out, and export again"


def _to_stdout(mem: Mem, everything: bool, history: bool, sessions: bool) -> Answer | None:
    """Write the archive to standard output, for a pipe."""
    context = click.get_current_context()
    if context.ensure_object(Options).json:
        raise InputError(
            "- writes the archive, not JSON; `list --json` and `show NAME --json` have the texts"
        )
    if sys.stdout is None or sys.stdout.isatty():
        raise InputError("the archive is not for a terminal: memolith export - > memory.tar.gz")
    with TemporaryDirectory(prefix="memolith-") as folder:
        path = os.path.join(folder, "memory.tar.gz")
        done = mem.export(path, everything=everything, history=history, sessions=sessions)
        with open(path, "rb") as archive:
            output.raw(archive.read())
    if done.left_out:
        raise PartialError(_lost(done))
    return None
