"""Bringing the memory of one project into another: everything is copied, nothing is replaced."""

from __future__ import annotations

import os

from memolith import notes
from memolith.errors import InputError, NotFoundError
from memolith.project import PROJECTS, exists
from memolith.store import files, layout
from memolith.store.screening import screen
from memolith.text import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.mem import Mem


def adopt(mem: Mem, source: str) -> list[str]:
    """Copy the notes, logs, checklist and MEMORY.md of project `source` into the current one.

    Texts that are in both are added line by line, notes that differ get a name of their own. Running it
    twice changes nothing. Returns the files that were written.
    """
    root, target = str(mem.root), mem.project
    if source == target:
        raise InputError(f"{source} is this project already")
    if not exists(os.path.join(root, PROJECTS), source):
        raise NotFoundError(f"no project {source!r}; `memolith project list` shows them all")
    mem.register()
    written = []
    for relative in _texts(root, source):
        # What the gate will make of the text; else a copy would differ from it and be copied again.
        text, _ = screen(files.text_of(files.read(layout.locate(root, relative)) or b""))
        goal = relative.replace(layout.scope_directory(source), layout.scope_directory(target), 1)
        if "/notes/" in relative:
            goal = _free_note(root, goal, text)
        if not text.strip() or not goal:
            continue

        def merge(old: str | None, new: str) -> str | None:
            if old is None:
                return new
            new, _ = markdown.drop_known_lines(old, new)
            return markdown.append(old, new) if new.strip() else old

        if mem.gate.change(goal, text, merge, op="adopt").changed:
            written.append(goal)
    notes.update_index(mem.gate, target)
    return written


def _texts(root: str, slug: str) -> list[str]:
    """Return the files that hold a project's memory; its index is made anew, not copied."""
    found = [layout.memory(slug), layout.scratchpad(slug)]
    for directory in (layout.daily_directory(slug), layout.notes(slug)):
        found += [f"{directory}/{name}" for name in files.names(layout.locate(root, directory))]
    return [relative for relative in found if relative != layout.index(slug)]


def _free_note(root: str, goal: str, text: str) -> str:
    """Return a name for a copied note that is free; empty if the same note is there already."""
    base, number = goal[:-3], 1
    while True:
        name = f"{base}.md" if number == 1 else f"{base}-{number}.md"
        there = files.read(layout.locate(root, name))
        if there is None:
            return name
        if there == text.encode():
            return ""
        number += 1
