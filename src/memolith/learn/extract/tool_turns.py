"""What a tool's turn was: a command, something read, something from outside, or our own memory read back.

A tool that we do not know is neither sent to a model nor believed.
"""

from __future__ import annotations

from memolith.text import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.sessions import Turn

# The kinds whose results say something about the project.
TELLING = frozenset(["shell", "eval", "read", "search"])
_FAILED = frozenset(["error", "failed", "failure", "fail", "timeout", "denied", "rejected", "cancelled"])


def kind(turn: Turn) -> str:
    """Return what a turn of the role `tool` was: own, outside, shell, edit, eval, read, search or other."""
    return turns.kind(turn.tool, turn.text)


def command(turn: Turn) -> str:
    """Return the command that a shell ran, or nothing if the turn does not say."""
    return turns.command(turn.tool, turn.text)


def first_line(turn: Turn) -> str:
    """Return the first line of a turn: of a tool's, its call."""
    return turns.first_line(turn.text)


def failed(turn: Turn) -> bool | None:
    """Tell whether a tool failed; None if the turn does not say."""
    said = turn.outcome.strip().casefold()
    if not said:
        return None
    number = said.removeprefix("exit").lstrip(" :code")
    return said in _FAILED or (number.lstrip("-").isdigit() and int(number) != 0)
