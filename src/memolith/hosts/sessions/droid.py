"""Factory droid: `~/.factory/sessions/<slug>/<session>.jsonl`, with `<session>.settings.json` beside it."""

from __future__ import annotations

import json

from memolith.env.settings import open_regular
from memolith.hosts.sessions.files import JsonLines
from memolith.hosts.sessions.transcript import Record, Transcript, fields, listed, plain

_MAX_SETTINGS = 1_048_576


class Droid(JsonLines):
    """Messages in the form of Claude's; reminders of its own and what hooks did are messages, too."""

    name = "droid"
    patterns = ("sessions/*/*.jsonl", "sessions/*.jsonl")

    def begin(self, path: str) -> Transcript:  # noqa: D102
        into = super().begin(path)
        if _is_exec(path.removesuffix(".jsonl") + ".settings.json"):
            into.know(source="automation")
        return into

    def take(self, row: Record, into: Transcript) -> None:  # noqa: D102
        if row.get("type") == "session_start":
            into.know(id=row.get("id"), cwd=row.get("cwd"))
            if row.get("callingSessionId"):  # of a sub-agent: its prompts are another agent's
                into.know(source="subagent")
        elif row.get("type") == "message":
            self._message(row, fields(row.get("message")), into)

    def _message(self, row: Record, message: Record, into: Transcript) -> None:
        content, time = message.get("content"), row.get("timestamp")
        blocks = listed(content)
        if message.get("role") == "assistant":
            for block in blocks:
                if block.get("type") == "text":
                    into.say("assistant", plain(block), time, str(row.get("id") or ""))
                elif block.get("type") == "tool_use":
                    into.call(block.get("id"), block.get("name"), block.get("input"))
            return
        if message.get("role") != "user" or message.get("visibility") == "user_only":
            return  # what is only shown to the person: a hook ran
        for block in blocks:
            if block.get("type") == "tool_result":
                text = plain(block.get("content"))
                into.result(block.get("tool_use_id"), text, ok=not block.get("is_error"), time=time)
        said = [plain(block) for block in blocks if block.get("type") == "text"]
        into.heed(content)
        # A typed message has a mode and one text. Else what others put there could pass for it.
        if len(said) == 1 and isinstance(message.get("interactionMode"), str):
            into.ask(said, time)
        elif any(not text.lstrip().startswith("<system-reminder>") for text in said):
            into.fetched("prompt")


def _is_exec(path: str) -> bool:
    """Whether a program started a session (`droid exec`): so it is unless its settings can be read."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            tags = fields(json.loads(file.read(_MAX_SETTINGS))).get("tags")
    except (OSError, ValueError, RecursionError):
        return True
    return any(tag.get("name") == "exec" for tag in listed(tags))
