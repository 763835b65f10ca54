"""A sentence as the string of what its words do: `we never use npm here` is `WVU.T`.

What people want to be kept differs in every project, how they say it does not: somebody ("we"), how long
("never"), a verb of habit ("use"), a thing. Each word becomes a letter (`marks.txt` has the words of eight
languages), a name, path, number or quotation becomes `n`, any other word `.`. So patterns over letters read
all these languages alike.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from memolith.base.values import Value
from memolith.learn.extract.speech import pattern
from memolith.text import voice

_TOKEN = re.compile(
    r"https?://\S+|\#\d+\b|[\"“«„「'`]·+[\"”»“」'`]|[^\W\d_]'(?=\w)"
    r"|(?<=\w)-(?:moi|nous|lui|leur|les?|la)\b|[^\W\d_]+(?=-(?:moi|nous|lui|leur|les?|la)\b)"
    r"|[\w@.+~*-]*[/\\_=][\w@./\\_=+~<>:*-]*\w|[\w.-]+/(?=[\s,.;:)]|$)|--?[A-Za-z][\w-]*|\w+(?:\.\w+)+|[^\W\d_]+(?:'[^\W\d_]+)+"
    r"|\w+(?:-\w+)*|[\U0001f600-\U0001f64f\U0001f910-\U0001f9ff]|\.{2,}(?=\w)|->|=>|==|→|[,;:()–—?？!.…、，。：；（）]"
)
_NAME = re.compile(
    r"https?://|.*[/\\_=]|--?[A-Za-z]|\w+\.\w|[a-z]+[A-Z]|[a-z]{2,}\d+$|[A-Z][A-Z0-9]+$|[A-Z]\w*\d|\d+\.\d|\d\d|.·"
)
DENSE = re.compile(r"([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+)")  # scripts without spaces
_UNDOES = ("stop", "avoid", "quit", "no")
_TELLS = ("we", "i", "you", "they", "never", "always")
_LASTS = re.compile(r"[LV]")
# What only describes: nobody of the project speaks, and no other clause follows.
_DESCRIBED = re.compile(r"[^WILV,]{0,6}[LV][^,oDgB]*B?[^,oDgB]?")
# What comes before it is more than an order: "we use …", "prefer …", "every …", "make sure that …".
_SAYS_MORE = re.compile(r"[PpUlbEjoDeZKrHhiBLV]|^[JAO,]*[WI](?![vg])")
_PASSING = str.maketrans("LVoDg", ".....")
_FACES, _SMIRKS = 0x1F600, "😂🤣😉😏😜😝😛🤪🙄😆"  # these are not quite serious
_COARSE = str.maketrans("ezbjqy0134", "WJF..H.IW.")  # what only `lasting.py` tells apart
_LONGEST = 10  # characters of a word in one of them
_SIGNS = {**dict.fromkeys(",;:()–—、，：；（）", ","), **dict.fromkeys(("->", "=>", "==", "→"), "=")}
_SIGNS |= dict.fromkeys(("-moi", "-nous", "-lui", "-leur", "-le", "-la", "-les"), "")  # "réponds-moi"
_SIGNS |= {**dict.fromkeys("?？", "?"), **dict.fromkeys("!.…。", "")}


class Marks(Value):
    """The letters of a sentence, and where the word of each letter begins; `fine` tells more apart."""

    fine: str
    letters: str
    places: list[int]


def read(sentence: str) -> Marks:
    """Return the marks of a sentence whose quotations are blanked out with `·`."""
    sentence = sentence.replace("’", "'")
    tokens = [
        (part, found.start() + offset)
        for found in _TOKEN.finditer(sentence)
        for part, offset in _parts(found[0])
    ]
    folded = [part.casefold() for part, _ in tokens]
    longest, words = _words()
    found: list[tuple[str, int]] = []
    at = 0
    while at < len(tokens):
        sizes = range(min(longest, len(tokens) - at), 0, -1)
        size = next((size for size in sizes if " ".join(folded[at : at + size]) in words), 0)
        if size:
            letters = words[" ".join(folded[at : at + size])]
        else:
            letters = _letter(*tokens[at], tokens[at - 1][0] if at else ".")
        found += [(letter, tokens[at][1]) for letter in letters]
        at += size or 1
    places = [place for _, place in found]
    fine = _own("".join(letter for letter, _ in found), places, sentence)
    return Marks(fine=fine, letters=fine.translate(_COARSE), places=places)


def _own(letters: str, places: list[int], sentence: str) -> str:
    """Return the marks without words that last in a clause about a thing: "write a queue that never blocks".

    A clause with a comma or a main verb behind it belongs to the subject: "jobs that never end are killed".
    """
    for found in pattern("describes").finditer(sentence) if _LASTS.search(letters) else ():
        start = 0 if found["whole"] else max(found.end("clause"), found.end("aim"))
        first = next((at for at, place in enumerate(places) if place >= start), len(places))
        only = _DESCRIBED.fullmatch(letters, first) and not _SAYS_MORE.search(letters, 0, first)
        if found["whole"] or only:
            return letters[:first] + letters[first:].translate(_PASSING)
    return letters


def _letter(token: str, at: int, before: str) -> str:
    if token in _SIGNS:
        return _SIGNS[token]
    if not token.strip("."):
        return ","  # "wait..so" goes on speaking
    if ord(token[0]) >= _FACES:
        return "H" if token in _SMIRKS else "y"
    if token.startswith(("http:", "https:", "#")):
        return "#"
    if token.endswith("ing") and before.casefold() in _UNDOES:
        return "v"  # "stop adding"
    if token.endswith("ed") and before.casefold() in _TELLS:
        return "X"  # "we never changed"
    # A capital within a sentence is a name.
    return "n" if _NAME.match(token) or (at and token[0].isupper() and before not in ".!?:…") else "."


def _parts(token: str) -> list[tuple[str, int]]:
    """Return the words of a token, each with where it begins: more than one in scripts without spaces."""
    if not DENSE.search(token):
        return [(token, 0)]
    parts: list[tuple[str, int]] = []
    at = 0
    for run in DENSE.split(token):
        inside = _dense_parts(run) if DENSE.match(run) else [(run, 0)]
        parts += [(part, at + start) for part, start in inside if part]
        at += len(run)
    return parts


def _dense_parts(run: str) -> list[tuple[str, int]]:
    """Split a text without spaces into the longest words that have a mark, and what is between them."""
    parts: list[tuple[str, int]] = []
    known, start, rest = _dense(), 0, 0
    while start < len(run):
        size = next((size for size in range(_LONGEST, 0, -1) if run[start : start + size] in known), 0)
        if size:
            parts += [(run[rest:start], rest), (run[start : start + size], start)]
            rest = start + size
        start += size or 1
    return [*parts, (run[rest:], rest)]


@cache
def _words() -> tuple[int, dict[str, str]]:
    """Return how many words the longest phrase has, and the letters of each word and phrase."""
    found: dict[str, str] = {}
    letters = ""
    for line in Path(__file__).with_name("marks.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("["):
            letters = line[1:-1]
        elif line and not line.startswith("# "):
            for word in line.split():
                found.setdefault(_spelt(word.split("_")), letters)
    for lead in voice.REMEMBERS:
        found.setdefault(_spelt(lead.replace("’", "'").split()), "Kc")
    return max(word.count(" ") + 1 for word in found), found


def _spelt(tokens: list[str]) -> str:
    parts = [part for token in tokens for part in _TOKEN.findall(token) if token[-1] != "'"]
    return " ".join(parts or tokens)  # `n'`


@cache
def _dense() -> frozenset[str]:
    return frozenset(word for word in _words()[1] if DENSE.match(word))
