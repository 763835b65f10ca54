"""A Markdown file with a head (a note, record, ticket or held text): one parser for library and index.

The id is the file name: a head that says otherwise would make the entry unreachable. Missing fields get
defaults. Text in, values out.
"""

from __future__ import annotations

from memolith.store.layout import is_date
from memolith.text import frontmatter, markdown
from memolith.text.source_label import of_note

STATUSES = ("active", "candidate", "superseded", "archived", "quarantined")
TICKET_STATUSES = ("open", "in_progress", "done", "closed")
# Fields of a head by which the file is to be found, and those that describe it and are not searched.
NAMED = ("title", "name", "aliases", "keywords", "tags", "description")
ABOUT = frozenset(
    [
        *("id", "category", "scope", "type", "priority", "status", "temporal", "supersedes", "sessions"),
        *("created", "updated", "since", "expires", "valid_from", "valid_until", "imported"),
        *("source", "origin", "taint", "accepted", "call", "reasons"),
    ]
)
_FIRST_LINE = 80  # characters of a record's first line that may be its title


class Entry:
    """The parsed fields of a file. Dates are YYYY-MM-DD, perhaps with a time, or empty."""

    __slots__ = ("expires", "id", "kind", "origin", "parsed", "status", "title", "valid_from", "valid_until")

    def __init__(self, kind: str, name: str, text: str) -> None:
        parsed = frontmatter.split(text)
        self.kind, self.parsed = kind, parsed
        self.id = name.removesuffix(".md")
        self.title = _title(kind, parsed) or self.id
        self.status = _status(kind, parsed)
        self.origin = of_note(text)  # where it came from, if not from its user or their agent
        self.expires = self.date("expires")
        self.valid_from = self.date("valid_from")
        self.valid_until = self.date("valid_until")

    def holds(self, day: str) -> bool:
        """Whether it holds on a day, by its status and its dates."""
        return self.status == "active" and holds(day, self.expires, self.valid_from, self.valid_until)

    def date(self, key: str) -> str:
        """Return a field if it is a date, else nothing."""
        value = self.parsed.get(key).strip()
        return value if is_date(value[:10]) else ""


def said(text: str) -> str:
    """Return what a file says: of its head what it is to be found by, where the text does not say it, too."""
    parsed = frontmatter.split(text)
    if not parsed.head or parsed.problem:
        return text
    keys = (*NAMED, *(key for key in parsed.fields if key not in ABOUT and key not in NAMED))
    below = parsed.body.casefold()
    fields = ([each for each in parsed.items(key) if each.casefold() not in below] for key in keys)
    return "\n".join([", ".join(each) for each in fields if each] + [parsed.body])


def holds(day: str, expires: str, valid_from: str, valid_until: str) -> bool:
    """Whether an entry holds on a day, by its dates.

    `expires` is the last day on which it holds, `valid_until` the first on which it no longer does.
    """
    return not (
        (expires and expires[:10] < day) or valid_from[:10] > day or (valid_until and valid_until[:10] <= day)
    )


def is_over(day: str, expires: str, valid_until: str) -> bool:
    """Whether an entry held once and no longer does, by its dates."""
    return not holds(day, expires, "", valid_until)


def _title(kind: str, parsed: frontmatter.Parsed) -> str:
    """Return the title in the head, else the heading, else for a record or ticket its first line.

    A note has a `name`; the title of a held text is in the call that it waits for.
    """
    call = parsed.fields.get("arguments") if kind == "inbox" else None
    fields = call if isinstance(call, dict) else parsed.fields
    keys = {"note": ("name", "title"), "inbox": ("title", "name", "heading", "section")}
    candidates = (fields.get(key) for key in keys.get(kind, ("title", "name")))
    title = next((each for each in candidates if isinstance(each, str) and each.strip()), "")
    # After an unreadable head, the body may be the whole file.
    body = parsed.body.removeprefix("---") if parsed.problem else parsed.body
    title = title or markdown.heading_title(body)
    if not title and kind in ("record", "ticket"):
        title = markdown.first_line(body, _FIRST_LINE)
    return markdown.same_line(title)


def _status(kind: str, parsed: frontmatter.Parsed) -> str:
    word = parsed.get("status").strip().lower()
    known = (*STATUSES, *TICKET_STATUSES) if kind == "ticket" else STATUSES
    return word if word in known else "open" if kind == "ticket" else "active"
