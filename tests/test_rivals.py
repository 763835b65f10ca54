"""The harness that compares memolith with others: its jobs, run against memolith and a made-up rival."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bench.rivals import __main__ as program
from bench.rivals import report, safety, speed
from bench.rivals.installing import Installed
from bench.rivals.rivals import RIVALS, Rival
from bench.rivals.stand import Amounts, Figures, Stand
from bench.rivals.talking import Failed

from tests.workers import ROOT

FEW = Amounts(files=20, questions=5, writes=2, starts=1, kills=2, writers=2, each=4, limit=60)
COST = {"megabytes": 1.0, "packages": 1, "seconds": 1.0, "want": "x"}
LINES = ("{python}", "-m", "bench.rivals.adapters.of_lines", "{home}", "{query}")


def made_up(name: str, **variables: str) -> Stand:
    rival = Rival(name, name, "of_lines", LINES, "one file with a line for each note", variables)
    return Stand(Installed(rival, Path(sys.executable), COST), Path(), "", FEW)


def at(place: Path, stand: Stand) -> Stand:
    home = place / "home"
    home.mkdir()
    return replace(stand, home=home)


def test_memolith_itself_passes_every_job(tmp_path: Path) -> None:
    command = ("{python}", "-m", "memolith", *RIVALS[0].shell[1:])
    rival = replace(RIVALS[0], shell=command, environment={"MEMOLITH_SEMANTIC_PROVIDER": "none"})
    stand = at(tmp_path, Stand(Installed(rival, Path(sys.executable), COST), tmp_path, "", FEW))
    taken, found, killed, shared = (
        job(stand) for job in (speed.sync, speed.search, safety.kill, safety.concurrent)
    )
    assert taken["files"] == 20
    assert found["found"] == 1.0
    assert found["shell"]["ratio"] > 1
    assert killed["acknowledged"] >= 2
    assert (killed["lost"], killed["torn"]) == (0, 0)
    assert (shared["acknowledged"], shared["refused"], shared["lost"], shared["torn"]) == (8, 0, 0, 0)


@pytest.mark.parametrize(
    ("variables", "job", "wanted"),
    [
        ({"LINES_FORGET": "k0-00000", "LINES_CUT": "k1-00000"}, safety.kill, {"lost": 1, "torn": 1}),
        ({"LINES_REFUSE": "1"}, safety.concurrent, {"refused": 8, "lost": 0, "why": "OSError: it is full"}),
    ],
)
def test_what_a_rival_loses_cuts_or_refuses_is_counted(
    tmp_path: Path, variables: dict[str, str], job: Callable[[Stand], Figures], wanted: dict[str, object]
) -> None:
    figures = job(at(tmp_path, made_up("lines", **variables)))
    assert {key: figures[key] for key in wanted} == wanted


def test_a_rival_that_hangs_is_stopped_and_said(tmp_path: Path) -> None:
    stand = at(tmp_path, made_up("lines", LINES_HANG="1"))
    with pytest.raises(Failed, match="stopped after 1 s"):
        speed.sync(replace(stand, amounts=replace(FEW, limit=1)))


def test_what_cannot_run_is_said_and_never_guessed(tmp_path: Path) -> None:
    stand = at(tmp_path, made_up("lines", LINES_DIE="1"))
    told = program.tried(lambda: speed.write(stand))
    assert told == {"failed": "its process ended: out of order"}
    page = report.page({"heading": "A run.", "results": {"lines": {"write": told, "install": COST}}})
    assert "- lines, write: its process ended: out of order" in page
    assert "| lines | 1 | 1 | 1 | – | – | – |" in page


def test_the_page_says_where_somebody_else_is_better() -> None:
    results: report.Results = {
        "memolith": {"recall": {"any@5": 0.5, "any@10": 0.7}},
        "other": {"recall": {"any@5": 0.6, "any@10": 0.7}},
        "third": {"recall": {"failed": "no model"}},
    }
    assert report.better(results) == ["- than memolith: any@5 other 0.600 (it: 0.500)"]


def test_figures_of_a_run_can_be_shown_again_and_put_into_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, page = tmp_path / "run.json", tmp_path / "rivals.md"
    stored.write_text(json.dumps({"heading": "A run.", "results": {"memolith": {"install": COST}}}))
    page.write_text(f"Before.\n{report.BEGIN}\nold\n{report.END}\nAfter.\n")
    monkeypatch.setattr(program, "DOCUMENT", page)
    assert program.main(["--from", str(stored), "--write"]) == 0
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("Before.\n")
    assert text.endswith("\nAfter.\n")
    assert "| memolith | 1 | 1 | 1 |" in text
    assert "| memolith | 1 | 1 | 1 |" in capsys.readouterr().out


def test_the_page_names_everyone_who_is_measured_with_the_version() -> None:
    page = (ROOT / "docs" / "rivals.md").read_text(encoding="utf-8")
    assert all(row in page for row in report.remarks())
    assert page.index(report.BEGIN) < page.index(report.END)


def test_every_rival_is_pinned_and_has_an_adapter() -> None:
    for rival in RIVALS:
        assert (ROOT / "bench" / "rivals" / "adapters" / f"{rival.adapter}.py").is_file()
        assert "==" in rival.requirement or rival.requirement.startswith("memolith")
