"""Sessions: conversations with agents, in one format for all agents, stored redacted and compressed.

Turns are numbered from 1 and never renumbered, so that references stay valid while a session grows.
"""

from __future__ import annotations

import json

from memolith.base.errors import InputError, TextError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.memory import arguments
from memolith.memory.daily import clock
from memolith.memory.entries import match
from memolith.store import finals, layout, tombstones
from memolith.store.archive import Archive, row_of
from memolith.store.screen import quoted, refuse_secret
from memolith.text.budget import plural
from memolith.text.markdown import first_line
from memolith.text.secrets.veil import masked_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memolith.memory.home import Home

    Change = Callable[[str], str]

ROLES = ("user", "assistant", "tool", "system")
_ROLE_NAMES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "developer": "system",
}
STATUSES = ("running", "paused", "completed", "failed")
MODES = ("enabled", "disabled", "polluted")  # whether something may be learned from a session
MAX_TURN = 65_536
# The tool name of a system turn that stands for omitted turns; the numbering continues after them.
LEFT_OUT = "left-out"
TEXTS = ("text", "time", "tool", "outcome")
_CLOCK = frozenset("0123456789-:.+TZ ")
_MOST_ASKED = 200  # characters of a question that an agent asks
CODES = ("agent", "id", "mode", "project", "source", "status", "taint")  # codes in a head: nobody's words
DELETED = "it was deleted; `memolith session import FILE` with its transcript brings it back"
_HEAD = ("agent", "cwd", "id", "mode", "project", "source", "started", "status", "taint", "ticket")


class Turn(Value):
    """One message or action; `outcome` is the result of a tool call (`ok`, `error`, …)."""

    number: int
    outcome: str = ""
    role: str
    taint: str = ""  # who else may have written it: one of TAINTS, or empty
    text: str
    time: str = ""
    tool: str = ""


class Session(Value):
    """A conversation with an agent. `name` is its name in the store: agent and id."""

    agent: str
    cwd: str = ""
    id: str
    mode: str = ""  # enabled (or empty), disabled, or polluted: contains text not to be learned from
    project: str = ""
    source: str = ""  # interactive (or empty), or subagent, automation, consolidation: no person
    started: str = ""
    status: str = ""
    taint: str = ""  # who else's words it contains: one of TAINTS, or empty
    ticket: str = ""
    turns: list[Turn]

    @property
    def name(self) -> str:
        """The session's name in the store."""
        return f"{self.agent}-{self.id}"

    @property
    def title(self) -> str:
        """What it began with: the first line that the user said."""
        return next((first_line(turn.text) for turn in self.turns if turn.role == "user"), "")

    @property
    def begun(self) -> str:
        """When it began, as the clock here shows it."""
        return clock(self.started)

    def head(self) -> dict[str, object]:
        """Return the session's metadata without its turns, ready for JSON."""
        return {key: value for key, value in self.as_dict().items() if key != "turns" and value}

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {**super().as_dict(), "turns": [turn.as_dict() for turn in self.turns]}


class Stored(Value):
    """The result of storing a session: its turns, how many are new, and how many secrets were masked."""

    added: int
    filename: str
    masked: int
    message: str
    name: str
    turns: int


class Sessions:
    """The sessions of a project."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def add(self, session: Session, *, scope: str = "project", again: bool = False) -> Stored:
        """Store a session. Storing it again changes nothing; if it has grown, the new turns are added.

        One that was deleted is not, unless a person wants it `again`. There is no user-wide store for them.
        """
        if arguments.is_user_wide(scope):
            raise InputError("a session belongs to a project; only records are kept for all projects")
        self._home.register()
        archive = self._archive()
        _check_name(session.agent, "agent")
        _check_name(session.id, "session id")
        arguments.one_of(session.mode or MODES[0], MODES, "mode")
        clean, masked, taint = _clean(session.turns, session.cwd)
        gone = tombstones.known(self._home.store)
        if gone:
            if tombstones.key(session.id) in gone:
                session = session.but(id=tombstones.alias(session.id))
            session = session.but(cwd=tombstones.left_out(session.cwd, gone, tombstones.INSTEAD))
            clean = [
                turn.but(text=tombstones.left_out(turn.text, gone, tombstones.INSTEAD)) for turn in clean
            ]
        if self.is_deleted(session.name):
            if not again:
                return Stored(name=session.name, filename="", turns=0, added=0, masked=0, message=DELETED)
            tombstones.keep(self._home.gate, [], no_longer=[self._mark(session.name)])
        head = {**session.head(), "project": self._home.project}
        head |= {"taint": session.taint or taint} if taint else {}
        if session.cwd:
            head["cwd"] = masked_name(session.cwd)
            masked += head["cwd"] != session.cwd
        with self._home.gate.scope(self._home.project):
            before = archive.read(session.name) or []
            known = len(before) - 1 if before else 0
            if len(clean) < known:
                raise InputError(
                    f"{session.name}: {len(clean)} turns were given, but {known} are stored; "
                    f"`memolith session rm {session.name}` first if that is meant"
                )
            lines = [line_of(head), *(line_of(row_for(turn)) for turn in clean)]
            if lines != before:
                archive.write(session.name, lines)
        added = sum(1 for line in lines[1:] if line not in set(before[1:]))
        all_of_it = f"of {session.name}, {len(clean)} in all"
        news = f"{plural(added, 'new turn')} {all_of_it}" if added else "Nothing new in it"
        return Stored(
            name=session.name,
            filename=archive.path(session.name),
            turns=len(clean),
            added=added,
            masked=masked,
            message=news + (f"; {plural(masked, 'secret')} masked" if masked else ""),
        )

    def end(
        self, messages: Iterable[Mapping[str, object]], *, agent: str, session_id: str = "", number: str = ""
    ) -> Stored:
        """Store a finished conversation, given as messages: `{"role": "user", "content": "…"}`.

        The text is in `content` or `text`; messages without either are skipped. `number` is what the runners
        of shared benchmarks call `session_id`.
        """
        said = [(each, _text_of(each.get("content", each.get("text")))) for each in messages]
        turns = [_turn({**each, "text": text}, 0) for each, text in said if text.strip()]
        for turn in turns:
            arguments.one_of(turn.role, ROLES, "role")
        turns = [turn.but(number=at) for at, turn in enumerate(turns, 1)]
        started = next((turn.time for turn in turns if turn.time), "")
        name = session_id or number
        return self.add(Session(agent=agent, id=name, status="completed", started=started, turns=turns))

    def list(self) -> builtins.list[Session]:
        """Return all sessions without their turns, oldest first; damaged ones are skipped."""
        kept = (
            self.stored()
        )  # two that began in one second, or at a time that nobody knows, as they were stored
        found = [each for name in self._archive().names() if (each := self.read(name))]
        return sorted(found, key=lambda each: (each.started, kept.get(each.name, 0), each.name))

    def newest(self) -> builtins.list[str]:
        """Return the names of all sessions, the newest first; only the head of each is read."""
        kept, archive = self.stored(), self._archive()
        began = {name: str((archive.head(name) or {}).get("started", "")) for name in kept}
        return sorted(kept, key=lambda name: (began[name], kept[name], name), reverse=True)

    def stored(self) -> dict[str, int]:
        """Return when each session last changed, in nanoseconds."""
        return {name: found.st_mtime_ns for name, found in self.stats().items()}

    def stats(self) -> dict[str, os.stat_result]:
        """Return what the system knows of each session's file."""
        archive = self._archive()
        return {name: found for name in archive.names() if (found := archive.stat(name)) is not None}

    def get(self, name: str) -> Session:
        """Return a session; a unique prefix of its name or id is enough. NotFoundError if there is none."""
        wanted = self._find(name)
        session = self.read(wanted)
        if session is None:
            path = self._archive().path(wanted)
            raise TextError(f"{path}: is damaged; delete it and add the session again")
        return session

    def read(self, name: str) -> Session | None:
        """Return the session with exactly this name; None if it is missing or damaged."""
        return parse(self._archive().read(name) or [])

    def are_several(self, names: set[str]) -> bool:
        """Whether sessions are different ones: a copy under another name begins in the same way."""
        begun: set[object] = set()
        for name in names if len(names) > 1 else ():
            found = self.read(name)
            begun.add((found.started, found.turns[0].text) if found and found.turns else name)
        return len(begun) > 1

    def delete(self, name: str) -> str:
        """Delete a session permanently, with what its transcript will say later; return its name."""
        wanted, archive = self._find(name), self._archive()
        tombstones.keep(self._home.gate, [self._mark(wanted)])
        pages = self._pages(wanted)
        with self._home.gate.scope(self._home.project):
            for page in pages:  # they quote it; for good, or `undo` would bring the quotes back
                self._home.gate.rewrite(page, lambda _: None, op="forget", remember=False)
                self._home.gate.history.drop(page)
            archive.delete(wanted)
        finals.note(self._home.path, [self._home.project], "the deletion of a session", self._home.now())
        return wanted

    def taught(self, name: str) -> bool:
        """Whether something was learned from a session."""
        return bool(self._pages(name))

    def _pages(self, name: str) -> builtins.list[str]:
        """Return the pages that learning wrote about a session."""
        folder = layout.path(self._home.project, "rollout_summaries")
        others = tuple(each for each in self._archive().names() if each.startswith(f"{name}-"))
        found = [each for each in Tree(self._home.store).names(folder) if not each.startswith(others)]
        return [f"{folder}/{each}" for each in found if each.startswith((f"{name}-", f"{name}.md"))]

    def is_deleted(self, name: str) -> bool:
        """Whether somebody deleted a session, and nobody has added it again."""
        return self._mark(name) in tombstones.known(self._home.store)

    def _mark(self, name: str) -> str:
        return tombstones.key(f"session {self._home.project} {name}")

    def _archive(self) -> Archive:
        return Archive(self._home.path, self._home.project)

    def _find(self, name: str) -> str:
        return match(name, self._archive().names(), "session", lambda each: each.partition("-")[2])


def parse(lines: list[str]) -> Session | None:
    """Parse the stored lines of a session; None if they are not one."""
    rows = [row for line in lines if (row := row_of(line)) is not None]
    if len(rows) != len(lines) or not rows or "agent" not in rows[0]:
        return None
    head = rows[0]
    turns = [_turn(each, number) for number, each in enumerate(rows[1:], 1)]
    return Session(turns=turns, **{key: str(head.get(key) or "") for key in _HEAD})


def read_turns(lines: Iterable[str], where: str) -> Iterator[Turn]:
    """Parse JSON lines, one turn each: `{"role": …, "text": …, "time": …}`.

    Blank lines are skipped. TextError names the line that is not a turn.
    """
    number = 0
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = row_of(line)
        if row is None or not isinstance(row.get("text"), str):
            raise TextError(
                f'{where}:{at}: not a turn; expected {{"role": "user", "text": "…", "time": "…"}}'
            )
        number += 1
        turn = _turn(row, number)
        if turn.role not in ROLES:
            raise TextError(
                f"{where}:{at}: unknown role {quoted(row.get('role'))}; one of {', '.join(ROLES)}"
            )
        yield turn


def _text_of(content: object) -> str:
    """Return the text of a message, which may have several parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else ()
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _turn(row: dict[str, object], number: int) -> Turn:
    role = str(row.get("role") or "").lower()
    given = row.get("turn")
    fields = {key: _plain(row.get(key)) for key in ("time", "tool", "outcome", "taint")}
    if role == "developer":
        fields["tool"] = fields["tool"] or role  # still distinguishes it from the system's own words
    return Turn(
        number=given if isinstance(given, int) and given > 0 else number,
        role=_ROLE_NAMES.get(role, role),
        text=_plain(row.get("text")),
        **fields,
    )


def _plain(value: object) -> str:
    """Return a field as text; a list or an object gives nothing, however deep it is."""
    return str(value or "") if isinstance(value, (str, int, float)) else ""


def _clean(turns: builtins.list[Turn], cwd: str) -> tuple[builtins.list[Turn], int, str]:
    """Return the turns ready to store, the number of masked secrets, and the session's taint."""
    from memolith.text.budget import head, utf8_len
    from memolith.text.secrets.asked import asks
    from memolith.text.turns import Hearing

    masked, number, is_gap, question = 0, 0, False, ""
    clean = []
    hearing = Hearing(cwd)
    for turn in turns:
        number = max(turn.number, number + 1) if is_gap else number + 1
        is_gap = (turn.role, turn.tool) == ("system", LEFT_OUT)
        taint = hearing.taint(turn.role, turn.tool, turn.text, turn.taint)
        texts = {}
        for key in TEXTS:
            text = getattr(turn, key)
            text, kinds = masked_field(key, text)
            if question and key == "text" and turn.role == "user" and not kinds:
                text, kinds = _answer(question, text)
            masked += len(kinds)
            texts[key] = text if utf8_len(text) <= MAX_TURN else head(text, MAX_TURN)
        last = turn.text.rstrip().rpartition("\n")[2][-_MOST_ASKED:]
        question = asks(last) if turn.role == "assistant" else ""
        clean.append(Turn(number=number, role=turn.role, taint=taint, **texts))
    return clean, masked, hearing.so_far


def _answer(question: str, text: str) -> tuple[str, list[str]]:
    """Return what somebody answers to a question ready to store: it may have been one for a password."""
    together, kinds = masked_text(f"{question}\n{text}")
    said, _, answer = together.partition("\n")
    return (answer, kinds) if said == question else (text, [])


def masked_field(key: str, text: str, allow: frozenset[str] = frozenset()) -> tuple[str, list[str]]:
    """Return a field of a turn ready to store; a plain time is never a secret."""
    return (text, []) if key == "time" and _CLOCK.issuperset(text) else masked_text(text, allow)


def masked_text(text: str, allow: frozenset[str] = frozenset()) -> tuple[str, list[str]]:
    """Return a text ready to store, and the kinds of its masked secrets."""
    from memolith.text.safe import hygiene
    from memolith.text.secrets.redact import redact

    found = redact(hygiene.clean(text.encode("utf-8", "replace").decode())[0], allow)
    return found.text, [each.kind for each in found.findings]


def row_for(turn: Turn) -> dict[str, object]:
    """Return a turn as it is stored."""
    fields = {"turn": turn.number, "role": turn.role, "time": turn.time or None, "text": turn.text}
    extra = ("tool", "outcome", "taint")
    return {**fields, **{key: getattr(turn, key) for key in extra if getattr(turn, key)}}


def _check_name(text: str, what: str) -> None:
    plain = all(char.isascii() and (char.isalnum() or char in "-_.") for char in text)
    if not text or not plain or text.startswith(".") or len(text) > 120:
        raise InputError(f"{what} {quoted(text)} is not allowed; use letters, digits, - _ and ., at most 120")
    refuse_secret(text, what)


def line_of(row: object) -> str:
    """Return a row as a line of a copy."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))
