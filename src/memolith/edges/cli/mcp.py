"""The command that serves memory to agents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memolith.edges.cli import output
from memolith.edges.cli.app import cli, shared

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.command()
@click.option("--read-only", is_flag=True, help="Offer only what reads, for sub-agents.")
@shared
def mcp(options: Options, read_only: bool) -> None:
    """Serve memory to an agent over MCP, on standard input and output (docs/mcp.md).

    Agents start this themselves. The project is that of the directory it is started in, or of
    $CLAUDE_PROJECT_DIR; it ends when standard input is closed.

    \b
    claude mcp add -s user memolith -- memolith mcp
    memolith mcp --read-only
    """
    from memolith.edges.mcp.server import Server

    with options.open():
        pass  # says what is wrong with a directory
    server = Server()
    server.home, server.project = options.home, options.project
    server.ephemeral, server.read_only = options.ephemeral, read_only
    if sys.stdin is not None and sys.stdin.isatty():
        output.note("waiting for an MCP client; Ctrl-D ends this (memolith mcp --help says how to add it)")
    click.get_current_context().exit(server.serve())
