"""The search field: everything is searched as one types."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import TYPE_CHECKING

from textual.widgets import Input

from memolith.edges.tui.actions import Acting
from memolith.edges.tui.find import Answer, Asked, Finder, Newest
from memolith.edges.tui.lists import Listing, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer

    from memolith.base.errors import MemolithError
    from memolith.edges.tui.shelves import Shelf
    from memolith.mem import Mem

_PAUSE = 0.4  # seconds without a key after which files are searched literally


class Searching(Acting):
    """What is found for what was typed, shown in the list."""

    def __init__(self, mem: Mem) -> None:
        super().__init__(mem)
        self.finder = Finder(mem.from_source("user"))
        self.asked = ""
        self.answered = 0  # how many searches were answered
        self._quick = self.newest(self.finder.quickly, self._show_hits)
        self._thorough = self.newest(lambda asked: self.finder.thoroughly(*asked), self._show_more)
        self._asked_at = 0.0
        self._pause: Timer | None = None

    def newest(
        self,
        work: Callable[[Asked], Answer],
        done: Callable[[Asked, Answer | None, MemolithError | None], None],
    ) -> Newest[Asked, Answer]:
        """Return what does some work beside the rest, while there is a screen to show it on."""
        return Newest(self.run_worker, work, done, lambda: self.is_there)

    @abstractmethod
    def open_shelf(self, shelf: Shelf) -> None:
        """Show a shelf."""

    @abstractmethod
    def go(self, pane: str) -> None:
        """Give a pane the focus."""

    @property
    def is_there(self) -> bool:
        """Whether the main screen can be drawn on; events arrive also while the app is closing."""
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
        """Where one types."""
        return self.screen_stack[0].query_one("#search", Input)

    def search(self, query: str) -> None:
        """Search, and show what is found as soon as it is there."""
        self._quick.ask(query)

    def action_search(self) -> None:
        """Type a search."""
        self.screen_stack[0].set_focus(self.field)

    def action_results(self) -> None:
        """Go from the search to what was found."""
        self.go("listing")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as one types."""
        if event.input.id != "search":
            return
        self.asked, self._asked_at = event.value.strip(), time.monotonic()
        if self.asked:
            self.screen_stack[0].remove_class("single")
            self.search(self.asked)
        elif self.shelf is not None:
            self.open_shelf(self.shelf)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to what was found."""
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
        self.listing.show(rows, empty="Nothing is known about this.", keep=keep)
