"""What the keys change: add, edit, delete, move, archive, review, undo. Each says what it did."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from textual import work
from textual.app import App

from memolith.base.errors import ConflictError, MemolithError
from memolith.care import page as pages
from memolith.edges.tui import changes
from memolith.edges.tui.dialogs import Choose, Confirm, Field, Form, History
from memolith.edges.tui.editor import Editor, in_editor
from memolith.memory.record import read
from memolith.store import layout
from memolith.store.layout import CATEGORIES
from memolith.text.secrets.veil import in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.base.values import Scope
    from memolith.edges.tui.lists import Row
    from memolith.edges.tui.shelves import Shelf
    from memolith.mem import Mem
    from memolith.memory.review import Held

_SCOPES = ("project", "user")
_RECORD, _DELETABLE = ("record",), ("note", "record", "ticket")
_FILES = ("note", "record", "ticket", "memory", "scratchpad", "daily", "skill", "summary")
_EDITABLE = (*_FILES, "held")
# Which rows an action is for; the others have no row.
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
    """The actions, without what is seen of them."""

    def __init__(self, mem: Mem) -> None:
        super().__init__()
        self.mem = mem
        self.changes = changes.Changes(mem)
        self.shelf: Shelf | None = None

    @property
    @abstractmethod
    def row(self) -> Row | None:
        """What the actions are about."""

    @abstractmethod
    def reload(self, keep: str | None = None) -> None:
        """Show what is there now."""

    def tell(self, message: str, *, problem: bool = False) -> None:
        """Say something. It may quote a text, which is never read as markup."""
        self.notify(message, severity="error" if problem else "information", markup=False)

    def change(self, what: str, make: Callable[[], str], keep: str | None = None) -> bool:
        """Make a change and show what is there then; False if it could not be made."""
        try:
            told = self.changes.make(what, make)
        except MemolithError as error:
            self.tell(str(error), problem=True)
            return False
        self.tell(f"{told}  (u takes it back)")
        self.reload(keep)
        return True

    # ------------------------------------------------------------ add

    @work
    async def action_new(self) -> None:
        """Add what belongs on the shelf one looks at."""
        kind = self.shelf.kind if self.shelf else "note"
        what, fields = self._fields(kind)
        given = await self.push_screen_wait(Form(f"New {what}", fields))
        if given is not None:
            self.change(f"the new {what}", lambda: self._add(kind, given))

    def _fields(self, kind: str) -> tuple[str, list[Field]]:
        """Return what is added on a shelf, and what is asked for it."""
        shelf = self.shelf
        text, title = Field("text", "Text", long=True), Field("title", "Title")
        of = Field("scope", "For", shelf.scope if shelf else "project", choices=_SCOPES)
        if kind == "record":
            part = shelf.part if shelf and shelf.part in CATEGORIES else "decisions"
            return "record", [Field("category", "Category", part, choices=CATEGORIES), of, text]
        if kind == "ticket":
            return "ticket", [title, text]
        if kind == "scratchpad":
            return "item on the scratchpad", [Field("text", "What is to be done")]
        if kind == "daily":
            return "entry in today's log", [Field("title", "Heading"), text]
        return "note", [title, of, text]

    def _add(self, kind: str, given: dict[str, str]) -> str:
        text, title = given["text"], given.get("title", "")
        if kind == "record":
            return self.mem.records.add(text, category=given["category"], scope=given["scope"]).message
        if kind == "ticket":
            return self.mem.tickets.add(title, description=text).message
        if kind == "scratchpad":
            return self.mem.write("scratchpad", f"- [ ] {' '.join(in_one_line(text).split())}").message
        if kind == "daily":
            return self.mem.append_daily(title, text).message
        scope: Scope = "user" if given["scope"] == "user" else "project"
        return self.mem.remember(text, title, scope=scope).message

    # ------------------------------------------------------------ edit

    @work
    async def action_edit(self) -> None:
        """Edit the text here."""
        if editor := self._editor():
            await self._edit(editor)

    @work
    async def action_editor(self) -> None:
        """Edit the text in the person's own editor; what cannot be saved is not lost."""
        row = self.row
        editor = self._editor()
        if row is None or editor is None:
            return
        text, sha256, save = self._text(row)
        changed = in_editor(self, text)
        if changed is None or changed == text:
            self.reload(row.ref)
            return
        try:
            self.changes.make(f"the edit of {row.title}", lambda: str(save(changed, sha256)))
        except MemolithError as error:
            why = "somebody else changed it meanwhile" if isinstance(error, ConflictError) else str(error)
            self.tell(f"Not saved: {why}. Your text is here; ctrl+s tries again", problem=True)
            await self._edit(editor.begin_with(changed))
        else:
            self.tell(f"Saved {row.title}  (u takes it back)")
            self.reload(row.ref)

    async def _edit(self, editor: Editor) -> None:
        row = self.row
        if await self.push_screen_wait(editor) and row is not None:
            self.tell(f"Saved {row.title}  (u takes it back)")
        self.reload(row.ref if row else None)

    def _editor(self) -> Editor | None:
        row = self.row
        if row is None:
            return None
        try:
            text, sha256, save = self._text(row)
        except MemolithError as error:
            self.tell(str(error), problem=True)
            return None

        def remembered(new: str, expected: str) -> list[str]:
            warnings: list[str] = []

            def make() -> str:
                warnings.extend(save(new, expected))
                return ""

            self.changes.make(f"the edit of {row.title}", make)
            return warnings

        return Editor(row.ref, text, sha256, remembered, lambda: self._text(row)[:2])

    def _text(self, row: Row) -> tuple[str, str, Callable[[str, str], list[str]]]:
        """Return a text, its hash, and what saves it."""
        if row.kind == "held":
            held = self.mem.review.get(row.ref)
            return held.text, "", lambda text, _: changes.edit(self.mem, held, text)
        page = pages.load(self.mem, row.ref)
        return page.text, page.sha256, lambda text, sha256: pages.save(self.mem, row.ref, text, sha256)

    # ------------------------------------------------------------ delete, move, archive

    @work
    async def action_delete(self) -> None:
        """Delete, after asking."""
        row = self.row
        if row is None or not await self.push_screen_wait(
            Confirm(f"Delete {row.title}?", f"{row.ref}\nu brings it back.", "Delete")
        ):
            return
        name, scope = row.ref.rpartition("/")[2].removesuffix(".md"), self._scope(row)

        def delete() -> str:
            if row.kind == "record":
                self.mem.records.delete(name, scope=scope)
            elif row.kind == "ticket":
                self.mem.tickets.delete(name)
            else:
                self.mem.edit("note", None, name=name, scope=scope)
            return f"Deleted {row.title}"

        self.change(f"the deletion of {row.title}", delete)

    @work
    async def action_reclassify(self) -> None:
        """Move a record to another category."""
        row = self.row
        if row is None:
            return
        name, now = row.ref.rpartition("/")[2].removesuffix(".md"), row.ref.split("/")[-2]
        others = [(each, each.capitalize()) for each in CATEGORIES if each != now]
        category = await self.push_screen_wait(Choose(f"Move {row.title} from {now} to", others))
        if category is not None:
            move = self.mem.records.reclassify
            self.change(
                f"the move of {row.title}", lambda: move(name, category, scope=self._scope(row)).message
            )

    def action_archive(self) -> None:
        """Archive a record, or bring it back."""
        row = self.row
        if row is None:
            return
        name = row.ref.rpartition("/")[2].removesuffix(".md")
        found = read(str(self.mem.root), row.ref)
        records = self.mem.records
        act = records.archive if found is not None and found.status == "active" else records.restore
        self.change(f"the change of {row.title}", lambda: act(name, scope=self._scope(row)).message)

    @staticmethod
    def _scope(row: Row) -> Scope:
        return "project" if layout.scope_of(row.ref) else "user"

    # ------------------------------------------------------------ review

    def action_accept(self) -> None:
        """Accept what waits."""
        self._decide("the acceptance", changes.accept)

    def action_refuse(self) -> None:
        """Refuse what waits."""
        self._decide("the refusal", changes.refuse)

    def _decide(self, what: str, decide: Callable[[Mem, Held], str]) -> None:
        row = self.row
        if row is not None:
            self.change(f"{what} of {row.ref}", lambda: decide(self.mem, self.mem.review.get(row.ref)))

    @work
    async def action_accept_safe(self) -> None:
        """Accept all that nothing speaks against any more."""
        found = changes.safe(self.mem)
        if not found:
            self.tell(
                "Of what waits, each still reads like an instruction or drops too much: decide one by one"
            )
            return
        names = "\n".join(f"{held.id}  {held.call}" for held in found)
        if await self.push_screen_wait(Confirm(f"Accept {len(found)} text(s)?", names, "Accept")):
            self.change("the acceptance of all safe texts", lambda: self._accept(found))

    def _accept(self, found: list[Held]) -> str:
        for held in found:
            changes.accept(self.mem, held)
        return f"Accepted {len(found)} text(s)"

    # ------------------------------------------------------------ history and undo

    @work
    async def action_history(self) -> None:
        """Show the changes of a file, and bring one of its states back."""
        row = self.row
        if row is None:
            return
        number = await self.push_screen_wait(History(row.title, list(pages.changes(self.mem, row.ref))))
        if number is not None:

            def restore() -> str:
                self.mem.undo(row.ref, number)
                return f"Restored {row.title} as it was before change {number}"

            self.change(f"the restoring of {row.title}", restore, row.ref)

    @work
    async def action_undo(self) -> None:
        """Take back the last change made here; without one, ask about the newest of all."""
        try:
            if self.changes.last:
                self.tell(self.changes.undo())
            elif newest := self.changes.newest():
                name, how = newest
                question = f"Nothing was changed here yet. Undo the newest change of {name}?"
                if not await self.push_screen_wait(Confirm(question, how, "Undo")):
                    return
                self.mem.undo(name)
                self.tell(f"Undone: {how} of {name}")
            else:
                self.tell("There is nothing to undo: memolith changed nothing here yet")
        except MemolithError as error:
            self.tell(str(error), problem=True)
        self.reload(self.row.ref if self.row else None)
