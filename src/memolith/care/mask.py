"""Taking secrets out of what is stored already: the only code that changes a version after it was kept.

Everything here runs under the lock of its scope. A version keeps its name, so the trail of who changed what
and when stays; only the bytes of the secret go.
"""

from __future__ import annotations

import contextlib
import os

from memolith.env.paths import Place, Tree
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.store.gate import Gate

    Mask = Callable[[bytes], bytes]


def mask_memory(gate: Gate, relative: str, mask: Mask) -> bool:
    """Mask a memory file through the gate, so that a save by hand is not lost; no version of it is kept."""

    def apply(old: str | None) -> str | None:
        if old is None:
            return None
        # What nothing is left of goes.
        return mask(old.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape") or None

    return gate.rewrite(relative, apply, op="purge", remember=False).changed


def mask_file(place: Place, mask: Mask) -> bool:
    """Mask a file that only memolith writes: a version, a leftover, the settings."""
    data = place.read()
    if data is None or (new := mask(data)) == data:
        return False
    temporary = Place(place.folder, f"{place.name}.{os.getpid()}.tmp")
    with files.storage_errors(place.path):
        with contextlib.suppress(FileNotFoundError):
            files.unlink(temporary)
        files.write_new(temporary, new)
        files.replace(temporary, place)
        files.sync_directory(place.folder)
    return True


def mask_settings(home: str, path: str, mask: Mask) -> bool:
    """Mask config.yml, or what an interrupted change of it left."""
    from memolith.store.locks import locked

    with locked(home, "config", 10.0):
        return mask_file(Place.of(path), mask)


def drop_cache(home: str) -> None:
    """Remove what is derived from memories: it may hold what was masked, and is made again."""
    tree = Tree(os.path.join(home, "cache"))
    for name in tree.names("", ""):
        with files.storage_errors(os.path.join(tree.root, name)), contextlib.suppress(FileNotFoundError):
            place = tree.place(name)
            if place.is_file():
                files.unlink(place)


def rename(gate: Gate, relative: str, name: str) -> str:
    """Give a file, and what is in the history of it, a name that tells nothing; return the new path.

    `relative` may be gone by now; then only its history is renamed. Under the lock of its scope.
    """
    memory, history = Tree(gate.root), Tree(os.path.join(os.path.dirname(gate.root), "history"))
    directory, old = os.path.split(relative)
    there, number = memory.stat(relative) is not None, 1
    while True:
        fresh = f"{directory}/{name}{'' if number == 1 else f'-{number}'}{os.path.splitext(old)[1]}"
        # A file without a history is that of somebody who was interrupted between the two.
        if history.stat(fresh) is None and (memory.stat(fresh) is None or not there):
            break
        number += 1
    for tree in (memory, history):
        if tree.stat(relative) is not None:
            with files.storage_errors(relative):
                before, after = tree.place(relative), tree.place(fresh)
                files.rename(before, after)
                files.sync_directory(after.folder)
    return fresh
