"""`./dev bench`: speed as ratios to floors measured in the same run, and growth with the size of the store.

The floors: a bare interpreter start, and a bare temp + fsync + rename + fsync(directory) of the same bytes.
Hooks and the server are measured in a project of 10,000 notes (1,000 with `--quick`).
Exits with 1 if a target is missed.
"""

from __future__ import annotations

import compileall
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import memolith
from memolith import Mem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 60
START = "python -c pass"
Row = tuple[str, float, float, float]  # what is compared, its value, the floor's, the ratio that it may reach


def alternate(
    jobs: dict[str, Callable[[], object]],
    rounds: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
    seconds: float = math.inf,
) -> dict[str, float]:
    """Time the jobs in turn, so that a busy machine slows all of them alike; return medians in ms.

    After some `seconds`, three rounds are enough.
    """
    times: dict[str, list[float]] = {name: [] for name in jobs}
    deadline = time.monotonic() + seconds
    for number in range(rounds):
        if number >= 3 and time.monotonic() > deadline:
            break
        for name, job in jobs.items():
            start = clock()
            job()
            times[name].append((clock() - start) * 1000)
    return {name: median(values) for name, values in times.items()}


def replace(directory: Path, data: bytes) -> None:
    """Replace a file so that it is on the disk afterwards, with nothing else."""
    temporary = str(directory / "t")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, data)
    os.fsync(fd)
    os.close(fd)
    os.replace(temporary, str(directory / "file.md"))
    fd = os.open(str(directory), os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def run(*command: str, cwd: Path) -> Callable[[], None]:
    def job() -> None:
        subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=True)

    return job


def fill(home: Path, project: Path, notes: int) -> Mem:
    """Make the store of the target: 4 KB of MEMORY.md, notes, two daily logs."""
    mem = Mem.open(project, home=home)
    mem.write("long_term", "\n".join(f"- fact number {n}: {'x' * 60}" for n in range(50)), "overwrite")
    mem.write("scratchpad", "- [ ] one\n- [ ] two\n- [x] three")
    mem.write("daily", "\n".join(f"- done {n}" for n in range(40)))
    yesterday = mem.root / "projects" / mem.project / "daily" / f"{mem.yesterday}.md"
    yesterday.write_text("\n".join(f"- did {n}" for n in range(40)), encoding="utf-8")
    directory = mem.root / "projects" / mem.project / "notes"
    directory.mkdir(exist_ok=True, mode=0o700)
    for number in range(notes - 1):
        name = f"topic-{number:06d}"
        head = f"---\nname: Topic {number}\ndescription: what is known of {number}\ntype: project\n---\n"
        (directory / f"{name}.md").write_text(head + "text " * 100, encoding="utf-8")
    mem.remember("The last one.", "Last topic")  # brings the index up to date
    return mem


def over(
    floor: str,
    bare: Callable[[], object],
    jobs: Mapping[str, tuple[Callable[[], object], float]],
    rounds: int,
) -> list[Row]:
    """Time jobs in turn with their floor; a job has the ratio that it may reach."""
    times = alternate({floor: bare, **{name: job for name, (job, _) in jobs.items()}}, rounds)
    return [(f"{name} / {floor}", times[name], times[floor], most) for name, (_, most) in jobs.items()]


def bench_start(base: Path) -> list[Row]:
    project = base / "project"
    project.mkdir()
    home = base / "home"
    fill(home, project, 50)
    script = str(Path(sys.executable).with_name("memolith"))
    opened = "from memolith import Mem; Mem.open()"
    jobs = {
        "memolith context": (run(script, "context", "--home", str(home), cwd=project), 3.0),
        "memolith search": (run(script, "search", "fact", "--home", str(home), cwd=project), 4.0),
        opened: (run(sys.executable, "-c", opened, cwd=project), 2.5),
    }
    return over(START, run(sys.executable, "-c", "pass", cwd=project), jobs, ROUNDS)


def bench_hosts(base: Path, notes: int) -> list[Row]:
    from bench import hosts
    from bench.notes import Text
    from bench.notes import fill as fill_with_words

    home, work = base / "hosts-home", base / "hosts"
    work.mkdir()
    with Mem.open(work, home=home) as mem:
        directory, _ = fill_with_words(mem, notes, Text())
        hosts.settle(mem)
    hook = hosts.Jobs(home, work, hosts.telling(directory))
    env = {**os.environ, "MEMOLITH_HOME": str(home), "MEMOLITH_SEMANTIC_PROVIDER": "none"}
    jobs: dict[str, tuple[Callable[[], object], float]] = {
        "hook: session start": (hook.start, 4.0),
        "hook: first prompt, with recall": (hook.first, 6.0),
        "hook: later prompt, with recall": (hook.later, 6.0),
        "hook: end of a turn": (hook.end, 4.0),
        "memolith mcp, start to its list of tools": (lambda: hosts.listed(env, str(work)), 3.0),
    }
    return [
        *over(START, run(sys.executable, "-c", "pass", cwd=work), jobs, ROUNDS // 3),
        ("memolith mcp, MB after some work / 40 MB", hosts.resident(env, str(work)), 40.0, 1.0),
    ]


def bench_write(base: Path) -> list[Row]:
    project, directory = base / "writes", base / "floor"
    for each in (project, directory):
        each.mkdir()
    mem = Mem.open(project, home=base / "write-home")
    data = ("x" * 79 + "\n") * 50
    numbers = iter(range(10_000_000))
    mem.write("scratchpad", data, "overwrite")
    mem.write("note", data, "overwrite", "n")
    jobs: dict[str, tuple[Callable[[], object], float]] = {
        "Mem.write overwrite of 4 KB with history": (
            lambda: mem.write("scratchpad", f"{next(numbers)}\n{data}", "overwrite"),
            3.0,
        ),
        "Mem.write of a note with history and index": (
            lambda: mem.write("note", f"same first line\n{next(numbers)}\n{data}", "overwrite", "n"),
            3.0,
        ),
    }
    return over("bare durable replace", lambda: replace(directory, data.encode()), jobs, ROUNDS * 5)


def bench_block(base: Path, sizes: list[int]) -> list[Row]:
    rows = []
    first: tuple[float, int] | None = None
    for size in sizes:
        project = base / f"block{size}"
        project.mkdir()
        mem = fill(base / f"block-home{size}", project, size)
        block = mem.context_block() or ""
        took = alternate({"block": mem.context_block}, ROUNDS * 3)["block"]
        shown = len(block.encode())
        rows.append((f"context_block() at {size} notes, {shown} bytes shown, ms", took, 1.0, 2.0))
        if first is None:
            first = (took, shown)
        else:
            name = f"growth of context_block() {sizes[0]} → {size} notes / growth of its bytes"
            rows.append((name, took / first[0], shown / first[1], 1.5))
    return rows


def main() -> int:
    """Measure, print a table, and say whether every target is met."""
    quick = "--quick" in sys.argv
    # As an installed package: pip compiles what it installs, an editable checkout may not be.
    compileall.compile_dir(str(Path(memolith.__file__).parent), quiet=2)
    with tempfile.TemporaryDirectory(prefix="memolith-bench-") as directory:
        base = Path(directory)
        rows = (
            bench_start(base)
            + bench_hosts(base, 1000 if quick else 10_000)
            + bench_write(base)
            + bench_block(base, [100, 1000] if quick else [1000, 10_000])
        )
    missed = 0
    report = []
    print(f"{'what':<78} {'value':>8} {'floor':>8} {'ratio':>6} {'target':>7}")
    for name, value, floor, target in rows:
        ratio = value / floor
        missed += ratio > target
        mark = "" if ratio <= target else "  MISSED"
        print(f"{name:<78} {value:>8.2f} {floor:>8.2f} {ratio:>6.2f} {target:>7.1f}{mark}")
        report.append({"what": name, "value": value, "floor": floor, "ratio": ratio, "target": target})
    if "--json" in sys.argv:
        print(json.dumps({"version": 1, "rows": report}))
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
