"""Whether other users can change what is in a home: they can if it, and all above the place, let them in."""

from __future__ import annotations

import os
import shlex
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def told(home: str) -> str:
    """Return what others can change in a home, and the command that ends that; empty if nothing.

    A home of mode 0700 costs one `stat`.
    """
    found = next(_open_to_others(home), "") if os.name == "posix" else ""
    mend = f"`chmod -R go-w {shlex.quote(home)}` ends that"
    return f"other users can change what is in it ({os.path.relpath(found, home)}); {mend}" if found else ""


def _open_to_others(place: str) -> Iterator[str]:
    try:
        about = os.lstat(place)
        is_folder = stat.S_ISDIR(about.st_mode)
        foreign = stat.S_IRWXO | (stat.S_IRWXG if about.st_gid != os.getegid() else 0)
        if about.st_mode & foreign & (stat.S_IWOTH | stat.S_IWGRP) and not stat.S_ISLNK(about.st_mode):
            yield place
        inside = (
            os.listdir(place) if is_folder and about.st_mode & foreign & (stat.S_IXOTH | stat.S_IXGRP) else []
        )
    except OSError:
        return  # gone, or named by others
    for name in sorted(inside):
        yield from _open_to_others(os.path.join(place, name))
