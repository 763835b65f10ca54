"""Catching up: find the files that changed since they were indexed, and replace their units.

Files are read and cut before taking the lock; under it, a batch is written only if the rows it was compared
with are unchanged, else it is checked again. So several processes may sync at once.
"""

from __future__ import annotations

import time

from memolith.base.errors import BusyError, StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.base.whole import Watch, note
from memolith.index import schema, walk
from memolith.index.units import KINDS
from memolith.store import layout
from memolith.store.derived import sqlite3
from memolith.text.words import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from sqlite3 import Connection

    from memolith.index.documents import Document, Piece
    from memolith.index.schema import Known
    from memolith.index.walk import Entry, Place

    Writing = Callable[[], AbstractContextManager[Connection]]

_BATCH = 400  # files per batch, and their maximum bytes: a session unpacks to several times that
_BYTES = 1_048_576
_MANY = 500
_TITLE, _KEYS = 2, 2  # extra weight of a term in the title, or in aliases and keywords
_STAMP = ("inode", "size", "mtime", "ctime", "settled", "hash")
_DATES = ("date", "expires", "valid_from", "valid_until")
_FIELDS = ("masked", "category", "record", "title", "status", "source", "problem", *_DATES)


class Task:
    """A file whose rows must change: to `entry`, or removed if that is None."""

    __slots__ = ("document", "entry", "hash", "known", "name", "place")

    def __init__(self, place: Place, name: str, entry: Entry | None, known: Known | None) -> None:
        self.place, self.name, self.entry, self.known = place, name, entry, known
        self.hash = b""
        self.document: Document | None = None

    @property
    def path(self) -> str:
        """The path of the file, relative to the home."""
        return f"{self.place.path}/{self.name}"

    @property
    def differs(self) -> bool:
        """Whether the file visibly differs from the index."""
        return self.entry is None or self.known is None or self.known.stamp != self.entry.stamp()

    @property
    def matters(self) -> bool:
        """Whether answers change; else only the file's stamp does."""
        return self.entry is None or self.document is not None


class ReplacedError(sqlite3.DatabaseError):
    """The index was discarded meanwhile: the new one lacks the unchanged files."""


class Sync:
    """One sync: `look` at each directory, then `run`."""

    def __init__(
        self,
        home: str,
        writing: Writing,
        deadline: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.home, self._writing = home, writing
        self._files = walk.Files(home)
        self._deadline, self._progress = deadline, progress
        self._todo: list[Task] = []
        self.missing: list[str] = []
        self.unfinished: set[str] = set()  # directories with something missing
        self.changed = 0
        self.wrote = self.is_behind = False
        self._index: int | None = None  # which index this is about

    def look(self, connection: Connection | None, place: Place, names: set[str] | None) -> None:
        """Collect the tasks of a directory; `names` limits this to some of its files."""
        if self._index is None and connection is not None:
            self._index = schema.identity(connection)
        with Watch() as watch:
            self._todo += self._tasks(connection, place, names)
        for path, error in watch.errors.items():  # temporarily unavailable: report it as missing
            self._miss(place, str(StorageError(path, error)))

    @property
    def pending(self) -> int:
        """The number of files to read again or drop."""
        return sum(task.differs for task in self._todo)

    def run(self) -> None:
        """Do it."""
        # Visibly changed files first: the doubtful ones could use up the time at every sync.
        self._todo.sort(key=lambda task: not task.differs)
        total, done = len(self._todo), 0
        for batch in _batches(self._todo):
            # Always do something, or the scan itself could use up the time at every sync.
            if done and self._deadline is not None and time.monotonic() > self._deadline:
                left = f"not reached in time, nor {total - done - 1} more"
                self._miss(batch[0].place, f"{batch[0].path}: {left}")
                self.is_behind = True
                self.unfinished |= {task.place.path for task in self._todo[done:]}
                return
            if self._progress is not None:
                self._progress(done, total)
            self._do(batch)
            for task in batch:
                task.document = None  # release the texts, or all would be in memory until the end
            done += len(batch)
        if self._progress is not None:
            self._progress(done, total)
        if total >= _MANY:
            with self._writing() as database:
                schema.words(database).settle()

    def _miss(self, place: Place, what: str) -> None:
        self.missing += [what] if what not in self.missing else []
        self.unfinished.add(place.path)

    def _tasks(self, connection: Connection | None, place: Place, names: set[str] | None) -> Iterator[Task]:
        """Yield the files of a directory that differ from the index, or might."""
        found: dict[str, Entry] = {}
        listed = False
        try:
            if names is not None:
                found = {name: entry for name in names if (entry := walk.look(self.home, place, name))}
            elif connection is not None and self._is_same(connection, place):
                yield from self._doubtful(connection, place)
                return
            else:
                found, listed = walk.entries(self.home, place), True
        except (UnsafePathError, StorageError) as error:  # its files leave the index
            self._miss(place, str(error))
        except OSError as error:
            note(layout.locate(self.home, place.path), error)
        known = {} if connection is None else schema.known_files(connection, place.path, names)
        for name in known.keys() - found.keys():
            # Written and indexed by another process since the directory was listed?
            entry = None
            with suppress(UnsafePathError, StorageError):
                entry = walk.look(self.home, place, name) if listed else None
            if entry is None or entry.stamp() != known[name].stamp:
                yield Task(place, name, entry, known[name])
        for name, entry in found.items():
            before = known.get(name)
            if before is None or before.stamp != entry.stamp() or not before.settled:
                yield Task(place, name, entry, before)

    def _is_same(self, connection: Connection, place: Place) -> bool:
        row = connection.execute("SELECT signature FROM directories WHERE path = ?", [place.path]).fetchone()
        return walk.signature(self.home, place) == (row[0] if row else 0)

    def _doubtful(self, connection: Connection, place: Place) -> Iterator[Task]:
        """Yield files read so soon after a change that a later one may have left no trace."""
        for name, known in schema.known_files(connection, place.path, None, doubtful=True).items():
            yield Task(place, name, walk.look(self.home, place, name), known)

    def _do(self, batch: list[Task]) -> None:
        ready = [task for task in batch if self._prepare(task)]
        if not ready:
            return
        try:
            with self._writing() as connection:
                self._check(connection)
                stale = [task for task in ready if not _is_current(connection, task)]
                for task in stale:  # another process was faster
                    ready.remove(task)
                    again = self._tasks(connection, task.place, {task.name})
                    ready += [each for each in again if self._prepare(each)]
                Writer(connection).apply(ready)
        except (BusyError, StorageError):
            if any(task.matters for task in ready):
                raise
            return  # the index is correct; this would only have saved the next check
        self.wrote = True
        self.changed += sum(task.matters for task in ready)

    def _check(self, connection: Connection) -> None:
        """Refuse to continue with another index than the one compared or started with."""
        now = schema.identity(connection)
        if self._index not in (None, now):
            raise ReplacedError("the index was rebuilt during the update")
        self._index = now

    def _drop(self, task: Task, why: str = "") -> bool:
        """Drop a file: its old text must not pass for its current one."""
        if why:
            self._miss(task.place, why)
        task.entry = None
        return task.known is not None

    def _prepare(self, task: Task) -> bool:
        """Read a file and cut it. False if there is nothing to write."""
        if task.entry is None:
            return True
        try:
            found = self._files.read(task.path)
        except UnsafePathError:
            return self._drop(task)  # became a link: the next look names it
        except StorageError as error:
            return self._drop(task, str(error))
        if found is None:
            return self._drop(task)
        data = found[0]
        task.hash = schema.hash_of(data)
        if task.known is not None and task.known.hash == task.hash and task.known.mtime == task.entry.mtime:
            # Only its stamp changed; if not even that, and it is still too recent to be sure, write nothing.
            return task.known.stamp != task.entry.stamp() or task.entry.settled
        from memolith.index import documents  # imported late: most syncs read nothing

        about = (KINDS[task.place.kind], task.name, data, task.entry.mtime, task.place.category)
        task.document = documents.of_file(*about)
        return True


def _batches(tasks: list[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        grows = task.entry.size if task.entry else 0
        if batch and (len(batch) == _BATCH or size + grows > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += grows
    if batch:
        yield batch


class Writer:
    """Writes files and their units, inside a transaction."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._words = schema.words(connection)
        self._columns = schema.Columns(connection)
        self._next = (connection.execute("SELECT max(id) FROM units").fetchone()[0] or 0) >> 4
        self._numbers: dict[tuple[str, str], int] = {}
        self._totals: dict[int, list[int]] = {}  # per scope: changes in the number of files, units and words
        self._shifts: dict[int, int] = {}  # per directory: changes of the signature

    def apply(self, tasks: list[Task]) -> None:
        """Replace each file's rows."""
        for task in tasks:
            self._file(task)
        self._columns.save()
        self._words.spell()
        for scope, change in self._totals.items():
            self._db.execute(
                "UPDATE scopes SET files = files + ?, units = units + ?, words = words + ? WHERE number = ?",
                [*change, scope],
            )
        for number, shift in self._shifts.items():
            row = self._db.execute("SELECT signature FROM directories WHERE number = ?", [number]).fetchone()
            new = (row[0] + shift) & ((1 << 63) - 1)
            self._db.execute("UPDATE directories SET signature = ? WHERE number = ?", [new, number])

    def _file(self, task: Task) -> None:
        known, entry, place = task.known, task.entry, task.place
        scope = self._number("scopes", "slug", place.slug)
        directory = self._number("directories", "path", place.path)
        totals = self._totals.setdefault(scope, [0, 0, 0])
        totals[0] += (entry is not None) - (known is not None)
        shift = (entry.digest() if entry else 0) - (walk.digest(task.name, *known.stamp) if known else 0)
        self._shifts[directory] = self._shifts.get(directory, 0) + shift
        if entry is None:
            if known is not None:
                from memolith.index.documents import Document

                self._units(scope, task, known.id, Document())
                self._db.execute("DELETE FROM files WHERE id = ?", [known.id])
            return
        values: dict[str, object] = dict(zip(_STAMP, [*entry.stamp(), entry.settled, task.hash], strict=True))
        if task.document is not None:
            values |= {name: getattr(task.document, name) or None for name in _FIELDS}
            values["supersedes"] = "\n".join(task.document.supersedes) or None
            values["named"] = "\n".join(task.document.named) or None
            values["spelled"] = self._words.number(scope, task.document.spelled)
        if known is None:
            values |= {"directory": directory, "name": task.name, "scope": scope, "kind": place.kind}
            marks = ", ".join("?" * len(values))
            made = self._db.execute(
                f"INSERT INTO files ({', '.join(values)}) VALUES ({marks})",  # noqa: S608 - our own names
                list(values.values()),
            )
            number = made.lastrowid or 0
        else:
            number = known.id
            self._db.execute(
                f"UPDATE files SET {', '.join(f'{name} = ?' for name in values)} WHERE id = ?",  # noqa: S608 - same
                [*values.values(), number],
            )
        if task.document is not None:
            self._units(scope, task, number, task.document)

    def _units(self, scope: int, task: Task, file: int, document: Document) -> None:
        """Replace the units of a file; unchanged ones keep their rows."""
        old = {} if task.known is None else self._old(file)
        self._db.execute("DELETE FROM work WHERE file = ?", [file])
        rows = [(file, *row) for row in document.work]
        self._db.executemany("INSERT INTO work VALUES (?, ?, ?, ?, ?)", rows)
        new: list[schema.Row] = []
        kind, path = task.place.kind, task.path
        parent: int | None = None
        totals, said = self._totals[scope], 0
        for position, piece in document.pieces():
            whole = f"{piece.title}\0{document.keys}\0{document.extra}\0{piece.text}"
            digest = schema.hash_of(whole.encode("utf-8", "replace"))
            kept = old.pop((position, digest), None)
            values = [parent, piece.first, piece.last, piece.turn, piece.date or None]
            if kept is not None:
                unit, length = kept[:2]
                self._db.execute(
                    "UPDATE units SET parent = ?, first = ?, last = ?, turn = ?, date = ?, role = ? "
                    "WHERE id = ?",
                    [*values, piece.role or None, unit],
                )
            else:
                self._next += 1
                unit = self._next << 4 | (schema.COMMAND if piece.role.startswith("tool") else kind)
                bag, length = _bag(kind, document, piece)
                title = None if piece.title == document.title else piece.title
                self._db.execute(
                    "INSERT INTO units (parent, first, last, turn, date, id, file, position, role, title, "
                    "hash, length, bag) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [*values, unit, file, position, piece.role or None, title, digest, length, bag],
                )
                lot = schema.lot(path, position)
                self._columns.set(unit, length, lot, file)
                new.append((unit, bag, lot))
            said += length if unit & 15 != schema.COMMAND else 0
            if position < 0:
                parent = unit
        if old:
            gone = [(row[0], row[2], schema.lot(path, position)) for (position, _), row in old.items()]
            self._words.remove(scope, gone)
            self._db.executemany("DELETE FROM units WHERE id = ?", [(row[0],) for row in gone])
        self._words.add(scope, new)
        totals[1] += _said(row[0] for row in new) - _said(row[0] for row in old.values())
        before = self._db.execute("SELECT words FROM files WHERE id = ?", [file]).fetchone()[0]
        totals[2] += said - (before or 0)
        self._db.execute("UPDATE files SET words = ? WHERE id = ?", [said, file])

    def _old(self, file: int) -> dict[tuple[int, bytes], tuple[int, int, bytes]]:
        rows = self._db.execute("SELECT position, hash, id, length, bag FROM units WHERE file = ?", [file])
        return {(row[0], row[1]): row[2:] for row in rows}

    def _number(self, table: str, column: str, name: str) -> int:
        """Return the number of a scope or directory; assign the next to a new one."""
        number = self._numbers.get((table, name))
        if number is None:
            self._db.execute(f"INSERT OR IGNORE INTO {table} ({column}) VALUES (?)", [name])  # noqa: S608 - our own
            row = self._db.execute(f"SELECT number FROM {table} WHERE {column} = ?", [name])  # noqa: S608 - same
            number = self._numbers[table, name] = int(row.fetchone()[0])
        return number


def _is_current(connection: Connection, task: Task) -> bool:
    """Whether the index still has the rows that a task is based on."""
    now = schema.known_files(connection, task.place.path, {task.name}).get(task.name)
    if now is None or task.known is None:
        return now is task.known
    return (now.id, now.stamp, now.hash) == (task.known.id, task.known.stamp, task.known.hash)


def _bag(kind: int, document: Document, piece: Piece) -> tuple[bytes, int]:
    text = piece.text
    if KINDS[kind] == "memory":
        from memolith.text import markdown

        text = markdown.strip_comments(text)
    counts, length = terms.count(text)
    if KINDS[kind] != "session":
        more = terms.count(piece.title, _TITLE, counts)[1]
        more += terms.count(document.keys, _KEYS, counts)[1]
        length += more + terms.count(document.extra, 1, counts)[1]
    return schema.pack(counts), length


def _said(units: Iterator[int]) -> int:
    return sum(unit & 15 != schema.COMMAND for unit in units)  # commands are found apart
