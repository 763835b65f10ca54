"""Which sessions are learned from, and what is said of the others."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from memolith import Mem
from memolith.learn.extract import eligible
from memolith.memory.sessions import Session
from tests.learn.scripted import settings
from tests.learn.talk import session
from tests.ledger import proves

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()
HOUR, DAY = 3600.0, 86_400.0


def ago(seconds: float, name: str = "s1", **fields: str) -> Session:
    time = datetime.fromtimestamp(NOW - seconds, UTC).isoformat()
    return session(("user", "hello"), ("assistant", "hi"), name=name, time=time, **fields)


def why(one: Session, watermarks: Mapping[str, str] | None = None, *, force: bool = False) -> str:
    """Return why a session is refused, or nothing."""
    choice = eligible.choose([eligible.glance(one)], NOW, settings("memories"), watermarks or {}, force=force)
    assert [*choice.taken, *choice.refused] == [one.name]
    return choice.refused.get(one.name, "")


@proves("S2.24")
def test_a_session_is_learned_from_again_only_when_it_has_changed() -> None:
    one = ago(DAY)
    mark = eligible.watermark(one)
    assert why(one, {one.name: mark}) == "nothing changed since it was learned from"
    assert why(ago(DAY), {"claude-other": mark}) == ""
    grown = session(("user", "hello"), ("assistant", "hi"), ("user", "more"), time=one.started)
    assert why(grown, {one.name: mark}) == ""
    changed = session(("user", "hello"), ("assistant", "ho"), time=one.started)
    assert why(changed, {one.name: mark}) == ""


@proves("S2.78")
def test_of_an_unchanged_session_that_goes_on_nobody_says_that_it_has_changed() -> None:
    one = ago(DAY)
    seen, marks = [eligible.glance(one)], {one.name: eligible.watermark(one)}
    choice = eligible.choose(seen, NOW, settings("memories"), marks, going_on=[one.id])
    assert choice.refused == {one.name: "nothing changed since it was learned from"}
    choice = eligible.choose(seen, NOW, settings("memories"), marks, going_on=[one.id], force=True)
    assert choice.refused[one.name].startswith("it is going on")


def test_a_stored_session_keeps_its_watermark(mem: Mem) -> None:
    one = ago(DAY)
    mem.sessions.add(one)
    assert eligible.watermark(mem.sessions.get("s1")) == eligible.watermark(one)


RESTS, OLD = "12 h of rest", "more than 30 (memories.max_rollout_age_days)"


@proves("S2.25", "S2.26", "S2.27", "S2.29", "S3.45")
@pytest.mark.parametrize(
    ("seconds", "fields", "reason"),
    [
        (0, {}, RESTS),
        (11.99 * HOUR, {}, RESTS),
        (-HOUR, {}, RESTS),
        (12 * HOUR, {}, ""),
        (30 * DAY, {}, ""),
        (30.01 * DAY, {}, OLD),
        (400 * DAY, {}, OLD),
        (DAY, {"source": "interactive"}, ""),
        *[
            (DAY, {"source": each}, f"it is not an interactive session, but {each}")
            for each in ("subagent", "automation", "consolidation")
        ],
        *[(DAY, {"status": each}, "") for each in ("completed", "failed", "")],
        *[(DAY, {"status": each}, f"it is {each}; it is learned") for each in ("running", "paused")],
    ],
)
def test_a_session_is_finished_rested_young_and_interactive(
    seconds: float, fields: dict[str, str], reason: str
) -> None:
    found = why(ago(seconds, **fields))
    assert reason in found
    assert bool(found) == bool(reason)
    if fields and reason:  # not even for a person who asks
        assert why(ago(seconds, **fields), force=True) == found


@proves("S2.28")
def test_the_newest_come_first_and_the_rest_have_their_turn_later() -> None:
    many = [eligible.glance(ago(DAY + number * HOUR, f"s{number:03}")) for number in range(400)]
    marks: dict[str, str] = {}
    order: list[str] = []
    for _ in range(7):
        choice = eligible.choose(many[::-1], NOW, settings("memories"), marks)
        assert len(choice.taken) <= 64
        order += choice.taken
        marks |= choice.taken
    assert order == [f"claude-s{number:03}" for number in range(400)]
    first = eligible.choose(many, NOW, settings("memories", max_rollouts_per_startup="2"), {})
    assert "a run takes 2" in first.refused["claude-s002"]
    few = eligible.choose(many, NOW, settings("memories", thread_scan_limit="3"), {})
    assert len(few.taken) == 3
    assert "memories.thread_scan_limit" in few.refused["claude-s003"]


@pytest.mark.parametrize("mode", ["polluted", "disabled"])
def test_a_withdrawn_session_is_left_out_and_what_it_taught_is_to_be_forgotten(mode: str) -> None:
    """Half of S2.69; the other half is the consolidation's."""
    one = ago(DAY, mode=mode)
    choice = eligible.choose(
        [eligible.glance(one)], NOW, settings("memories"), {one.name: eligible.watermark(one)}
    )
    assert (choice.taken, choice.withdrawn) == ({}, {one.name})
    assert mode in choice.refused[one.name]


def test_a_person_may_ask_for_a_session_that_is_too_young_too_old_or_done() -> None:
    one = ago(HOUR)
    marks = {one.name: eligible.watermark(one)}
    choice = eligible.choose(
        map(eligible.glance, [one, ago(99 * DAY, "s2")]), NOW, settings("memories"), marks, force=True
    )
    assert list(choice.taken) == ["claude-s1", "claude-s2"]


def test_a_session_without_times_goes_by_when_it_was_stored() -> None:
    one = session(("user", "hello"))
    assert "does not say when" in why(one)
    choice = eligible.choose([eligible.glance(one, NOW - DAY)], NOW, settings("memories"), {})
    assert list(choice.taken) == [one.name]


def test_a_session_in_which_nobody_speaks_costs_no_request() -> None:
    assert why(session(("assistant", "working"), time="2026-11-14T00:00:00Z")) == "nobody said anything in it"


def test_the_head_of_a_session_is_stored_with_it(mem: Mem) -> None:
    mem.sessions.add(ago(DAY, source="subagent", mode="polluted", cwd="/home/u/app"))
    stored = mem.sessions.get("s1")
    assert (stored.source, stored.mode, stored.cwd) == ("subagent", "polluted", "/home/u/app")
