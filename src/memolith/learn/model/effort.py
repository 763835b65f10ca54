"""Reasoning effort: what was asked for, as near as the model has it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE_A_LIST = ("supported values", "one of", "should be", "expected")
LEVELS = ("minimal", "low", "medium", "high")


def clamp(wanted: str, supported: Sequence[str]) -> str:
    """Return the supported level that is nearest, the cheaper of two; empty if there is none."""
    if wanted not in LEVELS or not supported:
        return ""
    place = LEVELS.index(wanted)
    return min(supported, key=lambda level: (abs(LEVELS.index(level) - place), LEVELS.index(level)))


def named(said: str) -> tuple[str, ...]:
    """Return the levels that a complaint, in lower case, lists as possible."""
    for mark in _BEFORE_A_LIST:
        _, found, listed = said.partition(mark)
        if found:
            return tuple(level for level in LEVELS if f"'{level}'" in listed.replace('"', "'"))
    return ()
