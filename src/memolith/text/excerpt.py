"""The part of a text that shows why it was found."""

from __future__ import annotations

from itertools import accumulate

from memolith.text.budget import whole_end
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

WIDTH = 280
_LONG = 20_000  # a longer text is searched this far


def around(
    text: str, wanted: Collection[str], width: int = WIDTH, finder: terms.Finder | None = None
) -> tuple[str, int]:
    """Return the lines that have most of the wanted terms, within about `width`, and how many lines precede.

    A long line is cut at a word, with an ellipsis where something is left out. A `finder` of these terms and
    others, if there are several texts, spares looking at a word in each of them.
    """
    having = (finder or terms.Finder(set(wanted))).within(text[:_LONG].split())
    known = {chunk: told for chunk, has in having.items() if (told := has.intersection(wanted))}
    lines = text[:_LONG].split("\n")
    found = [set().union(*[known[chunk] for chunk in line.split() if chunk in known]) for line in lines]
    best, begin, end = -1, 0, 0
    starts = [at for at, matched in enumerate(found) if matched] or range(len(lines))
    for start in starts:
        if not lines[start].strip():
            continue
        size, stop = 0, start
        seen: set[str] = set()
        while stop < len(lines) and (stop == start or size + len(lines[stop]) <= width):
            seen = seen | found[stop]
            size += len(lines[stop]) + 1
            stop += 1
        if len(seen) > best:
            best, begin, end = len(seen), start, stop
    chosen = "\n".join(lines[begin:end]).strip()
    if len(chosen) > width:
        chosen = _cut(chosen, known, width)
    return chosen, begin


def _cut(line: str, known: Collection[str], width: int) -> str:
    """Return the part of a long line with most of the terms, and what stands around them."""
    words = line.split(" ")
    # Where each word begins; at the end, where the line would go on.
    begins = list(accumulate([len(word) + 1 for word in words], initial=0))
    matching = [number for number, word in enumerate(words) if word in known] or [0]
    most, first, last, at = 0, 0, 0, 0
    for count, number in enumerate(matching, 1):
        while matching[at] < number and begins[number + 1] - begins[matching[at]] > width:
            at += 1
        if count - at > most:
            most, first, last = count - at, matching[at], number
    # A little of what stands before; then what follows; at the end of the line, more of what stands before.
    begin, end, little = first, last + 1, (width - begins[last + 1] + begins[first]) // 4
    while begin and begins[first] - begins[begin - 1] <= little:
        begin -= 1
    while end < len(words) and begins[end + 1] - begins[begin] <= width:
        end += 1
    while begin and begins[end] - begins[begin - 1] <= width:
        begin -= 1
    part = " ".join(words[begin:end])
    is_cut = end < len(words) or len(part) >= width
    return f"{'…' if begin else ''}{part[: whole_end(part, width)]}{'…' if is_cut else ''}"
