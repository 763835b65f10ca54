"""A session that goes on is read as far as it is written; a large one within bounded memory."""

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.hosts.sessions import AGENTS, transcript
from memolith.hosts.sessions.transcript import MAX_RESULT, Transcript, without_injected
from tests.hosts.sessions import written

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
MIB = 1_048_576


def test_the_parts_of_an_answer_are_one_turn_and_half_a_line_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    row = next(row for row in written.claude() if row["type"] == "assistant")
    row["entrypoint"] = "sdk-cli"  # a program's prompts are automation

    def part(text: str) -> str:
        return written.lines({**row, "message": {"id": "m", "content": [{"type": "text", "text": text}]}})

    for more, wanted in ((part("two")[:-9], "one"), (part("two") * 2, "one\n\ntwo")):
        path.write_text(part("one") + more)
        (session,) = AGENTS["claude"].read(str(path))
        assert [turn.text for turn in session.turns] == [wanted]
        assert session.source == "automation"


def test_long_results_are_cut_and_so_is_the_call(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    given = json.dumps({"command": "echo\n\n" + "x" * 9000})
    call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "sh", "arguments": given}}]}
    path.write_text(written.lines(call, {"role": "tool", "tool_call_id": "1", "content": "y" * 99_000}))
    (turn,) = next(AGENTS["generic"].read(str(path))).turns
    first, _, result = turn.text.partition("\n")
    assert first.startswith("$ echo ⏎ xxx")
    assert len(first) <= 2_000
    assert len(result) == MAX_RESULT
    assert result.endswith(" […]")


@pytest.mark.parametrize("size", [200 * MIB if LONG else 6 * MIB])
def test_a_large_transcript_is_read_within_bounded_memory(size: int, tmp_path: Path) -> None:
    """What is no talk costs nothing, whatever its size; talk is bounded."""
    path = tmp_path / "s1.jsonl"
    shape = {"type": "api-request-shape", "shape": "s" * 200_000}
    with path.open("w") as file:
        file.write(written.lines(*written.claude()))
        file.write(json.dumps({"type": "prompt_snapshot", "text": "z" * (9 * MIB)}) + "\n")
        while file.tell() < size + 9 * MIB:
            file.write(written.lines(shape))
        file.write(written.lines(*written.claude()))
    tracemalloc.start()
    try:
        session, *_ = AGENTS["claude"].read(str(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(session.turns) == 10
    assert peak < 20 * MIB


@pytest.mark.skipif(not LONG, reason="HYPOTHESIS_PROFILE=long reads 200 MB of talk")
def test_a_transcript_of_endless_talk_is_read_within_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    said = {"role": "user", "content": "word " * 200}
    with path.open("w") as file:
        while file.tell() < 200 * MIB:
            file.write(written.lines(said, {"role": "tool", "name": "read", "content": "y" * 40_000}))
    tracemalloc.start()
    try:
        (session,) = AGENTS["generic"].read(str(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(session.turns) > 1000
    assert peak < 100 * MIB


def test_talk_beyond_the_bound_is_kept_short_and_then_left_out() -> None:
    into = Transcript("generic", "")
    for _ in range(400):
        into.result("", "y" * 40_000, ok=True)
    assert {len(turn.text) for turn in into.turns[-10:]} == {len("tool\n") + 400}
    for _ in range(700):
        into.say("assistant", "z" * 60_000)
    assert sum(len(turn.text) for turn in into.turns) < 33_000_000


def test_reminders_and_our_block_go_from_results_in_linear_time() -> None:
    assert without_injected("a<memory x='1'>b</memory>c<system-reminder>d") == "ac<system-reminder>d"
    assert (
        without_injected("<memory>a<system-reminder>b</memory>c</system-reminder>") == "c</system-reminder>"
    )
    hostile = "<memory>" * 20_000
    assert without_injected(hostile) == hostile


def _claude(number: int) -> written.Row:
    row = {"type": "user", "cwd": "/w", "sessionId": "s1", "timestamp": written.AT, "isSidechain": False}
    return {**row, "message": {"role": "user", "content": f"turn {number} " + "x" * 500}}


def _gemini(number: int) -> written.Row:
    text = [{"text": f"turn {number} " + "x" * 500}]
    return {"sessionId": "s1", "id": f"m{number}", "type": "user", "timestamp": written.AT, "content": text}


def _generic(number: int) -> written.Row:
    return {"role": "user", "text": f"turn {number} " + "x" * 500}


@pytest.mark.parametrize(
    ("agent", "row"), [("claude", _claude), ("gemini", _gemini), ("generic", _generic)], ids=lambda each: each
)
def test_of_a_session_that_is_too_long_beginning_and_end_are_kept_and_the_rest_is_told(
    agent: str,
    row: Callable[[int], written.Row],
    work: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(transcript, "MOST", 20_000)
    monkeypatch.setattr(transcript, "LATEST", 10)
    path = tmp_path / "session-1.jsonl"
    command = ["session", "import", str(path), "--agent", agent, "--project", str(work)]
    rows = [{**row(number), **({"cwd": str(work)} if agent == "claude" else {})} for number in range(1, 121)]
    for end in (100, 120):  # it grows
        path.write_text(written.lines(*rows[:end]))
        os.utime(path, (end * 1e8, end * 1e8))
        assert main(command) == 16
        said = capfd.readouterr()
        assert "too long to be kept whole" in said.err
        mem = Mem.open(work)
        (session,) = (mem.sessions.get(each.name) for each in mem.sessions.list())
        numbers = [turn.number for turn in session.turns]
        assert session.turns[-1].text.startswith(f"turn {end} ")
        assert (numbers[:3], numbers[-1], numbers == sorted(set(numbers))) == ([1, 2, 3], end, True)
        gap = numbers.index(end - 9) - 1
        assert session.turns[gap].text.startswith(f"[{end - 10 - gap} turns left out here")
        assert all(f"turn {each.number} " in each.text for each in session.turns if each.role == "user")
