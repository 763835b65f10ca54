"""What is valid now: dates and status of a unit, and which of two statements about one thing is later.

People add to a memory more often than they correct it. "Deploys go through X" stays on disk when somebody
writes "deploys moved to Y", and often it matches a question better. So a later hit that reads like a change
of the same thing goes before the earlier one. This hides nothing: only a person or an agent can do that, with
`supersedes`, `status` or `valid_until`.
"""

from __future__ import annotations

import time
from functools import cached_property  # SQLite imports it anyway

from memolith.base.lean import lru_cache
from memolith.recall import weights
from memolith.store import entry
from memolith.text.source_label import is_outside
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

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
    "longer anymore instead previous previously former formerly old older new newer latest "
    "recently just entirely since "
    # other languages
    "stattdessen umgezogen ersetzt umbenannt gewechselt geändert remplacé "
    "déplacé renommé changé cambió cambiado reemplazado sostituito spostato mudou "
    "substituído заменён перенесён переименован"
)
# Words for the present, which may stand anywhere in a sentence.
_PRESENT = "now currently jetzt nun maintenant désormais ahora adesso agora теперь"
_NOW = frozenset(_PRESENT.split())
_CHANGE = frozenset(_CHANGES.split()) | _NOW
# Words for place and possession, before what a sentence is about.
_PLACES = (
    "of for on in at from with by per the a an my our your his her their der die das des dem den ein eine "
    "von für im auf mein meine unser le la les l du de des un une mon ma notre el los las del mi nuestro o "
    "os as do da dos das um uma meu minha il lo gli della"
)
_BEFORE_NAMES = frozenset(_PLACES.split())
# Languages without spaces: matched anywhere.
_SIGNS = (
    "现在 改为 改成 改用 换成 换为 不再 迁移到 換成 現在 変更 変わ 変え 移行 切り替え 廃止 代わりに "
    "이제 변경 바뀌 바꿨 옮겼 대신"
)
_CHANGE_SIGNS = tuple(_SIGNS.split())
_AROUND = ".,;:!?\"'()[]"
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？")
_WRAPPED = 60  # characters of a line that may go on in the next
_MOST = 60  # statements of a unit that are compared
_CONTEXT = frozenset(["current", "currently", "user", "users", "today", "date", "every", "always"])


@lru_cache(maxsize=1)
def _ignored() -> frozenset[str]:
    """Return the terms that say nothing about a subject. Built on first use: too slow for an import."""
    return frozenset(terms.count(" ".join(sorted(_CONTEXT | terms.STOP | terms.FUNCTION)))[0])


class Statement:
    """One statement of a unit, prepared for comparison with others."""

    def __init__(self, text: str, title: str = "", date: str = "") -> None:
        self.text, self.title, self.date = text, title, date

    # Computed lazily: most are never compared, because they are as old as the others.
    @cached_property
    def words(self) -> set[str]:
        """The words as written."""
        return set(self.begins)

    @cached_property
    def terms(self) -> set[str]:
        """All its terms, with those of its title: what a question may find it by."""
        return set(terms.count(f"{self.text} {self.title}")[0])

    @cached_property
    def changes(self) -> bool:
        """Whether it reads like a change."""
        signs = () if self.text.isascii() else _CHANGE_SIGNS
        return not _CHANGE.isdisjoint(self.words) or any(sign in self.text for sign in signs)

    @cached_property
    def subject(self) -> set[str]:
        """The terms that say what it is about."""
        # As written: "rotated" announces a change, "the rotation" may be the subject of one.
        words = f"{self.text} {self.title}".split()
        found = terms.count(" ".join(word for word in words if _bare(word) not in _CHANGE))[0]
        ignored = _ignored()
        # A number or a version (`1.7.5`) is a value, not the subject.
        return {term for term in found if term not in ignored and any(map(str.isalpha, term))}

    @cached_property
    def seconds(self) -> float:
        """The seconds of its time, without the minutes."""
        whole, part = self.date[17:19], self.date[20:23] if self.date[19:20] == "." else ""
        seconds = int(whole) if whole.isdecimal() else 0
        return seconds + (int(part) / 10 ** len(part) if part.isdecimal() else 0)

    @cached_property
    def begins(self) -> list[str]:
        """The words up to the value: those that a sentence with another value begins with, too."""
        return [word.strip(_AROUND) for word in self._spaced.casefold().split()]

    @cached_property
    def _spaced(self) -> str:
        """The text; where it is written without spaces, each character is a word."""
        if self.text.isascii():
            return self.text
        return "".join(f" {char} " if terms.is_dense(char) else char for char in self.text)


def statements(unit: Unit) -> list[Statement]:
    """Return what a unit says: a log or a list says something in each line, a paragraph is one statement."""
    text = unit.text or ""
    if len(text) > weights.DOCUMENT:
        return []  # a document
    # A title that is only the file name says nothing.
    title = "" if unit.title in unit.path else unit.title
    found: list[str] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        is_wrapped = bool(found) and len(found[-1]) >= _WRAPPED and not found[-1].endswith(_ENDS)
        if is_wrapped and not line.startswith(("-", "*", "+", "#")):
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    date = local(unit.date)
    if unit.kind == "daily":  # of the entries of one minute, the last is the newest
        date += f" {unit.first_line or 0:06d}"
    if len(found) == 1:
        return [Statement(found[0], title, date)]
    return [Statement(each, "", date) for each in found[:_MOST]]


def about(said: list[Statement], question: Collection[str]) -> Statement:
    """Return the statement that has most of a question; of several, the last."""
    if len(said) == 1:
        return said[0]
    return max(reversed(said), key=lambda each: len(each.terms.intersection(question)))


def local(date: str) -> str:
    """Return a time as the clock here shows it: turns have that of Greenwich, files the local one."""
    if not date.endswith("Z") or len(date) < 19:
        return date
    try:
        seconds = round((day_of(date) - _EPOCH) * 86_400)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(seconds)) + date[19:-1]
    except (ValueError, OverflowError, OSError):
        return date


def day_of(stamp: str) -> float:
    """Return a time as a number of days; 0 if it is unknown."""
    try:
        year, month, day = int(stamp[:4]), int(stamp[5:7]), int(stamp[8:10])
        hours, minutes, seconds = (int(stamp[at : at + 2] or 0) for at in (11, 14, 17))
    except ValueError:
        return 0.0
    year, month = (year, month) if month > 2 else (year - 1, month + 12)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day
    return days + (hours * 3600 + minutes * 60 + seconds) / 86_400


_EPOCH = day_of("1970-01-01")


def _bare(word: str) -> str:
    return word.strip(_AROUND).casefold()


def replaces(
    later: Statement,
    earlier: Statement,
    question: Collection[str],
    common: float | None = None,
) -> bool:
    """Whether a later statement seems to replace an earlier one, as far as the question is about it.

    `common`, if known, is how much of the earlier one is in the later one, weighted by rarity: words that all
    facts about the billing service share are not enough.
    """
    if not _may_replace(later, earlier, common):
        return False
    asked = earlier.terms.intersection(question).difference(_ignored())
    same = asked & later.terms
    if not (later.changes or same == asked or _begin_alike(later, earlier)):
        return False  # before what takes longer
    if is_sibling(later, earlier, question) or (same and same != asked and not _is_of_same(later, earlier)):
        return False
    if not later.changes:
        # The export cron runs at another time than the cleanup cron: a word of the question tells them apart.
        is_short = len(asked) > 1 and max(len(later.subject), len(earlier.subject)) <= weights.SHORT
        return (
            same == asked
            and len(later.subject & earlier.subject) > 1  # of a name alone, anything may be said
            and _same(later.words, earlier.words) >= weights.SAME_SENTENCE / 2
            and overlap(later, earlier) >= (weights.SAME_WORDS if is_short else weights.SAME_SENTENCE)
        ) or _begin_alike(later, earlier)
    shared = overlap(later, earlier)
    is_alike = len(same) >= max(2, len(asked) // 2)  # both match the question: they need less in common
    least = weights.SAME_ANSWER if is_alike else weights.SAME_SUBJECT if same else weights.OTHER_WORDS
    return shared >= least and (common is None or common >= least * weights.RARE)


def _is_of_same(later: Statement, earlier: Statement) -> bool:
    """Whether two statements share more than a name: their first word, two terms, or a number that differs.

    `Restarted Redis again.` and `The tests use Redis now.` say nothing of the port of Redis.
    """
    first = [next(filter(_tells, each.begins), "") for each in (later, earlier)]
    values = (word for word in later.words - earlier.words if any(map(str.isdigit, word)))
    return first[0] == first[1] or len(later.subject & earlier.subject) > 1 or any(values)


def _may_replace(later: Statement, earlier: Statement, common: float | None) -> bool:
    """Whether a statement can replace an earlier one, whatever the question: a cheap no for most."""
    if later.changes:
        return (common is None or common >= _LEAST * weights.RARE) and overlap(later, earlier) >= _LEAST
    return _begin_alike(later, earlier) or _same(later.words, earlier.words) >= weights.SAME_SENTENCE / 2


_LEAST = min(weights.SAME_ANSWER, weights.SAME_SUBJECT, weights.OTHER_WORDS)


def is_later(one: Statement, other: Statement) -> bool:
    """Whether a statement was made after another one, and not together with it by a program."""
    mine, theirs = one.date, other.date
    if mine == theirs:
        return False
    if mine[:17] != theirs[:17] or mine[16:17] != ":":
        return mine > theirs
    in_a_log = mine[:23] == theirs[:23] and mine > theirs
    return in_a_log or one.seconds - other.seconds >= weights.TOGETHER_SECONDS


def outdated(log: str, question: Collection[str]) -> int:
    """Return how many lines of a log precede the one that replaces an earlier answer; 0 if none does."""
    lines = [Statement(line, "", f"{at:04d}") for at, line in enumerate(log.split("\n")[:_MOST])]
    told = [line for line in lines if not line.terms.isdisjoint(question)]
    for at in range(len(told) - 1, 0, -1):
        for earlier in told[:at]:
            if overlap(told[at], earlier) >= weights.OTHER_WORDS and replaces(told[at], earlier, question):
                return int(told[at].date)
    return 0


def _begin_alike(one: Statement, other: Statement) -> bool:
    """Whether two sentences give the same thing another value: `The SDK is under …`."""
    alike = 0
    for mine, theirs in zip(one.begins, other.begins, strict=False):
        if mine != theirs:
            break
        alike += 1
    telling = sum(word not in terms.STOP for word in one.begins[:alike])
    words = alike - sum(map(terms.is_dense, one.begins[:alike])) / 2  # two characters are about a word
    return words >= weights.BEGINS and telling >= 1 and alike < len(other.begins)


def is_sibling(later: Statement, earlier: Statement, question: Collection[str]) -> bool:
    """Whether the later one says the same of something else than the question is about.

    It lacks a word of the question and has another in its place: `archives of X-rays`, `archives of letters`.
    """
    missing = earlier.terms.intersection(question).difference(_ignored(), later.terms)
    return bool(missing) and (
        _goes_on_alike(later, earlier, missing) or _has_another(later, earlier, missing)
    )


def is_of_another(later: Statement, earlier: Statement, question: Collection[str]) -> bool:
    """Whether a change names what it is about, and neither the earlier one nor the question has that.

    `Lunch was moved to noon` says nothing of the gateway; `We moved to Svelte` may be about anything.
    """
    until = next((at for at, word in enumerate(later.begins) if word in _CHANGE), 0)
    title = (word for word in map(_bare, later.title.split()) if word not in later.begins)
    named = set(terms.count(" ".join((*title, *later.begins[:until])))[0]) - _ignored()
    return bool(named) and named.isdisjoint(earlier.terms.union(question)) and not overlap(later, earlier)


def _goes_on_alike(later: Statement, earlier: Statement, missing: set[str]) -> bool:
    """Whether both differ in a few words and go on alike, and what is missing is among these."""
    mine, theirs = later.begins, earlier.begins
    at = next((at for at, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]), None)
    if at is None or mine[at] in _CHANGE:
        return False
    for end in range(at + 1, at + 1 + weights.SLOT):
        go_on = theirs[end : end + 2]
        there = (each for each in range(at + 1, at + 1 + weights.SLOT) if mine[each : each + 2] == go_on)
        instead = mine[at : next(there, at)]
        if len(go_on) == 2 and not terms.STOP.issuperset(instead) and not terms.STOP.issuperset(go_on):
            space = "" if terms.is_dense(theirs[at]) else " "
            return not missing.isdisjoint(terms.count(space.join(theirs[at:end]))[0])
    return False


def _has_another(later: Statement, earlier: Statement, missing: set[str]) -> bool:
    """Whether another name stands where one is missing: `the API timeout`, `the worker timeout was raised`.

    What follows a verb of change, or ends a sentence, is a value and not what the sentence is about.
    """
    changes = (at for at, word in enumerate(later.begins) if word in _CHANGE - _NOW)
    until = next(changes, len(later.begins))
    mine = _names(later.begins, lambda term: term not in earlier.terms, until)
    theirs = _names(earlier.begins, lambda term: term in missing, len(earlier.begins))
    return any(
        after is not None and ((before and before == mine_before) or (after and after == mine_after))
        for before, after in theirs
        for mine_before, mine_after in mine
    )


def _names(words: list[str], wanted: Callable[[str], bool], until: int) -> list[tuple[str, str | None]]:
    """Return what is before and after each wanted word that names something; None: it is the last.

    Such a word begins the sentence or follows a word for place or possession (then what is before that
    counts), or another such name. What follows such a word belongs to something else.
    """
    found: list[tuple[str, str | None]] = []
    telling = [at for at, word in enumerate(words) if _tells(word)]
    follows = True  # the word before is such a name, or there is none
    for place, at in enumerate(telling):
        if at >= until:
            break
        placed = words[at - 1] in _BEFORE_NAMES if at else False
        follows = (
            placed or (at > 0 and words[at - 1] in _NOW) or (follows and (at == 0 or _tells(words[at - 1])))
        )
        follows = follows and words[at][:1].isalpha() and any(map(wanted, terms.count(words[at])[0]))
        if follows:
            after = telling[place + 1] if place + 1 < len(telling) else None
            apart = after is not None and not _BEFORE_NAMES.isdisjoint(words[at + 1 : after])
            before = words[telling[place - 1]] if placed and place else ""
            found.append((before, None if after is None else "" if apart else words[after]))
    return found


def _tells(word: str) -> bool:
    return bool(word) and word not in _NOW and word not in _BEFORE_NAMES and word not in terms.STOP


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
        if unit.supersedes and holds(unit, day, past=past) and not is_outside(unit.source)
        for old in unit.supersedes
        if old != unit.record
    }
