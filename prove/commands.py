"""Every command that writes, as data: what the rounds of `prove faults` interrupt.

Most are lines of `commands.txt`; what needs more than a line stands here. prove/world.py fills in the places.
"""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from prove.texts import parts


@dataclass(frozen=True)
class Command:
    """A command line, and what it promises."""

    name: str
    line: list[str]
    stdin: str = ""
    before: list[list[str]] = field(default_factory=list)  # commands that run undisturbed first
    acks: bool = True  # a hook always says 0: an agent must not stumble over its memory
    codes: tuple[int, ...] = (0,)  # how it ends when all is well
    says: str = ""  # what it must have said, too: a server ends well whatever it answered
    repeats: bool = False  # run again after a crash, it ends as if nothing had happened
    again: tuple[int, ...] = ()  # how else it may end then: there may be nothing left to do
    learns: bool = False  # a session that cannot be read is left for the next run, the others are not
    attended: bool = False  # at a terminal

    def acknowledged(self, code: int, said: str) -> bool:
        """Tell whether it said that what it was asked for is done."""
        return self.acks and code in self.codes and self.says in said


def event(name: str, **more: str) -> str:
    """Return the message of an event, as Claude Code sends it."""
    return json.dumps({"session_id": "s-1", "cwd": "{base}/work/shop", "hook_event_name": name, **more})


def frame(number: int, method: str, **params: object) -> str:
    """Return a request as an MCP client sends it."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


_NEW = "\n".join(f"- new{each} zebra begins a line" for each in range(30))
_ENDED = event("SessionEnd", transcript_path="{base}/more.jsonl").replace("s-1", "s-2", 1)
_HOOK = ["hook", "--host", "claude"]
_CLIENT = {"name": "x", "version": "1"}
_SERVED = frame(1, "initialize", protocolVersion="2025-11-25", clientInfo=_CLIENT, capabilities={})
_SERVED += frame(
    2, "tools/call", name="memory_write", arguments={"target": "long_term", "content": "- zebra by mcp"}
)


def _read() -> Iterator[Command]:
    for head, rows in parts(Path(__file__).with_suffix(".txt")).items():
        name, _, promises = head.partition(": ")
        *before, line = ([word.replace("{new}", _NEW) for word in shlex.split(row)] for row in rows)
        repeats, learns, attended = (each in promises for each in ("repeats", "learns", "attended"))
        yield Command(name, line, before=before, repeats=repeats, learns=learns, attended=attended)


_LINES = list(_read())
COMMANDS = [
    *_LINES,
    Command("forget", ["forget", "zebra number2", "--yes"], repeats=True, again=(3,)),
    # A secret that was typed by hand is left for `scan --purge`, so something is still wrong.
    Command("doctor --fix", ["doctor", "--fix"], codes=(1,), acks=False, repeats=True),
    Command("mcp", ["mcp"], _SERVED, says='"isError":false'),
    Command("hook SessionStart", _HOOK, event("SessionStart", source="startup"), acks=False),
    Command("hook prompt", _HOOK, event("UserPromptSubmit", prompt="zebra?"), acks=False),
    Command("hook PostCompact", _HOOK, event("PostCompact", compact_summary="zebra summary"), acks=False),
    Command("hook SessionEnd", _HOOK, _ENDED, acks=False),
    Command(
        "hook worker",
        ["hook", "--work"],
        before=next(each.before for each in _LINES if each.name == "learn run"),
        acks=False,
        learns=True,
    ),
]
