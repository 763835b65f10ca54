"""Does an installation work: files are complete, the command exists, hook and server answer.

Programs are started with the guard variable set, so that a check leaves no trace in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

from memolith.base.values import Value
from memolith.env import programs
from memolith.env.settings import GUARD
from memolith.hosts.install import health
from memolith.hosts.install.plan import plugins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memolith.hosts.install.agents import Host, Place
    from memolith.hosts.install.plan import Planner, Step

_SECONDS = 20.0
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "memolith init --check", "version": "1"},
}


class Finding(Value):
    """The result of one check, and what to do if it failed."""

    is_good: bool
    message: str


def _good(message: str) -> Finding:
    return Finding(is_good=True, message=message)


def _bad(message: str) -> Finding:
    return Finding(is_good=False, message=message)


def examine(
    place: Place, planner: Planner, found: Sequence[Host], home: str
) -> tuple[list[tuple[str, Finding]], list[Host]]:
    """Look at the command and the memory's home, then at the files of each agent; return what was found.

    Agents without memolith are returned separately, unless none has it.
    """
    common = [_program(place.command, place.env)]
    if common[0].is_good:
        common += [_hook(place.command, place.env), _server(place.command, place.env)]
    common += [_bad(f"{home} {health.READ_ONLY}")] if health.is_read_only(home) else []
    rows = [("memolith", each) for each in common]
    planned = [(host, planner.steps(host)) for host in found]
    as_plugin = plugins(place)
    for host, steps in list(planned):
        if host.name in as_plugin and _is_absent(steps):  # hooks and server are the plugin's
            rows.append((host.title, _good(f"the plugin {as_plugin[host.name]} is switched on")))
            planned.remove((host, steps))
    without = [host for host, steps in planned if _is_absent(steps)]
    without = without if len(without) < len(planned) else []
    for host, steps in planned:
        if host not in without:
            rows.append((host.title, _files(steps)))
            if host.name == "codex" and rows[-1][1].is_good:
                rows.append((host.title, _codex_trust(steps)))
    return rows, without


def _is_absent(steps: Sequence[Step]) -> bool:
    """Whether nothing is installed in an agent, perhaps on purpose."""
    return all(step.is_change and step.problem is None for step in steps)


def _files(steps: Sequence[Step]) -> Finding:
    """Whether all our entries are in an agent's files."""
    if broken := [str(step.problem) for step in steps if step.problem is not None]:
        return _bad("; ".join(broken))
    missing = [step.path for step in steps if step.is_change]
    if not missing:
        return _good(f"installed in {len(steps)} files")
    again = "`memolith init` adds it"
    if _is_absent(steps):
        return _bad(f"not installed; {again}")
    return _bad(f"something is missing or old in {', '.join(missing)}; {again}")


def _codex_trust(steps: Sequence[Step]) -> Finding:
    """Whether a person has trusted our hooks in Codex."""
    hooks = next(step for step in steps if step.path.endswith("hooks.json"))
    config = next(step for step in steps if step.target.form == "toml")
    events = list(dict.fromkeys(each.path[-1] for each in hooks.target.entries))
    waiting = health.untrusted(hooks.path, events, (config.before or b"").decode("utf-8", "replace"))
    return _bad(waiting) if waiting else _good("hooks are trusted")


def _program(command: str, env: Mapping[str, str]) -> Finding:
    """Whether the command that agents start exists, and what runs it."""
    found = programs.find(command, env=env)
    lost = health.lost_interpreter(found) if found else ""
    if found and not lost:
        return _good(f"command {found}")
    gone = f"{command} cannot run: its interpreter {lost}" if lost else command
    return _bad(f"command {gone} is gone; install memolith, then run `memolith init`")


def _hook(command: str, env: Mapping[str, str]) -> Finding:
    """Whether the hook runs: it must succeed, and print nothing while the guard is set."""
    payload = {
        "hook_event_name": "SessionStart",
        "session_id": "check",
        "source": "startup",
        "cwd": os.getcwd(),
    }
    try:
        done = _run([command, "hook", "--host", "claude"], json.dumps(payload).encode(), {**env, GUARD: "1"})
    except (OSError, subprocess.TimeoutExpired) as error:
        return _bad(f"hook: {error}")
    if done.returncode:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return _bad(f"hook: ended with {done.returncode}: {' '.join(errors[:1])}")
    return _good("hook runs")


def _run(words: list[str], data: bytes, env: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [programs.find(words[0], env=env) or words[0], *words[1:]],
        input=data,
        cwd=programs.NOWHERE,
        env=programs.environment(env=env),
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )


def _server(command: str, env: Mapping[str, str]) -> Finding:
    """Start the server and ask it for its tools."""
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    try:
        done = _run([command, "mcp"], b"".join(json.dumps(each).encode() + b"\n" for each in requests), env)
    except (OSError, subprocess.TimeoutExpired) as error:
        return _bad(f"server: {error}")
    for line in done.stdout.splitlines():
        answer: Any = None
        with contextlib.suppress(ValueError):
            answer = json.loads(line)
        if isinstance(answer, dict) and answer.get("id") == 2 and isinstance(answer.get("result"), dict):
            return _good(f"server answers with {len(answer['result'].get('tools', []))} tools")
    errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return _bad(f"server: no list of tools; {' '.join(errors[:1]) or 'it said nothing'}")
