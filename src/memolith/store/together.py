"""Changes that belong together: one command is one undo, in however many files and scopes.

In the history they share a name with a number, such as `clear-3fa9c1`.
"""

from __future__ import annotations

import _thread
import os

# Half of such a change makes no sense: it is taken back as a whole even if one file is named.
_WHOLE = frozenset(
    ["accept", "move", "promote", "reclassify", "record", "rename", "replace", "unlearn", "write"]
)
# Changes that may span several projects.
_ACROSS = frozenset(["accept", "clear", "fix", "import", "move"])
_NAMES = _WHOLE | _ACROSS | {"adopt", "delete", "learn", "refuse"}
_APART = ("identity", "index")  # where a project is, and a header: these stay when the rest is taken back
_here = _thread._local()  # noqa: SLF001 - `threading` is not for the hot path


class Command:
    """Lets the changes that this thread makes be taken back by one undo; one inside another is part of it.

    Only `when` it makes several: a single change needs no number.
    """

    def __init__(self, name: str, *, when: bool = True) -> None:
        self._name, self._when, self._before = name, when, ""

    def __enter__(self) -> None:
        self._before = getattr(_here, "op", "")
        if self._when and not self._before:
            _here.op = numbered(self._name, os.urandom(3).hex())

    def __exit__(self, *_: object) -> None:
        _here.op = self._before


def named(op: str) -> str:
    """Return what the history calls a change: by the command that it is part of, if there is one."""
    return op if "-" in op or op in _APART else getattr(_here, "op", "") or op


def numbered(name: str, number: str) -> str:
    """Return the name of one of several changes; one that has a number keeps it."""
    return name if "-" in name else f"{name}-{number[:6]}"


def is_part(op: str) -> bool:
    """Whether a change was one of several that belong together."""
    name, dash, number = op.partition("-")
    return name in _NAMES and bool(dash) and number.isalnum()


def is_whole(op: str) -> bool:
    """Whether half of a change makes no sense: a rename, a record and the one that it replaces."""
    return is_part(op) and op.partition("-")[0] in _WHOLE


def is_across(op: str) -> bool:
    """Whether a change may span several projects."""
    return is_part(op) and op.partition("-")[0] in _ACROSS
