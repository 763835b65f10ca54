"""The queue against a model of it: whatever the order of claims, ends, failures and clocks."""

import tempfile
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memolith.env.settings import Settings
from memolith.learn.queue.queue import EXTRACT, Job, LeaseLostError, Queue
from tests.conftest import Clock
from tests.learn.queue.workers import PROJECT, extraction
from tests.shared import LONG

SESSIONS = ("claude-1", "claude-2", "claude-3")
VERSIONS = ("1", "1-a", "1-b", "2-a", "2-c", "3")
LEASE, DELAY, ROOM = 120.0, 120.0, 2


class Model:
    """What the queue should know of one session."""

    def __init__(self, watermark: str) -> None:
        self.wanted, self.done, self.left = watermark, "", 3
        self.status, self.until, self.token = "pending", 0.0, ""

    def is_live(self, now: float) -> bool:
        return self.status == "running" and self.until > now

    def is_due(self, now: float) -> bool:
        if self.status == "failed":
            return self.until <= now
        return self.status == "pending" or (self.status == "running" and self.until <= now)


class Comparison(RuleBasedStateMachine):
    """Three sessions, at most two at once; each step is done to the queue and to the model."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock(1_800_000_000.0)
        env = {"MEMOLITH_MEMORIES_STAGE1_CONCURRENCY": str(ROOM)}
        self.queue = Queue(self.folder.name, Settings(self.folder.name, env), self.clock)
        self.model: dict[str, Model] = {}
        self.taken: list[Job] = []  # every job that was ever claimed, so also those that were lost
        self.outputs: dict[str, str] = {}

    def teardown(self) -> None:
        if hasattr(self, "queue"):
            self.queue.close()
            self.folder.cleanup()

    @rule(session=st.sampled_from(SESSIONS), watermark=st.sampled_from(VERSIONS))
    def enqueue(self, session: str, watermark: str) -> None:
        known = self.model.get(session)
        new = known is None or (watermark != known.wanted and watermark[0] >= known.wanted[0])
        assert self.queue.enqueue(EXTRACT, f"{PROJECT}/{session}", watermark) == new
        if known is None:
            self.model[session] = Model(watermark)
        elif new:
            known.wanted, known.left = watermark, 3
            known.done = "" if known.done == watermark else known.done
            known.status = "running" if known.status == "running" else "pending"

    @rule(limit=st.integers(1, 3))
    def claim(self, limit: int) -> None:
        now = self.clock.seconds
        room = min(limit, ROOM - sum(each.is_live(now) for each in self.model.values()))
        due = [session for session, each in self.model.items() if each.is_due(now)]
        jobs = self.queue.claim(EXTRACT, limit=limit)
        assert [job.session for job in jobs] == due[: max(0, room)]
        for job in jobs:
            each = self.model[job.session]
            each.status, each.until, each.token = "running", now + LEASE, job.token
            assert job.input_watermark == each.wanted
        self.taken += jobs

    @precondition(lambda self: self.taken)
    @rule(data=st.data(), how=st.sampled_from(["finish", "nothing", "fail", "release", "beat"]))
    def end(self, data: st.DataObject, how: str) -> None:
        job = data.draw(st.sampled_from(self.taken))
        each = self.model[job.session]
        holds = each.status == "running" and each.token == job.token
        if how == "beat":
            beats = holds and each.until > self.clock.seconds
            assert self.queue.heartbeat(job) == beats
            each.until = self.clock.seconds + LEASE if beats else each.until
            return
        steps: dict[str, Any] = {
            "finish": lambda: self.queue.finish(job, "a lesson", output=extraction(job)),
            "nothing": lambda: self.queue.finish(job, "nothing"),
            "fail": lambda: self.queue.fail(job, "no"),
            "release": lambda: self.queue.release(job, "later"),
        }
        try:
            steps[how]()
        except LeaseLostError:
            assert not holds
            return
        assert holds
        newer = each.wanted != job.input_watermark
        each.status = "pending"
        if how in ("finish", "nothing"):
            each.done, each.left = job.input_watermark, 3
            each.status = "pending" if newer else "done"
            self.outputs.pop(job.session, None)
            if how == "finish":
                self.outputs[job.session] = job.input_watermark
        elif how == "fail" and not newer:
            each.left -= 1
            each.status, each.until = ("failed" if each.left else "error"), self.clock.seconds + DELAY

    @rule(session=st.sampled_from(SESSIONS), how=st.sampled_from(["retry", "cancel"]))
    def by_hand(self, session: str, how: str) -> None:
        each = self.model.get(session)
        if each is None:
            return
        if how == "cancel":
            self.queue.cancel(f"{PROJECT}/{session}")
            each.status, each.done = "done", each.wanted
        else:
            self.queue.retry(f"{PROJECT}/{session}")
            each.left, each.done = 3, "" if each.done == each.wanted else each.done
            each.status = "running" if each.status == "running" else "pending"

    @rule(seconds=st.sampled_from([1.0, 60.0, 119.0, 120.0, 500.0]))
    def wait(self, seconds: float) -> None:
        self.clock.seconds += seconds

    @rule()
    def another_process(self) -> None:
        self.queue.close()

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "queue"):
            return
        found = {job.session: job for job in self.queue.jobs(PROJECT, EXTRACT)}
        assert {
            session: (job.status, job.input_watermark, job.success_watermark, job.retry_remaining)
            for session, job in found.items()
        } == {
            session: (each.status, each.wanted, each.done, each.left) for session, each in self.model.items()
        }
        stored = {each.session: each.source_watermark for each in self.queue.extractions.all(PROJECT)}
        assert stored == self.outputs
        assert sum(each.is_live(self.clock.seconds) for each in self.model.values()) <= ROOM


TestTheQueueIsLikeItsModel = Comparison.TestCase
TestTheQueueIsLikeItsModel.settings = settings(
    max_examples=500 if LONG else 15, stateful_step_count=30, deadline=None
)
