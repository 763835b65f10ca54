"""The benchmark report: its pages are what bench/results.json gives, and its arithmetic is right."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from bench import costs, million, page, plot, results

LATENCY = {"fast": [(1000, 0.5), (10_000, 0.9)], "slow": [(1000, 40.0), (10_000, 4000.0)]}


def test_the_page_and_the_picture_are_made_from_the_kept_results() -> None:
    kept, text = results.load(), page.PAGE.read_text(encoding="utf-8")
    assert page.written(text, kept) == text, "run python -m bench.report --from-results --write"
    assert page.PICTURE.read_text(encoding="utf-8") == page.picture(kept)
    assert [text.count(f"<!-- measured: {name} -->") for name in page.PARTS] == [1] * len(page.PARTS)


def test_every_kept_part_says_when_on_what_and_by_which_command_it_was_measured() -> None:
    kept = results.load()
    assert set(kept) == {"cost", "quality", "million"}
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


def test_the_picture_has_a_line_and_a_name_for_each_job_and_nothing_that_runs() -> None:
    root = ET.fromstring(plot.drawn(LATENCY, {"floor & co": [(1000, 0.1), (10_000, 1.0)]}, "Title"))  # noqa: S314
    lines = root.findall("{*}polyline")
    assert [bool(line.get("stroke-dasharray")) for line in lines].count(True) == 1
    assert len(lines) == 3
    said = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"fast", "slow", "floor & co", "40 ms to 4 s", "1,000", "10,000", "notes"} <= set(said)
    assert {each.tag.rpartition("}")[2] for each in root.iter()} == {
        "svg",
        "title",
        "rect",
        "path",
        "polyline",
        "text",
    }


def test_a_memory_like_that_of_a_million_units_has_as_many_as_were_asked_for(tmp_path: Path) -> None:
    got = million.measure(tmp_path / "home", 500, asked=3)
    assert (got["units"], got["files"]) == (20 + 480, 20 + 2)
    assert got["recall_p95_ms"] >= got["recall_p50_ms"] > 0
    shown = page.million({"million": {"run": results.stamp("x"), "row": got}})
    assert "| units in files | 500 in 22 |" in shown


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
