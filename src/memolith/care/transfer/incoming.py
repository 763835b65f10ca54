"""Bringing an archive of our own back: into an empty home byte for byte, into another without overwriting.

What is there with the same bytes is skipped. What differs goes beside it, `plan-imported.md`, with its
history. An archive is memory as it was exported: texts keep the labels that they have, and get no others.
"""

from __future__ import annotations

import contextlib

from memolith.base.errors import InputError, MemolithError
from memolith.care.transfer.bring import Imported, Row
from memolith.memory import note_index
from memolith.store import layout, portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.care.transfer.check import Archive
    from memolith.memory.home import Home

KIND = "archive"
_SUFFIX = "-imported"


def bring_archive(
    home: Home, archive: Archive, *, dry_run: bool = False, tell: Callable[[int, int], None] | None = None
) -> Imported:
    """Write the files of an archive that are not there yet; say what became of each."""
    run = _Run(home, archive, dry_run=dry_run)
    held = contextlib.ExitStack()
    scope: str | None = None
    with held:
        for number, (path, data) in enumerate(archive.members(), 1):
            # Files come scope by scope, so that a lock is taken once for each.
            if not dry_run and portable.scope(path) != scope:
                held.close()
                scope = portable.scope(path)
                held.enter_context(home.gate.scope(scope))
            run.put(path, data)
            if tell:
                tell(number, len(archive.hashes))
    run.finish()
    return Imported(kind=KIND, path=archive.path, rows=run.rows)


class _Run:
    def __init__(self, home: Home, archive: Archive, *, dry_run: bool) -> None:
        self._home, self._archive, self._dry_run = home, archive, dry_run
        self._moved: dict[str, str] = {}  # from the memory file in the archive to what it is called here
        self._ours: dict[str, bool] = {}  # whether a file's history was here before
        self._indexes: set[str] = set()
        self.rows: list[Row] = []

    def put(self, path: str, data: bytes) -> None:
        try:
            action, to, why = self._put(path, data)
        except MemolithError as error:
            action, to, why = "broken", "", str(error)
        self.rows.append(Row(path=path, action=action, to=to, why=why))

    def _put(self, path: str, data: bytes) -> tuple[str, str, str]:
        part, _, rest = path.partition("/")
        if part == "history":
            return self._put_version(path, rest, data)
        there = portable.read(self._home.path, path)
        if there is not None and there[0] == data:
            return "known", path, ""
        if there is None:
            self._write(path, data, path)
            return "new", path, ""
        if data and there[0].startswith(data):
            return "known", path, "what is here goes on from it"
        if rest.endswith(layout.INDEX):
            self._indexes.add(layout.scope_of(rest))
            return "known", path, "the index follows the notes"
        to = self._beside(path, data)
        self._moved[rest] = to.partition("/")[2]
        if portable.read(self._home.path, to) is not None:
            return "known", to, ""
        self._write(to, data, path)
        if rest.startswith(layout.notes(layout.scope_of(rest))):
            self._indexes.add(layout.scope_of(rest))
        return "beside", to, "another is there"

    def _put_version(self, path: str, rest: str, data: bytes) -> tuple[str, str, str]:
        """Bring a version of a file: with the file if that went beside, else only if there are none here."""
        source, _, version = rest.rpartition("/")
        file = self._moved.get(source, source)
        to = f"history/{file}/{version}"
        there = portable.read(self._home.path, to)
        if there is not None:
            same = there[0] == data
            return ("known", to, "") if same else ("left out", "", "another version has its number")
        if file not in self._ours:
            # Those of the archive itself came before an interruption.
            here = [f"history/{source}/{entry.name}" for entry in self._home.gate.history.entries(file)]
            self._ours[file] = any(name not in self._archive.hashes for name in here)
        if self._ours[file]:
            return "left out", "", "this file has a history of its own here"
        self._write(to, data, path)
        return "new", to, ""

    def _write(self, to: str, data: bytes, path: str) -> None:
        if not self._dry_run and not portable.put(self._home.path, to, data, self._archive.times[path]):
            raise InputError(f"{to} was made by somebody else just now; import again")

    def _beside(self, path: str, data: bytes) -> str:
        """Return a free name next to a file, or the one under which the same bytes went there before."""
        folder, _, name = path.rpartition("/")
        stem, dot, end = name.partition(".")
        number = 1
        while True:
            extra = _SUFFIX if number == 1 else f"{_SUFFIX}-{number}"
            to = "/".join(filter(None, [folder, f"{stem}{extra}{dot}{end}"]))
            there = portable.read(self._home.path, to)
            if there is None or there[0] == data:
                return to
            number += 1

    def finish(self) -> None:
        """Let the indexes follow the notes that came."""
        if not self._dry_run:
            for slug in self._indexes:
                note_index.update_index(self._home.gate, slug)
