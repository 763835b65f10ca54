"""`status`: what is in memory, its size, which parts are old, and what needs attention."""

from __future__ import annotations

from datetime import date

from memolith.base.values import Value
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.memory import daily, document, note_index, review
from memolith.memory.note_index import note_files
from memolith.prompt import block
from memolith.store import files, layout
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

    block_bytes: int
    block_tokens: int
    characters: int
    entries_today: int
    home: str
    notes: int
    open_items: int
    project: str
    project_root: str
    sections: list[dict[str, object]]
    tokens: int
    user_notes: int
    warnings: list[str]

    def render(self) -> str:
        """Return the figures as text for a person."""
        lines = [
            f"home         {self.home}",
            f"project      {self.project}  ({self.project_root or 'no working directory'})",
            f"MEMORY.md    {self.characters:,} characters, about {self.tokens:,} tokens",
            f"notes        {self.notes} of this project, {self.user_notes} for all projects",
            f"scratchpad   {plural(self.open_items, 'open item')}",
            f"today        {self.entries_today} entries",
            f"block        {self.block_bytes:,} bytes, about {self.block_tokens:,} tokens per prompt",
        ]
        for section in self.sections:
            age = "stale, check it" if section["stale"] else "current"
            when = section["updated"] if section["exact"] else f"{section['updated']} or before"
            lines.append(f"section      {section['title']}: updated {when} ({age})")
        return "\n".join(lines + [f"warning      {warning}" for warning in self.warnings])


def overview(home: Home) -> Overview:
    """Collect the figures."""
    root = home.store
    tree = Tree(root)
    data = tree.read(layout.MEMORY, MAX_LOOK_BYTES, cut=True) or b""
    text = files.text_of(data)
    made = block.of(home)
    injected = made.text
    limit = int(home.settings.number("long_term.soft_limit"))
    warnings = []
    if limit and document.length(text) > limit:
        warnings.append(f"MEMORY.md is above its soft limit of {limit:,} characters: condense it")
    for section, size, _ in made.candidates:
        if section.cut or section not in made.sections:
            found = tree.stat(section.source) if "://" not in section.source else None
            had = f"{found.st_size if found else size:,} bytes"
            how = "cut" if section in made.sections else "left out"
            warnings.append(f"the block has no room for all of {section.source} ({had}): it is {how}")
    held = len(review.waiting(home))
    if held:
        warnings.append(
            f"{plural(held, 'text')} from outside, or learned from sessions, to decide about: memolith review"
        )
    paths = (layout.path(home.project, layout.SCRATCHPAD), layout.daily(home.project, home.today))
    scratchpad, today = (files.text_of(tree.read_part(path, MAX_LOOK_BYTES)[0]) for path in paths)
    return Overview(
        home=home.path,
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
    parts = [f"# Memory of {home.project}"]
    for slug, title in ((home.project, "Notes of this project"), (layout.USER, "Notes for all projects")):
        names = note_files(root, slug)
        if not names and not slug:
            continue
        parts.append(f"## {title}")
        if index := note_index.whole(tree, slug).strip():
            parts.append(index)
        sizes = [(name, tree.stat(layout.path(slug, "notes", name))) for name in names]
        rows = [f"- {name[:-3]} ({found.st_size:,} bytes)" for name, found in sizes if found]
        parts.append("\n".join(rows) or "There are no notes yet.")
        parts.append(f"In {layout.locate(root, layout.path(slug, 'notes'))}")
    parts.append(HINTS)
    return "\n\n".join(parts)
