"""The benchmark report: its pages are what bench/results.json gives, and its arithmetic is right."""

import os
from pathlib import Path

import pytest
from bench import costs, page, results


def test_the_page_is_made_from_the_kept_results() -> None:
    kept, text = results.load(), page.PAGE.read_text(encoding="utf-8")
    assert page.written(text, kept) == text, "run python -m bench.report --from-results --write"
    assert [text.count(f"<!-- measured: {name} -->") for name in page.PARTS] == [1] * len(page.PARTS)


def test_every_kept_part_says_when_on_what_and_by_which_command_it_was_measured() -> None:
    kept = results.load()
    assert set(kept) == {"cost", "quality"}
    for part in kept.values():
        assert set(part["run"]) == set(results.stamp(""))
        assert part["run"]["command"].startswith("python -m bench.report")
    for row in kept["cost"]["rows"]:
        assert row["value"] > 0 < row["of_floor"], row


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_growth_of_a_power_of_the_size_is_that_power(power: float) -> None:
    sizes = [1000, 10_000, 100_000]
    assert results.exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)


def test_one_size_shows_no_growth() -> None:
    assert results.exponent([1000], [5.0]) is None


def test_results_are_kept_and_read_back(tmp_path: Path) -> None:
    parts = {"cost": {"run": {"date": "today"}, "rows": [{"what": "recall", "value": 1.23456}, {"n": 2}]}}
    results.save(parts, tmp_path / "r.json")
    assert results.load(tmp_path / "r.json")["cost"]["rows"] == [{"what": "recall", "value": 1.235}, {"n": 2}]
    assert results.load(tmp_path / "none.json") == {}


@pytest.mark.timeout(600)
@pytest.mark.skipif(
    os.environ.get("HYPOTHESIS_PROFILE") != "long", reason="many starts; the long form runs it"
)
def test_every_job_is_measured_next_to_a_floor(tmp_path: Path) -> None:
    rows, targets = costs.measure(tmp_path / "home", 60, rounds=3)
    assert {row["floor"] for row in rows} >= {
        costs.START,
        costs.WALK,
        costs.REPLACE,
        costs.QUERY,
        costs.BUILD,
    }
    assert min(min(row["value"], row["of_floor"]) for row in rows) > 0
    shown = page.cost({"cost": {"run": results.stamp("x"), "rows": rows, "targets": targets}})
    assert all(f"| {row['what']} | {row['floor']} |" in shown for row in rows)
