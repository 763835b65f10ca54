"""`context`, `search` and `recall` without a command line library: they run on every prompt.

The same functions answer when click is in charge (`--help`, unknown options): one behaviour, two doors.
"""

from __future__ import annotations

import os
import sys

from memolith.base.errors import ConfigError, InputError
from memolith.edges.cli import output
from memolith.mem import Mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from memolith.env.project import Project

_VALUES = {"--home": "home", "--project": "project", "--max-chars": "max_chars"}
_FLAGS = {
    "--json": "json",
    "--ephemeral-memory": "ephemeral",
    "--dry-run": "dry_run",
    "--semantic": "semantic",
}
# What only `recall` understands.
ASKED = (
    "as_of",
    "budget",
    "category",
    "dry_run",
    "format",
    "kind",
    "limit",
    "scope",
    "semantic",
    "since",
    "ticket",
)
_VALUES |= {
    f"--{name.replace('_', '-')}": name for name in ASKED if f"--{name.replace('_', '-')}" not in _FLAGS
}


class Options:
    """The options that every command understands."""

    __slots__ = ("ephemeral", "home", "json", "max_chars", "mem", "project", "terminal")

    def __init__(self, mem: Mem | None = None) -> None:
        self.mem = mem  # that of a host which runs a command inside its own process
        self.terminal = mem is None  # whether the terminal, if there is one, is ours
        self.home: str | None = None
        self.project: str | None = None
        self.max_chars: str | None = None
        self.json = self.ephemeral = False

    @property
    def attended(self) -> bool:
        """Whether a person can be asked here."""
        return self.terminal and sys.stdin is not None and sys.stdin.isatty()

    def open(self) -> AbstractContextManager[Mem]:
        """Open the memory that the options describe; a host's own stays open."""
        if self.mem is not None:
            from contextlib import nullcontext

            return nullcontext(self.mem)
        if self.project is not None and not os.path.isdir(self.project):
            raise InputError(f"--project {self.project}: there is no such directory")
        if self.home is not None and not self.home.strip():
            raise InputError("--home needs a directory")
        # At a terminal a person is typing; an agent runs commands through pipes.
        mem = Mem.open(
            self.project,
            home=self.home,
            ephemeral=self.ephemeral,
            origin="user" if self.attended else "agent",
        )
        mem.confirm = self._asked
        if not os.path.isdir(mem.home):
            self._check_place(mem.home)
        return mem

    def _asked(self, found: Project) -> bool:
        """Tell a person of a memory that was not opened, and ask whether it is this project's."""
        output.note(found.notice)
        if not self.attended:
            return False
        from click import confirm

        return confirm(f"Use the memory {found.offer} here?", default=False, err=True)

    def _check_place(self, place: str) -> None:
        """Refuse a home that can never be made, because it or what it should be in is a file."""
        while not os.path.lexists(place) and os.path.dirname(place) != place:
            place = os.path.dirname(place)
        if not os.path.isdir(place):
            kind = ConfigError if self.home is None else InputError
            raise kind(f"{place}: is not a directory; choose another home with --home or MEMOLITH_HOME")


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


def notice(mem: Mem) -> None:
    """Tell a person how their project was found when that is not obvious."""
    if mem.identity.notice:
        output.note(mem.identity.notice)


def number(value: str | None) -> int | None:
    """Return what --max-chars says."""
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise InputError(f"--max-chars {value!r}: must be a whole number") from None
