"""Secrets of letters only, in an environment: `JWT_SECRET=KeepThisOneForUs`, `SMTP_PASS="two words"`."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.values import (
    DESCRIBING,
    SMALL_WORDS,
    is_digest,
    is_said,
    is_stand_in,
    named_parts,
)

_KEEPS = lazy(
    r"(?:SECRET|TOKEN|API_?KEY|(?:ACCESS|SECRET|SIGNING|ENCRYPTION|MASTER|AUTH|APP|PRIVATE|SESSION)_KEY)(?:_BASE)?$"
)
_PARTS, _LEAST = lazy(r"[A-Z]?[a-z]+|[A-Z]+"), 10
_NAME, _LONG_NAME, _UNKNOWN = 12, 40, 2  # characters; words that no name of code has


def kept(text: str, end: int, word: str, kind: str, *, quoted: bool) -> bool | None:
    """Whether the variable whose name ends at `end` keeps a word as its secret; None: others have to say."""
    name = text[max(0, end - _NAME) : end]
    if not (name[-4:].isupper() and "_" in name):
        return None
    if " " in word:
        return not _is_told(word) if quoted and kind in {"password", "assigned"} else None
    if not _is_chosen(word):
        return None
    return kind == "password" or _KEEPS.search(text, max(0, end - _LONG_NAME), end) is not None


def _is_told(text: str) -> bool:
    """Whether words are what a person reads about a password."""
    words = text.lower().split()
    return "$" in text or is_stand_in(text) or words[0] in SMALL_WORDS or not DESCRIBING.isdisjoint(words)


def _is_chosen(word: str) -> bool:
    """Tell a value of letters only that somebody chose from the name of something, `UserAccessToken`."""
    known = named_parts(word)
    return (
        len(word) >= _LEAST
        and word.replace("-", "").replace("_", "").isalpha()
        and not (word.isupper() or is_said(word) or is_digest(word))
        and (not known or known < len(_PARTS.findall(word)) - _UNKNOWN)
    )
