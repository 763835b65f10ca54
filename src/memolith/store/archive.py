"""Copies of finished sessions, `sessions/<project>/<agent>-<id>.jsonl.gz`: compressed, whole or none."""

from __future__ import annotations

import contextlib
import os

from memolith.errors import UnsafePathError
from memolith.store import files

SUFFIX = ".jsonl.gz"


class Archive:
    """The session copies of one project: lines of text in and out. Writers hold the lock of the project."""

    def __init__(self, home: str, slug: str) -> None:
        self.directory = os.path.join(home, "sessions", slug)

    def path(self, name: str) -> str:
        """Return the file of a session."""
        return os.path.join(self.directory, name + SUFFIX)

    def names(self) -> list[str]:
        """Return the names of the sessions, sorted."""
        self._refuse_links()
        return [name.removesuffix(SUFFIX) for name in sorted(files.names(self.directory, SUFFIX))]

    def read(self, name: str) -> list[str] | None:
        """Return the lines of a session; None if there is none or it is damaged."""
        import gzip
        import zlib

        self._refuse_links()
        data = files.read(self.path(name))
        if data is None:
            return None
        try:
            return gzip.decompress(data).decode("utf-8").splitlines()
        except (OSError, EOFError, zlib.error, UnicodeDecodeError):
            return None

    def write(self, name: str, lines: list[str]) -> None:
        """Store a session, durably."""
        import gzip

        self._refuse_links()
        files.make_directory(self.directory)
        # No time in it: the same session gives the same bytes.
        data = gzip.compress("".join(f"{line}\n" for line in lines).encode("utf-8"), 6, mtime=0)
        temporary = os.path.join(self.directory, f".{name}.tmp")
        with files.told(self.path(name)):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)  # left by a crash; the lock is ours
            files.write_new(temporary, data)
            files.replace(temporary, self.path(name))
            files.sync_directory(self.directory)

    def delete(self, name: str) -> None:
        """Remove a session for good."""
        self._refuse_links()
        with files.told(self.path(name)):
            os.unlink(self.path(name))
            files.sync_directory(self.directory)

    def _refuse_links(self) -> None:
        for place in (os.path.dirname(self.directory), self.directory):
            if os.path.islink(place):
                raise UnsafePathError(f"{place}: is a symbolic link; replace it by a real directory")
