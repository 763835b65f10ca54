"""Deeds of the table in `instruction_classes`, where a sentence tells or recommends them."""

from __future__ import annotations

from memolith.text.instruction_classes import BIT, DEEDS, bits
from memolith.text.instruction_table import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.text.instruction_sentences import Sentence

Deed = tuple[str, int, int]

_ENDS = listed("; . ! ? because so unless but until")
_PRONOUNS = listed("it them this that these those")
# How far a thing stands from its verb, and a target from the thing.
_REACH = 9
_FAR = 14


def acts(sentence: Sentence) -> Iterator[Deed]:
    """Find every deed of the table, the first of each rule."""
    if DEEDS.keys().isdisjoint(sentence.set):
        return
    said = sentence.words
    masks = [bits(word) for word in said]
    whole = 0
    for mask in masks:
        whole |= mask
    if not whole:
        return
    done: set[str] = set()
    for at, word in enumerate(said):
        for rule, mood, thing, target, unless in DEEDS.get(word, ()):
            if not thing & whole or target & ~whole or unless & whole or rule in done:
                continue
            place = _thing(said, masks, at, mood, thing)
            if place < 0:
                continue
            end = _target(said, masks, min(at, place), max(at, place), target) if target else place
            if end < 0 or not sentence.orders(at, mood) or sentence.is_harmless(at):
                continue
            done.add(rule)
            yield rule, min(at, place), max(at, place, end)


def _thing(said: list[str], masks: list[int], at: int, mood: str, thing: int) -> int:
    """Return the place of what the verb is about: behind it, or before it for `is sent` and `send it`."""
    if mood == "ed" or (at + 1 < len(said) and said[at + 1] in _PRONOUNS):
        for place in range(at - 1, max(-1, at - 16), -1):
            if masks[place] & thing:
                return place
            if said[place] in {";", "."}:
                break
        if mood == "ed":
            return -1
    for place in range(at + 1, min(at + 1 + _REACH, len(said))):
        if masks[place] & thing:
            return place
        if said[place] in _ENDS:
            break
    return -1


def _target(said: list[str], masks: list[int], low: int, high: int, target: int) -> int:
    for place in range(low + 1, min(high + _FAR, len(said))):
        if said[place] in {";", "."} and place > high:
            break
        if masks[place] & target and place != high:
            return place
    return -1
