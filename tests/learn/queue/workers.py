"""Processes that share a queue: `python -m tests.learn.queue.workers NAME ARGUMENTS…` prints a report.

Each forks its workers, so that twenty of them start within some milliseconds; a worker notes what it did, in
one file for all, only after the call returned.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from prove.crowd import Notes, forked, waited

from memolith.base.errors import CeilingError
from memolith.env.settings import Settings
from memolith.learn.queue import jobs
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Extraction, Job, LeaseLostError, Queue
from tests.shared import ROOT, until

PROJECT = "shop-01234567"
VERSION = 7


def report(name: str, *arguments: object, **environment: str) -> dict[str, object]:
    """Run one of the programs below; return what it reports."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.learn.queue.workers", name, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        timeout=100,
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def extraction(job: Job, text: str = "a lesson") -> Extraction:
    """Return what a job to extract might bring."""
    return Extraction(
        session=job.session,
        project=job.project,
        source_watermark=job.input_watermark,
        started="2026-11-01T10:00:00Z",
        raw_memory=text,
        rollout_summary=f"about {text}",
        rollout_slug="a-lesson",
        model="none",
    )


def together(count: int, work: Callable[[], None]) -> bool:
    """Let processes do the same at the same moment; tell whether all of them ended well."""
    reader, writer = os.pipe()

    def wait_then_work() -> None:
        os.close(writer)
        os.read(reader, 1)
        work()

    children = [forked(wait_then_work) for _ in range(count)]
    os.close(reader)
    os.close(writer)
    return not waited(children, 90)


# ---------------------------------------------------------------- many at once


def _crowd(home: str, processes: str, sessions: str, broken: str = "") -> dict[str, object]:
    """Start processes that all find the same sessions; say how often each was extracted."""
    if broken:
        jobs.LIVE, jobs.DUE = "0", "status IN ('pending', 'running')"  # a lease holds nobody off
    notes = Notes(Path(home, "notes"))
    settings = Settings(home)

    def all_have_one() -> bool:
        return len(notes.of("extract")) >= int(processes)

    def work() -> None:
        with Queue(home, settings) as queue:
            with queue.database.writing():
                for number in range(int(sessions)):
                    queue.enqueue(EXTRACT, f"{PROJECT}/claude-{number}", VERSION)
            while found := queue.claim(EXTRACT, project=PROJECT):
                running = [job for job in queue.jobs(PROJECT, EXTRACT) if job.status == "running"]
                notes.add("running", len(running))
                notes.add("extract", found[0].key)
                if broken:  # what a race would show now and then
                    until(all_have_one)
                queue.finish(found[0], "a lesson", output=extraction(found[0]))
            for job in queue.claim(CONSOLIDATE, project=PROJECT):
                sources = queue.extractions.all(PROJECT)
                notes.add("consolidate", len(sources))
                with queue.fenced(job, "written") as fence:
                    fence.sessions = [each.session for each in sources]

    well = together(int(processes), work)
    said = Counter(notes.lines())
    with Queue(home, settings) as queue:
        statuses = Counter(job.status for job in queue.jobs())
    return {
        "well": well,
        "extracted": sorted(Counter(notes.of("extract")).values()),
        "consolidated": {line: count for line, count in said.items() if line.startswith("consolidate")},
        "most at once": max(map(int, notes.of("running"))),
        "statuses": statuses,
    }


# ---------------------------------------------------------------- killed at random moments

JOBS = 8


class Killing:
    """Rounds in which workers are killed at random moments, and one sleeps until its lease is long over."""

    def __init__(self, home: str, seed: int) -> None:
        self.home, self.kills = home, 0
        self.wrong: list[str] = []
        self.notes = Notes(Path(home, "notes"))
        self._chance, self._settings = random.Random(seed), Settings(home)
        self._clock = time.time()

    def queue(self) -> Queue:
        """Open the queue; its clock stands still during a round."""
        return Queue(self.home, self._settings, lambda: self._clock)

    def commit(self, queue: Queue, job: Job) -> None:
        """Write two files that belong together."""
        with queue.fenced(job, "written"):
            for part in ("one", "other"):
                Path(self.home, f"{job.session}.{part}").write_text(job.token, encoding="utf-8")
        self.notes.add("done", job.key)

    def work(self, begun: int) -> None:
        """Do jobs until there are none."""
        with self.queue() as queue:
            while found := queue.claim(EXTRACT):
                self.notes.add("claimed", found[0].key)
                os.write(begun, b".")
                time.sleep(0.004)  # the request
                self.commit(queue, found[0])

    def sleep(self) -> None:
        """Take a job, and come back to it when it is somebody else's."""
        with self.queue() as queue:
            (job,) = queue.claim(EXTRACT)
            os.kill(os.getpid(), signal.SIGSTOP)
            try:
                self.commit(queue, job)
            except LeaseLostError:
                self.notes.add("too late", job.key)

    def round(self, number: int) -> None:
        """Kill three of four workers; see that nothing is lost, stuck, done twice or half written."""
        keys = [f"{PROJECT}/claude-{number}-{each}" for each in range(JOBS)]
        with self.queue() as queue, queue.database.writing():
            for key in keys:
                queue.enqueue(EXTRACT, key, VERSION)
        sleeper = forked(self.sleep)
        os.waitpid(sleeper, os.WUNTRACED)
        self._kill_some()
        with self.queue() as queue:
            # One worker lived and drained the queue: what is left belongs to those that did not.
            left = {job.key for job in queue.jobs(PROJECT) if job.status != "done"}
            self.wrong += [f"{job.key} was taken too early" for job in queue.claim(EXTRACT, limit=99)]
            self._clock += self._settings.number("memories.stage1_lease_seconds")
            late = queue.claim(EXTRACT, limit=99)
            self.wrong += [f"{key} is stuck" for key in left - {job.key for job in late}]
            for job in late:
                self.notes.add("claimed", job.key)
                self.commit(queue, job)
            os.kill(sleeper, signal.SIGCONT)
            os.waitpid(sleeper, 0)
            done = {job.key for job in queue.jobs(PROJECT) if job.status == "done"}
        self.wrong += [f"{key} is lost" for key in keys if key not in done]
        self.wrong += [f"{key} is half written" for key in keys if not self._is_whole(key)]

    def _kill_some(self) -> None:
        reader, writer = os.pipe()
        children = [forked(lambda: self.work(writer)) for _ in range(4)]
        os.read(reader, 1)  # the first of them is at work
        time.sleep(self._chance.uniform(0, 0.005))  # the random moment
        for child in self._chance.sample(children, 3):
            os.kill(child, signal.SIGKILL)
            self.kills += 1
        for child in children:
            os.waitpid(child, 0)
        os.close(reader)
        os.close(writer)

    def _is_whole(self, key: str) -> bool:
        session = key.partition("/")[2]
        return (
            len({Path(self.home, f"{session}.{part}").read_text("utf-8") for part in ("one", "other")}) == 1
        )


def _killed(home: str, seed: str, rounds: str) -> dict[str, object]:
    """Kill workers at random moments, round after round; say what was lost, doubled or stuck."""
    killing = Killing(home, int(seed))
    for number in range(int(rounds)):
        killing.round(number)
    said = Counter(killing.notes.lines())
    twice = [line for line, count in said.items() if line.startswith("done") and count > 1]
    with sqlite3.connect(os.path.join(home, "state", "state.sqlite3")) as db:
        healthy = db.execute("PRAGMA integrity_check").fetchone()[0]
    return {
        "kills": killing.kills,
        "wrong": [*killing.wrong, *twice],
        "integrity": healthy,
        "taken over": sum(count > 1 for line, count in said.items() if line.startswith("claimed")),
        "too late": sum(line.startswith("too late") for line in said),
    }


# ---------------------------------------------------------------- spending


def _spend(home: str, processes: str, tokens: str, seconds: str) -> dict[str, object]:
    """Let processes send requests until a ceiling stops them; say which, and what was spent."""
    notes = Notes(Path(home, "notes"))
    settings = Settings(home)

    def work() -> None:
        with Queue(home, settings) as queue:
            ledger = queue.ledger
            while True:
                try:
                    entry = ledger.reserve(
                        "run", "extract", PROJECT, "s", "m", tokens=int(tokens), seconds=float(seconds)
                    )
                except CeilingError as error:
                    notes.add("stopped", error.ceiling)
                    return
                ledger.settle(entry, int(tokens), 0, entry.seconds, "ok")

    well = together(int(processes), work)
    with Queue(home, settings) as queue:
        used = queue.ledger.totals(run="run")
    return {"well": well, "stopped": Counter(notes.lines()), **used.as_dict()}


def main() -> None:
    """Run one program: `NAME ARGUMENTS…`."""
    name, *arguments = sys.argv[1:]
    programs: dict[str, Callable[..., dict[str, object]]] = {
        "crowd": _crowd,
        "killed": _killed,
        "spend": _spend,
    }
    os.makedirs(arguments[0], exist_ok=True)
    print(json.dumps(programs[name](*arguments)))


if __name__ == "__main__":
    main()
