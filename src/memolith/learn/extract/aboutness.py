"""The words of a text that name something, as opposed to those that only report, connect or hedge."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memolith.learn.extract import speech
from memolith.text.patterns import lazy
from memolith.text.words.terms import STOP, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK = lazy(r"[^\s\"'`()\[\]{}<>,;|*“”„「」（），。、：；！？]+(?:'[a-z]+)?")
_DENSE_RUN = lazy(r"([\u2e80-\uff00\U00020000-\U0003ffff]+)")
_AROUND = ".,:!?…-—–/"
# A digit, or a sign that joins the parts of a name, path or address.
_SPECIFIC = lazy(r"[0-9]|[/\\_@=:#]|\w\.\w|^--?\w|[a-z][A-Z]|\+\+")


def naming(text: str) -> set[str]:
    """Return all words, numbers and names in a text that name something."""
    return {*_specifics(text), *_terms(text), *_pairs(text)}


def is_plain(word: str) -> bool:
    """Whether a word only reports, connects or hedges, and names nothing."""
    folded = word.casefold()
    return len(folded) < 2 or folded in _plain() or stem(folded) in _plain()


@cache
def _plain() -> frozenset[str]:
    listed = [*speech.words("plain"), *STOP]
    return frozenset([*listed, *(stem(word) for word in listed if word.isascii())])


def _chunks(text: str) -> Iterator[str]:
    if not text.isascii():
        text = _DENSE_RUN.sub(r" \1 ", text)  # 端口3100: a word and a number
    for chunk in _CHUNK.findall(text):
        bare = chunk.rstrip(_AROUND).lstrip(",:!?…—–")
        bare = bare if bare[1:2].isalnum() else bare.lstrip(".")  # `.cache` is a name
        if bare:
            yield bare


def _specifics(text: str) -> Iterator[str]:
    for chunk in _chunks(text):
        if _SPECIFIC.search(chunk) and any(map(str.isalnum, chunk)) and not _is_dense(chunk):
            yield chunk.casefold()


def _terms(text: str) -> Iterator[str]:
    for chunk in _chunks(text):
        for part in chunk.replace("/", "-").replace("_", "-").replace(".", "-").split("-"):
            bare = part.partition("'")[0] if part[-2:].casefold() in ("'s", "'d") else part
            if bare.isalpha() and not _is_dense(bare) and not is_plain(bare):
                yield stem(bare.casefold())


def _pairs(text: str) -> Iterator[str]:
    before = ""
    for char in text:
        if char >= "\u2e80" and char.isalnum():
            if before:
                yield before + char
            before = char
        else:
            before = ""


def _is_dense(chunk: str) -> bool:
    return any(char >= "\u2e80" and char.isalnum() for char in chunk)
