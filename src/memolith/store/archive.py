"""Copies of finished sessions, `sessions/<project>/<agent>-<id>.jsonl.gz`: compressed, written as a whole."""

from __future__ import annotations

import errno
import os

from memolith.base.whole import note
from memolith.env.paths import Tree
from memolith.store import files
from memolith.text.safe.hygiene import whole

SUFFIX = ".jsonl.gz"
# Compressed; larger than any real session.
MAX_BYTES = 64 * 1_048_576
MAX_TEXT = 3 * MAX_BYTES  # unpacked: a small file can expand to any size
UNREADABLE = "nothing of it is recalled"  # the message about a copy that is not read
DAMAGED = "is no session that can be read to its end; delete it, or add it again"
# More than any copy that we write has.
_MAX_LINES, _MAX_LINE = 100_000, 4 * 1_048_576
_MAX_HEAD = 16_384  # compressed bytes that have the whole first line
_MAX_TURN = 1 << 31
_MAX_BRACKETS = 400  # brackets in a line; one with more is parsed to check its depth


class Archive:
    """The session copies of one project: lines of text in and out. Writers hold the lock of the project."""

    def __init__(self, home: str, slug: str) -> None:
        self._tree, self._slug = Tree(os.path.join(home, "sessions")), slug

    def path(self, name: str) -> str:
        """Return the file of a session."""
        return os.path.join(self._tree.root, self._slug, name + SUFFIX)

    def names(self) -> list[str]:
        """Return the names of the sessions, sorted."""
        return [name.removesuffix(SUFFIX) for name in self._tree.names(self._slug, SUFFIX)]

    def stat(self, name: str) -> os.stat_result | None:
        """Return what the system knows of a session's file; None if it does not exist."""
        return self._tree.stat(f"{self._slug}/{name}{SUFFIX}")

    def read(self, name: str) -> list[str] | None:
        """Return the lines of a session; None if it is missing, or damaged: an answer lacks it."""
        data = self._tree.read(f"{self._slug}/{name}{SUFFIX}", MAX_BYTES)
        lines = None if data is None else lines_of(data)
        if data is not None and lines is None:
            self.lacks(name)
        return lines

    def lacks(self, name: str) -> None:
        """Say that an answer is without a copy, because it is damaged."""
        note(self.path(name), OSError(errno.EILSEQ, DAMAGED))

    def head(self, name: str) -> dict[str, object] | None:
        """Return what the first line of a session says, without reading the rest; None as with `read`."""
        data, _ = self._tree.read_part(f"{self._slug}/{name}{SUFFIX}", _MAX_HEAD)
        head = head_of(unpacked(data)[0])
        if head is None and self.stat(name):
            self.lacks(name)
        return head

    def write(self, name: str, lines: list[str]) -> None:
        """Store a session, durably."""
        place = files.make_place(self._tree, f"{self._slug}/{name}{SUFFIX}")
        files.overwrite(place, packed(lines), f".{name}.tmp")

    def delete(self, name: str) -> None:
        """Remove a session for good."""
        with files.storage_errors(self.path(name)):
            place = self._tree.place(f"{self._slug}/{name}{SUFFIX}")
            files.unlink(place)
            files.sync_directory(place.folder)


def packed(lines: list[str]) -> bytes:
    """Return the lines of a session compressed."""
    import gzip

    # No timestamp: the same session gives the same bytes.
    return gzip.compress("".join(f"{line}\n" for line in lines).encode("utf-8"), 6, mtime=0)


def unpacked(data: bytes) -> tuple[bytes, bool]:
    """Return the readable part of a compressed session, and whether that is all of it."""
    import gzip
    import io
    import zlib

    pieces: list[bytes] = []
    left = MAX_TEXT + 1
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            while left > 0 and (piece := packed.read1(min(left, 1 << 20))):
                pieces.append(piece)
                left -= len(piece)
    except (OSError, EOFError, zlib.error):
        return b"".join(pieces), False
    return b"".join(pieces), True


def lines_of(data: bytes) -> list[str] | None:
    """Return the lines of a compressed session; None if it is damaged or too large."""
    text, is_whole = unpacked(data)
    if not is_whole or problem(text) or head_of(text) is None:
        return None
    try:
        # Only a line feed ends a line of JSON; text may hold other separators.
        return text.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None


def head_of(text: bytes) -> dict[str, object] | None:
    """Return the first line of an unpacked copy; None if it is not that of a session."""
    row = row_of(text.partition(b"\n")[0].decode("utf-8", "replace"))
    return row if row and "agent" in row else None


def row_of(line: str) -> dict[str, object] | None:
    """Return what a line says; None if it is not one of ours.

    Half characters and numbers that no turn has are nothing that a database or a file takes.
    """
    import json

    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    number = found.get("turn")
    if "turn" in found and not (isinstance(number, int) and 0 < number < _MAX_TURN):
        found["turn"] = None
    return {key: whole(value) if isinstance(value, str) else value for key, value in found.items()}


def problem(text: bytes) -> str:
    """Return why an unpacked copy is rejected, or nothing: ours are never so large or so deep."""
    if len(text) > MAX_TEXT or text.count(b"\n") > _MAX_LINES:
        return "is larger than any session"
    start = 0
    while start < len(text):
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
        if end - start > _MAX_LINE:
            return "has a line longer than any turn"
        brackets = text.count(b"[", start, end) + text.count(b"{", start, end)
        if brackets > _MAX_BRACKETS and _is_too_deep(text[start:end]):
            return "is nested deeper than any session"
        start = end + 1
    return ""


def _is_too_deep(line: bytes) -> bool:
    import json

    try:
        row = json.loads(line)
    except RecursionError:
        return True
    except ValueError:
        return False
    return isinstance(row, dict) and any(isinstance(each, (list, dict)) for each in row.values())
