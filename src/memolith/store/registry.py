"""The paths and the evidence of each project: writes `project.yml`.

Also caches whether a git history has a commit (`reaches`), so that a long walk is not repeated.
"""

from __future__ import annotations

import contextlib
import os

from memolith.base.errors import BusyError, ConfigError, InputError, MemolithError, NotFoundError
from memolith.env import git, identity
from memolith.env.identity import Identity
from memolith.env.paths import Place, Tree
from memolith.env.project import (
    PROJECT_FILE,
    PROJECTS,
    exists,
    free_slug,
    identities,
    parse_identity,
    read_identity,
)
from memolith.store import files, layout, locks, receipts
from memolith.store.screen import quoted
from memolith.text import yaml, yaml_edit
from memolith.text.digest import fnv1a64
from memolith.text.secrets.veil import veiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.env.project import Project
    from memolith.store.gate import Gate

MAX_PATHS = 100
OFF = "projects-off"
_YES, _NO, _LATE = "yes", "no", "late"
_PATIENCE = 600.0  # seconds before retrying what took too long
_HEADER = "# Which directories and which git repository this memory belongs to (memolith project --help)\n"


class SlugTakenError(Exception):
    """Another project took the directory between our check and our write; check again."""


def register(gate: Gate, project: Project, seconds: float = identity.WRITE_SECONDS) -> Identity:
    """Record a project's path and evidence before its first memory is written; return the entry."""
    checkout = project.checkout
    # A separately linked directory inside a checkout is known only by its path.
    if checkout is not None and checkout.root != project.root:
        checkout = None
    # Reading a long history is slow: do it once, before taking the lock.
    before = read_identity(os.path.join(gate.root, PROJECTS), project.slug)
    commit = _first_commit(checkout, seconds) if checkout and not (before and before.commits) else ""

    def add(known: Identity) -> None:
        if known.paths and project.root not in known.paths and not project.known:
            raise SlugTakenError
        if project.root and project.root not in known.paths:
            known.paths.append(project.root)
        _mark(known, project.root, checkout)
        if project.root in known.linked:
            return  # this directory says nothing about the project's other paths
        if checkout and checkout.origin and checkout.origin not in known.origins:
            known.origins.append(checkout.origin)
        known.commits = known.commits or ([commit] if commit else [])
        known.seen = identity.newest(known, checkout) if checkout else known.seen
        _forget_old_paths(known)

    return _edit(gate, project.slug, add)


def _first_commit(checkout: git.Checkout, seconds: float) -> str:
    return "" if checkout.is_shallow else checkout.commits.first(seconds)


def _mark(known: Identity, path: str, checkout: git.Checkout | None) -> None:
    if mark := identity.place_mark(path, checkout):
        known.marks[path] = mark


def _forget_old_paths(known: Identity) -> None:
    """Keep the file small: a build machine checks out to a new path each time.

    Only with an origin, which finds those paths again.
    """
    surplus = len(known.paths) - MAX_PATHS if known.origins else 0
    for path in known.paths[:-1]:
        if surplus > 0 and path not in known.linked and not os.path.isdir(path):
            known.paths.remove(path)
            surplus -= 1


def link(gate: Gate, slug: str, path: str) -> None:
    """Link a path to an existing project, and to no other."""
    _require(gate, slug, path)
    _edit(gate, slug, lambda known: _believe(known, path))
    _take_from_others(gate, slug, path)


def name(gate: Gate, slug: str, path: str, called: str) -> str:
    """Give a project its name, or make a directory that is none a project; return its slug."""
    slug = slug or free_slug(path, lambda each: exists(os.path.join(gate.root, PROJECTS), each))

    def change(known: Identity) -> None:
        if path not in known.paths:
            _believe(known, path)
        known.name = called

    _edit(gate, slug, change)
    return slug


def switch(gate: Gate, slug: str, *, off: bool) -> None:
    """Switch memory off for a project, or on again."""
    _edit(gate, slug, lambda known: setattr(known, "is_off", off))
    # Derived: only then what knows no project yet looks which one it serves.
    files.overwrite(files.make_place(files.state(os.path.dirname(gate.root)), OFF), b"")


def _take_from_others(gate: Gate, slug: str, path: str) -> None:
    every = [each for each in identities(os.path.join(gate.root, PROJECTS), strict=True) if each.slug != slug]
    is_lent = any(path in each.lent for each in every)
    for other in every:
        if path in other.paths:
            unlink(gate, other.slug, path, lend=not is_lent)


def _believe(known: Identity, path: str) -> None:
    """Add a path because a person said so, regardless of its evidence.

    A repository is recognised by its first commit from now on; another one at the same path later is not
    linked. Everything else is recognised by its folder.
    """
    checkout = git.find(path)
    if checkout and (checkout.doubt or checkout.root != path):
        checkout = None
    origin = checkout.origin if checkout else ""
    commit = _first_commit(checkout, identity.WRITE_SECONDS) if checkout else ""
    if (origin or commit) and not (known.origins or known.commits):
        # The other paths never had evidence; do not judge them by this one's.
        known.linked = [each for each in known.paths if each != path]
    if path not in known.paths:
        known.paths.append(path)
    known.apart = [each for each in known.apart if each != path]
    known.lent = [each for each in known.lent if each != path]
    _mark(known, path, checkout)
    if origin and origin not in known.origins:
        known.origins.append(origin)
    if commit and commit not in known.commits:
        known.commits.append(commit)
    elif not commit and path not in known.linked:
        known.linked.append(path)


def unlink(gate: Gate, slug: str, path: str, *, lend: bool = False) -> None:
    """Remove a path from a project, and record that, or it would be adopted again.

    `lend`: it goes to another until it is unlinked there.
    """
    _require(gate, slug, path)

    def remove(known: Identity) -> None:
        known.paths = [each for each in known.paths if each != path]
        known.linked = [each for each in known.linked if each != path]
        if path not in known.apart:
            known.apart.append(path)
        if lend:
            known.lent.append(path)

    _edit(gate, slug, remove)


def move(gate: Gate, slug: str, old: str, new: str) -> None:
    """Replace a path of a project by another, which no other project keeps."""
    _require(gate, slug, old, new)

    def swap(known: Identity) -> None:
        if old not in known.paths:
            raise InputError(f"{old} is not a path of {slug}; its paths are: {', '.join(known.paths)}")
        known.paths = [each for each in known.paths if each != old]
        known.linked = [each for each in known.linked if each != old]
        known.former = [*(each for each in known.former if each not in (old, new)), old]
        _believe(known, new)

    _edit(gate, slug, swap)
    _take_from_others(gate, slug, new)


def _require(gate: Gate, slug: str, *paths: str) -> None:
    """Raise NotFoundError if there is no such project."""
    for path in paths:
        veiled(path)  # veiled, it is still recognised by its exact name
    if not exists(os.path.join(gate.root, PROJECTS), slug):
        raise NotFoundError(f"no project {quoted(slug)}; `memolith project list` shows all projects")


def _edit(gate: Gate, slug: str, change: Callable[[Identity], None]) -> Identity:
    known = Identity(slug, {})

    def apply(old: str | None) -> str:
        nonlocal known
        known = parse_identity(slug, old or "")
        if known.problem:
            raise InputError(f"{known.problem}; repair the file, then try again")
        before = known.fields()
        change(known)
        if old is not None and known.fields() == before:
            return old
        return _HEADER + yaml.dump({**known.fields(), **known.others})

    gate.rewrite(f"{PROJECTS}/{slug}/{PROJECT_FILE}", apply, op="identity")
    return known


def reaches(home: str, checkout: git.Checkout, commit: str, seconds: float, *, again: bool) -> bool | None:
    """Whether a history has a commit; None if that takes too long. `again`: there is more time now.

    A cached answer is for one repository (a swapped one has another mark) and one commit; "no" and "too slow"
    only for the commit that was checked out. Derived and disposable.
    """
    key = f"{checkout.git}\0{checkout.mark}\0{commit}"
    name = f"proof-{fnv1a64(key.encode('utf-8', 'surrogateescape')):016x}"
    answer, _, tip = receipts.read_stamp(home, name)[1].partition(" ")
    if answer == _YES:
        return True
    now = checkout.commits.head()
    if tip == now and answer == _NO:
        return False
    if tip == now and answer == _LATE and not again and receipts.age(home, name) < _PATIENCE:
        return None
    found = checkout.commits.reaches(commit, seconds)
    with contextlib.suppress(MemolithError, OSError):
        receipts.stamp(home, name, {True: _YES, False: f"{_NO} {now}", None: f"{_LATE} {now}"}[found])
    return found


def set_setting(home: str, path: str, key: str, value: str | None) -> None:
    """Set one key of config.yml under a lock, atomically, or remove it; comments and other keys stay."""
    place, names = Place.of(path), key.split(".")
    with locks.locked(home, "config", 10.0):
        try:
            # Strict: bytes that are not UTF-8 could not be written back unchanged.
            old = (place.read() or b"").decode("utf-8")
            new = yaml_edit.drop_path(old, names) if value is None else yaml_edit.set_path(old, names, value)
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: not UTF-8 (byte {error.start}); repair it first") from None
        except yaml.YamlError as error:
            raise ConfigError(f"{path}:{error.line}: {error.problem}; repair it first") from None
        if new != old or value is not None:
            files.overwrite(place, new.encode())


def remove(gate: Gate, home: str, slug: str) -> None:
    """Delete all that is kept of a project, for good; its memory last, so that it can be tried again."""
    from shutil import rmtree

    parts = ("sessions", *(f"{each}/{PROJECTS}" for each in _KEPT))
    with gate.scope(slug):
        for part in parts:
            path = os.path.join(home, part, slug)
            with files.storage_errors(path), contextlib.suppress(FileNotFoundError):
                rmtree(path)
                files.sync_directory(Tree(home).folder(part))  # a power loss would bring it back
    remove_lock(home, f"{slug}.lock")


_KEPT = ("history", layout.STORE)


def remove_lock(home: str, name: str) -> None:
    """Remove the lock file of a deleted project, unless it is held or the project is back."""
    place = files.state(home).place(f"{locks.DIRECTORY}/{name}")
    slug = name.removesuffix(".lock")
    with files.storage_errors(place.path), contextlib.suppress(BusyError), locks.holding(place, 0, 0):
        if not exists(os.path.join(home, layout.STORE, PROJECTS), slug):
            files.unlink(place)
