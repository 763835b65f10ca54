r"""Rules as tables of text, so that a person can read them: one row per phrase, a heading per rule.

In a row `(a|b)` is a choice, `{NAME}` stands for a list that was given a name, and `~3` for at most three
words in between. An indented line goes on with the row above it.
"""

from __future__ import annotations


def rows(table: str) -> list[tuple[str, str]]:
    """Return the rows of a table, each with the heading (`# …`) it stands under."""
    found: list[tuple[str, str]] = []
    heading = ""
    for line in table.strip("\n").split("\n"):
        if line.startswith("# "):
            heading = line[2:]
        elif line.startswith("    "):
            # A list is broken behind a slash or an arrow, a pattern anywhere.
            gap = " " if found[-1][1].endswith(("/", "->")) else ""
            found[-1] = heading, found[-1][1] + gap + line[4:]
        else:
            found.append((heading, line))
    return found


def names(table: str) -> dict[str, str]:
    """Return what the names of a table (`NAME = …`) stand for."""
    return {name: value for name, _, value in (row.partition(" = ") for _, row in rows(table))}


def classes(table: str) -> dict[str, frozenset[str]]:
    """Return the classes of a table (`NAME = words …`), each a set of words."""
    found: dict[str, frozenset[str]] = {}
    for line in table.replace("\n    ", " ").strip("\n").split("\n"):
        name, _, words = line.partition(" =")
        found[name] = listed(words)
    return found


def spelled(pattern: str, known: dict[str, str]) -> str:
    """Return a row's pattern as a regular expression, its groups uncaptured."""
    for name, value in known.items():
        pattern = pattern.replace(f"{{{name}}}", value)
    return pattern.replace("(", "(?:").replace("(?:?", "(?").replace("\\(?:", "\\(")


def listed(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())
