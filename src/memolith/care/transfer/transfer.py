"""One call for everything that can be brought in: another program's memory, or an archive of our own."""

from __future__ import annotations

import os

from memolith.care.transfer import bring, incoming
from memolith.care.transfer.check import Archive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.care.transfer.bring import Imported
    from memolith.memory.home import Home

_GZIP = b"\x1f\x8b"


def import_memory(
    mem: Home,
    path: str | os.PathLike[str] | None = None,
    *,
    kind: str | None = None,
    scope: str | None = None,
    mine: bool | None = None,
    dry_run: bool = False,
    tell: Callable[[int, int], None] | None = None,
    agree: Callable[[Archive], None] = lambda _: None,
    large: bool = False,
) -> Imported:
    """Bring a file or folder of another program, or an archive, into memory; say what became of each text.

    Without a path, Claude Code's memory of this project is looked for. `kind` is recognised if not given;
    `scope` is project or user. `mine` says that the words are the user's or their agents' own, else only what
    agents keep in the user's own directory is; all else waits for a person, and only who asks is shown it.
    The source is only read, and nothing in memory is overwritten. `tell` hears how far it is. An archive
    becomes memory as it is: `agree` may look at it first, and raise; one of more than 10,000 files is
    refused unless it is said to be `large`.
    """
    if path is None or not (kind == incoming.KIND or (kind is None and is_archive(path))):
        return bring.bring(mem, path, kind=kind, scope=scope, mine=mine, dry_run=dry_run, tell=tell)
    archive = Archive(os.fspath(path), large=large)
    try:
        agree(archive)
        return incoming.bring_archive(mem, archive, dry_run=dry_run, tell=tell)
    finally:
        archive.close()


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is that of a compressed file."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_GZIP)) == _GZIP
