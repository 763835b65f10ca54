"""Files in which agents keep sessions: where they are, and their records.

JSON lines may break off or be of any size; one that is not whole yet is passed over. Of one that is very long
the data in it (a picture) is left out; if that is not enough, or it is no JSON, it is told as unread.
"""

from __future__ import annotations

import json
import os
import stat
from abc import ABC, abstractmethod
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memolith.env.settings import open_regular
from memolith.env.whose import folder, is_ours
from memolith.hosts.sessions.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from memolith.hosts.sessions.calls import Record
    from memolith.memory.sessions import Session

MAX_LINE = 8 * 1_048_576
_DATA = 65_536  # bytes of a string without a blank: nobody's words
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_\\"
_PART = 1_048_576
UNREAD: Record = {}  # in place of a record that could not be read: it may have been anything
_HEAD = 400  # records in which a session says where it was
_DEEP = 200  # directories in each other that are looked into


def newest(root: str, *patterns: str) -> list[str]:
    """Return the user's own files below a directory that fit a pattern, the one changed last first.

    No link is followed: it would bring what lies elsewhere, as if it had been kept here.
    A pattern is as for `glob`, which takes a directory that cannot be listed for an empty one. Here that is
    an OSError, unless it is somebody else's (no permission) and below the one where the pattern begins.
    """
    found: dict[str, int] = {}
    for pattern in patterns:
        for path in _fitting(root, pattern.split("/"), _listed):
            try:
                about = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(about.st_mode) and is_ours(about):
                found[path] = about.st_mtime_ns
    return sorted(found, key=lambda path: (-found[path], path))


def _fitting(
    directory: str, parts: list[str], listed: Callable[[str], list[os.DirEntry[str]]]
) -> Iterator[str]:
    name, rest = parts[0], parts[1:]
    if not any(sign in name for sign in "*["):
        path = os.path.join(directory, name)
        yield from _fitting(path, rest, listed) if rest else [path]
        return
    entries = listed(directory)
    if name == "**":
        yield from _fitting(directory, rest, listed)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and entry.path.count(os.sep) < _DEEP:
                yield from _fitting(entry.path, parts, _listed_below)
        return
    for entry in entries:
        if fnmatchcase(entry.name, name):
            if not rest:
                yield entry.path
            elif entry.is_dir(follow_symlinks=False):
                yield from _fitting(entry.path, rest, _listed_below)


def _listed(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _listed_below(directory: str) -> list[os.DirEntry[str]]:
    try:
        return _listed(directory)
    except PermissionError:
        return []


def records(path: str) -> Iterator[Record]:
    """Yield the records of a file of JSON lines, `UNREAD` for a line that cannot be read."""
    with open(path, "rb", opener=open_regular) as file:
        while line := file.readline(MAX_LINE):
            if not line.endswith(b"\n") and len(line) == MAX_LINE:
                line = _without_data(line, file)
            try:
                found = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):
                found = UNREAD if line.endswith(b"\n") else None
            if isinstance(found, dict):
                yield found


def _without_data(begin: bytes, file: BinaryIO) -> bytes:
    """Return a line without the data in it, given its begin; what is no JSON if it is still too long."""
    kept = bytearray()
    for part in _parts(begin, file):
        short = (b"" if _is_data(each) else each for each in part.split(b'"'))
        kept += b'"'.join(short) if len(kept) <= MAX_LINE else b""
    return bytes(kept) if len(kept) <= MAX_LINE else b"{\n"


def _is_data(text: bytes) -> bool:
    """Whether a string is Base64, perhaps behind what it is (`data:image/png;base64,`)."""
    return len(text) > _DATA and not text[text.find(b",", 0, 100) + 1 :].strip(_BASE64)


def _parts(begin: bytes, file: BinaryIO) -> Iterator[bytes]:
    yield from (begin[at : at + _PART] for at in range(0, len(begin), _PART))
    while part := file.readline(_PART):
        yield part
        if part.endswith(b"\n"):
            return


class Agent(ABC):
    """An agent that keeps its sessions in files: those in its folder that fit a pattern."""

    name = ""
    patterns: tuple[str, ...] = ()

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:
        """Yield where the sessions of this machine are, newest first."""
        if self.patterns:
            yield from newest(folder(self.name, env, home), *self.patterns)

    def changed(self, path: str) -> int:
        """Return when a session was last changed, in nanoseconds."""
        return os.stat(path).st_mtime_ns

    def head(self, path: str) -> Session:
        """Return what a session is about; its turns need not all be there."""
        return next(self.read(path), None) or Transcript(self.name, path).session(stem(path))

    @abstractmethod
    def read(self, path: str) -> Iterator[Session]:
        """Yield the sessions of a place."""


class JsonLines(Agent):
    """An agent that appends JSON lines to one file for each session.

    No list of what brings somebody's words would stay whole, for agents write new kinds of records with every
    version. So it is the other way round: what a reader does not know counts as from outside.
    """

    quiet: frozenset[str] = frozenset()  # types of records with words that no model reads

    @abstractmethod
    def take(self, row: Record, into: Transcript) -> bool | None:
        """Take what a record says; return whether it is known."""

    def begin(self, path: str) -> Transcript:
        """Return an empty transcript, with what the file's place says about it."""
        return Transcript(self.name, path)

    def prepare(self, path: str, into: Transcript) -> None:
        """Note what has to be known of a file before its first record is taken."""

    def head(self, path: str) -> Session:  # noqa: D102 - from the beginning of a file
        into = self.begin(path)
        for count, row in enumerate(records(path)):
            self.take(row, into)
            if into.known.get("cwd") or count > _HEAD:
                break
        return into.session(stem(path))

    def read(self, path: str) -> Iterator[Session]:
        """Yield the sessions of a file."""
        into = self.begin(path)
        self.prepare(path, into)
        for row in records(path):
            if row is UNREAD:
                into.miss()
            if not self.take(row, into) and str(row.get("type")) not in self.quiet:
                into.pass_over(row)
        if into.turns:
            yield into.session(stem(path))


def stem(path: str) -> str:
    """Return a file's name without its ending."""
    return os.path.basename(path).split(".", 1)[0]
