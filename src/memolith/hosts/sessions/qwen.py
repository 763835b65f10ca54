"""Qwen Code: `~/.qwen/projects/<slug>/chats/<session>.jsonl`, messages in the form of Gemini's."""

from __future__ import annotations

from memolith.hosts.sessions.files import JsonLines
from memolith.hosts.sessions.transcript import Record, Transcript, fields, listed, plain

_OWN = ("real_user", "assistant_output", "tool_result", "")


class Qwen(JsonLines):
    """`provenance` says who wrote a record; what hooks added is not in it."""

    name = "qwen"
    patterns = ("projects/*/chats/*.jsonl",)

    def take(self, row: Record, into: Transcript) -> None:  # noqa: D102
        kind, time = row.get("type"), row.get("timestamp")
        into.know(id=row.get("sessionId"), cwd=row.get("cwd"), started=time, source="interactive")
        parts = listed(fields(row.get("message")).get("parts"))
        if kind == "user":
            self._prompt(row, parts, into)
        elif kind == "assistant":
            for part in parts:
                call = fields(part.get("functionCall"))
                if call:
                    into.call(call.get("id"), call.get("name"), call.get("args"))
                elif not part.get("thought"):
                    into.say("assistant", plain(part), time, str(row.get("uuid") or ""))
        elif kind == "system" and (row.get("subtype") == "at_command" or not into.turns):
            into.fetched("prompt")  # files that a prompt names, or what was said in another session
        elif kind == "tool_result":
            for part in parts:
                answer = fields(part.get("functionResponse"))
                told = fields(answer.get("response"))
                text = plain(told.get("output")) or plain(told.get("error"))
                ok = "error" not in told and fields(row.get("toolCallResult")).get("status") != "error"
                into.result(answer.get("id"), text, ok=ok, time=time, tool=answer.get("name"))

    def _prompt(self, row: Record, parts: list[Record], into: Transcript) -> None:
        said = [plain(part) for part in parts if isinstance(part.get("text"), str)]
        into.heed([part for part in parts if not isinstance(part.get("text"), str)])
        is_persons = row.get("subtype") in (None, "", "mid_turn_user_message")
        if is_persons and str(row.get("provenance") or "") in _OWN:
            into.ask(said, row.get("timestamp"))
        elif said:
            into.fetched("prompt")  # of a hook, a schedule or another agent
