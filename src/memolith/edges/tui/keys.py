"""The keys: one table (`keys.txt`) for what they do, the footer, the help screen and docs/tui.md."""

from __future__ import annotations

from pathlib import Path
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
