"""Which sessions to learn from now, and the reason for each one skipped."""

from __future__ import annotations

from datetime import UTC, datetime

from memolith.base.values import Value
from memolith.learn.queue.glances import Glance
from memolith.memory.sessions import MODES
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memolith.env.settings import Settings
    from memolith.memory.sessions import Session

_HOUR, _DAY = 3600.0, 86_400.0
SILENT = 12 * _HOUR  # without an event for so long, a session whose end nobody told is over
_WITHDRAWN = MODES[1:]
_UNFINISHED = ("running", "paused")


class Choice(Value):
    """The sessions that a run learns from, newest first, and those it skips."""

    refused: dict[str, str]  # session name: reason
    taken: dict[str, str]  # session name: its watermark after success
    withdrawn: set[str]  # those among `refused` whose extractions must go too


def watermark(session: Session) -> str:
    """Return the version of a session: the number of its turns and their hash."""
    said = "\0".join(f"{turn.role}\0{turn.tool}\0{turn.outcome}\0{turn.text}" for turn in session.turns)
    return f"{len(session.turns)}-{sha256(said.encode('utf-8', 'surrogatepass'))[:16]}"


def glance(session: Session, stored: float | None = None, stamp: str = "") -> Glance:
    """Return what decides about a session; `stored`, the time it was stored, is for turns without one."""
    withdrawn = session.mode in _WITHDRAWN
    forgotten = f"it is marked {session.mode}; what was learned from it is forgotten"
    return Glance(
        active=last_active(session) or stored,
        mark=watermark(session),
        session=session.name,
        stamp=stamp,
        unfit=forgotten if withdrawn else _unfit(session),
        withdrawn=withdrawn,
    )


def choose(
    glances: Iterable[Glance],
    now: float,
    settings: Settings,
    watermarks: Mapping[str, str],
    *,
    force: bool = False,
    going_on: Collection[str] = (),
) -> Choice:
    """Choose the sessions that a run learns from, newest first.

    `watermarks` has the version of each session at its last success, `going_on` the ids of running ones.
    `force` (a person's request) includes active, old and unchanged ones, but none that is running.
    """
    at_most = int(settings.number("memories.max_rollouts_per_startup"))
    to_scan = int(settings.number("memories.thread_scan_limit"))
    choice = Choice(taken={}, refused={}, withdrawn=set())
    scanned = 0
    for each in sorted(glances, key=lambda each: (-(each.active or 0.0), each.session)):
        if each.withdrawn:
            choice.withdrawn.add(each.session)
        why = each.unfit
        # Unchanged sessions do not count toward the limit, or older ones would never get their turn.
        if not why and not force and watermarks.get(each.session) == each.mark:
            why = "nothing changed since it was learned from"
        if not why and each.session.partition("-")[2] in going_on:
            why = f"it is going on; if it is over, `memolith learn enqueue {each.session}` says so"
        if not why and not force:
            if scanned >= to_scan:
                why = (
                    f"{to_scan} newer ones were looked at (memories.thread_scan_limit); a later run takes it"
                )
            else:
                scanned += 1
                why = _mistimed(each.active, now, settings)
        if not why and len(choice.taken) >= at_most:
            why = f"a run takes {at_most} (memories.max_rollouts_per_startup); a later run takes it"
        if why:
            choice.refused[each.session] = why
        else:
            choice.taken[each.session] = each.mark
    return choice


def last_active(session: Session) -> float | None:
    """Return the time of the last turn of a session, in seconds since 1970; None if unknown."""
    times = [found for turn in session.turns if (found := seconds(turn.time)) is not None]
    return max(times) if times else seconds(session.started)


def _unfit(session: Session) -> str:
    if session.status in _UNFINISHED:
        return f"it is {session.status}; it is learned from when it has completed or failed"
    if session.source not in ("", "interactive"):
        return f"it is not an interactive session, but {session.source}"
    if not any(turn.role == "user" and turn.text.strip() for turn in session.turns):
        return "nobody said anything in it"
    if all(turn.taint for turn in session.turns if turn.role == "user"):
        return "it may be anybody's; `memolith session import --mine PATH` says that it is yours"
    return ""


def _mistimed(active: float | None, now: float, settings: Settings) -> str:
    if active is None:
        return "it does not say when it happened; `memolith learn run --force` takes it all the same"
    idle, age = settings.number("memories.min_rollout_idle_hours"), now - active
    if age < idle * _HOUR:
        return (
            f"it was active {max(0.0, age) / _HOUR:.1f} h ago, and {idle:g} h of rest make it finished"
            " (memories.min_rollout_idle_hours); `memolith learn run --force` does not wait"
        )
    days = settings.number("memories.max_rollout_age_days")
    if age > days * _DAY:
        return f"it is {age / _DAY:.1f} days old, more than {days:g} (memories.max_rollout_age_days)"
    return ""


def seconds(time: str) -> float | None:
    """Return a time in seconds; None if it is not one."""
    try:
        found = datetime.fromisoformat(time)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
