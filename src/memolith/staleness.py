"""What holds now: dates and status of a unit, and which of two statements about one thing came later.

A memory is added to more than it is corrected. "Deploys go through X" stays on disk when somebody writes
"deploys moved to Y", and it often answers a question in better words. So among what was found, a later
statement that reads like a change and is about the same thing goes before the earlier one. Nothing is
hidden by this: that needs a person's or an agent's word (`supersedes`, `status`, `valid_until`).
"""

from __future__ import annotations

from memolith.text import terms

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
# How much of a statement must be in a later one that reads like a change of it.
SAME_SUBJECT = 0.22
_SAME_ANSWER = 0.12
_RARE = 0.4  # ... and so much of that when rare words count more
# Without a word of change, a later statement must say nearly the same.
_SAME_SENTENCE = 0.6
_LONG = 60  # more terms than that are a document, not a statement
_CONTEXT = frozenset(["current", "currently", "user", "users", "today", "date", "every", "always"])
_IGNORED = frozenset(terms.count(" ".join([*sorted(_CONTEXT), *sorted(terms.STOP)]))[0])


class Statement:
    """What a unit says, for comparing it with others."""

    __slots__ = ("changes", "date", "subject")

    def __init__(self, unit: Unit) -> None:
        text = unit.text or ""
        named = unit.title not in unit.path  # a title that is the file's name says nothing
        words = f"{text} {unit.title}".split() if named else text.split()
        # As it is written: "rotated" tells of a change, "the rotation" is what one may be about.
        about = [word for word in words if not _is_change(word)]
        found = terms.count(" ".join(about))[0]
        self.subject = {term for term in found if term not in _IGNORED and not term.isdigit()}
        signs = any(sign in text for sign in _CHANGE_SIGNS)
        self.changes = signs or any(_is_change(word) for word in text.split())
        self.date = unit.date


def _is_change(word: str) -> bool:
    return word.strip(".,;:!?\"'()[]").casefold() in _CHANGE


def replaces(
    later: Statement, earlier: Statement, common: float | None = None, *, asked_alike: bool = False
) -> bool:
    """Tell whether a statement seems to say anew what another one said before it.

    `common` is how much of the earlier one is in the later one when rare words count more, where that is
    known: what all facts about the billing service share is not enough. `asked_alike` says that both
    answer a question in the same words: then they need less in common.
    """
    if later.date <= earlier.date or len(later.subject) > _LONG or len(earlier.subject) > _LONG:
        return False
    shared = overlap(later, earlier)
    if not later.changes:
        return shared >= _SAME_SENTENCE
    least = _SAME_ANSWER if asked_alike else SAME_SUBJECT
    return shared >= least and (common is None or common >= least * _RARE)


def overlap(one: Statement, other: Statement) -> float:
    """Return how much of the shorter statement is in the other one, from 0 to 1."""
    least = min(len(one.subject), len(other.subject))
    return len(one.subject & other.subject) / least if least else 0.0


def holds(unit: Unit, day: str, *, past: bool = False) -> bool:
    """Tell whether a unit is to be recalled on a day; `past` asks for what held then, not for what holds now.

    The last day of a validity still counts. What was superseded since then held in the past.
    """
    if unit.status == "quarantined" or (unit.status in ("archived", "superseded") and not past):
        return False
    if past and unit.date[:10] > day:
        return False
    if unit.valid_from[:10] > day:
        return False
    return not any(last and last[:10] < day for last in (unit.expires, unit.valid_until))


def superseded(units: Iterable[Unit], day: str, *, past: bool = False) -> set[tuple[str, str]]:
    """Return scope and id of the records that others among these replace, as of a day."""
    return {
        (unit.scope, old)
        for unit in units
        if unit.supersedes and holds(unit, day, past=past)
        for old in unit.supersedes
        if old != unit.record
    }
