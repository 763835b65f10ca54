"""Pi and oh-my-pi: `~/.pi/agent/sessions/--<path>--/….jsonl`, a tree of which every branch is read."""

from __future__ import annotations

from memolith.hosts.sessions.files import JsonLines
from memolith.hosts.sessions.transcript import Record, Transcript, fields, listed, plain, texts
from memolith.learn.extract import strip


class Pi(JsonLines):
    """Only messages are read: what an extension adds is a `custom_message`."""

    patterns = ("sessions/*/*.jsonl",)

    def __init__(self, name: str) -> None:
        self.name = name

    def take(self, row: Record, into: Transcript) -> None:  # noqa: D102
        if row.get("type") == "session":
            into.know(id=row.get("id"), cwd=row.get("cwd"), started=row.get("timestamp"))
        elif row.get("type") == "message":
            self._message(fields(row.get("message")), row.get("timestamp"), into)

    def _message(self, message: Record, time: object, into: Transcript) -> None:
        role, content = message.get("role"), message.get("content")
        if role == "user":
            into.heed(content)
            into.say("user", strip.typed(texts(content)), time)
        elif role == "assistant":
            into.say("assistant", plain(content), time)
            for block in listed(content):
                if block.get("type") == "toolCall":
                    into.call(block.get("id"), block.get("name"), block.get("arguments"))
        elif role == "toolResult":
            number, ok = message.get("toolCallId"), not message.get("isError")
            into.result(number, plain(content), ok=ok, time=time, tool=message.get("toolName"))
        elif role == "bashExecution":  # what the person ran
            into.call("!", "bash", {"command": message.get("command")})
            ok = message.get("exitCode") in (None, 0) and not message.get("cancelled")
            into.result("!", plain(message.get("output")), ok=ok, time=time)
