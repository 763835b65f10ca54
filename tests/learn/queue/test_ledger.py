"""The ledger of learning: every request is entered before it is sent, and a ceiling stops exactly there."""

from pathlib import Path

import pytest

from memolith.base.errors import CeilingError
from memolith.learn.queue.ledger import Entry, Ledger
from memolith.learn.queue.queue import EXTRACT, Queue
from tests.conftest import Clock
from tests.learn.queue import workers
from tests.learn.queue.queues import OTHER
from tests.learn.queue.workers import PROJECT
from tests.ledger import proves


def reserve(
    ledger: Ledger,
    run: str = "run",
    phase: str = "extract",
    project: str = PROJECT,
    tokens: int = 0,
    seconds: float = 120,
) -> Entry:
    return ledger.reserve(run, phase, project, "claude-1", "m", tokens=tokens, seconds=seconds)


def total(ledger: Ledger) -> dict[str, float]:
    """Return what was used in all."""
    names = ("requests", "tokens", "open", "seconds")
    return {name: sum(getattr(cost, name) for cost in ledger.costs()) for name in names}


def sessions(ledger: Ledger) -> list[str]:
    return [row[0] for row in ledger.database.ask("SELECT session FROM requests")]


def ceiling(monkeypatch: pytest.MonkeyPatch, name: str, value: float) -> None:
    monkeypatch.setenv(f"MEMOLITH_MEMORIES_{name.upper()}", str(value))


def stopped(ledger: Ledger, run: str = "run", tokens: int = 0) -> CeilingError:
    """Return the error that stops the next request; it leaves no entry."""
    before = total(ledger)
    with pytest.raises(CeilingError) as raised:
        reserve(ledger, run, tokens=tokens)
    assert total(ledger) == before
    return raised.value


def test_looking_at_a_home_that_never_learned_makes_no_file(ledger: Ledger, tmp_path: Path) -> None:
    assert (total(ledger)["requests"], ledger.costs()) == (0, [])
    ledger.check_day()
    assert not (tmp_path / "home").exists()


def test_a_request_counts_with_all_that_it_may_use_until_it_is_settled(ledger: Ledger) -> None:
    entry = reserve(ledger, tokens=1000, seconds=30)
    assert (total(ledger)["tokens"], total(ledger)["seconds"], total(ledger)["open"]) == (1000, 30.0, 1)
    ledger.settle(entry, 400, 50, 2.5, "ok")
    assert (total(ledger)["tokens"], total(ledger)["seconds"], total(ledger)["open"]) == (450, 2.5, 0)
    ledger.settle(entry, 9999, 9999, 99, "ok")  # said twice, counted once
    assert (total(ledger)["requests"], total(ledger)["tokens"]) == (1, 450)


@pytest.mark.parametrize("where", ["run", "day"])
def test_the_request_after_the_last_one_that_is_allowed_is_not_sent(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    ceiling(monkeypatch, f"requests_per_{where}", 3)
    for _ in range(3):
        reserve(ledger)
    error = stopped(ledger)
    assert (error.ceiling, error.used, error.limit) == (f"memories.requests_per_{where}", 3, 3)
    assert f"next {where}" in str(error)
    assert f"memolith config set memories.requests_per_{where}" in str(error)


@pytest.mark.parametrize("where", ["run", "day"])
def test_a_request_that_may_exceed_the_tokens_is_not_sent_and_one_that_just_fits_is(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    ceiling(monkeypatch, f"tokens_per_{where}", 1000)
    ledger.settle(reserve(ledger, tokens=500), 300, 100, 1, "ok")
    assert stopped(ledger, tokens=601).used == 400
    reserve(ledger, tokens=600)
    assert stopped(ledger, tokens=1).ceiling == f"memories.tokens_per_{where}"


def test_a_run_is_stopped_when_its_seconds_are_over_and_a_request_gets_no_more_than_are_left(
    ledger: Ledger, clock: Clock
) -> None:
    ledger.start("run")
    clock.seconds += 880
    assert reserve(ledger).seconds == 20
    clock.seconds += 19.5
    assert reserve(ledger).seconds == 0.5
    clock.seconds += 0.5
    assert stopped(ledger).ceiling == "memories.seconds_per_run"
    assert reserve(ledger, "another run").seconds == 120


def test_the_seconds_of_a_day_are_given_out_to_the_last_and_no_further(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ceiling(monkeypatch, "seconds_per_day", 200)
    assert [reserve(ledger, "a").seconds, reserve(ledger, "b").seconds] == [120, 80]
    assert stopped(ledger, "c").ceiling == "memories.seconds_per_day"


def test_one_run_does_not_use_up_what_another_may(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ceiling(monkeypatch, "requests_per_run", 1)
    reserve(ledger, "one")
    reserve(ledger, "other")
    assert stopped(ledger, "one").ceiling == "memories.requests_per_run"


@proves("S2.68")
def test_a_run_need_not_start_when_the_budget_of_the_day_is_used_up_and_the_next_day_it_may(
    ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ceiling(monkeypatch, "tokens_per_day", 1000)
    ledger.settle(reserve(ledger, tokens=999), 999, 0, 1, "ok")
    ledger.check_day()
    ledger.settle(reserve(ledger, tokens=1), 1, 0, 1, "ok")
    with pytest.raises(CeilingError, match="tokens_per_day"):
        ledger.check_day()
    clock.seconds += 86_400
    ledger.check_day()
    reserve(ledger, "next", tokens=1000)


@pytest.mark.parametrize("what", ["requests", "seconds"])
def test_requests_and_seconds_of_a_day_can_be_used_up_too(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    ceiling(monkeypatch, f"{what}_per_day", 1)
    ledger.settle(reserve(ledger), 0, 0, 1, "ok")
    with pytest.raises(CeilingError, match=f"{what}_per_day"):
        ledger.check_day()


def test_what_was_spent_is_told_by_day_project_phase_and_model(ledger: Ledger, clock: Clock) -> None:
    for phase, tokens in (("extract", 10), ("extract", 20), ("consolidate", 40)):
        ledger.settle(reserve(ledger, phase=phase), tokens, 1, 0.5, "ok")
    ledger.settle(reserve(ledger, project=OTHER), 80, 0, 0.5, "timeout")
    clock.seconds += 86_400
    reserve(ledger, "next", tokens=160)
    assert [(each.project, each.phase, each.requests, each.tokens, each.open) for each in ledger.costs()] == [
        (PROJECT, "extract", 1, 160, 1),
        (OTHER, "extract", 1, 80, 0),
        (PROJECT, "consolidate", 1, 41, 0),
        (PROJECT, "extract", 2, 32, 0),
    ]
    assert [each.tokens for each in ledger.costs(since="2026-11-16")] == [160]
    assert ledger.totals(run="run").tokens == 153
    assert ledger.totals(day="2026-11-15").tokens == 153
    assert sessions(ledger) == ["claude-1"] * 5


def test_what_was_spent_is_entered_even_if_the_database_was_lost_meanwhile(
    ledger: Ledger, tmp_path: Path
) -> None:
    entry = reserve(ledger, tokens=1000)
    (tmp_path / "home" / "state" / "state.sqlite3").unlink()
    ledger.settle(entry, 400, 50, 2.5, "ok")
    assert (ledger.totals(run="run").requests, ledger.totals(run="run").tokens) == (1, 450)


def test_clearing_the_queue_gives_no_budget_back_and_forgetting_a_session_drops_its_name(
    queue: Queue, ledger: Ledger
) -> None:
    reserve(ledger, tokens=1000)
    queue.enqueue(EXTRACT, f"{PROJECT}/claude-1", 5)
    queue.forget_session(PROJECT, "claude-1")
    queue.clear()
    assert total(ledger)["tokens"] == 1000
    assert sessions(ledger) == [""]


def test_entries_are_kept_for_more_than_a_year_and_not_for_ever(ledger: Ledger, clock: Clock) -> None:
    reserve(ledger, "old")
    clock.seconds += 390 * 86_400
    reserve(ledger, "new")
    assert total(ledger)["requests"] == 2
    clock.seconds += 20 * 86_400
    reserve(ledger, "newest")
    assert total(ledger)["requests"] == 2


# ---------------------------------------------------------------- several processes at once


@pytest.mark.parametrize(
    ("ceiling", "limit", "tokens", "seconds", "spent"),
    [
        ("requests_per_run", 40, 1, 0.1, {"requests": 40}),
        ("requests_per_day", 40, 1, 0.1, {"requests": 40}),
        ("tokens_per_run", 1000, 70, 0.1, {"requests": 14, "tokens_in": 980}),
        ("tokens_per_day", 1000, 70, 0.1, {"requests": 14, "tokens_in": 980}),
        ("seconds_per_day", 95, 1, 10, {"requests": 10, "seconds": 95.0}),
    ],
)
def test_eight_processes_together_spend_what_is_allowed_and_not_one_more(
    tmp_path: Path, ceiling: str, limit: int, tokens: int, seconds: float, spent: dict[str, float]
) -> None:
    setting = {f"MEMOLITH_MEMORIES_{ceiling.upper()}": str(limit)}
    report = workers.report("spend", tmp_path / "spend", 8, tokens, seconds, **setting)
    assert report["well"]
    assert report["stopped"] == {f"stopped memories.{ceiling}": 8}
    assert {key: report[key] for key in spent} == spent
