"""Whether an answer is complete: collects what could not be read while it was prepared.

One unreadable file must not hide the others, so readers skip it. To make sure that nobody mistakes the rest
for everything, `env/paths` notes every failure here. The code that answers (library, command line, server,
hook) opens a `Watch` and reports what is missing. One answer uses one thread.
"""

from __future__ import annotations

import errno
import os
import stat
from _codecs import utf_8_decode
from _thread import _local  # `threading` costs more than all of this

from memolith.base.errors import UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_SHOWN = 80  # characters of a path in one line about all of them


class _Watches(_local):
    def __init__(self) -> None:
        self.open: list[Watch] = []


_watches = _Watches()


class Watch:
    """Collects read errors in its block; `aside` hides them from outer watches, as no answer needs them."""

    __slots__ = ("_aside", "errors", "lost", "wrote")

    def __init__(self, *, aside: bool = False) -> None:
        self.errors: dict[str, OSError] = {}  # by path
        self.lost: list[str] = []  # versions that could not be kept
        self.wrote = False  # a text was stored, whatever could not be read
        self._aside = aside

    def __enter__(self) -> Self:
        _watches.open.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self in _watches.open:
            _watches.open.remove(self)

    @property
    def missing(self) -> list[str]:
        """The files that could not be read: `<path>: <why>`."""
        return [f"{path}: {_why(error)}" for path, error in self.errors.items()]

    def line(self, home: str, shown_as: Callable[[str], str]) -> str:
        """Return one short line for a block, with file names as in the block; empty if nothing is missing."""
        if not self.errors:
            return ""
        path, error = next(iter(self.errors.items()))
        shown = path.removeprefix(home).removeprefix("/memory").lstrip("/") or "the memory directory"
        if shown == path.lstrip("/"):  # outside the memory: do not reveal where
            shown = path.rpartition("/")[2]
        shown = " ".join(shown.split())
        shown = shown if len(shown) <= _SHOWN else f"…{shown[-_SHOWN:]}"
        more = f" and {len(self.errors) - 1} more" if len(self.errors) > 1 else ""
        return f"{NOT_WHOLE}{shown_as(shown)}{more}: {_why(error)}; `memolith doctor` says what is wrong.)"


NOT_FILES = ("is not a regular file", "is a symbolic link; replace it by a real file")
NOT_TEXT = "is not UTF-8, so that part of it is shown as \ufffd; save it as UTF-8"
NOT_WRITTEN = "has NUL bytes, as after a power loss; restore it (`memolith history` lists its versions)"
NOT_WHOLE = "(Not all memory could be read: "


def note(path: str, error: OSError) -> None:
    """Report a read error to the active watches."""
    kept = OSError(error.errno, error.strerror)  # a copy: the original's traceback keeps frames alive
    for watch in reversed(_watches.open):
        watch.errors.setdefault(path, kept)
        if watch._aside:  # noqa: SLF001 - its own module
            return


def damage_of(data: bytes, *, ends: bool = True) -> str:
    """Return what is wrong with the bytes of a text; a part of one (no `ends`) may cut a character."""
    if b"\0" in data:
        return NOT_WRITTEN
    if data.isascii():
        return ""
    begin = next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0) if not ends else 0
    try:
        utf_8_decode(data[begin:], "strict", ends)
    except UnicodeDecodeError:
        return NOT_TEXT
    return ""


def note_damage(path: str, data: bytes, *, ends: bool = True) -> None:
    """Report a Markdown file whose bytes are no text: it is shown as far as it is."""
    if path.endswith(".md") and (why := damage_of(data, ends=ends)):
        note(path, OSError(errno.EILSEQ, why))


def unsafe(path: str, why: str, *, noted: bool = True) -> UnsafePathError:
    """Return the error for something that is not read because of what it is; an answer lacks it."""
    if noted:
        note(path, OSError(errno.ELOOP, why))
    return UnsafePathError(f"{path}: {why}")


def is_regular(mode: int, path: str) -> bool:
    """Whether the mode is a regular file's; else note that an answer lacks what is at the path."""
    if not stat.S_ISREG(mode):
        unsafe(path, NOT_FILES[stat.S_ISLNK(mode)])
    return stat.S_ISREG(mode)


def stat_of(path: str, *, follow: bool = True) -> os.stat_result | None:
    """Return the `stat` of a path; None if nothing is there or the system does not answer."""
    try:
        return os.stat(path, follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        note(path, error)
        return None


def is_directory(path: str) -> bool:
    """Whether a path is a directory, links followed; False on an error, which is noted."""
    found = stat_of(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def note_write() -> None:
    """Tell the active watches that a text was stored."""
    for watch in _watches.open:
        watch.wrote = True


def wrote() -> bool:
    """Whether a text was stored while somebody watched."""
    return any(watch.wrote for watch in _watches.open)


def note_lost(warning: str) -> None:
    """Tell the active watches that what a change replaced or removed could not be kept."""
    for watch in _watches.open:
        watch.lost.append(warning)


def lost() -> list[str]:
    """Return which versions could not be kept so far, for the current answer."""
    return _watches.open[0].lost if _watches.open else []


def missing() -> list[str]:
    """Return what could not be read so far for the current answer."""
    return _watches.open[0].missing if _watches.open else []


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
