"""What lies among the notes and nothing reads, although it looks as if somebody meant it to be read."""

from __future__ import annotations

from errno import EISDIR

from memolith.base.errors import UnsafePathError
from memolith.base.whole import note
from memolith.env.paths import Tree
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

_NO_FOLDER = "is a folder; notes in it are not part of the memory, move them into notes/ itself"
_NO_NOTE = "is not part of the memory: the names of notes end in .md, in small letters; rename it"
_known: dict[object, list[tuple[str, str]]] = {}


def strays(root: str, slug: str) -> list[tuple[str, str]]:
    """Return the sorted names of what nothing reads among a scope's notes, each with the reason."""
    try:
        folder = Tree(root).folder(layout.path(slug, "notes"))
    except (FileNotFoundError, UnsafePathError):
        return []
    about = [each.stat() for each in folder.parts()]
    key = (folder.path, *((each.st_ino, each.st_mtime_ns) for each in about))
    if key not in _known:
        found = ((each.name, why_unread(each)) for each in folder.entries())
        _known[key] = sorted((name, why) for name, why in found if why)
    return _known[key]


def why_unread(entry: os.DirEntry[str]) -> str:
    """Return why nothing reads an entry that looks as if somebody meant it to be read; else nothing."""
    name = entry.name
    if name[0] == "." or name[-3:] == ".md":
        return ""
    if name[-3:].lower() == ".md":
        return _NO_NOTE
    return _NO_FOLDER if entry.is_dir(follow_symlinks=False) else ""


def report_strays(root: str, slug: str) -> None:
    """Say of each of them that an answer is without it."""
    for name, why in strays(root, slug):
        note(layout.locate(root, layout.path(slug, "notes", name)), OSError(EISDIR, why))
