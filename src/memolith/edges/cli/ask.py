"""`context`, `search`, `recall` and `remember`: agents run them all the time, so they do without click.

`run_fast` reads a plain command line itself. The same functions answer when click is in charge (`--help`,
unknown options; `memory.py`): one behaviour, two doors.
"""

from __future__ import annotations

import os
import sys

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
    "--loose": "loose",
    "--sessions": "sessions",
    "--all-projects": "all_projects",
    "--all": "all_projects",
    "--quiet": "quiet",
    "-q": "quiet",
}
_SHARED = ("json", "ephemeral", "home", "project")
# The options that each command takes here.
_TAKES = {
    "context": {"max_chars"},
    "search": {"all_projects", "context", "kind", "limit", "loose", "offset", "quiet", "sessions", "within"},
    "recall": {
        *("as_of", "budget", "category", "dry_run", "format", "kind", "limit"),
        *("quiet", "scope", "since", "ticket"),
    },
    "remember": {"kind", "origin", "scope", "taint", "title"},
}
_VALUES = {
    f"--{name.replace('_', '-')}": name for name in ("home", "project", *set().union(*_TAKES.values()))
} | {"-n": "limit"}


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
    return (lambda mem: remember(mem, query, given)) if query and query != "-" else None


def _parse(arguments: list[str], given: dict[str, str | bool]) -> list[str] | None:
    """Return the words of a command line and put its options into `given`; None if one is unknown here."""
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words += rest
        elif argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif argument.startswith("--") or argument == "-n":
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
    off = output.Note(mem.off) if not block and mem.off else ""
    return {"block": block, "bytes": size, "complete": True, "missing": []}, block or off


def search(mem: Mem, query: str, given: Given) -> output.Answer:
    """Return what a search found."""
    if not query.strip():
        raise InputError("nothing to search for: give some words; `memolith list` shows what there is")
    names = ("within", "context", "offset", "limit")
    typed = {name: each for name in names if (each := number(f"--{name}", given.get(name))) is not None}
    loose, sessions = bool(given.get("loose")), bool(given.get("sessions"))
    kinds, quiet = _kinds(given.get("kind")), bool(given.get("quiet"))
    if given.get("all_projects"):
        if kinds or sessions:
            raise InputError("--all goes alone: without --kind and --sessions")
        return _everywhere(mem, query, quiet=quiet, loose=loose, **typed)
    page = (typed.pop("offset", 0), typed.pop("limit", None)) if kinds else None
    found = mem.search(query, loose=loose, sessions=sessions or "session" in (kinds or ()), **typed)
    if page and kinds:
        found.hits = [hit for hit in found.hits if _kind(hit.name) in kinds]
        found.files = len(found.hits)
        found.keep(*page)
    answer = found.as_dict(), _marked(found.render(next_="--offset"), [term for term, _ in found.terms])
    odd = [term for term, count in found.terms if not count and set(term) & set("[]*+?|^$\\()")]
    if odd and not quiet:
        output.note(f"{odd[0]!r} is looked for as it is: search knows no patterns, but `grep -rE` does")
    return _ended(answer, found=bool(found.files), quiet=quiet)


def _kind(path: str) -> str:
    """Return the kind of a file, in the words of recall."""
    from memolith.store import layout

    if path.startswith("memory://root/"):  # a session has no file among the others
        return path.split("/")[3].removesuffix("s")
    folder = path.removeprefix(f"{layout.path(layout.scope_of(path))}/").partition("/")[0]
    alone = {"daily": "daily", layout.MEMORY: "memory", layout.SCRATCHPAD: "memory"}
    return alone.get(folder, folder.removesuffix("s"))


def _kinds(value: object) -> list[str] | None:
    """Return the kinds as typed, in the singular; InputError for one that there is not."""
    if value is None:
        return None
    from memolith.base.values import HIT_KINDS
    from memolith.memory.arguments import one_of

    given = (each.removesuffix("s") if each != "s" else each for each in several(str(value)) or ())
    return [one_of(each, HIT_KINDS, "kind") for each in given]


def _everywhere(mem: Mem, query: str, *, quiet: bool, **how: Any) -> output.Answer:
    """Search every project of this home: their owner asks."""
    from memolith.store import layout

    rows, parts, terms = [], [], list[str]()
    page = how.pop("offset", 0), how.pop("limit", None)
    for slug in layout.projects(mem.home):
        found = mem.of_project(slug).search(query, **how)
        terms = [term for term, _ in found.terms]
        hits = [hit for hit in found.hits if layout.scope_of(hit.name) == slug or slug == mem.project]
        if hits:
            found.hits, found.files = hits, len(hits)
            found.keep(*page)
            rows.append({"project": slug, **found.as_dict()})
            parts.append(f"# {slug}\n{found.render(next_='--offset')}")
    text = "\n\n".join(parts) or "No memory matched."
    return _ended(({"projects": rows}, _marked(text, terms)), found=bool(rows), quiet=quiet)


def _ended(answer: tuple[Any, str], *, found: bool, quiet: bool) -> output.Answer:
    """Return an answer with the exit code of grep: 1 if nothing was found. `quiet` prints nothing."""
    if quiet:
        raise output.Exit(0 if found else 1)
    return answer if found else (*answer, output.Exit(1))


def _marked(text: str, words: list[str]) -> str:
    """Return a text whose words a terminal highlights."""
    if output.collected.get() is not None or not sys.stdout.isatty():
        return text
    from memolith.edges.cli.paint import Marked

    return Marked(text, words)


def remember(mem: Mem, text: str, given: Mapping[str, Any]) -> output.Answer:
    """Keep a fact as a note; at a terminal, ask whether it replaces one that may say otherwise."""
    if given.get("origin") or given.get("taint"):
        mem = mem.from_source(given.get("origin") or mem.source.origin, given.get("taint"))
    chosen: dict[str, Any] = {name: given[name] for name in ("title", "kind", "scope") if given.get(name)}
    if text.startswith("---\n"):  # a note as `show` prints it: its head is not text
        from memolith.text import frontmatter

        parsed = frontmatter.split(text)
        if parsed.get("name") and parsed.body.strip():
            text, chosen = parsed.body, {"title": parsed.get("name"), **chosen}
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        from memolith.memory import nearby, writing

        slug, named = mem.scope(chosen.get("scope", "project")), "title" in chosen
        near = nearby.rivals(mem, slug, text, chosen.get("title", text), is_named=named)
        for each in near.others if near.sure is None and near.again is None else ():
            output.note(f"the note “{each.title}” says: {each.text}")
            print("Put the new fact there instead? [y/N]: ", end="", file=sys.stderr, flush=True)
            if sys.stdin.readline().strip().casefold() in ("y", "yes"):
                return writing.remember(mem, text, **chosen, instead=each)
    return mem.remember(text, **chosen)


def recall(mem: Mem, query: str, given: Given) -> output.Answer:
    """Return what is known about a question."""
    form, ticket, worked = given.get("format"), given.get("ticket"), list[str]()
    if form not in (None, *FORMATS):
        raise InputError(f"--format {form!r}: must be one of {', '.join(FORMATS)}")
    if isinstance(ticket, str):
        query = mem.tickets.get(ticket).question(query)
    elif not query.strip():
        raise InputError("nothing to recall: give a question, or --ticket ID")
    if given.get("dry_run"):
        from memolith.env.paths import Tree
        from memolith.prompt import block, brief
        from memolith.recall import working
        from memolith.recall.recall import for_block

        found = for_block(mem, query, number("--budget", given.get("budget")))
        if found.hits:  # what the block says is not told again
            known = (line for _, line in block.of(mem).lines())
            found = found.but(hits=brief.untold(found.hits, known, Tree(mem.store)))
        worked = working.lines(mem, query)
    else:
        typed = {name: each for name, each in given.items() if isinstance(each, str)}
        found = _recalled(mem, query, typed)
    quiet = bool(given.get("quiet"))
    for each in found.notes if not quiet else ():
        output.note(each)
    if given.get("dry_run") or form == "prompt":
        from memolith.prompt import brief

        fields = {**found.as_dict(), **({"working": worked} if worked else {})}
        is_any = bool(found.hits or worked)
        return _ended((fields, brief.prompt(found.hits, worked)), found=is_any, quiet=quiet)
    if not (found.hits or quiet or mem.identity.known or mem.identity.checkout):
        from memolith.edges.cli import common

        if where := common.elsewhere(mem):
            output.note(f"nothing is kept here yet{where}")
    matched = [each.partition("words: ")[2].partition(";")[0] for each in (hit.reasons for hit in found.hits)]
    words = _marked(_snippets(found), ", ".join(matched).split(", "))
    return _ended((found.as_dict(), words), found=not all(hit.weak for hit in found.hits), quiet=quiet)


def _recalled(mem: Mem, query: str, typed: Mapping[str, str]) -> Recall:
    limit = number("--limit", typed.get("limit"))
    return mem.recall(
        query,
        limit=10 if limit is None else limit,
        scopes=several(typed.get("scope")),
        kinds=_kinds(typed.get("kind")),
        categories=_categories(typed.get("category")),
        since=day(mem, "--since", typed["since"]) if "since" in typed else None,
        as_of=day(mem, "--as-of", typed["as_of"]) if "as_of" in typed else None,
        budget=number("--budget", typed.get("budget")),
    )


def day(mem: Mem, option: str, word: str) -> str:
    """Return the date that a word means; InputError if it is none."""
    from memolith.memory.find import day_at
    from memolith.store.layout import is_date

    found = day_at(mem, word)
    if not is_date(found):
        raise InputError(f"{option} {word!r} is not a day; give YYYY-MM-DD, yesterday or 7d (days ago)")
    return found


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
            *(f"   {line}".rstrip() for line in (hit.snippet or hit.title).split("\n")),
            f"   why: {hit.reasons}",
        ]
    return "\n".join(lines)


def _categories(value: str | None) -> list[str] | None:
    """Return the categories as typed; InputError for one that no record has."""
    from memolith.memory.arguments import one_of
    from memolith.store.layout import CATEGORIES

    given = several(value)
    named = (f"{each}s" if f"{each}s" in CATEGORIES else each for each in given or ())
    return given and [one_of(each, CATEGORIES, "category") for each in named]


def several(value: str | None) -> list[str] | None:
    """Return the words that an option has between its commas."""
    return None if value is None else [each.strip() for each in value.split(",") if each.strip()]


def number(name: str, value: object) -> int | None:
    """Parse a whole number."""
    if value is None:
        return None
    try:
        return int(str(value))
    except ValueError:
        raise InputError(f"{name} {value!r}: must be a whole number") from None
