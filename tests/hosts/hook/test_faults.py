"""A hook never gets in a host's way: exit code 0, what it can say, one line about the rest."""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith.store import locks, receipts
from memolith.text.safe.structure import TROUBLE
from tests.hosts.hook.conftest import context, unless_busy
from tests.hosts.hook.test_bounded import HELD

COMMAND = [sys.executable, "-m", "memolith", "hook"]
START = {"session_id": "s", "hook_event_name": "SessionStart"}
PROMPT = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "which port is it?"}


def run(data: bytes, *arguments: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=data, capture_output=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


def told(work: Path, row: dict[str, str]) -> bytes:
    return json.dumps({**row, "cwd": str(work)}).encode()


@pytest.mark.parametrize(
    ("data", "arguments", "reason"),
    [
        (b"", [], "not JSON"),
        (b"\xff\xfe{", [], "not JSON"),
        (b'{"session_id": "s', [], "not JSON"),
        (b"[1]", [], "is list, not a JSON object"),
        (b'{"session_id": 1}', [], "unknown event"),
        (b'{"hook_event_name":"Stop"}', [], "names no session"),
        (b'{"session_id":"s","hook_event_name":"SessionStart"}', ["--host", "emacs"], "must be one of"),
        (b'{"session_id":"s"}', ["--host", "copilot", "--event", "lunch"], "unknown event 'lunch'"),
        (b"{" * 9_000_000, [], "more than 8,388,608 bytes"),
    ],
    ids=["empty", "bytes", "half", "list", "numbers", "session", "host", "event", "huge"],
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
    ("damage", "reason", "block"),
    [
        (_config, "hooks.enabled", False),
        (_store, "symbolic link", False),
        (_state, "is not a directory", True),
    ],
    ids=["settings", "store", "state"],
)
def test_a_broken_home_is_told_and_logged(
    home: Path, work: Path, damage: Callable[[Path], None], reason: str, block: bool
) -> None:
    damage(home)
    done = run(told(work, PROMPT))
    said = context(done.stdout.decode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert reason in said
    assert (said.count(TROUBLE), said.count(str(home))) == (1, 0)
    assert ("It is port 5433" in said) == block
    assert block or reason in (home / "state/log/hook.log").read_text()


def test_a_file_that_is_none_is_named_and_the_rest_is_recalled(home: Path, work: Path) -> None:
    (notes,) = (home / "memory/projects").glob("*/notes")
    os.mkfifo(notes / "pipe.md")
    first, second = (context(run(told(work, PROMPT)).stdout.decode()) for _ in range(2))
    assert ["pipe.md" in said for said in (first, second)] == [True, False]
    assert "port 5433" in first


def test_a_locked_database_costs_neither_the_answer_nor_much_time(home: Path, work: Path) -> None:
    (database,) = (home / "cache").glob("index-*.sqlite3")
    before = database.stat()
    with sqlite3.connect(database, isolation_level=None) as locker:
        locker.execute("BEGIN EXCLUSIVE")
        os.utime(database, ns=(before.st_atime_ns, before.st_mtime_ns))
        first = run(told(work, START))
        usual = time.monotonic()
        run(told(work, {**START, "session_id": "other"}))
        before_it = time.monotonic()
        unless_busy(before_it - usual)
        done = run(told(work, PROMPT))
        passed = time.monotonic() - before_it - (before_it - usual)
        locker.execute("ROLLBACK")
    assert b"Notes index" in first.stdout
    assert passed < HELD  # that a prompt may be held
    said = context(done.stdout.decode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert ("It is port 5433" in said, TROUBLE in said) == (True, False)


def _full() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_on_a_full_disk_a_session_gets_its_block_and_is_told_once(home: Path, work: Path) -> None:
    transcript = work / "transcript.jsonl"
    row = {"transcript_path": str(transcript)}
    began = time.monotonic()
    start = run(told(work, {**START, **row}), preexec_fn=_full)
    unless_busy(time.monotonic() - began)
    said = context(start.stdout.decode())
    assert [each in said for each in ("It is port 5433", "File too large")] == [True, True]
    assert said.count(TROUBLE) == 1
    # The host writes down what it was told; nothing else remembers it.
    transcript.write_text(json.dumps({"content": said}) + "\n")
    prompt = run(told(work, {**PROMPT, **row}), preexec_fn=_full)
    assert context(prompt.stdout.decode()).count("Notes index") == 0
    assert TROUBLE not in prompt.stdout.decode()
    assert "It is port 5433" in prompt.stdout.decode()  # recalled
    log = home / "state/log/hook.log"
    assert not log.exists() or not log.read_text()


@pytest.mark.usefixtures("home")
def test_a_summary_that_a_full_disk_refuses_is_said_to_the_person(work: Path) -> None:
    row = {"session_id": "s", "hook_event_name": "PostCompact", "compact_summary": "Use B."}
    done = run(told(work, row), "--host", "claude", preexec_fn=_full)
    assert "File too large" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize("event", [START, PROMPT], ids=["start", "prompt"])
@pytest.mark.usefixtures("home")
def test_what_nobody_heard_is_not_noted(work: Path, event: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    subprocess.run(COMMAND, input=told(work, event), stdout=writing, check=False)
    os.close(writing)
    assert b"It is port 5433" in run(told(work, event)).stdout


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


@pytest.mark.usefixtures("home")
def test_a_start_that_its_first_prompt_overtook_says_nothing_more(work: Path) -> None:
    """Copilot starts both hooks at once: on a busy machine the block came with each of them."""
    rows: list[dict[str, str]] = [PROMPT, {**START, "source": "new"}, PROMPT | {"prompt": "and the host?"}]
    said = [run(told(work, row)).stdout for row in rows]
    assert [b"Notes index" in each for each in said] == [True, False, False]
    assert said[1] == b""
    again = run(told(work, {**START, "source": "clear"})).stdout
    assert b"Notes index" in again  # the model has lost it


def is_held(path: Path) -> bool:
    """Whether another process has the lock on a file."""
    with path.open("rb") as file:
        return not locks.try_lock(file.fileno())


@pytest.mark.parametrize("late", [PROMPT, START], ids=["prompt", "twin"])
def test_a_hook_that_cannot_wait_for_a_start_leaves_the_block_to_it(
    late: dict[str, str], home: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start waits for the session before it, longer than others wait for the start."""
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    receipts.note(str(home), "before.todo", "claude", "before", str(work), "", "")
    receipts.stamp(str(home), "ended", "before.todo")
    log = home / "state/hooks/s.log"
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as start:
        assert start.stdin
        assert start.stdout
        start.stdin.write(told(work, START))
        start.stdin.close()
        while not (log.exists() and is_held(log)):
            assert start.poll() is None
        said = run(told(work, late)).stdout
        first = start.stdout.read()
    assert [b"Notes index" in each for each in (first, said)] == [True, False]
    assert (b"It is port 5433" in said) == (late is PROMPT)  # recalled
    assert TROUBLE.encode() not in said
    assert b"Notes index" not in run(told(work, PROMPT | {"prompt": "and the host?"})).stdout
