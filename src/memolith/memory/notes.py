"""Notes: one fact or topic per file. `note_index` derives a line for each."""

from __future__ import annotations

import os

from memolith.base.errors import InputError, MemolithError, NotFoundError
from memolith.base.values import MAX_WRITE_BYTES, NOTE_KINDS, Source
from memolith.env.paths import Tree
from memolith.memory.entries import numbered, screened
from memolith.memory.note_index import describe, seed
from memolith.store import layout
from memolith.store.screen import check as check_text
from memolith.store.screen import quoted, screen
from memolith.text import frontmatter, markdown, source_label
from memolith.text.safe import lookalikes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.memory.home import Home
    from memolith.store.gate import Change, Gate

_KIND_ALIASES = {"simulator": "domain"}
MAX_TITLE = 200
_LOOKED_AT = 1000  # names of other notes that a new one is compared with


def check(content: str, title: str) -> None:
    """Refuse a note without title or text, before anything is created."""
    check_text(title, "title")
    check_text(content)
    title = markdown.same_line(title)
    if not title:
        raise InputError("a note needs a title; give --title TEXT")
    if len(title) > MAX_TITLE:
        raise InputError(
            f"the title has {len(title)} characters, more than {MAX_TITLE}; shorten it: {quoted(title)}"
        )
    if not content.strip():
        raise InputError(f"nothing to remember under {quoted(title)}; give the text of the note")


def remember(gate: Gate, slug: str, content: str, title: str, kind: str, source: Source) -> Change:
    """Store a note under its title; the same title replaces the note."""
    kind = _KIND_ALIASES.get(kind, kind)
    given, content, warnings = screened(gate, slug, {"title": title}, content)
    # Joined into one line only now: the lines around a secret may reveal it.
    title = markdown.same_line(str(given["title"]))
    if not title:
        raise InputError("a note needs a title of visible characters; give --title TEXT")
    with gate.scope(slug):
        relative = _file_for(gate, slug, title)

        def compose(old: str | None, text: str) -> str:
            text = text if source.trusted else source_label.own(text)
            body = text if text.endswith("\n") else text + "\n"
            fields = {
                "name": title,
                "description": markdown.first_line(text),
                "type": kind if kind in NOTE_KINDS else "project",
                **({} if source.trusted else source_label.fields(source)),
            }
            if old is not None:
                parsed = frontmatter.split(old)
                if parsed.head and not parsed.problem:
                    # A person's text is their own; an agent may repeat what it read, so the label stays.
                    known = fields if source == Source("agent") else source_label.cleared(parsed, fields)
                    return frontmatter.set_fields(parsed.head, known) + body
            return frontmatter.compose(dict(fields), body)

        change = gate.change(relative, content, compose, op="remember", cap=MAX_WRITE_BYTES)
        change.warnings[:0] = warnings
        seed(gate, slug)
    return change


def name_for(gate: Gate, slug: str, title: str) -> str:
    """Return the name of the note with this title, existing or not."""
    title = markdown.same_line(screen(title)[0])
    return os.path.basename(_file_for(gate, slug, title))[:-3]


def write(
    gate: Gate,
    relative: str,
    content: str,
    apply: Callable[[str | None, str], str | None],
    *,
    op: str,
    if_sha256: str | None,
) -> Change:
    """Change a note."""
    slug = layout.scope_of(relative)
    with gate.scope(slug):
        warnings = _check_new_name(gate, relative)
        change = gate.change(relative, content, apply, op=op, if_sha256=if_sha256, cap=MAX_WRITE_BYTES)
        change.warnings[:0] = warnings
        seed(gate, slug)
    return change


def delete(gate: Gate, relative: str, if_sha256: str | None) -> Change:
    """Remove a note; the history keeps its text. NotFoundError if it does not exist."""
    if Tree(gate.root).stat(relative) is None:
        name = os.path.basename(relative)[:-3]
        raise NotFoundError(f"there is no note {quoted(name)}; `memolith list notes` shows them")
    return gate.rewrite(relative, lambda _: None, op="delete", if_sha256=if_sha256)


def _file_for(gate: Gate, slug: str, title: str) -> str:
    """Return the file of the note called `title`: its own, or a new name that no other note has."""
    title = lookalikes.composed(title)
    tree = Tree(gate.root)

    def is_called_so(relative: str) -> bool:
        return lookalikes.composed(markdown.same_line(describe(tree.place(relative))[0])) == title

    directory = layout.path(slug, "notes")
    places = ((name, layout.note(slug, name)) for name in numbered(layout.file_name(title)))
    return next(place for name, place in places if not _alike(tree, directory, name) or is_called_so(place))


def _check_new_name(gate: Gate, relative: str) -> list[str]:
    """Refuse a new name that a reader could confuse with another note's; return warnings about it."""
    tree = Tree(gate.root)
    if tree.stat(relative) is not None:
        return []
    directory, file = os.path.split(relative)
    return layout.check_new_note(file[:-3], _alike(tree, directory, file[:-3]))


def _alike(tree: Tree, directory: str, name: str) -> list[str]:
    """Return the names of notes that look like a new one.

    Among many notes, a plain name is compared with some of them and its usual spellings only (`doctor` finds
    the others): else a new note would cost the more, the more there are.
    """
    look = lookalikes.look(name)
    try:
        folder = tree.folder(directory)
        others = folder.names(_LOOKED_AT) if name.isascii() else folder.names()
    except FileNotFoundError:
        return []
    found = [each[:-3] for each in others if each[-3:] == ".md" and lookalikes.look(each[:-3]) == look]
    spellings = dict.fromkeys([name, name.lower(), name.upper(), name.capitalize(), name.title()])
    return found or [each for each in spellings if tree.stat(f"{directory}/{each}.md") is not None]


def find_note(home: Home, name: str) -> str:
    """Return a note's file, first in the project, then user-wide, or nothing. Only the base name counts."""
    base = name.replace("\\", "/").rpartition("/")[2]
    tree = Tree(home.store)
    for slug in (home.project, layout.USER):
        try:
            place = layout.find_note(home.store, slug, base)
        except MemolithError:
            return ""  # not a valid note name
        if tree.is_file(place):
            return place
    return ""
