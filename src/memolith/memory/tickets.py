"""Tickets: pieces of work, `tickets/<id>.md` of a project. Description first, then dated notes.

Each execution of a ticket is a separate session; the ticket links to it by name.
"""

from __future__ import annotations

import time

from memolith.base.errors import InputError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.memory import arguments, entries, review
from memolith.store import layout
from memolith.store.entry import TICKET_STATUSES as STATUSES
from memolith.store.screen import quoted
from memolith.store.together import Command
from memolith.text import markdown
from memolith.text.secrets.veil import in_one_line
from memolith.text.yaml import dump_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Iterable, Mapping, Sequence

    from memolith.memory.entries import EntryResult
    from memolith.text.frontmatter import Parsed

TYPES = ("bug", "feature", "document", "generic")
PRIORITIES = ("low", "normal", "high", "urgent")
_WORDS = {"type": TYPES, "priority": PRIORITIES, "status": STATUSES}
NOTES = "## Notes"
_MAX_QUESTION = 4000  # characters
_REFUSED = "Nothing was written: a person refused this ticket before"
# Other trackers' names for the same fields and values.
_NAMES = {
    "id": ("id", "key", "number", "iid"),
    "title": ("title", "summary", "name"),
    "description": ("description", "body", "text"),
    "status": ("status", "state"),
    "type": ("type", "kind"),
    "priority": ("priority",),
}
_STATES = {
    "opened": "open",
    "todo": "open",
    "new": "open",
    "in progress": "in_progress",
    "doing": "in_progress",
    "resolved": "done",
    "completed": "done",
    "merged": "done",
}


class Ticket(Value):
    """One piece of work. `sessions` names its executions, `notes` are dated lines."""

    created: str
    description: str
    filename: str
    id: str
    notes: list[str]
    origin: str  # where it came from, if not from the user or their agent
    priority: str
    sessions: list[str]
    status: str
    title: str
    type: str
    updated: str

    @property
    def query(self) -> str:
        """The query for recall: title, description and the newest notes."""
        return "\n".join([self.title, self.description, *self.notes[-5:]])

    def question(self, context: str = "") -> str:
        """Return the ticket as a question for recall: title, description and the given context."""
        return " ".join(f"{self.title} {self.description} {context}".split())[:_MAX_QUESTION]


class Tickets(entries.Entries):
    """The tickets of a project."""

    _kind, _cap = "ticket", None  # its description and each of its notes are checked when they are given

    def add(
        self,
        title: str,
        description: str = "",
        *,
        ticket_id: str | None = None,
        type: str = "generic",  # noqa: A002 - the word the design uses
        priority: str = "normal",
        status: str = "open",
    ) -> EntryResult:
        """Create a ticket and return its id."""
        called = entries.titled(title, description)
        if not called:
            raise InputError("a ticket needs a title; give it some words")
        _check(type=type, priority=priority, status=status)
        _check_texts(title, description)
        self._home.register()
        with self._home.gate.scope(self._home.project):
            taken = self._ids()
            if ticket_id is not None:
                ticket_id = entries.check_id(ticket_id)
                if ticket_id.casefold() in {each.casefold() for each in taken}:
                    raise InputError(
                        f"there is a ticket {quoted(ticket_id)} already; use `ticket edit {ticket_id}`"
                    )
            name = ticket_id or entries.new_id(called, taken)
            fields = {
                "id": name,
                "title": title,
                "status": status,
                "type": type,
                "priority": priority,
                "created": self._home.today,
                "updated": self._home.today,
            }
            text, whose = description or "\n", self._home.source
            file = self._file(name)
            change = entries.store(self._home.gate, file, fields, text, "ticket", whose, cap=self._cap)
        return self._done(name, self._file(name), f"Added ticket {name}", change.warnings, created=True)

    def update(
        self,
        ticket_id: str,
        *,
        title: str | None = None,
        description: str | None = None,
        status: str | None = None,
        type: str | None = None,  # noqa: A002 - the word the design uses
        priority: str | None = None,
        sessions: Sequence[str] | None = None,
    ) -> EntryResult:
        """Change a ticket; its notes stay."""
        _check(type=type, priority=priority, status=status)
        if title is not None and not markdown.same_line(title):
            raise InputError("a ticket needs a title; give it some words")
        _check_texts(title or "", description or "")
        given = {
            "title": title,
            "status": status,
            "type": type,
            "priority": priority,
            "sessions": None if sessions is None else list(dict.fromkeys(sessions)),
        }
        fields = {key: value for key, value in given.items() if value is not None}
        with self._home.gate.scope(self._home.project):  # keeps notes that others add right now
            ticket = self.get(ticket_id)
            if not fields and description is None:
                raise InputError(f"what should change about ticket {ticket.id}? Give an option")
            body = None if description is None else _body(description, ticket.notes)
            done = "Reopened" if fields == {"status": "open"} else "Updated"
            return self._set(ticket, fields, body, f"{done} ticket {ticket.id}")

    def replace(self, ticket_id: str, old_str: str, new_str: str) -> EntryResult:
        """Replace a piece of a ticket's description or notes. MatchError if it does not occur once."""
        with self._home.gate.scope(self._home.project):
            ticket = self.get(ticket_id)
            loaded = entries.load(self._root, ticket.filename, "ticket")
            text = loaded[0].parsed.body if loaded else ""
            arguments.check_text(new_str, empty=True)
            body = arguments.replacement(ticket.id, old_str)(text, new_str)
            return self._set(ticket, {}, body, f"Updated ticket {ticket.id}")

    def note(self, ticket_id: str, text: str) -> EntryResult:
        """Add a dated note to a ticket."""
        line = " ".join(in_one_line(text).split())
        if not line:
            raise InputError("the note is empty; give it some words")
        arguments.check_text(text, "note")
        with self._home.gate.scope(self._home.project):  # or a concurrent note would be lost
            ticket = self.get(ticket_id)
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self._home.now()))
            body = _body(ticket.description, [*ticket.notes, f"{when} {line}"])
            return self._set(ticket, {}, body, f"Noted on ticket {ticket.id}")

    def close(self, ticket_id: str) -> EntryResult:
        """Mark a ticket as closed."""
        ticket = self.get(ticket_id)
        if ticket.status == "closed":
            return self._done(ticket.id, ticket.filename, f"Ticket {ticket.id} is closed already")
        return self._set(ticket, {"status": "closed"}, None, f"Closed ticket {ticket.id}")

    def delete(self, ticket_id: str) -> EntryResult:
        """Delete a ticket; `memolith undo` brings it back."""
        ticket = self.get(ticket_id)
        change = self._remove(ticket.filename)
        message = f"Deleted ticket {ticket.id}{arguments.way_back(change)}"
        return self._done(ticket.id, ticket.filename, message, change.warnings)

    def link(self, ticket_id: str, session: str) -> EntryResult:
        """Record that a session was an execution of a ticket."""
        with self._home.gate.scope(self._home.project):
            ticket = self.get(ticket_id)
            return self.update(ticket.id, sessions=[*ticket.sessions, session])

    def get(self, ticket_id: str) -> Ticket:
        """Return a ticket; a unique prefix of its id is enough. NotFoundError if there is none."""
        wanted = entries.match(ticket_id, self._ids(), "ticket")
        found = read(self._root, self._file(wanted))
        if found is None:
            raise InputError(f"{self._file(wanted)}: cannot be read; see `memolith doctor`")
        return found

    def list(self, status: str | None = None, type: str | None = None) -> builtins.list[Ticket]:  # noqa: A002
        """Return tickets by id, including done and closed ones."""
        _check(status=status, type=type)
        names = Tree(self._root).listed(layout.path(self._home.project, "tickets"))
        every = [ticket for name in names if (ticket := read(self._root, self._file(name[:-3])))]
        return [each for each in every if status in (None, each.status) and type in (None, each.type)]

    def load(self, rows: Iterable[Mapping[str, object]]) -> builtins.list[EntryResult]:
        """Import tickets from another tracker: new ones are added, known ones updated.

        Each row has id, title, description, status, type and priority, or other trackers' names for them.
        Fields that are missing or have unknown values stay as they are.
        """
        wanted = [_told(row) for row in rows]
        with Command("import", when=len(wanted) > 1):
            return [self._load(says) for says in wanted]

    def _load(self, says: dict[str, str]) -> EntryResult:
        ticket_id = None
        if "id" in says:
            ticket_id = entries.check_id(says.pop("id").replace("/", "-").replace("#", "-").strip("-"))
        for what, known in _WORDS.items():
            word = says.pop(what, "").casefold()
            word = _STATES.get(word, word) if what == "status" else word
            if word in known:
                says[what] = word
        if ticket_id is None:  # a tracker without ids: the title says which one it is
            same = (each.id for each in self.list() if each.title == markdown.same_line(says["title"]))
            ticket_id = next(same, None)
        if ticket_id in self._ids():
            return self.update(ticket_id, **says)
        if self._home.source.outside:
            file = self._file(ticket_id or entries.new_id(says["title"], self._ids()))
            text = says.get("description") or f"title: {dump_scalar(says['title'])}"
            if review.was_refused(self._home, file, text):
                return self._done(file[:-3].rpartition("/")[2], file, _REFUSED)
        return self.add(ticket_id=ticket_id, **says)

    # ------------------------------------------------------------ inside

    def _file(self, ticket_id: str) -> str:
        return layout.path(self._home.project, "tickets", f"{ticket_id}.md")

    def _ids(self) -> builtins.list[str]:
        return [name[:-3] for name in Tree(self._root).names(layout.path(self._home.project, "tickets"))]

    def _set(self, ticket: Ticket, fields: entries.Fields, body: str | None, message: str) -> EntryResult:
        change = self._write(ticket.filename, fields, body)
        return self._done(ticket.id, ticket.filename, message, change.warnings)


def read(root: str, relative: str) -> Ticket | None:
    """Parse a ticket's file, with defaults for missing fields; None if it cannot be read."""
    loaded = entries.load(root, relative, "ticket")
    if loaded is None:
        return None
    entry, changed = loaded
    parsed = entry.parsed
    description, notes = split_notes(parsed.body)
    return Ticket(
        id=entry.id,
        filename=relative,
        title=entry.title,
        description=description,
        notes=notes,
        status=entry.status,
        type=_known(parsed, "type", "generic"),
        priority=_known(parsed, "priority", "normal"),
        created=parsed.get("created") or changed,
        updated=parsed.get("updated") or changed,
        sessions=parsed.items("sessions"),
        origin=entry.origin,
    )


def split_notes(body: str) -> tuple[str, list[str]]:
    """Split a ticket's body into its description and the notes below."""
    before, heading, after = f"\n{body}".partition(f"\n{NOTES}\n")
    if not heading:
        return body.strip("\n"), []
    notes = [line.strip()[2:] for line in after.splitlines() if line.strip().startswith("- ")]
    return before.strip("\n"), notes


def _body(description: str, notes: list[str]) -> str:
    text = description.strip("\n") + "\n"
    return text + (f"\n{NOTES}\n" + "".join(f"- {note}\n" for note in notes) if notes else "")


def _check_texts(title: str, description: str) -> None:
    arguments.check_text(title, "title", empty=True)
    arguments.check_text(description, "description", empty=True)


def _check(**given: str | None) -> None:
    for what, value in given.items():
        if value is not None:
            arguments.one_of(value, _WORDS[what], what)


def _known(parsed: Parsed, what: str, else_: str) -> str:
    value = parsed.get(what)
    return value if value in _WORDS[what] else else_


def _told(row: Mapping[str, object]) -> dict[str, str]:
    """Return what another tracker's row says, by our names."""
    says = {name: value for name, names in _NAMES.items() if (value := _value(row, names))}
    if "title" not in says:
        raise InputError(f"a ticket without a title cannot be imported: {quoted(str(dict(row)))}")
    return says


def _value(row: Mapping[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""
