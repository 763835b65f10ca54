"""Finding the files in which agents keep sessions, where they keep them and nowhere else."""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memolith.env.whose import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
