"""Numbers that open a door without a word for one: "the warehouse opens with …", "at the back door press …".

Three things have to stand in one sentence: something that has a lock, a verb of pressing or opening, and next
to the verb a number that is no time, no year and counts nothing.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.doors import may_open, may_press, words_of
from memolith.text.secrets.placed import COUNTS, NUMBER, WITH
from memolith.text.secrets.values import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.text.secrets.names import Foreign

    Place = tuple[int, int]
    Span = tuple[str, int, int]

_HAS_DIGITS = frozenset(["lock", "pin", "code", "password", "loose"])
_DIGIT_BY_DIGIT, _GOES_ON = lazy(r"\d-\d-\d-\d(?:-\d){0,4}"), lazy(r"[0-9A-Za-z_-]|[.,]\d")
_ROUND, _WORD_NEXT = lazy(r"\d+00|1024|2048|4096|8192"), lazy(r" [a-z\u00df-\u052f]{3}")
_ON_IT = lazy(r"(?<![\w.,-])\d{4,8}[#*]?(?= (?:on|to) (?:the|its)\b)")
_DIGITS = lazy(r"\d[\d -]\d")
_MOST, _FAR, _WORDS = 100, 26, 3  # characters of the sentence; between verb and number; words there
_STOP = lazy(r"[.!?](?=\s|$)|[\n。！？؟।]")
_APART = lazy(r"[\d,;:.!?()/\\=<>{}\[\]、，；：]")
_YEAR = lazy(r"(?:19|20)\d\d")
_UNIT = lazy(rf"(?i) ?(?:in(?:to)? the \w+ (?:field|box|input)|{'|'.join(TABLE['units'])})(?![a-z])")
_PORTS = (
    "พอร์ต",
    "ポート",
    "포트",
    "端口",
    "портах",
    "порте",
    "会議室",
    "会议室",
    "办公室",
    "房间",
    "회의실",
    "ห้อง",
)
_OPENERS = (
    *("open", "öffn", "ouvr", "abr", "apr", "otw", "otev", "öppn", "åpn", "åbn", "aukea", "buka", "mở"),
    *("открыв", "відкрив", "ανοίγ", "açı", "nyí", "desch"),
)
_NAMES_IT = "第#№"
# Before a number that is a time, a place or a limit.
_NO_CODE = frozenset(TABLE["no-code"])


def opened(text: str, lower: str, names: Sequence[Foreign], known: frozenset[bytes]) -> Iterator[Span]:
    """Find the number that somebody presses to open something."""
    # One digit at a time: nothing else is written so.
    if any(kind in _HAS_DIGITS for _, _, kind in names):
        for found in _DIGIT_BY_DIGIT.finditer(text):
            if not (
                _GOES_ON.match(text[found.start() - 1 : found.start()]) or _GOES_ON.match(text, found.end())
            ):
                yield "pin", *found.span()
    done = 0
    for digits in _DIGITS.finditer(text) if may_open(lower, known) else ():
        at = digits.start()
        if at < done or not may_press(lower[max(0, at - _FAR) : at + 2 * _FAR]):
            continue
        number = NUMBER.search(text, max(0, at - 1), at + _FAR) or _ON_IT.match(text, at)
        start, end = number.span() if number else (at, at)
        done = end
        if not number or text[start - 1] in _NAMES_IT or _UNIT.match(text, end):
            continue
        if _ROUND.fullmatch(number[0]) and _WORD_NEXT.match(text, end):
            continue  # "opens 4096 connections"
        low, high = _sentence(text, start, end)
        things = list(words_of(lower[low:high], "door"))
        if things and _is_a_code(lower[low:high], start - low, end - low, things):
            yield "pin", start, end


def _sentence(text: str, at: int, end: int) -> Place:
    """Return where the sentence of a number begins and ends."""
    low, high = max(0, at - _MOST), min(len(text), end + _MOST)
    low = max([low, *(stop.end() for stop in _STOP.finditer(text, low, at))])
    stop = _STOP.search(text, end, high)
    return low, stop.start() if stop else high


def _is_a_code(sentence: str, start: int, end: int, things: list[Place]) -> bool:
    """Whether a number stands next to a verb, and is the name of nothing."""
    before = sentence[max(0, start - _FAR) : start].rstrip(" ").rpartition(" ")[2]
    if before in _NO_CODE or before in COUNTS or before.endswith(_PORTS):
        return False
    for first, last in words_of(sentence, "press"):
        # "open gate 8443": it is called so.
        is_called = any(last <= low and high in {start, start - 1} for low, high in things)
        others = any((first, last) != thing for thing in things)
        between = sentence[last:start] if last <= start else sentence[end:first] if end <= first else "."
        # "opens 1204 results": what stands behind says what is counted
        is_count = (
            last <= start and not sentence[last:start].strip() and sentence[first:last].startswith(_OPENERS)
        )
        is_count = is_count and _WORD_NEXT.match(sentence, end) is not None
        if others and not is_called and not is_count and _is_pressed(between, sentence[start:end]):
            return True
    return False


def _is_pressed(between: str, number: str) -> bool:
    """Whether what stands between a verb and a number lets the number be what is pressed."""
    words = between.lower().strip(" \"'`«»„“”「」*").split()
    if len(between) > _FAR or len(words) > _WORDS or _APART.search(between):
        return False
    if any(word in COUNTS or word in _NO_CODE or word.endswith(_PORTS) for word in words[-1:]):
        return False
    return not _YEAR.fullmatch(number) or (bool(words) and not WITH.isdisjoint(words))
