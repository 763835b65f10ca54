"""The contents: the tree of shelves, the rows of each shelf, the text of each row."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memolith.edges.tui import render
from memolith.edges.tui.lists import Row
from memolith.edges.tui.render import BLANK, QUIET, Line

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith import Explanation, Mem

PROJECT, USER = "project", "user"
_SHOWN = 131_072  # characters shown of a text; the editor has all of it
_TURNS = 400
_TITLED = 500  # sessions that are opened for what they began with
# Shelves that show one text instead of a list.
PAGES = ("overview", "injected", "learning")


@dataclass(slots=True, eq=False)
class Shelf:
    """A node of the tree. `key` is scope, kind and perhaps a part: `project/record/decisions`."""

    key: str
    label: str
    count: int | None = None
    children: list[Shelf] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The kind of its rows."""
        return self.key.split("/")[1] if "/" in self.key else self.key

    @property
    def scope(self) -> str:
        """Whose it is."""
        return USER if self.key.startswith(USER) else PROJECT

    @property
    def part(self) -> str:
        """A part of a kind: the category or status of records."""
        return self.key.split("/")[2] if self.key.count("/") > 1 else ""


def shelves(mem: Mem) -> list[Shelf]:
    """Return the tree with the counts of each shelf: of records, those that hold, as the overview has it."""

    def shelf(key: str, label: str) -> Shelf:
        scope, kind = key.split("/")
        return Shelf(key, label, len(mem.pages.names(kind, scope)))

    project = Shelf(PROJECT, mem.project)
    project.children = [
        Shelf("project/memory", "Memory"),
        shelf("project/note", "Notes"),
        Shelf("project/scratchpad", "Scratchpad"),
        shelf("project/daily", "Daily log"),
        _records(mem, PROJECT),
        shelf("project/ticket", "Tickets"),
        Shelf("project/session", "Sessions", len(mem.sessions.stored())),
        shelf("project/skill", "Skills"),
    ]
    user = Shelf(USER, "All projects")
    user.children = [Shelf("user/memory", "MEMORY.md"), shelf("user/note", "Notes"), _records(mem, USER)]
    waiting = Shelf("review", "Review", len(mem.review.list()))
    status = [Shelf("injected", "Injected now"), waiting, Shelf("learning", "Learning")]
    return [Shelf("overview", "Overview"), project, user, *status]


def _records(mem: Mem, scope: str) -> Shelf:
    found = Counter(each.category for each in mem.records.list(scope=scope) if not each.is_over(mem.today))
    counts = {each: found[each] for each in mem.records.categories}
    shelf = Shelf(f"{scope}/record", "Records", sum(counts.values()))
    shelf.children = [
        Shelf(f"{scope}/record/{category}", category.capitalize(), count)
        for category, count in counts.items()
        if count
    ]
    if any(mem.pages.names("record", scope, each) for each in counts):
        shelf.children.append(Shelf(f"{scope}/record/old", "Archived, superseded"))
    return shelf


def rows(mem: Mem, shelf: Shelf) -> list[Row]:
    """Return the rows of a shelf, newest or most important first."""
    if shelf.key in (PROJECT, USER, *PAGES):
        return []
    return _ROWS.get(shelf.kind, _files)(mem, shelf)


def _files(mem: Mem, shelf: Shelf) -> list[Row]:
    found = mem.pages.list(shelf.kind, shelf.scope)
    if shelf.kind == "note":
        return [Row("note", each.filename, each.title, snippet=each.about) for each in found]
    return [Row(shelf.kind, each.filename, each.title, each.about) for each in found]


def _record_rows(mem: Mem, shelf: Shelf) -> list[Row]:
    is_old, is_one = shelf.part == "old", shelf.part in mem.records.categories
    found = mem.records.list(shelf.part if is_one else None, shelf.scope, archived=is_old)
    chosen = [record for record in found if not is_old or record.status != "active"]
    chosen.sort(key=lambda record: record.updated, reverse=True)
    made = []
    for each in chosen:
        about = ["" if is_one else each.category, each.status if is_old else "", each.updated]
        made.append(Row("record", each.filename, each.title, "  ".join(filter(None, about))))
    return made


def _tickets(mem: Mem, _: Shelf) -> list[Row]:
    found = sorted(mem.tickets.list(), key=lambda ticket: (ticket.status in ("done", "closed"), ticket.id))
    return [
        Row("ticket", ticket.filename, f"{ticket.id}: {ticket.title}", f"{ticket.priority}  {ticket.status}")
        for ticket in found
    ]


def _sessions(mem: Mem, _: Shelf) -> list[Row]:
    found = sorted(mem.sessions.stored().items(), key=lambda item: item[1], reverse=True)
    rows = []
    for at, (name, stamp) in enumerate(found):
        session = mem.sessions.read(name) if at < _TITLED else None
        stored = time.strftime("%Y-%m-%d", time.localtime(stamp / 1e9))
        begun = session.begun if session and session.started else stored
        agent = name.partition("-")[0]
        rows.append(Row("session", name, (session.title if session else "") or name, f"{agent}  {begun}"))
    return rows


def _waiting(mem: Mem, _: Shelf) -> list[Row]:
    found = []
    for held in mem.review.list():
        names = (held.arguments.get(key, "") for key in ("title", "name", "heading", "section"))
        title = str(next(filter(None, names), "")) or held.text.strip().partition("\n")[0] or held.call
        title = "Learned: a change to MEMORY.md" if held.is_proposal else title
        found.append(Row("held", held.id, title, f"{held.source}  {held.since}"))
    return found


_ROWS: dict[str, Callable[[Mem, Shelf], list[Row]]] = {
    "record": _record_rows,
    "ticket": _tickets,
    "session": _sessions,
    "review": _waiting,
}


# ---------------------------------------------------------------- texts


def _title(text: str) -> Line:
    return render.line(text, "bold $text-primary")


class View(NamedTuple):
    """A title and lines."""

    title: str
    lines: list[Line]


def shown(mem: Mem, what: Row | str) -> View:
    """Return the view of a row, or of a shelf that is a single text."""
    return view(mem, what) if isinstance(what, Row) else page_view(mem, what)


def view(mem: Mem, row: Row) -> View:
    """Return the view of a row."""
    if row.kind == "session":
        return _session_view(mem, row)
    if row.kind == "held":
        return _held(mem, row)
    page = mem.pages.get(row.ref)
    why = [("found", row.why)] if row.why else []
    text = page.shown[:_SHOWN]
    lines = [*render.facts([*page.facts, *why]), BLANK, *render.markdown(text, row.query)]
    if len(page.shown) > _SHOWN:
        lines.append(render.line(f"… {len(page.shown) - _SHOWN:,} more characters; e opens all of it", QUIET))
    return View(row.title, lines)


def page_view(mem: Mem, kind: str) -> View:
    """Return the view of a shelf that is a single text."""
    make = {"injected": _injected, "learning": _learning}.get(kind, _overview)
    return make(mem)


def _session_view(mem: Mem, row: Row) -> View:
    session = mem.sessions.get(row.ref)
    pairs = [
        ("session", session.name),
        ("started", session.begun),
        ("status", session.status),
        ("directory", session.cwd),
        ("ticket", session.ticket),
        ("turns", str(len(session.turns))),
        ("found", row.why),
    ]
    lines = render.facts(pairs)
    for turn in session.turns[:_TURNS]:
        lines += [
            BLANK,
            _title(f"[{turn.number}] {turn.role}" + (f" · {turn.tool}" if turn.tool else "")),
        ]
        lines += render.markdown(turn.text[:8_192], row.query)
    if len(session.turns) > _TURNS:
        more = f"{len(session.turns) - _TURNS} more turns (memolith session show {session.name})"
        lines.append(render.line(f"… {more}", QUIET))
    return View(row.title, lines)


def _held(mem: Mem, row: Row) -> View:
    held = mem.review.get(row.ref)
    asked = ", ".join(f"{key} {value!r}" for key, value in held.arguments.items())
    would = f"{held.call}: {asked}" if asked else held.call
    body = "\n".join(f"+{line}" for line in held.text.splitlines())
    if held.is_proposal:
        would = "change what was learned from sessions"
        body = mem.review.diff(held) or "(no difference left)"
    pairs = [
        ("waits", f"{held.id}, since {held.since}"),
        ("source", str(held.source)),
        ("would", would),
        *(("because", reason) for reason in held.reasons),
    ]
    return View(row.title, [*render.facts(pairs), BLANK, *render.diff(body)])


# ---------------------------------------------------------------- shelves that are one text


def _overview(mem: Mem) -> View:
    found = mem.status()
    shown = [line for line in found.render().splitlines() if not line.startswith("warning ")]
    lines = [render.line(line, indent=13) for line in shown]
    lines += [render.line(f"⚠ {warning}", "$text-warning", 2) for warning in found.warnings]
    hints = (
        "/  search everything",
        "n  add something",
        "i  what an agent sees",
        "r  the review queue",
        "?  all keys",
    )
    return View("Overview", [*lines, BLANK, *(render.line(hint, QUIET) for hint in hints)])


def _injected(mem: Mem) -> View:
    found = mem.explain()
    lines = [render.line(line) for line in _sizes(found)]
    if found.block is None:
        return View("Injected now", [*lines, render.line("n adds something.", QUIET)])
    lines += [BLANK, _title("The block, as an agent sees it:"), BLANK]
    return View("Injected now", lines + [render.line(each) for each in found.block.split("\n")])


def _sizes(found: Explanation) -> list[str]:
    """Return the parts of the block in lines that fit beside the shelves."""
    if found.block is None:
        return [found.render()]
    cut = [f", {part.cut:,} cut" if part.cut else "" for part in found.parts]
    whole = f"{found.bytes:>7,}  together, about {found.tokens:,} tokens; at most {found.limit:,} bytes"
    return [
        "  bytes  from",
        *(f"{part.bytes:>7,}  {part.file}{less}" for part, less in zip(found.parts, cut, strict=True)),
        whole,
    ]


def _learning(mem: Mem) -> View:
    lines = [render.line(line) for line in mem.learning.status().lines(mem.settings)]
    hint = "memolith learn run learns now; learn why explains gaps; learn cost shows the cost of each day"
    return View("Learning", [*lines, BLANK, render.line(hint, QUIET)])
