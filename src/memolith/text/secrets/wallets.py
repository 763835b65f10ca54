"""The words that restore a wallet: a dozen or two of them, in a row, with nothing that joins a sentence."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.values import SMALL_WORDS, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[str, int, int]

# As many as such a phrase has.
_COUNTS = frozenset([12, 15, 18, 21, 24])
_JOINING = (
    frozenset([*TABLE["joining"], *TABLE["of"], *TABLE["is-too"], *TABLE["named-things"]]) | SMALL_WORDS
)
_CHAR = r"[^\s\d!-/:-@\[-`{-~：→]"
_RUN = lazy(
    rf"(?<![^\s:：=>→(\"'`«„“「-])(?:{_CHAR}{{1,12}}(?:, ?| |、)){{11,23}}"
    rf"{_CHAR}{{1,12}}(?![^\s.,;)\"'`»”“」])"
)
_WORD = lazy(r"[^\s,、]+")
_IS = frozenset(TABLE["is"])
_LEAST, _FEW, _MOST_LINE = 3, 1, 600


def phrases(text: str, lower: str, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    """Find the words that restore a wallet, in a line that says so or below one."""
    announced = [name for name in names if name[2] in {"wallet", "restore"}]
    for begin in sorted({text.rfind("\n", 0, at) + 1 for at, *_ in announced}):
        end = text.find("\n", begin)
        end = text.find("\n", end + 1) if end >= 0 else -1
        last = min(end if end >= 0 else len(text), begin + _MOST_LINE)
        ends = {lower[at:end] for at, end, _ in announced if begin <= at < last}
        for found in _RUN.finditer(text, begin, last):
            if place := _words(lower, *found.span(), ends):
                yield "mnemonic", *place


def _words(lower: str, start: int, end: int, announcing: set[str]) -> tuple[int, int] | None:
    """Return where the words of a phrase are in a run of words: behind the last one that announces them."""
    words: list[tuple[int, int]] = []
    joining = 0
    for found in _WORD.finditer(lower, start, end):
        word = found[0]
        if not word.isalpha() or word in _IS or word in announcing:
            if len(words) in _COUNTS:
                break
            words, joining = [], 0
            continue
        joining += word in _JOINING or (len(word) < _LEAST and word[0] < "\u0e00")
        words.append(found.span())
    several = len({lower[low:high] for low, high in words}) > len(words) // 2
    return (words[0][0], words[-1][1]) if len(words) in _COUNTS and several and joining <= _FEW else None
