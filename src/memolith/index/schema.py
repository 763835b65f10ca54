"""The tables of the index: files, units, and the full-text table."""

from __future__ import annotations

import os
from array import array
from zlib import compress, crc32, decompress

from memolith.index.units import KINDS
from memolith.store.derived import sqlite3
from memolith.text.secrets.version import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from sqlite3 import Connection
    from typing import Any

    Row = tuple[int, bytes, int]  # of a unit: its id, bag and lot

# Part of the file name: increase it whenever tables, terms, the cutting of documents or the rules for whose
# words something is change.
SCHEMA = 13
# The version of the rules for secrets, too: what others let into it is found and shown no more.
NAME = f"index-{SCHEMA}-{RULES}.sqlite3"

_TABLES = """
CREATE TABLE scopes (number INTEGER PRIMARY KEY, slug TEXT UNIQUE NOT NULL,
    files INTEGER NOT NULL DEFAULT 0, units INTEGER NOT NULL DEFAULT 0, words INTEGER NOT NULL DEFAULT 0);
CREATE TABLE directories (number INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL,
    signature INTEGER NOT NULL DEFAULT 0);
CREATE TABLE files (id INTEGER PRIMARY KEY, directory INTEGER NOT NULL, name TEXT NOT NULL,
    inode INTEGER, size INTEGER, mtime INTEGER, ctime INTEGER, settled INTEGER, hash BLOB, scope INTEGER,
    kind INTEGER, masked INTEGER, category TEXT, record TEXT, title TEXT, date TEXT, status TEXT,
    expires TEXT, valid_from TEXT, valid_until TEXT, supersedes TEXT, source TEXT, spelled INTEGER,
    words INTEGER, named TEXT, problem TEXT, UNIQUE (directory, name));
CREATE INDEX spellings ON files (spelled);
CREATE TABLE vocabulary (scope INTEGER, word TEXT, PRIMARY KEY (scope, word)) WITHOUT ROWID;
CREATE TABLE numbers (last INTEGER NOT NULL); INSERT INTO numbers VALUES (0);
CREATE INDEX unsettled ON files (directory) WHERE settled = 0;
CREATE INDEX records ON files (record) WHERE record != '';
CREATE INDEX successors ON files (scope) WHERE supersedes != '';
CREATE INDEX problems ON files (scope) WHERE problem != '';
CREATE TABLE units (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, position INTEGER NOT NULL, parent INTEGER,
    first INTEGER, last INTEGER, turn INTEGER, role TEXT, title TEXT, date TEXT, hash BLOB, length INTEGER,
    bag BLOB);
CREATE INDEX units_of_file ON units (file, position);
CREATE TABLE columns (block INTEGER PRIMARY KEY, words BLOB NOT NULL, lots BLOB NOT NULL,
    files BLOB NOT NULL);
CREATE TABLE work (file INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, ok INTEGER NOT NULL,
    at TEXT NOT NULL);
CREATE INDEX work_of_file ON work (file);
"""
# All characters of terms are letters to it; the rest separates. It stores no positions (`detail`) and no text
# (`content`), only which units have a term: hits are scored from the bags.
_FTS = """CREATE VIRTUAL TABLE words USING fts5(terms, content='', columnsize=0, detail=none,
    tokenize="ascii tokenchars '.+#:'")"""
# For literal search: the words of some files as they are spelled. Rows are never removed (that would need the
# old words): a changed file gets a new number, `files.spelled`.
_SPELLED = """CREATE VIRTUAL TABLE spelled USING fts5(words, content='', columnsize=0, detail=none,
    tokenize="ascii tokenchars ':'")"""
# How many units have a term: half the time of counting them.
_COUNTED = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.counted USING fts5vocab(main, words, row)"
_PLAIN = "CREATE TABLE words (term TEXT, unit INTEGER, PRIMARY KEY (term, unit)) WITHOUT ROWID"

COMMAND = KINDS.index("command")  # in the id of a unit of a session that is found apart from what was said
MAX_TF = 31
_ENDING, _COMPOUND, _FORMS = 3, 6, 3  # letters of an ending, of the first word of a compound; forms of a word
BLOCK = 4096
_TOGETHER = 32  # files that share a row of `spelled`: half the size, and some more files to read
_CODES = {"words": "H", "lots": "I", "files": "I"}  # of a unit: its word count, its lot, its file
_LOT_BITS = 32


def build(connection: Connection) -> None:
    """Create the tables; without FTS5, an ordinary table is the fallback."""
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.executescript(_TABLES)
    try:
        for table in (_FTS, _SPELLED):
            connection.execute(table)
    except sqlite3.OperationalError:
        connection.execute(_PLAIN)
    connection.execute(f"PRAGMA user_version={SCHEMA}")
    connection.execute(f"PRAGMA application_id={int.from_bytes(os.urandom(3), 'big') + 1}")


def identity(connection: Connection) -> int:
    """Return a number that distinguishes an index from its replacement."""
    return int(connection.execute("PRAGMA application_id").fetchone()[0])


def pack(counts: dict[str, int]) -> bytes:
    """Pack a unit's terms with their frequencies: ` term` and one control character, compressed."""
    return compress(
        "".join([f" {term}{chr(min(n, MAX_TF))}" for term, n in sorted(counts.items())]).encode(), 6
    )


def unpack(bag: bytes) -> bytes:
    """Unpack a bag."""
    return decompress(bag, 15, 1024)  # the window of any, and room for most: zlib would begin with 16 KB


def in_bag(term: str) -> bytes:
    """Return how a term begins in an unpacked bag."""
    return f" {term}".encode("utf-8", "surrogatepass")


def frequency(bag: bytes, wanted: bytes) -> int:
    """Return the frequency of a term (`in_bag`) in an unpacked bag."""
    at = bag.find(wanted)
    while at >= 0:
        often = bag[at + len(wanted)]
        if often < 32:  # the space that the next term begins with
            return often
        at = bag.find(wanted, at + 1)
    return 0


def hash_of(data: bytes) -> bytes:
    """Return the content hash."""
    try:
        from _blake2 import blake2b  # `hashlib` brings OpenSSL: half a start
    except ImportError:
        from hashlib import blake2b

    return bytes(blake2b(data, digest_size=16).digest())


def lot(path: str, position: int) -> int:
    """Return the tie-breaker of a unit: pseudo-random, but the same in every index."""
    return crc32(f"{path}#{position}".encode("utf-8", "surrogateescape"))


def drawn(level: int) -> str:
    """Return the term of units with low lots: half of all have level 1, half of those level 2, etc."""
    return f":{level}"


def column(connection: Connection, name: str) -> array[int]:
    """Return the word counts, lots or files of all units, by number without the kind."""
    found: array[int] = array(_CODES[name])
    rows = connection.execute(f"SELECT block, {name} FROM columns ORDER BY block")  # noqa: S608 - our own
    for number, values in rows:
        found.frombytes(bytes(found.itemsize * max(0, number * BLOCK - len(found))))
        found.frombytes(values)
    return found


def beginning(connection: Connection, scopes: Sequence[int], word: str, least: int) -> list[str]:
    """Return words of notes that begin like one, with as much of it as possible, `least` letters or more."""
    query = "SELECT word FROM vocabulary WHERE scope = ? AND word >= ? AND word < ? LIMIT 50"
    for size in range(len(word), least - 1, -1):
        begin = word[:size]
        rows = [row[0] for n in scopes for row in connection.execute(query, [n, begin, f"{begin}\U0010ffff"])]
        # Of a short beginning, another ending; of a long one, a compound too.
        found = [each for each in rows if len(each) <= size + _ENDING or size >= _COMPOUND]
        if found:
            return sorted(set(found), key=lambda each: (len(each), each))[:_FORMS]
    return []


def words(connection: Connection) -> Words:
    """Return the table of terms of an index."""
    row = connection.execute("SELECT sql FROM sqlite_master WHERE name='words'").fetchone()
    if row is None:  # the file was emptied
        raise sqlite3.DatabaseError("it has no table of words")
    return Words(connection) if "fts5" in row[0] else PlainWords(connection)


class Words:
    """Which units have a term. A term includes its scope: other projects' rows are never read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # Rows of `spelled` to write: number, files and words; and the last one of each scope.
        self._rows: list[tuple[int, list[Any]]] = []
        self._open: dict[int, list[Any]] = {}

    def add(self, scope: int, rows: Iterable[Row]) -> None:
        """Add units with their bags and lots."""
        self._connection.executemany(
            "INSERT INTO words (rowid, terms) VALUES (?, ?)",
            [(row[0], _spelled(scope, *row)) for row in rows],
        )

    def remove(self, scope: int, rows: Iterable[Row]) -> None:
        """Remove units; bags and lots must be those they were added with."""
        self._connection.executemany(
            "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)",
            [(row[0], _spelled(scope, *row)) for row in rows],
        )

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many units have each of these terms; of what none has, nothing."""
        self._connection.execute(_COUNTED)
        query = f"SELECT term, doc FROM temp.counted WHERE term IN ({','.join('?' * len(terms))})"  # noqa: S608
        return dict(self._connection.execute(query, terms).fetchall())

    def few(self, any_of: Sequence[str], most: int) -> str | None:
        """Return the units with one of these terms, to be `listed`; None if there are more than `most`."""
        some = f"SELECT rowid FROM words WHERE words MATCH ? LIMIT {most + 1:d}"  # noqa: S608 - a number
        query = f"SELECT group_concat(rowid) FROM ({some})"  # noqa: S608
        found: str = self._connection.execute(query, [_any(any_of)]).fetchone()[0] or ""
        return None if found.count(",") >= most else found

    def having(self, all_of: Sequence[Sequence[str]]) -> set[int]:
        """Return the units that have at least one term of each group."""
        # In one row: thousands of SQLite steps would double the time.
        query = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
        asked = " AND ".join(f"({_any(group)})" for group in all_of)
        return listed(self._connection.execute(query, [asked]).fetchone()[0] or "")

    def number(self, scope: int, words_: set[str] | None) -> int | None:
        """Return the number of a file's words as they are spelled, which `spell` writes."""
        if words_ is None:
            return None
        row = self._open.get(scope)
        if row is None or row[1] == _TOGETHER:
            self._connection.execute("UPDATE numbers SET last = last + 1")
            number = self._connection.execute("SELECT last FROM numbers").fetchone()[0]
            row = self._open[scope] = [number, 0, set()]
            self._rows.append((scope, row))
        row[1] += 1
        row[2] |= words_
        return int(row[0])

    def spell(self) -> None:
        """Write the words that got a number."""
        for scope, (number, _, found) in self._rows:
            words_ = sorted(found)
            text = " ".join([f"{scope}:{word}" for word in words_])
            self._connection.execute("INSERT INTO spelled (rowid, words) VALUES (?, ?)", [number, text])
            self._connection.executemany(
                "INSERT OR IGNORE INTO vocabulary VALUES (?, ?)", [(scope, word) for word in words_]
            )
        self._rows.clear()
        self._open.clear()

    def spelled(self, scope: int, part: str, most: int) -> set[int] | None:
        """Return the numbers (`files.spelled`) of words that contain `part`; None if `most` words do."""
        # fts5vocab would count the files of each word, which takes fifty times as long.
        known = "SELECT word FROM vocabulary WHERE scope = ? AND instr(word, ?) LIMIT ?"
        found = [f"{scope}:{row[0]}" for row in self._connection.execute(known, [scope, part, most])]
        if len(found) >= most:
            return None
        rows = "SELECT group_concat(rowid) FROM spelled WHERE spelled MATCH ?"
        return listed((found and self._connection.execute(rows, [_any(found)]).fetchone()[0]) or "")

    def settle(self) -> None:
        """Merge the fragments of many writes."""
        for table in ("words", "spelled"):
            self._connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - our own
        # Each call frees one page (the module takes one step where SQLite expects many).
        for _ in range(self._connection.execute("PRAGMA freelist_count").fetchone()[0]):
            self._connection.execute("PRAGMA incremental_vacuum(1)")


class PlainWords(Words):
    """The same in an ordinary table."""

    def add(self, scope: int, rows: Iterable[Row]) -> None:
        """Add units with their bags and lots."""
        self._connection.executemany("INSERT INTO words VALUES (?, ?)", _pairs(scope, rows))

    def remove(self, scope: int, rows: Iterable[Row]) -> None:
        """Remove units; bags and lots must be those they were added with."""
        self._connection.executemany("DELETE FROM words WHERE term = ? AND unit = ?", _pairs(scope, rows))

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many units have each of these terms."""
        count = "SELECT count(*) FROM words WHERE term = ?"
        return {term: self._connection.execute(count, [term]).fetchone()[0] for term in terms}

    def few(self, any_of: Sequence[str], most: int) -> str | None:
        """Return the units with one of these terms, to be `listed`; None if there are more than `most`."""
        is_few = sum(self.frequencies(any_of).values()) <= most
        return ",".join(map(str, self.having([any_of]))) if is_few else None

    def having(self, all_of: Sequence[Sequence[str]]) -> set[int]:
        """Return the units that have of each group at least one term."""
        query = "SELECT unit FROM words WHERE term = ?"
        return set.intersection(
            *(
                {row[0] for term in group for row in self._connection.execute(query, [term])}
                for group in all_of
            )
        )

    def number(self, scope: int, words_: set[str] | None) -> int | None:  # noqa: ARG002
        """Without FTS5, the files themselves are searched."""
        return None

    def spelled(self, scope: int, part: str, most: int) -> set[int] | None:  # noqa: ARG002
        """Without FTS5, any file may contain it."""
        return None

    def settle(self) -> None:
        """Nothing to do."""


def listed(units: str) -> set[int]:
    """Return the numbers in a text of them."""
    return set(map(int, units.split(","))) if units else set()


def scoped(scope: int, term: str, *, command: bool = False) -> str:
    """Return a term as stored: with its scope, and apart if it is of a command."""
    return f"{scope}c:{term}" if command else f"{scope}:{term}"


def _spelled(scope: int, unit: int, bag: bytes, lot_: int) -> str:
    """Return the terms of a unit as stored; control characters only separate them."""
    levels = range(1, _LOT_BITS - lot_.bit_length() + 1)
    before = scoped(scope, "", command=unit & 15 == COMMAND)
    said = unpack(bag).decode().replace(" ", f" {before}")
    return said + "".join([f" {before}{drawn(each)}" for each in levels])


def _pairs(scope: int, rows: Iterable[Row]) -> Iterator[tuple[str, int]]:
    for row in rows:
        for term in _spelled(scope, *row).split(" ")[1:]:
            yield (term[:-1] if term[-1] < " " else term), row[0]


def _any(terms: Sequence[str]) -> str:
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


class Columns:
    """Word counts, lots and files of units, in blocks: read for thousands of units at once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._blocks: dict[int, list[array[int]]] = {}
        self._changed: set[int] = set()

    def block(self, number: int) -> list[array[int]]:
        """Return the columns of a block."""
        found = self._blocks.get(number)
        if found is None:
            row = self._connection.execute(
                "SELECT words, lots, files FROM columns WHERE block = ?", [number]
            ).fetchone()
            found = [array(code, bytes(BLOCK * array(code).itemsize)) for code in _CODES.values()]
            if row:
                found = [array(code, data) for code, data in zip(_CODES.values(), row, strict=True)]
            self._blocks[number] = found
        return found

    def set(self, unit: int, words_: int, lot_: int, file: int) -> None:
        """Set the values of a unit; `save` writes them."""
        number, at = divmod(unit >> 4, BLOCK)
        words_column, lots, files = self.block(number)
        words_column[at], lots[at], files[at] = min(words_, 0xFFFF), lot_, file
        self._changed.add(number)

    def save(self) -> None:
        """Write the changed blocks."""
        rows = [(number, *(each.tobytes() for each in self._blocks[number])) for number in self._changed]
        self._connection.executemany("INSERT OR REPLACE INTO columns VALUES (?, ?, ?, ?)", rows)
        self._changed.clear()


class Known:
    """A file as the index knows it."""

    __slots__ = ("hash", "id", "settled", "stamp")

    def __init__(self, row: tuple[int, int, int, int, int, int, bytes]) -> None:
        self.id, self.stamp, self.settled, self.hash = row[0], row[1:5], bool(row[5]), row[6]

    @property
    def mtime(self) -> int:
        """The modification time: the date of a note without one."""
        return self.stamp[2]


def known_files(
    connection: Connection, directory: str, names: set[str] | None, *, doubtful: bool = False
) -> dict[str, Known]:
    """Return the indexed files of a directory: all, some by name, or the uncertain ones."""
    asked = (
        "SELECT name, id, inode, size, mtime, ctime, settled, hash FROM files "
        "WHERE directory = (SELECT number FROM directories WHERE path = ?)"
    )
    if doubtful:
        rows = connection.execute(f"{asked} AND settled = 0", [directory]).fetchall()
    elif names is None:
        rows = connection.execute(asked, [directory]).fetchall()
    else:
        rows = [
            row for name in names for row in connection.execute(f"{asked} AND name = ?", [directory, name])
        ]
    return {row[0]: Known(row[1:]) for row in rows}
