"""Vectors kept between runs: one SQLite file in cache/, derived from the texts and disposable.

A row is a content hash and a vector of small integers with its scale. Reading a hundred thousand rows one by
one would cost ten times what comparing them costs, so rows lie together in packs of some thousands, sorted
by hash. A pack is never changed: what is new becomes a small pack, packs are joined as they add up, and large
ones share the hashes out by range, so that one row is looked for in few of them. A reader knows by a pack's
number whether it has it already. A pack belongs to one model and one scope, so a search reads nothing of
a project that it is not for.

The index is another file: it may be rebuilt at any time, while a vector takes a tenth of a second to make.
"""

from __future__ import annotations

import bisect
import contextlib
import os
import sqlite3
import threading
import zlib

from memolith.errors import MemolithError, UnsafePathError
from memolith.places import Place, Tree
from memolith.store import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any, Self

KEY = 16  # bytes of a content hash that are kept
NAME = 8  # the first of them: the same for a text and its sentences, and enough to tell a million texts apart
FULL = 4096  # rows of a pack at most
_NAME = "vectors-2.sqlite3"
_UNUSED_DAYS = 30  # then the vectors of a model that nobody asks for go
_SCHEMA = """
CREATE TABLE IF NOT EXISTS model(name TEXT PRIMARY KEY, dimension INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pack(
  id INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT NOT NULL, slug TEXT NOT NULL, count INTEGER NOT NULL,
  checksum INTEGER NOT NULL, keys BLOB NOT NULL, scales BLOB NOT NULL, vectors BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS pack_of ON pack(model, slug, count);
"""

_REFUSED = (sqlite3.Error, OSError, MemolithError)

Row = tuple[bytes, bytes, bytes]  # key, scale (a float of four bytes), vector (a signed byte each)


class Pack:
    """Some rows of one model and scope, sorted by key, as the bytes they are kept in."""

    def __init__(self, number: int, keys: bytes, scales: bytes, vectors: bytes) -> None:
        self.number, self.keys, self.scales, self.vectors = number, keys, scales, vectors
        self.count = len(keys) // KEY

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Iterator[Self]:
        """Put rows together, as many packs as it takes; of two rows with one key the first stays."""
        first: dict[bytes, Row] = {}
        for row in rows:
            first.setdefault(row[0], row)
        ordered = [first[key] for key in sorted(first)]
        for start in range(0, len(ordered), FULL):
            some = ordered[start : start + FULL]
            yield cls(0, *(b"".join([row[part] for row in some]) for part in range(3)))

    def rows(self) -> Iterator[Row]:
        """Take the rows apart again."""
        size = len(self.vectors) // max(1, self.count)
        for at in range(self.count):
            yield (
                self.keys[at * KEY : at * KEY + KEY],
                self.scales[at * 4 : at * 4 + 4],
                self.vectors[at * size : at * size + size],
            )

    @property
    def checksum(self) -> int:
        """What tells a damaged pack: SQLite itself does not check what it reads."""
        return zlib.crc32(self.vectors, zlib.crc32(self.scales, zlib.crc32(self.keys)))


class Packs:
    """The file of vectors of one home. A file that cannot be used is as good as none."""

    def __init__(self, home: str, day: int) -> None:
        self.path = os.path.join(home, "cache", _NAME)
        self._home, self._day = home, day
        self._open: sqlite3.Connection | None = None
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self.problem = ""  # why nothing can be kept, if so

    def keys(self, model: str, slug: str) -> set[bytes]:
        """Return the hashes that have a vector."""
        found: set[bytes] = set()
        for (keys,) in self._ask("SELECT keys FROM pack WHERE model = ? AND slug = ?", model, slug):
            found.update(keys[at : at + KEY] for at in range(0, len(keys), KEY))
        return found

    def numbers(self, model: str, slug: str) -> list[int]:
        """Return which packs hold a scope now."""
        rows = self._ask("SELECT id FROM pack WHERE model = ? AND slug = ? ORDER BY id", model, slug)
        return [number for (number,) in rows]

    def load(self, number: int) -> Pack | None:
        """Read a pack; one that is damaged is dropped, and its texts are embedded again."""
        for keys, scales, vectors, checksum in self._ask(
            "SELECT keys, scales, vectors, checksum FROM pack WHERE id = ?", number
        ):
            pack = Pack(number, keys, scales, vectors)
            if pack.checksum == checksum:
                return pack
            self._write(lambda db: db.execute("DELETE FROM pack WHERE id = ?", (number,)))
        return None

    def some(self, model: str, slug: str, keys: Collection[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """Return scale and vector of a few hashes, read one by one from where they lie."""
        found: dict[bytes, tuple[bytes, bytes]] = {}
        rows = self._ask("SELECT id, keys FROM pack WHERE model = ? AND slug = ?", model, slug)
        for number, known in rows:
            count = len(known) // KEY
            first, last = known[:KEY], known[-KEY:]
            likely = [key for key in keys if first <= key <= last and key not in found]
            here = [(place, key) for key in likely if (place := _place(known, count, key)) >= 0]
            found.update(self._read(number, count, sorted(here)))
        return found

    def _read(
        self, number: int, count: int, places: list[tuple[int, bytes]]
    ) -> dict[bytes, tuple[bytes, bytes]]:
        found: dict[bytes, tuple[bytes, bytes]] = {}
        if self._open is None or not places:
            return found
        # A pack that another process joined in the meantime is gone: its rows count as not there yet.
        with (
            self._lock,
            contextlib.suppress(sqlite3.Error),
            self._open.blobopen("pack", "scales", number, readonly=True) as scales,
            self._open.blobopen("pack", "vectors", number, readonly=True) as vectors,
        ):
            size = len(vectors) // count
            for at, key in places:
                scales.seek(at * 4)
                vectors.seek(at * size)
                found[key] = (scales.read(4), vectors.read(size))
        return found

    def add(self, model: str, slug: str, rows: Sequence[Row]) -> bool:
        """Keep new rows; False (and `problem`) if the file cannot be written."""

        def step(db: sqlite3.Connection) -> None:
            self._use(db, model, len(rows[0][2]))
            merged, joined = list(rows), []
            known = db.execute(
                "SELECT id, count, keys, scales, vectors FROM pack "
                "WHERE model = ? AND slug = ? ORDER BY count",
                (model, slug),
            )
            for number, count, *parts in known:
                if count > len(merged):
                    break
                merged += Pack(number, *parts).rows()
                joined.append((number,))
            db.executemany("DELETE FROM pack WHERE id = ?", joined)
            _insert(db, model, slug, merged)

        return not rows or self._write(step)

    def retain(self, slug: str, keys: Collection[bytes]) -> int:
        """Drop the vectors of a scope whose text is gone, of every model; return how many."""
        dropped = 0
        names = {key[:NAME] for key in keys}

        def step(db: sqlite3.Connection) -> None:
            nonlocal dropped
            packs = db.execute("SELECT id, model, keys, scales, vectors FROM pack WHERE slug = ?", (slug,))
            for number, model, *parts in packs.fetchall():
                pack = Pack(number, *parts)
                kept = [row for row in pack.rows() if row[0][:NAME] in names]
                if len(kept) < pack.count:
                    dropped += pack.count - len(kept)
                    db.execute("DELETE FROM pack WHERE id = ?", (number,))
                    _insert(db, model, slug, kept)

        stale = any(
            known[at : at + KEY] not in keys
            for (known,) in self._ask("SELECT keys FROM pack WHERE slug = ?", slug)
            for at in range(0, len(known), KEY)
        )
        return dropped if stale and self._write(step) else 0

    def slugs(self) -> list[str]:
        """Return the scopes that have vectors."""
        return [slug for (slug,) in self._ask("SELECT DISTINCT slug FROM pack ORDER BY slug")]

    def clear(self) -> None:
        """Forget everything."""
        self._start_anew()

    def close(self) -> None:
        """Let go of the file."""
        if self._open is not None:
            self._open.close()
            self._open = None

    # ------------------------------------------------------------ the file

    def _use(self, db: sqlite3.Connection, model: str, dimension: int) -> None:
        """Note that a model is in use; the same name with another length of vectors is another model."""
        known = db.execute("SELECT dimension FROM model WHERE name = ?", (model,)).fetchone()
        if known and known[0] != dimension:
            db.execute("DELETE FROM pack WHERE model = ?", (model,))
        db.execute("INSERT OR REPLACE INTO model VALUES (?, ?, ?)", (model, dimension, self._day))
        unused = "SELECT name FROM model WHERE used < ?"
        db.execute(f"DELETE FROM pack WHERE model IN ({unused})", (self._day - _UNUSED_DAYS,))  # noqa: S608
        db.execute("DELETE FROM model WHERE used < ?", (self._day - _UNUSED_DAYS,))

    def _connect(self) -> sqlite3.Connection:
        if self._pid != os.getpid():  # a forked child must not use its parent's connection
            self._open, self._pid = None, os.getpid()
        if self._open is None:
            Tree(os.path.join(self._home, "cache")).check(_NAME)
            if not os.path.lexists(self.path):
                files.make_directory(os.path.dirname(self.path))
                # Private from its first moment; an empty file is a valid database.
                with contextlib.suppress(FileExistsError):
                    files.write_new(Place.of(self.path), b"")
            if os.path.islink(self.path):
                raise UnsafePathError(f"{self.path}: is a symbolic link; remove it")
            db = sqlite3.connect(self.path, timeout=5, isolation_level=None, check_same_thread=False)
            self._open = db
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA page_size = 65536")  # of a new file: a pack is then few pages, and a row near
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'pack_of'").fetchone():
                db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT")
        return self._open

    def _ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connect().execute(question, values).fetchall()
            except _REFUSED as error:
                self._failed(error)
                return []

    def _write(self, step: Callable[[sqlite3.Connection], object]) -> bool:
        with self._lock:
            try:
                db = self._connect()
                db.execute("BEGIN IMMEDIATE")
                try:
                    step(db)
                    db.execute("COMMIT")
                except BaseException:
                    with contextlib.suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                    raise
            except _REFUSED as error:
                self._failed(error)
                return False
            return True

    def _failed(self, error: Exception) -> None:
        """Note what is wrong; a file that is no database is replaced by an empty one."""
        self.problem = str(error) if isinstance(error, MemolithError) else f"{self.path}: {error}"
        self.close()
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            self._start_anew()

    def _start_anew(self) -> None:
        self.close()
        for path in (self.path + "-journal", self.path):
            if os.path.lexists(path):
                # A new empty file takes the name: who still reads the old one is not disturbed.
                try:
                    fresh = f"{path}.{os.getpid()}"
                    files.write_new(Place.of(fresh), b"")
                    files.replace(Place.of(fresh), Place.of(path))
                except OSError as error:
                    self.problem = f"{path}: {error}"


def _insert(db: sqlite3.Connection, model: str, slug: str, rows: Iterable[Row]) -> None:
    db.executemany(
        "INSERT INTO pack(model, slug, count, checksum, keys, scales, vectors) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (model, slug, pack.count, pack.checksum, pack.keys, pack.scales, pack.vectors)
            for pack in Pack.of(rows)
        ],
    )


class _Keys:
    """The sorted keys of a pack, for `bisect`."""

    def __init__(self, keys: bytes, count: int) -> None:
        self._keys, self._count = keys, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> bytes:
        return self._keys[at * KEY : at * KEY + KEY]


def _place(keys: bytes, count: int, key: bytes) -> int:
    sorted_keys = _Keys(keys, count)
    at = bisect.bisect_left(sorted_keys, key)
    return at if at < count and sorted_keys[at] == key else -1
