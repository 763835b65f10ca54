"""Forgetting a session: what only it supported goes, at the next consolidation also from MEMORY.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.learn.queue.queue import CONSOLIDATE
from memolith.memory import review
from memolith.memory.records import Records

if TYPE_CHECKING:
    from memolith.learn.queue.queue import Queue
    from memolith.memory.home import Home


def forget(home: Home, queue: Queue, name: str) -> list[str]:
    """Forget what a session taught; return the ids of the records that go.

    What other sessions say as well stays, without this one as a source. `memolith undo` brings records back.
    """
    gone = Records(home).forget_source(name)
    for held in review.waiting(home):
        if str(held.arguments.get("source", "")).partition("#")[0] == name:
            home.gate.rewrite(held.filename, lambda _: None, op="forget")
    # Its row goes last: as long as it is there, the next run does what this one could not.
    if queue.forget_session(home.project, name):
        queue.enqueue(CONSOLIDATE, home.project, forced=True)
    return gone
