"""Which project am I in? Reads the file system, never writes.

Terms. The *root* is the directory a project is known by: the main checkout of the git repository
(subdirectories and linked worktrees lead to it), else the directory itself. The *evidence* is what git
knows of it: origin and root commit. The *slug* names the project's directory in the store; it is made once,
from the root's path, and stays. The *identity* is `project.yml` in that directory.

How a directory finds its project: by a path seen before, if what is there proves to be the same; else by the
same origin together with the same first commit; else, without an origin, by the same first commit if the
checkout has gone from its old place (`identity` has the rules); else it is new. When in doubt, projects stay
apart: a missed memory can be linked by hand, a leaked one cannot be taken back. With `identity: cwd`, a
person decided that the path is all that counts.
"""

from __future__ import annotations

import os

from memolith.base.errors import MemolithError, StorageError
from memolith.base.whole import is_directory, stat_of
from memolith.env import git
from memolith.env import identity as evidence
from memolith.env.identity import Identity
from memolith.env.paths import Tree
from memolith.text.digest import fnv1a64
from memolith.text.secrets.veil import masked_name, veiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.env.git import Checkout
    from memolith.env.identity import Claim, Prove

PROJECTS = "projects"
PROJECT_FILE = "project.yml"
UNKNOWN = "no-project"  # the slug when there is no working directory; nothing is ever written there
_SLUG_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Project:
    """The project that a directory belongs to."""

    def __init__(
        self,
        slug: str,
        root: str,
        checkout: Checkout | None,
        *,
        known: bool = False,
        identity: Identity | None = None,
        notice: str = "",
    ) -> None:
        self.slug, self.root, self.checkout = slug, root, checkout
        self.known = known  # there is a memory for it
        # What a person should know about how it was found. Agents read it too: no words from outside.
        self.notice = notice
        self.offer = ""  # the slug of a memory that it may be, if a person says so
        self.is_open = False  # whether that was not decided in the time that there was
        self.identity = identity
        self._is_written = not root and known

    def written(self, known: Identity) -> None:
        """Note that everything known of it is written down now."""
        self.identity, self.known, self._is_written = known, True, True

    @property
    def has_commit(self) -> bool:
        """Whether it is known by a commit, if it has any that can be read."""
        return bool(self.identity and self.identity.commits) or bool(
            self.checkout and self.checkout.is_shallow
        )

    @property
    def registered(self) -> bool:
        """Whether all that is known of this path is written down."""
        known, path, checkout = self.identity, self.root, self.checkout
        if self._is_written or known is None or path not in known.paths:
            return self._is_written
        if known.marks.get(path, "") != evidence.place_mark(path, checkout):
            return False
        if checkout is None or checkout.root != path or path in known.linked:
            return True
        if checkout.origin:
            return checkout.origin in known.origins
        return bool(known.commits) and evidence.newest(known, checkout) == known.seen


def slug_of(path: str, digits: int = 8, *, masked: bool = True) -> str:
    """Return the name of a path's directory: its last part, and a hash of the whole.

    Whether there is a secret in it takes time to tell, and only a new name needs to know.
    """
    base = os.path.basename(path.rstrip("/\\")) or "root"
    base = masked_name(base) if masked else base
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


def resolve(store: str, cwd: str | None, identity: str = "git", prove: Prove = evidence.at_once) -> Project:
    """Return the project of a directory. Never fails: one that cannot be read is no project."""
    found = _resolve(store, cwd, identity, prove)
    if found.known or found.slug in (UNKNOWN, slug_of(found.root)):
        return found
    # Its own name is taken. Perhaps only by another process that registered it while we looked.
    return _resolve(store, cwd, identity, prove)


def _resolve(store: str, cwd: str | None, identity: str, prove: Prove) -> Project:
    try:
        here = os.path.realpath(cwd if cwd is not None else os.getcwd())
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return _nowhere()
    checkout = git.find(here) if identity == "git" else None
    doubt = checkout.doubt if checkout else ""
    checkout = None if doubt else checkout
    root = checkout.root if checkout else here
    projects = os.path.join(store, PROJECTS)

    undecided = False

    def same(known: Identity, path: str) -> bool:
        # With `identity: cwd` the path is all that counts.
        found = identity != "git" or evidence.is_same(known, path, checkout, prove, doubt)
        nonlocal undecided
        undecided = undecided or found is None
        return bool(found)

    # The common case costs one small file: the project's own directory says it is this path's.
    direct = read_identity(projects, slug_of(here, masked=False))
    if direct and here in direct.paths and same(direct, here):
        return _found(direct, here, checkout, doubt)

    veiled(here)  # if it is written down so, it is read as its exact name from now on
    top = checkout.top if checkout else root
    around = _around(list(identities(projects, (root, top))), here, root, top)
    for path, each in around:
        if same(each, path):
            return _found(each, path, checkout, doubt)
    slug = _nameless(projects, here) or _nameless(projects, root)
    if slug and (_is_empty(projects, slug) or not (doubt or (checkout and checkout.origin))):
        return Project(slug, here if slug == slug_of(here) else root, checkout, known=True)
    everything = list(identities(projects))
    for each in everything:
        if any(_same_place(path, root) for path in each.paths) and same(each, root):
            return Project(each.slug, root, checkout, known=True, identity=each)
    if checkout is None and not os.path.isdir(here):
        return _nowhere()
    strangers = [each.slug for _, each in around]
    claims = evidence.claims(everything, checkout, strangers, prove) if checkout else []
    new = Project(free_slug(root, lambda slug: is_directory(os.path.join(projects, slug))), root, checkout)
    new.is_open = undecided or any(each.proved is None for each in claims)
    strangers += filter(None, [slug])
    return _adopted(new, claims) or _with_notice(projects, new, claims, strangers, doubt)


def _adopted(new: Project, claims: list[Claim]) -> Project | None:
    """Return the known project that a new one proves to be."""
    if not claims or not claims[0].proved:
        return None
    known = claims[0].known
    found = Project(known.slug, new.root, new.checkout, known=True, identity=known)
    found.notice = (
        f"using the memory {known.slug} from a new path ({claims[0].reason}); `memolith project unlink` "
        "separates them"
    )
    return found


def _nowhere() -> Project:
    notice = (
        "there is no project here, because the working directory is gone or cannot be read; only what is "
    )
    return Project(UNKNOWN, "", None, notice=notice + "remembered for all projects is at hand")


def _around(everything: list[Identity], here: str, root: str, top: str) -> list[tuple[str, Identity]]:
    """Return the known paths that `here` is in, up to the top of its worktree; nearest first, root last."""
    found = [
        (path, each)
        for each in everything
        for path in each.paths
        if path == root or (_is_in(here, path) and (_is_in(path, root) or _is_in(path, top)))
    ]
    return sorted(found, key=lambda pair: (pair[0] == root, -len(pair[0]), pair[1].slug))


def _with_notice(
    projects: str, new: Project, claims: list[Claim], strangers: list[str], doubt: str
) -> Project:
    """Return a new project with a notice for a person who may expect a memory here; usually none."""
    notices = []
    broken = read_identity(projects, slug_of(new.root))
    if broken and broken.problem:
        notices.append(f"{broken.problem}; until that is repaired, this directory has a memory of its own")
    elif doubt:
        notices.append(f"{doubt}, so it is not looked into and this is a plain folder to memolith")
    new.offer = next((each.known.slug for each in claims), "".join(strangers[:1]))
    joins = f"`memolith project link {new.offer}` in this directory"
    if new.is_open or claims:
        shared = f" ({claims[0].reason})" if claims else ""
        why = "nothing here proves that it is this project's"
        if new.is_open:
            why = "whether it is this project's is decided in the background, or by the next write"
        notices.append(f"the memory {new.offer}{shared} is not opened: {why}; {joins} opens it")
    elif strangers:
        notices.append(
            f"this place was known as {new.offer}, but something else is here now, so it gets a memory of "
            f"its own; {joins} joins them"
        )
    new.notice = "; ".join(notices)
    return new


def _nameless(projects: str, place: str) -> str:
    """Return the slug of a place whose store was made before there was a `project.yml`, else nothing."""
    directory = os.path.join(projects, slug_of(place))
    has_no_name = is_directory(directory) and stat_of(os.path.join(directory, PROJECT_FILE)) is None
    return slug_of(place) if has_no_name else ""


def _is_empty(projects: str, slug: str) -> bool:
    """Whether a store is just being made, by a process that works here too: there is nothing to leak."""
    try:
        return set(os.listdir(os.path.join(projects, slug))) <= {".tmp"}
    except OSError:
        return False


def _found(known: Identity, path: str, checkout: Checkout | None, doubt: str) -> Project:
    notice = f"{doubt}, so it is not looked into" if doubt and path not in known.linked else ""
    return Project(known.slug, path, checkout, known=True, identity=known, notice=notice)


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
    mentioned = tuple(dict.fromkeys(map(veiled, mentioned)))  # mostly, all of them are the same
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
    from memolith.text import yaml

    try:
        return Identity(slug, yaml.parse(text))
    except yaml.YamlError as error:
        return Identity(slug, {}, f"{PROJECTS}/{slug}/{PROJECT_FILE}:{error.line}: {error.problem}")


def exists(projects: str, slug: str) -> bool:
    """Whether a project has a directory. A slug that people type may be anything, even `..`."""
    return bool(slug) and _SLUG_CHARACTERS.issuperset(slug) and is_directory(os.path.join(projects, slug))


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _same_place(one: str, other: str) -> bool:
    """Whether two spellings that differ only in case are one directory (macOS, Windows)."""
    if one.casefold() != other.casefold():
        return False
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
