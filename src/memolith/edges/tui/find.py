"""Searching as one types: everything that is known, best first, each hit with the reason.

Three answers, each as soon as it is there: what recall finds for the words, what has them in its title, and,
when typing pauses and little was found, the files that contain them literally (this reads every file).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from memolith.base.errors import MemolithError
from memolith.care import page
from memolith.edges.tui.lists import Row
from memolith.memory.note_index import note_files
from memolith.store import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from memolith.base.values import Hit
    from memolith.mem import Mem

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
_LIMIT = 50
_FEW = 10  # hits; with fewer, the files themselves are searched
_MIN = 3  # characters that are worth reading every file


class Newest(Generic[Asked, Answer]):
    """Does one thing at a time, in a thread; of what is asked meanwhile only the newest is done.

    `done` is told what was asked, the answer, and what went wrong if that is why there is none; nothing if
    by then nobody is `alive` to see it.
    """

    def __init__(
        self,
        start: Callable[[Coroutine[None, None, None]], object],
        work: Callable[[Asked], Answer],
        done: Callable[[Asked, Answer | None, MemolithError | None], None],
        alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self._start, self._work, self._done, self._alive = start, work, done, alive
        self._wanted: list[Asked] = []
        self.busy = False

    def ask(self, what: Asked) -> None:
        """Ask for something, instead of what was asked before and is not begun yet."""
        self._wanted = [what]
        if not self.busy:
            self.busy = True
            self._start(self._run())

    async def _run(self) -> None:
        try:
            while self._wanted:
                what = self._wanted.pop()
                answer, problem = None, None
                try:
                    answer = await asyncio.to_thread(self._work, what)
                except MemolithError as error:
                    problem = error
                if not self._wanted and self._alive():
                    self._done(what, answer, problem)
        finally:
            self.busy = False


class Finder:
    """Finds rows for a query. Has a memory of its own: it runs beside the rest."""

    def __init__(self, mem: Mem) -> None:
        self._mem = mem
        self._titles: list[tuple[str, str, str]] | None = None

    def forget(self) -> None:
        """Read the titles anew: something was added or is gone."""
        self._titles = None

    def quickly(self, query: str) -> list[Row]:
        """Return what the index knows and what the titles say, at once."""
        found = self._mem.recall(query, limit=_LIMIT, semantic=False)
        rows = {row.ref + row.title: row for row in (_row(hit, query) for hit in found)}
        known = {row.ref for row in rows.values()}
        return [*rows.values(), *(row for row in self._named(query) if row.ref not in known)]

    def thoroughly(self, query: str, known: Sequence[Row]) -> list[Row]:
        """Return what is known and, if that is little, the files that contain the words literally."""
        if len(known) >= _FEW or len(query.strip()) < _MIN:
            return list(known)
        have = {row.ref for row in known}
        more = [
            Row(
                _kind(hit.name),
                hit.name,
                _title(hit.name),
                hit.date or "",
                snippet=_first_match(hit.body, hit.matched_terms),
                why=f"contains {', '.join(hit.matched_terms)}",
                query=query,
            )
            for hit in self._mem.search(query).hits[:_LIMIT]
            if hit.name not in have
        ]
        return [*known, *more]

    def _named(self, query: str) -> list[Row]:
        if self._titles is None:
            self._titles = [
                (f"{title}\n{name}".casefold(), f"{layout.notes(slug)}/{name}", title)
                for slug in (self._mem.project, layout.USER)
                for name, title in _notes(self._mem, slug).items()
            ]
        words = query.casefold().split()
        found = (row for row in self._titles if all(word in row[0] for word in words))
        return [
            Row("note", path, title, "note", snippet=path, why="its title has what you typed", query=query)
            for (_, path, title), _ in zip(found, range(_LIMIT), strict=False)
        ]


def _notes(mem: Mem, slug: str) -> dict[str, str]:
    titles = page.note_titles(mem, slug)
    return {name: titles.get(name, ("",))[0] or name[:-3] for name in note_files(str(mem.root), slug)}


def _row(hit: Hit, query: str) -> Row:
    is_session = hit.kind == "session"
    ref = hit.record if is_session else hit.id.partition("#")[0]
    title = hit.title or _title(ref)
    if is_session and hit.turn is not None:
        title = f"{ref} turn {hit.turn}"
    detail = "  ".join(filter(None, [hit.origin, hit.category or hit.kind, hit.date[:10]]))
    return Row(hit.kind, ref, title, detail, snippet=hit.snippet, why=hit.why, query=query)


def _title(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _kind(path: str) -> str:
    kinds = {"notes": "note", "daily": "daily"}
    return next((kind for part, kind in kinds.items() if f"/{part}/" in f"/{path}"), "memory")


def _first_match(body: str, matched: Sequence[str]) -> str:
    low = [term.casefold() for term in matched]
    lines = body.split("\n")
    return next((line for line in lines if any(term in line.casefold() for term in low)), lines[0])
