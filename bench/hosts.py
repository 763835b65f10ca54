"""What a hook and the MCP server are asked, as processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from memolith import Mem

PROGRAM = (sys.executable, "-c", "import sys; from memolith.edges.cli import entry; sys.exit(entry())")
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
CALLS = (
    ("remember", {"content": "The port of Redis is 6380.", "title": "Redis"}),
    ("memory_search", {"query": "redis"}),
    ("recall", {"query": "port of redis"}),
)


class Jobs:
    """What is measured; each round is another session or prompt, else nothing would be said."""

    def __init__(self, home: Path, work: Path, words: list[str]) -> None:
        self._env = {**os.environ, "MEMOLITH_HOME": str(home), "MEMOLITH_HOOKS_SESSIONS": "false"}
        self._work, self._words = str(work), words
        self._begun, self._asked, self._later, self._ended = (count() for _ in range(4))
        self.silent = 0

    def start(self) -> None:
        """Begin a session."""
        self.silent += not self._tell(next(self._begun), "SessionStart", source="startup")

    def first(self) -> None:
        """Ask the first question of that session, with a brief as the answer."""
        number = next(self._asked)
        asked = " ".join(self._words[number * 5 : number * 5 + 5])
        self.silent += not self._tell(number, "UserPromptSubmit", prompt=asked)

    def later(self) -> None:
        """Ask something else in it."""
        number = next(self._later)
        asked = " ".join(self._words[number * 5 + 2 : number * 5 + 9])
        self._tell(number, "UserPromptSubmit", prompt=asked)

    def end(self) -> None:
        """End the turn."""
        self._tell(next(self._ended), "Stop")

    def _tell(self, number: int, event: str, **more: str) -> bytes:
        row = {"session_id": str(UUID(int=number)), "cwd": self._work, "hook_event_name": event, **more}
        done = subprocess.run(
            [*PROGRAM, "hook"],
            input=json.dumps(row).encode(),
            check=True,
            env=self._env,
            stdout=subprocess.PIPE,
        )
        return done.stdout


def settle(mem: Mem) -> None:
    """Add what a block shows besides notes, and do what only the first commands have to do."""
    mem.remember("A note like all others.", "One more")  # and with it the index of the notes
    mem.write("long_term", "\n".join(f"- fact {number}: {'x' * 60}" for number in range(40)))
    mem.write("daily", "\n".join(f"- done {number}" for number in range(40)))
    mem.context_block()
    mem.recall("anything", semantic=False)


def telling(notes: Path) -> list[str]:
    """Return words of some notes, for prompts about them."""
    return [word for each in sorted(notes.iterdir())[:60] for word in each.read_text().split()[6:11]]


def listed(env: dict[str, str], work: str) -> None:
    """Start a server, wait for its list of tools, end it."""
    with server(env, work) as process:
        assert ask(process, LIST)["result"]["tools"]


def server(env: dict[str, str], work: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*PROGRAM, "mcp"], cwd=work, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def ask(process: subprocess.Popen[bytes], line: bytes) -> dict[str, dict[str, object]]:
    assert process.stdin
    assert process.stdout
    process.stdin.write(line)
    process.stdin.flush()
    answer: dict[str, dict[str, object]] = json.loads(process.stdout.readline())
    return answer


def resident(env: dict[str, str], work: str) -> float:
    """Return the megabytes that a server holds after some work; 0 where the system does not say."""
    with server(env, work) as process:
        for tool, arguments in CALLS:
            call = {"name": tool, "arguments": arguments}
            row = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            assert not ask(process, json.dumps(row).encode() + b"\n")["result"]["isError"]
        try:
            told = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return 0.0
        return next(int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("VmRSS"))
