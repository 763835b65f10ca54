"""Pi and oh-my-pi: `~/.pi/agent/sessions/--<path>--/….jsonl`, a tree of which every branch is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memolith.hosts.sessions import find, read
from memolith.hosts.sessions.read import JsonLines, Record, Transcript, fields, listed
from memolith.learn.extract import strip

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Pi(JsonLines):
    """Only messages are read: what an extension adds is a `custom_message`."""

    def __init__(self, name: str, folder: str, variable: str) -> None:
        self.name = name
        self._folder, self._variable = folder, variable

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:  # noqa: D102 - see JsonLines
        root = env.get(self._variable) or os.path.join(home, self._folder, "agent")
        yield from find.newest(root, "sessions/*/*.jsonl")

    def take(self, row: Record, into: Transcript) -> None:  # noqa: D102
        if row.get("type") == "session":
            into.know(id=row.get("id"), cwd=row.get("cwd"), started=row.get("timestamp"))
        elif row.get("type") == "message":
            self._message(fields(row.get("message")), row.get("timestamp"), into)

    def _message(self, message: Record, time: object, into: Transcript) -> None:
        role, content = message.get("role"), message.get("content")
        if role == "user":
            into.heed(content)
            into.say("user", strip.typed(read.texts(content)), time)
        elif role == "assistant":
            into.say("assistant", read.plain(content), time)
            for block in listed(content):
                if block.get("type") == "toolCall":
                    into.call(block.get("id"), block.get("name"), block.get("arguments"))
        elif role == "toolResult":
            number, ok = message.get("toolCallId"), not message.get("isError")
            into.result(number, read.plain(content), ok=ok, time=time, tool=message.get("toolName"))
        elif role == "bashExecution":  # what the person ran
            into.call("!", "bash", {"command": message.get("command")})
            ok = message.get("exitCode") in (None, 0) and not message.get("cancelled")
            into.result("!", read.plain(message.get("output")), ok=ok, time=time)
