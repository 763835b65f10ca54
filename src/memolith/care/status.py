"""`status`: what is in memory, its size, which parts are old, and what needs attention."""

from __future__ import annotations

import os
from datetime import date

from memolith.base import whole
from memolith.base.errors import UnsafePathError
from memolith.base.values import Value
from memolith.care import doubled
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.env.project import PROJECTS, read_identity
from memolith.memory import daily, document, note_index, review
from memolith.memory.note_index import note_files
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions
from memolith.prompt import block
from memolith.store import files, ignore, layout, outside
from memolith.text import markdown
from memolith.text.budget import estimate_tokens, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home


HINTS = (
    "`/memory NOTE` prints a note, `/memory edit [NOTE]` opens it in your editor, `/memory view` shows "
    "what the agent gets, `/memory help` lists the rest."
)


class Overview(Value):
    """The figures of one project's and the user's memory."""

    agents: list[str]  # those that memolith is installed for
    block_bytes: int
    block_tokens: int
    characters: int
    enabled: bool
    entries_today: int
    home: str
    keeps_sessions: bool
    last_session: dict[str, str]  # its name, when it began, and what with; empty if there is none
    learning: str  # off, rules, or the model
    meaning: str  # whether memories are found by meaning, too, and how many of the texts
    notes: int
    open_items: int
    project: str
    project_root: str
    records: int
    sections: list[dict[str, object]]
    sessions: int
    tickets: int
    tokens: int
    user_notes: int
    waiting: int
    warnings: list[str]

    def render(self) -> str:
        """Return the figures as text for a person."""
        lines = [
            *([] if self.enabled else ["memory       OFF"]),
            f"home         {self.home}{'' if whole.is_directory(self.home) else '  (nothing is there yet)'}",
            f"project      {self.project}  ({self.project_root or 'none here'})",
            f"MEMORY.md    {plural(self.characters, 'character')}, about {plural(self.tokens, 'token')}",
            f"notes        {self.notes} of this project, {self.user_notes} for all projects",
            f"also kept    {plural(self.records, 'record')}, {plural(self.tickets, 'ticket')}, "
            f"{plural(self.sessions, 'session')}",
            f"scratchpad   {plural(self.open_items, 'open item')}",
            f"today        {self.entries_today} {'entry' if self.entries_today == 1 else 'entries'}",
            f"block        {plural(self.block_bytes, 'byte')}, about {plural(self.block_tokens, 'token')}, "
            "once per session",
            f"agents       {', '.join(self.agents) or 'none; `memolith init` finds yours'}",
            f"learning     {self.learning}",
            f"meaning      {self.meaning}",
            f"last session {self._last()}",
        ]
        for section in self.sections:
            age = "stale, check it" if section["stale"] else "current"
            when = section["updated"] if section["exact"] else f"{section['updated']} or before"
            lines.append(f"section      {section['title']}: updated {when} ({age})")
        return "\n".join(lines + [f"warning      {warning}" for warning in self.warnings])

    def _last(self) -> str:
        if not self.last_session:
            return f"none is kept{' yet' if self.keeps_sessions else ': hooks.sessions is false'}"
        began = f", {self.last_session['started']}" if self.last_session["started"] else ""
        return "{name}{began}: “{title}”".format(**self.last_session, began=began)


def _last_session(sessions: Sessions) -> dict[str, str]:
    """Return the session that began last."""
    for name in sessions.newest()[:_DAMAGED]:
        if found := sessions.read(name):
            return {"name": found.name, "started": found.begun, "title": found.title}
    return {}


_DAMAGED = 3  # copies that may be unreadable before one counts as the last


def _learning(home: Home) -> str:
    if not home.settings.flag("memories.enabled"):
        return "off"
    from memolith.learn.model import llm  # late: only where learning is on

    model = llm.called(home.settings)
    return "on, by rules" if model == "none" else f"on, by rules and {model}"


def _part(tree: Tree, path: str) -> str:
    """Return the beginning of a file; of one that cannot be read, nothing: it is named beside the figures."""
    try:
        return files.text_of(tree.read_part(path, MAX_LOOK_BYTES)[0])
    except UnsafePathError:
        return ""


def overview(home: Home) -> Overview:
    """Collect the figures."""
    root = home.store
    tree = Tree(root)
    data = tree.read(layout.MEMORY, MAX_LOOK_BYTES, cut=True) or b""
    text = files.text_of(data)
    made = block.of(home)
    injected = made.text
    limit = int(home.settings.number("long_term.soft_limit"))
    warnings = home.settings.problems()
    if home.settings.flag("enabled") and not home.is_on:
        warnings.append(home.off)
    if doubles := doubled.told(home, home.identity.identity):
        warnings.append(doubles)
    if limit and document.length(text) > limit:
        warnings.append(
            f"MEMORY.md is above its soft limit of {limit:,} characters: condense it "
            "(`memolith edit long_term`)"
        )
    for section, size, _ in made.candidates:
        if section.cut or section not in made.sections:
            found = tree.stat(section.source) if "://" not in section.source else None
            had = f"{found.st_size if found else size:,} bytes"
            how = "cut" if section in made.sections else "left out"
            warnings.append(f"the block has no room for all of {section.source} ({had}): it is {how}")
        elif section.left_out:
            warnings.append(f"the block has no room for all of {section.source}: {section.left_out}")
    if whole.is_directory(root) and ignore.exposed(home.path):
        warnings.append(f"git sees what is in {home.path}: memolith doctor says what to do")
    held = len(review.waiting(home))
    if held:
        waits = "waits" if held == 1 else "wait"
        warnings.append(
            f"{plural(held, 'text')} from outside, or learned from sessions, {waits} for you: memolith review"
        )
    paths = (layout.path(home.project, layout.SCRATCHPAD), layout.daily(home.project, home.today))
    scratchpad, today = (_part(tree, path) for path in paths)
    sessions = Sessions(home)
    return Overview(
        agents=sorted({each.host for each in outside.Installs(home.path).all()}),
        enabled=home.is_on,
        learning=_learning(home),
        last_session=_last_session(sessions),
        records=sum(not each.is_over(home.today) for each in Records(home).list()),
        tickets=len(tree.listed(layout.path(home.project, "tickets"))),
        sessions=len(sessions.stored()),
        waiting=held,
        home=home.path,
        keeps_sessions=home.settings.flag("hooks.sessions"),
        meaning=str(home.vectors.coverage([layout.USER, home.project])),
        project=home.project,
        project_root=home.identity.root,
        characters=document.length(text),
        tokens=estimate_tokens(markdown.presentable(text)),
        notes=len(note_files(root, home.project)),
        user_notes=len(note_files(root, layout.USER)),
        open_items=len(markdown.open_items(scratchpad).splitlines()),
        entries_today=_count_entries(today),
        block_bytes=len(injected.encode()),
        block_tokens=estimate_tokens(injected),
        sections=_sections(home, text),
        warnings=warnings,
    )


def _sections(home: Home, text: str) -> list[dict[str, object]]:
    """Return the age of each section: its date, else (nobody dated it, or not this text) the file's."""
    days = home.settings.number("long_term.stale_days")
    today = date.fromisoformat(home.today)
    found = Tree(home.store).stat(layout.MEMORY)
    changed = daily.day(found.st_mtime) if found else home.today
    rows = []
    for part in markdown.parts(text):
        exact = layout.is_date(part.updated)
        updated = part.updated if exact else changed
        stale = (today - date.fromisoformat(updated)).days > days
        if not part.blank:
            rows.append({"title": part.title, "updated": updated, "exact": exact, "stale": stale})
    return rows


def _count_entries(text: str) -> int:
    """Count timestamped entries, or the lines of a log without any."""
    entries = sum(1 for line in text.splitlines() if line.startswith("### "))
    return entries or sum(1 for line in text.splitlines() if line.strip())


def page(home: Home) -> str:
    """Return the notes as Markdown for a person: the index, each note with its size, and their location."""
    root = home.store
    tree = Tree(root)
    known = read_identity(os.path.join(root, PROJECTS), home.project)
    parts = [f"# Memory of {(known and known.name) or home.project}"]
    for slug, title in ((home.project, "Notes of this project"), (layout.USER, "Notes for all projects")):
        names = note_files(root, slug)
        if not names and not slug:
            continue
        parts.append(f"## {title}")
        if index := note_index.whole(tree, slug).strip():
            parts.append(index)
        sizes = [(name, tree.stat(layout.path(slug, "notes", name))) for name in names]
        rows = [f"- {name[:-3]} ({plural(found.st_size, 'byte')})" for name, found in sizes if found]
        parts.append("\n".join(rows) or "There are no notes yet.")
        parts.append(f"In {layout.locate(root, layout.path(slug, 'notes'))}")
    parts.append(HINTS)
    return "\n\n".join(parts)
