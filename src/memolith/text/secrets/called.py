"""What stands near the name of a secret and is the name of something else: a network, who logs in, a place.

Only the secret is to be masked. A label right before a value says what it is; it is believed if the line, or
the next one, has another value that can be the secret. What a number is that opens nothing always is.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.looks import STRANGE, look
from memolith.text.secrets.numbers import opens_nothing
from memolith.text.secrets.values import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memolith.text.secrets.names import Foreign, Name

    Span = tuple[str, int, int]

_LINKS = (
    r"(?: ?[:=：]| is| ist| est| es| è| é| är| er| on| je| to| называется| هي| है)?"
    r"[ \t*]{0,3}[\"'`„“«「『*]{0,3}$"
)
_NETWORK = lazy(
    rf"(?i)(?:(?<![\w-])|(?<=[\u0e00-\ud7ff])|(?<=wi-fi[ -]))(?:{'|'.join(TABLE['network-names'])})"
    rf"(?:[ -]?(?:name|namn|naam|navn|nimi|adı))?{_LINKS}"
)
_USERS = "|".join([*TABLE["users"], *TABLE["called-names"], "логи", "e-?mail", "mail", "mel", "почта", "id"])
_USER = lazy(rf"(?i)(?:(?<![\w-])|(?<=[\u0e00-\ud7ff]))(?:{_USERS})\w{{0,6}}{_LINKS}")
_QUOTE_NAMES, _STROKE = lazy(r"[\"'`”“»」] ?[:：=] "), lazy(r" ?[/|] ?")
_BEFORE, _NEAR = 40, 160  # characters
# A Wi-Fi by its name, in a line that goes on with the name of a password.
_WIFI = lazy(
    r"(?i)(?:wi-?fi|wlan|hotspot|无线网?|無線|ไวไฟ|와이파이)(?: connect)? ?[:：=]?[ \t]{0,3}[\"'`„“«「]?$"
)
# In India a place's number is called a PIN code as well.
_PLACE = lazy(r"(?i)(?:pin ?codes?|पिन ?कोड|পিন ?কোড|பின் ?கோடு|పిన్ ?కోడ్|પિન ?કોડ)[^\n\d.!?।]{0,32}$")
_PLACES = tuple(TABLE["postal-lines"])
# "to" and its like in scripts that write it in front of the value: `了hunter2`, `ל-hunter2`.
_LED = lazy(r"(?:[了为為成到]|[\u05d0-\u05ea]-|[\u3040-\u9fff]{1,12}[:：])(?=[!-~]{5})")
_QUOTED = frozenset(["''", '""', "``", "‘’", "“”", "«»", "„“", "「」"])
_SHORT = 4
_MANY, _SHORT_GAP, _PLACE_DIGITS = 2000, 6, 6


def only_secrets(
    text: str, spans: Iterable[Span], names: Iterable[Name], foreign: Iterable[Foreign]
) -> Iterator[Span]:
    """Yield the spans of a text without those that a label says to be the name of something else."""
    found = sorted(set(spans), key=lambda span: (span[1], span[2]))
    if len(found) > _MANY:
        yield from found
        return
    passwords = [at for at, _, _, kind in names if kind in {"password", "loose"}]
    every = sorted([*passwords, *(at for at, _, kind in foreign if kind in {"pin", "code"})])
    kept: list[Span] = []
    for number, (kind, start, end) in enumerate(found):
        others = [one for one in kept[-3:] if one[2] <= start and start - one[2] < _NEAR]
        behind = next(
            (one for one in found[number + 1 : number + 6] if one[1] >= end and one[1] - end < _NEAR), None
        )
        if text[start:end].isdigit() and opens_nothing(text, start, end, every):
            continue
        if not _is_other(text, start, end, others, behind, passwords):
            kept.append((kind, *_inner(text, start, end)))
    yield from kept


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a value is without what leads to it, and without spaces and quotes around it."""
    if text[start].isascii() and text[start].isalnum():
        return start, end
    led = _LED.match(text, start, end)
    start = led.end() if led else start
    value = text[start:end]
    start, end = start + len(value) - len(value.lstrip()), start + len(value.rstrip())
    is_quoted = end - start > _SHORT and text[start] + text[end - 1] in _QUOTED
    return (start + 1, end - 1) if is_quoted else (start, end)


def _is_other(
    text: str, start: int, end: int, before: list[Span], behind: Span | None, passwords: list[int]
) -> bool:
    head, value = text[max(0, start - _BEFORE) : start].rpartition("\n")[2], text[start:end]
    if _PLACE.search(head) and len(value) == _PLACE_DIGITS:
        line = text[text.rfind("\n", 0, start) + 1 : end + _NEAR].partition("\n")[0].lower()
        return any(word in line for word in _PLACES)
    # What an earlier look masked is a secret as well.
    tail = text[end : end + _NEAR]
    gap = text[end : behind[1]] if behind else tail.partition("[secret:")[0] if "[secret:" in tail else None
    if gap and _WIFI.search(head) and _goes_on(gap, start, end, start - len(head), passwords):
        return True
    if look(value) >= STRANGE:
        return False
    masked_before = "[secret:" in text[max(0, start - _NEAR) : start]
    if _NETWORK.search(head) and (before or behind or masked_before or "[secret:" in tail):
        return True
    if gap is None:
        return False
    if _USER.search(head) or (_QUOTE_NAMES.match(gap) and len(gap) <= _SHORT_GAP):
        return True
    # "wifi: name / …", but not "passwords: one / two"
    return _STROKE.fullmatch(gap.strip("\"'`")) is not None and not any(
        at < start for at in passwords if start - at < _NEAR
    )


def _goes_on(gap: str, start: int, end: int, low: int, passwords: list[int]) -> bool:
    """Whether the first password is named behind what is a network's name then, in the same line."""
    named = [at for at in passwords if low <= at < end + len(gap)]
    return "\n" not in gap and bool(named) and not any(at < start for at in named)
