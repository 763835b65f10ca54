"""Stored vectors: one SQLite file in cache/, derived from the texts and disposable.

A row is a content hash and a vector of small integers with its scale. Reading a hundred thousand rows one by
one would cost ten times as much as comparing them, so rows are stored in packs of some thousands, sorted by
hash. Packs are immutable: new rows become a small pack, small packs are merged, and large ones split the
hashes by range, so that a row is looked up in few of them. A reader recognises a pack by its number. A pack
belongs to one model and one scope, so a search never reads another project's.

The index is a separate file: it is cheap to rebuild, while a vector takes a tenth of a second to compute.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from _thread import RLock

from memolith.base.errors import MemolithError, UnsafePathError
from memolith.env.paths import Place, Tree
from memolith.store import files, locks
from memolith.store.derived import DAMAGED, connect, sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any, Self

KEY = 16  # stored bytes of a content hash
NAME = 8  # of these, the prefix shared by a text and its sentences: enough to distinguish a million texts
FULL = 4096  # rows of a pack, plus the rest of its last text
_NAME = "vectors-2.sqlite3"
_UNUSED_DAYS = 30  # days until the vectors of an unused model are dropped
_SCHEMA = """
CREATE TABLE IF NOT EXISTS model(name TEXT PRIMARY KEY, dimension INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pack(
  id INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT NOT NULL, slug TEXT NOT NULL, count INTEGER NOT NULL,
  checksum INTEGER NOT NULL, keys BLOB NOT NULL, scales BLOB NOT NULL, vectors BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS pack_of ON pack(model, slug, count);
"""

_PARTS = "id, keys, scales, vectors, checksum"
# Errors of SQLite, or of Python on nonsensical rows (a name that is not UTF-8, a number that is not one).
_REFUSED = (sqlite3.Error, OSError, MemolithError, TypeError, ValueError)

Row = tuple[bytes, bytes, bytes]  # key, scale (a float of four bytes), vector (a signed byte each)


class Pack:
    """Some rows of one model and scope, sorted by key, in their stored form."""

    def __init__(self, number: int, keys: bytes, scales: bytes, vectors: bytes) -> None:
        self.number, self.keys, self.scales, self.vectors = number, keys, scales, vectors
        self.count = len(keys) // KEY

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Iterator[Self]:
        """Pack rows, into as many packs as needed; of two rows with the same key the first stays."""
        first: dict[bytes, Row] = {}
        for row in rows:
            first.setdefault(row[0], row)
        ordered = [first[key] for key in sorted(first)]
        start = 0
        while start < len(ordered):
            end = min(start + FULL, len(ordered))
            # A text and its sentences stay in one pack.
            while end < len(ordered) and ordered[end][0][:NAME] == ordered[end - 1][0][:NAME]:
                end += 1
            some = ordered[start:end]
            yield cls(0, *(b"".join([row[part] for row in some]) for part in range(3)))
            start = end

    @classmethod
    def intact(cls, number: int, keys: object, scales: object, vectors: object, total: object) -> Self | None:
        """Return a stored pack; None if it is damaged."""
        if not (isinstance(keys, bytes) and isinstance(scales, bytes) and isinstance(vectors, bytes)):
            return None
        pack = cls(number, keys, scales, vectors)
        return pack if pack.checksum == total else None

    def rows(self) -> Iterator[Row]:
        """Unpack the rows."""
        size = len(self.vectors) // max(1, self.count)
        for at in range(self.count):
            yield (
                self.keys[at * KEY : at * KEY + KEY],
                self.scales[at * 4 : at * 4 + 4],
                self.vectors[at * size : at * size + size],
            )

    @property
    def checksum(self) -> int:
        """The checksum of a pack: SQLite itself does not verify what it reads."""
        return zlib.crc32(self.vectors, zlib.crc32(self.scales, zlib.crc32(self.keys)))


class Packs:
    """The vectors file of one home. An unusable file is treated as missing."""

    def __init__(self, home: str, day: int) -> None:
        self.path = os.path.join(home, "cache", _NAME)
        self._home, self._day = home, day
        self._open: sqlite3.Connection | None = None
        self.lock = RLock()
        # The keys of verified packs; they never change.
        self._known: dict[int, bytes] = {}
        self.problem = ""  # why nothing can be stored, if so
        locks.watch_forks(self)

    def forked(self) -> None:
        """Drop the connection in a child: it is the parent's."""
        self.lock, self._open = RLock(), None

    def keys(self, model: str, slug: str) -> set[bytes]:
        """Return the hashes that have a vector, in intact packs."""
        numbers, found = self.numbers(model, slug), set[bytes]()
        for number in numbers:
            if number not in self._known:
                self.load(number)
            keys = self._known.get(number, b"")
            found.update(keys[at : at + KEY] for at in range(0, len(keys), KEY))
        return found

    def numbers(self, model: str, slug: str) -> list[int]:
        """Return the current packs of a scope."""
        rows = self._ask("SELECT id FROM pack WHERE model = ? AND slug = ? ORDER BY id", model, slug)
        return [number for (number,) in rows]

    def load(self, number: int) -> Pack | None:
        """Read a pack; drop a damaged one, so that its texts are embedded again."""
        self._known.pop(number, None)
        for row in self._ask(f"SELECT {_PARTS} FROM pack WHERE id = ?", number):  # noqa: S608 - constant
            pack = Pack.intact(*row)
            if pack is not None:
                self._known[number] = pack.keys
                return pack
            self._write(lambda db: db.execute("DELETE FROM pack WHERE id = ?", (number,)))
        return None

    def add(self, model: str, slug: str, rows: Sequence[Row]) -> bool:
        """Store new rows; False (and `problem`) if the file cannot be written."""

        def step(db: sqlite3.Connection) -> None:
            self._use(db, model, len(rows[0][2]))
            merged, joined = list(rows), []
            known = db.execute(
                f"SELECT count, {_PARTS} FROM pack WHERE model = ? AND slug = ? ORDER BY count",  # noqa: S608
                (model, slug),
            )
            for count, number, *parts in known:
                if count > len(merged):
                    break
                pack = Pack.intact(number, *parts)
                merged += pack.rows() if pack else ()
                joined.append((number,))
            db.executemany("DELETE FROM pack WHERE id = ?", joined)
            _insert(db, model, slug, merged)

        return not rows or self._write(step)

    def retain(self, slug: str, keys: Collection[bytes]) -> None:
        """Drop the vectors of removed texts of a scope, for every model."""
        names = {key[:NAME] for key in keys}

        def step(db: sqlite3.Connection) -> None:
            packs = db.execute(f"SELECT model, {_PARTS} FROM pack WHERE slug = ?", (slug,))  # noqa: S608
            for model, number, *parts in packs.fetchall():
                pack = Pack.intact(number, *parts)
                kept = [row for row in pack.rows() if row[0][:NAME] in names] if pack else []
                if pack is None or len(kept) < pack.count:
                    db.execute("DELETE FROM pack WHERE id = ?", (number,))
                    _insert(db, model, slug, kept)

        if any(
            known[at : at + KEY] not in keys
            for (known,) in self._ask("SELECT keys FROM pack WHERE slug = ?", slug)
            for at in range(0, len(known), KEY)
        ):
            self._write(step)

    def close(self) -> None:
        """Close the file."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def __del__(self) -> None:
        self.close()

    # ------------------------------------------------------------ the file

    def _use(self, db: sqlite3.Connection, model: str, dimension: int) -> None:
        """Record the use of a model; the same name with another vector length is another model."""
        known = db.execute("SELECT dimension FROM model WHERE name = ?", (model,)).fetchone()
        if known and known[0] != dimension:
            db.execute("DELETE FROM pack WHERE model = ?", (model,))
        db.execute("INSERT OR REPLACE INTO model VALUES (?, ?, ?)", (model, dimension, self._day))
        unused = "SELECT name FROM model WHERE used < ?"
        db.execute(f"DELETE FROM pack WHERE model IN ({unused})", (self._day - _UNUSED_DAYS,))  # noqa: S608
        db.execute("DELETE FROM model WHERE used < ?", (self._day - _UNUSED_DAYS,))

    def _connect(self) -> sqlite3.Connection:
        if self._open is None:
            Tree(os.path.join(self._home, "cache")).check(_NAME)
            if not os.path.lexists(self.path):
                files.make_directory(os.path.dirname(self.path))
                # Private from the start; an empty file is a valid database.
                with contextlib.suppress(FileExistsError):
                    files.write_new(Place.of(self.path), b"")
            if os.path.islink(self.path):
                raise UnsafePathError(f"{self.path}: is a symbolic link; remove it")
            db = self._open = connect(self.path)
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA page_size = 65536")  # of a new file, so that a pack takes few pages
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'pack_of'").fetchone():
                db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT")
        return self._open

    def _ask(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        with locks.fair(self.lock):
            try:
                return self._connect().execute(question, values).fetchall()
            except _REFUSED as error:
                self._failed(error)
                return []

    def _write(self, step: Callable[[sqlite3.Connection], object]) -> bool:
        with locks.fair(self.lock):
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
        """Record the problem; replace a file that is not a database by an empty one."""
        self.problem = str(error) if isinstance(error, MemolithError) else f"{self.path}: {error}"
        self.close()
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if isinstance(error, (TypeError, ValueError)) or code in DAMAGED:
            self.clear()

    def clear(self) -> None:
        """Delete everything."""
        self.close()
        for path in (self.path + "-journal", self.path):
            if os.path.lexists(path):
                # A new empty file takes the name: readers of the old one are not disturbed.
                try:
                    files.write_cache(path, b"")
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
