"""Secrets in forms of their own: `login: name / …`, a column of a table, several words."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.explicit import is_chosen, number_end
from memolith.text.secrets.values import is_name, is_password, is_stand_in, is_strange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memolith.text.secrets.names import Name

    Span = tuple[str, int, int]

_PAIR = lazy(
    r"(?i)(?:s|entials?)?\b[^\n]{0,40}?[:\s(]['\"`]?[\w.@+-]{2,64}['\"`]?(?:\s{1,2}/\s{1,2}|\s{0,2}\|\s{0,2}|/|:|"
    r"(?<=['\"`]) (?:and|und|et|y|e|og|och|en|ja|i|и|ve) (?=['\"`]))"
    r"['\"`]?([^\s'\"`,;\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
# A network's name may have spaces and signs; so the stroke must stand by itself, or the value be strange.
_NETWORK = lazy(
    r"[^\n/|]{0,48}?(?:(?P<apart>\s{1,2}[/|]\s{1,2})|[/|])['\"`„“]?([^\s'\"`,;|\u3000-\u3002\uff0c\uff1b]{6,64}+)"
)
_PHRASES = ("mnemonic", "seed phrase", "recovery phrase", "seed words")
_MNEMONIC = lazy(r"[^\n:=\"'`]{0,24}[:=\"'`]\s{0,3}[\"'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})")
_MOST_ROWS = 200
_SEPARATORS = ("|", "\t", ";", ",")


def pair(text: str, at: int) -> tuple[int, int] | None:
    """Find `login: admin / …`."""
    match = _PAIR.match(text, at)
    word = match[1].rstrip(".)") if match else ""
    return (
        (match.start(1), match.start(1) + len(word))
        if match and is_password(word) and not is_name(word)
        else None
    )


def pairs(text: str, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    """Find `WLAN: name / …`."""
    for _, end, kind in names:
        match = _NETWORK.match(text, end) if kind == "pair" else None
        word = match[2].rstrip(".)") if match else ""
        if match and (
            is_strange(word) or (match["apart"] and is_chosen(word) and any(map(str.isdigit, word)))
        ):
            yield "password", match.start(2), match.start(2) + len(word)


def phrases(text: str, lower: str) -> Iterator[Span]:
    """Find the words that restore a wallet."""
    for phrase in _PHRASES:
        at = lower.find(phrase)
        while at >= 0:
            match = _MNEMONIC.match(text, at + len(phrase))
            if match:
                yield "mnemonic", match.start(1), match.end(1)
            at = lower.find(phrase, at + len(phrase))


def columns(text: str, names: Iterable[Name]) -> Iterator[Span]:
    """Find what stands below the title of a column."""
    done = 0
    for at, end, _, kind in names:
        if at < done or kind not in {"password", "loose", "secret", "token", "key"}:
            continue
        first, last = text.rfind("\n", 0, at) + 1, text.find("\n", end)
        if last < 0 or last - first > 300:
            continue
        head = text[first:last]
        sign = next((each for each in _SEPARATORS if each in head), "")
        before, after = text[first:at].count(sign) if sign else 0, text[end:last].partition(sign or "\n")[0]
        cell = (text[first:at].rpartition(sign)[2] + text[at:end] + after) if sign else ""
        if not cell or len(cell.split()) > 5 or (sign != "|" and (":" in head or "=" in head)):
            continue
        if (
            kind in {"password", "loose"}
            or text[last + 1 : last + 300].lstrip("| :-").partition("\n")[0] == ""
        ):
            found, done = _below(text, last + 1, sign, before, head.count(sign), kind)
            yield from found


def _below(text: str, at: int, sign: str, column: int, signs: int, kind: str) -> tuple[list[Span], int]:
    """Return the values of a column, and where its last row begins."""
    found: list[Span] = []
    for _ in range(_MOST_ROWS):
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        row = text[at:end]
        if not row or row.count(sign) != signs:
            break
        cells = row.split(sign)
        start = at + sum(map(len, cells[:column])) + column * len(sign)
        cell = cells[column]
        word = cell.strip(" \t\r'\"`*")
        start += len(cell) - len(cell.lstrip(" \t'\"`*"))
        is_value = (
            is_password(word)
            or is_chosen(word)
            or (kind == "password" and number_end(text, start) == start + len(word))
        )
        if is_value and " " not in word and (is_chosen(word) or not is_name(word)) and not is_stand_in(word):
            found.append(({"loose": "password", "key": "api-key"}.get(kind, kind), start, start + len(word)))
        at = end + 1
    return found, at
