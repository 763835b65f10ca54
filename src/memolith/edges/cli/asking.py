"""`recall`, in the way of `cli.fast`: the same function answers whether click is in charge or not."""

from __future__ import annotations

from memolith.base.errors import InputError
from memolith.edges.cli import output
from memolith.edges.cli.options import ASKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.base.values import Recall
    from memolith.edges.cli.options import Options
    from memolith.mem import Mem

FORMATS = ("snippets", "prompt", "json")


class Asked:
    """The options of `recall`, as they were typed."""

    __slots__ = ASKED
    as_of: str | None
    budget: str | None
    category: str | None
    dry_run: bool
    format: str | None
    kind: str | None
    limit: str | None
    scope: str | None
    semantic: bool
    since: str | None
    ticket: str | None

    def __init__(self) -> None:
        for name in ASKED:
            setattr(self, name, None)
        self.dry_run = self.semantic = False


def answer(options: Options, asked: Asked, query: str) -> None:
    """Print what is known about a question."""
    if asked.format is not None and asked.format not in FORMATS:
        raise InputError(f"--format {asked.format!r}: must be one of {', '.join(FORMATS)}")
    with options.open() as mem:
        if asked.ticket is not None:
            from memolith.recall.question import ticket_query

            query = ticket_query(mem, asked.ticket, query)
        elif not query.strip():
            raise InputError("what should be recalled? Give a question, or --ticket ID")
        found = _ask(mem, asked, query)
        if mem.identity.notice:
            output.note(mem.identity.notice)
    for each in found.notes:
        output.note(each)
    _show(options, asked, found)


def _ask(mem: Mem, asked: Asked, query: str) -> Recall:
    budget = number("--budget", asked.budget)
    if asked.dry_run:
        from memolith.recall.recall import for_block

        return for_block(mem, query, budget)
    # A process that answers once must not pay for loading a model unless it is told to.
    return mem.recall(
        query,
        limit=10 if asked.limit is None else number("--limit", asked.limit) or 0,
        scopes=_several(asked.scope),
        kinds=_several(asked.kind),
        categories=_categories(asked.category),
        since=asked.since,
        as_of=asked.as_of,
        budget=budget,
        semantic=asked.semantic,
    )


def _show(options: Options, asked: Asked, found: Recall) -> None:
    if options.json or asked.format == "json":
        output.json(found.as_dict())
        return
    if asked.dry_run or asked.format == "prompt":
        from memolith.prompt import brief

        text = brief.prompt(found)
        if text:
            output.text(text)
    else:
        output.text(_snippets(found))


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


def number(name: str, value: str | None) -> int | None:
    """Read a whole number that was typed."""
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise InputError(f"{name} {value!r}: must be a whole number") from None
