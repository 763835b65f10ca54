"""The keys: one table for what they do, the footer, the help screen and docs/tui.md."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding


class Key(NamedTuple):
    """A key: its action, its label in the footer (empty: not shown there), and its help."""

    key: str
    action: str
    footer: str
    help: str
    shown: str = ""  # the label on the key, where Textual's name differs

    @property
    def written(self) -> str:
        """The key for display."""
        return self.shown or self.key


GROUPS: dict[str, tuple[Key, ...]] = {
    "Look around": (
        Key("slash", "search", "Search", "search everything as you type", "/"),
        Key("enter", "", "", "go one pane to the right"),
        Key("escape", "leave", "", "go one pane back, or leave the search", "esc"),
        Key("tab", "", "", "the next pane; shift+tab the previous one"),
        Key("o", "shelf('overview')", "", "overview: sizes, and what needs attention"),
        Key("i", "shelf('injected')", "", "what is injected now: sizes per section, and what is cut"),
        Key("r", "shelf('review')", "", "the review queue"),
        Key("l", "shelf('learning')", "", "learning: status and cost"),
        Key(
            "h",
            "history",
            "History",
            "history: each change with its diff; enter restores the state before it",
        ),
        Key("ctrl+r", "reload", "", "reload"),
    ),
    "Change": (
        Key("n", "new", "New", "new note, record, ticket, item or log entry, by the shelf you are on"),
        Key("e", "edit", "Edit", "edit here; ctrl+s saves, esc leaves"),
        Key("E", "editor", "", "edit in $VISUAL or $EDITOR", "E"),
        Key("d", "delete", "Delete", "delete (asks first)"),
        Key("m", "reclassify", "Move", "move a record to another category"),
        Key("z", "archive", "Archive", "archive or restore a record"),
        Key("u", "undo", "Undo", "undo the last change; repeat to go further back"),
    ),
    "Review": (
        Key("a", "accept", "Accept", "accept the held text"),
        Key("x", "refuse", "Refuse", "refuse the held text; it is not held a second time"),
        Key("A", "accept_safe", "All safe", "accept all held texts without a warning", "A"),
    ),
    "App": (
        Key("ctrl+t", "theme", "", "light or dark"),
        Key("question_mark", "help", "Help", "this page", "?"),
        Key("q", "quit", "Quit", "quit"),
    ),
}
IN_EDITOR = (
    Key("ctrl+s", "save", "Save", "save"),
    Key("ctrl+o", "external", "In $EDITOR", "continue in $VISUAL or $EDITOR"),
    Key("escape", "leave", "Leave", "leave (asks about unsaved changes)", "esc"),
)


def bindings(keys: tuple[Key, ...], *, priority: bool = False) -> list[Binding]:
    """Return the bindings of some keys."""
    return [
        Binding(
            each.key,
            each.action,
            each.footer or each.help,
            show=bool(each.footer),
            key_display=each.shown or None,
            # At once, so that the next keystrokes go into the field.
            priority=priority or each.action == "search",
        )
        for each in keys
        if each.action
    ]
