"""The screens over the main one: confirmation, choice, form, editor, help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content, Span
from textual.screen import ModalScreen, Screen
from textual.widgets import Button, Footer, Input, Label, Static, TextArea

from memolith import ConflictError, MemolithError
from memolith.edges.tui import keys, render
from memolith.edges.tui.lists import Listing, Row
from memolith.edges.tui.render import BLANK, Line, line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

_LEAVE = Binding("escape", "dismiss(None)", "Back", key_display="esc")


class Confirm(ModalScreen[bool]):
    """A yes-or-no question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape", "answer(False)", "No", key_display="n"),
    ]

    def __init__(self, question: str, details: str = "", yes: str = "Yes") -> None:
        super().__init__()
        self._question, self._details, self._yes = question, details, yes

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        with Vertical(classes="dialog small"):
            yield Static(render.plain(self._question, "bold"))
            yield Static(render.plain(self._details))
            with Horizontal(classes="buttons"):
                yield Button(f"{self._yes} (y)", variant="error", id="yes", compact=True)
                yield Button("No (n)", id="no", compact=True)

    def on_mount(self) -> None:
        """Focus "no", so that a hasty Enter does nothing."""
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer with the mouse."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer with a key."""
        self.dismiss(answer)


class Choose(ModalScreen[str | None]):
    """A choice, perhaps with a diff: one for all, or that of the row under the cursor, by its `ref`."""

    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(
        self, question: str, rows: Sequence[Row], diff: str | Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._question, self._rows, self._diff = question, rows, diff

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        by_row = isinstance(self._diff, Mapping)
        hint = "enter restores the state before a change" if by_row else "enter chooses, esc goes back"
        with Vertical(classes="dialog tall" if by_row else "dialog small"):
            yield Static(render.plain(self._question, "bold"))
            yield Static(render.plain(hint, render.QUIET))
            yield Listing(id="choices")
            if self._diff is not None:
                with VerticalScroll(id="diff"):
                    text = "" if by_row else render.wrapped(render.diff(str(self._diff)), 60)
                    yield Static(text, id="diff-text")

    def on_mount(self) -> None:
        """Show the choices."""
        listing = self.query_one(Listing)
        if not isinstance(self._diff, Mapping):
            listing.styles.height = len(self._rows)
        listing.show(self._rows, empty="memolith has not changed this file yet")
        listing.focus()

    def on_listing_moved(self, event: Listing.Moved) -> None:
        """Show the diff of a row."""
        if event.row is not None and isinstance(self._diff, Mapping):
            width = max(20, self.query_one("#diff").size.width - 2)
            text = render.wrapped(render.diff(self._diff[event.row.ref]), width)
            self.query_one("#diff-text", Static).update(text)

    def on_listing_opened(self, event: Listing.Opened) -> None:
        """Return the choice."""
        self.dismiss(event.row.ref)


@dataclass(slots=True)
class Field:
    """A field of a form: a line, a text, or a choice of words."""

    name: str
    label: str
    value: str = ""
    long: bool = False
    choices: Sequence[str] = ()


class Form(ModalScreen[dict[str, str] | None]):
    """A form that returns its values by field name."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        _LEAVE,
    ]

    def __init__(self, title: str, fields: Sequence[Field]) -> None:
        super().__init__()
        self._title, self._fields = title, fields

    def compose(self) -> ComposeResult:
        """Build the form."""
        with VerticalScroll(classes="dialog", can_focus=False):
            yield Static(render.plain(self._title, "bold"))
            for field in self._fields:
                hint = f"  ({', '.join(field.choices)})" if field.choices else ""
                yield Label(render.plain(f"{field.label}{hint}", render.QUIET))
                if field.long:
                    yield TextArea(field.value, id=f"field-{field.name}", tab_behavior="focus")
                else:
                    yield Input(field.value, id=f"field-{field.name}", compact=True)
            yield Static("", id="problem")
            with Horizontal(classes="buttons"):
                yield Button("Save (ctrl+s)", variant="primary", id="save", compact=True)
                yield Button("Back (esc)", id="back", compact=True)

    def on_mount(self) -> None:
        """Focus the first empty field."""
        empty = [field for field in self._fields if not field.value] or self._fields
        self.query_one(f"#field-{empty[0].name}").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer with the mouse."""
        if event.button.id == "save":
            self.action_save()
        else:
            self.dismiss(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Move to the next field; save in the last one."""
        if event.input.id == f"field-{self._fields[-1].name}":
            self.action_save()
        else:
            self.focus_next()

    def action_save(self) -> None:
        """Return the values if they are valid."""
        values = {field.name: self._value(field) for field in self._fields}
        for field in self._fields:
            if not values[field.name].strip():
                self._tell(f"{field.label} is empty")
                return
            if field.choices and values[field.name] not in field.choices:
                near = [each for each in field.choices if each.startswith(values[field.name])]
                if len(near) != 1:
                    self._tell(f"{field.label} must be one of {', '.join(field.choices)}")
                    return
                values[field.name] = near[0]
        self.dismiss(values)

    def _value(self, field: Field) -> str:
        widget = self.query_one(f"#field-{field.name}")
        return (
            widget.text if isinstance(widget, TextArea) else widget.value if isinstance(widget, Input) else ""
        )

    def _tell(self, problem: str) -> None:
        self.query_one("#problem", Static).update(render.plain(problem, "$text-error"))


class Editor(Screen[bool]):
    """An editor. `current` returns the text on disk and its hash."""

    # Priority: before the text area handles them.
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings(keys.IN_EDITOR, priority=True)]

    def __init__(
        self,
        title: str,
        text: str,
        sha256: str,
        save: Callable[[str, str], list[str]],
        current: Callable[[], tuple[str, str]],
        in_editor: Callable[[str], str | None],
    ) -> None:
        super().__init__()
        self._title, self._sha256, self._save, self._current = title, sha256, save, current
        self._in_editor = in_editor
        self._before = render.for_editor(text)
        self._begun = self._before

    def begin_with(self, text: str | None) -> Editor:
        """Start with a text from another editor that could not be saved, if there is one."""
        self._begun = self._begun if text is None else render.for_editor(text)
        return self

    def compose(self) -> ComposeResult:
        """Build the screen."""
        yield Static(render.plain(f" Editing {render.one_line(self._title)}"), classes="title")
        yield TextArea(self._begun, show_line_numbers=True, tab_behavior="indent", id="text")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Put the cursor below the head of the file."""
        area = self.query_one(TextArea)
        area.focus()
        area.move_cursor((render.head_length(self._begun.split("\n")), 0))

    @property
    def text(self) -> str:
        """The current text."""
        return self.query_one(TextArea).text

    @work
    async def action_save(self) -> None:
        """Save; if somebody else has saved meanwhile, ask whose text to keep."""
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
            theirs, sha256 = "", ""  # they deleted it
        answer = await self.app.push_screen_wait(
            Choose(
                "Somebody else changed this while you were editing (- theirs, + yours):",
                [
                    Row("choice", "", "Keep editing mine"),
                    Row("choice", "mine", "Save mine; theirs stays in the history"),
                    Row("choice", "theirs", "Take theirs; discard mine"),
                ],
                "\n".join(unified_diff(theirs.splitlines(), self.text.splitlines(), lineterm="", n=3)),
            )
        )
        if answer == "mine":
            self._sha256 = sha256
            self._before = theirs
            self.action_save()
        elif answer == "theirs":
            self.dismiss(result=False)

    @work
    async def action_leave(self) -> None:
        """Leave; ask first if there are unsaved changes."""
        if self.text != self._before and not await self.app.push_screen_wait(
            Confirm("Leave without saving?", "Your changes will be lost.", "Leave")
        ):
            return
        self.dismiss(result=False)

    def action_external(self) -> None:
        """Continue in another editor."""
        changed = self._in_editor(self.text)
        if changed is not None:
            self.query_one(TextArea).load_text(render.for_editor(changed))


class Help(ModalScreen[None]):
    """All keys on one page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss(None)", "Back", key_display="esc")
    ]

    def compose(self) -> ComposeResult:
        """Build the page."""
        with VerticalScroll(classes="dialog tall"):
            yield Static(id="help")

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        """Wrap the page."""
        width = min(84, self.size.width * 96 // 100) - 6
        self.query_one("#help", Static).update(render.wrapped(help_lines(), width))


def help_lines() -> list[Line]:
    """Return the help."""
    lines = [
        line("memolith keeps what your agents should know, as files on your disk.", "bold"),
        line("Left: shelves. Middle: their entries. Right: the text and its source."),
        line("esc closes this page.", render.QUIET),
        BLANK,
    ]
    for name, group in {**keys.GROUPS, "In the editor": keys.IN_EDITOR}.items():
        lines.append(line(name, "bold $text-primary"))
        for key in group:
            if key.help:
                text = f"  {key.written:<8} {key.help}"
                lines.append(Line(Content(text, [Span(2, 10, "bold $text-accent")]), 11))
        lines.append(BLANK)
    return [*lines, line("The mouse works too: click to show, double-click to open.", render.QUIET)]
