"""MemPalace as its MCP server works without a hub: the functions behind its tools, in one process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.rivals.adapters.speaking import MAIN, Memory, Unable, names, serve

ROOM = "general"


class MemPalace(Memory):
    """A wing for each scope. Where the palace is and which vectors it has is in the environment."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self._server: Any = None

    def ready(self) -> None:
        """Import the server's functions."""
        if self._server is None:
            from mempalace import mcp_server  # type: ignore[import-not-found]

            self._server = mcp_server

    def sync(self, scope: str) -> None:
        """Mine a folder."""
        command = [
            str(Path(sys.executable).with_name("mempalace")),
            "mine",
            self.folder(scope),
            "--wing",
            scope,
        ]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def fill(self, scope: str, rows: list[list[str]]) -> None:
        """Add a drawer for each text: mining leaves out the short ones."""
        for name, text in rows:
            self._add(name, text, scope)

    def _add(self, name: str, text: str, scope: str) -> str:
        self.ready()
        done = self._server.tool_add_drawer(scope, ROOM, text, source_file=f"{name}.md")
        if not done.get("success"):
            raise Unable(str(done.get("error")))
        return str(done["drawer_id"])

    def write(self, name: str, text: str) -> str:
        """Add a drawer."""
        return self._add(name, text, MAIN)

    def read(self, handles: list[str]) -> list[str | None]:
        """Get drawers back."""
        self.ready()
        return [self._server.tool_get_drawer(each).get("content") for each in handles]

    def find(self, query: str, top: int, scope: str = MAIN) -> list[str]:
        """Search a wing."""
        self.ready()
        found = self._server.tool_search(query, limit=top, wing=scope)
        if "results" not in found:
            raise Unable(str(found.get("error")))
        return names(each.get("source_file") for each in found["results"])


if __name__ == "__main__":
    serve(MemPalace)
