"""Installations that were recorded and do not work any more: what `doctor` and `status` say about agents.

Only files are read: `memolith init --check` starts programs, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from typing import TYPE_CHECKING

from memolith.base.errors import MemolithError
from memolith.base.values import Value
from memolith.env import programs
from memolith.hosts.install import entries, json_text
from memolith.hosts.install.agents import HOSTS, Place
from memolith.hosts.install.plan import plugins
from memolith.store import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from memolith.hosts.install.agents import Target

_BRIDGE = re.compile(r'^const MEMOLITH = (".*")$', re.MULTILINE)
# The program in the command of a hook: for sh, cmd and PowerShell, quoted or not.
_COMMAND = re.compile(r"""(?:^|& )(?:'([^']+)'|"([^"]+)"|(\S+)) +hook\b""")
READ_ONLY = "cannot be written: agents get what is in it, but nothing new is kept; make it writable"
_AGAIN = "`memolith init` installs the command that runs this"
# A project's files have the bare name for everybody, and keep it.
_ON_PATH = "install it with `pipx` or `uv tool`, or put its directory on the PATH"


class Problem(Value):
    """Something about an agent that a person should know."""

    message: str
    path: str


def problems(home: str, env: Mapping[str, str]) -> list[Problem]:
    """Return what is wrong with the recorded installations, and with the home that their hooks write to."""
    found = [Problem(path=home, message=READ_ONLY)] if is_read_only(home) else []
    for known in outside.Installs(home).all():
        data: bytes | None = None
        with contextlib.suppress(MemolithError):
            data = outside.read(known.path)
        text = (data or b"").decode("utf-8", "replace").removeprefix("\ufeff")
        title = HOSTS[known.host].title if known.host in HOSTS else "an agent"
        dead = dict.fromkeys(_dead(each, env) for each in _programs(text, known.form))
        found += [Problem(path=known.path, message=f"{title} runs {why}") for why in filter(None, dead)]
        if known.host == "codex" and known.path.endswith("hooks.json") and not known.project:
            found += _untrusted(title, known.path, text)
    return [*found, *_lacking(home, env)]


def _lacking(home: str, env: Mapping[str, str]) -> Iterator[Problem]:
    """Find files of the user's agents without what was installed there: by another program, or a restore."""
    place = Place(command="memolith", env=env, home=os.path.expanduser("~"), project="")
    installed = [each for each in outside.Installs(home).all() if not each.project]
    for name in sorted({each.host for each in installed} & HOSTS.keys() - plugins(place).keys()):
        host, paths = HOSTS[name], {each.path for each in installed}
        targets = host.targets(place)
        if paths.isdisjoint(each.path for each in targets):
            continue  # its files are elsewhere in this environment
        for target in targets:
            if why := _lack(target):
                yield Problem(path=target.path, message=f"{host.title} {why}")


def _lack(target: Target) -> str:
    """Return what a file of an agent lacks of ours, and what brings it back; empty if nothing."""
    text, again = "", "`memolith init` adds"
    with contextlib.suppress(MemolithError, UnicodeDecodeError):
        text = (outside.read(target.path) or b"").decode("utf-8")
    if target.form == "text":
        return "" if text else f"has lost this file of memolith; {again} it"
    try:
        missing = entries.lacking(entries.value_of(text, target.form), target.entries)
    except json_text.BrokenError as error:
        return f"cannot read line {error.line}: {error.what}; correct it, then {again} what is missing"
    return f"does not run memolith here: {', '.join(missing)}; {again} this" if missing else ""


def is_read_only(home: str) -> bool:
    """Whether there is a home to which this user cannot write."""
    return os.path.isdir(home) and not os.access(home, os.W_OK)


def _untrusted(title: str, path: str, text: str) -> Iterator[Problem]:
    config = os.path.join(os.path.dirname(path), "config.toml")
    with contextlib.suppress(MemolithError, UnicodeDecodeError, json_text.BrokenError):
        hooks = entries.value_of(text, "json").get("hooks")
        events = [each for each in hooks if entries.commands({"hooks": {each: hooks[each]}})] if hooks else []
        told = (outside.read(config) or b"").decode("utf-8")
        if waiting := untrusted(path, events, told):
            yield Problem(path=path, message=f"{title}: {waiting}")


def untrusted(path: str, events: Sequence[str], config: str) -> str:
    """Return how many hooks of a file a person has not trusted in Codex, which skips those silently."""
    state: Any = None
    with contextlib.suppress(json_text.BrokenError):
        state = entries.at(entries.value_of(config, "toml"), ("hooks", "state"))
    known = state if isinstance(state, dict) else {}
    trusted = [key for key in known if entries.at(known, (key, "trusted_hash"))]
    waiting = sum(not any(key.startswith(f"{path}:{_snake(event)}:") for key in trusted) for event in events)
    if not waiting:
        return ""
    return f"{waiting} of the hooks are not trusted yet, and skipped: start `codex` and trust them"


def _snake(event: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in event).lstrip("_")


def _programs(text: str, form: str) -> list[str]:
    """Return the programs of ours that a file starts, as written there."""
    if form == "text":
        return [json.loads(each) for each in _BRIDGE.findall(text)]
    value: object = None
    with contextlib.suppress(json_text.BrokenError, ValueError):
        value = json.loads(text) if form == "json" else None
    if value is None:
        with contextlib.suppress(json_text.BrokenError):
            value = entries.value_of(text, form)
    found = []
    for each in entries.commands(value):
        match = _COMMAND.search(each)
        found.append(next(filter(None, match.groups())) if match else each)
    return found


def _dead(program: str, env: Mapping[str, str]) -> str:
    """Return why a program cannot run; empty if nothing speaks against it."""
    path = programs.find(program, env=env)
    if path is None:
        if os.path.isabs(program):
            return f"{program}, which is gone; {_AGAIN}"
        return f"{program}, which is not on the PATH; {_ON_PATH}"
    lost = lost_interpreter(path)
    return f"{program}, whose interpreter {lost} is gone; {_AGAIN}" if lost else ""


def lost_interpreter(path: str) -> str:
    """Return the interpreter that a script names, if it is gone: the environment was moved or removed."""
    named = _interpreter(path)
    return named if named and not os.path.exists(named) else ""


def _interpreter(path: str) -> str:
    """Return the interpreter that a script names; empty if it is no script."""
    try:
        with open(path, "rb") as file:
            first, second = (file.readline(4096).decode("utf-8", "replace") for _ in range(2))
    except OSError:
        return ""
    if second.startswith("'''exec' "):  # how pip writes a path that is too long for the first line
        return second.removeprefix("'''exec' ").partition(' "$0"')[0].strip('"')
    return first[2:].strip().partition(" ")[0] if first.startswith("#!") else ""
