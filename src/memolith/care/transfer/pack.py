"""Writing memory into an archive: an ordinary tar.gz of the files, with a manifest.

Scope by scope, each under its lock, so that no change of memolith's is included halfway; a file that a person
is saving is read again until it is stable. The same memory gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from typing import TYPE_CHECKING, BinaryIO

import memolith
from memolith.base.errors import InputError, MemolithError, NotFoundError, StorageError
from memolith.base.values import Value
from memolith.env.project import PROJECT_FILE
from memolith.store import layout, portable
from memolith.store.screen import quoted
from memolith.text import yaml
from memolith.text.digest import sha256

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from memolith.memory.home import Home
    from memolith.text.yaml import Node

FORMAT = 1
MANIFEST = "manifest.json"


class Exported(Value):
    """The contents of an archive, and what was skipped, with the reason."""

    bytes: int
    failed: int  # files that belong in the archive but could not be read
    files: int
    left_out: list[tuple[str, str]]
    parts: dict[str, int]
    path: str
    projects: list[str]


def export_memory(
    mem: Home,
    path: str | os.PathLike[str],
    *,
    everything: bool = True,
    history: bool = True,
    sessions: bool = True,
    tell: Callable[[int], None] | None = None,
) -> Exported:
    """Write all of memory (not `everything`: this project's and the user's) into a new archive.

    `tell` receives the number of files so far. InputError if the file already exists, NotFoundError if there
    is nothing to write.
    """
    path = os.fspath(path)
    if not path.endswith((".tar.gz", ".tgz")):
        raise InputError(f"{quoted(path)}: the archive is a tar.gz; give it a name that ends in .tar.gz")
    parts = [layout.STORE, *(["history"] if history else []), *(["sessions"] if sessions else [])]
    slugs = layout.scopes(mem.path) if everything else [layout.USER, mem.project]
    if not os.path.isdir(mem.store):
        raise NotFoundError(f"{mem.path}: there is no memory yet, so there is nothing to export")
    with portable.new_file(path) as file:
        with _Writer(file) as writer:
            for slug in slugs:
                with mem.gate.scope(slug):
                    for part in parts:
                        for name in portable.listed(mem.path, slug, part, writer.leave, writer.fail):
                            writer.add(mem.path, name)
                            if tell:
                                tell(len(writer.rows))
            writer.add(mem.path, portable.CONFIG)
            writer.describe(parts)
        size = file.tell()
    counts = {part: sum(1 for name in writer.rows if name.startswith(f"{part}/")) for part in parts}
    counts["settings"] = int(portable.CONFIG in writer.rows)
    return Exported(
        path=path,
        bytes=size,
        files=len(writer.rows),
        parts=counts,
        projects=sorted(writer.projects),
        left_out=writer.left,
        failed=writer.failed,
    )


class _Writer:
    """An archive being written, one file at a time."""

    def __init__(self, file: BinaryIO) -> None:
        # No name and no time: they would make two archives of the same memory differ.
        self._zip = gzip.GzipFile("", "wb", 6, file, mtime=0)
        self._tar = tarfile.open(  # noqa: SIM115 - closed by `close`
            fileobj=self._zip,
            mode="w|",
            format=tarfile.PAX_FORMAT,
            encoding="utf-8",
            errors="surrogateescape",
        )
        self.rows: dict[str, dict[str, object]] = {}
        self.left: list[tuple[str, str]] = []
        self.failed = 0
        self._met: dict[str, str] = {}
        self.projects: dict[str, dict[str, Node]] = {}

    def leave(self, path: str, why: str) -> None:
        self.left.append((path, why))

    def fail(self, path: str, why: str) -> None:
        self.leave(path, why)
        self.failed += 1

    def add(self, home: str, path: str) -> None:
        """Add a file in its current state; an unreadable one is skipped and reported."""
        twin = self._met.get(portable.same(path))
        why = portable.problem(path) or (f"is one name with {twin} on some systems" if twin else "")
        if why:
            self.leave(path.encode("utf-8", "replace").decode(), why)
            return
        try:
            found = portable.read(home, path)
        except StorageError as error:
            self.fail(path, str(error))
            return
        except MemolithError as error:
            self.leave(path, str(error))
            return
        if found is None:
            return
        data, time = found
        self._met[portable.same(path)] = path
        self.rows[path] = {"size": len(data), "sha256": sha256(data), "time": time}
        if path == f"{layout.STORE}/{layout.path(portable.scope(path), PROJECT_FILE)}":
            self.projects[portable.scope(path)] = _identity(data)
        self._put(path, data, time)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Also after an interruption: otherwise the archive would finish itself later, into a closed file.
        self._tar.close()
        self._zip.close()

    def describe(self, parts: list[str]) -> None:
        """Add the manifest, last, because it contains the hash of every file."""
        manifest = {
            "format": FORMAT,
            "memolith": memolith.__version__,
            "parts": parts,
            "projects": self.projects,
            "files": self.rows,
        }
        self._put(MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n", 0)

    def _put(self, path: str, data: bytes, time: int) -> None:
        info = tarfile.TarInfo(path)
        info.size, info.mode, info.mtime = len(data), 0o600, max(0, time // 1_000_000_000)
        self._tar.addfile(info, io.BytesIO(data))


def _identity(data: bytes) -> dict[str, Node]:
    try:
        return yaml.parse(data.decode("utf-8"))
    except (UnicodeDecodeError, yaml.YamlError):
        return {}
