"""What an explicit name tells: "password: …", "the door code is …", `jelszó „…”`, "PIN 4711".

A name and what links it to a value say how much the value has to say for itself. Behind a colon nearly
anything is one that is no description, no placeholder and no name of something; behind nothing but a space
it has to look like one. Quoted words are taken whole, and so is a phrase up to the end of its sentence.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets import words as lists
from memolith.text.secrets.values import is_digest, is_password, is_reference, is_stand_in, is_strange

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    Span = tuple[str, int, int]

_CLOSE = r"[\"'`*)\]»”“』」】]{0,4}"
_WORDS = (
    r"(?:(?:[ \t]{1,2}|['’])[^\s\d:：=＝|\"'`„“”«»「『()\[\]<>/\\,;.!?]{1,24}){0,%d}?(?: ?\([^()\n]{1,40}\))?"
)
_UNSPACED = r"[\u0e00-\u0e7f\u3040-\ud7ff]{0,12}?"
_SIGN = (
    r"[ \t]{0,8}(?P<sign>:=|=>|->|=|[:：＝→⇒|]|[–—-](?= )|\?(?= [^\s(（]))[ \t*]{0,8}"
    r"(?:[NEUbrfu@]{1,2}(?=['\"]))?"
)
_LINE = (
    r"[ \t]{0,4}[:：=]?[ \t*_]{0,4}\r?\n(?:<!--[^\n]{0,80}-->\r?\n)?[ \t>*-]{0,12}"
    r"(?:\f?\r?\n[ \t>*-]{0,12})?(?P<line>)"
)


def _link(words: str) -> str:
    return (
        rf"{_UNSPACED}{_CLOSE}(?P<between>{_WORDS % 6})[\"'`*]{{0,3}}"
        rf"(?:(?:[ \t]{{1,2}}(?i:{words}))?{_LINE}|{_SIGN}|"
        rf",?[ \t]{{1,2}}(?P<how>(?i:{words}|{lists.NOW}))[ :]{{1,2}}|(?P<short>['’]s )|"
        rf" ?(?P<glued>{lists.GLUED_IS})[ :：]{{0,2}})(?:(?i:{lists.NOW}) ){{0,2}}"
    )


_AFTER = {words: lazy(_link(words)) for words in (lists.CLEAR_IS, lists.ANY_IS)}
_NEXT = lazy(
    rf"{_CLOSE}(?:[ \t]{{1,3}}(?:(?i:{lists.NOW}) ){{0,2}}(?=\S)|(?<=[\u0e00-\uffff])(?=[!-~„“«「『（]))"
)
_CHANGED = lazy(r"[\"'`]? (?:to|->|→|=>) [\"'`]?([^\s\"'`<>|]{5,100})")
_CLAUSE_END = lazy(r"[\"'`]?(?:[.,;!?)](?:\s|$)|[ \t]*(?:\n|$)|[。，이입예]|です|で|だ)")
_STOPS = frozenset(".,;:!?()=|\n")
_WORDS_BETWEEN = 3
_QUOTES = {"„": "“”", **dict(zip("\"'`“”«»‹‚‘「『《【(（", "\"'`””»«›‘’」』》】)）", strict=True))}
_TOKEN = lazy(r"[^\s\"'`<>|„“”«»「」『』《》（）\u3000-\u3002\uff0c\uff1b]{4,100}")
_CLAUSE = lazy(r"[^\n\"`„“”«»「」『』<>|{}=]{8,120}?(?=[.!]?(?:\s*$|\s*\n)|[.;,] |[.!] | [(—–-])")
_NUMBERED_CLAUSE = lazy(r"(?:[A-Za-z\u00c0-\uffff]{2,14} ){2,6}\d{1,4}(?=[.!?]?[ \t]*(?:\n|$))")
_ENDS = ".,;:)]}>*。、！？」』”“»"
_PART = lazy(r"[^\W_]+|[\u0080-\uffff]+")
_LETTERS = lazy(r"[A-Za-z\u0080-\uffff]+")
_CAPITAL = lazy(r"[A-Z][a-z]+|^[a-z]+")
_CAPITALS = lazy(r"(?:[A-Z][a-z]{2,12}){2,4}|(?:[A-Z][a-z]{2,12}\.){1,4}[A-Z][a-z]{2,12}")
_DATE = lazy(r"\d{4}-\d\d-\d\d|\d{1,2}[.:/]\d\d|v?\d+(?:\.\d+)+|\d+[a-zA-Z%]{0,3}$")
_HUMAN = lazy(r"[A-Za-z\u00c0-\uffff][^\s/\\()\[\]{}<>=]*")
_LONG = 120


def value(
    text: str, end: int, limit: int, kind: str, *, foreign: bool, phrase: bool
) -> tuple[int, int] | None:
    """Return where the value is that follows the name of a password which ends at `end`."""
    last = min(limit, end + 240)
    link = _AFTER[lists.ANY_IS if foreign else lists.CLEAR_IS].match(text, end, last)
    if link and (found := _linked(text, link, kind, phrase=phrase)):
        return found
    return _near(text, end, last, kind, foreign=foreign, phrase=phrase)


def _linked(text: str, link: re.Match[str], kind: str, *, phrase: bool) -> tuple[int, int] | None:
    """Judge what a sign, a verb or a line of its own links to a name."""
    start, sign = link.end(), link["sign"] or ""
    if sign and text.startswith(("//", "{", "[", "$", "<"), start):
        return None
    if inner := _quoted(text, start):
        return inner if _is_quoted(text[slice(*inner)], kind, phrase=phrase) else None
    found = _TOKEN.match(text, start)
    if kind == "assigned":
        word = _bare(found[0]) if found else ""
        return (start, start + len(word)) if is_strange(word) else None
    if link["line"] is None:
        if words := _words(text, start, sign, phrase=phrase):
            return words
    elif found:
        rest = text[found.end() : found.end() + 40].partition("\n")[0].strip()
        if rest or text.startswith(("# ", "##"), start) or len(link["between"].split()) > 2:
            return None
    sure = not (sign == "|" and link["between"]) and (  # the cell beside a sentence is none
        kind == "password"
        or (sign and not any(other in link["between"].lower() for other in lists.OTHER_CODES))
    )
    if sure and (stop := number_end(text, start)) and _is_short(text, link.start()):
        return start, stop
    word = _bare(found[0]) if found else ""
    return (start, start + len(word)) if word and _is_linked(word, link, sign) else None


def _words(text: str, start: int, sign: str, *, phrase: bool) -> tuple[int, int] | None:
    """Return where a phrase is: up to the end of its clause, or a line that ends in a number."""
    clause = _CLAUSE.match(text, start) if phrase else None
    if not clause and sign in {":", "："}:
        clause = _NUMBERED_CLAUSE.match(text, start)
    words = clause[0].split() if clause else []
    return clause.span() if clause and len(words) >= 3 and _is_phrase(words) else None


def _is_linked(word: str, link: re.Match[str], sign: str) -> bool:
    if sign in {":", "：", "->", "→"} and _CAPITALS.fullmatch(word):
        return not _known(word)
    if not is_chosen(word, code=sign == "=" and link.end() - link.start("sign") < 2):
        return False
    if sign in {"|", "?"}:
        return any(map(str.isdigit, word))
    # "the credentials are sandbox-scoped" says something of them.
    return bool(sign) or not word.replace("-", "").isalpha() or is_joined(word)


def _is_short(text: str, end: int) -> bool:
    """Tell the name of a field from the words of a sentence, which may go on to count something."""
    return len(text[max(0, end - 64) : end].rpartition("\n")[2].split()) <= 4


def _near(
    text: str, end: int, last: int, kind: str, *, foreign: bool, phrase: bool
) -> tuple[int, int] | None:
    """Judge what only stands next to a name, or a few words behind it."""
    before = ""
    for step in _NEXT.finditer(text, end, last):
        start = step.end()
        if before.count(" ") > 2 * _WORDS_BETWEEN or not _STOPS.isdisjoint(text[end : step.start()]):
            return None
        if inner := _quoted(text, start):
            word = text[slice(*inner)]
            if kind == "assigned" or (" " in word and text[start] in "(（"):
                return None
            sure = phrase or foreign or text[end - 4 : end].isupper() or any(map(str.isdigit, word))
            sure = sure and _is_quoted(word, kind, phrase=phrase)
            told = sure or (is_password(word) and " " not in word)
            return inner if told and (not before or (foreign and any(map(str.isdigit, word)))) else None
        found = _TOKEN.match(text, start)
        word = _bare(found[0]) if found else ""
        if kind == "password" and is_joined(word) and _CLAUSE_END.match(text, start + len(word)):
            return start, start + len(word)
        if kind != "password" or not foreign:
            return None
        far = before.count(" ") > _WORDS_BETWEEN
        if (
            any(map(str.isdigit, word))
            and before.rpartition(" ")[2] not in lists.OF
            and is_chosen(word)
            and ("_" in word if far else is_password(word) or "_" in word or "-" in word)
            and (text[end - 1] < "\u0e00" or word[0].isascii())
        ):
            return start, start + len(word)
        before += " " + text[start : start + 24].split(" ", maxsplit=1)[0].lower()
    return None


def is_joined(word: str) -> bool:
    """Tell three words or more that only somebody who chose a password joins: `tea-and-toast`."""
    parts = word.lower().replace("_", "-").split("-")
    return len(parts) > 2 and lists.SMALL_WORDS.isdisjoint(parts) and not _known(word) and is_chosen(word)


def changed(text: str, end: int) -> tuple[int, int] | None:
    """Return where the new value is that follows an old one: "from … to …"."""
    link = _CHANGED.match(text, end)
    word = _bare(link[1]) if link else ""
    return (link.start(1), link.start(1) + len(word)) if link and word and is_chosen(word) else None


def _quoted(text: str, start: int) -> tuple[int, int] | None:
    closing = _QUOTES.get(text[start : start + 1])
    if not closing:
        return None
    ends = [at for close in closing if (at := text.find(close, start + 1, start + _LONG)) > 0]
    if not ends or "\n" in text[start : min(ends)]:
        return None
    inner = text[start + 1 : min(ends)]
    low = start + 1 + len(inner) - len(inner.lstrip())
    return (low, low + len(inner.strip())) if inner.strip() else None


def quoted_phrase(text: str, start: int) -> tuple[int, int] | None:
    """Return where several words in quotes are that somebody chose."""
    inner = _quoted(text, start)
    words = text[slice(*inner)].split() if inner else []
    return inner if len(words) > 1 and _is_phrase(words) else None


def _is_quoted(inner: str, kind: str, *, phrase: bool) -> bool:
    words = inner.split()
    if len(words) > 1:
        return _is_phrase(words) and (phrase or any(map(str.isdigit, inner)))
    return is_chosen(inner) and not (kind != "password" and inner.isalpha())


def _is_phrase(words: list[str]) -> bool:
    """Tell words that somebody chose from a sentence about a password."""
    bare = [word.strip("\"'.,;:!?()").lower() for word in words]
    numbered = any(map(str.isdigit, bare))
    return (
        len(words) <= 12
        and not any(
            word in lists.DESCRIBING or word in lists.STAND_INS or (lists.is_said(word) and not numbered)
            for word in bare
        )
        and not any(sign in word for word in words for sign in ("/", "\\", "=", "$", "()", "://", "--"))
        and any(map(str.isalpha, bare))
        and (numbered or bare[0] not in lists.SMALL_WORDS)
    )


def _bare(word: str) -> str:
    word = word.partition("](")[0]
    for sign in (",", ";"):
        head, _, tail = word.partition(sign)
        word = head if tail[:1] in {"", " "} or sign == ";" else word
    if word[:1].isascii():
        word = next((word[:at] for at, char in enumerate(word) if char >= "\u0e00"), word)
    word = word.rstrip(_ENDS)
    return word.rstrip("!?") if word.rstrip("!?").isalpha() else word


def _known(word: str) -> int:
    """Return how many parts of a word are those that names in code are made of."""
    parts = [part.lower().rstrip("0123456789") for part in _PART.findall(word)]
    parts += [part.lower() for part in _CAPITAL.findall(word)] if word.isalpha() else []
    return sum(part in lists.VOCABULARY or part in lists.STAND_INS or part in lists.SAID for part in parts)


def is_chosen(word: str, *, code: bool = False) -> bool:
    """Tell what somebody chose: a digit, a sign, a capital inside, or words that are joined."""
    if len(word) > _LONG or (word[:1] == "!" and word[1:].isalpha()):
        return False  # a blob, a tag of YAML
    if len(word) < 5 or is_stand_in(word) or "://" in word or _DATE.match(word) or not _HUMAN.fullmatch(word):
        return len(word) >= 6 and is_password(word) and not is_digest(word) and not set("(=<") & set(word)
    if is_reference(word):
        return False
    digit = any(map(str.isdigit, word))
    joined = any(sign in word[1:-1] for sign in "_-.")
    sign = any(not char.isalnum() and char not in "_-.'’/:@" for char in word)
    known = _known(word)
    if known and known * 2 >= len(_LETTERS.findall(word)) + digit:
        return is_password(word) and digit and sign
    if "@" in word or "/" in word or ":" in word:
        return is_strange(word)
    if joined and not digit and not sign:
        return not code and "." not in word and len(word) >= 8
    return sign or (digit and any(map(str.isalpha, word)) and not is_digest(word))


_NUMBER = (
    r"(?P<value>[#*]?(?:\d{1,4}(?:-\d{1,4}){2,5}|\d\d(?: \d\d){2,3}|\d{2,4}#\d{2,4}|"
    r"\d{3,12}(?:[ -]\d{2,5}){0,4}|"
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
_TOLD = {
    words: lazy(
        rf"{_CALLED}(?:{_GAP}|\d{{1,2}}(?!\d)\.?){{0,40}}?"
        rf"(?:(?<!\S)(?i:{words})[ :]|[:：=＝→—–]|[是为為は은는가]|คือ|เป็น)"
        rf" {{0,3}}(?:(?i:{lists.NOW}|el|the) )?{_OPENS}{_NUMBER}"
    )
    for words in (lists.CLEAR_IS, lists.ANY_IS)
}
_BELOW = lazy(rf"{_CALLED}{_LINE}{_OPENS}{_NUMBER}[ \t]*(?![^\n])")
# A number may only say which one: the PIN of card 4411 is told behind it.
_AND = lazy(rf"(?:[:：=] ?|, ?){_OPENS}{_NUMBER}")
_BETWEEN = lazy(rf"(?P<words>{_GAP}{{0,40}}?) ?{_OPENS}{_NUMBER}")
_GROUPS = lazy(
    r"(?:(?=[\w-]{0,20}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,9}|\d{6,12}|(?=[a-z]{0,14}\d)[a-z0-9]{8,16})"
    r"(?![\w-])[\s,;\"'`*-]{0,6}"
)
_WHOLE = lazy(
    r"(?:\d{4,5}(?:[ -]\d{4,5}){1,4}|\d{1,4}(?:-\d{1,4}){2,5}|\d{4,24}[A-Za-z]{0,2}|\d{4,12}[#*])"
    r"(?=[\s.,;!?)\]}\"'`*|<。，；）」』”»이입예]|で|だ|$)(?![.,]\d)(?! ?[(%°]| \d)"
    r"(?! (?!(?i:for|and|or|on|at|in|und|für|et|pour|y|para|e|per|и|для) )[A-Za-z\u00c0-\u1fff])"
)
_CALENDAR = lazy(r"\d{4}-\d\d-\d\d")
_YEAR = lazy(r"(?:19|20)\d\d$|\d{4}-\d\d-\d\d")
_DATED = lazy(
    r"(?i)\s(?:in|im|since|seit|depuis|desde|en|until|bis|v|w|в|с|on|at|od|do)\s(?:19|20)\d\d$|"
    r"\d{4}-\d\d-\d\d|\b20[12]\d$|\b(?:port|line|zeile|page|seite|row|room|version|build|issue|ticket) \d+$"
)
_AHEAD = lazy(
    r"(?<![\w.-])(?P<value>[A-Z]?\d{4,8}[#*]?) ?(?:\(|(?:au|am|en el|on the|at the|into the|sul|på|op het) )$"
)
_NEAR = 32
_SHORT = 4  # letters of a place that is not looked for inside a word


def codes(text: str, lower: str, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    """Find the digits that the name of a PIN, of a code that opens something, or of a recovery code tells."""
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
        link = _TOLD[lists.ANY_IS if loud else lists.CLEAR_IS]
        found = _RIGHT_BEHIND.match(text, end) or link.match(text, end) or _BELOW.match(text, end)
        told = found is not None and kind == "code" and "code" not in lower[at:end]
        if not found:
            pin, found = pin and loud, _BETWEEN.match(text, end)
            if found and (_DATED.search(text[end : found.end()]) or len(found["words"].split()) > 6):
                found = None
        if not found or not _opens(lower, at, end, found, told=told, pin=pin):
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


def _opens(lower: str, at: int, end: int, found: re.Match[str], *, told: bool = False, pin: bool) -> bool:
    """Tell whether a code is that of a door: its place is named before it, in its word, or behind it.

    A PIN, or a code that is `told` in another language, opens something, if nothing says that it does not.
    """
    before, between = (
        lower[max(0, at - _NEAR) : at].rpartition("\n")[2],
        f" {lower[end : found.start('value')]}",
    )
    near = f" {before} {between}".replace("-", " ").replace("'", " ").replace("’", " ")
    last = before.rstrip(" -_").rpartition(" ")[2]
    if any(last.endswith(other) or f" {other}" in between for other in lists.OTHER_CODES):
        return False
    if pin or (
        told
        and between.strip()
        and not before[-1:].isalpha()
        and not _YEAR.match(found["value"])
        and _CLAUSE_END.match(lower, found.end())
    ):
        return True
    return any(
        (place if len(place) > _SHORT or not place[0].islower() else f" {place}") in near
        for place in (*lists.PLACES, *lists.WIFI)
    )


def number_end(text: str, start: int) -> int:
    """Return where a number ends that is all that is said of a password; 0 if it counts something."""
    found = _WHOLE.match(text, start)
    return found.end() if found and not _CALENDAR.match(found[0]) else 0
