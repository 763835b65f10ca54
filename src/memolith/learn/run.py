"""One run of learning: look for sessions, extract what they teach, consolidate it. And its status.

Any number of processes may run at once: the queue gives each piece of work to one of them. Whatever goes
wrong with a session or a model is written down and tried again; it never stops the rest.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import TYPE_CHECKING

from memolith.base.errors import CeilingError, ConfigError, MemolithError, StorageError
from memolith.base.values import Value
from memolith.env.settings import GUARD, Settings
from memolith.learn import withdraw
from memolith.learn.consolidate import consolidate
from memolith.learn.extract import eligible, worker
from memolith.learn.model import llm
from memolith.learn.model.client import Meter
from memolith.learn.model.values import ModelUnavailableError
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Job, LeaseLostError, Queue
from memolith.memory.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from memolith.learn.extract.eligible import Choice
    from memolith.learn.model.client import Client
    from memolith.learn.queue.ledger import Cost
    from memolith.memory.home import Home

    Progress = Callable[[int, int], None]


class Report(Value):
    """What a run did. `stopped` says why it did not do all there was to do; empty if it did."""

    consolidated: str
    empty: int  # sessions that taught nothing
    extracted: int  # sessions that taught something
    failed: int
    records: int
    refused: int  # sessions that were not learned from now; `why` says why
    requests: int
    run: str
    stopped: str
    tokens: int

    def __str__(self) -> str:
        parts = [f"{self.extracted} session(s) taught something, {self.empty} nothing"]
        if self.records:
            parts.append(f"{self.records} record(s)")
        if self.failed:
            parts.append(f"{self.failed} failed (memolith learn why)")
        if self.requests:
            parts.append(f"{self.requests} request(s), {self.tokens} tokens")
        lines = ["; ".join(parts), *filter(None, [self.consolidated, self.stopped])]
        return "\n".join(lines)


def why_not(home: Home) -> str:
    """Return why nothing is learned here; empty if something may be."""
    if os.environ.get(GUARD):
        return f"this is a process that memolith started itself ({GUARD} is set)"
    if home.is_ephemeral:
        return "this memory is thrown away at the end"
    for key in ("enabled", "generate", "project"):
        if not home.settings.flag(f"memories.{key}"):
            return f"memories.{key} is off; `memolith config set memories.{key} true` switches it on"
    return ""


def run(
    home: Home,
    *,
    phase: int | None = None,
    force: bool = False,
    model: str | None = None,
    running: Collection[str] = (),
    progress: Progress | None = None,
) -> Report:
    """Learn from this project's sessions; ConfigError if learning is off.

    `phase` does only the first or the second part. `force` takes sessions that are not idle or have not
    changed, and consolidates although nothing is new. `model` replaces the models of the settings.
    """
    if off := why_not(home):
        raise ConfigError(off)
    with Queue(home.path, home.settings, home.now) as queue:
        return Run(home, queue, model, progress).do(phase, force=force, running=running)


def look(home: Home, queue: Queue, *, running: Collection[str] = (), force: bool = False) -> Choice:
    """Return which sessions can be learned from now, and why the others cannot."""
    stored = Sessions(home).stored()
    sessions = [each for each in Sessions(home).list() if each.name in stored]
    return eligible.candidates(
        sessions,
        home.now(),
        home.settings,
        queue.watermarks(home.project),
        stored={name: changed / 1e9 for name, changed in stored.items()},
        running=running,
        forced=[each.name for each in sessions] if force else (),
    )


class Run:
    """One run over one project."""

    def __init__(
        self, home: Home, queue: Queue, model: str | None = None, progress: Progress | None = None
    ) -> None:
        self._home, self._queue, self._progress = home, queue, progress
        self._ledger = queue.ledger
        self._name = f"{os.getpid()}-{time.time_ns():x}"
        self._deadline = time.monotonic() + home.settings.number("memories.seconds_per_run")
        self._models = home.settings if model is None else _with_model(home, model)
        # Sessions that were extracted, empty or failed, and the records that they brought.
        self._done: Counter[str] = Counter()
        self._stopped = ""

    def do(self, phase: int | None, *, force: bool, running: Collection[str]) -> Report:
        """Do it, and say what was done."""
        refused, consolidated = 0, ""
        try:
            self._ledger.check_day()
            self._ledger.start(self._name)
            self._queue.extractions.prune()
            if phase != 2:
                refused = self._enqueue(force=force, running=running)
                self._extract(force=force)
            if phase != 1 and not self._stopped:
                consolidated = self._consolidate(force=force)
        except (CeilingError, ModelUnavailableError) as error:
            self._stopped = str(error)
        spent = self._ledger.totals(run=self._name)
        return Report(
            run=self._name,
            extracted=self._done["extracted"],
            empty=self._done["empty"],
            failed=self._done["failed"],
            records=self._done["records"],
            refused=refused,
            consolidated=consolidated,
            requests=spent.requests,
            tokens=spent.tokens,
            stopped=self._stopped,
        )

    def _enqueue(self, *, force: bool, running: Collection[str]) -> int:
        """Put into the queue what can be learned from, and forget what may not be remembered any more."""
        choice = look(self._home, self._queue, running=running, force=force)
        slug = self._home.project
        withdrawn = {each.name for each in choice.refused if each.forget}
        gone = {each.session for each in self._queue.extractions.all(slug)} - set(
            Sessions(self._home).stored()
        )
        for name in sorted((withdrawn & set(self._queue.watermarks(slug))) | gone):
            try:
                withdraw.withdraw_session(self._home, self._queue, name)
            except StorageError:  # the next run tries again, and this one goes on
                self._done["failed"] += 1
        with self._queue.database.writing():  # sixty-four sessions are then enqueued as fast as one
            for each in choice.candidates:
                self._queue.enqueue(EXTRACT, f"{slug}/{each.session.name}", each.watermark, forced=force)
        return len(choice.refused)

    def _extract(self, *, force: bool) -> None:
        """Work until nothing waits or something stops us."""
        models = self._metered("default")
        width = int(self._home.settings.number("memories.stage1_concurrency")) if models else 1
        extractor = worker.Worker(self._home, self._queue, models, self._deadline)
        total = sum(job.status == "pending" for job in self._queue.jobs(self._home.project, EXTRACT))
        while not self._stopped:
            if time.monotonic() > self._deadline:
                self._stopped = (
                    "the time for one run is over (memories.seconds_per_run); the next one goes on"
                )
                return
            jobs = self._queue.claim(EXTRACT, project=self._home.project, limit=width, force=force)
            if not jobs:
                return
            try:
                self._stopped = extractor.do(jobs, self._done)
            except KeyboardInterrupt:
                for job in jobs:  # else the next run would wait until their leases are over
                    self._queue.release(job, "interrupted")
                raise
            if self._progress:
                done = self._done.total() - self._done["records"]
                self._progress(done, max(total, done))

    def _consolidate(self, *, force: bool) -> str:
        """Consolidate if there is anything new; return what was done, or why nothing was."""
        slug = self._home.project
        if force:
            self._queue.enqueue(CONSOLIDATE, slug, forced=True)
        claimed = self._queue.claim(CONSOLIDATE, project=slug, force=force)
        if not claimed:
            return _not_due(self._queue, slug)
        job = claimed[0]
        try:
            with self._queue.kept(job):
                return self._propose(job)
        except KeyboardInterrupt:
            self._queue.release(job, "interrupted")
            raise
        except LeaseLostError as error:
            return str(error)
        except CeilingError as error:
            self._queue.release(job, str(error))
            raise
        except MemolithError as error:
            self._queue.fail(job, str(error), delay=getattr(error, "retry_after", None) or 0.0)
            self._done["failed"] += 1
            return f"the consolidation failed: {error}"

    def _propose(self, job: Job) -> str:
        models = self._metered("smol")
        outcome = consolidate.run(
            self._home,
            self._queue.extractions.chosen(self._home.project),
            models("", "consolidate") if models else None,
            fence=lambda: self._queue.fenced(job),
            deadline=self._deadline,
        )
        return f"MEMORY.md: {outcome.message}"

    def _metered(self, role: str) -> worker.Models | None:
        """Return what gives the metered model for a session; None if rules do the work."""
        if self._models.text("models.default").strip() in ("", "none"):
            return None
        found = llm.find(self._models, role)

        def metered(session: str, phase: str) -> Client:
            return found.metered(Meter(self._ledger, self._name, phase, self._home.project, session))

        return metered


def _with_model(home: Home, model: str) -> Settings:
    names = dict.fromkeys(("MEMOLITH_MODELS_DEFAULT", "MEMOLITH_MODELS_SMOL"), model)
    settings = Settings(home.path, {**os.environ, **names})
    settings.enter(home.identity.root)
    return settings


def _not_due(queue: Queue, slug: str) -> str:
    """Say why nothing is consolidated."""
    job = next(iter(queue.jobs(slug, CONSOLIDATE)), None)
    if job is None or job.input_watermark <= job.success_watermark:
        return ""
    if job.status == "running":
        return "another process consolidates at this moment"
    if job.status in ("failed", "error"):
        return f"the consolidation failed before and waits: {job.last_error}"
    return "the consolidation waits for extractions, or for its pause to end (memories.cooldown_hours)"


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

    def lines(self, settings: Settings) -> list[str]:
        """Return it for a person."""
        shown = [f"Learning is off: {self.why}" if self.why else "Learning is on."]
        shown.append(f"Model: {self.model}" + (f" ({self.problem})" if self.problem else ""))
        if self.today is None:
            return shown
        counts = Counter(job.status for job in self.jobs)
        listed = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        shown.append(f"Jobs of this project: {listed or 'none'}")
        shown.append(
            f"Today: {self.today.requests} request(s), {self.today.tokens} tokens,"
            f" {self.today.seconds:.0f} s of {settings.number('memories.requests_per_day'):,.0f} requests, "
            f"{settings.number('memories.tokens_per_day'):,.0f} tokens"
        )
        failed = [job for job in self.jobs if job.last_error and job.status != "done"]
        return shown + [f"{job.key}: {job.last_error}" for job in failed]


def status(home: Home) -> Status:
    """Return the status of a project."""
    off = why_not(home)
    model = home.settings.text("models.default") or "none"
    jobs: list[Job] = []
    spent = None
    if not off:
        with Queue(home.path, home.settings, home.now) as queue:
            jobs = queue.jobs(home.project)
            spent = queue.ledger.totals(day=home.today)
    return Status(
        enabled=not off,
        why=off,
        model=model,
        problem="" if model == "none" else llm.why_not(home.settings, "default"),
        jobs=jobs,
        today=spent,
    )
