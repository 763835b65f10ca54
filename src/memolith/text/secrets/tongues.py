"""Where a text has a word that names a secret in one of forty languages; the words are in `names.txt`.

Nothing here is a pattern for one language: `secret_explicit` joins any name, any connection and any value. No
`re` is in it, because the look before the scanner uses it too. Words are compared as a whole in one step; a
stem is searched for, one of other letters only if the text has them.
"""

from __future__ import annotations

from memolith.text.secrets.words import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Name = tuple[int, int, str]

# By the last word of each, as the bytes that the words of a text are: its names and their kinds.
_BY_WORD: dict[bytes, list[tuple[str, str]]] = {}
# By their first letter that is not ASCII: stems, kinds, how long an ending may be.
_BY_LETTER: dict[str, list[tuple[str, str, int]]] = {}
# Those in ASCII, and the longest word of each, which a text shows before it is searched for the stem.
_SHOWN: list[tuple[bytes, str, str, int]] = []
_LONG = 5
for _line in lines("names.txt"):
    _kind, _ending, *_names = _line.split(" ")
    _most = int(_ending) if _ending != "=" else 0
    for _name in _names:
        _name = _name.replace("_", " ")
        if not _name.isascii():
            _letter = next(char for char in _name if not char.isascii())
            _BY_LETTER.setdefault(_letter, []).append((_name, _kind, _most))
        elif _ending == "=":
            _last = _name.replace("-", " ").replace("'", " ").rpartition(" ")[2].encode()
            _BY_WORD.setdefault(_last, []).append((_name, _kind))
        else:
            _word = max(_name.split(" "), key=len).encode() if len(_name) >= _LONG else b""
            _SHOWN.append((_word, _name, _kind, _most))
_STEMS = frozenset(_row[0] for _row in _SHOWN) - {b""}
KNOWN = frozenset(_BY_WORD)
# All but ASCII letters and digits ends a word.
_SPACES = bytes(each if each < 128 and chr(each).isalnum() else 32 for each in range(256))
_ASCII = bytes(range(128))
_PART, _LONGEST = 65_536, 32  # characters that are looked at together; of a word
# A stem of so many letters may be the last part of a compound: `WLAN-Lösenord`.
_COMPOUND = 6
_OTHER_CODES = frozenset(["en", "de", "bar", "uni", "op", "byte", "trans", "geo", "re"])


def known_in(lower: str, ours: frozenset[bytes]) -> frozenset[bytes]:
    """Return those of our words and stems that a text in lower case has; part by part, for its memory."""
    found: set[bytes] = set()
    for at in range(0, len(lower), _PART):
        part = lower[at : at + _PART + _LONGEST].encode("utf-8", "replace")
        words = set(part.translate(_SPACES).split())
        long = b" ".join([word for word in words if len(word) >= _LONG])
        found |= words & ours
        found.update([stem for stem in _STEMS if stem in long])
    return frozenset(found)


def names(text: str, lower: str, known: frozenset[bytes]) -> Iterator[Name]:
    """Yield where a name of another language begins and ends, and its kind; in no order.

    `known` are the words and stems of the text that are ours.
    """
    for word in known & KNOWN:
        for name, kind in _BY_WORD[word]:
            yield from (
                (at, at + len(name), kind) for at in _places(lower, name) if _is_whole(text, at, name)
            )
    stems = [row[1:] for row in _SHOWN if not row[0] or row[0] in known]
    if not text.isascii():
        letters = set(lower.encode("utf-8", "replace").translate(None, _ASCII).decode("utf-8", "replace"))
        stems += [row for letter in _BY_LETTER.keys() & letters for row in _BY_LETTER[letter]]
    for stem, kind, ending in stems:
        for at in _places(lower, stem):
            if _begins_well(text, at, stem, kind) and (end := _end(text, at + len(stem), ending)):
                yield at, end, kind


def _is_whole(text: str, at: int, name: str) -> bool:
    end = at + len(name)
    return not _is_letter(text[at - 1 : at]) and not _is_letter(text[end : end + 1])


def _is_letter(char: str) -> bool:
    """Tell what a word goes on with; a script without spaces may stand next to it."""
    return char.isalnum() and char < "\u0e00"


def _places(lower: str, name: str) -> Iterator[int]:
    at = lower.find(name)
    while at >= 0:
        yield at
        at = lower.find(name, at + len(name))


def _begins_well(text: str, at: int, stem: str, kind: str) -> bool:
    """Tell a word from a part of one; a script without case has no spaces either, or takes prefixes.

    A code says in the same word what it opens.
    """
    if not at or not stem[0].islower() or not text[at - 1].isalpha():
        return True
    if kind != "code":
        return len(stem) >= _COMPOUND
    first = at
    while first and at - first < _COMPOUND and text[first - 1].isalpha():
        first -= 1
    return text[first:at].lower() not in _OTHER_CODES


def _end(text: str, end: int, ending: int) -> int:
    """Return where a word ends whose stem ends there; 0 if it goes on for longer than an ending does."""
    last = end
    while ending and last - end <= ending and text[last : last + 1].isalpha() and text[last] < "\u2e80":
        last += 1
    return last if last - end <= ending else 0
