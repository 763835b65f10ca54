"""Secrets in forms of their own: a PIN, a door's code, `login: name / …`, a column, words of a wallet."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.sentences import ANY_IS, CLAUSE_END, CLEAR_IS, LINE, NOW, OTHER_CODES
from memolith.text.secrets.values import (
    TABLE,
    is_chosen,
    is_name,
    is_password,
    is_random,
    is_shuffled,
    is_stand_in,
    is_strange,
    number_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from memolith.text.secrets.names import Name

    Place = tuple[int, int]
    Span = tuple[str, int, int]

_NUMBER = (
    r"(?P<value>[#*]?(?:\d{1,4}(?:-\d{1,4}){2,5}|\d\d(?: \d\d){2,3}|\d{2,4}#\d{2,4}|"
    r"\d{3,12}(?:[ -]\d{2,5}){0,4}|"
    r"(?=[A-Z\u0410-\u042f-]{3,30}\d)(?:[0-9A-Z\u0410-\u042f]{2,12}-){1,4}[0-9A-Z\u0410-\u042f]{2,12}|"
    r"(?=[A-Z\u0410-\u042f]{0,4}\d)[0-9A-Z\u0410-\u042f]{3,12})[#*]?)(?![\w#*@%€$]|[.,:/-]\d)"
    r"(?! ?(?i:x|%|°|mm|ms|bit|byte|kb|mb|char|digit|sec|min|time|line|row|item|token|stellen|zeichen))"
    r"(?! ?[位桁자文])"
    r"(?! (?:of|is|are|on|to)\b)"
)
_CALLED = r"(?:[ -]?(?i:code|kode|kod|kód|kodu|код|number|nummer|no\.|nr\.|broj|číslo|番号|번호))?"
_OPENS = r"[\"'`*(„“«「]{0,3}"
_GAP = r"[^\n\d.;!?:：=]"
_RIGHT_BEHIND = lazy(
    rf"{_CALLED}[\"'`*)\]]{{0,3}}[ \t'’s]{{0,3}}(?:[:：=＝#>|→–—-]{{1,2}}\s{{0,3}})?{_OPENS}{_NUMBER}"
)
_STATED = {
    words: lazy(
        rf"{_CALLED}(?:{_GAP}|\d{{1,2}}(?!\d)\.?){{0,40}}?"
        rf"(?:(?<!\S)(?i:{words})[ :]|[:：=＝→—–]|[是为為は은는가]|คือ|เป็น)"
        rf" {{0,3}}(?:(?i:{NOW}|el|the) )?{_OPENS}{_NUMBER}"
    )
    for words in (CLEAR_IS, ANY_IS)
}
_BELOW = lazy(rf"{_CALLED}{LINE}{_OPENS}{_NUMBER}[ \t]*(?![^\n])")
# The first number may only name the card: the PIN of card 4411 follows it.
_AND = lazy(rf"(?:[:：=] ?|, ?){_OPENS}{_NUMBER}")
_BETWEEN = lazy(rf"(?P<words>{_GAP}{{0,40}}?) ?{_OPENS}{_NUMBER}")
_GROUPS = lazy(
    r"(?:(?=[\w-]{0,20}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,9}|\d{6,12}|(?=[a-z]{0,14}\d)[a-z0-9]{8,16})"
    r"(?![\w-])[\s,;\"'`*-]{0,6}"
)
_YEAR = lazy(r"(?:19|20)\d\d$|\d{4}-\d\d-\d\d")
_DATED = lazy(
    r"(?i)\s(?:in|im|since|seit|depuis|desde|en|until|bis|v|w|в|с|on|at|od|do)\s(?:19|20)\d\d$|"
    r"\d{4}-\d\d-\d\d|\b20[12]\d$|\b(?:port|line|zeile|page|seite|row|room|version|build|issue|ticket) \d+$"
)
_AHEAD = lazy(
    r"(?<![\w.-])(?P<value>[A-Z]?\d{4,8}[#*]?) ?(?:\(|(?:au|am|en el|on the|at the|into the|sul|på|op het) )$"
)
_NEAR = 32
_PLACES = (*TABLE["places"], *TABLE["wifi"])
_SHORT = 4  # letters of a place that is not looked for inside a word


def codes(text: str, lower: str, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    """Find the digits that belong to the name of a PIN, a door code or a recovery code."""
    for at, end, kind in names:
        if kind in {"key", "pair", "phrase"} or not any(map(str.isdigit, text[max(0, at - 20) : end + 64])):
            continue
        ahead = _AHEAD.search(text, max(0, at - 20), at)
        pin = kind == "pin"
        if ahead and kind in {"pin", "code"} and _opens(lower, at, end, ahead, pin=pin):
            yield "pin", *ahead.span("value")
        if kind == "restore":
            yield from _restoring(text, end)
            continue
        # `pin` is a verb and a part of a plug; in capitals it is neither.
        loud = text[at : at + 2].isupper() or not text[at:end].isascii() or end - at > 5
        link = _STATED[ANY_IS if loud else CLEAR_IS]
        found = _RIGHT_BEHIND.match(text, end) or link.match(text, end) or _BELOW.match(text, end)
        stated = found is not None and kind == "code" and "code" not in lower[at:end]
        if not found:
            pin, found = pin and loud, _BETWEEN.match(text, end)
            if found and (_DATED.search(text[end : found.end()]) or len(found["words"].split()) > 6):
                found = None
        if not found or not _opens(lower, at, end, found, stated=stated, pin=pin):
            continue
        word = found["value"]
        digits = sum(map(str.isdigit, word))
        letters = any(map(str.isalpha, word))
        least = 3 if lower[at:end].startswith(("cvv", "cvc")) or letters or "-" in word else 4
        if digits >= least - letters and (not letters or not is_stand_in(word)):
            yield "pin", *found.span("value")
            if more := _AND.match(text, found.end()):
                yield "pin", *more.span("value")


def _restoring(text: str, end: int) -> Iterator[Span]:
    first = _GROUPS.search(text, end, end + 64)
    at = first.start() if first else end
    while found := _GROUPS.match(text, at):
        yield "recovery-code", at, at + len(found[0].rstrip(" \t\r\n,;\"'`*-"))
        at = found.end()


def _opens(lower: str, at: int, end: int, found: re.Match[str], *, stated: bool = False, pin: bool) -> bool:
    """Whether a code is that of a door: its place is named before it, in its word, or behind it.

    A PIN, or a code that is `stated` in another language, opens something, if nothing says that it does not.
    """
    before, between = (
        lower[max(0, at - _NEAR) : at].rpartition("\n")[2],
        f" {lower[end : found.start('value')]}",
    )
    near = f" {before} {between}".replace("-", " ").replace("'", " ").replace("’", " ")
    last = before.rstrip(" -_").rpartition(" ")[2]
    if any(last.endswith(other) or f" {other}" in between for other in OTHER_CODES):
        return False
    if pin or (
        stated
        and between.strip()
        and not before[-1:].isalpha()
        and not _YEAR.match(found["value"])
        and CLAUSE_END.match(lower, found.end())
    ):
        return True
    return any(
        (place if len(place) > _SHORT or not place[0].islower() else f" {place}") in near for place in _PLACES
    )


_PAIR = lazy(
    r"(?i)(?:s|entials?)?\b[^\n]{0,40}?[:\s(]['\"`]?[\w.@+-]{2,64}['\"`]?(?:\s{1,2}/\s{1,2}|\s{0,2}\|\s{0,2}|/|:|"
    r"(?<=['\"`]) (?:and|und|et|y|e|og|och|en|ja|i|и|ve) (?=['\"`]))"
    r"['\"`]?([^\s'\"`,;\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
# A network's name may have spaces and signs; so the stroke must stand by itself, or the value be strange.
_NETWORK = lazy(
    r"[^\n/|]{0,48}?(?:(?P<apart>\s{1,2}[/|]\s{1,2})|[/|])['\"`„“]?([^\s'\"`,;|\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
_PHRASES = ("mnemonic", "seed phrase", "recovery phrase", "seed words")
_COOKIE = lazy(r"(?i)(?:\bcookies?\b[\"']?\s{0,3}[:=]|\bcurl\b[^\n]{0,60}?\s-b)\s{0,3}[^\n]{1,4000}")
_CRUMB = lazy(r"(?<![\w.-])[\w.-]{2,64}=([^\s;,'\"]{16,2000})")
_MNEMONIC = lazy(
    r"[^\n:=\"'`]{0,24}(?:[:=\"'`]| is | are )\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
)
_MOST_ROWS = 200
_SEPARATORS = ("|", "\t", ";", ",")


def pair(text: str, at: int) -> Place | None:
    """Find `login: admin / …`."""
    match = _PAIR.match(text, at)
    word = match[1].rstrip(".)") if match else ""
    return (
        (match.start(1), match.start(1) + len(word))
        if match and is_password(word) and not is_name(word)
        else None
    )


def pairs(text: str, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    """Find `WLAN: name / …`."""
    for _, end, kind in names:
        match = _NETWORK.match(text, end) if kind == "pair" else None
        word = match[2].rstrip(".)") if match else ""
        if match and (
            is_strange(word) or (match["apart"] and is_chosen(word) and any(map(str.isdigit, word)))
        ):
            yield "password", match.start(2), match.start(2) + len(word)


def phrases(text: str, lower: str) -> Iterator[Span]:
    """Find the words that restore a wallet."""
    for phrase in _PHRASES:
        at = lower.find(phrase)
        while at >= 0:
            match = _MNEMONIC.match(text, at + len(phrase))
            if match:
                yield "mnemonic", match.start(1), match.end(1)
            at = lower.find(phrase, at + len(phrase))


def cookies(text: str, lower: str) -> Iterator[Span]:
    """Find the values of cookies: whoever has that of a session is logged in."""
    if "cookie" not in lower and " -b" not in lower:
        return
    for line in _COOKIE.finditer(text):
        for crumb in _CRUMB.finditer(line[0]):
            if is_strange(crumb[1]) or is_random(crumb[1]) or is_shuffled(crumb[1]):
                yield "cookie", line.start() + crumb.start(1), line.start() + crumb.end(1)


def columns(text: str, names: Iterable[Name]) -> Iterator[Span]:
    """Find what stands below the title of a column."""
    done = 0
    for at, end, _, kind in names:
        if at < done or kind not in {"password", "loose", "secret", "token", "key"}:
            continue
        first, last = text.rfind("\n", 0, at) + 1, text.find("\n", end)
        if last < 0 or last - first > 300:
            continue
        head = text[first:last]
        sign = next((each for each in _SEPARATORS if each in head), "")
        before, after = text[first:at].count(sign) if sign else 0, text[end:last].partition(sign or "\n")[0]
        cell = (text[first:at].rpartition(sign)[2] + text[at:end] + after) if sign else ""
        if not cell or len(cell.split()) > 5 or (sign != "|" and (":" in head or "=" in head)):
            continue
        if (
            kind in {"password", "loose"}
            or text[last + 1 : last + 300].lstrip("| :-").partition("\n")[0] == ""
        ):
            found, done = _below(text, last + 1, sign, before, head.count(sign), kind)
            yield from found


def _below(text: str, at: int, sign: str, column: int, signs: int, kind: str) -> tuple[list[Span], int]:
    """Return the values of a column, and where its last row begins."""
    found: list[Span] = []
    for _ in range(_MOST_ROWS):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        row = text[at:end]
        if not row or row.count(sign) != signs:
            break
        cells = row.split(sign)
        start = at + sum(map(len, cells[:column])) + column * len(sign)
        cell = cells[column]
        word = cell.strip(" \t\r'\"`*")
        start += len(cell) - len(cell.lstrip(" \t'\"`*"))
        is_value = (
            is_password(word)
            or is_chosen(word)
            or (kind == "password" and number_end(text, start) == start + len(word))
        )
        if is_value and " " not in word and (is_chosen(word) or not is_name(word)) and not is_stand_in(word):
            found.append(({"loose": "password", "key": "api-key"}.get(kind, kind), start, start + len(word)))
        at = end + 1
    return found, at
