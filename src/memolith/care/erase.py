"""Taking something out of everything that a home keeps: files, their names, their history, session copies.

What is looked for is a `Matter`: secrets (`purge`, below) or the lines that tell a fact (`forget.py`).
Memory files are changed through the gate, so that a save by hand is not lost, and no version that has it
stays: this is the only code that changes a version after it was kept. A version keeps its name, so the trail
of who changed what and when stays. Everything runs under the lock of its scope.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING, Protocol

from memolith.base.errors import MemolithError
from memolith.base.values import Value
from memolith.care.scan import Report, codec_of, name_kinds, scope_of, shown, walk
from memolith.env.paths import Place, Tree
from memolith.env.settings import CONFIG_FILE
from memolith.memory import note_index
from memolith.memory.entries import numbered
from memolith.memory.sessions import mask_copy
from memolith.store import files, layout
from memolith.store.allow_list import allowed
from memolith.store.archive import Archive
from memolith.store.locks import locked
from memolith.text.secrets.redact import redact
from memolith.text.yaml import dump_scalar, split_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from memolith.memory.home import Home
    from memolith.store.gate import Gate

    Change = Callable[[bytes], bytes]
    Erased = tuple[str, int, bool]  # what a file is called now, how often it had it, whether in its name
    Tell = Callable[[str], None]


class Matter(Protocol):
    """What is to be taken out, and how."""

    def count(self, path: str, data: bytes) -> int:
        """Return how often a file has it."""

    def change(self, path: str, data: bytes) -> bytes:
        """Return the bytes of a file without it."""

    def change_copy(self, archive: Archive, name: str, *, dry: bool) -> int:
        """Take it out of the copy of a session; return how often it was there. `dry` only counts."""

    def new_name(self, name: str) -> str:
        """Return what a file is called instead, without an ending; empty if its name does not have it."""


def erase(
    home: Home, matter: Matter, scopes: list[str], tell: Tell = lambda _: None, *, dry: bool = False
) -> list[Erased]:
    """Take it out of the memory, history and sessions of some scopes, and of the home's own files.

    What resists keeps nothing else from it: `tell` gets the reason.
    """
    done: list[Erased] = []
    for scope in scopes:
        try:
            # Taking the lock turns what a crash left behind into versions.
            with home.gate.scope(scope):
                for tree in ("memory", "history"):
                    done += _in_tree(home, tree, scope, matter, tell, dry=dry)
                done += _in_names(home, scope, matter, tell, dry=dry)
                done += _in_sessions(home, scope, matter, tell, dry=dry) if scope else []
                if done and not dry:
                    # A note whose line told it goes on; the copy of the index that is kept tells it, too.
                    note_index.update_index(home.gate, scope)
                    _in_tree(home, "history", scope, matter, tell)
        except MemolithError as error:
            tell(str(error))
    done += _in_tree(home, "", "", matter, tell, dry=dry)
    if done and not dry:
        drop_cache(home.path)
    return done


def _in_sessions(home: Home, scope: str, matter: Matter, tell: Tell, *, dry: bool) -> list[Erased]:
    archive, done = Archive(home.path, scope), []
    for name in archive.names():
        if archive.read(name) is None:
            tell(f"{archive.path(name)}: cannot be read; `memolith session delete {name}` removes all of it")
        elif count := matter.change_copy(archive, name, dry=dry):
            done.append((archive.path(name), count, False))
    return done


def _in_tree(
    home: Home, tree: str, scope: str, matter: Matter, tell: Tell, *, dry: bool = False
) -> list[Erased]:
    """Go through the files of one scope in the memory or the history; without a tree, the settings."""
    done = []
    for path in _files(home, tree, scope):
        try:
            count = matter.count(path, Place.of(path).read() or b"")
            if count and (dry or _CHANGES[tree](home, path, partial(matter.change, path))):
                done.append((shown(path), count, False))
        except (MemolithError, OSError) as error:
            tell(str(error))
    return done


def _files(home: Home, tree: str, scope: str) -> list[str]:
    if not tree:
        found = (each for each in os.scandir(home.path) if each.name.startswith(CONFIG_FILE))
        return [each.path for each in found if each.is_file(follow_symlinks=False)]
    top = os.path.join(home.path, tree, *filter(None, layout.path(scope).split("/")))
    if os.path.islink(top) or not os.path.isdir(top):
        return []
    return [path for path in walk(top, Report(lambda _: None)) if scope_of(_below(path, home.path)) == scope]


def _in_names(home: Home, scope: str, matter: Matter, tell: Tell, *, dry: bool) -> list[Erased]:
    """Give files and folders whose name has it another one, in the memory and in the history."""
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
        done.append((layout.locate(str(home.root), fresh), 1, True))
    return done


def _named(home: Home, scope: str) -> list[str]:
    """Return all files and folders of a scope that somebody named, also those only the history has."""
    memory, history = Tree(str(home.root)), Tree(os.path.join(home.path, "history"))
    found = set()
    for kind in layout.KINDS:
        place = layout.path(scope, kind.path)
        if not kind.is_file:
            for at, below, names in memory.walk(place):
                found |= {f"{at}/{name}" for name in [*below, *names]}
            for at, below, _ in history.walk(place):  # where a file is a directory of its versions
                found |= {f"{at}/{name}" for name in below}
    # Deeper ones first: their directory may get another name.
    rest = (path for path in found if not layout.is_own_name(path))
    return sorted(rest, key=lambda path: (-path.count("/"), path))


def _rename(gate: Gate, relative: str, name: str, ending: str) -> str:
    """Give a file or folder, and its history, a name that tells nothing; return the new path.

    `relative` may be gone by now; then only its history is renamed.
    """
    memory, history = Tree(gate.root), Tree(os.path.join(os.path.dirname(gate.root), "history"))
    directory = os.path.dirname(relative)
    there = memory.stat(relative) is not None
    # A file without history: an earlier rename was interrupted half-way; its name is used again.
    fresh = next(
        path
        for path in (f"{each}{ending}" for each in numbered(f"{directory}/{name}"))
        if history.stat(path) is None and (memory.stat(path) is None or not there)
    )
    for tree in (memory, history):
        if tree.stat(relative) is not None:
            with files.storage_errors(relative):
                before, after = tree.place(relative), tree.place(fresh)
                files.rename(before, after)
                files.sync_directory(after.folder)
    return fresh


# ---------------------------------------------------------------- how the file of each place is changed


def _change_memory(home: Home, path: str, change: Change) -> bool:
    """Change a memory file through the gate, without keeping a version; one that nothing is left of goes."""

    def apply(old: str | None) -> str | None:
        if old is None:
            return None
        return change(old.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape") or None

    return home.gate.rewrite(_below(path, str(home.root)), apply, op="purge", remember=False).changed


def _change_version(home: Home, path: str, change: Change) -> bool:
    history = os.path.join(home.path, "history")
    return _change_file(Tree(history).place(_below(path, history)), change)


def _change_settings(home: Home, path: str, change: Change) -> bool:
    with locked(home.path, "config", 10.0):
        return _change_file(Place.of(path), change)


def _change_file(place: Place, change: Change) -> bool:
    """Change a file that only memolith writes: a version, a leftover, the settings."""
    data = place.read()
    if data is None or (new := change(data)) == data:
        return False
    files.overwrite(place, new)
    return True


def drop_cache(home: str) -> None:
    """Remove what is derived from memories: it may hold what was taken out, and is made again."""
    tree = Tree(os.path.join(home, "cache"))
    for name in tree.names("", ""):
        with files.storage_errors(os.path.join(tree.root, name)), contextlib.suppress(FileNotFoundError):
            place = tree.place(name)
            if place.is_file():
                files.unlink(place)


def _below(path: str, top: str) -> str:
    return os.path.relpath(path, top).replace(os.sep, "/")


# By the tree that a file is in. What is in none of them is not ours, or is held open by its file (locks).
_CHANGES: dict[str, Callable[[Home, str, Change], bool]] = {
    "memory": _change_memory,
    "history": _change_version,
    "": _change_settings,
}


# ---------------------------------------------------------------- secrets


class Cleaned(Value):
    """A file that was masked or renamed: what it is called now, and how many secrets it had."""

    action: Literal["masked", "renamed"]
    path: str
    secrets: int


def purge(
    home: Home, tell: Tell = lambda _: None, show: Callable[[int], None] = lambda _: None
) -> list[Cleaned]:
    """Mask every secret of a home; return what was changed.

    `tell` gets what resists, `show` how many files were looked at.
    """
    done = erase(home, _Secrets(home, show), layout.scopes(home.path), tell)
    return [
        Cleaned(path=path, action="renamed" if renamed else "masked", secrets=count)
        for path, count, renamed in done
    ]


class _Secrets:
    """Secrets that a person or an older version brought into a home."""

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
        return allowed(str(self._home.root), scope_of(_below(path, self._home.path)))


def masked(data: bytes, allow: frozenset[str], *, is_yaml: bool = False) -> bytes:
    """Return the bytes of a file with its secrets masked, in the encoding that it has."""
    found = redact(text_of(data), allow, by_hand=True)
    return quote_markers(found.text, whole=is_yaml).encode(*_codec(data)) if found.findings else data


def text_of(data: bytes) -> str:
    """Return the bytes of a file as text, of which nothing is lost."""
    return data.decode(*_codec(data))


def _codec(data: bytes) -> tuple[str, str]:
    codec = codec_of(data)
    return codec, "surrogateescape" if codec == "utf-8" else "surrogatepass"


def quote_markers(text: str, *, whole: bool = False) -> str:
    """Quote a marker that is the value of a key in a note's head: in YAML, its bracket would begin a list.

    `whole`: all of the text is YAML.
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
