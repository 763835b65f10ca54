"""Where a memory came from, how it was changed, and how it was used.

All of it comes from existing data: the file's head, its history, the receipts of what agents were given, and
the counts of learning.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memolith.base.errors import NotFoundError
from memolith.base.values import Value, Version
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.learn.queue.queue import Queue
from memolith.memory.daily import clock
from memolith.memory.find import find
from memolith.memory.record import read
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions
from memolith.memory.undo import notice
from memolith.prompt import block
from memolith.store import files, layout, receipts
from memolith.store.screen import quoted
from memolith.text import frontmatter, markdown, source_label
from memolith.text.budget import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.home import Home
    from memolith.memory.record import Record

_SESSION = "session:"
_SHOWN = 5  # changes, and uses, shown to a person


class Given(Value):
    """One occasion when an agent was given a memory."""

    event: str
    session: str
    time: str


class Why(Value):
    """Everything known about the origin and use of a memory."""

    changes: list[Version]  # newest first
    cited: int
    given: list[Given]
    injected: bool
    kind: str
    name: str
    origin: str
    replaced_by: list[str]
    replaces: list[str]
    sources: list[str]
    status: str
    title: str
    was_given: list[str]  # what a session was given, beside its own text

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        fields = super().as_dict()
        fields["changes"] = [{"by": each.by, "op": each.op, "time": each.time} for each in self.changes]
        return {**fields, "given": [each.as_dict() for each in self.given]}

    def render(self) -> str:
        """Return it as text for a person."""
        rows = [
            ("", f"{self.name}  ({self.kind}{f', {self.status}' if self.status else ''})"),
            ("title", self.title),
            ("from", self.origin or self._authors()),
            *(("source", each) for each in self.sources),
            *(("replaces", each) for each in self.replaces),
            *(("replaced by", each) for each in self.replaced_by),
            *(("changed", f"{clock(c.time)}  {_did(c)}") for c in self.changes[:_SHOWN]),
            ("", f"… and {len(self.changes) - _SHOWN} earlier changes" if len(self.changes) > _SHOWN else ""),
            ("injected", "in the block of every session now" if self.injected else ""),
            ("given", self._given()),
            *(("", f"{clock(each.time)}  {each.session}  {each.event}") for each in self.given[:_SHOWN]),
            *(("was given", each) for each in self.was_given[:_SHOWN]),
            ("", f"… and {len(self.was_given) - _SHOWN} more" if len(self.was_given) > _SHOWN else ""),
            ("cited", f"by {plural(self.cited, 'answer')}" if self.cited else ""),
        ]
        return "\n".join(f"{name:<12} {text}".strip() if name else text for name, text in rows if text)

    def _authors(self) -> str:
        """Return who wrote a text that has no label."""
        names = {"user": "you", "agent": "your agent"}
        wrote = {each.by for each in self.changes if each.undoes is None}
        known = [name for by, name in names.items() if by in wrote]
        return " and ".join(known) or "you or your agent"

    def _given(self) -> str:
        if not self.given:
            return "to no session in the last thirty days, except in the block"
        sessions = len({each.session for each in self.given})
        return f"{plural(len(self.given), 'time')} to {plural(sessions, 'session')} in the last thirty days"


def _did(change: Version) -> str:
    """Return what a change did, and by whom; the number that several files of it share is for programs."""
    by = {"extracted": "learning", "imported": ""}.get(change.by, change.by)
    return f"{change.op.partition('-')[0]}{f' by {by}' if by else ''}"


def why(home: Home, ref: str) -> Why:
    """Explain a memory: a path, an address, an id of a record, ticket or hit, session:NAME#TURN."""
    name, hash_, turn = ref.rpartition("#")
    found = find(home, name if hash_ and turn.isdigit() else ref, gone=True)
    if found.kind == "session":
        return _session(home, found.name + (f"#{turn}" if hash_ and turn.isdigit() else ""))
    notice(home)
    relative = found.path
    text = files.text_of(Tree(home.store).read(relative, MAX_LOOK_BYTES, cut=True) or b"")
    parsed = frontmatter.split(text)
    kind = _kind(relative)
    record = read(home.store, relative) if kind == "record" else None
    sources = [*parsed.items("source"), *parsed.items("sources")]
    if kind == "ticket":
        sources += [f"{_SESSION}{each}" for each in parsed.items("sessions")]
    if kind == "record" and not record:
        kind = "record, gone"
    return Why(
        name=relative,
        kind=kind,
        title=parsed.get("name") or parsed.get("title") or markdown.heading_title(parsed.body),
        origin=(record.origin if record else source_label.of_note(text)) or _brought(home, relative),
        sources=list(dict.fromkeys(sources)),
        status=parsed.get("status"),
        replaces=record.supersedes if record else [],
        replaced_by=_successors(home, record),
        changes=home.gate.history.versions(relative, markers=True),
        given=list(_given(home, relative)),
        injected=any(section.source == relative for section in block.of(home).sections),
        cited=_cited(home, sources),
        was_given=[],
    )


def _kind(relative: str) -> str:
    parts = relative.removeprefix(f"{layout.path(layout.scope_of(relative))}/").split("/")
    alone = {"MEMORY.md": "memory", "SCRATCHPAD.md": "scratchpad"}
    return alone.get(relative.rpartition("/")[2], "file") if len(parts) == 1 else parts[0].removesuffix("s")


def _successors(home: Home, record: Record | None) -> list[str]:
    if record is None:
        return []
    return [each.id for each in Records(home).list(archived=True) if record.id in each.supersedes]


def _brought(home: Home, relative: str) -> str:
    """Return the import that created a file without a label."""
    ops = [each.op for each in home.gate.history.entries(relative) if each.op.startswith("import")]
    return f"imported ({ops[0]})" if ops else ""


def _given(home: Home, ref: str) -> Iterator[Given]:
    """Yield when agents were given a file, a part of it, or a turn, newest first."""
    found = []
    for session, each in receipts.of_all_sessions(home.path):
        if ref in each.refs or any(one.startswith((f"{ref}#", f"{ref}:")) for one in each.refs):
            found.append((each.time, session, each.event))
    for stamp, session, event in sorted(found, reverse=True):
        yield Given(time=_time(stamp), session=session, event=event)


def _time(stamp: str) -> str:
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(float(stamp)))
    except (ValueError, OverflowError):
        return ""


def _cited(home: Home, sources: list[str]) -> int:
    """Return how often answers cited text learned from these sessions."""
    names = {each.removeprefix(_SESSION).partition("#")[0] for each in sources}
    if not names or not home.settings.flag("memories.enabled"):
        return 0
    with Queue(home.path, home.settings, home.now) as queue:
        return sum(each.usage_count for each in queue.extractions.all(home.project) if each.session in names)


def _session(home: Home, ref: str) -> Why:
    name, _, turn = ref.removeprefix(_SESSION).partition("#")
    session = Sessions(home).get(name)
    if turn and not any(str(each.number) == turn for each in session.turns):
        raise NotFoundError(f"{session.name} has no turn {quoted(turn)}; they are 1 to {len(session.turns)}")
    return Why(
        name=f"{_SESSION}{session.name}" + (f"#{turn}" if turn else ""),
        kind="session",
        title=next(
            (markdown.first_line(t.text) for t in session.turns if str(t.number) == (turn or "1")), ""
        ),
        origin=f"a session with {session.agent}" + (f", begun {session.begun}" if session.started else ""),
        sources=[f"ticket {session.ticket}"] if session.ticket else [],
        status=session.status,
        replaces=[],
        replaced_by=[],
        changes=[],
        given=list(_given(home, f"{_SESSION}{session.name}" + (f"#{turn}" if turn else ""))),
        injected=False,
        cited=_cited(home, [session.name]),
        was_given=[] if turn else _received(home, session.agent, session.name),
    )


def _received(home: Home, agent: str, name: str) -> list[str]:
    """Return what a session was given, in order, each once."""
    own = (each.refs for given, each in receipts.of_all_sessions(home.path) if f"{agent}-{given}" == name)
    return list(dict.fromkeys(ref for refs in own for ref in refs))
