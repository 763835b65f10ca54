"""Is a statement about what was said? Decided by counting words, names and numbers, not by guessing meaning.

Everything in a statement that could be true or false must appear in the quotes or next to them: every number
and path, and every other word unless it only reports or connects. Strict on purpose: a dropped fact can be
learned another day, an invented one is believed.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from memolith.learn.extract import speech
from memolith.text.patterns import lazy
from memolith.text.words.terms import STOP, stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CHUNK = lazy(r"[^\s\"'`()\[\]{}<>,;|*“”„「」（），。、：；！？]+(?:'[a-z]+)?")
_DENSE_RUN = lazy(r"([\u2e80-\uff00\U00020000-\U0003ffff]+)")
_AROUND = ".,:!?…-—–/"
# A digit, or a sign that joins the parts of a name, path or address: must appear verbatim.
_SPECIFIC = lazy(r"[0-9]|[/\\_@=:#]|\w\.\w|^--?\w|[a-z][A-Z]|\+\+")
_COUNTED = "two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split(), 2)}
_NUMBER = lazy(r"^[0-9]+(?:\.[0-9]+)*$")
_THOUSANDS = lazy(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_CLAUSE = lazy(
    r"\n|[,;:.!?—–。、，；](?=\s|$)|[。、，；]|\b(?:but|and then|because|since|so that|weil|mais|pero)\b"
)
_CLAUSES = lazy(r"\n|[,;.!?—–](?=\s|$)|[。、，；]|\b(?:and|but|while|or|und|aber|et|mais|y|pero)\b")
_NEGATION = frozenset(speech.words("negation"))
# Phrases with a negation that deny nothing.
_HARMLESS = lazy(
    r"(?i)\b(?:(?:do not|don't|dont|never) forget|not only|no doubt|no problem|no wait|why not|if not"
    r"|or not)\b"
)
_COMPARES = lazy(r"(?i)\b(?:prefer|favou?r|choose|chose|chosen|pick|like)")
_DENSE_NEGATION = ("不", "别", "没", "勿", "ない", "ません", "しないで", "ずに", "禁止")
_LEAST_QUOTED = 0.34
_LEAST_PAIRS = 0.6
_PREFIX = 5


def term(word: str) -> str:
    """Return the form in which words are compared: the stem, with abbreviations and long forms unified."""
    folded = word.casefold()
    found = _stem(folded) if folded.isascii() and folded.isalpha() else folded
    return _one_name().get(found, found)


def is_plain(word: str) -> bool:
    """Whether a word only reports, connects or hedges, and names nothing."""
    folded = word.casefold()
    return len(folded) < 2 or folded in _plain() or term(folded) in _plain()


def explains(word: str) -> bool:
    """Whether a term explains rather than claims."""
    return word in _explaining()


@cache
def _plain() -> frozenset[str]:
    listed = [*speech.words("plain"), *STOP]
    return frozenset([*listed, *(_stem(word) for word in listed if word.isascii())])


@cache
def _explaining() -> frozenset[str]:
    return frozenset(map(_stem, speech.words("explaining")))


@cache
def _one_name() -> dict[str, str]:
    return {_stem(short): _stem(long) for short, long in speech.pairs("stand-ins")}


def _stem(word: str) -> str:
    """Return the stem of an English word: `deploy` and `deployment` share one."""
    found = stem(word)
    return f"{found[:-1]}y" if found.endswith("i") else found


class Words:
    """The words and names of a text, computed once for many lookups."""

    def __init__(self, text: str) -> None:
        self.text = _THOUSANDS.sub("", text).casefold()
        self.raw = text

    @cached_property
    def terms(self) -> frozenset[str]:
        """The stems of the words."""
        return frozenset(_terms(self.raw))

    @cached_property
    def specifics(self) -> frozenset[str]:
        """Numbers, paths, and names that contain signs."""
        return frozenset(_specifics(self.raw))

    @cached_property
    def pairs(self) -> frozenset[str]:
        """Pairs of adjacent characters in scripts without spaces."""
        return frozenset(_pairs(self.raw))

    @cached_property
    def clauses(self) -> list[Words]:
        """The parts of the text that say one thing each."""
        return [Words(part) for part in _CLAUSES.split(self.raw) if part]

    def has_word(self, word: str) -> bool:
        """Whether the text has this stem, or one with the same beginning: `config`, `configuration`."""
        if word in self.terms:
            return True
        return len(word) >= _PREFIX and any(
            len(each) >= _PREFIX and (each.startswith(word) or word.startswith(each)) for each in self.terms
        )

    def has_specific(self, name: str) -> bool:
        """Whether the text has this number, path or name verbatim."""
        number = _NUMBER.match(name)
        behind = r"(?![0-9]|\.[0-9])" if number else r"(?!\w)"
        found = re.search(rf"(?a)(?<![\w.]){re.escape(name)}{behind}", self.text)
        return bool(found) or any(_NUMBERS.get(each) == name for each in self.terms)


def naming(text: str) -> set[str]:
    """Return all words, numbers and names in a text that name something."""
    return {*_specifics(text), *_terms(text), *_pairs(text)}


def strange(text: str, said: Words) -> list[str]:
    """Return what a text names although nobody said it."""
    found = [name for name in _specifics(text) if not said.has_specific(name)]
    found += [word for word in _terms(text) if not said.has_word(word)]
    pairs = list(_pairs(text))
    missing = [pair for pair in pairs if pair not in said.pairs]
    return found + (missing if len(missing) > len(pairs) * (1 - _LEAST_PAIRS) else [])


def is_about(statement: str, quoted: Words, around: Words) -> bool:
    """Whether a statement is about its quotes, with words from them or from their surroundings."""
    unsaid = set(strange(statement, around))
    names, words = set(_specifics(statement)), set(_terms(statement))
    if any(not explains(word) for word in unsaid) or len(unsaid) * 2 > len(names | words):
        return False
    beside = {name for name in names if not quoted.has_specific(name)}
    if _swapped(beside, names, quoted) or _misplaced(names, words, quoted) or _replaced(names, words, quoted):
        return False
    pairs = list(_pairs(statement))
    in_quotes = (len(names) - len(beside)) + sum(1 for word in words - unsaid if quoted.has_word(word))
    in_quotes += sum(1 for pair in pairs if pair in quoted.pairs)
    total = len(names) + len(words - unsaid) + len(pairs)
    return total > 0 and in_quotes >= total * _LEAST_QUOTED


def reverses(statement: str, quotes: Sequence[str]) -> bool:
    """Whether a statement affirms what its quotes deny, or vice versa."""
    plus, minus = _polarity(statement)
    said_plus, said_minus = _polarity("\n".join(quotes))
    words = plus | minus
    said = said_plus | said_minus
    for one, other in ((term(one), term(other)) for one, other in speech.pairs("opposites")):
        for here, there in ((one, other), (other, one)):
            if here in words and there not in words and there in said and here not in said:
                return True
    if _dense(statement) and any(map(_dense, quotes)):
        return any(map(_denies, quotes)) != _denies(statement)
    denied, affirmed = said_minus - said_plus, said_plus - said_minus
    if len(plus & denied) * 2 > len(plus):
        return True
    return len(minus & affirmed) * 2 > len(minus) and not minus & said_minus


def _swapped(beside: set[str], names: set[str], quoted: Words) -> bool:
    """Whether the quotes give a different value of the same kind than the statement."""
    unused = {_shape(name) for name in quoted.specifics - names}
    return any(_shape(name) in unused for name in beside)


def _misplaced(names: set[str], words: set[str], quoted: Words) -> bool:
    """Whether the quotes pair the value with another thing: `staging is 1 and prod is 2`, not `prod is 1`."""
    for name in names:
        rivals = {each for each in quoted.specifics if _shape(each) == _shape(name)}
        if name not in rivals or len(rivals) < 2 or rivals & names != {name}:
            continue
        score = dict.fromkeys(rivals, 0)
        for clause in quoted.clauses:
            for each in clause.specifics & rivals:
                score[each] = max(score[each], sum(1 for word in words if clause.has_word(word)))
        if max(score.values()) > score[name]:
            return True
    return False


def _replaced(names: set[str], words: set[str], quoted: Words) -> bool:
    """Whether the statement swaps a word of its quotes for one from their surroundings.

    The surroundings may supply `ledger uses nomad`, but not if the quote is `ledger uses bazel`: a statement
    that uses a clause but not one of its words has put another word in that place.
    """
    if all(explains(word) or quoted.has_word(word) for word in words):
        return False
    ours = Words(" ".join(words))
    for clause in quoted.clauses:
        used = {word for word in clause.terms if ours.has_word(word)}
        unused = {word for word in clause.terms - used if not explains(word)}
        if unused and (used or clause.specifics & names):
            return True
    return False


def _shape(name: str) -> str:
    if _NUMBER.match(name):
        return "number"
    return "path" if "/" in name or "\\" in name else "name"


def _chunks(text: str) -> Iterator[str]:
    if not text.isascii():
        text = _DENSE_RUN.sub(r" \1 ", text)  # 端口3100: a word and a number
    for chunk in _CHUNK.findall(_THOUSANDS.sub("", text)):
        bare = chunk.rstrip(_AROUND).lstrip(",:!?…—–")
        bare = bare if bare[1:2].isalnum() else bare.lstrip(".")  # `.cache` is a name
        if bare:
            yield bare


def _specifics(text: str) -> Iterator[str]:
    for chunk in _chunks(text):
        if _SPECIFIC.search(chunk) and any(map(str.isalnum, chunk)) and not _is_dense(chunk):
            yield chunk.casefold()
        elif chunk.casefold() in _NUMBERS:
            yield _NUMBERS[chunk.casefold()]


def _terms(text: str) -> Iterator[str]:
    for word in _words(text):
        if not is_plain(word):
            yield term(word)


def _words(text: str) -> Iterator[str]:
    for chunk in _chunks(text):
        if _is_dense(chunk):
            continue
        # A name with signs is looked up verbatim; in the session's text its parts also count as words.
        for part in chunk.replace("/", "-").replace("_", "-").replace(".", "-").split("-"):
            bare = part.partition("'")[0] if part[-2:].casefold() in ("'s", "'d") else part
            if bare.isalpha() and bare.casefold() not in _NUMBERS and bare.casefold() not in _NEGATION:
                yield bare


def _polarity(text: str) -> tuple[set[str], set[str]]:
    """Return the words that a text affirms, and the words that it denies."""
    plus: set[str] = set()
    minus: set[str] = set()
    for clause in _CLAUSE.split(_HARMLESS.sub(" ", text.replace("’", "'"))):
        said: list[list[str]] = [[]]
        for chunk in _chunks(clause or ""):
            if chunk.casefold() in _NEGATION or (chunk.casefold() == "over" and _COMPARES.search(clause)):
                said.append([])
            elif _SPECIFIC.search(chunk):
                said[-1].append(chunk.casefold())  # a path counts as one word
            else:
                said[-1] += [term(word) for word in _words(chunk) if not is_plain(word)]
        plus.update(said[0])
        # Denied twice is affirmed: "does not work without".
        target = minus if len(said) == 2 else plus
        for words in said[1:]:
            target.update(words)
    return plus, minus


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


def _dense(text: str) -> bool:
    return sum(1 for char in text if char >= "\u2e80") * 3 > len(text)


def _denies(text: str) -> bool:
    return any(mark in text for mark in _DENSE_NEGATION)
