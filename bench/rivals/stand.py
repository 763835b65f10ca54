"""What every job gets: a rival, a place for its homes, the vectors of the endpoint, and the amounts."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bench.notes import Text
from bench.rivals.talking import Failed, Talk, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.rivals.installing import Installed

Figures = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Amounts:
    """How much of everything. The tests take less."""

    files: int = 1000
    questions: int = 60
    writes: int = 30
    starts: int = 5
    kills: int = 20
    writers: int = 4
    each: int = 50
    conversations: int = 2
    limit: float = 300.0  # seconds for one step of a job
    patience: float = 60.0  # seconds after which a job is content with fewer repetitions


@dataclass(frozen=True)
class Stand:
    """A rival with its home."""

    installed: Installed
    home: Path
    url: str
    amounts: Amounts
    model: str = "minilm"

    @property
    def variables(self) -> dict[str, str]:
        """The environment of its processes."""
        return environment(self.installed, self.home, self.url, self.model)

    def talk(self) -> Talk:
        """Start its adapter."""
        return Talk(self.installed, self.home, self.variables)

    def shell(self, query: str) -> None:
        """Ask a question on its command line."""
        command = self.installed.rival.command(
            bin=str(self.installed.bin),
            python=str(self.installed.python),
            home=str(self.home),
            query=query,
            word=query.split(maxsplit=1)[0],
        )
        run(command, self.variables, self.amounts.limit)

    def bare(self) -> None:
        """Let its interpreter do nothing."""
        run([str(self.installed.python), "-c", "pass"], self.variables, self.amounts.limit)


@contextmanager
def stand(
    installed: Installed, url: str, amounts: Amounts, *, model: str = "minilm", memory: bool = False
) -> Iterator[Stand]:
    """Give a rival an empty home; in memory where a job takes no times and there is room."""
    shared = Path("/dev/shm")  # noqa: S108 - a file system in memory
    roomy = memory and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 1 << 30
    home = Path(tempfile.mkdtemp(prefix="rivals-", dir=shared if roomy else None))
    try:
        yield Stand(installed, home, url, amounts, model)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def run(command: list[str], variables: dict[str, str], limit: float) -> None:
    """Run a command, which must answer something."""
    try:
        done = subprocess.run(
            command,
            env=variables,
            cwd=variables["HOME"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"stopped after {limit:.0f} s") from None
    if done.returncode or not (done.stdout or command[-1] == "pass"):
        said = " ".join((done.stderr or done.stdout).decode(errors="replace").split()[-30:])
        raise Failed(f"{Path(command[0]).name} answered nothing (exit {done.returncode}): {said}")


def against_bare(stand: Stand, job: Callable[[], None]) -> Figures:
    """Return the median cost of processes, and as a ratio to a bare interpreter started in turn with them.

    The ratio is one of processor time: on a busy machine a long process waits more often than a short one.
    """
    jobs, bares = [], []
    for _ in within(stand.amounts.patience / 3, range(stand.amounts.starts)):
        bares.append(cost(stand.bare))
        jobs.append(cost(job))
    clock, cpu = (statistics.median(each) for each in zip(*jobs, strict=True))
    bare = statistics.median(each for _, each in bares)
    return {"ms": clock * 1000, "cpu_ms": cpu * 1000, "ratio": cpu / bare, "times": len(jobs)}


def cost(job: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds of the clock, and those of the processor in the processes that a job started."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    job()
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def within(patience: float, items: Iterable[T]) -> Iterator[T]:
    """Return items until the time is over; the first one in any case."""
    end = time.monotonic() + patience
    for number, item in enumerate(items):
        if number and time.monotonic() > end:
            return
        yield item


def notes(count: int, seed: int = 7) -> list[tuple[str, str]]:
    """Return notes of forty words under a heading, the same ones in every run."""
    text = Text(seed)
    return [
        (f"n{number:05}", f"# {' '.join(text.words(4))}\n\n{' '.join(text.words(40))}.\n")
        for number in range(count)
    ]
