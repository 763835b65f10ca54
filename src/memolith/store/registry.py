"""Writing down which paths and which evidence belong to a project: the keeper of `project.yml`."""

from __future__ import annotations

import os

from memolith.errors import InputError, NotFoundError
from memolith.project import PROJECT_FILE, PROJECTS, Identity, parse_identity
from memolith.text import miniyaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.project import Project
    from memolith.store.gate import Gate

_HEADER = "# Which directories and which git repository this memory belongs to (memolith project --help)\n"


class SlugTakenError(Exception):
    """Another project took the directory between our look and our write; look again."""


def register(gate: Gate, project: Project) -> None:
    """Write a project's path and evidence down, before its first memory is written."""

    def add(known: Identity) -> None:
        if known.paths and project.root not in known.paths and not project.known:
            raise SlugTakenError
        if project.root and project.root not in known.paths:
            known.paths.append(project.root)
        checkout = project.checkout
        # A directory inside a checkout that was linked on its own is known by its path only.
        if checkout is not None and checkout.root == project.root:
            if checkout.origin and checkout.origin not in known.origins:
                known.origins.append(checkout.origin)
            if not known.root_commit:
                known.root_commit = checkout.root_commit()

    _edit(gate, project.slug, add)


def link(gate: Gate, slug: str, path: str) -> None:
    """Let a path lead to an existing project; it leads to no other any more."""
    _require(gate, slug)
    for other in _slugs_with(gate, path):
        if other != slug:
            unlink(gate, other, path)

    def add(known: Identity) -> None:
        if path not in known.paths:
            known.paths.append(path)
        known.apart = [each for each in known.apart if each != path]

    _edit(gate, slug, add)


def unlink(gate: Gate, slug: str, path: str) -> None:
    """Take a path from a project, and remember that, else it would be adopted again."""
    _require(gate, slug)

    def remove(known: Identity) -> None:
        if path in known.paths:
            known.paths.remove(path)
        if path not in known.apart:
            known.apart.append(path)

    _edit(gate, slug, remove)


def move(gate: Gate, slug: str, old: str, new: str) -> None:
    """Replace a path of a project by another one."""
    _require(gate, slug)

    def swap(known: Identity) -> None:
        if old not in known.paths:
            raise InputError(f"{old} is not a path of {slug}; its paths are: {', '.join(known.paths)}")
        known.paths[known.paths.index(old)] = new

    _edit(gate, slug, swap)


def _require(gate: Gate, slug: str) -> None:
    if not os.path.isdir(os.path.join(gate.root, PROJECTS, slug)):
        raise NotFoundError(f"no project {slug!r}; `memolith project list` shows them all")


def _slugs_with(gate: Gate, path: str) -> list[str]:
    from memolith.project import identities

    return [each.slug for each in identities(os.path.join(gate.root, PROJECTS)) if path in each.paths]


def _edit(gate: Gate, slug: str, change: Callable[[Identity], None]) -> None:
    def apply(old: str | None) -> str:
        known = parse_identity(slug, old or "")
        if known.problem:
            raise InputError(f"{known.problem}; repair the file, then try again")
        before = known.fields()
        change(known)
        if old is not None and known.fields() == before:
            return old
        kept = miniyaml.parse(old or "")
        ours = {"paths", "origins", "root_commit", "apart"}
        kept = {key: value for key, value in kept.items() if key not in ours}
        return _HEADER + miniyaml.dump({**known.fields(), **kept})

    gate.rewrite(f"{PROJECTS}/{slug}/{PROJECT_FILE}", apply, op="identity")


def set_setting(home: str, path: str, key: str, value: str) -> None:
    """Set one key of config.yml under a lock, atomically; comments and other keys stay."""
    from memolith.errors import ConfigError
    from memolith.store import files
    from memolith.store.locks import locked

    with locked(os.path.join(home, "state", "locks", "config.lock"), 10.0):
        old = files.text_of(files.read(path) or b"")
        try:
            new = miniyaml.set_value(old, key, value)
        except miniyaml.YamlError as error:
            raise ConfigError(f"{path}:{error.line}: {error.problem}; repair it first") from None
        temporary = f"{path}.{os.getpid()}.tmp"
        with files.told(path):
            files.write_new(temporary, new.encode())
            files.replace(temporary, path)
            files.sync_directory(home)
