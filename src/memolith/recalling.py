"""Recall as a step of Mem: which scopes, which day, with or without meaning."""

from __future__ import annotations

from memolith import targets
from memolith.errors import InputError
from memolith.recall import Question, Recall
from memolith.recall import recall as answer
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from memolith.mem import Mem


def recall(
    mem: Mem,
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
) -> Recall:
    """Answer a question from the scopes of a memory."""
    targets.check_text(query, "query", empty=True)
    if isinstance(scopes, str):
        raise InputError(f"scopes = {scopes!r}: give a list of scopes, such as ['project']")
    wide = dict.fromkeys(targets.is_user_wide(scope) for scope in scopes or ("user", "project"))
    slugs = [layout.USER if user else mem.project for user in wide]
    asked = Question(
        query,
        [slug for slug in dict.fromkeys(slugs) if slug or True in wide],
        mem.today,
        limit=limit,
        kinds=kinds,
        categories=categories,
        since=since,
        as_of=as_of,
    )
    return answer(mem.home, mem.index, asked)
