"""What holds now: dates and status of a unit, and which of two statements about one thing came later.

A memory is added to more than it is corrected. "Deploys go through X" stays on disk when somebody writes
"deploys moved to Y", and it often answers a question in better words. So among what was found, a later
statement that reads like a change and is about the same thing goes before the earlier one. Nothing is
hidden by this: that needs a person's or an agent's word (`supersedes`, `status`, `valid_until`).
"""

from __future__ import annotations

from functools import cached_property  # which SQLite imports anyway

from memolith.base.lean import lru_cache
from memolith.recall import weights
from memolith.store import entry
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.index import Unit

# Words with which people say that something is different now, as they are in a text.
_CHANGES = (
    # it became another one, or somewhere else
    "move moves moved moving migrate migrated migrating switch switched switching rename renamed replace "
    "replaced replacement change changed changes convert converted swap swapped transfer transferred "
    "shift shifted split merged consolidated reassigned rebuilt rebranded rewritten reworked "
    "reprovisioned relocated redirected rotated pivoted promoted appointed became become becomes turned "
    "cut cutover "
    # it became more, less, newer
    "raise raised lower lowered increase increased decrease decreased reduce reduced extend extended shorten "
    "shortened upgrade upgraded downgraded bumped grew crossed pulled pushed "
    # it began or ended
    "start started began begin stop stopped quit left leaving dropped drop retire retired decommissioned "
    "deprecated discontinued withdrawn removed deleted cancelled closed ended adopted adopt joined bought "
    "sold took got avoiding gave superseded vacated introduced "
    # it went back
    "again back revert reverted restored returned went "
    # somebody looked, where there was only hearsay
    "saw checked looked verified confirmed measured noticed "
    # how it is now, how it was
    "now longer anymore instead currently previous previously former formerly old older new newer latest "
    "recently just entirely since "
    # the same in other languages
    "jetzt nun stattdessen umgezogen ersetzt umbenannt gewechselt geändert maintenant désormais remplacé "
    "déplacé renommé changé ahora cambió cambiado reemplazado adesso sostituito spostato agora mudou "
    "substituído теперь заменён перенесён переименован"
)
_CHANGE = frozenset(_CHANGES.split())
# Written without spaces, so they are looked for anywhere.
_CHANGE_SIGNS = ("现在", "改为", "改成", "不再", "換成", "現在", "変更", "移行", "이제", "변경")
_AROUND = ".,;:!?\"'()[]"
_CONTEXT = frozenset(["current", "currently", "user", "users", "today", "date", "every", "always"])


@lru_cache(maxsize=1)
def _ignored() -> frozenset[str]:
    """Return the terms that say nothing about a subject. At the first use: it is too slow for an import."""
    return frozenset(terms.count(" ".join([*sorted(_CONTEXT), *sorted(terms.STOP)]))[0])


class Statement:
    """What a unit says, for comparing it with others."""

    def __init__(self, unit: Unit) -> None:
        self._text = unit.text or ""
        # A title that is the file's name says nothing.
        self._title = "" if unit.title in unit.path else unit.title
        self.date = unit.date

    @property
    def is_document(self) -> bool:
        """Whether it is too long for a statement."""
        return len(self._text) > weights.DOCUMENT

    # Most are never compared, as they are as old as the others.
    @cached_property
    def words(self) -> set[str]:
        """The words as they are written."""
        return {word.strip(_AROUND) for word in self._text.casefold().split()}

    @cached_property
    def changes(self) -> bool:
        """Whether it reads like a change of something."""
        return not _CHANGE.isdisjoint(self.words) or any(sign in self._text for sign in _CHANGE_SIGNS)

    @cached_property
    def subject(self) -> set[str]:
        """The terms that say what it is about."""
        # As it is written: "rotated" tells of a change, "the rotation" is what one may be about.
        words = f"{self._text} {self._title}".split()
        found = terms.count(" ".join(word for word in words if _bare(word) not in _CHANGE))[0]
        ignored = _ignored()
        return {term for term in found if term not in ignored and not term.isdigit()}


def _bare(word: str) -> str:
    return word.strip(_AROUND).casefold()


def replaces(
    later: Statement, earlier: Statement, common: float | None = None, *, asked_alike: bool = False
) -> bool:
    """Whether a statement seems to replace what another one said before it.

    `common` is how much of the earlier one is in the later one when rare words count more, where that is
    known: what all facts about the billing service share is not enough. `asked_alike` says that both
    answer a question in the same words: then they need less in common.
    """
    if later.date <= earlier.date or later.is_document or earlier.is_document:
        return False
    if not later.changes:
        # Compared as it is written first: to take all words apart is what would take long.
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
    """Whether a unit is to be recalled on a day; `past` asks for what held then, not for what holds now.

    What was archived or superseded since then held in the past.
    """
    if unit.status == "quarantined" or (unit.status in ("archived", "superseded") and not past):
        return False
    if past and unit.date[:10] > day:
        return False
    return entry.holds(day, unit.expires, unit.valid_from, unit.valid_until)


def superseded(units: Iterable[Unit], day: str, *, past: bool = False) -> set[tuple[str, str]]:
    """Return scope and id of the records that others among these replace, as of a day."""
    return {
        (unit.scope, old)
        for unit in units
        if unit.supersedes and holds(unit, day, past=past)
        for old in unit.supersedes
        if old != unit.record
    }
