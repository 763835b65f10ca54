"""Looking through an archive before anything of it is written: every name, every size, every hash.

An archive may come from anywhere. It is refused as a whole if anything in it is not what we write ourselves:
other kinds of entries than files, names that lead elsewhere or meet, more than fits, hashes that differ.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import tarfile
import zlib
from typing import TYPE_CHECKING

from memolith.base.errors import InputError, StorageError, TextError
from memolith.care.transfer.outgoing import FORMAT, MANIFEST
from memolith.store import portable
from memolith.store.screen import quoted
from memolith.text.digest import sha256

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

# What is taken without a word, and from somebody who says that their memory is large.
MAX_FILES, MOST_FILES = 10_000, 1_000_000
_MAX_MANIFEST, _MOST_MANIFEST = 4 * 1_048_576, 256 * 1_048_576
MAX_TOTAL = 16 * 1_073_741_824
_BEFORE = (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_MAX_HEADER = 16_384  # more than a long name takes
# A text shrinks to a hundredth at most, apart from the first megabytes; a bomb to a thousandth.
_RATIO = 200
_FREE = 64 * 1_048_576


class ArchiveError(TextError):
    """An archive that is damaged, or that is none of ours; nothing was written."""

    def __init__(self, path: str, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(f"{path}: {why}; nothing was written. Ask for the archive once more, or leave it")


class Archive:
    """An archive that was found to be whole. It stays open, so that what was checked is what is read."""

    def __init__(self, path: str, *, large: bool = False) -> None:
        self.path = path
        self._most_files, self._most_manifest = MAX_FILES, _MAX_MANIFEST
        if large:
            self._most_files, self._most_manifest = MOST_FILES, _MOST_MANIFEST
        if not os.path.isfile(path):  # a pipe would be waited for
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
            self._check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def members(self) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the bytes of each file, as they were when they were checked."""
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
            if name == MANIFEST:
                manifest = data
            else:
                self.hashes[name] = sha256(data)
        # A file cannot be a directory as well.
        for key, name in met.items():
            parts = key.split("/")
            if any("/".join(parts[:depth]) in met for depth in range(1, len(parts))):
                self._refuse(f"{quoted(name)} is below a file")
        if manifest is None:
            self._refuse(f"it has no {MANIFEST}, so it is cut off or was not made by `memolith export`")
        self._compare(manifest or b"")

    def _compare(self, manifest: bytes) -> None:
        try:
            told = json.loads(manifest)
            version = told["format"]
            rows = {str(name): (str(row["sha256"]), int(row["time"])) for name, row in told["files"].items()}
            self.parts = [str(part) for part in told["parts"]]
            self.projects = sorted(str(slug) for slug in told["projects"])
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
        with self._damaged(), gzip.GzipFile(fileobj=self._file) as plain:
            bounded = _Bounded(plain, self, _FREE + size * _RATIO)
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
                    tar.members.clear()  # it would keep every header
                    if count > self._most_files + 1:  # with the manifest
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
            while bounded.read(65_536):  # to the end, where gzip keeps its checksum
                pass

    @contextlib.contextmanager
    def _damaged(self) -> Iterator[None]:
        try:
            yield
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
    """A header. One that stands before another (a long name) is read as a whole, so it has to be small."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        found = super().frombuf(buf, encoding, errors)
        if found.type in (tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_SPARSE):
            raise tarfile.ReadError("it has headers that `memolith export` does not write")
        if found.type in _BEFORE and found.size > _MAX_HEADER:
            raise tarfile.ReadError(f"a header in it has {found.size:,} bytes")
        return found


class _Bounded:
    """A stream that ends in an error instead of filling the disk or the memory."""

    def __init__(self, plain: gzip.GzipFile, archive: Archive, limit: int) -> None:
        self._plain, self._archive, self._left = plain, archive, limit

    def read(self, size: int = -1) -> bytes:
        data = self._plain.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ArchiveError(self._archive.path, "it unpacks to far more than a memory that was packed")
        return data
