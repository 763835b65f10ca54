"""The last thing done to a scope that cannot be undone, so that `undo` does not take back an older one."""

from __future__ import annotations

import contextlib

from memolith.env.paths import Place, Tree
from memolith.store import files
from memolith.store.version import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Final:
    """What was done, and when (as in the history)."""

    __slots__ = ("stamp", "what")

    def __init__(self, line: str) -> None:
        self.stamp, _, self.what = line.partition(" ")


def note(home: str, slugs: Iterable[str], what: str, now: float) -> None:
    """Note that `what` was done to these scopes."""
    folder = files.make_folder(Tree(home), "state/final")
    for slug in slugs:
        with contextlib.suppress(FileNotFoundError):
            files.unlink(Place(folder, slug or "user"))
        files.write_new(Place(folder, slug or "user"), f"{stamp(now)} {what}".encode())


def last(home: str, slug: str) -> Final | None:
    """Return the last such thing in a scope."""
    data = Tree(home).read(f"state/final/{slug}")
    return None if data is None else Final(data.decode())
