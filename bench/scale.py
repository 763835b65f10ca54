"""`python -m bench.scale [1000 10000 100000]`: what the index costs, as ratios and as growth.

Floors of the same run: a bare `os.scandir` + `stat` walk, a bare interpreter start. Notes are made from a
vocabulary with the frequencies of real text (Zipf), with a fixed seed. CPU times: the machine may be busy.
Exits with 1 if a target of issue 4 is missed.
"""

from __future__ import annotations

import compileall
import importlib.util
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
from bench.notes import Text, fill
from memolith import Mem
from memolith.config import Settings
from memolith.index import Index
from memolith.semantic import providers
from memolith.semantic.numbers import np
from memolith.semantic.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memolith.semantic.bert import Array

COMMAND = (sys.executable, "-c", "import sys; from memolith.cli import main; sys.exit(main())")
WALK = "import os\nfor entry in os.scandir({directory!r}): entry.stat(follow_symlinks=False)"

WORK = "/"  # a project without a repository; its slug is always the same


def cpu(job: Callable[..., object], *arguments: object) -> float:
    """Return the CPU milliseconds that a job takes."""
    start = time.process_time()
    job(*arguments)
    return (time.process_time() - start) * 1000


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def walk(directory: Path) -> None:
    for entry in os.scandir(directory):
        entry.stat(follow_symlinks=False)


def child(*command: str) -> float:
    """Return the CPU milliseconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


class Stand:
    """A model with random vectors of texts and real ones of questions: 100,000 texts would take an hour."""

    def __init__(self) -> None:
        model = providers.choose(Settings("", {}))
        assert model is not None
        self._model = model
        self.name, self.dimension = "stand-in", 384
        self._random = np.random.default_rng(7)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:
        """Return one row for each text."""
        if query:
            return self._model.embed(texts, query=True)
        rows = self._random.standard_normal((len(texts), 384), np.float32)
        found: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return found


def by_meaning(mem: Mem, queries: list[str]) -> list[float]:
    """Return what questions cost when words and meaning are asked, the model loaded; nothing without it."""
    if importlib.util.find_spec("numpy") is None or providers.choose(mem.settings) is None:
        return []
    mem._vectors = Vectors(mem.index, mem.settings, Stand())  # noqa: SLF001 - there is no other way in
    mem.vectors.sync(["", mem.project])
    mem.recall(queries[0])
    return [cpu(mem.recall, query) for query in queries[1:101]]


def measure(home: Path, count: int) -> list[tuple[str, float, str, float | None]]:
    """Return rows: what, value, unit, target."""
    text = Text()
    mem = Mem.open(WORK, home=home)
    directory, size = fill(mem, count, text)
    index, scopes = mem.index, ["", mem.project]
    first = cpu(index.sync, scopes)
    queries = [" ".join(text.words(random.Random(n).randrange(2, 9))) for n in range(200)]
    bare, nothing = [], []
    for _ in range(7):
        bare.append(cpu(walk, directory))
        with Index(str(home)) as fresh:
            nothing.append(cpu(fresh.sync, scopes))
    index.sync(scopes)
    journal = [cpu(index.sync, scopes) for _ in range(20)]
    (directory / "note-000001.md").write_text("changed\n")
    one = cpu(index.sync, scopes)
    times = [cpu(lambda query: mem.recall(query, semantic=False), query) for query in queries]
    starts, shells, walks = [], [], []
    for _ in range(9):
        starts.append(child(sys.executable, "-c", "pass"))
        shells.append(child(*COMMAND, "--home", str(home), "--project", WORK, "recall", queries[0]))
        walks.append(child(sys.executable, "-c", WALK.format(directory=str(directory))))
    start = percentile(starts, 0.5)
    meaning = by_meaning(mem, queries)
    mem.close()
    limit = {10_000: 15_000.0, 100_000: 180_000.0}.get(count)
    rows = [
        ("first index", first, "ms", limit),
        ("size / text", os.path.getsize(index.path) / size, "x", 1.5 if count >= 10_000 else None),
        ("no-change sync / bare walk", percentile(nothing, 0.5) / percentile(bare, 0.5), "x", 3.0),
        ("no-change sync, long-lived", percentile(journal, 0.5), "ms", 1.0),
        ("one changed note, long-lived", one, "ms", None),
        ("Mem.recall p50", percentile(times, 0.5), "ms", 10.0),
        ("Mem.recall p95", percentile(times, 0.95), "ms", 30.0),
        (
            "memolith recall / bare interpreter",
            percentile(shells, 0.5) / start,
            "x",
            5.0 if count <= 10_000 else None,
        ),
        ("  of that, interpreter and bare walk", percentile(walks, 0.5) / start, "x", None),
    ]
    if meaning:
        rows.append(("Mem.recall by meaning too, p50", percentile(meaning, 0.5), "ms", 25.0))
    return rows


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
