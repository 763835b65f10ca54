"""What people type instead of what there is, and what to type: for unknown commands, options and words."""

from __future__ import annotations

import difflib
import re
import shlex
from typing import TYPE_CHECKING

import click

from memolith.store.entry import TICKET_STATUSES
from memolith.store.layout import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Sequence

# By the command that it was typed after (empty: any), the words that people try, and what is meant.
_COMMANDS = {
    "memolith": {
        "add new create save store keep": "`memolith remember TEXT`",
        "get cat view print": "`memolith show NAME`",
        "delete remove del erase clear": "`memolith rm NAME`",
        "find grep": "`memolith search WORDS`",
        "ask query": "`memolith recall QUESTION`",
        "rename move": "`memolith mv NAME TITLE`",
        "append": "`memolith write note NAME TEXT`",
        "ls all": "`memolith list`",
        "note notes": "`memolith list notes`, or `memolith remember TEXT` for a new one",
        "records decision decisions": "`memolith record list`, or `memolith record add TEXT`",
        "tickets task tasks issue": "`memolith ticket list`, or `memolith ticket add TITLE`",
        "daily today journal diary": "`memolith log`, or `memolith write daily TEXT`",
        "yesterday": "`memolith show yesterday`",
        "scratchpad": "`memolith show scratchpad`, or `memolith write scratchpad TEXT`",
        "long_term long-term": "`memolith show long_term`, or `memolith write long_term TEXT`",
        "tag tags label keyword": "notes have no tags, records have keywords: "
        "`memolith record add decision TEXT --keyword WORD`",
        "todo": '`memolith write scratchpad "- [ ] TEXT"`, or `memolith ticket add TITLE`',
        "sessions": "`memolith session list`",
        "projects": "`memolith project list`",
        "install setup": "`memolith init`",
        "uninstall": "`memolith init --uninstall`",
        "version": "`memolith --version`",
        "settings": "`memolith config`",
        "set": "`memolith config set KEY VALUE`",
        "unset reset": "`memolith config unset KEY`",
        "sync share": "`memolith project share`, which keeps a project's memory in its repository, or "
        "`memolith export` and `import` for everything",
        "open": "`memolith edit NAME`, or `memolith show NAME`",
        "backup dump": "`memolith export FILE.tar.gz`",
        "restore revert": "`memolith undo`",
        "diff": "`memolith history NAME --diff`",
        "changes": "`memolith log`",
        "stats info": "`memolith status`",
        "check": "`memolith doctor`, or `memolith init --check`",
        "why": "`memolith show NAME --why`",
        "promote": "`memolith learn promote NOTE`",
        "man": "`memolith help`",
    },
    "": {
        "new create": "`add`",
        "delete remove del": "`rm`",
        "get view cat read": "`show`",
        "update change set": "`edit`",
        "ls all": "`list`",
    },
    "memolith record": {
        "categories": "decisions, procedures, principles, incidents, preferences are the categories: "
        "`memolith record add TEXT --category decisions`",
        "replace supersede": "`memolith record add TEXT --category NAME --supersedes ID`",
        "move": "`memolith record edit ID --category NAME`",
    },
    "memolith ticket": {
        "done finish resolve": "`close`",
        "open start": "`add`, or `reopen`",
        "comment": "`note`",
    },
    "memolith session": {
        "search find grep": "`memolith search WORDS --sessions`",
        "last": "`memolith session show`",
    },
    "memolith project": {
        "rename": "`memolith project name NAME`",
        "delete remove": "`memolith project rm`",
    },
    "memolith learn": {
        "now start": "`memolith learn run`",
        "enable": "`memolith learn on`",
        "disable": "`memolith learn off`",
    },
}
_OPTIONS = {
    "--tag --tags --keyword --keywords": "notes have no tags: `memolith search` finds words; records have "
    "keywords: `memolith record add decision TEXT --keyword WORD`",
    "--global --user": "for all projects, give --scope user",
    "--file": "give - and redirect the file: `{} - < FILE`",
    "--regex --regexp -E": "it looks for words literally; for a pattern, `grep -rE PATTERN` in the folder "
    "that `memolith project show` names",
    "--text --content --body --message -m": "give the text itself, without an option",
    "--semantic --vector --meaning": "it asks by meaning of itself once `memolith semantic install` was run",
    "--name": "give the name itself, without an option",
    "--last --latest": "`memolith session show` shows the last one",
    "--expires --ttl --until --valid-until": "notes do not expire, records do: "
    "`memolith record add incident TEXT --expires DATE`, or `record add decision TEXT --valid-until DATE`",
    "--force -f -r -rf -y": "give --yes",
    "--force -f -r -rf": "leave it out: what can be undone needs no consent",
    "--list": "`memolith history` lists the versions",
    "--done --closed": "give --status closed, or --status done",
    "--append -a": "`memolith write note NAME TEXT` adds to a note",
}
_SPECIAL = {
    "memolith remember": {
        "--supersedes --replace --replaces --instead": "the title of a note replaces that note: "
        "`memolith remember TEXT --title TITLE`"
    },
    "memolith search": {
        "-r -e -P": "it looks for words literally; for a pattern, `grep -rE PATTERN` in the folder that "
        "`memolith project show` names",
        "-i": "leave it out: case does not matter",
        "-l -c": "leave it out; --json has the files and their numbers",
    },
    "memolith show": {"--body --raw --plain": "--text leaves the head out"},
    "memolith mv": {
        "--project --scope --global --user": "--to PROJECT moves a note there, --to user to all projects"
    },
    "memolith rm": {
        "--force -f -r -rf": "leave it out: what can be undone needs no consent",
        "--all": "`memolith project rm` deletes all that is kept of a project",
    },
    "memolith recall": {"--all --all-projects": "`memolith search WORDS --all` looks into all projects"},
    "memolith edit": {"--all": "one place at a time, or all of them in your editor: `memolith edit NAME`"},
    "memolith context": {
        "--size --bytes --tokens": "--explain shows the size of each part",
        "--prompt --query": "give the prompt itself: `memolith context PROMPT`",
    },
    "memolith undo": {
        "-n --steps --count": "leave it out; repeat `memolith undo` to go further back, or give a VERSION",
        "--to --version": "give the version behind the name: `memolith undo NAME VERSION`",
    },
    "memolith history": {
        "--restore --to": "`memolith undo NAME VERSION` restores one",
        "--show --version": "give the version behind the name: `memolith history NAME VERSION`",
    },
    "memolith config": {
        "--local --project-only": "settings are for all projects; `memolith help config` names what a "
        "repository's .memolith.yml may say"
    },
    "memolith import": {
        "--taint --origin --whose": "--mine says that the words are yours, --others that they are not"
    },
    "memolith export": {
        "--all --everything": "leave it out: without --project, everything is written",
        "--output -o": "give the file itself: `memolith export FILE.tar.gz`",
        "--stdout": "give - as the file: `memolith export - > memory.tar.gz`",
    },
}
# By the command that they were typed after, words that it does not take.
_WORDS = {
    "memolith log": {"add write append": "`memolith write daily TEXT` writes to it"},
    "memolith record list": {
        " ".join((*CATEGORIES, *(each[:-1] for each in CATEGORIES))): "`memolith record list --category {}`"
    },
    "memolith ticket list": {" ".join(TICKET_STATUSES): "`memolith ticket list --status {}`"},
}
_NEAR = 0.72  # below this, a name that looks alike is noise: `get` is not `forget`
_TEXTS = ("text", "query", "old")  # parameters that may begin with a dash
_LONG = 60  # characters that are not worth repeating


def message(error: click.ClickException, arguments: Sequence[str]) -> str:
    """Return click's error message about a command line, with a hint for what people try."""
    said, ctx = error.format_message().rstrip("."), getattr(error, "ctx", None)
    if ctx is None:
        return said
    path = ctx.command_path
    words = [each for each in arguments[path.count(" ") :] if each[:1] != "-"]
    if isinstance(error, click.NoSuchOption):
        every = (name for each in ctx.command.params for name in (*each.opts, *each.secondary_opts))
        hint = option(path, error.option_name, [name for name in every if name[:1] == "-"], words)
        dash = any(each.name in _TEXTS for each in ctx.command.params)
        hint = hint or ("if it is text, put -- before it" if dash else "")
        return "; ".join(filter(None, [f"unknown option {error.option_name!r}", hint]))
    if isinstance(error, click.MissingParameter) and error.param:
        return _missing(error.param, ctx, arguments)
    if extra := re.search(r"unexpected extra arguments? \((.*)\)", said):
        hint = _of(_WORDS.get(path, {}), words[0]) if words else ""
        taken = " ".join(words) if hint else extra[1]
        hint = _filled(hint.format(words[0]), words[1:]) if hint else ""
        return "; ".join(filter(None, [f"`{path}` takes no {taken!r}", hint]))
    return said


def _missing(lacks: click.Parameter, ctx: click.Context, arguments: Sequence[str]) -> str:
    """Return the message about what a command line lacks: all options at once, and how it is given."""
    names = {each.partition("=")[0] for each in arguments}
    needed = [each for each in ctx.command.params if each.required]
    options = [each for each in needed if isinstance(each, click.Option) and not names & {*each.opts}]
    if isinstance(lacks, click.Option):
        named = " and ".join(repr(each.opts[0]) for each in options)
        given = " ".join(_shown(each, ctx) for each in needed)
        return f"Missing option{'s' * (len(options) > 1)} {named}: `{ctx.command_path} {given}`"
    shown = lacks.make_metavar(ctx)
    if "|" in shown:
        first, *others = shown.strip("[{}]").split("|")
        return f"Missing argument: one of {', '.join((first, *others))}, as in `{ctx.command_path} {first}`"
    said = f"Missing argument {shown!r}"
    return f"{said}; - reads it from standard input" if lacks.name == "text" else said


def _shown(each: click.Parameter, ctx: click.Context) -> str:
    """Return a parameter as it is given."""
    return (
        f"{each.opts[0]} {each.make_metavar(ctx)}"
        if isinstance(each, click.Option)
        else each.make_metavar(ctx)
    )


def command(path: str, typed: str, known: list[str], rest: Sequence[str] = ()) -> str:
    """Return what may be meant by a command that does not exist, and the words behind it."""
    if meant := _of(_COMMANDS.get(path, {}), typed) or (
        "" if path == "memolith" else _of(_COMMANDS[""], typed)
    ):
        meant = _filled(meant, rest)
        return f"did you mean {meant}?" if meant.startswith("`") else meant
    near = [each for each in known if sorted(each) == sorted(typed)]  # two letters swapped
    near += difflib.get_close_matches(typed, known, 1, _NEAR)
    return f"did you mean {near[0]!r}?" if near else f"`{path} --help` lists them"


def _filled(meant: str, words: Sequence[str]) -> str:
    """Return a hint whose commands have the words that were typed in place of NAME, TEXT or KEY VALUE."""
    said = shlex.join(words)

    def fill(found: re.Match[str]) -> str:
        return said if len(words) >= len(found[0].split()) else found[0]

    is_plain = words and len(said) <= _LONG and not any(each[:1] == "-" for each in words)
    return re.sub(r"(?<= )[A-Z]+( [A-Z]+)*(?=`)", fill, meant) if is_plain else meant


def option(path: str, typed: str, known: list[str], words: Sequence[str] = ()) -> str:
    """Return what may be meant by an option that does not exist; empty if nobody knows."""
    for meant in (*_all(_SPECIAL.get(path, {}), typed), *_all(_OPTIONS, typed)):
        # An option outside of the commands that it names is one of this command, or the hint is none.
        named = re.findall(r"(?<!\w)--?[a-z][a-z-]*", "".join(meant.split("`")[::2]))
        if all(each in known for each in named):
            is_version = "NAME VERSION" in meant and words and words[-1].isdecimal()
            return (_filled(meant, words) if is_version else meant).format(path)
    near = difflib.get_close_matches(typed, known, 1, _NEAR)
    return f"did you mean {near[0]!r}?" if near else ""


def _of(table: dict[str, str], typed: str) -> str:
    return "".join(_all(table, typed)[:1])


def _all(table: dict[str, str], typed: str) -> list[str]:
    return [meant for words, meant in table.items() if typed in words.split()]
