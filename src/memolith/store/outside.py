"""Files of other programs: read them, replace them only if unchanged since, and keep the originals.

`state/installs/` in the home has for each file: a hash of what we wrote, the file as it would be without us,
and as it was before the last change. Both may contain private settings, so they are readable only by the
user, and are removed with the installation.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from typing import TYPE_CHECKING

from memolith.base.errors import ConfigError, ConflictError, MemolithError, StorageError
from memolith.base.values import Value
from memolith.env.paths import Place
from memolith.store import files
from memolith.text.digest import sha256

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES = 32 * 1_048_576  # the state file of an agent may be large
_DIRECTORY = "installs"


class Known(Value):
    """Our change to a file: `written` is its hash, `before` the bytes without us (None: no file).

    `host` is the agent, `form` how its file is written, `project` whose files these are (empty: the user's).
    """

    before: bytes | None
    form: str
    host: str
    made: list[str]
    path: str
    project: str
    written: str


class OutsideError(StorageError):
    """The operating system refused to read or write another program's file."""

    def __init__(self, path: str, error: OSError) -> None:
        super().__init__(path, error)
        why = error.strerror or error.__class__.__name__
        self.args = (f"{path}: {why}; it is unchanged. Make it readable and writable, then try again",)


def read(path: str) -> bytes | None:
    """Return a file's bytes, through links; None if there is none."""
    try:
        with files.storage_errors(path, OutsideError):
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode):
                raise ConfigError(f"{path}: not a regular file; move it out of the way")
            if found.st_size > MAX_BYTES:
                raise ConfigError(f"{path}: has {found.st_size:,} bytes, more than settings can have")
            with open(path, "rb") as stream:
                return stream.read()
    except MemolithError as error:
        if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)) and not os.path.islink(path):
            return None
        raise


def swap(path: str, old: bytes | None, new: bytes | None, *, mode: int = 0o600) -> list[str]:
    """Replace a file's bytes (None: remove it) if it still has the old ones, else ConflictError.

    A link stays a link, and the mode is kept. A new file gets `mode` whatever the umask, because settings
    name programs. Returns the directories created for it.
    """
    real = os.path.realpath(path)
    with files.storage_errors(path, OutsideError):
        made = files.make_directory(os.path.dirname(real), mode | (mode & 0o444) >> 2, OutsideError)
        if read(path) != old:
            raise _changed(path, old, read(path))
        if new == old:
            return made
        place = Place.of(real)
        if new is None:
            _remove(place, old)
        else:
            _write(place, old, new, mode)
        files.sync_directory(place.folder)
    return made


def _aside(place: Place) -> Place:
    """Return a temporary name next to a file."""
    return Place(place.folder, f".{place.name}.memolith-{os.getpid()}")


def tidy(path: str) -> None:
    """Remove the temporary files that killed processes left next to a file."""
    with contextlib.suppress(OSError, MemolithError):
        place = Place.of(os.path.realpath(path))
        start = f".{place.name}.memolith-"
        for name in place.folder.names():
            if name.startswith(start) and not _is_running(name[len(start) :]):
                files.unlink(Place(place.folder, name))


def _is_running(process: str) -> bool:
    if sys.platform == "win32" or not process.isdecimal():
        return True  # no harmless way to check
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return int(process) != os.getpid()


def _write(place: Place, old: bytes | None, new: bytes, mode: int) -> None:
    fresh = _aside(place)
    fd = os.open(fresh.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        try:
            files.write_all(fd, new)
            if sys.platform != "win32":
                os.fchmod(fd, mode if old is None else stat.S_IMODE(os.stat(place.path).st_mode))
            files.full_sync(fd)
        finally:
            os.close(fd)
        if old is None:
            if not files.create(fresh, place):
                raise _changed(place.path, old, b"")
            return
        if not files.exchange(fresh, place):
            files.replace(
                fresh, place
            )  # where the system cannot exchange, there is a window of some microseconds
            return
        out = read(fresh.path)
        if out != old:  # somebody saved at the last moment: restore theirs
            files.exchange(fresh, place)
            raise _changed(place.path, old, out)
    finally:
        with contextlib.suppress(FileNotFoundError):
            files.unlink(fresh)


def _remove(place: Place, old: bytes | None) -> None:
    aside = _aside(place)
    files.rename(place, aside)
    out = read(aside.path)
    if out != old:
        files.rename(aside, place)
        raise _changed(place.path, old, out)
    files.unlink(aside)


def _changed(path: str, old: bytes | None, now: bytes | None) -> ConflictError:
    return ConflictError(path, sha256(old or b""), sha256(now or b""))


def remove_empty(directories: Sequence[str]) -> None:
    """Remove the directories created for a file, innermost first, as far as they are empty."""
    for each in sorted(directories, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(each)


class Installs:
    """Our changes to the files of other programs."""

    def __init__(self, home: str) -> None:
        self._tree = files.state(home)

    def get(self, path: str) -> Known | None:
        """Return our change to a file; None if there is none, or it cannot be read."""
        about = self._read(path, "json")
        try:
            known = json.loads(about) if about else None
            before = self._read(path, "before") if known and known["existed"] else None
        except (ValueError, KeyError, TypeError):
            return None
        if not known or (known["existed"] and before is None):
            return None
        rest = {key: str(known.get(key, "")) for key in ("host", "form", "project")}
        return Known(path=path, written=known["written"], made=known["made"], before=before, **rest)

    def all(self) -> list[Known]:
        """Return our changes to all files, by path; those that cannot be read are left out."""
        found = []
        for name in self._tree.names(_DIRECTORY, ".json"):
            with contextlib.suppress(ValueError, KeyError, TypeError, MemolithError):
                about = read(os.path.join(self._tree.root, _DIRECTORY, name)) or b"{}"
                found.append(self.get(json.loads(about)["path"]))
        return sorted(filter(None, found), key=lambda known: known.path)

    def keep(self, known: Known, previous: bytes | None) -> None:
        """Record a change to a file, and its state before."""
        about: dict[str, object] = known.as_dict()
        del about["before"]
        about["existed"] = known.before is not None
        if known.before is not None:
            self._write(known.path, "before", known.before)
        if previous is not None:
            self._write(known.path, "previous", previous)
        self._write(known.path, "json", json.dumps(about, ensure_ascii=False, indent=2).encode())

    def forget(self, path: str) -> None:
        """Forget a file that no longer contains our changes."""
        for kind in ("json", "before", "previous"):
            with contextlib.suppress(OSError, MemolithError):
                files.unlink(self._place(path, kind))

    def _name(self, path: str, kind: str) -> str:
        return f"{_DIRECTORY}/{sha256(os.path.abspath(path).encode('utf-8', 'surrogateescape'))[:16]}.{kind}"

    def _place(self, path: str, kind: str) -> Place:
        return files.make_place(self._tree, self._name(path, kind))

    def _read(self, path: str, kind: str) -> bytes | None:
        return read(os.path.join(self._tree.root, self._name(path, kind)))

    def _write(self, path: str, kind: str, data: bytes) -> None:
        files.overwrite(self._place(path, kind), data)
