"""A whole run: sessions in, records and curated Markdown out, against a model on the loopback."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memolith import Mem
from memolith.base.errors import ConfigError, HistoryError, InputError, MemolithError
from memolith.edges.cli import main
from memolith.hosts.hook import handover
from memolith.hosts.sessions import AGENTS
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Queue
from memolith.text.budget import plural
from tests.conftest import NOON, Clock
from tests.learn.extract.inventions import claim
from tests.learn.model.fake_agent import install
from tests.learn.model.loopback import Loopback, Reply, Request, refuses, says
from tests.learn.talk import session
from tests.ledger import proves
from tests.shared import LONG, until

Capture = pytest.CaptureFixture[str]
DAY = 86_400.0


def add(mem: Mem, name: str, *said: str, ago: float = DAY, agent: str = "claude", **head: str) -> str:
    """Store a session in which user and assistant speak in turn; return its name."""
    turns = [("assistant" if n % 2 else "user", text) for n, text in enumerate(said)]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOON - ago))
    mem.sessions.add(session(*turns, name=name, time=when, agent=agent, **head))
    return f"{agent}-{name}"


def fact(number: object) -> str:
    return f"The service number{number} listens on port {number}443 because of the proxy."


def teach(mem: Mem, number: object, **more: Any) -> str:
    return add(mem, f"s{number}", f"Look here. {fact(number)}", "Understood, noted.", **more)


def lesson(number: object) -> dict[str, object]:
    """Return what a good model makes of that session."""
    body = fact(number)
    line = f'- {body} [turn 1: "{body}"]'
    record = {**claim(body, "principles", 1, body), "title": f"Port of number{number}"}
    return {"rollout_summary": line, "rollout_slug": "ports", "raw_memory": line, "records": [record]}


def good(request: Request) -> Reply:
    """Answer both phases as a good model would, from what is in the request."""
    if "memory_md" in request.user:
        known: dict[str, list[str]] = {}
        session = ""
        for line in request.user.split("\n"):
            said, bracket, cited = line.partition(" [")
            if line.startswith("## "):
                session = line.split()[1]
            elif said.startswith("- The service"):
                # A model that keeps what it finds: also what the previous document has.
                names = [session] if cited.startswith("turn") else cited.strip("]").split(", ")
                known.setdefault(said, []).extend(names if bracket else [])
        lines = [f"{said} [{', '.join(dict.fromkeys(names))}]" for said, names in known.items()]
        text = "# Ports\n\n" + "".join(f"{line}\n" for line in lines or ["- Nothing yet."])
        return says({"memory_md": text, "memory_summary": text, "skills": []})
    number = request.user.partition("service number")[2].partition(" ")[0]
    return says(lesson(number))


@pytest.fixture
def model(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """Return the model that the settings name; learning is on."""
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "openai:test-model")
    monkeypatch.setenv("MEMOLITH_MODELS_URL", loopback.url)
    loopback.answer = good
    return loopback


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch learning on, without a model."""
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")


def extractions(model: Loopback) -> list[Request]:
    return [request for request in model.requests if "memory_md" not in request.user]


def consolidations(model: Loopback) -> list[Request]:
    return [request for request in model.requests if "memory_md" in request.user]


# ---------------------------------------------------------------- on and off


@proves("S2.1")
def test_off_by_default_no_database_no_request_and_the_same_block(
    mem: Mem, loopback: Loopback, monkeypatch: pytest.MonkeyPatch, capfd: Capture, work: Path
) -> None:
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "openai:test-model")
    monkeypatch.setenv("MEMOLITH_MODELS_URL", loopback.url)
    teach(mem, 1)
    mem.remember("Plain.", "A note")
    (mem.root / "projects" / mem.project / "memory_summary.md").write_text("- learned before\n")
    before = mem.context_block()
    with pytest.raises(ConfigError, match=r"memories\.enabled is off"):
        mem.learning.run()
    assert main(["--project", str(work), "memory", "view"]) == 0
    assert "memories.enabled is off" in capfd.readouterr().err
    assert mem.context_block() == before
    assert before is not None
    assert "learned before" not in before
    assert loopback.requests == []
    assert not (Path(mem.home) / "state" / "state.sqlite3").exists()


@proves("S2.77", "S3.48")
@pytest.mark.parametrize(
    ("switch", "learns", "injects"),
    [("GENERATE", False, True), ("PROJECT", True, True), ("USE", True, False)],
)
@pytest.mark.usefixtures("rules")
def test_using_and_generating_are_switched_separately(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, switch: str, learns: bool, injects: bool
) -> None:
    add(mem, "a", "Remember that the staging database is on port 5433.", "Noted.")
    mem.learning.run()
    monkeypatch.setenv(f"MEMOLITH_MEMORIES_{switch}", "false")
    assert ("5433" in (mem.context_block() or "")) == injects
    assert bool(mem.learning.off) == (not learns)


@proves("S3.48")
@pytest.mark.usefixtures("rules")
def test_what_is_learned_for_all_projects_can_be_switched_off_and_cleared_by_itself(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, work: Path, store: Path
) -> None:
    add(mem, "a", "I prefer short commit messages in all my projects.", "Will do.")
    add(mem, "b", "Remember that the staging database is on port 5433.", "Noted.")
    mem.records.add("Written by hand.", category="preferences", scope="user")
    mem.learning.run()
    assert len(mem.records.list(scope="user")) == 2
    assert "short commit" in (mem.context_block() or "")
    assert main(["--project", str(work), "memory", "clear", "--scope", "user", "--yes"]) == 0
    assert "short commit" not in (mem.context_block() or "")
    assert "## Preferences" not in (mem.context_block() or "")  # a heading with nothing below it
    learned = [store / "MEMORY.md", store / "raw_memories.md", *(store / "rollout_summaries").iterdir()]
    assert [each.name for each in learned if "short commit" in each.read_text()] == []
    assert "5433" in (mem.context_block() or "")
    assert [record.body.strip() for record in mem.records.list(scope="user")] == ["Written by hand."]
    assert len(mem.records.list(scope="project")) == 1
    monkeypatch.setenv("MEMOLITH_MEMORIES_USER", "false")
    report = mem.learning.run(force=True)
    assert report.failed == 0
    assert len(mem.records.list(scope="user")) == 1
    assert "short commit" not in (mem.context_block() or "")


@proves("S3.48")
@pytest.mark.usefixtures("rules")
def test_without_the_project_what_is_user_wide_is_still_learned(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    add(mem, "a", "I prefer short commit messages in all my projects.", "Will do.")
    add(mem, "b", "Remember that the staging database is on port 5433.", "Noted.")
    monkeypatch.setenv("MEMOLITH_MEMORIES_PROJECT", "false")
    assert "memories.project is off" in mem.learning.run().consolidated
    assert [record.scope for record in mem.records.list()] == ["user"]
    assert not (store / "memory_summary.md").exists()
    monkeypatch.setenv("MEMOLITH_MEMORIES_USER", "false")
    assert "memories.project is off" in mem.learning.off


@proves("S2.85", "S0.80")
@pytest.mark.usefixtures("rules")
def test_a_record_that_cannot_be_read_was_not_taken_back(mem: Mem, store: Path, tmp_path: Path) -> None:
    add(mem, "a", "Remember that the staging database is on port 5433.", "Noted.")
    mem.learning.run()
    (store / "records").rename(tmp_path / "records")
    (store / "records").symlink_to(tmp_path / "records")
    mem.learning.run()
    (store / "records").unlink()
    (tmp_path / "records").rename(store / "records")
    mem.learning.run(force=True)
    assert not (store / "taken_back.md").exists()
    assert "5433" in (mem.context_block() or "")


@proves("S2.23", "S1.30")
@pytest.mark.usefixtures("rules")
def test_skipped_where_there_is_nothing_to_keep_or_nowhere_to_keep_it(
    mem: Mem, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(mem, "s1", "Look here, is the port right?", "It is.")
    with Mem.open(work, ephemeral=True) as thrown_away, pytest.raises(ConfigError, match="thrown away"):
        thrown_away.learning.run()
    add(mem, "sub", "Remember that the tests need redis on port 6380.", "Ok.", source="subagent")
    assert mem.learning.run().empty == 1  # number 1 said nothing outright, and the sub-agent was not asked
    monkeypatch.setenv("MEMOLITH_INTERNAL", "1")
    with pytest.raises(ConfigError, match="MEMOLITH_INTERNAL"):
        mem.learning.run()
    monkeypatch.delenv("MEMOLITH_INTERNAL")
    before = mem.context_block()
    state = Path(mem.home) / "state" / "state.sqlite3"
    state.unlink()
    state.mkdir()
    with pytest.raises(MemolithError, match=r"state\.sqlite3"):
        mem.learning.run()
    assert main(["--project", str(work), "learn", "run"]) in (8, 10)
    assert mem.context_block() == before


# ---------------------------------------------------------------- with a model


@proves("S2.22", "S2.42", "S2.46")
def test_sessions_become_records_and_curated_files_and_nothing_new_costs_nothing(
    mem: Mem, model: Loopback, store: Path, work: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_COOLDOWN_HOURS", "0")
    teach(mem, 1)
    teach(mem, 2)
    assert main(["--project", str(work), "learn", "run", "--phase", "1"]) == 0
    assert len(model.requests) == 2
    assert not (store / "memory_summary.md").exists()
    assert main(["--project", str(work), "learn", "run", "--phase", "2"]) == 0
    assert len(model.requests) == 3
    text = (store / "MEMORY.md").read_text()
    assert fact(1) in text
    assert fact(2) in text
    assert (store / "memory_summary.md").exists()
    assert {record.body.strip() for record in mem.records.list()} == {fact(1), fact(2)}
    assert main(["--project", str(work), "learn", "run"]) == 0
    assert len(model.requests) == 3
    assert main(["--project", str(work), "learn", "run", "--phase", "2", "--force"]) == 0
    assert len(consolidations(model)) == 2
    teach(mem, 3)
    assert main(["--project", str(work), "learn", "run", "--phase", "2", "--force"]) == 0
    assert len(model.requests) == 5  # the third session waits for the first phase
    assert main(["--project", str(work), "learn", "run", "--phase", "7"]) == 2
    capfd.readouterr()


@proves("S2.33", "S2.54")
def test_no_secret_is_sent_and_none_that_comes_back_is_stored(mem: Mem, model: Loopback) -> None:
    key = "sk-proj-Zx81kQvT0aLpW93mNcYb7RdE5uHs2JgF"
    add(mem, "s1", f"Look here. {fact(1)} The key is {key}.", "Fine.")

    def leaky(request: Request) -> Reply:
        found = json.loads(good(request).text)
        for name in ("raw_memory", "rollout_summary", "memory_md", "memory_summary"):
            if name in found:
                found[name] += f"\n- The key is {key}."
        return says(found)

    model.answer = leaky
    mem.learning.run()
    assert key not in model.sent
    for path in Path(mem.home).rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes(), path


@proves("S2.37", "S2.78")
def test_a_model_that_fails_is_tried_again_later_and_why_says_what_happened(
    mem: Mem, model: Loopback, clock: Clock, work: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = teach(mem, 1)
    model.answer = lambda _: says("I would rather not answer in JSON.")
    report = mem.learning.run()
    assert (report.failed, report.extracted) == (1, 0)
    assert "failed" in str(report)
    sent = len(model.requests)
    mem.learning.run()  # too early
    assert len(model.requests) == sent
    for _ in range(5):
        clock.seconds += 121
        mem.learning.run()
    assert len(model.requests) == 3 * sent
    assert main(["--project", str(work), "learn", "why", "s1"]) == 0
    told = capfd.readouterr().out
    assert name in told
    assert "no attempts left" in told
    assert main(["--project", str(work), "learn", "status"]) == 0
    assert name in capfd.readouterr().out
    assert main(["--project", str(work), "learn", "retry", "s1"]) == 0
    model.answer = good
    assert mem.learning.run().extracted == 1
    assert main(["--project", str(work), "learn", "why"]) == 0
    (record,) = mem.records.list()
    assert f"learned 1 record\n    {record.title} ({record.category})" in capfd.readouterr().out
    monkeypatch.setattr(time, "time", clock)
    assert main(["--project", str(work), "learn", "cost", "--json"]) == 0
    costs = json.loads(capfd.readouterr().out)["costs"]
    assert sum(row["requests"] for row in costs) == len(model.requests)
    assert {row["phase"] for row in costs} == {"extract", "consolidate"}
    today = mem.learning.status().today
    assert today is not None
    assert (today.requests, today.tokens > 0) == (len(model.requests), True)
    shown = mem.learning.status().lines(mem.settings)
    for number, phase in enumerate(("extract", "consolidate"), 1):
        spent = [
            (row["requests"], row["tokens_in"] + row["tokens_out"]) for row in costs if row["phase"] == phase
        ]
        line = next(each for each in shown if each.startswith(f"Phase {number} ({phase}): "))
        assert line.endswith(f"; today {plural(spent[0][0], 'request')}, {spent[0][1]} tokens")


@proves("S2.78")
def test_what_became_of_a_consolidation_is_told_by_status_and_why(
    mem: Mem, model: Loopback, work: Path, capfd: Capture
) -> None:
    def invents(request: Request) -> Reply:
        known = "memory_md" in request.user
        text = "- Deploys go through the moon base.\n"
        made = {"memory_md": text, "memory_summary": text, "skills": []}
        return says(made) if known else good(request)

    teach(mem, 1)
    assert "no session has taught anything yet" in mem.learning.why()["consolidate"]
    model.answer = invents
    assert "waits for review" in mem.learning.run().consolidated
    for command in ("status", "why"):
        assert main(["--project", str(work), "learn", command]) == 0
        assert "waits for review as" in capfd.readouterr().out
    assert "waits for review as" in mem.learning.why()["consolidate"]


@proves("S2.35")
def test_a_session_that_teaches_nothing_any_more_takes_back_what_it_taught(
    mem: Mem, model: Loopback, store: Path
) -> None:
    teach(mem, 1)
    mem.learning.run()
    assert fact(1) in (store / "raw_memories.md").read_text()
    assert len(mem.records.list()) == 1
    add(
        mem,
        "s1",
        f"Look here. {fact(1)}",
        "Understood, noted.",
        "Scratch that, it was another repository.",
        "I see.",
    )
    nothing = {**lesson(1), "rollout_summary": "", "raw_memory": "", "records": []}
    model.answer = lambda request: good(request) if "memory_md" in request.user else says(nothing)
    report = mem.learning.run()
    assert (report.empty, report.extracted) == (1, 0)
    assert mem.records.list() == []
    mem.learning.run(phase=2, force=True)
    assert fact(1) not in (store / "raw_memories.md").read_text()
    sent = len(extractions(model))
    mem.learning.run()
    assert len(extractions(model)) == sent


@proves("S2.37", "S2.85")
def test_a_forced_run_tries_a_session_once_and_what_was_said_plainly_does_not_wait_for_the_model(
    mem: Mem, model: Loopback
) -> None:
    add(mem, "s1", "Remember that we always deploy through the blue queue.", "Noted.")
    model.answer = lambda _: refuses()
    report = mem.learning.run(force=True)
    assert (report.failed, len(extractions(model))) == (1, 1)
    assert [record.body.strip() for record in mem.records.list()] == [
        "We always deploy through the blue queue."
    ]


@proves("S2.47")
@pytest.mark.parametrize("empty", ["memory_md", "memory_summary"])
def test_a_consolidation_that_fails_leaves_the_files_and_is_tried_again_after_a_pause(
    mem: Mem, model: Loopback, store: Path, clock: Clock, empty: str
) -> None:
    def blank(request: Request) -> Reply:
        found = json.loads(good(request).text)
        return says({**found, empty: " "}) if empty in found else good(request)

    def written() -> list[bytes]:
        return [(store / name).read_bytes() for name in ("MEMORY.md", "memory_summary.md")]

    teach(mem, 1)
    mem.learning.run()
    before = written()
    clock.seconds += 7 * 3600
    teach(mem, 2)
    model.answer = blank
    assert "the consolidation failed" in mem.learning.run().consolidated
    assert written() == before
    asked = len(consolidations(model))
    model.answer = good
    clock.seconds += 170
    mem.learning.run()
    assert len(consolidations(model)) == asked
    clock.seconds += 11
    assert "written" in mem.learning.run().consolidated
    assert fact(2) in (store / "MEMORY.md").read_text()


@proves("S2.68")
@pytest.mark.parametrize(("ceiling", "sent"), [("REQUESTS_PER_RUN", 3), ("REQUESTS_PER_DAY", 3)])
def test_a_run_stops_exactly_at_its_ceiling(
    mem: Mem, model: Loopback, monkeypatch: pytest.MonkeyPatch, ceiling: str, sent: int
) -> None:
    for number in range(6):
        teach(mem, number)
    monkeypatch.setenv(f"MEMOLITH_MEMORIES_{ceiling}", "3")
    report = mem.learning.run()
    assert len(model.requests) == sent == report.requests
    assert "3" in report.stopped
    assert (report.extracted, report.failed) == (3, 0)
    again = mem.learning.run()
    assert again.requests == (0 if ceiling.endswith("DAY") else 3)
    monkeypatch.setenv(f"MEMOLITH_MEMORIES_{ceiling}", "0")
    assert mem.learning.run().requests == 0


@proves("S2.57")
def test_without_a_usable_model_a_run_says_so_and_loses_nothing(
    mem: Mem, model: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    teach(mem, 1)
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "anthropic:claude-x")
    monkeypatch.delenv("MEMOLITH_MODELS_URL")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    report = mem.learning.run()
    assert "ANTHROPIC_API_KEY" in report.stopped
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "openai:test-model")
    monkeypatch.setenv("MEMOLITH_MODELS_URL", model.url)
    assert mem.learning.run().extracted == 1


@proves("S2.38")
def test_a_session_is_claimed_until_it_is_stored_however_long_the_model_needs_for_another(
    mem: Mem, model: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_STAGE1_LEASE_SECONDS", "0.3")
    for number in (1, 2):
        teach(mem, number)
    done = threading.Event()
    renewed: list[bool] = []

    def slow(request: Request) -> Reply:
        if "session claude-s2" in request.user:
            done.set()
        elif "session claude-s1" in request.user:
            assert done.wait(LONG)
            with Queue(mem.home, mem.settings, clock) as queue:
                for _ in range(3):
                    clock.seconds += 0.2
                    renewed.append(until(lambda: lease(queue) > clock.seconds + 0.25, 2))
        return good(request)

    def lease(queue: Queue) -> float:
        return next(job.lease_until for job in queue.jobs(kind=EXTRACT) if job.session == "claude-s2")

    model.answer = slow
    assert mem.learning.run(phase=1).extracted == 2
    assert renewed == [True] * 3


@proves("S2.57")
def test_a_model_for_consolidation_alone_consolidates_what_the_rules_found(
    mem: Mem, model: Loopback, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "none")
    monkeypatch.setenv("MEMOLITH_MODELS_SMOL", "openai:small")
    add(mem, "s1", "Never push to main directly.", "Understood.")
    assert mem.learning.run().extracted == 1
    assert [request.body["model"] for request in model.requests] == ["small"]
    assert "memory_md" in model.requests[0].user
    assert main(["learn", "status"]) == 0
    assert "openai:small" in capsys.readouterr().out
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "openai:test-model")
    monkeypatch.setenv("MEMOLITH_MODELS_SMOL", "none")
    add(mem, "s2", "Always run the linter first.", "Understood.")
    mem.learning.run(force=True)
    assert {request.body["model"] for request in model.requests[1:]} == {"test-model"}
    assert not [each for each in model.requests[1:] if "memory_md" in each.user]


@proves("S2.57")
@pytest.mark.usefixtures("rules")
def test_auto_asks_the_agent_that_a_session_ran_in(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for agent in ("codex", "gemini"):
        installed = install(tmp_path, agent, {"say": lesson(1)})
        add(mem, agent, f"Look here. {fact(1)}", "Understood, noted.", agent=agent)
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "auto")
    monkeypatch.setenv("PATH", installed.env["PATH"].partition(":")[0])
    assert mem.learning.run(phase=1).extracted == 2
    assert len(installed.calls) == 2
    for call in installed.calls:
        is_of_codex = call["argv"][0] == "exec"
        assert ("codex-codex" in call["input"], "gemini-gemini" in call["input"]) == (
            is_of_codex,
            not is_of_codex,
        )


# ---------------------------------------------------------------- what belongs together and what does not


def test_nothing_of_one_project_is_in_any_file_or_request_of_another(
    mem: Mem, model: Loopback, tmp_path: Path, clock: Clock
) -> None:
    """X.15 for the pipeline, on the recorded requests."""
    other_place = tmp_path / "work" / "other"
    other_place.mkdir()
    other = Mem.open(other_place, now=clock)
    teach(mem, "77")
    mem.learning.run()
    ours = len(model.requests)
    teach(other, "88")
    other.learning.run()
    mem.learning.run(force=True)
    for number, request in enumerate(model.requests):
        foreign = "number77" if ours <= number < ours + 2 else "number88"
        assert foreign not in request.raw.decode(), number
    for path in (mem.root / "projects" / other.project).rglob("*.md"):
        assert "number77" not in path.read_text()
    assert "number88" in (other.root / "projects" / other.project / "MEMORY.md").read_text()


@proves("S2.76")
def test_the_second_phase_alone_forgets_a_deleted_session_too(
    mem: Mem, model: Loopback, store: Path, work: Path
) -> None:
    assert model.requests == []
    teach(mem, 1)
    teach(mem, 2)
    mem.learning.run()
    assert main(["--project", str(work), "session", "rm", "s1", "--yes"]) == 0
    mem.learning.run(phase=2, force=True)
    for name in ("MEMORY.md", "memory_summary.md"):
        assert fact(1) not in (store / name).read_text()
        assert fact(2) in (store / name).read_text()
    assert [record.body.strip() for record in mem.records.list()] == [fact(2)]


@proves("S2.76")
@pytest.mark.parametrize("command", [["session", "rm"], ["rm"]])
def test_while_learning_is_off_what_a_session_taught_goes_at_once(
    command: list[str],
    mem: Mem,
    work: Path,
    store: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    mem.settings.reload()
    teach(mem, 1)
    teach(mem, 2)
    mem.learning.run()
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "false")
    assert main(["--project", str(work), *command, "s1", "--yes"]) == 0
    assert "for good, and what was learned from it alone" in capsys.readouterr().out
    assert [record.body.strip() for record in mem.records.list()] == [fact(2)]
    for name in ("MEMORY.md", "memory_summary.md", "raw_memories.md"):
        assert fact(1) not in (store / name).read_text()
        assert fact(2) in (store / name).read_text()
    versions = [each for each in Path(mem.path, "history").rglob("*") if each.is_file()]
    assert [each for each in versions if fact(1) in each.read_text()] == []
    assert any(fact(2) in each.read_text() for each in versions)
    with pytest.raises(HistoryError, match="the deletion of a session, which cannot be undone"):
        mem.undo()
    mem.undo(str(store / "MEMORY.md"))
    assert fact(1) not in (store / "MEMORY.md").read_text()


@proves("S2.76")
def test_a_deleted_session_takes_with_it_what_only_it_taught(
    mem: Mem, model: Loopback, store: Path, work: Path, clock: Clock
) -> None:
    teach(mem, 1)
    teach(mem, 2)
    add(mem, "twice", f"Look here. {fact(2)}", "Understood, noted.", agent="codex")
    mem.learning.run()
    assert len(mem.records.list()) == 2
    assert main(["--project", str(work), "session", "rm", "s1", "--yes"]) == 0
    assert main(["--project", str(work), "session", "rm", "claude-s2", "--yes"]) == 0
    clock.seconds += 60
    mem.learning.run()
    assert [record.body.strip() for record in mem.records.list()] == [fact(2)]
    assert mem.records.list()[0].sources == ["codex-twice#1"]
    text = (store / "MEMORY.md").read_text()
    assert fact(2) in text
    assert fact(1) not in text
    assert ("claude-s2" in text, "[codex-twice#1]" in text) == (False, True)
    assert fact(1) not in model.requests[-1].raw.decode()


@proves("S2.69")
@pytest.mark.usefixtures("rules")
def test_what_a_polluted_session_taught_is_forgotten(mem: Mem, store: Path) -> None:
    said = ("Remember that the staging database is on port 5433.", "Noted.")
    add(mem, "a", *said)
    mem.learning.run()
    assert "5433" in (store / "MEMORY.md").read_text()
    add(mem, "a", *said, mode="polluted")
    mem.learning.run()
    assert not (store / "MEMORY.md").exists()
    assert mem.records.list() == []
    with pytest.raises(InputError, match="mode"):
        add(mem, "b", *said, mode="bogus")


@proves("S2.69")
@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize("later", [False, True])
def test_what_codex_says_of_a_session_is_heeded(mem: Mem, tmp_path: Path, *, later: bool) -> None:
    about = {"id": "c1", "cwd": str(tmp_path), "source": "cli", "timestamp": "2026-11-13T10:00:00Z"}
    marked = {**about, "memory_mode": "polluted"}
    text = {"type": "input_text", "text": "Always run gofmt before pushing."}
    rows = [
        {"type": "session_meta", "payload": about if later else marked},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [text]}},
        {"type": "session_meta", "payload": marked if later else about},
    ]
    path = tmp_path / "rollout-1.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (found,) = AGENTS["codex"].read(str(path))
    mem.sessions.add(found)
    mem.learning.run(force=True)
    assert (found.mode, mem.records.list()) == ("polluted", [])


@proves("S3.47")
@pytest.mark.parametrize("lead", ["Please never", "So, never", "No, never", "Actually, never"])
def test_what_the_model_and_the_rules_both_find_is_one_record(mem: Mem, model: Loopback, lead: str) -> None:
    said = f"{lead} push to main directly."
    row = {**claim(said, "principles", 1, said), "title": "Pushing"}
    reply = {"rollout_summary": "", "rollout_slug": "", "raw_memory": "", "records": [row]}
    model.answer = lambda _: says(reply)
    for number in range(2):
        add(mem, f"s{number}", said, "Understood.")
    mem.learning.run(phase=1)
    (record,) = mem.records.list()
    assert len(record.sources) == 2


@proves("S3.46", "S3.47")
@pytest.mark.usefixtures("rules")
def test_what_one_agent_learned_ten_times_another_recalls_once(mem: Mem, work: Path) -> None:
    for number in range(10):
        add(mem, f"n{number}", "Remember that the staging database is on port 5433.", "Noted.")
    mem.learning.run()
    (only,) = mem.records.list()
    assert len(only.sources) == 10
    assert only.source in only.sources
    found = Mem.open(work, origin="agent").recall("which port has the staging database", semantic=False)
    assert only.id in [hit.record for hit in found]


@proves("S3.47")
@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize("order", ["at once", "oldest first", "newest first"])
def test_a_rule_of_ten_sessions_is_one_record_with_ten_sources(mem: Mem, order: str) -> None:
    rule = "run make lint before every commit"
    ways = (
        f"From now on {rule}.",
        f"from now on, {rule}!",
        f"From now on please {rule}",
        f"Please always {rule}.",
        f"You should always {rule}.",
    )
    days = range(1, 11) if order == "newest first" else range(10, 0, -1)
    for day in days:
        add(mem, f"n{day}", "Rename the cart.", "Done.", ways[day % len(ways)], "Noted.", ago=day * DAY)
        if order != "at once":
            mem.learning.run()
    mem.learning.run()
    (only,) = mem.records.list(archived=True)
    assert len({only.source, *only.sources}) == 10


@proves("S2.65", "S2.66")
@pytest.mark.usefixtures("rules")
def test_an_extraction_that_an_answer_cites_is_used_and_one_that_nobody_uses_goes(
    mem: Mem, clock: Clock
) -> None:
    used = add(mem, "used", "Remember that the staging database is on port 5433.", "Noted.")
    add(mem, "unused", "Remember that the mail server is on port 2525.", "Noted.")
    mem.learning.run(phase=1)
    clock.seconds += 20 * DAY
    add(
        mem,
        "later",
        "Where is staging?",
        f"On 5433, says memory://root/rollout_summaries/{used}.md.",
        ago=-19 * DAY,
    )
    mem.learning.run(phase=1)
    with Queue(mem.home, mem.settings, clock) as queue:
        counts = {each.session: each.usage_count for each in queue.extractions.all(mem.project)}
        assert counts == {used: 1, "claude-unused": 0}
        clock.seconds += 15 * DAY
        mem.learning.run(phase=1)
        assert [each.session for each in queue.extractions.all(mem.project)] == [used]


@proves("S2.65")
@pytest.mark.usefixtures("rules")
def test_a_citation_counts_once_although_its_session_grows_or_is_read_again(mem: Mem) -> None:
    used = add(mem, "used", "Remember that the staging database is on port 5433.", "Noted.")
    mem.learning.run(phase=1)
    said = ["Where is staging?", f"On 5433, says memory://root/rollout_summaries/{used}.md.", "Thanks a lot."]
    for size in (2, 3, 3):
        add(mem, "later", *said[:size])
        mem.learning.run(phase=1, force=size == 3)
    with Queue(mem.home, mem.settings) as queue:
        assert [each.usage_count for each in queue.extractions.all(mem.project)] == [1]


# ---------------------------------------------------------------- /memory


@proves("S2.67", "S2.78")
@pytest.mark.usefixtures("rules")
def test_while_the_consolidation_rests_status_and_why_say_how_long(mem: Mem, clock: Clock) -> None:
    add(mem, "a", "Remember that the staging database is on port 5433.", "Noted.")
    mem.learning.run()
    clock.seconds += 3600
    add(mem, "b", "Remember that the mail server is on port 2525.", "Noted.")
    assert "cooldown_hours" in mem.learning.run().consolidated
    rests = "waits for 5.0 h more, the pause after the last one (memories.cooldown_hours)"
    assert mem.learning.why()["consolidate"].startswith(rests)
    assert any(rests in line for line in mem.learning.status().lines(mem.settings))
    assert mem.learning.run(force=True).consolidated.startswith("Consolidation: ")
    assert mem.learning.status().rest == ""


@proves("S2.16", "S2.17", "S2.18", "S2.19", "S2.20")
@pytest.mark.usefixtures("rules")
def test_the_verbs_of_memory(
    mem: Mem,
    store: Path,
    work: Path,
    capfd: Capture,
    tmp_path: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def memory(*words: str) -> tuple[int, str, str]:
        code = main(["--project", str(work), "memory", *words])
        return (code, *capfd.readouterr())

    assert "memory is empty, so nothing is injected" in memory("view")[2]
    mem.remember("By hand.", "A note")
    mem.write("note", "x", name="other")
    kept = mem.records.add("The cat sleeps in the server room.", category="decisions", scope="project").id
    (store / "MEMORY.md").write_text("# Mine\n\nBy hand.\n")
    add(mem, "a", "Remember that the staging database is on port 5433.", "Noted.")
    mem.learning.run()
    other = Mem.open(tmp_path, now=clock)
    add(other, "b", "Remember that the mail server is on port 2525.", "Noted.")
    other.learning.run()
    assert memory("view")[1] == f"{mem.context_block()}\n"
    with monkeypatch.context() as off:
        off.setenv("MEMOLITH_ENABLED", "false")
        assert (
            "memory is switched off, so no agent gets any of it: unset MEMOLITH_ENABLED" in memory("view")[2]
        )
    code, _, told = memory("clear")
    assert (code, "--yes" in told) == (2, True)
    assert "5433" in (store / "MEMORY.md").read_text()
    assert memory("reset", "--yes")[0] == 0
    assert "5433" not in (store / "MEMORY.md").read_text()
    assert (store / "MEMORY.md").read_text().startswith("# Mine\n\nBy hand.\n")
    assert not (store / "memory_summary.md").exists()
    assert [each.id for each in mem.records.list()] == [kept]
    assert len(mem.list()) >= 3
    assert len(other.records.list()) == 1
    assert main(["--project", str(work), "undo"]) == 0
    assert "5433" in (store / "MEMORY.md").read_text()
    assert memory("clear", "--all", "--yes")[0] == 0
    assert other.records.list() == []
    assert memory("clear", "--everything", "--yes")[0] == 0
    assert sorted(path.name for path in store.rglob("*") if path.is_file()) == ["project.yml"]
    for word in ("enqueue", "rebuild"):
        assert "next run" in memory(word)[1]
    with Queue(mem.home, mem.settings, clock) as queue:
        (job,) = queue.jobs(mem.project, CONSOLIDATE)
        assert (job.status, job.forced) == ("pending", True)
    code, _, told = memory("veiw")
    assert (code, "did you mean view?" in told, "usage:" in told) == (2, True, True)
    assert memory("other")[0] == 2  # it was cleared with everything else
    mem.write("note", "again", name="other")
    assert memory("other")[:2] == (0, "again\n")


@pytest.mark.usefixtures("rules")
def test_jobs_are_enqueued_and_cancelled_by_hand(mem: Mem, work: Path, capfd: Capture, clock: Clock) -> None:
    teach(mem, 1)
    for words in (["enqueue", "s1"], ["enqueue"], ["cancel", "s1"], ["cancel"]):
        assert main(["--project", str(work), "learn", *words]) == 0, words
    capfd.readouterr()
    with Queue(mem.home, mem.settings, clock) as queue:
        assert {job.status for job in queue.jobs(mem.project)} == {"done"}
        assert len(queue.jobs(mem.project, EXTRACT)) == 1
    assert main(["--project", str(work), "learn", "retry", "nosuch"]) == 3


# ---------------------------------------------------------------- processes

LEARN = [sys.executable, "-m", "memolith", "learn", "run", "--project"]


def stored(model: Loopback) -> Counter[str]:
    return Counter(
        request.user.partition("service number")[2].partition(" ")[0] for request in extractions(model)
    )


def now_sessions(mem: Mem, count: int) -> None:
    """Store sessions of yesterday, by the real clock: other processes have no other."""
    for number in range(count):
        teach(mem, number, ago=NOON - time.time() + DAY)


def test_many_processes_learn_from_each_session_once_and_consolidate_once(
    work: Path, model: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem = Mem.open(work)
    processes, sessions = (20, 100) if LONG else (4, 10)
    monkeypatch.setenv("MEMOLITH_MEMORIES_MAX_ROLLOUTS_PER_STARTUP", str(sessions))
    monkeypatch.setenv("MEMOLITH_MEMORIES_REQUESTS_PER_RUN", "1000")
    now_sessions(mem, sessions)
    workers = [
        subprocess.Popen([*LEARN, str(work)], stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    for worker in workers:
        worker.communicate(timeout=300)
        assert worker.returncode == 0
    assert stored(model) == Counter({str(number): 1 for number in range(sessions)})
    assert len(consolidations(model)) == 1
    assert len(mem.records.list()) == sessions


@proves("S2.21")
def test_a_worker_in_the_background_is_detached_logs_and_ends(
    work: Path, model: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    mem = Mem.open(work)
    now_sessions(mem, 2)
    begin = time.monotonic()
    handover.spawn(mem, "learn.log", "learn", "run")
    assert time.monotonic() - begin < 0.5
    assert until(lambda: len(mem.records.list()) == 2 and bool(consolidations(model)))
    log = Path(mem.home) / "state" / "log" / "learn.log"
    assert until(lambda: "Learned from 2 sessions" in log.read_text())
    assert until(lambda: not running(mem.home))


def running(home: str) -> list[int]:
    """Return the processes that work on a home."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\0")
            state = (place.parent / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if home.encode() in words and state != "Z":
            found.append(int(place.parent.name))
    return found


@pytest.mark.usefixtures("rules")
def test_a_fact_that_a_full_disk_refused_is_learned_by_the_next_run(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove faults`: the session counted as learned from, and the fact was gone."""
    add(mem, "s1", "Please remember: the gateway listens on port 4431.", "Noted.")

    opened = os.open

    def full(path: str, flags: int, *mode: int, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT and "records%2F" in str(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return opened(path, flags, *mode, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        report = mem.learning.run(force=True)
    assert (report.failed > 0, report.extracted) == (True, 0)
    assert mem.learning.run(force=True).records == 1


@pytest.mark.usefixtures("rules")
def test_what_an_interrupted_run_stored_is_not_changed_by_the_run_that_does_it_again(mem: Mem) -> None:
    """Found by `prove faults`: the record got its own source a second time."""
    add(mem, "s1", "Please remember: the gateway listens on port 4431.", "Noted.")
    mem.learning.run(force=True)
    with Queue(mem.home, mem.settings, mem.now) as queue:
        queue.clear(mem.project)
    records = {path: path.read_bytes() for path in Path(mem.root).rglob("records/**/*.md")}
    assert mem.learning.run(force=True).extracted == 1
    assert records
    assert {path: path.read_bytes() for path in Path(mem.root).rglob("records/**/*.md")} == records
