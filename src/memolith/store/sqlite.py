"""SQLite without what the module `sqlite3` adds to it, dates as values, and safe to be inherited by a fork.

For dates it imports `datetime`, a tenth of an interpreter start, at every question.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from sqlite3 import Connection
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

__all__ = ["DAMAGED", "connect", "sqlite3"]

# What SQLite says of a file that is damaged; anything else (locked, read-only, full) may pass.
DAMAGED = frozenset(
    [sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT]
)


def connect(path: str, *, uri: bool = False, timeout: float = 5.0) -> Connection:
    """Open a database for all threads, without transactions that nobody asked for.

    It stays open until somebody closes it, as what a function of SQLite refers to is never collected: a
    forked child forgets it, and to close it there would roll back what the parent is writing.
    """
    connection = sqlite3.connect(
        path, uri=uri, timeout=timeout, check_same_thread=False, isolation_level=None
    )
    connection.create_function("kept", 0, lambda: id(connection))
    return connection
