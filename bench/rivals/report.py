"""The figures of a run as tables, and as the part of docs/rivals.md that is made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.rivals.rivals import RIVALS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Results = dict[str, dict[str, dict[str, Any]]]
BEGIN, END = "<!-- figures: made by ./dev rivals --write -->", "<!-- end of figures -->"
NONE = "–"


@dataclass(frozen=True)
class Column:
    """A figure of a job: how to get it, how to show it, and whether less of it is better."""

    title: str
    job: str
    value: Callable[[dict[str, Any]], float | None]
    shown: str = "{:.0f}"
    less: bool = True
    judged: bool = True  # whether it makes sense to say who is best

    def of(self, results: dict[str, dict[str, Any]]) -> float | None:
        """Return the figure of one rival."""
        found = results.get(self.job)
        return None if found is None or "failed" in found else self.value(found)


TABLES: dict[str, tuple[Column, ...]] = {
    "Installing, starting, memory": (
        Column("installed MB", "install", lambda job: job["megabytes"]),
        Column("packages", "install", lambda job: job["packages"]),
        Column("installed in s", "install", lambda job: job["seconds"]),
        Column("command, first answer ×", "start", lambda job: job["shell"]["ratio"], "{:.1f}"),
        Column("import, open, first answer ×", "start", lambda job: job["process"]["ratio"], "{:.1f}"),
        Column("MB after searching", "search", lambda job: job["megabytes"]),
    ),
    "Speed": (
        Column("write ms", "write", lambda job: job["ms"], "{:.1f}"),
        Column("of that CPU ms", "write", lambda job: job["cpu_ms"], "{:.1f}"),
        Column("÷ bare durable write", "write", lambda job: job["ratio"], "{:.1f}"),
        Column("syncs per write", "write", lambda job: job["syncs"], "{:.1f}", judged=False),
        Column("files taken in, s", "sync", lambda job: job["seconds"], "{:.1f}"),
        Column("of that CPU s", "sync", lambda job: job["cpu"], "{:.1f}"),
        Column("search p50 ms", "search", lambda job: job["p50_ms"], "{:.1f}"),
        Column("p95 ms", "search", lambda job: job["p95_ms"], "{:.1f}"),
        Column("mean CPU ms", "search", lambda job: job["cpu_ms"], "{:.1f}"),
        Column("command on them ×", "search", lambda job: job["shell"]["ratio"], "{:.1f}"),
        Column("right note found", "search", lambda job: job["found"], "{:.0%}", less=False),
    ),
    "Finding: LoCoMo turns": (
        Column("any@5", "recall", lambda job: job["any@5"], "{:.3f}", less=False),
        Column("any@10", "recall", lambda job: job["any@10"], "{:.3f}", less=False),
    ),
    "Keeping: `kill -9`, and four processes at once": (
        Column("kills", "kill", lambda job: job["rounds"], judged=False),
        Column("acknowledged", "kill", lambda job: job["acknowledged"], judged=False),
        Column("lost", "kill", lambda job: job["lost"]),
        Column("torn", "kill", lambda job: job["torn"]),
        Column("as Markdown files", "kill", lambda job: job["files"], judged=False),
        Column("at once: acknowledged", "concurrent", lambda job: job["acknowledged"], judged=False),
        Column("refused", "concurrent", lambda job: job["refused"]),
        Column("lost ", "concurrent", lambda job: job["lost"]),
        Column("torn ", "concurrent", lambda job: job["torn"]),
        Column("seconds", "concurrent", lambda job: job["seconds"], "{:.1f}"),
    ),
}


def shown(column: Column, value: float | None) -> str:
    return NONE if value is None else column.shown.format(value)


def table(columns: tuple[Column, ...], results: Results) -> list[str]:
    """Return the lines of one table."""
    rows = [["", *(column.title.strip() for column in columns)]]
    rows += [
        [name, *(shown(column, column.of(found)) for column in columns)] for name, found in results.items()
    ]
    if all(cell == NONE for row in rows[1:] for cell in row[1:]):
        return []
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|---|" + "---:|" * len(columns), *lines[1:]]


def better(results: Results) -> list[str]:
    """Return, for each form of memolith, the figures in which somebody else is better."""
    lines = []
    for ours in (name for name in results if name.startswith("memolith")):
        found = []
        for column in (column for columns in TABLES.values() for column in columns if column.judged):
            mine = column.of(results[ours])
            if mine is None:
                continue
            others = [
                f"{name} {shown(column, value)}"
                for name, jobs in results.items()
                if not name.startswith("memolith")
                and (value := column.of(jobs)) is not None
                and (value < mine if column.less else value > mine)
                and shown(column, value) != shown(column, mine)
            ]
            if others:
                found.append(f"{column.title.strip()} {', '.join(others)} (it: {shown(column, mine)})")
        lines.append(f"- than {ours}: {'; '.join(found) or 'nobody'}")
    return lines


def failures(results: Results) -> list[str]:
    """Return what did not run, and why."""
    return [
        f"- {name}, {job}: {figures['failed']}"
        for name, jobs in results.items()
        for job, figures in jobs.items()
        if "failed" in figures
    ]


def refusals(results: Results) -> list[str]:
    """Return why writes were refused when several processes wrote."""
    rows = ((name, jobs.get("concurrent", {})) for name, jobs in results.items())
    return [
        f"- {name}: {job['refused']} of {job['asked']}: {job['why']}" for name, job in rows if job.get("why")
    ]


def page(run: dict[str, Any]) -> str:
    """Return a run as Markdown."""
    results: Results = run["results"]
    lines = [run["heading"], ""]
    for title, columns in TABLES.items():
        if rows := table(columns, results):
            lines += [f"### {title}", "", *rows, ""]
    sections = {
        "Where somebody else is better": better(results),
        "What did not run": failures(results) or ["- everything ran"],
        "Why writes were refused": refusals(results),
    }
    for title, rows in sections.items():
        if rows:
            lines += [f"### {title}", "", *rows, ""]
    return "\n".join(lines)


def together(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return several runs as one: a job that was done again counts as it was last."""
    results: Results = {}
    for run in runs:
        for name, jobs in run["results"].items():
            results[name] = {**results.get(name, {}), **jobs}
    order = [rival.name for rival in RIVALS]
    ordered = sorted(results, key=lambda name: order.index(name) if name in order else len(order))
    headings = []
    for run in runs:
        measured = [name for name, jobs in run["results"].items() if set(jobs) - {"install"}]
        headings.append(f"{', '.join(measured)}: {run['heading']}")
    heading = runs[0]["heading"] if len(runs) == 1 else "\n".join(f"- {each}" for each in headings)
    return {"heading": heading, "results": {name: results[name] for name in ordered}}


def remarks() -> list[str]:
    """Return who was measured, and how."""
    return [f"| {each.name} | `{each.requirement}` | {each.remarks} |" for each in RIVALS]


def into(document: Path, run: dict[str, Any]) -> None:
    """Put the figures of a run into a document, between its marks."""
    text = document.read_text(encoding="utf-8")
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{document}: the marks of the figures are gone; put {BEGIN!r} and {END!r} back")
    document.write_text(f"{head}{BEGIN}\n\n{page(run)}{END}{tail}", encoding="utf-8")
