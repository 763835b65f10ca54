"""opencode: one SQLite file, `~/.local/share/opencode/opencode.db`; a place in it is `…db#<session>`."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import quote

from memolith.base.errors import TextError
from memolith.env.settings import open_regular
from memolith.env.whose import folder
from memolith.hosts.sessions.calls import Record, fields
from memolith.hosts.sessions.files import UNREAD, Agent, stem
from memolith.hosts.sessions.transcript import Transcript, is_anothers, moment, plain
from memolith.learn.extract import strip
from memolith.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memolith.memory.sessions import Session

_SESSIONS = "SELECT id, directory, parent_id, time_created FROM session"
_PARTS = (
    "SELECT message.id, message.data, part.data FROM message JOIN part ON part.message_id = message.id"
    " WHERE message.session_id = ? ORDER BY message.id, part.id"
)
_OWN_TOOLS = ("apply_patch",)
_QUIET = ("reasoning", "step-start", "step-finish", "snapshot", "patch", "retry")
_SAID, _ABOUT = ("synthetic", "ignored"), ("agent", "system")
_READ = lazy(r'Called the (?:Read|List) tool with the following input: \{"(?:filePath|path)":"([^"]*)"')
_OWN_NOTES = (
    "Use the above message and context to generate a prompt and call the task tool",
    "Summarize the task tool output above and continue with your task.",
    "Continue if you have next steps",
    "The following tool was executed by the user",
)


class OpenCode(Agent):
    """Messages have parts, and ids are in the order of time."""

    name = "opencode"

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:  # noqa: D102 - see Agent
        path = os.path.join(folder("opencode's sessions", env, home), "opencode.db")
        if os.path.isfile(path):
            for (session_id,) in _ask(path, "SELECT id FROM session ORDER BY time_updated DESC, id"):
                yield f"{path}#{session_id}"

    def head(self, path: str) -> Session:  # noqa: D102
        file, _, session_id = path.partition("#")
        into = Transcript(self.name, path)
        for row in _ask(file, f"{_SESSIONS} WHERE id = ?", session_id):
            _know(row, into)
        return into.session(_name(session_id) or stem(file))

    def changed(self, path: str) -> int:  # noqa: D102
        file, _, session_id = path.partition("#")
        rows = _ask(file, "SELECT time_updated FROM session WHERE id = ?", session_id)
        time = rows[0][0] if rows else 0
        return time * 1_000_000 if isinstance(time, int) else 0

    def read(self, path: str) -> Iterator[Session]:  # noqa: D102
        file, _, session_id = path.partition("#")
        where = " WHERE id = ?" if session_id else " ORDER BY time_updated DESC, id"
        for row in _ask(file, _SESSIONS + where, *([session_id] if session_id else [])):
            into = Transcript(self.name, path)
            _know(row, into)
            with _open(file) as db:
                for message, about, part in db.execute(_PARTS, (row[0],)):
                    role, said = _object(about), _object(part)
                    if UNREAD is role or UNREAD is said:
                        into.miss()
                    _take(str(message), role, said, into)
            if into.turns:
                yield into.session(_name(row[0]))


def _name(session_id: object) -> str:
    """Return the name of a session: with its capitals, nine of ten look like a secret, and are not stored."""
    return str(session_id or "").lower()


def _know(row: tuple[object, ...], into: Transcript) -> None:
    into.know(id=_name(row[0]), cwd=row[1], source="subagent" if row[2] else "interactive")
    into.know(started=moment(row[3]))


@contextlib.contextmanager
def _open(path: str) -> Iterator[sqlite3.Connection]:
    os.close(open_regular(path, os.O_RDONLY))  # it would follow a link
    try:
        db = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=2)
        with contextlib.closing(db):
            yield db
    except (sqlite3.Error, UnicodeDecodeError) as error:  # its words about a damaged schema may be no text
        raise TextError(
            f"{path}: cannot be read as an opencode database ({error}); was it written by another version?"
        ) from None


def _ask(path: str, query: str, *values: str) -> list[tuple[object, ...]]:
    with _open(path) as db:
        return db.execute(query, values).fetchall()


def _object(text: object) -> Record:
    try:
        return fields(json.loads(text)) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return UNREAD


def _take(message: str, about: Record, part: Record, into: Transcript) -> None:
    role, kind = about.get("role"), part.get("type")
    time = fields(about.get("time")).get("created")
    if kind == "text" and role in ("user", "assistant"):
        text = plain(part.get("text"))
        into.look_up(part)
        is_strange = role == "user" and (is_anothers(part, _SAID) or is_anothers(about, _ABOUT))
        if not part.get("synthetic") and not part.get("ignored") and not is_strange:
            into.say(str(role), text, time, f"{role}{message}")
        elif not part.get("ignored"):
            _put(text, message, into)
    elif kind == "file":
        is_text = str(part.get("mime")).startswith(("text/", "application/x-directory"))
        path = str(part.get("url"))
        into.fetched("read" if is_text and path.startswith("file://") else "attachment", path[7:])
    elif kind == "tool":
        state = fields(part.get("state"))
        tool = str(part.get("tool"))
        # A server's is `<server>_<tool>`, which may be the name of another agent's own.
        tool = f"mcp__{tool}" if "_" in tool and tool not in _OWN_TOOLS else tool
        into.call(part.get("callID"), tool, state.get("input"))
        if state.get("status") in ("completed", "error"):
            text = plain(state.get("output")) or plain(state.get("error"))
            exited = fields(state.get("metadata")).get("exit")
            ok = state["status"] == "completed" and exited in (None, 0)
            into.result(part.get("callID"), text, ok=ok, time=fields(state.get("time")).get("end") or time)
    elif kind == "compaction":
        into.sum_up(part)
    elif kind not in _QUIET:
        into.pass_over(part)


def _put(text: str, message: str, into: Transcript) -> None:
    """Note what opencode itself or a plugin puts into a message: the file that it names, or anything."""
    if named := _READ.match(text):
        into.fetched("read", named[1])
        into.known["shown"] = message  # the next text is the file's
    elif into.known.pop("shown", "") != message and not text.startswith(_OWN_NOTES):
        into.pass_over("" if strip.is_memory(text) else text)
