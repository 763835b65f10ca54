"""The memory files as user interfaces show them: lists, texts with their sources, changes, and saving.

A text is read with the hash of its file, and saved only if the file still has that hash: otherwise the caller
gets a conflict, and nothing is lost. Saving goes through the gate like every write.
"""

from __future__ import annotations

import os
import time

from memolith.base.errors import InputError, NotFoundError, TooLargeError
from memolith.base.values import MAX_WRITE_BYTES, Value, Version
from memolith.care import edit
from memolith.env.paths import Tree
from memolith.learn.model.program import workplace
from memolith.memory import daily, document, note_index, notes
from memolith.memory.undo import files_with_history, newest_file, notice
from memolith.store import files, layout
from memolith.store.allow_list import masked
from memolith.store.version import stamp
from memolith.text import source_label
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Iterator

    from memolith.memory.home import Home

_SKILLS = "skills"
_NAME = "memory.md"
_EDITED_BY = {"user": "you", "agent": "your agent"}


class Page(Value):
    """A file: its path in the store, its text, the same with secrets masked, and its hash.

    `facts` describe its source, as pairs of a name and a value.
    """

    facts: list[tuple[str, str]]
    filename: str
    sha256: str
    shown: str
    text: str


class Entry(Value):
    """A file in a list: its path in the store, its title, and its first words or its size and date."""

    about: str
    filename: str
    title: str


class Change(Value):
    """A version with the diff of its change; without one if it can no longer be determined."""

    diff: str | None
    version: Version


class Pages:
    """The files of a project and its user."""

    def __init__(self, home: Home) -> None:
        self._home = home

    # ------------------------------------------------------------ lists

    def names(self, kind: str, scope: str = "project", category: str = "") -> builtins.list[str]:
        """Return the paths of all notes, days (`daily`), tickets, skills, or records of one category."""
        slug = layout.USER if scope == "user" else self._home.project
        if kind == "note":
            return [layout.path(slug, "notes", name) for name in note_index.note_files(self._root, slug)]
        if kind == "skill":
            directory = layout.path(slug, _SKILLS)
            walked = self._tree.walk(directory)
            found = [f"{below}/{name}" for below, _, names in walked for name in sorted(names)]
            return [path for path in found if path.endswith(".md")]
        if kind == "daily":
            return [layout.daily(slug, day) for day in reversed(daily.days(self._tree, slug))]
        directories = {
            "ticket": layout.path(slug, "tickets"),
            "record": layout.path(slug, "records", category),
        }
        if kind not in directories:
            raise InputError(f"{kind!r}: must be note, skill, daily, {', '.join(directories)}")
        return [f"{directories[kind]}/{name}" for name in self._tree.listed(directories[kind])]

    def list(self, kind: str, scope: str = "project") -> builtins.list[Entry]:
        """Return the notes, days, skills, the checklist (`scratchpad`) or the pages (`memory`) of a scope."""
        slug = layout.USER if scope == "user" else self._home.project
        if kind == "scratchpad":
            return self._files({"Scratchpad": layout.path(slug, layout.SCRATCHPAD)})
        if kind == "memory":
            summary = {"Learned summary": layout.SUMMARY} if slug else {}
            shown = {"MEMORY.md": layout.MEMORY, **summary, "Notes index": layout.INDEX}
            return self._files({title: layout.path(slug, name) for title, name in shown.items()})
        paths = self.names(kind, scope)
        if kind == "note":
            titles = note_index.described(self._tree, slug)
            found = [(path, *titles.get(path.rpartition("/")[2], ("", ""))) for path in paths]
            listed = [
                Entry(filename=path, title=title or _stem(path), about=about) for path, title, about in found
            ]
            return sorted(listed, key=lambda each: each.title.casefold())
        if kind == "skill":
            above = len(layout.path(slug, f"{_SKILLS}/"))
            return [Entry(filename=path, title=path[above:], about="") for path in paths]
        days = {self._home.today: "today", self._home.yesterday: "yesterday"}
        return [Entry(filename=path, title=_stem(path), about=days.get(_stem(path), "")) for path in paths]

    def _files(self, paths: dict[str, str]) -> builtins.list[Entry]:
        found = []
        for title, path in paths.items():
            if (about := self._tree.stat(path)) is not None:
                size = about.st_size
                shown = f"{size} B" if size < 1024 else f"{size / 1024:.1f} K"
                day = time.strftime("%Y-%m-%d", time.localtime(about.st_mtime))
                found.append(Entry(filename=path, title=title, about=f"{shown}  {day}"))
        return found

    # ------------------------------------------------------------ texts

    @property
    def _root(self) -> str:
        return self._home.store

    @property
    def _tree(self) -> Tree:
        return Tree(self._root)

    def get(self, path: str) -> Page:
        """Return a file. NotFoundError if it is gone."""
        data = self._tree.read(path)
        if data is None:
            raise NotFoundError(f"{path}: is not there any more; press u to undo its deletion")
        text = files.text_of(data)
        shown = masked(self._tree, path, text)
        return Page(filename=path, text=text, shown=shown, sha256=sha256(data), facts=self._facts(path, text))

    def save(self, path: str, text: str, if_sha256: str) -> builtins.list[str]:
        """Save a person's edit of a file; return warnings. ConflictError if the file has changed since.

        Without a hash, the file must not exist.
        """
        expected = if_sha256 or sha256(None)
        size = len(text.encode("utf-8", "surrogatepass"))
        if not layout.is_note(path):
            return self._home.gate.change(path, text, _instead, op="edit", if_sha256=expected).warnings
        if size > MAX_WRITE_BYTES:
            raise TooLargeError(
                f"{path}: {size:,} bytes are more than a note holds ({MAX_WRITE_BYTES:,}); split it"
            )
        return notes.write(self._home.gate, path, text, _instead, op="edit", if_sha256=expected).warnings

    def in_editor(self, text: str) -> str:
        """Let a person edit a text in $VISUAL or $EDITOR. InputError if that is not possible."""
        try:
            with workplace({_NAME: text}) as folder:
                path = os.path.join(folder, _NAME)
                code = edit.run_editor(path)
                with open(path, encoding="utf-8", errors="replace", newline="") as file:
                    changed = file.read()
        except (NotFoundError, OSError):
            raise InputError("the editor cannot be started, or left no file; set VISUAL or EDITOR") from None
        if code:
            raise InputError(f"the editor ended with exit code {code}")
        return changed

    # ------------------------------------------------------------ history

    def changes(self, path: str) -> Iterator[Change]:
        """Yield the changes of a file, newest first, each with its diff."""
        history = self._home.gate.history
        versions = {each.id: each for each in history.versions(path, markers=True)}
        for entry, state in history.states(path, self._tree.read(path)):
            diff = document.diff(_text(state[0]), _text(state[1])) if state else None
            yield Change(version=versions[entry.id], diff=diff)

    def newest(self) -> str:
        """Return the path of the file that was changed last. HistoryError if there is none."""
        return newest_file(self._home)

    def undo_between(self, begin: float, end: float) -> builtins.list[str]:
        """Undo, as one, all changes between two points in time; return the paths."""
        first, last = stamp(begin), stamp(end)
        undone = []
        notice(self._home, None)
        for path in files_with_history(self._home):
            made = [each.id for each in self._home.gate.history.entries(path) if first <= each.stamp <= last]
            if made:
                self._home.gate.undo(path, min(made))
                undone.append(path)
        return undone

    def _facts(self, path: str, text: str) -> builtins.list[tuple[str, str]]:
        found = self._tree.stat(path)
        changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.st_mtime)) if found else ""
        scope = "this project" if layout.scope_of(path) else "all projects"
        versions = self._home.gate.history.versions(path, markers=True)
        last = ""
        if versions:
            who = _EDITED_BY.get(versions[0].by, versions[0].by)
            last = versions[0].op.partition("-")[0] + (f" by {who}" if who else "")
        return [
            ("file", path),
            ("for", scope),
            ("source", source_label.of_note(text) or "you or your agent"),
            ("changed", changed + (f" ({last})" if last else "")),
            ("versions", str(len(versions)) if versions else ""),
        ]


def _instead(_: str | None, text: str) -> str:
    return text


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _text(data: bytes | None) -> str:
    return "" if data is None else files.text_of(data)
