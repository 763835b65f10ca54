"""`python -m bench.rivals [--only NAME] [--jobs a,b] [--json FILE] [--write]`: the same jobs for everyone.

Installs the rivals once, each in an environment of its own under `.dev/rivals/`, then measures without the
network. What cannot run is said with the reason. docs/rivals.md has the method and the last table.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.rivals import report, safety, speed
from bench.rivals.installing import Installed, install, interpreter
from bench.rivals.recall import locomo
from bench.rivals.rivals import RIVALS, Rival
from bench.rivals.stand import Amounts, Figures, stand
from bench.rivals.talking import ROOT, Failed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

JOBS = ("install", "start", "write", "sync", "search", "recall", "kill", "concurrent")
ALONE = {"start": speed.start, "write": speed.write, "kill": safety.kill, "concurrent": safety.concurrent}
DOCUMENT = ROOT / "docs" / "rivals.md"


def measure(
    installed: Installed, url: str, amounts: Amounts, jobs: Sequence[str]
) -> Iterator[tuple[str, Figures]]:
    """Yield the figures of each job of one rival, or why it did not run."""
    for job in jobs:
        if job == "install":
            yield job, {key: value for key, value in installed.cost.items() if key != "want"}
        elif job == "recall":
            with stand(installed, url, amounts, model="kept", memory=True) as place:
                yield job, tried(lambda place=place: locomo(place))
        elif job in ALONE:
            with stand(installed, url, amounts) as place:
                yield job, tried(lambda place=place, job=job: ALONE[job](place))
    if {"sync", "search"} & set(jobs):
        with stand(installed, url, amounts) as place:
            taken = tried(lambda: speed.sync(place))
            if "sync" in jobs:
                yield "sync", taken
            if "search" in jobs:
                missing = {"failed": "the files were not taken in"}
                yield "search", missing if "failed" in taken else tried(lambda: speed.search(place))


def tried(job: Any) -> Figures:
    """Return the figures of a job, or why it did not run."""
    try:
        figures: Figures = job()
    except Failed as failed:
        return {"failed": str(failed)}
    return figures


@contextmanager
def endpoint(python: str, rivals: Sequence[Rival]) -> Iterator[str]:
    """Serve the vectors for those that ask for them; the address is empty if nobody does."""
    if not any(rival.endpoint for rival in rivals):
        yield ""
        return
    ours = install(next(rival for rival in RIVALS if rival.requirement == "memolith[semantic]"), python)
    process = subprocess.Popen(
        [ours.python, "-m", "bench.rivals.endpoint"],
        cwd=ROOT,
        # On a busy machine two threads of numpy mostly wait for each other.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def run(
    chosen: Sequence[Rival], jobs: Sequence[str], amounts: Amounts, python: str
) -> Iterator[dict[str, Any]]:
    """Measure all of them; yield what there is to tell, again after each job."""
    begin = time.monotonic()
    results: report.Results = {rival.name: {} for rival in chosen}

    def told() -> dict[str, Any]:
        took = time.monotonic() - begin
        return {"heading": heading(amounts, python, results, took), "results": results}

    installed: dict[str, Installed] = {}
    for rival in chosen:
        say(f"{rival.name}: installing, unless it is there")
        try:
            installed[rival.name] = install(rival, python)
        except Failed as failed:
            results[rival.name]["install"] = {"failed": str(failed)}
    yield told()
    with endpoint(python, [rival for rival in chosen if rival.name in installed]) as url:
        for name, each in installed.items():
            for job, figures in measure(each, url, amounts, jobs):
                results[name][job] = figures
                say(f"{time.monotonic() - begin:6.0f} s  {name}, {job}: {figures}")
                yield told()


def heading(amounts: Amounts, python: str, results: report.Results, took: float) -> str:
    """Return when, where and how much."""
    version = subprocess.run([python, "-V"], check=True, capture_output=True, text=True).stdout.strip()
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    found = next((jobs["recall"] for jobs in results.values() if "turns" in jobs.get("recall", {})), {})
    floor = [jobs["write"]["floor_ms"] for jobs in results.values() if "floor_ms" in jobs.get("write", {})]
    done = {job for jobs in results.values() for job, figures in jobs.items() if "failed" not in figures}
    amount = {
        "sync": f"{amounts.files} files of 44 words",
        "search": f"{amounts.questions} questions",
        "write": f"{amounts.writes} writes"
        + (f" (a bare durable one takes {min(floor):.1f} to {max(floor):.1f} ms)" if floor else ""),
        "kill": f"{amounts.kills} kills",
        "concurrent": f"{amounts.writers} × {amounts.each} writes at once",
    }
    parts = [text for job, text in amount.items() if job in done]
    if found:
        parts.append(
            "LoCoMo: {conversations} conversations, {turns} turns, {questions} questions".format(**found)
        )
    return (
        f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}, {version}, {os.cpu_count()} cores (load {load} at the end), "
        f"{took / 60:.0f} minutes. {'; '.join(parts)}."
    )


def say(text: str) -> None:
    print(text[:400], file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    defaults = Amounts()
    parser = argparse.ArgumentParser(prog="bench.rivals", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--only", action="append", metavar="NAME", help="a row of the table; may be repeated")
    parser.add_argument("--jobs", default=",".join(JOBS), help=f"of {', '.join(JOBS)}")
    parser.add_argument("--files", type=int, default=defaults.files, help="files to take in and to search")
    parser.add_argument("--conversations", type=int, default=defaults.conversations, help="of LoCoMo")
    parser.add_argument(
        "--patience", type=float, default=defaults.patience, help="seconds until a job repeats less"
    )
    parser.add_argument("--python", help="the interpreter of all the environments")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go")
    parser.add_argument(
        "--from",
        type=Path,
        metavar="FILE",
        dest="stored",
        action="append",
        help="show the figures of a run that was stored with --json; of several, later ones count",
    )
    parser.add_argument("--write", action="store_true", help="put the tables into docs/rivals.md")
    asked = parser.parse_args(argv)
    known = [rival.name for rival in RIVALS]
    names = asked.only or known
    jobs = asked.jobs.split(",")
    for wrong in (set(names) - set(known)) | (set(jobs) - set(JOBS)):
        parser.error(f"{wrong!r} is not known; rivals: {', '.join(known)}; jobs: {', '.join(JOBS)}")
    if asked.stored:
        told = report.together([json.loads(each.read_text(encoding="utf-8")) for each in asked.stored])
    else:
        chosen = [rival for rival in RIVALS if rival.name in names]
        amounts = dataclasses.replace(
            defaults, files=asked.files, conversations=asked.conversations, patience=asked.patience
        )
        for told in run(chosen, jobs, amounts, interpreter(asked.python)):
            if asked.json:  # each time, so that a run that is interrupted leaves something
                text = json.dumps(told, indent=1, ensure_ascii=False)
                asked.json.write_text(text + "\n", encoding="utf-8")
    if asked.write:
        report.into(DOCUMENT, told)
    print(report.page(told))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    sys.exit(main())
