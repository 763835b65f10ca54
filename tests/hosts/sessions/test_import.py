"""`memolith session import`: every session once, in the memory of its project, whatever happens between."""

import contextlib
import errno
import itertools
import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memolith import Mem
from memolith.base.errors import ConfigError, PartialError, StorageError
from memolith.edges.cli import main
from memolith.hosts.sessions import AGENTS
from memolith.hosts.sessions.gather import Gatherer, find, named
from memolith.memory.sessions import Session, Turn
from tests.care.test_scan import canary
from tests.env.repos import git
from tests.hosts.sessions import written
from tests.ledger import proves

OLD = 1_000_000_000


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget where whoever runs the tests has their own sessions."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def user(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of somebody who used six agents in `work`, long ago."""
    home = tmp_path / "user"
    rows = {
        ".claude/projects/-w/s1.jsonl": written.claude(str(work)),
        ".codex/sessions/2026/11/15/rollout-1.jsonl": written.codex(str(work)),
        ".copilot/session-state/p1/events.jsonl": written.copilot(str(work)),
        ".pi/agent/sessions/--w--/1_i1.jsonl": written.pi(str(work)),
        ".gemini/tmp/shop/chats/session-1.jsonl": written.gemini(),
    }
    for name, each in rows.items():
        save(home / name, each)
    (home / ".gemini" / "tmp" / "shop" / ".project_root").write_text(f"{work}\n")
    (home / ".aider.chat.history.md").write_text(written.AIDER)
    monkeypatch.chdir(work)
    return home


def save(path: Path, rows: list[written.Row], when: int = OLD) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written.lines(*rows))
    os.utime(path, (when, when))


def refuse(monkeypatch: pytest.MonkeyPatch, call: str, where: Path, number: int) -> None:
    """Let a call of the system fail for one path."""
    real: Any = {"os.scandir": os.scandir, "builtins.open": open}[call]

    def refusing(path: Any, *arguments: Any, **named: Any) -> Any:
        if str(path) == str(where):
            raise OSError(number, os.strerror(number), path)  # of the class that the number has
        return real(path, *arguments, **named)

    monkeypatch.setattr(call, refusing)


def imported(capfd: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert main(["session", "import", "--json", *arguments]) == code
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def actions(found: dict[str, Any]) -> dict[str, str]:
    """Return what became of each session, but for aider's in the home directory, which is no project."""
    return {each["name"]: each["action"] for each in found["sessions"] if each["agent"] != "aider"}


def test_the_sessions_of_all_agents_are_stored_once_in_their_project(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = {"claude-s1", "claude-s1.sidechain", "codex-c1", "copilot-p1", "pi-i1", "gemini-g1"}
    planned = imported(capfd, "--dry-run")
    assert set(actions(planned).values()) == {"new"}
    assert not (user.parent / "home").exists()

    first = imported(capfd)
    assert actions(first) == dict.fromkeys(names, "new")
    with Mem.open(work) as mem:
        assert {each.name for each in mem.sessions.list()} == names
        assert [turn.text for turn in mem.sessions.get("codex-c1").turns] == [row[-1] for row in written.TALK]
        assert {row["project"] for row in first["summary"] if row["agent"] != "aider"} == {mem.project}

    again = imported(capfd)
    assert set(actions(again).values()) == {"known"}
    assert again["message"] == "5 known, 2 skipped; 0 new turns"


def test_a_session_that_grew_adds_its_turns_and_no_other_is_read(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    imported(capfd)
    path = user / ".codex/sessions/2026/11/15/rollout-1.jsonl"
    more = written.codex(str(work))
    save(path, [*more, more[-1]], 4_000_000_000)
    found = imported(capfd)
    assert {name for name, action in actions(found).items() if action != "known"} == {"codex-c1"}
    assert found["message"] == "1 grown, 4 known, 2 skipped; 1 new turn"


def test_an_interrupted_import_goes_on_where_it_stood(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Mem.open(work) as mem, Gatherer(mem) as gatherer:
        for place in find({}, str(user), AGENTS["codex"]):
            assert [each.action for each in gatherer.bring(place)] == ["new"]
    found = actions(imported(capfd))
    assert found.pop("codex-c1") == "known"
    assert set(found.values()) == {"new"}


@pytest.mark.parametrize("below", ["", "/src"])
def test_sessions_of_a_repository_that_has_moved_are_its_own(
    user: Path, work: Path, below: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git(work, "init", "-q")
    git(work, "commit", "-q", "--allow-empty", "-m", "begin")
    with Mem.open(work) as mem:
        mem.remember("Use tabs.", "Tabs")
        slug = mem.project
    moved = work.rename(work.with_name("moved"))
    assert main(["project", "move", str(work), str(moved)]) == 0
    monkeypatch.chdir(moved)
    capfd.readouterr()
    save(user / ".claude/projects/-g/old.jsonl", written.claude(f"{work}{below}"))
    found = [each for each in imported(capfd)["sessions"] if each["path"].endswith("old.jsonl")]
    assert {(each["action"], each["project"]) for each in found} == {("new", slug)}


def test_what_cannot_be_brought_is_skipped_with_its_reason(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    save(user / ".claude/projects/-g/s2.jsonl", written.claude("/nowhere/gone"))
    save(user / ".claude/projects/-g/s3.jsonl", [written.claude(str(work))[2]])
    database = user / ".local/share/opencode/opencode.db"
    database.parent.mkdir(parents=True)
    database.write_text("no database")
    partly = PartialError.exit_code
    imported(capfd, code=partly)
    save(user / ".gemini/tmp/shop/chats/session-1.jsonl", written.gemini()[:4], 4_000_000_000)  # rewound
    reasons = [
        each["reason"] for each in imported(capfd, code=partly)["sessions"] if each["action"] == "skipped"
    ]
    assert sorted(re.split("[:,]", reason)[0] for reason in reasons) == sorted(
        ["its directory is gone", "nothing was said in it", str(database), "gemini-g1"]
        + 2 * ["there is no project here"]
    )
    assert main(["session", "import"]) == partly
    assert "skipped 1: its directory is gone: /nowhere/gone" in capfd.readouterr().out


@pytest.mark.usefixtures("user")
def test_secrets_are_masked_on_the_way_in(
    work: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = canary("in a transcript")
    rows = [{"role": "user", "content": f"the token is {key}", "cwd": str(work)}]
    save(tmp_path / "files" / "talk.jsonl", rows)
    found = imported(capfd, str(tmp_path / "files"), "--mine")
    assert [(each["agent"], each["masked"]) for each in found["sessions"]] == [("generic", 1)]
    with Mem.open(work) as mem:
        assert key not in mem.sessions.get("generic-talk").turns[0].text


def test_files_are_named_by_path_and_agent(
    tmp_path: Path, work: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    save(tmp_path / "rollout-x.jsonl", written.codex_flat()[3:5])
    found = imported(capfd, str(tmp_path / "rollout-x.jsonl"), "--mine")
    assert [(each["name"], each["turns"]) for each in found["sessions"]] == [("codex-rollout-x", 2)]
    assert imported(capfd)["message"].startswith("No sessions found")
    assert main(["session", "import", str(tmp_path / "absent")]) == 3
    assert main(["session", "import", "--mine"]) == 2
    assert main(["session", "import", "--agent", "nobody"]) == 2
    assert "one of claude, codex, gemini" in capfd.readouterr().err


def test_what_was_brought_can_be_learned_from_at_once(
    tmp_path: Path, work: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that failed and its form that worked: the calls are where learning looks for them."""
    monkeypatch.chdir(work)
    rows = written.claude(str(work))
    ran = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "make all TARGET=app"}}
    worked = {"type": "tool_result", "tool_use_id": "t9", "content": "built"}
    answer, result = rows[6], rows[7]
    failed = {**result["message"]["content"][0], "content": "make: error: TARGET is not set"}
    rows[7:] = [
        {**result, "message": {"role": "user", "content": [failed]}},
        {**answer, "message": {"id": "m9", "content": [ran]}},
        {**result, "message": {"role": "user", "content": [worked]}},
    ]
    save(tmp_path / "user" / ".claude" / "projects" / "-w" / "s1.jsonl", rows)
    imported(capfd)
    main(["config", "set", "memories.enabled", "true"])
    assert main(["learn", "run", "--force", "--model", "none"]) == 0
    capfd.readouterr()
    assert main(["record", "list"]) == 0
    assert "make all TARGET=app" in capfd.readouterr().out


def test_a_session_of_opencode_is_stored_though_its_id_looks_like_a_secret(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    path = written.opencode(tmp_path / "opencode.db")
    number = "ses_e1c6e7dcfffeQMJJ9F2klDZvdC"  # as opencode makes them
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE session SET id = ?, directory = ? WHERE id = 'ses_1'", (number, str(work)))
        db.execute("UPDATE message SET session_id = ? WHERE session_id = 'ses_1'", (number,))
    with Gatherer(mem) as gatherer:
        (brought,) = gatherer.bring(named([f"{path}#{number}"], AGENTS["opencode"], mine=True)[0])
    assert (brought.name, brought.action) == (f"opencode-{number.lower()}", "new")


@pytest.mark.usefixtures("user")
def test_a_disk_that_takes_no_session_is_an_error_and_not_a_session_that_was_skipped(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove faults`: the exit code was 0."""

    real = os.open

    def full(path: Any, *arguments: Any, **named: Any) -> int:
        if str(path).endswith(".tmp"):  # what becomes a session once it is complete
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, "open", full)
    assert main(["session", "import"]) == StorageError.exit_code
    told = capfd.readouterr()
    assert "skipped" in told.out
    assert "No space left" in told.err


@pytest.mark.parametrize("which", ["", "-g"])
def test_a_directory_of_sessions_that_cannot_be_listed_is_told(
    which: str, user: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Found by `prove faults`: it was taken for an empty one."""
    save(user / ".claude/projects/-g/s2.jsonl", written.claude(str(work)))
    refuse(monkeypatch, "os.scandir", user / ".claude" / "projects" / which, errno.EMFILE)
    assert main(["session", "import"]) == PartialError.exit_code
    said = capfd.readouterr()
    assert "Too many open files" in said.out
    assert "some sessions could not be read or listed" in said.err


def test_somebody_elses_directory_among_ones_own_is_passed_over(
    user: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(user / ".claude/projects/-g/s2.jsonl", written.claude(str(work)))
    before = [place.path for place in find({}, str(user), AGENTS["claude"])]
    refuse(monkeypatch, "os.scandir", user / ".claude/projects/-g", errno.EACCES)
    after = find({}, str(user), AGENTS["claude"])
    assert [place.path for place in after] == [path for path in before if "/-g/" not in path]
    assert len(after) == len(before) - 1
    assert not any(place.problem for place in after)


def test_a_session_that_cannot_be_read_is_no_session_that_was_skipped_in_silence(
    user: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Found by `prove faults`: the exit code was 0."""
    save(user / ".claude/projects/-g/s2.jsonl", written.claude(str(work)))
    refuse(monkeypatch, "builtins.open", user / ".claude/projects/-g/s2.jsonl", errno.EIO)
    assert main(["session", "import"]) == PartialError.exit_code
    said = capfd.readouterr()
    assert "Input/output error" in said.out
    assert "some sessions could not be read" in said.err


@pytest.mark.usefixtures("user")
def test_settings_that_cannot_be_read_in_between_are_an_error(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove faults`: all sessions were skipped, and the exit code was 0."""
    opened, looks = os.open, itertools.count()

    def failing(path: str, *more: Any, **named: Any) -> int:
        if str(path).endswith("config.yml") and next(looks):  # not the first time
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        return opened(path, *more, **named)

    monkeypatch.setattr(os, "open", failing)
    assert main(["session", "import"]) == ConfigError.exit_code
    assert "config.yml: cannot be read" in capfd.readouterr().err


@proves("S2.97")
def test_a_deleted_session_stays_away_however_it_grows_until_its_file_is_named(
    user: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(user))
    transcript = user / ".claude/projects/-w/s1.jsonl"
    imported(capfd, "--agent", "claude")
    assert main(["session", "rm", "claude-s1", "--yes"]) == 0
    grown = {
        **written.claude(str(work))[0],
        "uuid": "u9",
        "message": {"role": "user", "content": "More, please."},
    }
    save(transcript, [*written.claude(str(work)), grown], OLD + 60)
    capfd.readouterr()
    for sweep in (("--agent", "claude"), (str(transcript.parent), "--mine")):
        found = imported(capfd, *sweep)
        assert actions(found)["claude-s1"] == "skipped"
        assert "was deleted" in found["sessions"][0]["reason"]
    with Mem.open(work) as mem:
        again = Session(agent="claude", id="s1", turns=[Turn(number=1, role="user", text="More, please.")])
        assert mem.sessions.add(again).turns == 0
        assert mem.sessions.stored().keys() == {"claude-s1.sidechain"}  # a session of its own
    assert actions(imported(capfd, str(transcript), "--mine"))["claude-s1"] == "new"
    assert actions(imported(capfd, "--agent", "claude"))["claude-s1"] == "known"
