"""Erasing something from everything in a home: files, their names, their history, session copies.

A `Matter` says what to erase: secrets (`purge`, below) or the lines with a fact (`forget.py`). Memory files
are changed through the gate, so that a concurrent save is not lost, and no version that contains the matter
stays: this is the only code that changes a stored version. A version keeps its name, so the trail of who
changed what and when stays. Everything runs under the lock of its scope.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING, Protocol

from memolith.base.errors import MemolithError, PartialError
from memolith.base.values import Value
from memolith.care.scan import Report, codec_of, name_kinds, scope_of, shown, walk
from memolith.env.paths import Place, Tree
from memolith.env.settings import CONFIG_FILE
from memolith.memory.entries import numbered
from memolith.memory.session_copies import mask_copy
from memolith.store import files, layout, sharing
from memolith.store.allow_list import allowed
from memolith.store.archive import Archive
from memolith.store.history import WRITTEN
from memolith.store.locks import locked
from memolith.text.secrets.redact import redact
from memolith.text.yaml import dump_scalar, split_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from memolith.memory.home import Home
    from memolith.store.gate import Gate

    Change = Callable[[bytes], bytes]
    Erased = tuple[str, int, bool]  # the file's current name, the number of matches, whether its name matched
    Tell = Callable[[str], None]


class Lines(Protocol):
    """What to erase from files, and how."""

    def count(self, path: str, data: bytes) -> int:
        """Return the number of matches in a file."""

    def change(self, path: str, data: bytes) -> bytes:
        """Return the bytes of a file without the matches."""


class Matter(Lines, Protocol):
    """What to erase from all that is kept."""

    def change_copy(self, archive: Archive, name: str, *, dry: bool) -> int:
        """Erase the matches in a session copy; return how many there were. `dry` only counts."""

    def new_name(self, name: str) -> str:
        """Return a new name for a file, without its extension; empty if the old one does not match."""


def erase(
    home: Home, matter: Matter, scopes: list[str], tell: Tell = lambda _: None, *, dry: bool = False
) -> list[Erased]:
    """Erase a matter from the memory, history and sessions of some scopes, and from the home's own files.

    A failure does not stop the rest: `tell` receives the reason.
    """
    done: list[Erased] = []
    for scope in scopes:
        try:
            # Taking the lock turns the leftovers of a crash into versions.
            with home.gate.scope(scope):
                for tree in ("memory", "history"):
                    done += _in_tree(home, tree, scope, matter, tell, dry=dry)
                done += _in_names(home, scope, matter, tell, dry=dry)
                done += _in_sessions(home, scope, matter, tell, dry=dry) if scope else []
        except MemolithError as error:
            tell(str(error))
    done += _in_tree(home, "", "", matter, tell, dry=dry)
    if done and not dry:
        drop_cache(home.path)
    return done


def erase_versions(home: Home, matter: Lines, scope: str) -> None:
    """Erase a matter from the history of a scope alone."""
    problems: list[str] = []
    with home.gate.scope(scope):
        _in_tree(home, "history", scope, matter, problems.append)
    if problems:
        raise PartialError(problems[0])


def _in_sessions(home: Home, scope: str, matter: Matter, tell: Tell, *, dry: bool) -> list[Erased]:
    archive, done = Archive(home.path, scope), []
    for name in archive.names():
        try:
            if archive.read(name) is None:
                tell(f"{archive.path(name)}: cannot be read; `memolith session rm {name}` removes all of it")
            elif count := matter.change_copy(archive, name, dry=dry):
                done.append((archive.path(name), count, False))
        except MemolithError as error:
            tell(str(error))
    return done


def _in_tree(
    home: Home, tree: str, scope: str, matter: Lines, tell: Tell, *, dry: bool = False
) -> list[Erased]:
    """Process the files of one scope in the memory or the history; without a tree, the settings."""
    done = []
    for path in _files(home, tree, scope, tell):
        try:
            below = _below(path, home.store)
            place = Tree(home.store).place(below) if tree == layout.STORE else Place.of(path)
            count = matter.count(path, place.read() or b"")
            if tree == "history" and place.name.startswith(WRITTEN):  # a copy, which need not be told
                if count and not dry:
                    files.unlink(place)
                continue
            if count and (dry or _CHANGES[tree](home, path, partial(matter.change, path))):
                done.append((shown(place.path), count, False))
        except (MemolithError, OSError) as error:
            tell(str(error))
    return done


def _files(home: Home, tree: str, scope: str, tell: Tell) -> list[str]:
    if not tree:
        found = (each for each in os.scandir(home.path) if each.name.startswith(CONFIG_FILE))
        return [each.path for each in found if each.is_file(follow_symlinks=False)]
    top = os.path.join(home.path, tree, *filter(None, layout.path(scope).split("/")))
    if os.path.islink(top) or not os.path.isdir(top):
        return []
    report = Report(lambda _: None)
    here = [path for path in walk(top, report, ours=True) if scope_of(_below(path, home.path)) == scope]
    for path, why in report.unread:
        if scope_of(_below(path, home.path)) == scope:
            tell(f"{shown(path)}: {why}; it was not looked into")
    mount = sharing.found(home.path, scope) if scope and tree == layout.STORE else None
    if mount is None:
        return here
    try:
        there = [os.path.join(home.store, each) for each in mount.files()]
    except MemolithError as error:
        tell(str(error))
        return here
    return list(dict.fromkeys([*here, *there]))


def _in_names(home: Home, scope: str, matter: Matter, tell: Tell, *, dry: bool) -> list[Erased]:
    """Rename files and folders with matching names, in the memory and in the history."""
    done = []
    for relative in _named(home, scope):
        stem, ending = os.path.splitext(os.path.basename(relative))
        name = matter.new_name(stem + ending)
        if not name:
            continue
        fresh = relative
        try:
            if not dry:
                fresh = _rename(home.gate, relative, name, "" if matter.new_name(ending) else ending)
        except MemolithError as error:
            tell(str(error))
            continue
        done.append((layout.locate(home.store, fresh), 1, True))
    return done


def _named(home: Home, scope: str) -> list[str]:
    """Return all files and folders of a scope with user-given names, including those only in the history."""
    memory, history = Tree(home.store), Tree(os.path.join(home.path, "history"))
    found = set()
    for kind in layout.KINDS:
        place = layout.path(scope, kind.path)
        if not kind.is_file:
            for at, below, names in memory.walk(place):
                found |= {f"{at}/{name}" for name in [*below, *names]}
            for at, below, _ in history.walk(place):  # each file has a directory with its versions
                found |= {f"{at}/{name}" for name in below}
    # Deepest first: their directory may be renamed.
    rest = (path for path in found if not layout.is_own_name(path))
    return sorted(rest, key=lambda path: (-path.count("/"), path))


def _rename(gate: Gate, relative: str, name: str, ending: str) -> str:
    """Rename a file or folder, and its history, to a neutral name; return the new path.

    If `relative` no longer exists, only its history is renamed.
    """
    memory, history = Tree(gate.root), Tree(os.path.join(os.path.dirname(gate.root), "history"))
    directory = os.path.dirname(relative)
    there = memory.stat(relative) is not None
    # A file without history: an earlier rename was interrupted half-way; reuse its name.
    fresh = next(
        path
        for path in (f"{each}{ending}" for each in numbered(f"{directory}/{name}"))
        if history.stat(path) is None and (memory.stat(path) is None or not there)
    )
    for tree in (memory, history):
        if tree.stat(relative) is not None:
            with files.storage_errors(relative):
                before = tree.place(relative)
                after = Place(before.folder, os.path.basename(fresh))
                files.rename(before, after)
                files.sync_directory(after.folder)
    return fresh


# ---------------------------------------------------------------- changing files, by their tree


def _change_memory(home: Home, path: str, change: Change) -> bool:
    """Change a memory file through the gate, without keeping a version; delete it if nothing remains."""

    def apply(old: str | None) -> str | None:
        if old is None:
            return None
        return change(old.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape") or None

    return home.gate.rewrite(_below(path, home.store), apply, op="purge", remember=False).changed


def _change_version(home: Home, path: str, change: Change) -> bool:
    history = os.path.join(home.path, "history")
    place = Tree(history).place(_below(path, history))
    done = _change_file(place, change)
    if done and not place.read():
        home.gate.history.blank(place)
    return done


def _change_settings(home: Home, path: str, change: Change) -> bool:
    with locked(home.path, "config", 10.0):
        return _change_file(Place.of(path), change)


def _change_file(place: Place, change: Change) -> bool:
    """Change a file that only memolith writes: a version, a temporary file, the settings."""
    data = place.read()
    if data is None or (new := change(data)) == data:
        return False
    files.overwrite(place, new)
    return True


def drop_cache(home: str) -> None:
    """Delete data derived from memories: it may contain what was erased, and is rebuilt."""
    tree = Tree(os.path.join(home, "cache"))
    for name in tree.names("", ""):
        with files.storage_errors(os.path.join(tree.root, name)), contextlib.suppress(FileNotFoundError):
            place = tree.place(name)
            if place.is_file():
                files.unlink(place)


def _below(path: str, top: str) -> str:
    return os.path.relpath(path, top).replace(os.sep, "/")


# By the tree of a file. Other files are not ours, or are locks that stay open.
_CHANGES: dict[str, Callable[[Home, str, Change], bool]] = {
    "memory": _change_memory,
    "history": _change_version,
    "": _change_settings,
}


# ---------------------------------------------------------------- secrets


class Cleaned(Value):
    """A file that was masked or renamed: its current name, and how many secrets it had."""

    action: Literal["masked", "renamed"]
    path: str
    secrets: int


def purge(
    home: Home, tell: Tell = lambda _: None, show: Callable[[int], None] = lambda _: None
) -> list[Cleaned]:
    """Mask every secret in a home; return the changed files.

    `tell` receives failures, `show` the number of files examined.
    """
    done = erase(home, _Secrets(home, show), layout.scopes(home.path), tell)
    return [
        Cleaned(path=path, action="renamed" if renamed else "masked", secrets=count)
        for path, count, renamed in done
    ]


class _Secrets:
    """Secrets that a person or an older version stored in a home."""

    def __init__(self, home: Home, show: Callable[[int], None]) -> None:
        self._home, self._show, self._files = home, show, 0

    def count(self, path: str, data: bytes) -> int:
        self._files += 1
        self._show(self._files)
        return len(redact(text_of(data), self._allowed(path), by_hand=True).findings)

    def change(self, path: str, data: bytes) -> bytes:
        return masked(data, self._allowed(path), is_yaml=".yml" in _below(path, self._home.path))

    def change_copy(self, archive: Archive, name: str, *, dry: bool) -> int:
        return 0 if dry else mask_copy(archive, name, self._allowed(archive.path(name)))

    def new_name(self, name: str) -> str:
        kinds = name_kinds(name)
        return layout.file_name(f"secret {kinds[0]}") if kinds else ""

    def _allowed(self, path: str) -> frozenset[str]:
        return allowed(self._home.store, scope_of(_below(path, self._home.path)))


def masked(data: bytes, allow: frozenset[str], *, is_yaml: bool = False) -> bytes:
    """Return the bytes of a file with its secrets masked, in the same encoding."""
    found = redact(text_of(data), allow, by_hand=True)
    return quote_markers(found.text, whole=is_yaml).encode(*_codec(data)) if found.findings else data


def text_of(data: bytes) -> str:
    """Decode the bytes of a file without loss."""
    return data.decode(*_codec(data))


def _codec(data: bytes) -> tuple[str, str]:
    codec = codec_of(data)
    return codec, "surrogateescape" if codec == "utf-8" else "surrogatepass"


def quote_markers(text: str, *, whole: bool = False) -> str:
    """Quote a marker that is a value in a note's head: in YAML, its bracket would start a list.

    `whole`: the entire text is YAML.
    """
    end = text.find("\n---", 3) if text.startswith("---") and not whole else -1
    head = text if whole else text[: end + 1] if end > 0 else ""
    lines = head.splitlines(keepends=True)
    for number, line in enumerate(lines):
        bare = line.strip()
        value = bare[2:].strip() if bare.startswith("- ") else (split_key(bare) or ("", ""))[1]
        if value.startswith(("[secret:", "[private]")):
            at = line.index(value)
            lines[number] = line[:at] + dump_scalar(value) + line[at + len(value) :]
    return "".join(lines) + text[len(head) :]
