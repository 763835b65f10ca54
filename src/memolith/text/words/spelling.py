"""Words as they are spelled, for literal search: parts of text between spaces and ASCII punctuation.

A term of a literal search may be any part of a text without spaces; what it has between punctuation is then a
part of one of these words.
"""

from __future__ import annotations

MAX_WORD = 200  # characters; a text with a longer one is not searched by its words
_APART = {code: " " for code in range(128) if not chr(code).isalnum()}


def words(text: str) -> set[str] | None:
    """Return the words of a text; None if one is too long."""
    found = set(text.casefold().translate(_APART).split())
    return None if any(len(word) > MAX_WORD for word in found) else found
