"""One memory file as a person looks at it: its text, where that came from, what was changed, and saving it.

For user interfaces. A text is read with the hash of its file, and saved only if the file still has that hash:
whoever changed it in between is told, and nothing is lost. Saving goes through the gate like every write.
"""

from __future__ import annotations

import os
import time

from memolith.base.errors import HistoryError, NotFoundError, TooLargeError
from memolith.base.values import MAX_WRITE_BYTES, Value, Version
from memolith.env.paths import Tree
from memolith.memory import document, note_index, notes
from memolith.store import files, layout
from memolith.text import source_label
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.home import Home

SKILLS = "skills"
_EDITED_BY = {"user": "you", "agent": "your agent"}


class Page(Value):
    """A file: its path in the store, its text as it is, the same with secrets masked, and its hash.

    `facts` say where it came from: pairs of a name and a value.
    """

    facts: list[tuple[str, str]]
    filename: str
    sha256: str
    shown: str
    text: str


def load(home: Home, relative: str) -> Page:
    """Return a file. NotFoundError if it is gone."""
    from memolith.store.allow_list import allowed
    from memolith.text.secrets.redact import redact

    tree = Tree(str(home.root))
    data = tree.read(relative)
    if data is None:
        raise NotFoundError(f"{relative}: is not there any more; press u to undo its deletion")
    text = files.text_of(data)
    shown = redact(text, by_hand=True)
    if shown.findings:
        shown = redact(text, allowed(tree.root, layout.scope_of(relative)), by_hand=True)
    return Page(
        filename=relative,
        text=text,
        shown=shown.text,
        sha256=sha256(data),
        facts=_facts(home, relative, text),
    )


def save(home: Home, relative: str, text: str, if_sha256: str) -> list[str]:
    """Save what a person made of a file; return warnings. ConflictError if it is not the one they saw."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if is_note(relative):
        if size > MAX_WRITE_BYTES:
            raise TooLargeError(
                f"{relative}: {size:,} bytes are more than a note holds ({MAX_WRITE_BYTES:,}); split it"
            )
        change = notes.write(home.gate, relative, text, _instead, op="edit", if_sha256=if_sha256)
    else:
        change = home.gate.change(relative, text, _instead, op="edit", if_sha256=if_sha256)
    return change.warnings


def _instead(_: str | None, text: str) -> str:
    return text


def is_note(relative: str) -> bool:
    """Whether a path is that of a note."""
    return os.path.dirname(relative) == layout.notes(layout.scope_of(relative))


def note_titles(home: Home, slug: str) -> dict[str, tuple[str, str]]:
    """Return title and first words of the notes of a scope by file name, as far as their index knows them."""
    data = Tree(str(home.root)).read(layout.index(slug), cut=True)
    found = {}
    for line in files.text_of(data or b"").splitlines():
        name = note_index.link_target(line)
        if name is not None:
            title, _, rest = line.partition("[")[2].partition("](")
            found[name] = title, rest.partition(" — ")[2]
    return found


def skill_files(home: Home) -> list[str]:
    """Return the files of the skills that were learned in this project."""
    directory = f"{layout.scope_directory(home.project)}/{SKILLS}"
    return [
        f"{below}/{name}"
        for below, _, names in Tree(str(home.root)).walk(directory)
        for name in sorted(names)
        if name.endswith(".md")
    ]


# ---------------------------------------------------------------- history


class Change(Value):
    """A version with what that change did to the file; no diff where it cannot be known any more."""

    diff: str | None
    version: Version


def changes(home: Home, relative: str) -> Iterator[Change]:
    """Yield the changes of a file, newest first, each with its diff."""
    history = home.gate.history
    versions = history.versions(relative, markers=True)
    after = Tree(str(home.root)).read(relative)
    known = True
    for version in versions:
        entry = history.to_undo(relative, version.id)
        try:
            before = history.state_before(relative, entry, after if known else b"")
        except HistoryError:
            yield Change(version=version, diff=None)
            known = False  # somebody edited the file by hand in between
            continue
        diff = document.diff(_text(before), _text(after)) if known else None
        yield Change(version=version, diff=diff)
        after, known = before, True


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "replace")


# ---------------------------------------------------------------- where it came from


def _facts(home: Home, relative: str, text: str) -> list[tuple[str, str]]:
    found = Tree(str(home.root)).stat(relative)
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.st_mtime)) if found else ""
    scope = "this project" if layout.scope_of(relative) else "all projects"
    versions = home.gate.history.versions(relative, markers=True)
    last = ""
    if versions:
        who = _EDITED_BY.get(versions[0].by, versions[0].by)
        last = versions[0].op + (f" by {who}" if who else "")
    return [
        ("file", relative),
        ("for", scope),
        ("source", source_label.of_note(text) or "you or your agent"),
        ("changed", changed + (f" ({last})" if last else "")),
        ("versions", str(len(versions)) if versions else ""),
    ]
