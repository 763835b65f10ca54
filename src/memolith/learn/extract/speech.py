"""How people speak in sessions: the patterns and words of `speech.txt`, by section name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memolith.text.patterns import lazy

if TYPE_CHECKING:
    import re


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a section."""
    return lazy(_table()[name][0])


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
