"""Which files a text names: by their path, the end of it, or in words (`the invoice export`)."""

from __future__ import annotations

from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_IN_PATH = "._-/@~%+"
_LEAST = 6  # letters of a name that is no path
_WORDS = 4  # of a name
_LONG = 4_000  # characters of a text that are looked at


class Named:
    """The files that a text may name, to be compared with those that are known."""

    def __init__(self, text: str) -> None:
        text = text[:_LONG]
        chunks = _runs(text.casefold(), lambda char: char.isalnum() or char in _IN_PATH)
        # A script without spaces goes on right behind a path.
        forms = [
            *chunks,
            *(form for chunk in chunks if not chunk.isascii() for form in _runs(chunk, str.isascii)),
        ]
        bare = {form.lstrip("@~").removeprefix("./").rstrip("./-") for form in forms}
        self._paths = {each for each in bare if "." in each or "/" in each}
        words = _runs(text, str.isalnum)
        names: dict[str, str] = {}  # each with a part that stands in the name of its file
        for at, word in enumerate(words):
            for size in range(1, _WORDS + 1):
                said = words[at : at + size]
                # One word names a file only if it is written as one: `InvoiceExport`.
                if (size > 1 or not word[1:].islower()) and terms.STOP.isdisjoint(map(str.lower, said)):
                    names["".join(said).casefold()] = max(said, key=len).casefold() if size > 1 else ""
        names = {name: part for name, part in names.items() if len(name) >= _LEAST and not name.isdigit()}
        self._names, self._parts = frozenset(names), frozenset(names.values())

    def __bool__(self) -> bool:
        return bool(self._paths or self._names)

    def paths(self, known: str) -> Iterator[str]:
        """Yield those of the known files, one in a line, whose path or the end of it stands in the text."""
        for path in self._paths:
            if path.rpartition("/")[2] in known:
                yield from (
                    each
                    for each in known.split("\n")
                    if each == path or each.endswith(f"/{path}") or path.endswith(f"/{each}")
                )

    def among(self, known: str) -> Iterator[str]:
        """Yield those of the known files, one in a line, that the text names by path or in words."""
        yield from self.paths(known)
        for each in known.split("\n") if any(part in known for part in self._parts) else ():
            stem = each.rpartition("/")[2].partition(".")[0]
            if "".join(filter(str.isalnum, stem)) in self._names:
                yield each


def _runs(text: str, is_in: Callable[[str], bool]) -> list[str]:
    """Return the runs of some characters in a text."""
    return "".join(char if is_in(char) else " " for char in text).split()
