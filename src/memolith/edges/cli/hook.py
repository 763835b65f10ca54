"""The command that agents start at the events of a session."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from memolith.edges.cli import output
from memolith.edges.cli.app import cli, shared
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.command()
@click.option("--host", metavar="NAME", default="", help="The agent, where its message does not show it.")
@click.option("--event", metavar="NAME", default="", help="The event, where the message does not name it.")
@click.option("--work", is_flag=True, hidden=True)
@shared
def hook(options: Options, host: str, event: str, work: bool) -> None:
    """Answer an event of an agent's session, told as JSON on standard input (docs/hooks.md).

    Agents start this themselves. It always succeeds: what went wrong is in the home, in state/log/hook.log.

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
