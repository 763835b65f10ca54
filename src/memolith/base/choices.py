"""The targets and modes of a write as enums, for callers who prefer names to strings.

A separate module because `enum` is slow to import and a prompt writes nothing.
"""

from __future__ import annotations

from enum import Enum


class WriteTarget(str, Enum):
    """Which file a write goes to."""

    LONG_TERM = "long_term"
    SCRATCHPAD = "scratchpad"
    DAILY = "daily"
    NOTE = "note"


class WriteMode(str, Enum):
    """How a write treats existing text."""

    APPEND = "append"
    OVERWRITE = "overwrite"
