"""The name of a version, which says everything about it but its bytes (see `history`)."""

from __future__ import annotations

import time


class Entry:
    """One parsed name in a history directory."""

    __slots__ = ("before", "by", "id", "name", "op", "stamp", "undoes")

    def __init__(self, name: str) -> None:
        number, self.stamp, op, self.before, undoes = name.split(".")
        self.op, _, self.by = op.partition("@")
        self.name, self.id = name, int(number)
        self.undoes = int(undoes[1:]) if undoes != "-" else None

    @property
    def stored(self) -> bool:
        """Whether the version's bytes are kept."""
        return self.before == "full"

    @property
    def time(self) -> str:
        """When the change was made, in UTC."""
        day, clock = self.stamp[:8], self.stamp[9:15]
        return f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z"


def stamp(seconds: float) -> str:
    """Format a time for a version's name: sortable, UTC, microseconds."""
    whole = int(seconds // 1)
    micro = int((seconds - whole) * 1_000_000)
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime(whole)) + f"{micro:06d}Z"
