"""What people type instead of what there is, and what to type: for unknown commands and options."""

from __future__ import annotations

import difflib
import re

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
        "todo": '`memolith write scratchpad "- [ ] TEXT"`, or `memolith ticket add TITLE`',
        "sessions": "`memolith session list`",
        "projects": "`memolith project list`",
        "install setup": "`memolith init`",
        "uninstall": "`memolith init --uninstall`",
        "version": "`memolith --version`",
        "settings": "`memolith config`",
        "set unset reset": "`memolith config set KEY VALUE`, or `config unset KEY`",
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
    "--tag --tags": "notes have no tags: `memolith search` finds words; records have keywords: "
    "`memolith record add TEXT --category NAME --keyword WORD`",
    "--global --user": "for all projects, give --scope user",
    "--file": "give - and redirect the file: `{} - < FILE`",
    "--regex --regexp -E": "it looks for words literally; for a pattern, `grep -rE PATTERN` in the folder "
    "that `memolith project show` names",
    "--text --content --body --message -m": "give the text itself, without an option",
    "--semantic --vector --meaning": "it asks by meaning of itself once `memolith semantic install` was run",
    "--name": "give the name itself, without an option",
    "--last --latest": "`memolith session show` shows the last one",
    "--expires --ttl --until --valid-until": "notes do not expire, records do: "
    "`memolith record add decision TEXT --valid-until DATE` (or principle, procedure, preference, incident)",
    "--force -f -r -rf -y": "give --yes",
    "--force -f -r -rf": "leave it out: what can be undone needs no consent",
    "--list": "`memolith history` lists the versions",
    "--open --closed": "give --status open, or --status closed",
    "--append -a": "`memolith write note NAME TEXT` adds to a note",
}
_SPECIAL = {
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
        "--all": "`memolith help files` says which folders a project's memory is",
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
_NEAR = 0.72  # below this, a name that looks alike is noise: `get` is not `forget`


def command(path: str, typed: str, known: list[str]) -> str:
    """Return what may be meant by a command that does not exist."""
    if meant := _of(_COMMANDS.get(path, {}), typed) or (
        "" if path == "memolith" else _of(_COMMANDS[""], typed)
    ):
        return f"did you mean {meant}?" if meant.startswith("`") else meant
    near = [each for each in known if sorted(each) == sorted(typed)]  # two letters swapped
    near += difflib.get_close_matches(typed, known, 1, _NEAR)
    return f"did you mean {near[0]!r}?" if near else f"`{path} --help` lists them"


def option(path: str, typed: str, known: list[str]) -> str:
    """Return what may be meant by an option that does not exist; empty if nobody knows."""
    for meant in (*_all(_SPECIAL.get(path, {}), typed), *_all(_OPTIONS, typed)):
        # An option outside of the commands that it names is one of this command, or the hint is none.
        named = re.findall(r"(?<!\w)--?[a-z][a-z-]*", "".join(meant.split("`")[::2]))
        if all(each in known for each in named):
            return meant.format(path)
    near = difflib.get_close_matches(typed, known, 1, _NEAR)
    return f"did you mean {near[0]!r}?" if near else ""


def _of(table: dict[str, str], typed: str) -> str:
    return "".join(_all(table, typed)[:1])


def _all(table: dict[str, str], typed: str) -> list[str]:
    return [meant for words, meant in table.items() if typed in words.split()]
