"""Text to token numbers as BERT's uncased models know them: clean, split, then the longest known pieces.

Written here because it is one screen, while the usual package is a 3 MB binary that a vocabulary of one
word per line does not need. A word is looked up once and remembered: notes repeat their words.
"""

import unicodedata

_LONGEST = 100  # a word of more characters is unknown: it is base64 or a path, not language
_REMEMBERED = 50_000


class WordPiece:
    """A vocabulary and the rule that cuts words into its pieces."""

    def __init__(self, words: list[str]) -> None:
        self._ids = {word: number for number, word in enumerate(words)}
        self._start, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._unknown = self._ids["[UNK]"]
        self._known: dict[str, list[int]] = {}

    @classmethod
    def read(cls, path: str) -> "WordPiece":
        """Read a vocabulary file, one word a line."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read().split("\n")[:-1])

    def encode(self, text: str, limit: int) -> list[int]:
        """Return at most `limit` numbers, the marks for start and end among them."""
        pieces: list[int] = []
        # A token is at least one character and a word at most a hundred of them.
        for word in split(text[: limit * (_LONGEST + 1)]):
            found = self._known.get(word)
            if found is None:
                found = self._cut(word)
                if len(self._known) < _REMEMBERED:
                    self._known[word] = found
            pieces += found
            if len(pieces) >= limit - 2:
                break
        return [self._start, *pieces[: limit - 2], self._end]

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
        text = _fold(text)
    return "".join(map(_spaced, text.lower())).split()


def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(character for character in decomposed if unicodedata.category(character) != "Mn")


class _Spaced(dict[str, str]):
    """What each character becomes, filled as characters are met."""

    def __missing__(self, character: str) -> str:
        category = unicodedata.category(character)
        code = ord(character)
        if category[0] == "Z" or character in "\t\n\r":
            shown = " "
        elif category[0] == "C" or code == 0xFFFD:
            shown = ""
        elif category[0] == "P" or _is_ascii_symbol(code) or _is_chinese(code):
            shown = f" {character} "
        else:
            shown = character
        self[character] = shown
        return shown


_spaced = _Spaced().__getitem__


def _is_ascii_symbol(code: int) -> bool:
    return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126


def _is_chinese(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )
