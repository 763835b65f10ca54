"""One record: its fields, and which texts may become one. `store/entry.py` parses its file."""

from __future__ import annotations

from memolith.base.errors import InputError, TooLargeError
from memolith.base.values import Value
from memolith.memory import arguments, entries
from memolith.store import layout
from memolith.store.entry import holds
from memolith.text import markdown
from memolith.text.budget import utf8_len
from memolith.text.words import likeness

MAX_BYTES = 8_192
_ROLES = ("user:", "assistant:", "human:", "ai:", "system:", "tool:", "agent:")


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
        sources=parsed.items("sources"),
        supersedes=parsed.items("supersedes"),
    )


def check_text(text: str) -> None:
    """Refuse text that is not a single fact: empty, too long, or a conversation."""
    arguments.check_text(text)
    size = utf8_len(text)
    if size > MAX_BYTES:
        raise TooLargeError(
            f"{size:,} bytes are too much for one record (limit {MAX_BYTES:,}); store the fact, and where "
            "the rest is, or write a note"
        )
    turns = sum(line.strip().lstrip("*#> ").casefold().startswith(_ROLES) for line in text.splitlines())
    if turns >= 4:
        raise InputError(
            f"this is a conversation ({turns} turns), not a fact; write down what was learned in it"
        )


def in_words(record: Record) -> str:
    """Return a record in words."""
    return f"{record.title}\n{record.body}"


def replaces(record: Record, title: str, text: str, *, named: bool) -> bool:
    """Whether a new fact replaces an older one: the same title, or another value for the same thing."""
    same_title = markdown.same_line(record.title).casefold() == title.casefold()
    if named and not likeness.same(record.title, markdown.first_line(record.body, 80)):
        return same_title  # both have explicit titles: different titles mean different subjects
    return same_title or likeness.contradicts(record.body, text)
