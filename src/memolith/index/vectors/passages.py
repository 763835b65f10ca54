"""What a short text says, sentence by sentence.

A message is seldom about one thing: what is asked for later was often said in passing, and the vector of the
whole message hardly shows it. So a short text has a vector for each of its statements too, and is as near to
a question as the nearest of them. (A question in it is near to other questions, and answers none.) A document
has a topic, which its whole carries better than any sentence.
"""

from __future__ import annotations

from memolith.index.vectors.packs import KEY, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = 600  # characters; a longer text is a document
_LEAST = 4  # words; fewer say nothing by themselves ("Sounds great!")
_ENDS = frozenset(".?!")
_FULL_STOPS = frozenset("。！？")  # no space follows them


def of(key: bytes, text: str) -> list[tuple[bytes, str]]:
    """Return keys and texts of the statements of a short text, none if it is but one sentence.

    Their keys begin like that of the whole, so that whoever finds a sentence knows where it stands.
    """
    if len(text) > SHORT:
        return []
    found = [each for each in _sentences(text) if _states(each)]
    if found in ([], [text.strip()]):
        return []
    rest = int.from_bytes(key[NAME:KEY], "big")
    size = KEY - NAME
    return [
        (key[:NAME] + ((rest + number) % (1 << 8 * size)).to_bytes(size, "big"), each)
        for number, each in enumerate(dict.fromkeys(found), 1)
    ]


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
