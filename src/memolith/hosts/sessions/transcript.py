"""A session while it is put together from what an agent wrote down, in bounded memory.

A result is cut, and a session of very many turns keeps its later results short. Of one that is longer than
that its beginning and its latest turns are kept, and a turn in between says how many are left out.
"""

from __future__ import annotations

import json
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memolith.hosts.sessions.commands import Commands
from memolith.learn.extract import strip
from memolith.memory.sessions import LEFT_OUT, Session, Turn
from memolith.text.budget import plural
from memolith.text.patterns import lazy
from memolith.text.secrets.encoded import shows_secret_file
from memolith.text.secrets.veil import cut, in_one_line, veiled
from memolith.text.turns import Hearing

if TYPE_CHECKING:
    from collections.abc import Iterable

Record = dict[str, Any]
MAX_RESULT = 32_000
_MAX_SPEECH = 64_000
# Characters of a session, with something for each turn, after which results are cut short, or only the latest
# turns are kept, each up to LATE characters.
_FULL, MOST = 8_000_000, 32_000_000
_SHORT, _TURN = 400, 512
LATEST, LATE = 4_000, 4_000
_MAX_WAITING = 64  # calls without a result
_UNREAD = "[something is left out here: a row of the transcript is too long, or cannot be read]"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_PLAIN_TIME = frozenset("0123456789-:.,+/TZ ")
_CUT, _MAX_NAME, _MAX_ID = " […]", 120, 100  # characters of a tool's name, and of a session's id
_NO_ATTACHMENT = ("tool_result", "thinking", "redacted_thinking", "reasoning", "tool_use", "toolCall")
_TAG = lazy(r"(?i)<(/?)(system[-_]reminder|memory[\w-]*|hook_context)(?:\s[^<>]*)?>")


def plain(content: object) -> str:
    """Return the text of a message: a string, or blocks of which some are text."""
    return "\n\n".join(texts(content))


def texts(content: object) -> list[str]:
    """Return the texts of a message, block by block."""
    if isinstance(content, (str, dict)):
        content = [content]
    if not isinstance(content, list):
        return []
    found = (fields(each).get("text") if isinstance(each, dict) else each for each in content)
    return [each for each in found if isinstance(each, str) and each]


def moment(value: object) -> str:
    """Return a time as text; agents write it so, or as milliseconds since 1970."""
    if isinstance(value, str):
        return value if len(value) <= 40 and _PLAIN_TIME.issuperset(value) else ""
    if isinstance(value, (int, float)) and 0 < value < 4e12:
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


# ---------------------------------------------------------------- what was asked of a tool

_MAX_CALL = 2_000
_COMMANDS = ("command", "cmd", "script")
_PATHS = (
    *("file_path", "filePath", "path", "absolute_path", "notebook_path"),
    *("filename", "dir_path", "directory"),
)
_PLACES = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_QUERIES = ("pattern", "query", "url", "uri", "prompt", "description")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


def call_line(tool: str, arguments: object) -> str:
    """Return `$ npm test` for a command, the path of what was read, else the tool's name and what it got."""
    if isinstance(arguments, str):
        arguments = _decoded(arguments)
    if isinstance(arguments, str):
        return _one_line(_patched(arguments) or f"{tool} {arguments}")
    if not isinstance(arguments, dict):
        return tool
    for key in () if tool.casefold().startswith("str_replace") else _COMMANDS:  # its command is `view`
        if found := _command(arguments.get(key)):
            return _one_line(f"$ {found}")
    patch = arguments.get("input") or arguments.get("patch")
    if isinstance(patch, str) and (path := _patched(patch)):
        return _one_line(path)
    queries = [text for key in _QUERIES if isinstance(text := arguments.get(key), str) and text.strip()]
    paths = [text for key in _PATHS if isinstance(text := arguments.get(key), str) and text.strip()]
    if "pattern" in arguments and queries:
        return _one_line(" in ".join([queries[0], *paths[:1]]))
    if paths or queries:
        return _one_line([*paths, *queries][0])
    return _one_line(f"{tool} {json.dumps(_masked(arguments), ensure_ascii=False)}" if arguments else tool)


def directory(arguments: object) -> str:
    """Return where a command is asked to run, if that is said beside it."""
    given = fields(_decoded(arguments) if isinstance(arguments, str) else arguments)
    is_command = any(_command(given.get(key)) for key in _COMMANDS)
    found = (text for key in _PLACES if is_command and isinstance(text := given.get(key), str))
    return next(filter(None, found), "")


def _masked(value: Any, depth: int = 20) -> Any:
    """Return the arguments of a tool without secrets, for JSON writes their line feeds otherwise."""
    if isinstance(value, str):
        return in_one_line(cut(value, _MAX_CALL), "\n")
    if not depth:
        return "…"
    if isinstance(value, dict):
        return {key: _masked(each, depth - 1) for key, each in value.items()}
    return [_masked(each, depth - 1) for each in value] if isinstance(value, list) else value


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _command(value: object) -> str:
    """Return a command as it would be typed: `["bash", "-lc", "npm test"]` is `npm test`."""
    if isinstance(value, list):
        words = [str(each) for each in value]
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return value if isinstance(value, str) else ""


def _patched(text: str) -> str:
    for line in text.split("\n", 200)[:200]:
        for mark in _PATCHED:
            if line.startswith(mark):
                return line.removeprefix(mark).strip()
    return ""


def _one_line(text: str) -> str:
    """Return a text in one line; where it had others is still to be seen."""
    return cut(in_one_line(cut(text.strip(), _MAX_CALL), " ⏎ "), _MAX_CALL)


class Transcript:
    """A session while it is put together: what is known of it, its turns, calls that wait for a result."""

    def __init__(self, agent: str, path: str, *, side: bool = False) -> None:
        self.agent, self.path, self.side = agent, path, side
        self.known: dict[str, str] = {}
        self.typed: bool | None = None  # whether a person types what is asked now; None: as the source says
        self.turns: list[Turn] = []
        self._latest: deque[Turn] = deque()  # behind what is left out
        self._left_out = 0
        self._spent = 0
        self._key = ""  # of the message that the last turn belongs to
        self._waiting: dict[str, list[str]] = {}
        self._hearing = Hearing()
        self._commands: Commands | None = None  # of the repository

    def know(self, **facts: object) -> None:
        """Take what a record says of the session; the first to say something is believed."""
        for key, value in facts.items():
            if isinstance(value, str) and value and not self.known.get(key):
                self.known[key] = value
        self._hearing.cwd = self.known.get("cwd", "")

    def ask(self, parts: Iterable[str], time: object = "", key: str = "", *, whole: bool = False) -> None:
        """Add what a person typed of a message; what else is in it is heard, and not kept.

        A part that begins as a host's may be the host's as a `whole`, whatever stands in it.
        """
        parts = list(parts)
        if strip.drops_others(parts, self.agent):
            self._hearing.taint("user", "", "", "pasted")
        kept = [part for part in parts if not strip.is_hosts(part)] if whole else parts
        text = strip.typed(kept)
        if self._commands is None:
            self._commands = Commands(self.known.get("cwd", ""))
        if self._commands.send(text):
            self.fetched("prompt")
        else:
            self._speak("user", cut(text.strip(), _MAX_SPEECH, _CUT), time, key)

    def say(self, role: str, text: str, time: object = "", key: str = "") -> None:
        """Add what somebody said. With the `key` of the turn before, it is a part of the same message."""
        if role == "user":
            self.ask([text], time, key)
            return
        whole = len(text) <= 4 * _MAX_SPEECH
        text = without_injected(text[: 4 * _MAX_SPEECH])
        self._speak(role, cut(text.strip(), _MAX_SPEECH, _CUT, whole=whole), time, key)

    def _speak(self, role: str, text: str, time: object, key: str) -> None:
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
                kept[-1] = last.but(text=both, taint=taint)
                self._spent += len(both) - len(last.text)
            return
        self._add(role, text, time)
        self._key = key

    def call(self, call_id: object, tool: object, arguments: object, *, is_line: bool = False) -> None:
        """Note the call of a tool; its turn is written when there is a result."""
        while len(self._waiting) >= _MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        name = cut(str(tool or "tool"), _MAX_NAME)
        line = str(arguments) if is_line else call_line(name, arguments)
        self._waiting[str(call_id)] = [name, line]
        if not is_line and (place := directory(arguments)):
            self.fetched("ls", place)
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
        return "" if role != "user" or (typed if self.typed is None else self.typed) else "tool"

    def result(
        self,
        call_id: object,
        text: str,
        *,
        ok: bool,
        denied: bool = False,
        time: object = "",
        tool: object = "",
    ) -> None:
        """Add what a tool brought: its call, a line feed, its result. `denied`: a person refused the call."""
        name, line = self._waiting.pop(str(call_id), None) or [cut(str(tool or "tool"), _MAX_NAME), ""]
        most = MAX_RESULT if self._spent < _FULL else _SHORT
        whole = len(text) <= 4 * MAX_RESULT
        self.fetched(name, f"{line or name}\n{text}")  # all of it: what our own tools say of it may be cut
        if text.strip() and line.startswith("$ ") and shows_secret_file(line):
            text = "[secret:encoded-secret]"
        text = cut(without_injected(text[: 4 * MAX_RESULT]).strip("\n"), most, _CUT, whole=whole)
        if denied:  # the words of the refusal stand below the first line
            line = " ".join(line.split())
        self._add(
            "tool", f"{line or name}\n{text}", time, name, "denied" if denied else "ok" if ok else "error"
        )

    def _add(self, role: str, text: str, time: object, tool: str = "", outcome: str = "") -> None:
        self._key = ""
        self._spent += len(text) + _TURN
        number = len(self.turns) + self._left_out + len(self._latest) + 1
        is_late = self._spent > MOST
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

    def miss(self) -> None:
        """Note that something here cannot be read: it may have brought anything."""
        self.fetched("")
        last = [*self.turns[-1:], *self._latest][-1:]
        if not last or last[0].tool != LEFT_OUT:
            self._add("system", _UNREAD, "", LEFT_OUT)

    def leave_out(self, count: int) -> None:
        """Note how many turns that came here are gone; from now on it is late."""
        self._left_out += count
        self._spent = max(self._spent, MOST)

    def _kept(self) -> list[Turn]:
        if not self._left_out:
            return [*self.turns, *self._latest]
        number = len(self.turns) + 1
        text = f"[{plural(self._left_out, 'turn')} left out here: the session is too long to be kept whole]"
        gap = Turn(number=number, role="system", text=text, tool=LEFT_OUT)
        return [*self.turns, gap, *self._latest]

    def session(self, name: str) -> Session:
        """Return what was read; `name` is the session's id unless a record said it."""
        known = {"cwd": "", "source": "interactive", "status": "completed", **self.known}
        started = moment(known.get("started")) or next((each.time for each in self.turns if each.time), "")
        about = {key: known[key] for key in ("cwd", "source", "status")}
        about |= {"id": safe(known.get("id") or name), "taint": self._hearing.so_far}
        return Session(agent=self.agent, started=started, turns=self._kept(), **about)


def safe(text: str) -> str:
    """Return an id as the store takes it."""
    if len(text) > _MAX_ID or not _PLAIN.issuperset(text):  # changed, a secret would not be known any more
        text = "".join(char if char in _PLAIN else "-" for char in veiled(text))
    return text.strip(".")[:_MAX_ID] or "session"
