"""Editing a text in place. What somebody else saved meanwhile is shown and never lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import SuspendNotSupported
from textual.screen import Screen
from textual.widgets import Footer, Static, TextArea

from memolith.base.errors import ConflictError, MemolithError, NotFoundError
from memolith.care import edit
from memolith.edges.tui import keys, render
from memolith.edges.tui.dialogs import Choose, Confirm
from memolith.learn.model.command import workplace
from memolith.memory import document
from memolith.text import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App, ComposeResult
    from textual.binding import BindingType

    Save = Callable[[str, str], list[str]]
    Current = Callable[[], tuple[str, str]]

_NAME = "memory.md"
MINE, THEIRS, GO_ON = "mine", "theirs", "edit"


def in_editor(app: App[None], text: str) -> str | None:
    """Let a person change a text in $VISUAL or $EDITOR; None if they did not, or it cannot be done."""
    try:
        with app.suspend(), workplace({_NAME: text}) as folder:
            path = Path(folder, _NAME)
            code = edit.run_editor(str(path))
            changed = path.read_text("utf-8", "replace")
        if not code:
            return changed if changed != text else None
        problem = f"the editor ended with exit code {code}; press e to edit here"
    except SuspendNotSupported:
        problem = "this terminal cannot be lent to an editor; press e to edit here"
    except (NotFoundError, OSError):
        problem = (
            "the editor cannot be started, or left no file; set VISUAL or EDITOR, or press e to edit here"
        )
    app.notify(problem, severity="error", markup=False)
    return None


class Editor(Screen[bool]):
    """A text with what saves it. `current` returns the text and its hash as they are on disk now."""

    # Before the text gets to see them.
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.IN_EDITOR, priority=True)]

    def __init__(self, title: str, text: str, sha256: str, save: Save, current: Current) -> None:
        super().__init__()
        self._title, self._sha256, self._save, self._current = title, sha256, save, current
        self._before = render.for_editor(text)
        self._begun = self._before

    def begin_with(self, text: str) -> Editor:
        """Begin with a text that was changed elsewhere and could not be saved."""
        self._begun = render.for_editor(text)
        return self

    def compose(self) -> ComposeResult:
        """Build the screen."""
        yield Static(render.plain(f" Editing {render.one_line(self._title)}"), classes="title")
        yield TextArea(self._begun, show_line_numbers=True, tab_behavior="indent", id="text")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to type, below the head of the file."""
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor((render.head_length(self._begun.split("\n")), 0))

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self.query_one(TextArea).text

    @work
    async def action_save(self) -> None:
        """Save; if somebody else did so in between, ask whose text it shall be."""
        if self.text == self._before:
            self.dismiss(result=False)
            return
        try:
            warnings = self._save(self.text, self._sha256)
        except ConflictError:
            await self._settle()
        except MemolithError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            for warning in warnings:
                self.app.notify(warning, severity="warning", markup=False)
            self.dismiss(result=True)

    async def _settle(self) -> None:
        try:
            theirs, sha256 = self._current()
        except MemolithError:
            theirs, sha256 = "", digest.sha256(None)  # they deleted it
        answer = await self.app.push_screen_wait(
            Choose(
                "Somebody else changed this while you were editing (- theirs, + yours):",
                [
                    (GO_ON, "Go on editing mine"),
                    (MINE, "Save mine; theirs stays in the history"),
                    (THEIRS, "Take theirs; mine is dropped"),
                ],
                document.diff(theirs, self.text),
            )
        )
        if answer == MINE:
            self._sha256 = sha256
            self._before = theirs
            self.action_save()
        elif answer == THEIRS:
            self.dismiss(result=False)

    @work
    async def action_leave(self) -> None:
        """Leave, but not with what would be lost."""
        if self.text != self._before and not await self.app.push_screen_wait(
            Confirm("Leave without saving?", "What you typed is lost.", "Leave")
        ):
            return
        self.dismiss(result=False)

    def action_external(self) -> None:
        """Go on in another editor."""
        changed = in_editor(self.app, self.text)
        if changed is not None:
            self.query_one(TextArea).load_text(render.for_editor(changed))
