"""Porter's stemmer (1980): English words that differ only in their ending become the same term.

Applied to lower-case ASCII words only. A word of another language in the same letters is cut in the same
way in the text and in the query, so it is still found.
"""

from __future__ import annotations

from itertools import pairwise

_VOWELS = frozenset("aeiou")


def _by_last(rules: str) -> dict[str, list[tuple[str, str]]]:
    """Return rules, `ending:instead`, by the last letter of their ending."""
    found: dict[str, list[tuple[str, str]]] = {}
    for rule in rules.split():
        ending, _, instead = rule.partition(":")
        found.setdefault(ending[-1], []).append((ending, instead))
    return found


# Each step: endings, longest first where they overlap, and what replaces them if enough of a stem is left.
_STEP2 = _by_last(
    "ational:ate ization:ize iveness:ive fulness:ful ousness:ous tional:tion biliti:ble entli:ent ousli:ous"
    " ation:ate alism:al aliti:al iviti:ive enci:ence anci:ance izer:ize alli:al ator:ate logi:log"
    " bli:ble eli:e"
)
_STEP3 = _by_last("icate:ic ative: alize:al iciti:ic ical:ic ness: ful:")
_STEP4 = _by_last("ement ance ence able ible ment ant ent ion ism ate iti ous ive ize al er ic ou")


def stem(word: str) -> str:
    """Return the stem of a lower-case ASCII word."""
    if len(word) < 3:
        return word
    word = _plural(word)
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for step in (_STEP2, _STEP3):
        for ending, instead in step.get(word[-1], ()):
            if word.endswith(ending):
                bare = word[: -len(ending)]
                word = bare + instead if _measure(bare) > 0 else word
                break
    return _last(_long_ending(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    bare = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not bare or not _has_vowel(bare):
        return word
    if bare.endswith(("at", "bl", "iz")):
        return bare + "e"
    if _doubled(bare) and bare[-1] not in "lsz":
        return bare[:-1]
    return bare + "e" if _measure(bare) == 1 and _is_short(bare) else bare


def _long_ending(word: str) -> str:
    for ending, _ in _STEP4.get(word[-1], ()):
        if word.endswith(ending):
            bare = word[: -len(ending)]
            fits = ending != "ion" or bare.endswith(("s", "t"))
            return bare if fits and _measure(bare) > 1 else word
    return word


def _last(word: str) -> str:
    if word[-1] == "e":
        bare = word[:-1]
        size = _measure(bare)
        if size > 1 or (size == 1 and not _is_short(bare)):
            word = bare
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _shape(word: str) -> list[bool]:
    """Return for each letter whether it is a vowel; y is one after a consonant."""
    shape: list[bool] = []
    for letter in word:
        shape.append(letter in _VOWELS or (letter == "y" and bool(shape) and not shape[-1]))
    return shape


def _measure(word: str) -> int:
    """Return how often a vowel is followed by a consonant."""
    shape = _shape(word)
    return sum(before and not after for before, after in pairwise(shape))


def _has_vowel(word: str) -> bool:
    return True in _shape(word)


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and not _shape(word)[-1]


def _is_short(word: str) -> bool:
    """Whether a word ends in consonant, vowel, consonant (not w, x or y)."""
    return len(word) > 2 and _shape(word)[-3:] == [False, True, False] and word[-1] not in "wxy"
