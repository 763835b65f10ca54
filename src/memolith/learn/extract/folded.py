"""The form in which quotes are compared: one case, form of letters and quotation mark, on one line."""

from __future__ import annotations

import unicodedata

_STRAIGHT = str.maketrans("‘’‚“”„\u00a0", "''''" + '""' + " ")


class Folded:
    """A text in the form in which quotes are compared, and where each character of that form comes from."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        letters: list[str] = []
        self._starts: list[int] = []
        at = 0
        while at < len(raw):
            end = at + 1
            while end < len(raw) and raw[end] > "\u02ff" and _continues(raw[end]):
                end += 1
            for letter in unicodedata.normalize("NFC", raw[at:end]).casefold().translate(_STRAIGHT):
                if not letter.isspace():
                    letters.append(letter)
                    self._starts.append(at)
                elif letters and letters[-1] != " ":
                    letters.append(" ")
                    self._starts.append(at)
            at = end
        self.text = "".join(letters)
        self._starts.append(len(raw))

    def find(self, quote: str) -> tuple[int, int] | None:
        """Return where a folded quote stands in the raw text, from word boundary to word boundary."""
        at = self.text.find(quote) if quote else -1
        while at >= 0:
            end = at + len(quote)
            if not _joined(self.text[at - 1 : at], quote[0]) and not _joined(
                quote[-1], self.text[end : end + 1]
            ):
                return self._starts[at], self._starts[end]
            at = self.text.find(quote, at + 1)
        return None


def _continues(char: str) -> bool:
    return bool(unicodedata.combining(char)) or "\u1160" <= char <= "\u11ff"


def fold(text: str) -> str:
    """Return a text on one line, in one case and form, with straight quotation marks."""
    return Folded(text).text.strip()


def _joined(one: str, other: str) -> bool:
    """Whether two characters belong to one word; never, in scripts without spaces."""
    return bool(one and other) and all(char.isalnum() and char < "\u0e00" for char in (one, other))


def weight(text: str) -> int:
    """Return the length of a text, with a Chinese character counted as three letters."""
    return sum(3 if char >= "\u2e80" else 1 for char in text)
