"""Temporary files, and exchanging one with the real file.

Those of a scope live in its `.tmp/`, each named after its target. So finding stray ones costs one listing of
an empty directory, not one of ten thousand notes. Under the lock of the scope, anything there was left by a
crash.
"""

from __future__ import annotations

import codecs
import contextlib
from collections import Counter

from memolith.base.errors import MemolithError, UnsafePathError
from memolith.env.paths import MAX_FILE_BYTES, Place, Tree, refuse_too_large
from memolith.store import files, layout, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.folders import Folder
    from memolith.store.history import History

    # The old bytes, the file that holds them, and whether somebody still has that file open.
    Out = tuple[bytes | None, Place | None, bool]

# Not a file but a directory: several files that change as one.
_SET = layout.STAGED.rpartition("/")[2]


def new(tree: Tree, relative: str, target: Place) -> Place:
    """Return a free temporary place for a memory file, on the disk of its target."""
    scope = layout.scope_of(relative)
    mount = repository.mount_of(tree, relative) if target.folder.label else None
    if mount is not None:
        folder = repository.temporary(mount)
    else:
        folder = files.make_folder(tree, layout.path(scope, layout.TEMPORARY))
    inside = relative[len(layout.path(scope)) :].lstrip("/")
    name = inside.replace("%", "%25").replace("/", "%2F")
    number = 0
    while (place := Place(folder, f"{name}.{number}")).stat() is not None:
        number += 1
    return place


def check_size(place: Place, new: bytes | None) -> None:
    """Refuse to make a file so large that it could not be read any more; fewer bytes may be more lines."""
    if new is not None:
        refuse_too_large(place.path, new, MAX_FILE_BYTES, verb="would have")


def recover(tree: Tree, scope: str, history: History) -> bool:
    """Clean up after a crashed writer: known bytes are removed, others become a version.

    Returns whether a set of changes was left, too.
    """
    mount = repository.mount_of(tree, layout.path(scope, "notes"))
    if mount is not None:
        with contextlib.suppress(FileNotFoundError, MemolithError):  # other kinds can be written to
            _sweep(tree, scope, mount.labelled(mount.tree.folder(mount.temporary)), history)
    try:
        return _SET in _sweep(tree, scope, tree.folder(layout.path(scope, layout.TEMPORARY)), history)
    except FileNotFoundError:
        return False


def _sweep(tree: Tree, scope: str, folder: Folder, history: History) -> list[str]:
    stray = folder.names()
    for name in stray:
        if name in (_SET, repository.IGNORE):
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
    return stray


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
    spare = new(tree, relative, other)
    if not files.add_name(other, spare):
        files.write_new(spare, other.read(raw=True) or b"")
    files.replace(one, other)
    files.rename(spare, one)


def look(tree: Tree, relative: str) -> tuple[object, bytes | None, bytes | None]:
    """Return a file's fingerprint, its bytes, and those that a reader gets; None if there is no file."""
    try:
        place = tree.place(relative)
    except FileNotFoundError:
        return None, None, None
    seen, data = place.fingerprint(), place.read(raw=True)
    return seen, data, None if data is None else place.shown(data)


class Attempt:
    """A text of ours that was visible for a moment, and what a person had saved in the meantime."""

    def __init__(self, place: Place, base: bytes, ours: bytes, theirs: bytes) -> None:
        self.place, self.before = place, place.shown(theirs)
        self._base, self._ours, self._theirs = _lines(base), _lines(ours), _lines(theirs)

    def is_in(self, data: bytes | None) -> bool:
        """Whether a file has what was new in it, which that save had not: it was saved with more."""
        now, ours, theirs = _lines(data or b""), self._ours, self._theirs
        added, gone = ours - self._base, self._base - ours
        kept = all(now[line] >= ours[line] > theirs[line] for line in added)
        return bool(added) and kept and all(now[line] <= ours[line] for line in gone)


def _lines(data: bytes) -> Counter[bytes]:
    """Count the lines, to compare: an editor may save them with other line ends, or a mark."""
    return Counter(line for line in data.removeprefix(codecs.BOM_UTF8).splitlines() if line.strip())


def inspect(holder: Place, place: Place, new: bytes | None) -> Out:
    """Check what came out of an exchange."""
    try:
        gone = files.wait_for_writers(holder, 0)
        return holder.read(raw=True), holder, not gone
    except UnsafePathError as error:
        # A link, or a file with another name elsewhere, appeared at the last moment: put it back.
        if new is not None and files.exchange(holder, place):
            files.unlink(holder)
        else:
            files.create(holder, place)
        raise UnsafePathError(str(error).replace(holder.path, place.path)) from None
