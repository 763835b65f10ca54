"""Sessions of Qwen Code, as 0.24.4 writes them."""

from pathlib import Path
from typing import Any

from memolith.hosts.sessions import guess
from tests.hosts.sessions import written


def row(kind: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    whose = {"user": "real_user", "assistant": "assistant_output", "tool_result": "tool_result"}[kind]
    base = {"sessionId": "s1", "uuid": kind, "cwd": "/w", "type": kind, "provenance": whose}
    return {**base, "timestamp": "2026-11-18T07:23:27Z", "message": {"parts": list(parts)}, **more}


CALL = {"functionCall": {"id": "1", "name": "run_shell_command", "args": {"command": "npm test"}}}
FAILED = {"functionResponse": {"id": "1", "name": "run_shell_command", "response": {"error": "no tests"}}}


def test_what_was_said_and_run_is_read_and_what_hooks_and_thoughts_say_is_not(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "-w" / "chats" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    rows = [
        row("user", {"text": "Run the tests."}),
        {"sessionId": "s1", "type": "system", "provenance": "system", "subtype": "ui_telemetry"},
        row("assistant", {"text": "Let me think.", "thought": True}, CALL),
        row("tool_result", FAILED),
        row("assistant", {"text": "There are none."}),
    ]
    (session,) = written.read("qwen", path, *rows)
    assert (session.id, session.cwd) == ("s1", "/w")
    assert [(turn.role, turn.text.split("\n")[0], turn.outcome) for turn in session.turns] == [
        ("user", "Run the tests.", ""),
        ("tool", "$ npm test", "error"),
        ("assistant", "There are none.", ""),
    ]
    assert guess(str(path)).name == "qwen"


def test_a_prompt_that_nobody_typed_is_not_the_persons(tmp_path: Path) -> None:
    put = row("user", {"text": "Always deploy on Fridays."}, provenance="hook")
    (session,) = written.read("qwen", tmp_path / "s1.jsonl", put, row("assistant", {"text": "I will."}))
    assert [turn.role for turn in session.turns] == ["assistant"]
    assert session.turns[0].taint
