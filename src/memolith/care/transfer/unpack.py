"""Our own archives: checked completely before anything is written, then restored.

An archive may come from anywhere. It is refused as a whole if it contains anything that we do not write:
entries other than files, names that lead elsewhere or collide, too much data, wrong hashes. An empty home is
restored byte for byte; in any other, nothing is overwritten: identical files are skipped, different ones are
put beside, as `plan-imported.md`, with their history; what was deleted here stays so.
"""

from __future__ import annotations

import contextlib
import json
import os
import tarfile
import zlib
from typing import TYPE_CHECKING

from memolith.base.errors import InputError, MemolithError, StorageError, TextError
from memolith.care.transfer import merged
from memolith.care.transfer.bring import Imported, Row, bring
from memolith.care.transfer.pack import FORMAT, MANIFEST
from memolith.store import archive, finals, layout, portable, tombstones
from memolith.store.screen import quoted
from memolith.text import yaml
from memolith.text.digest import sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO, Self, TypedDict

    from memolith.memory.home import Home

    class Bringing(TypedDict, total=False):
        """What `Mem.import_` may be told besides the path: the arguments of `import_memory`."""

        kind: str | None
        scope: str | None
        mine: bool | None
        dry_run: bool
        progress: Callable[[int, int], None] | None
        agree: Callable[[Archive], None]
        large: bool


KIND = "archive"
_GZIP = b"\x1f\x8b"
# Limits by default, and for callers who say that their memory is large.
MAX_FILES, MOST_FILES = 10_000, 1_000_000
_MAX_MANIFEST, _MOST_MANIFEST = 4 * 1_048_576, 256 * 1_048_576
MAX_TOTAL = 16 * 1_073_741_824
_BEFORE = (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_MAX_HEADER = 16_384  # more than a long name needs
# Text compresses to a hundredth of its size at best, beyond the first megabytes; a bomb to a thousandth.
_RATIO = 200
_FREE = 64 * 1_048_576
_CHUNK = 65_536


def import_memory(
    mem: Home,
    path: str | os.PathLike[str] | None = None,
    *,
    kind: str | None = None,
    scope: str | None = None,
    mine: bool | None = None,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
    agree: Callable[[Archive], None] = lambda _: None,
    large: bool = False,
) -> Imported:
    """Import a file or folder of another program, or an archive; report the result for each text.

    Without a path, it looks for Claude Code's memory of this project. `kind` is detected by default; `scope`
    is project or user. `mine` says that the user or their agents wrote the texts; by default only those that
    agents keep in the user's own directory count as such. All others wait for a person, and are shown only on
    request. The source is only read, and nothing in memory is overwritten. `progress` gets its progress. An
    archive becomes memory unchanged: `agree` may inspect it first, and raise; one of more than 10,000 files
    is refused unless `large` is set.
    """
    if path is None or not (kind == KIND or (kind is None and is_archive(path))):
        return bring(mem, path, kind, scope, mine, progress, dry_run=dry_run)
    archive = Archive(os.fspath(path), large=large)
    try:
        agree(archive)
        done = bring_archive(mem, archive, dry_run=dry_run, tell=progress)
        if not dry_run:
            finals.note(mem.path, layout.scopes(mem.path), "the import of an archive", mem.now())
        return done
    finally:
        archive.close()


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a compressed file."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_GZIP)) == _GZIP


# ---------------------------------------------------------------- checking


class ArchiveError(TextError):
    """The archive is damaged, or not one of ours; nothing was written."""

    def __init__(self, path: str, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}; nothing was written. Ask for the archive once more, or leave it")


class Archive:
    """A checked archive. It stays open, so that we read the same bytes that were checked."""

    def __init__(self, path: str, *, large: bool = False) -> None:
        self.path = path
        self._most_files, self._most_manifest = MAX_FILES, _MAX_MANIFEST
        if large:
            self._most_files, self._most_manifest = MOST_FILES, _MOST_MANIFEST
        if not os.path.isfile(path):  # opening a pipe would block
            raise InputError(f"{path}: there is no such archive; name the file that `memolith export` wrote")
        try:
            self._file = open(path, "rb")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise StorageError(path, error) from error
        try:
            self.hashes: dict[str, str] = {}
            self.times: dict[str, int] = {}
            self.parts: list[str] = []
            self.projects: list[str] = []
            self.settings = ""  # what its settings say, for a person
            self._check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def members(self) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the bytes of each file, as checked."""
        for name, data in self._entries():
            if name == MANIFEST:
                continue
            if self.hashes.get(name) != sha256(data):
                raise TextError(
                    f"{self.path}: {quoted(name)} in it changed while it was read; import it again"
                )
            yield name, data

    def _check(self) -> None:
        manifest = None
        met: dict[str, str] = {}
        for name, data in self._entries():
            if manifest is not None:
                self._refuse(f"{quoted(name)} stands behind the manifest")
            key = portable.same(name)
            if key in met:
                what = (
                    "is in it twice"
                    if met[key] == name
                    else f"and {quoted(met[key])} are one name on some systems"
                )
                self._refuse(f"{quoted(name)} {what}")
            met[key] = name
            if why := _unusable(name, data):
                self._refuse(f"{quoted(name)} {why}")
            if name == MANIFEST:
                manifest = data
            else:
                self.hashes[name] = sha256(data)
            if name == portable.CONFIG:
                self.settings = portable.told(data)
        # A file cannot be a directory too.
        for key, name in met.items():
            parts = key.split("/")
            if any("/".join(parts[:depth]) in met for depth in range(1, len(parts))):
                self._refuse(f"{quoted(name)} is below a file")
        if manifest is None:
            self._refuse(f"it has no {MANIFEST}, so it is cut off or was not made by `memolith export`")
        self._compare(manifest or b"")

    def _compare(self, manifest: bytes) -> None:
        try:
            content = json.loads(manifest)
            version = content["format"]
            rows = {
                str(name): (str(row["sha256"]), int(row["time"])) for name, row in content["files"].items()
            }
            self.parts = [str(part) for part in content["parts"]]
            self.projects = sorted(str(slug) for slug in content["projects"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self._refuse(f"its {MANIFEST} cannot be understood")
        if version != FORMAT:
            self._refuse(
                f"its format is {quoted(version)}, and this memolith knows {FORMAT}; a newer one may read it"
            )
        for name in sorted(rows.keys() | self.hashes.keys()):
            if rows.get(name, ("",))[0] != self.hashes.get(name):
                self._refuse(f"{quoted(name)} is not what its {MANIFEST} says")
        self.times = {name: min(max(time, 0), 1 << 62) for name, (_, time) in rows.items()}

    def _entries(self) -> Iterator[tuple[str, bytes]]:
        self._file.seek(0)
        size = os.fstat(self._file.fileno()).st_size
        total = count = 0
        try:
            bounded = _Bounded(self._file, self, _FREE + size * _RATIO)
            with tarfile.open(
                fileobj=bounded,
                mode="r|",
                encoding="utf-8",
                errors="surrogateescape",
                tarinfo=_Entry,  # type: ignore[call-overload]
            ) as tar:
                for info in tar:
                    count += 1
                    total += info.size
                    self._check_entry(info)
                    tar.members.clear()  # tarfile would keep every header
                    if count > self._most_files + 1:  # plus the manifest
                        self._refuse(
                            f"it holds over {self._most_files:,} files; if they are yours, add --large"
                        )
                    if total > MAX_TOTAL:
                        self._refuse("it holds more than a memory does")
                    content = tar.extractfile(info)
                    data = content.read() if content is not None else b""
                    if len(data) != info.size:
                        self._refuse(f"{quoted(info.name)} is cut off")
                    yield info.name, data
            while rest := bounded.read(_CHUNK):  # to the end, where gzip has its checksum
                if rest.strip(b"\0"):
                    self._refuse("there is more behind its end")
        except (
            tarfile.TarError,
            EOFError,
            zlib.error,
            OSError,
            ValueError,
            ArithmeticError,
            RecursionError,
        ) as error:
            raise ArchiveError(self.path, f"it is damaged or no tar.gz ({error})") from None

    def _check_entry(self, info: tarfile.TarInfo) -> None:
        name = info.name
        if not info.isreg() or info.issparse():
            self._refuse(f"{quoted(name)} is a link, a directory or a device, not a file")
        why = "" if name == MANIFEST else portable.problem(name)
        if why:
            self._refuse(f"{quoted(name)} {why}")
        most = self._most_manifest if name == MANIFEST else portable.limit(name)
        if info.size > most:
            self._refuse(f"{quoted(name)} has {info.size:,} bytes, more than {most:,}")

    def _refuse(self, why: str) -> None:
        raise ArchiveError(self.path, why)


class _Entry(tarfile.TarInfo):
    """A header. One that precedes another (a long name) is read as a whole, so it must be small."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        found = super().frombuf(buf, encoding, errors)
        if found.type in (tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_SPARSE):
            raise tarfile.ReadError("it has headers that `memolith export` does not write")
        if found.type in _BEFORE and found.size > _MAX_HEADER:
            raise tarfile.ReadError(f"a header in it has {found.size:,} bytes")
        return found


def _unusable(name: str, data: bytes) -> str:
    """Return why a file would be unreadable here and block others; usually empty."""
    if name == portable.CONFIG:
        try:
            yaml.parse(data.decode("utf-8"))
        except ValueError as error:
            return f"cannot be parsed ({error})"
    is_session = name.startswith("sessions/") and name.endswith(archive.SUFFIX)
    return archive.problem(archive.unpacked(data)[0]) if is_session else ""


class _Bounded:
    """The contents of one gzip member; raises instead of filling the disk or the memory."""

    def __init__(self, file: BinaryIO, archive: Archive, limit: int) -> None:
        self._file, self._archive, self._left = file, archive, limit
        self._zip = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def read(self, size: int) -> bytes:
        data = b""
        while not data and not self._zip.eof:
            more = self._zip.unconsumed_tail or self._file.read(_CHUNK)
            if not more:
                raise EOFError("it is cut off")
            data = self._zip.decompress(more, size)
        if not data and (self._zip.unused_data or self._file.read(1)):
            raise ArchiveError(self._archive.path, "there is more behind its end")
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveError(self._archive.path, "it unpacks to far more than a memory that was packed")
        return data


# ---------------------------------------------------------------- restoring


def bring_archive(
    home: Home, archive: Archive, *, dry_run: bool = False, tell: Callable[[int, int], None] | None = None
) -> Imported:
    """Write the files of an archive that do not exist yet; report the result for each."""
    run = _Run(home, archive, dry_run=dry_run)
    held = contextlib.ExitStack()
    scope: str | None = None
    with held:
        for number, (path, data) in enumerate(archive.members(), 1):
            # Files are ordered by scope, so that each lock is taken once.
            if not dry_run and portable.scope(path) != scope:
                held.close()
                scope = portable.scope(path)
                held.enter_context(home.gate.scope(scope))
            run.put(path, data)
            if tell:
                tell(number, len(archive.hashes))
    rows = run.rows if dry_run else merged.noticed(home, run.rows)
    rows = sorted(rows, key=lambda row: row.path != portable.CONFIG)  # first what changes how it works
    return Imported(kind=KIND, path=archive.path, rows=rows)


class _Run:
    def __init__(self, home: Home, archive: Archive, *, dry_run: bool) -> None:
        self._home, self._archive, self._dry_run = home, archive, dry_run
        self._gone = tombstones.known(home.store)
        self._moved: dict[str, str] = {}  # memory files of the archive and their new names here
        self._ours: dict[str, bool] = {}  # whether a file already had a history here
        self.rows: list[Row] = []

    def put(self, path: str, data: bytes) -> None:
        try:
            action, to, why = self._put(path, data)
        except MemolithError as error:
            action, to, why = "broken", "", str(error)
        self.rows.append(Row(path=path, action=action, to=to, why=why))

    def _put(self, path: str, data: bytes) -> tuple[str, str, str]:
        part, _, rest = path.partition("/")
        left = merged.unforgotten(path, data, self._gone)
        if left is None:
            return "left out", "", "all of it was forgotten"
        data = left
        if part == "history":
            return self._put_version(path, rest, data)
        there = portable.read(self._home.path, path)
        if there is not None and there[0] == data:
            return "known", path, ""
        if there is None:
            archived, history = self._archive.hashes, self._home.gate.history
            if part == layout.STORE and (why := merged.gone(history, rest, data, archived)):
                return "left out", "", why
            self._write(path, data, path)
            return "new", path, self._archive.settings if path == portable.CONFIG else ""
        if path == portable.CONFIG:
            return "left out", "", "you have settings of your own"
        if data and there[0].startswith(data):
            return "known", path, "what is here goes on from it"
        to = merged.beside(self._home.path, path, data)
        self._moved[rest] = to.partition("/")[2]
        if portable.read(self._home.path, to) is not None:
            return "known", to, ""
        self._write(to, data, path)
        return "beside", to, merged.compared(path, to)

    def _put_version(self, path: str, rest: str, data: bytes) -> tuple[str, str, str]:
        """Restore a version: with its file if that was renamed, else only if the file has no history here."""
        source, _, version = rest.rpartition("/")
        file = self._moved.get(source, source)
        to = f"history/{file}/{version}"
        there = portable.read(self._home.path, to)
        if there is not None:
            same = there[0] == data
            return ("known", to, "") if same else ("left out", "", "another version has its number")
        if file not in self._ours:
            # Versions that the archive contains come from an interrupted import.
            here = [f"history/{source}/{entry.name}" for entry in self._home.gate.history.entries(file)]
            self._ours[file] = any(name not in self._archive.hashes for name in here)
        if self._ours[file]:
            return "left out", "", "this file has a history of its own here"
        self._write(to, data, path)
        return "new", to, ""

    def _write(self, to: str, data: bytes, path: str) -> None:
        if not self._dry_run and not portable.put(self._home.path, to, data, self._archive.times[path]):
            raise InputError(f"{to} was made by somebody else just now; import again")
