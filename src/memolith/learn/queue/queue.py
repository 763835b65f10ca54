"""The queue: which sessions wait to be extracted and which projects to be consolidated, and who is at it.

Any number of processes may work at once. A job that is claimed belongs to its worker until the lease ends;
the worker renews it (`kept`), and after a crash another one takes over. Each claim has a token of its own.
Whatever a worker says about its job counts only while that token stands in the row, looked at in the very
transaction that writes: who lost the job can finish, fail or commit nothing (`LeaseLostError`).
"""

from __future__ import annotations

import contextlib
import threading
import time

from memolith.base.errors import MemolithError
from memolith.learn.queue import jobs
from memolith.learn.queue.database import Database
from memolith.learn.queue.extractions import Extraction, Extractions
from memolith.learn.queue.jobs import CONSOLIDATE, EXTRACT, Job, LeaseLostError
from memolith.learn.queue.ledger import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from sqlite3 import Connection
    from typing import Self, TypeVar

    from memolith.env.settings import Settings

    T = TypeVar("T")

__all__ = ["CONSOLIDATE", "EXTRACT", "Extraction", "Fence", "Job", "LeaseLostError", "Queue"]

_SECONDS = {  # how long a lease lasts, and how long a failed job waits
    EXTRACT: ("memories.stage1_lease_seconds", "memories.stage1_retry_delay_seconds"),
    CONSOLIDATE: ("memories.phase2_lease_seconds", "memories.phase2_retry_delay_seconds"),
}

_NAMED = (("jobs", "key"), ("outputs", "session"), ("requests", "session"))  # where a session's name stands


class Fence:
    """What a commit inside `fenced` may still say: its outcome, and the sessions that it was made from."""

    def __init__(self, outcome: str) -> None:
        self.outcome = outcome
        self.sessions: Iterable[str] | None = None


class Queue:
    """The queue of one home, with its extractions and its ledger in the same database.

    Nothing is opened until it is asked, and asking makes no file.
    """

    def __init__(self, home: str, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self.database = Database(home, settings.number("lock.seconds"))
        self._settings, self._now = settings, now
        self.extractions = Extractions(self.database, settings, now)
        self.ledger = Ledger(self.database, settings, now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    # ------------------------------------------------------------ asking for work

    def enqueue(self, kind: str, key: str, watermark: int | str = 0, *, forced: bool = False) -> bool:
        """Ask for a job to be done up to a watermark; False if that was done, or asked for, already.

        A newer watermark gives it all its attempts again. `forced` is a person's request: it is done even
        if nothing changed, and without a pause.
        """
        return self.database.change(
            lambda db: jobs.ask_for(db, kind, key, str(watermark), self._now(), forced=forced)
        )

    def retry(self, key: str) -> Job:
        """Give a job all its attempts again, even if it was done or cancelled. NotFoundError if none is."""

        def step(db: Connection) -> Job:
            job = jobs.known(db, key)
            jobs.ask_for(db, job.kind, key, job.input_watermark, self._now(), forced=True)
            return jobs.known(db, key)

        return self.database.change(step)

    def cancel(self, key: str) -> Job:
        """Leave a job be until there is something newer, and take it from whoever is at it."""

        def step(db: Connection) -> Job:
            job = jobs.known(db, key)
            jobs.cancel(db, job, self._now())
            return jobs.known(db, key)

        return self.database.change(step)

    # ------------------------------------------------------------ working

    def claim(
        self, kind: str, *, project: str | None = None, limit: int = 1, force: bool = False
    ) -> list[Job]:
        """Take jobs that are due, in the order they were asked for; each up to its `input_watermark`.

        Never more than `stage1_concurrency` extractions run at once, whatever the processes. `force` waits
        neither for a pause to end nor, before a consolidation, for extractions; it never takes a job from
        a worker whose lease holds.
        """
        now = self._now()
        rested = now - self._settings.number("memories.cooldown_hours") * 3600
        values = {"now": now, "rested": rested, "kind": kind, "project": project}
        due = f"({jobs.DUE} OR status = 'failed')" if force else jobs.DUE
        ripe = f" AND {jobs.RIPE}" if kind == CONSOLIDATE and not force else ""
        of = " AND project = :project" if project is not None else ""

        def step(db: Connection) -> list[Job]:
            room = limit
            if kind == EXTRACT:
                live = f"SELECT count(*) FROM jobs WHERE kind = :kind AND {jobs.LIVE}"  # noqa: S608
                allowed = int(self._settings.number("memories.stage1_concurrency"))
                room = min(limit, allowed - int(db.execute(live, values).fetchone()[0]))
            rows = db.execute(
                f"SELECT {jobs.COLUMNS} FROM jobs WHERE kind = :kind{of} AND {due}{ripe}"  # noqa: S608
                " ORDER BY rowid LIMIT :room",
                {**values, "room": max(0, room)},
            ).fetchall()
            return [jobs.take(db, jobs.read(row), now, self._lease(kind)) for row in rows]

        return self.database.change(step)

    def heartbeat(self, job: Job) -> bool:
        """Renew a lease; False if it has ended, or the job is somebody else's: its place may be taken."""
        now = self._now()
        return bool(
            self.database.update(
                "UPDATE jobs SET lease_until = ?, updated = ? WHERE kind = ? AND key = ? AND token = ?"
                " AND status = 'running' AND lease_until > ?",
                *(now + self._lease(job.kind), now, job.kind, job.key, job.token, now),
            )
        )

    def holds(self, job: Job) -> bool:
        """Whether nobody else has taken a job over, be its lease over or not."""
        found = self.database.ask(
            "SELECT 1 FROM jobs WHERE kind = ? AND key = ? AND token = ? AND status = 'running'",
            *(job.kind, job.key, job.token),
        )
        return bool(found)

    def finish(self, job: Job, outcome: str, *, output: Extraction | None = None) -> bool:
        """Mark a job as done, with what it brought; True if a consolidation has something new to read.

        An extraction without an output had nothing to teach: what the session taught before goes.
        """

        def step(db: Connection) -> bool:
            jobs.succeed(db, job, outcome, self._now())
            if job.kind != EXTRACT:
                return False
            if output is not None:
                changed = self.extractions.store(db, output)
            else:
                changed = self.extractions.remove(db, job.project, job.session, job.input_watermark)
            if changed:
                jobs.dirty(db, job.project, self._now())
            return changed

        return self.database.change(step)

    @contextlib.contextmanager
    def fenced(self, job: Job, outcome: str = "") -> Iterator[Fence]:
        """Hold everybody else off while files are committed; the job is done when the block ends well.

        LeaseLostError, before anything in the block runs, if the job is somebody else's. If the block raises,
        the job is still running: `fail` or `release` it. What is yielded takes the outcome and the sessions.
        """
        with self.database.writing() as db:
            jobs.held(db, job)
            fence = Fence(outcome)
            yield fence
            if fence.sessions is not None:
                self.extractions.mark(db, job.project, fence.sessions)
            jobs.succeed(db, job, fence.outcome, self._now())

    def fail(self, job: Job, error: str, *, delay: float = 0.0) -> None:
        """Mark an attempt as failed: it is tried again after the pause that is set, or `delay` if longer."""
        pause = max(delay, self._settings.number(_SECONDS[job.kind][1]))
        self.database.change(lambda db: jobs.let_go(db, job, error, self._now(), pause=pause))

    def release(self, job: Job, why: str) -> None:
        """Give a job back undone, without counting an attempt: a ceiling was reached, or the run ends."""
        self.database.change(lambda db: jobs.let_go(db, job, why, self._now(), pause=None))

    @contextlib.contextmanager
    def kept(self, job: Job) -> Iterator[None]:
        """Renew the lease from a thread while the block runs, as long as it holds."""
        ended = threading.Event()
        pause = min(self._settings.number("memories.phase2_heartbeat_seconds"), self._lease(job.kind) / 3)

        def beat() -> None:
            while not ended.wait(pause):
                with contextlib.suppress(MemolithError):  # the next beat may get through
                    if not self.heartbeat(job):
                        return

        thread = threading.Thread(target=beat, name=f"lease of {job.key}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _lease(self, kind: str) -> float:
        return self._settings.number(_SECONDS[kind][0])

    # ------------------------------------------------------------ looking and forgetting

    def jobs(self, project: str | None = None, kind: str | None = None) -> list[Job]:
        """Return the jobs of a project, or of all, last changed first."""
        rows = self.database.ask(
            f"SELECT {jobs.COLUMNS} FROM jobs WHERE (?1 IS NULL OR project = ?1)"  # noqa: S608
            " AND (?2 IS NULL OR kind = ?2) ORDER BY updated DESC, kind, key",
            project,
            kind,
        )
        return [jobs.read(row) for row in rows]

    def watermarks(self, project: str) -> dict[str, str]:
        """Return the version of each session of a project that was extracted last."""
        found = self.jobs(project, EXTRACT)
        return {job.session: job.success_watermark for job in found if job.success_watermark}

    def forget_session(self, project: str, session: str) -> bool:
        """Drop a session and what it taught; True if the next consolidation has to forget it too.

        A consolidation that is running may have read it, so it loses its job.
        """
        key = f"{project}/{session}"

        def step(db: Connection) -> bool:
            db.execute("DELETE FROM jobs WHERE kind = ? AND key = ?", (EXTRACT, key))
            mine = "project = ? AND session = ?"
            db.execute(f"UPDATE requests SET session = '' WHERE {mine}", (project, session))  # noqa: S608
            row = db.execute(f"SELECT in_set FROM outputs WHERE {mine}", (project, session)).fetchone()  # noqa: S608
            job = jobs.find(db, CONSOLIDATE, project)
            read = row is not None and job is not None and job.status == "running"
            if job is not None and read:
                jobs.let_go(db, job, "a session that it may have read was forgotten", self._now(), pause=None)
            self.extractions.remove(db, project, session)
            used = bool(row and row[0]) or read
            if used:
                jobs.dirty(db, project, self._now(), forced=True)
            return used

        return self._drop(step, nothing=False)

    def erase(self, project: str | None, change: Callable[[str], str], rename: Callable[[str], str]) -> int:
        """Change the texts of what was extracted, in a project or in all; return how many it changed.

        `rename` says what a session is called from now on.
        """

        def step(db: Connection) -> int:
            texts = "raw_memory, rollout_summary, rollout_slug"
            rows = db.execute(
                f"SELECT rowid, {texts} FROM outputs WHERE ?1 IS NULL OR project = ?1",  # noqa: S608
                (project,),
            ).fetchall()
            new = [(*(change(text) if text else text for text in row[1:]), row[0]) for row in rows]
            other = [one for one, row in zip(new, rows, strict=True) if one[:-1] != row[1:]]
            fresh = "raw_memory = ?, rollout_summary = ?, rollout_slug = ?"
            db.executemany(f"UPDATE outputs SET {fresh} WHERE rowid = ?", other)  # noqa: S608
            for table, column in _NAMED:
                every = f"SELECT DISTINCT {column} FROM {table} WHERE ?1 IS NULL OR project = ?1"  # noqa: S608
                for (name,) in db.execute(every, (project,)).fetchall():
                    slug, slash, session = name.rpartition("/")
                    if (called := rename(session)) != session and (slash or table != "jobs"):
                        change_it = f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?"  # noqa: S608
                        db.execute(change_it, (f"{slug}{slash}{called}", name))
            return len(other)

        return self._drop(step, nothing=0)

    def clear(self, project: str | None = None) -> int:
        """Drop all jobs and extractions of a project, or of all; return how many. What was spent stays."""

        def step(db: Connection) -> int:
            tables = ("jobs", "outputs")
            every = [f"DELETE FROM {table} WHERE ?1 IS NULL OR project = ?1" for table in tables]  # noqa: S608
            return sum(db.execute(each, (project,)).rowcount for each in every)

        return self._drop(step, nothing=0)

    def _drop(self, step: Callable[[Connection], T], nothing: T) -> T:
        """Do a step that leaves no bytes of what it deletes; where there is no database, do not make one."""
        if not self.database.exists:
            return nothing
        dropped = self.database.change(step)
        self.database.scrub()
        return dropped
