"""Writers that are wrong on purpose. A harness that does not catch them proves nothing."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.promises.workers import write_in_place

from memolith.store import files
from memolith.store.gate import Gate


def _no_sync() -> None:
    setattr(os, "fsync", lambda _fd: None)  # noqa: B010


def _no_directory_sync() -> None:
    setattr(files, "sync_directory", lambda _folder: None)  # noqa: B010


def _in_place() -> None:
    setattr(Gate, "_put", write_in_place)  # noqa: B010


# What is patched in the process of the command, and only there.
WRITERS: dict[str, Callable[[], None]] = {
    "no fsync": _no_sync,
    "no directory fsync": _no_directory_sync,
    "in place": _in_place,
}
