"""A client for `memolith mcp` that speaks both eras, over the pipes of a real process."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

COMMAND = [sys.executable, "-m", "memolith", "mcp"]
LEGACY, MODERN = "2025-11-25", "2026-07-28"
INFO = {"name": "test", "version": "1"}


class Client:
    """A server process and what is said to it."""

    def __init__(
        self, cwd: Path, *options: str, era: str = LEGACY, env: dict[str, str] | None = None
    ) -> None:
        self.era, self.number = era, 0
        self.process = subprocess.Popen(
            [*COMMAND, *options], cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        assert self.process.stdout
        self.process.stdout.close()
        assert self.process.wait(30) == 0

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def message(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return a request as a client of this era writes it."""
        self.number += 1
        given = dict(params or {})
        if self.era == MODERN:
            given["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": INFO,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        fields = {"jsonrpc": "2.0", "id": self.number, "method": method}
        return {**fields, "params": given} if given else fields

    def send(self, *messages: object) -> None:
        """Write messages at once: the server finds all of them when it looks for the first."""
        self.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to a request: its result or its error."""
        self.send(self.message(method, params))
        answer: dict[str, Any] = self.read()
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == self.number
        return answer

    def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def code(self, method: str, params: dict[str, Any] | None = None) -> int:
        found: int = self.ask(method, params)["error"]["code"]
        return found

    def begin(self) -> dict[str, Any]:
        """Say hello as this era does it; return what the server says."""
        if self.era == MODERN:
            return self.result("server/discover")
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": INFO}
        found = self.result("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return found

    def call(self, tool: str, **arguments: object) -> str:
        """Return what a tool says; nothing else reaches a model."""
        found = self.result("tools/call", {"name": tool, "arguments": arguments})
        assert found["isError"] is False, found
        assert set(found) - {"resultType"} == {"content", "isError"}
        (part,) = found["content"]
        told: str = part["text"]
        return told

    def places(self, tool: str, **arguments: object) -> list[str]:
        """Return the addresses in what a tool says, in order."""
        return [each.rstrip(":") for each in re.findall(r"memory://[^\s;)]+", self.call(tool, **arguments))]

    def refused(self, tool: str, **arguments: object) -> str:
        """Return what a tool says is wrong."""
        found = self.result("tools/call", {"name": tool, "arguments": arguments})
        assert found["isError"] is True, found
        told: str = found["content"][0]["text"]
        return told
