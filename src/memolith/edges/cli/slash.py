"""`memolith memory`: what an agent's `/memory` does. A verb, or else the name of a note to print.

`memolith.slash` runs the same grammar inside a host's own process.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError, NotFoundError
from memolith.base.values import TARGETS
from memolith.care import edit as editing
from memolith.care.status import page
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import Group, cli, opened, shared, unguard
from memolith.edges.cli.options import notice
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.memory import addresses, arguments
from memolith.memory.note_index import note_files
from memolith.memory.notes import find_note
from memolith.store import files, layout
from memolith.store.screen import quoted
from memolith.text.names import SCHEME
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

# Other commands that are verbs here as well, and other names for verbs.
FORWARDED = ("status", "search", "list", "record", "recall", "doctor", "undo", "promote", "why")
ALIASES = {"reset": "clear", "rebuild": "enqueue"}
USAGE = "usage: /memory [VERB|NOTE]; `/memory help` lists the verbs"
HELP = """\
/memory                         all notes, and where they are
/memory NOTE                    print a note (`/memory note NAME` if its name is a verb)
/memory edit [NOTE]             open a note in your editor, or the index of the notes
/memory view                    exactly what the agent gets
/memory read [SOURCE] [NAME]    long_term, scratchpad, daily, a date, note NAME, memory://…
/memory write TARGET TEXT       long_term, scratchpad, daily or note:NAME
/memory search WORDS            find them literally;  /memory recall QUESTION  what is known about it
/memory list | status           all files | sizes, open items, entries of today
/memory record add|list|get|…   typed facts
/memory clear scratchpad|daily  empty one of them
/memory clear | reset           take back what was learned from sessions
/memory enqueue | rebuild       let the next run consolidate
/memory promote NOTE            make a skill of a note;  /memory why NOTE  where it came from
/memory doctor | undo   what is wrong | take the last change back"""


def verbs() -> list[str]:
    """Return every word that is not taken for the name of a note."""
    return [*memory.commands, *ALIASES, *FORWARDED]


class _Grammar(Group):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = self.commands.get(ALIASES.get(cmd_name, cmd_name))
        return own or (cli.get_command(ctx, cmd_name) if cmd_name in FORWARDED else None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, unguard(args[0])) is None:
            return "note", _other, args
        return super().resolve_command(ctx, args)


@cli.group(cls=_Grammar, invoke_without_command=True)
@shared
def memory(options: Options) -> None:
    """Look at memory and correct it, as `/memory` does in an agent: a verb, or the name of a note to print.

    Further verbs are the commands status, search, list, record, recall, doctor, undo, promote and why;
    reset is clear, rebuild is enqueue.

    \b
    memolith memory
    memolith memory running-the-tests
    memolith memory edit running-the-tests
    memolith memory view
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    with options.open() as mem:
        notice(mem)
        text = page(mem)
        output.answer(({"notes": mem.list(), "text": text}, text), as_json=options.json)


@memory.command()
@shared
def view(options: Options) -> None:
    """Print exactly what an agent gets.

    \b
    memolith memory view
    """
    with options.open() as mem:
        notice(mem)
        block = mem.context_block()
        if not mem.settings.flag("memories.enabled"):
            output.note("nothing is learned from sessions: memories.enabled is off", "warning")
        if options.json:
            output.json({"block": block})
        elif block is None:
            output.note("nothing is remembered yet, so nothing is injected", "warning")
        else:
            output.text(block)


@memory.command()
@click.argument("name", nargs=-1, required=True, shell_complete=completion.names)
@opened
def note(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Print a note, also one whose name is a verb.

    \b
    memolith memory note status
    """
    found = find_note(mem, " ".join(name))
    if not found:
        raise NotFoundError(f"there is no note {quoted(' '.join(name))}; `memolith list notes` shows them")
    return _text(_whole(mem, found))


@click.command(cls=Group.command_class)
@click.argument("name", nargs=-1)
@opened
def _other(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Print a note, or say what could be meant."""
    word = " ".join(name)
    if found := find_note(mem, word):
        return _text(_whole(mem, found))
    notes = [each[:-3] for slug in (mem.project, layout.USER) for each in note_files(str(mem.root), slug)]
    near = [
        *difflib.get_close_matches(word, [*verbs(), *notes], 1),
        *difflib.get_close_matches(name[0], verbs(), 1),
    ]
    hint = f"did you mean {near[0]}? " if near else ""
    raise InputError(f"{quoted(word)} is neither a verb nor a note; {hint}{USAGE}")


def _text(text: str) -> Answer:
    return {"text": text}, text


@memory.command()
@click.argument("name", nargs=-1, shell_complete=completion.names)
@shared
def edit(options: Options, name: tuple[str, ...]) -> None:
    """Open a note in your editor ($VISUAL, $EDITOR), or the index of the notes.

    NAME may also be long_term, scratchpad, daily or a day. It is the file itself. What it was before is in
    the history, and what was written to it while you had it open is kept. Afterwards the difference is shown.

    \b
    memolith memory edit
    memolith memory edit running-the-tests
    """
    what = " ".join(name) or None
    with options.open() as mem:
        notice(mem)
        if not options.attended:
            path = layout.locate(str(mem.root), editing.find(mem, what))
            raise InputError(f"no editor can be opened here; edit the file itself: {path}")
        done = editing.edit(mem, what)
        output.json(done.as_dict()) if options.json else output.text(veil.masked(str(done)))


@memory.command()
@click.argument("source", default="long_term", shell_complete=completion.sources)
@click.argument("name", nargs=-1, shell_complete=completion.names)
@opened
def read(mem: Mem, source: str, name: tuple[str, ...]) -> Answer:
    """Print a whole file: a target, a day, a note (note NAME, note:NAME), list, or memory://….

    \b
    memolith memory read
    memolith memory read 2026-11-14
    memolith memory read note running-the-tests
    """
    return _text(_source(mem, source, " ".join(name)))


def _source(mem: Mem, source: Any, name: str) -> str:
    if source.startswith(SCHEME):
        return addresses.resolve(mem, source).text
    if source == "list":
        return "\n".join(mem.list()) or arguments.EMPTY
    if layout.is_date(source):
        source, name = "daily", source
    if source.startswith("note:"):
        source, name = "note", source[5:]
    if source == "note" and not name:
        raise InputError("which note? Give its name: /memory read note NAME")
    mem.read(source, name or None, lines=1)  # says what is wrong with either
    if source == "note":
        return _whole(mem, layout.find_note(str(mem.root), mem.project, name))
    if source == "daily":
        return _whole(mem, layout.daily(mem.project, name or mem.today))
    return _whole(mem, mem.find_file(source) if mem.read(source) != arguments.EMPTY else "")


def _whole(mem: Mem, relative: str) -> str:
    """Return a file's text, however long it is."""
    data = Tree(str(mem.root)).read(relative, MAX_LOOK_BYTES, cut=True) if relative else b""
    return files.text_of(data or b"").removeprefix("\ufeff") or arguments.EMPTY


@memory.command()
@click.argument("target", metavar="TARGET", shell_complete=completion.words(*TARGETS))
@click.argument("text", nargs=-1, required=True)
@opened
def write(mem: Mem, target: str, text: tuple[str, ...]) -> Answer:
    """Add TEXT to long_term, scratchpad, daily, or to a note (note:NAME).

    \b
    memolith memory write scratchpad - [ ] update the changelog
    memolith memory write note:database The port is 5433.
    """
    kind: Any  # `Mem.write` says which there are
    kind, colon, name = target.partition(":")
    if kind == "note" and not name:
        raise InputError("which note? Give its name: /memory write note:NAME TEXT")
    return mem.write(kind, " ".join(text), name=name if colon else None)


@memory.command()
@opened
def enqueue(mem: Mem) -> Answer:
    """Let the next run consolidate even if no session changed (also: rebuild).

    \b
    memolith memory enqueue
    """
    mem.learning.enqueue()
    return "The next run consolidates even if no session changed (memolith learn run)"


@memory.command()
@click.argument("what", required=False, metavar="[scratchpad|daily]")
@click.option("--all", "everywhere", is_flag=True, help="In every project.")
@click.option("--everything", is_flag=True, help="Also what people wrote here.")
@click.option("--scope", default="project", show_default=True, metavar="project|user", help="Of whom.")
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@shared
def clear(
    options: Options, what: str | None, everywhere: bool, everything: bool, scope: str, yes: bool
) -> None:
    """Take back what was learned from sessions (also: reset), or empty the scratchpad or today's log.

    What people wrote stays, unless --everything. `memolith undo` brings files back.

    \b
    memolith memory clear
    memolith memory clear --all --yes
    memolith memory clear scratchpad
    """
    with options.open() as mem:
        notice(mem)
        if what is not None:
            _empty(options, mem, what)
        else:
            _clear(options, mem, everywhere=everywhere, everything=everything, scope=scope, yes=yes)


def _empty(options: Options, mem: Mem, what: str) -> None:
    """Take a checklist or a log away; the history has it."""
    if what not in ("scratchpad", "daily"):
        raise InputError(f"clear cannot empty {quoted(what)}; only scratchpad or daily")
    name = layout.SCRATCHPAD if what == "scratchpad" else f"daily/{mem.today}.md"
    place = layout.path(mem.project, name)
    done = mem.gate.rewrite(place, lambda _: None, op="delete")
    message = f"Emptied {what} (memolith undo brings it back)" if done.changed else f"{what} is empty already"
    output.answer(message, as_json=options.json)


def _clear(options: Options, mem: Mem, *, everywhere: bool, everything: bool, scope: str, yes: bool) -> None:
    user = arguments.is_user_wide(scope)
    whose = "all projects" if everywhere or user else "this project"
    what = "all that is remembered of" if everything else "what was learned from sessions in"
    if not yes:
        common.agree(
            f"Remove {what} {whose}?",
            f"this removes {what} {whose}: add --yes (memolith undo brings files back)",
            attended=options.attended,
        )
    slugs = layout.projects(mem.home) if everywhere and not user else [mem.project]
    mems = [mem if slug == mem.project else mem.of_project(slug) for slug in slugs]
    done = [each.learning.withdraw(user=user, everything=everything) for each in mems]
    removed, records = sum(len(each.files) for each in done), sum(len(each.records) for each in done)
    jobs = sum(each.jobs for each in done)
    message = f"Removed {records} record(s) and {removed} file(s) of {whose}, {jobs} row(s) of the queue"
    fields: dict[str, object] = {"files": removed, "records": records, "jobs": jobs, "message": message}
    output.answer((fields, f"{message}; memolith undo brings files back"), as_json=options.json)


@memory.command("help")
@shared
def show_help(options: Options) -> None:
    """List the verbs.

    \b
    memolith memory help
    """
    output.answer(_text(HELP), as_json=options.json)
