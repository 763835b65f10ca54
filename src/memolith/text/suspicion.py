"""Why a person should look at a text from outside before an agent reads it: patterns, each with its reason.

Origin decides what is held (`memory/review.py`), never this list: a text without a match is held all the
same. The patterns are data (`suspicion.txt`); they are tried on the text as it stands and with what disguises
it taken off: a view is lower-case text with a way back to the places in the text that was given.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from functools import cache
from html import unescape
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from memolith.base.values import Value
from memolith.text.patterns import lines
from memolith.text.safe.lookalikes import ALIKE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_QUOTE = 120  # characters


class Suspicion(Value):
    """Why a person should look: the rule, its sentence, and the words of the text that match it."""

    rule: str
    why: str
    quote: str
    start: int
    end: int


def suspicions(text: str) -> list[Suspicion]:
    """Return what in `text` a person should look at: each rule at most once, in order of place."""
    first: dict[str, tuple[int, int]] = {}
    for view in _views(text):
        for rule, (_, pattern) in rules().items():
            if match := pattern.search(view.text):
                place = view.back(*match.span())
                first[rule] = min(first.get(rule, place), place)
    return [
        Suspicion(rule=rule, why=rules()[rule][0], quote=text[start:end][:_QUOTE], start=start, end=end)
        for rule, (start, end) in sorted(first.items(), key=lambda item: item[1])
    ]


@cache
def rules() -> dict[str, tuple[str, re.Pattern[str]]]:
    """Read the table: the reason and the pattern of each rule."""
    found: dict[str, tuple[str, re.Pattern[str]]] = {}
    lists: dict[str, str] = {}
    table = "\n".join(["", *lines("suspicion.txt")]).replace("\n    ", "")
    for part in table.split("\n= ")[1:]:
        heading, *rows = part.split("\n")
        name, _, why = heading.partition(": ")
        pattern = "|".join(rows).replace("~", r"[^.!?;\n]{0,40}?")
        for each, words in lists.items():
            pattern = pattern.replace(f"{{{each}}}", words)
        if why:
            found[name] = why, re.compile(pattern)
        else:
            lists[name] = pattern
    return found


# A few more letters that look like Latin ones when they are small.
_ALIKE: dict[int, int | str] = {**ALIKE, **str.maketrans("ԍгηɑɡı", "grnagi")}
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u00a0", "''\"\"-- ")
_SHOWS_NOTHING = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_MIXED = re.compile(r"[a-z][\u0370-\u052f\u0250-\u02af]|[\u0370-\u052f\u0250-\u02af][a-z]")
# Four or more letters, each alone, with the same kind of sign between them.
_SPACED = re.compile(r"(?<![a-z0-9])[a-z0-9](?:(?:[ ._*|~-]|[ ]{2,3}[a-z0-9] )[a-z0-9](?![a-z0-9])){3,}+")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4096}={0,2}")
_HEX = re.compile(r"(?<![0-9a-f])(?:(?:\\x|%)?[0-9a-f]{2}){12,2000}+(?![0-9a-f])")
_ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9a-f]{2,5}|lt|gt|amp|quot|apos|nbsp|zwnj|zwj|shy);?")


class _View:
    """A reading: its text, and where each of its characters was in the text that was given."""

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self.text, self._places = text, places

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the text that was given."""
        return self._places[start], self._places[max(end - 1, start)] + 1

    def replace(self, pattern: re.Pattern[str], change: Callable[[str], str]) -> _View:
        """Return a view in which each match is changed; its letters lead back to the whole match."""
        pieces: list[str] = []
        places: list[int] = []
        done = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            new = change(match[0])
            pieces += [self.text[done:start], new]
            places += self._places[done:start]
            places += [self._places[start + (end - start) * at // len(new)] for at in range(len(new))]
            done = end
        return _View("".join([*pieces, self.text[done:]]), [*places, *self._places[done:]])

    def translate(self, table: Mapping[int, int | str]) -> _View:
        """Return a view with other characters in the same places."""
        return _View(self.text.translate(table), self._places)


def _views(text: str) -> Iterator[_View]:
    """Yield the readings of `text` that differ, the plain one first."""
    plain = _plain(text)
    yield plain
    bare = plain
    if _ENTITY.search(bare.text):
        bare = bare.replace(_ENTITY, lambda entity: unescape(entity.rstrip(";") + ";").lower())
    if _MIXED.search(bare.text):
        bare = bare.translate(_ALIKE)
    if _SPACED.search(bare.text):
        bare = bare.replace(_SPACED, _joined)
    if bare is not plain:
        yield bare
    # The invisible alphabet of tag characters.
    tags = [at for at, char in enumerate(text) if "\U000e0020" <= char <= "\U000e007e"]
    if tags:
        yield _View("".join(chr(ord(text[at]) - 0xE0000) for at in tags).lower(), tags)
    yield from _decoded(text)


def _plain(text: str) -> _View:
    """Fold case and width, and drop the characters that show nothing."""
    if text.isascii():
        return _View(text.lower(), range(len(text)))
    folded = {char: _folded(char) for char in set(text)}
    pieces = [folded[char] for char in text]
    return _View("".join(pieces), [at for at, piece in enumerate(pieces) for _ in piece])


def _folded(char: str) -> str:
    if char in _SHOWS_NOTHING or (category(char) in {"Cf", "Mn", "Cc", "Me"} and char not in "\n\t\r"):
        return ""
    return normalize("NFKC", char.translate(_QUOTES)).lower()


def _joined(run: str) -> str:
    """Join letters that stand alone; two or more blanks were the blanks between words."""
    words = run.split() if any(sign in run for sign in "._*|~-") else re.split(r" {2,4}|[\n/]{1,3}", run)
    return " ".join("".join(char for char in word if char.isalnum()) for word in words)


def _decoded(text: str) -> Iterator[_View]:
    """Yield what base64 and hexadecimal runs say, if that is readable."""
    for match in (*_BASE64.finditer(text), *_HEX.finditer(text.lower())):
        run = match[0]
        try:
            if match.re is _HEX:
                data = bytes.fromhex(run.replace("\\x", "").replace("%", ""))
            else:
                data = urlsafe_b64decode(run.replace("+", "-").replace("/", "_").rstrip("=") + "===")
            decoded = data.decode("utf-8")
        except ValueError:
            continue
        if " " in decoded and sum(char.isalpha() or char == " " for char in decoded) > len(decoded) * 0.8:
            start, end = match.span()
            yield _View(decoded.lower(), [start] * (len(decoded) - 1) + [end - 1])
