"""How literal search takes a query apart, and which lines of a text match it."""

from __future__ import annotations

from memolith.base.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

CONTEXT_LINES = 3
MAX_WITHIN = MAX_CONTEXT = 100  # lines
_SHORT = 2  # letters of a word that stands in many others ("on" in "decisions")


def typed(query: str) -> list[str]:
    """Return the terms of a query: its words, and what stands in double quotes as one."""
    terms: list[str] = []
    quoted: list[str] = []
    for word in query.split():
        if not quoted and not word.startswith('"'):
            terms.append(word)
            continue
        quoted.append(word)
        phrase = " ".join(quoted)
        if word.endswith('"') and len(phrase) > 1:
            terms.append(phrase[1:-1].strip() or phrase)
            quoted = []
    return terms + quoted  # a mark that nothing closes is a sign like any other


class Match:
    """How a file must match, and how much of it is shown.

    `within` so many lines there must be all the words (1: on one line); without it, any word is enough. A
    `loose` match ignores what stands between letters: `session-cache` is in `session cache`, too. `context`
    is the number of lines around a match.
    """

    __slots__ = ("context", "loose", "phrase", "several", "within")

    def __init__(
        self, within: int | None = None, context: int = CONTEXT_LINES, *, loose: bool = False
    ) -> None:
        if within is not None and not 1 <= within <= MAX_WITHIN:
            raise InputError(f"within = {within} is not allowed; give 1 to {MAX_WITHIN} lines")
        if not 0 <= context <= MAX_CONTEXT:
            raise InputError(f"context = {context} is not allowed; give 0 to {MAX_CONTEXT} lines")
        self.within, self.context, self.loose = within, context, loose
        self.several, self.phrase = False, ""  # whether there are several terms, and all of them as typed

    def has(self, term: str, folded: str) -> bool:
        """Whether a text contains a term; among several, one of two letters must be a word of it."""
        if term not in folded:
            return False
        # Scripts without capital letters may write without spaces, too.
        if len(term) > _SHORT or self.loose or not self.several or not term.isalpha() or term == term.upper():
            return True
        return f" {term} " in f" {''.join(char if char.isalnum() else ' ' for char in folded)} "

    def fold(self, text: str) -> str:
        """Return a text as it is compared."""
        text = text.casefold()
        return "".join(char for char in text if char.isalnum() or char == "\n") if self.loose else text

    def nearness(self, folded: str, lines: dict[int, list[str]], terms: Collection[str]) -> dict[int, int]:
        """Return for each of these lines: 2 with the whole query, 1 with all its terms, else 0."""
        if not self.several:
            return dict.fromkeys(lines, 0)
        rows = folded.split("\n")
        whole = len(terms)
        return {at: 2 if self.phrase in rows[at] else int(len(has) == whole) for at, has in lines.items()}

    def lines(self, folded: str, found: Collection[str], terms: Collection[str]) -> dict[int, list[str]]:
        """Return the lines that match, with the terms of each; only those `found` are in the text at all."""
        rows = enumerate(folded.split("\n") if found else ())
        present = {
            number: has for number, row in rows if (has := [key for key in found if self.has(key, row)])
        }
        if self.within is None:
            return present
        together: set[int] = set()
        for first in present if len(found) == len(terms) else ():
            near = [number for number in range(first, first + self.within) if number in present]
            if len({term for number in near for term in present[number]}) == len(terms):
                together.update(near)
        return {number: present[number] for number in sorted(together)}
