"""The keys: one table (`keys.txt`) for what they do, the footer, the help screen and docs/tui.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

if TYPE_CHECKING:
    from textual.app import ComposeResult


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


def _read() -> dict[str, tuple[Key, ...]]:
    groups: dict[str, tuple[Key, ...]] = {}
    for line in Path(__file__).with_name("keys.txt").read_text("utf-8").splitlines()[1:]:
        if line.startswith("## "):
            name = line[3:]
            groups[name] = ()
        else:
            groups[name] += (Key(*map(str.strip, line.split("|"))),)
    return groups


GROUPS = _read()
IN_EDITOR = GROUPS.pop("In the editor")


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


class KeyBar(Footer):
    """The keys with their labels, as many as fit whole; help and quit, which come last, always do."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)

    def compose(self) -> ComposeResult:
        """Leave out what would be cut."""
        found = [each for each in super().compose() if isinstance(each, FooterKey)]
        labels = [(each, len(f" {each.key_display} {each.description} ")) for each in found]
        left = self.app.size.width - sum(width for _, width in labels[-2:])
        for each, width in labels[:-2]:
            if (left := left - width) < 0:
                break
            yield each
        for each, _ in labels[-2:]:
            yield each

    def on_resize(self) -> None:
        """Choose again."""
        self.call_after_refresh(self.recompose)
