"""Lessons: facts that somebody wants learned, as small dated notes for the next consolidation.

`lessons/2026-11-15T12-00-00-use-port-5433.md` is never overwritten and never injected by itself, so saving
one does not change the prompt of a running session. Search and recall treat it like a note.
"""

from __future__ import annotations

import time

from memolith.base.values import MAX_WRITE_BYTES, Value
from memolith.env.paths import Tree
from memolith.memory import arguments, entries, review
from memolith.memory.writing import reply
from memolith.store import layout
from memolith.text import markdown, source_label
from memolith.text.secrets.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins

    from memolith.base.values import WriteResult
    from memolith.memory.home import Home

_STAMP = "%Y-%m-%dT%H-%M-%S"


class Lesson(Value):
    """One lesson: its file in the store, its date, its text, and its source unless that is the user."""

    date: str
    filename: str
    source: str
    text: str


class Lessons:
    """The lessons of a project."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def add(self, text: str) -> WriteResult:
        """Save a lesson; its file name has the time and the first words."""
        home = self._home
        arguments.check_text(text)
        if held := review.hold(home, "lessons.add", text, {}, user_wide=False):
            return held
        home.register()
        slug, root = home.project, home.store
        with home.gate.scope(slug):
            names = (f"{each}.md" for each in entries.numbered(_name(text, home.now())))
            places = (layout.path(slug, "lessons", each) for each in names)
            relative = next(each for each in places if Tree(root).stat(each) is None)
            apply = source_label.stamped(_whole, home.source, is_note=True)
            change = home.gate.change(relative, text, apply, op="write", cap=MAX_WRITE_BYTES)
        return reply(root, change, 0, None)

    def list(self) -> builtins.list[Lesson]:
        """Return all lessons, oldest first; unreadable ones are skipped."""
        directory = layout.path(self._home.project, "lessons")
        names = Tree(self._home.store).listed(directory)
        found = (_read(self._home.store, f"{directory}/{name}") for name in names)
        return [lesson for lesson in found if lesson]


def _whole(_: str | None, text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _name(text: str, now: float) -> str:
    title = layout.file_name(markdown.first_line(redact(text).text.lstrip("-*# "), 60))
    return f"{time.strftime(_STAMP, time.localtime(now))}-{title}"


def _read(root: str, relative: str) -> Lesson | None:
    loaded = entries.load(root, relative, "lesson")
    body = loaded[0].parsed.body.strip("\n") if loaded else ""
    if loaded is None or not body.strip():
        return None
    day = relative.rpartition("/")[2][:10]
    return Lesson(
        filename=relative,
        date=day if layout.is_date(day) else "",
        text=body,
        source=loaded[0].origin,
    )
