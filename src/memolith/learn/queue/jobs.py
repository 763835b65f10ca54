"""The rows of the queue: their columns, and the conditions under which a job is due.

Watermarks are versions: a number, or a number and a fingerprint (`12-9f3a…`). A larger number is newer, and
so is a different fingerprint with the same number. `input` is the requested version, `success` the one last
done; while they differ, the job has work. For an extraction it is the version of the session; for a
consolidation, a counter that every change of an extraction raises.

A row changed in the future means that the clock was set back; its waiting times then count as over.
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

_SANE = "updated <= :now + 5"  # tolerates small clock corrections, in seconds
LIVE = f"(status = 'running' AND lease_until > :now AND {_SANE})"
DUE = (
    f"(status = 'pending' OR (status = 'failed' AND NOT (retry_at > :now AND {_SANE}))"
    f" OR (status = 'running' AND NOT {LIVE}))"
)
# A consolidation waits for the extractions of its project, so that the last of many workers does it once;
# and for some hours after the previous one, unless a person asked for it.
RIPE = (
    "(forced OR NOT (finished > :rested AND finished <= :now + 5)) AND NOT EXISTS (SELECT 1 FROM jobs AS"  # noqa: S608
    f" other WHERE other.kind = 'extract' AND other.project = jobs.project AND ({DUE} OR {LIVE}))"
)


class LeaseLostError(BusyError):
    """Another worker has the job, or it was cancelled: nothing was written."""

    def __init__(self, job: Job) -> None:
        super().__init__(
            f"{job.kind} {job.key}: this worker lost the job (its lease ended and another one took over, or "
            "it was cancelled or forgotten); nothing was written. `memolith learn status` shows who has it"
        )


class Job(Value):
    """One job, as of when it was read; `key` is `<slug>/<session>`, or `<slug>`."""

    finished: float  # time of the last success; 0 = never
    forced: bool  # a person asked for it
    input_watermark: str
    key: str
    kind: str
    last_error: str
    lease_until: float
    outcome: str  # result of the last success, or why there was none
    project: str
    retry_at: float
    retry_remaining: int
    status: str  # pending, running, done, failed (retried), error (not retried)
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
    """Return a row of COLUMNS as a job."""
    fields = dict(zip(Job.__slots__, row, strict=True))
    return Job(**{**fields, "forced": bool(fields["forced"])})


def number(watermark: str) -> int:
    """Return the number that a watermark begins with."""
    return int(watermark.partition("-")[0])


def newer(one: str, other: str) -> bool:
    """Whether a watermark is newer than another, or there is no other."""
    return not other or (one != other and number(one) >= number(other))


class Rows:
    """All jobs, read and changed inside a transaction of the queue."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database, self._now = database, now

    def find(self, kind: str, key: str) -> Job | None:
        """Return a job, or None."""
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
        """Return the current state of a job. LeaseLostError if its worker lost it."""
        row = self.find(job.kind, job.key)
        if row is None or row.status != "running" or not job.token or row.token != job.token:
            raise LeaseLostError(job)
        return row

    def set(self, job: Job, **values: object) -> None:
        """Change some columns of a job, including `status`."""
        if values["status"] != "running":
            values |= {"worker": "", "token": ""}
        changed = ", ".join(f"{name} = ?" for name in values)
        self._database.update(
            f"UPDATE jobs SET updated = ?, {changed} WHERE kind = ? AND key = ?",  # noqa: S608
            *(self._now(), *values.values(), job.kind, job.key),
        )
