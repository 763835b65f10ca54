"""What imported notes are called here, and links between them that still lead there.

Notes live in one directory, so `Ideas/Plan.md` becomes `Plan`, and a second `Plan` takes its folder's name in
front. Names that are no file names everywhere are spelled with dashes.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError
from memolith.store import layout
from memolith.store.screen import refuse_secret
from memolith.text import markdown, names
from memolith.text.digest import sha256
from memolith.text.safe import lookalikes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SPELLED = frozenset("./\\:*?\"<>|%&;$`[]{}#^'~")
_TRIES = 10_000


class Names:
    """The names that are taken in a scope; names that look alike count as the same."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {lookalikes.look(name): name for name in taken}

    def holder(self, name: str) -> str | None:
        """Return the note that has a name, or one that looks like it."""
        return self._taken.get(lookalikes.look(name))

    def take(self, name: str) -> str:
        """Keep a name for one note."""
        self._taken[lookalikes.look(name)] = name
        return name

    def free(self, *wanted: str) -> str:
        """Return the first of these names that nobody has, else the last with a number."""
        for name in wanted:
            if self.holder(name) is None:
                return name
        for number in range(2, _TRIES):
            name = f"{wanted[-1][:100]}-{number}"
            if self.holder(name) is None:
                return name
        raise InputError(f"there are {_TRIES:,} notes called {wanted[-1]!r}; rename some of them")


def note_name(stem: str) -> str:
    """Return the nearest allowed name for a note."""
    spelled = "".join("-" if char in _SPELLED else char for char in stem).strip(" -")
    for name in (stem, spelled, layout.file_name(stem)):
        try:
            allowed = layout.note_name(name)
            refuse_secret(allowed, "name")
        except InputError:
            continue
        if not names.problem_if_new(allowed):
            return allowed
    return f"note-{sha256(stem.encode('utf-8', 'replace'))[:8]}"


def wanted(path: str, name: str) -> list[str]:
    """Return the names that a file would like to have, the best first."""
    folder = os.path.basename(os.path.dirname(path))
    return [note_name(name), *([note_name(f"{folder}-{name}")] if folder else [])]


def relinked(text: str, path: str, targets: Mapping[str, str]) -> str:
    """Return a text whose links to other notes of its source lead to their names here.

    `targets` maps what a note may be called in a link, in lower case, to its name. What is not known, and
    what stands in code, stays as it is.
    """
    if "[[" not in text and "](" not in text:
        return text
    folder = os.path.dirname(path)
    return "".join(
        line if fenced else _relinked(line, folder, targets) for _, line, fenced in markdown.rows(text)
    )


def _relinked(line: str, folder: str, targets: Mapping[str, str]) -> str:
    if "[[" not in line and "](" not in line:
        return line
    spans = line.split("`")
    # Between an odd and an even backtick is code; a single one at the end opens nothing.
    for number in range(0, len(spans), 2):
        spans[number] = _inline(_wiki(spans[number], folder, targets), folder, targets)
    return "`".join(spans)


def _wiki(text: str, folder: str, targets: Mapping[str, str]) -> str:
    done, rest = "", text
    while (start := rest.find("[[")) >= 0 and (end := rest.find("]]", start)) >= 0:
        target, bar, shown = rest[start + 2 : end].partition("|")
        if target.endswith("\\") and bar:  # inside a table, where a bar alone would end the cell
            target, bar = target[:-1], "\\|"
        bare, mark, heading = target.partition("#")
        name = _find(bare, folder, targets)
        link = rest[start : end + 2]
        if name is not None and name != bare:
            link = f"[[{name}{mark}{heading}{bar or '|'}{shown if bar else target}]]"
        done += rest[:start] + link
        rest = rest[end + 2 :]
    return done + rest


def _inline(text: str, folder: str, targets: Mapping[str, str]) -> str:
    done, rest = "", text
    while (start := rest.find("](")) >= 0 and (end := rest.find(")", start)) >= 0:
        target = rest[start + 2 : end]
        bare, mark, heading = target.removeprefix("<").removesuffix(">").partition("#")
        name = _find(bare.replace("%20", " "), folder, targets) if bare.lower().endswith(".md") else None
        if name is not None and f"{name}.md" != bare:
            new = f"{name}.md{mark}{heading}"
            target = f"<{new}>" if " " in new else new
        done += rest[: start + 2] + target + ")"
        rest = rest[end + 1 :]
    return done + rest


def _find(target: str, folder: str, targets: Mapping[str, str]) -> str | None:
    if not target.strip() or "://" in target:
        return None
    bare = target.strip()
    if bare.lower().endswith(".md"):
        bare = bare[:-3]
    near = os.path.normpath(f"{folder}/{bare}" if folder else bare)
    for key in (near, os.path.normpath(bare), bare, bare.rpartition("/")[2]):
        if (name := targets.get(key.lower())) is not None:
            return name
    return None
