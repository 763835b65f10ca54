"""The database of learning, `state/state.sqlite3`: who works on what, what that brought, and what it cost.

Losing it costs repeated work, never a memory. So a damaged file is set aside and a new one begun, a deleted
one is not missed, and whoever only reads gets nothing where there is no file. Every wait ends,
after `lock.seconds`, in a BusyError.

While a connection is open, its file cannot give its inode to another one: one `stat` tells whether the file
at the name is still ours. Without that look, a worker could commit into a file that no longer has a name.
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
LOCK = "queue"  # held while the file is made or set aside
_VERSION = 1
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
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, started REAL NOT NULL, day TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL,
    day TEXT NOT NULL, phase TEXT NOT NULL, project TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, seconds REAL NOT NULL,
    outcome TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS requests_of_day ON requests (day);
CREATE INDEX IF NOT EXISTS requests_of_run ON requests (run);
"""
_BESIDE = ("-wal", "-shm", "-journal")
_TRIES = 5  # with a file that others damage or remove

# A damaged schema can have a message that Python cannot even decode.
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
    """The file was damaged, or made by another version; it was set aside, the next try makes a new one."""


class Database:
    """The file, and the connection to it once it is needed. Threads may share one."""

    def __init__(self, home: str, wait: float) -> None:
        self.path = os.path.join(home, "state", NAME)
        self._home, self._wait = home, wait
        self.forked()
        locks.watch_forks(self)

    def forked(self) -> None:
        """Start over, in a forked child: what is open is the parent's."""
        self.lock = RLock()
        self._open: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._inside = False

    # ------------------------------------------------------------ what the others use

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return _stat(self.path) is not None

    def ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows that answer a question; none where there is no database.

        `values` are its parameters in order, or one mapping of their names.
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
        """Do a step in a transaction of its own; once more if the file turned out to be damaged."""
        try:
            with self.writing() as connection:
                return step(connection)
        except DamagedError:
            if self._inside:
                raise
        with self.writing() as connection:
            return step(connection)

    def update(self, statement: str, *values: object) -> int:
        """Do one statement in a transaction of its own; return how many rows it changed."""
        return self.change(lambda db: db.execute(statement, _bound(values)).rowcount)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold an IMMEDIATE transaction, so that nobody else writes; inside another one, be a part of it."""
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
        """Leave no bytes of what was deleted: not in the journal, not in a file that was set aside."""
        with self._mine(), contextlib.suppress(sqlite3.Error):
            connection = self._connect()
            if connection is not None:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        _unlink(f"{self.path}.damaged")

    def close(self) -> None:
        """Let go of the file."""
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
            if self._inode == _inode(self.path):  # looked at inside: waiting for the lock takes its time
                return connection
            self.close()
        raise BusyError(f"{self.path}: is replaced again and again; see what else uses it, then try again")

    def _connect(self) -> sqlite3.Connection | None:
        """Return the connection to the file at the name; None if there is none, or nothing in it yet."""
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
            # Not even the file that readers share can be made here. Who may only read sees what is in the
            # file itself; it is opened again for each question, because nothing tells when it changes.
            self._inode = None
            self._open, version = self._opened("mode=ro&immutable=1")
        if version == 0:
            self._open.close()
            self._open = None
        elif version != _VERSION:
            raise sqlite3.DatabaseError(f"version {version}")
        return self._open

    def _make(self) -> sqlite3.Connection | None:
        """Make the file, or what should be in it; None if somebody removed it right away."""
        with locks.locked(self._home, LOCK, self._wait):
            connection = self._connect()
            if connection is not None:
                return connection
            if _inode(self.path) is None:
                # Their database is gone; SQLite would read them into the new one.
                for suffix in _BESIDE:
                    _unlink(self.path + suffix)
                with files.storage_errors(self.path):
                    files.write_new(Place.of(self.path), b"")  # private from its first moment
            files.make_private(Tree(os.path.dirname(self.path)), NAME)  # somebody else may have made it
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
        """Return a connection to the file, and the version of what is in it."""
        where = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        # Its time limit is set before the first lock is asked for.
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
        """Return an error of SQLite as one of ours; a damaged file is set aside by then."""
        code = _code(error)
        if isinstance(error, (sqlite3.ProgrammingError, sqlite3.IntegrityError)):
            return error  # a mistake of ours
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
            if damaged is not None and damaged == _inode(self.path):  # nobody was faster
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
    """Return the kind of an error; None if it did not come from SQLite itself (text that is not UTF-8)."""
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
