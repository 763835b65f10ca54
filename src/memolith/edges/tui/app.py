"""The app: a tree of shelves, the list of a shelf, and the text; a search over everything."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Label, Static, Tree

from memolith.edges.tui import keys, render, shelves
from memolith.edges.tui.actions import FOR
from memolith.edges.tui.dialogs import Choose, Help
from memolith.edges.tui.lists import Listing, Page, Row
from memolith.edges.tui.search import Searching
from memolith.edges.tui.shelves import PAGES, Shelf, View

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import AppFocus, DescendantFocus, Resize
    from textual.widgets.tree import TreeNode

    from memolith import Mem, MemolithError

_THEMES = ("textual-dark", "textual-light")
_EMPTY = {"review": "The review queue is empty.", "session": "No sessions yet: memolith session import"}
_NOTHING_NEW = ("review", "session", "skill")
_PANES = ("shelves", "listing", "page")


class Shelves(Tree[Shelf]):
    """The tree, which vi's keys move in, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]


class Memolith(Searching):
    """`memolith tui`."""

    CSS_PATH = "style.tcss"
    TITLE = "memolith"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#shelves"  # not the field, which would take the first keys
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (64, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's type
    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for group in keys.GROUPS.values() for binding in keys.bindings(group)),
        Binding("down", "results", "Results", show=False),
    ]

    def __init__(self, mem: Mem) -> None:
        super().__init__(mem)
        # Each thread opens its own memory: a slow list does not delay the search.
        self._reader = mem.from_source("user")
        self._trees = self.newest(lambda _: shelves.shelves(self._reader), self._show_tree)
        self._lists = self.newest(lambda shelf: shelves.rows(self._reader, shelf), self._show_rows)
        self._views = self.newest(lambda what: shelves.shown(self._reader, what), self._show_view)
        self._view: View | None = None
        self._branches: dict[str, TreeNode[Shelf]] = {}
        self._keep: str | None = None
        self._steered = False
        self._seen = ""
        self._target: str | None = None  # the pane about to get the focus

    # ------------------------------------------------------------ the screen

    def compose(self) -> ComposeResult:
        """Build the screen."""
        with Horizontal(id="top"):
            yield Label(Content("memolith"), id="brand")
            yield Input(placeholder="Search everything: press / and type", id="search", compact=True)
        with Horizontal(id="panes"):
            tree = Shelves(Content("").plain, id="shelves")
            tree.show_root, tree.auto_expand, tree.guide_depth = False, False, 2
            yield tree
            yield Listing(id="listing")
            with Page(id="page", can_focus=True):
                yield Static(id="page-text")
        yield keys.KeyBar()

    def on_mount(self) -> None:
        """Load the tree."""
        self.theme = _THEMES[render.is_light(os.environ.get("COLORFGBG", ""))]
        self._trees.ask(None)

    @property
    def _tree(self) -> Tree[Shelf]:
        return self.screen_stack[0].query_one("#shelves", Tree)

    @property
    def _page(self) -> VerticalScroll:
        return self.screen_stack[0].query_one("#page", VerticalScroll)

    @property
    def row(self) -> Row | None:
        """The row that the actions apply to: the one under the cursor, if a list is shown."""
        shown = self.asked or (self.shelf is not None and self.shelf.kind not in PAGES)
        return self.listing.row if shown else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Offer only the keys that work here."""
        if len(self.screen_stack) > 1:
            return action not in {each.action for group in keys.GROUPS.values() for each in group} | set(FOR)
        if not self.is_there:
            return False
        if action in ("results", "search"):
            return (self.focused is self.field) is (action == "results")
        if action == "new":
            return self.shelf is not None and self.shelf.kind not in _NOTHING_NEW
        if action in FOR:
            return self.row is not None and self.row.kind in FOR[action]
        return True

    # ------------------------------------------------------------ the tree

    def reload(self, keep: str | None = None) -> None:
        """Read everything again; the cursor stays where it is, or goes to `keep`."""
        self._keep = keep or (self.listing.row.ref if self.listing.row else None)
        self.finder.forget()
        self._trees.ask(None)

    def show_new(self, path: str) -> None:
        """Read everything again, and go to an entry that was added, on its shelf."""
        scope = "project" if path.startswith("projects/") else "user"
        kind, part = (self.shelf.kind, self.shelf.part) if self.shelf else ("", "")
        node = self._branches.get(f"{scope}/{kind}") or self._branches[f"{scope}/note"]
        is_here = self.shelf and "/" in self.shelf.key and self.shelf.scope == scope
        if not is_here or (part and f"/records/{part}/" not in path):
            self.shelf = node.data
        self.leave_search()
        self.reload(path)

    def _show_tree(self, _: None, found: list[Shelf] | None, problem: MemolithError | None) -> None:
        if found is None:
            self.tell(str(problem), problem=True)
            return
        tree = self._tree
        before = self.shelf.key if self.shelf else None
        expanded = {key for key, node in self._branches.items() if node.is_expanded}
        first = not self._branches
        tree.clear()
        self._branches = {}
        for shelf in found:
            self._plant(tree.root, shelf, expanded, first=first)
        start = "project/note" if any(each.count for each in found[1].children[1:2]) else "overview"
        node = self._branches.get(before or start) or self._branches["overview"]
        if node.data is not None:
            self.open_shelf(node.data)
        # The tree gets its lines only after a refresh, and then selects the first.
        self._steered = True
        self.call_after_refresh(self._steer)

    @property
    def is_settled(self) -> bool:
        """Whether the cursor of the tree is where it should be."""
        return not self._steered

    def _steer(self) -> None:
        def settle() -> None:
            self._steered = False

        if self.shelf is not None and self.is_there:  # another shelf may be selected by now
            self._tree.move_cursor(self._branches.get(self.shelf.key))
        self.call_after_refresh(settle)

    def _plant(self, above: TreeNode[Shelf], shelf: Shelf, expanded: set[str], *, first: bool) -> None:
        expand = shelf.key in expanded or (first and shelf.key in ("project", "user"))
        if shelf.children:
            node = above.add(_label(shelf), shelf, expand=expand)
            for child in shelf.children:
                self._plant(node, child, expanded, first=first)
        else:
            node = above.add_leaf(_label(shelf), shelf)
        self._branches[shelf.key] = node

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Shelf]) -> None:
        """Show a shelf as soon as the cursor is on it."""
        # The cursor may have moved since the event, and the app may be closing.
        if not self.is_there or self._steered or not self._tree.has_focus:
            return
        if event.node is not self._tree.cursor_node:
            return
        if event.node.data not in (None, self.shelf):
            self.leave_search()
            self.open_shelf(event.node.data)

    def on_tree_node_selected(self, event: Tree.NodeSelected[Shelf]) -> None:
        """Move to the list; open or close a branch."""
        if event.node.children and not self.listing.rows:
            event.node.toggle()
        elif event.node.data is not None:
            self.go("page" if event.node.data.kind in PAGES else "listing")

    def open_shelf(self, shelf: Shelf) -> None:
        """Show the rows of a shelf, or the hits during a search."""
        moved = self.shelf is None or self.shelf.key != shelf.key
        self.shelf = shelf
        if self.asked:
            self.search(self.asked)
            return
        one = shelf.kind in PAGES
        self.screen_stack[0].set_class(one, "single")
        if moved:
            self._page.scroll_home(animate=False)
        if one:
            self.listing.show([])
            self._views.ask(shelf.kind)
        elif shelf.kind in ("project", "user"):
            self.listing.show([], empty="Choose a shelf on the left.")
        else:
            self._lists.ask(shelf)

    def _show_rows(self, shelf: Shelf, rows: list[Row] | None, problem: MemolithError | None) -> None:
        if self.asked or shelf is not self.shelf:
            return
        if rows is None:
            self.tell(str(problem), problem=True)
            rows = []
        self.listing.border_title, self.listing.border_subtitle = f"{shelf.label} ({len(rows):,})", ""
        self.listing.show(
            rows, empty=_EMPTY.get(shelf.kind, "Nothing here yet: n adds something."), keep=self._keep
        )
        self._keep = None

    # ------------------------------------------------------------ the text

    def on_listing_moved(self, event: Listing.Moved) -> None:
        """Show the text of the row under the cursor."""
        if not self.is_front:
            return
        self.refresh_bindings()
        if event.row is not None:
            self._views.ask(event.row)
        elif self.shelf is None or self.shelf.kind not in PAGES:
            self._view = None
            self._draw()

    def on_listing_opened(self, _: Listing.Opened) -> None:
        """Move to the text."""
        if self.is_front:
            self.go("page")

    def _show_view(self, what: Row | str, view: View | None, problem: MemolithError | None) -> None:
        wanted = self.row if isinstance(what, Row) else self.shelf and self.shelf.kind
        if what is not wanted and what != wanted:
            return
        self._view = view
        if view is None:
            self._view = View("", [render.line(str(problem), "$text-error")])
        ref = what.ref if isinstance(what, Row) else what
        if ref != self._seen:  # keep the scroll position of the same text
            self._page.scroll_home(animate=False)
        self._seen = ref
        self._draw()

    def _draw(self) -> None:
        if not self.is_there:
            return
        width = self._page.scrollable_content_region.width or self.size.width - 4
        text = Content("")
        if self._view is not None:
            title = render.line(render.one_line(self._view.title), "bold $text-primary")
            text = render.wrapped([title, *self._view.lines], width)
        self.screen_stack[0].query_one("#page-text", Static).update(text)

    def on_resize(self, _: Resize) -> None:
        """Rewrap the text."""
        self.call_after_refresh(self._draw)

    # ------------------------------------------------------------ moving between panes

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """On a narrow terminal, show the pane that has the focus."""
        if not self.is_front:
            return
        if event.widget is self.focused and event.widget.id in _PANES and self._target is None:
            self.reveal(event.widget.id)
        self.refresh_bindings()

    def reveal(self, pane: str) -> None:
        """Show a pane where there is room for one; the focus stays."""
        for each in _PANES:
            self.screen_stack[0].set_class(each == pane, f"at-{each}")
        self.call_after_refresh(self._draw)

    def go(self, pane: str) -> None:
        """Focus a pane."""
        self.reveal(pane)
        widget = self.screen_stack[0].query_one(f"#{pane}")
        if widget.region.area and widget.display:
            self._target = None
            self.screen_stack[0].set_focus(widget)
            return
        # It must be visible before it can get the focus.
        self._target = pane
        self.call_after_refresh(self._arrive, pane)

    def _arrive(self, pane: str) -> None:
        if self._target == pane and self.is_there:
            self._target = None
            self.screen_stack[0].query_one(f"#{pane}").focus()

    def action_focus_next(self) -> None:
        """Go to the next pane; in a dialog, to the next field."""
        self._next(1) if self.is_front else super().action_focus_next()

    def action_focus_previous(self) -> None:
        """Go to the previous pane or field."""
        self._next(-1) if self.is_front else super().action_focus_previous()

    def _next(self, by: int) -> None:
        single = self.screen_stack[0].has_class("single")
        there = [pane for pane in _PANES if not (single and pane == "listing")]
        here = self.focused.id if self.focused is not None and self.focused.id in there else there[0]
        self.go(there[(there.index(here) + by) % len(there)])

    def action_leave(self) -> None:
        """Go one pane back, or leave the search."""
        here = self.focused.id if self.focused is not None else None
        if here == "page" and not self.screen_stack[0].has_class("single"):
            self.go("listing")
        elif self.asked or here == "search":
            self.leave_search()
            self.go("shelves")
            if self.shelf is not None:
                self.open_shelf(self.shelf)
        else:
            self.go("shelves")

    def action_shelf(self, key: str) -> None:
        """Go to a shelf."""
        node = self._branches.get(key)
        if node is None or node.data is None:
            return
        self.leave_search()
        self._tree.move_cursor(node)
        self.open_shelf(node.data)
        self.go("page" if node.data.kind in PAGES else "listing")

    def action_reload(self) -> None:
        """Read everything again."""
        self.reload()

    def on_app_focus(self, _: AppFocus) -> None:
        """Reload when the window gets the focus: files may have changed elsewhere."""
        if self._branches and self.is_front:
            self.reload()

    # ------------------------------------------------------------ the rest

    @work
    async def action_projects(self) -> None:
        """Go to another project that has a memory."""
        known = self.mem.projects.list()
        rows = [
            Row("choice", each.slug, each.name or each.slug, f"notes: {each.notes:,}")
            for each in known
            if each.slug != self.mem.project
        ]
        if not rows:
            self.tell("No other project has a memory yet")
            return
        slug = await self.push_screen_wait(Choose("Go to the project", rows))
        if slug is not None:
            self.mem = self.mem.of_project(slug)
            self._reader = self.mem.from_source("user")
            self.finder.look_in(self.mem.from_source("user"))
            self.reload()

    def action_theme(self) -> None:
        """Switch between light and dark."""
        self.theme = _THEMES[self.theme == _THEMES[0]]

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(Help())


def _label(shelf: Shelf) -> Text:
    """Return the label of a shelf as a Text: a string would be parsed as markup."""
    label = Text(render.one_line(shelf.label))
    if shelf.count is not None:
        label.append(f"  {shelf.count:,}", "dim")
    return label


def run(mem: Mem) -> None:
    """Run the app until the person quits."""
    mem.confirm = None  # the app owns the screen
    Memolith(mem).run()
