"""Recovery codes: groups of letters and digits behind their name, one after another."""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.sentences import ANY_IS
from memolith.text.secrets.values import bare, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[str, int, int]

_MARKS = " \t\"'`*()[]„“”«»"
_SIGNS = ":=→>—–："
_IS = frozenset([*ANY_IS.split("|"), "be", "been", "became"])
_GROUPS = lazy(
    r"(?:(?=[\w-]{0,20}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,9}|\d{6,12}|(?=[a-z]{0,14}\d)[a-z0-9]{8,16})"
    r"(?![\w-])[\s,;\"'`*-]{0,6}"
)
_GROUP = lazy(r"(?<!\S)[\"'`*(]{0,2}([^\s\"'`*(),;]{6,64})")
# What is behind them is a place, a file or a date.
_ELSEWHERE = frozenset(
    ["in", "to", "by", "from", "at", "on", "see", "with", "via", "under", "since", "before", "after"]
)


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
