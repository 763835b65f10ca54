"""What recall gives back: hits, and whether everything was looked at."""

from __future__ import annotations

from memolith.base.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Hit(Value):
    """One thing that is known: where it stands, how well it answers, why, and its text around the match."""

    also: list[str]  # ids of other places that say the same
    category: str
    date: str
    filename: str  # where it is on disk
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
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return the fields that are kept stable, ready for JSON."""
        fields = super().as_dict()
        del fields["text"]
        return {"path": fields.pop("filename"), **fields}


class Recall(Value):
    """The hits of a question, best first, and whether everything was looked at."""

    complete: bool
    hits: list[Hit]
    missing: list[str]  # "<path>: <why>"
    notes: list[str]
    query: str

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def with_hits(self, hits: list[Hit]) -> Recall:
        """Return the same answer with other hits."""
        return self.but(hits=hits)

    def without(self, missing: list[str]) -> Recall:
        """Return the same answer, of which more is missing."""
        more = [*self.missing, *missing]
        return self.but(complete=self.complete and not missing, missing=more)

    def as_dict(self) -> dict[str, object]:
        """Return the answer ready for JSON."""
        return {
            "query": self.query,
            "hits": [hit.as_dict() for hit in self.hits],
            "complete": self.complete,
            "missing": self.missing,
            "notes": self.notes,
        }
