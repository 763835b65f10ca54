"""The measured parts of docs/benchmarks.md, from bench/results.json."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from bench.results import exponent
from bench.table import FORMS
from bench.table import told as scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.results import Row

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
ORDER = ("`memolith", "hook", "write", "first index", "looking", "search", "recall", "memory", "disk")


def written(page: str, results: dict[str, Row]) -> str:
    """Return the page with what stands between `<!-- measured: NAME -->` and `<!-- end -->` made anew."""

    def part(found: re.Match[str]) -> str:
        known = any(found[2] in SHOWN[each] for each in results)
        return f"{found[1]}\n{PARTS[found[2]](results)}\n{found[3]}" if known else found[0]

    return re.sub(r"(?s)(<!-- measured: (\w+) -->)\n.*?(<!-- end -->)", part, page)


def told(milliseconds: float) -> str:
    """Return a time as one reads it."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2g} ms"


def _run(part: Row) -> str:
    run = part["run"]
    return (
        f"{run['date']}, `{run['command']}`, commit {run['commit']}; {run['cores']} cores, Python "
        f"{run['python']}, SQLite {run['sqlite']}, {run['kernel']}, load {run['load']} at the start."
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("|  |", "| |")


def cost(results: dict[str, Row]) -> str:
    """Return what each job costs at each size, over its floor, and how that grows."""
    rows = sorted(results["cost"]["rows"], key=lambda row: row["size"])
    sizes = sorted({row["size"] for row in rows})
    jobs = sorted(dict.fromkeys(row["what"] for row in rows), key=_place)
    lines = []
    for floor in dict.fromkeys(row["floor"] for what in jobs for row in rows if row["what"] == what):
        beside = sorted((row for row in rows if row["floor"] == floor), key=lambda row: "p95" in row)
        known = {row["size"]: row for row in beside}  # the last of a size: one that has a p95, if any has
        cells = [_told(known[size], "of_floor", "p95_of_floor") for size in sizes]
        lines.append([f"*{floor}*", "", *cells, _growth(sizes, [known[size]["of_floor"] for size in sizes])])
    for what in jobs:
        mine = {row["size"]: row for row in rows if row["what"] == what}
        cells = [_cell(mine[size]) if size in mine else "–" for size in sizes]
        grown = _growth(list(mine), [row.get("cpu", row["value"]) for row in mine.values()])
        lines.append([what, next(iter(mine.values()))["floor"], *cells, grown])
    first, *others = (f"{size:,}" for size in sizes)
    head = ["", "floor", f"{first} notes", *others, "grows with n to the"]
    return f"{_run(results['cost'])}\n\n{_table(head, lines)}"


def _place(what: str) -> int:
    return next(number for number, begin in enumerate(ORDER) if what.startswith(begin))


def _cell(row: Row) -> str:
    return f"{_told(row, 'value', 'p95')} ({_digits(row['value'] / row['of_floor'])} ×)"


def _told(row: Row, half: str, p95: str) -> str:
    return _value(row[half], row["unit"]) + (f", p95 {_value(row[p95], row['unit'])}" if p95 in row else "")


def _value(value: float, unit: str) -> str:
    return told(value) if unit == "ms" else f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}" if value < 9.95 else f"{value:.0f}"


def _growth(sizes: list[int], values: list[float]) -> str:
    found = exponent(sizes, values)
    return "–" if found is None else f"{found:.2f}".replace("-0.00", "0.00")


def targets(results: dict[str, Row]) -> str:
    """Return the targets of the index, and what was measured; what misses its target is bold."""
    rows = results["cost"]["targets"]
    sizes = sorted({row["size"] for row in rows})
    head = ["measured of what is allowed", *(f"{size:,}" for size in sizes)]
    lines = []
    for what in dict.fromkeys(row["what"] for row in rows if row["target"] is not None):
        mine = {row["size"]: row for row in rows if row["what"] == what}
        lines.append([what, *(_judged(mine[size]) if size in mine else "–" for size in sizes)])
    return _table(head, lines)


def _judged(row: Row) -> str:
    value, target = (
        "" if each is None else f"{each:.2f} ×" if row["unit"] == "x" else _exactly(each)
        for each in (row["value"], row["target"])
    )
    if not target:
        return value
    return f"**{value}** of {target}" if row["value"] > row["target"] else f"{value} of {target}"


def _exactly(milliseconds: float) -> str:
    return told(milliseconds) if milliseconds >= 100 else f"{milliseconds:.1f} ms"


def ranking(results: dict[str, Row]) -> str:
    """Return how well questions are answered, next to plain FTS5."""
    lines = []
    for row in results["quality"]["rows"]:
        if "current" in row["measures"]:
            continue
        forms = [
            scores(row[form], row["measures"]) if form in row else "–"
            for form in ("plain", "words", "meaning")
        ]
        lines.append([f"{row['set']} ({row['questions']})", " / ".join(row["measures"]), *forms])
    head = ["set", "measure", "plain FTS5", "words only", "with `memolith[semantic]`"]
    return f"{_run(results['quality'])}\n\n{_table(head, lines)}"


def current(results: dict[str, Row]) -> str:
    """Return how often what holds now comes before what held."""
    rows = [row for row in results["quality"]["rows"] if "current" in row["measures"]]
    total = sum(row["stale"] for row in rows)
    forms = [form for form in FORMS if all(form in row for row in rows)]
    every = {
        form: {"current": sum(row[form]["current"] * row["stale"] for row in rows) / total} for form in forms
    }
    lines = []
    for row in [*rows, {"set": "all", "stale": total, **every}]:
        cells = [f"{row[form]['current']:.3f}" if form in row else "–" for form in FORMS]
        lines.append([f"{row['set']} ({row['stale']})", *cells[:3], f"{cells[3]} / {cells[4]}"])
    head = ["set", "plain FTS5", "words only", "with the extra", "`supersedes` known: words / extra"]
    return _table(head, lines)


PARTS = {"cost": cost, "targets": targets, "ranking": ranking, "current": current}
# Which of them show what was measured.
SHOWN = {"cost": ("cost", "targets"), "quality": ("ranking", "current")}
