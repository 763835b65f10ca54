"""What of ours is in a settings file, what should be, and the text in which the two agree.

Ours is told by what it says, not by a list: a hook whose command is `memolith hook`, a server that is started
with `memolith mcp`, a permission for that server. So a command that moved is found again, and a second
installation adds nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memolith.base.errors import ConfigError
from memolith.hosts.install import json_text, toml_text
from memolith.hosts.install.agents import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memolith.hosts.install.agents import Entry
    from memolith.hosts.install.json_text import Path

_HOOK = re.compile(r"""(?:^|[\s/\\"'])memolith(?:\.exe)?["']? +hook\b""")
_PROGRAM = re.compile(r"(?:^|[/\\])memolith(?:\.exe)?$")
_NOTES = re.compile(r"[/\\]memory[/\\]projects[/\\][^/\\]+[/\\]notes$")
_SERVERS = ("mcpServers", "mcp")
_KEYS = ("command", "bash", "powershell")


class ForeignError(ConfigError):
    """Something has our name and is not ours."""


def merged(text: str, entries: Sequence[Entry], keep: Callable[[Path], bool] = lambda _: False) -> str:
    """Return a JSON text with these entries of ours and no others; `keep` tells empty ones that stay."""
    wanted = {_identity(each.path, each.value, in_list=each.in_list) for each in entries}
    while (path := _stale(json_text.parse(text).value, wanted)) is not None:
        text = json_text.cut(text, path)
        while (path := path[:-1]) and not keep(path):
            holder = json_text.parse(text).at(path)
            if holder is None or holder.members:
                break
            text = json_text.cut(text, path)
    for entry in entries:
        root = json_text.parse(text).value
        if entry.is_needed:
            text = text if entry.path[0] in root else json_text.put(text, entry.path, entry.value)
        elif _identity(entry.path, entry.value, in_list=entry.in_list) not in {
            each for each, _ in _ours(root)
        }:
            if not entry.in_list:
                _refuse_foreign(root, entry.path)
            text = (json_text.append if entry.in_list else json_text.put)(text, entry.path, entry.value)
    return text


def merged_toml(text: str, entry: Entry | None, path: tuple[str, ...]) -> str:
    """Return a TOML text with our server, or without it."""
    there = toml_text.at(text, path)
    if there is not None and not is_our_server(there):
        if entry is None:
            return text
        raise ForeignError(f"{'.'.join(path)} is another server; give it another name, then try again")
    if entry is None:
        return toml_text.cut(text, path)
    if there is not None and _program(there) == _program(entry.value):
        return text
    return toml_text.put(text, path, _fields(entry.value))


def commands(value: object) -> list[str]:
    """Return the commands of ours that a settings file runs, as they stand there."""
    found = []
    for (path, identity), _ in _ours(value if isinstance(value, dict) else {}):
        if path[0] == "hooks" or (path[0] in _SERVERS and path[-1] == SERVER):
            found.append(identity)
    return found


def is_our_server(value: object) -> bool:
    """Whether a server's settings start `memolith mcp`."""
    return bool(_PROGRAM.search(_program(value)))


def _fields(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _program(value: object) -> str:
    command = _fields(value).get("command")
    if isinstance(command, list) and command:
        command = command[0]
    return command if isinstance(command, str) else ""


def _hook(value: object) -> str:
    """Return the command of a hook that is ours; empty for others."""
    commands = [_fields(value).get(key) for key in _KEYS]
    return next((each for each in commands if isinstance(each, str) and _HOOK.search(each)), "")


def _identity(path: tuple[str, ...], value: Any, *, in_list: bool) -> tuple[tuple[str, ...], str]:
    """Return what makes two entries the same: where they are, and what is run or allowed."""
    if not in_list:
        return path, _program(value) or str(value)
    if isinstance(value, str):
        return path, value
    inside = _fields(value).get("hooks")
    return path, _hook(inside[0] if isinstance(inside, list) and inside else value)


def _ours(root: Any) -> list[tuple[tuple[tuple[str, ...], str], Path]]:
    """Return what is ours in a file: its identity, and the path at which it can be cut out."""
    found: list[tuple[tuple[tuple[str, ...], str], Path]] = []
    for name in _SERVERS:
        server = _fields(_fields(root).get(name)).get(SERVER)
        if is_our_server(server):
            found.append((((name, SERVER), _program(server)), (name, SERVER)))
    allowed = _fields(_fields(root).get("permissions")).get("allow")
    for number, each in enumerate(allowed if isinstance(allowed, list) else []):
        if isinstance(each, str) and each.startswith(f"mcp__{SERVER}__"):
            found.append(((("permissions", "allow"), each), ("permissions", "allow", number)))
    directory = _fields(root).get("autoMemoryDirectory")
    if isinstance(directory, str) and _NOTES.search(directory):
        found.append(((("autoMemoryDirectory",), directory), ("autoMemoryDirectory",)))
    for event, groups in _fields(_fields(root).get("hooks")).items():
        for number, group in enumerate(groups if isinstance(groups, list) else []):
            at: Path = ("hooks", event, number)
            inside = _fields(group).get("hooks")
            if not isinstance(inside, list):
                found += [((("hooks", event), _hook(group)), at)] if _hook(group) else []
                continue
            ours = [n for n, each in enumerate(inside) if _hook(each)]
            if ours and len(ours) == len(inside):  # a group of ours goes as a whole
                found.append(((("hooks", event), _hook(inside[0])), at))
            else:
                found += [((("hooks", event), _hook(inside[n])), (*at, "hooks", n)) for n in ours]
    return found


def _stale(root: Any, wanted: set[tuple[tuple[str, ...], str]]) -> Path | None:
    """Return where the last thing of ours is that is not wanted, or is there a second time."""
    if not isinstance(root, dict):
        raise json_text.BrokenError(1, "the whole is not an object")
    seen: set[tuple[tuple[str, ...], str]] = set()
    found: Path | None = None
    for identity, path in _ours(root):
        if identity not in wanted or identity in seen:
            found = path
        seen.add(identity)
    return found


def _refuse_foreign(root: Any, path: tuple[str, ...]) -> None:
    value: Any = root
    for key in path:
        value = _fields(value).get(key)
    if value is not None:
        raise ForeignError(
            f"{'.'.join(path)} is there and not ours; remove it or give it another name, then try again"
        )
