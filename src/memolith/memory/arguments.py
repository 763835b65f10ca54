"""Parsing a caller's arguments: targets, modes, scopes, caps and pages. Pure functions."""

from __future__ import annotations

from itertools import accumulate

from memolith.base.errors import InputError, MatchError, TooLargeError
from memolith.base.values import (
    MAX_INJECT_BYTES,
    MAX_WRITE_BYTES,
    ORIGINS,
    OWN,
    TAINTS,
    TARGETS,
    TRUNCATED,
    Source,
)
from memolith.store.screen import check, quoted, refuse_secret
from memolith.text.budget import pieces, utf8_len

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memolith.store.gate import Change

EMPTY = "(empty)"
_HINT = 120  # bytes for what comes next
_LONG_LINE = 6000  # characters, so that one fits into an answer in any script
_MAX_FACT = 8_192
_SCOPES = {
    "project": "project",
    "workspace": "project",
    "user": "user",
    "assistant": "user",
    "global": "user",
}


def target(value: str, what: str = "target") -> str:
    """Return the canonical target; `what` names the parameter in the error."""
    return one_of(value, TARGETS, what, more=("list",) if what == "source" else ())


def one_of(value: str, known: Sequence[str], what: str, more: Sequence[str] = ()) -> str:
    """Return a word if it is one of `known`; `more` appear only in the error."""
    if value in known:
        return known[known.index(value)]  # not the enum member: its `str()` differs
    raise InputError(f"unknown {what} {quoted(value)}; one of {', '.join((*known, *more))}")


def either(mode: Any, action: Any) -> Any:
    """Return the mode of an update, which has two names; one that says two things is refused."""
    if None not in (mode, action) and mode != action:
        raise InputError(
            f"mode {quoted(mode)} and action {quoted(action)} contradict each other; give one of them"
        )
    return mode if action is None else action


def check_name(name: str | None, content: str = "") -> None:
    """Refuse a name that a note with this content cannot have, before anything is created."""
    from memolith.store import layout

    refuse_secret(layout.note_name(name), "note's name", content)


def source(origin: str, taint: str | None, *, accepted: bool = False) -> Source:
    """Return the source for an origin and a taint."""
    one_of(origin, ORIGINS, "origin")
    if taint and taint not in OWN:
        one_of(taint, TAINTS, "taint")
    return Source(origin, taint or "", accepted=accepted)


def check_day(name: str | None, today: str) -> None:
    """Refuse a name, by which a log is to be written, that is not today's; an address may be given too."""
    day = (name or today).strip().rpartition("/")[2].removesuffix(".md")
    if day not in ("today", today):
        raise InputError(f"only today's log is written to, not {quoted(day)}; an older one can be edited")


def check_text(text: object, what: str = "text", *, empty: bool = False) -> None:
    """Refuse text that cannot be stored whole, before anything is created."""
    check(text, what)
    if (size := utf8_len(str(text))) > MAX_WRITE_BYTES:
        raise TooLargeError(
            f"the {what} has {size:,} bytes, more than the {MAX_WRITE_BYTES:,} of one memory; nothing was "
            "written: store what matters and where the rest is, or split it into several notes"
        )
    if not empty and not str(text).strip():
        raise InputError(f"there is nothing to write: the {what} is empty; give it some words")


def check_fact(text: str) -> None:
    """Refuse text that is not a single fact: empty, too long, or a conversation."""
    check_text(text)
    size = utf8_len(text)
    if size > _MAX_FACT:
        raise TooLargeError(
            f"{size:,} bytes are too much for one record (limit {_MAX_FACT:,}); store the fact, and where "
            "the rest is, or write a note"
        )
    from memolith.text import conversation  # late: only records are looked at

    turns = conversation.turns(text) or text.count('"role"')
    if turns >= 4:
        raise InputError(
            f"this is a conversation ({turns} turns), not a fact; write down what was learned in it"
        )


def replacement(path: str, old_str: str) -> Callable[[str | None, str], str]:
    """Return the change for `edit`: replace the one occurrence of `old_str`."""
    if not old_str:
        raise InputError("the text to replace is empty; give old_str (CLI: --old TEXT)")

    def apply(old: str | None, text: str) -> str:
        wanted = old_str
        count = (old or "").count(wanted)
        if not count and old and "\r\n" in old and "\r\n" not in wanted:
            # The caller may have lost the carriage returns when it read the text.
            wanted, text = wanted.replace("\n", "\r\n"), text.replace("\n", "\r\n")
            count = old.count(wanted)
        if count != 1 or old is None:
            raise MatchError(path, count)
        return old.replace(wanted, text)

    return apply


def is_user_wide(scope: str) -> bool:
    """Whether a scope's name means the user-wide scope."""
    if not isinstance(scope, str) or scope not in _SCOPES:
        raise InputError(f"unknown scope {quoted(scope)}; one of project, user")
    return _SCOPES[scope] == "user"


def page(text: str, offset: int, lines: int | None, *, told: bool = False) -> str:
    """Return some lines of a text, at most 32 KiB; if they were cut, the last line says what comes next.

    `told`: also if there are more than were asked for. If the label with the source of these lines stands
    above them, it is put in front.
    """
    from memolith.text.source_label import above, label

    if offset < 0 or (lines is not None and lines < 1):
        raise InputError("offset must be 0 or more, lines 1 or more")
    if not offset and lines is None and utf8_len(text) <= MAX_INJECT_BYTES:
        return text
    # A line too long for one answer counts as several, so that its end is reachable too.
    every = [part for line in text.splitlines(keepends=True) for part in pieces(line, _LONG_LINE)]
    wanted = every[offset : None if lines is None else offset + lines]
    source = above(every, offset) if offset or lines is not None else ""
    room = MAX_INJECT_BYTES - _HINT - (utf8_len(first := f"{label(source)}\n") if source else 0)
    fit = sum(size <= room for size in accumulate(utf8_len(line) for line in wanted))
    shown, to = "".join(wanted[:fit]), offset + fit
    if fit < len(wanted) or (told and wanted and to < len(every)):
        hint = f"{TRUNCATED} (lines {offset + 1} to {to} of {len(every)}; offset {to} has the next)"
        shown = shown.rstrip("\r\n") + f"\n{hint}"
    return f"{first}{shown}" if source else shown


def way_back(change: Change) -> str:
    """Return how to take a deletion back, for the end of a message; nothing if it cannot be taken back."""
    return "" if change.lost else " (`memolith undo` brings it back)"
