"""What is there right after the installation: past sessions, what they taught, and a brief."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memolith import Mem
from memolith.care.transfer.sources import claude_name
from memolith.edges.cli import main
from tests.hosts.sessions import written

LATELY = time.time() - 3 * 86_400


def said(user: Path, work: Path, name: str, *prompts: str, days: float = 0.0) -> None:
    """Write a session of Claude Code in which these were the prompts."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(LATELY - days * 86_400))
    common = {"cwd": str(work), "sessionId": name, "timestamp": at, "isSidechain": False, "entrypoint": "cli"}
    rows: list[dict[str, Any]] = []
    for number, prompt in enumerate(prompts):
        message = {"role": "user", "content": prompt}
        rows.append({**common, "type": "user", "message": message, "promptSource": "user"})
        answer = {"id": f"m{number}", "content": [{"type": "text", "text": "Done."}]}
        rows.append({**common, "type": "assistant", "message": answer})
    path = user / ".claude" / "projects" / "-w" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written.lines(*rows))
    os.utime(path, (LATELY, LATELY))


def test_past_sessions_are_read_learned_from_by_rules_and_shown_as_a_brief(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(user, work, "s1", "Remember that the integration tests need Redis on port 6380.", days=2)
    said(user, work, "s2", "Please run the integration tests with Redis again.")
    assert main(["init", "--yes", "--import"]) == 0
    lines = capfd.readouterr().out.splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("What is known in "))
    assert 'about "Please run the integration tests with Redis again.":' in lines[head]
    assert any("6380" in line for line in lines[head + 1 :])
    assert lines[-2] == "2 sessions read: 4 turns of 1 agent in 1 project"
    assert lines[-1].startswith("1 fact learned by rules, offline; ")
    with Mem.open(work) as mem:
        assert not mem.settings.flag("memories.enabled")
        assert ["6380" in each.body for each in mem.records.list()] == [True]

    assert main(["init", "--yes", "--import"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[-2].startswith("0 sessions read; 2 known")
    assert lines[-1].startswith("0 facts learned")


def test_what_claude_keeps_about_the_project_is_imported_too_and_a_skipped_session_says_why(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(user, work / "gone", "s1", "Hello.")
    kept = user / ".claude" / "projects" / claude_name(str(work)) / "memory"
    kept.mkdir(parents=True)
    (kept / "deploys.md").write_text("Deploys happen on Tuesday.")
    assert main(["init", "--yes", "--import"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert "1 memory of Claude Code about this project imported" in lines
    assert lines[-2].startswith("0 sessions read; 1 skipped (its directory is gone); ")
    with Mem.open(work) as mem:
        assert "Tuesday" in mem.recall("deploys").hits[0].snippet


def test_an_import_that_nobody_agreed_to_is_told(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(user, work, "s1", "Remember that the integration tests need Redis on port 6380.")
    assert main(["init", "--yes"]) == 0
    assert main(["init", "--import"]) == 2
    assert "Nothing to change; nothing was imported: repeat with --yes" in capfd.readouterr().out


def test_learning_that_somebody_switched_off_stays_off(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said(user, work, "s1", "Remember that the integration tests need Redis on port 6380.")
    assert main(["config", "set", "memories.enabled", "false"]) == 0
    assert main(["init", "--yes", "--import", "--agent", "claude"]) == 0
    assert "1 session read" in capfd.readouterr().out
    with Mem.open(work) as mem:
        assert mem.records.list() == []


def test_without_a_history_there_is_nothing_to_show(user: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--yes", "--import", "--agent", "pi"]) == 0
    assert user.exists()
    assert capfd.readouterr().out.endswith("No past sessions found on this machine\n")


def test_an_import_that_is_killed_in_the_middle_goes_on_and_nothing_is_stored_twice(
    user: Path, work: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    total = int(os.environ.get("MEMOLITH_SESSIONS", "60"))  # 1,000 in the long run
    for number in range(total):
        said(user, work, f"s{number}", f"Session number {number} is about something.")
    command = [sys.executable, "-m", "memolith", "session", "import"]
    process = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL)
    copies = tmp_path / "home" / "sessions"
    while len(list(copies.rglob("*.gz"))) < total // 10 and process.poll() is None:
        os.sched_yield()
    process.kill()
    process.wait()
    before = len(list(copies.rglob("*.gz")))
    assert 0 < before < total
    assert main(["session", "import", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    actions = [each["action"] for each in found["sessions"]]
    assert len(actions) == total
    assert 0 < actions.count("known") <= before
    assert actions.count("new") + actions.count("grown") + actions.count("known") == total
    with Mem.open(work) as mem:
        assert [len(each.turns) for each in map(mem.sessions.get, mem.sessions.stored())] == [2] * total


def test_claude_codes_own_memory_can_live_in_the_notes_of_the_project(
    user: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What it writes there is a note like any other; what we write is in the block that it gets."""
    with Mem.open(work) as mem:
        mem.remember("Deploys go out on Tuesdays.", "Deploys")
        notes = mem.root / "projects" / mem.project / "notes"
    assert main(["init", "--yes", "--agent", "claude", "--native"]) == 0
    settings = work / ".claude" / "settings.local.json"
    assert json.loads(settings.read_text()) == {"autoMemoryDirectory": str(notes)}
    (notes / "feedback_pnpm.md").write_text(
        "---\nname: use-pnpm\ndescription: pnpm, never npm\nmetadata:\n  type: feedback\n---\n\n"
        "Use pnpm in this repository.\n\n**Why:** the lock file. See [[deploys]].\n"
    )
    with (notes / "MEMORY.md").open("a") as index:
        index.write("- [Use pnpm](feedback_pnpm.md) — pnpm, never npm\n")
    with Mem.open(work) as mem:
        block = mem.context_block() or ""
        assert "[Use pnpm](feedback_pnpm.md)" in block
        assert "Deploys" in block
        assert mem.search("pnpm").hits[0].name.endswith("feedback_pnpm.md")
        assert mem.recall("which package manager, pnpm or npm?", semantic=False).hits
    capfd.readouterr()
    main(["doctor", "--fix"])  # Claude Code does not make its files private
    capfd.readouterr()
    assert main(["doctor"]) == 0, capfd.readouterr().out
    assert main(["init", "--yes", "--agent", "claude", "--uninstall"]) == 0
    assert not (work / ".claude").exists()
    assert list(user.rglob("*")) == []
    assert (notes / "feedback_pnpm.md").exists()
