"""Passwords beside the one who logs in with them: `root:…@host`, `bob@example.com / …`, `USER bob`, `PASS …`.

No word names the password here; who stands before it does. So a value has to look made up.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.looks import DRAWN, LIKELY, POSSIBLE, STRANGE, look
from memolith.text.secrets.placed import WITH
from memolith.text.secrets.sentences import CLAUSE_END
from memolith.text.secrets.values import (
    CHOSEN,
    HEADS,
    RANDOM,
    TABLE,
    bare,
    is_chosen,
    is_password,
    is_random,
    is_shuffled,
    is_stand_in,
    is_strange,
    made,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    Span = tuple[str, int, int]

_VALUE = r"(?P<value>[^\s\"'`,;<>|()\[\]]{6,64})"
_WHO, _MOST_WORDS = (*HEADS, *TABLE["heads-too"]), 48
_ACCOUNTS = frozenset([*TABLE["accounts"], *TABLE["accounts-too"]])
_SPACES = frozenset(" \n\t:/")
_LETTERS, _GLUED = "abcdefghijklmnopqrstuvwxyz", frozenset("/:.@-_")
# `root:…@192.168.0.4`, without the scheme that makes it a URL.
_AT_HOST = lazy(
    r"(?<![\w/:.@%+-])[A-Za-z][\w.-]{0,31}:(?P<value>[^\s:/\"'`<>|()]{5,64})@(?=[A-Za-z0-9][\w-]*(?:\.|:\d|\b))"
)
_BY_MAIL = lazy(
    r"(?<![\w/:.@+-])(?!git@)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}[\"'`*]{0,2}"
    r"(?::|;|\||\s{1,2}[/|:,–—-]\s{1,2}|,\s?|\s{0,2}(?P<with>[^\s\d!-@]{1,8}?)\s{0,2})[\"'`*]{0,2}" + _VALUE
)
_BY_NAME = lazy(rf"(?:[:/][\"'`]?|[ \t*`]{{0,4}}\|[ \t*`]{{0,4}}){_VALUE}")
_DIALOGUE = lazy(
    r"(?im)^[ \t>*C:-]{0,6}USER[ \t]+\S{1,64}[^\n]{0,40}\n(?:[^\n]{0,120}\n){0,2}?"
    r"[ \t>*C:-]{0,6}PASS[ \t]+(?P<value>\S{4,64})[ \t]*$"
)
_DATABASE = lazy(rf"(?i)\b(?:oracle|sqlplus)\b[: ]{{1,3}}[a-z][\w$]{{1,30}}/{_VALUE}")
_CALLS = ("connect", "connection", "login", "log_in", "sign_in", "auth", "bind", "credentials")
_STRINGS = lazy(r"\((?:[\"'][^\"'\n]{0,80}[\"'],\s{0,4}){1,4}[\"'](?P<value>[^\"'\n]{6,64})[\"']\s{0,4}[,)]")
_STACKED = lazy(
    rf"(?im)^[ \t#*>-]{{0,4}}(?:login|credentials?)[: *]{{0,3}}\n[ \t>*-]{{0,4}}\S{{2,64}}\n"
    rf"[ \t>*-]{{0,4}}{_VALUE}[ \t]*$"
)
_FTP = lazy(rf"(?m)^[ \t>]{{0,4}}user [\w.@-]{{2,40}} {_VALUE}[ \t]*$")
_GENERATED = lazy(r"(?i)\bpassword (?:\w{2,9} ){0,3}generated [^\n:]{0,60}: (?P<value>[^\s]{6,64})(?=\s|$)")
_INSERT = lazy(r"(?i)\(([^()\n]{1,400})\)\s{0,8}VALUES\s{0,8}(?=\()")
_TUPLE = lazy(r"\s{0,8}\(((?:[^()'\n]|'[^'\n]{0,200}'){1,800})\)\s{0,2},?")
_CELL = lazy(r"\s*(?:[NE]?'([^'\n]*)'|[^,]*)\s*(?:,|$)")
_NAMED = ("passw", "pwd", "secret", "token", "api_key", "apikey", "passphrase")
_ECHOED = lazy(rf"<\((?:echo|printf)(?: -n| -e| '?%s'?)? [\"']?{_VALUE}")
_COMPARES = lazy(r"(?:^|[|;&\n$`(])\s*(?:diff|comm|cmp|cat|paste|join|sort|vimdiff|while)\b[^\n|;&]*$")
_COOKIE = lazy(r"(?i)(?:\bcookies?\b[\"']?\s{0,3}[:=]|\bcurl\b[^\n]{0,60}?\s-b)\s{0,3}[^\n]{1,4000}")
_SESSION = lazy(r"(?i)sess|sid|auth|token|jwt|login")
_CRUMB = lazy(r"(?<![\w.-])([\w.-]{2,64})=([^\s;,'\"]{16,2000})")
_MOST, _MOST_ROW = 200, 5  # characters; words
_JOINS, _SIGNS = frozenset("_-./@\\"), frozenset(",+&/|")
_LATE = lazy(r"[\"'`]?(?: ?[^\s\d.,;:!?]{1,12}){0,3}(?:[.,;!?)](?:\s|$)|[ \t]*(?:\n|$))")
_IS = frozenset(["is", "was", "ist", "est", "es", "è", "é", "är", "er"])
_BESIDE = lazy(
    r"[\"'`*]{0,2}"
    r"(?:(?P<with>,| ?[+&/|]| (?:is|was|ist|est|es|è|é|är|er)(?: (?:still|now|noch|jetzt|nog|aún))?"
    r"| [^\s\d\"'`.,;:]{1,6}|[\u0e00-\ud7ff]{1,3}|\r?\n)? {0,2})"
    r"[\"'`*]{0,2}"
    r"(?P<value>[^\s\"'`,;<>|()\[\]]{6,64})"
)
# `Rovers1988 (admin of the old router)`: what stands alone, or behind a colon, and is explained so.
_EXPLAINED = lazy(rf"(?:^|[:：=→] ) ?[-*>\"'`„“«「]{{0,3}} ?{_VALUE}[\"'`“”»」]? ?$")
_ROW = lazy(
    r"[ \t>*-]{0,4}(?P<first>[\w.@+-]{3,64})(?:[,;]? |[,;]|\t)"
    r"(?:(?P<second>[\w.@+-]{2,40})(?:[,;]? |[,;]|\t))?" + _VALUE + r"[ \t]*$"
)
_HOST = lazy(r"[\w-]+(?:\.[\w-]+)+|[\w.+-]+@[\w.-]+")


def logins(text: str, lower: str) -> Iterator[Span]:
    """Find what stands beside a login's name."""
    yield from _at(text)
    yield from _by_name(text, lower)
    if "pass" in lower and "user" in lower:
        for found in _DIALOGUE.finditer(text):
            if is_chosen(found["value"]) or is_password(found["value"]):
                yield "password", *found.span("value")
    if "oracle" in lower or "sqlplus" in lower:
        yield from _made(_DATABASE, text)
    yield from _beside(text, lower)
    yield from _explained(text, lower)
    yield from _rows(text)
    yield from _called(text, lower)
    yield from _printed(text, lower)
    if "values" in lower:
        yield from _inserted(text)
    for kind, start, end in _made(_ECHOED, text) if "<(" in text else ():
        if not _COMPARES.search(text, max(0, start - _MOST), text.rfind("<(", 0, start)):
            yield kind, start, end
    for at in _lines(lower, ("login", "credential")):
        yield from _made(_STACKED, text, at=at, most=at + _MOST)


def _printed(text: str, lower: str) -> Iterator[Span]:
    """Find what a program that makes a password says, and what one for files is told."""
    for pattern, word in ((_FTP, "user "), (_GENERATED, " generated ")):
        for found in pattern.finditer(text) if word in lower else ():
            if word != "user " or look(found["value"]) >= LIKELY:
                yield "password", *found.span("value")


def _beside(text: str, lower: str) -> Iterator[Span]:
    """Find `admin and …`, `root, …`, and `admin` with the password in the next line."""
    for who in HEADS:
        at = lower.find(who)
        while at >= 0:
            end = at + len(who)
            inside = _is_letter(text[at - 1 : at]) or _is_letter(text[end : end + 1])
            found = None if inside else _BESIDE.match(text, end)
            at = lower.find(who, end)
            if not found:
                continue
            sign, word = (found["with"] or "").strip(" "), bare(found["value"])
            least = POSSIBLE if sign.lower() in WITH else LIKELY if sign[:1] in _SIGNS else DRAWN
            start = found.start("value")
            if sign and sign[:1].isalpha() and sign[:1] < "\u0e00" and sign.lower() not in WITH:
                if sign.partition(" ")[0] in _IS and look(word) >= STRANGE:  # "admin is still …"
                    yield "password", start, start + len(word)
                continue
            if look(word) >= least and (
                least == LIKELY
                or CLAUSE_END.match(text, start + len(word))
                or _LATE.match(text, start + len(word))
            ):
                yield "password", start, start + len(word)


def _explained(text: str, lower: str) -> Iterator[Span]:
    """Find what is explained by who logs in with it: `… (admin of the old router)`."""
    for sign in ("(", "（"):
        at = text.find(sign)
        while at >= 0:
            words = lower[at : at + _MOST_WORDS].partition("\n")[0]
            found = None
            if any(map(str.isdigit, text[max(0, at - 12) : at])) and any(who in words for who in _WHO):
                found = _EXPLAINED.search(text, max(text.rfind("\n", 0, at) + 1, at - _MOST), at)
            word = bare(found["value"]) if found else ""
            cased = any(map(str.isupper, word)) or "-" in word or "_" in word
            if found and look(word) >= LIKELY and cased:
                yield "password", found.start("value"), found.start("value") + len(word)
            at = text.find(sign, at + 1)


def _is_letter(char: str) -> bool:
    return char in _JOINS or (char.isalnum() and char < "\u0e00")


def _rows(text: str) -> Iterator[Span]:
    """Find a line of a host or a mail address, maybe who logs in, and a password."""
    at = 0
    for line in text.split("\n"):
        if "." in line and len(line) <= _MOST and 1 < len(line.split(None, _MOST_ROW)) < _MOST_ROW:
            found = _ROW.match(text, at, at + len(line))
            word = bare(found["value"]) if found else ""
            if (
                found
                and _HOST.fullmatch(found["first"])
                and look(word) >= LIKELY
                and not look(found["first"])
            ):
                yield "password", found.start("value"), found.start("value") + len(word)
        at += len(line) + 1


def _called(text: str, lower: str) -> Iterator[Span]:
    """Find the last string that a call to log in has."""
    for sign in ('("', "('"):
        at = text.find(sign)
        while at >= 0:
            if lower.endswith(_CALLS, 0, at):
                yield from _made(_STRINGS, text, at=at, most=at + _MOST)
            at = text.find(sign, at + 1)


def _lines(lower: str, words: tuple[str, ...]) -> Iterator[int]:
    """Yield where a line begins with one of these words."""
    for word in words:
        at = lower.find(word)
        while at >= 0:
            if not lower[max(0, at - 4) : at].rpartition("\n")[2].strip(" \t#*>-"):
                yield lower.rfind("\n", 0, at) + 1
            at = lower.find(word, at + len(word))


def _made(pattern: re.Pattern[str], text: str, *, at: int = 0, most: int | None = None) -> Iterator[Span]:
    for found in pattern.finditer(text, at, len(text) if most is None else most):
        word = bare(found["value"])
        start, end = found.start("value"), found.start("value") + len(word)
        if made(word):
            yield "password", start, end


def _at(text: str) -> Iterator[Span]:
    """Find `root:…@host`, and what stands behind a mail address."""
    at = text.find("@")
    while at >= 0:
        low = max(0, at - 96)
        low = max([low, *(text.rfind(sign, low, at) + 1 for sign in " \n\t")])
        found = _AT_HOST.search(text, max(0, low - 1), at + 80)
        if (
            found
            and not is_stand_in(found["value"])
            and (is_password(found["value"]) or made(found["value"]))
        ):
            yield "password", *found.span("value")
        for mail in _BY_MAIL.finditer(text, max(0, low - 1), at + _MOST):
            word, joined = bare(mail["value"]), mail["with"] or ""
            if joined and joined.lower() not in WITH:
                continue
            if look(word) >= (POSSIBLE if joined and any(map(str.isdigit, word)) else LIKELY):
                yield "password", mail.start("value"), mail.start("value") + len(word)
        at = text.find("@", at + 1)


def _by_name(text: str, lower: str) -> Iterator[Span]:
    """Find `admin:…`, and a cell behind one with such a name."""
    for sign in (":", "|"):
        at = text.find(sign)
        while at >= 0:
            if sign == ":" and text[at + 1 : at + 2] in _SPACES:
                at = text.find(sign, at + 1)
                continue
            before = lower[max(0, at - 24) : at].rstrip(" \t*`\"'")
            name = before[len(before.rstrip(_LETTERS)) :]
            if name in _ACCOUNTS and before[-len(name) - 1 : -len(name)] not in _GLUED:
                found = _BY_NAME.match(text, at)
                word = bare(found["value"]) if found else ""
                enough = made(word) >= (RANDOM if sign == "|" else CHOSEN) or (
                    name in HEADS and look(word) >= LIKELY
                )
                if found and enough:
                    yield "password", found.start("value"), found.start("value") + len(word)
            at = text.find(sign, at + 1)


def _inserted(text: str) -> Iterator[Span]:
    """Find what a statement puts into a column for passwords."""
    for head in _INSERT.finditer(text):
        titles = head[1].lower().split(",")
        wanted = {at for at, title in enumerate(titles) if any(name in title for name in _NAMED)}
        at = head.end()
        while wanted and (row := _TUPLE.match(text, at)):
            for number, cell in enumerate(_CELL.finditer(text, row.start(1), row.end(1))):
                word = cell[1] or ""
                if (
                    number in wanted
                    and " " not in word
                    and (made(word) or is_chosen(word))
                    and not is_stand_in(word)
                ):
                    yield "password", *cell.span(1)
            at = row.end()


def cookies(text: str, lower: str) -> Iterator[Span]:
    """Find the values of cookies: whoever has that of a session is logged in."""
    if "cookie" not in lower and " -b" not in lower:
        return
    for line in _COOKIE.finditer(text):
        for crumb in _CRUMB.finditer(line[0]):
            value = crumb[2]
            if (
                is_strange(value)
                or is_random(value)
                or is_shuffled(value)
                or (made(value) and _SESSION.search(crumb[1]))
            ):
                yield "cookie", line.start() + crumb.start(2), line.start() + crumb.end(2)
