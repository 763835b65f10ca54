"""Extraction over the queue: each session that waits is extracted by one worker, with a model or by rules.

Requests to a model run side by side; what comes of them is stored one after the other.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from memolith.base.errors import CeilingError, MemolithError, NotFoundError, StorageError
from memolith.learn import withdraw
from memolith.learn.extract import extract, rules
from memolith.learn.model.prompt import StageOne
from memolith.learn.queue.queue import Extraction, LeaseLostError
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from memolith.learn.extract.facts import Findings
    from memolith.learn.model.client import Client
    from memolith.learn.queue.queue import Job, Queue
    from memolith.memory.home import Home
    from memolith.memory.sessions import Session

    # Gives the model for a session and a phase, with its requests counted.
    Models = Callable[[str, str], Client]


class Worker:
    """Extracts the sessions of claimed jobs."""

    def __init__(self, home: Home, queue: Queue, models: Models | None, deadline: float) -> None:
        self._home, self._queue, self._models, self._deadline = home, queue, models, deadline
        self._known: list[str] = []  # sessions that taught something before
        self._prompts = StageOne(home.path) if models else None

    def do(self, jobs: list[Job], count: Counter[str]) -> str:
        """Do all jobs and count what became of their sessions; return why the run has to stop, or nothing."""
        sessions = {job.key: session for job in jobs if (session := self._session(job, count)) is not None}
        found = self._findings([job for job in jobs if job.key in sessions], sessions)
        stop = ""
        self._known = [each.session for each in self._queue.extractions.all(self._home.project)]
        for job, result in found:
            # A job that was lost is done by whoever has it now.
            with contextlib.suppress(LeaseLostError):
                stop = self._settle(job, sessions[job.key], result, count) or stop
        return stop

    def _session(self, job: Job, count: Counter[str]) -> Session | None:
        try:
            try:
                return Sessions(self._home).get(job.session)
            except NotFoundError:
                withdraw.withdraw_session(self._home, self._queue, job.session)
        except MemolithError as error:
            self._fail(job, error, count)
        return None

    def _findings(
        self, jobs: list[Job], sessions: dict[str, Session]
    ) -> list[tuple[Job, Findings | MemolithError]]:
        if self._models is None or len(jobs) < 2:
            return [(job, self._extract(job, sessions[job.key])) for job in jobs]
        with ThreadPoolExecutor(len(jobs)) as pool:
            return list(
                zip(jobs, pool.map(lambda job: self._extract(job, sessions[job.key]), jobs), strict=True)
            )

    def _extract(self, job: Job, session: Session) -> Findings | MemolithError:
        try:
            if self._models is None or self._prompts is None:
                return rules.extract(session, self._home.settings)
            with self._queue.kept(job):
                model = self._models(session.name, "extract")
                return extract.extract(
                    session, model, self._home.settings, self._prompts, deadline=self._deadline
                )
        except MemolithError as error:
            return error

    def _settle(
        self, job: Job, session: Session, found: Findings | MemolithError, count: Counter[str]
    ) -> str:
        if isinstance(found, CeilingError):
            self._queue.release(job, str(found))
            return str(found)
        if isinstance(found, MemolithError):
            return self._fail(job, found, count)
        if not self._queue.holds(job):
            raise LeaseLostError(job)
        self._note_citations(session)
        if found.empty:
            self._queue.finish(job, found.outcome)
            count["empty"] += 1
            return ""
        try:
            stored, refused = self._store(session, found)
        except StorageError as error:
            # A full disk is no opinion about a fact: the session is learned from again.
            return self._fail(job, error, count)
        output = Extraction(
            session=job.session,
            project=job.project,
            source_watermark=job.input_watermark,
            started=session.started,
            raw_memory=found.raw_memory,
            rollout_summary=found.rollout_summary,
            rollout_slug=found.rollout_slug or None,
            model=self._models(session.name, "extract").name if self._models else "rules",
        )
        self._queue.finish(job, found.outcome + refused, output=output)
        count["extracted"] += 1
        count["records"] += stored
        return ""

    def _fail(self, job: Job, error: MemolithError, count: Counter[str]) -> str:
        self._queue.fail(job, str(error), delay=getattr(error, "retry_after", None) or 0.0)
        count["failed"] += 1
        return ""

    def _note_citations(self, session: Session) -> None:
        """Count the extractions that an answer named as its source: what is used is kept longest."""
        said = "\n".join(turn.text for turn in session.turns if turn.role == "assistant")
        cited = [name for name in self._known if name != session.name and name in said]
        if cited:
            self._queue.extractions.use(self._home.project, cited)

    def _store(self, session: Session, found: Findings) -> tuple[int, str]:
        """Store the records; one that is refused does not keep the others out."""
        stored, refused = 0, []
        for fact in found.facts:
            source = f"{session.name}#{fact.quotes[0][0]}" if fact.quotes else session.name
            try:
                Records(self._home.from_source("extracted", fact.taint or None)).add(
                    fact.text,
                    category=fact.category,
                    scope=fact.scope,
                    title=fact.title,
                    aliases=fact.aliases,
                    keywords=fact.keywords,
                    source=source,
                )
            except StorageError:
                raise
            except MemolithError as error:
                refused.append(str(error))
                continue
            stored += 1
        return stored, f"; {len(refused)} refused: {refused[0]}" if refused else ""
