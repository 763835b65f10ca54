"""The worker that hooks start: reads the queued transcripts, updates index and vectors, then learns.

In this order, each independently: failures are logged, and the next worker retries them.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from memolith.base.errors import BusyError, MemolithError
from memolith.hosts import sessions
from memolith.hosts.hook.handover import TODO, store
from memolith.hosts.sessions import gather
from memolith.learn import keep
from memolith.mem import Mem
from memolith.memory.sessions import DELETED
from memolith.store import layout, locks, receipts
from memolith.text.budget import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WAIT = 60.0  # seconds for another worker to finish reading
_GIVE_UP = 7 * 86_400.0  # seconds after which a transcript that cannot be read is not tried again
_SILENT = "nothing was said in it"
_FIELDS = 5  # of a queued note
_NOWHERE = "\0"  # no directory has this name
_HISTORY = 60.0  # seconds for walking through a long history
_EMBEDDING = 300.0  # seconds for new vectors
_SPARE = 60.0  # seconds beyond the run's own time before the process is ended from outside


def work(mem: Mem) -> Iterator[str]:
    """Do all pending work; yield a line for each result or failure."""
    if mem.is_ephemeral:
        from memolith.store import ephemeral

        ephemeral.remove_after_run(mem.home)
        return
    if not (mem.is_on and mem.settings.flag("hooks.enabled")):
        return
    bound(mem.settings.number("memories.seconds_per_run"))
    try:
        mem.settle(_HISTORY)
        with locks.locked(mem.home, "hook-worker", _WAIT):
            projects = {mem.project}
            for ending, do in ((receipts.SUMMARY, _summary), (TODO, _bring)):
                for name in receipts.names(mem.home, ending):
                    try:
                        yield from do(mem, name, projects)
                    except (MemolithError, OSError) as error:
                        yield f"{name}: {error}; it is tried again"
            for project in sorted(projects):
                yield from _index(mem.of_project(project) if project != mem.project else mem)
            receipts.sweep(mem.home)
        yield from _embed(mem, sorted(projects))
    except (BusyError, OSError, MemolithError) as error:
        yield str(error)
    if not mem.learning.off:
        try:
            yield "; ".join(str(mem.learning.run()).splitlines())
        except (MemolithError, OSError) as error:
            yield f"not learned: {error}"


def _summary(mem: Mem, name: str, projects: set[str]) -> Iterator[str]:
    """Store a summary that a hook could not store, with its original time."""
    when, fields = receipts.read_note(mem.home, name)
    if len(fields) != _FIELDS:
        return  # still being written, or by another version
    cwd, project, taint, heading, text = fields
    with _memory(mem, cwd, project, lambda: when) as base:
        store(base, heading, text, taint)
        projects.add(base.project)
        yield f"{name}: stored"
    receipts.remove(mem.home, name, when)


def _bring(mem: Mem, name: str, projects: set[str]) -> Iterator[str]:
    """Import the transcript of one session; its note is removed when that is done."""
    when, fields = receipts.read_note(mem.home, name)
    if len(fields) != _FIELDS or fields[0] not in sessions.AGENTS:
        return  # still being written, or by another version
    host, session, cwd, path, project = fields
    place = gather.of_session(host, session, path)
    problem = "" if place else "its transcript was not found"
    if place is not None:
        # If the directory is gone, only the project noted by an earlier turn tells where the session belongs.
        with (
            _memory(mem, cwd, project) as base,
            gather.Gatherer(base, gone={cwd: base} if base.identity.known else {}) as gatherer,
        ):
            brought = list(gatherer.bring(place))
            for each in brought:
                theirs = gatherer.memories.get(each.project) if each.added else None
                if theirs and (kept := keep.asked(theirs, each.name, each.added)):
                    yield f"{each.name}: {kept} remembered, as asked"
        for each in brought:
            projects.update([each.project] if each.project else [])
            news = f"{each.action}, {plural(each.added, 'new turn')} {each.reason}"
            yield f"{each.name or session}: {news.rstrip()}"
            if each.action == "skipped" and each.reason not in (_SILENT, DELETED):
                problem = each.reason
    if problem and time.time() - when < _GIVE_UP:
        yield f"{session}: {problem}; it is tried again"
        return
    receipts.remove(mem.home, name, when)


def _memory(mem: Mem, cwd: str, project: str, now: Callable[[], float] = time.time) -> Mem:
    """Return the memory of a session's directory, or if that is gone, of the project noted by its hook."""
    # Without a known directory it belongs nowhere, certainly not to the project that started this worker.
    base = Mem.open(cwd or _NOWHERE, home=mem.home, now=now)
    known = os.path.basename(project)
    if known and not os.path.isdir(cwd) and os.path.isdir(f"{mem.home}/{layout.STORE}/projects/{known}"):
        return base.of_project(known)
    return base


def _index(mem: Mem) -> Iterator[str]:
    slugs = list(dict.fromkeys((layout.USER, mem.project)))
    seen = mem.index.directories(slugs)
    state = mem.index.sync(slugs)
    if not state.missing and not state.notes:
        receipts.stamp(mem.home, f"looked-{mem.project}", seen)
    for problem in [*state.missing[:3], *state.damaged[:3], *state.notes]:
        yield f"index: {problem}"


def _embed(mem: Mem, projects: list[str]) -> Iterator[str]:
    """Embed new texts; what the time does not suffice for is left to the next worker."""
    from memolith.index.vectors import install

    if not install.find(mem.settings):
        return
    try:
        with locks.locked(mem.home, "vectors", 0):
            found = mem.vectors.sync([layout.USER, *projects], _EMBEDDING)
    except BusyError:
        return  # another worker is at it
    if found.problem or not found.complete:
        yield f"meaning: {found}"


def bound(seconds: float) -> None:
    """End this process after its time, whatever it is waiting for; its children have deadlines too."""

    def over(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 5.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # in case the exit hangs, too
        raise SystemExit(1)

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds + _SPARE)
