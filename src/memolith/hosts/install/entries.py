"""What a settings file has of ours, what it should have, and the edits that make the two agree.

Our entries are recognized by their content, not by a list: a hook whose command is `memolith hook`, a server
started with `memolith mcp`, a permission for that server. So a command that has moved is found again, and a
second installation adds nothing. `json_text` and `toml_text` make the edits, with the same three functions.
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

    Identity = tuple[tuple[str, ...], str]

_HOOK = re.compile(r"""(?:^|[\s/\\"'])memolith(?:\.exe)?["']? +hook\b""")
_PROGRAM = re.compile(r"(?:^|[/\\])memolith(?:\.exe)?$")
_NOTES = re.compile(r"[/\\]memory[/\\]projects[/\\][^/\\]+[/\\]notes$")
_SERVERS = ("mcpServers", "mcp", "mcp_servers")
_SAID = {SERVER: "the MCP server"}
_KEYS = ("command", "bash", "powershell")


class ForeignError(ConfigError):
    """Something with our name that is not ours."""


def value_of(text: str, form: str) -> dict[str, Any]:
    """Parse a settings file; BrokenError names the line of a mistake."""
    value = toml_text.parse(text) if form == "toml" else json_text.parse(text).value
    if not isinstance(value, dict):
        raise json_text.BrokenError(1, "the file does not hold an object")
    return value


def at(value: Any, path: Path) -> Any:
    """Return the value at a path, or None."""
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = _fields(value).get(key)
    return value


def merged(
    text: str, form: str, entries: Sequence[Entry], keep: Callable[[Path], bool] = lambda _: False
) -> str:
    """Return a text with these entries of ours and no others; `keep` names empty containers that stay."""
    wanted = [_identity(each) for each in entries]
    while (path := _stale(value_of(text, form), wanted)) is not None:
        text = _cut(text, form, path)
        while (
            (path := path[:-1])
            and form == "json"
            and not keep(path)
            and at(value_of(text, form), path) in ({}, [])
        ):
            text = _cut(text, form, path)
    for entry in entries:
        root = value_of(text, form)
        there = at(root, entry.path) is not None
        if entry.how == "need" and there:
            continue
        if entry.how != "need" and _identity(entry) in (each for each, _ in _ours(root)):
            continue
        if entry.how == "set" and there:
            name = ".".join(entry.path)
            raise ForeignError(f"{name} exists and is not ours; remove or rename it, then try again")
        if form == "toml":
            text = toml_text.put(text, entry.path, _fields(entry.value))
        else:
            text = (json_text.append if entry.how == "add" else json_text.put)(text, entry.path, entry.value)
    return text


def _cut(text: str, form: str, path: Path) -> str:
    left = json_text.cut(text, path) if form == "json" else toml_text.cut(text, tuple(map(str, path)))
    if left == text:
        name = ".".join(map(str, path))
        raise json_text.BrokenError(
            1, f"{name} is written in a form that cannot be changed; remove it by hand"
        )
    return left


def commands(value: object) -> list[str]:
    """Return the commands of ours that a settings file runs, as written there."""
    others = ("permissions", "autoMemoryDirectory")
    return [identity for (path, identity), _ in _ours(value) if path[0] not in others]


def lacking(value: object, wanted: Sequence[Entry]) -> list[str]:
    """Return which entries a settings file lacks whatever they run: the events of hooks, and the server."""
    there = {path for (path, _), _ in _ours(value)}
    needed = (each for each in wanted if each.how != "need" and each.path[0] != "permissions")
    names = [_SAID.get(each.path[-1], each.path[-1]) for each in needed if each.path not in there]
    return list(dict.fromkeys(names))


def _fields(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _program(value: object) -> str:
    command = _fields(value).get("command")
    if isinstance(command, list) and command:
        command = command[0]
    return command if isinstance(command, str) else ""


def _hook(value: object) -> str:
    """Return the command of a hook that is ours; empty for others."""
    commands = [_fields(value).get(key) for key in _KEYS]
    return next((each for each in commands if isinstance(each, str) and _HOOK.search(each)), "")


def _identity(entry: Entry) -> Identity:
    """Return what identifies an entry: its path, and what it runs or allows."""
    value = entry.value
    if entry.how != "add":
        return entry.path, _program(value) or str(value)
    inside = _items(_fields(value).get("hooks"))
    return entry.path, value if isinstance(value, str) else _hook(inside[0] if inside else value)


def _ours(root: Any) -> list[tuple[Identity, Path]]:
    """Return our entries in a file: the identity of each, and the path to remove."""
    found: list[tuple[Identity, Path]] = []
    for name in _SERVERS:
        program = _program(at(root, (name, SERVER)))
        if _PROGRAM.search(program):
            found.append((((name, SERVER), program), (name, SERVER)))
    allow = ("permissions", "allow")
    for number, each in enumerate(_items(at(root, allow))):
        if isinstance(each, str) and each.startswith(f"mcp__{SERVER}__"):
            found.append(((allow, each), (*allow, number)))
    directory = at(root, ("autoMemoryDirectory",))
    if isinstance(directory, str) and _NOTES.search(directory):
        found.append(((("autoMemoryDirectory",), directory), ("autoMemoryDirectory",)))
    events: list[tuple[tuple[str, ...], Any]] = [
        *((("hooks", event), groups) for event, groups in _fields(at(root, ("hooks",))).items()),
        *(((event,), groups) for event, groups in _fields(root).items()),  # a file of hooks alone
    ]
    for above, groups in events:
        for number, group in enumerate(_items(groups)):
            place: Path = (*above, number)
            inside = _fields(group).get("hooks")
            hooks = {(*place, "hooks", n): _hook(each) for n, each in enumerate(_items(inside))}
            if hooks and all(hooks.values()):  # a group of ours goes as a whole
                hooks = {place: next(iter(hooks.values()))}
            elif not isinstance(inside, list):
                hooks = {place: _hook(group)}
            found += [((above, hook), path) for path, hook in hooks.items() if hook]
    return found


def _stale(root: Any, wanted: Sequence[Identity]) -> Path | None:
    """Return the path of our last entry that is unwanted or a duplicate, if any."""
    seen: list[Identity] = []
    found: Path | None = None
    for identity, path in _ours(root):
        if identity not in wanted or identity in seen:
            found = path
        seen.append(identity)
    return found
