"""Secrets made of digits: a PIN, the code of a door, a password that is a number.

A number says nothing by itself, so it must be called what it is: "PIN 4711", "the door code is 2580#".
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secret_telling import ANY_IS, CLEAR_IS, PLACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NUMBER = (
    r"(?P<value>[#*]?(?:\d{3,12}(?:[ -]\d{2,5}){0,4}|\d{1,2}(?:-\d{1,2}){2,4})[#*]?)(?![\w#*@%€$]|[.,:/-]\d)"
    r"(?! ?(?i:x|%|°|mm|ms|bit|byte|kb|mb|char|digit|sec|min|time|line|row|item|token|stellen|zeichen))"
    r"(?! ?[位桁자])"
    r"(?! (?:of|is|are|on|to)\b)"
)
_CALLED = r"(?:[ -]?(?i:code|kode|kod|kód|код|number|nummer|no\.|nr\.|broj|číslo|番号|번호))?"
_OPEN = r"[\"'`*(„“«「]{0,3}"
_RIGHT_BEHIND = lazy(_CALLED + r"[\"'`*)\]]{0,3}[ \t]{0,3}(?:[:：=＝#>|→–—-]{1,2}\s{0,3})?" + _OPEN + _NUMBER)
_TOLD = {
    word: lazy(
        _CALLED
        + rf"[^\n\d.;!?:：=]{{0,40}}?(?:(?<!\S)(?i:{word})[ :]|[:：=＝→—–]|[是为為は은는가]|คือ|เป็น) {{0,3}}"
        rf"(?:(?i:now|jetzt|ahora|maintenant|теперь) )?{_OPEN}{_NUMBER}"
    )
    for word in (CLEAR_IS, ANY_IS)
}
_PLACE_BETWEEN = lazy(r"[^\n\d.;!?:：=]{0,32}? " + _OPEN + _NUMBER)
# `45B12`: only the code of a door has letters.
_LETTERED = lazy(
    r"[^\n\d.;!?]{0,40}?[ :：=](?P<value>(?=[A-Z\u0410-\u042f]{0,4}\d)(?=\d{0,7}[A-Z\u0410-\u042f])"
    r"[\dA-Z\u0410-\u042f]{4,8}[#*]?)(?![\w.-])"
)
_WHOLE = lazy(
    r"(?:\d{4,5}(?:[ -]\d{4,5}){1,4}|\d{4,24}(?:[A-Za-z]{1,2}|[#*])?)"
    r"(?=[\s.,;!?)\]}\"'`*|<。，；）」』”»]|$)(?![.,]\d)(?! ?[(%°]| \d)"
    r"(?! (?!(?i:for|and|or|on|at|in|und|für|et|pour|y|para|e|per|и|для) )[A-Za-z\u00c0-\u1fff])"
)
_PLACES = tuple(place.replace("_", " ") for place in PLACES.split())
_NEAR = 32
_SHORT = 4  # letters of a place that is not looked for inside a word


def codes(text: str, lower: str, names: Iterable[tuple[int, int, str]]) -> Iterator[tuple[str, int, int]]:
    """Find the digits that a name of kind `pin` or `code` tells."""
    for at, end, kind in names:
        if kind not in {"pin", "code"} or not any(map(str.isdigit, text[end : end + 64])):
            continue
        # `pin` is a verb and a part of a plug; in capitals it is neither.
        loud = text[at:end] not in {"pin", "pins"}
        found = _RIGHT_BEHIND.match(text, end) or _TOLD[ANY_IS if loud else CLEAR_IS].match(text, end)
        if not found and (loud or kind == "code"):
            found = _PLACE_BETWEEN.match(text, end)
        if not found and kind == "code":
            found = _LETTERED.match(text, end)
        if not found or (kind == "code" and not _opens(lower, at, end, found.start("value"))):
            continue
        value = found["value"]
        if sum(map(str.isdigit, value)) >= (3 if lower[at:end].startswith(("cvv", "cvc")) else 4):
            yield "pin", *found.span("value")


def _opens(lower: str, at: int, end: int, start: int) -> bool:
    """Tell whether a code is that of a door: its place is named just before it, or behind it."""
    near = f" {lower[max(0, at - _NEAR) : at].rpartition(chr(10))[2]} {lower[end:start]}".replace("-", " ")
    return any(
        (place if len(place) > _SHORT or place > "\u0e00" else f" {place}") in near for place in _PLACES
    )


def number_end(text: str, start: int) -> int:
    """Return where a number ends that is all that is said of a password; 0 if it counts something."""
    found = _WHOLE.match(text, start)
    return found.end() if found else 0
