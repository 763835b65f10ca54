"""Keeping the entries of a project inside its repository, and copying them back into the home.

Neither is a second write path: a file is only ever created, byte for byte, under the lock of its scope. Each
step may be interrupted: what the home still has comes first, and repeating the command does the rest.
"""

from __future__ import annotations

import os
from functools import partial

from memolith.base.errors import InputError, MemolithError, StorageError
from memolith.base.lean import suppress
from memolith.base.values import Value
from memolith.env.git import mark_of
from memolith.env.mount import FOLDER, REFUSED, Mount, directory
from memolith.env.paths import SHARED, Place, Tree
from memolith.store import files, layout, portable, repository, temporary
from memolith.store.allow_list import allowed
from memolith.store.screen import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memolith.store.gate import Gate


class Shared(Value):
    """The folder in the checkout, the files that were brought there or back, and why others were not."""

    files: list[str]
    folder: str
    left: dict[str, str]  # by path, the reason


def found(home: str, slug: str) -> Mount | None:
    """Return where a project is shared; None if it is not."""
    with suppress(FileNotFoundError):
        return Mount(home, slug)
    return None


def share(gate: Gate, home: str, slug: str, top: str) -> Shared:
    """Keep a project's own entries in a checkout from now on. What it has in the home is moved there."""
    if os.path.realpath(home).startswith(os.path.join(top, FOLDER)):
        raise InputError(f"{home} is the home itself; a repository cannot have both under {FOLDER}")
    with gate.scope(slug):
        mount = _turned_on(home, slug, top)
        tree = Tree(gate.root, alone=True)
        known = [
            f"{at}/{name}"
            for kind in SHARED
            for at, _, names in tree.walk(layout.path(slug, kind))
            for name in names
        ]
        return _each(mount, filter(_is_entry, known), partial(_move, gate, mount, tree))


def unshare(gate: Gate, home: str, slug: str, *, gone: bool = False) -> Shared:
    """Copy a project's entries back into the home, and keep them there; those in the repository stay.

    `gone`: without those, for the checkout is no more.
    """
    mount = found(home, slug)
    if mount is None:
        raise InputError(f"{slug} is not shared; `memolith project share` does that")
    with gate.scope(slug):
        wanted = [] if gone else [each for each in mount.files() if _is_entry(each)]
        done = _each(mount, wanted, partial(_copy, mount, Tree(gate.root, alone=True)))
        with suppress(OSError, MemolithError):
            for name in (*mount.tree.folder(mount.temporary).names(), ""):
                place = mount.tree.place(f"{mount.temporary}/{name}".rstrip("/"))
                files.unlink(place) if name else files.remove_directory(place)
        files.unlink(Place.of(os.path.join(mount.directory, "place")))
        return done


def _turned_on(home: str, slug: str, top: str) -> Mount:
    known = None
    with suppress(StorageError):  # the checkout is gone: this one takes its place
        known = found(home, slug)
        if known is not None and known.tree.root == top:
            return known
        if known is not None:
            raise InputError(f"{slug} is shared in {known.top}; first run `memolith project unshare` there")
    name = known.temporary.rpartition("/")[2] if known else f".tmp-{os.urandom(8).hex()}"
    place = Place(files.make_folder(Tree(directory(home, slug)), ""), "place")
    files.overwrite(place, os.fsencode("\n".join([name, mark_of(top), top])))
    return Mount(home, slug)


def _is_entry(relative: str) -> bool:
    name = os.path.basename(relative)
    return name.endswith(".md") and not name.startswith(".") and name != layout.MEMORY


def _each(mount: Mount, paths: Iterable[str], step: Callable[[str], str]) -> Shared:
    """Do something with each entry, which returns why not; one that fails does not stop the others."""
    done = Shared(folder=mount.path, files=[], left={})
    for relative in paths:
        try:
            why = step(relative)
        except MemolithError as error:
            why = str(error)
        if why:
            done.left[relative] = why
        else:
            done.files.append(relative)
    return done


def _move(gate: Gate, mount: Mount, tree: Tree, relative: str) -> str:
    """Move an entry into the repository; return why not."""
    here = tree.place(relative)
    data, about = here.read(), here.stat()
    if data is None or about is None:
        return "is gone"
    if not repository.is_own(data):
        return "was learned or brought in: only what is your own is shared"
    text = files.text_of(data, files.EXACT)
    if settled("", text, partial(allowed, gate.root, mount.slug), name=relative)[0] != text:
        return "may have a secret in it: `memolith scan` shows where"
    there = files.make_place(mount.tree, mount.inside(relative))
    mount.labelled(there.folder)
    repository.claim(mount, data)
    portable.create(there, temporary.new(Tree(gate.root), relative, there), data, about.st_mtime_ns)
    if there.read(raw=True) != data:
        return "is in the repository too, with another text: rename one of them"
    # Somebody may have saved it meanwhile.
    holder = temporary.new(tree, relative, here)
    with files.storage_errors(here.path):
        gate.history.unwrite(relative)
        files.rename(here, holder)
        if holder.read() == data:
            files.unlink(holder)
        else:
            gate.history.keep(relative, holder, "conflict")
    return ""


def _copy(mount: Mount, tree: Tree, relative: str) -> str:
    """Copy an entry into the home, with a label unless it is one's own; return why not."""
    there = mount.tree.place(mount.inside(relative))
    mount.labelled(there.folder)
    raw, about = there.read(raw=True), there.stat()
    if raw is None or about is None:
        return "is gone"
    if mount.state(raw) == REFUSED:
        return "was refused"
    here = files.make_place(tree, relative)
    portable.create(here, temporary.new(tree, relative, here), there.shown(raw), about.st_mtime_ns)
    return "" if here.read() == there.shown(raw) else "is in the home too, with another text, which counts"
