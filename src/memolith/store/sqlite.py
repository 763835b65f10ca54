"""SQLite without what the module `sqlite3` adds to it: dates as values.

For that it imports `datetime`, a tenth of an interpreter start, at every question.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

__all__ = ["sqlite3"]
