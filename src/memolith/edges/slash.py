"""`/memory` for a host agent: a line that a person typed goes in, a text to show comes out."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from memolith.base.values import Answer
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.mem import Mem

_COMMAND = "/memory"


def slash(mem: Mem, line: str = "", *, terminal: bool = False) -> Answer:
    """Run what a person typed behind `/memory`; never raises for what they got wrong.

    Without anything, the answer is an overview in Markdown, and nothing is written. `terminal` says that the
    host has given the terminal free: then `edit` opens an editor and `clear` asks; else they say what to do.
    `answer.error` tells that nothing was done.
    """
    from memolith.edges.cli import output
    from memolith.edges.cli.app import run
    from memolith.edges.cli.options import Options

    # A person typed it, so what they write is theirs; what is from elsewhere stays so.
    options = Options(mem.from_source("user") if mem.source.trusted else mem)
    options.terminal = terminal
    printed: list[str] = []
    token = output.collected.set(printed)
    try:
        code = run(["memory", *words(line)], options)
    finally:
        output.collected.reset(token)
    return Answer(text=veil.masked("".join(printed)).strip("\n"), data={"exit_code": code}, error=code != 0)


def words(line: str) -> list[str]:
    """Return the words of a line as a shell would; what is to be written stays as it was typed."""
    bare = line.strip()
    if bare == _COMMAND or bare.startswith((f"{_COMMAND} ", f"{_COMMAND}\n")):
        bare = bare[len(_COMMAND) :].strip()
    verb, _, rest = bare.partition(" ")
    if verb == "write":
        target, _, text = rest.strip().partition(" ")
        return [verb, *filter(None, [target]), *(["--", text] if text.strip() else [])]
    try:
        return shlex.split(bare)
    except ValueError:  # an apostrophe is no quotation
        return bare.split()
