"""Regular expressions that are compiled when they are first used, and the tables of words beside the code.

Compiling costs more than most uses of a module are worth: the scanner's patterns together take tens of
milliseconds, and a write whose text has no candidate needs few of them.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that compiles itself on its first use. ASCII: `\\w` is no Chinese character."""
    return _Lazy(pattern, flags)  # type: ignore[return-value]


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        import re

        pattern, flags = self._source
        compiled = re.compile(pattern, flags | re.ASCII)
        # Found without this method from now on.
        for method in ("match", "fullmatch", "search", "finditer", "findall", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lines(path: str) -> list[str]:
    """Return the lines of a table in this room (`secrets/names.txt`), without its comments."""
    with open(os.path.join(os.path.dirname(__file__), path), encoding="utf-8") as file:
        return [line for line in file.read().split("\n") if line and not line.startswith("# ")]


def sections(path: str) -> dict[str, list[str]]:
    """Return the words below each `[heading]` of a table."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in lines(path):
        if line[0] == "[" and line[-1] == "]":
            words = found[line[1:-1]] = []
        else:
            words += line.split()
    return found
