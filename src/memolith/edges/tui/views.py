"""What the right side shows of a row, or of a shelf that is one text: styled lines, ready to be wrapped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content, Span

from memolith.care import page as pages
from memolith.care.status import overview
from memolith.edges.tui import render
from memolith.edges.tui.render import QUIET, Line
from memolith.prompt.explain import WHOLE
from memolith.store.layout import PROPOSAL

if TYPE_CHECKING:
    from memolith.care.page import Page
    from memolith.edges.tui.lists import Row
    from memolith.mem import Mem
    from memolith.memory.review import Held

_SHOWN = 131_072  # characters of a text; the editor has all of it
_TURNS = 400
_BAR = 12


class View:
    """A title, lines, and the file behind them if there is one that can be edited."""

    __slots__ = ("lines", "page", "title")

    def __init__(self, title: str, lines: list[Line], page: Page | None = None) -> None:
        self.title, self.lines, self.page = title, lines, page


def of_row(mem: Mem, row: Row) -> View:
    """Return what is to be seen of a row."""
    if row.kind == "session":
        return _session(mem, row)
    if row.kind == "held":
        return _held(mem, row)
    page = pages.load(mem, row.ref)
    why = [("found", row.why)] if row.why else []
    text = page.shown[:_SHOWN]
    lines = [*render.facts([*page.facts, *why]), Line(Content("")), *render.markdown(text, row.query)]
    if len(page.shown) > _SHOWN:
        lines.append(_quiet(f"… {len(page.shown) - _SHOWN:,} more characters; e opens all of it"))
    return View(row.title, lines, page)


def of_shelf(mem: Mem, kind: str) -> View:
    """Return the text of a shelf that is one."""
    make = {"injected": _injected, "learning": _learning}.get(kind, _overview)
    return make(mem)


def _session(mem: Mem, row: Row) -> View:
    session = mem.sessions.get(row.ref)
    pairs = [
        ("session", session.name),
        ("started", session.started),
        ("status", session.status),
        ("directory", session.cwd),
        ("ticket", session.ticket),
        ("turns", str(len(session.turns))),
        ("found", row.why),
    ]
    lines = render.facts(pairs)
    for turn in session.turns[:_TURNS]:
        lines += [
            Line(Content("")),
            _bold(f"[{turn.number}] {turn.role}" + (f" · {turn.tool}" if turn.tool else "")),
        ]
        lines += render.markdown(turn.text[:8_192], row.query)
    if len(session.turns) > _TURNS:
        lines.append(
            _quiet(f"… {len(session.turns) - _TURNS} more turns (memolith session show {session.name})")
        )
    return View(row.title, lines)


# ---------------------------------------------------------------- review


def _held(mem: Mem, row: Row) -> View:
    held = mem.review.get(row.ref)
    pairs = [
        ("waits", f"{held.id}, since {held.since}"),
        ("source", str(held.source)),
        ("would", _would(held)),
        *(("because", reason) for reason in held.reasons),
    ]
    body = render.diff(changes(mem, held))
    return View(row.title, [*render.facts(pairs), Line(Content("")), *body])


def _would(held: Held) -> str:
    if held.call == PROPOSAL:
        return "change what was learned from sessions"
    asked = ", ".join(f"{key} {value!r}" for key, value in held.arguments.items())
    return f"{held.call}: {asked}" if asked else held.call


def changes(mem: Mem, held: Held) -> str:
    """Return what accepting would bring, as a diff."""
    if held.call == PROPOSAL:
        return mem.review.diff(held) or "(nothing is different by now)"
    return "\n".join(f"+{line}" for line in held.text.splitlines())


# ---------------------------------------------------------------- shelves that are one text


def _overview(mem: Mem) -> View:
    found = overview(mem)
    lines = [_plain(line, 13) for line in found.render().splitlines() if not line.startswith("warning ")]
    lines += [_warning(f"⚠ {warning}") for warning in found.warnings]
    hints = (
        "/  search everything",
        "n  add something",
        "i  what an agent gets to see",
        "r  what waits for you",
        "?  all keys",
    )
    return View("Overview", [*lines, Line(Content("")), *(_quiet(hint) for hint in hints)])


def _injected(mem: Mem) -> View:
    found = mem.explain()
    if found.block is None:
        return View(
            "Injected now", [_quiet("Nothing is injected: nothing is remembered here yet. n adds something.")]
        )
    lines = [
        _plain(f"{found.bytes:,} of {found.limit:,} bytes, about {found.tokens:,} tokens in every prompt"),
        _quiet(f"{found.cut:,} bytes did not fit" if found.cut else "Nothing was cut."),
        Line(Content("")),
    ]
    for part in found.parts:
        filled = round(_BAR * part.bytes / max(1, found.bytes))
        bar = "━" * filled + "╌" * (_BAR - filled)
        name = render.one_line(part.title).partition(" (")[0] or "around the sections"
        text = f"{bar} {part.bytes:>6,} B  {name}"
        spans = [Span(0, filled, "$primary"), Span(filled, _BAR, QUIET)]
        lines.append(Line(Content(text, spans), _BAR + 11))
        lines.append(_quiet(f"{'':{_BAR + 11}}{part.file}", _BAR + 11))
        if part.why != WHOLE:
            cut = f"{part.cut:,} bytes missing: " if part.cut else ""
            lines.append(_warning(f"{'':{_BAR + 11}}{cut}{part.why}", _BAR + 11))
    lines += [Line(Content("")), _bold("The block, as an agent gets it:"), Line(Content(""))]
    return View("Injected now", lines + render.markdown(found.block))


def _learning(mem: Mem) -> View:
    from memolith.learn import run
    from memolith.learn.queue.queue import Queue
    from memolith.memory.daily import day

    lines = [_plain(line) for line in run.status(mem).lines(mem.settings)]
    since = day(mem.now() - 29 * 86_400)
    with Queue(mem.home, mem.settings, mem.now) as queue:
        costs = queue.ledger.costs(since=since)
    lines += [Line(Content("")), _bold("Cost of the last 30 days")]
    if not costs:
        lines.append(_quiet("Nothing was asked of a model."))
    for row in costs:
        text = f"{row.day}  {row.phase:<11} {row.requests:>4} requests {row.tokens:>9,} tokens  {row.model}"
        lines.append(_plain(text))
    lines += [Line(Content("")), _quiet("memolith learn run learns now; memolith learn why says why not")]
    return View("Learning", lines)


def _plain(text: str, indent: int = 0) -> Line:
    return Line(render.plain(text), indent)


def _quiet(text: str, indent: int = 0) -> Line:
    return Line(render.plain(text, QUIET), indent)


def _bold(text: str) -> Line:
    return Line(render.plain(text, "bold $text-primary"))


def _warning(text: str, indent: int = 2) -> Line:
    return Line(render.plain(text, "$text-warning"), indent)
