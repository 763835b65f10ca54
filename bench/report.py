"""`python -m bench.report`: measure everything, and make docs/benchmarks.md from it.

What was measured goes to bench/results.json; `--write` makes the page from that file, with `--from-results`
without measuring. `--quick` shows small sizes and keeps nothing. Quality needs the public
sets (MEMOLITH_DATA).
"""

from __future__ import annotations

import argparse
import compileall
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import memolith
from bench import costs, page, results, table
from bench.corpora import DATA
from memolith.env.settings import Settings
from memolith.index.vectors import install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.results import Row

SIZES = (1_000, 10_000, 100_000)
QUICK = (300, 1_000)


def cost(sizes: Sequence[int], rounds: int = 15) -> Iterator[Row]:
    """Measure what each size costs; yield what is known after each."""
    part: Row = {"rows": [], "targets": []}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="memolith-report-") as directory:
            rows, targets = costs.measure(Path(directory), size, rounds)
        part = {"rows": [*part["rows"], *rows], "targets": [*part["targets"], *targets]}
        print(f"measured {size:,} notes", file=sys.stderr, flush=True)
        yield part


def quality() -> Iterator[Row]:
    """Measure how well every set is answered; nothing without the sets."""
    if not DATA.is_dir():
        print(f"Quality was not measured: there is no {DATA}; set MEMOLITH_DATA.", file=sys.stderr)
        return
    rows = []
    for row in table.every(lexical=not install.find(Settings(""))):
        rows.append(row)
        print(f"measured {row['set']}", file=sys.stderr, flush=True)
    yield {"rows": rows}


def measure(given: argparse.Namespace, command: str) -> None:
    """Measure what was asked for; keep and show it."""
    # Where writing bytecode is switched off, every start would compile the package anew.
    compileall.compile_dir(str(Path(memolith.__file__).parent), quiet=2)
    run = results.stamp(command)
    sizes: Sequence[int] = QUICK if given.quick else SIZES
    if given.sizes:
        sizes = [int(each) for each in given.sizes.split(",")]
    jobs: dict[str, Callable[[], Iterator[Row]]] = {
        "cost": lambda: cost(sizes, 5 if given.quick else 15),
        "quality": quality,
    }
    only = "cost" if given.quick else given.only
    for name in [only] if only else ["cost", "quality"]:
        parts: dict[str, Row] = {}
        for part in jobs[name]():
            parts = {**results.load(), name: {"run": run, **part}}
            if not given.quick:
                results.save(parts)  # as soon as it is known: a long run may be stopped
        show(parts, name)


def show(parts: dict[str, Row], *names: str) -> None:
    """Print the tables of some parts, those that were measured."""
    for name in names:
        for each in page.SHOWN[name] if name in parts else ():
            print(f"{page.PARTS[each](parts)}\n", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, keep and show."""
    parser = argparse.ArgumentParser(prog="bench.report", description=__doc__)
    parser.add_argument("--sizes", help="numbers of notes, such as 1000,10000,100000")
    parser.add_argument("--only", choices=["cost", "quality"], help="measure one part, keep the others")
    parser.add_argument("--quick", action="store_true", help="cost of small sizes, shown and not kept")
    parser.add_argument("--from-results", action="store_true", help="measure nothing, show what is kept")
    parser.add_argument("--write", action="store_true", help="make docs/benchmarks.md")
    told = list(sys.argv[1:] if argv is None else argv)
    given = parser.parse_args(told)
    if given.quick and given.write:
        parser.error("--quick keeps nothing that --write could show: leave one of them away")
    if given.from_results:
        show(results.load(), *page.SHOWN)
    else:
        measure(given, " ".join(["python -m bench.report", *(each for each in told if each != "--write")]))
    if given.write:
        parts = results.load()
        page.PAGE.write_text(page.written(page.PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")
        print(page.PAGE, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
