"""The database of learning, `state/state.sqlite3`: jobs and their workers, extractions, and costs.

Losing it costs repeated work, never a memory. So a damaged file is set aside and replaced by a new one, a
deleted one is simply recreated, and readers get no rows while there is no file. Every wait ends after
`lock.seconds` in a BusyError.

While a connection is open, no other file can get its inode: one `stat` shows whether the file at the path is
still ours. Without that check, a worker could commit into a file that has been unlinked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
from _thread import RLock  # `threading` costs more than the rest of this module

from memolith.base.errors import BusyError, StorageError, UnsafePathError
from memolith.env.paths import Place, Tree
from memolith.store import files, locks
from memolith.store.derived import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")

NAME = "state.sqlite3"
LOCK = "queue"  # held while the file is created or set aside
_VERSION = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (kind TEXT NOT NULL, key TEXT NOT NULL, project TEXT NOT NULL,
    status TEXT NOT NULL, worker TEXT NOT NULL DEFAULT '', token TEXT NOT NULL DEFAULT '',
    lease_until REAL NOT NULL DEFAULT 0, retry_at REAL NOT NULL DEFAULT 0, retry_remaining INTEGER NOT NULL,
    last_error TEXT NOT NULL DEFAULT '', input_watermark TEXT NOT NULL,
    success_watermark TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT '',
    forced INTEGER NOT NULL DEFAULT 0, finished REAL NOT NULL DEFAULT 0, updated REAL NOT NULL,
    PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS outputs (project TEXT NOT NULL, session TEXT NOT NULL,
    source_watermark TEXT NOT NULL, started TEXT NOT NULL, raw_memory TEXT NOT NULL,
    rollout_summary TEXT NOT NULL, rollout_slug TEXT, model TEXT NOT NULL, created REAL NOT NULL,
    usage_count INTEGER NOT NULL DEFAULT 0, last_used REAL NOT NULL DEFAULT 0,
    in_set INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (project, session));
CREATE TABLE IF NOT EXISTS glances (project TEXT NOT NULL, session TEXT NOT NULL, stamp TEXT NOT NULL,
    active REAL, mark TEXT NOT NULL, unfit TEXT NOT NULL, withdrawn INTEGER NOT NULL,
    PRIMARY KEY (project, session));
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, started REAL NOT NULL, day TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL,
    day TEXT NOT NULL, phase TEXT NOT NULL, project TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, seconds REAL NOT NULL,
    outcome TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS requests_of_day ON requests (day);
CREATE INDEX IF NOT EXISTS requests_of_run ON requests (run);
"""
_BESIDE = ("-wal", "-shm", "-journal")
_TRIES = 5  # attempts with a file that others damage or remove

# SQLite's message about a damaged schema may not even be UTF-8.
_ERRORS = (sqlite3.Error, UnicodeDecodeError)
_BUSY = frozenset([sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL])
_DAMAGED = frozenset(
    [sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT]
)
_REFUSED = {
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_AUTH: errno.EACCES,
    sqlite3.SQLITE_FULL: errno.ENOSPC,
}


class DamagedError(StorageError):
    """The file was damaged or of another version, and is set aside; a retry creates a new one."""


class Database:
    """The file, and a connection opened on first use. Threads may share it."""

    def __init__(self, home: str, wait: float) -> None:
        self.path = os.path.join(home, "state", NAME)
        self._home, self._wait = home, wait
        self.forked()
        locks.watch_forks(self)

    def forked(self) -> None:
        """Start over in a forked child: the open connection is the parent's."""
        self.lock = RLock()
        self._open: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._inside = False

    # ------------------------------------------------------------ queries and transactions

    @property
    def exists(self) -> bool:
        """Whether the file exists."""
        return _stat(self.path) is not None

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; none if there is no database.

        `values` are its parameters in order, or one mapping of names.
        """
        with self._mine():
            for attempt in range(_TRIES):
                try:
                    connection = self._open if self._inside else self._connect()
                    return connection.execute(question, _bound(values)).fetchall() if connection else []
                except _ERRORS as error:
                    known = self._known(error)
                    last = self._inside or attempt == _TRIES - 1
                    if last or not isinstance(known, DamagedError):
                        raise known from error
        return []

    def change(self, step: Callable[[sqlite3.Connection], T]) -> T:
        """Run a step in its own transaction; retry once if the file turns out to be damaged."""
        try:
            with self.writing() as connection:
                return step(connection)
        except DamagedError:
            if self._inside:
                raise
        with self.writing() as connection:
            return step(connection)

    def update(self, statement: str, *values: object) -> int:
        """Run one statement in its own transaction; return how many rows it changed."""
        return self.change(lambda db: db.execute(statement, _bound(values)).rowcount)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold an IMMEDIATE transaction, so that nobody else writes; inside another one, join it."""
        with self._mine():
            if self._inside and self._open is not None:
                yield self._open
                return
            connection = self._begin()
            self._inside = True
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                self._inside = False
                if isinstance(error, _ERRORS):
                    raise self._known(error) from error
                raise
            finally:
                self._inside = False

    def scrub(self) -> None:
        """Remove the bytes of deleted rows from the journal and from files that were set aside."""
        with self._mine(), contextlib.suppress(sqlite3.Error):
            connection = self._connect()
            if connection is not None:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        _unlink(f"{self.path}.damaged")

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            with contextlib.suppress(sqlite3.Error):
                self._open.close()
        self._open = self._inode = None

    def __del__(self) -> None:
        if self._open is not None:
            self._open.close()

    # ------------------------------------------------------------ the file

    @contextlib.contextmanager
    def _mine(self) -> Iterator[None]:
        if not self.lock.acquire(timeout=self._wait):
            raise BusyError(self._waited())
        try:
            yield
        finally:
            self.lock.release()

    def _begin(self) -> sqlite3.Connection:
        for _ in range(_TRIES):
            try:
                connection = self._connect() or self._make()
                if connection is None:
                    continue
                connection.execute("BEGIN IMMEDIATE")
            except _ERRORS as error:
                known = self._known(error)
                if not isinstance(known, DamagedError):
                    raise known from error
                continue
            if self._inode is None:
                raise StorageError(self.path, OSError(errno.EROFS, "can only be read"))
            if self._inode == _inode(self.path):  # checked after locking: the wait may have been long
                return connection
            self.close()
        raise BusyError(f"{self.path}: is replaced again and again; see what else uses it, then try again")

    def _connect(self) -> sqlite3.Connection | None:
        """Return the connection to the file at the path; None if it is missing or still empty."""
        if self._open is not None and self._inode == _inode(self.path):
            return self._open
        self.close()
        if not self._exists():
            return None
        self._inode = _inode(self.path)
        try:
            self._open, version = self._opened("mode=rw")
        except sqlite3.OperationalError as error:
            if _code(error) not in _REFUSED:
                raise
            # Not even the -shm file that readers share can be created here. A read-only process sees the
            # main file alone, reopened for each query, because nothing signals a change.
            self._inode = None
            self._open, version = self._opened("mode=ro&immutable=1")
        if version == 0:
            self._open.close()
            self._open = None
        elif version != _VERSION:
            raise sqlite3.DatabaseError(f"version {version}")
        return self._open

    def _make(self) -> sqlite3.Connection | None:
        """Create the file or its schema; None if somebody removes it at once."""
        with locks.locked(self._home, LOCK, self._wait):
            connection = self._connect()
            if connection is not None:
                return connection
            if _inode(self.path) is None:
                # Left over from a deleted database; SQLite would replay them into the new one.
                for suffix in _BESIDE:
                    _unlink(self.path + suffix)
                with files.storage_errors(self.path):
                    files.write_new(Place.of(self.path), b"")  # private from the start
            files.make_private(Tree(os.path.dirname(self.path)), NAME)  # somebody else may have created it
            connection, _ = self._opened("mode=rw")
            try:
                connection.execute("PRAGMA journal_mode=WAL").fetchall()
                connection.executescript(
                    f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version={_VERSION}; COMMIT;"
                )
            finally:
                connection.close()
            return self._connect()

    def _opened(self, mode: str) -> tuple[sqlite3.Connection, int]:
        """Return a connection to the file, and the version of its schema."""
        where = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        # Set the timeout before the first lock is taken.
        connection = connect(f"file:{where}?{mode}", uri=True, timeout=self._wait)
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=ON")
            return connection, int(connection.execute("PRAGMA user_version").fetchone()[0])
        except _ERRORS:
            connection.close()
            raise

    def _exists(self) -> bool:
        """Whether the file exists. UnsafePathError if it, or its -wal or -shm, is not a regular file."""
        Tree(os.path.dirname(self.path)).check(NAME)
        for suffix in (*_BESIDE, ""):
            found = _stat(self.path + suffix)
            if found is not None and not stat.S_ISREG(found.st_mode):
                raise UnsafePathError(f"{self.path}{suffix}: is not a regular file; move it out of the way")
        return found is not None

    def _known(self, error: sqlite3.Error | UnicodeDecodeError) -> Exception:
        """Convert an error of SQLite to one of ours; sets a damaged file aside first."""
        code = _code(error)
        if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
            return error  # our own bug
        if self._inode is not None and self._inode != _inode(self.path):
            self.close()
            return DamagedError(self.path, OSError(errno.EIO, "somebody replaced it; try again"))
        if code in _BUSY:
            return BusyError(self._waited())
        short = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHORT_READ
        if code is None or code in _DAMAGED or short:
            self._set_aside()
            return DamagedError(self.path, OSError(errno.EIO, f"{error}; it was set aside, try again"))
        return StorageError(self.path, OSError(_REFUSED.get(code, errno.EIO), str(error)))

    def _set_aside(self) -> None:
        damaged = self._inode
        self.close()
        with locks.locked(self._home, LOCK, self._wait), files.storage_errors(self.path):
            if damaged is not None and damaged == _inode(self.path):  # no other process replaced it first
                files.replace(Place.of(self.path), Place.of(f"{self.path}.damaged"))
                for suffix in _BESIDE:
                    _unlink(self.path + suffix)

    def _waited(self) -> str:
        return (
            f"{self.path}: another process has been writing for {self._wait:g} seconds; try again, "
            "or raise lock.seconds"
        )


def _bound(values: tuple[Any, ...]) -> Any:
    return values[0] if values and isinstance(values[0], dict) else values


def _code(error: sqlite3.Error | UnicodeDecodeError) -> int | None:
    """Return SQLite's error code; None if the error is not SQLite's own (text that is not UTF-8)."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _inode(path: str) -> tuple[int, int] | None:
    found = _stat(path)
    return found and (found.st_dev, found.st_ino)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StorageError(path, error) from error


def _unlink(path: str) -> None:
    with files.storage_errors(path), contextlib.suppress(FileNotFoundError):
        files.unlink(Place.of(path))
