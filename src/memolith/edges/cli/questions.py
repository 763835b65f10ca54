"""The command `recall` for click: help, completion, and options that the fast door does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memolith.edges.cli import asking, completion, fast
from memolith.edges.cli.app import cli, shared
from memolith.index import KINDS
from memolith.store.layout import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.options import Options

    Command = Callable[..., None]


def _one_of(flag: str, words: tuple[str, ...], text: str) -> Callable[[Command], Command]:
    return click.option(flag, metavar="|".join(words), help=text, shell_complete=completion.words(*words))


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--limit", metavar="N", help="How many hits at most (default: 10).")
@_one_of("--format", asking.FORMATS, "How to print them (default: snippets).")
@_one_of("--scope", ("project", "user"), "Whose memory (default: both).")
@_one_of("--kind", KINDS, "Only these kinds, separated by commas.")
@_one_of("--category", CATEGORIES, "Only records of these categories, separated by commas.")
@click.option("--since", metavar="YYYY-MM-DD", help="Nothing older than this date.")
@click.option("--as-of", metavar="YYYY-MM-DD", help="What held on that day, instead of what holds now.")
@click.option("--budget", metavar="TOKENS", help="Only as many hits as fit into a prompt, whole.")
@click.option("--ticket", metavar="ID", help="Ask with a ticket's title and description; QUERY adds to it.")
@click.option("--dry-run", is_flag=True, help="Show what would be put into an agent's prompt for this task.")
@click.option(
    "--semantic", is_flag=True, help="Ask by meaning too (needs memolith[semantic]; loads a model)."
)
@shared
def recall(options: Options, query: tuple[str, ...], **given: Any) -> None:
    """Ask what is known: the best answers from notes, records, sessions, tickets and daily logs.

    A question about something that was never remembered gets no answer.

    \b
    memolith recall how do we deploy the gateway
    memolith recall --ticket fix-login --format prompt
    memolith recall "release process" --as-of 2026-03-01
    """
    fast.recall(options, given, " ".join(query))
