"""A session while it is put together from what an agent wrote down, in bounded memory.

A result is cut, and a session of very many turns keeps its later results short. Of one that is longer than
that its beginning and its latest turns are kept, and a turn in between says how many are left out.
"""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memolith.hosts.sessions.blocks import sent
from memolith.hosts.sessions.calls import Record, call_line, directory, fields
from memolith.hosts.sessions.commands import Commands
from memolith.learn.extract import strip
from memolith.memory.sessions import LEFT_OUT, Session, Turn
from memolith.text.budget import plural
from memolith.text.patterns import lazy
from memolith.text.secrets.encoded import shows_secret_file
from memolith.text.secrets.veil import cut, veiled
from memolith.text.turns import Hearing
from memolith.text.typed import has_paste

if TYPE_CHECKING:
    from collections.abc import Iterable

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
_TEXTS = (None, "text", "input_text", "output_text", "summary_text")  # the types of what was said
_NO_ATTACHMENT = ("tool_result", "thinking", "redacted_thinking", "reasoning", "tool_use", "toolCall")
_WORDS = lazy(r"[A-Za-z]\S*\s+\S*[A-Za-z]|[^\x00-\x7f]{2}")  # two words, or a script without blanks
_WHOLE_PATH = lazy(r"/|[A-Za-z]:[\\/]")
_LOOKED_UP = lazy(r"(?i)citation|annotation|grounding|server_?tool|web_?(?:search|fetch)")
# What a field is called that says who sent a message, and what it says where a person did.
_OF_SENDER = lazy(
    r"(?i)synthetic|virtual|ephemeral|inject|hook|generat|system|skill|schedul|cron|peer|origin|source|provenance"
    r"|attribut|forward|relay|companion|remote|bot|plugin|extension|hidden|internal|auth?o|sender|sent_?by|agent"
    r"|verified|notif|task"
)
_BY_A_PERSON: tuple[object, ...] = (None, False, "", 0, [], {}, "user", "human", "typed", "interactive")
_NO_WORDS = ("cwd", "timestamp", "gitBranch", "version")
_TAG = lazy(r"(?i)<(/?)(system[-_]reminder|memory[\w-]*|hook_context)(?:\s[^<>]*)?>")


# What stands in a result besides, but for a host's own words.
_REMINDS = lazy(
    r"(?i)<(?:system[-_]reminder|hook_context)(?:\s[^<>]*)?>\s*(?!Whenever you read a file|Warning: the file "
    r"|Note: (?:The file )?/\S+ was |Your todo list|The TodoWrite tool|The task tools|Called the |Result of )"
    r"[^\s<]"
)


def plain(content: object) -> str:
    """Return the text of a message: a string, or blocks of which some are text."""
    return "\n\n".join(texts(content))


def texts(content: object) -> list[str]:
    """Return the texts of a message, block by block."""
    if isinstance(content, (str, dict)):
        content = [content]
    if not isinstance(content, list):
        return []
    found = (each if isinstance(each, str) else _text(fields(each)) for each in content)
    return [each for each in found if each]


def _text(block: Record) -> str:
    text = block.get("text")
    return text if isinstance(text, str) and block.get("type") in _TEXTS else ""


def has_words(value: object, depth: int = 20) -> bool:
    """Whether a sentence may be somewhere in a value of JSON; nobody looks into what is very deep."""
    if isinstance(value, str):
        return bool(_WORDS.search(value))
    if isinstance(value, dict):
        value = [each for key, each in value.items() if key not in _NO_WORDS]
    return isinstance(value, list) and (not depth or any(has_words(each, depth - 1) for each in value))


def is_anothers(record: Record, known: Iterable[str] = ()) -> bool:
    """Whether a message has a field that its reader does not know, and that says that no person sent it.

    A reader knows what its agent writes today; a later version says in a field of its own what nobody typed.
    """
    return any(
        bool(_OF_SENDER.search(key)) and value not in _BY_A_PERSON
        for key, value in record.items()
        if key not in known
    )


def cites(value: object, depth: int = 8) -> bool:
    """Whether a value of JSON has a field that is not empty, and tells of what a provider looked up."""
    if isinstance(value, list):
        return any(cites(each, depth - 1) for each in value) if depth else bool(value)
    return any(
        (_has_any(each) if _LOOKED_UP.search(key) else bool(depth) and cites(each, depth - 1))
        for key, each in fields(value).items()
    )


def _has_any(value: object, depth: int = 8) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return (
        any(_has_any(each, depth - 1) for each in value) if isinstance(value, list) and depth else bool(value)
    )


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


def listed(value: object) -> list[Record]:
    """Return the objects in a list of JSON."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class Transcript:
    """A session while it is put together: what is known of it, its turns, calls that wait for a result."""

    def __init__(self, agent: str, path: str, *, side: bool = False) -> None:
        self.agent, self.path, self.side = agent, path, side
        self.known: dict[str, str] = {}
        self.typed: bool | None = None  # whether a person types what is asked now; None: as the source says
        self.prompts: set[str] = set()  # that the host says were typed, without blanks; none: it does not say
        self.turns: list[Turn] = []
        self._latest: deque[Turn] = deque()  # behind what is left out
        self._left_out = 0
        self._spent = 0
        self._key = ""  # of the message that the last turn belongs to
        self._waiting: dict[str, list[str]] = {}
        self._hearing = Hearing()
        self._commands: Commands | None = None  # of the repository
        self._block = ""  # of the host's own, right before what comes now

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
        typed, others = self._sent(parts, self.agent)
        if others:
            self._hearing.taint("user", "", "", "pasted")
        text = strip.typed([part for part in typed if not (whole and strip.is_hosts(part))])
        if self._commands is None:
            self._commands = Commands(self.known.get("cwd", ""))
        if self._commands.send(text):
            self.fetched("prompt")
        else:
            self._speak("user", cut(text.strip(), _MAX_SPEECH, _CUT), time, key)

    def note(self, parts: Iterable[str], by: str = "") -> bool:
        """Note what stands where a prompt would be; return whether all of it is the host's own."""
        typed, others = self._sent(parts, by or self.agent)
        return not typed and not others

    def _sent(self, parts: Iterable[str], by: str) -> tuple[list[str], bool]:
        typed, calls, others, self._block = sent(parts, by, self._block, begins=not self.turns)
        for tool, asked in calls:
            self.fetched(tool, asked) if tool else self.shown(asked)
        return typed, others

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

    def awaited(self, call_id: object) -> str:
        """Return the tool of a call whose result is not there yet."""
        return (self._waiting.get(str(call_id)) or [""])[0]

    def fetched(self, tool: str, line: str = "") -> None:
        """Note that a tool was called: what is said from now on may be what it brought."""
        self._hearing.taint("tool", tool, line)

    def shown(self, path: str) -> None:
        """Note that a host shows a file: it says its whole path, unless it is an editor's new text."""
        self.fetched("read" if _WHOLE_PATH.match(path) else "attachment", path)

    def heed(self, content: object) -> None:
        """Note what a message has besides text: what is in a picture or a document, somebody else wrote.

        So is what the provider itself looked up for an answer.
        """
        for block in listed(content):
            is_text = isinstance(block.get("text"), str) and block.get("type") in _TEXTS
            if not is_text and block.get("type") not in _NO_ATTACHMENT:
                self.fetched("attachment")
            elif is_text:
                self.look_up(block)

    def look_up(self, about: object) -> None:
        """Note what a provider says of an answer: it may have searched the web for it, or cite others."""
        if cites(about):
            self.fetched("web_search")

    def pass_over(self, told: object) -> None:
        """Note what nobody here knows: words in it may have been before the agent, and may be anybody's."""
        if has_words(told):
            self.fetched("unknown")

    def sum_up(self, told: object) -> None:
        """Note a summary: it is of what was said in this session, or else of another one."""
        if not self.turns:
            self.pass_over(told)

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
        if "<" in text and _REMINDS.search(text):
            self.fetched("prompt")  # what a hook adds to it
        if text.strip() and line.startswith("$ ") and shows_secret_file(line):
            text = "[secret:encoded-secret]"
        text = cut(without_injected(text[: 4 * MAX_RESULT]).strip("\n"), most, _CUT, whole=whole)
        if denied:  # the words of the refusal stand below the first line
            line = " ".join(line.split())
            if has_paste(strip.words_of_refusal(text)):
                self._hearing.taint("user", "", "", "pasted")
        self._add(
            "tool", f"{line or name}\n{text}", time, name, "denied" if denied else "ok" if ok else "error"
        )

    def _add(self, role: str, text: str, time: object, tool: str = "", outcome: str = "") -> None:
        self._key = self._block = ""
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
        about = {"id": safe(known.get("id") or name), "taint": self._hearing.so_far}
        about |= {key: known.get(key, "") for key in ("cwd", "source", "status", "mode")}
        return Session(agent=self.agent, started=started, turns=self._kept(), **about)


def safe(text: str) -> str:
    """Return an id as the store takes it."""
    if len(text) > _MAX_ID or not _PLAIN.issuperset(text):  # changed, a secret would not be known any more
        text = "".join(char if char in _PLAIN else "-" for char in veiled(text))
    return text.strip(".")[:_MAX_ID] or "session"
