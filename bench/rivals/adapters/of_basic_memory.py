"""Basic Memory as an agent uses it: its MCP server in this process, called by its framework's client."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from bench.rivals.adapters.speaking import MAIN, Memory, names, serve

FOLDER = "notes"


class BasicMemory(Memory):
    """A project for each scope. Where its settings are and which vectors it has is in the environment."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self._settings = Path(os.environ["BASIC_MEMORY_CONFIG_DIR"]) / "config.json"
        self._client: Any = None
        self._loop = asyncio.new_event_loop()
        self.folder(MAIN)

    def folder(self, scope: str) -> str:
        """Return the directory of a project; it is made known in the settings."""
        place = super().folder(scope)
        known = json.loads(self._settings.read_text()) if self._settings.exists() else {}
        projects = known.setdefault("projects", {})
        if scope not in projects:
            projects[scope] = {"path": place}
            known.setdefault("default_project", MAIN)
            self._settings.parent.mkdir(parents=True, exist_ok=True)
            self._settings.write_text(json.dumps(known))
        return place

    def ready(self) -> None:
        """Start the server, on a loop that runs on between the calls."""
        if self._client is not None:
            return
        from basic_memory.config import init_mcp_logging  # type: ignore[import-not-found]

        init_mcp_logging()  # as `basic-memory mcp` does
        import basic_memory.mcp.tools  # type: ignore[import-not-found]  # noqa: F401 - makes them known
        from basic_memory.mcp.server import mcp  # type: ignore[import-not-found]
        from fastmcp import Client  # type: ignore[import-not-found]

        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._client = Client(mcp)
        self._wait(self._client.__aenter__())

    def _wait(self, job: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(job, self._loop).result()

    def _call(self, tool: str, **arguments: object) -> Any:
        self.ready()
        done = self._wait(self._client.call_tool(tool, {**arguments, "output_format": "json"}))
        return json.loads(done.content[0].text)

    def sync(self, scope: str) -> None:
        """Index a project; before the server runs, as that would begin by itself."""
        command = [str(Path(sys.executable).with_name("basic-memory")), "reindex", "--project", scope]
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError((done.stdout + done.stderr)[-300:])

    def write(self, name: str, text: str) -> str:
        """Write a note."""
        done = self._call("write_note", title=name, content=text, directory=FOLDER, project=MAIN)
        return str(done["permalink"])

    def read(self, handles: list[str]) -> list[str | None]:
        """Read notes back."""
        found = (self._call("read_note", identifier=each, project=MAIN) for each in handles)
        return [each.get("content") for each in found]

    def find(self, query: str, top: int, scope: str = MAIN) -> list[str]:
        """Search a project."""
        found = self._call("search_notes", query=query, project=scope, page_size=top)
        return names(each.get("file_path") for each in found["results"])

    def files(self) -> int:
        """Count the notes on disk."""
        return sum(1 for _ in Path(self.folder(MAIN), FOLDER).glob("*.md"))


if __name__ == "__main__":
    serve(BasicMemory)
