"""Commands that find and remove what must not be kept: scan, allow, forget."""

from __future__ import annotations

import os
import sys
from getpass import getpass
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, PartialError, TooLargeError
from memolith.care.scan import MAX_BYTES
from memolith.edges.cli import common, output
from memolith.edges.cli.app import cli, opened
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.base.values import Scope
    from memolith.care.erase import Cleaned
    from memolith.care.scan import Report
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_OUTSIDE = "copies kept by agents, editors and backups are not touched"


@cli.command()
@click.argument("path", required=False)
@click.option("--purge", is_flag=True, help="Mask secrets in memory files, history and leftovers.")
@click.option("--dry-run", "dry", is_flag=True, help="With --purge: only show what it would mask.")
@opened
def scan(mem: Mem, path: str | None, purge: bool, dry: bool) -> Answer:
    """Look for secrets in the whole memory, or in PATH: a file, a folder, or - for standard input.

    Shows the place and kind of each, never its value. Does not follow links; skips `.git`, binary files and
    files over 10 MB. Exits with 1 if anything is found.

    \b
    memolith scan
    memolith scan --purge
    memolith scan ~/projects/shop
    git diff | memolith scan -
    """
    if path is not None and (purge or dry):
        raise InputError("--purge works on the memory itself and takes no PATH; drop one of them")
    if dry and not purge:
        raise InputError("--dry-run belongs to --purge; scan alone changes nothing")
    show = output.progress("files", "run it again; masked secrets stay masked") or (lambda *_: None)
    done: list[Cleaned] = []
    if purge and not dry and os.path.isdir(mem.home):
        done = mem.purge(tell=_warn, progress=show)
    report = mem.scan(_standard_input() if path == "-" else path, progress=show)
    if purge and not dry and report.leaks:
        _warn("memolith does not change the files below; delete them, or take the secrets out by hand")
    skipped = sorted(report.skipped.items())
    fields: dict[str, object] = {
        "files": report.files,
        "findings": [leak.as_dict() for leak in report.leaks],
        "skipped": [{"reason": reason, "count": count} for reason, count in skipped],
        "purged": [each.as_dict() for each in done],
    }
    lines = [f"{each.action} {each.path}: {plural(each.secrets, 'secret')}" for each in done]
    lines += [*map(str, report.leaks), _summary(report, dry=dry)]
    return fields, "\n".join(lines), *([click.exceptions.Exit(1)] if report.leaks else [])


def _warn(problem: str) -> None:
    output.note(problem, "warning")


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed; give a PATH")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TooLargeError(f"standard input has more than {MAX_BYTES:,} bytes; scan it in parts")
    return data


def _summary(report: Report, *, dry: bool) -> str:
    where = len({leak.path for leak in report.leaks})
    found = plural(len(report.leaks), "secret") if report.leaks else "No secrets"
    text = f"{found} in {f'{where} of ' if where else ''}{plural(report.files, 'file')}"
    if report.skipped:
        text += " (not read: " + ", ".join(f"{n} {why}" for why, n in sorted(report.skipped.items())) + ")"
    return text + ("; --purge without --dry-run masks them" if dry and where else "")


@cli.command()
@click.argument("value", required=False)
@click.option("--remove", is_flag=True, help="Remove VALUE (or its hash, as listed) from the list.")
@common.one_of("--scope", common.SCOPES, "Whose list.", default="project", show_default=True)
@opened
def allow(mem: Mem, value: str | None, remove: bool, scope: Scope) -> Answer:
    """Let a value be stored although it looks like a secret; without VALUE, list what is allowed.

    VALUE may be the whole line. Only its SHA-256 is kept. With -, VALUE is read from standard input (hidden
    at a terminal), so that it does not end up in your shell history.

    \b
    memolith allow -
    memolith allow "password: swordfish" --scope user
    memolith allow
    memolith allow 5f2c1e --remove
    """
    done = mem.allow(None if value is None else _value(value), remove=remove, scope=scope)
    fields: dict[str, object] = {"scope": done.scope or "user", "allowed": done.hashes}
    if value is not None:
        what = "no longer allowed" if remove else "allowed"
        return fields, "\n".join(f"{what} in {done.scope or 'all projects'}: {each}" for each in done.changed)
    if not done.hashes:
        return fields, output.Note(
            "nothing is allowed here; `memolith allow -` adds a value that is not a secret"
        )
    return fields, "\n".join(done.hashes)


def _value(value: str) -> str:
    if value == "-" and sys.stdin is not None and sys.stdin.isatty():
        value = getpass("Value (not shown): ", stream=sys.stderr)
    return (common.text_argument(value) if value == "-" else value).strip("\n")


@cli.command()
@click.argument("text")
@click.option("--all", "everywhere", is_flag=True, help="In every project, not only this one and the user's.")
@click.option("--dry-run", "dry", is_flag=True, help="Only show the places.")
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
@opened
def forget(mem: Mem, text: str, everywhere: bool, dry: bool, yes: bool) -> Answer:
    """Delete every line that contains TEXT from memory, history and session copies, for good; no undo.

    TEXT is a part of the line; case and spaces do not matter. With -, TEXT is read from standard input.
    Without --all, the same text in other projects stays. Importing again does not bring it back. To delete a
    note and keep its history, see `edit`.

    \b
    memolith forget "port 6380" --dry-run
    memolith forget "port 6380"
    """
    wanted = common.text_argument(text)
    if not (dry or yes):
        _agree(mem.forget(wanted, everywhere=everywhere, dry_run=True).places)
    done = mem.forget(wanted, everywhere=everywhere, dry_run=dry)
    message = f"{'Would forget' if dry else 'Forgot'} it in {plural(len(done.places), 'place')}"
    fields: dict[str, object] = {
        "places": [{"path": path, "lines": lines} for path, lines in done.places.items()],
        "message": message,
        "forgotten": not dry and not done.problems,
    }
    words = "\n".join([*_lines(done.places), message if dry else f"{message}; {_OUTSIDE}"])
    for problem in done.problems:
        _warn(problem)
    if done.problems:
        left = "some of it may be left; fix what is named above and run forget again"
        return fields, words, PartialError(left)
    return fields, words


def _lines(places: dict[str, int]) -> list[str]:
    return [f"{path}: {plural(lines, 'line')}" for path, lines in places.items()]


def _agree(places: dict[str, int]) -> None:
    if common.attended():
        for line in _lines(places):
            output.note(line)
    where = plural(len(places), "place")
    common.agree(
        f"Remove them in {where} for good?",
        f"this removes lines in {where} for good: add --yes, or --dry-run to see",
    )
