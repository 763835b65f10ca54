"""Gemini CLI: `~/.gemini/tmp/<id>/chats/session-….jsonl`; a message is written again when it changes."""

from __future__ import annotations

import errno
import json
import os
from collections import deque
from typing import TYPE_CHECKING

from memolith.env.settings import open_regular
from memolith.hosts.sessions.files import UNREAD, Agent, records, stem
from memolith.hosts.sessions.transcript import (
    LATE,
    LATEST,
    MAX_RESULT,
    MOST,
    Record,
    Transcript,
    call_line,
    directory,
    fields,
    listed,
    texts,
)
from memolith.learn.extract import strip
from memolith.text.digest import sha256
from memolith.text.patterns import lazy
from memolith.text.secrets.veil import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.sessions import Session

_MAX_JSON = 32 * 1_048_576
_FAILED = ("error", "cancelled")
_REFERRED = lazy(r"(?m)^Content from @(\S+?):?$")  # a file, or a server's resource
_EXITED = lazy(r"(?:^|\n)Exit Code: (-?\d+)")  # a command that fails is a success of the tool


class Gemini(Agent):
    """The last version of each message counts, and `$rewindTo` takes back one and all after it."""

    name = "gemini"
    patterns = (
        "tmp/*/chats/session-*.jsonl",
        "tmp/*/chats/session-*.json",
    )

    def read(self, path: str) -> Iterator[Session]:  # noqa: D102
        into = Transcript(self.name, path)
        into.know(cwd=_directory(path))
        messages = _Messages()
        for row in _rows(path):
            if row is UNREAD:
                into.miss()
            if "sessionId" in row:
                into.know(id=row["sessionId"], started=row.get("startTime"))
                into.know(source="subagent" if row.get("kind") == "subagent" else "interactive")
            if "$rewindTo" in row:
                messages.rewind(str(row["$rewindTo"]))
            for message in [
                row,
                *listed(row.get("messages")),
                *listed(fields(row.get("$set")).get("messages")),
            ]:
                if message.get("type") in ("user", "gemini"):
                    messages.put(str(message.get("id")), message)
        for number, message in messages.kept.items():
            if messages.lost and messages.late and number == messages.late[0]:
                into.leave_out(messages.lost)
            _take(message, into)
        if into.turns:
            yield into.session(stem(path))


def _rows(path: str) -> Iterator[Record]:
    if path.endswith(".jsonl"):
        yield from records(path)
    elif os.path.getsize(path) <= _MAX_JSON:  # one object: versions before 2026
        try:
            with open(path, "rb", opener=open_regular) as file:
                yield fields(json.load(file))
        except (ValueError, RecursionError):
            return
    else:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)


class _Messages:
    """The last version of each message, by its number; of very many, the first ones and the latest."""

    def __init__(self) -> None:
        self.kept: dict[str, Record] = {}
        self.late: deque[str] = deque()
        self.lost = 0
        self._spent = 0

    def put(self, number: str, message: Record) -> None:
        if self._spent >= MOST and number not in self.kept:
            self.late.append(number)
        small = self.kept[number] = _small(message, LATE if self.late else MAX_RESULT)
        self._spent += 512 + len(small["text"]) + sum(len(call["text"]) for call in small["calls"])
        if len(self.late) > LATEST:
            del self.kept[self.late.popleft()]
            self.lost += 1

    def rewind(self, number: str) -> None:
        if number in self.kept:
            order = list(self.kept)
            for each in order[order.index(number) :]:
                del self.kept[each]
            self.late = deque(each for each in self.late if each in self.kept)


def _small(message: Record, most: int) -> Record:
    """Return what is needed of a message; results, which may be long, cut."""
    calls = [
        {
            **{key: call.get(key) for key in ("id", "name", "status", "timestamp")},
            "line": call_line(str(call.get("name") or "tool"), call.get("args")),
            "place": directory(call.get("args")),
            "text": cut(_result(call), most),
        }
        for call in listed(message.get("toolCalls"))
    ]
    kept = {key: message.get(key) for key in ("type", "timestamp")}
    parts = texts(message.get("content"))
    shown = texts(message.get("displayContent"))
    # What was typed is shown; if something else was sent, it is a command's text, which a clone may bring.
    is_command = message.get("type") == "user" and bool(shown) and shown != parts
    parts = shown if is_command else parts
    text = strip.typed(parts) if message.get("type") == "user" else "\n\n".join(parts)
    attached = [part for part in listed(message.get("content")) if not isinstance(part.get("text"), str)]
    named = [path for each in parts for path in _REFERRED.findall(each)]
    attached += [{}] * is_command
    attached += [{}] * (message.get("type") == "user" and strip.drops_others(parts, "gemini"))
    return {**kept, "text": cut(text, 2 * most), "calls": calls, "attached": len(attached), "named": named}


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
        into.heed([{}] * message["attached"])
        for path in message["named"]:
            into.fetched("read", path)
        into.say("user", text, time)
        return
    into.say("assistant", text, time)
    for call in message["calls"]:
        into.call(call["id"], call["name"], call["line"], is_line=True)
        if call["place"]:
            into.fetched("ls", call["place"])
        exited = _EXITED.search(call["text"])
        ok = call["status"] not in _FAILED and (exited is None or int(exited[1]) == 0)
        into.result(call["id"], call["text"], ok=ok, time=call["timestamp"] or time)


def _directory(path: str) -> str:
    """Return where a session was, as far as Gemini keeps it: it names directories by a short id or a hash."""
    folder = os.path.dirname(os.path.dirname(path))
    try:
        with open(os.path.join(folder, ".project_root"), encoding="utf-8", opener=open_regular) as file:
            return file.read(4096).strip()
    except (OSError, UnicodeDecodeError):
        pass
    try:
        known_as = os.path.join(folder, "..", "..", "projects.json")
        with open(known_as, encoding="utf-8", opener=open_regular) as file:
            known = fields(fields(json.load(file)).get("projects"))
    except (OSError, ValueError, RecursionError):
        return ""
    name = os.path.basename(folder)
    return next((each for each in known if name in (known[each], sha256(each.encode()))), "")
