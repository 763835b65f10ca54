"""What a session leaves behind: its summary when it is compacted, its transcript when it ends.

A hook has a second or less, so it only notes which transcript to read and starts a worker (`hook.worker`);
the note stays until that is done.
"""

from __future__ import annotations

import os
import time

from memolith.base.errors import BusyError, MemolithError
from memolith.env.settings import open_regular
from memolith.hosts.hook import deadline
from memolith.hosts.hook.deadline import LateError
from memolith.prompt.compaction import compaction_heading
from memolith.store import receipts
from memolith.text.secrets.veil import in_bytes, veiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.hosts.hook.payload import Call
    from memolith.mem import Mem
    from memolith.memory.home import Home

LOG = "hook.log"
TODO = ".todo"  # a transcript to be read
_ENDED = "ended"  # names the note of the session that ended last
_JUST, _BRIEFLY, _LOOK = 3.0, 0.9, 0.02  # seconds
_PAUSE = 300.0  # seconds between two workers while a session goes on
_SUMMARY = 4_000  # bytes of a summary in the daily log; the block has little room
_READABLE = 16 * 1_048_576  # bytes of a transcript that can be read while a host waits
_UNKNOWN = "tool"  # the taint of a session that cannot be read
_TAIL = 512 * 1024  # bytes at the end of a rollout that are searched for its last summary


def flush(mem: Mem, call: Call) -> None:
    """Write the summary of a compacted session to the daily log; the session itself has it already.

    If the session contains anything from outside, so may the summary, and it waits for a person.
    """
    summary = call.summary or (_from_rollout(call.transcript) if call.host == "codex" else "")
    text = in_bytes(_bare(summary), _SUMMARY).strip()
    if not text:
        return
    heading = f"{compaction_heading()} {call.signature}"
    if not mem.identity.root and (project := _earlier(mem, call)):
        mem = mem.of_project(project)
    taint = _UNKNOWN
    try:
        taint = _taint(call) or "agent"
        mem.register()  # before the next lock is taken: one at a time
        store(mem, heading, text, taint)
    except (BusyError, LateError):  # another writer takes too long: a worker will wait for it
        deadline.end()
        _queue(mem, call, heading, text, taint)


def _taint(call: Call) -> str:
    """Return whose words a session contains besides its own; an unreadable one may contain anybody's."""
    from memolith.hosts.sessions.gather import of_session

    try:
        place = of_session(call.host, call.session, call.transcript)
        if place is None or ("#" not in place.path and os.path.getsize(place.path) > _READABLE):
            return _UNKNOWN
        if place.taint:
            return place.taint
        sessions = list(place.agent.read(place.path))
    except (OSError, KeyError, MemolithError):
        return _UNKNOWN
    return next((each.taint for each in sessions if each.taint), "") if sessions else _UNKNOWN


def store(mem: Mem, heading: str, text: str, taint: str) -> None:
    """Write a summary to the daily log; one with words from outside waits for a person instead."""
    writer = mem.from_source("extracted", taint)
    with writer.gate.scope(writer.project, mem.patience):
        writer.append_daily(heading, text)


def _queue(mem: Mem, call: Call, heading: str, text: str, taint: str) -> None:
    """Queue a summary for a worker, masked as it would be stored."""
    from memolith.store.screen import screen

    fields = [veiled(call.cwd), mem.project if mem.identity.known else "", taint, heading, screen(text)[0]]
    receipts.note(mem.home, f"{call.label}-{call.key}{receipts.SUMMARY}", *fields)
    work(mem)


def _bare(summary: str) -> str:
    """Return a summary without the model's analysis and without tags."""
    before, found, rest = summary.partition("<analysis>")
    if found:
        summary = before + rest.partition("</analysis>")[2]
    inside = summary.partition("<summary>")[2]
    return (inside or summary).partition("</summary>")[0].strip()


def _from_rollout(path: str) -> str:
    """Return the last summary near the end of a Codex rollout, if any."""
    from json import loads

    try:
        with open(path, "rb", opener=open_regular) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read(_TAIL).split(b"\n")
    except OSError:
        return ""
    for line in reversed(lines):
        if b'"compacted"' not in line:
            continue
        try:
            row = loads(line)
            text = row["payload"]["message"] if row["type"] == "compacted" else ""
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(text, str) and text:
            first, _, rest = text.partition("\n")
            return rest if first.startswith("Another language model") and rest else text
    return ""


def remember(mem: Mem, call: Call) -> None:
    """Queue a session's transcript, with its project if that is known.

    A session may end after its directory is gone, such as a temporary worktree; then an earlier turn knew it.
    """
    if not mem.settings.flag("hooks.sessions"):
        return
    project = mem.project if mem.identity.known else ""
    if not os.path.isdir(call.cwd):
        project = _earlier(mem, call) or project
    # Veiled, as these are stored: a worker finds a veiled transcript among those of its host.
    fields = [call.host, *map(veiled, (call.session, call.cwd, call.transcript)), project]
    receipts.note(mem.home, call.label + TODO, *fields)
    if call.event == receipts.END:
        receipts.stamp(mem.home, _ENDED, call.label + TODO)


def wait(mem: Mem) -> None:
    """Wait briefly for what was asked in a session that ended this moment, as `/clear` ends one.

    Its worker keeps that first. What is not ready is told with the next prompt.
    """
    name = receipts.read_stamp(mem.home, _ENDED)[1]
    if not name or receipts.age(mem.home, _ENDED) > _JUST or not mem.settings.flag("hooks.remember"):
        return
    end = time.monotonic() + _BRIEFLY
    while os.path.exists(receipts.path(mem.home, name)) and time.monotonic() < end:
        time.sleep(_LOOK)


def _earlier(mem: Mem, call: Call) -> str:
    """Return the project noted by an earlier turn of a session."""
    return "".join(receipts.read_note(mem.home, call.label + TODO)[1][4:5])


def work(mem: Mem, *, at_once: bool = False) -> None:
    """Start a worker if there may be work and the last one ran some minutes ago."""
    wanted = mem.settings.flag("hooks.sessions") or mem.settings.flag("memories.enabled")
    if mem.is_ephemeral:  # nothing is kept of it, and its worker only removes it
        wanted = at_once
    if not wanted or not (at_once or receipts.age(mem.home, "worker") > _PAUSE):
        return
    receipts.stamp(mem.home, "worker")
    spawn(mem, LOG, "hook", "--work")


def spawn(home: Home, name: str, *arguments: str) -> None:
    """Start one of our commands for this memory, detached; its output goes into the log `name`."""
    from memolith.env import programs
    from memolith.store import files

    place = home.identity.root
    if not place or not os.path.isdir(place):
        place = home.path  # such as a removed worktree; work for other projects goes on
    command = programs.ourselves("--home", home.path, "--project", place, *arguments)
    log, nothing = files.open_log(home.path, name), os.open(os.devnull, os.O_RDONLY)
    try:
        os.posix_spawn(
            command[0],
            command,
            programs.environment(place),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ],
            setsid=True,
        )
    finally:
        os.close(log)
        os.close(nothing)
