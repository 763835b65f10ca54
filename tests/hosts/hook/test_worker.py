"""What a session leaves behind: its transcript is read, indexed and learned from, by a worker of its own."""

import json
import os
import re
import time
from pathlib import Path

import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.hosts.hook import handover, worker
from memolith.store import receipts
from tests.conftest import Clock
from tests.env.repos import git, repo
from tests.hosts.hook.conftest import Host
from tests.hosts.sessions import written
from tests.ledger import proves
from tests.shared import WEIGHTS, until


@pytest.fixture
def transcript(work: Path, tmp_path: Path) -> Path:
    """Return the transcript of a session of Claude Code that was held in `work`."""
    return write(tmp_path, work)


def write(directory: Path, cwd: Path) -> Path:
    path = directory / "s-1.jsonl"
    put_there = ("isSidechain", "isMeta", "origin")  # after these, anything may be somebody else's
    rows = [row for row in written.claude(str(cwd), "s-1") if not any(map(row.get, put_there))]
    path.write_text(re.sub(r"<system-reminder>[^<]*</system-reminder>", "", written.lines(*rows)))
    return path


@pytest.fixture
def by_hand(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test run the worker: the last one was started a moment ago, so a turn starts none."""
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    receipts.stamp(str(isolated / "home"), "worker")


@pytest.fixture
def ended(work: Path, transcript: Path, clock: Clock, by_hand: None) -> Host:  # noqa: ARG001
    """Return a session whose turn has ended; its worker is the test's to run."""
    host = Host(work, clock)
    assert host.tell("Stop", transcript_path=str(transcript)) == ""
    return host


@proves("S3.1", "S2.21")
def test_the_end_of_a_session_leads_to_an_indexed_one_without_making_the_host_wait(
    work: Path, transcript: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    host = Host(work, time.time)
    begin = time.monotonic()
    host.tell("SessionEnd", transcript_path=str(transcript))
    assert time.monotonic() - begin < 3.0
    todo, log = isolated / "home/state/hooks/s-1.todo", isolated / "home/state/log/hook.log"
    assert until(lambda: not todo.exists())
    assert until((isolated / "home/state/hooks" / f"looked-{Mem.open(work).project}").exists)
    assert "worker: claude-s-1: new, 5 new turns" in log.read_text()
    other = Host(work, time.time, "s-2")
    assert "The target is called app." in other.ask("What is the target of the build called?")


@proves("S2.94")
def test_what_was_asked_is_in_memory_when_the_next_session_starts_at_once(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    monkeypatch.setattr(handover, "_BRIEFLY", 30.0)  # this machine may be busy
    message = {"content": "Please remember that the staging server is called orodruin."}
    row = {"type": "user", "sessionId": "s-1", "cwd": str(work), "message": message}
    path = tmp_path / "s-1.jsonl"
    path.write_text(f"{json.dumps(row)}\n")
    Host(work, time.time).tell("SessionEnd", transcript_path=str(path), reason="clear")
    assert "- The staging server is called orodruin." in Host(work, time.time, "s-2").start("clear")


@proves("S2.94")
def test_a_session_does_not_wait_long_for_the_one_before(
    ended: Host, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Mem.open(work) as mem:
        mem.remember("It is port 5433.", "Port")
        receipts.stamp(mem.home, "ended", "s-1.todo")  # and no worker comes
    begin = time.monotonic()
    assert "5433" in Host(work, time.time, "s-2").start("clear")
    assert time.monotonic() - begin >= handover._BRIEFLY
    monkeypatch.setenv("MEMOLITH_HOOKS_REMEMBER", "false")
    begin = time.monotonic()
    assert "5433" in Host(work, time.time, "s-3").start("clear")
    assert time.monotonic() - begin < handover._BRIEFLY
    assert ended.session == "s-1"


def test_what_a_worker_did_is_done(ended: Host, work: Path) -> None:
    with Mem.open(work) as mem:
        assert list(worker.work(mem)) == ["claude-s-1: new, 5 new turns"]
        assert list(worker.work(mem)) == []
        assert [each.name for each in mem.sessions.list()] == ["claude-s-1"]
    assert ended.tell("SessionStart") == ""


@proves("S2.27")
def test_a_running_session_teaches_nothing_until_its_end_is_told_or_a_person_names_it(
    ended: Host, work: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    monkeypatch.setenv("MEMOLITH_MEMORIES_MIN_ROLLOUT_IDLE_HOURS", "0")
    with Mem.open(work, now=clock) as mem:
        assert "No session to learn from (1 skipped" in [*worker.work(mem)][-1]
        assert "it is going on" in mem.learning.why()["claude-s-1"]
        assert mem.learning.run(force=True).refused == 1
        clock.seconds += 12 * 3600  # it told nothing for so long
        assert "it is going on" not in mem.learning.why()["claude-s-1"]
        ended.tell("UserPromptSubmit", prompt="go on")
        assert mem.learning.run(force=True).refused == 1
        with monkeypatch.context() as off:  # or it would start a worker
            off.setenv("MEMOLITH_HOOKS_SESSIONS", "false")
            off.setenv("MEMOLITH_MEMORIES_ENABLED", "false")
            ended.tell("SessionEnd")
        assert mem.learning.run(force=True).refused == 0
        ended.start("resume")
        assert mem.learning.run(force=True).refused == 1
        mem.learning.enqueue("claude-s-1")
        report = mem.learning.run()
        assert report.extracted + report.empty == 1


@proves("S3.2")
def test_what_went_wrong_is_logged_and_tried_again(
    ended: Host, work: Path, transcript: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    aside = transcript.rename(transcript.with_suffix(".aside"))
    assert main(["hook", "--work", "--project", str(work)]) == 0
    assert "s-1: its transcript was not found; it is tried again" in capsys.readouterr().out
    aside.rename(transcript)
    assert main(["hook", "--work", "--project", str(work)]) == 0
    assert "claude-s-1: new" in capsys.readouterr().out
    assert ended.tell("SessionStart") == ""


@pytest.mark.parametrize("setting", ["MEMOLITH_ENABLED", "MEMOLITH_HOOKS_ENABLED", ""])
def test_a_worker_keeps_nothing_while_memory_is_off_or_thrown_away(
    ended: Host, work: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    if setting:
        monkeypatch.setenv(setting, "false")
    with Mem.open(work, ephemeral=not setting) as mem:
        assert list(worker.work(mem)) == []
    with Mem.open(work) as mem:
        assert mem.sessions.list() == []
        assert Path(mem.home, "state/hooks/s-1.todo").exists()
    assert ended.session == "s-1"


def test_a_transcript_that_is_never_found_is_given_up(ended: Host, work: Path, transcript: Path) -> None:
    transcript.unlink()
    with Mem.open(work) as mem:
        path = Path(mem.home, "state/hooks/s-1.todo")
        os.utime(path, (1_000_000_000, 1_000_000_000))
        assert list(worker.work(mem)) == []
        assert not path.exists()
    assert ended.tell("SessionStart") == ""


@proves("S3.1", "S3.2")
def test_learning_comes_after_the_index_and_its_failure_is_only_logged(
    ended: Host, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    monkeypatch.setenv("MEMOLITH_MEMORIES_MIN_ROLLOUT_IDLE_HOURS", "0")
    with Mem.open(work) as mem:
        told = list(worker.work(mem))
        assert told[0].startswith("claude-s-1: new")
        assert told[1].startswith("1 session had nothing new")
        Path(mem.home, "state/state.sqlite3").unlink()
        Path(mem.home, "state/state.sqlite3").mkdir()
        (failed,) = worker.work(mem)
        assert failed.startswith("not learned: ")
    assert "Why does the build fail" not in ended.tell("SessionStart")


@pytest.mark.usefixtures("by_hand")
def test_a_session_goes_to_the_project_it_was_held_in(work: Path, tmp_path: Path, clock: Clock) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Host(work, clock).tell("Stop", transcript_path=str(write(tmp_path, elsewhere)))
    with Mem.open(work) as mem:
        list(worker.work(mem))
        assert mem.sessions.list() == []
    with Mem.open(elsewhere) as mem:
        assert [each.name for each in mem.sessions.list()] == ["claude-s-1"]
        assert mem.index.status(["", mem.project]).changed == 0


@pytest.mark.usefixtures("by_hand")
def test_a_transcript_that_a_host_does_not_name_is_looked_for(
    work: Path, isolated: Path, clock: Clock
) -> None:
    path = isolated / "user/.copilot/session-state/c-7/events.jsonl"
    path.parent.mkdir(parents=True)
    start = {"type": "session.start", "data": {"sessionId": "c-7", "context": {"cwd": str(work)}}}
    path.write_text(written.lines(start, {"type": "user.message", "data": {"content": "Hello there"}}))
    Host(work, clock, "c-7").tell("agentStop", "copilot")
    with Mem.open(work) as mem:
        assert "1 new turn" in "".join(worker.work(mem))


@pytest.mark.usefixtures("by_hand")
def test_turns_start_a_worker_only_now_and_then(
    work: Path, transcript: Path, isolated: Path, clock: Clock
) -> None:
    stamp, todo = isolated / "home/state/hooks/worker", isolated / "home/state/hooks/s-1.todo"
    host = Host(work, clock)
    for minutes, starts in ((4, False), (6, True), (1, False)):
        then = time.time() - 60 * minutes
        os.utime(stamp, (then, then))
        clock.seconds += 60
        host.tell("Stop", transcript_path=str(transcript))
        assert (stamp.stat().st_mtime > then + 1) == starts
        assert not starts or until(lambda: not todo.exists())


def test_old_receipts_go(mem: Mem, work: Path, clock: Clock) -> None:
    mem.write("long_term", "- a")
    host = Host(work, clock)
    host.start()
    old = Path(mem.home, "state/hooks/s-1.log")
    host.session = "s-2"
    host.start()
    os.utime(old, (1_000_000_000, 1_000_000_000))
    receipts.sweep(mem.home)
    assert not old.exists()
    assert Path(mem.home, "state/hooks/s-2.log").exists()


def test_a_session_of_very_many_prompts_goes_on_and_its_receipts_stay_small(
    mem: Mem, work: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("long_term", "- a")
    host = Host(work, clock)
    assert host.start()
    path = Path(mem.home, "state/hooks/s-1.log")
    with path.open("a") as file:
        file.write("1\tprompt\tk\t\t\t\n" * 90_000)
    clock.seconds += 60
    assert host.start("clear")
    clock.seconds += 60
    assert host.start("resume") == ""  # it was noted
    assert path.stat().st_size < 600_000
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    receipts.stamp(mem.home, "worker")
    host.tell("Stop")
    assert Path(mem.home, "state/hooks/s-1.todo").exists()


def test_a_line_that_a_crash_cut_off_is_no_receipt(mem: Mem, work: Path, clock: Clock) -> None:
    mem.write("long_term", "- a")
    host = Host(work, clock)
    host.start()
    path = Path(mem.home, "state/hooks/s-1.log")
    with path.open("a") as file:
        file.write(f"{clock.seconds + 60:.3f}\tstart-re")
    clock.seconds += 60
    assert host.start("resume") == ""
    assert json.dumps(path.read_text()).count("start-resume") == 1


def test_a_session_whose_worktree_is_gone_goes_to_the_project_a_turn_knew(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, isolated: Path
) -> None:
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    main_tree = repo(tmp_path / "shop")
    with Mem.open(main_tree) as mem:
        mem.write("scratchpad", "- [ ] a")
        receipts.stamp(mem.home, "worker")
    tree = tmp_path / "tree"
    git(main_tree, "worktree", "add", "-q", str(tree))
    host, path = Host(tree, clock), str(write(tmp_path, tree))
    host.tell("Stop", transcript_path=path)
    git(main_tree, "worktree", "remove", str(tree))
    host.tell("SessionEnd", transcript_path=path)  # its worker is a real one
    todo = isolated / "home/state/hooks/s-1.todo"
    assert until(lambda: not todo.exists())
    with Mem.open(main_tree) as mem:
        assert [each.name for each in mem.sessions.list()] == ["claude-s-1"]


@pytest.mark.usefixtures("by_hand")
def test_what_is_being_written_down_is_left_to_the_next_worker(ended: Host, work: Path) -> None:
    receipts.stamp(str(Mem.open(work).home), "s-0.todo")
    with Mem.open(work) as mem:
        assert list(worker.work(mem)) == ["claude-s-1: new, 5 new turns"]
    assert ended


@proves("S4.29")
def test_the_worker_embeds_what_is_new_and_the_next_one_goes_on(
    work: Path,
    by_hand: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not WEIGHTS.is_file():
        pytest.skip("the model's weights are not there (./dev test gets them)")
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "auto")
    monkeypatch.setenv("MEMOLITH_SEMANTIC_MODEL", str(WEIGHTS))
    monkeypatch.setattr(worker, "_EMBEDDING", 0.0)
    for number in range(20):
        Mem.open(work).remember(f"Fact number {number} is about ships.", f"Fact {number}")
    told = []
    for _ in range(4):
        with Mem.open(work) as mem:
            told += [line for line in worker.work(mem) if line.startswith("meaning")]
    assert told == [
        f"meaning: all-MiniLM-L6-v2: {done} of 20 texts, {20 - done} left (memolith index sync)"
        for done in (8, 16)
    ]
    assert (
        str(Mem.open(work).vectors.coverage(["", Mem.open(work).project]))
        == "all-MiniLM-L6-v2: 20 of 20 texts"
    )
