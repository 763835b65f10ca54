"""What is installed: the metadata always; with `./dev package`, wheel and sdist, by pip, pipx and uv."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import metadata
from pathlib import Path

import pytest

import memolith
from tests.shared import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BIN = Path(sys.executable).parent
building = pytest.mark.skipif("MEMOLITH_PACKAGE" not in os.environ, reason="it installs: ./dev package")


def test_the_metadata_says_what_it_is_and_how_it_is_started() -> None:
    told = metadata("memolith")
    assert told["Version"] == memolith.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", memolith.__version__)
    assert PROJECT["scripts"] == {"memolith": "memolith.edges.cli:entry"}
    assert PROJECT["dependencies"] == ["click>=8.1", "rich>=13.9"]
    assert PROJECT["requires-python"] == ">=3.11"
    assert {"Typing :: Typed", "Environment :: Console"} <= set(PROJECT["classifiers"])
    assert all((ROOT / name).is_file() for name in [PROJECT["readme"], *PROJECT["license-files"]])
    assert all(url.startswith("https://") for url in PROJECT.get("urls", {}).values())
    assert (Path(memolith.__file__).parent / "py.typed").is_file()


def test_the_man_page_names_every_command_and_no_line_is_taken_for_a_request() -> None:
    page = (ROOT / "docs" / "memolith.1").read_text(encoding="utf-8")
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests == {'.\\"', ".TH", ".SH", ".B", ".BR", ".RI", ".I", ".SS", ".TP", ".PP", ".nf", ".fi"}
    for name in ("write", "remember", "record", "completion"):
        assert f".TP\n.B {name}\n" in page


def run(*command: object, **env: str) -> str:
    """Run a command; return what it prints."""
    done = subprocess.run(
        [str(each) for each in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a wheel and an sdist of this checkout."""
    place = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT)
    return place


@building
def test_the_sdist_has_only_what_is_in_the_repository(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    known = set(run("git", "ls-files").splitlines())
    assert names - known == {"PKG-INFO"}
    assert {"pyproject.toml", "README.md", "LICENSE", "docs/memolith.1", "src/memolith/py.typed"} <= names


@building
def test_the_wheel_has_the_package_and_the_man_page_and_nothing_else(dist: Path) -> None:
    (path,) = dist.glob("*.whl")
    names = zipfile.ZipFile(path).namelist()
    outside = [name for name in names if not name.startswith(("memolith/", f"{path.name[:14]}"))]
    assert outside == []
    assert [name for name in names if name.endswith("share/man/man1/memolith.1")]
    assert "memolith/py.typed" in names


@building
@pytest.mark.timeout(300)
@pytest.mark.parametrize("tool", ["pip wheel", "pip sdist", "pipx", "uv"])
def test_it_can_be_installed_from_the_checkout(tool: str, dist: Path, tmp_path: Path) -> None:
    home, place = tmp_path / "home", tmp_path / "place"
    if tool.startswith("pip "):
        run(sys.executable, "-m", "venv", place)
        (path,) = dist.glob("*.whl" if tool == "pip wheel" else "*.tar.gz")
        run(place / "bin" / "pip", "install", "-q", path)
        assert (place / "share" / "man" / "man1" / "memolith.1").is_file()
    elif tool == "pipx":
        env = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(place / "bin")}
        run(BIN / "pipx", "install", ROOT, **env, PIPX_MAN_DIR=str(place / "share" / "man"))
        assert (place / "share" / "man" / "man1" / "memolith.1").exists()
    else:
        env = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(place / "bin")}
        run(BIN / "uv", "tool", "install", "--python", sys.executable, ROOT, **env)
    program = place / "bin" / "memolith"
    env = {"HOME": str(home), "MEMOLITH_HOME": str(home / "memory")}
    assert run(program, "--version", **env) == f"memolith {memolith.__version__}\n"
    assert "<memory note=" in run(program, "demo", **env)
    for shell in ("bash", "zsh", "fish"):
        assert "_MEMOLITH_COMPLETE" in run(program, "completion", shell, **env)
