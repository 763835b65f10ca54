"""Throw-away memory: nothing in, nothing out, nothing left."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import ConfigError, Mem
from tests.ledger import proves
from tests.shared import until


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return path


@proves("S1.29", "S1.30")
def test_an_ephemeral_memory_neither_reads_nor_writes_the_real_one(
    mem: Mem, work: Path, temporary: Path, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    mem.write("long_term", "real")
    mem.remember("real", "Real", scope="user")
    before = snapshot(Path(mem.home))
    with Mem.open(work, ephemeral=True) as throwaway:
        assert throwaway.context_block() is None
        throwaway.write("long_term", "fleeting")
        throwaway.remember("fleeting", "Fleeting")
        assert "fleeting" in (throwaway.context_block() or "")
        assert throwaway.search("real").hits == []
        throwaway.remember("fleeting and user-wide", "Wide", scope="user")
        assert [hit.title for hit in throwaway.recall("user-wide", semantic=False).hits] == ["Wide"]
        assert throwaway.recall("real", semantic=False).hits == []
    assert snapshot(Path(mem.home)) == before
    assert list(temporary.iterdir()) == []


@proves("S1.31")
def test_two_ephemeral_runs_do_not_see_each_other(work: Path) -> None:
    with Mem.open(work, ephemeral=True) as first, Mem.open(work, ephemeral=True) as second:
        first.remember("one", "One")
        assert second.context_block() is None
        assert first.home != second.home


@proves("S1.29")
def test_what_a_killed_run_left_is_removed_by_the_next(work: Path, temporary: Path) -> None:
    script = (
        "import sys, time; from memolith import Mem; m = Mem.open(ephemeral=True); m.write('daily', 'x');"
        "print('ready', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", script], cwd=work, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    with Mem.open(work, ephemeral=True):
        assert len(list(temporary.iterdir())) == 2  # a living run is left alone
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert len(list(temporary.iterdir())) == 1
    with Mem.open(work, ephemeral=True) as mem:
        assert [path.name for path in temporary.iterdir()] == [Path(mem.home).name]
    assert list(temporary.iterdir()) == []


@proves("S1.29")
def test_the_command_line_has_it_too(
    work: Path, temporary: Path, mem: Mem, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    mem.write("long_term", "real")
    before = snapshot(Path(mem.home))
    for command in (
        ["write", "daily", "x"],
        ["context"],
        ["remember", "x", "--title", "T"],
        ["list"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "memolith", *command, "--ephemeral-memory"],
            cwd=work,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "real" not in done.stdout.replace("real-", "")
    assert snapshot(Path(mem.home)) == before
    assert list(temporary.iterdir()) == []


@proves("S1.31")
def test_a_home_that_is_just_being_made_is_not_swept_away(temporary: Path, work: Path) -> None:
    """Whoever comes later leaves a young home alone, and takes one whose run was killed while making it."""
    half = temporary / ".memolith-ephemeral-x"
    half.mkdir()
    with Mem.open(work, ephemeral=True):
        assert half.exists()
    os.utime(half, (1, 1))
    with Mem.open(work, ephemeral=True):
        assert not half.exists()


def test_many_runs_at_once_keep_their_homes(work: Path) -> None:
    script = "from memolith import Mem\nfor _ in range(20):\n"
    script += "    with Mem.open(ephemeral=True) as mem: mem.write('daily', 'x')\n"
    runs = [subprocess.Popen([sys.executable, "-c", script], cwd=work) for _ in range(4)]
    assert [run.wait(60) for run in runs] == [0] * 4


def test_the_throw_away_homes_of_others_are_left_alone(temporary: Path) -> None:
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can make a directory of somebody else")
    theirs = temporary / "memolith-ephemeral-theirs"
    theirs.mkdir()
    os.chown(theirs, 12_345, 12_345)
    with Mem.open(ephemeral=True):
        assert list(theirs.iterdir()) == []


def test_a_link_with_the_name_of_a_throw_away_home_is_not_followed(temporary: Path, work: Path) -> None:
    (temporary / "memolith-ephemeral-x").symlink_to(work)
    with Mem.open(work, ephemeral=True):
        assert list(work.iterdir()) == []
    assert (temporary / "memolith-ephemeral-x").is_symlink()


HOOK = '{"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}'
READ = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_read"}}'
AGENT = f"""
memolith write long_term "- fleeting fact" > /dev/null || exit 1
echo '{HOOK}' | memolith hook --host claude
echo '{READ}' | env -i PATH="$PATH" TMPDIR="$TMPDIR" memolith mcp
"""


def played(command: list[str], work: Path, **env: str) -> str:
    """Run an agent, a shell here, that uses memory by a command, a hook and a server; return what it saw."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*command, "sh", "-c", AGENT],
        cwd=work, env={**os.environ, **env, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@proves("S1.35")
@pytest.mark.parametrize("given", ["variable", "command"])
def test_hooks_server_and_commands_of_one_run_share_a_throw_away_memory(
    given: str, work: Path, temporary: Path, mem: Mem, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    mem.write("long_term", "- real fact")
    before = snapshot(Path(mem.home))
    if given == "variable":
        said = played([], work, MEMOLITH_EPHEMERAL="1")
        with Mem.open(work, ephemeral=True):  # whoever comes next sweeps, at the latest
            pass
    else:
        said = played(["memolith", "run", "--ephemeral", "--"], work)
    hooked, _, served = said.partition('{"jsonrpc"')
    assert "fleeting fact" in hooked
    assert "fleeting fact" in served
    assert "real fact" not in said
    assert snapshot(Path(mem.home)) == before
    assert list(temporary.iterdir()) == []


@proves("S1.35")
def test_a_single_command_with_the_variable_leaves_nothing(
    work: Path, temporary: Path, mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_EPHEMERAL", "1")
    command = [sys.executable, "-m", "memolith", "write", "long_term", "x"]
    (temporary / "memolith-ephemeral-run-99999999-1" / "memory").mkdir(parents=True)  # of a run that ended
    for home in ([], ["--home", mem.home]):
        subprocess.run([*command, *home], cwd=work, capture_output=True, check=True)
    assert list(temporary.iterdir()) == []
    assert not Path(mem.home).exists()


@proves("S1.35")
def test_the_variable_switched_off_or_misspelt_is_not_taken_for_on(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_EPHEMERAL", "0")
    assert not Mem.open(work).is_ephemeral
    monkeypatch.setenv("MEMOLITH_EPHEMERAL", "ture")
    with pytest.raises(ConfigError, match=r"MEMOLITH_EPHEMERAL is 'ture'; set it to 1"):
        Mem.open(work)


@proves("S1.35")
def test_a_hook_says_nothing_wrong_and_a_worker_removes_the_memory_when_its_agent_has_ended(
    work: Path, temporary: Path
) -> None:
    end = '{"session_id": "s", "hook_event_name": "SessionEnd", "reason": "exit"}'
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = f"memolith write daily x > /dev/null; echo '{end}' | memolith hook --host claude; ls $TMPDIR"
    env = {**os.environ, "PATH": path, "MEMOLITH_EPHEMERAL": "1"}
    done = subprocess.run(["sh", "-c", script], cwd=work, env=env, capture_output=True, text=True, check=True)
    assert "memolith-ephemeral-run-" in done.stdout
    assert until(lambda: not list(temporary.iterdir()))


def test_a_run_takes_no_program_of_the_repository_unless_its_path_is_named(work: Path) -> None:
    tool = work / "tool"
    tool.write_text("#!/bin/sh\nexit 7\n")
    tool.chmod(0o755)
    run = [sys.executable, "-P", "-m", "memolith", "run", "--ephemeral", "--"]
    codes = [
        subprocess.run([*run, name], cwd=work, env={**os.environ, "PATH": path}, check=False).returncode
        for name in ("tool", "./tool")
        for path in (".", str(work))
    ]
    assert codes == [2, 2, 7, 7]
