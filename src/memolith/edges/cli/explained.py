"""`memolith context --explain`: the block in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.errors import InputError
from memolith.edges.cli import output
from memolith.edges.cli.options import notice, number

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options

_PER_DAY = 100


def show(options: Options, query: str, price: float | None, per_day: int | None) -> None:
    """Print which file gave which bytes of the block, and what that costs if a price is given."""
    if price is None and per_day is not None:
        raise InputError("--per-day needs --price, the price of a million input tokens")
    often = _PER_DAY if per_day is None else per_day
    with options.open() as mem:
        found = mem.explain(query or None, max_chars=number(options.max_chars))
        cost = None if price is None else found.cost(price, often)
        notice(mem)
    if options.json:
        output.json({**found.as_dict(), "per_day": often, "cost_per_day": cost})
        return
    output.text(found.render())
    if cost is not None:
        output.text(
            f"\n{often:,} prompts a day: {found.tokens * often:,} tokens, {cost:,.2f} a day "
            "(less where the provider caches prompts)"
        )
