"""Text as the terms it is found by, for every language, in the document and in the query alike.

Words are folded (case, accents, vowel marks of Arabic and Hebrew, full width) and stemmed if they could be
English. Scripts that are written without spaces, and Hangul, become pairs of characters. An identifier is
found by its whole, its parts and neighbouring parts: `getUserById`, `gen-itgc`, `foo.bar()`, `v1.2.3`, `c++`.
"""

from __future__ import annotations

from itertools import pairwise

from memolith.base.lean import lru_cache
from memolith.text.patterns import sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

MAX_TERM = 64
EXTRA = 0.4  # of a word's weight, for what an identifier is found by beside its words
_TABLE = sections("words/terms.txt")
# English words that say nothing by themselves; a query of nothing else still finds them.
STOP = frozenset(_TABLE["stop"])
FUNCTION = frozenset(_TABLE["function"])
# What stands between the parts of one identifier.
_JOINERS = frozenset("-_./:@+#\\&~=,")
_MOST_PARTS = 12
# What may stand around a word without being part of it.
_AROUND = ".,;:!?\"'()[]*`"
# Endings after an apostrophe that are no words.
_CLIPPED = frozenset(["s", "t", "re", "ve", "ll", "d", "m"])
# Ranges of characters: of scripts without spaces, and those that people leave out.
_DENSE, _MARKS = (
    [(int(first, 16), int(last, 16)) for first, last in (each.split("-") for each in _TABLE[name])]
    for name in ("dense", "marks")
)
# Letters that Unicode does not take apart although people type them without their stroke.
_FOLDED: dict[int, str | None] = {
    **{code: None for first, last in _MARKS for code in range(first, last + 1)},
    **{ord(each): "'" for each in "’‘ʼ＇"},
    **dict(zip(map(ord, "øØđĐłŁıħŧ"), "oOdDlLiht", strict=True)),
    ord("æ"): "ae",
    ord("Æ"): "AE",
    ord("œ"): "oe",
    ord("Œ"): "OE",
    ord("ى"): "ي",
}
_WORD, _DENSE_RUN, _SYMBOL, _OTHER = "word", "dense", "symbol", ""
# Most chunks of a text were seen before, so their terms are looked up.
_memo: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
_MEMO_SIZE = 1 << 17


def count(text: str, weight: int = 1, into: dict[str, int] | None = None) -> tuple[dict[str, int], int]:
    """Return how often each term is in a document, and how many words the document has."""
    counts = {} if into is None else into
    words = 0
    for chunk in text.split():
        base, extra = _memo.get(chunk) or _known(chunk)
        words += len(base)
        for term in base:
            counts[term] = counts.get(term, 0) + weight
        for term in extra:
            counts[term] = counts.get(term, 0) + weight
    return counts, words


def _known(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms of a piece of a document, from the memo if they are there."""
    found = _memo.get(chunk)
    if found is None:
        found = _analyse(chunk, in_query=False)
        if len(chunk) <= MAX_TERM:
            if len(_memo) >= _MEMO_SIZE:
                _memo.clear()
            _memo[chunk] = found
    return found


def among(text: str, wanted: Collection[str]) -> dict[str, set[str]]:
    """Return the pieces of a text that have wanted terms, with the terms of each."""
    return Finder(wanted).within(text.split())


class Finder:
    """Finds terms in texts; each piece is looked at once, as most are in several texts."""

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted = wanted
        # A stem has the letters of its word, except for the last two.
        self._begins = {term[: 3 if len(term) > 4 else 2] for term in wanted}
        self._seen: set[str] = set()
        self._having: dict[str, set[str]] = {}

    def within(self, pieces: Iterable[str]) -> dict[str, set[str]]:
        """Return those of a text's pieces that have the terms, with the terms of each."""
        chunks, begins = set(pieces), self._begins
        new: Iterable[str] = chunks - self._seen
        if "".join(new).isascii():
            # Most are plain words, of which stemming changes only the end. In the order that is cheapest.
            new = [
                word
                for word in new
                if word[:3] in begins or word[:2] in begins or not (word.islower() and word.isalpha())
            ]
        for chunk in new:
            is_plain = chunk.isalpha() and chunk.isascii() and chunk[1:].islower()
            if is_plain and chunk[:3].lower() not in begins and chunk[:2].lower() not in begins:
                continue
            base, extra = _known(chunk)
            has = {term for term in (*base, *extra) if term in self._wanted}
            if has:
                self._having[chunk] = has
        self._seen |= chunks
        return {chunk: self._having[chunk] for chunk in chunks.intersection(self._having)}


def of_query(text: str) -> dict[str, float]:
    """Return the terms of a query in its order, with what each says.

    1, more if two of its words have the same stem, less if it is only another form of them, 0 for `the`.
    """
    return dict(_asked(text))


# One question is asked of notes and commands, of sessions, and for its frequencies; its words alone, too.
@lru_cache(maxsize=1024)
def _asked(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for chunk in dict.fromkeys(text.replace("’", "'").split()):
        base, extra = _known(chunk) if chunk.isascii() else _analyse(chunk, in_query=True)
        says = 0.0 if chunk.strip(_AROUND).lower() in STOP else 1.0
        for term in dict.fromkeys(base):
            found[term] = min(found.get(term, 0.0) + says, 2.0)
        for term in extra:
            found[term] = max(found.get(term, 0.0), EXTRA)
    return found


def is_inflected(text: str) -> bool:
    """Whether a text seems to be in a language with more endings than English, written with spaces."""
    words = [fold(chunk).strip(_AROUND) for chunk in text.casefold().split()]
    asks = any(word in FUNCTION and word not in STOP for word in words)
    return asks or any(
        len(word) > 1 and word.isalpha() and not word.isascii() and not is_dense(word) for word in words
    )


def _analyse(chunk: str, *, in_query: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms of a piece of text without spaces: its words, and others that it is found by."""
    plain = chunk.strip(_AROUND)
    if plain.isalpha() and plain.isascii() and (plain.islower() or plain[1:].islower()):
        return (_term(plain),), ()
    base: list[str] = []
    extra: list[str] = []
    parts: list[str] = []  # of the identifier that is being read
    between = ""
    for kind, run in _runs(fold(chunk)):
        if kind == _OTHER:
            if run[0] in "+#" and parts and set(run) <= {"+", "#"}:
                extra.append(parts[-1].lower() + run[:2])  # c++, c#
            if run == "'" or (len(run) <= 2 and set(run) <= _JOINERS):
                between = run
                continue
            extra += _compounds(parts)
            parts, between = [], ""
        elif kind == _WORD:
            if between == "'" and run.lower() in _CLIPPED:
                continue
            if between == "'":
                parts = []
            base.append(_term(run))
            extra += _camel(run)
            # Without its dot a number or a version would be another one.
            is_number = between == "." and bool(parts) and parts[-1][-1].isdigit() and run[0].isdigit()
            parts.append(f"{between}{run}" if is_number else run)
            between = ""
        else:
            extra += _compounds(parts)
            parts, between = [], ""
            base += _pairs(run) if kind == _DENSE_RUN else run
            if kind == _DENSE_RUN and not in_query and len(run) > 1:
                extra += [char for char in run if char >= "\u3000"]
    extra += _compounds(parts)
    return tuple(base), tuple(extra)


def fold(text: str) -> str:
    """Return text without what people leave out when they type; case stays."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", normalize("NFKD", text).translate(_FOLDED))


def is_dense(char: str) -> bool:
    """Whether a character belongs to a script that is written without spaces, or to Hangul."""
    return char >= "\u0e00" and any(first <= ord(char[0]) <= last for first, last in _DENSE)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """Split into runs: letters and digits, characters written without spaces, symbols, the rest."""
    begin, before = 0, None
    for at, char in enumerate(text):
        kind = _kind(char, before)
        if kind != before:
            if before is not None:
                yield before, text[begin:at]
            begin, before = at, kind
    if before is not None:
        yield before, text[begin:]


def _kind(char: str, before: str | None) -> str:
    if char.isascii():
        return _WORD if char.isalnum() else _OTHER
    if is_dense(char):
        return _DENSE_RUN
    if char.isalnum():
        return _WORD
    from unicodedata import category

    general = category(char)
    if general[0] == "M":  # the vowel signs of Indic scripts are marks
        return before if before in (_WORD, _DENSE_RUN) else _OTHER
    return _SYMBOL if general == "So" else _OTHER


@lru_cache(maxsize=1 << 16)
def _term(word: str) -> str:
    word = word.casefold()
    if word.isascii() and word.isalpha() and len(word) <= 40:
        return stem(word)
    return word[:MAX_TERM]


def _pairs(run: str) -> Iterable[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _camel(word: str) -> list[str]:
    """Return the parts of a word with capitals inside it."""
    if word.islower() or word.isupper() or word[1:].islower() or not word.isascii() or len(word) > MAX_TERM:
        return []
    cuts = [0]
    for at in range(1, len(word)):
        here, before = word[at], word[at - 1]
        starts = here.isupper() and (not before.isupper() or word[at + 1 : at + 2].islower())
        if starts:
            cuts.append(at)
    parts = [word[a:b] for a, b in zip(cuts, [*cuts[1:], len(word)], strict=True)]
    if len(parts) < 2:
        return []
    return [_term(part) for part in parts] + (_joined(parts, 2) if len(parts) > 2 else [])


def _compounds(parts: list[str]) -> list[str]:
    if len(parts) < 2:
        return []
    parts = parts[:_MOST_PARTS]
    whole = _joined(parts, len(parts)) if 3 <= len(parts) <= 5 else []
    return _joined(parts, 2) + whole


def _joined(parts: list[str], size: int) -> list[str]:
    return [_term("".join(parts[at : at + size]).lstrip(".")) for at in range(len(parts) - size + 1)]


# Porter's stemmer (1980): English words that differ only in their ending become the same term. A word of
# another language in the same letters is cut in the same way in text and query, so it is still found.
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
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word[-1] == "s" and word[-2] != "s":
        word = word[:-1]
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


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    bare = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not bare or not _has_vowel(bare):
        return word
    if bare.endswith(("at", "bl", "iz")):
        return bare + "e"
    if bare[-2:-1] == bare[-1] and bare[-1] not in "lsz" and not _shape(bare)[-1]:
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


def _is_short(word: str) -> bool:
    """Whether a word ends in consonant, vowel, consonant (not w, x or y)."""
    return len(word) > 2 and _shape(word)[-3:] == [False, True, False] and word[-1] not in "wxy"
