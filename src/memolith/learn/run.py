"""One run of learning: look for sessions, extract what they teach, consolidate it.

Any number of processes may run at once: the queue gives each job to one of them. An error with a session or
a model is recorded and retried later. Requests to a model run in parallel, results are stored one by one.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from memolith import __version__
from memolith.base.errors import CeilingError, ConfigError, MemolithError, NotFoundError, StorageError
from memolith.base.values import Value
from memolith.env.settings import GUARD, Settings
from memolith.index.walk import Entry
from memolith.learn import keep, withdraw
from memolith.learn.consolidate import consolidate, sources
from memolith.learn.extract import eligible, extract, rules
from memolith.learn.extract.facts import united
from memolith.learn.model import llm, prompt
from memolith.learn.model.llm import Client
from memolith.learn.model.values import ModelUnavailableError
from memolith.learn.queue import jobs as queued
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Extraction, Job, LeaseLostError, Queue
from memolith.memory.sessions import Sessions
from memolith.store import receipts
from memolith.store.together import Command
from memolith.text.budget import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.learn.extract.eligible import Choice
    from memolith.learn.extract.facts import Findings
    from memolith.learn.queue.glances import Glance
    from memolith.memory.home import Home
    from memolith.memory.sessions import Session

    Progress = Callable[[int, int], None]

_TIME_IS_OVER = "the time limit of one run is reached (memories.seconds_per_run); the next run continues"

_ONLY_USER = "memories.project is off: only what is user-wide is learned"


class RunReport(Value):
    """What a run did. `stopped` says why it ended early; empty if it finished."""

    consolidated: str
    empty: int  # sessions that taught nothing
    extracted: int  # sessions that taught something
    failed: int
    records: int
    refused: int  # sessions that this run skipped; `why` has the reasons
    requests: int
    run: str
    stopped: str
    tokens: int

    def __str__(self) -> str:
        records = f": {plural(self.records, 'record')}" if self.records else ""
        spent = f"{plural(self.requests, 'request')}, {plural(self.tokens, 'token')}"
        skipped = f" ({self.refused} skipped: `learn why`, or --force)" if self.refused else ""
        told = [f"Learned from {plural(self.extracted, 'session')}{records}"] * bool(self.extracted)
        told += [f"{plural(self.empty, 'session')} had nothing new"] * bool(self.empty)
        told += [f"{self.failed} failed (`memolith learn why`)"] * bool(self.failed)
        told = [*(told or [f"No session to learn from{skipped}"]), *([spent] * bool(self.requests))]
        return "\n".join(filter(None, ["; ".join(told), self.consolidated, self.stopped]))


def why_not(home: Home) -> str:
    """Return why learning is off here; empty if it is on."""
    if os.environ.get(GUARD):
        return f"this is a process that memolith started itself ({GUARD} is set)"
    if home.is_ephemeral or home.off:
        return home.off or "this memory is thrown away at the end"
    for key, other in (("enabled", "enabled"), ("generate", "generate"), ("project", "user")):
        if not (home.settings.flag(f"memories.{key}") or home.settings.flag(f"memories.{other}")):
            way = "learn on" if key == "enabled" else f"config set memories.{key} true"
            return f"memories.{key} is off; `memolith {way}` switches it on"
    return ""


def queue_of(home: Home) -> Queue:
    """Open the queue of a home. ConfigError if learning is off."""
    if off := why_not(home):
        raise ConfigError(off)
    return Queue(home.path, home.settings, home.now)


def run(
    home: Home,
    *,
    phase: int | None = None,
    force: bool = False,
    model: str | None = None,
    progress: Progress | None = None,
) -> RunReport:
    """Learn from this project's sessions; ConfigError if learning is off.

    `phase` runs only the first or the second part. `force` includes sessions that are still active or
    unchanged, and consolidates even if nothing is new. `model` overrides the models in the settings.
    """
    with queue_of(home) as queue:
        return _Run(home, queue, model, progress, force=force).do(phase)


def look(home: Home, queue: Queue) -> list[Glance]:
    """Look at each session: only at its file if that has not changed since the last look."""
    now, before, found = time.time_ns(), queue.glances.all(home.project), []
    for name, about in Sessions(home).stats().items():
        entry = Entry(name, about, now)
        # Another version of the program may judge a session differently.
        stamp = f"{__version__} {' '.join(map(str, entry.stamp()))}"
        seen = before.get(name)
        if seen is None or seen.stamp != stamp:
            session = Sessions(home).read(name)
            if session is None or session.name != name:
                continue
            seen = eligible.glance(session, about.st_mtime_ns / 1e9, stamp if entry.settled else "")
        found.append(seen)
    return found


def choose(home: Home, queue: Queue, seen: list[Glance], *, force: bool = False) -> Choice:
    """Return the sessions that are eligible now, and why the others are not."""
    going_on = receipts.going_on(home.path, home.now() - eligible.SILENT)
    marks = queue.watermarks(home.project)
    return eligible.choose(seen, home.now(), home.settings, marks, force=force, going_on=going_on)


class _Run:
    """One run for one project."""

    def __init__(
        self, home: Home, queue: Queue, model: str | None, progress: Progress | None, *, force: bool
    ) -> None:
        self._home, self._queue, self._progress, self._force = home, queue, progress, force
        self._ledger = queue.ledger
        self._name = f"{os.getpid()}-{time.time_ns():x}"
        self._deadline = time.monotonic() + home.settings.number("memories.seconds_per_run")
        self._models = home.settings if model is None else _with_model(home, model)
        # Cached, because finding a back-end may ask for a key.
        self._backend = cache(lambda role, agent: llm.find(self._models, role, agent=agent))
        self._for_project = home.settings.flag("memories.project")
        self._done: Counter[str] = Counter()  # sessions extracted, empty or failed, and new records
        self._gone: list[str] = []  # what people took back
        self._going: set[str] = set()  # sessions that could not be withdrawn yet
        self._stopped = ""
        self._prompts: list[prompt.Prompt] = []

    def do(self, phase: int | None) -> RunReport:
        """Run the phases and report what they did."""
        refused, consolidated = 0, ""
        try:
            self._ledger.check_day()
            self._ledger.start(self._name)
            self._queue.extractions.prune()
            withdraw.heed(self._home, self._queue)
            self._gone = sources.gone(self._home)
            seen = look(self._home, self._queue)
            self._queue.glances.keep(self._home.project, seen)
            choice = choose(self._home, self._queue, seen, force=self._force)
            with Command("learn"):
                self._forget(choice)
                if phase != 2:
                    refused = self._enqueue(choice)
                    self._extract()
                if phase != 1 and not self._stopped:
                    consolidated = self._consolidate() if self._for_project else _ONLY_USER
            if self._done or consolidated:
                withdraw.note_records(self._home, is_told=bool(self._done["failed"]))
        except (CeilingError, ModelUnavailableError) as error:
            self._stopped = str(error)
        spent = self._ledger.totals(run=self._name)
        return RunReport(
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

    def _model(self, phase: str, session: Session | None = None) -> Client | None:
        """Return the model for a phase (with `auto`, that of the session's agent); None means rules only."""
        role = "default" if session else "smol"
        if not llm.is_wanted(self._models, role):
            return None
        is_auto = self._models.text("models.default").strip().startswith("auto")
        backend = self._backend(role, session.agent if session and is_auto else "")
        about = (self._name, phase, self._home.project, session.name if session else "")
        return Client(backend, self._ledger, about, timeout=self._models.number("models.timeout"))

    # ------------------------------------------------------------ extraction

    def _forget(self, choice: Choice) -> None:
        """Withdraw the sessions that are gone, or that may no longer be remembered."""
        slug = self._home.project
        known = {each.session for each in self._queue.extractions.all(slug)}
        gone = known - set(Sessions(self._home).stored())
        for name in sorted((choice.withdrawn & set(self._queue.watermarks(slug))) | gone):
            try:
                withdraw.withdraw_session(self._home, self._queue, name)
            except StorageError:  # the next run retries; nothing is made of it meanwhile
                self._going.add(name)
                self._done["failed"] += 1

    def _enqueue(self, choice: Choice) -> int:
        """Enqueue the eligible sessions; return how many are not."""
        with self._queue.database.writing():  # one transaction: 64 sessions take as long as one
            for name, watermark in choice.taken.items():
                key = f"{self._home.project}/{name}"
                self._queue.enqueue(EXTRACT, key, watermark, forced=self._force)
        return len(choice.refused)

    def _extract(self) -> None:
        """Work until no job is due or a limit stops the run."""
        width = 1
        if llm.is_wanted(self._models, "default"):
            self._backend("default", "")  # fails before a job is claimed
            self._prompts = [prompt.load(name, self._home.path) for name in extract.PROMPTS]
            width = int(self._home.settings.number("memories.stage1_concurrency"))
        total = sum(job.status == "pending" for job in self._queue.jobs(self._home.project, EXTRACT))
        while not self._stopped:
            if time.monotonic() > self._deadline:
                self._stopped = _TIME_IS_OVER
                return
            # Not by force: the sessions of a forced run are all due, and one that fails now has to wait.
            jobs = self._queue.claim(EXTRACT, project=self._home.project, limit=width)
            if not jobs:
                return
            try:
                self._extract_all(jobs)
            except KeyboardInterrupt:
                for job in jobs:  # otherwise the next run waits for their leases to expire
                    self._queue.release(job, "interrupted")
                raise
            if self._progress:
                done = self._done.total() - self._done["records"]
                self._progress(done, max(total, done))

    def _extract_all(self, jobs: list[Job]) -> None:
        """Extract the sessions of the claimed jobs."""
        sessions = [(job, session) for job in jobs if (session := self._session(job)) is not None]
        known = [each.session for each in self._queue.extractions.all(self._home.project)]
        with contextlib.ExitStack() as held, ThreadPoolExecutor(max(1, len(sessions))) as pool:
            for job, _ in sessions if self._prompts else []:  # one may wait long for another's model
                held.enter_context(self._queue.kept(job))
            found = pool.map(self._findings, [session for _, session in sessions])
            for (job, session), result in zip(sessions, found, strict=True):
                with contextlib.suppress(LeaseLostError):  # then another worker does the job
                    self._settle(job, session, result, known)

    def _session(self, job: Job) -> Session | None:
        try:
            try:
                return Sessions(self._home).get(job.session)
            except NotFoundError:
                withdraw.withdraw_session(self._home, self._queue, job.session)
        except MemolithError as error:
            self._fail(job, error)
        return None

    def _findings(self, session: Session) -> tuple[Findings, MemolithError | None]:
        """Return what a session teaches: what its model finds, and what the rules find, which always run.

        If the model fails, what the rules found, and the error.
        """
        settings = self._home.settings
        plain = rules.extract(session, settings)
        try:
            model = self._model("extract", session)
            if model is None:
                return plain, None
            found = extract.extract(session, model, settings, self._prompts, self._deadline)
            return united(found, plain), None
        except MemolithError as error:
            return plain, error

    def _settle(
        self,
        job: Job,
        session: Session,
        result: tuple[Findings, MemolithError | None],
        known: list[str],
    ) -> None:
        """Store a session's findings; `known` are the sessions that already have an extraction."""
        found, error = result
        if isinstance(error, CeilingError):
            self._queue.release(job, str(error))
            self._stopped = str(error)
            return
        found = withdraw.without(found, self._gone)
        if error:
            with contextlib.suppress(StorageError):  # what was said plainly does not wait for a model
                keep.records(self._home, session.name, found.facts)
            self._fail(job, error)
            return
        if not self._queue.holds(job):
            raise LeaseLostError(job)
        self._note_citations(job, session, known)
        try:
            if found.empty and session.name in known:
                withdraw.unlearn(self._home, session.name)
            stored, refused = keep.records(self._home, session.name, [*found.facts, *found.candidates])
        except StorageError as error:  # a full disk says nothing about the facts: retry the session
            self._fail(job, error)
            return
        if found.empty:
            self._queue.finish(job, found.outcome, stored=self._for_project)
            self._done["empty"] += 1
            return
        model = self._model("extract", session)
        output = Extraction(
            session=job.session,
            project=job.project,
            source_watermark=job.input_watermark,
            started=session.started,
            raw_memory=found.raw_memory,
            rollout_summary=found.rollout_summary,
            rollout_slug=found.rollout_slug or None,
            model=model.name if model else "rules",
        )
        self._queue.finish(job, found.outcome + refused, output=output, stored=self._for_project)
        self._done.update(extracted=1, records=stored)

    def _fail(self, job: Job, error: MemolithError) -> None:
        self._queue.fail(job, str(error), delay=getattr(error, "retry_after", None) or 0.0)
        self._done["failed"] += 1

    def _note_citations(self, job: Job, session: Session, known: list[str]) -> None:
        """Count the extractions that a new answer cited: those in use are kept longest."""
        done = queued.number(job.success_watermark or (job.input_watermark if job.finished else "0"))
        said = "\n".join(turn.text for turn in session.turns[done:] if turn.role == "assistant")
        cited = [name for name in known if name != session.name and name in said]
        self._queue.extractions.use(self._home.project, cited)

    # ------------------------------------------------------------ consolidation

    def _consolidate(self) -> str:
        """Consolidate if anything is new; return what was done, or why nothing was."""
        slug = self._home.project
        if self._force:
            self._queue.enqueue(CONSOLIDATE, slug, forced=True)
        claimed = self._queue.claim(CONSOLIDATE, project=slug, force=self._force)
        if not claimed:
            return _not_due(self._queue, slug)
        job = claimed[0]
        try:
            with self._queue.kept(job):
                given = self._queue.extractions.chosen(slug, without=self._going)
                outcome = consolidate.run(
                    self._home,
                    given,
                    self._model("consolidate"),
                    fence=lambda: self._queue.fenced(job),
                    deadline=self._deadline,
                )
                return f"Consolidation: {outcome.message}"
        except KeyboardInterrupt:
            self._queue.release(job, "interrupted")
            raise
        except LeaseLostError as error:
            return str(error)
        except CeilingError as error:
            self._queue.release(job, str(error))
            raise
        except MemolithError as error:
            self._fail(job, error)
            return f"the consolidation failed: {error}"


def _with_model(home: Home, model: str) -> Settings:
    models = {f"MEMOLITH_MODELS_{role}": model for role in ("DEFAULT", "SMOL")}
    settings = Settings(home.path, {**os.environ, **models})
    settings.enter(home.identity.root)
    return settings


def _not_due(queue: Queue, slug: str) -> str:
    """Return why no consolidation is due."""
    job = next(iter(queue.jobs(slug, CONSOLIDATE)), None)
    if job is None or not queued.newer(job.input_watermark, job.success_watermark):
        return ""
    if job.status == "running":
        return "another process consolidates at this moment"
    if job.status in ("failed", "error"):
        return f"the consolidation failed before and waits: {job.last_error}"
    return "the consolidation waits for extractions, or for its pause to end (memories.cooldown_hours)"
