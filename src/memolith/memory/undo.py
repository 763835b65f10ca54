"""Finding the file that a person means, and undoing changes."""

from __future__ import annotations

import contextlib
import os

from memolith.base.errors import HistoryError, NotFoundError, UnsafePathError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.env.project import PROJECT_FILE
from memolith.store import layout, writeset
from memolith.store.screen import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memolith.memory.home import Home
    from memolith.store.history import Entry

# In the history, the changes of an import are named like `import-3fa9c1`; it may span several projects.
IMPORT = "import"


class Undone(Value):
    """The result of an undo: the file, which change, its size now (None: the file is gone), its hash.

    `also` lists the other files of a change to several files, which is undone as one.
    """

    also: list[str]
    bytes: int | None
    name: str
    path: str
    sha256: str
    version_undone: int


def find_file(home: Home, text: str) -> str:
    """Return the path in the store for a path, a target, a date or a note's name."""
    root = home.store
    if text == "long_term":
        return layout.MEMORY
    if text == "scratchpad":
        return layout.path(home.project, layout.SCRATCHPAD)
    if text == "daily" or layout.is_date(text):
        return layout.daily(home.project, home.today if text == "daily" else text)
    bare = text.removeprefix(root).lstrip("/") if os.path.isabs(text) else text
    places = [bare, layout.path(home.project, bare)]
    stem = bare.removesuffix(".md")
    if not set(stem) & set("/\\."):
        places += [layout.path(slug, "notes", f"{stem}.md") for slug in (home.project, layout.USER)]
    tree = Tree(root)
    for place in places:
        try:
            tree.check(place)
        except UnsafePathError:
            continue
        if layout.scope_of(place) not in (layout.USER, home.project):
            continue
        if tree.is_file(place) or home.gate.history.entries(place):
            return place
    raise NotFoundError(f"no memory file {quoted(text)}; `memolith list` and `memolith history` show them")


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
    for other in also:
        home.gate.undo(other, None)
    change, undone = home.gate.undo(relative, version)
    return Undone(
        also=also,
        name=relative,
        path=layout.locate(home.store, relative),
        version_undone=undone,
        bytes=None if change.after is None else len(change.after),
        sha256=change.sha256,
    )


def _set_of(home: Home, relative: str) -> list[str]:
    """Return the other files last changed in the same set (`writeset`, or one import)."""
    keeper = home.gate.history
    op = keeper.to_undo(relative, None).op
    if not (writeset.is_set(op) or op.startswith(f"{IMPORT}-")):
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
    for name in files_with_history(home, slugs):
        with contextlib.suppress(HistoryError):
            yield name, home.gate.history.to_undo(name, None)
