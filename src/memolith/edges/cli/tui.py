"""`memolith tui`: the terminal app, an extra."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memolith.base.errors import ConfigError, InputError
from memolith.edges.cli.app import cli, shared

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.command()
@shared
def tui(options: Options) -> None:
    """Look through memory in the terminal: search, edit, review, undo. Needs memolith[tui].

    \b
    memolith tui
    """
    from importlib.util import find_spec

    if find_spec("textual") is None:
        raise ConfigError("the terminal app needs Textual: pip install 'memolith[tui]'")
    if options.json:
        raise InputError("`tui` is for people and has no --json; the other commands have it")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("`tui` needs a terminal; in a pipe, use `memolith list`, `read` and `search`")
    from memolith.edges.tui.app import run

    with options.open() as mem:
        run(mem)
