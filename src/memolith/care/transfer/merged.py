"""What a person should know when an archive meets a memory that went on without it."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from memolith.env.paths import Tree
from memolith.memory import nearby, session_copies
from memolith.memory.entries import numbered
from memolith.store import archive, files, layout, portable, tombstones
from memolith.text import frontmatter

if TYPE_CHECKING:
    from collections.abc import Container

    from memolith.care.transfer.bring import Row
    from memolith.memory.home import Home
    from memolith.store.history import History

_SUFFIX = "-imported"
_MOST = 200  # new notes that are compared with those that were here


def gone(history: History, relative: str, data: bytes, archived: Container[str]) -> str:
    """Return why not to bring back a file that had these bytes here, by a version that is not archived."""
    versions = (entry for entry in history.entries(relative) if entry.stored)
    ours = (each for each in versions if f"history/{relative}/{each.name}" not in archived)
    if not any(history.state_before(relative, each, None) == data for each in ours):
        return ""
    return f"deleted here; `memolith undo {os.path.basename(relative).removesuffix('.md')}` brings it back"


def unforgotten(path: str, data: bytes, gone: frozenset[str]) -> bytes | None:
    """Return a file without the lines that were forgotten here; None if that is all of it, or its name."""
    name = os.path.basename(path)
    if not gone or name in (tombstones.PLACE, os.path.basename(portable.CONFIG)):
        return data
    if path.startswith("sessions/"):
        name = name.removesuffix(archive.SUFFIX)
        called = name.partition("-")[2]
        lines = archive.lines_of(data) or []
        said = partial(tombstones.left_out, keys=gone, instead=tombstones.INSTEAD)
        _, lines, changed = session_copies.changed(lines, name, said, str)
        return None if tombstones.key(called) in gone else archive.packed(lines) if changed else data
    text = data.decode("utf-8", "surrogateescape")
    rest = tombstones.left_out(text, gone)
    # Of a version, the file is the folder; what has no dot is ours: `notes`.
    is_named = any(
        tombstones.key(os.path.splitext(each)[0]) in gone for each in path.split("/") if "." in each
    )
    if is_named or (rest != text and not frontmatter.split(rest).body.strip()):
        return None
    return rest.encode("utf-8", "surrogateescape")


def beside(home: str, path: str, data: bytes) -> str:
    """Return a free name next to a file, or the one under which the same bytes were put there before."""
    folder, _, name = path.rpartition("/")
    stem, dot, end = name.partition(".")
    for name in numbered("/".join(filter(None, [folder, f"{stem}{_SUFFIX}"]))):
        to = name + dot + end
        there = portable.read(home, to)
        if there is None or there[0] == data:
            break
    return to


def compared(path: str, to: str) -> str:
    """Return what to do with a file that was put beside another."""
    one, other = (os.path.basename(each).removesuffix(".md") for each in (path, to))
    return f"another is there: compare {one} and {other}, and `memolith rm` one"


def noticed(home: Home, rows: list[Row]) -> list[Row]:
    """Return the rows of an import; a new note that may say otherwise than another names that."""
    tree, left, told = Tree(home.store), _MOST, []
    for row in rows:
        relative = row.to.removeprefix(f"{layout.STORE}/")
        if row.action == "new" and row.to != relative and layout.is_note(relative) and left > 0:
            left -= 1
            parsed = frontmatter.split(files.text_of(tree.read(relative) or b""))
            near = nearby.near(home, layout.scope_of(relative), parsed.body, parsed.get("name"), but=relative)
            told.append(row.but(why=near.told()))
        else:
            told.append(row)
    return told
