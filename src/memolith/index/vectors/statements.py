"""The statements of a short text, each of which gets a vector beside that of the whole.

A message is seldom about one thing: the answer to a later question was often mentioned in passing, and the
vector of the whole message hardly shows it. So a short text is as near to a question as the nearest of its
statements. (A question in it is near to other questions, but answers none.) A document has a topic, which the
whole represents better than any sentence.
"""

from __future__ import annotations

from memolith.index.vectors.packs import KEY, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Parts = list[tuple[str, bool]]  # a text in pieces: each with whether it is a statement

SHORT = 600  # characters; a longer text is a document
_LEAST = 4  # words of a sentence; fewer mean nothing alone ("Sounds great!")
_ENDS = frozenset(".?!")
_FULL_STOPS = frozenset("。！？")  # no space follows them


def parts(text: str) -> Parts:
    """Cut a text into its sentences and say which are statements; in one piece if it is a single one."""
    whole = [(text, False)]
    if len(text) > SHORT:
        return whole
    seen: set[str] = set()
    found = []
    for each in _sentences(text):
        found.append((each, each not in seen and _states(each)))
        seen.add(each)
    return found if len(found) > 1 and any(states for _, states in found) else whole


def keys(key: bytes, count: int) -> list[bytes]:
    """Return the keys of a text and its statements; they share a prefix, so that each leads to the text."""
    size = KEY - NAME
    rest = int.from_bytes(key[NAME:KEY], "big")
    return [key[:NAME] + ((rest + number) % (1 << 8 * size)).to_bytes(size, "big") for number in range(count)]


def _states(sentence: str) -> bool:
    if sentence.endswith(("?", "？")):
        return False
    words = sum(word[:1].isalpha() for word in sentence.split())
    return words >= _LEAST or any(char in _FULL_STOPS for char in sentence[-1:])


def _sentences(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        begin = 0
        for at, char in enumerate(line):
            if char in _FULL_STOPS or (char in _ENDS and line[at + 1 : at + 2].isspace()):
                yield line[begin : at + 1].strip()
                begin = at + 1
        if line[begin:].strip():
            yield line[begin:].strip()
