"""Secrets in forms of their own: a PIN, a door's code, `login: name / …`, a column, a list."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.placed import HARDWARE, is_other_code
from memolith.text.secrets.restoring import restoring
from memolith.text.secrets.sentences import ANY_IS, CLAUSE_END, CLEAR_IS, LINE, NOW
from memolith.text.secrets.values import (
    TABLE,
    bare,
    is_chosen,
    is_jumbled,
    is_name,
    is_password,
    is_random,
    is_sentence,
    is_shuffled,
    is_stand_in,
    is_strange,
    made,
    number_end,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Generator, Iterable, Iterator

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
    rf"{_CALLED}[\"'`*)\]]{{0,3}}[ \t'’s]{{0,3}}(?:[:：=＝#>|→–—,-]{{1,2}}\s{{0,3}})?{_OPENS}{_NUMBER}"
)
_STATED = {
    words: lazy(
        rf"{_CALLED}(?:{_GAP}|\d{{1,2}}(?!\d)\.?){{0,40}}?"
        rf"(?:(?<!\S)(?i:{words})[ :]|[:：=＝→—–]|[是为為は은는가]|คือ|เป็น)"
        rf" {{0,3}}(?:(?i:{NOW}|el|the|le|la|il|o|der|die|das|het|de|to|το) )?{_OPENS}{_NUMBER}"
    )
    for words in (CLEAR_IS, ANY_IS)
}
# The answer to a question for one.
_ASKED = lazy(
    rf"[^\n?]{{0,80}}[?？؟][\"'”»]?[ \t]*\n(?:[^\s\d:]{{1,24}}[:>] )?(?:[^\s\d]{{1,12}} ){{0,3}}"
    rf"{_OPENS}{_NUMBER}[ \t.!]*(?![^\n])"
)
_BELOW = lazy(rf"{_CALLED}{LINE}{_OPENS}{_NUMBER}[ \t]*(?![^\n])")
# The first number may only name the card: the PIN of card 4411 follows it.
_AND = lazy(rf"(?:[:：=] ?|, ?|[^\n\d.!?。]{{1,48}}(?<!port)[ \u3040-\ud7ff]){_OPENS}{_NUMBER}")
_BETWEEN = lazy(rf"(?P<words>{_GAP}{{0,80}}?) ?{_OPENS}{_NUMBER}")
_YEAR = lazy(r"(?:19|20)\d\d$|\d{4}-\d\d-\d\d")
_DATED = lazy(
    r"(?i)\s(?:in|im|since|seit|depuis|desde|en|until|bis|v|w|в|с|on|at|od|do)\s(?:19|20)\d\d$|"
    r"\d{4}-\d\d-\d\d|\b20[12]\d$|\b(?:port|line|zeile|page|seite|row|room|version|build|issue|ticket) \d+$"
)
_AHEAD = lazy(
    r"(?<![\w.-])(?P<value>[A-Z]?\d{4,8}[#*]?) ?(?:\(|(?:au|am|en el|on the|at the|into the|sul|på|op het) "
    r"|(?: (?:is|ist|est|es|är|er|é|è|on|to|je|е|это|—|–|-) | ?(?:是|が|は|가|이) ?)(?:[^\s\d]{1,8} ){0,2})$"
)
# A part, or what a chip calls its pins: `BPW34`, `D13`.
_PART = lazy(r"[A-Z]{2,6}\d{1,5}[A-Z]{0,2}|[A-Z]\d\d?")
_NEAR = 32
_PLACES = (*TABLE["places"], *TABLE["wifi"])
_NO_CODES = frozenset(["key", "pair", "phrase", "sign-in", "wallet"])
_SHORT = 4  # letters of a place that is not looked for inside a word
_OPENED = tuple(
    place if len(place) > _SHORT or not place[0].islower() else f" {place}"
    for place in dict.fromkeys(_PLACES)
)


def codes(text: str, lower: str, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    """Find the digits that belong to the name of a PIN, a door code or a recovery code."""
    for at, end, kind in names:
        if kind in _NO_CODES or not any(map(str.isdigit, text[max(0, at - 20) : end + 64])):
            continue
        ahead = _AHEAD.search(text, max(0, at - 20), at)
        pin = kind == "pin"
        if ahead and kind in {"pin", "code"} and _opens(lower, at, end, ahead, pin=pin):
            yield "pin", *ahead.span("value")
        if kind == "restore":
            yield from restoring(text, end)
            continue
        # `pin` is a verb and a part of a plug; in capitals it is neither.
        loud = text[at : at + 2].isupper() or not text[at:end].isascii() or end - at > 5
        link = _STATED[ANY_IS if loud else CLEAR_IS]
        found = (
            _RIGHT_BEHIND.match(text, end)
            or link.match(text, end)
            or _BELOW.match(text, end)
            or (pin and _ASKED.match(text, end))
        )
        stated = found is not None and kind == "code" and "code" not in lower[at:end]
        if not found:
            pin, found = pin and loud, _BETWEEN.match(text, end)
            if found and (
                _DATED.search(text[end : found.end()]) or len(found["words"].split()) > (12 if pin else 5)
            ):
                found = None
        if not found or not _opens(lower, at, end, found, stated=stated, pin=pin):
            continue
        word = found["value"]
        digits = sum(map(str.isdigit, word))
        letters = any(map(str.isalpha, word))
        least = 3 if lower[at:end].startswith(("cvv", "cvc")) or letters or "-" in word else 4
        if digits >= least - letters and (not letters or not is_stand_in(word)):
            yield "pin", *found.span("value")
            more = _AND.match(text, found.end())
            if more and not _YEAR.match(more["value"]) and (not pin or more["value"].isdigit()):
                yield "pin", *more.span("value")


def _opens(lower: str, at: int, end: int, found: re.Match[str], *, stated: bool = False, pin: bool) -> bool:
    """Whether a code is that of a door: its place is named before it, in its word, or behind it.

    A PIN, or a code that is `stated` in another language, opens something, if nothing says that it does not.
    """
    before, between = (
        lower[max(0, at - _NEAR) : at].rpartition("\n")[2],
        f" {lower[end : found.start('value')]}",
    )
    near = f" {before} {between}".replace("-", " ").replace("'", " ").replace("’", " ")
    is_part = pin and _PART.fullmatch(found["value"])
    if is_part or is_other_code(before, between) or is_sentence(between.strip("をがは ")):
        return False
    if pin or (
        stated
        and between.strip()
        and not before[-1:].isalpha()
        and not _YEAR.match(found["value"])
        and CLAUSE_END.match(lower, found.end())
    ):
        return True
    return any(place in near for place in _OPENED)


_PAIR = lazy(
    r"(?i)(?:s|entials?)?\b[^\n]{0,40}?[:\s(]['\"`]?[\w.@+-]{2,64}['\"`]?(?:\s{1,2}/\s{1,2}|\s{0,2}\|\s{0,2}|/|:|"
    r"(?<=['\"`]) (?:and|und|et|y|e|og|och|en|ja|i|и|ve) (?=['\"`]))"
    r"['\"`]?([^\s'\"`,;\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
# A network's name may have spaces and signs; so the stroke must stand by itself, or the value be strange.
_NETWORK = lazy(
    r"[^\n/|]{0,48}?(?:(?P<apart>\s{1,2}[/|]\s{1,2})|[/|])['\"`„“]?([^\s'\"`,;|\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
# "wifi on the second floor: …", up to the end of the line
_NETWORK_IS = lazy(
    r"(?:['’]\w{1,3})?[^\n:：=→|]{0,48}?[:：=→] ?[\"'`„“]?"
    r"(?P<value>[^\s\"'`,;|/\u3000-\u3002\uff0c\uff1b]{8,63})"
    r"[\"'`“”]?[.!]?(?=[ \t]*(?:\n|$|\(|, ))"
)
_IS_NETWORK = lazy(r"(?i)wi.?fi|wlan|[^\x00-\u04ff]|вайф|вай-ф|hotspot")
# What may stand before a password where somebody is told to log in, and other sentences that give one, each
# with the words that it begins with.
_BEFORE = lazy(
    r"(?i)(?:\b(?:and|with|using|und|mit|et|avec|y|con|e|i|z)|[,:(/])\s+['\"`]?"
    r"([A-Za-z0-9][^\s'\"`,;()\u3000-\u3002\uff0c\uff1b]{6,63})"
)
_GIVEN = tuple(
    (tuple(begins.split("|")), lazy(rf"(?i){each}['\"`]?([^\s'\"`,;()\u3000-\u3002\uff0c\uff1b]{{6,64}})"))
    for begins, each in (
        ("login ", rf"login (?:is |as |for )?(?:{'|'.join(TABLE['accounts'])}) "),
        (
            "user|login|account",
            r"\w{4,8}[ :=]{1,3}\S{2,40}[ ,;/]{1,3}(?:and |with )?(?:pass|pwd?|secret)[ :=]{1,3}",
        ),
        (
            "pass|pw",
            r"(?:pass(?:code|phrase)? (?:(?:for|to|of|on) \S{1,60} )?(?:is|was) |password from "
            r"|\w{2,10}\? {1,2}(?:it.?s|that.?s|is) "
            r"|pass(?:word|phrase)\W{1,3}(?:just )?(?:type|enter) (?:in )?)",
        ),
        (
            "ask for |enter |type ",
            r"(?:ask for|\w+) (?:in )?(?=\S{6,64} (?:at|as|when) (?:\w{1,5} ){0,3}pass(?:word|phrase))",
        ),
        ("vault|sudo", r"\w+ pass "),
        ("login|log-in", r"log-?in\b[^\n(]{0,20}\([\w.@+-]{2,40}[,/:] ?"),
        (
            "license|licence|product |activation ",
            r"\w{7,10}[ -](?:key|code)\W{1,3}(?:is )?(?=(?:[A-Z0-9]{4,6}-){3})",
        ),
    )
)
_SIGN_IN = tuple(TABLE["sign-in"])
_SIGN_IN_BEGINS = ("log", "sign", *(word for word in _SIGN_IN if not word.startswith(("log", "sign"))))
_DIGIT = lazy(r"\d")
_NO_LETTER, _NO_DIGIT = lazy(r"[^A-Za-z]+"), lazy(r"\D+")
_TOLD, _LONGEST = 120, 80  # characters: of such a sentence, of what stands before a value and it
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
    for at, end, kind in names:
        match = _NETWORK.match(text, end) if kind == "pair" else None
        word = match[2].rstrip(".)") if match else ""
        if match and (
            is_strange(word) or (match["apart"] and is_chosen(word) and any(map(str.isdigit, word)))
        ):
            yield "password", match.start(2), match.start(2) + len(word)
        found = _NETWORK_IS.match(text, end) if kind == "pair" and _IS_NETWORK.search(text, at, end) else None
        word = found["value"] if found else ""
        if found and is_chosen(word) and any(map(str.isdigit, word)) and not HARDWARE.search(found[0]):
            yield "password", found.start("value"), found.end("value")


def given(text: str, lower: str) -> Iterator[Span]:
    """Find what a sentence gives to log in with: `log in with demo and …`, `user bob pass …`."""
    done = seen = 0
    for at in sorted(_places(lower, _SIGN_IN, _SIGN_IN_BEGINS)):
        end = text.find("\n", at, at + _TOLD)
        begin, done = max(at, done - _LONGEST), end if end >= 0 else at + _TOLD
        if not _DIGIT.search(text, begin, done):
            continue
        for match in _BEFORE.finditer(text, begin, done):
            if match.start(1) <= seen:
                continue
            seen, word = match.start(1), bare(match[1])
            letters, digits = (str(each.sub("", word)) for each in (_NO_LETTER, _NO_DIGIT))
            random = is_jumbled(letters) if len(letters) > 6 else is_shuffled(word) and len(digits) > 1
            ends = CLAUSE_END.match(text, seen + len(word)) and match[0][0] not in ":("
            if is_strange(word) or (random and _is_likely(word)) or (ends and made(word)):
                yield "password", match.start(1), match.start(1) + len(word)
    for begins, pattern in _GIVEN:
        for at in _places(lower, begins):
            found = pattern.match(text, at)
            if found and _is_likely(word := bare(found[1])):
                yield "password", found.start(1), found.start(1) + len(word)


def _places(lower: str, words: tuple[str, ...], shared: Iterable[str] = ()) -> Iterator[int]:
    """Yield where one of these words begins; those of the same `shared` beginnings are searched for once."""
    for begins in shared or words:
        at = lower.find(begins)
        while at >= 0:
            if not lower[at - 1 : at].isalpha() and lower.startswith(words, at):
                yield at
            at = lower.find(begins, at + 1)


def _is_likely(word: str) -> bool:
    chosen = (is_password(word) or is_chosen(word)) and any(map(str.isdigit, word))
    return chosen and not any(sign in word for sign in "/.:")


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


_TITLE = lazy(
    r"[ \t]*(?P<item>(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[.\][ \t]+)?)?(?P<marks>[#*_ \t]*)(?P<words>[^\n]*)"
)
_ITEM = lazy(r"[ \t]*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?(?:\[.\][ \t]+)?")
_LISTED = lazy(r"(?:(?<![^\s'\"`(])[\w./-]{1,40}[:=：])?([^\s'\"`,;|：]{6,64})")
_TITLE_WORDS, _MOST_TITLE, _ITEM_WORDS, _MOST_ITEM = 5, 60, 8, 120


def listed(text: str, names: Iterable[Name]) -> Iterator[Span]:
    """Find what stands below the title of a list, `Passwords`, and several values in a line about them."""
    done = 0
    for at, end, word, kind in names:
        first, last = text.rfind("\n", 0, at) + 1, text.find("\n", end)
        last = last if last >= 0 else len(text)
        if at < done or last - first > 300 or (kind == "assigned" and word != "login") or kind == "weak":
            continue
        label = {"secret": "secret", "token": "token", "key": "api-key"}.get(kind, "password")
        several = list(_values(text, end, last, label)) if text[end - 1] in "sS" else []
        yield from several if len(several) > 1 else ()
        if last - first > 2 * _MOST_TITLE:
            continue
        title = _TITLE.match(text, first, last)
        words, colon, more = title["words"].replace("：", ":").partition(":") if title else ("", "", "")
        if not title or not _is_title(words) or at - title.start("words") > len(words) or more.strip(" \t*_"):
            continue
        done = yield from _items(text, last + 1, kind, label, title, begun=bool(colon))


def _items(
    text: str, at: int, kind: str, label: str, title: re.Match[str], *, begun: bool
) -> Generator[Span, None, int]:
    """Yield the values of a list, and return where it ends; below a todo, only the next one is its value."""
    begun = begun or "#" in title["marks"]
    for _ in range(1 if title["item"] else _MOST_ROWS):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        item = _ITEM.match(text, at, end)
        row = text[item.end() : end] if item else ""
        begun = begun or not row.strip() or (item is not None and item.end() > at)
        most = 1 if title["item"] else _ITEM_WORDS
        if at >= len(text) or not begun or row[:1] == "#" or len(row) > _MOST_ITEM or len(row.split()) > most:
            break
        if kind != "pair" or "/" in row:
            yield from _values(text, end - len(row), end, label)
        at = end + 1
    return at


def _is_title(words: str) -> bool:
    return (
        len(words) <= _MOST_TITLE
        and len(words.split()) <= _TITLE_WORDS
        and not set(words) & set(".!?;=,|/$<{`")
    )


def _values(text: str, at: int, end: int, kind: str) -> Iterator[Span]:
    for found in _LISTED.finditer(text, at, end):
        word = bare(found[1])
        if _is_listed(word) if kind == "password" else is_random(word, 8):
            yield kind, found.start(1), found.start(1) + len(word)


def _is_listed(word: str) -> bool:
    """Tell a password from a method, a version or a name with a number in it."""
    if is_strange(word) or is_random(word, 10):
        return True
    cased = any(map(str.isupper, word)) and any(map(str.islower, word))
    return (
        len(word) >= 8
        and cased
        and sum(map(str.isdigit, word)) >= 2
        and is_chosen(word)
        and is_password(word)
    )


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
