"""Removing and renaming what a name means; `undo` takes either back, except for a session's copy."""

from __future__ import annotations

import os

from memolith.base.errors import InputError, NotFoundError
from memolith.base.values import Value
from memolith.base.whole import Watch
from memolith.env.paths import Tree
from memolith.memory import arguments, note_index, notes
from memolith.memory.entries import screened
from memolith.memory.find import KINDS, entry_of, find
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions
from memolith.memory.tickets import Tickets
from memolith.store import files, layout, repository, writeset
from memolith.text import frontmatter, links, markdown
from memolith.text.budget import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.memory.find import Found
    from memolith.memory.home import Home


class Tidied(Value):
    """What was removed or renamed. `filename` is its path in the store; a session has none."""

    filename: str
    kind: str
    message: str
    name: str
    warnings: list[str]


def remove(home: Home, name: str, kinds: tuple[str, ...] = ()) -> Tidied:
    """Remove what a name means."""
    found = find(home, name, kinds or KINDS)
    warnings: list[str] = []
    if found.kind == "session":
        Sessions(home).delete(found.name)
        message = f"Deleted the session {found.name} for good"
    else:
        if Tree(home.store).stat(found.path) is None:
            raise NotFoundError(f"there is no {found.name} to delete")
        change = home.gate.rewrite(found.path, lambda _: None, op="delete")
        message = f"Deleted {found.kind if found.kind in KINDS else ''} {found.name}".replace("  ", " ")
        message, warnings = message + arguments.way_back(change), change.warnings
    return Tidied(kind=found.kind, name=found.name, filename=found.path, message=message, warnings=warnings)


def rename(home: Home, name: str, title: str) -> Tidied:
    """Give a note another title, and its file the name that follows from it; its text and origin stay.

    A record or a ticket gets another title, too, and keeps its id.
    """
    try:
        found = find(home, name, ("note",))
    except NotFoundError:
        return _retitle(home, name, title)
    if found.kind != "note":
        raise InputError(f"only notes can be renamed, not {found.name}")
    notes.check("x", title)
    slug = layout.scope_of(found.path)
    title = markdown.same_line(str(screened(home.gate, slug, {"title": title}, "")[0]["title"]))
    with Watch() as watch, home.gate.scope(slug):
        text = files.text_of(Tree(home.store).read(found.path) or b"", files.EXACT)
        place = layout.note(slug, layout.file_name(title))
        if place != found.path:  # else only the title is spelled differently
            place = notes.file_for(home.gate, slug, title)
        if place != found.path and Tree(home.store).stat(place) is not None:
            raise InputError(
                f"there is a note called {title!r} already; choose another title, or delete it first: "
                f"`memolith rm {os.path.basename(place)[:-3]}`"
            )
        parsed = frontmatter.split(text)
        fields = {"name": title}
        new = frontmatter.set_fields("" if parsed.problem else parsed.head, fields)
        new += text if parsed.problem else parsed.body
        new = _led_to(found.path, place)(new)
        edits = [writeset.Edit(path=place, base=None, new=new, marker="")]
        if place == found.path:
            edits = [edits[0].but(base=writeset.base_of(text))]
        else:
            edits.append(writeset.Edit(path=found.path, base=writeset.base_of(text), new=None, marker=""))
            edits += _linking(home, found, place)
        home.gate.commit(slug, edits, op="rename")
        home.gate.history.follow(place, found.path)
        note_index.seed(home.gate, slug)
    stem = os.path.basename(place)[:-3]
    done = f"Renamed {found.name} to {stem}" if stem != found.name else f"{stem} has the title “{title}” now"
    if (linking := len(edits) - 2) > 0:
        done += f"; the links to it in {plural(linking, 'other note')} follow"
    return Tidied(kind="note", name=stem, filename=place, message=done, warnings=watch.lost)


def _linking(home: Home, found: Found, place: str) -> list[writeset.Edit]:
    """Return the changes of other notes that link to a renamed one. Others' words stay as they are."""
    tree, slug, led = Tree(home.store), layout.scope_of(place), _led_to(found.path, place)
    edits = []
    for file in note_index.note_files(home.store, slug):
        path = layout.path(slug, "notes", file)
        data = tree.read(path) or b""
        text = files.text_of(data, files.EXACT)
        new = led(text)
        if path != found.path and new != text and repository.is_own(data):
            edits.append(writeset.Edit(path=path, base=writeset.base_of(text), new=new, marker=""))
    return edits


def _led_to(old: str, place: str) -> Callable[[str], str]:
    """Return what makes the links of a text to a note lead to its new place."""
    name = (os.path.basename(old)[:-3], os.path.basename(place)[:-3])
    address = (layout.shown(old), layout.shown(place))
    return lambda text: links.moved(text, name, address)


def _retitle(home: Home, name: str, title: str) -> Tidied:
    """Give a record or a ticket another title. NotFoundError if there is none of that name."""
    try:
        found = find(home, name, ("record", "ticket"))
    except NotFoundError:
        found = find(home, name, ("note",))  # which says what is not there
    if found.kind == "record":
        scope = "project" if layout.scope_of(found.path) else "user"
        done = Records(home).update(found.name, title=title, scope=scope)
    else:
        done = Tickets(home).update(found.name, title=title)
    title = entry_of(home, find(home, f"{found.kind}:{done.id}")).title  # as stored: masked
    message = f"{done.id} has the title “{title}” now (its id stays)"
    return Tidied(kind=found.kind, name=done.id, filename=found.path, message=message, warnings=done.warnings)
