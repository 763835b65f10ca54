"""The MCP server and the hooks that agents start, and the terminal app."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from memolith.base.errors import ConfigError, InputError
from memolith.edges.cli import output
from memolith.edges.cli.app import cli, shared
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.command()
@click.option("--read-only", is_flag=True, help="Offer only tools that read, for sub-agents.")
@shared
def mcp(options: Options, read_only: bool) -> None:
    """Serve memory to an agent over MCP, on standard input and output (docs/mcp.md).

    Agents start this themselves. It serves the project of its working directory, or of $CLAUDE_PROJECT_DIR,
    and ends when standard input is closed.

    \b
    claude mcp add -s user memolith -- memolith mcp
    memolith mcp --read-only
    """
    from memolith.edges.mcp.server import Server

    with options.open():
        pass  # reports a bad directory
    server = Server(options.home, options.project, ephemeral=options.ephemeral, read_only=read_only)
    if sys.stdin is not None and sys.stdin.isatty():
        output.note("waiting for an MCP client; Ctrl-D quits (memolith mcp --help shows how to add it)")
    click.get_current_context().exit(server.serve())


@cli.command()
@click.option("--host", metavar="NAME", default="", help="The agent, if its message does not name it.")
@click.option("--event", metavar="NAME", default="", help="The event, if the message does not name it.")
@click.option("--work", is_flag=True, hidden=True)
@shared
def hook(options: Options, host: str, event: str, work: bool) -> None:
    """Answer an event of an agent's session, given as JSON on standard input (docs/hooks.md).

    Agents start this themselves. It always succeeds; failures are logged in state/log/hook.log in the home.

    \b
    memolith hook --host claude
    memolith hook --host copilot --event sessionStart
    """
    from memolith.hosts.hook import edge, worker

    if work:
        with options.open() as mem:
            for line in worker.work(mem):
                output.text(f"{time.strftime('%Y-%m-%d %H:%M:%S')} worker: {veil.masked(line)}")
    elif sys.stdin is None or sys.stdin.isatty():
        output.note("agents start this with an event on standard input (memolith hook --help)")
    elif not options.ephemeral:
        edge.serve(host, event, options.home or "", options.project or "")


@cli.command("run", context_settings={"allow_interspersed_args": False})
@click.option(
    "--ephemeral", "throwaway", is_flag=True, required=True, help="Give the command a throw-away memory."
)
@click.argument("command", nargs=-1, required=True)
@shared
def run_command(options: Options, throwaway: bool, command: tuple[str, ...]) -> None:  # noqa: ARG001
    """Run an agent with a memory of its own that is removed when it ends.

    Hooks, server and commands that the agent starts share it; the real memory is neither read nor written.
    The exit code is the command's.

    \b
    memolith run --ephemeral -- claude -p "what do you know about me?"
    """
    import os
    import subprocess

    from memolith.env import programs, runs
    from memolith.mem import Mem

    name, *arguments = command
    program = name if os.path.dirname(name) else programs.find(name)
    if program is None:
        raise InputError(f"{name}: no such program outside of this directory; one in it needs its path")
    with Mem.open(options.project, ephemeral=True) as mem:
        try:
            done = subprocess.run(
                [program, *arguments], env={**os.environ, runs.VARIABLE: mem.home}, check=False
            )
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}; check the command") from None
    click.get_current_context().exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)


@cli.command()
@shared
def tui(options: Options) -> None:
    """Browse memory in the terminal: search, edit, review, undo. Needs the extra `tui` (docs/upkeep.md).

    \b
    memolith tui
    """
    if find_spec("textual") is None:
        raise ConfigError(
            "the terminal app needs Textual: in the checkout of memolith, run "
            "`pipx install --force '.[tui]'`, `uv tool install '.[tui]'` or "
            "`pip install '.[tui]'`, as you installed it"
        )
    if options.json:
        raise InputError("`tui` is for people and has no --json; the other commands have it")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("`tui` needs a terminal; in a pipe, use `memolith list`, `read` and `search`")
    from memolith.edges.tui.app import run

    with options.open() as mem:
        run(mem)
