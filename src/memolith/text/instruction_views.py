"""Readings of a text: as it stands, and with what disguises it taken away.

A view is lower-case text with a way back to the places in what was given. What was decoded leads back to
the run that it came from.
"""

from __future__ import annotations

from memolith.text.instruction_table import listed
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

# Letters of other scripts that look like ours.
_ALIKE = str.maketrans(
    "аеорсухіјѕԁոһԛԝԍмтнвкгαεορτυνικγχβηаɑɡıߋ",
    "aeopcyxijsdnhqwgmthbkraeoptuvikyxbnaagio",
)
_LEET = str.maketrans("013457@$!", "oieastasi")
_QUOTES = {
    0x2018: "'",
    0x2019: "'",
    0x201C: '"',
    0x201D: '"',
    0x2010: "-",
    0x2011: "-",
    0x00A0: " ",
    0x3002: "。",
}
_MIXED = lazy(
    r"[a-z][\u0370-\u03ff\u0400-\u04ff\u0500-\u052f\u0250-\u02af]|[\u0370-\u03ff\u0400-\u04ff\u0500-\u052f\u0250-\u02af][a-z]"
)
# Letters one by one: four or more, each alone, with the same kind of sign between them.
_SPACED = lazy(r"(?<![a-z0-9])[a-z0-9](?:(?:[ ._*|~-]|[ ]{2,3}[a-z0-9] )[a-z0-9](?![a-z0-9])){3,}+")
_GAP = lazy(r"[ ]{2,4}|[\n/]{1,3}")
_LEETED = lazy(
    r"(?<![\w.])(?=[a-z0134578@$!]{3,20}(?![\w]))[a-z]{0,9}[013457@$!]{1,3}[a-z]{1,9}[a-z0134578@$!]{0,9}"
)
_BASE64 = lazy(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4096}={0,2}")
_HEX = lazy(r"(?<![0-9a-f])(?:(?:\\x|%)?[0-9a-f]{2}){12,2000}+(?![0-9a-f])")
_ENTITY = lazy(r"&(?:#\d{2,6}|#x[0-9a-f]{2,5}|lt|gt|amp|quot|apos|nbsp|zwnj|zwj|shy);?")
_SNAKE = lazy(r"(?<![\w])[a-z]{2,20}(?:_[a-z]{2,20}){3,12}(?!\w)")
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
# Words that every English order has some of; a reversed or turned text is recognised by them.
_COMMON = listed("""
    the all ignore previous instructions and user skip you not this send to tell disable key rules
""")


class View:
    """A reading: its text, and where each character was in the text that was given."""

    def __init__(self, text: str, places: Sequence[int] | None, end: int) -> None:
        self.text = text
        self._places = places
        self._end = end

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the text that was given."""
        if self._places is None:
            return start, end
        last = self._places[end - 1] + 1 if end else 0
        return self._places[start], min(max(last, self._places[start] + 1), self._end)


def views(text: str) -> Iterator[View]:
    """Yield the readings of `text` that differ, the plain one first."""
    plain = _plain(text)
    yield plain
    # One reading without all of them: a text with many disguises must not cost a reading for each.
    bare = plain
    if "&" in bare.text and _ENTITY.search(bare.text):
        bare = _undone(bare, _ENTITY, _entity)
    if not bare.text.isascii() and _MIXED.search(bare.text):
        bare = _same(bare, bare.text.translate(_ALIKE))
    for disguise, change in ((_SPACED, _joined), (_LEETED, _letters), (_SNAKE, _apart)):
        if disguise.search(bare.text):
            bare = _undone(bare, disguise, change)
    if bare is not plain:
        yield bare
    yield from _tags(text)
    yield from _decoded(text)
    yield from _turned(plain)


def _letters(word: str) -> str:
    return word.translate(_LEET)


def _apart(word: str) -> str:
    return word.replace("_", " ")


def _plain(text: str) -> View:
    """Fold case, width and look of characters, and drop those that show nothing."""
    if text.isascii():
        return View(text.lower(), None, len(text))
    from unicodedata import category, normalize

    table: dict[str, str] = {}
    for char in set(text):
        folded = _QUOTES.get(ord(char)) or normalize("NFKC", char).lower()
        if (
            category(char) in {"Cf", "Mn", "Cc", "Me"} and char not in "\n\t\r"
        ) or char in "\u115f\u1160\u3164\uffa0\u2800":
            folded = ""
        if folded != char:
            table[char] = folded
    if not table:
        return View(text, None, len(text))
    pieces = [table.get(char, char) for char in text]
    if all(len(piece) == 1 for piece in table.values()):
        return View("".join(pieces), None, len(text))
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    return View("".join(pieces), places, len(text))


def _same(view: View, text: str) -> View:
    return View(text, view._places, view._end)  # noqa: SLF001 - a view of the same places


def _undone(view: View, pattern: re.Pattern[str], change: Callable[[str], str]) -> View:
    """Return a view in which each match is replaced; its letters lead back to the whole match."""
    pieces: list[str] = []
    places: list[int] = []
    done = 0
    for match in pattern.finditer(view.text):
        start, end = match.span()
        new = change(match[0])
        pieces += [view.text[done:start], new]
        places.extend(range(done, start))
        size = len(new)
        places.extend(start + (end - start) * at // size for at in range(size))
        done = end
    pieces.append(view.text[done:])
    places.extend(range(done, len(view.text)))
    if view._places is not None:  # noqa: SLF001
        places = [view._places[at] for at in places]  # noqa: SLF001
    return View("".join(pieces), places, view._end)  # noqa: SLF001


def _joined(run: str) -> str:
    """Join letters that stand alone; two or more blanks were the blanks between words."""
    # With dots between the letters, one blank is enough.
    words = run.split() if any(sign in run for sign in "._*|~-") else _GAP.split(run)
    return " ".join("".join(char for char in word if char.isalnum()) for word in words)


def _entity(entity: str) -> str:
    from html import unescape

    plain = unescape(entity.rstrip(";") + ";")
    return plain.lower() if plain != entity else entity


def _tags(text: str) -> Iterator[View]:
    """Yield what is written in the invisible alphabet of tag characters."""
    places = (
        [] if text.isascii() else [at for at, char in enumerate(text) if "\U000e0020" <= char <= "\U000e007e"]
    )
    if places:
        yield View("".join(chr(ord(text[at]) - 0xE0000) for at in places).lower(), places, len(text))


def _decoded(text: str) -> Iterator[View]:
    """Yield what base64 and hexadecimal runs say, if they say something readable."""
    from base64 import b64decode

    for match in _BASE64.finditer(text):
        run = match[0].replace("-", "+").replace("_", "/").rstrip("=")
        try:
            said = b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
        except ValueError:
            continue
        yield from _readable(said, *match.span())
    for match in _HEX.finditer(text.lower()) if len(text) > 24 else ():
        run = match[0].replace("\\x", "").replace("%", "")
        try:
            said = bytes.fromhex(run).decode("utf-8")
        except ValueError:
            continue
        yield from _readable(said, *match.span())


def _readable(said: str, start: int, end: int) -> Iterator[View]:
    letters = sum(1 for char in said if char.isalpha() or char == " ")
    if " " in said and letters > len(said) * 0.8:
        yield View(said.lower(), [start] * (len(said) - 1) + [end - 1], end)


def _turned(plain: View) -> Iterator[View]:
    """Yield the text read backwards or with its alphabet turned by 13, if that is English."""
    lower = plain.text[:20_000]
    straight = _english(lower)
    backwards = lower[::-1]
    if _english(backwards) > straight + 1:
        size = len(lower)
        places = [plain.back(size - 1 - at, size - at)[0] for at in range(size)]
        yield View(backwards, [min(places)] * (size - 1) + [max(places)], plain._end)  # noqa: SLF001
    turned = lower.translate(_ROT13)
    if _english(turned) > straight + 1:
        yield _same(plain, turned)


def _english(text: str) -> int:
    return sum(1 for word in text.split() if word in _COMMON)
