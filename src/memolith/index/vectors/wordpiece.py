"""Text to the numbers of word pieces, as the model was trained with."""

from __future__ import annotations

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 100  # a longer word is unknown: base64 or a path, not language
_REMEMBERED = 50_000


class WordPiece:
    """A vocabulary and the rule that splits words into its pieces."""

    def __init__(self, words: list[str]) -> None:
        self._ids = {word: number for number, word in enumerate(words)}
        self._start, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._unknown = self._ids["[UNK]"]
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str, limit: int) -> list[int]:
        """Return at most `limit` numbers, including the start and end markers."""
        return [self._start, *self.pieces(text, limit - 2), self._end]

    def spans(self, parts: Sequence[str], limit: int) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the numbers of a text that is cut into parts, and from where to where each part goes."""
        found, spans = [self._start], []
        for part in parts:
            begin = len(found)
            found += self.pieces(part, limit - 1 - begin) if begin < limit - 1 else ()
            spans.append((begin, len(found)))
        return [*found, self._end], spans

    def pieces(self, text: str, limit: int) -> list[int]:
        """Return at most `limit` numbers of pieces."""
        pieces: list[int] = []
        # A token is at least one character and a word at most a hundred of them.
        for word in split(text[: (limit + 2) * (_LONGEST + 1)]):
            found = self._known.get(word)
            if found is None:
                found = self._cut(word)
                if len(self._known) < _REMEMBERED:
                    self._known[word] = found
            pieces += found
            if len(pieces) >= limit:
                break
        return pieces[:limit]

    def _cut(self, word: str) -> list[int]:
        if len(word) > _LONGEST:
            return [self._unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            pieces.append(number)
            start = end
        return pieces


def split(text: str) -> list[str]:
    """Cut text into lower-case words without accents; punctuation and Chinese characters stand alone."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFD", text.lower())
        text = "".join(each for each in decomposed if unicodedata.category(each) != "Mn")
    return "".join(map(_spaced, text.lower())).split()


class _Spaced(dict[str, str]):
    """The replacement of each character, computed on first use."""

    def __missing__(self, character: str) -> str:
        category, code = unicodedata.category(character), ord(character)
        if category[0] == "Z" or character in "\t\n\r":
            shown = " "
        elif category[0] == "C" or code == 0xFFFD:
            shown = ""
        elif category[0] == "P" or (category[0] == "S" and code < 128) or _is_chinese(code):
            shown = f" {character} "
        else:
            shown = character
        self[character] = shown
        return shown


_spaced = _Spaced().__getitem__


def _is_chinese(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )
