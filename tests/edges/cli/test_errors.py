"""Every mistake that a person can make at the command line: its exit code, and a line with the next step."""

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.edges.cli.app import cli, load_commands
from tests.promises.test_canary import commands
from tests.shared import rows

Capture = pytest.CaptureFixture[str]

# A command line, its exit code, and a piece of the message that says what to do. Words in braces are places
# and values of the fixture `filled`.
MISTAKES: list[tuple[str, int, str]] = rows("edges/cli/mistakes")
# `hook` answers agents, whatever they send; it has no mistakes.
NONE = {"hook"}
# These need no memory.
SETTLED = {"doctor", "project list", "scan"}  # they work while settings are broken
HOMELESS = {"completion", "demo", "help", "hook", "init", "mcp", "memory help", "run", "tui"}

load_commands()


class Filled:
    """A memory with one of each kind, and files that no command can read."""

    def __init__(self, base: Path) -> None:
        self.base, self.home, self.work = base, base / "home", base / "work"
        # A repository of its own: the tests may run inside another one.
        subprocess.run(["git", "init", "-q", str(self.work)], check=True)
        with Mem.open(self.work, home=self.home) as mem:
            mem.remember("Run pytest.", "Running the tests")
            mem.records.add("Use pnpm.", category="decisions", scope="project", title="Use pnpm")
            mem.tickets.add("Fix login")
            mem.sessions.end([{"role": "user", "content": "hello"}], agent="claude", session_id="1")
        (base / "binary").write_bytes(bytes(range(1, 256)))
        (base / "broken").write_text("{nope")
        (base / "folder").mkdir()
        self.values = {name: str(base / name) for name in ("binary", "broken", "folder", "absent")}
        self.values |= {"file": str(base / "broken"), "readonly": "/sys/memolith"}
        self.values |= {"long": "x" * 300, "zeros": "0" * 64, "nul": "\0"}

    def state(self) -> dict[str, bytes]:
        """Return what is stored."""
        return {str(each): each.read_bytes() for each in (self.home / "memory").rglob("*.md")}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """Return a memory that all mistakes are made with: none of them may change it."""
    made = Filled(tmp_path_factory.mktemp("filled"))
    before = made.state()
    yield made
    assert made.state() == before


@pytest.fixture(autouse=True)
def _here(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMOLITH_HOME", str(filled.home))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(filled.work)


def told(capfd: Capture) -> str:
    """Return the one line that a person is told."""
    said = capfd.readouterr()
    assert said.err.startswith("memolith: error: ")
    assert said.err.count("\n") == 1, said.err
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err


@pytest.mark.parametrize(("line", "code", "hint"), MISTAKES, ids=[line[:60] for line, _, _ in MISTAKES])
def test_a_mistake_gets_its_exit_code_and_a_next_step(
    line: str, code: int, hint: str, filled: Filled, capfd: Capture
) -> None:
    if "{readonly}" in line and not Path("/sys/kernel").exists():
        pytest.skip("needs /sys, in which nobody can make a directory")
    assert main(shlex.split(line.format(**filled.values))) == code
    assert hint in told(capfd)


def test_every_command_is_in_the_table() -> None:
    lines = [f"{line} " for line, _, _ in MISTAKES]
    missing = {name for name in commands(cli) if not any(line.startswith(f"{name} ") for line in lines)}
    assert missing == NONE


@pytest.mark.parametrize("name", sorted(commands(cli) - NONE))
def test_no_command_takes_an_unknown_option_a_home_that_is_a_file_or_broken_settings(
    name: str, filled: Filled, capfd: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert main([*name.split(), "--frobnicate"]) == 2
    said = told(capfd)
    assert "--frobnicate" in said
    assert f"memolith {name} --help" in said or "memolith --help" in said
    if name in HOMELESS:
        return
    required = [each for each in find(name).params if each.required]
    given = [word for each in required for word in words(each.opts, each.param_type_name)]
    assert main([*name.split(), *given, "--home", filled.values["file"]]) in (2, 3, 7)
    told(capfd)
    if name in SETTLED:
        return
    (tmp_path / "config.yml").write_text("inject:\n  daily: [\n")
    monkeypatch.setenv("MEMOLITH_HOME", str(tmp_path))
    monkeypatch.delenv("MEMOLITH_SEMANTIC_PROVIDER")  # what it says need not be looked up
    assert main([*name.split(), *given]) in (2, 3, 7, 12)
    told(capfd)


def find(name: str) -> click.Command:
    """Return a command by its name."""
    found: click.Command = cli
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.commands[word]
    return found


def words(names: list[str], kind: str) -> list[str]:
    """Return something for a parameter that has to be given."""
    value = {"--category": "decisions", "--scope": "project"}.get(names[0], "x")
    return [names[0], value] if kind == "option" else [value]


def test_a_lock_that_somebody_holds_is_named(
    filled: Filled, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0")
    mem = Mem.open(filled.work)
    with mem.gate.scope(mem.project):
        for line in ("write daily x", "undo running-the-tests", "memory clear scratchpad"):
            assert main(line.split()) == 9
            assert "try again, or raise lock.seconds" in told(capfd)


def test_a_head_that_cannot_be_read_is_told_and_loses_nothing(
    work: Path, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HOME", str(tmp_path / "home"))
    mem = Mem.open(work)
    record = mem.records.add("Use pnpm.", category="decisions", scope="project", title="Use pnpm")
    path = mem.root / record.filename
    path.write_text("---\nid: [\n  x: :\n---\nUse pnpm.\n")
    for line in ("record show use-pnpm", "record list", "show use-pnpm --why"):
        assert main([*line.split(), "--project", str(work)]) == 0
    assert "frontmatter line 2" in capfd.readouterr().out
    assert main(["doctor", "--project", str(work)]) == 1
    assert "frontmatter" in capfd.readouterr().out
