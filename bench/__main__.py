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
from typing import TYPE_CHECKING

import memolith
from memolith import Mem

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 60


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


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


def bench_start(base: Path) -> list[tuple[str, float, float, float]]:
    project = base / "project"
    project.mkdir()
    home = base / "home"
    fill(home, project, 50)
    script = Path(sys.executable).with_name("memolith")
    times = alternate(
        {
            "floor": run(sys.executable, "-c", "pass", cwd=project),
            "context": run(str(script), "context", "--home", str(home), cwd=project),
            "search": run(str(script), "search", "fact", "--home", str(home), cwd=project),
            "import": run(sys.executable, "-c", "from memolith import Mem; Mem.open()", cwd=project),
        },
        ROUNDS,
    )
    floor = times["floor"]
    return [
        ("memolith context / python -c pass", times["context"], floor, 3.0),
        ("memolith search / python -c pass", times["search"], floor, 4.0),
        ("from memolith import Mem; Mem.open() / python -c pass", times["import"], floor, 2.5),
    ]


def bench_hosts(base: Path, notes: int) -> list[tuple[str, float, float, float]]:
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
    begun, asked, later, ended = (iter(range(10_000)) for _ in range(4))
    times = alternate(
        {
            "floor": run(sys.executable, "-c", "pass", cwd=work),
            "start": lambda: hook.start(next(begun)),
            "first": lambda: hook.first(next(asked)),
            "later": lambda: hook.later(next(later)),
            "end": lambda: hook.end(next(ended)),
            "mcp": lambda: hosts.listed(env, str(work)),
        },
        ROUNDS // 3,
    )
    floor = times["floor"]
    return [
        ("hook: session start / python -c pass", times["start"], floor, 4.0),
        ("hook: first prompt, with recall / python -c pass", times["first"], floor, 6.0),
        ("hook: later prompt, with recall / python -c pass", times["later"], floor, 6.0),
        ("hook: end of a turn / python -c pass", times["end"], floor, 4.0),
        ("memolith mcp, start to its list of tools / python -c pass", times["mcp"], floor, 3.0),
        ("memolith mcp, MB after some work / 40 MB", hosts.resident(env, str(work)), 40.0, 1.0),
    ]


def bench_write(base: Path) -> list[tuple[str, float, float, float]]:
    project = base / "writes"
    project.mkdir()
    mem = Mem.open(project, home=base / "write-home")
    data = ("x" * 79 + "\n") * 50
    directory = base / "floor"
    directory.mkdir()
    numbers = iter(range(10_000_000))

    def floor() -> None:
        replace(directory, data.encode())

    def overwrite() -> None:
        mem.write("scratchpad", f"{next(numbers)}\n{data}", "overwrite")

    def overwrite_note() -> None:
        mem.write("note", f"same first line\n{next(numbers)}\n{data}", "overwrite", "n")

    mem.write("scratchpad", data, "overwrite")
    mem.write("note", data, "overwrite", "n")
    times = alternate({"floor": floor, "overwrite": overwrite, "note": overwrite_note}, ROUNDS * 5)
    return [
        (
            "Mem.write overwrite of 4 KB with history / bare durable replace",
            times["overwrite"],
            times["floor"],
            3.0,
        ),
        (
            "Mem.write of a note with history and index / bare durable replace",
            times["note"],
            times["floor"],
            3.0,
        ),
    ]


def bench_block(base: Path, sizes: list[int]) -> list[tuple[str, float, float, float]]:
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
