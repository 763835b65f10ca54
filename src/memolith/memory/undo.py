"""Undoing changes, and doing them again."""

from __future__ import annotations

import contextlib

from memolith.base.errors import HistoryError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.env.project import PROJECT_FILE
from memolith.memory.document import diff
from memolith.memory.find import find_file
from memolith.store import files, layout, writeset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memolith.memory.home import Home
    from memolith.store.gate import Change
    from memolith.store.history import Entry

# In the history, the changes of an import are named like `import-3fa9c1`; it may span several projects.
IMPORT = "import"


class Undone(Value):
    """The result of an undo or redo: the file, which change, its size now (None: it is gone), its hash.

    `also` lists the other files of a change to several files, which is undone as one. `by` made the change
    `op` at `time`; `diff` is what was taken back.
    """

    also: list[str]
    by: str
    bytes: int | None
    diff: str
    op: str
    time: str
    name: str
    path: str
    sha256: str
    version_undone: int


def files_with_history(home: Home, slugs: Iterable[str] | None = None) -> list[str]:
    """Return the files that have versions, by default of this project and user.

    Without identities, indexes, and a host's conversation data: nobody means those by "the newest change".
    They can be undone by name.
    """
    keeper = home.gate.history
    found = [name for slug in slugs or (layout.USER, home.project) for name in keeper.files(slug)]
    kept = layout.path(home.project, "conversations")
    return [
        name
        for name in found
        if not name.endswith((PROJECT_FILE, layout.INDEX)) and not name.startswith(f"{kept}/")
    ]


def undo(home: Home, file: str | None, version: int | None) -> Undone:
    """Undo a change of `file`, or the newest change of all files."""
    relative = newest_file(home) if file is None else find_file(home, file)
    also = _set_of(home, relative) if file is None else []
    entry = home.gate.history.to_undo(relative, version)
    for other in also:
        home.gate.undo(other, None)
    return _undone(home, relative, entry, also, home.gate.undo(relative, version)[0])


def redo(home: Home, file: str | None) -> Undone:
    """Take an undo back, of `file` or the newest of all; HistoryError if something was changed since."""
    history = home.gate.history
    if file is None:
        undone = [(entry.stamp, name, entry) for name, entry in _each(home, history.to_redo)]
        if not undone:
            raise HistoryError("nothing to redo: no undo, or something was changed since")
        _, relative, entry = max(undone, key=lambda each: each[:2])
        change = history.undone_by(relative, entry)
        also = [
            name
            for _, name, other in undone
            if name != relative and is_shared(change) and history.undone_by(name, other) == change
        ]
    else:
        relative, also = find_file(home, file), []
        entry = history.to_redo(relative)
    for other in also:
        home.gate.undo(other, history.to_redo(other).id, op="redo")
    return _undone(home, relative, entry, also, home.gate.undo(relative, entry.id, op="redo")[0])


def _undone(home: Home, relative: str, entry: Entry, also: list[str], change: Change) -> Undone:
    before, after = (files.text_of(each or b"") for each in (change.before, change.after))
    return Undone(
        also=also,
        by=entry.by,
        op=entry.op,
        time=entry.time,
        diff=diff(before, after),
        name=relative,
        path=layout.locate(home.store, relative),
        version_undone=entry.id,
        bytes=None if change.after is None else len(change.after),
        sha256=change.sha256,
    )


def is_shared(op: str) -> bool:
    """Whether a change in the history was one of several that belong together."""
    return writeset.is_set(op) or op.startswith(f"{IMPORT}-")


def _set_of(home: Home, relative: str) -> list[str]:
    """Return the other files last changed in the same set (`writeset`, or one import)."""
    keeper = home.gate.history
    op = keeper.to_undo(relative, None).op
    if not is_shared(op):
        return []
    slugs = (layout.USER, *Tree(home.store).names("projects", "")) if op.startswith(IMPORT) else None
    return [name for name, entry in _undoable(home, slugs) if name != relative and entry.op == op]


def newest_file(home: Home) -> str:
    """Return the file that was changed last, by anybody. HistoryError if there is none."""
    newest = max(((entry.stamp, name) for name, entry in _undoable(home)), default=None)
    if newest is None:
        raise HistoryError("nothing to undo: memolith changed nothing here yet")
    return newest[1]


def _undoable(home: Home, slugs: Iterable[str] | None = None) -> Iterator[tuple[str, Entry]]:
    """Yield the files that have a change to undo, with that change."""
    return _each(home, lambda name: home.gate.history.to_undo(name, None), slugs)


def _each(
    home: Home, change: Callable[[str], Entry], slugs: Iterable[str] | None = None
) -> Iterator[tuple[str, Entry]]:
    for name in files_with_history(home, slugs):
        with contextlib.suppress(HistoryError):
            yield name, change(name)
