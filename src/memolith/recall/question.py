"""A question as a value: what is asked, of which scopes, kinds and days; and what its words are."""

from __future__ import annotations

from memolith.base.errors import InputError, NotFoundError
from memolith.index import KINDS
from memolith.store import layout
from memolith.store.screen import quoted
from memolith.text.source_label import is_outside
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memolith.index import Unit
    from memolith.memory.home import Home

MAX_LIMIT = 1000
_MAX_QUERY = 4000  # characters of a ticket that are asked
_MARKS = ".,;:!?\"'()[]{}`"


class Question:
    """What is asked, and of what."""

    __slots__ = ("categories", "day", "kinds", "limit", "past", "query", "since", "slugs", "unasked")

    def __init__(
        self,
        query: str,
        slugs: Sequence[str],
        day: str,
        *,
        limit: int = 10,
        kinds: Collection[str] | None = None,
        categories: Collection[str] | None = None,
        since: str | None = None,
        as_of: str | None = None,
        unasked: bool = False,
    ) -> None:
        if not 1 <= limit <= MAX_LIMIT:
            raise InputError(f"limit = {limit} is not allowed; give 1 to {MAX_LIMIT}")
        for date in (since, as_of):
            if date is not None and not layout.is_date(date):
                raise InputError(f"{quoted(date)} is not a date; write it as YYYY-MM-DD")
        unknown = sorted(set(kinds or ()) - set(KINDS))
        if unknown:
            raise InputError(f"unknown kind {quoted(unknown[0])}; one of {', '.join(KINDS)}")
        self.query, self.slugs, self.limit = query, list(slugs), limit
        self.kinds, self.categories, self.since = kinds, categories, since
        self.day, self.past, self.unasked = as_of or day, as_of is not None, unasked

    def allows(self, unit: Unit) -> bool:
        """Whether a unit is among those that are asked."""
        if self.unasked and is_outside(unit.source):
            return False  # only who asks is shown it
        if self.kinds is not None and unit.kind not in self.kinds:
            return False
        if self.categories is not None and unit.category not in self.categories:
            return False
        return self.since is None or unit.date[:10] >= self.since


def spelled(query: str) -> dict[str, str]:
    """Return the words of a question by the terms they are searched as."""
    return {term: word.strip(_MARKS) for word in reversed(query.split()) for term in terms.of_query(word)}


def names(query: str) -> set[str]:
    """Return the terms of what looks like a name: a capital within a sentence, small letters after it."""
    found: set[str] = set()
    begins = True
    for chunk in query.split():
        word = chunk.strip(_MARKS).removesuffix("'s").removesuffix("’s")
        if not begins and word[:1].isupper() and word[1:].islower() and word.isalpha():
            found.update(terms.of_query(word))
        begins = chunk.endswith((".", "?", "!", ":"))
    return found


def ticket_query(home: Home, ticket: str, context: str = "") -> str:
    """Return the question that a ticket is: its title, its description, and what else is said."""
    slugs = [home.project]
    home.index.sync(slugs)
    tickets = [unit for unit in home.index.by_record(slugs, [ticket]) if unit.kind == "ticket"]
    found = home.index.with_text(tickets[:1])
    if not found:
        raise NotFoundError(
            f"there is no ticket {quoted(ticket)} in this project; `memolith ticket list` shows all"
        )
    unit = found[0]
    description = (unit.text or "").partition("\n## Notes")[0]
    return " ".join(f"{unit.title} {description} {context}".split())[:_MAX_QUERY]
