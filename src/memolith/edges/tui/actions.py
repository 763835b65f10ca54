"""The actions behind the keys: add, edit, delete, move, archive, review, undo. Each reports what it did.

A change is whatever the history got while it ran: a change of several files (a moved record, an accepted
proposal) is undone as one, in reverse order.
"""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from textual import work
from textual.app import App, SuspendNotSupported

from memolith import ConflictError, HistoryError, MemolithError, WriteResult
from memolith.edges.tui.dialogs import Choose, Confirm, Editor, Field, Form
from memolith.edges.tui.lists import Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith import EntryResult, Mem
    from memolith.edges.tui.shelves import Shelf

Result = TypeVar("Result")
_SCOPES = ("project", "user")
_RECORD = ("record",)
_FILES = ("note", "record", "ticket", "memory", "scratchpad", "daily", "skill", "summary")
_EDITABLE = (*_FILES, "held")
_DELETABLE = ("note", "record", "ticket", "daily", "scratchpad", "memory", "session")
# The kinds of rows that an action applies to; other actions need no row.
FOR = {
    "edit": _EDITABLE,
    "editor": _EDITABLE,
    "delete": _DELETABLE,
    "history": _FILES,
    "reclassify": _RECORD,
    "archive": _RECORD,
    "accept": ("held",),
    "refuse": ("held",),
    "accept_safe": ("held",),
}


class Acting(App[None]):
    """The actions, without their display."""

    def __init__(self, mem: Mem) -> None:
        super().__init__()
        self.mem = mem
        self.shelf: Shelf | None = None
        # Descriptions of the changes, with their start and end.
        self._done: list[tuple[str, float, float]] = []

    @property
    @abstractmethod
    def row(self) -> Row | None:
        """The row that the actions apply to."""

    @abstractmethod
    def reload(self, keep: str | None = None) -> None:
        """Refresh the display."""

    @abstractmethod
    def show_new(self, path: str) -> None:
        """Refresh the display, and go to an entry that was added."""

    def tell(self, message: str, *, problem: bool = False) -> None:
        """Show a message. It may quote a text, which is never parsed as markup."""
        self.notify(message, severity="error" if problem else "information", markup=False)

    def make(self, what: str, change: Callable[[], Result]) -> Result:
        """Make a change that can be undone."""
        begin = self.mem.now()
        result = change()
        self._done.append((what, begin, self.mem.now()))
        return result

    def change(self, what: str, change: Callable[[], str], keep: str | None = None) -> None:
        """Make a change, show its message, and refresh."""
        try:
            message = self.make(what, change)
        except MemolithError as error:
            self.tell(str(error), problem=True)
            return
        self._report(message)
        self.reload(keep)

    def _report(self, message: str) -> None:
        """Show what a change did: here a key undoes it, not a command."""
        message = message.partition(" (`memolith undo`")[0]
        self.tell(f"{message}  (u undoes it)" if "\n" not in message else message)

    # ------------------------------------------------------------ add

    @work
    async def action_new(self) -> None:
        """Add an entry to the current shelf."""
        kind = self.shelf.kind if self.shelf else "note"
        what, fields = self._fields(kind)
        values = await self.push_screen_wait(Form(f"New {what}", fields))
        if values is None:
            return
        try:
            added = self.make(f"the new {what}", lambda: self._add(kind, values))
        except MemolithError as error:
            self.tell(str(error), problem=True)
            return
        self._report(added.message)
        path = added.path if isinstance(added, WriteResult) else added.filename
        self.show_new(str(path).removeprefix(f"{self.mem.root}/"))

    def _fields(self, kind: str) -> tuple[str, list[Field]]:
        """Return what can be added on a shelf, and the fields of its form."""
        shelf = self.shelf
        text, title = Field("text", "Text", long=True), Field("title", "Title")
        scope = Field("scope", "For", shelf.scope if shelf else "project", choices=_SCOPES)
        if kind == "record":
            categories = self.mem.records.categories
            part = shelf.part if shelf and shelf.part in categories else "decisions"
            return "record", [Field("category", "Category", part, choices=categories), scope, text]
        if kind == "ticket":
            return "ticket", [title, text]
        if kind == "scratchpad":
            return "scratchpad item", [Field("text", "Task")]
        if kind == "daily":
            return "log entry", [Field("title", "Heading"), text]
        return "note", [title, scope, text]

    def _add(self, kind: str, values: dict[str, str]) -> WriteResult | EntryResult:
        text, title = values["text"], values.get("title", "")
        if kind == "record":
            return self.mem.records.add(text, category=values["category"], scope=values["scope"])
        if kind == "ticket":
            return self.mem.tickets.add(title, description=text)
        if kind == "scratchpad":
            return self.mem.write("scratchpad", f"- [ ] {' '.join(text.split())}")
        if kind == "daily":
            return self.mem.append_daily(title, text)
        scope: Literal["project", "user"] = "user" if values["scope"] == "user" else "project"
        return self.mem.remember(text, title, scope=scope)

    # ------------------------------------------------------------ edit

    @work
    async def action_edit(self) -> None:
        """Edit the text here."""
        if self.row is not None:
            await self._edit(self.row)

    @work
    async def action_editor(self) -> None:
        """Edit the text in the person's own editor; text that cannot be saved is not lost."""
        if self.row is not None:
            await self._edit(self.row, elsewhere=True)

    async def _edit(self, row: Row, *, elsewhere: bool = False) -> None:
        def save(new: str, expected: str) -> list[str]:
            return self.make(f"the edit of {row.title}", lambda: self._save(row, new, expected))

        try:
            text, sha256 = self._load(row)
        except MemolithError as error:
            self.tell(str(error), problem=True)
            return
        begun, saved = (self.in_editor(text) if elsewhere else None), False
        if begun not in (None, text):
            try:
                save(str(begun), sha256)
                saved = True
            except MemolithError as error:
                why = "somebody else has changed it" if isinstance(error, ConflictError) else str(error)
                self.tell(f"Not saved: {why}. Your text is here; ctrl+s retries", problem=True)
        if not saved and (begun not in (None, text) or not elsewhere):
            editor = Editor(row.ref, text, sha256, save, lambda: self._load(row), self.in_editor)
            saved = await self.push_screen_wait(editor.begin_with(begun))
        if saved:
            self.tell(f"Saved {row.title}  (u undoes it)")
        self.reload(row.ref)

    def in_editor(self, text: str) -> str | None:
        """Let a person change a text in $VISUAL or $EDITOR; None if that is not possible."""
        try:
            with self.suspend():
                return self.mem.pages.in_editor(text)
        except SuspendNotSupported:
            problem = "this terminal cannot run an editor"
        except MemolithError as error:
            problem = str(error)
        self.tell(f"{problem}; press e to edit here", problem=True)
        return None

    def _load(self, row: Row) -> tuple[str, str]:
        """Return a text and its hash."""
        if row.kind == "held":
            return self.mem.review.get(row.ref).text, ""
        page = self.mem.pages.get(row.ref)
        return page.text, page.sha256

    def _save(self, row: Row, text: str, sha256: str) -> list[str]:
        """Save a text; return warnings."""
        if row.kind == "held":
            self.mem.review.edit(row.ref, text)
            return []
        return self.mem.pages.save(row.ref, text, sha256)

    # ------------------------------------------------------------ delete, move, archive

    @work
    async def action_delete(self) -> None:
        """Delete, after asking."""
        row = self.row
        if row is None:
            return
        last = "for good" if row.kind == "session" else "u restores it"
        if await self.push_screen_wait(Confirm(f"Delete {row.title}?", f"{row.ref}\n{last}.", "Delete")):
            name = f"session:{row.ref}" if row.kind == "session" else row.ref
            self.change(f"the deletion of {row.title}", lambda: _told(self.mem.remove(name)))

    @work
    async def action_reclassify(self) -> None:
        """Move a record to another category."""
        row = self.row
        if row is None:
            return
        now, records = row.ref.split("/")[-2], self.mem.records
        others = [Row("choice", each, each.capitalize()) for each in records.categories if each != now]
        category = await self.push_screen_wait(Choose(f"Move {row.title} from {now} to", others))
        if category is not None:
            self.change(
                f"the move of {row.title}",
                lambda: records.reclassify(row.name, category, scope=row.scope).message,
            )

    def action_archive(self) -> None:
        """Archive or restore a record."""
        row, records = self.row, self.mem.records
        if row is None:
            return

        def archive() -> str:
            is_active = records.get(row.name, row.scope).status == "active"
            return (records.archive if is_active else records.restore)(row.name, scope=row.scope).message

        self.change(f"the change of {row.title}", archive)

    # ------------------------------------------------------------ review

    def action_accept(self) -> None:
        """Accept the held text."""
        if self.row is not None:
            ref = self.row.ref
            self.change(f"the acceptance of {ref}", lambda: self.mem.review.accept(ref))

    def action_refuse(self) -> None:
        """Refuse the held text."""
        if self.row is not None:
            ref = self.row.ref
            self.change(
                f"the refusal of {ref}",
                lambda: f"Refused {self.mem.review.refuse(ref).id}; it is not held a second time",
            )

    @work
    async def action_accept_safe(self) -> None:
        """Accept all held texts without a warning."""
        review = self.mem.review
        found = [held for held in review.list() if review.is_safe(held)]
        if not found:
            self.tell("Every held text has a warning: decide one by one")
            return
        names = "\n".join(f"{held.id}  {held.call}" for held in found)

        def accept() -> str:
            for held in found:
                review.accept(held.id)
            return f"Accepted {len(found)} held texts"

        if await self.push_screen_wait(Confirm(f"Accept these {len(found)}?", names, "Accept")):
            self.change("the acceptance of all safe texts", accept)

    # ------------------------------------------------------------ history and undo

    @work
    async def action_history(self) -> None:
        """Show the changes of a file, and restore one of its states."""
        row = self.row
        if row is None:
            return
        rows, diffs = [], {}
        for each in self.mem.pages.changes(row.ref):
            version = each.version
            who = {"user": "you", "agent": "your agent"}.get(version.by, version.by)
            when = f"{datetime.fromisoformat(version.time).astimezone():%Y-%m-%d %H:%M}"
            what = f"{version.op.partition('-')[0]}{f' by {who}' if who else ''}"
            rows.append(Row("version", str(version.id), what, when))
            diffs[str(version.id)] = (
                "(no difference)"
                if each.diff == ""
                else each.diff or ("No diff for this change: the file was edited by hand afterwards.")
            )
        version_id = await self.push_screen_wait(Choose(f"History of {row.title}", rows, diffs))
        if version_id is not None:

            def restore() -> str:
                self.mem.undo(row.ref, int(version_id))
                return f"Restored {row.title} as it was before change {version_id}"

            self.change(f"the restoring of {row.title}", restore, row.ref)

    @work
    async def action_undo(self) -> None:
        """Undo the last change made here; if there is none, offer to undo the newest of all."""
        try:
            if self._done:
                what, begin, end = self._done.pop()
                undone = self.mem.pages.undo_between(begin, end)
                self.clear_notifications()  # what they tell no longer holds
                self.tell(f"Undone: {what}" if undone else f"Nothing to undo: {what}")
            else:
                question = f"No changes here yet. Undo the newest change of {self.mem.pages.newest()}?"
                if await self.push_screen_wait(Confirm(question, yes="Undo")):
                    self.tell(f"Undid the newest change of {self.mem.undo().name}")
        except HistoryError:
            self.tell("Nothing to undo: memolith has not changed anything here yet")
        except MemolithError as error:
            self.tell(str(error), problem=True)
        self.reload(self.row.ref if self.row else None)


def _told(done: Any) -> str:
    return "\n".join([done.message, *done.warnings])
