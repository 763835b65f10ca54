"""What a memory of some size costs: each job next to a floor of the same run.

CPU time, because the machine may be busy; only what waits for the disk is taken by the clock on the wall.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import count as numbers
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench import scale
from bench.__main__ import alternate, replace, run
from bench.hosts import PROGRAM, Jobs, settle, telling
from bench.notes import Text
from memolith import Mem
from memolith.base.errors import MemolithError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.results import Row

ROOT = Path(__file__).parent.parent
MEGABYTE = 1_000_000
START, WALK, REPLACE = "interpreter start", "bare walk", "bare durable replace"
QUERY, BUILD = "plain FTS5 query", "plain FTS5 build"
BARE, TEXT = "bare interpreter", "the text itself"
COMMAND = "from memolith.edges.cli import main; main(sys.argv[1:])"
# `getrusage` gives a child also the peak of the process that started it; this is that of the program alone.
_PEAK = "sys.stderr.write(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
_MEANING = "from bench.costs import ask; ask(sys.argv[1])"


def peak(code: str, *arguments: str, **env: str) -> float | None:
    """Return the most memory, in MB, that a process with this code had; None where nobody can tell."""
    if not os.path.exists("/proc/self/status"):
        return None
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{_PEAK}", *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **env},
    )
    return int(done.stderr.split()[-2]) * 1024 / MEGABYTE


def ask(home: str) -> None:
    """Ask some questions by meaning, for `peak`."""
    with Mem.open(scale.WORK, home=home) as mem:
        scale.by_meaning(mem, scale.questions(Text())[:4])


def measure(home: Path, count: int, rounds: int = 15) -> tuple[list[Row], list[Row]]:
    """Return a row for each job, and one for each target of the index."""
    got, directory, queries = scale.collect(home, count)
    shell, start = scale.halves(got.shell), scale.halves(got.start)
    rows = [
        _row("first index", got.first, BUILD, got.plain_first),
        _row("looking for changes, new process", median(got.sync), WALK, median(got.walk)),
        _row("looking for changes, long-lived", median(got.journal), WALK, median(got.walk)),
        _asked("recall, words", got.recall, got.plain),
        _row("`memolith recall`", shell[0], START, start[0]),
        _row("`memolith recall`, by the clock", shell[1], START, start[1]),
        _row("disk: index", got.index / MEGABYTE, TEXT, got.text / MEGABYTE, "MB"),
    ]
    if got.meaning:
        rows.append(_asked("recall, words and meaning", got.meaning, got.plain))
    rows += _memory(home, queries[0], meaning=bool(got.meaning))
    with Mem.open(scale.WORK, home=home) as mem:
        asked = iter(queries)
        took = alternate(
            {"search": lambda: mem.search(next(asked))}, rounds, clock=scale.spent, seconds=count / 5000
        )
        rows.append(_row("search", took["search"], QUERY, median(got.plain)))
        settle(mem)
        rows += _writes(mem, home, rounds * 4, seconds=count / 5000)
    rows += _starts(home, directory, queries[0], rounds)
    targets = [
        {"what": what, "value": value, "unit": unit, "target": target}
        for what, value, unit, target in scale.judged(got, count)
    ]
    return [{"size": count, **row} for row in rows], [{"size": count, **row} for row in targets]


def _row(what: str, value: float, floor: str, of_floor: float, unit: str = "ms") -> Row:
    return {"what": what, "unit": unit, "value": value, "floor": floor, "of_floor": of_floor}


def _asked(what: str, values: list[float], plain: list[float]) -> Row:
    row = _row(what, median(values), QUERY, median(plain))
    return {**row, "p95": scale.percentile(values, 0.95), "p95_of_floor": scale.percentile(plain, 0.95)}


def _memory(home: Path, query: str, *, meaning: bool) -> list[Row]:
    """Measure the most memory of a process that recalls."""
    bare = peak("pass")
    if bare is None:
        return []
    shell = ["--home", str(home), "--project", scale.WORK, "recall", query]
    found = {"memory: recall, words": peak(COMMAND, *shell, **scale.BY_WORDS)}
    if meaning:
        found["memory: recall, words and meaning"] = peak(_MEANING, str(home))
    return [_row(what, size, BARE, bare, "MB") for what, size in found.items() if size is not None]


def _writes(mem: Mem, home: Path, rounds: int, seconds: float) -> list[Row]:
    """Measure writes of 4 KB: wall time, for they wait for the disk; CPU time tells how they grow."""
    data, number = ("x" * 79 + "\n") * 50, numbers()
    beside = home / "beside"
    beside.mkdir()
    jobs: dict[str, Callable[[], object]] = {
        REPLACE: lambda: replace(beside, data.encode()),
        "write: the scratchpad": lambda: mem.write("scratchpad", f"{next(number)}\n{data}", "overwrite"),
        "write: a new note": lambda: mem.remember(data, f"The note {next(number)}"),
    }
    for what, job in list(jobs.items()):
        try:
            job()
        except MemolithError as error:  # a limit that is reached is told, and the other jobs are measured
            print(f"{what} cannot be measured: {error}", file=sys.stderr, flush=True)
            del jobs[what]
    took = alternate(jobs, rounds, seconds=seconds)
    spent = alternate(jobs, rounds // 4, clock=scale.spent, seconds=seconds)
    floor = took.pop(REPLACE)
    return [{**_row(what, value, REPLACE, floor), "cpu": spent[what]} for what, value in took.items()]


def _starts(home: Path, notes: Path, query: str, rounds: int) -> list[Row]:
    """Measure whole processes, from the shell and as an agent's hook."""
    hook = Jobs(home, Path(scale.WORK), telling(notes))
    shell = [*PROGRAM, "--home", str(home), "--project", scale.WORK]
    jobs: dict[str, Callable[[], object]] = {
        START: run(sys.executable, "-c", "pass", cwd=ROOT),
        "`memolith context`": run(*shell, "context", cwd=ROOT),
        "hook: session start": hook.start,
        "hook: first prompt": hook.first,
    }
    took = alternate(jobs, rounds, clock=scale.spent)
    # By itself: it reads every file, and at 100,000 one round takes longer than all of the others.
    literal = alternate(
        {"`memolith search`": run(*shell, "search", query, cwd=ROOT)}, 5, clock=scale.spent, seconds=20
    )
    assert hook.silent <= rounds // 2, "most prompts found nothing: that would be the cost of silence"
    floor = took.pop(START)
    return [_row(what, value, START, floor) for what, value in {**took, **literal}.items()]
