"""Whether learning is on, what waits, what failed, and what today cost: for `learn status` and interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.learn import run
from memolith.learn.model import llm
from memolith.learn.queue.ledger import Cost, Ledger
from memolith.learn.queue.queue import Job, Queue

if TYPE_CHECKING:
    from memolith.memory.home import Home


class Status(Value):
    """What learning does in a project. `why` says what is wrong, or why it is off."""

    enabled: bool
    jobs: list[Job]
    model: str
    problem: str
    today: Cost | None
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {
            "enabled": self.enabled,
            "why": self.why or self.problem,
            "model": self.model,
            "jobs": [job.as_dict() for job in self.jobs],
            "today": self.today.as_dict() if self.today else None,
        }


def status(home: Home) -> Status:
    """Return the status of a project."""
    off = run.why_not(home)
    model = home.settings.text("models.default") or "none"
    jobs: list[Job] = []
    spent = None
    if not off:
        with Queue(home.path, home.settings, home.now) as queue:
            jobs = queue.jobs(home.project)
            spent = Ledger(home.path, home.settings, home.now, database=queue.database).totals(day=home.today)
    return Status(
        enabled=not off,
        why=off,
        model=model,
        problem="" if model == "none" else llm.why_not(home.settings, "default"),
        jobs=jobs,
        today=spent,
    )


def lines(home: Home, found: Status) -> list[str]:
    """Return a status for a person."""
    told = [f"Learning is off: {found.why}" if found.why else "Learning is on."]
    told.append(f"Model: {found.model}" + (f" ({found.problem})" if found.problem else ""))
    if found.today is not None:
        counts: dict[str, int] = {}
        for job in found.jobs:
            counts[job.status] = counts.get(job.status, 0) + 1
        listed = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        told.append(f"Jobs of this project: {listed or 'none'}")
        told.append(
            f"Today: {found.today.requests} request(s), {found.today.tokens} tokens, "
            f"{found.today.seconds:.0f} s "
            f"of {home.settings.number('memories.requests_per_day'):,.0f} requests, "
            f"{home.settings.number('memories.tokens_per_day'):,.0f} tokens"
        )
        told += [
            f"{job.key}: {job.last_error}" for job in found.jobs if job.last_error and job.status != "done"
        ]
    return told
