"""The queue: work is done once, and who lost a job commits nothing."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith.base.errors import BusyError, NotFoundError
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Extraction, Job, LeaseLostError, Queue
from tests.conftest import Clock
from tests.learn.queue.queues import KEY, OTHER, claim, consolidated, extracted, state
from tests.learn.queue.workers import PROJECT, extraction
from tests.ledger import proves
from tests.shared import until

# ---------------------------------------------------------------- jobs


@proves("S2.61")
def test_a_job_is_kept_by_kind_and_key_in_a_private_database_with_a_journal_of_its_own(
    queue: Queue, home: Path
) -> None:
    assert queue.enqueue(EXTRACT, KEY, 5)
    assert not queue.enqueue(EXTRACT, KEY, 5)
    assert queue.enqueue(CONSOLIDATE, PROJECT, 1)
    assert state(queue).as_dict() == {
        "kind": "extract",
        "key": KEY,
        "project": PROJECT,
        "status": "pending",
        "worker": "",
        "token": "",
        "lease_until": 0.0,
        "retry_at": 0.0,
        "retry_remaining": 3,
        "last_error": "",
        "input_watermark": "5",
        "success_watermark": "",
        "outcome": "",
        "forced": False,
        "finished": 0.0,
        "updated": state(queue).updated,
    }
    with sqlite3.connect(home / "state" / "state.sqlite3") as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    for path in home.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_looking_at_a_home_without_a_queue_makes_no_file(queue: Queue, home: Path) -> None:
    assert (queue.jobs(), queue.extractions.all(PROJECT), queue.watermarks(PROJECT)) == ([], [], {})
    assert (queue.clear(), queue.forget_session(PROJECT, "claude-1")) == (0, False)
    assert (queue.extractions.prune(), queue.extractions.use(PROJECT, ["claude-1"])) == (0, 0)
    assert not home.exists()


@proves("S2.36")
def test_a_success_stores_its_output_and_asks_for_a_consolidation_in_one_step(queue: Queue) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    job = claim(queue)
    assert queue.finish(job, "a lesson", output=extraction(job))
    assert (state(queue).status, state(queue).outcome, state(queue).success_watermark) == (
        "done",
        "a lesson",
        "5",
    )
    assert [each.raw_memory for each in queue.extractions.all(PROJECT)] == ["a lesson"]
    assert state(queue, PROJECT).status == "pending"


@proves("S2.36")
def test_if_the_consolidation_cannot_be_asked_for_the_output_is_not_stored_either(
    queue: Queue, home: Path
) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    job = claim(queue)
    with sqlite3.connect(home / "state" / "state.sqlite3") as db:
        db.execute(
            "CREATE TRIGGER no BEFORE INSERT ON jobs WHEN new.kind = 'consolidate' "
            "BEGIN SELECT RAISE(FAIL, 'no'); END"
        )
    with pytest.raises(sqlite3.IntegrityError):
        queue.finish(job, "a lesson", output=extraction(job))
    assert queue.extractions.all(PROJECT) == []
    assert state(queue).status == "running"


@proves("S2.36")
def test_an_output_of_an_older_version_than_the_stored_one_is_not_stored(queue: Queue) -> None:
    extracted(queue, "claude-1", watermark=9)
    queue.retry(KEY)
    job = claim(queue)
    old = Extraction(**{**extraction(job, "old").as_dict(), "source_watermark": "8"})
    assert not queue.finish(job, "a lesson", output=old)
    assert [each.raw_memory for each in queue.extractions.all(PROJECT)] == ["of claude-1"]


def test_a_session_that_has_nothing_to_teach_any_more_takes_its_earlier_output_back(queue: Queue) -> None:
    extracted(queue, "claude-1")
    assert consolidated(queue) == ["claude-1"]
    queue.enqueue(EXTRACT, KEY, 6)
    assert queue.finish(claim(queue), "nothing to learn")
    assert queue.extractions.all(PROJECT) == []
    assert state(queue, PROJECT).status == "pending"
    assert not queue.enqueue(EXTRACT, KEY, 6)


def test_a_session_that_never_taught_anything_asks_for_no_consolidation(queue: Queue) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    assert not queue.finish(claim(queue), "nothing to learn")
    assert [(job.key, job.outcome) for job in queue.jobs()] == [(KEY, "nothing to learn")]


@proves("S2.37")
def test_a_failure_is_tried_again_after_120_seconds_and_given_up_after_three_attempts(
    queue: Queue, clock: Clock
) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    for left in (2, 1, 0):
        queue.fail(claim(queue), f"error {left}")
        assert (state(queue).retry_remaining, state(queue).last_error) == (left, f"error {left}")
        clock.seconds += 119.5
        assert queue.claim(EXTRACT) == []
        clock.seconds += 0.5
    assert queue.claim(EXTRACT) == []
    assert state(queue).status == "error"
    assert not queue.enqueue(EXTRACT, KEY, 5)


@proves("S2.37")
def test_a_newer_version_of_a_session_gets_all_attempts_again(queue: Queue) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    queue.fail(claim(queue), "no")
    assert queue.enqueue(EXTRACT, KEY, 6)
    assert (state(queue).status, state(queue).retry_remaining) == ("pending", 3)
    job = claim(queue)
    queue.enqueue(EXTRACT, KEY, 7)  # while it is worked on
    queue.fail(job, "no")
    assert (state(queue).status, state(queue).retry_remaining) == ("pending", 3)
    assert claim(queue).input_watermark == "7"


def test_a_service_that_asks_for_more_time_gets_it(queue: Queue, clock: Clock) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    queue.fail(claim(queue), "slow down", delay=300)
    clock.seconds += 299
    assert queue.claim(EXTRACT) == []
    clock.seconds += 1
    assert claim(queue)


def test_a_job_that_is_given_back_loses_no_attempt(queue: Queue) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    queue.release(claim(queue), "a ceiling was reached")
    assert (state(queue).status, state(queue).retry_remaining) == ("pending", 3)
    assert state(queue).last_error == "a ceiling was reached"
    assert claim(queue)


def test_secrets_in_an_error_are_masked_before_they_are_stored(queue: Queue, home: Path) -> None:
    secret = "sk-proj-" + "Ab3" * 20
    queue.enqueue(EXTRACT, KEY, 5)
    queue.fail(claim(queue), f"the key {secret} was refused")
    assert "was refused" in state(queue).last_error
    queue.close()
    assert all(secret.encode() not in path.read_bytes() for path in home.rglob("*") if path.is_file())


# ---------------------------------------------------------------- leases


@proves("S2.38")
def test_a_lease_holds_others_off_for_120_seconds_and_can_then_be_taken_over(
    opened: Callable[[], Queue], clock: Clock
) -> None:
    one, other = opened(), opened()
    one.enqueue(EXTRACT, KEY, 5)
    first = claim(one)
    clock.seconds += 119.5
    assert other.claim(EXTRACT) == []
    clock.seconds += 0.5
    second = claim(other)
    assert second.token != first.token
    assert f"process {os.getpid()}" in state(one).last_error


@proves("S2.38")
def test_no_more_extractions_than_set_run_at_once_over_all_projects(
    opened: Callable[[], Queue], clock: Clock
) -> None:
    one, other = opened(), opened()
    for number in range(12):
        one.enqueue(EXTRACT, f"{(PROJECT, OTHER)[number % 2]}/claude-{number}", number)
    held = one.claim(EXTRACT, limit=5)
    assert [job.input_watermark for job in held] == ["0", "1", "2", "3", "4"]
    assert len(other.claim(EXTRACT, limit=5)) == 3
    assert other.claim(EXTRACT) == []
    one.finish(held[0], "nothing")
    assert len(other.claim(EXTRACT, limit=5)) == 1
    clock.seconds += 120
    assert len(one.claim(EXTRACT, limit=99)) == 8


@proves("S2.39")
@pytest.mark.parametrize("taken", ["over", "away", "back"])
def test_who_lost_a_job_can_say_nothing_about_it(
    opened: Callable[[], Queue], clock: Clock, taken: str, tmp_path: Path
) -> None:
    one, other = opened(), opened()
    one.enqueue(EXTRACT, KEY, 5)
    lost = claim(one)
    clock.seconds += 120
    if taken == "over":
        claim(other)
    elif taken == "away":
        other.cancel(KEY)
    else:
        other.clear()
    before = other.jobs()
    for step in (
        lambda: one.finish(lost, "a lesson", output=extraction(lost)),
        lambda: one.fail(lost, "no"),
        lambda: one.release(lost, "no"),
    ):
        with pytest.raises(LeaseLostError, match="nothing was written"):
            step()
    with pytest.raises(LeaseLostError), one.fenced(lost):
        (tmp_path / "written").touch()
    assert not one.heartbeat(lost)
    assert not (tmp_path / "written").exists()
    assert (other.jobs(), other.extractions.all(PROJECT)) == (before, [])


def test_a_worker_that_is_late_but_was_not_replaced_may_still_finish(queue: Queue, clock: Clock) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    job = claim(queue)
    clock.seconds += 500
    assert not queue.heartbeat(job)  # its place may be another's
    assert queue.holds(job)
    assert queue.finish(job, "a lesson", output=extraction(job))


@proves("S2.44")
def test_a_heartbeat_extends_the_180_seconds_of_a_consolidation(
    opened: Callable[[], Queue], clock: Clock
) -> None:
    one, other = opened(), opened()
    one.enqueue(CONSOLIDATE, PROJECT, 1)
    job = claim(one, CONSOLIDATE)
    for _ in range(10):
        clock.seconds += 30
        assert one.heartbeat(job)
    clock.seconds += 179.5
    assert other.claim(CONSOLIDATE) == []
    clock.seconds += 0.5
    assert claim(other, CONSOLIDATE)
    assert not one.heartbeat(job)


def test_a_lease_is_renewed_while_a_block_runs(
    opened: Callable[[], Queue], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_PHASE2_HEARTBEAT_SECONDS", "0.002")
    one, other = opened(), opened()
    one.enqueue(EXTRACT, KEY, 5)
    job = claim(one)
    with one.kept(job):
        clock.seconds += 100
        assert until(lambda: state(other).lease_until == clock.seconds + 120)


@pytest.mark.parametrize("days", [-2, -20_000])
def test_a_clock_that_is_set_back_leaves_no_job_stuck(queue: Queue, clock: Clock, days: int) -> None:
    extracted(queue, "claude-3")
    consolidated(queue)
    extracted(queue, "claude-4")
    queue.enqueue(EXTRACT, f"{OTHER}/claude-1", 5)
    queue.enqueue(EXTRACT, f"{OTHER}/claude-2", 4)
    queue.fail(claim(queue), "no")
    claim(queue)
    clock.seconds += days * 86_400
    assert len(queue.claim(EXTRACT, limit=9)) == 2
    assert consolidated(queue) == ["claude-3", "claude-4"]


# ---------------------------------------------------------------- consolidation


@proves("S2.44")
def test_a_consolidation_waits_for_the_extractions_of_its_project_and_for_no_others(queue: Queue) -> None:
    for number in range(2):
        queue.enqueue(EXTRACT, f"{PROJECT}/claude-{number}", number)
    queue.enqueue(EXTRACT, f"{OTHER}/claude-9", 9)
    one, other = queue.claim(EXTRACT, project=PROJECT, limit=2)
    queue.finish(one, "a lesson", output=extraction(one))
    assert queue.claim(CONSOLIDATE) == []  # one is running
    queue.release(other, "later")
    assert queue.claim(CONSOLIDATE) == []  # one is waiting
    queue.fail(claim_of(queue, PROJECT), "no")
    assert claim(queue, CONSOLIDATE).key == PROJECT  # it is not due before a while


def claim_of(queue: Queue, project: str) -> Job:
    (job,) = queue.claim(EXTRACT, project=project)
    return job


def test_what_is_learned_during_a_consolidation_is_left_to_the_next_one(queue: Queue, clock: Clock) -> None:
    extracted(queue, "claude-1")
    job = claim(queue, CONSOLIDATE)
    extracted(queue, "claude-2")
    with queue.fenced(job, "written") as fence:
        fence.sessions = ["claude-1"]
    assert [(each.session, each.in_set) for each in queue.extractions.all(PROJECT)] == [
        ("claude-1", True),
        ("claude-2", False),
    ]
    assert state(queue, PROJECT).status == "pending"
    clock.seconds += 6 * 3600
    assert consolidated(queue) == ["claude-1", "claude-2"]
    assert state(queue, PROJECT).status == "done"


@proves("S2.67")
def test_an_automatic_consolidation_rests_for_six_hours_and_a_forced_one_does_not(
    queue: Queue, clock: Clock
) -> None:
    extracted(queue, "claude-1")
    consolidated(queue)
    extracted(queue, "claude-2")
    clock.seconds += 6 * 3600 - 1
    assert queue.claim(CONSOLIDATE) == []
    queue.enqueue(CONSOLIDATE, PROJECT, forced=True)
    consolidated(queue)
    extracted(queue, "claude-3")
    assert queue.claim(CONSOLIDATE) == []
    clock.seconds += 6 * 3600
    assert claim(queue, CONSOLIDATE)


@proves("S2.62")
def test_a_request_by_hand_when_nothing_changed_raises_the_watermark_by_one_and_resets_the_attempts(
    queue: Queue,
) -> None:
    extracted(queue, "claude-1")
    consolidated(queue)
    done = int(state(queue, PROJECT).success_watermark)
    assert queue.enqueue(CONSOLIDATE, PROJECT, forced=True)
    asked = state(queue, PROJECT)
    assert (asked.input_watermark, asked.status, asked.forced) == (str(done + 1), "pending", True)
    queue.fail(claim(queue, CONSOLIDATE), "no")
    assert state(queue, PROJECT).retry_remaining == 2
    assert queue.enqueue(CONSOLIDATE, PROJECT, forced=True)  # asked again, while it is to be done anyway
    assert (state(queue, PROJECT).input_watermark, state(queue, PROJECT).retry_remaining) == (
        str(done + 1),
        3,
    )
    consolidated(queue)
    assert (state(queue, PROJECT).status, state(queue, PROJECT).forced) == ("done", False)


def test_a_failed_commit_leaves_the_job_to_its_worker_and_the_set_as_it_was(queue: Queue) -> None:
    extracted(queue, "claude-1")
    job = claim(queue, CONSOLIDATE)

    def commit() -> None:
        with queue.fenced(job) as fence:
            fence.sessions = ["claude-1"]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        commit()
    assert [each.in_set for each in queue.extractions.all(PROJECT)] == [False]
    queue.fail(job, "no")
    assert state(queue, PROJECT).status == "failed"


def test_nobody_changes_the_queue_while_files_are_committed(
    opened: Callable[[], Queue], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = opened()
    extracted(one, "claude-1")
    job = claim(one, CONSOLIDATE)
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0.05")
    other = opened()
    with one.fenced(job, "written"):
        with pytest.raises(BusyError, match=r"0\.05 seconds"):
            other.enqueue(EXTRACT, f"{PROJECT}/claude-2", 5)
        assert state(other, PROJECT).status == "running"  # looking is always possible
        assert one.extractions.chosen(PROJECT)
    assert other.enqueue(EXTRACT, f"{PROJECT}/claude-2", 5)


# ---------------------------------------------------------------- which extractions count


def used(queue: Queue, clock: Clock, days_ago: float, *sessions: str) -> None:
    clock.seconds -= days_ago * 86_400
    queue.extractions.use(PROJECT, sessions)
    clock.seconds += days_ago * 86_400


def test_citing_a_memory_raises_its_usage_count_and_last_use(queue: Queue, clock: Clock) -> None:
    extracted(queue, "claude-1", "claude-2")
    assert queue.extractions.use(PROJECT, ["claude-1", "claude-1", "claude-9"]) == 1
    clock.seconds += 60
    assert queue.extractions.use(PROJECT, ["claude-1"]) == 1
    assert queue.extractions.use(OTHER, ["claude-1"]) == 0
    assert [(each.usage_count, each.last_used) for each in queue.extractions.all(PROJECT)] == [
        (2, clock.seconds),
        (0, 0.0),
    ]


@proves("S2.64")
def test_what_was_used_most_then_last_then_newest_is_consolidated_in_the_order_of_names(
    queue: Queue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, session in enumerate(("a-new", "b-old", "c-twice", "d-late", "e-early", "f-same")):
        queue.enqueue(EXTRACT, f"{PROJECT}/{session}", number)
        job = claim(queue)
        started = "2026-11-02T10:00:00Z" if session == "a-new" else "2026-11-01T10:00:00Z"
        queue.finish(job, "a lesson", output=Extraction(**{**extraction(job).as_dict(), "started": started}))
    used(queue, clock, 9, "c-twice")
    used(queue, clock, 8, "c-twice", "e-early")
    used(queue, clock, 1, "d-late")
    order: list[str] = []
    for limit in range(1, 7):
        monkeypatch.setenv("MEMOLITH_MEMORIES_MAX_RAW_MEMORIES_FOR_GLOBAL", str(limit))
        found = [each.session for each in queue.extractions.chosen(PROJECT)]
        assert found == sorted(found)
        order += sorted(set(found) - set(order))
    assert order == ["c-twice", "d-late", "e-early", "a-new", "b-old", "f-same"]


@proves("S2.64")
def test_what_was_not_used_for_30_days_is_left_out(queue: Queue, clock: Clock) -> None:
    extracted(queue, "a-unused", "b-used")
    extracted(queue, "c-other", project=OTHER)
    clock.seconds += 30 * 86_400
    assert [each.session for each in queue.extractions.chosen(PROJECT)] == ["a-unused", "b-used"]
    used(queue, clock, 1, "b-used")
    clock.seconds += 1
    assert [each.session for each in queue.extractions.chosen(PROJECT)] == ["b-used"]


@proves("S2.66")
def test_200_stale_extractions_are_pruned_at_once_and_none_of_the_last_set(
    queue: Queue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_STAGE1_CONCURRENCY", "64")
    extracted(queue, "a-set")
    assert consolidated(queue) == ["a-set"]
    for ten in range(22):
        clock.seconds += 1
        extracted(queue, *(f"b-{ten:02d}-{one}" for one in range(10)))
    extracted(queue, "c-used")
    clock.seconds += 31 * 86_400
    used(queue, clock, 1, "c-used")
    assert queue.extractions.prune() == 200
    left = [each.session for each in queue.extractions.all(PROJECT)]
    assert left == ["a-set", *(f"b-{ten}-{one}" for ten in (20, 21) for one in range(10)), "c-used"]
    assert (queue.extractions.prune(), queue.extractions.prune()) == (20, 0)
    assert not queue.enqueue(EXTRACT, f"{PROJECT}/b-00-0", 5)  # it is not extracted again for that


def test_extracting_a_session_again_keeps_how_often_it_was_used(queue: Queue) -> None:
    extracted(queue, "claude-1")
    consolidated(queue)
    queue.extractions.use(PROJECT, ["claude-1"])
    extracted(queue, "claude-1", watermark=6)
    (output,) = queue.extractions.all(PROJECT)
    assert (output.source_watermark, output.usage_count, output.in_set) == ("6", 1, True)


# ---------------------------------------------------------------- by hand, and forgetting


def test_a_job_can_be_cancelled_and_asked_for_again(queue: Queue) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    job = claim(queue)
    assert queue.cancel(KEY).outcome == "cancelled"
    assert not queue.heartbeat(job)
    assert not queue.enqueue(EXTRACT, KEY, 5)
    assert queue.retry(KEY).status == "pending"
    queue.finish(claim(queue), "nothing")
    assert queue.enqueue(EXTRACT, KEY, 6)  # the very next version is still a newer one
    for step in (queue.retry, queue.cancel):
        with pytest.raises(NotFoundError, match="learn status"):
            step(f"{PROJECT}/nobody")


def test_forgetting_a_session_drops_its_extraction_and_makes_a_consolidation_forget_it(
    queue: Queue, home: Path
) -> None:
    extracted(queue, "claude-1", "claude-2")
    consolidated(queue)
    extracted(queue, "claude-3")
    assert not queue.forget_session(PROJECT, "claude-3")  # nothing was made from it
    assert queue.forget_session(PROJECT, "claude-1")
    assert [each.session for each in queue.extractions.all(PROJECT)] == ["claude-2"]
    assert KEY not in [job.key for job in queue.jobs()]
    assert consolidated(queue) == ["claude-2"]  # at once: a person asked for it
    assert not any(b"of claude-1" in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_consolidation_that_may_have_read_a_forgotten_session_cannot_commit(queue: Queue) -> None:
    extracted(queue, "claude-1")
    job = claim(queue, CONSOLIDATE)
    assert queue.forget_session(PROJECT, "claude-1")
    with pytest.raises(LeaseLostError), queue.fenced(job):
        raise AssertionError
    assert consolidated(queue) == []


def test_clearing_one_project_leaves_the_others(queue: Queue, home: Path) -> None:
    extracted(queue, "claude-1")
    extracted(queue, "claude-2", project=OTHER)
    assert queue.clear(PROJECT) == 3
    assert {job.project for job in queue.jobs()} == {OTHER}
    assert not any(b"of claude-1" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert queue.clear() == 3
    assert (queue.jobs(), queue.extractions.all(OTHER)) == ([], [])
