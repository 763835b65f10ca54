"""Small screens that ask something: yes or no, one of several, a form, which version; and the help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content, Span
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Input, Label, Static, TextArea

from memolith.edges.tui import keys, render
from memolith.edges.tui.lists import Listing, Row
from memolith.edges.tui.render import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from memolith.care.page import Change

_LEAVE = Binding("escape", "dismiss(None)", "Back", key_display="esc")


class Confirm(ModalScreen[bool]):
    """A question with yes and no."""

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
        """Let a hasty Enter do nothing."""
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer with the mouse."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer with a key."""
        self.dismiss(answer)


class Choose(ModalScreen[str | None]):
    """One of several."""

    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(self, question: str, choices: Sequence[tuple[str, str]], diff: str = "") -> None:
        super().__init__()
        self._question, self._choices, self._diff = question, choices, diff

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        with Vertical(classes="dialog small"):
            yield Static(render.plain(self._question, "bold"))
            yield Listing(id="choices")
            if self._diff:
                with VerticalScroll(id="diff"):
                    yield Static(render.wrapped(render.diff(self._diff), 60))
            yield Static(render.plain("enter chooses, esc goes back", render.QUIET))

    def on_mount(self) -> None:
        """Show the choices."""
        listing = self.query_one(Listing)
        listing.styles.height = len(self._choices)
        listing.show([Row("choice", value, title) for value, title in self._choices])
        listing.focus()

    def on_listing_opened(self, event: Listing.Opened) -> None:
        """Answer."""
        self.dismiss(event.row.ref)


class Field:
    """What a form asks for: a line, a text, or one of some words."""

    __slots__ = ("choices", "label", "long", "name", "value")

    def __init__(
        self, name: str, label: str, value: str = "", *, long: bool = False, choices: Sequence[str] = ()
    ) -> None:
        self.name, self.label, self.value, self.long, self.choices = name, label, value, long, choices


class Form(ModalScreen[dict[str, str] | None]):
    """Some fields; what was typed is returned by their names."""

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
        """Begin with what is empty."""
        empty = [field for field in self._fields if not field.value] or self._fields
        self.query_one(f"#field-{empty[0].name}").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer with the mouse."""
        if event.button.id == "save":
            self.action_save()
        else:
            self.dismiss(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes on to the next field, and saves in the last."""
        if event.input.id == f"field-{self._fields[-1].name}":
            self.action_save()
        else:
            self.focus_next()

    def action_save(self) -> None:
        """Return what was typed, if it can be."""
        values = {field.name: self._value(field) for field in self._fields}
        for field in self._fields:
            if not values[field.name].strip():
                self._tell(f"{field.label} is empty")
                return
            if field.choices and values[field.name] not in field.choices:
                near = [each for each in field.choices if each.startswith(values[field.name])]
                if len(near) != 1:
                    self._tell(f"{field.label} is one of {', '.join(field.choices)}")
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


class History(ModalScreen[int | None]):
    """The changes of a file, each with what it did; the state before one can be brought back."""

    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(self, title: str, changes: Sequence[Change]) -> None:
        super().__init__()
        self._title, self._changes = title, changes

    def compose(self) -> ComposeResult:
        """Build the dialog."""
        with Vertical(classes="dialog tall"):
            yield Static(render.plain(f"History of {self._title}", "bold"))
            yield Static(render.plain("enter brings back the state before a change", render.QUIET))
            yield Listing(id="versions")
            with VerticalScroll(id="diff"):
                yield Static(id="diff-text")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the versions."""
        rows = []
        for change in self._changes:
            version = change.version
            who = {"user": "you", "agent": "your agent"}.get(version.by, version.by)
            when = version.time.replace("T", " ").removesuffix("Z") + " UTC"
            rows.append(Row("version", str(version.id), f"{version.op}{f' by {who}' if who else ''}", when))
        listing = self.query_one(Listing)
        listing.show(rows, empty="memolith has not changed this file yet")
        listing.focus()

    def on_listing_moved(self, event: Listing.Moved) -> None:
        """Show what the change did."""
        if event.row is None:
            return
        change = next(each for each in self._changes if str(each.version.id) == event.row.ref)
        told = (
            "What this change did cannot be told: the file was edited by hand in between."
            if change.diff is None
            else change.diff or "(nothing is different)"
        )
        width = max(20, self.query_one("#diff").size.width - 2)
        self.query_one("#diff-text", Static).update(render.wrapped(render.diff(told), width))

    def on_listing_opened(self, event: Listing.Opened) -> None:
        """Choose a version to restore."""
        self.dismiss(int(event.row.ref))


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
        Line(render.plain("memolith keeps what your agents should know, as files on your disk.", "bold")),
        Line(render.plain("Left: where to look. Middle: what is there. Right: the text, and its source.")),
        Line(Content("")),
    ]
    for name, group in {**keys.GROUPS, "In the editor": keys.IN_EDITOR}.items():
        lines.append(Line(render.plain(name, "bold $text-primary")))
        for key in group:
            if key.help:
                text = f"  {keys.written(key):<8} {key.help}"
                lines.append(Line(Content(text, [Span(2, 10, "bold $text-accent")]), 11))
        lines.append(Line(Content("")))
    lines.append(Line(render.plain("The mouse works too: a click shows, two open.", render.QUIET)))
    return lines
