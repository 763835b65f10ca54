"""What was written lately: each change with its time, its author, its source, and what it says."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from memolith.base.values import OfFile
from memolith.env.paths import Tree
from memolith.memory.undo import files_with_history
from memolith.store import files
from memolith.text import frontmatter, markdown

if TYPE_CHECKING:
    from memolith.memory.home import Home

_DAY = 86_400.0
_SHOWN = 100  # characters of a line


class Written(OfFile):
    """One change. `source` is the session and turn of what was learned, `says` the first line of the file."""

    by: str
    filename: str
    op: str
    says: str
    source: str
    time: str


def since(home: Home, days: int = 1) -> list[Written]:
    """Return the changes of the last days, newest first; one day is today."""
    today = time.strftime("%Y-%m-%d", time.localtime(home.now()))
    midnight = time.mktime(time.strptime(today, "%Y-%m-%d"))
    start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(midnight - (days - 1) * _DAY))
    found = []
    for name in files_with_history(home):
        changes = home.gate.history.versions(name, markers=True)
        # What learning writes as a whole it makes from records, which are here themselves.
        versions = [each for each in changes if each.time >= start and not each.op.startswith("learn-")]
        if versions:
            text = files.text_of(Tree(home.store).read(name) or b"")
            parsed = frontmatter.split(text)
            says = markdown.first_line(parsed.body.lstrip("# "), _SHOWN) or "(deleted)"
            source = parsed.get("source")
            found += [
                Written(
                    by=each.by,
                    filename=name,
                    op=each.op,
                    says=says,
                    source=source if "#" in source else "",
                    time=each.time,
                )
                for each in versions
            ]
    return sorted(found, key=lambda each: each.time, reverse=True)
