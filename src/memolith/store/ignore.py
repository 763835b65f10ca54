"""Keeping personal memory out of a git checkout that the home is in."""

from __future__ import annotations

import os

from memolith.base.errors import MemolithError
from memolith.base.lean import suppress
from memolith.base.whole import Watch
from memolith.env import git
from memolith.env.paths import Place
from memolith.store import files, layout

_FILE = ".gitignore"
_ALL = "*"
_MAX_INDEX = 1 << 26  # bytes of a checkout's list of files
# A home may be a directory that has other files, too: then only what is ours is ignored.
_OURS = (*(f"/{part}/" for part in (*layout.PARTS, "shared", "state", "cache")), f"/{_FILE}")


def keep_out(home: str) -> None:
    """Create the home, if need be, and let git ignore what is in it of ours; `doctor` reports a failure."""
    new = not os.path.isdir(home)
    if new:
        files.make_directory(home)
    lines = exposed(home)
    if not lines:
        return
    text = "\n".join([_ALL] if new else lines) + "\n"
    with suppress(OSError):
        fd = files.open_own(Place.of(os.path.join(home, _FILE)), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            # The last line of a person's own file may have no end.
            files.write_all(fd, f"{'' if new else os.linesep}{text}".encode())
        finally:
            os.close(fd)


def exposed(home: str) -> list[str]:
    """Return the lines that the home's `.gitignore` lacks.

    None outside of a checkout, and none if the home itself is one: then a person keeps versions of it.
    """
    if _around(home) is None:
        return []
    data = b""
    with Watch(aside=True), suppress(MemolithError, FileNotFoundError):
        data = Place.of(os.path.join(home, _FILE)).read() or b""
    known = {line.strip() for line in files.text_of(data).split("\n")}
    return [] if _ALL in known else [line for line in _OURS if line not in known]


def tracked(home: str) -> str:
    """Return the path by which the checkout around a home already keeps its memory; empty if none does."""
    around = _around(home)
    if around is None:
        return ""
    inside = os.path.relpath(os.path.realpath(home), around.top)
    with Watch(aside=True), suppress(MemolithError, FileNotFoundError):
        index = Place.of(os.path.join(around.git, "index")).read_part(_MAX_INDEX, shared=True)[0]
        return inside if os.fsencode(f"{inside}/memory/") in index else ""
    return ""


def _around(home: str) -> git.Checkout | None:
    where = os.path.realpath(home)
    around = git.find(where)
    if around is None or around.top == where:
        return None
    return around
