"""Removing what a name means; with a session goes what was learned from it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.learn.run import why_not
from memolith.learn.withdraw import forget_session
from memolith.memory import tidy
from memolith.memory.find import KINDS, find
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions

if TYPE_CHECKING:
    from memolith.memory.home import Home
    from memolith.memory.tidy import Tidied


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
        return done.but(
            message=f"{done.message}; what was learned from it alone goes when learning runs next"
        )
    forget_session(home, found.name)
    return done.but(message=f"{done.message}, and what was learned from it alone")


def taught(home: Home, session: str) -> bool:
    """Whether something was learned from a session."""
    if Sessions(home).taught(session):
        return True
    records = Records(home).list(archived=True)
    sources = {source.partition("#")[0] for each in records for source in (each.source, *each.sources)}
    return session in sources
