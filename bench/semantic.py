"""`python -m bench.semantic`: what meaning costs, in CPU time, and as ratios to a bare interpreter."""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from memolith.env.settings import Settings
from memolith.index.vectors import minilm
from memolith.index.vectors import nearest as scan
from memolith.index.vectors.meaning import Vectors
from memolith.index.vectors.numbers import np
from memolith.index.vectors.packs import KEY, Packs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

SIZES = (10_000, 100_000)
TEXT = (
    "The nightly backup of the billing database is restored into a scratch cluster and its rows are counted. "
)
_WHOLE = """
from memolith.index.vectors import minilm
minilm.MiniLM(minilm.find()).embed(["how is a schema change undone"])
"""


def key(number: int) -> bytes:
    return hashlib.blake2b(str(number).encode(), digest_size=KEY).digest()


class Numbered:
    """An index of as many units as there are vectors."""

    def __init__(self, home: str, count: int) -> None:
        self.home = home
        self._hashes = [(number, key(number)) for number in range(count)]

    def stamp(self) -> object:
        """Nothing changes."""
        return 1

    def hashes(self, _: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return every unit."""
        return self._hashes

    def texts(  # noqa: D102
        self,
        slugs: Sequence[str],  # noqa: ARG002
        skip: Collection[bytes] = (),  # noqa: ARG002
    ) -> Iterator[tuple[int, bytes, str]]:
        yield from ()


def cpu(job: Callable[[int], object], rounds: int = 21) -> float:
    """Return the median CPU time of a job in ms."""
    times = []
    for number in range(rounds):
        start = time.process_time()
        job(number)
        times.append((time.process_time() - start) * 1000)
    return sorted(times)[rounds // 2]


def of_process(code: str) -> float:
    """Return the median CPU time of a whole process in ms."""
    times = []
    for _ in range(9):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return sorted(times)[len(times) // 2] * 1000


def main() -> int:
    place = minilm.find()
    if place is None:
        print("the model's weights are not installed")
        return 1
    model = minilm.MiniLM(place)
    bare = of_process("pass")
    print(f"bare interpreter                       {bare:7.0f} ms   1.0 ×")
    whole = of_process(_WHOLE)
    print(f"a process that embeds one question     {whole:7.0f} ms {whole / bare:5.1f} ×")
    question = cpu(
        lambda number: model.embed([f"how is schema change {number} undone if it breaks production"])
    )
    print(f"a question, model loaded               {question:7.1f} ms")
    long = cpu(lambda number: model.embed([f"{number} {TEXT * 20}"] * 4), 5) / 4
    short = cpu(lambda number: model.embed([f"{number} {TEXT}"] * 64), 5) / 64
    print(f"chunks of 256 tokens {1000 / long:6.1f}/s    of {len(TEXT)} characters {1000 / short:6.1f}/s")
    random = np.random.default_rng(0)
    for count in SIZES:
        with tempfile.TemporaryDirectory() as home:
            packs = Packs(home, 1)
            centres = random.standard_normal((500, 384), np.float32)
            for start in range(0, count, 4096):
                chosen = range(start, min(count, start + 4096))
                rows = centres[random.integers(500, size=len(chosen))]
                rows = rows + random.standard_normal(rows.shape, np.float32)
                rows /= np.linalg.norm(rows, axis=1, keepdims=True)
                packs.add(model.name, "shop", scan.quantise([key(number) for number in chosen], rows))
            vectors = Vectors(Numbered(home, count), Settings(home, {}), model)
            first = cpu(lambda _, vectors=vectors: vectors.scores(["shop"], "first"), 1)  # type: ignore[misc]
            nearest = cpu(lambda _, vectors=vectors: vectors.scores(["shop"], "first"))  # type: ignore[misc]
            print(f"{count:7} texts: first search {first:5.0f} ms, then {nearest:5.1f} ms")
    print(f"resident at the end {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
