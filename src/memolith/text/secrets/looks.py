"""What a word looks like by itself: nobody would write it, it was made up, it may be a name with a number.

Where it stands says the rest (`weighed.py`, `logins.py`). What is said of a look here has its points there.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.text.patterns import lazy
from memolith.text.secrets.tokens import PROVIDERS
from memolith.text.secrets.values import (
    DESCRIBING,
    NUMBERED_THINGS,
    RANDOM,
    SMALL_WORDS,
    VOCABULARY,
    is_digest,
    is_joined,
    is_said,
    is_stand_in,
    is_strange,
    made,
    named_parts,
)

# What a word looks like: a name with a number, made up, drawn, nothing that anybody would write.
POSSIBLE, LIKELY, DRAWN, STRANGE = range(1, 5)
_MOST_WORD, _LONG_WORD = 56, 10

WORTH = lazy(r"\d|[A-Za-z\u00c0-\u058f]{3}[!#$%&*+_-][A-Za-z\u00c0-\u058f]")
_INNER = lazy(r"[a-z]{3}[A-Z][a-z]{2}")
_COUNTED, _CAPITALS = lazy(r"[A-Za-z][a-z]+(\d{1,4})"), lazy(r"[A-Z][a-z]{2,}")
_NUMBER = lazy(r"\d{6,12}[a-z#*!]{0,2}")
# A hash, also behind a name, as in `shop-da6df3e6`; what stands for a date; a name in a path.
_ID = lazy(r"(?:^|[-_.:#])(?=[a-f]*\d)[0-9a-f]{8,64}(?:$|[-_.:#])|^[A-Z]+(?:[-_][A-Z]+)+$")
_NO_OTHER, _SEGMENT = lazy(r"[\w.+~=-]+"), lazy(r"[A-Z]+|[a-z]+|\d+")
_DIGITS, _PARTED = lazy(r"\d+"), lazy(r"[A-Za-z\u00c0-\u058f]{4,}\d{1,2}[A-Za-z\u00c0-\u058f]{2,}")
_LETTERS = lazy(r"[A-Za-z\u00c0-\u058f]+")
_NUMBERED = lazy(r"[A-Za-z\u00c0-\u058f]+(?:_[A-Za-z\u00c0-\u058f]+)*_\d{1,2}")  # as names in code are
_SIGNED = lazy(r"[A-Za-z\u00c0-\u058f]{3,}[!#$%&*+][A-Za-z\u00c0-\u058f]{3,}\d{0,4}")
_NO_VALUE = lazy(
    r"[/\\(){}\[\]<>=|~,:]|\.[a-z]{1,5}$|@[\w-]+\.|^[v#@-]?\d[\d.,:_-]*[a-zA-Z%]{0,4}$|\d\.\d|^[A-Z]{2,8}-?\d+$"
    r"|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^--|^&\w+;|^\d{1,4}-[a-z]+$|[^!-~\u00a1-\u058f]"
)
_YEAR, _YEAR_ALONE = lazy(r"[A-Za-z\u00c0-\u058f](?:19|20)\d\d$"), lazy(r"(?:19|20)\d\d")
_CAPITAL_INSIDE, _DIGIT_INSIDE = lazy(r"[a-z0-9][A-Z]"), lazy(r"[A-Za-z]\d+[A-Za-z]")
_SIGN_INSIDE = lazy(r"\w[!#$%&*+@?^~=]\w|[!#$%&*+@?^~=]$")
# A word with a digit that is no name of code, of a file or of a version; `password12` is one as well.
WEAK_NAMED = lazy(r"[A-Za-z\u00c0-\u058f]{3,12}\d{1,6}[!?.]?")
_WEAK = lazy(r"(?=[^\s\d]{0,40}\d)[A-Za-z][^\s/\\(){}\[\]<>=|~,:]{4,40}")
_NOT_WEAK = lazy(
    r"\.[a-z]{1,5}$|@[\w-]+\.|\d\.\d|^[A-Z]{1,3}-?\d+$|^[A-Z]{2,8}-\d+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^&\w+;"
    r"|^v\d|[^!-~\u00a1-\u058f]|^[A-Za-z]+#\d+$"
)
_BEGINS_WORD = lazy(r"[a-f]{3}\d{4,}")  # a digest by its letters: `abc123456`
_PLAIN = lazy(r"[A-Za-z\u00c0-\u058f]+(?:[-_.][A-Za-z\u00c0-\u058f]+){0,5}")
CODE_SIGNS = frozenset("(){}[]=;<>$|\\")


def look(word: str) -> int:
    """Return what a word looks like: 0 if it is a word, a name or a number."""
    if not 6 <= len(word) <= _MOST_WORD or not WORTH.search(word) or _ID.search(word):
        return 0
    if _is_drawn(word):
        return STRANGE
    if grade := made(word):
        counted = _COUNTED.fullmatch(word)  # a name with a number, however rare its letters are
        if counted and grade == RANDOM:
            return LIKELY if len(counted[1]) > 2 else POSSIBLE
        return STRANGE if is_strange(word) else DRAWN if grade == RANDOM else LIKELY
    if is_stand_in(word) or is_digest(word) or _NO_VALUE.search(word):
        return POSSIBLE if _NUMBER.fullmatch(word) else 0
    parts = [part.lower() for part in _LETTERS.findall(word)]
    if not parts or any(part in NUMBERED_THINGS or part in VOCABULARY for part in parts):
        return 0
    if _SIGNED.fullmatch(word) or _PARTED.fullmatch(word):
        return LIKELY
    digits = sum(map(str.isdigit, word))
    if digits > 2 and word.isalnum() and len(word) >= 8 and _turns(word) >= 4:
        return LIKELY
    if digits and max(map(len, parts)) >= 4:
        two = digits > 1 and (len(_CAPITALS.findall(word)) > 1 or _INNER.search(word))
        parted = "_" in word and not _NUMBERED.fullmatch(word)
        return LIKELY if parted or digits > 2 or two else POSSIBLE
    return POSSIBLE if is_joined(word) else 0


def _is_drawn(word: str) -> bool:
    """Whether small letters, capitals and digits change as nobody writes them: `tst-Ke91mmQ0x`."""
    if len(word) < 8 or not _NO_OTHER.fullmatch(word) or is_stand_in(word) or is_digest(word):
        return False
    if word.islower() or word.isupper():
        return False
    changes, digits = len(_SEGMENT.findall(word)), len(_DIGITS.findall(word))
    return (
        changes >= 6 and (digits > 1 or (digits == 1 and not word.isalnum())) and not _NO_VALUE.search(word)
    )


def _turns(word: str) -> int:
    return sum(one.isdigit() != two.isdigit() for one, two in pairwise(word))


def is_weak(word: str) -> bool:
    """Whether a word with a digit may be a value that somebody chose, though most such words are names."""
    if not _WEAK.fullmatch(word) or _NOT_WEAK.search(word) or is_stand_in(word):
        return False
    if is_digest(word):
        return _BEGINS_WORD.fullmatch(word) is not None
    parts = [part.lower() for part in _LETTERS.findall(word) if len(part) > 1]
    if parts and WEAK_NAMED.fullmatch(word):
        parts = parts[1:] or [""]
    return bool(parts) and NUMBERED_THINGS.isdisjoint(parts) and VOCABULARY.isdisjoint(parts)


def plain_shape(word: str, *, other_letters: bool) -> str:
    """Return why a word without a digit may be a value: in other letters than its text, joined, long."""
    if len(word) < 6 or not _PLAIN.fullmatch(word) or word.isupper():
        return ""
    parts = word.lower().replace("_", "-").replace(".", "-").split("-")
    if (
        2 * named_parts(word) >= len(parts)
        or is_stand_in(word)
        or is_said(word)
        or not PROVIDERS.isdisjoint(parts)
        or not SMALL_WORDS.isdisjoint(parts[:1])
        or not NUMBERED_THINGS.isdisjoint(parts)
    ):
        return ""
    if other_letters and word.isascii() and word[0].islower():
        return "alien"
    if len(parts) > 1:
        return "dotted" if "." in word else "joined" if max(map(len, parts)) >= 4 else ""
    if word[0].islower() and len(word) >= _LONG_WORD:
        return "long"
    return "inner" if _CAPITAL_INSIDE.search(word) else "word"


def said_of_word(word: str) -> list[str]:
    """Return what is to be said of the look of a word."""
    size, digits = len(word), sum(map(str.isdigit, word))
    found = [f"size{min(4, (size - 4) // 3)}"]
    if digits:
        found.append(f"digits{min(3, digits)}")
    if _YEAR.search(word):
        found.append("year")
    if _CAPITAL_INSIDE.search(word):
        found.append("inner-capital")
    if _DIGIT_INSIDE.search(word):
        found.append("inner-digit")
    if _SIGN_INSIDE.search(word):
        found.append("sign")
    if word.islower():
        found.append("small")
    elif word.isupper():
        found.append("capitals")
    if "-" in word or "_" in word or "." in word:
        found.append("parted")
    if not word.isascii():
        found.append("letters")
    return found


def said_of_number(word: str) -> list[str]:
    """Return the same of a number: how many digits, and what else is in it."""
    found = [f"digits{min(7, sum(map(str.isdigit, word)))}"]
    if _YEAR_ALONE.fullmatch(word):
        found.append("year")
    if not word.isdigit():
        found.append("sign" if word[-1] in "#*" else "letter" if word.isalnum() else "groups")
    return found


def said_of_phrase(inner: str, words: list[str]) -> list[str]:
    """Return the same of words in quotes: a phrase, or what a button or a message says."""
    lower = [word.strip(".,;:!?").lower() for word in words]
    found = [f"words{min(5, len(words))}"]
    if any(is_said(word) or word in DESCRIBING for word in lower):
        found.append("said")
    if inner[0].isupper():
        found.append("capital")
    if any(map(str.isdigit, inner)):
        found.append("digit")
    if not CODE_SIGNS.isdisjoint(inner) or not set(":/…").isdisjoint(inner) or inner[-1] in "?!.":
        found.append("code")
    return found
