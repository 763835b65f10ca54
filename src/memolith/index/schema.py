"""The tables of the index, and the one that finds units by their terms."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection

# Part of the file's name: raise it whenever tables, terms or the cutting of documents change.
SCHEMA = 1

_TABLES = """
CREATE TABLE scopes (number INTEGER PRIMARY KEY, slug TEXT UNIQUE NOT NULL, files INTEGER NOT NULL DEFAULT 0,
    units INTEGER NOT NULL DEFAULT 0, words INTEGER NOT NULL DEFAULT 0);
CREATE TABLE directories (number INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, signature INTEGER NOT NULL);
CREATE TABLE files (id INTEGER PRIMARY KEY, directory INTEGER NOT NULL, name TEXT NOT NULL,
    inode INTEGER, size INTEGER, mtime INTEGER, ctime INTEGER, settled INTEGER, hash BLOB, scope INTEGER,
    kind INTEGER, masked INTEGER, category TEXT, record TEXT, title TEXT, date TEXT, status TEXT, expires TEXT,
    valid_from TEXT, valid_until TEXT, supersedes TEXT, source TEXT, UNIQUE (directory, name));
CREATE INDEX unsettled ON files (directory) WHERE settled = 0;
CREATE INDEX records ON files (record) WHERE record != '';
CREATE TABLE units (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, position INTEGER NOT NULL, parent INTEGER,
    first INTEGER, last INTEGER, turn INTEGER, role TEXT, title TEXT, date TEXT, hash BLOB, length INTEGER,
    bag TEXT);
CREATE INDEX units_of_file ON units (file, position);
"""
# All signs that terms are made of are letters to it; the rest separates. It knows no positions (`detail`),
# keeps no text (`content`), and holds only which units have a term: what it finds is scored from the bags.
_FTS = """CREATE VIRTUAL TABLE words USING fts5(terms, content='', columnsize=0, detail=none,
    tokenize="ascii tokenchars '.+#:'")"""
_PLAIN = "CREATE TABLE words (term TEXT, unit INTEGER, PRIMARY KEY (term, unit)) WITHOUT ROWID"

# A term that is often in a unit is also there under these: so the best units are found without reading all.
OFTEN = ((2, "²"), (4, "⁴"))
MAX_TF = 31


def build(connection: Connection) -> None:
    """Make the tables; without FTS5 an ordinary table does its work."""
    import sqlite3

    connection.executescript(_TABLES)
    try:
        connection.execute(_FTS)
    except sqlite3.OperationalError:
        connection.execute(_PLAIN)
    connection.execute(f"PRAGMA user_version={SCHEMA}")


def pack(counts: dict[str, int]) -> str:
    """Return a unit's terms with how often each is there, as one text: ` term` and one control character."""
    return "".join([f" {term}{chr(min(n, MAX_TF))}" for term, n in sorted(counts.items())])


def frequency(bag: str, term: str) -> int:
    """Return how often a term is in a bag."""
    wanted = f" {term}"
    at = bag.find(wanted)
    while at >= 0:
        sign = bag[at + len(wanted)]
        if sign < " ":
            return ord(sign)
        at = bag.find(wanted, at + 1)
    return 0


def words(connection: Connection) -> Words:
    """Return the table of terms of an index."""
    row = connection.execute("SELECT sql FROM sqlite_master WHERE name='words'").fetchone()
    return Words(connection) if "fts5" in row[0] else PlainWords(connection)


class Words:
    """Which units have a term. A term carries its scope: what another project has is never touched."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, scope: int, rows: Iterable[tuple[int, str]]) -> None:
        """Add units with their bags."""
        self._connection.executemany(
            "INSERT INTO words (rowid, terms) VALUES (?, ?)", [(unit, _spelled(scope, bag)) for unit, bag in rows]
        )

    def remove(self, scope: int, rows: Iterable[tuple[int, str]]) -> None:
        """Remove units; the bags must be those they were added with."""
        self._connection.executemany(
            "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)",
            [(unit, _spelled(scope, bag)) for unit, bag in rows],
        )

    def count(self, any_of: Sequence[str]) -> int:
        """Return how many units have one of these terms."""
        return int(
            self._connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", [_any(any_of)]).fetchone()[0]
        )

    def find(self, all_of: Sequence[Sequence[str]], limit: int) -> list[int]:
        """Return the newest units that have of each group at least one term."""
        asked = " AND ".join(f"({_any(group)})" for group in all_of)
        found = self._connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", [asked, limit]
        )
        return [row[0] for row in found]

    def settle(self) -> None:
        """Merge what many writes left in pieces."""
        self._connection.execute("INSERT INTO words (words) VALUES ('optimize')")


class PlainWords(Words):
    """The same in an ordinary table."""

    def add(self, scope: int, rows: Iterable[tuple[int, str]]) -> None:
        """Add units with their bags."""
        for unit, bag in rows:
            self._connection.executemany(
                "INSERT INTO words VALUES (?, ?)", [(term, unit) for term in _spelled(scope, bag).split(" ")]
            )

    def remove(self, scope: int, rows: Iterable[tuple[int, str]]) -> None:
        """Remove units; the bags must be those they were added with."""
        for unit, bag in rows:
            self._connection.executemany(
                "DELETE FROM words WHERE term = ? AND unit = ?",
                [(term, unit) for term in _spelled(scope, bag).split(" ")],
            )

    def count(self, any_of: Sequence[str]) -> int:
        """Return how many units have one of these terms."""
        rows = (self._connection.execute("SELECT count(*) FROM words WHERE term = ?", [t]) for t in any_of)
        return sum(row.fetchone()[0] for row in rows)

    def find(self, all_of: Sequence[Sequence[str]], limit: int) -> list[int]:
        """Return the newest units that have of each group at least one term."""
        groups = [
            {
                row[0]
                for term in group
                for row in self._connection.execute("SELECT unit FROM words WHERE term = ?", [term])
            }
            for group in all_of
        ]
        return sorted(set.intersection(*groups), reverse=True)[:limit]

    def settle(self) -> None:
        """Nothing to do."""


def _spelled(scope: int, bag: str) -> str:
    """Return the terms of a bag as the table has them."""
    found: list[str] = []
    for item in bag.split(" ")[1:]:
        term, often = f"{scope}:{item[:-1]}", ord(item[-1])
        found.append(term)
        found += [term + sign for least, sign in OFTEN if often >= least]
    return " ".join(found)


def _any(terms: Sequence[str]) -> str:
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
