"""A statement: one of the things that a unit says, prepared for comparison with others.

Its words as written announce a change or not, its terms say what it is about, its time says which is later.
"""

from __future__ import annotations

import time
from functools import cached_property  # SQLite imports it anyway

from memolith.base.lean import lru_cache
from memolith.recall import weights
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from memolith.index import Unit

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
NOW = frozenset(_PRESENT.split())
CHANGE = frozenset(_CHANGES.split()) | NOW
# Words for place and possession, before what a sentence is about.
_PLACES = (
    "of for on in at from with by per the a an my our your his her their der die das des dem den ein eine "
    "von für im auf mein meine unser le la les l du de des un une mon ma notre el los las del mi nuestro o "
    "os as do da dos das um uma meu minha il lo gli della"
)
BEFORE_NAMES = frozenset(_PLACES.split())
# Languages without spaces: matched anywhere.
_SIGNS = (
    "现在 改为 改成 改用 换成 换为 不再 迁移到 換成 現在 変更 変わ 変え 移行 切り替え 廃止 代わりに "
    "이제 변경 바뀌 바꿨 옮겼 대신"
)
_CHANGE_SIGNS = tuple(_SIGNS.split())
_AROUND = ".,;:!?\"'()[]"
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？")
_WRAPPED = 60  # characters of a line that may go on in the next
MOST = 60  # statements of a unit that are compared
_COMMON = (
    "current currently user users today date every always after before one two three four five six seven "
    "eight nine ten"
)
_CONTEXT = frozenset(_COMMON.split())


@lru_cache(maxsize=1)
def ignored() -> frozenset[str]:
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

    def having(self, wanted: Collection[str]) -> set[str]:
        """Return those of some terms that it has, without stemming all of its words."""
        known = self.__dict__.get("terms")
        if known is None:
            known = set[str]().union(*terms.among(f"{self.text} {self.title}", wanted).values())
        return known.intersection(wanted)

    @cached_property
    def changes(self) -> bool:
        """Whether it reads like a change."""
        signs = () if self.text.isascii() else _CHANGE_SIGNS
        return not CHANGE.isdisjoint(self.words) or any(sign in self.text for sign in signs)

    @cached_property
    def subject(self) -> set[str]:
        """The terms that say what it is about."""
        # As written: "rotated" announces a change, "the rotation" may be the subject of one.
        words = f"{self.text} {self.title}".split()
        found = terms.count(" ".join(word for word in words if bare(word) not in CHANGE))[0]
        without = ignored()
        # A number or a version (`1.7.5`) is a value, not the subject.
        return {term for term in found if term not in without and any(map(str.isalpha, term))}

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
    return [Statement(each, "", date) for each in found[:MOST]]


def about(said: list[Statement], question: Collection[str]) -> Statement:
    """Return the statement that has most of a question; of several, the last."""
    if len(said) == 1:
        return said[0]
    return max(reversed(said), key=lambda each: len(each.having(question)))


def local(date: str) -> str:
    """Return a time as the clock here shows it: turns have that of Greenwich, files the local one."""
    if not date.endswith("Z") or len(date) < 19:
        return date
    try:
        seconds = round((day_of(date) - _EPOCH) * 86_400)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(seconds)) + date[19:-1]
    except (ValueError, OverflowError, OSError):
        return date


@lru_cache(maxsize=1 << 14)
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


def is_later(one: Statement, other: Statement) -> bool:
    """Whether a statement was made after another one, and not together with it by a program."""
    mine, theirs = one.date, other.date
    if mine == theirs:
        return False
    if mine[:17] != theirs[:17] or mine[16:17] != ":":
        return mine > theirs
    in_a_log = mine[:23] == theirs[:23] and mine > theirs
    return in_a_log or one.seconds - other.seconds >= weights.TOGETHER_SECONDS


def overlap(one: Statement, other: Statement) -> float:
    """Return how much of the shorter statement is in the other one, from 0 to 1."""
    if len(one.subject) > weights.LONG or len(other.subject) > weights.LONG:
        return 0.0
    return share(one.subject, other.subject)


def share(one: set[str], other: set[str]) -> float:
    """Return how much of the smaller set is in the other one, from 0 to 1."""
    least = min(len(one), len(other))
    return len(one & other) / least if least else 0.0


def bare(word: str) -> str:
    """Return a word without the signs around it, in small letters."""
    return word.strip(_AROUND).casefold()


def tells(word: str) -> bool:
    """Whether a word may name something."""
    return bool(word) and word not in NOW and word not in BEFORE_NAMES and word not in terms.STOP
