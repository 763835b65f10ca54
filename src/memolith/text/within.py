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
# What is the same on every machine, or nothing.
_HARMLESS = lazy(
    r"/dev/(?:null|zero|u?random|tty|std(?:in|out|err))|/(?:usr/(?:local/)?)?s?bin(?:/[^/]+)?"
    r"|/etc/(?:os-release|hosts|shells)|/proc/(?:cpuinfo|meminfo|version)"
)
_DRIVE = lazy(r"[A-Za-z]:/")
_HOME = lazy(r"/home/[^/]+|/Users/[^/]+|/root(?=/|$)|[A-Za-z]:/Users/[^/]+")
_IN_HOME = lazy(r"(?:~|\$HOME\b|\$\{HOME\})(?=/|$)")
_HERE = lazy(r"\$(?:PWD\b|\{PWD\})")
_VARIABLE = lazy(r"\$\{(\w+)\}|\$(\w+)|\$(?=[{@*])|%(\w+)%")
_CHOICE = lazy(r"\{([^{}]*,[^{}]*)\}")
_MOST_CHOICES = 32


class Within:
    """The directory of a session, and where a command has gone below it."""

    def __init__(self, root: str) -> None:
        plain = normpath(_slashed(root)) if root else _UNKNOWN
        self._root = f"{_UNKNOWN}/" if plain in _SHARED else plain  # nothing is inside a folder for everybody
        self._below = ""
        self.known: set[str] = set()  # variables that hold names of what is inside

    def has(self, path: str) -> bool:
        """Whether a path is inside, or harmless wherever it is."""
        found = self._whole(path)
        return found == self._root or found.startswith(f"{self._root}/") or bool(_HARMLESS.fullmatch(found))

    def reads(self, word: str, packages: frozenset[str]) -> bool:
        """Whether what a shell makes of a word is inside, and in no folder of `packages`."""
        word = _HERE.sub(".", word)
        if any(name not in self.known for name in self._variables(_IN_HOME.sub("", word, count=1))):
            return False
        words = _choices(word)
        return bool(words) and all(self.has(each) and not _is_hidden(each, packages) for each in words)

    def go(self, path: str) -> None:
        """Go to a directory: paths are seen from there until `back`."""
        self._below = self._whole(path).removeprefix(self._root).lstrip("/")

    def back(self) -> None:
        """Be anywhere below the directory again: no path leads up from there for sure."""
        self._below = ""

    def _whole(self, path: str) -> str:
        path = _slashed(path)
        if found := _IN_HOME.match(path):
            home = _HOME.match(self._root)
            path = (home[0] if home else "/~") + path[found.end() :]
        elif path.startswith("~"):
            return path
        if path.startswith("/") or _DRIVE.match(path):
            return normpath(path).replace("//", "/", 1)
        if self._root.endswith("/"):
            return path
        return normpath(join(self._root, self._below, path or "."))

    @staticmethod
    def _variables(word: str) -> list[str]:
        return [found[1] or found[2] or found[3] or "" for found in _VARIABLE.finditer(word)]


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _choices(word: str) -> list[str]:
    """Return the words that a shell makes of `{a,b}`; none if there are too many."""
    words = [word]
    for _ in range(4):
        found = [_CHOICE.search(each) for each in words]
        if not any(found):
            return words
        words = [
            each[: at.start()] + part + each[at.end() :] if at else each
            for each, at in zip(words, found, strict=True)
            for part in (at[1].split(",") if at else [""])
        ]
        if len(words) > _MOST_CHOICES:
            break
    return []


def _is_hidden(path: str, packages: frozenset[str]) -> bool:
    """Whether a path leads into a folder of packages, or through one whose name the shell fills in."""
    *folders, last = _slashed(path).casefold().split("/")
    return (
        any(mark in folder for folder in folders for mark in "*?[{$")
        or any(each in packages for each in (*folders, last))
        or (bool(last.strip("*")) and any(fnmatchcase(each, last) for each in packages))
    )
