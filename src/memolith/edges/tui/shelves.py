"""What there is to look at: the tree on the left, and the rows of each of its shelves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memolith.care import page
from memolith.edges.tui.lists import Row
from memolith.env.paths import Tree
from memolith.memory import daily
from memolith.memory.note_index import note_files
from memolith.store import layout
from memolith.store.layout import CATEGORIES, PROPOSAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.mem import Mem
    from memolith.memory.record import Record
    from memolith.memory.review import Held

PROJECT, USER = "project", "user"
# Shelves that show one text instead of a list.
PAGES = ("overview", "injected", "learning")


class Shelf:
    """A place in the tree. `key` is scope, kind and perhaps a part: `project/record/decisions`."""

    __slots__ = ("children", "count", "key", "label")

    def __init__(self, key: str, label: str, count: int | None = None) -> None:
        self.key, self.label, self.count = key, label, count
        self.children: list[Shelf] = []

    @property
    def kind(self) -> str:
        """What is on it."""
        return self.key.split("/")[1] if "/" in self.key else self.key

    @property
    def scope(self) -> str:
        """Whose it is."""
        return USER if self.key.startswith(USER) else PROJECT

    @property
    def part(self) -> str:
        """Which of a kind: the category or status of records."""
        return self.key.split("/")[2] if self.key.count("/") > 1 else ""


def shelves(mem: Mem) -> list[Shelf]:
    """Return the tree with how much is on each shelf. No file is opened for it, but for what waits."""
    project = Shelf(PROJECT, mem.project)
    project.children = [
        Shelf("project/memory", "Memory"),
        Shelf("project/note", "Notes", len(note_files(str(mem.root), mem.project))),
        Shelf("project/scratchpad", "Scratchpad"),
        Shelf("project/daily", "Daily log", len(_days(mem))),
        _records(mem, PROJECT, mem.project),
        Shelf("project/ticket", "Tickets", len(_names(mem, layout.tickets(mem.project)))),
        Shelf("project/session", "Sessions", len(mem.sessions.stored())),
        Shelf("project/skill", "Skills", len(page.skill_files(mem))),
    ]
    user = Shelf(USER, "All projects")
    user.children = [
        Shelf("user/memory", "MEMORY.md"),
        Shelf("user/note", "Notes", len(note_files(str(mem.root), layout.USER))),
        _records(mem, USER, layout.USER),
    ]
    waiting = Shelf("review", "Review", len(mem.review.list()))
    status = [Shelf("injected", "Injected now"), waiting, Shelf("learning", "Learning")]
    return [Shelf("overview", "Overview"), project, user, *status]


def _records(mem: Mem, scope: str, slug: str) -> Shelf:
    counts = {category: len(_names(mem, layout.records(slug, category))) for category in CATEGORIES}
    shelf = Shelf(f"{scope}/record", "Records", sum(counts.values()))
    shelf.children = [
        Shelf(f"{scope}/record/{category}", category.capitalize(), count)
        for category, count in counts.items()
        if count
    ]
    if shelf.count:
        shelf.children.append(Shelf(f"{scope}/record/old", "Archived, superseded"))
    return shelf


def _names(mem: Mem, directory: str) -> list[str]:
    return Tree(str(mem.root)).names(directory)


def _days(mem: Mem) -> list[str]:
    return daily.days(Tree(str(mem.root)), mem.project)


def rows(mem: Mem, shelf: Shelf) -> list[Row]:
    """Return what is on a shelf, newest or most important first."""
    make = _ROWS.get(shelf.kind)
    return make(mem, shelf) if make else []


def _slug(mem: Mem, shelf: Shelf) -> str:
    return layout.USER if shelf.scope == USER else mem.project


def _memory(mem: Mem, shelf: Shelf) -> list[Row]:
    slug = _slug(mem, shelf)
    names = [("MEMORY.md", layout.memory(slug)), ("Notes index", layout.index(slug))]
    if slug:
        names.insert(1, ("Learned summary", layout.summary(slug)))
    return [row for title, path in names for row in _file(mem, "memory", title, path)]


def _file(mem: Mem, kind: str, title: str, path: str) -> list[Row]:
    found = Tree(str(mem.root)).stat(path)
    if found is None:
        return []
    changed = time.strftime("%Y-%m-%d", time.localtime(found.st_mtime))
    return [Row(kind, path, title, f"{_size(found.st_size)}  {changed}")]


def _size(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size / 1024:.1f} K"


def _notes(mem: Mem, shelf: Shelf) -> list[Row]:
    slug = _slug(mem, shelf)
    directory = layout.notes(slug)
    titles = page.note_titles(mem, slug)
    names = note_files(str(mem.root), slug)
    found = []
    for name in names:
        title, said = titles.get(name, ("", ""))
        found.append(Row("note", f"{directory}/{name}", title or name[:-3], snippet=said))
    return sorted(found, key=lambda row: row.title.casefold())


def _scratchpad(mem: Mem, _: Shelf) -> list[Row]:
    return _file(mem, "scratchpad", "Scratchpad", layout.scratchpad(mem.project))


def _daily(mem: Mem, _: Shelf) -> list[Row]:
    names = {mem.today: "today", mem.yesterday: "yesterday"}
    return [
        Row("daily", layout.daily(mem.project, day), day, names.get(day, ""))
        for day in sorted(_days(mem), reverse=True)
    ]


def _record_rows(mem: Mem, shelf: Shelf) -> list[Row]:
    old = shelf.part == "old"
    category = shelf.part if shelf.part in CATEGORIES else None
    found = mem.records.list(category, shelf.scope, archived=old)
    chosen = [record for record in found if not old or record.status != "active"]
    chosen.sort(key=lambda record: record.updated, reverse=True)
    return [Row("record", record.filename, record.title, _about(record, shelf)) for record in chosen]


def _about(record: Record, shelf: Shelf) -> str:
    parts = ["" if shelf.part in CATEGORIES else record.category]
    parts += [record.status if shelf.part == "old" else "", record.updated]
    return "  ".join(filter(None, parts))


def _tickets(mem: Mem, _: Shelf) -> list[Row]:
    found = sorted(mem.tickets.list(), key=lambda ticket: (ticket.status in ("done", "closed"), ticket.id))
    return [
        Row("ticket", ticket.filename, f"{ticket.id}: {ticket.title}", f"{ticket.priority}  {ticket.status}")
        for ticket in found
    ]


def _sessions(mem: Mem, _: Shelf) -> list[Row]:
    found = sorted(mem.sessions.stored().items(), key=lambda item: item[1], reverse=True)
    return [
        Row("session", name, name, time.strftime("%Y-%m-%d", time.localtime(stamp / 1e9)))
        for name, stamp in found
    ]


def _skills(mem: Mem, _: Shelf) -> list[Row]:
    inside = f"{layout.scope_directory(mem.project)}/{page.SKILLS}/"
    return [Row("skill", path, path.removeprefix(inside)) for path in page.skill_files(mem)]


def _waiting(mem: Mem, _: Shelf) -> list[Row]:
    return [Row("held", held.id, _asked(held), f"{held.source}  {held.since}") for held in mem.review.list()]


def _asked(held: Held) -> str:
    if held.call == PROPOSAL:
        return "Learned: a change to MEMORY.md"
    name = next(
        (held.arguments[key] for key in ("title", "name", "heading", "section") if key in held.arguments), ""
    )
    return str(name) or held.text.strip().partition("\n")[0] or held.call


_ROWS: dict[str, Callable[[Mem, Shelf], list[Row]]] = {
    "memory": _memory,
    "note": _notes,
    "scratchpad": _scratchpad,
    "daily": _daily,
    "record": _record_rows,
    "ticket": _tickets,
    "session": _sessions,
    "skill": _skills,
    "review": _waiting,
}
