"""Passwords by what they look like and where they stand: in the answer, below it.

Two things are weighed: what a word looks like by itself (nobody would write it, somebody made it up, it may
be a name with a number), and how near it is to the name of a password: right behind a link, in the answer to
a question, at the end of a clause. The less the one says, the more the other has to.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from memolith.text.patterns import lazy
from memolith.text.secrets.sentences import ANY_IS, AS, CLAUSE_END, NOW, SETS, TO
from memolith.text.secrets.tokens import PROVIDERS
from memolith.text.secrets.values import (
    NUMBERED_THINGS,
    RANDOM,
    SMALL_WORDS,
    TABLE,
    VOCABULARY,
    bare,
    is_digest,
    is_joined,
    is_said,
    is_stand_in,
    is_strange,
    made,
    named_parts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Foreign, Name

    Span = tuple[str, int, int]

# What a word looks like: a name with a number, made up, drawn, nothing that anybody would write.
POSSIBLE, LIKELY, DRAWN, STRANGE = range(1, 5)
# How near it is: in the same clause, at its end, behind a link.
SAME, ENDS, LINKED = range(1, 4)
_ENOUGH = 4  # of both together

_WORD = lazy(
    r"(?<![^\s\"'`*(\[<>:=,|„“”‚‘«»→\-\u0590-\u06ff\u0900-\u0eff\u1000-\u109f\u2e80-\ud7ff\uff00-\uffef])"
    r"[^\s\"'`,;<>|()\[\]„“”«»「」『』《》（）\u2190-\u21ff\u3000-\u3002\uff0c\uff1b]{6,64}"
)
_WORTH = lazy(r"\d|[A-Za-z\u00c0-\u058f]{3}[!#$%&*+_-][A-Za-z\u00c0-\u058f]")
_INNER = lazy(r"[a-z]{3}[A-Z][a-z]{2}")
_COUNTED, _CAPITALS = lazy(r"[A-Za-z][a-z]+(\d{1,4})"), lazy(r"[A-Z][a-z]{2,}")
_NUMBER = lazy(r"\d{6,12}[a-z#*!]{0,2}")
# A hash, also behind a name, as in `shop-da6df3e6`; what stands for a date; a name in a path.
_ID = lazy(r"(?:^|[-_.:#])(?=[a-f]*\d)[0-9a-f]{8,64}(?:$|[-_.:#])|^[A-Z]+(?:[-_][A-Z]+)+$")
_NO_OTHER, _SEGMENT = lazy(r"[\w.+~=-]+"), lazy(r"[A-Z]+|[a-z]+|\d+")
_DIGITS, _PARTED = lazy(r"\d+"), lazy(r"[A-Za-z\u00c0-\u058f]{4,}\d{1,2}[A-Za-z\u00c0-\u058f]{2,}")
_LETTERS = lazy(r"[A-Za-z\u00c0-\u058f]+")
_NUMBERED = lazy(r"[A-Za-z\u00c0-\u058f]+(?:_[A-Za-z\u00c0-\u058f]+)*_\d{1,2}")  # as names in code are
_SIGNED = lazy(r"[A-Za-z\u00c0-\u058f]{3,}[!#$%&*+][A-Za-z\u00c0-\u058f]{3,}\d{0,4}")
_NO_VALUE = lazy(
    r"[/\\(){}\[\]<>=|~,:]|\.[a-z]{1,5}$|@[\w-]+\.|^[v#@-]?\d[\d.,:_-]*[a-zA-Z%]{0,4}$|\d\.\d|^[A-Z]{2,8}-?\d+$"
    r"|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^--|^&\w+;|[^!-~\u00a1-\u058f]"
)
_MARKS = " \t\"'`*()[]„“”«»"
_SIGNS = tuple(":=→>—–：")
_IS = frozenset([*ANY_IS.split("|"), *TABLE["is-it"], *AS.split("|"), "be", "been", "became"])
_CLEAR_IS = frozenset(TABLE["is"])
_NOW = frozenset([*NOW.split("|"), *TABLE["still"]])
_TO = frozenset(TO.split("|"))
_TYPES = frozenset(TABLE["types"])
_GLUED = tuple(TABLE["is-glued"])
_SETTING = lazy(rf"(?<!\S)(?:re)?(?:{SETS})\S{{0,8}} [^\n.;]{{0,96}}$")
_SET_BEHIND = lazy(rf"(?i)[\"'`]? (?:[^\s\d]{{1,12}} )?(?:ge)?(?:{SETS})")
_STOP = lazy(r"[.;!?…]+(?=\s)|[。！？؟]|\?(?=[^\s\d\w])")
_ABOUT = lazy(rf"(?i)[ _.-]?(?:{'|'.join(TABLE['about'])})(?![a-z])")
# The end of a clause, as it is where the verb comes last: "… ein.", "… है".
_LATE = lazy(
    r"[\"'`]?(?: [^\s\d.,;:!?]{1,12}){0,2}(?:[.,;!?)](?:\s|$)|[ \t]*(?:\n|$)|[。，])|[\"'`」]?[\u0e00-\ud7ff]"
)
_ASKS = ("?", "？", "؟", ";")
_SPEAKER_FIRST = lazy(
    r"^(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s{1,2})?(?:[-*>]{0,2}\s?[^\s\d:]{1,24}[:>]\s{1,2}|[—–-] )?"
)
_TALK = lazy(r"(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s{1,2})?[^\s\d:]{1,24}:\s|[—–-] ")
_SPEAKER = lazy(
    r"(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s{1,2})?(?:[-*>]{0,2}\s?[\w*]{1,24}[:>]\s{1,2})?[-*>\s\"'`]{0,6}$"
)
# A second value behind a first, as its mask: "from … to …".
_ANOTHER = lazy(r"[\"'`]?,? ?(?:[^\s\d]{1,10} ?){1,3}[\"'`]?\[secret:(?:password|secret|token)\]")
_MASK = lazy(r"\[secret:(?:password|secret|token)\][\"'`]?,? ?(?:[^\s\d]{1,10} ?){1,3}$")
_BACK = lazy(r"[^\n.;!?\d]{1,24}$")
_NOT_BEFORE = frozenset([*TABLE["of"], *TABLE["named-things"]])
_JUDGED = frozenset(["password", "loose"])
# How much more a value has to say for itself than beside the name of a password.
_MORE = {"password": 0, "loose": 0, "sign-in": 1, "token": 1, "key": 1, "secret": 1}
_PREFIX = lazy(r"(?:[\u0590-\u06ff]{1,3}-?|[\u0e00-\ud7ff]{1,60}+)(?=[!-~])")
_MOST_WORD, _LONG, _CLOSE = 56, 20, 16
_AROUND, _BEHIND = 120, 160
_MOST_ANSWER, _MOST_PRONOUN, _MOST_BEFORE = 5, 4, 5  # words
_NAMES, _MOST_NAMES = 24, 3  # in a window; before a value and behind it


def look(word: str) -> int:
    """Return what a word looks like: 0 if it is a word, a name or a number."""
    if not 6 <= len(word) <= _MOST_WORD or not _WORTH.search(word) or _ID.search(word):
        return 0
    if _is_drawn(word):
        return STRANGE
    if grade := made(word):
        counted = _COUNTED.fullmatch(word)  # a name with a number, however rare its letters are
        if counted and grade == RANDOM:
            return LIKELY if len(counted[1]) > 2 else POSSIBLE
        return STRANGE if is_strange(word) else DRAWN if grade == RANDOM else LIKELY
    if is_stand_in(word) or is_digest(word) or _NO_VALUE.search(word):
        return POSSIBLE if _NUMBER.fullmatch(word) else 0
    parts = [part.lower() for part in _LETTERS.findall(word)]
    if not parts or any(part in NUMBERED_THINGS or part in VOCABULARY for part in parts):
        return 0
    if _SIGNED.fullmatch(word) or _PARTED.fullmatch(word):
        return LIKELY
    digits = sum(map(str.isdigit, word))
    if digits > 2 and word.isalnum() and len(word) >= 8 and _turns(word) >= 4:
        return LIKELY
    if digits and max(map(len, parts)) >= 4:
        two = digits > 1 and (len(_CAPITALS.findall(word)) > 1 or _INNER.search(word))
        parted = "_" in word and not _NUMBERED.fullmatch(word)
        return LIKELY if parted or digits > 2 or two else POSSIBLE
    return POSSIBLE if is_joined(word) else 0


def _is_drawn(word: str) -> bool:
    """Whether small letters, capitals and digits change as nobody writes them: `tst-Ke91mmQ0x`."""
    if len(word) < 8 or not _NO_OTHER.fullmatch(word) or is_stand_in(word) or is_digest(word):
        return False
    if word.islower() or word.isupper():
        return False
    changes, digits = len(_SEGMENT.findall(word)), len(_DIGITS.findall(word))
    return (
        changes >= 6 and (digits > 1 or (digits == 1 and not word.isalnum())) and not _NO_VALUE.search(word)
    )


def _turns(word: str) -> int:
    return sum(one.isdigit() != two.isdigit() for one, two in pairwise(word))


def values(text: str, names: Sequence[Name], foreign: Sequence[Foreign]) -> Iterator[Span]:
    """Find what is told as a password in the sentences around its name, and in the next one."""
    mine = [
        name
        for name in names
        if (name[3] in _MORE or (name[2] == "pass" and text[name[1] : name[1] + 1] == " "))
        and not _is_about(text, name[1])
        and text[name[0] - 1 : name[0]] not in {"/", "\\"}
    ]
    mine = sorted([*mine, *[(at, end, "", kind) for at, end, kind in foreign if kind == "sign-in"]])
    done = -1
    for number, (at, end, english, _) in enumerate(mine):
        if at < done:
            continue
        low, high = _window(text, at, end)
        line = text.find("\n", end, high)
        done = line if line >= 0 else high
        mixed = text[at] >= "\u0370"
        if not mixed and not _WORTH.search(text, low, high):
            continue
        near = [name for name in mine[max(0, number - _NAMES) : number + _NAMES] if low <= name[0] < high]
        begins = [name[0] for name in near]
        for start, word in _words(text, low, high):
            stop = start + len(word)
            grade = look(word)
            # A digest is the value of what announces one in a line of its own.
            digest = len(word) >= _LONG and is_digest(word) and text[start - 1 : start] in {"\n", " "}
            if grade or digest or (word and not english):
                here = bisect_left(begins, start)
                around = near[max(0, here - _MOST_NAMES) : here + _MOST_NAMES - 1]
                if kind := _told(text, start, stop, grade, around):
                    yield kind, start, stop


def _words(text: str, low: int, high: int) -> Iterator[tuple[int, str]]:
    """Yield what could be a value, without what a language writes in front of it or goes on with."""
    while found := _WORD.search(text, low, high):
        prefix = _PREFIX.match(found[0])
        start = found.start() + (prefix.end() if prefix else 0)
        word = bare(text[start : found.end()])
        yield start, word.rstrip("!?") if word.rstrip("!?").isalpha() else word
        low = max(start + len(word), found.start() + 1)


def _is_plain(text: str, at: int, word: str) -> bool:
    """Whether a word is none of the sentence of a name: in other letters, or joined, as `frunza-verde`."""
    parts = word.lower().replace("_", "-").split("-")
    plain = "".join(parts)
    other = text[at] >= "\u0370" and plain.isascii() and word[0].islower()
    joined = len(parts) > 1 and word[0].isalpha() and max(map(len, parts)) >= 4
    return (
        len(plain) >= 6
        and plain.isalpha()
        and (other or joined)
        and not (named_parts(word) or is_stand_in(word) or is_said(word))
        and PROVIDERS.isdisjoint(parts)
        and SMALL_WORDS.isdisjoint(parts[:1])
        and not word.isupper()
    )


def _told(text: str, start: int, end: int, grade: int, names: Sequence[Name]) -> str:
    """Return what a value is, told by one of the names around it; or nothing."""
    if any(start < stop and at < end for at, stop, *_ in names):
        return ""  # a name and its value in one
    word = text[start:end]
    for name in names:
        at, stop, english, kind = name
        if not grade:
            plain = kind in _JUDGED and not english and start >= stop and _is_plain(text, at, word)
            below = kind == "password" and "\n" in text[stop:start] and is_digest(word)
            if plain and _is_next(text, text[stop:start], end):
                return "password"
            if not below:
                continue
        place = _place(text, start, end, grade or DRAWN, name)
        if (
            not place
            and grade >= DRAWN
            and _is_said_with(text, *((stop, start) if stop <= start else (end, at)))
        ):
            place = SAME
        if kind == "sign-in" and place < ENDS:
            continue
        if place and (grade or DRAWN) + place >= _ENOUGH + _MORE.get(kind, 1):
            return {"token": "token", "secret": "secret", "key": "api-key"}.get(kind, "password")
    return ""


def _is_next(text: str, between: str, end: int) -> bool:
    """Whether a word is the next after a name, or after what links it, and the last of its clause."""
    close = between.strip(_MARKS + ":，,")
    if "\n" in between or len(between) > _CLOSE or not _LATE.match(text, end):
        return False
    return not close or close.lower() in _CLEAR_IS or close in _GLUED


def _is_said_with(text: str, low: int, high: int) -> bool:
    """Whether a name and a value are in one paragraph of prose: no field of another name is between them."""
    between = text[low:high]
    if "\n\n" in between or "=" in between or high - low > _AROUND:
        return False
    line = _SPEAKER_FIRST.sub("", between.rpartition("\n")[2])
    return "\n" not in between or not set(line) & set(":{}[]<>")


def _is_about(text: str, end: int) -> bool:
    return _ABOUT.match(text, end) is not None and text[end : end + 1] != ":"


def _window(text: str, at: int, end: int) -> tuple[int, int]:
    """Return what may tell the value: the line, and the next one that is not empty."""
    low = max(0, at - _AROUND)
    line = text.rfind("\n", low, at)
    low = max(low, text.rfind("\n", low, line) + 1) if line > low else low
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
        return _before(text, end, at, stop, english)
    between = text[stop:start]
    if "\n" in between:
        return _below(text, between, start, end)
    stops = list(_STOP.finditer(between))
    if stops:
        return _next_sentence(text, between, stops[0].group(), stops[0].end(), stops[-1].end(), end)
    words = between.strip(_MARKS + "-,،").lower().split()
    ends = CLAUSE_END.match(text, end) is not None
    late = ends or (not english and _LATE.match(text, end) is not None)
    if _is_linked(between, words):
        return LINKED if late or not text[start:end].isdigit() else 0
    last = words[-1].strip(_MARKS) if words else ""
    setting = last in _TO and _SETTING.search(text[max(0, at - 48) : start].lower().rstrip(_MARKS))
    if (setting and late) or (last in _TO and _SET_BEHIND.match(text, end)):
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


def _below(text: str, between: str, start: int, end: int) -> int:
    """Judge what stands in the next line, alone or behind who says it."""
    head, _, tail = between.partition("\n")
    own = tail.rpartition("\n")[2]
    if "\n" in tail.strip(" \t\r\n"):
        return 0
    head = head.rstrip(_MARKS + "\r")
    alone = _SPEAKER.fullmatch(own) and not text[end : end + 40].partition("\n")[0].strip(_MARKS + ".,!")
    speaks = _SPEAKER_FIRST.match(own)
    if head.endswith(_ASKS) or (
        speaks
        and speaks[0].strip()
        and _TALK.match(text[text.rfind("\n", 0, start - len(between)) + 1 :][:40])
    ):
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


def _before(text: str, end: int, at: int, stop: int, english: str) -> int:
    """Judge what stands before a name: "use … as the password", "… is the new password"."""
    between = text[end:at]
    if len(between) > 60 or _STOP.search(between) or "\n" in between:
        return 0
    words = [word.strip(_MARKS + ",;-—–:") for word in between.lower().split()]
    words = [word for word in words if word]
    beside = not words or (len(words) == 1 and words[0] in _NOT_BEFORE)
    if beside and not english and not _NAMED_BEHIND.match(text, stop):
        return ENDS
    if len(words) <= _MOST_BEFORE and any(word in _IS or word in _BACK_WORDS for word in words[:3]):
        return LINKED
    return LINKED if between.strip(_MARKS).startswith(_GLUED) else SAME


_BACK_WORDS = frozenset(TABLE["for-a"])
_NAMED_BEHIND = lazy(r"[^\s\d:=]{0,6}\s{0,2}[:=：＝—→-]")
