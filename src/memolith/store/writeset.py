"""Atomic changes of several memory files: all of them or none, even after a crash.

    new texts and a manifest in `.tmp/set/` of the scope, synced
    → check that each file still has the text its change is based on
    → the manifest gets its name: this commits the set
    → each text goes to its place through the gate, with its history → remove the manifest

The next process that takes the lock of the scope, or opens the memory to read it, finishes a committed set
that a crash interrupted; an uncommitted one is discarded. A person's save meanwhile is never overwritten:
their file stays, and ours goes into its history.
"""

from __future__ import annotations

import contextlib
import errno
import os

from memolith.base.errors import ConflictError, MemolithError, StorageError, UnsafePathError
from memolith.base.values import Value
from memolith.env.paths import Place
from memolith.store import files, layout, together
from memolith.text import markdown
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from memolith.env.folders import Folder
    from memolith.env.paths import Tree
    from memolith.store.history import History

    Rewrite = Callable[..., Any]  # `Gate.rewrite`

_MANIFEST = "manifest"
_STAGED = "manifest.new"


class Edit(Value):
    """One file of a set. `base` is the hash of the text that the new one is based on, None for no file.

    With a `marker`, `base` and `new` cover only the text below that line. `new` is None to remove the file.
    """

    base: str | None
    marker: str
    new: str | None
    path: str


class Committed(Value):
    """The files that a set changed, and those kept as a person saved them at the last moment."""

    changed: list[str]
    kept: list[str]
    op: str


def base_of(text: str | None, marker: str = "") -> str | None:
    """Return the hash of a file's text, or of the part below a marker."""
    part = markdown.halves(text or "", marker)[1] if marker else text
    return None if part is None else sha256(part.encode("utf-8", "surrogateescape"))


def stage(tree: Tree, slug: str, edits: Iterable[Edit], op: str) -> None:
    """Stage and commit a set, to be applied by `finish`. Under the lock of the scope.

    ConflictError if a file no longer has the text that its change is based on.
    """
    wanted = [edit for edit in edits if _differs(tree, edit)]
    if not wanted:
        return
    folder = files.make_folder(tree, layout.path(slug, layout.STAGED))
    try:
        with files.storage_errors(folder.path):
            manifest = _stage(folder, wanted, op)
            files.rename(manifest, Place(folder, _MANIFEST))  # the commit
            files.sync_directory(folder)
    except BaseException:
        if Place(folder, _MANIFEST).stat() is None:
            _sweep(tree, slug)
        raise


def finish(tree: Tree, history: History, rewrite: Rewrite, slug: str) -> Committed:
    """Apply the manifest of a scope, if there is one, and clean up. Under the lock of the scope."""
    op, edits = _read(tree, slug)
    done = Committed(changed=[], kept=[], op=op)
    for edit in edits:
        if _apply(rewrite, edit, op):
            done.changed.append(edit.path)
            if edit.new is None:
                _remove_empty(tree, slug, edit.path)
        elif _is_theirs(tree, edit):
            done.kept.append(edit.path)
            if edit.new is not None and not edit.marker:
                with contextlib.suppress(OSError, MemolithError):
                    history.keep_copy(edit.path, _bytes(edit.new), "conflict")
    _sweep(tree, slug)
    return done


def _differs(tree: Tree, edit: Edit) -> bool:
    """Whether a file needs a change; ConflictError if its text is not the expected one."""
    old = _text(tree.read(edit.path))
    if old == _target(edit, old):
        return False
    now = base_of(old, edit.marker)
    if now != edit.base:
        raise ConflictError(edit.path, edit.base or "(no file)", now or "(no file)")
    return True


def _target(edit: Edit, old: str | None) -> str | None:
    """Return the full text of a file after its change."""
    if not edit.marker:
        return edit.new
    return markdown.with_lower_half(old or "", edit.marker, edit.new or "") or None


def _apply(rewrite: Rewrite, edit: Edit, op: str) -> bool:
    def change(old: str | None) -> str | None:
        new = _target(edit, old)
        return new if base_of(old, edit.marker) == edit.base else old

    try:
        return bool(rewrite(edit.path, change, op=op).changed)
    except UnsafePathError:
        return False  # somebody put a link there: leave it to them
    except StorageError as error:
        if error.error.errno != errno.EFBIG:
            raise
        return False


def _is_theirs(tree: Tree, edit: Edit) -> bool:
    """Whether a file was skipped because somebody changed it, not because it was already done."""
    try:
        old = _text(tree.read(edit.path))
    except MemolithError:
        return True
    return old != _target(edit, old)


# ---------------------------------------------------------------- what is staged


def _stage(folder: Folder, edits: list[Edit], op: str) -> Place:
    """Write everything needed to finish; return the manifest, not yet under its name."""
    import json

    for name in folder.names():
        files.unlink(Place(folder, name))  # staged by a process that died
    rows = []
    for number, edit in enumerate(edits):
        row = {"path": edit.path, "base": edit.base, "marker": edit.marker, "new": None}
        if edit.new is not None:
            files.write_new(Place(folder, str(number)), _bytes(edit.new))
            row["new"] = base_of(edit.new)
        rows.append(row)
    text = json.dumps(rows)
    head = {"version": 1, "op": together.numbered(op, sha256(text.encode())), "edits": rows}
    manifest = Place(folder, _STAGED)
    files.write_new(manifest, json.dumps(head).encode())
    files.sync_directory(folder)
    return manifest


def _read(tree: Tree, slug: str) -> tuple[str, list[Edit]]:
    """Return the contents of a scope's manifest; nothing if there is none, or it is not ours."""
    import json

    inside = layout.path(slug, layout.STAGED)
    try:
        data = tree.read(f"{inside}/{_MANIFEST}")
        head = json.loads(data) if data is not None else {}
        edits = [_edit(tree, inside, number, row) for number, row in enumerate(head.get("edits", []))]
        op = str(head.get("op", ""))
    except StorageError:
        raise  # unreadable is not missing: sweeping it would lose a committed set
    except (ValueError, KeyError, TypeError, AttributeError, MemolithError):
        return "", []
    within = all(layout.scope_of(edit.path) == slug for edit in edits)
    return (op, edits) if together.is_part(op) and within else ("", [])


def _edit(tree: Tree, inside: str, number: int, row: dict[str, str | None]) -> Edit:
    new = _text(tree.read(f"{inside}/{number}")) if row["new"] is not None else None
    if base_of(new) != row["new"]:
        raise ValueError(number)
    return Edit(path=str(row["path"]), base=row["base"], marker=str(row["marker"] or ""), new=new)


def _sweep(tree: Tree, slug: str) -> None:
    """Remove the staged files, the manifest first: without it the rest is meaningless."""
    inside = layout.path(slug, layout.STAGED)
    with files.storage_errors(layout.locate(tree.root, inside)), contextlib.suppress(FileNotFoundError):
        folder = tree.folder(inside)
        for name in sorted(folder.names(), key=lambda name: name != _MANIFEST):
            files.unlink(Place(folder, name))
            if name == _MANIFEST:
                files.sync_directory(folder)
        files.remove_directory(tree.place(inside))


def _remove_empty(tree: Tree, slug: str, path: str) -> None:
    """Remove the empty directories of a removed file."""
    directory = os.path.dirname(path)
    while directory and directory != layout.path(slug):
        try:
            files.remove_directory(tree.place(directory))
        except (OSError, MemolithError):
            return
        directory = os.path.dirname(directory)


def _text(data: bytes | None) -> str | None:
    return None if data is None else files.text_of(data, files.EXACT)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
