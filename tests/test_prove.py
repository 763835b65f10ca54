"""The proof kit cannot rot: a few seconds of each of its commands (docs/proof.md has the long runs)."""

import importlib
import random
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from prove import powerloss
from prove.attack import PARTS
from prove.commands import COMMANDS
from prove.fuzz import mutate
from prove.rows import Mutant, Stand, all_mutants

from memolith.edges.cli.app import cli, load_commands
from tests.ledger import citations, proves
from tests.promises.test_canary import commands
from tests.shared import LONG, prove

# Commands that change nothing, and three that change something else: `demo` and `run` a throw-away memory;
# what `tui` calls are the functions of the others.
READING = {
    *(
        "read",
        "context",
        "search",
        "list",
        "status",
        "history",
        "log",
        "completion",
        "show",
        "help",
        "semantic",
        "demo",
        "run",
        "tui",
    ),
    *("record list", "record show", "ticket list", "ticket show", "session list", "session show"),
    *("learn status", "learn why", "learn cost", "project list", "project show"),
    *("memory view", "memory note", "memory read", "memory help"),
}


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs fork, and strace for the most part")


@proves("S0.21", "S0.28", "X.9", "X.21")
def test_a_command_that_is_killed_or_meets_an_error_leaves_old_or_new_text() -> None:
    commands = "write overwrite,remember,edit deletes,learn promote,learn run"
    said = prove("faults", "--rounds", "1500" if LONG else "50", "--only", commands)
    for kind in ("kill -9 at a random moment", "SIGKILL at a file system call", "fails with", "power loss"):
        assert kind in said
    assert "old bytes in history" in said


@proves("S0.21")
def test_a_kill_at_any_file_system_call_leaves_old_or_new_text() -> None:
    said = prove("faults", "--every", "kill", "--only", "write overwrite")
    assert "old bytes in history" in said
    assert "the time was over" not in said


@proves("S0.22", "X.8", "X.20")
def test_eight_writers_two_editors_a_reindexer_and_a_consolidation_lose_nothing() -> None:
    said = prove("races", "--rounds", "500" if LONG else "40", "--minutes", "0.6")
    assert "no acknowledged line is lost" in said


@pytest.mark.parametrize(
    ("what", "arguments", "wanted"),
    [
        ("faults", ["--only", "wrong writers", "--rounds", "3"], "wrong writers are caught"),
        ("races", ["--only", "unlocked", "--rounds", "60", "--minutes", "0.6"], "wrong writers are caught"),
        ("fuzz", ["--rounds", "2"], "MCP frames"),
        ("leaks", ["--rounds", "6", "--only", "forget"], "importing it all again brings nothing back"),
        ("attack", ["--rounds", "1"], "who asks is told"),
    ],
)
def test_a_short_run_finds_nothing_and_says_what_it_checked(
    what: str, arguments: list[str], wanted: str
) -> None:
    assert wanted in prove(what, *arguments)


@pytest.mark.skipif(not LONG, reason="a thousand writes, before it shows")
def test_a_writer_that_does_not_look_is_caught() -> None:
    said = prove("races", "--only", "blind", "--rounds", "150", "--minutes", "1")
    assert "wrong writers are caught" in said


@pytest.mark.parametrize("part", PARTS)
def test_each_broken_version_can_still_be_put_in_place(part: str) -> None:
    for broken in importlib.import_module(f"prove.attack.{part}").BROKEN:
        with broken if isinstance(broken, AbstractContextManager) else broken():
            pass


def test_a_broken_row_is_noticed_and_a_change_that_breaks_nothing_survives(tmp_path: Path) -> None:
    stand = Stand(tmp_path / "stand")
    tests = citations()["S0.18"]
    harmless = Mutant("S0.18", "mem.py", '"""Persist `content`', '"""Keep `content`')
    assert stand.play(harmless, tests) == (["mem.py: survives 1 tests"], "")
    mutant = next(each for each in all_mutants() if each.row == "S0.18")
    assert stand.play(mutant, tests) == ([], tests[0])
    assert "pytest ended with 4" in stand.play(harmless, ["tests/gone.py"])[0][0]
    assert stand.failing(tests) == []


@proves("X.15")
def test_nothing_of_a_project_is_seen_in_another_on_any_way() -> None:
    said = prove("leaks", "--rounds", "10" if LONG else "1", "--only", "projects")
    for way in ("library", "MCP", "hook", "command line", "memory://", "export", "pipeline"):
        assert f"{way}: asked in a project" in said
    assert "asked for another's: answers searched" in said


def test_every_command_that_writes_is_interrupted() -> None:
    load_commands()
    known = commands(cli)
    lines = [" ".join(each.line) + " " for each in COMMANDS]
    interrupted = {name for name in known if any(line.startswith(f"{name} ") for line in lines)}
    # A checkout is known by its inode, so a round cannot copy it: tests/store/test_repository.py kills these.
    assert known - interrupted == READING | {"project share", "project unshare"}


def test_a_power_loss_takes_what_was_not_synced_and_nothing_else(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (tmp_path / "seed").mkdir()
    disk = powerloss.Disk(top, tmp_path / "seed")

    def call(name: str, arguments: str, result: int = 0) -> None:
        disk.apply(powerloss.Call(name, arguments, result, "1"))

    def text(value: str) -> str:
        return "".join(f"\\x{byte:02x}" for byte in value.encode())

    at = f'AT_FDCWD</>, "{text(f"{top}/a")}"'
    call("openat", f"{at}, O_WRONLY|O_CREAT|O_EXCL, 0600", 3)
    call("write", f'3<{top}/a>, "{text("hello")}", 5', 5)
    chance = random.Random(1)
    assert disk.state("none", "none", chance) == {}
    assert disk.state("all", "none", chance) == {"a": b""}
    call("fsync", f"3<{top}/a>")
    assert disk.state("all", "none", chance) == {"a": b"hello"}
    assert disk.state("none", "all", chance) == {}
    call("fsync", f"4<{top}>")
    assert disk.state("none", "none", chance) == {"a": b"hello"}
    call("rename", f'"{text(f"{top}/a")}", "{text(f"{top}/b")}"')
    assert disk.state("none", "none", chance) == {"a": b"hello"}
    assert disk.state("all", "none", chance) == {"b": b"hello"}


def test_the_same_seed_gives_the_same_case() -> None:
    assert [mutate(b"abc" * 9, random.Random(each)) for each in range(20)] == [
        mutate(b"abc" * 9, random.Random(each)) for each in range(20)
    ]
