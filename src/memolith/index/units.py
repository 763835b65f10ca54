"""The results of the index: units of text, matches, the state of an answer. Plain values."""

from __future__ import annotations

from _operator import attrgetter

from memolith.base.values import HIT_KINDS, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = HIT_KINDS


class Unit(Value):
    """A piece of text that is found and shown as a whole: a note, a section, an entry, a turn."""

    id: int  # valid within this index only; `key` is stable
    key: str  # projects/x/notes/a.md, projects/x/notes/a.md#L10-20, session:claude-abc#12
    path: str  # relative to the store; for a session, sessions/<slug>/<name>.jsonl.gz relative to the home
    scope: str  # a slug, or empty for the user-wide scope
    kind: str  # one of KINDS
    category: str  # of a record; the type of a ticket; else empty
    record: str  # the id of a record or ticket, <agent>-<id> of a session; else empty
    title: str
    text: str | None  # masked; None if not requested, or the file is gone
    first_line: int | None  # counted from 1; None for a turn
    last_line: int | None
    turn: int | None
    role: str  # of a turn; else empty
    date: str  # ISO: the first known of valid_from, updated, created, entry, turn, file
    status: str  # active, superseded, archived; that of a ticket
    expires: str
    valid_from: str
    valid_until: str
    supersedes: list[str]  # ids of records
    source: str  # its source, if not the user or their agent
    parent: int | None  # the unit of the whole document that this is a part of
    position: int  # in its document, from 0; the whole document has -1 if it has parts
    content_hash: bytes  # of the text: the key of its vector
    masked: bool  # whether something in the file is masked
    stamp: tuple[int, int, int, int]  # the file as it was indexed: inode, size, mtime, ctime

    @property
    def is_turn(self) -> bool:
        """Whether it is of a session."""
        return self.kind in ("session", "command")

    @classmethod
    def of(cls, values: Iterable[object]) -> Unit:
        """Return a unit by its values in the order of `ORDER`: a question makes many, and names take time."""
        made = cls.__new__(cls)
        for put, value in zip(_PUT, values, strict=True):
            put(made, value)
        return made

    def with_text(self, text: str, title: str) -> Unit:
        """Return the same unit with its text and its title, which may have changed."""
        return Unit.of((*_STAYS(self), text, title))


# Columns of the index, what is made of others, and what `with_text` replaces.
COLUMNS = (
    *("id", "position", "parent", "turn", "first_line", "last_line", "content_hash", "role", "date"),
    *("category", "record", "status", "expires", "valid_from", "valid_until", "source", "scope"),
)
ORDER = (*COLUMNS, "kind", "key", "path", "supersedes", "masked", "stamp", "text", "title")
_PUT = [dict(Unit._put)[name] for name in ORDER]  # noqa: SLF001 - of its base
_STAYS = attrgetter(*ORDER[:-2])


def kind_of(unit_id: int) -> str:
    """Return the kind of a unit, which is part of its id."""
    return KINDS[unit_id & 15]


class Match(Value):
    """A unit found by words: its score (higher is better) and the matching terms of the query."""

    unit_id: int
    score: float
    terms: list[str]


class Session(Value):
    """A session in which a text was talked about: how much of it, and the turn that has most of it."""

    best: float  # the score of that turn
    files: list[str]  # that it names or changed
    in_files: float  # how much of the text is in their names
    path: str
    score: float
    started: str
    unit_id: int


FILE = "file"
CHECKS = ("test", "lint", "build", "run")


class Work(Value):
    """Something that was done in a session: a file that was changed, or a check that was run."""

    kind: str  # FILE, or one of CHECKS
    ok: bool
    path: str  # of the session
    time: str
    what: str


class Term(Value):
    """A word of a query as the index knows it, and the number of units with it."""

    term: str
    df: int
    weight: float  # 1; less for another form of a word; 0 for a stop word ("the")


class Analysis(Value):
    """The terms of a query, and the number of units that their frequencies refer to."""

    terms: list[Term]
    total: int


class State(Value):
    """Whether an answer covers everything, and if not, what is missing and why."""

    complete: bool
    missing: list[str]  # what could not be read now: "<path>: <why>"
    damaged: list[str]  # what was read as far as it goes, and need not be read again
    notes: list[str]  # problems that leave the answer complete (read-only cache, …)
    files: int
    units: int
    changed: int  # files that this call reread or dropped
    is_behind: bool = False  # the time was up before all files were looked at
