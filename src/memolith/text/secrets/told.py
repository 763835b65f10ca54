"""Secrets in a sentence that names them anywhere: "the token is …", "… <- password", "… (that's the PIN)".

The value has to say for itself that somebody made it up; then its place counts for less. Only a line that
has both a name and a digit is looked at.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.sentences import ANY_IS, CLAUSE_END, SETS, TO
from memolith.text.secrets.values import CHOSEN, RANDOM, TABLE, bare, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Foreign, Name

    Span = tuple[str, int, int]

_DIGIT = lazy(r"\d")
_WORD = lazy(
    r"(?<![^\s\"'`*(\[<>:=,|/„“”‚‘«»→-])(?=[^\s\d]{0,40}\d)"
    r"[^\s\"'`,;<>|()\[\]„“”«»「」『』《》（）\u2190-\u21ff\u3000-\u3002\uff0c\uff1b]{6,64}"
)
_PATH = lazy(r"[/.]")
_MARKS = " \t\"'`*()[]„“”«»"
_SIGNS = ":=→>—–："
_IS = frozenset([*ANY_IS.split("|"), "be", "been", "became"])
_TO = frozenset(TO.split("|"))
_SETTING = lazy(rf"(?<!\S)(?:re)?(?:{SETS})\S{{0,8}} [^\n.;]{{0,64}}$")
_STOP = lazy(r"[.;!?](?:\s|$)|[。！？\n|{}]")
_ABOUT = lazy(rf"(?i)[ _.-]?(?:{'|'.join(TABLE['about'])})(?![a-z])")
_W = r"(?:[^\s\d.;:!?()]{1,16} )"
_THATS = (
    r"(?:that['’]?s|that is|this is|it['’]?s|it is|which is|is|das ist|c['’]est|eso es|esa es|è|to jest|это)"
)
# What may stand between a value and the name behind it; what tells somebody to type the value in.
_BACK = lazy(
    rf"(?i)[\"'`*)\]»”“]{{0,3}}(?:\s?(?:<-+|←|<=+|⇐)\s?{_W}{{0,4}}|\s?\({_W}{{0,5}}|"
    rf"\s?(?:,|—|–|--?|;|\.)\s{_THATS} {_W}{{0,5}}|"
    rf"\s(?:is|was|as|will be|ist|als|est|comme|es|como|è|come|jest|jako) {_W}{{0,4}})$"
)
_WHEN = lazy(
    rf"(?i)[\"'`*]{{0,3}},? (?:when|if|once|where|wherever|at|as|for|to|wenn|bei|quand|cuando) "
    rf"{_W}{{0,8}}$"
)
_TYPED = lazy(
    r"(?i)\b(?:enter|type(?: in)?|use|give|try|put|paste|supply|input|answer|gib|nimm|tippe)\s[\"'`*]{0,3}$"
)
_NAME_STOPS = lazy(
    r"(?i)[\"'`*]{0,3}(?=\s*(?:[).,;!?\n\"'`]|$)|,? (?:for|of|on|in|to|now|at|until|and|so|von|del|du|de)\b)"
)
_GROUPS = lazy(
    r"(?:(?=[\w-]{0,20}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,9}|\d{6,12}|(?=[a-z]{0,14}\d)[a-z0-9]{8,16})"
    r"(?![\w-])[\s,;\"'`*-]{0,6}"
)
_GROUP = lazy(r"(?<!\S)[\"'`*(]{0,2}([^\s\"'`*(),;]{6,64})")
# What is behind them is a place, a file or a date.
_ELSEWHERE = frozenset(
    ["in", "to", "by", "from", "at", "on", "see", "with", "via", "under", "since", "before", "after"]
)
_AROUND, _MOST_WORDS, _FEW = 160, 7, 3
_NAMES = 24  # at most, before a name and behind it
_JUDGED = frozenset(["password", "loose", "secret", "token", "key"])
_LABELS = {"key": "api-key", "loose": "password", "assigned": "password", "pair": "password"}


def values(text: str, names: Sequence[Name], foreign: Sequence[Foreign]) -> Iterator[Span]:
    """Find made-up values in the lines that name a secret; `names` are those that are no other thing's."""
    wifi = [(at, end, "", kind) for at, end, kind in foreign if kind == "pair" and text[at] in "wWsS"]
    done, every = -1, sorted([*names, *wifi])
    for number, (at, end, *_) in enumerate(every):
        if at < done:
            continue
        low = max(0, at - _AROUND)
        low = max(low, text.rfind("\n", low, at) + 1)
        high = text.find("\n", end, end + _AROUND)
        done = high = high if high >= 0 else end + _AROUND
        if not _DIGIT.search(text, low, high):
            continue
        near = [name for name in every[max(0, number - _NAMES) : number + _NAMES] if low <= name[0] < high]
        for found in _WORD.finditer(text, low, high):
            word = bare(found[0].rstrip("!?") if found[0].rstrip("!?").isalpha() else found[0])
            start, stop = found.start(), found.start() + len(word)
            # `password-…` is one word, of a name and its value.
            inside = [end + 1 for at, end, *_ in near if start <= at and end < stop and text[end] in "-_."]
            if inside:
                start = max(inside)
                stop = start + len(_PATH.split(text[start:stop], 1)[0])
            grade = made(text[start:stop])
            if grade and (kind := _named(text, start, stop, grade, near)):
                yield _LABELS.get(kind, kind), start, stop


def _named(text: str, start: int, end: int, grade: int, names: Sequence[Name]) -> str:
    """Return the kind of the name that a value has in its line, or nothing."""
    for at, stop, word, kind in names:
        if _ABOUT.match(text, stop) and text[stop : stop + 1] != ":":
            continue
        if stop <= start and _follows(text, at, stop, start, end, grade, word, kind):
            return kind
        if end <= at and kind in _JUDGED and _precedes(text, start, end, at, stop, grade, kind):
            return kind
    return ""


def _follows(text: str, at: int, stop: int, start: int, end: int, grade: int, word: str, kind: str) -> bool:
    between = text[stop:start]
    if _STOP.search(between):
        return False
    sign = between.rstrip(_MARKS)[-1:]
    words = between.strip(_MARKS + _SIGNS + ",-").lower().split()
    ends = CLAUSE_END.match(text, end) is not None
    if kind == "assigned":
        # "FTP pass …", not "pass … to the function".
        loud = text[at:stop].isupper() or text[max(0, at - 2) : at - 1].isalnum()
        return word == "pass" and between == " " and ends and loud
    if kind == "pair":
        return sign in {":", "："} and ends and 0 < len(words) <= _MOST_WORDS
    if kind not in _JUDGED:
        return False
    if between in {"-", "_", "."}:
        return grade == RANDOM
    if not words:
        return grade == RANDOM or bool(sign and sign in _SIGNS) or ends
    if words[-1] in _IS:
        return len(words) <= _MOST_WORDS
    if words[-1] in _TO and grade >= CHOSEN:
        return _SETTING.search(text[max(0, at - 48) : start].lower().rstrip(_MARKS)) is not None and ends
    if sign and sign in _SIGNS:
        return len(words) <= (_MOST_WORDS if grade == RANDOM else _FEW)
    return False


def _precedes(text: str, start: int, end: int, at: int, stop: int, grade: int, kind: str) -> bool:
    if grade < RANDOM and kind not in {"password", "loose"}:
        return False
    between = text[end:at]
    if len(between) > 80 or not _NAME_STOPS.match(text, stop):
        return False
    if _BACK.match(between):
        return True
    return _WHEN.match(between) is not None and _TYPED.search(text[max(0, start - 24) : start]) is not None


def restoring(text: str, end: int) -> Iterator[Span]:
    """Find the groups of letters and digits behind the name of a recovery code."""
    first = _GROUPS.search(text, end, end + 64)
    at = first.start() if first else end
    if text[end:at].lower().split()[-1:] and text[end:at].lower().split()[-1] in _ELSEWHERE:
        return
    while found := _GROUPS.match(text, at):
        yield "recovery-code", at, at + len(found[0].rstrip(" \t\r\n,;\"'`*-"))
        at = found.end()
    line = text[end : end + 64].partition("\n")[0]
    for found in _GROUP.finditer(line) if not first else ():
        before = line[: found.start(1)].strip(_MARKS + _SIGNS).lower().split()
        word = bare(found[1])
        if made(word) and (
            not before or before[-1] in _IS or line[: found.start(1)].rstrip(_MARKS)[-1:] in _SIGNS
        ):
            yield "recovery-code", end + found.start(1), end + found.start(1) + len(word)
