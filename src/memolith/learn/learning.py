"""The verbs of `Mem.learning`: run it, query it, withdraw what was learned."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memolith.base.errors import InputError
from memolith.base.values import Value
from memolith.learn import run as runs
from memolith.learn.extract import eligible
from memolith.learn.model import llm
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Queue
from memolith.learn.withdraw import withdraw
from memolith.memory.daily import day
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.env.settings import Settings
    from memolith.learn.queue.ledger import Cost
    from memolith.learn.queue.queue import Job
    from memolith.learn.run import Progress, RunReport
    from memolith.learn.withdraw import Withdrawn
    from memolith.memory.home import Home

_MAX_DAYS = 3650
_NEXT_RUN = "the next run learns from it"
_NOTHING_YET = "nothing to do: no session has taught anything yet"


class LearningStatus(Value):
    """The state of learning in a project. `why` names a problem, or the reason why learning is off."""

    enabled: bool
    jobs: list[Job]
    model: str
    phases: list[Cost]  # of this project today, by phase and model
    problem: str
    rest: str  # why the consolidation waits; empty if it does not
    refused: int  # sessions that it leaves, for now or for good
    today: Cost | None
    waiting: int  # sessions that the next run learns from
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {
            "enabled": self.enabled,
            "why": self.why or self.problem,
            "model": self.model,
            "jobs": [job.as_dict() for job in self.jobs],
            "today": self.today.as_dict() if self.today else None,
            "phases": [cost.as_dict() for cost in self.phases],
        }

    def lines(self, settings: Settings) -> list[str]:
        """Return the status as lines for people."""
        shown = [f"Learning is off: {self.why}" if self.why else "Learning is on."]
        shown.append(f"Model: {self.model}" + (f" ({self.problem})" if self.problem else ""))
        if self.today is None:
            return shown
        for number, phase in enumerate((EXTRACT, CONSOLIDATE), 1):
            jobs = [job for job in self.jobs if job.kind == phase]
            counts = Counter(job.status for job in jobs)
            states = [f"{plural(count, 'session')} {name}" for name, count in sorted(counts.items())]
            if phase == EXTRACT and self.waiting:
                states.append(f"{plural(self.waiting, 'session')} for the next run (`memolith learn run`)")
            if phase == EXTRACT and self.refused:
                states.append(f"{plural(self.refused, 'session')} not now (`memolith learn why`)")
            if phase == CONSOLIDATE:
                states = [self.rest or _reason(job) for job in jobs]
            spent = [cost for cost in self.phases if cost.phase == phase]
            shown.append(
                f"Phase {number} ({phase}): {', '.join(states) or 'nothing to do'}; today"
                f" {plural(sum(cost.requests for cost in spent), 'request')},"
                f" {plural(sum(cost.tokens for cost in spent), 'token')}"
            )
        kinds = ("requests", "tokens")
        most = {each: f"{settings.number(f'memories.{each}_per_day'):,.0f}" for each in kinds}
        shown.append(
            f"All projects today: {self.today.requests:,} of {most['requests']} requests,"
            f" {self.today.tokens:,} of {most['tokens']} tokens, {self.today.seconds:.0f} s"
        )
        failed = [job for job in self.jobs if job.session and job.last_error and job.status != "done"]
        return shown + [f"{job.key}: {job.last_error}" for job in failed]


class Learning:
    """Learning from a project's sessions. Methods that change something raise ConfigError while it is off."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def off(self) -> str:
        """Why learning is off here; empty if it is on."""
        return runs.why_not(self._home)

    def run(
        self,
        *,
        phase: int | None = None,
        force: bool = False,
        model: str | None = None,
        progress: Progress | None = None,
    ) -> RunReport:
        """Extract facts from finished sessions, and consolidate them into MEMORY.md.

        `phase` runs only the first or the second part. `force` includes sessions that are still active or
        unchanged, and consolidates even if nothing is new. `model` overrides the models in the settings.
        """
        return runs.run(self._home, phase=phase, force=force, model=model, progress=progress)

    def status(self) -> LearningStatus:
        """Return whether learning is on, which jobs wait or failed, and today's cost."""
        home, off = self._home, self.off
        model = llm.called(home.settings)
        jobs: list[Job] = []
        phases: list[Cost] = []
        rest, waiting, refused = "", 0, 0
        spent = None
        if not off:
            with runs.queue_of(home) as queue:
                choice = runs.choose(home, queue, runs.look(home, queue))
                jobs = queue.jobs(home.project)
                rest = next((_rest(home, job) for job in jobs if job.kind == CONSOLIDATE), "")
                waiting = len(set(choice.taken) - {job.session for job in jobs if job.status == "pending"})
                refused = len(set(choice.refused) - {job.session for job in jobs})
                spent = queue.ledger.totals(day=home.today)
                phases = [
                    each for each in queue.ledger.costs(since=home.today) if each.project == home.project
                ]
        wanted = [role for role in ("default", "smol") if llm.is_wanted(home.settings, role)]
        problem = next(filter(None, (llm.why_not(home.settings, role) for role in wanted)), "")
        return LearningStatus(
            enabled=not off,
            why=off,
            model=model,
            problem=problem,
            jobs=jobs,
            rest=rest,
            today=spent,
            waiting=waiting,
            refused=refused,
            phases=phases,
        )

    def why(self, session: str | None = None) -> dict[str, str]:
        """Return for every session, or only for `session`, what was learned or why nothing was.

        Under `consolidate`: what became of that, or why nothing has.
        """
        sessions = Sessions(self._home)
        wanted = sessions.get(session).name if session else None
        if off := self.off:
            reasons = {each.name: off for each in sessions.list()}
        else:
            with runs.queue_of(self._home) as queue:
                choice = runs.choose(self._home, queue, runs.look(self._home, queue))
                reasons = {**dict.fromkeys(choice.taken, _NEXT_RUN), **choice.refused}
                kept = self._kept()
                for job in queue.jobs(self._home.project, EXTRACT):
                    reason = _reason(job, reasons.get(job.session, ""))
                    reasons[job.session] = "\n    ".join([reason, *kept.get(job.session, [])])
                if reasons:
                    jobs = queue.jobs(self._home.project, CONSOLIDATE)
                    found = jobs and (_rest(self._home, jobs[0]) or _reason(jobs[0]))
                    reasons[CONSOLIDATE] = found or _NOTHING_YET
        return {name: why for name, why in sorted(reasons.items()) if wanted in (None, name)}

    def enqueue(self, session: str | None = None) -> str:
        """Make the next run learn from a session again; without one, consolidate even if nothing is new.

        Returns the name of the session.
        """
        with runs.queue_of(self._home) as queue:
            if session is None:
                queue.enqueue(CONSOLIDATE, self._home.project, forced=True)
                return ""
            found = Sessions(self._home).get(session)
            key = f"{self._home.project}/{found.name}"
            queue.enqueue(EXTRACT, key, eligible.watermark(found), forced=True)
            return found.name

    def retry(self, session: str | None = None) -> Job:
        """Reset the attempts of a failed session; without one, of the consolidation."""
        with runs.queue_of(self._home) as queue:
            return queue.retry(self._key(session))

    def cancel(self, session: str | None = None) -> Job:
        """Skip a session until it changes; without one, skip the consolidation until something is new."""
        with runs.queue_of(self._home) as queue:
            return queue.cancel(self._key(session))

    def costs(self, days: int = 30) -> tuple[str, list[Cost]]:
        """Return the first of these days, and the cost since then by day, project, phase and model."""
        if not 1 <= days <= _MAX_DAYS:
            raise InputError(f"--days {days}: must be from 1 to {_MAX_DAYS}")
        since = day(self._home.now() - (days - 1) * 86_400)
        with Queue(self._home.path, self._home.settings, self._home.now) as queue:
            return since, queue.ledger.costs(since=since)

    def withdraw(
        self, *, user: bool = False, everywhere: bool = False, everything: bool = False
    ) -> Withdrawn:
        """Withdraw what was learned for this project, or with `user`, for all projects.

        `everything` also removes what people wrote here; its history stays.
        """
        return withdraw(self._home, user=user, everywhere=everywhere, everything=everything)

    def _kept(self) -> dict[str, list[str]]:
        """Return by session what was learned from it and is still there."""
        found: dict[str, list[str]] = {}
        for record in Records(self._home).list(archived=True):
            kind = record.category if record.status == "active" else f"{record.status}, {record.category}"
            for name in {each.partition("#")[0] for each in (record.source, *record.sources)}:
                found.setdefault(name, []).append(f"{record.title} ({kind})")
        return found

    def _key(self, session: str | None) -> str:
        project = self._home.project
        return f"{project}/{Sessions(self._home).get(session).name}" if session else project


def _rest(home: Home, job: Job) -> str:
    """Return how long a consolidation waits that has something new; empty if the next run does it."""
    left = job.finished + home.settings.number("memories.cooldown_hours") * 3600 - home.now()
    if job.status != "pending" or job.forced or job.last_error or not job.finished or left <= 0:
        return ""
    return (
        f"waits for {left / 3600:.1f} h more, the pause after the last one (memories.cooldown_hours);"
        " `memolith learn run --force` does it now"
    )


def _reason(job: Job, now: str = "") -> str:
    if job.status == "done":
        changed = f"; it has changed since: {now}" if now and not now.startswith("nothing changed") else ""
        return job.outcome + changed
    if job.status in ("failed", "error"):
        left = f"{plural(job.retry_remaining, 'attempt')} left" if job.retry_remaining else "no attempts left"
        return f"failed: {job.last_error} ({left}; {f'memolith learn retry {job.session}'.rstrip()})"
    next_run = _NEXT_RUN if job.session else "the next run does it"
    return job.last_error or {"running": "a process is at it"}.get(job.status, next_run)
