"""`context`, `search` and `recall`: they run on every prompt, so without a command line library.

`run_fast` reads a plain command line itself. The same functions answer when click is in charge (`--help`,
unknown options; `questions.py`): one behaviour, two doors.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError
from memolith.edges.cli import output
from memolith.edges.cli.options import Options, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.base.hits import Recall
    from memolith.mem import Mem

FORMATS = ("snippets", "prompt", "json")
_PER_DAY = 100
_FLAGS = {
    "--json": "json",
    "--ephemeral-memory": "ephemeral",
    "--dry-run": "dry_run",
    "--semantic": "semantic",
}
_SHARED = ("json", "ephemeral", "home", "project", "max_chars")
# What only `recall` understands.
_OF_RECALL = ("as_of", "budget", "category", "format", "kind", "limit", "scope", "since", "ticket")
_VALUES = {f"--{name.replace('_', '-')}": name for name in ("home", "project", "max_chars", *_OF_RECALL)}


def run_fast(arguments: list[str]) -> int | None:
    """Run `context`, `search` or `recall` if that is what is asked and nothing is unusual; else None."""
    if "_MEMOLITH_COMPLETE" in os.environ:
        return None
    given: dict[str, str | bool] = {}
    words = _parse(arguments, given)
    if not words:
        return None
    command, query = words[0], " ".join(words[1:])
    options = Options()
    for name in _SHARED:
        if name in given:
            setattr(options, name, given.pop(name))
    if command == "recall" and options.max_chars is None:
        return output.guarded(lambda: recall(options, query, given))
    if command == "context" and not given:
        return output.guarded(lambda: context(options, query))
    if command == "search" and not given and len(words) > 1:
        return output.guarded(lambda: search(options, query))
    return None


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


def context(options: Options, query: str) -> None:
    """Print the block."""
    with options.open() as mem:
        block = mem.context_block(query or None, max_chars=_number("--max-chars", options.max_chars))
        notice(mem)
    if options.json:
        size = len((block or "").encode())
        output.json({"block": block, "bytes": size, "complete": True, "missing": []})
    elif block is not None:
        output.text(block)


def explain(options: Options, query: str, price: float | None, per_day: int | None) -> None:
    """Print which file gave which bytes of the block, and what that costs if a price is given."""
    if price is None and per_day is not None:
        raise InputError("--per-day needs --price, the price of a million input tokens")
    often = _PER_DAY if per_day is None else per_day
    with options.open() as mem:
        found = mem.explain(query or None, max_chars=_number("--max-chars", options.max_chars))
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


def search(options: Options, query: str) -> None:
    """Print what a search found."""
    if options.max_chars is not None:
        raise InputError("--max-chars belongs to `context`")
    with options.open() as mem:
        results = mem.search(query)
        notice(mem)
    output.json(results.as_dict()) if options.json else output.text(results.render())


def recall(options: Options, query: str, given: Mapping[str, str | bool | None]) -> None:
    """Print what is known about a question; `given` are the options of `recall`, as they were typed."""
    typed = {name: value for name, value in given.items() if isinstance(value, str)}
    form, ticket, dry_run = typed.get("format", FORMATS[0]), typed.get("ticket"), bool(given.get("dry_run"))
    if form not in FORMATS:
        raise InputError(f"--format {form!r}: must be one of {', '.join(FORMATS)}")
    with options.open() as mem:
        if ticket is not None:
            from memolith.recall.question import ticket_query

            query = ticket_query(mem, ticket, query)
        elif not query.strip():
            raise InputError("what should be recalled? Give a question, or --ticket ID")
        if dry_run:
            from memolith.recall.recall import for_block

            found = for_block(mem, query, _number("--budget", typed.get("budget")))
        else:
            found = _recalled(mem, query, typed, semantic=bool(given.get("semantic")))
        notice(mem)
    for each in found.notes:
        output.note(each)
    if options.json or form == "json":
        output.json(found.as_dict())
    elif dry_run or form == "prompt":
        from memolith.prompt import brief

        if text := brief.prompt(found):
            output.text(text)
    else:
        output.text(_snippets(found))


def _recalled(mem: Mem, query: str, typed: Mapping[str, str], *, semantic: bool) -> Recall:
    limit = _number("--limit", typed.get("limit"))
    # A process that answers once must not pay for loading a model unless it is told to.
    return mem.recall(
        query,
        limit=10 if limit is None else limit,
        scopes=_several(typed.get("scope")),
        kinds=_several(typed.get("kind")),
        categories=_categories(typed.get("category")),
        since=typed.get("since"),
        as_of=typed.get("as_of"),
        budget=_number("--budget", typed.get("budget")),
        semantic=semantic,
    )


def _snippets(found: Recall) -> str:
    """Return the ranked hits for a person."""
    if not found.hits:
        return "Nothing is known about that."
    lines = []
    for number, hit in enumerate(found.hits, 1):
        kind = f"{hit.kind}/{hit.category}" if hit.category and hit.kind == "record" else hit.kind
        about = "  ".join(each for each in (kind, hit.scope, hit.date[:10], hit.origin) if each)
        lines += [
            f"{number}. {hit.score:.2f}  {hit.source}  ({about})",
            *(f"   {line}" for line in hit.snippet.split("\n")),
            f"   why: {hit.why}",
        ]
    return "\n".join(lines)


def _categories(value: str | None) -> list[str] | None:
    """Return the categories that were typed. Notes may have others than records, but a near miss is one."""
    given = _several(value)
    for each in given or ():
        from difflib import get_close_matches

        from memolith.store.layout import CATEGORIES

        near = get_close_matches(each, CATEGORIES, 1)
        if near and each not in CATEGORIES:
            raise InputError(f"unknown category {each!r}; did you mean {near[0]!r}?")
    return given


def _several(value: str | None) -> list[str] | None:
    return None if value is None else [each.strip() for each in value.split(",") if each.strip()]


def _number(name: str, value: str | None) -> int | None:
    """Read a whole number that was typed."""
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise InputError(f"{name} {value!r}: must be a whole number") from None
