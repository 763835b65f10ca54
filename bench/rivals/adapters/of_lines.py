"""A made-up rival for the tests of the harness: one file with a line for each note, and faults on demand."""

from __future__ import annotations

import os
import sys
import time

from bench.rivals.adapters.speaking import Memory, serve


class Lines(Memory):
    """`LINES_FORGET=a` loses the note a, `LINES_CUT=b` cuts b; REFUSE, HANG and DIE do what they say."""

    def __init__(self, home: str) -> None:
        super().__init__(home)
        self._store = self.home / "lines.txt"

    def sync(self, scope: str) -> None:  # noqa: ARG002
        """Take nothing in."""
        if os.environ.get("LINES_HANG"):
            time.sleep(3600)

    def write(self, name: str, text: str) -> str:
        """Add a line."""
        if os.environ.get("LINES_DIE"):
            print("out of order", file=sys.stderr, flush=True)
            os._exit(1)
        if os.environ.get("LINES_REFUSE") and name != "first":
            raise OSError("it is full")
        with self._store.open("a", encoding="utf-8") as file:
            file.write(f"{name}\t{text}\n")
        return name

    def read(self, handles: list[str]) -> list[str | None]:
        """Return lines, but for those that are to be lost or cut."""
        rows = (line.partition("\t") for line in self._store.read_text(encoding="utf-8").splitlines())
        known = {name: text for name, _, text in rows}
        known.pop(os.environ.get("LINES_FORGET", ""), None)
        if (cut := os.environ.get("LINES_CUT", "")) in known:
            known[cut] = known[cut][:-5]
        return [known.get(each) for each in handles]


if __name__ == "__main__":
    serve(Lines)
