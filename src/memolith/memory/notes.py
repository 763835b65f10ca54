"""Notes: one fact or topic per file. `note_index` derives a line for each."""

from __future__ import annotations

import os
from itertools import count

from memolith.base.errors import ConflictError, InputError, NotFoundError
from memolith.base.values import MAX_WRITE_BYTES, Source
from memolith.base.whole import Watch
from memolith.env.paths import Tree
from memolith.memory import arguments
from memolith.memory.entries import numbered, screened
from memolith.memory.note_index import describe, seed
from memolith.store import files, layout, writeset
from memolith.store.gate import Change
from memolith.store.screen import quoted, screen
from memolith.text import frontmatter, markdown, source_label
from memolith.text.budget import whole_end
from memolith.text.digest import sha256
from memolith.text.safe import lookalikes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.store.gate import Gate

    Apply = Callable[[str | None, str], str | None]
    Label = Callable[[Apply], Apply]

KIND_ALIASES = {"simulator": "domain"}
MAX_TITLE = 200
_TITLE = 60  # characters of a title made from a text
_LOOKED_AT = 1000  # names of other notes that a new one is compared with


def check(content: str, title: str | None) -> None:
    """Refuse a note without text, or with a title that is none, before anything is created."""
    arguments.check_text(content, empty=True)
    if title is not None:
        _check_title(title)
    if not content.strip():
        under = "" if title is None else f" under {quoted(markdown.same_line(title))}"
        raise InputError(f"nothing to remember{under}: the text is empty; give the text of the note")


def _check_title(title: str) -> None:
    arguments.check_text(title, "title", empty=True)
    title = markdown.same_line(title)
    if not title:
        raise InputError("the title has no visible character; give it some")
    if len(title) > MAX_TITLE:
        raise InputError(
            f"the title has {len(title)} characters, more than {MAX_TITLE}; shorten it: {quoted(title)}"
        )


def title_for(gate: Gate, slug: str, content: str) -> str:
    """Return a title for a text without one: its first words, which no note about something else has."""
    known = Tree(gate.root)
    content = screened(gate, slug, {}, content)[1]  # the first words of a secret would pass for none
    for title in _titles(content):
        place = file_for(gate, slug, title) if title else ""
        data = known.read(place) if place and known.is_file(place) else None
        if data is None or frontmatter.split(files.text_of(data)).body.strip() == content.strip():
            return title
    return next(name for name in _counted(title) if not known.is_file(file_for(gate, slug, name)))


def _titles(text: str) -> Iterator[str]:
    """Yield the titles that a text may get: its first words, and more of them."""
    words = markdown.first_line(text.lstrip("-*#> ")).split()
    for most in (_TITLE, MAX_TITLE):
        title = ""
        for word in words:
            if title and len(title) + len(word) >= most:
                break
            title = f"{title} {word}".strip()
        cut = title[: whole_end(title, most)]
        yield cut.rstrip(" .,;:!—-") or cut


def _counted(title: str) -> Iterator[str]:
    yield from (f"{title} ({number})" for number in count(2))


def remember(
    gate: Gate,
    slug: str,
    content: str,
    title: str,
    kind: str | None,
    source: Source,
    place: str | None = None,
) -> Change:
    """Store a note under its title; it replaces the one with that title, or the one in `place`.

    A file that is called after what it said before gets another name, or its address would still say that.
    Without a `kind`, it stays of the one that it had.
    """
    is_made = is_made_from(title, content)
    given, masked, warnings = screened(gate, slug, {"title": title}, content)
    if warnings and is_made:  # a secret that both have is one
        warnings = screened(gate, slug, {}, content)[2]
    content = masked
    # Joined into one line only now: the lines around a secret may reveal it.
    title = markdown.same_line(str(given["title"]))
    if not title:
        raise InputError("a note needs a title of visible characters")
    with gate.scope(slug):
        relative = place or file_for(gate, slug, title)

        def compose(old: str | None, text: str) -> str:
            text = text if source.trusted else source_label.own(text)
            body = text if text.endswith("\n") else text + "\n"
            fields = {
                "name": title,
                "type": kind or frontmatter.split(old or "").get("type") or "project",
                **({} if source.trusted else source_label.fields(source)),
            }
            if old is not None:
                parsed = frontmatter.split(old)
                if parsed.problem:
                    warnings.append("the note's head could not be read and was replaced, too; undo has it")
                elif parsed.head:
                    # A person's text is their own; an agent may repeat what it read, so the label stays.
                    known = fields if source == Source("agent") else source_label.cleared(parsed, fields)
                    # A description was about the text before.
                    return frontmatter.set_fields(parsed.head, {**known, "description": None}) + body
            return frontmatter.compose(dict(fields), body)

        if place is not None and place != (named := file_for(gate, slug, title)):
            change = _renamed(gate, slug, place, named, lambda old: compose(old, content))
        else:
            change = gate.change(relative, content, compose, op="remember", cap=MAX_WRITE_BYTES)
        change.warnings[:0] = warnings
        seed(gate, slug)
    return change


def _renamed(gate: Gate, slug: str, place: str, named: str, compose: Callable[[str], str]) -> Change:
    """Write the new text of a note to another file; `undo` takes both changes back as one."""
    before = Tree(gate.root).read(place) or b""
    old = files.text_of(before)
    new = compose(old)
    edits = [
        writeset.Edit(path=named, base=None, new=new, marker=""),
        writeset.Edit(path=place, base=writeset.base_of(old), new=None, marker=""),
    ]
    with Watch() as watch:
        gate.commit(slug, edits, op="replace")
        gate.history.follow(named, place)
    change = Change(named, before, new.encode(), list(watch.lost))
    change.lost = bool(watch.lost)
    return change


def edited(
    gate: Gate, relative: str, content: str, old_str: str, label: Label, *, if_sha256: str | None
) -> Change:
    """Replace a piece of a note; a title made from the old words follows, and so does the file's name.

    Then the two changes are one for `undo`. Such a title does not count where `old_str` has to be unique.
    """
    slug, tree = layout.scope_of(relative), Tree(gate.root)

    def apply(old: str | None, text: str) -> str:
        parsed = frontmatter.split(old or "")
        body, whole = parsed.body, old or ""
        replace = arguments.replacement(relative, old_str)
        if parsed.problem or not parsed.head:
            return replace(old, text)
        if not body.count(old_str) and old_str in whole:
            new = replace(old, text)
            fresh = frontmatter.split(new)
            if old_str in parsed.head and (fresh.problem or fresh.get("name") != parsed.get("name")):
                raise InputError(
                    f"{relative}: that stands in the head; `memolith mv` changes the title, "
                    "`memolith edit NAME` opens the file"
                )
            return new
        if parsed.get("name") not in _titles(body) or body.count(old_str) != 1:
            return parsed.head + replace(body, text)
        return followed(whole, parsed.head + replace(body, text))

    with gate.scope(slug):
        data = tree.read(relative)
        old = files.text_of(data or b"")
        new = apply(old, screen(content)[0])
        names = [frontmatter.split(text).get("name") for text in (old, new)]
        place = relative
        if names[0] != names[1] and os.path.basename(relative) == f"{layout.file_name(names[0])}.md":
            named = file_for(gate, slug, names[1])
            place = named if tree.stat(named) is None else relative
        if place == relative:
            return write(gate, relative, content, label(apply), op="edit", if_sha256=if_sha256)
        if if_sha256 is not None and if_sha256 != sha256(data):
            raise ConflictError(relative, if_sha256, sha256(data))
        op = f"rename-{sha256(new.encode())[:6]}"
        change = write(gate, place, content, lambda _, text: label(apply)(old, text), op=op, if_sha256=None)
        gate.rewrite(relative, lambda _: None, op=op)
        gate.history.follow(place, relative)
        return Change(place, data, change.after, change.warnings)


def followed(old: str, new: str) -> str:
    """Return the new text of a note; a title that followed from the old one follows from it."""
    before, after = frontmatter.split(old), frontmatter.split(new)
    title = before.get("name")
    if not title or after.problem or title != after.get("name") or title not in _titles(before.body):
        return new
    fresh = next(_titles(after.body))
    if not fresh or title in _titles(after.body):
        return new
    return frontmatter.set_fields(after.head, {"name": fresh}) + after.body


def is_made_from(title: str, text: str) -> bool:
    """Whether a title is the beginning of a text, as `title_for` makes it."""
    return " ".join(text.split()).casefold().startswith(title.casefold())


def shown_title(change: Change) -> str:
    """Return the title of a note that was just written, as it was stored."""
    return frontmatter.split(files.text_of(change.after or b"")).get("name")


def name_for(gate: Gate, slug: str, title: str) -> str:
    """Return the name of the note with this title, existing or not."""
    title = markdown.same_line(screen(title)[0])
    return os.path.basename(file_for(gate, slug, title))[:-3]


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


def file_for(gate: Gate, slug: str, title: str) -> str:
    """Return the file of the note called `title`: its own, or a new name that no other note has."""
    title = lookalikes.composed(title)
    tree = Tree(gate.root)

    def is_called_so(relative: str) -> bool:
        known = lookalikes.composed(markdown.same_line(describe(tree.place(relative))[0]))
        return known.casefold() == title.casefold()

    directory = layout.path(slug, "notes")
    exact = f"{directory}/{title}.md"  # as `write note` names it
    if "/" not in title and tree.is_file(exact) and is_called_so(exact):
        return exact
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
