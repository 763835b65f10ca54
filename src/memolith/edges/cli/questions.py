"""`context`, `search` and `recall` for click: help, completion, and what the fast door does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError
from memolith.edges.cli import ask, common
from memolith.edges.cli.app import cli, shared
from memolith.index import KINDS
from memolith.store.layout import CATEGORIES

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--max-chars", metavar="N", help="The host's own limit in characters.")
@click.option("--explain", is_flag=True, help="Say which file gave which bytes, what was cut, and why.")
@click.option("--price", type=float, metavar="P", help="With --explain: price of a million input tokens.")
@click.option("--per-day", type=int, metavar="N", help="With --price: prompts per day.  [default: 100]")
@shared
def context(
    options: Options,
    query: tuple[str, ...],
    max_chars: str | None,
    explain: bool,
    price: float | None,
    per_day: int | None,
) -> None:
    """Print the block that an agent gets to see; nothing if there is nothing.

    QUERY is the task at hand; what is recalled for it is added.

    \b
    memolith context
    memolith context "fix the flaky login test"
    memolith context --max-chars 9500
    memolith context --explain
    memolith context --explain --price 3 --per-day 200
    """
    options.max_chars = max_chars
    if explain:
        ask.explain(options, " ".join(query), price, per_day)
        return
    if price is not None or per_day is not None:
        raise InputError("--price and --per-day say what the block costs: add --explain")
    ask.context(options, " ".join(query))


@cli.command()
@click.argument("query", nargs=-1)
@shared
def search(options: Options, query: tuple[str, ...]) -> None:
    """Find memory files that contain any of the words, literally and in any case.

    \b
    memolith search redis port
    """
    ask.search(options, " ".join(query))


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--limit", metavar="N", help="How many hits at most (default: 10).")
@common.one_of("--format", ask.FORMATS, "How to print them (default: snippets).")
@common.one_of("--scope", common.SCOPES, "Whose memory (default: both).")
@common.one_of("--kind", KINDS, "Only these kinds, separated by commas.")
@common.one_of("--category", CATEGORIES, "Only records of these categories, separated by commas.")
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
    ask.recall(options, " ".join(query), given)
