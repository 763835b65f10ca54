"""ripgrep over the files, as an agent without a memory searches: the words of the question, any of them.

It does not rank. The order is ours: files with more different words of the question first.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from bench.rivals.adapters.speaking import MAIN, Memory, names, serve
from bench.scoring import STOP


class Ripgrep(Memory):
    """A directory for each scope; nothing is prepared."""

    def sync(self, scope: str) -> None:
        """Nothing to do."""

    def find(self, query: str, top: int, scope: str = MAIN) -> list[str]:
        """Search for the words that are no stop words."""
        words = "".join(char if char.isalnum() else " " for char in query.lower()).split()
        telling = [word for word in words if word not in STOP] or words
        rg = str(Path(sys.executable).with_name("rg"))
        patterns = [part for word in dict.fromkeys(telling) for part in ("-e", word)]
        command = [rg, "--ignore-case", "--word-regexp", "--fixed-strings", "--only-matching", "--no-heading"]
        done = subprocess.run(
            [*command, "--no-line-number", "--with-filename", *patterns, self.folder(scope)],
            capture_output=True,
            text=True,
            check=False,
        )
        found: dict[str, list[str]] = defaultdict(list)
        for line in done.stdout.splitlines():
            name, _, word = line.rpartition(":")
            found[name].append(word.lower())
        order = sorted(found, key=lambda name: (-len(set(found[name])), -len(found[name]), name))
        return names(order[:top])


if __name__ == "__main__":
    serve(Ripgrep)
