"""What was written lately: each change with its time, its author, its source, and what it says."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from memolith.base.errors import MemolithError
from memolith.base.values import OfFile
from memolith.env.paths import Tree
from memolith.memory.undo import files_with_history, is_seeded, notice
from memolith.store import allow_list, files
from memolith.store.version import stamp
from memolith.text import frontmatter, markdown

if TYPE_CHECKING:
    from memolith.memory.home import Home
    from memolith.store.version import Entry

_DAY = 86_400.0
_MOVED = ("rename-", "replace-")
_SHOWN = 100  # characters of a line


class Written(OfFile):
    """One change. `source` is the session and turn of what was learned, `says` the first line that is new.

    If nothing is new, `says` is the first line that went, in parentheses.
    """

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
    start = stamp(midnight - (days - 1) * _DAY)
    notice(home)
    found, tree = [], Tree(home.store)
    for name in files_with_history(home):
        with contextlib.suppress(MemolithError):  # one bad file, which the answer names, hides no other
            for entry, state in home.gate.history.states(name, tree.read(name)):
                if entry.stamp < start:
                    break
                # What learning writes as a whole it makes from records, which are here themselves.
                # Of a file that has another name now, its row there tells more.
                if entry.op.startswith(_MOVED) and state and state[1] is None:
                    continue
                if is_seeded(entry):
                    continue
                if not entry.op.startswith("learn-") or "/records/" in f"/{name}":
                    found.append((entry.stamp, name, _written(tree, name, entry, state)))
    return [each for *_, each in sorted(found, key=lambda each: each[:2], reverse=True)]


def _written(tree: Tree, name: str, entry: Entry, state: tuple[bytes | None, bytes | None] | None) -> Written:
    texts = [files.text_of(each or b"") for each in state or (None, None)]
    # A secret may be told by the line before it, so the whole is masked: a person may have typed one.
    before, after = (frontmatter.split(allow_list.masked(tree, name, text, None)) for text in texts)
    source = after.get("source")
    return Written(
        by=entry.by,
        filename=name,
        op=entry.op,
        says=_says(before.body, after.body) or _says(before.head, after.head) if state else "",
        source=source if "#" in source else "",
        time=entry.time,
    )


def _says(before: str, after: str) -> str:
    """Return the first line that a change brought, or that it took away."""
    old, new = ([line.strip() for line in text.split("\n")] for text in (before, after))
    for lines, others, form in ((new, set(old), "{}"), (old, set(new), "(removed: {})")):
        for line in lines:
            if line and line not in others and line not in _RULES and not line.startswith(_UNTOLD):
                return form.format(markdown.first_line(line.lstrip("# "), _SHOWN))
    return ""


_RULES = ("---", "## Notes")
_UNTOLD = ("created:", "updated:", "sources:", "sessions:", "type:", "id:")  # of a head
