"""Units as values: their metadata from the index, and their text from the current file."""

from __future__ import annotations

import os
from itertools import islice

from memolith.base.errors import StorageError, UnsafePathError
from memolith.index import schema, walk
from memolith.index.units import COLUMNS, KINDS, Unit, Work
from memolith.store import files, layout
from memolith.text.words import named, spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from sqlite3 import Connection
    from typing import Any

    from memolith.index.documents import Document

    Read = tuple[bytes, tuple[int, int, int, int]]
    Row = tuple[Any, ...]
    Stamp = tuple[int, ...] | None
    # A file that may have what is searched: its kind, its path in the store, and its fingerprint when it was
    # found to have no secret; None if it has one.
    Likely = tuple[str, str, Stamp]

# The fields of a unit that map to a column.
_FIELDS = {
    **{name: f"units.{name}" for name in ("id", "position", "parent", "turn")},
    "first_line": "units.first",
    "last_line": "units.last",
    "content_hash": "units.hash",
    "role": "coalesce(units.role, '')",
    "date": "coalesce(units.date, files.date, '')",
    **{
        name: f"coalesce(files.{name}, '')"
        for name in ("category", "record", "status", "expires", "valid_from", "valid_until", "source")
    },
    "scope": "scopes.slug",
}
# The columns that the other fields are computed from.
_MORE = (
    "files.kind, directories.path, files.name, coalesce(files.supersedes, ''), files.masked, "
    "coalesce(units.title, files.title, '')"
)
_STAMP = "files.inode, files.size, files.mtime, files.ctime"
_SELECT = (
    f"SELECT {', '.join(_FIELDS[name] for name in COLUMNS)}, {_MORE}, {_STAMP} FROM units "  # noqa: S608 - constants
    "JOIN files ON files.id = units.file JOIN directories ON directories.number = files.directory "
    "JOIN scopes ON scopes.number = files.scope"
)
_WHOLE = "parent IS NULL AND turn IS NULL"
_STORE = f"{layout.STORE}/"
_TURN = KINDS.index("session")
_KEPT = 8
_MOST_WORDS = 500  # that contain a part; with more, most files do
_ORIGINS = {"assistant": "agent", "tool": "agent"}


def totals(connection: Connection | None, home: str, slugs: Sequence[str]) -> dict[str, Any]:
    """Return how many `files` and `units` some scopes have, and which of them are `damaged`, with why."""
    if connection is None:
        return {"files": 0, "units": 0, "damaged": []}
    query = f"SELECT total(files), total(units) FROM scopes WHERE number IN {_of(slugs)}"  # noqa: S608 - question marks
    files_, units = connection.execute(query, slugs).fetchone()
    query = (
        "SELECT path, name, problem FROM files JOIN directories ON number = directory "  # noqa: S608 - question marks
        f"WHERE problem != '' AND scope IN {_of(slugs)} ORDER BY path, name"
    )
    damaged = [f"{home}/{path}/{name}: {why}" for path, name, why in connection.execute(query, slugs)]
    return {"files": int(files_), "units": int(units), "damaged": damaged}


def _of(slugs: Sequence[str]) -> str:
    return f"(SELECT number FROM scopes WHERE slug IN ({_marks(slugs)}))"  # noqa: S608 - question marks


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))


def containing(connection: Connection, slugs: Sequence[str], terms: Collection[str]) -> list[Likely] | None:
    """Return the files that may contain a casefolded term; None: any may.

    The files decide: this only spares reading most of them.
    """
    table = schema.words(connection)
    parts = [max(known, key=len) if (known := spelling.words(term)) else "" for term in terms]
    if not all(parts):
        return None
    found: list[Likely] = []
    scopes = connection.execute(f"SELECT number FROM scopes WHERE slug IN ({_marks(slugs)})", slugs)  # noqa: S608
    for (scope,) in scopes.fetchall():
        numbers: set[int] = set()
        for part in parts:
            having = table.spelled(scope, part, _MOST_WORDS)
            if having is None:
                return None
            numbers |= having
        rows = connection.execute(
            f"SELECT kind, path, name, masked, {_STAMP} FROM files "  # noqa: S608 - constants, numbers
            "JOIN directories ON directories.number = files.directory "
            f"WHERE files.scope = ? AND (spelled IS NULL OR spelled IN ({','.join(map(str, numbers))}))",
            [scope],
        )
        for kind, path, name, masked, *stamp in rows:
            place = f"{path}/{name}".removeprefix(_STORE)
            found.append((KINDS[kind], place, None if masked else tuple(stamp)))
    return found


class Reader:
    """Reads units of one home; caches the last documents that were expensive to read."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._documents: dict[object, Document] = {}
        self._sessions: dict[object, list[str]] = {}

    def units(self, connection: Connection, ids: Sequence[int]) -> list[Unit]:
        """Return units in the given order, without their texts; skip those that are gone."""
        asked = ",".join(str(int(each)) for each in ids)
        found = {row[0]: row for row in connection.execute(f"{_SELECT} WHERE units.id IN ({asked})")}
        return [_unit(found[each]) for each in ids if each in found]

    def neighbours(self, connection: Connection, unit: Unit, reach: int) -> list[Unit]:
        """Return the units around one in its document."""
        where = (
            "WHERE units.file = (SELECT file FROM units WHERE id = ?) AND position BETWEEN ? AND ? "
            "AND position >= 0 AND units.id != ? ORDER BY position"
        )
        if unit.position < 0:
            return []
        values = [unit.id, unit.position - reach, unit.position + reach, unit.id]
        return [_unit(row) for row in connection.execute(f"{_SELECT} {where}", values)]

    def successors(self, connection: Connection, slugs: Sequence[str], ids: Collection[str]) -> list[Unit]:
        """Return the whole records that supersede one of these."""
        query = f"{_SELECT} WHERE files.supersedes != '' AND {_WHOLE} AND files.scope IN {_of(slugs)}"
        found = [_unit(row) for row in connection.execute(query, slugs)]
        return [unit for unit in found if not set(ids).isdisjoint(unit.supersedes)]

    def catalogue(self, connection: Connection, slug: str) -> list[tuple[str, str, str]]:
        """Return id, title and path of the records of a scope."""
        rows = connection.execute(
            "SELECT files.record, files.title, directories.path || '/' || files.name FROM files "
            "JOIN directories ON directories.number = files.directory "
            "JOIN scopes ON scopes.number = files.scope WHERE scopes.slug = ? AND files.kind = ?",
            [slug, KINDS.index("record")],
        )
        return [(row[0] or "", row[1] or "", row[2].removeprefix(_STORE)) for row in rows]

    def with_text(self, units: Iterable[Unit], reader: walk.Files) -> list[Unit]:
        """Return units with their current texts from the files; skip those that are gone."""
        read: dict[str, Read | None] = {}
        found = [self._current(unit, read, reader) for unit in units]
        return [unit for unit in found if unit is not None]

    def _current(self, unit: Unit, read: dict[str, Read | None], reader: walk.Files) -> Unit | None:
        """Return a unit as its file is now; None if that is gone or no longer has this part."""
        place = unit.path if unit.is_turn else f"{_STORE}{unit.path}"
        if place not in read:
            try:
                read[place] = reader.read(place)
            except (StorageError, UnsafePathError):
                read[place] = None
        found = read[place]
        if found is None:
            return None
        data, stamp = found
        text = self._as_indexed(unit, data, (place, stamp)) if stamp == unit.stamp else None
        title = unit.title
        if text is None:
            document = self._document(unit, data, (place, stamp))
            pieces = dict(document.pieces())
            if unit.position not in pieces:
                return None
            text, title = pieces[unit.position].text, pieces[unit.position].title
        if text.isascii():
            return unit.with_text(text, title)
        from memolith.text.safe import hygiene

        return unit.with_text(hygiene.clean(text)[0], title)

    def _as_indexed(self, unit: Unit, data: bytes, key: object) -> str | None:
        """Return the text of a unit whose file is unchanged; None if the whole file must be parsed."""
        if unit.first_line is not None:
            text = files.text_of(data)
            if unit.masked:
                from memolith.index import documents
                from memolith.store.allow_list import allowed

                store, scope = os.path.join(self._home, _STORE), layout.scope_of(unit.path)
                text = documents.masked(text, by_hand=True, allow=allowed(store, scope))[0]
            return "\n".join(text.split("\n")[unit.first_line - 1 : unit.last_line]).strip("\n")
        if unit.turn is None:
            return None
        from memolith.index import documents

        session = self._sessions.get(key)
        if session is None:
            _make_room(self._sessions)
            session = self._sessions[key] = documents.rows(data)
        return documents.turn_text(session, unit.turn, pasted=unit.source.endswith(", pasted"))

    def _document(self, unit: Unit, data: bytes, key: object) -> Document:
        document = self._documents.get(key)
        if document is None:
            from memolith.index import documents

            name = unit.path.rpartition("/")[2]
            document = documents.of_file("session" if unit.is_turn else unit.kind, name, data, unit.stamp[2])
            _make_room(self._documents)
            self._documents[key] = document
        return document


def _make_room(kept: dict[object, Any]) -> None:
    while len(kept) >= _KEPT:
        del kept[next(iter(kept))]


def hashes(
    connection: Connection, slugs: Sequence[str], days: Sequence[tuple[str, str]] = ()
) -> list[tuple[int, bytes]]:
    """Return id and content hash of every unit that states something, by id; of these days only, if given.

    A day without its year (`????-11-03`) is that of any.
    """
    dated = [
        f"substr({_FIELDS['date']}, {5 if first[0] == '?' else 1}, {6 if first[0] == '?' else 10}) "
        "BETWEEN ? AND ?"
        for first, _ in days
    ]
    query = (
        "SELECT units.id, units.hash FROM units JOIN files ON files.id = units.file "  # noqa: S608 - question marks
        f"WHERE scope IN {_of(slugs)} AND units.id & 15 != {schema.COMMAND} "
        f"AND ({' OR '.join(dated) or 'TRUE'}) ORDER BY units.id"
    )
    values = [each.removeprefix("????") for span in days for each in span]
    return connection.execute(query, [*slugs, *values]).fetchall()


def work(connection: Connection, slugs: Sequence[str], sessions: int) -> list[Work]:
    """Return what was done in the newest sessions of some scopes, the newest first."""
    query = (
        "SELECT work.kind, what, ok, at, directories.path || '/' || name FROM work "  # noqa: S608 - question marks
        "JOIN files ON files.id = work.file JOIN directories ON directories.number = directory "
        f"WHERE files.id IN (SELECT id FROM files WHERE scope IN {_of(slugs)} "
        f"AND kind = {_TURN} ORDER BY date DESC LIMIT {sessions:d}) "
        "ORDER BY at DESC, work.rowid DESC"
    )
    rows = connection.execute(query, slugs)
    return [Work(kind=row[0], what=row[1], ok=bool(row[2]), time=row[3], path=row[4]) for row in rows]


def of_files(connection: Connection, slugs: Sequence[str], text: str, limit: int) -> dict[int, str]:
    """Return the first turns of the newest sessions about files that a text names, with those files."""
    told = named.Named(text)
    query = (
        f"SELECT named, (SELECT min(id) FROM units WHERE file = files.id AND id & 15 = {_TURN}) FROM files "  # noqa: S608 - question marks
        f"WHERE scope IN {_of(slugs)} AND kind = {_TURN} AND named IS NOT NULL ORDER BY date DESC, id DESC"
    )
    rows = connection.execute(query, slugs) if told else ()
    found = ((unit, next(told.among(files), "")) for files, unit in rows)
    return dict(islice(((unit, file) for unit, file in found if unit and file), limit))


def _unit(row: Row) -> Unit:
    columns = row[: len(COLUMNS)]
    number, position, parent, turn, first, last = columns[:6]
    code, directory, name, supersedes, masked, title, *stamp = row[len(COLUMNS) :]
    kind, path = KINDS[code], f"{directory}/{name}".removeprefix(_STORE)
    if kind == "session":
        kind = KINDS[number & 15]
        fields = dict(zip(COLUMNS, columns, strict=True))
        role, _, taint = fields["role"].partition(":")
        fields["role"] = role
        if taint:
            fields["source"] = f"{_ORIGINS.get(role, role)}, {taint}"
        key = f"session:{fields['record']}#{turn}"
        columns = tuple(fields.values())
    elif position < 0 or (position == 0 and parent is None and kind not in ("memory", "daily")):
        key = path
    else:
        key = f"{path}#L{first}-{last}"
    replaced = supersedes.split("\n") if supersedes else []
    return Unit.of((*columns, kind, key, path, replaced, bool(masked), tuple(stamp), None, title))
