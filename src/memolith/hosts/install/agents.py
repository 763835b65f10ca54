"""The agents memolith can be installed in: how each is found, and what of ours belongs in which of its files.

Everything here is data made from an environment; `bridges/` has the texts of the files that are ours alone.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Literal

from memolith.base.values import Value
from memolith.env.whose import folder

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER = "memolith"
# What an agent may call without asking each time: reading, and the one that keeps a fact (it is screened).
_ALLOWED = ("memory_search", "memory_read", "recall", "remember")


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

    def hook(self, host: str, event: str = "") -> str:
        """Return the command of a hook, for a shell."""
        command = self.command
        if sys.platform == "win32":
            command = f'"{command}"' if " " in command else command
        else:
            command = shlex.quote(command)
        return f"{command} hook --host {host}" + (f" --event {event}" if event else "")


class Host(Value):
    """An agent. `advice` is what it still wants from a person after an installation.

    `files(place, directory)` returns what belongs into its directory: the user's, or `folder` of a project.
    """

    advice: str
    files: Callable[[Place, str], list[Target]]
    folder: str
    name: str
    programs: tuple[str, ...]
    title: str

    def directory(self, place: Place) -> str:
        """Return the directory of the user's settings."""
        return folder(self.name, place.env, place.home)

    def targets(self, place: Place) -> list[Target]:
        """Return the files that have something of ours."""
        project = place.project and os.path.join(place.project, self.folder)
        return self.files(place, project or self.directory(place))

    def is_here(self, place: Place) -> bool:
        """Whether the agent is on this machine: its program, or a directory it has made."""
        path = place.env.get("PATH", "")
        return os.path.isdir(self.directory(place)) or any(which(each, path=path) for each in self.programs)


def _set(value: object, *path: str) -> Entry:
    return Entry(path=path, value=value, how="set")


def _add(value: object, *path: str) -> Entry:
    return Entry(path=path, value=value, how="add")


_VERSION = Entry(path=("version",), value=1, how="need")


def _json(path: str, *entries: Entry) -> Target:
    return Target(path=path, form="json", entries=list(entries), text="")


def _own(path: str, text: str) -> Target:
    return Target(path=path, form="text", entries=[], text=text)


def _server(place: Place, **more: object) -> dict[str, object]:
    return {"command": place.command, "args": ["mcp"], **more}


def _servers(path: str, server: dict[str, object]) -> Target:
    return _json(path, _set(server, "mcpServers", SERVER))


def _claude_shaped(command: str, timeouts: Mapping[str, int], **more: object) -> list[Entry]:
    """Return hooks in the form that Claude Code has and Codex and Gemini CLI took over."""
    found = []
    for event, timeout in timeouts.items():
        handler = {"type": "command", **more, "command": command, "timeout": timeout}
        group: dict[str, object] = {"hooks": [handler]}
        if event == "SessionStart" and not more:
            group = {"matcher": "startup|resume|clear|compact|fork", **group}
        found.append(_add(group, "hooks", event))
    return found


# ---------------------------------------------------------------- files that are ours alone

_ABOUT = "Show or search what is remembered of this project"


def _text(name: str) -> str:
    return Path(__file__).with_name("bridges").joinpath(name).read_text("utf-8")


def slash_command(*, hint: bool = False) -> str:
    """Return a slash command as Claude Code, Codex, opencode and pi read it."""
    hinted = 'argument-hint: "[question, or a verb such as view, why, undo]"\n' if hint else ""
    head = f"---\ndescription: {_ABOUT}\n{hinted}---\n"
    return f"{head}{_text('request.md')}\nRequest: $ARGUMENTS\n"


def bridge(host: str, command: str) -> str:
    """Return the plugin for an agent that has no hooks which run commands."""
    run = _text("hook.ts").replace('"{command}"', json.dumps(command)).replace("{host}", host)
    return run + _text(f"{host}.ts")


# ---------------------------------------------------------------- one function per agent

HOSTS: dict[str, Host] = {}
Files = Callable[[Place, str], list[Target]]


def _agent(title: str, folder: str, advice: str, *programs: str) -> Callable[[Files], Files]:
    """Enter an agent, called as its function, into HOSTS."""

    def enter(files: Files) -> Files:
        name = files.__name__.strip("_")
        HOSTS[name] = Host(
            name=name, title=title, folder=folder, files=files, programs=(name, *programs), advice=advice
        )
        return files

    return enter


_CLAUDE_EVENTS = {"SessionStart": 10, "UserPromptSubmit": 10, "PostCompact": 10, "Stop": 10, "SessionEnd": 5}
_CODEX_EVENTS = {**_CLAUDE_EVENTS, "SessionEnd": 3}  # Codex waits no longer
# Not PreCompress: it is called before every request to the model.
_GEMINI_EVENTS = dict.fromkeys(("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"), 10_000)
_COPILOT_EVENTS = ("sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd")
_CURSOR_EVENTS = ("sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd")


@_agent("Claude Code", ".claude", "start a new session; `/hooks` and `/mcp` show what was added")
def _claude(place: Place, base: str) -> list[Target]:
    allowed = [_add(f"mcp__{SERVER}__{tool}", "permissions", "allow") for tool in _ALLOWED]
    hooks = _claude_shaped(place.hook("claude"), _CLAUDE_EVENTS)
    if place.project:
        servers = os.path.join(place.project, ".mcp.json")
    else:  # with a directory of its own this file is in it, otherwise next to it
        servers = os.path.join(place.env.get("CLAUDE_CONFIG_DIR") or place.home, ".claude.json")
    return [
        _json(f"{base}/settings.json", *hooks, *allowed),
        _servers(servers, {"type": "stdio", **_server(place, env={})}),
        # Claude Code has a `/memory` of its own.
        _own(f"{base}/commands/memolith.md", slash_command(hint=True)),
    ]


def native(place: Place, notes: str) -> Target:
    """Return what points Claude Code's own memory at the notes of a project.

    In the project's local settings: for the user's it would be one directory for all projects, and in those
    that are shared Claude Code does not read it.
    """
    path = os.path.join(place.project, ".claude", "settings.local.json")
    return _json(path, _set(notes, "autoMemoryDirectory"))


@_agent(
    "Codex CLI",
    ".codex",
    "start `codex` once and trust the hooks it asks about: until then it skips them in silence",
)
def _codex(place: Place, base: str) -> list[Target]:
    # Codex gives a server a clean environment; this one variable says where memory is.
    server = _set(_server(place, env_vars=["MEMOLITH_HOME"], startup_timeout_sec=10), "mcp_servers", SERVER)
    found = [
        _json(f"{base}/hooks.json", *_claude_shaped(place.hook("codex"), _CODEX_EVENTS)),
        Target(path=f"{base}/config.toml", form="toml", entries=[server], text=""),
    ]
    if not place.project:  # prompts are the user's only
        found.append(_own(f"{base}/prompts/memory.md", slash_command(hint=True)))
    return found


@_agent("Gemini CLI", ".gemini", "trust the folder when it asks: in others neither hooks nor servers run")
def _gemini(place: Place, base: str) -> list[Target]:
    hooks = _claude_shaped(place.hook("gemini"), _GEMINI_EVENTS, name=SERVER)
    request = f"{_text('request.md')}\nRequest: {{{{args}}}}\n"
    return [
        _json(f"{base}/settings.json", _set(_server(place), "mcpServers", SERVER), *hooks),
        # Gemini CLI has a `/memory` of its own.
        _own(f"{base}/commands/memolith.toml", f'description = "{_ABOUT}"\nprompt = """\n{request}"""\n'),
    ]


@_agent("Copilot CLI", ".github", "hooks run only in folders that you told Copilot to trust")
def _copilot(place: Place, base: str) -> list[Target]:
    hooks = []
    for event in _COPILOT_EVENTS:
        command = place.hook("copilot", event)
        handler = {"type": "command", "bash": command, "powershell": command, "timeoutSec": 10}
        hooks.append(_add(handler, "hooks", event))
    found = [_json(f"{base}/hooks/memolith.json", _VERSION, *hooks)]
    if not place.project:
        server = {"type": "local", **_server(place, tools=["*"], env={})}
        found.append(_servers(f"{base}/mcp-config.json", server))
    return found


@_agent("Cursor", ".cursor", "restart Cursor, and switch the server on under Settings, MCP", "cursor-agent")
def _cursor(place: Place, base: str) -> list[Target]:
    handler = {"command": place.hook("cursor"), "timeout": 10}
    return [
        _json(f"{base}/hooks.json", _VERSION, *(_add(handler, "hooks", event) for event in _CURSOR_EVENTS)),
        _servers(f"{base}/mcp.json", _server(place)),
        # Cursor puts what was typed behind it.
        _own(f"{base}/commands/memory.md", f"# {_ABOUT}\n\n{_text('request.md')}"),
    ]


@_agent("opencode", ".opencode", "start a new session; the plugin is loaded at start")
def _opencode(place: Place, base: str) -> list[Target]:
    names = [f"{place.project or base}/{name}" for name in ("opencode.jsonc", "opencode.json")]
    config = next((name for name in names if os.path.lexists(name)), names[1])
    server = {"type": "local", "command": [place.command, "mcp"], "enabled": True}
    return [
        _json(config, _set(server, "mcp", SERVER)),
        _own(f"{base}/plugin/memolith.ts", bridge("opencode", place.command)),
        _own(f"{base}/command/memory.md", slash_command()),
    ]


@_agent("pi", ".pi", "start a new session, or `/reload`")
def _pi(place: Place, base: str) -> list[Target]:
    return [
        _servers(f"{base}/mcp.json", _server(place)),
        _own(f"{base}/extensions/memolith.ts", bridge("pi", place.command)),
        _own(f"{base}/prompts/memory.md", slash_command()),
    ]
