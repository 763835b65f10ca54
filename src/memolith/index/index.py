"""The index as the rest of memolith sees it: always up to date, and there even when its file is not.

It is kept in one SQLite file (`store.derived`). Where that cannot be read or written, a copy in memory takes
its place, made from what can be read of it and from the files; the answers are the same.
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
from memolith.index.units import Analysis, Match, State, Unit
from memolith.store import locks
from memolith.store.derived import DAMAGED, Derived, sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Self, TypeVar

    from memolith.index.walk import Place
    from memolith.index.watch import Journal

    T = TypeVar("T")
    Progress = Callable[[int, int], None]

NAME = f"index-{schema.SCHEMA}.sqlite3"
_WAIT = 1.0  # seconds for another process that is writing
_MEANWHILE = 1.5  # seconds to catch up in memory as long as somebody else writes
_RETRY = 30.0  # seconds in memory before the file is tried again
_REFUSED = (sqlite3.Error, BusyError, StorageError, UnsafePathError)
# What our own code says of rows that make no sense: the file is damaged, or we are mistaken.
_SENSELESS = (zlib.error, TypeError, ValueError, LookupError, ArithmeticError, AttributeError)


class Index:
    """The index of one home. Keep it open in a long-lived process: it then knows what did not change."""

    def __init__(self, home: str, *, wait: float = _WAIT) -> None:
        self.home = home
        self._wait = wait
        self.lock = RLock()
        self._start()
        locks.watch_forks(self)

    def _start(self) -> None:
        self._file = Derived(self.home, NAME, schema.SCHEMA, schema.build, self._wait)
        self._memory: sqlite3.Connection | None = None
        self._refused = (0.0, "")  # when and why the file could not be used
        self._is_busy = False  # whether that was because somebody held it
        self._deadline: float | None = None
        self._journal: Journal | None = None
        self._answered = False
        # The connection, and the state of the file, that the rest of this is about.
        self._used: tuple[sqlite3.Connection | None, tuple[int, int, int, int] | None] | None = None
        self._current: set[str] = set()  # directories that are in the index as they are
        self._asked: tuple[str, ...] = ()
        self._trusted: tuple[str, ...] | None = None
        self._totals: tuple[int, int] | None = None
        self._lexicons: dict[tuple[str, ...], Lexicon] = {}
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
        self, slugs: Sequence[str], *, seconds: float | None = None, progress: Progress | None = None
    ) -> State:
        """Bring the scopes up to date with the files; "" is the user-wide scope.

        Stops after `seconds`; what was not reached is named in the state. `progress` gets done and total.
        """
        with locks.fair(self.lock):
            self._asked = tuple(dict.fromkeys(slugs))
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

    def _sync(self, progress: Progress | None) -> State:
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
            known = place.path in self._current and not place.deep  # whose journal would be many
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
        if self._totals is None:
            self._totals = reading.totals(connection, self._asked) if connection else (0, 0)
        return State(
            complete=not work.missing,
            missing=work.missing,
            notes=[self._refused[1]] if self._memory is not None else [],
            files=self._totals[0],
            units=self._totals[1],
            changed=work.changed,
        )

    def directories(self, slugs: Sequence[str]) -> str:
        """Return a value that changes when a file of these scopes comes, goes or is replaced by another."""
        return walk.directories(self.home, [place for slug in slugs for place in walk.places(slug)])

    def trust(self, slugs: Sequence[str]) -> None:
        """Answer for these scopes as the index is, without a look at the files; for who looked already."""
        self._trusted = tuple(dict.fromkeys(slugs))

    def _as_it_is(self) -> State | None:
        """Return the state of the index without a look at the files; None if there is none to be had."""
        try:
            connection = self._connection()
            if connection is None:
                return None
            files, units = reading.totals(connection, self._asked)
        except (*_REFUSED, *_SENSELESS):
            return None
        return State(complete=True, missing=[], notes=[], files=files, units=units, changed=0)

    def _places(self) -> list[Place]:
        return [place for slug in self._asked for place in walk.places(slug)]

    def _changes(self) -> dict[str, set[str]]:
        """Return what the journal says of the directories that are current; in doubt, none is."""
        wanted = frozenset(place.path for place in self._places())
        if self._journal is not None and wanted <= self._journal.directories:
            changes = self._journal.changes()
            if changes is not None:
                return changes
        self._current.clear()
        if not self._answered:
            self._answered = True  # most processes give only one answer: the first does without a journal
            return {}
        if self._journal is None:
            from memolith.index.watch import Journal

            self._journal = Journal()
        # Before the files are looked at, so that nothing that happens from now on is missed.
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
        """Return the units that best match the words of `query`, best first; any text is a valid query.

        `alone` is how many may be something else than a turn of a conversation.
        """
        return self._ask(lambda db: self._lexicon(db, slugs).search(query, limit, kinds, alone), list)

    def terms(self, slugs: Sequence[str], query: str) -> Analysis:
        """Return the words of `query` as the index knows them, with their frequencies."""
        return self._ask(
            lambda db: self._lexicon(db, slugs).analyse(query), lambda: Analysis(terms=[], total=0)
        )

    def units(self, ids: Sequence[int]) -> list[Unit]:
        """Return units in the given order, without their texts; those that are gone are left out."""
        return self._ask(lambda db: self._reader.units(db, ids), list)

    def neighbours(self, unit: Unit, reach: int = 1) -> list[Unit]:
        """Return the units before and after one in its document, in order, without itself and their texts."""
        return self._ask(lambda db: self._reader.neighbours(db, unit, reach), list)

    def with_text(self, units: Sequence[Unit]) -> list[Unit]:
        """Return units with their texts, as the files have them now; those that are gone are left out."""
        with locks.fair(self.lock):
            return self._reader.with_text(units)

    def by_record(self, slugs: Sequence[str], ids: Collection[str]) -> list[Unit]:
        """Return the whole records or tickets with these ids (for `supersedes`), without their text."""
        return self._ask(lambda db: self._reader.by_record(db, slugs, ids), list)

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
                told = unit.kind == "session" or unit.title in text[: len(unit.title) + 4]
                yield unit.id, unit.content_hash, text if told else f"{unit.title}\n{text}"

    def hashes(self, slugs: Sequence[str]) -> list[tuple[int, bytes]]:
        """Return id and content hash of every unit, ordered by id: the rows of a vector search."""
        return self._ask(lambda db: reading.hashes(db, slugs), list)

    def stamp(self) -> object:
        """Return something that changes whenever the index does."""
        return self._ask(lambda db: (self._used, db.total_changes), lambda: None)

    def status(self, slugs: Sequence[str]) -> State:
        """Return what a sync would find, without writing; `changed` counts the files to catch up."""
        with locks.fair(self.lock):
            try:
                connection = self._connection()
                work = Sync(self.home, self._writing)
                for place in (place for slug in dict.fromkeys(slugs) for place in walk.places(slug)):
                    work.look(connection, place, None)
                files, units = reading.totals(connection, slugs) if connection else (0, 0)
            except (*_REFUSED, *_SENSELESS) as error:
                return State(complete=False, missing=[str(error)], notes=[], files=0, units=0, changed=0)
        behind = work.pending
        missing, complete = work.missing, not work.missing and not behind
        return State(complete=complete, missing=missing, notes=[], files=files, units=units, changed=behind)

    def scopes(self) -> list[str]:
        """Return the scopes that the index has something of, also of projects that are gone."""
        return self._ask(lambda db: [row[0] for row in db.execute("SELECT slug FROM scopes")], list)

    def rebuild(self, slugs: Sequence[str], *, progress: Progress | None = None) -> State:
        """Throw the index away and rebuild it."""
        with locks.fair(self.lock):
            self._memory = None
            with suppress(BusyError):
                self._file.discard(self._patience())
            self._forget()
            return self.sync(slugs, progress=progress)

    def close(self) -> None:
        """Let go of the files."""
        with locks.fair(self.lock):
            self._let_go()

    def _let_go(self) -> None:
        self._file.close()
        if self._memory is not None:
            self._memory.close()
        if self._journal is not None:
            self._journal.close()
        self._start()

    def __del__(self) -> None:
        if self._memory is not None:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, question: Callable[[sqlite3.Connection], T], nothing: Callable[[], T]) -> T:
        """Ask the index; if it turns out to be damaged, rebuild it and ask again."""
        with locks.fair(self.lock):
            for left in (2, 1, 0):
                try:
                    connection = self._connection()
                    if connection is None and self._asked:  # thrown away by somebody since the last sync
                        self.sync(self._asked)
                        connection = self._connection()
                        if connection is None and self.status(self._asked).changed:
                            # Nothing is an answer only where nothing is kept.
                            raise sqlite3.DatabaseError("it was thrown away as soon as it was made")
                    return nothing() if connection is None else question(connection)
                except _REFUSED as error:
                    self._give_way(error, again=left > 1)  # the last answer is that of a copy in memory
                    self.sync(self._asked)
                except _SENSELESS as error:
                    if not left:
                        raise  # made of nothing but the files, it says the same: the mistake is ours
                    self._give_way(error, again=left > 1)
                    self.sync(self._asked)
            return nothing()

    def _lexicon(self, connection: sqlite3.Connection, slugs: Sequence[str]) -> Lexicon:
        scopes = tuple(dict.fromkeys(slugs))
        found = self._lexicons.get(scopes)
        if found is None:
            found = self._lexicons[scopes] = Lexicon(connection, scopes)
        return found

    def _connection(self) -> sqlite3.Connection | None:
        connection = self._memory or self._file.connection(self._patience())
        used = (connection, self._file.seen)
        if used != self._used:
            # Another process wrote, or rebuilt the file: what was remembered is not about this one.
            if self._used is not None and self._used[0] is not used[0]:
                self._current.clear()
            self._forget()
            self._used = used
        return connection

    def _forget(self) -> None:
        self._lexicons.clear()
        self._totals = None

    def _patience(self) -> float:
        """Return for how long somebody else is waited for."""
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
        """Go on without the file, for who cannot get an answer out of it."""
        with locks.fair(self.lock):
            self._give_way(sqlite3.DatabaseError(why), again=False)

    def _give_way(self, error: Exception, *, again: bool) -> None:
        """Throw a damaged file away; where that does not help, or not `again`, go on in memory."""
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
        self._refused = (time.monotonic(), f"the index is kept in memory only: {why}")
        # Nothing is copied from a file that is damaged time and again.
        fresh = damaged or self._memory is not None
        if self._memory is not None:
            self._memory.close()
        self._memory = self._file.copy(fresh=fresh)
