"""memolith as an agent uses it: `Mem` in one process; files of a scope are notes of a project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.rivals.adapters.speaking import MAIN, Memory, names, serve
from memolith import Mem


class Memolith(Memory):
    """Notes in the layout of the store."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self._open: dict[str, Mem] = {}

    def ready(self) -> None:
        """Open the memory of the main project."""
        self._mem(MAIN)

    def _mem(self, scope: str) -> Mem:
        if scope not in self._open:
            work = self.home / "work" / scope
            if not work.exists():  # a repository of its own: the home may be inside of another
                subprocess.run(["git", "init", "--quiet", work], check=True)
            self._open[scope] = Mem.open(work, home=self.home / "home")
        return self._open[scope]

    def folder(self, scope: str) -> str:
        """Return the directory of the notes of a project."""
        mem = self._mem(scope)
        mem.register()
        place = Path(mem.root) / "projects" / mem.project / "notes"
        place.mkdir(parents=True, exist_ok=True)
        return str(place)

    def sync(self, scope: str) -> None:
        """Index what is new, with vectors if the extra is installed."""
        command = [str(Path(sys.executable).with_name("memolith")), "--home", str(self.home / "home")]
        project = str(self.home / "work" / scope)
        subprocess.run(
            [*command, "--project", project, "index", "sync"], check=True, stdout=subprocess.DEVNULL
        )

    def write(self, name: str, text: str) -> str:
        """Remember a fact."""
        return self._mem(MAIN).remember(text, name).filename

    def read(self, handles: list[str]) -> list[str | None]:
        """Read notes back."""
        mem = self._mem(MAIN)
        texts = (mem.read("note", Path(each).stem) for each in handles)
        return [None if text == "(empty)" else text for text in texts]

    def find(self, query: str, top: int, scope: str = MAIN) -> list[str]:
        """Recall."""
        found = self._mem(scope).recall(query, limit=top)
        return names(place.partition("#")[0] for hit in found for place in (hit.filename, *hit.also))[:top]

    def files(self) -> int:
        """Count the notes."""
        return sum(each.name != "MEMORY.md" for each in Path(self.folder(MAIN)).glob("*.md"))


if __name__ == "__main__":
    serve(Memolith)
