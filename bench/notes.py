"""Notes of made-up words with the frequencies of real text (Zipf), with a fixed seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from memolith import Mem

LETTERS = "bcdfghklmnprstvz"


def words(count: int) -> list[str]:
    """Return made-up words, different from each other."""
    vowels = "aeiou"
    found = []
    for number in range(count):
        word = ""
        rest = number + 80
        while rest:
            rest, letter = divmod(rest, len(LETTERS))
            word += LETTERS[letter] + vowels[(number + letter) % 5]
        found.append(word)
    return found


class Text:
    """Sentences whose words are as common and as rare as those of a language."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = words(60_000)
        self._weights = [1 / (rank + 2.7) for rank in range(len(self._words))]
        self._pool: list[str] = []
        self._used = 0

    def words(self, count: int) -> list[str]:
        """Return the next words."""
        if len(self._pool) < self._used + count:
            self._pool, self._used = self._random.choices(self._words, self._weights, k=200_000), 0
        self._used += count
        return self._pool[self._used - count : self._used]

    def note(self, number: int) -> str:
        """Return the next note."""
        size = 40 + int(self._random.expovariate(1 / 60))
        body = " ".join(self.words(size))
        return f"---\nname: {' '.join(self.words(4))} {number}\n---\n{body}.\n"


def fill(mem: Mem, count: int, text: Text) -> tuple[Path, int]:
    mem.register()
    directory = mem.root / "projects" / mem.project / "notes"
    directory.mkdir(parents=True)
    size = 0
    for number in range(count):
        data = text.note(number).encode()
        (directory / f"note-{number:06}.md").write_bytes(data)
        size += len(data)
    return directory, size
