"""Passwords by what they look like and where they stand: in the answer, in the next line, as the new one of two.

Two things are weighed: what a word looks like by itself (nobody would write it, somebody made it up, it may be a
name with a number), and how near it is to the name of a password: right behind a link, in the answer to a
question, at the end of a clause. The less the one says, the more the other has to.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.text.patterns import lazy
from memolith.text.secrets.sentences import ANY_IS, AS, CLAUSE_END, NOW, SETS, TO
from memolith.text.secrets.values import (
    NUMBERED_THINGS,
    RANDOM,
    TABLE,
    VOCABULARY,
    bare,
    is_digest,
    is_joined,
    is_stand_in,
    is_strange,
    made,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Name

    Span = tuple[str, int, int]

# What a word looks like: a name with a number, made up, drawn, nothing that anybody would write.
POSSIBLE, LIKELY, DRAWN, STRANGE = range(1, 5)
# How near it is: in the same clause, at its end, behind a link.
SAME, ENDS, LINKED = range(1, 4)
_ENOUGH = 4  # of both together

_WORD = lazy(
    r"(?<![^\s\"'`*(\[<>:=,|/„“”‚‘«»→\-\u0590-\u06ff\u0900-\u0eff\u1000-\u109f\u2e80-\ud7ff\uff00-\uffef])"
    r"[^\s\"'`,;<>|()\[\]„“”«»「」『』《》（）\u2190-\u21ff\u3000-\u3002\uff0c\uff1b]{6,64}"
)
_WORTH = lazy(r"\d|[A-Za-z\u00c0-\u058f]{3}[!#$%&*+_-][A-Za-z\u00c0-\u058f]")
_COUNTED, _CAPITALS = lazy(r"[A-Za-z][a-z]+(\d{1,4})"), lazy(r"[A-Z][a-z]{2,}")
_LETTERS = lazy(r"[A-Za-z\u00c0-\u058f]+")
_SIGNED = lazy(r"[A-Za-z\u00c0-\u058f]{3,}[!#$%&*+][A-Za-z\u00c0-\u058f]{3,}\d{0,4}")
_NO_VALUE = lazy(
    r"[/\\(){}\[\]<>=|~,:]|\.[a-z]{1,5}$|@[\w-]+\.|^[v#@-]?\d[\d.,:_-]*[a-zA-Z%]{0,4}$|\d\.\d|^[A-Z]{2,8}-?\d+$"
    r"|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^--|^&\w+;|[^!-~\u00a1-\u058f]"
)
_MARKS = " \t\"'`*()[]„“”«»"
_SIGNS = tuple(":=→>—–：")
_IS = frozenset([*ANY_IS.split("|"), *TABLE["is-it"], *AS.split("|"), "be", "been", "became"])
_NOW = frozenset([*NOW.split("|"), *TABLE["still"]])
_TO = frozenset(TO.split("|"))
_TYPES = frozenset(TABLE["types"])
_GLUED = tuple(TABLE["is-glued"])
_SETTING = lazy(rf"(?<!\S)(?:re)?(?:{SETS})\S{{0,8}} [^\n.;]{{0,96}}$")
_STOP = lazy(r"[.;!?…]+(?=\s)|[。！？؟]|\?(?=[^\s\d\w])")
_ABOUT = lazy(rf"(?i)[ _.-]?(?:{'|'.join(TABLE['about'])})(?![a-z])")
# The end of a clause, as it is where the verb comes last: "… ein.", "… है".
_LATE = lazy(r"[\"'`]?(?: [^\s\d.,;:!?]{1,12}){0,2}(?:[.,;!?)](?:\s|$)|[ \t]*(?:\n|$)|[。，])|[\"'`」]?[\u0e00-\ud7ff]")
_ASKS = ("?", "？", "؟", ";")
_SPEAKER_FIRST = lazy(r"^(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s{1,2})?(?:[-*>]{0,2}\s?[\w*]{1,24}[:>]\s{1,2})?")
_SPEAKER = lazy(r"(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s{1,2})?(?:[-*>]{0,2}\s?[\w*]{1,24}[:>]\s{1,2})?[-*>\s\"'`]{0,6}$")
# A second value behind a first, as its mask: "from … to …".
_ANOTHER = lazy(r"[\"'`]?,? ?(?:[^\s\d]{1,10} ?){1,3}[\"'`]?\[secret:(?:password|secret|token)\]")
_MASK = lazy(r"\[secret:(?:password|secret|token)\][\"'`]?,? ?(?:[^\s\d]{1,10} ?){1,3}$")
_BACK = lazy(r"[^\n.;!?\d]{1,24}$")
_NOT_BEFORE = frozenset([*TABLE["of"], *TABLE["named-things"]])
# How much more a value has to say for itself than beside the name of a password.
_MORE = {"password": 0, "loose": 0, "sign-in": 1, "token": 2, "key": 2, "secret": 2}
_PREFIX = lazy(r"[\u0590-\u06ff]{1,3}-?(?=[!-~])")
_LONG = 24
_AROUND, _BEHIND = 120, 160
_MOST_ANSWER, _MOST_PRONOUN, _MOST_BEFORE = 5, 4, 5  # words
_NAMES = 24


def look(word: str) -> int:
    """Return what a word looks like: 0 if it is a word, a name or a number."""
    if not 6 <= len(word) <= 64 or not _WORTH.search(word):
        return 0
    if grade := made(word):
        counted = _COUNTED.fullmatch(word)  # a name with a number, however rare its letters are
        if counted and grade == RANDOM:
            return LIKELY if len(counted[1]) > 2 else POSSIBLE
        return STRANGE if is_strange(word) else DRAWN if grade == RANDOM else LIKELY
    if is_stand_in(word) or is_digest(word) or _NO_VALUE.search(word):
        return 0
    parts = [part.lower() for part in _LETTERS.findall(word)]
    if not parts or any(part in NUMBERED_THINGS or part in VOCABULARY for part in parts):
        return 0
    if _SIGNED.fullmatch(word):
        return LIKELY
    digits = sum(map(str.isdigit, word))
    if digits > 2 and word.isalnum() and len(word) >= 8 and _turns(word) >= 4:
        return LIKELY
    if digits and max(map(len, parts)) >= 4:
        two = digits > 1 and len(_CAPITALS.findall(word)) > 1
        return LIKELY if "_" in word or digits > 2 or two else POSSIBLE
    return POSSIBLE if is_joined(word) else 0


def _turns(word: str) -> int:
    return sum(one.isdigit() != two.isdigit() for one, two in pairwise(word))


def values(text: str, lower: str, names: Sequence[Name]) -> Iterator[Span]:
    """Find what is told as a password in the sentences around its name, and in the next one."""
    mine = [name for name in names if name[3] in _MORE and not _is_about(text, name[1])]
    mine = sorted([*mine, *_signing_in(lower)])
    done = -1
    for number, (at, end, *_) in enumerate(mine):
        if at < done:
            continue
        low, high = _window(text, at, end)
        line = text.find("\n", end, high)
        done = line if line >= 0 else high
        if not _WORTH.search(text, low, high):
            continue
        near = [name for name in mine[max(0, number - _NAMES) : number + _NAMES] if low <= name[0] < high]
        for found in _WORD.finditer(text, low, high):
            prefix = _PREFIX.match(found[0])
            start = found.start() + (prefix.end() if prefix else 0)
            word = bare(text[start : found.end()])
            word = word.rstrip("!?") if word.rstrip("!?").isalpha() else word
            stop = start + len(word)
            grade = look(word)
            # A digest is the value of what announces one in a line of its own.
            if grade or (len(word) >= _LONG and is_digest(word) and text[start - 1 : start] in {"\n", " "}):
                kind = _told(text, start, stop, grade, near)
                if kind:
                    yield kind, start, stop


def _told(text: str, start: int, end: int, grade: int, names: Sequence[Name]) -> str:
    """Return what a value is, told by one of the names around it; or nothing."""
    if any(start < stop and at < end for at, stop, *_ in names):
        return ""  # a name and its value in one
    for name in names:
        if not grade and (name[3] != "password" or "\n" not in text[name[1] : start]):
            continue
        place = _place(text, start, end, grade or DRAWN, name)
        if place and (grade or DRAWN) + place >= _ENOUGH + _MORE[name[3]]:
            return {"token": "token", "secret": "secret", "key": "api-key"}.get(name[3], "password")
    return ""


def _signing_in(lower: str) -> Iterator[Name]:
    """Yield what lets one in without a word for a password: "log in as …", "LUKS: …"."""
    for word in TABLE["sign-in"] + TABLE["locked"]:
        at = lower.find(word)
        while at >= 0:
            if not (lower[at - 1 : at].isalpha() and lower[at] < "\u2e80"):
                yield at, at + len(word), "", "sign-in"
            at = lower.find(word, at + len(word))


def _is_about(text: str, end: int) -> bool:
    return _ABOUT.match(text, end) is not None and text[end : end + 1] != ":"


def _window(text: str, at: int, end: int) -> tuple[int, int]:
    """Return what may tell the value: the line, and the next one that is not empty."""
    low = max(0, at - _AROUND)
    low = max(low, text.rfind("\n", low, at) + 1)
    last = min(len(text), end + _BEHIND)
    high = text.find("\n", end, last)
    if high < 0:
        return low, last
    while high < last and text[high] in "\r\n \t":
        high += 1
    more = text.find("\n", high, last)
    return low, more if more >= 0 else last


def _place(text: str, start: int, end: int, grade: int, name: Name) -> int:
    """Return how near a value is to a name."""
    at, stop, english, kind = name
    if end <= at:
        return _before(text, start, end, at, stop, english)
    between = text[stop:start]
    if "\n" in between:
        return _below(text, between, end)
    stops = list(_STOP.finditer(between))
    if stops:
        return _next_sentence(text, between, stops[0].group(), stops[0].end(), stops[-1].end(), end)
    words = between.strip(_MARKS + "-,").lower().split()
    ends = CLAUSE_END.match(text, end) is not None
    late = ends or (not english and _LATE.match(text, end) is not None)
    if _is_linked(between, words):
        return LINKED
    last = words[-1].strip(_MARKS) if words else ""
    setting = last in _TO and _SETTING.search(text[max(0, at - 48) : start].lower().rstrip(_MARKS))
    if setting and ends:
        return LINKED
    if kind == "sign-in" and late and (last in WITH or between.rstrip().endswith(_WITH_GLUED)):
        return LINKED
    if last in _TYPES or _MASK.search(between) or (late and _ANOTHER.match(text, end)):
        return LINKED
    if _ANOTHER.match(text, end):
        return LINKED
    if late and last not in _NOT_BEFORE and not last.endswith(_THINGS):
        return LINKED if not words and grade > POSSIBLE else ENDS
    return SAME


WITH = frozenset(TABLE["with"])
_WITH_GLUED = ("和", "与", "と", "랑", "하고", "및", "กับ", "，", "、")
_THINGS = tuple(TABLE["named-stems"])


def _is_linked(between: str, words: list[str]) -> bool:
    """Whether a sign or a verb is right before a value, or before a word like "still"."""
    if between.rstrip(_MARKS).endswith(_SIGNS) or between.rstrip(_MARKS + ":").endswith(_GLUED):
        return True
    rest = [word.strip(_MARKS + ":") for word in words]
    while rest and rest[-1] in _NOW:
        rest.pop()
    return bool(rest) and (rest[-1] in _IS or rest[-1].endswith(("'s", "’s")))


def _next_sentence(text: str, between: str, sign: str, first: int, last: int, end: int) -> int:
    """Judge what follows a sentence that named a password: the answer, or "it is … now"."""
    said = between[last:].strip(_MARKS)
    if any(each in sign for each in _ASKS):
        return _answer(text, between[first:], end)
    words = said.lower().split()
    if len(words) <= _MOST_PRONOUN and words and _is_linked(said, words):
        return LINKED
    return 0


def _below(text: str, between: str, end: int) -> int:
    """Judge what stands in the next line, alone or behind who says it."""
    head, _, tail = between.partition("\n")
    own = tail.rpartition("\n")[2]
    if "\n" in tail.strip(" \t\r\n"):
        return 0
    head = head.rstrip(_MARKS + "\r")
    alone = _SPEAKER.fullmatch(own) and not text[end : end + 40].partition("\n")[0].strip(_MARKS + ".,!")
    if head.endswith(_ASKS):
        return LINKED if alone else _answer(text, _SPEAKER_FIRST.sub("", own), end)
    if not alone:
        return 0
    if head.endswith((":", "：", "→", "=")):
        return LINKED
    short = len(head.split()) <= _MOST_BEFORE and not head.endswith((".", "!", "。", ";"))
    return LINKED if short and not tail.strip(own) else 0


def _answer(text: str, said: str, end: int) -> int:
    """Judge what somebody says to the question for a password."""
    words = said.lower().split()
    late = _LATE.match(text, end) is not None
    if late and (len(words) <= _MOST_ANSWER or (len(words) <= 2 * _MOST_ANSWER and _is_linked(said, words))):
        return LINKED
    return ENDS if late and len(words) <= 2 * _MOST_ANSWER else 0


def _before(text: str, start: int, end: int, at: int, stop: int, english: str) -> int:
    """Judge what stands before a name: "use … as the password", "… is the new password"."""
    between = text[end:at]
    if len(between) > 60 or _STOP.search(between) or "\n" in between:
        return 0
    words = [word.strip(_MARKS + ",;-—–:") for word in between.lower().split()]
    words = [word for word in words if word]
    if not words and not english and not _NAMED_BEHIND.match(text, stop):
        return ENDS
    if len(words) <= _MOST_BEFORE and any(word in _IS or word in _BACK_WORDS for word in words[:3]):
        return LINKED
    return LINKED if between.strip(_MARKS).startswith(_GLUED) else SAME


_BACK_WORDS = frozenset(TABLE["for-a"])
_NAMED_BEHIND = lazy(r"[^\s\d:=]{0,6}\s{0,2}[:=：＝—→-]")
