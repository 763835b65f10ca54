"""`python -m bench.scale [1000 10000 100000]`: what the index costs, as ratios and as growth.

Floors of the same run: a bare `os.scandir` + `stat` walk, a bare interpreter start. Notes are made from a
vocabulary with the frequencies of real text (Zipf), with a fixed seed. CPU times: the machine may be busy.
Exits with 1 if a target of issue 4 is missed.
"""

from __future__ import annotations

import compileall
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import memolith
from memolith.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable

SCOPES = ["", "bench"]
LETTERS = "bcdfghklmnprstvz"


def words(count: int) -> list[str]:
    """Return made-up words, different from each other."""
    vowels = "aeiou"
    found = []
    for number in range(count):
        word = ""
        rest = number + 80
        while rest:
            rest, letter = divmod(rest, len(LETTERS))
            word += LETTERS[letter] + vowels[(number + letter) % 5]
        found.append(word)
    return found


class Text:
    """Sentences whose words are as common and as rare as those of a language."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = words(60_000)
        self._weights = [1 / (rank + 2.7) for rank in range(len(self._words))]
        self._pool: list[str] = []

    def words(self, count: int) -> list[str]:
        """Return the next words."""
        if len(self._pool) < count:
            self._pool = self._random.choices(self._words, self._weights, k=200_000)
        taken, self._pool = self._pool[:count], self._pool[count:]
        return taken

    def note(self, number: int) -> str:
        """Return the next note."""
        size = 40 + int(self._random.expovariate(1 / 60))
        body = " ".join(self.words(size))
        return f"---\nname: {' '.join(self.words(4))} {number}\n---\n{body}.\n"


def cpu(job: Callable[..., object], *arguments: object) -> float:
    """Return the CPU milliseconds that a job takes."""
    start = time.process_time()
    job(*arguments)
    return (time.process_time() - start) * 1000


def answer(index: Index, query: str) -> None:
    index.sync(SCOPES)
    index.lexical(SCOPES, query)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def fill(home: Path, count: int, text: Text) -> tuple[Path, int]:
    directory = home / "memory" / "projects" / "bench" / "notes"
    directory.mkdir(parents=True)
    size = 0
    for number in range(count):
        data = text.note(number).encode()
        (directory / f"note-{number:06}.md").write_bytes(data)
        size += len(data)
    return directory, size


def walk(directory: Path) -> None:
    for entry in os.scandir(directory):
        entry.stat(follow_symlinks=False)


def child(*command: str) -> float:
    """Return the CPU milliseconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def measure(home: Path, count: int) -> list[tuple[str, float, str, float | None]]:
    """Return rows: what, value, unit, target."""
    text = Text()
    directory, size = fill(home, count, text)
    index = Index(str(home))
    first = cpu(index.sync, SCOPES)
    queries = [" ".join(text.words(random.Random(n).randrange(2, 9))) for n in range(200)]
    bare, nothing, cold = [], [], []
    for _ in range(7):
        bare.append(cpu(walk, directory))
        fresh = Index(str(home))
        nothing.append(cpu(fresh.sync, SCOPES))
        cold.append(cpu(fresh.lexical, SCOPES, queries[0]))
        fresh.close()
    index.sync(SCOPES)
    journal = [cpu(index.sync, SCOPES) for _ in range(20)]
    (directory / "note-000001.md").write_text("changed\n")
    one = cpu(index.sync, SCOPES)
    times = [cpu(answer, index, query) for query in queries]
    start = sorted(child(sys.executable, "-c", "pass") for _ in range(9))[4]
    ask = (
        f"from memolith.index import Index; i = Index({str(home)!r}); s = {SCOPES!r}; i.sync(s); "
        f"i.units([m.unit_id for m in i.lexical(s, {queries[0]!r})[:10]])"
    )
    shell = sorted(child(sys.executable, "-c", ask) for _ in range(9))[4]
    limit = {10_000: 15_000.0, 100_000: 180_000.0}.get(count)
    return [
        ("first index", first, "ms", limit),
        ("size / text", os.path.getsize(index.path) / size, "x", 1.5 if count >= 10_000 else None),
        ("no-change sync / bare walk", percentile(nothing, 0.5) / percentile(bare, 0.5), "x", 3.0),
        ("no-change sync, long-lived", percentile(journal, 0.5), "ms", 1.0),
        ("one changed note, long-lived", one, "ms", None),
        ("query, first of a process", percentile(cold, 0.5), "ms", None),
        ("query p50", percentile(times, 0.5), "ms", 10.0),
        ("query p95", percentile(times, 0.95), "ms", 30.0),
        ("one-shot query / bare interpreter", shell / start, "x", 5.0 if count <= 10_000 else None),
    ]


def main() -> int:
    """Measure and print; return the exit code."""
    # Where writing bytecode is switched off, every start would compile the package anew.
    compileall.compile_dir(str(Path(memolith.__file__).parent), quiet=1)
    sizes = [int(each) for each in sys.argv[1:]] or [1000, 10_000, 100_000]
    missed = 0
    for count in sizes:
        with tempfile.TemporaryDirectory() as home:
            print(f"{count:,} notes")
            for what, value, unit, target in measure(Path(home), count):
                verdict = (
                    ""
                    if target is None
                    else f"  (at most {target:g})" + ("" if value <= target else "  MISSED")
                )
                missed += target is not None and value > target
                print(f"  {what:<36} {value:10.2f} {unit:<2}{verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
