"""`memolith memory`: what an agent's `/memory` does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memolith.cli import completing, output
from memolith.cli.app import cli, shared
from memolith.cli.fast import notice
from memolith.errors import ConfigError, InputError, NotFoundError
from memolith.store.screening import quoted

if TYPE_CHECKING:
    from memolith.cli.fast import Options
    from memolith.mem import Mem

VERBS = ("view", "clear", "reset", "enqueue", "rebuild")
USAGE = "usage: memolith memory [view|clear|reset|enqueue|rebuild|NOTE]"


@cli.command()
@click.argument("what", required=False, metavar="[VERB|NOTE]", shell_complete=completing.words(*VERBS))
@click.option("--all", "everywhere", is_flag=True, help="`clear`: in every project.")
@click.option("--everything", is_flag=True, help="`clear`: also what people wrote here.")
@click.option(
    "--scope", default="project", show_default=True, metavar="project|user", help="`clear`: of whom."
)
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@shared
def memory(
    options: Options, what: str | None, everywhere: bool, everything: bool, scope: str, yes: bool
) -> None:
    """Show or reset what is remembered: a verb, or the name of a note to print.

    view prints what an agent gets. clear (or reset) takes back what was learned from sessions, and keeps
    what people wrote. enqueue (or rebuild) lets the next run consolidate.

    \b
    memolith memory view
    memolith memory clear
    memolith memory rebuild
    memolith memory running-the-tests
    """
    with options.open() as mem:
        notice(mem)
        if what in ("clear", "reset"):
            _clear(options, mem, everywhere=everywhere, everything=everything, scope=scope, yes=yes)
        elif what in ("enqueue", "rebuild"):
            _enqueue(options, mem)
        elif what == "view":
            _view(options, mem)
        elif what is None:
            output.json({"notes": mem.list()}) if options.json else output.text(
                "\n".join(mem.list()) or USAGE
            )
        else:
            _note(options, mem, what)


def _view(options: Options, mem: Mem) -> None:
    block = mem.context_block()
    if not mem.settings.flag("memories.enabled"):
        output.note("nothing is learned from sessions: memories.enabled is off", "warning")
    if options.json:
        output.json({"block": block})
    elif block is None:
        output.note("nothing is remembered yet, so nothing is injected", "warning")
    else:
        output.text(block)


def _note(options: Options, mem: Mem, name: str) -> None:
    from memolith.targets import EMPTY

    try:
        text = mem.read("note", name)
    except (InputError, NotFoundError):
        text = EMPTY
    if text == EMPTY:
        import difflib

        notes = [each.rpartition("/")[2].removesuffix(".md") for each in mem.list()]
        near = difflib.get_close_matches(name, [*VERBS, *notes], 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise InputError(f"{quoted(name)} is neither a verb nor a note; {hint}{USAGE}")
    output.json({"text": text}) if options.json else output.text(text)


def _enqueue(options: Options, mem: Mem) -> None:
    from memolith.learn import run
    from memolith.learn.queue import CONSOLIDATE, Queue

    if off := run.why_not(mem):
        raise ConfigError(off)
    with Queue(mem.home, mem.settings, mem.now) as queue:
        queue.enqueue(CONSOLIDATE, mem.project, forced=True)
    _say(options, "The next run consolidates even if no session changed (memolith learn run)")


def _clear(options: Options, mem: Mem, *, everywhere: bool, everything: bool, scope: str, yes: bool) -> None:
    from memolith import targets
    from memolith.doctor import scopes
    from memolith.learn import clearing

    user = targets.is_user_wide(scope)
    whose = "all projects" if everywhere or user else "this project"
    what = "all that is remembered of" if everything else "what was learned from sessions in"
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"this removes {what} {whose}: add --yes (memolith undo brings files back)")
        if not click.confirm(f"Remove {what} {whose}?", err=True):
            raise click.exceptions.Exit(1)
    slugs = [slug for slug in scopes(str(mem.root)) if slug] if everywhere and not user else [mem.project]
    done = [
        clearing.clear(mem if slug == mem.project else mem.of_project(slug), user=user, everything=everything)
        for slug in slugs
    ]
    files, records = sum(len(each.files) for each in done), sum(len(each.records) for each in done)
    jobs = sum(each.jobs for each in done)
    message = f"Removed {records} record(s) and {files} file(s) of {whose}, {jobs} row(s) of the queue"
    if options.json:
        output.json({"files": files, "records": records, "jobs": jobs, "message": message})
    else:
        output.text(f"{message}; memolith undo brings files back")


def _say(options: Options, message: str) -> None:
    output.json({"message": message}) if options.json else output.text(message)
