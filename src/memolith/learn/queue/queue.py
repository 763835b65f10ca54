"""The queue: sessions to extract, projects to consolidate, and their workers.

Any number of processes may work at once. A claimed job belongs to its worker until the lease expires; the
worker renews it (`kept`), and after a crash another one takes over. Each claim has its own token. A worker's
changes to a job count only while that token is in the row, checked in the same transaction that writes: a
worker that lost the job cannot finish, fail or commit it (`LeaseLostError`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time

from memolith.base.errors import MemolithError
from memolith.learn.queue import jobs
from memolith.learn.queue.database import Database
from memolith.learn.queue.extractions import Extraction, Extractions
from memolith.learn.queue.glances import Glances
from memolith.learn.queue.jobs import CONSOLIDATE, EXTRACT, Job, LeaseLostError
from memolith.learn.queue.ledger import Ledger
from memolith.text.secrets.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from sqlite3 import Connection
    from typing import Concatenate, ParamSpec, Self, TypeVar

    from memolith.env.settings import Settings

    P = ParamSpec("P")
    T = TypeVar("T")

__all__ = ["CONSOLIDATE", "EXTRACT", "Extraction", "Fence", "Job", "LeaseLostError", "Queue"]

_ATTEMPTS = 3
_MAX_TEXT = 2_000  # characters of an error or outcome
_SECONDS = {  # the settings for a lease, and for the wait after a failure
    EXTRACT: ("memories.stage1_lease_seconds", "memories.stage1_retry_delay_seconds"),
    CONSOLIDATE: ("memories.phase2_lease_seconds", "memories.phase2_retry_delay_seconds"),
}

# Columns with a session's name.
_NAMED = (("jobs", "key"), ("outputs", "session"), ("requests", "session"), ("glances", "session"))


def _transaction(method: Callable[Concatenate[Queue, P], T]) -> Callable[Concatenate[Queue, P], T]:
    """Run a method in one transaction, joining an outer one; retry it if the file was damaged."""

    @functools.wraps(method)
    def whole(queue: Queue, /, *given: P.args, **named: P.kwargs) -> T:
        return queue.database.change(lambda _: method(queue, *given, **named))

    return whole


class Fence:
    """What a commit inside `fenced` may still set: its outcome, and the sessions it used."""

    def __init__(self, outcome: str) -> None:
        self.outcome = outcome
        self.sessions: Iterable[str] | None = None


class Queue:
    """The queue of one home, with its extractions and its ledger in the same database.

    Nothing is opened before the first query, and a query creates no file.
    """

    def __init__(self, home: str, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self.database = Database(home, settings.number("lock.seconds"))
        self._settings, self._now = settings, now
        self._rows = jobs.Rows(self.database, now)
        self.extractions = Extractions(self.database, settings, now)
        self.glances = Glances(self.database)
        self.ledger = Ledger(self.database, settings, now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # ------------------------------------------------------------ requesting work

    @_transaction
    def enqueue(self, kind: str, key: str, watermark: int | str = 0, *, forced: bool = False) -> bool:
        """Request a job up to a watermark; False if it is already done or requested.

        A newer watermark resets its attempts. `forced` is a person's request: the job runs even if nothing
        changed, and without a pause.
        """
        job, wanted = self._rows.find(kind, key), str(watermark)
        if job is None:
            self.database.update(
                "INSERT INTO jobs (kind, key, project, status, retry_remaining, input_watermark, forced,"
                " updated) VALUES (?, ?, ?, 'pending', ?, ?, ?, ?)",
                *(kind, key, key.partition("/")[0], _ATTEMPTS, wanted, forced, self._now()),
            )
            return True
        changed = jobs.newer(wanted, job.input_watermark)
        if not forced and not changed:
            return False
        wanted, done = wanted if changed else job.input_watermark, job.success_watermark
        if wanted == done and kind == CONSOLIDATE:
            wanted = str(jobs.number(done) + 1)
        elif wanted == done:
            done = ""  # we cannot raise a session's version, so treat it as not done
        self._rows.set(
            job,
            status="running" if job.status == "running" else "pending",
            input_watermark=wanted,
            success_watermark=done,
            retry_remaining=_ATTEMPTS,
            retry_at=0.0,
            forced=forced or job.forced,
        )
        return True

    @_transaction
    def retry(self, key: str) -> Job:
        """Reset the attempts of a job, even if done or cancelled. NotFoundError if there is no such job."""
        job = self._rows.known(key)
        self.enqueue(job.kind, key, job.input_watermark, forced=True)
        return self._rows.known(key)

    @_transaction
    def cancel(self, key: str) -> Job:
        """Skip a job until there is a newer version, and revoke its lease."""
        job = self._rows.known(key)
        done = job.input_watermark
        self._rows.set(job, status="done", success_watermark=done, forced=False, outcome="cancelled")
        return self._rows.known(key)

    def _renew(self, project: str, *, forced: bool = False) -> None:
        """Note that there is something new to consolidate."""
        job = self._rows.find(CONSOLIDATE, project)
        count = jobs.number(job.input_watermark) + 1 if job else 1
        self.enqueue(CONSOLIDATE, project, count, forced=forced)

    # ------------------------------------------------------------ working

    @_transaction
    def claim(
        self, kind: str, *, project: str | None = None, limit: int = 1, force: bool = False
    ) -> list[Job]:
        """Claim jobs that are due, in the order requested; each up to its `input_watermark`.

        At most `stage1_concurrency` extractions run at once, across all processes. `force` ignores pauses
        and, for a consolidation, running extractions; it never takes a job from a worker with a valid lease.
        """
        now = self._now()
        rested = now - self._settings.number("memories.cooldown_hours") * 3600
        values = {"now": now, "rested": rested, "kind": kind, "project": project}
        if kind == EXTRACT:
            live = f"SELECT count(*) FROM jobs WHERE kind = :kind AND {jobs.LIVE}"  # noqa: S608
            allowed = int(self._settings.number("memories.stage1_concurrency"))
            limit = min(limit, allowed - int(self.database.ask(live, values)[0][0]))
        due = f"({jobs.DUE} OR status = 'failed')" if force else jobs.DUE
        ripe = f" AND {jobs.RIPE}" if kind == CONSOLIDATE and not force else ""
        rows = self.database.ask(
            f"SELECT {jobs.COLUMNS} FROM jobs WHERE kind = :kind AND (:project IS NULL OR project = :project)"  # noqa: S608
            f" AND {due}{ripe} ORDER BY rowid LIMIT :room",
            {**values, "room": max(0, limit)},
        )
        return [self._take(jobs.read(row)) for row in rows]

    def _take(self, job: Job) -> Job:
        """Assign a job to this process; its former worker can no longer change it."""
        left = (
            f"its worker, process {job.worker}, ended before it was done" if job.status == "running" else ""
        )
        self._rows.set(
            job,
            status="running",
            worker=str(os.getpid()),
            token=os.urandom(8).hex(),
            lease_until=self._now() + self._lease(job.kind),
            last_error=left or job.last_error,
        )
        return self._rows.known(job.key)

    def heartbeat(self, job: Job) -> bool:
        """Renew a lease; False if it expired or another worker has the job."""
        now = self._now()
        return bool(
            self.database.update(
                "UPDATE jobs SET lease_until = ?, updated = ? WHERE kind = ? AND key = ? AND token = ?"
                " AND status = 'running' AND lease_until > ?",
                *(now + self._lease(job.kind), now, job.kind, job.key, job.token, now),
            )
        )

    def holds(self, job: Job) -> bool:
        """Whether no other worker has taken the job, even if the lease has expired."""
        found = self.database.ask(
            "SELECT 1 FROM jobs WHERE kind = ? AND key = ? AND token = ? AND status = 'running'",
            *(job.kind, job.key, job.token),
        )
        return bool(found)

    @_transaction
    def finish(
        self, job: Job, outcome: str, *, output: Extraction | None = None, stored: bool = True
    ) -> bool:
        """Mark a job as done, with its outcome; True if a consolidation has something new to read.

        An extraction without output found nothing: the session's earlier extraction is dropped, unless none
        is to be `stored`.
        """
        self._succeed(job, outcome)
        if job.kind != EXTRACT or not stored:
            return False
        if output is not None:
            changed = self.extractions.store(output)
        else:
            changed = self.extractions.remove(job.project, job.session, job.input_watermark)
        if changed:
            self._renew(job.project)
        return changed

    @contextlib.contextmanager
    def fenced(self, job: Job, outcome: str = "") -> Iterator[Fence]:
        """Exclude all other workers while files are committed; the job is done if the block succeeds.

        LeaseLostError, before the block runs, if another worker has the job. If the block raises, the job is
        still running: `fail` or `release` it. The yielded fence takes the outcome and the sessions.
        """
        with self.database.writing():
            self._rows.held(job)
            fence = Fence(outcome)
            yield fence
            if fence.sessions is not None:
                self.extractions.mark(job.project, fence.sessions)
            self._succeed(job, fence.outcome)

    def _succeed(self, job: Job, outcome: str) -> None:
        """Mark a job as done up to the watermark it was claimed with."""
        row = self._rows.held(job)
        more = row.input_watermark != job.input_watermark  # a newer version arrived meanwhile
        self._rows.set(
            job,
            status="pending" if more else "done",
            success_watermark=job.input_watermark,
            retry_remaining=_ATTEMPTS,
            retry_at=0.0,
            last_error="",
            outcome=_clean(outcome),
            forced=more and row.forced,
            finished=self._now(),
        )

    @_transaction
    def fail(self, job: Job, error: str, *, delay: float = 0.0) -> None:
        """Mark an attempt as failed; it is retried after the configured pause, or `delay` if longer.

        A version that arrived meanwhile has all its attempts and need not wait.
        """
        row = self._rows.held(job)
        if row.input_watermark != job.input_watermark:
            return self.release(job, error)
        left = row.retry_remaining - 1
        self._rows.set(
            job,
            status="failed" if left > 0 else "error",
            retry_remaining=left,
            retry_at=self._now() + max(delay, self._settings.number(_SECONDS[job.kind][1])),
            last_error=_clean(error),
        )
        return None

    @_transaction
    def release(self, job: Job, why: str) -> None:
        """Return a job undone, without counting an attempt: a ceiling was reached, or the run ends."""
        self._rows.held(job)
        self._rows.set(job, status="pending", retry_at=0.0, last_error=_clean(why))

    @contextlib.contextmanager
    def kept(self, job: Job) -> Iterator[None]:
        """Renew the lease from a thread while the block runs, as long as it is valid."""
        ended = threading.Event()
        pause = min(self._settings.number("memories.phase2_heartbeat_seconds"), self._lease(job.kind) / 3)

        def beat() -> None:
            while not ended.wait(pause):
                with contextlib.suppress(MemolithError):  # the next beat may succeed
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

    # ------------------------------------------------------------ queries and removal

    def jobs(self, project: str | None = None, kind: str | None = None) -> list[Job]:
        """Return the jobs of a project, or of all projects, last changed first."""
        rows = self.database.ask(
            f"SELECT {jobs.COLUMNS} FROM jobs WHERE (?1 IS NULL OR project = ?1)"  # noqa: S608
            " AND (?2 IS NULL OR kind = ?2) ORDER BY updated DESC, kind, key",
            project,
            kind,
        )
        return [jobs.read(row) for row in rows]

    def watermarks(self, project: str) -> dict[str, str]:
        """Return the last extracted version of each session of a project."""
        found = self.jobs(project, EXTRACT)
        return {job.session: job.success_watermark for job in found if job.success_watermark}

    def forget_session(self, project: str, session: str) -> bool:
        """Drop a session and its extraction; True if the next consolidation has to drop it too.

        A consolidation that is running may have read it, so it loses its job.
        """
        key = f"{project}/{session}"

        def step(db: Connection) -> bool:
            db.execute("DELETE FROM jobs WHERE kind = ? AND key = ?", (EXTRACT, key))
            mine = "project = ? AND session = ?"
            db.execute(f"UPDATE requests SET session = '' WHERE {mine}", (project, session))  # noqa: S608
            row = db.execute(f"SELECT in_set FROM outputs WHERE {mine}", (project, session)).fetchone()  # noqa: S608
            job = self._rows.find(CONSOLIDATE, project)
            read = row is not None and job is not None and job.status == "running"
            if job is not None and read:
                self.release(job, "a session that it may have read was forgotten")
            db.execute(f"DELETE FROM glances WHERE {mine}", (project, session))  # noqa: S608
            self.extractions.remove(project, session)
            used = bool(row and row[0]) or read
            if used:
                self._renew(project, forced=True)
            return used

        return self._drop(step, nothing=False)

    def erase(self, project: str | None, change: Callable[[str], str], rename: Callable[[str], str]) -> int:
        """Change the texts of extractions, in a project or in all; return how many changed.

        `rename` maps a session's name to its new one.
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
        """Drop all jobs and extractions of a project, or of all projects; return how many. Costs stay."""

        def step(db: Connection) -> int:
            tables = ("glances", "jobs", "outputs")
            every = [f"DELETE FROM {table} WHERE ?1 IS NULL OR project = ?1" for table in tables]  # noqa: S608
            return sum([db.execute(each, (project,)).rowcount for each in every][1:])

        return self._drop(step, nothing=0)

    def _drop(self, step: Callable[[Connection], T], nothing: T) -> T:
        """Run a step and scrub the bytes it deletes; without a database, do not create one."""
        if not self.database.exists:
            return nothing
        dropped = self.database.change(step)
        self.database.scrub()
        return dropped


def _clean(text: str) -> str:
    """Return a message fit to store: a service's error may quote the text it was sent."""
    return redact(text).text[:_MAX_TEXT]
