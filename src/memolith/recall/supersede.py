"""What is valid now: dates and status of a unit, and which of two statements about one thing is later.

People add to a memory more often than they correct it. "Deploys go through X" stays on disk when somebody
writes "deploys moved to Y", and often it matches a question better. So a later hit that reads like a change
of the same thing goes before the earlier one. This hides nothing: only a person or an agent can do that, with
`supersedes`, `status` or `valid_until`.
"""

from __future__ import annotations

from functools import cached_property  # SQLite imports it anyway

from memolith.base.lean import lru_cache
from memolith.recall import weights
from memolith.store import entry
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.index import Unit

# Words that announce a change, as they occur in a text.
_CHANGES = (
    # became another one, or moved
    "move moves moved moving migrate migrated migrating switch switched switching rename renamed replace "
    "replaced replacement change changed changes convert converted swap swapped transfer transferred "
    "shift shifted split merged consolidated reassigned rebuilt rebranded rewritten reworked "
    "reprovisioned relocated redirected rotated pivoted promoted appointed became become becomes turned "
    "cut cutover "
    # became more, less, newer
    "raise raised lower lowered increase increased decrease decreased reduce reduced extend extended shorten "
    "shortened upgrade upgraded downgraded bumped grew crossed pulled pushed "
    # began or ended
    "start started began begin stop stopped quit left leaving dropped drop retire retired decommissioned "
    "deprecated discontinued withdrawn removed deleted cancelled closed ended adopted adopt joined bought "
    "sold took got avoiding gave superseded vacated introduced "
    # went back
    "again back revert reverted restored returned went "
    # verified, instead of hearsay
    "saw checked looked verified confirmed measured noticed "
    # now versus before
    "now longer anymore instead currently previous previously former formerly old older new newer latest "
    "recently just entirely since "
    # other languages
    "jetzt nun stattdessen umgezogen ersetzt umbenannt gewechselt geändert maintenant désormais remplacé "
    "déplacé renommé changé ahora cambió cambiado reemplazado adesso sostituito spostato agora mudou "
    "substituído теперь заменён перенесён переименован"
)
_CHANGE = frozenset(_CHANGES.split())
# Languages without spaces: matched anywhere.
_CHANGE_SIGNS = ("现在", "改为", "改成", "不再", "換成", "現在", "変更", "移行", "이제", "변경")
_AROUND = ".,;:!?\"'()[]"
_CONTEXT = frozenset(["current", "currently", "user", "users", "today", "date", "every", "always"])


@lru_cache(maxsize=1)
def _ignored() -> frozenset[str]:
    """Return the terms that say nothing about a subject. Built on first use: too slow for an import."""
    return frozenset(terms.count(" ".join([*sorted(_CONTEXT), *sorted(terms.STOP)]))[0])


class Statement:
    """A unit's statement, prepared for comparison with others."""

    def __init__(self, unit: Unit) -> None:
        self._text = unit.text or ""
        # A title that is only the file name says nothing.
        self._title = "" if unit.title in unit.path else unit.title
        self.date = unit.date

    @property
    def is_document(self) -> bool:
        """Whether it is too long to be a statement."""
        return len(self._text) > weights.DOCUMENT

    # Computed lazily: most are never compared, because they are as old as the others.
    @cached_property
    def words(self) -> set[str]:
        """The words as written."""
        return {word.strip(_AROUND) for word in self._text.casefold().split()}

    @cached_property
    def changes(self) -> bool:
        """Whether it reads like a change."""
        return not _CHANGE.isdisjoint(self.words) or any(sign in self._text for sign in _CHANGE_SIGNS)

    @cached_property
    def subject(self) -> set[str]:
        """The terms that say what it is about."""
        # As written: "rotated" announces a change, "the rotation" may be the subject of one.
        words = f"{self._text} {self._title}".split()
        found = terms.count(" ".join(word for word in words if _bare(word) not in _CHANGE))[0]
        ignored = _ignored()
        return {term for term in found if term not in ignored and not term.isdigit()}


def _bare(word: str) -> str:
    return word.strip(_AROUND).casefold()


def replaces(
    later: Statement, earlier: Statement, common: float | None = None, *, asked_alike: bool = False
) -> bool:
    """Whether a statement seems to replace an earlier one.

    `common`, if known, is how much of the earlier one is in the later one, weighted by rarity: words that all
    facts about the billing service share are not enough. `asked_alike` means that both match a question in
    the same words: then they need less in common.
    """
    if later.date <= earlier.date or later.is_document or earlier.is_document:
        return False
    if not later.changes:
        # Compare the words as written first: stemming them all would be slow.
        return (
            _same(later.words, earlier.words) >= weights.SAME_SENTENCE / 2
            and overlap(later, earlier) >= weights.SAME_SENTENCE
        )
    shared = overlap(later, earlier)
    least = weights.SAME_ANSWER if asked_alike else weights.SAME_SUBJECT
    return shared >= least and (common is None or common >= least * weights.RARE)


def overlap(one: Statement, other: Statement) -> float:
    """Return how much of the shorter statement is in the other one, from 0 to 1."""
    if len(one.subject) > weights.LONG or len(other.subject) > weights.LONG:
        return 0.0
    return _same(one.subject, other.subject)


def _same(one: set[str], other: set[str]) -> float:
    least = min(len(one), len(other))
    return len(one & other) / least if least else 0.0


def holds(unit: Unit, day: str, *, past: bool = False) -> bool:
    """Whether to recall a unit on a day; `past` asks what was valid then, not what is valid now.

    A unit that was archived or superseded later was valid in the past.
    """
    if unit.status == "quarantined" or (unit.status in ("archived", "superseded") and not past):
        return False
    if past and unit.date[:10] > day:
        return False
    return entry.holds(day, unit.expires, unit.valid_from, unit.valid_until)


def superseded(units: Iterable[Unit], day: str, *, past: bool = False) -> set[tuple[str, str]]:
    """Return scope and id of the records that others among these units replace, as of a day."""
    return {
        (unit.scope, old)
        for unit in units
        if unit.supersedes and holds(unit, day, past=past)
        for old in unit.supersedes
        if old != unit.record
    }
