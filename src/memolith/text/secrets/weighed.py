"""Secrets by what they look like and where they stand, as a reader sees them who does not know the language.

The text has the name of a secret, of who logs in, or of something that is locked; near it stands a word that
is none of the sentence's, a number, or a phrase in quotes. Each thing that is to be said of its look and of
its place adds or takes points; the sum decides. The points come from a regression on texts of many authors.
"""

from __future__ import annotations

from memolith.text.patterns import lazy, sections
from memolith.text.secrets.looks import (
    POSSIBLE,
    WEAK_NAMED,
    is_weak,
    look,
    plain_shape,
    said_of_number,
    said_of_phrase,
    said_of_word,
)
from memolith.text.secrets.placed import HARDWARE, MARKS, NUMBER, STOP, Line, is_other_code, linked, place
from memolith.text.secrets.values import RANDOM, TABLE, bare, is_digest, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Foreign, Name

    Span = tuple[str, int, int]
    # Where a value could be, and what is to be said of it beside each name.
    Candidate = tuple[int, int, list[tuple[Name, list[str]]]]

# What is said of a word (w), one without a digit (v), a number (n), a phrase (p), a digest (d): its points.
POINTS = {
    f"{what}:{name}": float(points)
    for what, rows in sections("secrets/points.txt").items()
    for name, _, points in (row.rpartition(":") for row in rows)
}
_BEGINS = (
    r"(?<![^\s\"'`*(\[<>:=,|„“”‚‘«»→（\-\u0590-\u06ff\u0900-\u0eff\u1000-\u109f\u2e80-\ud7ff\uff00-\uffef])"
)
_REST = r"[^\s\"'`,;<>|()\[\]„“”«»「」『』《》（）\u2190-\u21ff\u3000-\u3002\uff0c\uff1b]{5,64}"
_DIGIT = r"[^\s\d\"'`,;<>|]{0,40}\d"
_JOINED = r"[^\s\d\"'`,;<>|]{3,40}[-_.][A-Za-z\u00c0-\u058f]|[^\s\d\"'`,;<>|]{2,40}[a-z][A-Z]"
# Words with a digit; joined and quoted ones too; long ones, where somebody asks; other letters; all.
_WORDS_OF = [
    lazy(f"{_BEGINS}{only}{_REST}")
    for only in (
        f"(?={_DIGIT})",
        rf"(?:(?={_DIGIT}|{_JOINED})|(?<=[\"'`“„«「『]))",
        rf"(?:(?={_DIGIT}|{_JOINED}|[a-z\u00df-\u024f]{{10}})|(?<=[\"'`“„«「『]))",
        r"(?=[^\s]{0,60}[!-~]{5})",
        "",
    )
]
_PREFIX = lazy(r"(?:[\u0590-\u06ff]{1,3}-?|[\u0e00-\ud7ff]{1,60}+)(?=[!-~])")
_QUOTE = lazy(
    r"(?:\"(?! )(?P<a>[^\"\n]{6,90})\""
    r"|“(?P<b>[^“”\n]{6,90})”|„(?P<c>[^„“”\n]{6,90})[“”]|«(?P<d>[^«»\n]{6,90})»"
    r"|「(?P<e>[^「」\n]{4,90})」|『(?P<f>[^『』\n]{4,90})』|»(?P<g>[^«»\n]{6,90})«|`(?P<h>[^`\n]{6,90})`"
    r"|(?<!\w)'(?P<i>[^'\n]{6,90})'(?!\w))"
)
_ABOUT = lazy(rf"(?i)[ _.-]?(?:{'|'.join(TABLE['about'])})(?![a-z])")
_OPTION = lazy(r"-[A-Za-z]\w*$")
_COUPON = lazy(r"[A-Z]{3,}\d{1,4}")
_VERB = lazy(r"(?:^|[\n.:;!?\"'`*-]) {0,2}$")  # "Pass … to it": at the beginning of a sentence
_NAMED = frozenset(["password", "loose", "phrase", "key", "token", "secret", "assigned"])
_FOREIGN = frozenset(["sign-in", "code", "pin", "pair", "saying", "lock", "account"])
# Names of what has a number; of what may be a phrase; a word; a word if somebody asks.
_NUMBERS = frozenset(["pin", "code", "password", "loose", "lock"])
_PHRASES = frozenset(["password", "loose", "phrase", "sign-in", "saying"])
_WORDS, _WORDS_TOO = frozenset(["password", "loose"]), frozenset(["pair", "code", "assigned"])
_NAMES, _MOST_NAMES, _FEW_WORDS, _MOST_WORDS, _DIGEST = 24, 3, 2, 10, 20
_HAS_DIGIT, _QUOTES = lazy(r"\d"), frozenset("\"“„«「『»`'")
_TAIL = lazy(r"[^\s\"'`,;<>|()\[\]/.]{6,64}")
# The answer to a question, from its first words on.
_ANSWERS = frozenset(["v:asked0", "v:asked1", "v:asked3", "v:below"])
_LINKED = frozenset(["v:after-is", "v:glued", "v:colon", "v:asked0", "v:behind0"])
_JUDGED = _NAMED - {"phrase", "assigned"}
_LABELS = {"token": "token", "secret": "secret", "key": "api-key"}


def values(text: str, names: Sequence[Name], foreign: Sequence[Foreign]) -> Iterator[Span]:
    """Find what is told as a secret in the sentences around a name, and in the next line."""
    yield from glued(text, names)
    for start, end, told in candidates(text, names, foreign):
        best, kind, what = max(
            (sum(POINTS.get(each, 0.0) for each in said), name[3], said[0][0]) for name, said in told
        )
        if best + POINTS[f"{what}:start"] > 0:
            yield "pin" if what == "n" else _LABELS.get(kind, "password"), start, end


def glued(text: str, names: Sequence[Name]) -> Iterator[Span]:
    """Find `password-…`: a name and its value in one word."""
    for _, end, _, kind in names:
        tail = (
            _TAIL.match(text, end + 1) if kind in _JUDGED and text[end : end + 1] in {"-", "_", "."} else None
        )
        if tail and made(tail[0]) == RANDOM:
            yield _LABELS.get(kind, "password"), *tail.span()


def candidates(text: str, names: Sequence[Name], foreign: Sequence[Foreign]) -> Iterator[Candidate]:
    """Yield what could be a value."""
    every = {name for name in names if name[3] in _NAMED}
    every |= {(at, end, "", kind) for at, end, kind in foreign if kind in _FOREIGN}
    mine = sorted(name for name in every if _is_told(text, name))
    done = -1
    for number, (at, end, *_) in enumerate(mine):
        if at < done:
            continue
        line = Line(text, at, end)
        stop = text.find("\n", end, line.high)
        done = stop if stop >= 0 else line.high
        near = mine[max(0, number - _NAMES) : number + _NAMES]
        line.names = [name for name in near if line.low <= name[0] < line.high]
        line.kinds = frozenset(name[3] for name in line.names)
        line.quotes = not (_QUOTES.isdisjoint(line.part) or line.kinds.isdisjoint(_PHRASES))
        line.plain = bool(line.kinds & _WORDS) or (bool(line.kinds & _WORDS_TOO) and line.is_loose())
        if not (line.quotes or line.plain or _HAS_DIGIT.search(line.part)):
            continue
        found = list(_found(text, line))
        line.graded = sum(said[0][:6] == "w:look" and said[0] != "w:look0" for *_, said in found)
        for start, last, said in found:
            if told := list(_told(text, start, last, said, line)):
                yield start, last, told


def _is_told(text: str, name: Name) -> bool:
    """Whether a name may have its value near it: `password length` has none, nor has a path, nor a verb."""
    at, end, english, _ = name
    return (
        not (_ABOUT.match(text, end) and text[end : end + 1] != ":")
        and text[at - 1 : at] not in {"/", "\\"}
        and not (english == "pass" and text[end : end + 1] == " " and _VERB.search(text, max(0, at - 3), at))
    )


def _told(text: str, start: int, end: int, said: list[str], line: Line) -> Iterator[tuple[Name, list[str]]]:
    """Yield the names that may tell a value, with what is to be said of it beside each."""
    inside = [name for name in line.names if start < name[1] and name[0] < end]
    if inside:
        is_prose = "code" not in line.always() and "signs" not in line.always()
        if not (
            is_prose and _WORDS & {name[3] for name in inside} and WEAK_NAMED.fullmatch(text, start, end)
        ):
            return
        said = [*said, f"{said[0][0]}:named"]
    around = [name for name in line.names if name[1] <= start][-_MOST_NAMES:]
    around += [name for name in line.names if name[0] >= end][: _MOST_NAMES - 1]
    for name in around:
        if _may_tell(said[0][0], name[3], line) and not _is_apart(text, start, end, name, line, said[0]):
            where = place(text, start, end, name, line, said[0])
            if said[0][0] != "v" or _has_room(said[0], where):
                yield name, said + where


def _has_room(shape: str, where: list[str]) -> bool:
    """Whether a word without a digit stands where a value can: in no question; a long one in the answer."""
    if "v:in-question" in where:
        return False
    if shape == "v:word":
        return not _LINKED.isdisjoint(where) and ("v:quoted" in where or "v:spelled" in where)
    return shape != "v:long" or not _ANSWERS.isdisjoint(where)


def _may_tell(what: str, kind: str, line: Line) -> bool:
    if what == "n":
        return kind in _NUMBERS
    if what == "p":
        return kind in _PHRASES
    if what == "v":
        return kind in _WORDS or (kind in _WORDS_TOO and line.is_loose())
    return kind == "password" if what == "d" else kind not in {"pin", "saying", "lock"}


def _is_apart(text: str, start: int, end: int, name: Name, line: Line, shape: str) -> bool:
    """Whether a name tells no value there: of another sentence, of a coupon, of what is passed on."""
    at, stop, english, kind = name
    between = text[stop:start] if stop <= start else text[end:at]
    if shape == "v:alien" and not english and text[at] < "\u0370":
        return True  # it is in its letters
    if kind == "pair" and (end <= at or HARDWARE.search(between) or HARDWARE.match(text, start)):
        return True  # a network is named before its key
    if kind in {"sign-in", "account"}:
        far = end <= at and len(between.split()) > _FEW_WORDS
        return far or STOP.search(between) is not None or "\n" in between
    if english == "pass" and text[at:stop].islower() and between[:1] == " ":
        return line.part.isascii() and (bool(between.strip(MARKS)) or stop > start)
    if between == " " and text[at:stop].lower() == "passwd":
        return True  # the program
    if kind == "lock" and text.endswith("000", start, end):
        return True  # a limit that sets off an alarm
    if kind == "lock":
        return "counts" in linked(text[max(0, start - 40) : start].rpartition("\n")[2])
    if kind != "code":
        return False
    # What a program is made of has a value only where somebody asks, or a user is named.
    is_source = shape.startswith("w:") and text[at:stop].lower() in {"code", "codes"} and not line.is_loose()
    is_number = shape.startswith("w:") and text[start:end].isdigit()
    if is_number and is_other_code(text[max(0, at - 32) : at].lower(), between.lower()):
        return True
    return is_source or _COUPON.fullmatch(text, start, end) is not None


def _found(text: str, line: Line) -> Iterator[tuple[int, int, list[str]]]:
    """Yield what is no word of a sentence, with what its look says; the first is its kind."""
    low, high = line.low, line.high
    if line.quotes:
        for phrase in _QUOTE.finditer(text, low, high):
            inner = phrase[phrase.lastgroup or 0]
            words = inner.split()
            if _FEW_WORDS < len(words) <= _MOST_WORDS or (len(words) == 1 and inner[0] >= "\u2e80"):
                said = [f"p:{each}" for each in said_of_phrase(inner, words)]
                yield *phrase.span(phrase.lastgroup or 0), said
    if not line.kinds.isdisjoint(_NUMBERS):
        for number in NUMBER.finditer(text, low, high):
            yield *number.span(), [f"n:{each}" for each in said_of_number(number[0])]
    other_letters = line.plain and line.other_letters()
    level = 3 if other_letters else line.plain + (line.plain and line.asks())
    pattern = _WORDS_OF[4 if line.plain and line.spells() else level]
    while run := pattern.search(text, low, high):
        prefix = _PREFIX.match(run[0])
        start = run.start() + (prefix.end() if prefix else len(run[0]) - len(run[0].lstrip("*")))
        word = bare(text[start : run.end()])
        word = word.rstrip("!?") if word.rstrip("!?").isalpha() else word
        low = max(start + len(word), run.start() + 1)
        if _OPTION.match(word):
            continue
        if shape := _shape(text, start, word, plain=line.plain, other_letters=other_letters):
            said = [] if shape == "d:digest" else [f"{shape[0]}:{each}" for each in said_of_word(word)]
            yield start, start + len(word), [shape, *said]


def _shape(text: str, start: int, word: str, *, plain: bool, other_letters: bool) -> str:
    grade = look(word)
    has_digit = any(map(str.isdigit, word))
    if grade and (grade > POSSIBLE or has_digit):
        return f"w:look{grade}"
    if has_digit and is_weak(word):
        return "w:look0"
    if len(word) >= _DIGEST and is_digest(word) and text[start - 1 : start] in {"\n", " "}:
        return "d:digest"
    shape = plain_shape(word, other_letters=other_letters) if plain and not has_digit else ""
    return f"v:{shape}" if shape else ""
