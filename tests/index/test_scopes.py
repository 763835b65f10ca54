"""Projects do not see each other, and processes do not disturb each other."""

import subprocess
import sys
from pathlib import Path

import pytest

from memolith.edges.cli import main
from memolith.index import Index
from tests.index.corpus import WORDS, fill, ranked, write
from tests.shared import WEIGHTS

WORKER = """
import sys
from memolith.index import Index
from tests.index.corpus import BOTH
home, name = sys.argv[1:]
for number in range(20):
    path = f"{home}/memory/projects/shop/notes/{name}-{number}.md"
    open(path, "w").write(f"worker{name}x{number} says hello")
    index = Index(home)
    state = index.sync(BOTH)
    assert state.complete, state
    assert len(index.lexical(BOTH, f"worker{name}x{number}")) == 1
"""


def test_no_answer_comes_from_a_foreign_project(tmp_path: Path) -> None:
    slugs = [f"p{number}" for number in range(10)]
    for slug in slugs:
        for number, word in enumerate(WORDS):
            write(tmp_path, f"memory/projects/{slug}/notes/n{number}.md", f"{word} of {slug}\n")
    write(tmp_path, "memory/notes/all.md", " ".join(WORDS))
    with Index(str(tmp_path)) as index:
        index.sync(["", *slugs])
        for slug in slugs:
            for word in [*WORDS, *slugs]:
                units = index.units([m.unit_id for m in index.lexical(["", slug], word)])
                assert {unit.scope for unit in units} <= {"", slug}
            assert index.terms([slug], "redis").total == len(WORDS)


def test_several_processes_write_and_search_at_once(tmp_path: Path) -> None:
    fill(tmp_path)
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path), str(number)], stderr=subprocess.PIPE)
        for number in range(3)
    ]
    for worker in workers:
        assert worker.communicate()[1] == b""
        assert worker.returncode == 0
    with Index(str(tmp_path)) as index:
        grown = {word: ranked(index, word) for word in [*WORDS, "hello"]}
        assert len(grown["hello"]) == 60
        index.rebuild(["", "shop"])
        assert {word: ranked(index, word) for word in [*WORDS, "hello"]} == grown


def test_the_command_shows_catches_up_and_rebuilds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    fill(home, notes=3)
    assert main(["index"]) == 0
    assert "8 files to catch up" in capsys.readouterr().out
    assert main(["index", "sync"]) == 0
    assert "8 files read" in capsys.readouterr().out
    assert main(["index", "status", "--json"]) == 0
    assert '"complete": true' in capsys.readouterr().out
    assert main(["index", "rebuild"]) == 0
    assert "8 files read" in capsys.readouterr().out
    assert main(["index", "nonsense"]) == 2


def test_the_command_says_what_is_known_by_meaning_and_makes_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "home", "memory/notes/deploy.md", "Deploys go through the blue pipeline.\n")
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")
    assert main(["index", "sync"]) == 0
    assert "Meaning: off (semantic.provider is none)" in capsys.readouterr().out
    if not WEIGHTS.is_file():
        pytest.skip("the model's weights are not there (./dev test gets them)")
    monkeypatch.setenv("MEMOLITH_SEMANTIC_MODEL", str(WEIGHTS))
    monkeypatch.delenv("MEMOLITH_SEMANTIC_PROVIDER")
    assert main(["index"]) == 0
    assert "0 of 1 texts, 1 left (memolith index sync)" in capsys.readouterr().out
    assert main(["index", "sync"]) == 0
    assert "1 of 1 texts\n" in capsys.readouterr().out
    assert main(["recall", "how is the software shipped with a pipeline"]) == 1  # found, but weak
    assert "meaning 0." in capsys.readouterr().out
    assert main(["index", "rebuild", "--json"]) == 0
    assert "1 of 1 texts" in capsys.readouterr().out
