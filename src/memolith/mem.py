"""Mem: opens a home and wires the parts together. This is the library."""

from __future__ import annotations

import os

from memolith.base import whole
from memolith.base.errors import InputError, MatchError
from memolith.base.values import MAX_WRITE_BYTES, Listing, WriteResult
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.memory import arguments, daily
from memolith.memory.home import Home
from memolith.store import files, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memolith.memory.lessons import Lessons
    from memolith.memory.records import Records
    from memolith.memory.sessions import Sessions
    from memolith.memory.tickets import Tickets
    from memolith.memory.undo import Undone
    from memolith.prompt.block import Trace
    from memolith.recall.recall import Recall
    from memolith.recall.search import SearchResults
    from memolith.store.gate import Change


class Mem(Home):
    """A memory: user-wide, plus that of the project which `cwd` is in.

    Open it with `Mem.open()`. Reading never creates or changes a memory file. Several processes may use it
    at once. An ephemeral memory is removed by `close()`, at the end of a `with` block, or at exit.
    """

    def write(
        self,
        target: str,
        content: str,
        mode: str = "append",
        name: str | None = None,
        *,
        if_sha256: str | None = None,
        scope: str = "project",
    ) -> WriteResult:
        """Persist `content`; it is on disk when this returns.

        `long_term` goes to the user-wide MEMORY.md (lines that are there already are skipped),
        `scratchpad` to the project's checklist, `daily` to today's log, `note` to the note `name`.

        Raises InputError for an unknown target, mode or name, ConflictError if the file is not the one
        with `if_sha256`, StorageError if the disk refuses.
        """
        where, how = arguments.target(target), arguments.mode(mode)
        if where == "note":
            arguments.check_name(name, content)
        arguments.check_text(content)
        asked = {"target": where, "mode": how, "name": name, "scope": scope}
        if held := self._held("write", content, asked, where):
            return held
        self._prepare(where, scope)
        relative = self._locate(where, name if where == "note" else None, scope)
        skipped = 0

        def apply(old: str | None, text: str) -> str | None:
            nonlocal skipped
            if how == "overwrite":
                return text
            from memolith.text import markdown

            if where == "long_term":
                text, skipped = markdown.drop_known_lines(old or "", text)
                if not text.strip():
                    return old
            return markdown.append(old or "", text)

        op = "write" if how == "append" else "overwrite"
        change = self._change(relative, content, apply, op=op, if_sha256=if_sha256)
        return self._result(change, skipped)

    def read(
        self,
        source: str = "long_term",
        name: str | None = None,
        *,
        offset: int = 0,
        lines: int | None = None,
        scope: str = "project",
    ) -> str:
        """Return a file's text, `(empty)` if there is none, at most 32 KiB.

        `source` is a write target or `list`. `name` is a note's name or a day of the daily log.
        `offset` skips lines and `lines` limits them, so that the rest of a long file can be read.
        """
        if source == "list":
            return arguments.page("\n".join(self.list()), offset, lines) or arguments.EMPTY
        relative = self._locate(arguments.target(source, "source"), name, scope)
        data = Tree(self._store).read(relative, MAX_LOOK_BYTES, cut=True)
        text = files.text_of(data or b"").removeprefix("\ufeff")
        shown = arguments.page(text, offset, lines)
        return shown if text.strip() else arguments.EMPTY

    def edit(
        self,
        target: str,
        old_str: str | None = None,
        new_str: str = "",
        name: str | None = None,
        *,
        if_sha256: str | None = None,
        scope: str = "project",
    ) -> WriteResult:
        """Replace the one occurrence of `old_str` by `new_str`; without `old_str`, delete a note.

        Raises MatchError if `old_str` does not occur exactly once, NotFoundError if a note to delete is
        not there.
        """
        where = arguments.target(target)
        arguments.check_text(new_str, "new_str", empty=True)
        relative = self._locate(where, name, scope)
        if old_str is None:
            if where != "note":
                raise InputError(f"which text of {where}? Give old_str (CLI: --old TEXT)")
            from memolith.memory import notes

            change = notes.delete(self.gate, relative, if_sha256)
            return self._result(change, message=f"Deleted {relative} (memolith undo brings it back)")
        apply = arguments.replacement(relative, old_str)
        if Tree(self._store).stat(relative) is None:
            raise MatchError(relative, 0)  # before anything is created for it
        asked = {"target": where, "old_str": old_str, "name": name, "scope": scope}
        if held := self._held("edit", new_str, asked, where):
            return held
        change = self._change(relative, new_str, apply, op="edit", if_sha256=if_sha256)
        return self._result(change)

    def append_daily(self, heading: str, body: str) -> WriteResult:
        """Add a timestamped entry to today's log."""
        arguments.check_text(heading, "heading")
        arguments.check_text(body, "body", empty=True)
        if held := self._held("append_daily", body, {"heading": heading}, "daily"):
            return held
        from memolith.store.allow_list import allowed
        from memolith.store.screen import together

        given, body, warnings = together(
            {"heading": heading},
            body,
            lambda: allowed(self._store, self.project),
            by_hand=self.gate.by_hand,
        )
        entry = daily.entry(self._now(), str(given["heading"]), body)
        self._prepare("daily", "project")
        change = self._change(layout.daily(self.project, self.today), entry, daily.add, op="write")
        change.warnings[:0] = warnings
        return self._result(change)

    def context_block(
        self, query: str | None = None, *, max_chars: int | None = None, trace: Trace | None = None
    ) -> str | None:
        """Return the block to inject into a prompt, or None if there is nothing to inject.

        Recomputed on every call; unchanged files give identical bytes. `max_chars` is a host's smaller limit.
        `query` is the task at hand and adds what is recalled for it. A line names what could not be read.
        `trace` gets how it was made.
        """
        if not self.settings.flag("enabled"):
            return None
        recalled = ""
        with whole.Watch() as watch:
            if query and query.strip():
                from memolith.recall import recalling

                recalled = recalling.brief(self, query)
            from memolith.prompt import block  # a question needs nothing of it

            return block.build(
                Tree(self._store),
                self.project,
                self.today,
                self.yesterday,
                recent=self.settings.text("inject.daily") == "recent",
                max_chars=max_chars,
                recalled=recalled,
                summary_tokens=self.summary_tokens,
                trace=trace,
                watch=watch,
            )

    def search(self, query: str) -> SearchResults:
        """Find files by keywords: any term, any case, literally."""
        from memolith.recall import search

        if not isinstance(query, str):
            raise InputError(f"query must be text, not {type(query).__name__}")
        with whole.Watch() as watch:
            found = search.search(self._store, self.project, query)
            found.missing = watch.missing
            return found

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        scopes: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
        categories: Collection[str] | None = None,
        since: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        semantic: bool | None = None,
    ) -> Recall:
        """Return what is known about a question, best first; nothing if nothing is about it.

        `scopes` are project and user (default: both), `kinds` and `categories` those of the hits. `since`
        leaves out what is older than a date, `as_of` answers for a day in the past, `budget` is the room
        for the brief in tokens. `semantic` asks by meaning too; by default if the extra is installed.
        """
        from memolith.recall import recalling

        return recalling.recall(
            self,
            query,
            limit=limit,
            scopes=scopes,
            kinds=kinds,
            categories=categories,
            since=since,
            as_of=as_of,
            budget=budget,
            semantic=semantic,
        )

    def list(self) -> Listing:
        """Return the sorted paths, relative to the store, of the memory files of this project and user."""
        from memolith.recall.search import searchable

        tree = Tree(self._store)
        with whole.Watch() as watch:
            found = sorted(name for name in searchable(self._store, self.project) if tree.is_file(name))
            return Listing(found, watch.missing)

    def remember(
        self, content: str, title: str, kind: str = "project", *, scope: str = "project"
    ) -> WriteResult:
        """Store one fact as a note and keep its line in the index; the same title replaces the note.

        `scope="user"` remembers it for all projects.
        """
        from memolith.memory import notes

        notes.check(content, title)
        asked = {"title": title, "kind": kind, "scope": scope}
        if self._scope(scope):
            self.register()  # before the slug is used: registering may find that it is taken
        name = notes.name_for(self.gate, self._scope(scope), title) if self.source.outside else None
        if held := self._held("remember", content, asked, "note", name):
            return held
        change = notes.remember(self.gate, self._scope(scope), content, title, kind, self.source)
        return self._result(change)

    def guidance(self) -> str:
        """Return what an agent should be told about its memory, with its directory; nothing if it is off."""
        from memolith.prompt.guidance import MEMORY_TOOLS_PROMPT

        if not self.settings.flag("enabled"):
            return ""
        here = layout.locate(self._store, layout.scope_directory(self.project))
        where = f"The files are in {here} (this project) and {self._store} (all projects)."
        return f"{MEMORY_TOOLS_PROMPT}\n{where}\n"

    def update(
        self,
        content: str,
        mode: str = "append",
        force: bool = False,
        *,
        action: str | None = None,
        if_sha256: str | None = None,
    ) -> WriteResult:
        """Add to MEMORY.md, or rewrite it; a rewrite that drops more than half of it needs `force`.

        `action` is another name for `mode`. Raises LossError with the diff if too much would be lost.
        """
        from memolith.memory import document

        arguments.check_text(content)
        mode = mode if action is None else action
        if held := self._held("update", content, {"mode": mode}, "long_term"):
            return held
        skipped: list[int] = []
        apply = document.appender(mode, force=force, path=layout.MEMORY, skipped=skipped)
        op = "write" if mode == "append" else "rewrite"
        change = self._change(layout.MEMORY, content, apply, op=op, if_sha256=if_sha256)
        return self._result(change, skipped[-1] if skipped else 0)

    def update_section(self, section: str, text: str, *, if_sha256: str | None = None) -> WriteResult:
        """Replace one section of MEMORY.md and date it; all other bytes stay. A new section is created."""
        from memolith.memory import document

        arguments.check_text(section, "section", empty=True)
        arguments.check_text(text, empty=True)
        apply, warnings = document.section_setter(section, self.today)
        if held := self._held("update_section", text, {"section": section}, "long_term"):
            return held
        change = self._change(layout.MEMORY, text, apply, op="section", if_sha256=if_sha256)
        change.warnings[:0] = warnings
        return self._result(change)

    @property
    def records(self) -> Records:
        """The typed facts of this project and its user."""
        from memolith.memory.records import Records

        return Records(self)

    @property
    def lessons(self) -> Lessons:
        """What is to be learned of this project, in somebody's own words."""
        from memolith.memory.lessons import Lessons

        return Lessons(self)

    @property
    def tickets(self) -> Tickets:
        """The pieces of work of this project."""
        from memolith.memory.tickets import Tickets

        return Tickets(self)

    @property
    def sessions(self) -> Sessions:
        """The finished sessions of this project."""
        from memolith.memory.sessions import Sessions

        return Sessions(self)

    def find_file(self, text: str) -> str:
        """Return the path in the store that a person means: a path, a target, a date or a note's name.

        Raises NotFoundError if there is no such file and none in the history.
        """
        from memolith.memory.undo import find_file

        return find_file(self, text)

    def undo(self, file: str | None = None, version: int | None = None) -> Undone:
        """Take back a change: of `file`, else the newest of all.

        Raises HistoryError if there is nothing to undo.
        """
        from memolith.memory.undo import undo

        return undo(self, file, version)

    def _held(
        self, call: str, text: str, asked: Mapping[str, str | None], where: str, name: str | None = None
    ) -> WriteResult | None:
        """Keep a text for review instead of writing it, if it is from outside and would be seen unasked."""
        if not self.source.outside:
            return None
        from memolith.memory.quarantine import hold

        scope = asked.get("scope") or "project"
        self._prepare(where, scope)
        user_wide = where == "long_term" or (where == "note" and not self._scope(scope))
        apart = self._locate(where, name or asked.get("name"), scope) if where == "note" else ""
        return hold(self, call, text, asked, user_wide=user_wide, apart=apart)

    def _change(
        self,
        relative: str,
        content: str,
        apply: Callable[[str | None, str], str | None],
        *,
        op: str,
        if_sha256: str | None = None,
    ) -> Change:
        is_note = os.path.dirname(relative) == layout.notes(layout.scope_of(relative))
        from memolith.memory import notes
        from memolith.text import source_label

        apply = source_label.stamped(apply, self.source, is_note=is_note, op=op)
        if is_note:
            return notes.write(self.gate, relative, content, apply, op=op, if_sha256=if_sha256)
        return self.gate.change(relative, content, apply, op=op, if_sha256=if_sha256, cap=MAX_WRITE_BYTES)

    def _result(self, change: Change, skipped: int = 0, message: str | None = None) -> WriteResult:
        from memolith.memory.replies import reply

        if change.relative == layout.MEMORY and change.changed:
            from memolith.memory.document import keep_small

            keep_small(self, change)
        if change.after and change.after.startswith(b"---") and self.source.trusted:
            from memolith.text.source_label import waits

            change.warnings.extend(waits(files.text_of(change.after)))
        return reply(self._store, change, skipped, message)
