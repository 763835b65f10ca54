"""`python -m bench.hook [NOTES]`: what a hook costs, as wall time over that of a bare interpreter start.

The jobs are started in turn, so that a busy machine slows all of them alike; medians of 20. Exits with 1 if a
target of issue 6 is missed.
"""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import memolith
from bench.__main__ import median
from bench.notes import Text, fill
from memolith import Mem

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 20
BARE = (sys.executable, "-c", "pass")
COMMAND = (
    sys.executable,
    "-c",
    "import sys; from memolith.edges.cli import entry; sys.exit(entry())",
    "hook",
)


class Jobs:
    """What is measured; each round is another session or prompt, else nothing would be said."""

    def __init__(self, home: Path, work: Path, words: list[str]) -> None:
        self._env = {**os.environ, "MEMOLITH_HOME": str(home), "MEMOLITH_HOOKS_SESSIONS": "false"}
        self._work, self._words = str(work), words
        self.silent = 0

    def bare(self, _: int) -> None:
        """Start an interpreter that does nothing."""
        subprocess.run(BARE, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def start(self, number: int) -> None:
        """Begin a session."""
        self.silent += not self._tell(number, "SessionStart", source="startup")

    def first(self, number: int) -> None:
        """Ask the first question of that session, with a brief as the answer."""
        asked = " ".join(self._words[number * 5 : number * 5 + 5])
        self.silent += not self._tell(number, "UserPromptSubmit", prompt=asked)

    def later(self, number: int) -> None:
        """Ask something else in it."""
        asked = " ".join(self._words[number * 5 + 2 : number * 5 + 9])
        self._tell(number, "UserPromptSubmit", prompt=asked)

    def end(self, number: int) -> None:
        """End the turn."""
        self._tell(number, "Stop")

    def _tell(self, number: int, event: str, **more: str) -> bytes:
        row = {"session_id": f"s-{number}", "cwd": self._work, "hook_event_name": event, **more}
        done = subprocess.run(
            COMMAND, input=json.dumps(row).encode(), check=True, env=self._env, stdout=subprocess.PIPE
        )
        return done.stdout


def alternate(jobs: dict[str, Callable[[int], None]]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(ROUNDS):
        for name, job in jobs.items():
            start = time.perf_counter()
            job(number)
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: median(values) for name, values in times.items()}


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


def main() -> int:
    """Measure and print; return the exit code."""
    # Where writing bytecode is switched off, every start would compile the package anew.
    compileall.compile_dir(str(Path(memolith.__file__).parent), quiet=1)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="memolith-hook-") as directory:
        home, work = Path(directory, "home"), Path(directory, "work")
        work.mkdir()
        with Mem.open(work, home=home) as mem:
            text = Text()
            notes, _ = fill(mem, count, text)
            settle(mem)
            words = telling(notes)
        jobs = Jobs(home, work, words)
        found = alternate(
            {
                "bare": jobs.bare,
                "start": jobs.start,
                "first": jobs.first,
                "later": jobs.later,
                "end": jobs.end,
            }
        )
    missed = 0
    print(f"{count:,} notes; a bare interpreter start takes {found['bare']:.1f} ms")
    for name, what, target in (
        ("start", "session start", 4.0),
        ("first", "first prompt, with recall", 6.0),
        ("later", "later prompt, with recall", 6.0),
        ("end", "end of a turn", None),
    ):
        ratio = found[name] / found["bare"]
        missed += target is not None and ratio > target
        told = "" if target is None else f"  (at most {target:g})" + ("  MISSED" if ratio > target else "")
        print(f"  {what:<28} {found[name]:7.1f} ms  {ratio:5.2f} x{told}")
    print(f"  without anything to say: {jobs.silent} of {2 * ROUNDS} starts and first prompts")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
