"""Factory droid: `~/.factory/sessions/<slug>/<session>.jsonl`, with `<session>.settings.json` beside it."""

from __future__ import annotations

import json

from memolith.env.settings import open_regular
from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import JsonLines
from memolith.hosts.sessions.transcript import Transcript, is_anothers, listed, plain
from memolith.text.patterns import lazy

_MAX_SETTINGS = 1_048_576
# How the program's own reminders begin, with what they say of files that a prompt names.
_OWN_NOTES = lazy(
    r"(?s)\s*<system-reminder>\s*(?:User system info|IMPORTANT: TodoWrite|The tools listed below"
    r"|Current date: |User tagged file: (?P<path>[^\n<]*))(?:(?!</system-reminder>).)*</system-reminder>\s*"
    r"|\s*Request (?:interrupted|cancelled) by user\s*"
)


class Droid(JsonLines):
    """Messages in the form of Claude's; reminders of its own and what hooks did are messages, too."""

    name = "droid"
    quiet = frozenset(["todo_state", "session_settings", "agent_turn_outcome", "session_end"])
    patterns = ("sessions/*/*.jsonl", "sessions/*.jsonl")

    def begin(self, path: str) -> Transcript:  # noqa: D102
        into = super().begin(path)
        if _is_exec(path.removesuffix(".jsonl") + ".settings.json"):
            into.know(source="automation")
        return into

    def take(self, row: Record, into: Transcript) -> bool:  # noqa: D102
        if row.get("type") == "session_start":
            into.know(id=row.get("id"), cwd=row.get("cwd"))
            if row.get("callingSessionId"):  # of a sub-agent: its prompts are another agent's
                into.know(source="subagent")
            if row.get("parent"):
                into.fetched("unknown")  # it goes on with another one
        elif row.get("type") == "compaction_state":
            into.sum_up(row)
        else:
            return row.get("type") == "message" and self._message(row, fields(row.get("message")), into)
        return True

    def _message(self, row: Record, message: Record, into: Transcript) -> bool:
        content, time = message.get("content"), row.get("timestamp")
        blocks = listed(content)
        if message.get("role") == "assistant":
            for block in blocks:
                if block.get("type") == "text":
                    into.say("assistant", plain(block), time, str(row.get("id") or ""))
                elif block.get("type") == "tool_use":
                    into.call(block.get("id"), block.get("name"), block.get("input"))
            into.heed(content)
            return True
        if message.get("role") != "user" or message.get("visibility") == "user_only":
            return message.get("role") == "user"  # what is only shown to the person: a hook ran
        for block in blocks:
            if block.get("type") == "tool_result":
                text = plain(block.get("content"))
                into.result(block.get("tool_use_id"), text, ok=not block.get("is_error"), time=time)
        said = [plain(block) for block in blocks if block.get("type") == "text"]
        into.heed(content)
        # A typed message has a mode and one text. Else what others put there could pass for it.
        is_typed = isinstance(message.get("interactionMode"), str) and not is_anothers(message)
        if len(said) == 1 and is_typed:
            into.ask(said, time)
            return True
        for text in said:
            _note(text, into)
        return True


def _note(text: str, into: Transcript) -> None:
    """Note what stands where a prompt would be: the program's own words, or a hook's."""
    note = _OWN_NOTES.fullmatch(text)
    if note and note["path"]:
        into.fetched("read", note["path"].strip())
    elif not note:
        into.pass_over(text)


def _is_exec(path: str) -> bool:
    """Whether a program started a session (`droid exec`): so it is unless its settings can be read."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            tags = fields(json.loads(file.read(_MAX_SETTINGS))).get("tags")
    except (OSError, ValueError, RecursionError):
        return True
    return any(tag.get("name") == "exec" for tag in listed(tags))
