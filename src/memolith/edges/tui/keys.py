"""The keys: one table for what they do, the footer, the help screen and docs/tui.md."""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding


class Key(NamedTuple):
    """A key: what it does in the program, in the footer (empty: not shown there), and in words."""

    key: str
    action: str
    footer: str
    help: str
    shown: str = ""  # as it is written, where Textual's name is not what stands on the key

    @property
    def written(self) -> str:
        """The key as a person writes it."""
        return self.shown or self.key


GROUPS: dict[str, tuple[Key, ...]] = {
    "Look around": (
        Key("slash", "search", "Search", "search everything as you type", "/"),
        Key("enter", "", "", "go one pane to the right"),
        Key("escape", "leave", "", "go one pane back, or leave the search", "esc"),
        Key("tab", "", "", "the next pane; shift+tab the one before"),
        Key("o", "shelf('overview')", "", "overview: what is remembered and what needs attention"),
        Key("i", "shelf('injected')", "", "what is injected now: sizes per section, and what was cut"),
        Key("r", "shelf('review')", "", "the review queue"),
        Key("l", "shelf('learning')", "", "learning: its status and what it cost"),
        Key(
            "h",
            "history",
            "History",
            "history: each change with its diff; enter restores the state before it",
        ),
        Key("ctrl+r", "reload", "", "read everything again"),
    ),
    "Change": (
        Key("n", "new", "New", "new note, record, ticket, item or log entry, by the shelf you are on"),
        Key("e", "edit", "Edit", "edit here; ctrl+s saves, esc leaves"),
        Key("E", "editor", "", "edit in $VISUAL or $EDITOR", "E"),
        Key("d", "delete", "Delete", "delete (asks first)"),
        Key("m", "reclassify", "Move", "move a record to another category"),
        Key("z", "archive", "Archive", "archive a record, or bring it back"),
        Key("u", "undo", "Undo", "undo the last change; again for the one before"),
    ),
    "Review": (
        Key("a", "accept", "Accept", "accept what waits"),
        Key("x", "refuse", "Refuse", "refuse it; it is not held a second time"),
        Key("A", "accept_safe", "All safe", "accept all that nothing speaks against any more", "A"),
    ),
    "App": (
        Key("ctrl+t", "theme", "", "light or dark"),
        Key("question_mark", "help", "Help", "this page", "?"),
        Key("q", "quit", "Quit", "quit"),
    ),
}
IN_EDITOR = (
    Key("ctrl+s", "save", "Save", "save"),
    Key("ctrl+o", "external", "In $EDITOR", "go on in $VISUAL or $EDITOR"),
    Key("escape", "leave", "Leave", "leave (asks if something would be lost)", "esc"),
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
            # At once, so that what is typed right after it goes into the field.
            priority=priority or each.action == "search",
        )
        for each in keys
        if each.action
    ]
