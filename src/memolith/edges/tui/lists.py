"""The list, which draws only the visible rows (ten thousand notes cost as much as twenty), and the text."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from memolith.edges.tui import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.events import Click

_PART = "listing--"


@dataclass(slots=True, eq=False)
class Row:
    """A row of the list. `ref` is its path in the store, or a name if it is not a file."""

    kind: str
    ref: str
    title: str
    detail: str = ""
    snippet: str = ""
    why: str = ""
    query: str = ""

    @property
    def name(self) -> str:
        """The file name without its extension: the id of a record or a ticket."""
        return self.ref.rpartition("/")[2].removesuffix(".md")

    @property
    def scope(self) -> Literal["project", "user"]:
        """Whose it is."""
        return "project" if self.ref.startswith("projects/") else "user"


class Page(VerticalScroll):
    """The text, which vi's keys scroll, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
    ]


class Listing(ScrollView, can_focus=True):
    """The rows of a shelf, or the hits of a search with the reason below each."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"{_PART}{name}" for name in ("row", "cursor", "detail", "why", "match")
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home", "go(0)", "First", show=False),
        Binding("end", "go(-1)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
    ]
    cursor: reactive[int] = reactive(0)

    class Moved(Message):
        """The cursor moved to another row."""

        def __init__(self, row: Row | None) -> None:
            super().__init__()
            self.row = row

    class Opened(Message):
        """A row was chosen."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self.rows: Sequence[Row] = []
        self.empty = ""
        self._tall = 1

    def show(self, rows: Sequence[Row], *, empty: str = "", keep: str | None = None) -> None:
        """Show other rows; the cursor stays on the row `keep` if it is among them."""
        self.rows, self.empty = rows, empty
        self._tall = 3 if any(row.why for row in rows[:1]) else 1
        at = next((at for at, row in enumerate(rows) if row.ref == keep), 0) if keep else 0
        self.set_reactive(Listing.cursor, at)
        self.virtual_size = Size(0, len(rows) * self._tall)
        self.scroll_to_region(self._region(at), animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved(self.row))

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def validate_cursor(self, at: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(at, len(self.rows) - 1))

    def watch_cursor(self) -> None:
        """Follow the cursor."""
        self.scroll_to_region(self._region(self.cursor), animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved(self.row))

    def _region(self, at: int) -> Region:
        return Region(0, at * self._tall, max(1, self.size.width), self._tall)

    def action_move(self, by: int) -> None:
        """Move the cursor by some rows."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by a page."""
        self.cursor += by * max(1, self.size.height // self._tall)

    def action_go(self, at: int) -> None:
        """Move the cursor to the first or the last row."""
        self.cursor = at if at >= 0 else len(self.rows) - 1

    def action_open(self) -> None:
        """Choose the row under the cursor."""
        if self.row is not None:
            self.post_message(self.Opened(self.row))

    def on_click(self, event: Click) -> None:
        """Move to a row with one click, choose it with two."""
        where = event.get_content_offset(self)
        at = -1 if where is None else (where.y + int(self.scroll_offset.y)) // self._tall
        if 0 <= at < len(self.rows):
            self.cursor = at
            if event.chain > 1:
                self.action_open()

    # ------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        """Draw one line of the screen."""
        width = self.size.width
        at, part = divmod(y + int(self.scroll_offset.y), self._tall)
        if at >= len(self.rows):
            told = wrap(self.empty, max(8, width - 4)) if not self.rows else []
            text = told[y - 1] if 1 <= y <= len(told) else ""
            return Strip([Segment(set_cell_size(f"  {text}", width), self._style("detail"))])
        row = self.rows[at]
        base = self._style("cursor" if at == self.cursor and self.has_focus else "row")
        if at == self.cursor and not self.has_focus:
            base = self._style("row") + Style(bold=True)
        mark = "▌" if at == self.cursor else " "
        if part == 0:
            return self._first(row, mark, base, width)
        inner = width - 3
        text = render.one_line(row.snippet if part == 1 else f"because: {row.why}")
        text = text if cell_len(text) <= inner else set_cell_size(text, inner - 1).rstrip() + "…"
        is_cursor = base == self._style("cursor")
        style = base if part == 1 or is_cursor else base + self._style("why")
        cells = Strip(
            [Segment(f"{mark}  ", base), *self._marked(text, row.query if part == 1 else "", style)]
        )
        return cells.crop(0, inner + 3).extend_cell_length(width, base)

    def _first(self, row: Row, mark: str, base: Style, width: int) -> Strip:
        detail = render.one_line(row.detail)
        title = render.one_line(row.title)
        if cell_len(title) + cell_len(detail) + 4 > width and cell_len(detail) > width // 3:
            detail = set_cell_size(detail, max(0, width // 3 - 1)).rstrip() + "…"
        room = max(8, width - cell_len(detail) - 4)
        if cell_len(title) > room:
            title = set_cell_size(title, room - 1).rstrip() + "…"
        quiet = base if base == self._style("cursor") else base + self._style("detail")
        cells = Strip([Segment(f"{mark} ", base), *self._marked(title, row.query, base)])
        left = room - cell_len(title) - 2
        if row.snippet and self._tall == 1 and left > 8:
            said = render.one_line(row.snippet)
            said = said if cell_len(said) <= left else set_cell_size(said, left - 1).rstrip() + "…"
            cells = Strip([*cells, Segment(f"  {said}", quiet)])
        cells = cells.extend_cell_length(width - cell_len(detail) - 1, base)
        return Strip([*cells, Segment(f"{detail} ", quiet)]).crop(0, width)

    def _marked(self, text: str, query: str, style: Style) -> list[Segment]:
        """Return a text in segments, with matches of a query highlighted."""
        if not query:
            return [Segment(text, style)]
        found, done = [], 0
        match = style + self._style("match")
        for span in sorted(render.matching(text, query)):
            if span.start < done:
                continue
            found += [Segment(text[done : span.start], style), Segment(text[span.start : span.end], match)]
            done = span.end
        return [*found, Segment(text[done:], style)]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"{_PART}{name}")
