"""The index for the rest of memolith: always up to date, and available even without its file.

It is one SQLite file (`store.derived`). If that cannot be read or written, a copy in memory is the fallback,
built from what can be read of it and from the memory files; the answers are the same.
"""

from __future__ import annotations

import time
import zlib
from _thread import RLock  # `threading` costs more than the rest of this module

from memolith.base.errors import BusyError, MemolithError, StorageError, UnsafePathError
from memolith.base.lean import contextmanager, suppress
from memolith.index import schema, walk
from memolith.index import texts as reading
from memolith.index.lexical import Lexicon
from memolith.index.sync import ReplacedError, Sync
from memolith.index.units import Analysis, Match, Session, State, Unit, Work
from memolith.store import locks
from memolith.store.derived import DAMAGED, Derived, sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any, Self, TypeVar

    from memolith.index.walk import Place
    from memolith.index.watch import Journal

    T = TypeVar("T")
    Progress = Callable[[int, int], None] | None

NAME = schema.NAME
_WAIT = 1.0  # seconds to wait for another process that is writing
_MEANWHILE = 1.5  # seconds to catch up in memory while another process writes
_RETRY = 30.0  # seconds in memory before retrying the file
_REFUSED = (sqlite3.Error, BusyError, StorageError, UnsafePathError)
# Errors of our own code on nonsensical rows: the file is damaged, or we have a bug.
_SENSELESS = (zlib.error, TypeError, ValueError, LookupError, ArithmeticError, AttributeError)


class Index:
    """The index of one home. Keep it open in a long-lived process: it then tracks changes."""

    def __init__(self, home: str, *, wait: float = _WAIT) -> None:
        self.home, self._wait = home, wait
        self.lock = RLock()
        self._start()
        locks.watch_forks(self)

    def _start(self) -> None:
        self._file = Derived(self.home, NAME, schema.SCHEMA, schema.build, self._wait)
        self._memory: sqlite3.Connection | None = None
        self._refused = (0.0, "")  # when and why the file could not be used
        self._is_busy = False  # whether that was because another process held it
        self._deadline: float | None = None
        self._journal: Journal | None = None
        self._answered = False
        # The connection, and the state of the file, that the fields below refer to.
        self._used: tuple[sqlite3.Connection | None, tuple[int, int, int, int] | None] | None = None
        self._current: set[str] = set()  # directories whose index is current
        self._asked: tuple[str, ...] = ()
        self._kind = ""  # empty: all of them
        self._trusted: tuple[str, ...] | None = None
        self._totals: dict[str, Any] | None = None
        self._lexicons: dict[tuple[bool, tuple[str, ...]], Lexicon] = {}
        self._reader = reading.Reader(self.home)

    def forked(self) -> None:
        """Start over, in a child process."""
        self.lock = RLock()
        self._file.forked()
        self._memory = None
        self._let_go()

    @property
    def path(self) -> str:
        """The file of the index."""
        return self._file.path

    def sync(
        self, slugs: Sequence[str], *, seconds: float | None = None, progress: Progress = None, kind: str = ""
    ) -> State:
        """Update the scopes from the files, or from those of one `kind`; "" is the user-wide scope.

        Stops after `seconds`; the state names what was not reached. `progress` gets done and total.
        """
        with locks.fair(self.lock):
            self._asked, self._kind = tuple(dict.fromkeys(slugs)), kind
            self._deadline = None if seconds is None else time.monotonic() + seconds
            try:
                if self._trusted == self._asked and (state := self._as_it_is()):
                    return state
                for left in (2, 1, 0):
                    try:
                        return self._sync(progress)
                    except ReplacedError as error:
                        self._current.clear()
                        if not left:
                            self._give_way(error, again=False)
                    except (*_REFUSED, *_SENSELESS) as error:
                        self._give_way(error, again=left > 0)
                return self._sync(progress)
            finally:
                self._deadline = None

    def _sync(self, progress: Progress) -> State:
        if self._memory is not None and time.monotonic() - self._refused[0] > _RETRY:
            self._memory.close()
            self._memory = None
        deadline = self._deadline
        if self._memory is not None and self._is_busy and deadline is None:
            deadline = time.monotonic() + _MEANWHILE
        connection = self._connection()
        work = Sync(self.home, self._writing, deadline, progress)
        changes = self._changes()
        looked: set[str] = set()
        for place in self._places():
            known = place.path in self._current and not place.deep  # too many directories to watch
            names = changes.get(place.path) if known else None
            if known and not names:
                continue
            self._current.discard(place.path)
            work.look(connection, place, names)
            looked.add(place.path)
        work.run()
        if self._journal is not None and self._journal.is_open:
            self._current |= looked - work.unfinished
        if work.wrote:
            self._forget()
            connection = self._connection()
        self._totals = self._totals or reading.totals(connection, self.home, self._asked)
        return State(
            complete=not work.missing and not self._totals["damaged"],
            missing=work.missing,
            notes=[self._refused[1]] if self._memory is not None else [],
            changed=work.changed,
            is_behind=work.is_behind,
            **self._totals,
        )

    def directories(self, slugs: Sequence[str]) -> str:
        """Return a value that changes when a file of these scopes is added, removed or replaced."""
        return walk.directories(self.home, [place for slug in slugs for place in walk.places(slug)])

    def trust(self, slugs: Sequence[str]) -> None:
        """Use the index of these scopes as it is; for callers that have already checked the files."""
        self._trusted = tuple(dict.fromkeys(slugs))

    def _as_it_is(self) -> State | None:
        """Return the state of the index without checking the files; None if there is no usable index."""
        try:
            connection = self._connection()
            if connection is None:
                return None
            found = reading.totals(connection, self.home, self._asked)
        except (*_REFUSED, *_SENSELESS):
            return None
        return State(complete=not found["damaged"], missing=[], notes=[], changed=0, **found)

    def _places(self) -> list[Place]:
        return [place for slug in self._asked for place in walk.places(slug, self._kind)]

    def _changes(self) -> dict[str, set[str]]:
        """Return the changes in the journal for current directories; in doubt, none is current."""
        wanted = frozenset(place.path for place in self._places())
        if self._journal is not None and wanted <= self._journal.directories:
            changes = self._journal.changes()
            if changes is not None:
                return changes
        self._current.clear()
        if not self._answered:
            self._answered = True  # most processes answer only once: the first answer does without a journal
            return {}
        if self._journal is None:
            from memolith.index.watch import Journal

            self._journal = Journal()
        # Before checking the files, so that no later change is missed.
        self._journal.watch(self.home, wanted | self._journal.directories)
        return {}

    def lexical(
        self,
        slugs: Sequence[str],
        query: str,
        limit: int = 200,
        kinds: Collection[str] | None = None,
        *,
        alone: int | None = None,
    ) -> list[Match]:
        """Return the units that best match the words of any text, best first; `alone`: the most no turns."""
        return self._ask(lambda db: self._lexicon(db, slugs).search(query, limit, kinds, alone), list)

    def commands(self, slugs: Sequence[str], query: str, limit: int) -> list[Match]:
        """Return the calls of tools that best match the words of `query`: they are found apart."""
        return self._ask(lambda db: self._lexicon(db, slugs, commands=True).search(query, limit, None), list)

    def terms(self, slugs: Sequence[str], query: str) -> Analysis:
        """Return the words of `query` as the index knows them, with their frequencies."""
        nothing = Analysis(terms=[], total=0)
        return self._ask(lambda db: self._lexicon(db, slugs).analyse(query), lambda: nothing)

    def containing(self, slugs: Sequence[str], terms: Collection[str]) -> list[reading.Likely] | None:
        """Return the files that may contain a casefolded term; None if any file may."""
        return self._ask(lambda db: reading.containing(db, slugs, terms), lambda: None)

    def sessions(self, slugs: Sequence[str], query: str, limit: int) -> list[Session]:
        """Return the sessions in which most was said about a text, best first."""
        return self._ask(lambda db: self._lexicon(db, slugs).sessions(query, limit), list)

    def work(self, slugs: Sequence[str], sessions: int) -> list[Work]:
        """Return what was done in the newest sessions, the newest first."""
        return self._ask(lambda db: reading.work(db, slugs, sessions), list)

    def of_files(self, slugs: Sequence[str], query: str, limit: int) -> dict[int, str]:
        """Return the first turns of the newest sessions about files that a text names, with those files."""
        return self._ask(lambda db: reading.of_files(db, slugs, query, limit), dict)

    def units(self, ids: Sequence[int]) -> list[Unit]:
        """Return units in the given order, without their texts; skip those that are gone."""
        return self._ask(lambda db: self._reader.units(db, ids), list)

    def neighbours(self, unit: Unit, reach: int = 1) -> list[Unit]:
        """Return the units before and after one in its document, in order, without their texts."""
        return self._ask(lambda db: self._reader.neighbours(db, unit, reach), list)

    def with_text(self, units: Sequence[Unit], opened: walk.Files | None = None) -> list[Unit]:
        """Return units with their current texts from the files; skip those that are gone."""
        with locks.fair(self.lock):
            return self._reader.with_text(units, opened or walk.Files(self.home))

    def successors(self, slugs: Sequence[str], ids: Collection[str]) -> list[Unit]:
        """Return the whole records that name one of these as superseded, without their text."""
        return self._ask(lambda db: self._reader.successors(db, slugs, ids), list)

    def catalogue(self, slug: str) -> list[tuple[str, str, str]]:
        """Return id, title and path (in the store) of the records of a scope."""
        return self._ask(lambda db: self._reader.catalogue(db, slug), list)

    def texts(self, slugs: Sequence[str], skip: Collection[bytes] = ()) -> Iterator[tuple[int, bytes, str]]:
        """Yield unit id, content hash and text of every unit whose hash is not in `skip`, to embed them."""
        wanted = [unit for unit, digest in self.hashes(slugs) if digest not in skip]
        for at in range(0, len(wanted), 200):
            for unit in self.with_text(self.units(wanted[at : at + 200])):
                text = unit.text or ""
                told = unit.is_turn or unit.title in text[: len(unit.title) + 4]
                yield unit.id, unit.content_hash, text if told else f"{unit.title}\n{text}"

    def hashes(self, slugs: Sequence[str], days: Sequence[tuple[str, str]] = ()) -> list[tuple[int, bytes]]:
        """Return id and content hash of every unit (of these days), by id: the rows of a vector search."""
        return self._ask(lambda db: reading.hashes(db, slugs, days), list)

    def stamp(self) -> object:
        """Return a value that changes whenever the index does."""
        return self._ask(lambda db: (self._used, db.total_changes), lambda: None)

    def status(self, slugs: Sequence[str], kind: str = "") -> State:
        """Return what a sync would find, without writing; `changed` counts the outdated files."""
        with locks.fair(self.lock):
            try:
                connection = self._connection()
                work = Sync(self.home, self._writing)
                for place in (place for slug in dict.fromkeys(slugs) for place in walk.places(slug, kind)):
                    work.look(connection, place, None)
                found = reading.totals(connection, self.home, slugs)
            except (*_REFUSED, *_SENSELESS) as error:
                found = reading.totals(None, self.home, slugs)
                return State(complete=False, missing=[str(error)], notes=[], changed=0, **found)
        behind, missing = work.pending, work.missing
        complete = not (missing or behind or found["damaged"])
        return State(complete=complete, missing=missing, notes=[], changed=behind, **found)

    def scopes(self) -> list[str]:
        """Return the scopes in the index, including those of deleted projects."""
        return self._ask(lambda db: [row[0] for row in db.execute("SELECT slug FROM scopes")], list)

    def rebuild(self, slugs: Sequence[str], *, progress: Progress = None) -> State:
        """Discard the index and rebuild it."""
        with locks.fair(self.lock):
            self._memory = None
            with suppress(BusyError):
                self._file.discard(self._patience())
            self._forget()
            return self.sync(slugs, progress=progress)

    def close(self) -> None:
        """Close the files."""
        with locks.fair(self.lock):
            self._let_go()

    def _let_go(self) -> None:
        for each in (self._file, self._memory, self._journal):
            if each is not None:
                each.close()
        self._start()

    def __del__(self) -> None:
        if self._memory is not None:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, question: Callable[[sqlite3.Connection], T], nothing: Callable[[], T]) -> T:
        """Query the index; if it turns out to be damaged, rebuild it and retry."""
        with locks.fair(self.lock):
            for left in (2, 1, 0):
                try:
                    connection = self._connection()
                    if connection is None and self._asked:  # discarded by another process since the last sync
                        self.sync(self._asked, kind=self._kind)
                        connection = self._connection()
                        if connection is None and self.status(self._asked, self._kind).changed:
                            # No connection is acceptable only if there is no file.
                            raise sqlite3.DatabaseError("it was removed as soon as it was created")
                    return nothing() if connection is None else question(connection)
                except _REFUSED as error:
                    self._give_way(error, again=left > 1)  # the last attempt uses a copy in memory
                    self.sync(self._asked, kind=self._kind)
                except _SENSELESS as error:
                    if not left:
                        raise  # built only from the files, it fails the same way: a bug
                    self._give_way(error, again=left > 1)
                    self.sync(self._asked, kind=self._kind)
            return nothing()

    def _lexicon(self, db: sqlite3.Connection, slugs: Sequence[str], *, commands: bool = False) -> Lexicon:
        key = commands, tuple(dict.fromkeys(slugs))
        if key not in self._lexicons:
            self._lexicons[key] = Lexicon(db, key[1], commands=commands)
        return self._lexicons[key]

    def _connection(self) -> sqlite3.Connection | None:
        connection = self._memory or self._file.connection(self._patience())
        used = (connection, self._file.seen)
        if used != self._used:
            # Another process wrote or rebuilt the file: what we cached is outdated.
            if self._used is not None and self._used[0] is not used[0]:
                self._current.clear()
            self._forget()
            self._used = used
        return connection

    def _forget(self) -> None:
        self._lexicons.clear()
        self._totals = None

    def _patience(self) -> float:
        """Return how long to wait for another process."""
        left = self._wait if self._deadline is None else self._deadline - time.monotonic()
        return min(self._wait, max(0.0, left))

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._memory is None:
            with self._file.writing(self._patience()) as connection:
                yield connection
            return
        self._memory.execute("BEGIN")
        try:
            yield self._memory
        except BaseException:
            self._memory.execute("ROLLBACK")
            raise
        self._memory.execute("COMMIT")

    def in_memory(self, why: str) -> None:
        """Continue in memory, for callers that get no answer from the file."""
        with locks.fair(self.lock):
            self._give_way(sqlite3.DatabaseError(why), again=False)

    def _give_way(self, error: Exception, *, again: bool) -> None:
        """Discard a damaged file; if that does not help, or not `again`, continue in memory."""
        self._current.clear()
        self._forget()
        # A damaged schema can have a message that Python cannot even decode.
        code = getattr(error, "sqlite_errorcode", 1) & 0xFF
        damaged = not isinstance(error, MemolithError) and code in DAMAGED
        self._is_busy = isinstance(error, BusyError) or code == sqlite3.SQLITE_BUSY
        if damaged and self._memory is None and again:
            try:
                self._file.discard(self._patience())
            except _REFUSED as other:
                error = other
            else:
                return
        why = str(error) if isinstance(error, MemolithError) else f"{self.path}: {error}"
        self._file.close()
        self._refused = (time.monotonic(), f"the index is in memory only: {why}")
        # Copy nothing from a file that is damaged repeatedly.
        fresh = damaged or self._memory is not None
        if self._memory is not None:
            self._memory.close()
        self._memory = self._file.copy(fresh=fresh)
