"""Which sessions are learned from, and what is said of the others."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from memolith import Mem
from memolith.env.settings import Settings
from memolith.learn.extract import eligible
from memolith.memory.sessions import Session, read_rollout
from tests.learn.talk import session
from tests.ledger import proves

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()
HOUR, DAY = 3600.0, 86_400.0


def ago(seconds: float, name: str = "s1", **fields: str) -> Session:
    time = datetime.fromtimestamp(NOW - seconds, UTC).isoformat()
    return session(("user", "hello"), ("assistant", "hi"), name=name, time=time, **fields)


def settings(**values: str) -> Settings:
    return Settings(
        "/nonexistent", {f"MEMOLITH_MEMORIES_{key.upper()}": value for key, value in values.items()}
    )


def why(one: Session, watermarks: Mapping[str, str] | None = None, *, force: bool = False) -> str:
    """Return why a session is refused, or nothing."""
    choice = eligible.choose([one], NOW, settings(), watermarks or {}, force=force)
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


def test_a_stored_session_keeps_its_watermark(mem: Mem) -> None:
    one = ago(DAY)
    mem.sessions.add(one)
    assert eligible.watermark(mem.sessions.get("s1")) == eligible.watermark(one)


@proves("S2.25")
@pytest.mark.parametrize(
    ("hours", "taken"), [(0, False), (11.99, False), (12, True), (13, True), (-1, False)]
)
def test_a_session_rests_twelve_hours_first(hours: float, taken: bool) -> None:
    reason = why(ago(hours * HOUR))
    assert ("12 h of rest" in reason) != taken
    assert bool(reason) != taken


@proves("S2.26")
@pytest.mark.parametrize(("days", "taken"), [(29, True), (30, True), (30.01, False), (400, False)])
def test_a_session_is_at_most_thirty_days_old(days: float, taken: bool) -> None:
    assert ("more than 30 (memories.max_rollout_age_days)" in why(ago(days * DAY))) != taken


@proves("S2.27")
def test_the_running_session_is_never_learned_from() -> None:
    for force in (False, True):
        assert why(ago(DAY, status="running"), force=force).startswith("it is running; it is learned from")


@proves("S2.28")
def test_the_newest_come_first_and_the_rest_have_their_turn_later() -> None:
    many = [ago(DAY + number * HOUR, f"s{number:03}") for number in range(400)]
    marks: dict[str, str] = {}
    order: list[str] = []
    for _ in range(7):
        choice = eligible.choose(many[::-1], NOW, settings(), marks)
        assert len(choice.taken) <= 64
        order += choice.taken
        marks |= choice.taken
    assert order == [f"claude-s{number:03}" for number in range(400)]
    first = eligible.choose(many, NOW, settings(max_rollouts_per_startup="2"), {})
    assert "a run takes 2" in first.refused["claude-s002"]
    few = eligible.choose(many, NOW, settings(thread_scan_limit="3"), {})
    assert len(few.taken) == 3
    assert "memories.thread_scan_limit" in few.refused["claude-s003"]


@proves("S2.29")
@pytest.mark.parametrize("source", ["subagent", "automation", "consolidation"])
def test_only_interactive_sessions_teach(source: str) -> None:
    assert why(ago(DAY, source=source)) == f"it is no interactive session, but {source}"
    assert why(ago(DAY, source="interactive")) == ""


@proves("S3.45")
@pytest.mark.parametrize(
    ("status", "taken"),
    [("running", False), ("paused", False), ("completed", True), ("failed", True), ("", True)],
)
def test_what_is_not_over_is_not_learned_from(status: str, taken: bool) -> None:
    assert (why(ago(DAY, status=status)) == "") == taken


@pytest.mark.parametrize("mode", ["polluted", "disabled"])
def test_a_withdrawn_session_is_left_out_and_what_it_taught_is_to_be_forgotten(mode: str) -> None:
    """Half of S2.69; the other half is the consolidation's."""
    one = ago(DAY, mode=mode)
    choice = eligible.choose([one], NOW, settings(), {one.name: eligible.watermark(one)})
    assert (choice.taken, choice.withdrawn) == ({}, {one.name})
    assert mode in choice.refused[one.name]


def test_a_person_may_ask_for_a_session_that_is_too_young_too_old_or_done() -> None:
    one = ago(HOUR)
    marks = {one.name: eligible.watermark(one)}
    choice = eligible.choose([one, ago(99 * DAY, "s2")], NOW, settings(), marks, force=True)
    assert list(choice.taken) == ["claude-s1", "claude-s2"]


def test_a_session_without_times_goes_by_when_it_was_stored() -> None:
    one = session(("user", "hello"))
    assert "does not say when" in why(one)
    choice = eligible.choose([one], NOW, settings(), {}, stored={one.name: NOW - DAY})
    assert list(choice.taken) == [one.name]


def test_a_session_in_which_nobody_speaks_costs_no_request() -> None:
    assert why(session(("assistant", "working"), time="2026-11-14T00:00:00Z")) == "nobody said anything in it"


def test_the_head_of_a_session_is_stored_with_it(mem: Mem) -> None:
    mem.sessions.add(ago(DAY, source="subagent", mode="polluted", cwd="/home/u/app"))
    stored = mem.sessions.get("s1")
    assert (stored.source, stored.mode, stored.cwd) == ("subagent", "polluted", "/home/u/app")


@proves("S2.30")
def test_a_session_file_gives_id_and_directory_after_an_optional_title_and_skips_what_is_broken() -> None:
    lines = [
        '{"title": "Fix the login"}',
        '{"id": "ab12", "cwd": "/home/u/app", "started": "2026-11-15T10:00:00Z"}',
        '{"role": "user", "text": "hello"}',
        '{"role": "user", "te',
        "not json",
        '{"role": "narrator", "text": "?"}',
        '{"role": "ai", "text": "hi"}',
    ]
    found = read_rollout(lines, "pi", "2026-11-15_x")
    assert (found.name, found.cwd, found.started) == ("pi-ab12", "/home/u/app", "2026-11-15T10:00:00Z")
    assert [(turn.number, turn.role, turn.text) for turn in found.turns] == [
        (1, "user", "hello"),
        (2, "assistant", "hi"),
    ]
    headless = read_rollout(lines[2:3], "pi", "2026-11-15_x")
    assert (headless.id, headless.cwd, len(headless.turns)) == ("2026-11-15_x", "", 1)
    assert read_rollout([], "pi", "x").turns == []
