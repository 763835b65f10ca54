"""A SQLite file derived from the memory files: private, locked during writes, and sealed.

Every write ends with a seal, the checksums of all pages (`page_sums`). Any other change to the file (a crash
during a write, a bad disk, somebody's editor) breaks it, and a file with a broken seal is discarded. So
writes need no order on disk, and nothing is synced.
One lock file serialises writers; readers need no lock of ours while the seal is intact.

SQLite is used without the date adapters of the module `sqlite3`: they import `datetime`, a tenth of an
interpreter start, at every question.
"""

from __future__ import annotations

import os
import stat
import time

from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.lean import contextmanager, suppress
from memolith.env.paths import Place, Tree
from memolith.store import files, locks, page_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from sqlite3 import Connection
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:
        import sqlite3

__all__ = ["DAMAGED", "Derived", "connect", "sqlite3"]

# SQLite's errors for a damaged file; others (locked, read-only, full) may be temporary.
DAMAGED = frozenset(
    [sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT]
)
_UNUSED = 86_400  # seconds after which nobody uses another version's file
_WAIT = 0.5  # seconds to wait for SQLite's lock; writers hold it only during a commit


def connect(path: str, *, uri: bool = False, timeout: float = 5.0) -> Connection:
    """Open a database for all threads, without implicit transactions.

    It stays open until closed explicitly, as objects that a function of SQLite refers to are never collected:
    a forked child drops it, as closing it there would roll back what the parent is writing.
    """
    connection = sqlite3.connect(
        path, uri=uri, timeout=timeout, check_same_thread=False, isolation_level=None
    )
    connection.create_function("kept", 0, lambda: id(connection))
    return connection


class Derived:
    """The file and, while the seal is intact, the connection to it."""

    def __init__(
        self, home: str, name: str, version: int, build: Callable[[Connection], None], wait: float = _WAIT
    ) -> None:
        self.path = os.path.join(home, "cache", name)
        self._home, self._name, self._version, self._build = home, name, version, build
        self._sums, self._wait = page_sums.Sums(self.path), min(wait, _WAIT)
        self._connection: Connection | None = None
        self._until = 0.0  # when to check the file again, even if it seems unchanged
        self.seen: page_sums.Stamp | None = None  # changes with every write by any process

    def connection(self, wait: float = 0) -> Connection | None:
        """Return the connection to a file with an intact seal; None if there is none.

        A broken seal may also mean that another process is writing: wait for it.
        """
        seen = Place.of(self.path).fingerprint()
        same = self._connection is not None and seen is not None and seen == self.seen
        if same and time.monotonic() < self._until:
            return self._connection
        found = self._checked()
        if found is None and seen is not None and wait:
            with self._locked(wait):  # checked under the lock: the next writer may already be waiting
                return self._checked()
        return found

    def _checked(self) -> Connection | None:
        seen = Place.of(self.path).fingerprint()
        if seen is None or not self._sums.hold(seen):
            self.close()
            return None
        if self._connection is None or self.seen is None or self.seen[0] != seen[0]:
            self.close()
            self._connection = self._open()
        self.seen = seen if self._connection is not None else None
        self._until = time.monotonic() + page_sums.TRUSTED
        return self._connection

    @contextmanager
    def writing(self, wait: float) -> Iterator[Connection]:
        """Write in one transaction, under the lock; replace a file with a broken seal."""
        with self._locked(wait):
            connection = self.connection()
            if connection is None:
                connection = self._make()
            connection.execute("BEGIN IMMEDIATE")
            try:
                with files.storage_errors(self.path):
                    size, free = page_sums.free(self.path, self.seen or (0, 0, 0, 0))
                yield connection
                self._check()
                connection.execute("COMMIT")
                changed = page_sums.journalled(self.path, size)
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            finally:
                with suppress(OSError):  # it holds old pages, with what has been forgotten since
                    os.unlink(f"{self.path}-journal")
            self._seal(None if changed is None else changed | free)

    def _check(self) -> None:
        """Refuse a file that somebody else wrote to; once sealed, it would be trusted for ever.

        The commit writes our pages, not before: any change until then was not ours.
        """
        if Place.of(self.path).fingerprint() != self.seen:
            self._remove()
            raise sqlite3.DatabaseError("somebody else changed the file while it was written")

    def discard(self, wait: float) -> None:
        """Discard the file."""
        with self._locked(wait):
            self._remove()

    def copy(self, *, fresh: bool = False) -> Connection:
        """Return a database in memory: a copy of the file, or a new one (if `fresh`, or it is unreadable)."""
        memory = connect(":memory:")
        if not fresh and self._is_sealed():
            # Somebody may hold SQLite's lock for ever; an intact seal means that nobody is writing.
            for options in ("mode=ro", "mode=ro&immutable=1"):
                with suppress(sqlite3.Error):
                    source = connect(f"file:{_quoted(self.path)}?{options}", uri=True, timeout=0.2)
                    try:
                        # Take the lock first, with a timeout: copying would wait for it for ever.
                        source.execute("BEGIN")
                        source.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
                        source.backup(memory)
                    finally:
                        source.close()
                    if self._is_sealed() and _version(memory) == self._version:
                        return memory
            memory.close()
            memory = connect(":memory:")
        self._build(memory)
        return memory

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self.seen = None

    def forked(self) -> None:
        """Drop the connection: it is the parent's."""
        self._connection = self.seen = None

    def __del__(self) -> None:
        self.close()

    def _locked(self, wait: float) -> AbstractContextManager[None]:
        Tree(os.path.join(self._home, "cache")).check(self._name)
        return locks.locked(self._home, "index", wait)

    def _is_sealed(self) -> bool:
        seen = Place.of(self.path).fingerprint()
        return seen is not None and self._sums.hold(seen)

    def _seal(self, changed: set[int] | None = None) -> None:
        with files.storage_errors(self.path):
            self.seen = self._sums.write(changed)
        self._until = time.monotonic() + page_sums.TRUSTED

    def _open(self) -> Connection | None:
        writable = os.access(self.path, os.W_OK)
        mode = "rw" if writable else "ro"
        connection = connect(f"file:{_quoted(self.path)}?mode={mode}", uri=True, timeout=self._wait)
        try:
            if _version(connection) != self._version:
                connection.close()
                return None
            # A persistent journal shows which pages a write changed. An interrupted write leaves no seal,
            # and the memory files have everything.
            connection.execute("PRAGMA journal_mode=PERSIST")
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA cache_spill=OFF")
            connection.execute("PRAGMA temp_store=MEMORY")
            connection.execute("PRAGMA cache_size=-32000")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _make(self) -> Connection:
        """Create a new file, under the lock."""
        self._remove()
        with files.storage_errors(self.path):
            files.make_directory(os.path.dirname(self.path))
            files.write_new(Place.of(self.path), b"")
        connection = connect(self.path)
        try:
            self._build(connection)
            connection.execute(f"PRAGMA user_version={self._version}")
        finally:
            connection.close()
        self._seal()
        self._remove_older()
        made = self.connection()
        if made is None:
            raise StorageError(self.path, OSError(5, "the data read back differs from the data written"))
        return made

    def _remove(self) -> None:
        self.close()
        paths = [f"{self.path}{end}" for end in (".sums", "-journal", "-wal", "-shm", "")]
        for path in paths:
            if os.path.isdir(path) and not os.path.islink(path):
                raise UnsafePathError(f"{path}: is a directory; move it out of the way")
        self._sums.remove()
        for path in paths:
            with files.storage_errors(path), suppress(FileNotFoundError):
                os.unlink(path)

    def _remove_older(self) -> None:
        """Remove other versions' files that nobody writes any more: words that we mask may be in them."""
        directory, family = os.path.dirname(self.path), self._name.partition("-")[0] + "-"
        with suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                if not entry.name.startswith(family) or entry.name.startswith(self._name):
                    continue
                about = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(about.st_mode) and time.time() - about.st_mtime > _UNUSED:
                    os.unlink(entry.path)


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
