"""`context`, `search` and `recall` without a command line library: they run on every prompt.

The same functions answer when click is in charge (`--help`, unknown options): one behaviour, two doors.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError
from memolith.edges.cli import output
from memolith.edges.cli.options import ASKED, Options, notice, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


_VALUES = {"--home": "home", "--project": "project", "--max-chars": "max_chars"}
_FLAGS = {
    "--json": "json",
    "--ephemeral-memory": "ephemeral",
    "--dry-run": "dry_run",
    "--semantic": "semantic",
}
_VALUES |= {
    f"--{name.replace('_', '-')}": name for name in ASKED if f"--{name.replace('_', '-')}" not in _FLAGS
}


def run_fast(arguments: list[str]) -> int | None:
    """Run `context`, `search` or `recall` if that is what is asked and nothing is unusual; else None."""
    if "_MEMOLITH_COMPLETE" in os.environ:
        return None
    given: dict[str, str | bool] = {}
    words = _parse(arguments, given)
    if not words:
        return None
    command, query = words[0], " ".join(words[1:])
    asked = {name: given.pop(name) for name in ASKED if name in given}
    options = Options()
    for name, value in given.items():
        setattr(options, name, value)
    if command == "recall" and options.max_chars is None:
        return output.guarded(lambda: recall(options, asked, query))
    if command not in ("context", "search") or asked or (command == "search" and len(words) < 2):
        return None
    return output.guarded(lambda: answer(options, command, query))


def _parse(arguments: list[str], given: dict[str, str | bool]) -> list[str] | None:
    """Return the words of a command line and put its options into `given`; None if one is unknown here."""
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words += rest
        elif argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif argument.startswith("--"):
            name, equals, value = argument.partition("=")
            if name not in _VALUES:
                return None
            given[_VALUES[name]] = value if equals else next(rest, "")
        elif argument.startswith("-") and len(argument) > 1:
            return None
        else:
            words.append(argument)
    return words


def answer(options: Options, command: str, query: str) -> None:
    """Print the block, or what a search found."""
    with options.open() as mem:
        if command == "context":
            block = mem.context_block(query or None, max_chars=number(options.max_chars))
            notice(mem)
            if options.json:
                size = len((block or "").encode())
                output.json({"block": block, "bytes": size, "complete": True, "missing": []})
            elif block is not None:
                output.text(block)
            return
        if options.max_chars is not None:
            raise InputError("--max-chars belongs to `context`")
        results = mem.search(query)
        notice(mem)
        if options.json:
            output.json(results.as_dict())
        else:
            output.text(results.render())


def recall(options: Options, given: Mapping[str, object], query: str) -> None:
    """Print what is known about a question."""
    from memolith.edges.cli.asking import Asked, answer

    asked = Asked()
    for name, value in given.items():
        setattr(asked, name, value)
    answer(options, asked, query)
