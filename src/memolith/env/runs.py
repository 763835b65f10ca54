"""The run of an agent that uses a throw-away memory: MEMOLITH_EPHEMERAL=1 in its environment.

Hooks, server and commands are processes of their own, and share one home for the run. The run is the first
process that was started with the variable, and the home is named after it. With the path of such a home as
the variable's value (`memolith run --ephemeral` sets it), that one is used.
"""

from __future__ import annotations

import os

from memolith.base.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "MEMOLITH_EPHEMERAL"
PREFIX = "memolith-ephemeral-"  # of every throw-away home
RUN = f"{PREFIX}run-"  # of one that is named after a process: its number and the time of its start
_ON, _OFF = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def is_throwaway(home: str) -> bool:
    """Whether a home is removed when its run ends."""
    return os.path.basename(home).lstrip(".").startswith(PREFIX)


def home_of_run(value: str) -> str:
    """Return the home that the processes of this run share, for the variable's value; empty if it is off."""
    if value.lower() in _OFF:
        return ""
    if os.path.isabs(value) and is_throwaway(value):
        return value
    if value.lower() not in _ON:
        raise ConfigError(f"{VARIABLE} is {value!r}; set it to 1 for a throw-away memory, or unset it")
    import tempfile

    first = f"{os.getsid(0)}-0"  # where a process cannot look at others, its session is the run
    for number, _ in _above():
        first = f"{number}-{_started(number)}"
    return os.path.join(tempfile.gettempdir(), RUN + first)


def inherited() -> str:
    """Return the variable's value here, or above: some hosts pass no variables to their servers."""
    return os.environ.get(VARIABLE) or next((value for _, value in _above()), "")


def is_running(home: str) -> bool:
    """Whether the process goes on after which a home is named."""
    number, _, start = os.path.basename(home).removeprefix(RUN).partition("-")
    if not number.isdecimal():
        return False
    if start == "0":
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return False
        return True
    return _started(int(number)) == start


def is_ours(home: str) -> bool:
    """Whether a home is named after this very process."""
    return os.path.basename(home).startswith(f"{RUN}{os.getpid()}-")


def _above() -> Iterator[tuple[int, str]]:
    """Yield this process and those above it that were started with the variable, with its value."""
    number, wanted = os.getpid(), f"{VARIABLE}=".encode()
    while number > 1:
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                found = [each for each in file.read(1 << 22).split(b"\0") if each.startswith(wanted)]
            above = int(_status(number)[1])
        except (OSError, IndexError, ValueError):  # another system, or another user's process
            return
        if found:
            yield number, os.fsdecode(found[0][len(wanted) :])
        number = above


def _started(number: int) -> str:
    """Return when a process was started; empty if there is none."""
    try:
        return _status(number)[19]
    except (OSError, IndexError):
        return ""


def _status(number: int) -> list[str]:
    """Return what Linux says of a process, from its state on: its name may have blanks and brackets."""
    with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()
