"""Which project am I in? Reads the file system, never writes.

Terms. The *root* is the directory a project is known by: the main checkout of the git repository
(subdirectories and linked worktrees lead to it), else the directory itself. The *evidence* is what git
knows of it: origin and root commit. The *slug* names the project's directory in the store; it is made once,
from the root's path, and stays. The *identity* is `project.yml` in that directory.

How a directory finds its project: by a path seen before, unless what is there now is provably
something else; else by the same origin; else, without an origin, by the same root commit if the
checkout has gone from its old place; else it is new. When in doubt, projects stay apart: a missed memory
can be linked by hand, a leaked one cannot be taken back.
"""

from __future__ import annotations

import os

from memolith import repository
from memolith.errors import MemolithError, StorageError
from memolith.places import Tree
from memolith.text.digest import fnv1a64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.repository import Checkout
    from memolith.text.miniyaml import Node

PROJECTS = "projects"
PROJECT_FILE = "project.yml"
UNKNOWN = "default"  # the slug when there is no working directory
_SLUG_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Identity:
    """What is known of a project: the contents of its `project.yml`."""

    __slots__ = ("apart", "linked", "origins", "paths", "problem", "root_commit", "slug")

    def __init__(self, slug: str, fields: dict[str, Node], problem: str = "") -> None:
        self.slug, self.problem = slug, problem
        self.paths = _texts(fields.get("paths"))
        self.origins = _texts(fields.get("origins"))
        self.linked = _texts(fields.get("linked"))  # paths known by themselves; no evidence is asked for
        self.apart = _texts(fields.get("apart"))  # paths that a person took out; not adopted again
        commit = fields.get("root_commit", "")
        self.root_commit = commit if isinstance(commit, str) else ""

    def fields(self) -> dict[str, Node]:
        """Return the contents for `project.yml`."""
        fields: dict[str, Node] = {"paths": _written(self.paths)}
        if self.origins:
            fields["origins"] = _written(self.origins)
        if self.root_commit:
            fields["root_commit"] = self.root_commit
        if self.linked:
            fields["linked"] = _written(self.linked)
        if self.apart:
            fields["apart"] = _written(self.apart)
        return fields


class Project:
    """The project that a directory belongs to."""

    __slots__ = ("checkout", "known", "notice", "registered", "root", "slug")

    def __init__(
        self,
        slug: str,
        root: str,
        checkout: Checkout | None,
        *,
        known: bool = False,
        registered: bool = False,
        notice: str = "",
    ) -> None:
        self.slug, self.root, self.checkout = slug, root, checkout
        self.known = known  # there is a memory for it
        self.registered = registered  # ... and this path is written down in it
        self.notice = notice  # what a person should be told about how it was found


def slug_of(path: str, digits: int = 8) -> str:
    """Return the name of a path's directory: its last part, and a hash of the whole."""
    base = os.path.basename(path.rstrip("/\\")) or "root"
    safe = "".join(char if char in _SLUG_CHARACTERS else "-" for char in base)[:40]
    value = fnv1a64(os.fsencode(path))
    if digits == 8:
        value &= 0xFFFFFFFF
    return f"{safe}-{value:0{digits}x}"


def free_slug(root: str, taken: Callable[[str], bool]) -> str:
    """Return the shortest slug for `root` that no other project has."""
    for digits in (8, 16):
        slug = slug_of(root, digits)
        if not taken(slug):
            return slug
    number = 2
    while taken(f"{slug}{number:x}"):
        number += 1
    return f"{slug}{number:x}"


def resolve(store: str, cwd: str | None, identity: str = "git") -> Project:
    """Return the project of a directory. Never fails: an unreadable directory is `default`."""
    found = _resolve(store, cwd, identity)
    if found.known or found.slug in (UNKNOWN, slug_of(found.root)):
        return found
    # Its own name is taken. Perhaps only by another process that registered it while we looked.
    return _resolve(store, cwd, identity)


def _resolve(store: str, cwd: str | None, identity: str) -> Project:
    try:
        here = os.path.realpath(cwd if cwd is not None else os.getcwd())
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return Project(UNKNOWN, "", None)
    checkout = repository.find(here) if identity == "git" else None
    root = checkout.root if checkout else here
    projects = os.path.join(store, PROJECTS)

    def same(known: Identity, path: str) -> bool:
        # With `identity: cwd` the path is all that counts.
        return identity != "git" or _same(known, checkout, path, root)

    # The common case costs one small file: the project's own directory says it is this path's.
    direct = read_identity(projects, slug_of(here))
    if direct and here in direct.paths and same(direct, here):
        return _found(direct, here, checkout)

    top = checkout.top if checkout else root
    around = _around(list(identities(projects, (root, top))), here, root, top)
    for path, each in around:
        if same(each, path):
            return _found(each, path, checkout)
    everything = list(identities(projects))
    slug = _nameless(projects, here) or _nameless(projects, root)
    if slug:
        place = here if slug == slug_of(here) else root
        return Project(slug, place, checkout, known=True)
    for each in everything:
        if any(_same_place(path, root) for path in each.paths) and same(each, root):
            return Project(each.slug, root, checkout, known=True)
    strangers = [each.slug for _, each in around]
    adopted = _by_evidence(everything, checkout, strangers) if checkout else None
    if adopted:
        each, reason = adopted
        notice = f"using the memory {each.slug} ({reason}); `memolith project unlink` separates them"
        return Project(each.slug, root, checkout, known=True, notice=notice)
    slug = free_slug(root, lambda slug: os.path.isdir(os.path.join(projects, slug)))
    return Project(slug, root, checkout, notice=_why_new(projects, root, around))


def _around(everything: list[Identity], here: str, root: str, top: str) -> list[tuple[str, Identity]]:
    """Return the known paths that `here` is in, up to the top of its worktree; nearest first, root last."""
    found = [
        (path, each)
        for each in everything
        for path in each.paths
        if path == root or (_is_in(here, path) and (_is_in(path, root) or _is_in(path, top)))
    ]
    return sorted(found, key=lambda pair: (pair[0] == root, -len(pair[0]), pair[1].slug))


def _why_new(projects: str, root: str, around: list[tuple[str, Identity]]) -> str:
    """Return what to tell a person who may expect a memory here; usually nothing."""
    broken = read_identity(projects, slug_of(root))
    if broken and broken.problem:
        return f"{broken.problem}; until that is repaired, {root} has a memory of its own"
    for path, known in around:
        return (
            f"{path} was known as {known.slug}, but something else is here now, so it gets a memory of its "
            f"own; `memolith project link {known.slug} {path}` joins them"
        )
    return ""


def _nameless(projects: str, place: str) -> str:
    """Return the slug of a place whose store was made before there was a `project.yml`, else nothing."""
    directory = os.path.join(projects, slug_of(place))
    has_no_name = os.path.isdir(directory) and not os.path.exists(os.path.join(directory, PROJECT_FILE))
    return slug_of(place) if has_no_name else ""


def _found(known: Identity, path: str, checkout: Checkout | None) -> Project:
    complete = (
        checkout is None
        or checkout.root != path
        or path in known.linked
        or (checkout.origin in known.origins if checkout.origin else bool(known.root_commit))
    )
    return Project(known.slug, path, checkout, known=True, registered=complete)


def _same(known: Identity, checkout: Checkout | None, path: str, root: str) -> bool:
    """Tell whether nothing speaks against a known path still being the same project."""
    if path in known.linked or not (known.origins or known.root_commit):
        return True
    if checkout is None or path != root:  # it was a repository, and is none any more
        return False
    if checkout.origin and checkout.origin in known.origins:
        return True
    # A known commit decides, for a remote may be renamed. Without one, the origin was the only evidence.
    return bool(known.root_commit) and checkout.contains(known.root_commit)


def _by_evidence(
    everything: list[Identity], checkout: Checkout, strangers: list[str]
) -> tuple[Identity, str] | None:
    origin = checkout.origin
    everything = [each for each in everything if checkout.root not in each.apart]
    if origin:
        for each in everything:
            if origin in each.origins:
                return each, f"same origin {origin}"
            if origin in each.paths:
                return each, f"cloned from {origin}"
    moved = [
        each
        for each in everything
        if each.root_commit
        and not (origin and each.origins)
        and each.slug not in strangers
        and each.paths
        and not any(os.path.isdir(path) for path in each.paths)
    ]
    commit = checkout.root_commit() if moved else ""
    moved = [each for each in moved if commit and each.root_commit == commit]
    if len(moved) != 1:  # two that began as copies of one template: which of them this is, nobody knows
        return None
    return moved[0], f"same first commit {commit[:12]}, and {moved[0].paths[-1]} is gone"


def identities(projects: str, mentioned: tuple[str, ...] = (), *, strict: bool = False) -> Iterator[Identity]:
    """Yield every known project, in order of slug; or only those that may mention one of some paths.

    Looking for a path costs little beside parsing, and a prompt from a subdirectory asks for it. `strict`:
    a StorageError if one cannot be read, for who has to know them all.
    """
    try:
        tree = _store(projects)
        slugs = sorted(tree.folder(PROJECTS).names())
    except FileNotFoundError:
        return
    except MemolithError as error:
        if strict and isinstance(error, StorageError):
            raise
        return
    # In the file, such characters may be escaped; then every project is parsed.
    plain = all("\\" not in path and '"' not in path and path.isprintable() for path in mentioned)
    for slug in slugs:
        text = _read(tree, slug, strict=strict)
        if text is None or (mentioned and plain and not any(path in text for path in mentioned)):
            continue
        yield parse_identity(slug, text)


def read_identity(projects: str, slug: str) -> Identity | None:
    """Return a project's identity; None if it has none. A broken one names no path, so it matches none."""
    text = _read(_store(projects), slug)
    return None if text is None else parse_identity(slug, text)


def _store(projects: str) -> Tree:
    return Tree(os.path.dirname(projects))


def _read(tree: Tree, slug: str, *, strict: bool = False) -> str | None:
    try:
        # A pipe must not hang a prompt, a link must not lend another project's identity.
        data = tree.read(f"{PROJECTS}/{slug}/{PROJECT_FILE}", 65_536, cut=True)
    except MemolithError as error:
        if strict and isinstance(error, StorageError):
            raise
        return None
    return None if data is None else data.decode("utf-8", "surrogateescape")


def parse_identity(slug: str, text: str) -> Identity:
    """Read the text of a `project.yml`."""
    from memolith.text import miniyaml

    try:
        return Identity(slug, miniyaml.parse(text))
    except miniyaml.YamlError as error:
        return Identity(slug, {}, f"{PROJECTS}/{slug}/{PROJECT_FILE}:{error.line}: {error.problem}")


def exists(projects: str, slug: str) -> bool:
    """Tell whether a project has a directory. A slug that people type may be anything, even `..`."""
    return bool(slug) and _SLUG_CHARACTERS.issuperset(slug) and os.path.isdir(os.path.join(projects, slug))


# A name on disk may be any bytes; YAML is text. A path that is not UTF-8 is written down as `hex:…`.


def _written(texts: list[str]) -> list[Node]:
    return [each if _is_text(each) else f"hex:{os.fsencode(each).hex()}" for each in texts]


def _texts(node: Node | None) -> list[str]:
    nodes = node if isinstance(node, list) else [node]
    return [_read_text(each) for each in nodes if isinstance(each, str) and each]


def _read_text(text: str) -> str:
    try:
        return os.fsdecode(bytes.fromhex(text[4:])) if text.startswith("hex:") else text
    except ValueError:
        return text  # a host called `hex`


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _same_place(one: str, other: str) -> bool:
    """Tell whether two spellings that differ only in case are one directory (macOS, Windows)."""
    if one.casefold() != other.casefold():
        return False
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
