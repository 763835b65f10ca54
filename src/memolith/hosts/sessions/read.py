"""Reading what agents keep of their sessions: JSON lines that may grow, break off, or be of any size.

Memory is bounded whatever the file holds: a line that is too long is passed over, a result is cut, and a
session of very many turns keeps its later results short. Where to cut depends only on what came before, so a
session that is read in steps has the same turns as one that is read at once. Of one that is longer than that
its beginning and its latest turns are kept, and a turn in between says how many are left out.
"""

from __future__ import annotations

import json
import os
import zlib
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Any

from memolith.env.settings import open_regular
from memolith.hosts.sessions.calls import call_line
from memolith.learn.extract import strip
from memolith.memory.sessions import LEFT_OUT, Session, Turn
from memolith.text.patterns import lazy
from memolith.text.secrets.veil import cut, veiled
from memolith.text.turns import Hearing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Record = dict[str, Any]
MAX_LINE = 8 * 1_048_576
MAX_RESULT = 32_000
_MAX_SPEECH = 64_000
# Characters of a session, with something for each turn, after which results are cut short, or only the latest
# turns are kept, each up to so many characters.
_FULL, MOST = 8_000_000, 32_000_000
_SHORT, _TURN = 400, 512
LATEST, LATE = 4_000, 4_000
_MAX_WAITING = 64  # calls without a result
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_PLAIN_TIME = frozenset("0123456789-:.,+/TZ ")
_HEAD = 400  # records in which a session says where it was
_CHECKED = 1024  # bytes at the beginning of a file that tell it from another of its name
_CUT, _MAX_NAME, _MAX_ID = " […]", 120, 100  # characters of a tool's name, and of a session's id
_NO_ATTACHMENT = ("tool_result", "thinking", "redacted_thinking", "reasoning", "tool_use", "toolCall")
_TAG = lazy(r"(?i)<(/?)(system[-_]reminder|memory[\w-]*|hook_context)(?:\s[^<>]*)?>")


def records(path: str, offset: int = 0) -> Iterator[tuple[int, Record]]:
    """Yield the records of a file of JSON lines, each with the place behind it.

    What is no record is passed over. A last line that is not whole yet is left for another time.
    """
    with open(path, "rb", opener=open_regular) as file:
        file.seek(offset)
        while line := file.readline(MAX_LINE):
            offset += len(line)
            if not line.endswith(b"\n") and len(line) == MAX_LINE:
                while (more := file.readline(MAX_LINE)) and not more.endswith(b"\n"):
                    offset += len(more)
                offset += len(more)
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                yield offset, found


def plain(content: object) -> str:
    """Return the text of a message: a string, or blocks of which some are text."""
    return "\n\n".join(texts(content))


def texts(content: object) -> list[str]:
    """Return the texts of a message, block by block."""
    if isinstance(content, (str, dict)):
        content = [content]
    if not isinstance(content, list):
        return []
    return list(filter(None, (each if isinstance(each, str) else _block(each) for each in content)))


def _block(block: object) -> str:
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else ""


def moment(value: object) -> str:
    """Return a time as text; agents write it so, or as milliseconds since 1970."""
    if isinstance(value, str):
        return value if len(value) <= 40 and _PLAIN_TIME.issuperset(value) else ""
    if isinstance(value, (int, float)) and 0 < value < 4e12:
        from datetime import UTC, datetime

        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="seconds")
    return ""


def without_injected(text: str) -> str:
    """Return a text without reminders and blocks of memory that a host put into it."""
    if "<" not in text:
        return text
    kept, at, start, inside = [], 0, 0, ""
    for tag in _TAG.finditer(text):
        name = tag[2].casefold()
        if not inside and not tag[1]:
            inside, start = name, tag.start()
        elif inside == name and tag[1]:
            kept.append(text[at:start])
            inside, at = "", tag.end()
    return "".join([*kept, text[at:]])


def fields(value: object) -> Record:
    """Return an object of JSON; an empty one if it is something else."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Record]:
    """Return the objects in a list of JSON."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class Transcript:
    """A session while it is put together: what is known of it, its turns, calls that wait for a result."""

    def __init__(self, agent: str, path: str, *, side: bool = False) -> None:
        self.agent, self.path, self.side = agent, path, side
        self.known: dict[str, str] = {}
        self.turns: list[Turn] = []
        self._latest: deque[Turn] = deque()  # behind what is left out
        self._left_out = 0
        self._before = 0  # turns that were handed out earlier
        self._spent = 0
        self._key = ""  # of the message that the last turn belongs to
        self._waiting: dict[str, list[str]] = {}
        self._hearing = Hearing()
        self.is_changed = False

    def know(self, **given: object) -> None:
        """Take what a record says of the session; the first to say something is believed."""
        for key, value in given.items():
            if isinstance(value, str) and value and not self.known.get(key):
                self.known[key] = value

    def say(self, role: str, text: str, time: object = "", key: str = "") -> None:
        """Add what somebody said. With the `key` of the turn before, it is a part of the same message."""
        whole = role == "user" or len(text) <= 4 * _MAX_SPEECH
        text = strip.typed([text]) if role == "user" else without_injected(text[: 4 * _MAX_SPEECH])
        text = cut(text.strip(), _MAX_SPEECH, _CUT, whole=whole)
        if not text:
            return
        kept = self._latest or self.turns
        if key and key == self._key and kept:
            last, most = kept[-1], LATE if self._latest else _MAX_SPEECH
            # One that was cut is full: to mask all of it at each part would take the square of their number.
            is_full = last.text.endswith(_CUT) and len(last.text) > most - 256
            if not is_full and text not in last.text:
                both = cut(f"{last.text}\n\n{text}", most, _CUT)
                taint = last.taint or self._hearing.taint(role, "", text, self._whose(role))
                kept[-1] = Turn(**{**last.as_dict(), "text": both, "taint": taint})
                self._spent += len(both) - len(last.text)
                self.is_changed = True
            return
        self._add(role, text, time)
        self._key = key

    def call(self, number: object, tool: object, given: object, *, is_line: bool = False) -> None:
        """Note the call of a tool; its turn is written when there is a result."""
        while len(self._waiting) >= _MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        name = cut(str(tool or "tool"), _MAX_NAME)
        line = str(given) if is_line else call_line(name, given)
        self._waiting[str(number)] = [name, line]
        self.fetched(name, line)  # what it brings may never be written down as its result

    def fetched(self, tool: str, line: str = "") -> None:
        """Note that a tool was called: what is said from now on may be what it brought."""
        self._hearing.taint("tool", tool, line)

    def heed(self, content: object) -> None:
        """Note what a message has besides text: what is in a picture or a document, somebody else wrote."""
        for block in listed(content):
            if not isinstance(block.get("text"), str) and block.get("type") not in _NO_ATTACHMENT:
                self.fetched("attachment")

    def _whose(self, role: str) -> str:
        """Return whose words a prompt is if no person typed it: a program's, or another agent's."""
        typed = self.known.get("source", "interactive") == "interactive"
        return "tool" if role == "user" and not typed else ""

    def result(self, number: object, text: str, *, ok: bool, time: object = "", tool: object = "") -> None:
        """Add what a tool brought: its call, a line feed, its result."""
        name, line = self._waiting.pop(str(number), None) or [cut(str(tool or "tool"), _MAX_NAME), ""]
        most = MAX_RESULT if self._spent < _FULL else _SHORT
        whole = len(text) <= 4 * MAX_RESULT
        self.fetched(name, f"{line or name}\n{text}")  # all of it: what our own tools say of it may be cut
        text = cut(without_injected(text[: 4 * MAX_RESULT]).strip("\n"), most, _CUT, whole=whole)
        self._add("tool", f"{line or name}\n{text}", time, name, "ok" if ok else "error")

    def _add(self, role: str, text: str, time: object, tool: str = "", outcome: str = "") -> None:
        self._key = ""
        self._spent += len(text) + _TURN
        self.is_changed = True
        number, is_late = self._count() + 1, self._spent > MOST
        text = cut(text, LATE, _CUT) if is_late else text
        about = {
            "tool": tool,
            "outcome": outcome,
            "taint": self._hearing.taint(role, tool, text, self._whose(role)),
        }
        turn = Turn(number=number, role=role, text=text, time=moment(time), **about)
        (self._latest if is_late else self.turns).append(turn)
        if len(self._latest) > LATEST:
            self._latest.popleft()
            self._left_out += 1

    def leave_out(self, count: int) -> None:
        """Note that so many turns which came here are not there any more; from now on it is late."""
        self._left_out += count
        self._spent = max(self._spent, MOST)

    def _count(self) -> int:
        return self._before + len(self.turns) + self._left_out + len(self._latest)

    def _kept(self) -> list[Turn]:
        if not self._left_out:
            return [*self.turns, *self._latest]
        number = self._before + len(self.turns) + 1
        told = f"[{self._left_out:,} turn(s) are left out here: the session is too long to be kept whole]"
        gap = Turn(number=number, role="system", text=told, time="", tool=LEFT_OUT, outcome="")
        return [*self.turns, gap, *self._latest]

    def session(self, name: str) -> Session:
        """Return what was read; `name` is the session's id unless a record said it."""
        known = {"cwd": "", "source": "interactive", "status": "completed", **self.known}
        started = moment(known.get("started")) or next((each.time for each in self.turns if each.time), "")
        about = {"project": "", "ticket": "", "taint": self._hearing.so_far, "turns": self._kept()}
        about |= {key: known[key] for key in ("cwd", "source", "status")}
        name = safe(known.get("id") or name)
        return Session(agent=self.agent, id=name, started=started, **about)

    def state(self) -> Record:
        """Return what another time needs to go on from here."""
        state = {"known": self.known, "turns": self._count(), "spent": self._spent, "waiting": self._waiting}
        state["taint"] = self._hearing.so_far
        if self._key and (kept := self._latest or self.turns):
            state |= {"key": self._key, "last": kept[-1].as_dict()}
        return state

    def resume(self, state: Record) -> None:
        """Go on from where another time stopped. A last turn that may still grow is handed out again."""
        self.known = dict(fields(state["known"]))
        self._spent, self._waiting = int(state["spent"]), dict(fields(state["waiting"]))
        self._hearing = Hearing(str(state.get("taint") or ""))
        self.turns, self._key = [], str(state.get("key") or "")
        if self._key:
            self.turns = [Turn(**fields(state["last"]))]
        self._before = int(state["turns"]) - len(self.turns)


def safe(text: str) -> str:
    """Return an id as the store takes it."""
    if len(text) > _MAX_ID or not _PLAIN.issuperset(text):  # changed, a secret would not be known any more
        text = "".join(char if char in _PLAIN else "-" for char in veiled(text))
    return text.strip(".")[:_MAX_ID] or "session"


class Files(ABC):
    """An agent that keeps its sessions in files."""

    name = ""

    @abstractmethod
    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:
        """Yield where the sessions of this machine are, newest first."""

    def changed(self, path: str) -> int:
        """Return when a session was last changed, in nanoseconds."""
        return os.stat(path).st_mtime_ns


class JsonLines(Files):
    """An agent that appends JSON lines to one file for each session."""

    @abstractmethod
    def take(self, row: Record, into: Transcript) -> None:
        """Take what a record says; unknown ones say nothing."""

    def begin(self, path: str) -> Transcript:
        """Return an empty transcript, with what the file's place says about it."""
        return Transcript(self.name, path)

    def head(self, path: str) -> Session:
        """Return what the beginning of a file says about its session; its turns are not all there."""
        into = self.begin(path)
        for count, (_, row) in enumerate(records(path)):
            self.take(row, into)
            if into.known.get("cwd") or count > _HEAD:
                break
        return into.session(stem(path))

    def read(self, path: str) -> Iterator[Session]:
        """Yield the sessions of a file."""
        found, _ = self.grown(path, "")
        if found:
            yield found

    def grown(self, path: str, mark: str) -> tuple[Session | None, str]:
        """Return what a file has more than when it gave `mark`, and the next mark; None for nothing.

        The first turn that is returned says by its number where to put them: it may be one that is known,
        if that has become longer. A file that was written anew is read from its beginning.
        """
        into, offset = self.begin(path), 0
        old = fields(_parsed(mark))
        if old and old.get("check") == check(path, int(old["offset"])):
            into.resume(fields(old["state"]))
            offset = int(old["offset"])
        for end, row in records(path, offset):
            offset = end
            self.take(row, into)
        mark = json.dumps({"offset": offset, "check": check(path, offset), "state": into.state()})
        return (into.session(stem(path)) if into.is_changed else None), mark


def stem(path: str) -> str:
    """Return a file's name without its ending."""
    return os.path.basename(path).split(".", 1)[0]


def check(path: str, offset: int) -> int:
    """Return a number that changes if the file is not the one that was read up to `offset`; -1 if shorter."""
    with open(path, "rb", opener=open_regular) as file:
        if os.fstat(file.fileno()).st_size < offset:
            return -1
        return zlib.crc32(file.read(min(offset, _CHECKED)))


def _parsed(text: str) -> object:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


class Whole(Files):
    """An agent whose sessions may change anywhere: one that has changed is read anew."""

    @abstractmethod
    def read(self, path: str) -> Iterator[Session]:
        """Yield the sessions of a place."""

    def head(self, path: str) -> Session:
        """Return what is known about the session of a place."""
        return next(self.read(path), None) or Transcript(self.name, path).session(stem(path))

    def grown(self, path: str, mark: str) -> tuple[Session | None, str]:
        """Return the session of a place if it is not as when it gave `mark`, and the next mark."""
        now = str(self.changed(path))
        return (None, mark) if now == mark else (next(self.read(path), None), now)
