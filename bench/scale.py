"""What the index costs at some size, measured in turn with its floors.

The floors: a bare `os.scandir` + `stat` walk, a bare interpreter start, plain FTS5 over the same notes. Notes
are made from a vocabulary with the frequencies of real text (Zipf), with a fixed seed. CPU times: the machine
may be busy.
"""

from __future__ import annotations

import importlib.util
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.hosts import PROGRAM
from bench.notes import Text, fill
from bench.scoring import Table
from memolith import Mem
from memolith.index import Index
from memolith.index.vectors import meaning
from memolith.index.vectors.meaning import Vectors
from memolith.index.vectors.numbers import np, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memolith.env.settings import Settings
    from memolith.index.vectors.numbers import Array
    from memolith.index.vectors.statements import Parts

WALK = "import os\nfor entry in os.scandir({directory!r}): entry.stat(follow_symlinks=False)"

BY_WORDS = {"MEMOLITH_SEMANTIC_PROVIDER": "none"}  # what a process costs that loads no model
WORK = "/usr/lib"  # a project without a repository; its slug is always the same


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


def spent() -> float:
    """Return the CPU seconds of this process and of those that it has waited for: a clock."""
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + of_children.ru_utime + of_children.ru_stime


def child(*command: str) -> tuple[float, float]:
    """Return the milliseconds of a process: of CPU time, and by the clock."""
    start, began = spent(), time.perf_counter()
    done = subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL, env={**os.environ, **BY_WORDS}
    ).returncode
    assert done in (0, 1), f"{command} failed with {done}"  # 1: nothing was found
    return (spent() - start) * 1000, (time.perf_counter() - began) * 1000


class Stand:
    """A model with random vectors of texts and real ones of questions: 100,000 texts would take an hour."""

    def __init__(self, settings: Settings) -> None:
        model = meaning.choose(settings)
        assert model is not None
        self._model = model
        self.name, self.dimension = "stand-in", 384
        self._random = np.random.default_rng(7)

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row for each question."""
        return self._model.embed(texts)

    def passages(self, texts: Sequence[Parts]) -> list[Array]:
        """Return the rows of each text."""
        counts = [1 + sum(states for _, states in parts) for parts in texts]
        return [unit(self._random.standard_normal((count, 384), np.float32)) for count in counts]


def by_meaning(mem: Mem, queries: list[str]) -> list[float]:
    """Return what questions cost when words and meaning are asked, the model loaded; nothing without it."""
    if importlib.util.find_spec("numpy") is None or meaning.choose(mem.settings) is None:
        return []
    mem._vectors = Vectors(mem.index, mem.settings, Stand(mem.settings))  # noqa: SLF001 - there is no other way in
    mem.vectors.sync(["", mem.project])
    mem.recall(queries[0])
    return [cpu(mem.recall, query) for query in queries[1:101]]


class Figures:
    """What was measured at one size, in CPU milliseconds and bytes; each list in turn with its floor."""

    def __init__(self) -> None:
        self.first = self.plain_first = self.one = 0.0
        self.text = self.index = 0
        self.walk: list[float] = []
        self.sync: list[float] = []
        self.journal: list[float] = []
        self.plain: list[float] = []
        self.recall: list[float] = []
        # Processes: CPU time and, after it, the clock.
        self.start: list[tuple[float, float]] = []
        self.shell: list[tuple[float, float]] = []
        self.shell_walk: list[tuple[float, float]] = []
        self.meaning: list[float] = []


def questions(text: Text) -> list[str]:
    """Return questions of two to eight words, as common and as rare as those of the notes."""
    return [" ".join(text.words(random.Random(n).randrange(2, 9))) for n in range(200)]


def texts(*directories: Path) -> Iterator[str]:
    """Yield what the notes say."""
    for directory in directories:
        for entry in os.scandir(directory):
            yield Path(entry.path).read_text(encoding="utf-8")


def collect(home: Path, count: int) -> tuple[Figures, Path, list[str]]:
    """Make a memory of so many notes and measure it; return also its notes, and what was asked."""
    text, got = Text(), Figures()
    mem = Mem.open(WORK, home=home)
    directory, got.text = fill(mem, count, text)
    index, scopes = mem.index, ["", mem.project]
    got.first = cpu(index.sync, scopes)
    queries = questions(text)
    start = time.process_time()
    plain = Table(texts(directory))
    got.plain_first = (time.process_time() - start) * 1000
    for _ in range(7):
        got.walk.append(cpu(walk, directory))
        with Index(str(home)) as fresh:
            got.sync.append(cpu(fresh.sync, scopes))
    index.sync(scopes)
    got.journal = [cpu(index.sync, scopes) for _ in range(20)]
    (directory / "note-000001.md").write_text("changed\n")
    got.one = cpu(index.sync, scopes)
    for query in queries:
        got.recall.append(cpu(lambda query: mem.recall(query, semantic=False), query))
        got.plain.append(cpu(plain.best, query, 10))
    for _ in range(9):
        got.start.append(child(sys.executable, "-c", "pass"))
        got.shell.append(child(*PROGRAM, "--home", str(home), "--project", WORK, "recall", queries[0]))
        got.shell_walk.append(child(sys.executable, "-c", WALK.format(directory=str(directory))))
    got.meaning = by_meaning(mem, queries)
    got.index = os.path.getsize(index.path)
    mem.close()
    return got, directory, queries


def halves(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the medians of CPU time and of the clock."""
    cpu_, clock = zip(*values, strict=True)
    return median(list(cpu_)), median(list(clock))


def judged(got: Figures, count: int) -> list[tuple[str, float, str, float | None]]:
    """Return rows: what, value, unit, target."""
    (start, clock), (shell, waited), (walked, _) = map(halves, (got.start, got.shell, got.shell_walk))
    limit = {10_000: 15_000.0, 100_000: 180_000.0}.get(count)
    rows = [
        ("first index", got.first, "ms", limit),
        ("size / text", got.index / got.text, "x", 1.7 if count >= 10_000 else None),
        ("no-change sync / bare walk", median(got.sync) / median(got.walk), "x", 3.0),
        ("no-change sync, long-lived", median(got.journal), "ms", 1.0),
        ("one changed note, long-lived", got.one, "ms", None),
        ("Mem.recall p50", median(got.recall), "ms", 10.0),
        ("Mem.recall p95", percentile(got.recall, 0.95), "ms", 30.0),
        ("plain FTS5 p50", median(got.plain), "ms", None),
        ("memolith recall / bare interpreter", shell / start, "x", 5.0 if count <= 10_000 else None),
        ("  of that, interpreter and bare walk", walked / start, "x", None),
        ("memolith recall / ..., by the clock", waited / clock, "x", 5.0 if count <= 10_000 else None),
    ]
    if got.meaning:
        rows.append(("Mem.recall by meaning too, p50", median(got.meaning), "ms", 25.0))
    return rows
