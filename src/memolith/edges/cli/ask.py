"""`context`, `search`, `recall` and `remember`: agents run them all the time, so they do without click.

`run_fast` reads a plain command line itself. The same functions answer when click is in charge (`--help`,
unknown options; `memory.py`): one behaviour, two doors.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError
from memolith.edges.cli import output
from memolith.edges.cli.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from memolith.base.values import Recall
    from memolith.mem import Mem

    Given = Mapping[str, str | bool | None]  # options of a command, as they were typed

FORMATS = ("snippets", "prompt", "json")
_FLAGS = {
    "--json": "json",
    "--ephemeral-memory": "ephemeral",
    "--dry-run": "dry_run",
    "--semantic": "semantic",
    "--loose": "loose",
    "--sessions": "sessions",
}
_SHARED = ("json", "ephemeral", "home", "project")
# The options that each command takes here.
_TAKES = {
    "context": {"max_chars"},
    "search": {"context", "limit", "loose", "offset", "sessions", "within"},
    "recall": {
        *("as_of", "budget", "category", "dry_run", "format", "kind", "limit"),
        *("scope", "semantic", "since", "ticket"),
    },
    "remember": {"kind", "origin", "scope", "taint", "title"},
}
_VALUES = {
    f"--{name.replace('_', '-')}": name for name in ("home", "project", *set().union(*_TAKES.values()))
}


def run_fast(arguments: list[str]) -> int | None:
    """Run a plain command line of one of the commands here; return None for anything else."""
    if "_MEMOLITH_COMPLETE" in os.environ:
        return None
    given: dict[str, str | bool] = {}
    words = _parse(arguments, given)
    if not words:
        return None
    options = Options()
    for name in _SHARED:
        if name in given:
            setattr(options, name, given.pop(name))
    command = _command(words, given)
    if command is None:
        return None
    options.json = options.json or given.get("format") == "json"
    return output.guarded(lambda: output.answer(options.answer(command), as_json=options.json))


def _command(words: list[str], given: Given) -> Callable[[Mem], output.Answer] | None:
    """Return what the words ask for; None if only click can read them, or say what is wrong with them."""
    name, query = words[0], " ".join(words[1:])
    if name not in _TAKES or not given.keys() <= _TAKES[name]:
        return None
    if name == "context":
        return lambda mem: context(mem, query, given)
    if name == "recall":
        return lambda mem: recall(mem, query, given)
    if name == "search":
        return (lambda mem: search(mem, query, given)) if query else None
    is_plain = "title" in given and len(words) == 2 and query != "-"
    return (lambda mem: _remember(mem, query, given)) if is_plain else None


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
            found = value if equals else next(rest, None)
            if name not in _VALUES or found is None:
                return None
            given[_VALUES[name]] = found
        elif argument.startswith("-") and len(argument) > 1:
            return None
        else:
            words.append(argument)
    return words


def context(mem: Mem, query: str, given: Given) -> output.Answer:
    """Return the block."""
    block = mem.context_block(query or None, max_chars=number("--max-chars", given.get("max_chars")))
    size = len((block or "").encode())
    return {"block": block, "bytes": size, "complete": True, "missing": []}, block or ""


def search(mem: Mem, query: str, given: Given) -> output.Answer:
    """Return what a search found."""
    names = ("within", "context", "offset", "limit")
    typed = {name: each for name in names if (each := number(f"--{name}", given.get(name))) is not None}
    loose, sessions = bool(given.get("loose")), bool(given.get("sessions"))
    found = mem.search(query, loose=loose, sessions=sessions, **typed)
    return found.as_dict(), found.render()


def _remember(mem: Mem, text: str, given: Mapping[str, Any]) -> output.Answer:
    mem = mem.from_source(given.get("origin") or mem.source.origin, given.get("taint"))
    kind, scope = given.get("kind", "project"), given.get("scope", "project")
    return mem.remember(text, given["title"], kind, scope=scope)


def recall(mem: Mem, query: str, given: Given) -> output.Answer:
    """Return what is known about a question."""
    form, ticket = given.get("format"), given.get("ticket")
    if form not in (None, *FORMATS):
        raise InputError(f"--format {form!r}: must be one of {', '.join(FORMATS)}")
    if isinstance(ticket, str):
        query = mem.tickets.get(ticket).question(query)
    elif not query.strip():
        raise InputError("nothing to recall: give a question, or --ticket ID")
    if given.get("dry_run"):
        from memolith.recall.recall import for_block

        found = for_block(mem, query, number("--budget", given.get("budget")))
    else:
        typed = {name: each for name, each in given.items() if isinstance(each, str)}
        found = _recalled(mem, query, typed, semantic=bool(given.get("semantic")))
    for each in found.notes:
        output.note(each)
    if given.get("dry_run") or form == "prompt":
        from memolith.prompt import brief

        return found.as_dict(), brief.prompt(found)
    return found.as_dict(), _snippets(found)


def _recalled(mem: Mem, query: str, typed: Mapping[str, str], *, semantic: bool) -> Recall:
    limit = number("--limit", typed.get("limit"))
    # A process that answers one question does not load a model unless asked to.
    return mem.recall(
        query,
        limit=10 if limit is None else limit,
        scopes=_several(typed.get("scope")),
        kinds=_several(typed.get("kind")),
        categories=_categories(typed.get("category")),
        since=typed.get("since"),
        as_of=typed.get("as_of"),
        budget=number("--budget", typed.get("budget")),
        semantic=semantic,
    )


def _snippets(found: Recall) -> str:
    """Return the ranked hits for a person."""
    if not found.hits:
        return "Nothing is known about that."
    lines = []
    for number, hit in enumerate(found.hits, 1):
        kind = f"{hit.kind}/{hit.category}" if hit.category and hit.kind == "record" else hit.kind
        about = "  ".join(
            each for each in (kind, hit.scope, hit.date[:10], hit.origin, "weak" if hit.weak else "") if each
        )
        lines += [
            f"{number}. {hit.score:.2f}  {hit.source}  ({about})",
            *(f"   {line}" for line in hit.snippet.split("\n")),
            f"   why: {hit.why}",
        ]
    return "\n".join(lines)


def _categories(value: str | None) -> list[str] | None:
    """Return the categories as typed. Notes may have their own, but a near miss is a typo."""
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


def number(name: str, value: object) -> int | None:
    """Parse a whole number."""
    if value is None:
        return None
    try:
        return int(str(value))
    except ValueError:
        raise InputError(f"{name} {value!r}: must be a whole number") from None
