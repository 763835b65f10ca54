"""Withdrawing what was learned: from one session, or all of it.

What people wrote stays, even in generated files. `memolith undo` restores every file; only the rows of the
queue are gone for good, and the sessions can be learned from again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.learn.consolidate import current as on_disk
from memolith.learn.consolidate import skills
from memolith.learn.queue.queue import CONSOLIDATE, Queue
from memolith.memory import review
from memolith.memory.document import MARKER
from memolith.memory.records import Records
from memolith.store import layout, writeset
from memolith.store.writeset import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.learn.consolidate.current import Current
    from memolith.memory.home import Home


class Withdrawn(Value):
    """What was withdrawn."""

    files: list[str]
    jobs: int
    records: list[str]


def withdraw_session(home: Home, queue: Queue, name: str) -> list[str]:
    """Withdraw what was learned from a session; return the ids of the removed records.

    Facts that other sessions also support stay, without this one as a source. Facts that only this one
    supported leave MEMORY.md at the next consolidation.
    """
    gone = Records(home).forget_source(name)
    for held in review.waiting(home):
        if str(held.arguments.get("source", "")).partition("#")[0] == name:
            home.gate.rewrite(held.filename, lambda _: None, op="forget")
    # Delete the row last: while it exists, the next run finishes what this one could not.
    if queue.forget_session(home.project, name):
        queue.enqueue(CONSOLIDATE, home.project, forced=True)
    return gone


def withdraw(
    home: Home, *, user: bool = False, everywhere: bool = False, everything: bool = False
) -> Withdrawn:
    """Withdraw what was learned for this project, each project (`everywhere`), or user-wide (`user`).

    `everything` also removes what people wrote here; its history stays. If a record cannot be read, there is
    no telling whether it was learned: StorageError, before anything is withdrawn.
    """
    if everywhere and not user:
        slugs = layout.projects(home.path)
        homes = [home if slug == home.project else home.of_project(slug) for slug in slugs]
        done = [withdraw(each, everything=everything) for each in homes]
        return Withdrawn(
            files=[file for each in done for file in each.files],
            jobs=sum(each.jobs for each in done),
            records=[record for each in done for record in each.records],
        )
    records = [
        record
        for record in Records(home).list(scope="user" if user else "project", archived=True, strict=True)
        if everything or record.origin.startswith("extracted")
    ]
    for record in records:
        Records(home).delete(record.id, scope=record.scope)
    if user:
        return Withdrawn(files=[], jobs=0, records=[record.id for record in records])
    with Queue(home.path, home.settings, home.now) as queue:
        jobs = queue.clear(home.project)
    previous = on_disk.read(home)
    edits = list(_edits(home, previous, everything=everything))
    changed = home.gate.commit(home.project, edits).changed if edits else []
    return Withdrawn(files=changed, jobs=jobs, records=[record.id for record in records])


def _edits(home: Home, previous: Current, *, everything: bool) -> Iterator[Edit]:
    top = layout.path(previous.slug)
    if everything:
        for path in _all_files(home, top):
            text = (Tree(str(home.root)).read(path) or b"").decode("utf-8", "surrogateescape")
            yield Edit(path=path, marker="", base=writeset.base_of(text), new=None)
        return
    if previous.below:
        by_hand = "".join(f"{line}\n" for line in previous.by_hand())
        base = writeset.base_of(previous.memory, MARKER)
        yield Edit(path=layout.path(previous.slug, layout.MEMORY), marker=MARKER, base=base, new=by_hand)
    theirs = set(previous.skills) - set(skills.settle({}, previous))
    for path in sorted(set(previous.others) - theirs):
        yield Edit(path=f"{top}/{path}", marker="", base=writeset.base_of(previous.others[path]), new=None)


def _all_files(home: Home, top: str) -> list[str]:
    found = []
    for directory, below, names in Tree(str(home.root)).walk(top):
        below[:] = [name for name in below if not name.startswith(".")]
        inside = [name for name in names if not name.startswith(".") and name != "project.yml"]
        found += [f"{directory}/{name}" for name in inside]
    return found
