"""Qwen Code: `~/.qwen/projects/<slug>/chats/<session>.jsonl`, messages in the form of Gemini's."""

from __future__ import annotations

from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import JsonLines
from memolith.hosts.sessions.transcript import Transcript, is_anothers, listed, plain

# What it notes for itself.
_QUIET = (
    *("ui_telemetry", "slash_command", "custom_title", "attribution_snapshot", "file_history_snapshot"),
    *("session_model", "session_approval_mode", "session_execution_engine", "turn_result", "rewind"),
    *("user_text_elements", "branch_checkpoint", "session_artifact_event", "session_artifact_snapshot"),
)
_TYPED = ("real_user", "")


class Qwen(JsonLines):
    """`provenance` says who wrote a record; what hooks added is not in it."""

    name = "qwen"
    patterns = ("projects/*/chats/*.jsonl",)

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        kind, time = row.get("type"), row.get("timestamp")
        into.know(id=row.get("sessionId"), cwd=row.get("cwd"), started=time, source="interactive")
        parts = listed(fields(row.get("message")).get("parts"))
        if kind == "user":
            self._prompt(row, parts, into)
        elif kind == "assistant":
            into.look_up({key: each for key, each in row.items() if key != "message"})
            for part in parts:
                call = fields(part.get("functionCall"))
                if call:
                    into.call(call.get("id"), call.get("name"), call.get("args"))
                elif not part.get("thought"):
                    into.heed([part])
                    into.say("assistant", plain(part), time, str(row.get("uuid") or ""))
        elif kind == "system" and row.get("subtype") == "chat_compression":
            into.sum_up(row)
        elif kind == "tool_result":
            for part in parts:
                answer = fields(part.get("functionResponse"))
                told = fields(answer.get("response"))
                text = plain(told.get("output")) or plain(told.get("error"))
                ok = "error" not in told and fields(row.get("toolCallResult")).get("status") != "error"
                into.result(answer.get("id"), text, ok=ok, time=time, tool=answer.get("name"))
        else:
            return kind == "system" and row.get("subtype") in _QUIET
        return True

    def _prompt(self, row: Record, parts: list[Record], into: Transcript) -> None:
        said = [plain(part) for part in parts if isinstance(part.get("text"), str)]
        into.heed([part for part in parts if not isinstance(part.get("text"), str)])
        is_persons = row.get("subtype") in (None, "", "mid_turn_user_message")
        is_persons = is_persons and not is_anothers(row, ("provenance",))
        if is_persons and str(row.get("provenance") or "") in _TYPED:
            into.ask(said, row.get("timestamp"))
        elif said:
            into.fetched("prompt")  # of a hook, a schedule or another agent
