"""How people speak in sessions: the patterns and words of `speech.txt`, by section name."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from memolith.text.patterns import lazy

_NAME = re.compile(r"\{([a-z]+)\}")


@cache
def patterns(name: str) -> list[re.Pattern[str]]:
    """Return the patterns of a section, one per row; {name} in a row stands for that section's row."""
    return [lazy(_NAME.sub(lambda found: _table()[found[1]][0], row)) for row in _table()[name]]


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return the only pattern of a section."""
    (found,) = patterns(name)
    return found


def words(name: str) -> list[str]:
    """Return the words of a section."""
    return " ".join(_table()[name]).split()


@cache
def _table() -> dict[str, list[str]]:
    text = Path(__file__).with_name("speech.txt").read_text(encoding="utf-8").replace("\n    ", "")
    sections: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in text.split("\n"):
        if line.startswith("= "):
            rows = sections[line[2:]] = []
        elif line and not line.startswith("# "):
            rows.append(line)
    return sections
