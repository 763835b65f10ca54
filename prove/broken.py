"""Writers that are wrong on purpose. A harness that does not catch them proves nothing."""

import contextlib
import os
from collections.abc import Callable, Iterator

from memolith.env.paths import Place, Tree
from memolith.store import files
from memolith.store.gate import Gate

_Put = tuple[bytes | None, Place | None, bool]


def _in_place(
    _gate: Gate, _tree: Tree, _rel: str, place: Place, new: bytes | None, old: bytes | None, _seen: object
) -> _Put:
    """Open, truncate, write: what a crash tears."""
    if new is None:
        os.unlink(place.path)
        return old, None, False
    with open(place.path, "wb", buffering=0) as file:
        file.writelines(new[at : at + 16] for at in range(0, len(new), 16))
    return old, None, False


def _blindly(
    _gate: Gate, _tree: Tree, _rel: str, place: Place, new: bytes | None, old: bytes | None, _seen: object
) -> _Put:
    """Temporary file and rename, as most programs do it, without a look at what is replaced."""
    temporary = f"{place}.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(new or b"")
    os.replace(temporary, place.path)
    return old, None, False


@contextlib.contextmanager
def _no_lock(_gate: Gate, _slug: str) -> Iterator[None]:
    yield


def _set(owner: object, **values: object) -> Callable[[], None]:
    def patch() -> None:
        for name, value in values.items():
            setattr(owner, name, value)

    return patch


# What is patched in the process of a writer, and only there: what loses power, and what loses races.
WRITERS = {
    "no fsync": _set(os, fsync=lambda _fd: None),
    "no directory fsync": _set(files, sync_directory=lambda _folder: None),
    "in place": _set(Gate, _put=_in_place),
}
RACERS = {"blind": _set(Gate, _put=_blindly), "unlocked": _set(Gate, _put=_blindly, scope=_no_lock)}
