"""Recall as a step of Home: which scopes, which day, with or without meaning."""

from __future__ import annotations

from memolith.base import whole
from memolith.base.errors import InputError, NotFoundError
from memolith.index import KINDS
from memolith.memory import arguments
from memolith.recall.recall import Question
from memolith.recall.recall import recall as answer
from memolith.store import layout
from memolith.store.screen import quoted
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memolith.base.values import Recall
    from memolith.index.vectors.meaning import Coverage
    from memolith.memory.home import Home

_ITEMS = 20
_WORTH_IT = 0.1  # what is put into a prompt unasked should be an answer at least one time in ten
_QUERY = 4000
# MEMORY.md is in the block as it is.
_NOT_SHOWN = tuple(kind for kind in KINDS if kind != "memory")


def recall(
    home: Home,
    query: str,
    *,
    limit: int,
    scopes: Collection[str] | None,
    kinds: Collection[str] | None,
    categories: Collection[str] | None,
    since: str | None,
    as_of: str | None,
    budget: int | None,
    semantic: bool | None,
    unasked: bool = False,
) -> Recall:
    """Answer a question from the scopes of a memory."""
    arguments.check_text(query, "query", empty=True)
    query = hygiene.whole(query)
    if isinstance(scopes, str):
        raise InputError(f"scopes = {quoted(scopes)}: give a list of scopes, such as ['project']")
    wide = dict.fromkeys(arguments.is_user_wide(scope) for scope in scopes or ("user", "project"))
    with whole.Watch() as watch:
        slugs = [layout.USER if user else home.project for user in wide]
        asked = Question(
            query,
            [slug for slug in dict.fromkeys(slugs) if slug or True in wide],
            home.today,
            limit=limit,
            kinds=kinds,
            categories=categories,
            since=since,
            as_of=as_of,
            unasked=unasked,
        )
        covered = _covered(home, asked.slugs) if semantic is not False else None
        found = answer(home.path, home.index, asked, home.vectors if covered and covered.model else None)
    for each in found.missing:  # what the index knows by itself: it was not reached in time, say
        path, _, why = each.partition(": ")
        if path not in watch.errors:
            whole.note(path, OSError(0, why))
    found = found.without([each for each in watch.missing if not _is_told(each, found.missing)])
    if covered and (not covered.complete or (semantic and not covered.model)):
        found.notes.append(f"by meaning: {covered}")
    elif covered and covered.model and home.vectors.problem:
        found.notes.append(f"by meaning: {home.vectors.problem}")
    if budget is None:
        return found
    from memolith.prompt import brief

    if budget < 0:
        raise InputError(f"budget = {budget} is not allowed; give the tokens that the brief may take")
    return found.with_hits(brief.fitting(found.hits, budget))


def _is_told(missing: str, told: Sequence[str]) -> bool:
    return any(each.startswith(missing) for each in told)


def brief(home: Home, query: str) -> str:
    """Return what the block says about a task; empty if nothing is known about it."""
    from memolith.prompt import brief as rendering

    found = for_block(home, query)
    return rendering.items(found.hits)


def for_block(home: Home, query: str, budget: int | None = None) -> Recall:
    """Return what the block would say about a task, of which nothing is from outside.

    No model is loaded for it; a loaded one is used.
    """
    from memolith.prompt import brief as rendering

    found = recall(
        home,
        query,
        limit=_ITEMS,
        scopes=None,
        kinds=_NOT_SHOWN,
        categories=None,
        since=None,
        as_of=None,
        budget=None,
        semantic=None if home.is_warm else False,
        unasked=True,
    )
    shown = (layout.daily(home.project, home.today), layout.daily(home.project, home.yesterday))
    hits = [hit for hit in found if hit.score >= _WORTH_IT and not hit.id.startswith(shown)]
    return found.with_hits(rendering.fitting(hits, rendering.TOKENS if budget is None else budget))


def ticket_query(home: Home, ticket: str, context: str = "") -> str:
    """Return the question that a ticket is: its title, its description, and what else is said."""
    slugs = [home.project]
    home.index.sync(slugs)
    tickets = [unit for unit in home.index.by_record(slugs, [ticket]) if unit.kind == "ticket"]
    found = home.index.with_text(tickets[:1])
    if not found:
        raise NotFoundError(
            f"there is no ticket {quoted(ticket)} in this project; `memolith ticket list` shows all"
        )
    unit = found[0]
    description = (unit.text or "").partition("\n## Notes")[0]
    return " ".join(f"{unit.title} {description} {context}".split())[:_QUERY]


def _covered(home: Home, slugs: Sequence[str]) -> Coverage:
    """Catch the vectors up as far as the settings allow for one question; return what they cover."""
    if home.vectors.provider is not None:
        home.index.sync(slugs)
    return home.vectors.sync(slugs, home.settings.number("semantic.seconds"))
