"""One record as its file has it: a typed fact with its metadata, defaults for what a person left out."""

from __future__ import annotations

from memolith.base.values import Value
from memolith.memory import entries
from memolith.store import layout
from memolith.store.entry import holds, is_over


class Record(Value):
    """One fact with its metadata. Dates are YYYY-MM-DD or empty."""

    aliases: list[str]
    body: str
    category: str
    created: str
    expires: str
    filename: str
    id: str
    keywords: list[str]
    origin: str  # where it came from, if not from the user or their agent
    problem: str | None
    scope: str
    source: str
    sources: list[str]
    status: str
    supersedes: list[str]
    temporal: str
    title: str
    updated: str
    valid_from: str
    valid_until: str

    def holds(self, today: str) -> bool:
        """Whether the record is valid on a day, by its own dates and status."""
        return self.status == "active" and holds(today, self.expires, self.valid_from, self.valid_until)

    def is_over(self, today: str) -> bool:
        """Whether the record was valid once and no longer is, by its own dates."""
        return is_over(today, self.expires, self.valid_until)


def read(root: str, relative: str, *, strict: bool = False) -> Record | None:
    """Parse a record's file, with defaults for missing fields; None if it cannot be read."""
    loaded = entries.load(root, relative, "record", strict=strict)
    if loaded is None:
        return None
    entry, changed = loaded
    parsed = entry.parsed
    return Record(
        id=entry.id,
        filename=relative,
        category=relative.split("/")[-2],
        scope="project" if layout.scope_of(relative) else "user",
        title=entry.title,
        body=parsed.body,
        created=parsed.get("created") or changed,
        updated=parsed.get("updated") or changed,
        source=parsed.get("source") or "user",
        origin=entry.origin,
        status=entry.status,
        temporal="temporary" if parsed.get("temporal") == "temporary" else "permanent",
        problem=parsed.problem,
        expires=entry.expires,
        valid_from=entry.valid_from,
        valid_until=entry.valid_until,
        aliases=parsed.items("aliases"),
        keywords=parsed.items("keywords"),
        sources=entries.sources(parsed),
        supersedes=parsed.items("supersedes"),
    )
