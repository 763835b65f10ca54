"""`memolith memory` and `/memory`: a verb, or else the name of a note to print.

`slash` runs the same grammar in a host's process: it takes the line that a person typed and returns the
text to show.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memolith.base import values, whole
from memolith.base.errors import InputError, NotFoundError
from memolith.base.values import TARGETS
from memolith.care import edit as editing
from memolith.care.status import page
from memolith.edges.cli import common, completion, output
from memolith.edges.cli import learn as learning
from memolith.edges.cli.app import Group, cli, opened, run, shared
from memolith.edges.cli.options import Options
from memolith.edges.cli.paint import Prose
from memolith.edges.cli.verbs import left_by_editor
from memolith.memory import addresses, arguments, writing
from memolith.memory.find import day_of
from memolith.memory.note_index import note_files
from memolith.store import layout
from memolith.store.screen import quoted
from memolith.text.budget import plural
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_COMMAND = "/memory"
# Top-level commands that are also verbs here, and aliases of verbs.
FORWARDED = (
    *("status", "search", "list", "record", "recall", "doctor", "undo"),
    *("redo", "remember", "forget", "show", "rm", "mv", "log", "history", "review"),
)
_TAKE_TEXT = ("remember", "forget", "recall")  # as typed, between options at its beginning and its end
ALIASES = {"reset": "clear", "rebuild": "enqueue"}
USAGE = "usage: /memory [VERB|NOTE]; `/memory help` lists the verbs"


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
        if self.get_command(ctx, args[0]) is None:
            return "note", _other, args
        return super().resolve_command(ctx, args)


def slash(mem: Mem, line: str = "", *, terminal: bool = False) -> values.Answer:
    """Run what a person typed after `/memory`; never raises for bad input.

    An empty line gets an overview in Markdown, and nothing is written. `terminal` says that the host has
    released the terminal: then `edit` opens an editor and `clear` asks; else they say what to do.
    `answer.error` means that nothing was done.
    """
    # A person typed it, so the text is theirs, unless the memory has another source.
    options = Options(mem.from_source("user") if mem.source.trusted else mem)
    options.terminal = terminal
    printed: list[str] = []
    token = output.collected.set(printed)
    try:
        code = run(["memory", *_words(line)], options)
    finally:
        output.collected.reset(token)
    text = veil.masked("".join(printed)).strip("\n")
    return values.Answer(text=text, data={"exit_code": code}, error=code != 0)


def _words(line: str) -> list[str]:
    """Split a line as a shell would; text to be written stays as typed."""
    bare = line.strip()
    if bare == _COMMAND or bare.startswith((f"{_COMMAND} ", f"{_COMMAND}\n")):
        bare = bare[len(_COMMAND) :].strip()
    verb, _, rest = bare.partition(" ")
    if verb == "write":
        target, _, text = rest.strip().partition(" ")
        return [verb, *filter(None, [target]), *(["--", text] if text.strip() else [])]
    if verb in _TAKE_TEXT and rest.strip():
        before, text, after = _around_text(verb, rest.strip())
        return [verb, *before, *after, *(["--", text] if text else [])]
    if verb not in verbs() and not bare.startswith("-") and " -" in bare:
        return [bare]  # a question, in which nothing is an option
    try:
        return shlex.split(bare)
    except ValueError:  # an apostrophe, not a quotation mark
        return bare.split()


def _around_text(verb: str, line: str) -> tuple[list[str], str, list[str]]:
    """Split what follows a verb into its options, the text between them, and options again."""
    command = cli.get_command(click.Context(cli), verb)
    options = [each for each in command.params if isinstance(each, click.Option)] if command else []
    word, number = r"""(?:=|\s+)(?:"[^"]*"|'[^']*'|[^\s"']\S*)""", r"(?:=|\s+)\d+(?!\S)"
    forms = [
        re.escape(name) + ("" if each.is_flag else number if each.metavar == "N" else word)
        for each in options
        for name in (*each.opts, *each.secondary_opts)
    ]
    one = "|".join(forms)
    first = re.match(rf"(?:(?:{one})(?:\s+|\Z))*", line)
    begin = first.end() if first else 0
    last = re.search(rf"(?:\s+(?:{one}))*\Z", line[begin:])
    end = begin + last.start() if last else len(line)
    return shlex.split(line[:begin]), line[begin:end], shlex.split(line[end:])


@cli.group(cls=_Grammar, invoke_without_command=True)
@shared
def memory(options: Options) -> Answer | None:
    """View and correct memory, as `/memory` does in an agent: give a verb, or the name of a note to print.

    Further verbs are the commands remember, recall, search, show, list, rm, mv, log, history, undo, redo,
    review, forget, record, status and doctor; reset is clear, rebuild is enqueue.

    \b
    memolith memory
    memolith memory running-the-tests
    memolith memory edit running-the-tests
    memolith memory view
    """
    if click.get_current_context().invoked_subcommand is not None:
        return None
    return options.answer(_overview)


def _overview(mem: Mem) -> Answer:
    text = page(mem)
    if output.collected.get() is None:  # in a shell, the verbs have another name in front
        text = text.replace("`/memory ", "`memolith memory ")
    return {"notes": [each for each in mem.list() if layout.is_note(each)], "text": text}, text


@memory.command()
@opened
def view(mem: Mem) -> Answer:
    """Print exactly what an agent sees.

    \b
    memolith memory view
    """
    block = mem.context_block()
    if not mem.settings.flag("memories.enabled") and (not block or output.collected.get() is None):
        output.note("nothing is learned from sessions: memories.enabled is off")
    why = "memory is empty, so nothing is injected"
    if mem.list():
        why = "nothing that is kept belongs into the block (`memolith context --explain` has the reasons)"
    return {"block": block}, block or output.Note(mem.off or why)


@memory.command()
@click.argument("name", nargs=-1, required=True, shell_complete=completion.names)
@opened
def note(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Print a note, even if its name is a verb.

    \b
    memolith memory note status
    """
    return _text(addresses.of_file(mem, mem.find(f"note:{' '.join(name)}", "note").path).text)


@click.command(cls=Group.command_class)
@click.argument("name", nargs=-1)
@opened
def _other(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Print a note, or suggest the nearest name."""
    # As for `read` and `write`; of a path, only the base name counts.
    word = os.path.basename(" ".join(name).removeprefix("note:").replace("\\", "/"))
    try:
        return _text(addresses.of_file(mem, mem.find(f"note:{word}", "note").path).text)
    except NotFoundError:
        pass
    notes = [each[:-3] for slug in (mem.project, layout.USER) for each in note_files(str(mem.root), slug)]
    near = [
        *difflib.get_close_matches(word, [*verbs(), *notes], 1),
        *difflib.get_close_matches(name[0], verbs(), 1),
    ]
    hint = f"did you mean {near[0]}? " if near else ""
    raise InputError(f"{quoted(word)} is neither a verb nor a note; {hint}{USAGE}")


def _text(text: str) -> Answer:
    text = text or arguments.EMPTY
    return {"text": text}, text


@memory.command()
@click.argument("name", nargs=-1, shell_complete=completion.names)
@opened
def edit(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Open a note in your editor ($VISUAL, $EDITOR), or the index of the notes.

    NAME may also be long_term, scratchpad, daily or a day. This opens the file itself. The history keeps the
    old text, and anything written to the file while you have it open. Shows the difference afterwards.

    \b
    memolith memory edit
    memolith memory edit running-the-tests
    """
    what = " ".join(name) or None
    if not common.attended():
        path = layout.locate(str(mem.root), editing.find(mem, what))
        raise InputError(f"no editor can be opened here; edit the file itself: {path}")
    return left_by_editor(editing.edit(mem, what))


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
    if source == "list":
        return _text("\n".join(mem.list()))
    which = " ".join(name) or None
    if source != "daily" and (day := day_of(mem, source)):
        source, which = "daily", day
    if source == "daily" and which:
        which = day_of(mem, which) or which
    if source.startswith("note:"):
        source, which = "note", source[5:]
    if source == "note" and not which:
        raise InputError("which note? Give its name: /memory read note NAME")
    return _text(writing.look(mem, source, which).text)


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
    kind: Any = target  # `Mem.write` says which there are; an address is one, too
    name = None
    if target.partition(":")[0] == "note":
        kind, _, name = target.partition(":")
        if not name:
            raise InputError("which note? Give its name: /memory write note:NAME TEXT")
    return mem.write(kind, " ".join(text), name=name)


memory.add_command(learning.enqueue)


@memory.command()
@click.argument(
    "what",
    required=False,
    metavar="[scratchpad|daily]",
    shell_complete=completion.words("scratchpad", "daily"),
)
@click.option("--all", "everywhere", is_flag=True, help="In all projects.")
@click.option("--everything", is_flag=True, help="Include what people wrote.")
@common.one_of("--scope", common.SCOPES, "Of whom.", default="project", show_default=True)
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
@opened
def clear(mem: Mem, what: str | None, everywhere: bool, everything: bool, scope: str, yes: bool) -> Answer:
    """Remove what was learned from sessions (also: reset), or empty the scratchpad or today's log.

    What people wrote stays, unless --everything. `memolith undo` restores files.

    \b
    memolith memory clear
    memolith memory clear --all --yes
    memolith memory clear scratchpad
    """
    if what is not None:
        if not yes and common.attended():
            common.agree(f"Empty {what}?", "")
        return _empty(mem, what)
    user = arguments.is_user_wide(scope)
    whose = "all projects" if everywhere or user else "this project"
    if not yes:
        asked = "all that is remembered of" if everything else "what was learned from sessions in"
        common.agree(
            f"Remove {asked} {whose}?",
            f"this removes {asked} {whose}: add --yes (memolith undo brings files back)",
        )
    done = mem.learning.withdraw(user=user, everywhere=everywhere, everything=everything)
    back = "" if whole.lost() else "; memolith undo brings files back"
    removed, records = len(done.files), len(done.records)
    message = f"Removed {plural(records, 'record')} and {plural(removed, 'file')} of {whose}, "
    message += f"{plural(done.jobs, 'row')} of the queue"
    fields = {"files": removed, "records": records, "jobs": done.jobs, "message": message}
    return fields, message + back


def _empty(mem: Mem, what: str) -> Answer:
    """Empty the scratchpad or today's log; the history keeps the text."""
    if what not in ("scratchpad", "daily"):
        raise InputError(f"clear cannot empty {quoted(what)}; choose scratchpad or daily")
    mem.check_project()
    name = layout.SCRATCHPAD if what == "scratchpad" else f"daily/{mem.today}.md"
    place = layout.path(mem.project, name)
    done = mem.gate.rewrite(place, lambda _: None, op="delete")
    return f"Emptied {what}{arguments.way_back(done)}" if done.changed else f"{what} is already empty"


@memory.command("help")
@shared
def show_help(_: Options) -> Answer:
    """List the verbs.

    \b
    memolith memory help
    """
    text = Path(__file__).with_name("slash.txt").read_text("utf-8").rstrip("\n")
    if output.collected.get() is None:
        text = text.replace("/memory [NOTE | VERB …]    ", "memolith memory [NOTE | VERB …]  ")
    return {"text": text}, Prose(text)
