"""What an editor, `cat -n` or `grep -n` writes before each line: a number and a sign, maybe the file's name.

It is not part of the text. A name and the value below it, or two lines of a key, are neighbours without it.
"""

from __future__ import annotations

from bisect import bisect_right

from memolith.text.patterns import lazy

_MARGIN = lazy(r"(?m)^([^\s:→|]{1,120}?[:-])?[ \t]{0,8}(\d{1,7})(?:→|\t| ?[:│|-])")


class Bare:
    """A text without its numbers, and where each part of it was."""

    def __init__(self, text: str) -> None:
        self._points, self._shifts = [0], [0]
        pieces, at = [], 0
        for start, end in _numbered(text):
            pieces.append(text[at:start])
            at = end
            self._shifts.append(self._shifts[-1] + end - start)
            self._points.append(end - self._shifts[-1])
        self.text = "".join([*pieces, text[at:]]) if at else text

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the text that was given a part of the bare one is."""
        return start + self._shift(start), end + self._shift(end - 1)

    def _shift(self, at: int) -> int:
        return self._shifts[bisect_right(self._points, at) - 1]


def _numbered(text: str) -> list[tuple[int, int]]:
    """Return the margins: two or more that count on, one below the other; an arrow is one by itself."""
    found: list[tuple[int, int]] = []
    where, number, span = "", -1, (0, 0)
    for match in _MARGIN.finditer(text) if "\n" in text or "→" in text else ():
        before, span = span, match.span()
        follows = ((match[1] or "")[:-1], int(match[2]) - 1) == (where, number)
        where, number = (match[1] or "")[:-1], int(match[2])
        if follows and text.find("\n", before[1]) == span[0] - 1:
            found += [before, span] if found[-1:] != [before] else [span]
        elif match[0][-1] == "→":
            found.append(span)
    return found
