"""Gemini CLI: `~/.gemini/tmp/<id>/chats/session-….jsonl`; a message is written again when it changes."""

from __future__ import annotations

import errno
import json
import os
from collections import deque
from typing import TYPE_CHECKING

from memolith.env.settings import open_regular
from memolith.hosts.sessions.calls import Record, call_line, directory, fields
from memolith.hosts.sessions.files import UNREAD, Agent, records, stem
from memolith.hosts.sessions.transcript import (
    LATE,
    LATEST,
    MAX_RESULT,
    MOST,
    Transcript,
    cites,
    is_anothers,
    listed,
    texts,
)
from memolith.text.digest import sha256
from memolith.text.patterns import lazy
from memolith.text.secrets.veil import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.sessions import Session

_MAX_JSON = 32 * 1_048_576
# The tools of its own that bring nobody's words.
_TOOLS = (
    *("list_directory", "read_file", "read_many_files", "glob", "grep_search", "search_file_content"),
    *("run_shell_command", "write_file", "replace", "write_todos", "ask_user"),
)
_SERVER = lazy(r"\(([^()]+) MCP Server\)\s*\Z")
_SHOWN = ("info", "error", "warning")  # to the person only
_KEYS = frozenset(["sessionId", "$rewindTo", "$set", "messages"])
_FAILED = ("error", "cancelled")
# What it adds of files that a prompt names, or of a server's resources: before all of them, and each.
_REFERRED, _END = "--- Content from referenced files ---", "--- End of content ---"
_NAMED = lazy(r"\s*Content from @([^\n]+?):\s*")
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
            into.pass_over(messages.take(row))
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

    def take(self, row: Record) -> list[Record]:
        """Take the messages of a row; return what is not one."""
        others = []
        if "$rewindTo" in row:
            self.rewind(str(row["$rewindTo"]))
        for message in (row, *listed(row.get("messages")), *listed(fields(row.get("$set")).get("messages"))):
            if message.get("type") in ("user", "gemini") or "content" in message:
                self.put(str(message.get("id")), message)
            elif not _KEYS.intersection(message):
                others.append(message)
        return others

    def put(self, number: str, message: Record) -> None:
        if self._spent >= MOST and number not in self.kept:
            self.late.append(number)
        small = self.kept[number] = _small(message, LATE if self.late else MAX_RESULT)
        self._spent += 512 + sum(map(len, small["parts"])) + sum(len(call["text"]) for call in small["calls"])
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
            **{key: call.get(key) for key in ("id", "status", "timestamp")},
            "name": _called(call),
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
    named: list[str] = []
    if message.get("type") == "user":
        parts, named = _referred(parts)
    said = (part for part in listed(message.get("content")) if "functionCall" not in part)
    attached = [part for part in said if not isinstance(part.get("text"), str)]
    attached += [{}] * is_command
    if message.get("type") == "user" and is_anothers(message):
        parts, attached = [], [{}]
    attached += [{}] * cites(
        {key: each for key, each in message.items() if key not in ("content", "toolCalls")}
    )
    kept |= {"parts": [cut(each, 2 * most) for each in parts], "attached": len(attached), "named": named}
    return {**kept, "calls": calls}


def _referred(parts: list[str]) -> tuple[list[str], list[str]]:
    """Return the parts before those of files, and what those are named; nothing for one that has no name."""
    at = next((at for at, each in enumerate(parts) if each.strip() == _REFERRED), len(parts))
    named, is_named = [], False
    for each in parts[at + 1 :]:
        found = _NAMED.fullmatch(each)
        if found or (each.strip() != _END and not is_named):
            named.append(found[1] if found else "")
        is_named = bool(found)
    return parts[:at], named


def _called(call: Record) -> str:
    """Return the whole name of a tool: a server's may have any that no tool of Gemini's has."""
    name = str(call.get("name") or "tool")
    server = _SERVER.search(str(call.get("displayName") or ""))
    if name.startswith("mcp_") or (not server and name in _TOOLS):
        return name
    return f"{server[1] if server else 'mcp'}__{name}"


def _result(call: Record) -> str:
    answers = [
        fields(fields(part.get("functionResponse")).get("response")) for part in listed(call.get("result"))
    ]
    texts = [
        text for each in answers for text in (each.get("output"), each.get("error")) if isinstance(text, str)
    ]
    return "\n".join(texts)


def _take(message: Record, into: Transcript) -> None:
    time, text = message["timestamp"], "\n\n".join(message["parts"])
    if message["type"] == "user":
        into.heed([{}] * message["attached"])
        for path in message["named"]:  # a resource is one of a server, `server:uri`
            into.fetched("attachment" if not path or ":" in path[2:] else "read", path)
        into.ask(message["parts"], time)
        return
    if message["type"] != "gemini":
        into.pass_over("" if message["type"] in _SHOWN else text)
        return
    into.heed([{}] * message["attached"])
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
