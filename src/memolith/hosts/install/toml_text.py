"""Editing TOML that belongs to somebody else: one table is appended or removed; nothing else changes.

Implements only as much of the grammar as is needed to find the end of a statement. `tomllib` decides
whether a text is TOML, and whether an edit did what it should.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from memolith.hosts.install.json_text import BrokenError

Path = tuple[str, ...]

_LINE = re.compile(r"line (\d+)")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# What can hide a bracket, a hash or a line's end: strings of four kinds, and comments.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|'
    r"'''.*?'{3,5}|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'|#[^\n]*|[\[\]{}]|\n",
    re.DOTALL,
)


def parse(text: str) -> dict[str, Any]:
    """Read TOML; BrokenError names the line."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        raise BrokenError(int(found[1]) if found else 1, str(error)) from None
    except RecursionError:
        raise BrokenError(1, "is nested too deeply") from None


def put(text: str, path: Path, table: dict[str, object]) -> str:
    """Return the text with a new table at its end; BrokenError if it cannot have one."""
    newline = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    lines = [f"[{'.'.join(_key(each) for each in path)}]"]
    lines += [f"{_key(key)} = {_value(value)}" for key, value in table.items()]
    is_blank = not text.strip("\ufeff \t")
    ends = text.endswith("\n") or is_blank
    gap = "" if is_blank else newline if ends else newline * 2
    after = text + gap + newline.join(lines) + (newline if ends else "")
    try:
        parse(after)
    except BrokenError:
        parse(text)
        name = re.compile(rf"^\s*{re.escape(path[0])}\s*=", re.MULTILINE).search(text)
        line = text.count("\n", 0, name.end()) + 1 if name else 1
        what = f"{path[0]} is an inline table, to which nothing can be added; write it as [{path[0]}.NAME]"
        raise BrokenError(line, what) from None
    return after


def cut(text: str, path: Path) -> str:
    """Return the text without the tables at and below a path; comments after their last line stay."""
    pieces: list[str] = []
    statements = _statements(text)
    begin = copied = 0
    while begin < len(statements):
        if not _is_within(text, statements[begin], path):
            begin += 1
            continue
        end = begin + 1
        while end < len(statements) and not text.startswith("[", statements[end][0]):
            end += 1
        start, stop = statements[begin][0], statements[end - 1][1]
        before = text[copied:start].removesuffix("\n").removesuffix("\r") if copied < start else ""
        has_gap = not before or before.endswith("\n") or not before.strip("\ufeff")
        kept = before if has_gap else text[copied:start]
        if text.startswith("\r\n", stop) or text.startswith("\n", stop):
            stop += 2 if text.startswith("\r\n", stop) else 1
        elif kept.endswith("\n"):  # ours was the last line of a text that does not end its last line
            kept = kept.removesuffix("\n").removesuffix("\r")
        pieces.append(kept)
        copied, begin = stop, end
    return "".join(pieces) + text[copied:]


def _statements(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each statement: a header, or a key with its value."""
    parse(text)
    found: list[tuple[int, int]] = []
    position = 1 if text.startswith("\ufeff") else 0
    while position < len(text):
        if text[position] in " \t\r\n":
            position += 1
        elif text[position] == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        else:
            end = _end(text, position)
            found.append((position, end))
            position = end
    return found


def _end(text: str, start: int) -> int:
    """Return the end of the first line on which all brackets and strings are closed."""
    depth = 0
    for piece in _PIECE.finditer(text, start):
        if piece[0] in ("[", "{"):
            depth += 1
        elif piece[0] in ("]", "}"):
            depth -= 1
        elif piece[0] == "\n" and depth <= 0:
            end = piece.start()
            return end - 1 if text[end - 1] == "\r" else end
    return len(text)


def _is_within(text: str, statement: tuple[int, int], path: Path) -> bool:
    """Whether a statement is the header of the table at a path, or of one below it."""
    start, end = statement
    if not text.startswith("[", start):
        return False
    header: Any = parse(text[start:end])
    for key in path:
        if not isinstance(header, dict) or key not in header:
            return False
        header = header[key]
    return True


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: object) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(str(key))} = {_value(each)}" for key, each in value.items())
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return f"[{', '.join(_value(each) for each in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
