"""Deeds of the table in `instruction_classes`, where a sentence tells or recommends them."""

from __future__ import annotations

from memolith.text import instruction_words as words
from memolith.text.instruction_classes import BIT, DEEDS, DISCREET, TELLING, bits
from memolith.text.instruction_table import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.text.instruction_sentences import Sentence

Deed = tuple[str, int, int]

_ENDS = listed("; . ! ? because so unless but until rather instead")
# A direct object does not lie beyond these.
_BREAKS = _ENDS | listed("""
    , : ( when if while which before after whenever where than from in on at into onto to for with via by as
    under during over is are was were – — =
""")
_OTHER = [[word] for word in words.OTHER_HEADS]
_KEYS = listed("key keys code codes token tokens")
_PRONOUNS = (["it"], ["them"], ["both"])
_ARTICLES = listed("the a an our your their its his her all both")
_DENIED = listed("not never don't mustn't shouldn't dont")
_TELLS = listed("does could would might did didn't doesn't can cannot may")
_WITHIN = listed("in into to on for with at from of as")
_HAVE = listed("have has we've they've i've")
# How far a thing stands from its verb, and a target from the thing.
_REACH = 9
_FAR = 14


def acts(sentence: Sentence) -> Iterator[Deed]:
    """Find every deed of the table, the first of each rule."""
    if DEEDS.keys().isdisjoint(sentence.set):
        return
    said = sentence.words
    masks = _masks(said)
    whole = 0
    for mask in masks:
        whole |= mask
    # In a list of steps, what is said of one step does not excuse another.
    steps = said.count(",") > 2
    done: set[str] = set()
    for at, word in enumerate(said):
        for rule, mood, thing, target, unless, loose in DEEDS.get(word, ()):
            if not thing & whole or target & ~whole or rule in done or (unless & whole and not steps):
                continue
            low, high, place = _reach(said, masks, at, mood, (thing, target), _ENDS if loose else _BREAKS)
            if low < 0 or (rule == "weaken" and said[place + 1 : place + 2] in _OTHER):
                continue
            if not sentence.orders(at, mood) or sentence.is_harmless(at):
                continue
            if not (unless & whole and _mentions(said, masks, low, high, unless)):
                done.add(rule)
                yield rule, low, high


def hidden(sentence: Sentence) -> Iterator[Deed]:
    """Find something that is not to be told to those in charge, or not to be written into a record."""
    if TELLING.keys().isdisjoint(sentence.set) or not DISCREET.isdisjoint(sentence.set):
        return
    said = sentence.words
    for at, word in enumerate(said):
        mood = TELLING.get(word)
        near = said[max(0, at - 3) : at]
        if not mood or _DENIED.isdisjoint(near) or not _TELLS.isdisjoint(near) or sentence.is_question:
            continue
        # "Is not shown" describes, "should not be shown" orders.
        ordered = mood == "base" or (mood == "ed" and not words.LEAVES.isdisjoint(said[max(0, at - 4) : at]))
        for place in range(at + 1, min(at + 9, len(said))) if ordered else ():
            if said[place] in _BREAKS - _WITHIN:
                break
            if bits(said[place]) & BIT["PAPER"] and not sentence.is_reported(at):
                yield "concealment", at, place
                return


def _masks(said: list[str]) -> list[int]:
    """Return the classes of each word, by itself or by the word before it: "the API key"."""
    masks = [bits(word) for word in said]
    for at, word in enumerate(said):
        if word in _KEYS and at and said[at - 1] in words.WHOSE:
            masks[at] |= BIT["SECRET"]
        if word.endswith("'s") and word[:-2] in words.PEOPLE:
            masks[at] |= BIT["OTHERS"]
    return masks


def _reach(
    said: list[str], masks: list[int], at: int, mood: str, wanted: tuple[int, int], ends: frozenset[str]
) -> tuple[int, int, int]:
    """Return the first and last word of the deed of the verb at `at`, and the thing; -1 if there is none."""
    thing, target = wanted
    # Words in -ing behind a comma are mostly a list of what there is.
    listing = mood == "ing" and said[at - 1 : at] == [","]
    place = -1 if listing else _thing(said, masks, at, mood, thing, ends)
    if place < 0 or said[place + 1 : place + 2] == ["out"] or said[place - 1] in words.NEEDLESS_KIND:
        return -1, -1, -1
    low, high = min(at, place), max(at, place)
    end = _target(said, masks, low, high, target) if target else high
    return (low, max(high, end), place) if end >= 0 else (-1, -1, -1)


def _thing(said: list[str], masks: list[int], at: int, mood: str, thing: int, ends: frozenset[str]) -> int:
    """Return the place of what the verb is about: behind it, or before it for `is sent` and `send it`."""
    # "Send it to …", but "send them the password".
    meant = said[at + 1 : at + 2] in _PRONOUNS and _ARTICLES.isdisjoint(said[at + 2 : at + 3])
    # "We have always kept …": the thing follows.
    active = (
        mood == "ed"
        and not _HAVE.isdisjoint(said[max(0, at - 3) : at])
        and "been" not in said[max(0, at - 3) : at]
    )
    if (mood == "ed" and not active) or meant:
        for place in range(at - 1, max(-1, at - 16), -1):
            if masks[place] & thing:
                return place
            if said[place] in {";", "."}:
                break
        return -1
    for place in range(at + 1, min(at + 1 + _REACH, len(said))):
        if masks[place] & thing:
            return place
        ends_here = said[place] in ends
        if ends_here or (
            said[place] in {"and", "or"} and said[place + 1 : place + 2] and said[place + 1] in DEEDS
        ):
            break
    return -1


def _mentions(said: list[str], masks: list[int], low: int, high: int, wanted: int) -> bool:
    """Tell whether a word of the class stands in the clause from `low` to `high`."""
    while low and said[low - 1] not in {",", ";", ":"}:
        low -= 1
    while high + 1 < len(said) and said[high + 1] not in {",", ";", ":"}:
        high += 1
    return any(mask & wanted for mask in masks[low : high + 1])


def _target(said: list[str], masks: list[int], low: int, high: int, target: int) -> int:
    for place in range(max(0, low - 1), min(high + _FAR, len(said))):
        if said[place] in {";", "."} and place > high:
            break
        if masks[place] & target and place not in {low, high}:
            return place
    return -1


_INSTEAD = listed("instead place rather lieu for by with to")
_BUILT_OF = listed(
    "package packages install npm pip crate dependency dependencies workflows gem requirements cargo yarn"
)
# Packages that many have; a name that differs in one letter is no other package by chance.
_KNOWN = listed("""
    requests pandas django lodash tensorflow pytorch urllib3 cryptography setuptools colorama openssl selenium
    matplotlib beautifulsoup4 sqlalchemy webpack typescript eslint puppeteer transformers tokenizers opencv
    pyyaml jinja2 fastapi pydantic
""")
_ENDINGS = ("s", "es", "d", "ed", "ing", "r", "er", "ly", "js", "py")


def lookalikes(sentence: Sentence) -> Iterator[Deed]:
    """Find a package that is to be replaced by one whose name looks alike."""
    if _BUILT_OF.isdisjoint(sentence.set):
        return
    said = sentence.words
    names = [at for at, word in enumerate(said[:60]) if len(word) > 4 and word[0].isalpha()]
    for at in names:
        if (
            len(said[at]) > 5
            and said[at] not in _KNOWN
            and any(_alike(said[at], known) for known in _KNOWN)
            and not sentence.is_harmless(at)
        ):
            yield "download-and-run", at, at
            return
    if _INSTEAD.isdisjoint(sentence.set):
        return
    for at in names:
        for other in names:
            near = at < other < at + 9 and not _INSTEAD.isdisjoint(said[at:other])
            if near and _alike(said[at], said[other]) and not sentence.is_harmless(at):
                yield "download-and-run", at, other
                return


def _alike(one: str, two: str) -> bool:
    """Tell whether two names differ in one letter, a sign, or a figure that looks like a letter."""
    one, two = one.partition("@")[0], two.partition("@")[0]
    short, long = sorted((one, two), key=len)
    if (
        one == two
        or len(long) - len(short) > 1
        or (long.startswith(short) and long[len(short) :] in _ENDINGS)
    ):
        return False
    at = 0
    while at < len(short) and short[at] == long[at]:
        at += 1
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return swapped or (short[at + 1 :] if len(short) == len(long) else short[at:]) == long[at + 1 :]
