"""The agents memolith can be installed in: how each is found, and what of ours belongs in which of its files.

`agents.json` has a settings file as it looks with nothing but ours in it; `bridges/` has the texts of the
files that are ours alone. Both name what differs between machines in braces.

Why some agents differ: Codex waits 3 seconds at the end of a session, and gives a server a clean environment
but for the variables it names; its prompts are the user's only. Gemini CLI's PreCompress is called before
every request to the model, so it is not hooked. Claude Code and Gemini CLI have a `/memory` of their own.
An agent may call without asking what reads, and what keeps a fact (it is screened).
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, Literal

from memolith.base.values import Value
from memolith.env.whose import folder

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER = "memolith"
_ALONE = "/hooks.json"  # has the events of `hooks` itself
# With what an agent runs hooks on Windows, if not with Git's bash (from their documentation, not tried).
_WINDOWS = {
    "gemini": "powershell",
    "droid": "powershell",
    "qwen": "powershell",
    "cursor": "powershell",
    "codex": "cmd",
}
_ABOUT = "Show or search what is remembered of this project"


class Entry(Value):
    """A value of ours in somebody's file.

    `set` makes it a member of an object, `add` an element of an array. `need` is for what the file must have
    but is nobody's: added where it is missing, left alone otherwise.
    """

    how: Literal["set", "add", "need"]
    path: tuple[str, ...]
    value: object


class Target(Value):
    """A file, and what of ours belongs in it: entries (`json`, `toml`), or all of it (`text`)."""

    entries: list[Entry]
    form: Literal["json", "toml", "text"]
    path: str
    text: str


class Place(Value):
    """Where an installation goes: the environment, the project (empty: the user's files), the command."""

    command: str
    env: Mapping[str, str]
    home: str
    project: str

    def hook(self, host: str, event: str = "", shell: str = "") -> str:
        """Return the command of a hook for a shell; it fails silently where memolith is gone.

        Without that guard a shell's exit code 127 blocks every prompt (Gemini CLI) or is shown (others).
        """
        shell = shell or (_WINDOWS.get(host, "sh") if sys.platform == "win32" else "sh")
        run = f"hook --host {host}" + (f" --event {event}" if event else "")
        if shell == "powershell":
            command = self.command.replace("'", "''")
            return f"try {{ & '{command}' {run} 2>$null }} catch {{}}; exit 0"
        if shell == "cmd":
            return f'"{self.command}" {run} 2>nul || exit /b 0'
        # Git's bash takes slashes for backslashes.
        command = self.command.replace("\\", "/") if sys.platform == "win32" else self.command
        return f"{shlex.quote(command)} {run} 2>/dev/null || true"


class Host(Value):
    """An agent. `advice` is what it still wants from a person after an installation.

    `files` belong into its directory: the user's, or `folder` of a project.
    """

    advice: str
    files: list[dict[str, Any]]
    folder: str
    name: str
    programs: list[str]
    title: str

    def directory(self, place: Place) -> str:
        """Return the directory of the user's settings."""
        return folder(self.name, place.env, place.home)

    def targets(self, place: Place) -> list[Target]:
        """Return the files that have something of ours."""
        base = os.path.join(place.project, self.folder) if place.project else self.directory(place)
        paths = {
            "base": base,
            "project": place.project,
            # With a directory of its own this file is in it, otherwise next to it.
            "claude": place.env.get("CLAUDE_CONFIG_DIR") or place.home,
            "opencode": _opencode(place.project or base),
            "droid": _droid(base),
        }
        of = "project" if place.project else "user"
        return [
            self._target(each, each["path"].format(**paths), place)
            for each in self.files
            if each.get("of", of) == of
        ]

    def _target(self, file: dict[str, Any], path: str, place: Place) -> Target:
        if "text" in file:
            return Target(path=path, form="text", entries=[], text=own_text(file["text"], place.command))
        form: Literal["json", "toml"] = "json" if "json" in file else "toml"
        value = self._filled(file[form], place)
        if path.endswith(_ALONE) and file["path"] == "{droid}":
            value = value["hooks"]
        return Target(path=path, form=form, entries=_entries(value), text="")

    def _filled(self, value: Any, place: Place) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(each, place) for key, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each, place) for each in value]
        if value == "{command}":
            return place.command
        if isinstance(value, str) and value.startswith(("{hook", "{powershell")):
            shell, _, event = value[1:-1].partition(" ")
            return place.hook(self.name, event, shell.removeprefix("hook"))
        return value

    def is_here(self, place: Place) -> bool:
        """Whether the agent is on this machine: its program, or a directory it has made."""
        path = place.env.get("PATH", "")
        return os.path.isdir(self.directory(place)) or any(which(each, path=path) for each in self.programs)


def _entries(value: Any, *path: str) -> list[Entry]:
    """Return what a settings file has of ours: servers are set, elements of arrays are added."""
    if path and path[-1] == SERVER:
        return [Entry(how="set", path=path, value=value)]
    if isinstance(value, dict):
        return [entry for key, each in value.items() for entry in _entries(each, *path, key)]
    if isinstance(value, list):
        return [Entry(how="add", path=path, value=each) for each in value]
    return [Entry(how="need", path=path, value=value)]


def _opencode(directory: str) -> str:
    """Return the settings file of opencode: the one that is there, if any."""
    names = [f"{directory}/{name}" for name in ("opencode.jsonc", "opencode.json")]
    return next((name for name in names if os.path.lexists(name)), names[1])


def _droid(directory: str) -> str:
    """Return the file with droid's hooks: where it has one for them, those in its settings are ignored."""
    alone = directory + _ALONE
    return alone if os.path.lexists(alone) else os.path.join(directory, "settings.json")


def native(place: Place, notes: str) -> Target:
    """Return what points Claude Code's own memory at the notes of a project.

    In the project's local settings: for the user's it would be one directory for all projects, and in those
    that are shared Claude Code does not read it.
    """
    path = os.path.join(place.project, ".claude", "settings.local.json")
    entry = Entry(how="set", path=("autoMemoryDirectory",), value=notes)
    return Target(path=path, form="json", entries=[entry], text="")


def own_text(name: str, command: str = "memolith") -> str:
    """Return a file that is ours alone: a slash command, or the plugin for an agent whose hooks run none."""
    bridges = Path(__file__).with_name("bridges")
    text = bridges.joinpath(name).read_text("utf-8")
    for part in ("request.md", "hook.ts", "ask.ts"):
        text = text.replace(f"{{{part}}}", bridges.joinpath(part).read_text("utf-8").rstrip("\n"))
    text = text.replace("{about}", _ABOUT).replace("{host}", name.partition(".")[0])
    return text.replace('"{command}"', json.dumps(command)).replace("{run}", shlex.quote(command))


HOSTS = {
    name: Host(name=name, **row)
    for name, row in json.loads(Path(__file__).with_name("agents.json").read_text("utf-8")).items()
}
