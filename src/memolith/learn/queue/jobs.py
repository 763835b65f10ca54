"""The rows of the queue: what each says, and the conditions under which it is due.

Watermarks are versions: a number, or a number and a fingerprint (`12-9f3a…`). A larger number is newer; with
the same number, another fingerprint is. `input` is the version that is wanted, `success` the one that was
done; while they differ, there is something to do. For an extraction it is the version of the session; for
a consolidation a counter that every change of an extraction raises.

A row that was changed in the future says that the clock was set back. Whatever it waits for is over then.
"""

from __future__ import annotations

from memolith.base.errors import BusyError, NotFoundError
from memolith.base.values import Value
from memolith.store.screen import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memolith.learn.queue.database import Database

EXTRACT, CONSOLIDATE = "extract", "consolidate"

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


class Rows:
    """All jobs, to be read and changed inside a transaction of the queue."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database, self._now = database, now

    def find(self, kind: str, key: str) -> Job | None:
        """Return a job, if there is one."""
        rows = self._database.ask(
            f"SELECT {COLUMNS} FROM jobs WHERE kind = ? AND key = ?",  # noqa: S608
            *(kind, key),
        )
        return read(rows[0]) if rows else None

    def known(self, key: str) -> Job:
        """Return the job with a key. NotFoundError if there is none."""
        job = self.find(EXTRACT if "/" in key else CONSOLIDATE, key)
        if job is None:
            raise NotFoundError(f"there is no job {quoted(key)}; `memolith learn status` lists them")
        return job

    def held(self, job: Job) -> Job:
        """Return a job as it is now. LeaseLostError if it is no longer its worker's."""
        row = self.find(job.kind, job.key)
        if row is None or row.status != "running" or not job.token or row.token != job.token:
            raise LeaseLostError(job)
        return row

    def set(self, job: Job, **values: object) -> None:
        """Change some columns of a job, `status` among them."""
        if values["status"] != "running":
            values |= {"worker": "", "token": ""}
        changed = ", ".join(f"{name} = ?" for name in values)
        self._database.update(
            f"UPDATE jobs SET updated = ?, {changed} WHERE kind = ? AND key = ?",  # noqa: S608
            *(self._now(), *values.values(), job.kind, job.key),
        )
