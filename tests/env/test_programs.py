"""Nothing that a cloned repository holds is ever run, and nobody else's home is obeyed.

With strace: every command, event and call in a repository that has a trap wherever one could be.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prove.attack import code
from prove.commands import Command
from prove.world import scratch

from memolith.base.errors import ConfigError
from memolith.edges.cli import main
from memolith.edges.cli.app import cli, load_commands
from memolith.env import programs
from memolith.hosts.hook import edge, handover
from memolith.mem import Mem
from tests.promises.test_canary import commands
from tests.shared import crossed

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")


@pytest.fixture(scope="module")
def stand() -> Iterator[code.Stand]:
    """Return a memory whose repository turned out to be a stranger's, with all that could be run in it."""
    with scratch() as base:
        made = code.Stand(base)
        code.full(made.clone())
        yield made


@needs_strace
def test_no_command_runs_or_loads_anything_of_a_hostile_repository(stand: code.Stand) -> None:
    load_commands()
    lines = [" ".join(each.line) + " " for each in (*code.OTHERS, *code.STARTING)]
    assert [each for each in commands(cli) if not any(line.startswith(f"{each} ") for line in lines)] == []
    assert code.attack_all(stand, code.OTHERS, ".") == []
    done = [line.split()[:2] for line in stand.said().splitlines() if "['" in line]
    assert len(done) >= len(code.OTHERS) - 5
    assert sum(row[0] == "0" for row in done) > len(done) * 0.8


@needs_strace
@pytest.mark.parametrize("command", code.STARTING, ids=lambda each: each.name)
def test_no_event_call_or_program_that_is_started_runs_anything_of_it(
    command: Command, stand: code.Stand
) -> None:
    searched = code.SEARCHED[code.STARTING.index(command) % len(code.SEARCHED)]
    assert code.attack(stand, command, searched, stand.work) == []
    works_on = command.name in ("hook SessionStart", "hook Stop", "hook SessionEnd", "demo", "init --check")
    assert (stand.started > 1) == (works_on or command.attended)


@needs_strace
@pytest.mark.parametrize(
    ("name", "place"),
    crossed(["remember", "context", "hook SessionStart", "mcp", "hook SessionEnd"], ["", "docs"]),
)
def test_nor_does_the_first_look_at_a_repository(name: str, place: str, stand: code.Stand) -> None:
    command = next(each for each in (*code.STARTING, *code.OTHERS) if each.name == name)
    assert code.attack(stand, command, ".", stand.work / place, is_new=True) == []


@needs_strace
@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (code.worker_by_name, "hook SessionEnd"),
        (code.programs_as_found, "learn with a key"),
        (code.git_as_it_is, "hook SessionStart"),
    ],
)
def test_a_memolith_that_runs_strangers_code_is_caught(
    broken: code.Broken, line: str, stand: code.Stand
) -> None:
    command = next(each for each in code.STARTING if each.name == line)
    with broken():
        assert code.attack(stand, command, "{}/bin", stand.work)


# ---------------------------------------------------------------- how programs are found and started


def tool(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "searched", ["", ".", "bin", "./bin", "{}", "{}/bin", "{}/../shop/bin", "{}/../linked"]
)
def test_a_program_is_never_found_in_the_project_or_where_one_stands(
    searched: str, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (work, work / "bin"):
        tool(place / "ask")
    (work.parent / "linked").symlink_to(work / "bin")
    own = tool(tmp_path / "own" / "ask")
    monkeypatch.chdir(work)
    path = f"{searched.format(work)}{os.pathsep}{own.parent}"
    assert programs.find("ask", str(work), {"PATH": path}) == str(own)
    assert programs.find("ask", env={"PATH": path}) == str(own)
    assert programs.find("ask", str(work), {"PATH": searched.format(work)}) is None
    assert programs.find("./ask", str(work), {"PATH": path}) is None
    assert programs.find(str(work / "ask"), str(work), {"PATH": path}) == str(work / "ask")
    assert programs.environment(str(work), {"PATH": path})["PATH"] == str(own.parent)
    assert programs.environment(str(work), {"PATH": searched.format(work)})["PATH"] == os.defpath


def test_the_programs_of_somebody_whose_home_is_the_project_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "user"
    own = tool(home / ".local" / "bin" / "ask")
    monkeypatch.setenv("HOME", str(home))
    for project in (home, tmp_path, Path("/")):
        assert programs.find("ask", str(project), {"PATH": str(own.parent)}) == str(own)


def test_an_environment_keeps_what_programs_need_and_nothing_that_loads_code(work: Path) -> None:
    kept = {
        "HOME": "/h",
        "LANG": "C",
        "ANTHROPIC_API_KEY": "k",
        "https_proxy": "p",
        "TERM": "x",
        "DISPLAY": ":0",
    }
    kept |= {"XDG_CONFIG_HOME": "/c", "MEMOLITH_HOME": "/m", "NODE_EXTRA_CA_CERTS": "/ca", "PYTHONUTF8": "1"}
    loading = "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GIT_SSH_COMMAND GIT_CONFIG_COUNT PYTHONSTARTUP ENV"
    loading += " PYTHONINSPECT PYTHONWARNINGS PYTHONBREAKPOINT PYTHONPYCACHEPREFIX BASH_ENV NODE_OPTIONS"
    loading += " PERL5OPT RUBYOPT LESSOPEN BASH_FUNC_git%%"
    places = {"PYTHONPATH": f":.:{work}/src:/opt/lib", "LD_LIBRARY_PATH": f"{work}:", "PYTHONHOME": "."}
    given = {**kept, **dict.fromkeys(loading.split(), "/evil"), **places}
    assert programs.environment(str(work), given) == {**kept, "PYTHONPATH": "/opt/lib"}


def test_a_worker_does_not_stand_in_the_project(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "posix_spawn", lambda _, words, env, **__: started.append((words, env)))
    monkeypatch.setenv("PYTHONPATH", "")
    handover.spawn(mem, "x.log", "--version")
    words, env = started[0]
    assert words[:2] == [sys.executable, "-P"]
    assert "os.chdir('/')" in words[3]
    assert "PYTHONPATH" not in env


def test_python_m_memolith_takes_no_module_from_where_one_stands(work: Path) -> None:
    for name in ("click", "json", "re", "shlex", "tarfile"):
        (work / f"{name}.py").write_text("print('RUN')")
    done = subprocess.run(
        [sys.executable, "-m", "memolith", "status"], cwd=work, capture_output=True, text=True, check=True
    )
    assert "RUN" not in done.stdout


# ---------------------------------------------------------------- whose home it is

OTHER = 65_534


def opened(home: Path, change: str) -> tuple[Path, str]:
    """Make a home somebody else's in one way; return what is refused, and the command that mends it."""
    config = home / "config.yml"
    config.touch(mode=0o600)
    what = {"home": home, "memory": home / "memory"}.get(change.partition(" ")[0], config)
    if "owner" in change:
        os.chown(what, OTHER, -1)
        return (
            what,
            "look at what is in it, then move it away",
        )  # made one's own, what lies in it would be obeyed
    if "group" in change:
        os.chown(what, -1, OTHER)
    what.chmod(what.stat().st_mode | (0o020 if "group" in change else 0o002))
    return what, f"chmod go-w {what}"


CHANGES = ["home others", "config others", "home group", "config group", "home owner", "config owner"]
CHANGES += ["memory others", "memory group", "memory owner"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


@as_root
@pytest.mark.parametrize("change", CHANGES)
def test_a_home_that_others_may_change_is_refused_with_what_mends_it(
    change: str, mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mem.write("long_term", "- zebra")
    path, mend = opened(Path(mem.home), change)
    for line in ("context", "search zebra", "recall zebra", "write daily x", "learn run", "doctor"):
        assert main([*line.split(), "--project", str(work)]) in (1, 12), line
        said = capfd.readouterr()
        assert f"{path}: " in said.out + said.err, line
        assert mend in said.out + said.err, line
        assert "zebra" not in said.out, line
    for row in (START, PROMPT, END):
        told = edge.answer(json.dumps({**row, "cwd": str(work)}).encode())
        assert (mend in told) == (row is START)
        assert "zebra" not in told
    assert not (Path(mem.home) / "state" / "log").exists()
    if "owner" in change:
        os.chown(path, os.geteuid(), -1)
    else:
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert main(["context", "--project", str(work)]) == 0
    assert "zebra" in capfd.readouterr().out


START = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"}
PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "zebra?"}
END = {"hook_event_name": "SessionEnd", "session_id": "s"}


@as_root
def test_a_memory_file_of_another_user_is_left_out_and_named(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mem.write("long_term", "- zebra")
    mem.remember("The okapi sleeps.", "Okapi")
    file = Path(mem.home, "memory/projects", mem.project, "notes/okapi.md")
    os.chown(file, OTHER, -1)
    for command in (["context"], ["search", "okapi sleeps"], ["recall", "okapi sleeps"]):
        assert main([*command, "--project", str(work)]) == 16
        told = capfd.readouterr()
        assert "sleeps" not in told.out
        assert "okapi.md" in told.out + told.err
    memory = Path(mem.home, "memory/MEMORY.md")
    os.chown(memory, OTHER, -1)
    answer = edge.answer(json.dumps({**START, "cwd": str(work)}).encode())
    assert "zebra" not in answer
    assert "MEMORY.md" in answer


@as_root
def test_ones_own_group_roots_files_and_those_of_whom_sudo_serves_are_fine(
    mem: Mem, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("long_term", "- zebra")
    home = Path(mem.home)
    home.chmod(0o775)
    Mem.open(work).context_block()
    os.chown(home, OTHER, -1)
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    Mem.open(work).context_block()
    for wrong in ("", "1", "x"):
        monkeypatch.setenv("SUDO_UID", wrong)
        with pytest.raises(ConfigError, match="belongs to user"):
            Mem.open(work)


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_what_is_new_in_other_programs_places_is_private_under_any_umask(
    umask: int, tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    user = tmp_path / "user"
    (user / ".claude").mkdir(parents=True, mode=0o755)
    settings = user / ".claude" / "settings.json"
    settings.write_text("{}")
    settings.chmod(0o640)
    before = os.umask(umask)
    try:
        assert main(["init", "--agent", "claude", "--agent", "opencode", "--agent", "codex", "--yes"]) == 0
    finally:
        os.umask(before)
    assert settings.stat().st_mode & 0o777 == 0o640
    made = [path for path in user.rglob("*") if path not in (settings, settings.parent)]
    assert len(made) > 5
    wrong = [path for path in made if path.stat().st_mode & 0o777 != (0o700 if path.is_dir() else 0o600)]
    assert wrong == []


@pytest.mark.parametrize("number", [5, 6, 7, 8, 9, 10])
def test_where_no_file_more_can_be_opened_a_command_says_so(number: int, mem: Mem, work: Path) -> None:
    mem.write("long_term", "- zebra")
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))  # noqa: E731
    done = subprocess.run(
        [code.SCRIPT, "remember", "x", "--title", "X", "--project", work],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (8, False), done.stderr
    assert "Too many open files" in done.stderr
