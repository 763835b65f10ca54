"""Removing what a name means; with a session goes what was learned from it alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memolith.care.erase import erase_versions, text_of
from memolith.learn.consolidate import current, statements
from memolith.learn.run import why_not
from memolith.learn.withdraw import forget_session, without_empty_headings
from memolith.memory import tidy
from memolith.memory.find import KINDS, find
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions
from memolith.store import finals, layout

if TYPE_CHECKING:
    from memolith.memory.home import Home
    from memolith.memory.tidy import Tidied

_KEPT = (layout.MEMORY, current.SUMMARY, current.RAW)  # their history has what others taught, or wrote, too


def remove(home: Home, name: str, kinds: tuple[str, ...] = ()) -> Tidied:
    """Remove what a name means. What only a session taught goes with it, or when learning runs next."""
    found = find(home, name, kinds or KINDS)
    if found.kind != "session":
        return tidy.remove(home, name, kinds)
    is_source = taught(home, found.name)
    done = tidy.remove(home, f"session:{found.name}")
    if not is_source:
        return done
    if not why_not(home):
        rest = "what was learned from it alone goes when learning runs next, and stays in the history"
        return done.but(message=f"{done.message}; {rest} for {home.settings.number('history.days'):g} days")
    before = _learned(home)
    forget_session(home, found.name)
    _forget_versions(home, found.name, before)
    finals.note(home.path, [home.project], "the deletion of a session", home.now())
    return done.but(message=f"{done.message}, and what was learned from it alone")


def taught(home: Home, session: str) -> bool:
    """Whether something was learned from a session."""
    if Sessions(home).taught(session):
        return True
    records = Records(home).list(archived=True)
    sources = {source.partition("#")[0] for each in records for source in (each.source, *each.sources)}
    return session in sources


def _learned(home: Home) -> dict[str, str]:
    """Return the texts of what was learned, or may have been, by their files."""
    found = current.read(home)
    texts = {layout.path(home.project, name): text for name, text in found.others.items()}
    records = {each.filename: each.body for each in Records(home).list(archived=True)}
    return {**texts, layout.path(home.project, layout.MEMORY): found.memory or "", **records}


def _forget_versions(home: Home, session: str, before: dict[str, str]) -> None:
    """Remove from the history what was learned `before` and is gone with a session."""
    after = _learned(home)
    kept = {layout.path(home.project, name) for name in _KEPT}
    taught = _Taught(session, _keys(before) - _keys(after), _keys(after))
    for name in before.keys() - after.keys() - kept:
        with home.gate.scope(layout.scope_of(name)):
            home.gate.history.drop(name)
    erase_versions(home, taught, home.project)


def _keys(texts: dict[str, str]) -> set[str]:
    return {statements.key(line) for text in texts.values() for line in statements.nonblank(text)}


class _Taught:
    """The lines that only a deleted session taught, in the earlier versions of what was learned."""

    def __init__(self, session: str, gone: set[str], still: set[str]) -> None:
        self._session, self._gone, self._still = session, gone, still

    def count(self, path: str, data: bytes) -> int:
        if os.path.basename(os.path.dirname(path)) not in _KEPT:
            return 0
        return sum(map(self._is_gone, statements.nonblank(text_of(data))))

    def change(self, path: str, data: bytes) -> bytes:
        if not self.count(path, data):
            return data
        lines = text_of(data).split("\n")
        left = [line for line in lines if line.startswith("#") or not self._is_gone(line)]
        rest = without_empty_headings("\n".join(left), self._gone)
        return rest.encode("utf-8", "surrogateescape") if rest.strip() else b""

    def _is_gone(self, line: str) -> bool:
        key = statements.key(line)
        is_its_own = statements.sessions_of(line) == {self._session}
        return key in self._gone or (is_its_own and key not in self._still)
