"""Cline: `~/.cline/data/sessions/<id>/<id>.messages.json`, and what it is about in `<id>.json` beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memolith.env.settings import open_regular
from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import Agent, stem
from memolith.hosts.sessions.transcript import Transcript, listed, plain
from memolith.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.sessions import Session

_MAX_BYTES = 64 * 1_048_576
# What a person typed, as it wraps it: the whole of a text, or it is not known who wrote what.
_TYPED = lazy(r'(?s)<user_input mode="\w{1,20}">((?:(?!</?user_input).)*)</user_input>')


class Cline(Agent):
    """One file of JSON for each session. A task given on the command line is a program's."""

    name = "cline"
    patterns = ("sessions/*/*.messages.json",)

    def read(self, path: str) -> Iterator[Session]:
        """Yield the session of a file."""
        into, row = Transcript(self.name, path), _loaded(path)
        about = _loaded(path.removesuffix(".messages.json") + ".json")
        source = "interactive" if about.get("interactive") is True else "automation"
        into.know(
            id=row.get("sessionId"), cwd=about.get("cwd"), started=about.get("started_at"), source=source
        )
        for message in listed(row.get("messages")):
            _take(message, into)
        if into.turns:
            yield into.session(stem(path))


def _loaded(path: str) -> Record:
    try:
        with open(path, "rb", opener=open_regular) as file:
            return fields(json.loads(file.read(_MAX_BYTES)))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}


def _take(message: Record, into: Transcript) -> None:
    content, time = message.get("content"), message.get("ts")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else listed(content)
    if message.get("role") == "assistant":
        for block in blocks:
            if block.get("type") == "text":
                into.say("assistant", plain(block), time, str(message.get("id") or ""))
            elif block.get("type") == "tool_use":
                into.call(block.get("id"), block.get("name"), block.get("input"))
        into.heed(blocks)
        return
    if message.get("role") != "user":
        into.pass_over(content)
    for block in blocks if message.get("role") == "user" else ():
        if block.get("type") == "tool_result":
            ok, tool = not block.get("is_error"), block.get("name")
            into.result(block.get("tool_use_id"), plain(block.get("content")), ok=ok, time=time, tool=tool)
        elif block.get("type") != "text":
            into.heed([block])
        elif typed := _TYPED.fullmatch(plain(block).strip()):
            into.ask([typed[1]], time)
        else:
            into.fetched("prompt")
