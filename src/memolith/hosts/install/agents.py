"""The agents memolith can be installed in: how each is found, and what of ours belongs in which of its files.

Everything here is data made from an environment; nothing is read or written.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.hosts.install import bridges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SERVER = "memolith"
# What an agent may call without asking each time: reading, and the one that keeps a fact (it is screened).
_ALLOWED = ("memory_search", "memory_read", "recall", "remember")


class Entry(Value):
    """A value of ours in somebody's file: a member of an object, or (`in_list`) an element of an array.

    `is_needed`: the file must have it but it is nobody's; added where it is missing, left alone otherwise.
    """

    in_list: bool
    is_needed: bool
    path: tuple[str, ...]
    value: object


class Target(Value):
    """A file, and what of ours belongs in it: entries (`json`, `toml`), or all of it (`text`)."""

    entries: list[Entry]
    form: str
    path: str
    text: str


class Place(Value):
    """Where an installation goes: the environment, the project (empty: the user's files), the command."""

    command: str
    env: Mapping[str, str]
    home: str
    project: str

    def user(self, variable: str, *default: str) -> str:
        """Return a directory of the user's, which a variable may name instead."""
        named = self.env.get(variable, "") if variable else ""
        return named or os.path.join(self.home, *default)

    def hook(self, host: str, event: str = "") -> str:
        """Return the command of a hook, for a shell."""
        command = self.command
        if sys.platform == "win32":
            command = f'"{command}"' if " " in command else command
        else:
            command = shlex.quote(command)
        return f"{command} hook --host {host}" + (f" --event {event}" if event else "")


class Host(Value):
    """An agent. `advice` is what it still wants from a person after an installation."""

    advice: tuple[str, ...]
    directory: Callable[[Place], str]
    name: str
    programs: tuple[str, ...]
    targets: Callable[[Place], list[Target]]
    title: str

    def is_here(self, place: Place) -> bool:
        """Whether the agent is on this machine: its program, or a directory it has made."""
        from shutil import which

        path = place.env.get("PATH", "")
        return os.path.isdir(self.directory(place)) or any(which(each, path=path) for each in self.programs)


def _set(value: object, *path: str) -> Entry:
    return Entry(path=path, value=value, in_list=False, is_needed=False)


def _add(value: object, *path: str) -> Entry:
    return Entry(path=path, value=value, in_list=True, is_needed=False)


def _need(value: object, *path: str) -> Entry:
    return Entry(path=path, value=value, in_list=False, is_needed=True)


def _json(path: str, *entries: Entry) -> Target:
    return Target(path=path, form="json", entries=list(entries), text="")


def _own(path: str, text: str) -> Target:
    return Target(path=path, form="text", entries=[], text=text)


def _server(place: Place, **more: object) -> dict[str, object]:
    return {"command": place.command, "args": ["mcp"], **more}


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


# ---------------------------------------------------------------- one function per agent

_CLAUDE_EVENTS = {"SessionStart": 10, "UserPromptSubmit": 10, "PostCompact": 10, "Stop": 10, "SessionEnd": 5}
_CODEX_EVENTS = {**_CLAUDE_EVENTS, "SessionEnd": 3}  # Codex waits no longer
# Not PreCompress: it is called before every request to the model.
_GEMINI_EVENTS = dict.fromkeys(("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"), 10_000)
_COPILOT_EVENTS = ("sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd")
_CURSOR_EVENTS = ("sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd")


def _claude_directory(place: Place) -> str:
    return place.user("CLAUDE_CONFIG_DIR", ".claude")


def _claude(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".claude") if place.project else _claude_directory(place)
    allowed = [_add(f"mcp__{SERVER}__{tool}", "permissions", "allow") for tool in _ALLOWED]
    hooks = _claude_shaped(place.hook("claude"), _CLAUDE_EVENTS)
    if place.project:
        servers = os.path.join(place.project, ".mcp.json")
    else:  # with a directory of its own this file is in it, otherwise next to it
        servers = os.path.join(place.env.get("CLAUDE_CONFIG_DIR") or place.home, ".claude.json")
    return [
        _json(os.path.join(base, "settings.json"), *hooks, *allowed),
        _json(servers, _set({"type": "stdio", **_server(place, env={})}, "mcpServers", SERVER)),
        # Claude Code has a `/memory` of its own.
        _own(os.path.join(base, "commands", "memolith.md"), bridges.markdown(hint=True)),
    ]


def native(place: Place, notes: str) -> Target:
    """Return what points Claude Code's own memory at the notes of a project.

    In the project's local settings: for the user's it would be one directory for all projects, and in those
    that are shared Claude Code does not read it.
    """
    path = os.path.join(place.project, ".claude", "settings.local.json")
    return _json(path, _set(notes, "autoMemoryDirectory"))


def _codex_directory(place: Place) -> str:
    return place.user("CODEX_HOME", ".codex")


def _codex(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".codex") if place.project else _codex_directory(place)
    # Codex gives a server a clean environment; this one variable says where memory is.
    server = _server(place, env_vars=["MEMOLITH_HOME"], startup_timeout_sec=10)
    config = Target(
        path=os.path.join(base, "config.toml"),
        form="toml",
        entries=[_set(server, "mcp_servers", SERVER)],
        text="",
    )
    found = [
        _json(os.path.join(base, "hooks.json"), *_claude_shaped(place.hook("codex"), _CODEX_EVENTS)),
        config,
    ]
    if not place.project:  # prompts are the user's only
        found.append(_own(os.path.join(base, "prompts", "memory.md"), bridges.markdown(hint=True)))
    return found


def _gemini_directory(place: Place) -> str:
    return os.path.join(place.user("GEMINI_CLI_HOME"), ".gemini")


def _gemini(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".gemini") if place.project else _gemini_directory(place)
    hooks = _claude_shaped(place.hook("gemini"), _GEMINI_EVENTS, name=SERVER)
    return [
        _json(os.path.join(base, "settings.json"), _set(_server(place), "mcpServers", SERVER), *hooks),
        # Gemini CLI has a `/memory` of its own.
        _own(os.path.join(base, "commands", "memolith.toml"), bridges.toml()),
    ]


def _copilot_directory(place: Place) -> str:
    return place.user("COPILOT_HOME", ".copilot")


def _copilot(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".github") if place.project else _copilot_directory(place)
    hooks = []
    for event in _COPILOT_EVENTS:
        command = place.hook("copilot", event)
        handler = {"type": "command", "bash": command, "powershell": command, "timeoutSec": 10}
        hooks.append(_add(handler, "hooks", event))
    found = [_json(os.path.join(base, "hooks", "memolith.json"), _need(1, "version"), *hooks)]
    if not place.project:
        server = {"type": "local", **_server(place, tools=["*"], env={})}
        found.append(_json(os.path.join(base, "mcp-config.json"), _set(server, "mcpServers", SERVER)))
    return found


def _cursor_directory(place: Place) -> str:
    return place.user("", ".cursor")


def _cursor(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".cursor") if place.project else _cursor_directory(place)
    handler = {"command": place.hook("cursor"), "timeout": 10}
    hooks = [_add(handler, "hooks", event) for event in _CURSOR_EVENTS]
    return [
        _json(os.path.join(base, "hooks.json"), _need(1, "version"), *hooks),
        _json(os.path.join(base, "mcp.json"), _set(_server(place), "mcpServers", SERVER)),
        _own(os.path.join(base, "commands", "memory.md"), bridges.plain()),
    ]


def _opencode_directory(place: Place) -> str:
    return os.path.join(place.user("XDG_CONFIG_HOME", ".config"), "opencode")


def _opencode(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".opencode") if place.project else _opencode_directory(place)
    beside = place.project or base
    names = [os.path.join(beside, name) for name in ("opencode.jsonc", "opencode.json")]
    config = next((name for name in names if os.path.lexists(name)), names[1])
    server = {"type": "local", "command": [place.command, "mcp"], "enabled": True}
    return [
        _json(config, _set(server, "mcp", SERVER)),
        _own(os.path.join(base, "plugin", "memolith.ts"), bridges.opencode(place.command)),
        _own(os.path.join(base, "command", "memory.md"), bridges.markdown()),
    ]


def _pi_directory(place: Place) -> str:
    return place.user("PI_CODING_AGENT_DIR", ".pi", "agent")


def _pi(place: Place) -> list[Target]:
    base = os.path.join(place.project, ".pi") if place.project else _pi_directory(place)
    return [
        _json(os.path.join(base, "mcp.json"), _set(_server(place), "mcpServers", SERVER)),
        _own(os.path.join(base, "extensions", "memolith.ts"), bridges.pi(place.command)),
        _own(os.path.join(base, "prompts", "memory.md"), bridges.markdown()),
    ]


HOSTS: dict[str, Host] = {
    each.name: each
    for each in (
        Host(
            name="claude",
            title="Claude Code",
            programs=("claude",),
            directory=_claude_directory,
            targets=_claude,
            advice=("start a new session; `/hooks` and `/mcp` show what was added",),
        ),
        Host(
            name="codex",
            title="Codex CLI",
            programs=("codex",),
            directory=_codex_directory,
            targets=_codex,
            advice=(
                "start `codex` once and trust the hooks it asks about: until then it skips them in silence",
            ),
        ),
        Host(
            name="gemini",
            title="Gemini CLI",
            programs=("gemini",),
            directory=_gemini_directory,
            targets=_gemini,
            advice=("trust the folder when it asks: in others neither hooks nor servers run",),
        ),
        Host(
            name="copilot",
            title="Copilot CLI",
            programs=("copilot",),
            directory=_copilot_directory,
            targets=_copilot,
            advice=("hooks run only in folders that you told Copilot to trust",),
        ),
        Host(
            name="cursor",
            title="Cursor",
            programs=("cursor", "cursor-agent"),
            directory=_cursor_directory,
            targets=_cursor,
            advice=("restart Cursor, and switch the server on under Settings, MCP",),
        ),
        Host(
            name="opencode",
            title="opencode",
            programs=("opencode",),
            directory=_opencode_directory,
            targets=_opencode,
            advice=("start a new session; the plugin is loaded at start",),
        ),
        Host(
            name="pi",
            title="pi",
            programs=("pi",),
            directory=_pi_directory,
            targets=_pi,
            advice=("start a new session, or `/reload`",),
        ),
    )
}
