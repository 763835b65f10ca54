"""Temporary files, and exchanging one with the real file.

Those of a scope live in its `.tmp/`, each named after its target. So finding stray ones costs one listing of
an empty directory, not one of ten thousand notes. Under the lock of the scope, anything there was left by a
crash.
"""

from __future__ import annotations

import contextlib

from memolith.base.errors import MemolithError, UnsafePathError
from memolith.env.paths import Place, Tree
from memolith.store import files, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.store.history import History

    # The old bytes, the file that holds them, and whether somebody still has that file open.
    Out = tuple[bytes | None, Place | None, bool]

# Not a file but a directory: several files that change as one.
_SET = layout.STAGED.rpartition("/")[2]


def new(tree: Tree, relative: str) -> Place:
    """Return a free temporary place for a memory file."""
    scope = layout.scope_of(relative)
    folder = files.make_folder(tree, layout.path(scope, layout.TEMPORARY))
    inside = relative[len(layout.path(scope)) :].lstrip("/")
    name = inside.replace("%", "%25").replace("/", "%2F")
    number = 0
    while (place := Place(folder, f"{name}.{number}")).stat() is not None:
        number += 1
    return place


def recover(tree: Tree, scope: str, history: History) -> bool:
    """Clean up after a crashed writer: known bytes are removed, others become a version.

    Returns whether a set of changes was left, too.
    """
    try:
        folder = tree.folder(layout.path(scope, layout.TEMPORARY))
        stray = folder.names()
    except FileNotFoundError:
        return False
    for name in stray:
        if name == _SET:
            continue
        inside = name.rpartition(".")[0].replace("%2F", "/").replace("%25", "%")
        relative = layout.path(scope, inside)
        holder = Place(folder, name)
        with contextlib.suppress(OSError, MemolithError):  # leave what we may not read
            data = holder.read()
            if not data or data == tree.read(relative):
                files.unlink(holder)
            else:
                history.keep(relative, holder, _was(holder))
    return _SET in stray


def _was(stray: Place) -> str:
    """Distinguish the kinds of stray temporary files: a former memory file, or our own unfinished one.

    Exchanging names changes a file's ctime; only a file written last and never moved has both times equal.
    """
    found = stray.stat()
    return "recovered" if found and found.st_ctime_ns != found.st_mtime_ns else "unfinished"


def swap(tree: Tree, relative: str, one: Place, other: Place) -> None:
    """Exchange two files' names, in three steps where the system cannot do it atomically."""
    if files.exchange(one, other):
        return
    spare = new(tree, relative)
    if not files.add_name(other, spare):
        files.write_new(spare, other.read() or b"")
    files.replace(one, other)
    files.rename(spare, one)


def inspect(holder: Place, place: Place, new: bytes | None) -> Out:
    """Check what came out of an exchange."""
    try:
        gone = files.wait_for_writers(holder, 0)
        return holder.read(), holder, not gone
    except UnsafePathError as error:
        # A link, or a file with another name elsewhere, appeared at the last moment: put it back.
        if new is not None and files.exchange(holder, place):
            files.unlink(holder)
        else:
            files.create(holder, place)
        raise UnsafePathError(str(error).replace(holder.path, place.path)) from None
