"""Commands that keep a fact, find it again, and show what an agent sees."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError
from memolith.base.values import HIT_KINDS, NOTE_KINDS
from memolith.edges.cli import ask, common, completion
from memolith.edges.cli.app import cli, opened, shared
from memolith.edges.cli.paint import Facts, Prose
from memolith.hosts.install import health
from memolith.store.layout import CATEGORIES
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_PER_DAY = 100
_quiet = click.option(
    "-q", "--quiet", is_flag=True, help="Print nothing; the exit code says if anything was found."
)


@cli.command()
@click.argument("text", nargs=-1, required=True, cls=common.Text)
@click.option("--title", metavar="TITLE", help="What it is about; names its file (default: its first words).")
@common.one_of("--kind", NOTE_KINDS, "What it is (default: as it was, else project).")
@common.scope
@common.source
@opened
def remember(mem: Mem, text: tuple[str, ...], **given: Any) -> Answer:
    """Keep one fact as a note, with a line in the index that agents always see.

    With -, TEXT is read from standard input. A title that a note has already replaces that note (the old text
    stays in the history), and so does another value for the same thing; at a terminal you are asked if that
    is not certain.

    \b
    memolith remember we use pnpm, not npm
    memolith remember "The suite needs Redis on 6380." --title "Running the tests"
    memolith remember "Answer in German." --kind preference --scope user
    """
    return ask.remember(mem, common.text_argument(" ".join(text)), given)


@cli.command()
@opened
def status(mem: Mem) -> Answer:
    """Show what is remembered, how big it is, and what needs attention.

    \b
    memolith status
    """
    found = mem.status()
    agents = [f"{each.path}: {each.message}" for each in health.problems(mem.home, os.environ)]
    found = found.but(warnings=[*found.warnings, *map(veil.masked, agents)])
    return found.as_dict(), Facts(found.render())


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--max-chars", metavar="N", help="The host's limit in characters.")
@click.option(
    "--explain", is_flag=True, help="Show which file contributed which bytes, what was cut, and why."
)
@click.option("--price", type=float, metavar="P", help="With --explain: price of a million input tokens.")
@click.option("--per-day", type=int, metavar="N", help="With --price: prompts per day.  [default: 100]")
@opened
def context(
    mem: Mem,
    query: tuple[str, ...],
    max_chars: str | None,
    explain: bool,
    price: float | None,
    per_day: int | None,
) -> Answer:
    """Print the block that an agent sees, if there is anything to inject.

    QUERY is the task at hand; adds what is recalled for it.

    \b
    memolith context
    memolith context "fix the flaky login test"
    memolith context --max-chars 9500
    memolith context --explain
    memolith context --explain --price 3 --per-day 200
    """
    words = " ".join(query)
    if not explain:
        if price is not None or per_day is not None:
            raise InputError("--price and --per-day need --explain")
        return ask.context(mem, words, {"max_chars": max_chars})
    if price is None and per_day is not None:
        raise InputError("--per-day needs --price, the price of a million input tokens")
    found = mem.explain(words or None, max_chars=ask.number("--max-chars", max_chars))
    often = _PER_DAY if per_day is None else per_day
    cost = None if price is None else found.cost(price, often)
    text = found.render()
    if cost is not None:
        text += (
            f"\n\n{often:,} prompts a day: {found.tokens * often:,} tokens, {cost:,.2f} a day "
            "(less where the provider caches prompts)"
        )
    return {**found.as_dict(), "per_day": often, "cost_per_day": cost}, Prose(text)


@cli.command()
@click.argument("query", nargs=-1)
@click.option("--within", metavar="N", help="All words within N lines (1: on one line), not any word.")
@click.option("--loose", is_flag=True, help="Ignore what stands between letters: - _ . / and spaces.")
@click.option("--context", metavar="N", help="Lines to show around a match (default: 3).")
@click.option("--offset", metavar="N", help="Skip the first N files.")
@click.option("-n", "--limit", metavar="N", help="Show at most N files.")
@click.option("--sessions", is_flag=True, help="Also look into past sessions.")
@click.option(
    "--all", "--all-projects", "all_projects", is_flag=True, help="In every project, not only this one."
)
@common.one_of("--kind", HIT_KINDS, "Only these kinds, separated by commas.")
@_quiet
@opened
def search(mem: Mem, query: tuple[str, ...], **given: Any) -> Answer:
    """Find memory files that contain any of the words, literally, ignoring case: no patterns.

    What has them all on one line comes first; words in double quotes are looked for as they stand there.
    Exits with 1 if nothing was found.

    \b
    memolith search redis port
    memolith search '"connection refused"'
    memolith search redis port --within 1
    memolith search session-cache --loose
    """
    return ask.search(mem, " ".join(query), given)


@cli.command()
@click.argument("query", nargs=-1)
@click.option("-n", "--limit", metavar="N", help="Maximum number of hits (default: 10).")
@common.one_of("--format", ask.FORMATS, "How to print them (default: snippets).")
@common.one_of("--scope", common.SCOPES, "Whose memory (default: both).")
@common.one_of("--kind", HIT_KINDS, "Only these kinds, separated by commas.")
@common.one_of("--category", CATEGORIES, "Only records of these categories, separated by commas.")
@click.option("--since", metavar="DATE", help="Nothing older: YYYY-MM-DD, yesterday, 7d.")
@click.option("--as-of", metavar="DATE", help="Answer for that day instead of today.")
@click.option("--budget", metavar="TOKENS", help="Only as many whole hits as fit into this many tokens.")
@click.option(
    "--ticket",
    metavar="ID",
    shell_complete=completion.of("ticket"),
    help="Ask with a ticket's title and description; QUERY adds to it.",
)
@click.option("--dry-run", is_flag=True, help="Show what an agent's prompt would get for this task.")
@_quiet
@shared
def recall(options: Options, query: tuple[str, ...], **given: Any) -> Answer | None:
    """Ask a question: get the best answers from notes, records, sessions, tickets and daily logs.

    A question about something that is not in memory gets no answer, and exit code 1; so does one for which
    all hits are `weak`: hardly anything shows that they are about it.

    A hit begins with its score: how likely it is an answer, from 0 to 1. Scores do not decide alone: of two
    statements the later goes first, and a question that was only asked goes last.

    \b
    memolith recall how do we deploy the gateway
    memolith recall --ticket fix-login --format prompt
    memolith recall "release process" --as-of 2026-03-01
    """
    options.json = options.json or given["format"] == "json"
    return options.answer(lambda mem: ask.recall(mem, " ".join(query), given))
