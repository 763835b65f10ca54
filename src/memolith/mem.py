"""Mem: every verb that a user has, each a line or three. This is the library."""

from __future__ import annotations

from memolith.memory import arguments, writing
from memolith.memory.home import Home
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Collection, Sequence
    from typing import Literal, Unpack

    from memolith.base.choices import WriteMode, WriteTarget
    from memolith.base.values import Hit, Mode, Recall, Scope, Target, WriteResult
    from memolith.base.values import NoteKind as Kind
    from memolith.care.doctor import Checkup
    from memolith.care.erase import Cleaned
    from memolith.care.forget import Forgotten
    from memolith.care.page import Pages
    from memolith.care.projects import Projects
    from memolith.care.review import Review
    from memolith.care.scan import Allowed, Report
    from memolith.care.status import Overview
    from memolith.care.transfer.bring import Imported
    from memolith.care.transfer.pack import Exported
    from memolith.care.transfer.unpack import Bringing
    from memolith.care.why import Why
    from memolith.learn.consolidate.skills import Promoted
    from memolith.learn.learning import Learning
    from memolith.memory.find import Found
    from memolith.memory.lessons import Lessons
    from memolith.memory.records import Records
    from memolith.memory.sessions import Sessions
    from memolith.memory.tickets import Tickets
    from memolith.memory.tidy import Tidied
    from memolith.memory.undo import Undone
    from memolith.prompt.explain import Explanation
    from memolith.recall.covered import Listing
    from memolith.recall.search import How, SearchResults


class Mem(Home):
    """A memory: user-wide, plus that of the project which `cwd` is in.

    Open it with `Mem.open()`. Reading never creates or changes a memory file. Several processes may use it
    at once. An ephemeral memory is removed by `close()`, at the end of a `with` block, or at exit.
    """

    @property
    def home(self) -> str:
        """The directory that holds everything of this memory."""
        return self.path

    def write(
        self,
        target: Target | WriteTarget,
        content: str,
        mode: Mode | WriteMode = "append",
        name: str | None = None,
        *,
        force: bool = False,
        if_sha256: str | None = None,
        scope: Scope = "project",
    ) -> WriteResult:
        """Persist `content`; it is on disk when this returns.

        `long_term` goes to the user-wide MEMORY.md (lines that are there already are skipped),
        `scratchpad` to the project's checklist, `daily` to today's log, `note` to the note `name`.

        Raises InputError for an unknown target, mode or name, ConflictError if the file is not the one
        with `if_sha256`, LossError if more than half of MEMORY.md would be lost without `force`,
        StorageError if the disk refuses.
        """
        return writing.write(self, target, content, mode, name, force=force, if_sha256=if_sha256, scope=scope)

    def read(
        self,
        source: Target | Literal["list"] = "long_term",
        name: str | None = None,
        *,
        offset: int = 0,
        lines: int | None = None,
        scope: Scope = "project",
    ) -> str:
        """Return a file's text, `(empty)` if it does not exist, at most 32 KiB.

        `source` is a write target or `list`. `name` is a note's name or a day of the daily log.
        `offset` skips lines and `lines` limits them, so that the rest of a long file can be read.
        """
        if source == "list":
            return arguments.page("\n".join(self.list()), offset, lines) or arguments.EMPTY
        return writing.read(self, source, name, offset=offset, lines=lines, scope=scope)

    def edit(
        self,
        target: Target | WriteTarget,
        old_str: str | None = None,
        new_str: str = "",
        name: str | None = None,
        *,
        if_sha256: str | None = None,
        scope: Scope = "project",
    ) -> WriteResult:
        """Replace the one occurrence of `old_str` by `new_str`; without `old_str`, delete a note.

        Raises MatchError if `old_str` does not occur exactly once, NotFoundError if a note to delete is
        not there.
        """
        return writing.edit(self, target, old_str, new_str, name, if_sha256=if_sha256, scope=scope)

    def append_daily(self, heading: str, body: str) -> WriteResult:
        """Add a timestamped entry to today's log."""
        return writing.append_daily(self, heading, body)

    def context_block(self, query: str | None = None, *, max_chars: int | None = None) -> str | None:
        """Return the block to inject into a prompt, or None if there is nothing to inject.

        Recomputed on every call; unchanged files give identical bytes. `max_chars` is a host's smaller limit.
        `query` is the task at hand and adds what is recalled for it. A line names what could not be read.
        """
        from memolith.prompt import block

        return block.of(self, self._brief(query), max_chars=max_chars).text or None

    def search(self, query: str, **how: Unpack[How]) -> SearchResults:
        """Find files by words, literally, in any case: any ("two words" are one), or all `within` lines."""
        from memolith.recall import search

        return search.find(self, query, **how)

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
        """Return what is known about a question, best first; nothing if memory has no answer.

        `scopes` are project and user (default: both), `kinds` and `categories` those of the hits. `since`
        skips anything older than a date, `as_of` answers for a day in the past, `budget` limits the brief
        in tokens. `semantic` also searches by meaning; by default if that is installed.
        """
        from memolith.recall.recall import recall

        return recall(
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
        from memolith.recall.covered import listing

        return listing(self)

    def remember(
        self, content: str, title: str | None = None, kind: Kind | None = None, *, scope: Scope = "project"
    ) -> WriteResult:
        """Store one fact as a note that has a line in the index; the same title replaces the note.

        Without a title, it gets one from its first words. `scope="user"` remembers it for all projects.
        """
        return writing.remember(self, content, title, kind, scope=scope)

    def guidance(self) -> str:
        """Return instructions for an agent about its memory, with its directory; empty if memory is off."""
        from memolith.prompt.guidance import MEMORY_TOOLS_PROMPT

        if not self.is_on:
            return ""
        where = f"The files are in {self.store} (all projects)."
        if not self.is_nowhere:
            here = layout.locate(self.store, layout.path(self.project))
            here += layout.also_in(self.store, self.project)
            where = f"The files are in {here} (this project) and {self.store} (all projects)."
        return f"{MEMORY_TOOLS_PROMPT}\n{where}\n"

    def update(
        self,
        content: str,
        mode: Literal["append", "rewrite"] | None = None,
        force: bool = False,
        *,
        action: str | None = None,
        if_sha256: str | None = None,
    ) -> WriteResult:
        """Add to MEMORY.md (the default), or rewrite it; a rewrite that drops more than half needs `force`.

        `action` is another name for `mode`. Raises LossError with the diff if too much would be lost.
        """
        return writing.update(self, content, mode, force, action=action, if_sha256=if_sha256)

    def update_section(self, section: str, text: str, *, if_sha256: str | None = None) -> WriteResult:
        """Replace one section of MEMORY.md and date it; all other bytes stay. A new section is created."""
        return writing.update_section(self, section, text, if_sha256=if_sha256)

    @property
    def records(self) -> Records:
        """The typed facts of this project and its user."""
        from memolith.memory.records import Records

        return Records(self)

    @property
    def lessons(self) -> Lessons:
        """What to learn about this project, in somebody's own words."""
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

    @property
    def learning(self) -> Learning:
        """Learning from sessions: run it, its status and cost, and withdrawing what was learned."""
        from memolith.learn.learning import Learning

        return Learning(self)

    @property
    def review(self) -> Review:
        """What waits for a person, and their decisions."""
        from memolith.care.review import Review

        return Review(self)

    @property
    def projects(self) -> Projects:
        """The projects that have a memory, and which directories lead to each."""
        from memolith.care.projects import Projects

        return Projects(self)

    @property
    def pages(self) -> Pages:
        """The memory files as a person looks at them, for user interfaces."""
        from memolith.care.page import Pages

        return Pages(self)

    def find(self, name: str, *kinds: str) -> Found:
        """Return what a name means: an id, a title, an address, a target, or the beginning of one.

        `kinds` are those that may be meant: note, record, ticket, session (default: all).
        """
        from memolith.memory import find

        return find.find(self, name, kinds or find.KINDS)

    def remove(self, name: str, *kinds: str) -> Tidied:
        """Delete what a name means; `undo` brings it back, unless it is a session."""
        from memolith.care.remove import remove

        return remove(self, name, kinds)

    def rename(self, name: str, title: str) -> Tidied:
        """Give a note another title."""
        from memolith.memory.tidy import rename

        return rename(self, name, title)

    def undo(self, file: str | None = None, version: int | None = None) -> Undone:
        """Take back a change: of `file`, else the newest of all. HistoryError if there is none."""
        from memolith.memory.undo import undo

        return undo(self, file, version)

    def redo(self, file: str | None = None) -> Undone:
        """Take back an undo, if nothing was changed since."""
        from memolith.memory.undo import redo

        return redo(self, file)

    def explain(self, query: str | None = None, *, max_chars: int | None = None) -> Explanation:
        """Return the block as `context_block` makes it, and what each part of it is."""
        from memolith.prompt.explain import explain

        return explain(self, self._brief(query), max_chars=max_chars)

    def status(self) -> Overview:
        """Return what is remembered, how big it is, and what needs attention."""
        from memolith.care.status import overview

        return overview(self)

    def why(self, ref: str) -> Why:
        """Return where a memory came from, who changed it when, and which sessions received it.

        `ref` is a path, a note's name, memory://…, the id of a record, ticket or hit, or session:NAME#TURN.
        """
        from memolith.care.why import why

        return why(self, ref)

    def promote(self, note: str) -> Promoted:
        """Turn a note that describes a procedure into a skill, or update its skill."""
        from memolith.learn.consolidate.skills import promote

        return promote(self, note)

    def forget(self, text: str, *, everywhere: bool = False, dry_run: bool = False) -> Forgotten:
        """Delete every line that contains `text` from memory, history and session copies, for good.

        `everywhere`: in all projects, not only this one and the user's. NotFoundError if no line has it.
        """
        from memolith.care.forget import forget

        return forget(self, text, everywhere=everywhere, dry_run=dry_run)

    def doctor(self, *, fix: bool = False) -> Checkup:
        """Check all projects for problems; `fix` repairs what can be repaired without loss."""
        from memolith.care.doctor import check

        return check(self, fix=fix)

    def scan(
        self, path: str | bytes | None = None, *, progress: Callable[[int], None] = lambda _: None
    ) -> Report:
        """Look for secrets in the whole memory, in a file or folder, or in the bytes of a text."""
        from memolith.care.scan import scan

        return scan(self, path, progress)

    def purge(
        self,
        *,
        tell: Callable[[str], None] = lambda _: None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> builtins.list[Cleaned]:
        """Mask every stored secret, in the history too. `tell` gets what could not be masked."""
        from memolith.care.erase import purge

        return purge(self, tell, progress)

    def allow(self, value: str | None = None, *, remove: bool = False, scope: Scope = "project") -> Allowed:
        """Allow a value that looks like a secret, or `remove` it from the list; without one, list them."""
        from memolith.care.scan import allow

        return allow(self, value, remove=remove, scope=scope)

    def import_(self, path: str | os.PathLike[str] | None = None, **how: Unpack[Bringing]) -> Imported:
        """Import another program's memory, or an archive (see `import_memory`)."""
        from memolith.care.transfer.unpack import import_memory

        return import_memory(self, path, **how)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        everything: bool = True,
        history: bool = True,
        sessions: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> Exported:
        """Write all of memory (not `everything`: this project's and the user's) into a new archive."""
        from memolith.care.transfer.pack import export_memory

        return export_memory(
            self, path, everything=everything, history=history, sessions=sessions, tell=progress
        )

    def _brief(self, query: str | None) -> Callable[[], Sequence[Hit]] | None:
        """Return how to recall what is known about a task, if there is one."""
        if not query or not query.strip():
            return None
        from memolith.recall.recall import for_block

        return lambda: for_block(self, query).hits
