"""Reading other people's folders: bounded, in a stable order, and never through a link."""

from __future__ import annotations

import os
import stat

from memolith.base.errors import MemolithError, StorageError, TextError, TooLargeError
from memolith.base.values import MAX_ACCEPT_BYTES
from memolith.env.paths import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OPEN = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)
_MARKDOWN = (".md", ".markdown")
# Directories that belong to programs, not to the notes.
_NOT_NOTES = ("node_modules", "__pycache__")


class Sheaf:
    """The Markdown files of a folder, or one file, by their paths in it."""

    def __init__(self, path: str, leave: Callable[[str, str], None]) -> None:
        path = os.path.realpath(path)
        self.is_file = os.path.isfile(path)
        self.root, self.name = os.path.split(path) if self.is_file else (path, "")
        self._tree = Tree(self.root)
        self.files = [self.name] if self.is_file else sorted(self._walk(leave), key=_by_depth)

    def _walk(self, leave: Callable[[str, str], None]) -> list[str]:
        found = []
        for directory, below, names in self._tree.walk():
            below[:] = [name for name in below if name[0] != "." and name not in _NOT_NOTES]
            for name in below:
                if not os.access(os.path.join(self.root, directory, name), os.R_OK | os.X_OK):
                    leave(os.path.join(directory, name), "a folder that cannot be opened")
            for name in names:
                path = f"{directory}/{name}" if directory else name
                if name.startswith("."):
                    continue
                if self._is_link(path):
                    leave(path, "a link; links are not followed")
                elif not name.lower().endswith(_MARKDOWN):
                    leave(path, "not Markdown")
                else:
                    found.append(path)
        return found

    def _is_link(self, path: str) -> bool:
        found = self._tree.stat(path)
        return found is None or stat.S_ISLNK(found.st_mode)

    def read(self, path: str) -> tuple[str, int]:
        """Return a file's text, and when it was changed in nanoseconds.."""
        place = self._tree.place(path)
        try:
            fd = os.open(place.at, _OPEN, dir_fd=place.fd)
        except OSError as error:
            raise StorageError(place.path, error) from error
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise TextError(f"{path}: is not a regular file")
            data = file.read(MAX_ACCEPT_BYTES + 1)
        if len(data) > MAX_ACCEPT_BYTES:
            raise TooLargeError(f"{path}: more than {MAX_ACCEPT_BYTES:,} bytes; split it")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TextError(
                f"{path}: not UTF-8 (byte {error.start}); convert it, for example with iconv"
            ) from None
        if "\0" in text:
            raise TextError(f"{path}: contains NUL bytes; this is no text")
        return text, found.st_mtime_ns

    def has(self, name: str) -> bool:
        """Tell whether there is a file or directory of that name."""
        try:
            return self._tree.stat(name) is not None
        except MemolithError:
            return False


def _by_depth(path: str) -> tuple[int, str]:
    # A name that two folders share stays with the file that is nearer to the top.
    return path.count("/"), path
