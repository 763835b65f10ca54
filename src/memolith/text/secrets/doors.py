"""Words for what has a lock, and for what somebody does to open it, in thirty languages: `doors.txt`.

Without `re`, because the look before the scanner asks too.
"""

from __future__ import annotations

from memolith.text.patterns import lines
from memolith.text.secrets.names import other_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Place = tuple[int, int]

# Of each kind: words, several words, beginnings of words in other letters, parts in scripts without spaces.
_TABLE: dict[str, tuple[frozenset[str], tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {}
for _kind in ("door", "press"):
    _rows = [line.split(" ", 2) for line in lines("secrets/doors.txt") if line.startswith(f"{_kind} ")]
    _every = {
        how: [word.replace("_", " ") for _, each, row in _rows if each == how for word in row.split()]
        for how in "=~0"
    }
    _whole = _every["="]
    _TABLE[_kind] = (
        frozenset(word for word in _whole if " " not in word),
        tuple(word for word in _whole if " " in word),
        tuple(_every["~"]),
        tuple(_every["0"]),
    )
# By the first letter that is not ASCII; the last word of the others, as the words of a text are compared.
_BY_LETTER: dict[str, dict[str, list[str]]] = {"door": {}, "press": {}}
_ASCII: dict[str, frozenset[bytes]] = {}
for _kind, _groups in _TABLE.items():
    _plain = [word for group in _groups for word in group]
    _ASCII[_kind] = frozenset(word.split(" ")[-1].encode() for word in _plain if word.isascii())
    for _word in _plain:
        if not _word.isascii():
            _letter = next(char for char in _word if not char.isascii())
            _BY_LETTER[_kind].setdefault(_letter, []).append(_word)
KNOWN = _ASCII["door"] | _ASCII["press"]
_APART_FROM = str.maketrans(dict.fromkeys("'’\"`.,;:!?()[]{}<>/\\-–—=→«»„“”「」、。，：؟،", " "))
_LATIN, _HEBREW, _INDIC, _GLUED = "\u0370", "\u0590", "\u0900", 3


def may_open(lower: str, known: frozenset[bytes]) -> bool:
    """Whether a text names something that has a lock, and a verb; `known` are its words that are ours."""
    letters = set() if lower.isascii() else other_letters(lower)
    return all(
        not known.isdisjoint(_ASCII[kind])
        or any(word in lower for letter in letters & rows.keys() for word in rows[letter])
        for kind, rows in _BY_LETTER.items()
    )


def may_press(near: str) -> bool:
    """Whether a verb may stand in a few words."""
    return not near.isascii() or not _TABLE["press"][0].isdisjoint(near.translate(_APART_FROM).split())


def words_of(lower: str, kind: str) -> Iterator[Place]:
    """Yield where words of a kind are."""
    words, several, begins, parts = _TABLE[kind]
    at = 0
    for word in lower.translate(_APART_FROM).split():
        at = lower.find(word, at)
        if word in words or (word[0] > _LATIN and _begins(word, begins)):
            yield at, at + len(word)
        at += len(word)
    for word in several:
        if (at := lower.find(word)) >= 0:
            yield at, at + len(word)
    if not lower.isascii():
        for part in parts:
            if (at := lower.find(part)) >= 0:
                yield at, at + len(part)


def _begins(word: str, begins: tuple[str, ...]) -> bool:
    """Whether a word begins so, in Hebrew and Arabic behind the letters for "the" and "to"."""
    glued = _GLUED if _HEBREW <= word[0] < _INDIC else 0
    return any(word.startswith(begins, at) for at in range(glued + 1))
