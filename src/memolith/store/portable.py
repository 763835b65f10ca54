"""Whole files of a home: read for an archive, and restored where there is no file yet.

This is not a second write path. A file is only ever created, byte for byte, under the lock of its scope;
existing files stay.
"""

from __future__ import annotations

import contextlib
import os
import stat

from memolith.base.errors import InputError
from memolith.env import settings
from memolith.env.paths import MAX_FILE_BYTES, Place, Tree, inside
from memolith.store import files, layout
from memolith.store.archive import MAX_BYTES as MAX_SESSION
from memolith.store.screen import quoted
from memolith.text import yaml
from memolith.text.safe import lookalikes
from memolith.text.secrets import veil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

CONFIG = "config.yml"
# Temporary files and version control: neither is memory.
PRIVATE = frozenset([".tmp", ".git"])

_STRAY = ".arriving"
_MAX_DEPTH = 16
_MAX_NAME = 255
_SLUG = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
# Special in paths on Windows: the separator, and the mark of an alternate stream.
_WINDOWS = frozenset("\\:") if os.name == "nt" else frozenset()


def problem(path: str) -> str:
    """Return why a path cannot be a file of a home; nothing if it can."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "is not UTF-8"
    if path == CONFIG:
        return ""
    parts = path.split("/")
    if "" in parts or "." in parts or ".." in parts or _WINDOWS.intersection(path):
        return "leads elsewhere"
    if any(char < " " or char == "\x7f" for char in path):
        return "has control characters in its name"
    if parts[0] not in layout.PARTS or len(parts) < 2:
        return "is not part of a memory"
    if len(parts) > _MAX_DEPTH or any(len(part.encode()) > _MAX_NAME for part in parts):
        return "is too long or too deep"
    if PRIVATE.intersection(part.casefold() for part in parts):
        return "is private to a program"
    wrong = set(scope(path)) - _SLUG or (parts[0] == "sessions" and len(parts) != 3)
    if wrong or (parts[0] != "sessions" and parts[1] == "projects" and len(parts) < 4):
        return "has an impossible project name"
    return ""


def same(path: str) -> str:
    """Return the form in which two paths are equal on some systems."""
    return lookalikes.composed(path).casefold()


def limit(path: str) -> int:
    """Return the maximum size of a file of a home."""
    return MAX_SESSION if path.startswith("sessions/") else MAX_FILE_BYTES


def scope(path: str) -> str:
    """Return the scope that a path below the home belongs to."""
    part, _, rest = path.partition("/")
    if part == "sessions":
        return rest.partition("/")[0]
    return layout.scope_of(rest)


def listed(
    home: str,
    slug: str,
    part: str,
    leave: Callable[[str, str], None],
    failed: Callable[[str, str], None],
) -> Iterator[str]:
    """Yield the files of one scope in a part of the home, sorted.

    `leave` is called for what is not a file, `failed` for a directory that could not be read.
    """
    tree = Tree(os.path.join(home, part))
    if part == "sessions" and not slug:
        return
    top = slug if part == "sessions" else layout.path(slug)
    for directory, below, names in tree.walk(top, lambda path, why: failed(f"{part}/{path}", str(why))):
        below[:] = [name for name in below if name not in PRIVATE]
        if not slug and not directory and "projects" in below:
            below.remove("projects")
        for name in names:
            path = f"{directory}/{name}" if directory else name
            found = tree.stat(path)
            if found is not None and stat.S_ISREG(found.st_mode):
                if not (name.startswith(".") and name.endswith((_STRAY, ".tmp"))):
                    yield f"{part}/{path}"
            else:
                leave(f"{part}/{path}", "not a regular file")


def read(home: str, path: str) -> tuple[bytes, int] | None:
    """Return a file's bytes and modification time in nanoseconds; None if it is gone."""
    place = _place(home, path)
    if place is None or (found := place.stat()) is None:
        return None
    data = place.read(limit(path))
    return None if data is None else (data, found.st_mtime_ns)


def told(config: bytes) -> str:
    """Return in one line, for a person, what settings say."""
    said = settings.leaves(yaml.parse(config.decode("utf-8")))
    return ", ".join(f"{quoted(key)[1:-1]}: {quoted(str(value))[1:-1]}" for key, value in said.items())


def put(home: str, path: str, data: bytes, time: int) -> bool:
    """Create a file, durably; False if it exists. The caller holds the lock of its scope."""
    if path == CONFIG:
        files.make_directory(home)
        place = Place.of(os.path.join(home, path))
    else:
        tree, rest = inside(home, path)
        if tree.stat(rest) is not None:
            return False
        place = files.make_place(Tree(tree.root, alone=True), rest)  # not into a repository
    # Not in `.tmp/`: leftovers there would become versions, and this is not new text.
    return create(place, Place(place.folder, f".{place.name[:200]}{_STRAY}"), data, time)


def create(place: Place, holder: Place, data: bytes, time: int) -> bool:
    """Create a file by way of a `holder` beside it, durably; False if it exists."""
    with files.storage_errors(place.path):
        if place.stat() is not None:
            return False
        with contextlib.suppress(FileNotFoundError):
            files.unlink(holder)  # left by a crash; the lock is ours
        files.write_new(holder, data)
        files.set_time(holder, time)
        if not files.create(holder, place):
            files.unlink(holder)
            return False
        files.sync_directory(place.folder)
    return True


def _place(home: str, path: str) -> Place | None:
    if path == CONFIG:
        return Place.of(os.path.join(home, path))
    tree, rest = inside(home, path)
    try:
        return tree.place(rest)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def new_file(path: str) -> Iterator[BinaryIO]:
    """Yield a private file to write; it gets its name when complete, and only if that is free."""
    place = Place.of(os.path.abspath(path))
    shown = veil.masked_name(path)
    taken = InputError(
        f"{shown}: already exists; choose another name, or remove it (a script may write `- > FILE`)"
    )
    if os.path.lexists(path):
        raise taken
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise InputError(f"{shown}: no such directory; create it, or choose another place")
    holder = Place(place.folder, f".{place.name}.{os.getpid()}.tmp")
    with files.storage_errors(path):
        fd = os.open(holder.at, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=holder.fd)
        try:
            with os.fdopen(fd, "w+b") as file:
                yield file
                file.flush()
                files.full_sync(file.fileno())
            if not files.create(holder, place):
                raise taken  # noqa: TRY301 - what was written must go
        except BaseException:
            with contextlib.suppress(OSError):
                files.unlink(holder)
            raise
        files.sync_directory(place.folder)
