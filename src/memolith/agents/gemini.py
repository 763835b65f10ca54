"""Gemini CLI: `~/.gemini/tmp/<id>/chats/session-….jsonl`; a message is written again when it changes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from memolith.agents import reading
from memolith.agents.calls import call_line
from memolith.agents.reading import Record, Transcript, Whole, fields, listed
from memolith.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memolith.sessions import Session

_MOST = 32_000_000  # characters of a session, with something for each message
_MAX_JSON = 32 * 1_048_576
_BLOCK = lazy(r"(?s)<(hook_context|session_context)>.*?(?:</\1>|\Z)")
_FAILED = ("error", "cancelled")
_EXITED = lazy(r"(?:^|\n)Exit Code: (-?\d+)")  # a command that fails is a success of the tool


class Gemini(Whole):
    """The last version of each message counts, and `$rewindTo` takes back one and all after it."""

    name = "gemini"

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:  # noqa: D102 - see Whole
        root = os.path.join(env.get("GEMINI_CLI_HOME") or home, ".gemini")
        yield from reading.newest(root, "tmp/*/chats/session-*.jsonl", "tmp/*/chats/session-*.json")

    def read(self, path: str) -> Iterator[Session]:  # noqa: D102
        into = Transcript(self.name, path)
        messages: dict[str, Record] = {}
        spent = 0
        for row in _rows(path):
            if "sessionId" in row:
                into.know(id=row["sessionId"], started=row.get("startTime"))
                into.know(source="subagent" if row.get("kind") == "subagent" else "interactive")
            if "$rewindTo" in row:
                _rewind(messages, str(row["$rewindTo"]))
            for message in [
                row,
                *listed(row.get("messages")),
                *listed(fields(row.get("$set")).get("messages")),
            ]:
                if message.get("type") in ("user", "gemini") and spent < _MOST:
                    small = messages[str(message.get("id"))] = _small(message)
                    spent += 512 + len(small["text"]) + sum(len(call["text"]) for call in small["calls"])
        for message in messages.values():
            _take(message, into)
        into.know(cwd=_directory(path))
        if into.turns:
            yield into.session(reading.stem(path))


def _rows(path: str) -> Iterator[Record]:
    if path.endswith(".jsonl"):
        yield from (row for _, row in reading.records(path))
    elif os.path.getsize(path) <= _MAX_JSON:  # one object: versions before 2026
        try:
            with open(path, "rb") as file:
                yield fields(json.load(file))
        except (ValueError, RecursionError):
            return


def _rewind(messages: dict[str, Record], number: str) -> None:
    if number in messages:
        order = list(messages)
        for each in order[order.index(number) :]:
            del messages[each]


def _small(message: Record) -> Record:
    """Return what is needed of a message; results, which may be long, cut."""
    calls = [
        {
            **{key: call.get(key) for key in ("id", "name", "status", "timestamp")},
            "line": call_line(str(call.get("name") or "tool"), call.get("args")),
            "text": _result(call)[: reading.MAX_RESULT],
        }
        for call in listed(message.get("toolCalls"))
    ]
    kept = {key: message.get(key) for key in ("type", "timestamp")}
    return {**kept, "text": reading.plain(message.get("content"))[: 2 * reading.MAX_RESULT], "calls": calls}


def _result(call: Record) -> str:
    answers = [
        fields(fields(part.get("functionResponse")).get("response")) for part in listed(call.get("result"))
    ]
    texts = [
        text for each in answers for text in (each.get("output"), each.get("error")) if isinstance(text, str)
    ]
    return "\n".join(texts)


def _take(message: Record, into: Transcript) -> None:
    time, text = message["timestamp"], message["text"]
    if message["type"] == "user":
        into.say("user", _BLOCK.sub("", text), time)
        return
    into.say("assistant", text, time)
    for call in message["calls"]:
        into.call(call["id"], call["name"], call["line"], is_line=True)
        exited = _EXITED.search(call["text"])
        ok = call["status"] not in _FAILED and (exited is None or int(exited[1]) == 0)
        into.result(call["id"], call["text"], ok=ok, time=call["timestamp"] or time)


def _directory(path: str) -> str:
    """Return where a session was, as far as Gemini keeps it: it names directories by a short id or a hash."""
    from memolith.text.digest import sha256

    folder = os.path.dirname(os.path.dirname(path))
    try:
        with open(os.path.join(folder, ".project_root"), encoding="utf-8") as file:
            return file.read(4096).strip()
    except (OSError, UnicodeDecodeError):
        pass
    try:
        with open(os.path.join(folder, "..", "..", "projects.json"), encoding="utf-8") as file:
            known = fields(fields(json.load(file)).get("projects"))
    except (OSError, ValueError, RecursionError):
        return ""
    name = os.path.basename(folder)
    return next((each for each in known if name in (known[each], sha256(each.encode()))), "")
