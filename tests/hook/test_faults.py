"""A hook never gets in a host's way: exit code 0, no output, the reason in the log."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem

COMMAND = [sys.executable, "-m", "memolith", "hook"]
START = {"session_id": "s", "hook_event_name": "SessionStart"}
PROMPT = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "which port is it?"}


def run(data: bytes, *arguments: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=data, capture_output=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


def told(work: Path, row: dict[str, str]) -> bytes:
    return json.dumps({**row, "cwd": str(work)}).encode()


@pytest.fixture
def home(work: Path, isolated: Path) -> Path:
    """Return the home of a memory with a note."""
    mem = Mem.open(work)
    mem.remember("It is port 5433.", "Port")
    mem.recall("port", semantic=False)
    return isolated / "home"


@pytest.mark.parametrize(
    ("data", "arguments", "reason"),
    [
        (b"", [], "not JSON"),
        (b"\xff\xfe{", [], "not JSON"),
        (b"[1]", [], "is list, not a JSON object"),
        (b'{"session_id": 1}', [], "unknown event"),
        (b'{"hook_event_name":"Stop"}', [], "names no session"),
        (b'{"session_id":"s","hook_event_name":"SessionStart"}', ["--host", "emacs"], "must be one of"),
        (b'{"session_id":"s"}', ["--host", "copilot", "--event", "lunch"], "unknown event 'lunch'"),
        (b"{" * 9_000_000, [], "more than 8,388,608 bytes"),
    ],
    ids=["empty", "bytes", "list", "numbers", "session", "host", "event", "huge"],
)
def test_what_is_no_event_is_logged(home: Path, data: bytes, arguments: list[str], reason: str) -> None:
    done = run(data, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert reason in (home / "state/log/hook.log").read_text()


def _config(home: Path) -> None:
    (home / "config.yml").write_text("hooks:\n  enabled: perhaps\n")


def _store(home: Path) -> None:
    (home / "memory").rename(home / "elsewhere")
    (home / "memory").symlink_to(home / "elsewhere")


def _state(home: Path) -> None:
    (home / "state" / "hooks").write_text("a file")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [(_config, "hooks.enabled"), (_store, "symbolic link"), (_state, "is not a directory")],
    ids=["settings", "store", "state"],
)
def test_a_broken_home_is_logged(home: Path, work: Path, damage: Callable[[Path], None], reason: str) -> None:
    damage(home)
    done = run(told(work, PROMPT))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert reason in (home / "state/log/hook.log").read_text()


def test_a_locked_database_costs_what_is_recalled_and_nothing_else(home: Path, work: Path) -> None:
    (database,) = (home / "cache").glob("index-*.sqlite3")
    before = database.stat()
    with sqlite3.connect(database, isolation_level=None) as locker:
        locker.execute("BEGIN EXCLUSIVE")
        os.utime(database, ns=(before.st_atime_ns, before.st_mtime_ns))
        first = run(told(work, START))
        done = run(told(work, PROMPT))
        locker.execute("ROLLBACK")
    assert b"Notes index" in first.stdout
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "the index is kept in memory only" in (home / "state/log/hook.log").read_text()


def test_on_a_full_disk_nothing_is_said(home: Path, work: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = run(told(work, START), preexec_fn=full)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (home / "state/log/hook.log").exists() or not (home / "state/log/hook.log").read_text()


@pytest.mark.parametrize("place", ["", "/dev/null/home"])
def test_without_a_home_nothing_is_said(work: Path, place: str) -> None:
    env = {key: value for key, value in os.environ.items() if key not in ("MEMOLITH_HOME", "HOME")}
    done = run(told(work, START), env={**env, "MEMOLITH_HOME": place, "HOME": ""}, cwd=work)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(work.iterdir()) == []


def test_the_command_line_may_name_the_project_and_a_memory_that_is_thrown_away(
    home: Path, work: Path, tmp_path: Path
) -> None:
    data = told(tmp_path, START)
    assert run(data, "--ephemeral-memory").stdout == b""
    assert not (home / "state/hooks").exists()
    assert b"It is port 5433" in run(data, "--project", str(work)).stdout
    assert run(data, "--from-a-newer-version").returncode == 0


def test_a_reader_that_is_gone_and_closed_streams_are_no_error(home: Path, work: Path) -> None:
    closed = subprocess.run(
        ["/bin/sh", "-c", f"{' '.join(COMMAND)} <&- >&-; echo $?"], capture_output=True, check=True, cwd=work
    )
    assert closed.stdout == b"0\n"
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(COMMAND, input=told(work, START), stdout=writing, check=False)
    os.close(writing)
    assert done.returncode == 0
    assert b"memory note" not in b"".join(path.read_bytes() for path in (home / "state").rglob("*.log"))


def test_a_host_that_installed_the_hook_twice_gets_one_answer(home: Path, work: Path) -> None:
    """Real processes at the same instant: whoever has the session's receipts answers."""
    assert home.is_dir()
    for row in (START, PROMPT):
        hooks = [
            subprocess.Popen([*COMMAND, "--host", host], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for host in ("claude", "claude", "codex", "claude")
        ]
        for hook in hooks:  # all of them have started before the first is told
            assert hook.stdin
            hook.stdin.write(told(work, row))
        answers = [hook.communicate()[0] for hook in hooks]
        assert sorted(map(bool, answers)) == [False, False, False, True]
        assert [hook.returncode for hook in hooks] == [0] * 4
