"""What every job gets: a rival, a place for its homes, the vectors of the endpoint, and the amounts."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.notes import Text
from bench.rivals.talking import Failed, Talk, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.rivals.installing import Installed

Figures = dict[str, Any]


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

    def shell(self, query: str) -> float:
        """Return the seconds of a question on its command line."""
        command = self.installed.rival.command(
            bin=str(self.installed.bin),
            python=str(self.installed.python),
            home=str(self.home),
            query=query,
            word=query.split(maxsplit=1)[0],
        )
        return seconds(command, self.variables, self.amounts.limit)

    def bare(self) -> float:
        """Return the seconds of its interpreter doing nothing."""
        return seconds([str(self.installed.python), "-c", "pass"], self.variables, self.amounts.limit)


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


def seconds(command: list[str], variables: dict[str, str], limit: float) -> float:
    """Return the seconds of a command."""
    start = time.perf_counter()
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
        said = (done.stderr or done.stdout).decode(errors="replace").split()
        raise Failed(
            f"{Path(command[0]).name} answered nothing (exit {done.returncode}): {' '.join(said[-30:])}"
        )
    return time.perf_counter() - start


def against_bare(stand: Stand, job: Callable[[], float]) -> Figures:
    """Return the median of a job, and as a ratio to a bare interpreter started in turn with it."""
    jobs, bares = [], []
    for _ in range(stand.amounts.starts):
        bares.append(stand.bare())
        jobs.append(job())
    return {
        "ms": statistics.median(jobs) * 1000,
        "ratio": statistics.median(jobs) / statistics.median(bares),
    }


def notes(count: int, seed: int = 7) -> list[tuple[str, str]]:
    """Return notes of forty words under a heading, the same ones in every run."""
    text = Text(seed)
    return [
        (f"n{number:05}", f"# {' '.join(text.words(4))}\n\n{' '.join(text.words(40))}.\n")
        for number in range(count)
    ]
