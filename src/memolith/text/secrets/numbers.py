"""Numbers that open nothing, by what stands beside them: a port, an extension, a post code, an amount.

It is told in the clause of the number: right before it or behind it, as what its sentence is about ("the port
of the debugger is …"), or by the verb (a program listens there, somebody is called).
"""

from __future__ import annotations

from bisect import bisect_left

from memolith.text.patterns import lazy, sections
from memolith.text.secrets.placed import LINKING, LONG_OTHERS, MARKS, is_other_code
from memolith.text.secrets.values import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TABLE = {
    name: [word.replace("_", " ") for word in words]
    for name, words in sections("secrets/numbers.txt").items()
}
_SHORT, _UNSPACED = 4, "\u0e00"
_NAMES = frozenset(_TABLE["names"] + _TABLE["amounts"])
_STEMS = tuple(name for name in _NAMES if len(name) > _SHORT and name < _UNSPACED)
_ENDS = tuple(name for name in _NAMES if name > _UNSPACED)
_PORTS, _PORT_ENDS = frozenset(_TABLE["ports"]), tuple(_TABLE["port-ends"])
_LISTENS, _CALLS = tuple(_TABLE["listens"]), frozenset(TABLE["calls"])
_TO = frozenset(_TABLE["to"])
_BEHIND = lazy(rf"['’]?(?:{'|'.join(_TABLE['behind'])})")
_CLAUSE_STOP, _WORD = lazy(r"[,;!?][ \n]|\.[ \n]|[。、，；！？،؛\n]"), lazy(r"\S+")
_SIGNS = MARKS + ":：=→-–—"
_PARTICLES = "はがをのにで는은를을이가是为"
_TIME = lazy(r"[01]\d[0-5]0|2[0-3][0-5]0")
_AT = frozenset(["at", "um", "à", "om", "kl", "klo", "alle", "o", "в", "о", "às", "until", "bis", "from"])
_BEFORE, _SUBJECT = 72, 5  # characters; words


def opens_nothing(text: str, start: int, end: int, secrets: Sequence[int]) -> bool:
    """Whether a number is one that anybody may know; `secrets`: where names of secrets are, in order."""
    before = bisect_left(secrets, start)
    named = secrets[before - 1] if before else -_BEFORE
    is_other = start - named < _BEFORE and is_other_code(text[max(0, named - _BEFORE) : named].lower(), "")
    if is_other or _BEHIND.match(text, end):
        return True
    low = max(0, start - _BEFORE)
    for stop in _CLAUSE_STOP.finditer(text, low, start):
        low = stop.end()
    found = [(at.start(), at[0].lower().strip(_SIGNS)) for at in _WORD.finditer(text, low, start)]
    words = [(at, word.rstrip(_PARTICLES) or word) for at, word in found if word]
    if _is_reached([word for _, word in words]):
        return True
    size = len(words)
    while len(words) > 1 and words[-1][1] in LINKING:
        words.pop()
    if not words:
        return False
    said = [word for _, word in words]
    # "The PIN of the extension is …": where a secret is named, the rest says of what.
    stated, free = len(words) < size, named < low
    return (
        said[-1].startswith(LONG_OTHERS)
        or (said[-1] in _AT and _TIME.fullmatch(text, start, end) is not None)
        or ((free or not stated) and _is_name(said))
        or (free and stated and any(map(_is_subject, said[-_SUBJECT:])))
        or (not stated and _is_port(said[-1]))
    )


def _is_name(words: list[str]) -> bool:
    """Whether the last words say what the number behind them is."""
    last, two = words[-1], " ".join(words[-2:])
    if last in _NAMES or two in _NAMES or last.endswith(_ENDS):
        return True
    # In Arabic and Hebrew "to" and "the" are letters before the word.
    glued = range(3 if "\u0590" <= last[0] < "\u0900" else 1)
    return two.startswith(_STEMS) or any(last.startswith(_STEMS, at) for at in glued)


def _is_subject(word: str) -> bool:
    return word.startswith(_STEMS) or _is_port(word)


def _is_port(word: str) -> bool:
    return word in _PORTS or word.endswith(_PORT_ENDS)


def _is_reached(words: list[str]) -> bool:
    """Whether something listens there, or somebody is called."""
    if words and words[-1] in _TO and any(word.startswith(_LISTENS) for word in words):
        return True
    while words and words[-1] in _TO:
        words.pop()
    return bool(words) and words[-1] in _CALLS
