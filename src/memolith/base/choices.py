"""The words with which a write says where and how, for those who prefer names to strings.

A module of its own, as `enum` takes long to import and a prompt writes nothing.
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
    """How a write treats what is already there."""

    APPEND = "append"
    OVERWRITE = "overwrite"
