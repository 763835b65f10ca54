"""The values that travel between the rooms. They have no behaviour beyond access to their fields.

Plain classes instead of dataclasses: importing `dataclasses` costs as much as starting Python,
and every prompt pays for it (docs/design.md, "Speed").
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any, ClassVar, Literal, Self, dataclass_transform

    Target = Literal["long_term", "scratchpad", "daily", "note"]
    Mode = Literal["append", "overwrite"]
    Scope = Literal["project", "user"]
    NoteKind = Literal["user", "project", "domain", "preference", "reference"]
else:

    def dataclass_transform(**_: bool) -> object:
        """Stand in for `typing.dataclass_transform`, which is slow to import."""
        return lambda made: made


MAX_INJECT_BYTES = 32_768
MAX_WRITE_BYTES = 65_536
# Longer text is a mistake (a log, a binary), not a long memory: it is refused, not cut.
MAX_ACCEPT_BYTES = 1_048_576
TRUNCATED = "…[memory truncated]"
# Which file a write goes to, and how it treats existing text. Callers can also use the enums in `choices`.
TARGETS = ("long_term", "scratchpad", "daily", "note")
MODES = ("append", "overwrite")
NOTE_KINDS = ("user", "project", "domain", "preference", "reference")
# What can be recalled. The index stores the position in this list; append new ones.
HIT_KINDS = (
    *("memory", "note", "record", "daily", "session", "ticket", "skill", "summary", "inbox"),
    "command",  # what a tool was asked to do in a session, and how it failed
)


class _Fields(type):
    """Turns the annotated names of a class into its slots, so that they are written only once."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        fields = body["__slots__"] = tuple(sorted(body.get("__annotations__", ())))
        body["_defaults"] = {each: body.pop(each) for each in fields if each in body}
        made = super().__new__(cls, name, bases, body)
        # How each is set, since nobody else may set one. One question creates hundreds of values.
        setattr(made, "_put", tuple((each, getattr(made, each).__set__) for each in fields))  # noqa: B010 - not a field
        return made


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(metaclass=_Fields):
    """Base of small immutable records: fields are keyword-only, equality is by value."""

    if TYPE_CHECKING:
        __slots__: ClassVar[tuple[str, ...]]
        _defaults: ClassVar[dict[str, object]]
        _put: ClassVar[tuple[tuple[str, Callable[[object, object], None]], ...]]

    def __init__(self, **fields: object) -> None:
        puts = self._put
        if len(fields) != len(puts):
            fields = {**self._defaults, **fields}
        for name, put in puts:
            put(self, fields[name])
        if len(fields) != len(puts):
            raise self._unknown(fields)

    def _unknown(self, fields: dict[str, object]) -> TypeError:
        return TypeError(
            f"{type(self).__name__} has no field {', '.join(fields.keys() - set(self.__slots__))}"
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(self) is not type(other):
            return NotImplemented
        return self.as_dict() == other.as_dict()

    # Fields may be lists, so values are not hashable.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inner = ", ".join(f"{k}={getattr(self, k)!r}" for k in self.__slots__)
        return f"{type(self).__name__}({inner})"

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    def but(self, **changes: object) -> Self:
        """Return a copy with some fields changed."""
        made = type(self).__new__(type(self))
        for name, put in self._put:
            put(made, changes[name] if name in changes else getattr(self, name))
        if not changes.keys() <= set(self.__slots__):
            raise self._unknown(changes)
        return made


class Source(Value):
    """Where a text comes from. The write path decides that, never the text itself."""

    accepted: bool  # whether a person reviewed and accepted it
    origin: str  # one of ORIGINS
    taint: str  # whose words these are if the origin does not tell: one of TAINTS or OWN, or empty

    def __init__(self, origin: str, taint: str = "", *, accepted: bool = False) -> None:
        super().__init__(origin=origin, taint=taint, accepted=accepted)

    @property
    def trusted(self) -> bool:
        """Whether a person wrote it, or an agent on their behalf: it needs no label."""
        return not self.taint and self.origin in ("user", "agent")

    @property
    def outside(self) -> bool:
        """Whether it is somebody else's text that no person has accepted: shown only on request."""
        return not (self.trusted or self.accepted or self.taint in OWN)

    def as_dict(self) -> dict[str, object]:
        """Return origin and taint, ready for JSON."""
        return {"origin": self.origin, "taint": self.taint}

    def __str__(self) -> str:
        return ", ".join(filter(None, [self.origin, self.taint, "accepted" if self.accepted else ""]))


ORIGINS = ("user", "agent", "extracted", "imported")
# Who else may have written a text: a web page, a tool's output, a foreign repository, or the author of
# something a person pasted.
TAINTS = ("web", "tool", "repository", "pasted")
# The user's or agent's own words, extracted or imported.
OWN = ("user", "agent")


class OfFile(Value):
    """A value about a file; its `filename` becomes `path` for callers and in JSON."""

    if TYPE_CHECKING:
        filename: str

    @property
    def path(self) -> Path:
        """The file."""
        from pathlib import Path

        return Path(self.filename)

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        fields = super().as_dict()
        return {"path": fields.pop("filename"), **fields}


class WriteResult(OfFile):
    """The result of a write. `bytes` counts the content written, after caps and duplicates.

    `sha256` is the hash of the file afterwards: pass it as `if_sha256` to change only that version. `held` is
    the review id if the text waits for a person, else None.
    """

    bytes: int = 0
    filename: str
    held: str | None = None
    message: str
    sha256: str = ""
    skipped: int = 0
    warnings: list[str]

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"warning: {w}" for w in self.warnings)])


class Hit(OfFile):
    """One search result: its place, its score, the reasons for it, and its text around the match."""

    also: list[str]  # ids of other places that say the same
    category: str
    date: str
    filename: str  # its path on disk
    id: str  # stable: the path in the store with the lines, or session:<agent>-<id>#<turn>
    kind: str
    line: int | None
    origin: str  # where the text came from, if not from the user or their agent
    record: str  # the id of a record, ticket or session
    scope: str  # project or user
    score: float
    snippet: str
    source: str  # what to open: path:line, or the session and its turn
    text: str
    title: str
    turn: int | None
    weak: bool = False  # the best there is, but hardly anything shows that it is about the question
    why: str

    @property
    def reasons(self) -> str:
        """Why it was found, for a person: without weights such as (1.03)."""
        shown: list[str] = []
        for word in self.why.split():
            if shown and word[0] == "(" and word.strip("(.);,")[:1].isdigit():
                shown[-1] += word.partition(")")[2]  # what separates it from the next
            else:
                shown.append(word)
        return " ".join(shown)

    def as_dict(self) -> dict[str, object]:
        """Return the fields of the stable interface, ready for JSON."""
        return {key: value for key, value in super().as_dict().items() if key != "text"}


class Recall(Value):
    """The hits for a question, best first, and whether everything could be searched."""

    complete: bool
    hits: list[Hit]
    missing: list[str]  # "<path>: <why>"
    notes: list[str]
    query: str

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def as_dict(self) -> dict[str, object]:
        """Return the answer ready for JSON."""
        return {
            "query": self.query,
            "hits": [hit.as_dict() for hit in self.hits],
            "complete": self.complete,
            "missing": self.missing,
            "notes": self.notes,
        }


class Version(Value):
    """One entry of a file's history: the state before a change."""

    by: str  # whose text the change added (ORIGINS), or empty
    filename: str
    id: int
    op: str
    size: int | None
    time: str
    undoes: int | None


class Tool(Value):
    """One tool: its JSON schema and its `kind`, by which a host decides about approval.

    `read` changes nothing. `add` stores a fact or a newer version of one, so the user cannot lose anything.
    `change` rewrites or deletes existing text.
    """

    description: str
    kind: str
    name: str
    schema: dict[str, Any]

    @property
    def needs_approval(self) -> bool:
        """Whether a host that asks its user before editing files should ask for this tool too."""
        return self.kind == "change"


class Answer(Value):
    """The result of a call: text for the model and the same as data; `error` if nothing was done."""

    data: dict[str, object]
    error: bool
    text: str
