"""What was asked of a tool, in one line."""

from __future__ import annotations

import json
from typing import Any

from memolith.text.local_tools import TOOLS
from memolith.text.secrets.veil import cut, in_one_line

Record = dict[str, Any]
_MAX_CALL = 2_000
_COMMANDS = ("command", "cmd", "script")
_PATHS = (
    *("file_path", "filePath", "path", "absolute_path", "notebook_path"),
    *("filename", "dir_path", "directory"),
)
_PLACES = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_QUERIES = ("pattern", "regex", "query", "url", "uri", "prompt", "description")
_GLOBS = ("glob", "include", "include_pattern")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


def fields(value: object) -> Record:
    """Return an object of JSON; an empty one if it is something else."""
    return value if isinstance(value, dict) else {}


def call_line(tool: str, arguments: object) -> str:
    """Return `$ npm test` for a command, the path of what was read, else the tool's name and what it got."""
    if isinstance(arguments, str):
        arguments = _decoded(arguments)
    if isinstance(arguments, str):
        return _one_line(_patched(arguments) or f"{tool} {arguments}")
    if not isinstance(arguments, dict):
        return tool
    for key in () if tool.casefold().startswith("str_replace") else _COMMANDS:  # its command is `view`
        if found := _command(arguments.get(key)):
            return _one_line(f"$ {found}")
    patch = arguments.get("input") or arguments.get("patch")
    if isinstance(patch, str) and (path := _patched(patch)):
        return _one_line(path)
    queries = [text for key in _QUERIES if isinstance(text := arguments.get(key), str) and text.strip()]
    paths = [text for key in _PATHS if isinstance(text := arguments.get(key), str) and text.strip()]
    name = tool.casefold()
    is_search = "pattern" in arguments or (name in TOOLS["search"] | TOOLS["list"] and bool(paths))
    if queries and is_search and name not in TOOLS["read"]:
        globs = [text for key in _GLOBS if isinstance(text := arguments.get(key), str) and "/" in text]
        return _one_line(" in ".join([queries[0], *paths[:1], *globs]))
    if paths or queries:
        return _one_line([*paths, *queries][0])
    return _one_line(f"{tool} {json.dumps(_masked(arguments), ensure_ascii=False)}" if arguments else tool)


def directory(arguments: object) -> str:
    """Return where a command is asked to run, if that is said beside it."""
    given = fields(_decoded(arguments) if isinstance(arguments, str) else arguments)
    is_command = any(_command(given.get(key)) for key in _COMMANDS)
    found = (text for key in _PLACES if is_command and isinstance(text := given.get(key), str))
    return next(filter(None, found), "")


def _masked(value: Any, depth: int = 20) -> Any:
    """Return the arguments of a tool without secrets, for JSON writes their line feeds otherwise."""
    if isinstance(value, str):
        return in_one_line(cut(value, _MAX_CALL), "\n")
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


def _one_line(text: str) -> str:
    """Return a text in one line; where it had others is still to be seen."""
    return cut(in_one_line(cut(text.strip(), _MAX_CALL), " ⏎ "), _MAX_CALL)
