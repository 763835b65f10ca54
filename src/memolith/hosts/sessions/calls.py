"""What was asked of a tool, in one line: learning reads it as the beginning of the tool's turn."""

from __future__ import annotations

import json
from typing import Any

from memolith.text.secrets.veil import cut, in_one_line

_MAX = 2_000
_COMMANDS = ("command", "cmd", "script")
_PATHS = (
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "notebook_path",
    "filename",
    "dir_path",
    "directory",
)
_QUERIES = ("pattern", "query", "url", "uri", "prompt", "description")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


def call_line(tool: str, given: object) -> str:
    """Return `$ npm test` for a command, the path of what was read, else the tool's name and what it got."""
    if isinstance(given, str):
        given = _decoded(given)
    if isinstance(given, str):
        return _line(_patched(given) or f"{tool} {given}")
    if not isinstance(given, dict):
        return tool
    for key in _COMMANDS:
        if found := _command(given.get(key)):
            return _line(f"$ {found}")
    patch = given.get("input") or given.get("patch")
    if isinstance(patch, str) and (path := _patched(patch)):
        return _line(path)
    queries = [text for key in _QUERIES if isinstance(text := given.get(key), str) and text.strip()]
    paths = [text for key in _PATHS if isinstance(text := given.get(key), str) and text.strip()]
    if "pattern" in given and queries:
        return _line(" in ".join([queries[0], *paths[:1]]))
    if paths or queries:
        return _line([*paths, *queries][0])
    return _line(f"{tool} {json.dumps(_masked(given), ensure_ascii=False)}" if given else tool)


def _masked(value: Any, depth: int = 20) -> Any:
    """Return what a tool was given without secrets, for JSON writes their line feeds otherwise."""
    if isinstance(value, str):
        return in_one_line(cut(value, _MAX), "\n")
    if not depth:
        return "…"
    if isinstance(value, dict):
        return {key: _masked(each, depth - 1) for key, each in value.items()}
    return [_masked(each, depth - 1) for each in value] if isinstance(value, list) else value


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _command(value: object) -> str:
    """Return a command as it would be typed: `["bash", "-lc", "npm test"]` is `npm test`."""
    if isinstance(value, list):
        words = [str(each) for each in value]
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return value if isinstance(value, str) else ""


def _patched(text: str) -> str:
    for line in text.split("\n", 200)[:200]:
        for mark in _PATCHED:
            if line.startswith(mark):
                return line.removeprefix(mark).strip()
    return ""


def _line(text: str) -> str:
    """Return a text in one line; where it had others is still to be seen."""
    return cut(in_one_line(cut(text.strip(), _MAX), " ⏎ "), _MAX)
