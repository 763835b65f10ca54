"""Commands about secrets: finding them, masking what is stored, allowing a false alarm."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, NotFoundError, TooLargeError
from memolith.care import purge as purging
from memolith.care import scan as scanning
from memolith.edges.cli import completion, output, progress
from memolith.edges.cli.app import cli, shared, text_argument
from memolith.memory import arguments
from memolith.store import allow_list, layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.care.scan import Report
    from memolith.edges.cli.options import Options
    from memolith.mem import Mem


@cli.command()
@click.argument("path", required=False)
@click.option("--purge", is_flag=True, help="Mask what is found: in memory files, history and leftovers.")
@click.option("--dry-run", "dry", is_flag=True, help="With --purge: only show what would be masked.")
@shared
def scan(options: Options, path: str | None, purge: bool, dry: bool) -> None:
    """Look for secrets in the whole memory, or in PATH: a file, a folder, or - for standard input.

    Shows where each is and its kind, never its value. Links are not followed; `.git`, binary files and files
    of more than 10 MB are not read. Exits with 1 while something is found.

    \b
    memolith scan
    memolith scan --purge
    memolith scan ~/projects/shop
    git diff | memolith scan -
    """
    if path is not None and (purge or dry):
        raise InputError("--purge is for the memory itself and takes no PATH; leave one of them out")
    if dry and not purge:
        raise InputError("--dry-run belongs to --purge; without it nothing is changed anyway")
    with options.open() as mem:
        show = progress.bar("files", "run it again; what is masked already stays masked") or (lambda *_: None)
        done: list[purging.Cleaned] = []
        if purge and not dry and os.path.isdir(mem.home):
            done = purging.purge(mem, lambda problem: output.note(problem, "warning"), show)
        report = _scanned(mem, path, show)
        progress.end()
        if options.json:
            _print_json(report, done)
        else:
            for each in done:
                secrets = "1 secret" if each.secrets == 1 else f"{each.secrets} secrets"
                output.text(f"{each.action} {each.path}: {secrets}")
            for leak in report.leaks:
                output.text(str(leak))
            output.text(_summary(report, dry=dry))
    if report.leaks:
        raise click.exceptions.Exit(1)


def _scanned(mem: Mem, path: str | None, show: Callable[[int], None]) -> Report:
    if path is None:
        return scanning.scan_home(mem, show)
    allow = allow_list.allowed(str(mem.root), mem.project)
    if path != "-":
        if not path.strip():
            raise InputError("PATH is empty; give a file or a folder")
        return scanning.scan_path(os.path.expanduser(path), allow, show)
    if sys.stdin is None:
        raise InputError("standard input is closed; give a PATH")
    data = sys.stdin.buffer.read(scanning.MAX_BYTES + 1)
    if len(data) > scanning.MAX_BYTES:
        raise TooLargeError(f"standard input has more than {scanning.MAX_BYTES:,} bytes; scan it in parts")
    return scanning.scan_text(data, allow, show)


def _print_json(report: Report, done: list[purging.Cleaned]) -> None:
    output.json(
        {
            "files": report.files,
            "findings": [leak.as_dict() for leak in report.leaks],
            "skipped": [
                {"reason": reason, "count": count} for reason, count in sorted(report.skipped.items())
            ],
            "purged": [each.as_dict() for each in done],
        }
    )


def _summary(report: Report, *, dry: bool) -> str:
    count = len(report.leaks)
    where = len({leak.path for leak in report.leaks})
    found = "No secrets" if not count else "1 secret" if count == 1 else f"{count} secrets"
    read = f"{report.files} file" + ("s" if report.files != 1 else "")
    text = f"{found} in {f'{where} of ' if count else ''}{read}"
    if report.skipped:
        text += " (not read: " + ", ".join(f"{n} {why}" for why, n in sorted(report.skipped.items())) + ")"
    return text + ("; --purge without --dry-run masks them" if dry and count else "")


@cli.command()
@click.argument("value", required=False)
@click.option("--remove", is_flag=True, help="Take VALUE (or its hash, as listed) off the list.")
@click.option(
    "--scope",
    default="project",
    show_default=True,
    metavar="project|user",
    help="Whose list.",
    shell_complete=completion.words("project", "user"),
)
@shared
def allow(options: Options, value: str | None, remove: bool, scope: str) -> None:
    """Let a value be stored although it looks like a secret; without VALUE, list what is allowed.

    VALUE may be the line it stands in. Only its SHA-256 is kept. With - it is read from standard input, at a
    terminal without showing it, so that it does not stay in the history of your shell.

    \b
    memolith allow -
    memolith allow "password: swordfish" --scope user
    memolith allow
    memolith allow 5f2c1e --remove
    """
    with options.open() as mem:
        if not arguments.is_user_wide(scope):
            mem.register() if value is not None else None
        slug = layout.USER if arguments.is_user_wide(scope) else mem.project
        known = allow_list.listed(str(mem.root), slug)
        if value is None:
            if remove:
                raise InputError("--remove needs a VALUE; `memolith allow` lists the hashes")
            _show(options, slug, known, known)
            return
        text = _value(value)
        if remove:
            changed = [each for each in known if each in allow_list.hashes(text)] or _by_prefix(known, text)
            if not changed:
                raise NotFoundError("this value is not on the list; `memolith allow` shows the hashes")
            known = [each for each in known if each not in changed]
        else:
            changed = allow_list.hashes(text)
            known = list(dict.fromkeys([*known, *changed]))
        # Not in the history: `memolith allow --remove` takes it back, and undo is for memories.
        change = allow_list.setter(slug, known)
        mem.gate.rewrite(allow_list.place(slug), change, op=allow_list.KEY, remember=False)
        _show(options, slug, known, changed, "no longer allowed" if remove else "allowed")


def _show(options: Options, slug: str, known: list[str], changed: list[str], what: str = "") -> None:
    if options.json:
        output.json({"scope": slug or "user", "allowed": known})
    elif not changed:
        output.note("nothing is allowed here; `memolith allow -` adds a value that is no secret")
    else:
        name = slug or "all projects"
        output.text("\n".join(f"{what} in {name}: {each}" if what else each for each in changed))


def _value(value: str) -> str:
    if value == "-" and sys.stdin is not None and sys.stdin.isatty():
        from getpass import getpass

        value = getpass("Value (not shown): ", stream=sys.stderr)
    text = text_argument(value) if value == "-" else value
    if not text.strip():
        raise InputError("there is no value; give it as VALUE, or - to read it from standard input")
    return text.strip("\n")


def _by_prefix(known: list[str], text: str) -> list[str]:
    found = [each for each in known if len(text) >= 6 and each.startswith(text.strip().lower())]
    if len(found) > 1:
        raise InputError(f"{len(found)} hashes begin with {text.strip()!r}; give more of it")
    return found
