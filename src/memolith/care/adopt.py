"""Copying the memory of one project into another: everything is copied, nothing is replaced."""

from __future__ import annotations

import os

from memolith.base.errors import (
    InputError,
    MemolithError,
    NotFoundError,
    StorageError,
    TextError,
    TooLargeError,
    UnsafePathError,
)
from memolith.base.values import MAX_ACCEPT_BYTES, Value
from memolith.env.paths import Tree
from memolith.env.project import PROJECTS, exists
from memolith.memory import note_index
from memolith.memory.document import MARKER, hand_written
from memolith.memory.entries import numbered
from memolith.store import layout
from memolith.store.allow_list import allowed
from memolith.store.screen import quoted, screen
from memolith.text import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home

_BOM = "\ufeff"


class Skipped(Value):
    """A file that was not copied, and why; `failed` means a read error, so that a retry may help."""

    failed: bool
    path: str
    reason: str


def adopt(home: Home, source: str) -> tuple[list[str], list[Skipped]]:
    """Copy the notes, logs, checklist and MEMORY.md of project `source` into the current one.

    A log or checklist that exists in both is appended, MEMORY.md is merged line by line, notes that differ
    get a new name; a value, or a file that an agent keeps, is not overwritten. Running it twice changes
    nothing. Returns the files that were written, and the source files that cannot be memory: links, special
    files, files that are too large.
    """
    root, target = str(home.root), home.project
    if source == target:
        raise InputError(f"{source} is this project already")
    if not exists(os.path.join(root, PROJECTS), source):
        raise NotFoundError(f"no project {quoted(source)}; `memolith project list` shows them all")
    home.register()
    target = home.project  # registering may have changed it
    written: list[str] = []
    skipped: list[Skipped] = []
    for relative in _texts(root, source):
        text = None
        try:
            text = _read(root, relative)
            if relative == layout.path(source, layout.MEMORY):
                text = hand_written(text)  # the generated part is built again from the adopted memory
            goal = relative.replace(layout.path(source), layout.path(target), 1)
            written += _bring(home, text, goal)
        except MemolithError as error:
            if text is not None and not isinstance(error, UnsafePathError):
                raise  # the source is not to blame
            reason = str(error).removeprefix(f"{layout.locate(root, relative)}: ")
            failed = isinstance(error, StorageError)
            skipped.append(Skipped(path=relative, reason=reason, failed=failed))
    note_index.update_index(home.gate, target)
    return written, skipped


def _texts(root: str, slug: str) -> list[str]:
    """Return the files that hold a project's memory, without the index of its notes, which is not copied."""
    tree, found = Tree(root), []
    for kind in layout.KINDS:
        path = layout.path(slug, kind.path)
        if kind.adopted and kind.is_file:
            found.append(path)
        elif kind.adopted and kind.path == "memories":
            found += [f"{at}/{name}" for at, _, names in tree.walk(path) for name in names]
        elif kind.adopted:
            found += [f"{path}/{name}" for name in tree.names(path)]
    return [relative for relative in found if relative != layout.path(slug, layout.INDEX)]


def _read(root: str, relative: str) -> str:
    """Return a file of the source, ready to store: masked if it is text, else unchanged."""
    data, size = Tree(root).read_part(relative, MAX_ACCEPT_BYTES)
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(f"has {size:,} bytes, more than the {MAX_ACCEPT_BYTES:,} of a memory; split it")
    try:
        return screen(data.decode(), allow=lambda: allowed(root, layout.scope_of(relative)), by_hand=True)[0]
    except (UnicodeDecodeError, TextError):  # other bytes stay as they were
        return data.decode("utf-8", "surrogateescape")


def _bring(home: Home, text: str, goal: str) -> list[str]:
    """Add a text to the file `goal`, or as a note beside it; return the changed files."""
    if layout.is_note(goal):
        goal = _free_note(str(home.root), goal, text)
    if not text.strip() or not goal:
        return []
    by_line = goal == layout.path(home.project, layout.MEMORY)
    # An agent's file, or a value, is one piece: the existing one stays.
    whole = goal.startswith(tuple(layout.path(home.project, each) + "/" for each in ("items", "memories")))

    def merge(old: str | None) -> str:
        if old is None:
            return text
        if whole:
            return old
        # A byte order mark in the middle of a file would be garbage.
        new = text.removeprefix(_BOM)
        if by_line:
            new, _ = markdown.drop_known_lines(old, new)
        if not new.strip() or _contains(old, new):
            return old
        return markdown.above(old, MARKER, lambda upper: markdown.append(upper, new))

    return [goal] if home.gate.rewrite(goal, merge, op="adopt").changed else []


def _contains(old: str, new: str) -> bool:
    """Whether `old` contains `new` as complete lines."""
    old, new = (each.removeprefix(_BOM).replace("\r\n", "\n").rstrip("\n") for each in (old, new))
    return f"\n{new}\n" in f"\n{old}\n"


def _free_note(root: str, goal: str, text: str) -> str:
    """Return a free name for a copied note; empty if the same note already exists."""
    tree, data = Tree(root), text.encode("utf-8", "surrogateescape")
    for name in (f"{each}.md" for each in numbered(goal.removesuffix(".md"))):
        if tree.stat(name) is None:
            return name
        if tree.is_file(name) and tree.read(name) == data:
            break
    return ""
