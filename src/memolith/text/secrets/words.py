"""The words that tell a secret from what is none, read from `words.txt`.

No `re` is in it, because the look before the scanner uses it too.
"""

from __future__ import annotations

import os


def lines(name: str) -> list[str]:
    """Return the lines of a table beside this file, without what explains them."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return [line for line in file.read().split("\n") if line and not line.startswith("# ")]


def _read() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in lines("words.txt"):
        if line[0] == "[":
            words = sections[line[1:-1]] = []
        else:
            found = line.split(" ")
            words += [word.replace("_", " ") for word in found] if "_" in line else found
    return sections


TABLE = _read()
WORD_PAIRS = frozenset(TABLE["pairs"])
STAND_INS = frozenset(TABLE["stand-ins"])
SMALL_WORDS = frozenset(TABLE["small"])
SAID = frozenset(TABLE["said"])
WIFI = tuple(TABLE["wifi"])
ACCOUNTS = tuple(TABLE["accounts"])
OPTIONS = frozenset(TABLE["options"])
ENDINGS = frozenset(TABLE["endings"])
GLUED = tuple(TABLE["glued"])
OTHER_KEYS = frozenset(TABLE["other-keys"])
PUBLIC = frozenset(TABLE["public"])
HINTS = frozenset(TABLE["hints"])
PROVIDERS = frozenset(TABLE["providers"])
PLACES = tuple(TABLE["places"])
OTHER_CODES = tuple(TABLE["other-codes"])
DESCRIBING = frozenset(TABLE["describing"])
VOCABULARY = frozenset(TABLE["vocabulary"])
NOW = "|".join(TABLE["now"])
# Behind an English name only what is no word of English; behind another one, all of them.
CLEAR_IS = "|".join(TABLE["is"])
ANY_IS = "|".join(TABLE["is"] + TABLE["is-too"])
GLUED_IS = "|".join(TABLE["is-glued"])
TO = "|".join(TABLE["to"])
SETS = "|".join(TABLE["sets"])
AS = "|".join(TABLE["as"])
OF = frozenset(TABLE["of"])
OF_THEIRS = frozenset(TABLE["of-theirs"])
OPEN = tuple(TABLE["open"])
_SAID = tuple(stem.rstrip() for stem in TABLE["said-stems"])
_ENDING, _SHORT = 7, 3


def is_said(word: str) -> bool:
    """Tell a word that says something of a password in some language from one that is a password."""
    word = word.lower()
    return word in SAID or any(
        word.startswith(stem) and len(word) <= len(stem) + (_ENDING if len(stem) > _SHORT else 0)
        for stem in _SAID
    )
