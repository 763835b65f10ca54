"""Commands that find and remove what must not be kept: scan, forget."""

from __future__ import annotations

import os
import sys
from getpass import getpass
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, PartialError, TooLargeError
from memolith.care.scan import MAX_BYTES
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import cli, opened
from memolith.edges.cli.paint import Marked
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.base.values import Scope
    from memolith.care.erase import Cleaned
    from memolith.care.forget import Forgotten
    from memolith.care.scan import Report
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_OUTSIDE = "copies kept by agents, editors and backups are not touched"


@cli.command()
@click.argument("path", required=False, shell_complete=completion.files)
@click.option("--purge", is_flag=True, help="Mask secrets in memory files, history and leftovers.")
@click.option("--dry-run", "dry", is_flag=True, help="With --purge: only show what it would mask.")
@click.option(
    "--allow", metavar="VALUE", help="Let this value be stored: a false alarm (- reads it, hidden)."
)
@click.option("--disallow", metavar="VALUE", help="Take a value, or its hash, off that list.")
@click.option("--allowed", is_flag=True, help="Show the list: hashes of what is allowed.")
@common.one_of("--scope", common.SCOPES, "Whose list.", default="project", show_default=True)
@opened
def scan(
    mem: Mem,
    path: str | None,
    purge: bool,
    dry: bool,
    allow: str | None,
    disallow: str | None,
    allowed: bool,
    scope: Scope,
) -> Answer:
    """Look for secrets in the whole memory, or in PATH: a file, a folder, or - for standard input.

    Shows the place and kind of each, never its value. Does not follow links; skips `.git`, binary files and
    files over 10 MB. Exits with 1 if anything is found.

    \b
    memolith scan
    memolith scan --purge
    memolith scan ~/projects/shop
    git diff | memolith scan -
    memolith scan --allow "password: swordfish" --scope user
    """
    if allow is not None or disallow is not None or allowed:
        if path is not None or purge or (allow is not None and disallow is not None):
            raise InputError("--allow, --disallow and --allowed each stand alone")
        return _allow(mem, disallow if allow is None else allow, remove=disallow is not None, scope=scope)
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
    lines += [*map(str, report.leaks), _summary(report, dry=dry, done=bool(done))]
    more: list[Exception] = [click.exceptions.Exit(1)] if report.leaks else []
    if report.unread and done:  # else it is told as of any answer
        more = [PartialError(f"{plural(len(report.unread), 'file')} could not be read, and may hold more")]
    return fields, "\n".join(lines), *more


def _warn(problem: str) -> None:
    output.note(problem, "warning")


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed; give a PATH")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TooLargeError(f"standard input has more than {MAX_BYTES:,} bytes; scan it in parts")
    return data


def _summary(report: Report, *, dry: bool, done: bool) -> str:
    where = len({leak.path for leak in report.leaks})
    left = " left" if done else ""
    none = f"No secrets{left} in what could be read:" if report.skipped else f"No secrets{left} in"
    found = f"{plural(len(report.leaks), 'secret')} in" if report.leaks else none
    text = f"{found} {f'{where} of ' if where else ''}{plural(report.files, 'file')}"
    if report.skipped:
        text += " (not read: " + ", ".join(f"{n} {why}" for why, n in sorted(report.skipped.items())) + ")"
    return text + ("; --purge without --dry-run masks them" if dry and where else "")


def _allow(mem: Mem, value: str | None, *, remove: bool, scope: Scope) -> Answer:
    """Change or show the list of values that may be stored although they look like secrets."""
    done = mem.allow(None if value is None else _value(value), remove=remove, scope=scope)
    fields: dict[str, object] = {"scope": done.scope or "user", "allowed": done.hashes}
    if value is not None:
        what = "no longer allowed" if remove else "allowed"
        return fields, "\n".join(f"{what} in {done.scope or 'all projects'}: {each}" for each in done.changed)
    if not done.hashes:
        return fields, output.Note(
            "nothing is allowed here; `memolith scan --allow -` adds a value that is not a secret"
        )
    return fields, "\n".join(done.hashes)


def _value(value: str) -> str:
    if value == "-" and sys.stdin is not None and sys.stdin.isatty():
        value = getpass("Value (not shown): ", stream=sys.stderr)
    return (common.text_argument(value) if value == "-" else value).strip("\n")


@cli.command()
@click.argument("text", nargs=-1, required=True, cls=common.Text)
@click.option("--all", "everywhere", is_flag=True, help="In every project, not only this one and the user's.")
@click.option("--dry-run", "dry", is_flag=True, help="Only show the lines.")
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
@opened
def forget(mem: Mem, text: tuple[str, ...], everywhere: bool, dry: bool, yes: bool) -> Answer:
    """Delete every line that contains TEXT from memory, history and session copies, for good; no undo.

    TEXT is a part of the line; case and spaces do not matter. With -, TEXT is read from standard input.
    Without --all, the same text in other projects stays. Importing again does not bring it back. To delete a
    note and keep its history, see `rm`.

    \b
    memolith forget "port 6380" --dry-run
    memolith forget "port 6380"
    """
    wanted = common.text_argument(" ".join(text))
    if not (dry or yes):
        _agree(wanted, mem.forget(wanted, everywhere=everywhere, dry_run=True))
    done = mem.forget(wanted, everywhere=everywhere, dry_run=dry)
    message = f"{'Would forget' if dry else 'Forgot'} it in {plural(len(done.places), 'place')}"
    fields: dict[str, object] = {
        "places": [{"path": path, "lines": lines} for path, lines in done.places.items()],
        "lines": done.lines,
        "message": message,
        "forgotten": not dry and not done.problems,
    }
    gone = [] if dry else [each for each in done.places if not os.path.lexists(os.path.join(mem.home, each))]
    words = "\n".join([*_places(wanted, done, gone, shown=dry), message if dry else f"{message}; {_OUTSIDE}"])
    for problem in done.problems:
        _warn(problem)
    if done.problems:
        left = "some of it may be left; fix what is named above and run forget again"
        return fields, words, PartialError(left)
    return fields, Marked(words, [wanted])


def _places(wanted: str, found: Forgotten, gone: list[str], *, shown: bool) -> list[str]:
    """Return the places, and if `shown` the lines that go and the words that somebody may not have meant."""
    lines = [f"  {line}" for line in found.lines] if shown else []
    if shown and found.inside:
        lines.append(f"note: {wanted!r} is also part of {', '.join(found.inside)}")
    for path, count in found.places.items():
        left = "; nothing is left under this name" if path in gone and path.startswith("memory") else ""
        lines.append(f"{path}: {plural(count, 'line')}{left}")
    return lines


def _agree(wanted: str, found: Forgotten) -> None:
    where = plural(len(found.places), "place")
    if common.attended():
        output.text(Marked("\n".join(_places(wanted, found, [], shown=True)), [wanted]))
    common.agree(
        f"Remove these lines in {where} for good?",
        f"this removes lines in {where} for good: add --yes, or --dry-run to see",
    )
