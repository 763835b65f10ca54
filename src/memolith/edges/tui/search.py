"""Search as you type: everything in memory, best first, each hit with its reason.

Three answers, each shown when ready: what recall finds, titles that contain the words, and, when typing
pauses and little was found, the files that contain them literally (this reads every file).
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.widgets import Input

from memolith import MemolithError
from memolith.edges.tui.actions import Acting
from memolith.edges.tui.lists import Listing, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from textual.timer import Timer

    from memolith import Hit, Mem
    from memolith.edges.tui.shelves import Shelf

_PAUSE = 0.4  # seconds without a keystroke before files are searched literally
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
_LIMIT = 50
_FEW = 10  # with fewer hits, the files themselves are searched
_MIN = 3  # characters in a query worth reading every file for


class Newest(Generic[Asked, Answer]):
    """Runs one job at a time in a thread; of the jobs requested meanwhile, only the newest runs.

    `done` gets the request, the answer, and the error if there is no answer; it is not called if by then
    nothing is `alive` to show it.
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
        """Request a job; replaces an earlier one that has not started yet."""
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
    """Finds rows for a query, with its own memory, as it runs in its own thread."""

    def __init__(self, mem: Mem) -> None:
        self._mem = mem
        self._titles: list[tuple[str, str, str]] | None = None

    def look_in(self, mem: Mem) -> None:
        """Search another memory from now on."""
        self._mem, self._titles = mem, None

    def forget(self) -> None:
        """Drop the cached titles, after a change."""
        self._titles = None

    def quickly(self, query: str) -> list[Row]:
        """Return the hits from the index and the titles."""
        found = self._mem.recall(query, limit=_LIMIT, semantic=False)
        rows = {row.ref + row.title: row for row in (_row(hit, query) for hit in found)}
        known = {row.ref for row in rows.values()}
        return [*rows.values(), *(row for row in self._named(query) if row.ref not in known)]

    def thoroughly(self, query: str, known: Sequence[Row]) -> list[Row]:
        """Return those hits and, if they are few, the files that contain the words literally."""
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
                (f"{each.title}\n{each.filename.rpartition('/')[2]}".casefold(), each.filename, each.title)
                for scope in ("project", "user")
                for each in self._mem.pages.list("note", scope)
            ]
        words = query.casefold().split()
        found = [row for row in self._titles if all(word in row[0] for word in words)]
        return [
            Row("note", path, title, "note", snippet=path, why="the title contains the words", query=query)
            for _, path, title in found[:_LIMIT]
        ]


def _row(hit: Hit, query: str) -> Row:
    is_session = hit.turn is not None
    ref = hit.record if is_session else hit.id.partition("#")[0]
    title = hit.title or _title(ref)
    if is_session and hit.turn is not None:
        title = f"{ref} turn {hit.turn}"
    detail = "  ".join(filter(None, [hit.origin, hit.category or hit.kind, hit.date[:10]]))
    return Row(hit.kind, ref, title, detail, snippet=hit.snippet, why=hit.reasons, query=query)


def _title(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _kind(path: str) -> str:
    kinds = {"notes": "note", "daily": "daily"}
    return next((kind for part, kind in kinds.items() if f"/{part}/" in f"/{path}"), "memory")


def _first_match(body: str, matched: Sequence[str]) -> str:
    low = [term.casefold() for term in matched]
    lines = body.split("\n")
    return next((line for line in lines if any(term in line.casefold() for term in low)), lines[0])


class Searching(Acting):
    """Shows the hits for the query in the list."""

    def __init__(self, mem: Mem) -> None:
        super().__init__(mem)
        self.finder = Finder(mem.from_source("user"))
        self.asked = ""
        self.answered = 0  # number of answered searches
        self._quick = self.newest(self.finder.quickly, self._show_hits)
        self._thorough = self.newest(lambda asked: self.finder.thoroughly(*asked), self._show_more)
        self._asked_at = 0.0
        self._pause: Timer | None = None

    def newest(
        self,
        work: Callable[[Asked], Answer],
        done: Callable[[Asked, Answer | None, MemolithError | None], None],
    ) -> Newest[Asked, Answer]:
        """Return a background worker that stops reporting when the screen is gone."""
        return Newest(self.run_worker, work, done, lambda: self.is_there)

    @abstractmethod
    def open_shelf(self, shelf: Shelf) -> None:
        """Show a shelf."""

    @abstractmethod
    def reveal(self, pane: str) -> None:
        """Show a pane where there is room for one; the focus stays."""

    @abstractmethod
    def go(self, pane: str) -> None:
        """Give a pane the focus."""

    @property
    def is_there(self) -> bool:
        """Whether the main screen can be drawn on; events also arrive while the app is closing."""
        return bool(self.screen_stack) and bool(self.screen_stack[0].query("#listing"))

    @property
    def is_front(self) -> bool:
        """Whether no dialog is open."""
        return len(self.screen_stack) == 1 and self.is_there

    @property
    def listing(self) -> Listing:
        """The list."""
        return self.screen_stack[0].query_one("#listing", Listing)

    @property
    def field(self) -> Input:
        """The search field."""
        return self.screen_stack[0].query_one("#search", Input)

    def search(self, query: str) -> None:
        """Search, and show hits as soon as they are ready."""
        self._asked_at = time.monotonic()
        self._quick.ask(query)

    def action_search(self) -> None:
        """Focus the search field."""
        self.screen_stack[0].set_focus(self.field)

    def action_results(self) -> None:
        """Move from the search field to the results."""
        self.go("listing")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search on each keystroke."""
        if event.input.id != "search":
            return
        self.asked = event.value.strip()
        if self.asked:
            self.screen_stack[0].remove_class("single")
            self.reveal("listing")
            self.search(self.asked)
        elif self.shelf is not None:
            self.open_shelf(self.shelf)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Move to the results."""
        if event.input.id == "search":
            self.go("listing")

    def leave_search(self) -> None:
        """Empty the field without searching."""
        if self.asked or self.field.value:
            self.asked = ""
            with self.field.prevent(Input.Changed):
                self.field.value = ""

    def _show_hits(self, query: str, rows: list[Row] | None, problem: MemolithError | None) -> None:
        if query != self.asked:
            return
        if rows is None:
            self.tell(str(problem), problem=True)
            return
        self.answered += 1
        self._found(rows, f"{(time.monotonic() - self._asked_at) * 1000:.0f} ms")
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(_PAUSE, lambda: self._thorough.ask((query, rows)))

    def _show_more(
        self, asked: tuple[str, list[Row]], rows: list[Row] | None, problem: MemolithError | None
    ) -> None:
        if asked[0] == self.asked and rows is not None and problem is None and len(rows) > len(asked[1]):
            here = self.listing.row
            self._found(rows, "", keep=here.ref if here else None)

    def _found(self, rows: list[Row], took: str, keep: str | None = None) -> None:
        self.listing.border_subtitle = "enter: to the results  esc: leave" if self.field.has_focus else ""
        self.listing.border_title = f"Search: {len(rows)} found" + (f" in {took}" if took else "")
        self.listing.show(rows, empty="Nothing found.", keep=keep)
