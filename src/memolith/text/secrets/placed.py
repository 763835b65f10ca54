"""Where a value stands, seen from the name of a secret: what links the two, what ends behind it.

Each thing that is true of the place has its points in `points.txt`; `weighed.py` adds them up.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.looks import CODE_SIGNS
from memolith.text.secrets.sentences import ANY_IS, AS, CLAUSE_END, NOW, TO
from memolith.text.secrets.values import DESCRIBING, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Name

MARKS = " \t\"'`*()[]„“”«»「」『』"
_IS = frozenset([*ANY_IS.split("|"), *TABLE["is-it"], *AS.split("|"), "be", "been", "became"])
WITH = frozenset(TABLE["with"])
LINKING = _IS | frozenset([*NOW.split("|"), *TABLE["still"]])
_OF = frozenset([*TABLE["of"], *TABLE["named-things"]])
_LAST = (
    ("is", _IS),
    ("now", frozenset([*NOW.split("|"), *TABLE["still"]])),
    ("types", frozenset(TABLE["types"])),
    ("to", frozenset(TO.split("|"))),
    ("with", WITH),
    ("of", _OF),
)
_GLUED = tuple(TABLE["is-glued"])
_WITH_GLUED = ("和", "与", "と", "랑", "하고", "및", "กับ", "、")
_FOR_A, COUNTS, _THINGS = frozenset(TABLE["for-a"]), frozenset(TABLE["counts"]), tuple(TABLE["named-stems"])
STOP = lazy(r"[.;!?…]+(?=[\s\"”»])|[。！？؟]|\?(?=[^\s\d\w])")
# The end of a clause, as it is where the verb comes last: "… ein.", "… है".
_LATE = lazy(
    r"[\"'`]?(?: [^\s\d.,;:!?]{1,12}){0,2}(?:[.,;!?)](?:\s|$)|[ \t]*(?:\n|$)|[。，])|[\"'`」]?[\u0e00-\ud7ff]"
)
# A number that may be a code: no part of another one, of nothing that is measured or counted.
NUMBER = lazy(
    r"(?<![\w.,/€$£¥%+-])(?<![.:,]\d)(?:[A-Z\u0410-\u042f]?\d{4,8}|\d\d(?:[ -]\d\d){1,3}|\d{3}[ -]\d{3,4}"
    r"|\d{1,4}[A-Za-z\u0400-\u04ff]\d{2,6})[#*]?(?![^\W\d\u0e00-\ud7ff]|\d|[.,:/-]\d|[%€$°]|-[A-Za-z\u0400-\u04ff])"
    r"(?! ?(?i:x|%|°|mm|ms|bit|byte|kb|mb|char|digit|sec|min|time|line|row|item|token|stellen|zeichen))"
    r"(?! ?[位桁자文])(?! (?:of|is|are|on|to)\b)"
)
# Behind the word for Wi-Fi: what is said of its hardware and its pages.
HARDWARE = lazy(
    r"(?i)drivers?\b|treiber|firmware|chip|adapter|channel|kanal|canal|modul|kernel|ssid|драйвер|page|seite"
    r"|settings|menu|tab\b|config|iwl|(?<![a-z])(?:rtl|ath|mt|bcm|brcm)\d"
)
_ASKS = ("?", "？", "؟")
_QUESTION = lazy(r"[^\n.!?。？؟]{0,80}[?？؟]")
_SPEAKER = lazy(
    r"^(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?\s{1,2})?(?:[-*>]{0,2}\s?[^\s\d:]{1,24}[:>]\s{1,2}|[—–-] )?"
)
# What looks like a word needs a place where nothing but a value stands.
_PLAIN_PLACES = frozenset(
    [
        *("asked0", "asked1", "asked3", "behind0", "behind1", "below-alone"),
        "quoted",
        "after-is",
        "colon",
        "spelled",
    ]
)
_OTHERS, _SHORT = tuple(TABLE["other-codes"]), 4
LONG_OTHERS = tuple(other for other in _OTHERS if len(other) > _SHORT)
# A modem is no mode: a short word stands for itself, a longer one for all that begin with it.
_OTHERS_BETWEEN = tuple(
    f" {each} " if len(each) <= _SHORT and each.isascii() else f" {each}" for each in _OTHERS
)
_OPENED = tuple(
    place if len(place) > _SHORT or not place[0].islower() else f" {place}"
    for place in dict.fromkeys((*TABLE["places"], *TABLE["wifi"]))
)
_SPELLED, _WHERE, _USERS, _PHRASES = (tuple(TABLE[each]) for each in ("spelled", "where", "users", "phrase"))
_AROUND, _BEHIND = 140, 170  # characters


class Line:
    """The line of a name, with the one before and the next one, and what is true of all of it."""

    def __init__(self, text: str, at: int, end: int) -> None:
        self.low, self.high = _window(text, at, end)
        self.part = text[self.low : self.high]
        self.lower = self.part.lower()
        self.names: Sequence[Name] = ()
        self.kinds: frozenset[str] = frozenset()
        self.graded = 0
        # Whether there are phrases in quotes, and words without a digit, that a name may tell.
        self.quotes = self.plain = False
        self._always: list[str] | None = None

    def is_loose(self) -> bool:
        """Whether somebody asks, or a user is named: then a code, or a Wi-Fi, may have a password."""
        return self.asks() or any(word in self.lower for word in _USERS)

    def spells(self) -> bool:
        """Whether it says how something is spelled."""
        return any(word in self.lower for word in _SPELLED)

    def asks(self) -> bool:
        """Whether there is a question mark."""
        return any(sign in self.part for sign in _ASKS)

    def other_letters(self) -> bool:
        """Whether the line is in other letters than Latin ones."""
        return sum(2 for char in self.part if char >= "\u0370" and char.isalpha()) > len(self.part) // 3

    def always(self) -> list[str]:
        """Return what is true of every value in the line."""
        if self._always is None:
            code = sum(map(self.part.count, CODE_SIGNS))
            checks = {
                "code": code > 5,
                "signs": 2 < code < 6,
                "said": not DESCRIBING.isdisjoint(self.lower.replace(",", " ").replace(".", " ").split()),
                "user": any(word in self.lower for word in _USERS),
                "where": any(word in f" {self.lower}" for word in _WHERE),
            }
            self._always = [
                *(name for name, holds in checks.items() if holds),
                f"graded{min(3, self.graded)}",
            ]
        return self._always


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


def linked(before: str) -> Iterator[str]:
    """Yield what is right before a value."""
    close = before.rstrip(MARKS)
    if not close:
        yield "begins"
        return
    if close[-1] in ":：=→>":
        yield "colon"
    elif close[-1] in "—–-":
        yield "dash"
    elif close[-1] in ",;，、،":
        yield "comma"
    elif close.endswith(_GLUED):
        yield "glued"
    words = close.rstrip(":：,—–- ").lower().split()
    last = words[-1].strip(MARKS) if words else ""
    links = [f"after-{name}" for name, table in _LAST if last in table]
    if "after-with" not in links and close.endswith(_WITH_GLUED):
        links.append("after-with")
    if "after-is" not in links and "after-now" in links and len(words) > 1 and words[-2] in _IS:
        links.append("after-is")
    yield from links
    if last in COUNTS or close[-1] in "#№":
        yield "counts"
    if last.endswith(_THINGS):
        yield "thing"


def place(text: str, start: int, end: int, name: Name, line: Line, shape: str) -> list[str]:
    """Return what is true of where a value stands, seen from a name; its `shape` may ask for more."""
    at, stop, english, kind = name
    found = [f"kind-{kind}", *linked(text[line.low : start].rpartition("\n")[2])]
    if not english:
        found.append("foreign")
    if start and text[start - 1] in "\"'`“„«「『*":
        found.append("quoted")
    clause = CLAUSE_END.match(text, end)
    found.append("ends" if clause else "late" if _LATE.match(text, end) else "open")
    if clause and not text[end : end + 40].partition("\n")[0].strip(MARKS + ".,!"):
        found.append("last")
    between = text[end:at] if end <= at else text[stop:start]
    found += _before(text, between, stop) if end <= at else _behind(between, foreign=text[at] >= "\u0370")
    found += [*line.always(), *_beside(text, at, stop, end, kind, line), *_other(text, at, between)]
    if kind == "phrase" or any(stem in text[max(0, at - 24) : stop + 16].lower() for stem in _PHRASES):
        found.append("phrase")
    if shape[0] == "v":
        found += [f"{shape[2:]}+{each}" for each in found if each in _PLAIN_PLACES]
    return [f"{shape[0]}:{each}" for each in found]


def _beside(text: str, at: int, stop: int, end: int, kind: str, line: Line) -> Iterator[str]:
    """Yield what else is in the line: a question, how a value is spelled, other names, a lock."""
    if _QUESTION.match(text, end):
        yield "in-question"
    if any(map(line.lower[end - line.low :].__contains__, _SPELLED)):
        yield "spelled"
    if kind != "sign-in" and "sign-in" in line.kinds:
        yield "signs-in"
    if kind not in {"password", "loose"} and not line.kinds.isdisjoint(("password", "loose")):
        yield "password-too"
    near = " " + text[max(line.low, at - 40) : max(stop, end) + 40].lower().replace("-", " ")
    if any(map(near.__contains__, _OPENED)):
        yield "opens"


def _other(text: str, at: int, between: str) -> Iterator[str]:
    """Yield whether a name is that of another code: "the error code", "code produit"."""
    if is_other_code(text[max(0, at - 32) : at].lower(), between.lower()):
        yield "other"


def is_other_code(before: str, between: str) -> bool:
    """Whether words before the name of a code, or behind it, say that it opens nothing: "the error code"."""
    last = before.rpartition("\n")[2].rstrip(" -_").rpartition(" ")[2].lstrip(MARKS)
    said = f" {between} ".replace("'", " ").replace("’", " ").replace(":", " ").replace("-", " ")
    return (
        last.endswith(_OTHERS) or last.startswith(LONG_OTHERS) or any(map(said.__contains__, _OTHERS_BETWEEN))
    )


def _far(between: str) -> str:
    """Return how many words are between a name and a value, roughly."""
    words = len(between.strip(MARKS + "-,،—–:").split())
    return next(str(most) for most in (0, 1, 3, 6, 9) if words <= most or most == 9)


def _before(text: str, between: str, stop: int) -> Iterator[str]:
    """Yield where a value is that stands before its name: "use … as the password"."""
    stops = list(STOP.finditer(between))
    yield f"before{_far(between[stops[-1].end() :] if stops else between)}"
    after = between.strip(MARKS + ",;-—–:").lower().split()[:3]
    if any(word in _IS or word in _FOR_A for word in after) or between.strip(MARKS).startswith(_GLUED):
        yield "before-as"
    if text[stop : stop + 2].strip()[:1] in {":", "=", "："}:
        yield "before-named"
    if stops or "\n" in between:
        yield "before-stop"


def _behind(between: str, *, foreign: bool) -> Iterator[str]:
    """Yield where a value is that stands behind a name: in its clause, in the answer, in the next line."""
    stops = list(STOP.finditer(between))
    far = _far(between[stops[-1].end() :] if stops else between)
    if "\n" in between:
        head, _, tail = between.partition("\n")
        row = _SPEAKER.sub("", tail.rpartition("\n")[2])
        yield "below"
        yield "below-words" if row.strip(MARKS + "->") else "below-alone"
        head = head.rstrip(MARKS + "\r")
        if head.endswith(_ASKS):
            yield "below-asked"
        elif head.endswith((":", "：", "→", "=")):
            yield "below-colon"
        if "\n" in tail.strip(" \t\r\n"):
            yield "below-far"
    elif not stops:
        yield f"behind{far}"
    elif any(sign in each[0] for each in stops for sign in _ASKS) or (foreign and stops[0][0] == ";"):
        yield from ("asked", f"asked{far}")
    else:
        yield from ("stopped", f"stopped{far}")
