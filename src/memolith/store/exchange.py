"""Exchanging two files, and what comes out of it."""

from __future__ import annotations

from memolith.base.errors import UnsafePathError
from memolith.store import files, temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.paths import Place, Tree

    # The bytes that were there, the file that holds them, and whether somebody still has that file open.
    Out = tuple[bytes | None, Place | None, bool]


def swap(tree: Tree, relative: str, one: Place, other: Place) -> None:
    """Exchange two files' names, where the system cannot do it at once in three steps."""
    if files.exchange(one, other):
        return
    spare = temporary.new(tree, relative)
    if not files.add_name(other, spare):
        files.write_new(spare, other.read() or b"")
    files.replace(one, other)
    files.rename(spare, one)


def taken(holder: Place, place: Place, new: bytes | None) -> Out:
    """Look at what came out of an exchange."""
    try:
        gone = files.wait_for_writers(holder, 0)
        return holder.read(), holder, not gone
    except UnsafePathError as error:
        # A link, or a file that has another name elsewhere, came in the last moment: back with it.
        if new is not None and files.exchange(holder, place):
            files.unlink(holder)
        else:
            files.create(holder, place)
        raise UnsafePathError(str(error).replace(holder.path, place.path)) from None
