"""A memory of its own for a round, and the ways to ask one in this process.

They are a command line, an event of a hook, and a request to the server.
"""

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

from memolith import Mem
from memolith.edges.cli import main
from memolith.edges.mcp.protocol import Protocol
from memolith.hosts.hook import edge


class Printed(NamedTuple):
    """What a command ended with and printed."""

    code: int
    out: str
    errors: str

    @property
    def said(self) -> str:
        """All of it."""
        return self.out + self.errors


def command(*line: str) -> Printed:
    """Run a command line."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(list(line))
    return Printed(code, *(each.detach().getvalue().decode() for each in (out, errors)))


def hook(event: str, work: object, session: str = "later", *, home: object = "", **fields: object) -> str:
    """Tell a hook of an event, as Claude Code does; return all that it says."""
    row = {"session_id": session, "cwd": str(work), "hook_event_name": event, **fields}
    return edge.answer(json.dumps(row).encode(), "claude", home=str(home))


def server(mem: Mem, method: str, **params: object) -> Any:
    """Send a request to the server; return its answer as a client reads it."""
    frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.loads(json.dumps(Protocol(lambda: mem, settings=mem.settings).answer(frame)))


def tool(mem: Mem, name: str, **arguments: object) -> Any:
    """Call a tool of the server."""
    return server(mem, "tools/call", name=name, arguments=arguments)


class Place:
    """A home, and the directory of a project without git, below a directory of their own."""

    def __init__(self, base: Path) -> None:
        self.base, self.home, self.work = base, base / "home", base / "shop"
        self.work.mkdir(parents=True)

    def open(self) -> Mem:
        """Open the memory of that project."""
        return Mem.open(self.work, home=self.home)

    def event(self, name: str, session: str = "later", **fields: object) -> str:
        """Tell a hook of an event there; return all that it says."""
        return hook(name, self.work, session, home=self.home, **fields)
