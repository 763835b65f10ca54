"""One row of the queue, and what may happen to it, inside a transaction that somebody else holds.

Watermarks are versions: a number, or a number and a fingerprint (`12-9f3a…`). A larger number is newer; with
the same number, another fingerprint is. `input` is the version that is wanted, `success` the one that was
done; while they differ, there is something to do. For an extraction it is the version of the session; for
a consolidation a counter that every change of an extraction raises.

A row that was changed in the future says that the clock was set back. Whatever it waits for is over then.
"""

from __future__ import annotations

import os

from memolith.base.errors import BusyError, NotFoundError
from memolith.base.values import Value
from memolith.store.screen import quoted
from memolith.text.secrets.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

EXTRACT, CONSOLIDATE = "extract", "consolidate"
ATTEMPTS = 3
_MAX_TEXT = 2_000  # characters of an error or outcome

_SANE = "updated <= :now + 5"  # seconds that the clock may be corrected by
LIVE = f"(status = 'running' AND lease_until > :now AND {_SANE})"
DUE = (
    f"(status = 'pending' OR (status = 'failed' AND NOT (retry_at > :now AND {_SANE}))"
    f" OR (status = 'running' AND NOT {LIVE}))"
)
# A consolidation waits until the extractions of its project are through, so that the last of many workers
# does it, once; and for some hours after the one before, unless somebody asked for it.
RIPE = (
    "(forced OR NOT (finished > :rested AND finished <= :now + 5)) AND NOT EXISTS (SELECT 1 FROM jobs AS"  # noqa: S608
    f" other WHERE other.kind = 'extract' AND other.project = jobs.project AND ({DUE} OR {LIVE}))"
)


class LeaseLostError(BusyError):
    """Another worker has the job now, or it was cancelled: nothing was written."""

    def __init__(self, job: Job) -> None:
        super().__init__(
            f"{job.kind} {job.key}: this worker lost the job (its lease ended and another one took over, or "
            "it was cancelled or forgotten); nothing was written. `memolith learn status` shows who has it"
        )


class Job(Value):
    """One thing to do, as it stood when it was read; `key` is `<slug>/<session>`, or `<slug>`."""

    finished: float  # when it last succeeded; 0 = never
    forced: bool  # a person asked for it
    input_watermark: str
    key: str
    kind: str
    last_error: str
    lease_until: float
    outcome: str  # what the last success brought, or why that was nothing
    project: str
    retry_at: float
    retry_remaining: int
    status: str  # pending, running, done, failed (is tried again), error (is not)
    success_watermark: str  # empty = none yet
    token: str
    updated: float
    worker: str

    @property
    def session(self) -> str:
        """The name of the session; empty for a consolidation."""
        return self.key.partition("/")[2]


COLUMNS = ", ".join(Job.__slots__)


def read(row: tuple[Any, ...]) -> Job:
    """Return a row with COLUMNS as a job."""
    fields = dict(zip(Job.__slots__, row, strict=True))
    return Job(**{**fields, "forced": bool(fields["forced"])})


def number(watermark: str) -> int:
    """Return the number that a watermark begins with."""
    return int(watermark.partition("-")[0])


def newer(one: str, other: str) -> bool:
    """Whether a watermark is newer than another, or there is no other."""
    return not other or (one != other and number(one) >= number(other))


def find(db: Connection, kind: str, key: str) -> Job | None:
    """Return a job, if there is one."""
    row = db.execute(f"SELECT {COLUMNS} FROM jobs WHERE kind = ? AND key = ?", (kind, key)).fetchone()  # noqa: S608
    return read(row) if row else None


def known(db: Connection, key: str) -> Job:
    """Return the job with a key. NotFoundError if there is none."""
    job = find(db, EXTRACT if "/" in key else CONSOLIDATE, key)
    if job is None:
        raise NotFoundError(f"there is no job {quoted(key)}; `memolith learn status` lists them")
    return job


def held(db: Connection, job: Job) -> Job:
    """Return a job as it is now. LeaseLostError if it is not its worker's any more."""
    row = find(db, job.kind, job.key)
    if row is None or row.status != "running" or not job.token or row.token != job.token:
        raise LeaseLostError(job)
    return row


def _set(db: Connection, job: Job, now: float, **values: object) -> None:
    if values["status"] != "running":
        values |= {"worker": "", "token": ""}
    changed = ", ".join(f"{name} = ?" for name in values)
    db.execute(
        f"UPDATE jobs SET updated = ?, {changed} WHERE kind = ? AND key = ?",  # noqa: S608
        (now, *values.values(), job.kind, job.key),
    )


def ask_for(db: Connection, kind: str, key: str, watermark: str, now: float, *, forced: bool) -> bool:
    """Want a job done up to a watermark; False if it was wanted so already."""
    job = find(db, kind, key)
    if job is None:
        db.execute(
            "INSERT INTO jobs (kind, key, project, status, retry_remaining, input_watermark, forced, updated)"
            " VALUES (?, ?, ?, 'pending', ?, ?, ?, ?)",
            (kind, key, key.partition("/")[0], ATTEMPTS, watermark, forced, now),
        )
        return True
    changed = newer(watermark, job.input_watermark)
    if not forced and not changed:
        return False
    wanted, done = watermark if changed else job.input_watermark, job.success_watermark
    if wanted == done and kind == CONSOLIDATE:
        wanted = str(number(done) + 1)
    elif wanted == done:
        done = ""  # the version of a session is not ours to raise: it is as if it had not been done
    _set(
        db,
        job,
        now,
        status="running" if job.status == "running" else "pending",
        input_watermark=wanted,
        success_watermark=done,
        retry_remaining=ATTEMPTS,
        retry_at=0.0,
        forced=forced or job.forced,
    )
    return True


def dirty(db: Connection, project: str, now: float, *, forced: bool = False) -> None:
    """Note that there is something new to consolidate."""
    job = find(db, CONSOLIDATE, project)
    count = number(job.input_watermark) + 1 if job else 1
    ask_for(db, CONSOLIDATE, project, str(count), now, forced=forced)


def take(db: Connection, job: Job, now: float, lease: float) -> Job:
    """Give a job to this process; whoever had it cannot say anything about it any more."""
    left = f"its worker, process {job.worker}, ended before it was done" if job.status == "running" else ""
    _set(
        db,
        job,
        now,
        status="running",
        worker=str(os.getpid()),
        token=os.urandom(8).hex(),
        lease_until=now + lease,
        last_error=left or job.last_error,
    )
    return known(db, job.key)


def cancel(db: Connection, job: Job, now: float) -> None:
    """Leave a job be until something newer is wanted."""
    _set(
        db,
        job,
        now,
        status="done",
        success_watermark=job.input_watermark,
        forced=False,
        outcome="cancelled",
    )


def succeed(db: Connection, job: Job, outcome: str, now: float) -> None:
    """Note that a job is done up to the watermark it was claimed with."""
    row = held(db, job)
    more = row.input_watermark != job.input_watermark  # something newer came meanwhile
    _set(
        db,
        job,
        now,
        status="pending" if more else "done",
        success_watermark=job.input_watermark,
        retry_remaining=ATTEMPTS,
        retry_at=0.0,
        last_error="",
        outcome=_clean(outcome),
        forced=more and row.forced,
        finished=now,
    )


def let_go(db: Connection, job: Job, why: str, now: float, *, pause: float | None) -> None:
    """Give a job up; with a pause that was one of its attempts, else it is as if it had not been tried.

    If there is a newer version by now, that one has all its attempts and need not wait.
    """
    row = held(db, job)
    counts = pause is not None and row.input_watermark == job.input_watermark
    left = row.retry_remaining - counts
    _set(
        db,
        job,
        now,
        status=("failed" if left > 0 else "error") if counts else "pending",
        retry_remaining=left,
        retry_at=now + (pause or 0.0) if counts else 0.0,
        last_error=_clean(why),
    )


def _clean(text: str) -> str:
    """Return what may be stored of a message: an error of a service may quote what it was sent."""
    return redact(text).text[:_MAX_TEXT]
