"""What stands near the name of a secret and is the name of something else: a network, who logs in, a place.

Only the secret is to be masked. A label right before a value says what it is; it is believed if the line, or
the next one, has another value that can be the secret.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.looks import STRANGE, look
from memolith.text.secrets.values import TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memolith.text.secrets.names import Name

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
# In India a place's number is called a PIN code as well.
_PLACE = lazy(r"(?i)(?:pin ?codes?|पिन ?कोड)\W{1,4}$")
_PLACES = tuple(TABLE["postal-lines"])
_MANY, _SHORT_GAP = 2000, 6


def only_secrets(text: str, spans: Iterable[Span], names: Iterable[Name]) -> Iterator[Span]:
    """Yield the spans of a text without those that a label says to be the name of something else."""
    found = sorted(set(spans), key=lambda span: (span[1], span[2]))
    if len(found) > _MANY:
        yield from found
        return
    passwords = [at for at, _, _, kind in names if kind in {"password", "loose"}]
    kept: list[Span] = []
    for number, span in enumerate(found):
        _, start, end = span
        others = [one for one in kept[-3:] if one[2] <= start and start - one[2] < _NEAR]
        behind = next(
            (one for one in found[number + 1 : number + 6] if one[1] >= end and one[1] - end < _NEAR), None
        )
        if not _is_other(text, start, end, others, behind, passwords):
            kept.append(span)
    yield from kept


def _is_other(
    text: str, start: int, end: int, before: list[Span], behind: Span | None, passwords: list[int]
) -> bool:
    head, value = text[max(0, start - _BEFORE) : start].rpartition("\n")[2], text[start:end]
    if _PLACE.search(head) and len(value) == 6:
        line = text[text.rfind("\n", 0, start) + 1 : end + _NEAR].partition("\n")[0].lower()
        return any(word in line for word in _PLACES)
    if look(value) >= STRANGE:
        return False
    # What an earlier look masked is a secret as well.
    tail = text[end : end + _NEAR]
    masked_before = "[secret:" in text[max(0, start - _NEAR) : start]
    if _NETWORK.search(head) and (before or behind or masked_before or "[secret:" in tail):
        return True
    gap = text[end : behind[1]] if behind else tail.partition("[secret:")[0] if "[secret:" in tail else None
    if gap is None:
        return False
    if _USER.search(head) or (_QUOTE_NAMES.match(gap) and len(gap) <= _SHORT_GAP):
        return True
    # "wifi: name / …", but not "passwords: one / two"
    return _STROKE.fullmatch(gap.strip("\"'`")) is not None and not any(
        at < start for at in passwords if start - at < _NEAR
    )
