"""Whether a path is plainly inside the directory that a session works in.

Nobody can list the places where somebody else's text lies, so it is the other way round: what is not inside
by its name alone is elsewhere. Names are compared, the disk is not asked: the session may be an old one.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from posixpath import join, normpath

from memolith.text.patterns import lazy

_UNKNOWN = "\0"  # the directory is not known: what leads out of it still is
_SHARED = frozenset(["/", "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm"])  # noqa: S108
# Folders of what others wrote.
_PACKAGES = frozenset(
    [
        *("node_modules", "bower_components", "vendor", "deps", "pods", "third_party", "third-party"),
        *(".yarn", "site-packages", "dist-packages"),
    ]
)
_OPEN = ("", ".", "..", ".github", ".gitlab", ".vscode")  # hidden folders are for programs, but for these
_DRIVE = lazy(r"[A-Za-z]:/")
_HOME = lazy(r"/home/[^/]+|/Users/[^/]+|/root(?=/|$)|[A-Za-z]:/Users/[^/]+")
# Rather a file than a branch: nobody can tell by the name of either alone.
_FILE = lazy(
    r"(?!.*\.\.(?!/)|(?:refs|origin|upstream|fork|pull|pr)/)"
    r"(?:(?:\.{0,2}/|\.\w)[^:]*|\.|[^:]*/|[^:]*[^/:]\.\w+)"
)


class Within:
    """The directory of a session, and where a command has gone below it."""

    def __init__(self, root: str) -> None:
        plain = normpath(_slashed(root)) if root else _UNKNOWN
        self._root = f"{_UNKNOWN}/" if plain in _SHARED else plain  # nothing is inside a folder for everybody
        self._below = ""

    def has(self, path: str) -> bool:
        """Whether a path is inside."""
        found = self._whole(path)
        return found == self._root or found.startswith(f"{self._root}/")

    def shows(self, path: str) -> bool:
        """Whether a path, or a pattern of paths, is inside and names no folder of packages."""
        return self.has(path) and _PACKAGES.isdisjoint(_slashed(path).casefold().split("/"))

    def reads(self, path: str) -> bool:
        """Whether a path is inside, and in no folder of packages."""
        return self.has(path) and path[:1] != "@" and not _is_packaged(path)

    def reads_file(self, path: str) -> bool:
        """Whether a word is rather a file inside than a branch."""
        return bool(_FILE.fullmatch(path)) and self.reads(path)

    def goes(self, path: str) -> bool:
        """Go to a directory that is inside: paths are seen from there until `back`."""
        if not self.reads(path) or "*" in path or path == "-":
            return False
        self._below = self._whole(path).removeprefix(self._root).lstrip("/")
        return True

    def back(self) -> None:
        """Be anywhere below the directory again: no path leads up from there for sure."""
        self._below = ""

    def _whole(self, path: str) -> str:
        path = _slashed(path)
        if path.startswith("~"):
            home = _HOME.match(self._root)
            if not home or path[1:2] not in ("", "/"):
                return path
            path = home[0] + path[1:]
        if path.startswith("/") or _DRIVE.match(path):
            return normpath(path).replace("//", "/", 1)
        if self._root.endswith("/"):
            return path
        return normpath(join(self._root, self._below, path or "."))


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _is_packaged(path: str) -> bool:
    """Whether a path leads into a folder of packages, or through one whose name the shell fills in."""
    *folders, last = _slashed(path).casefold().split("/")
    return (
        any(mark in folder for folder in folders for mark in "*?[")
        or any(folder[:1] == "." and folder not in _OPEN for folder in folders)
        or any(each in _PACKAGES for each in (*folders, last))
        or (bool(last.strip("*")) and any(fnmatchcase(each, last) for each in _PACKAGES))
    )
