"""Which project am I in? Reads the file system, never writes.

Terms. The *root* is the directory that identifies a project: the main checkout of the git repository
(subdirectories and linked worktrees lead to it), else the directory itself. The *evidence* is what git
knows about it: origin and root commit. The *slug* names the project's directory in the store; it is derived
once from the root's path and never changes. The *identity* is `project.yml` in that directory.

A directory finds its project by a path seen before, if it proves to be the same directory; else by the same
origin together with the same first commit; else, without an origin, by the same first commit if the checkout
is gone from its old place (`identity` has the rules); else the project is new. When in doubt, projects stay
separate: a missed memory can be linked by hand, but a leak cannot be taken back. With `identity: cwd`, a
person decided that only the path counts.
"""

from __future__ import annotations

import os
from errno import EINVAL

from memolith.base.errors import MemolithError, StorageError
from memolith.base.lean import suppress
from memolith.base.whole import is_directory, note, stat_of
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
UNKNOWN = "no-project"  # the slug without a working directory; nothing is ever written there
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
        self.place = root  # where it is, even if that is no project
        self.known = known  # whether it has a memory
        # Tells a person how the project was found. Agents read it too, so it contains no text from outside.
        self.notice = notice
        self.broken = ""  # what is wrong with the `project.yml` of the memory that would be this project's
        self.offer = ""  # the slug of a memory that may be this project's, if a person confirms it
        self.is_open = False  # whether time ran out before that was decided
        self.identity = identity
        self._is_written = not root and known

    def written(self, known: Identity) -> None:
        """Record that everything known about it is now on disk."""
        self.identity, self.known, self._is_written = known, True, True

    def report_unopened(self, store: str) -> None:
        """Say of a memory whose `project.yml` is damaged that an answer is without it."""
        if self.broken:
            path, _, problem = self.broken.partition(": ")
            note(f"{store}/{path}", OSError(EINVAL, problem))

    def uses(self, slug: str) -> bool:
        """Whether this directory leads to that memory, also before its path is recorded there."""
        return self.known and self.slug == slug and os.path.isdir(self.root)

    @property
    def has_commit(self) -> bool:
        """Whether its identity has a commit, unless the clone is shallow."""
        return bool(self.identity and self.identity.commits) or bool(
            self.checkout and self.checkout.is_shallow
        )

    @property
    def registered(self) -> bool:
        """Whether everything known about this path is on disk."""
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
    """Return the directory name for a path: its last part, and a hash of the whole.

    Checking for secrets (`masked`) is slow, and only a new name needs it.
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
    """Return the project of a directory. Never fails: an unreadable directory has no project."""
    found = _resolve(store, cwd, identity, prove)
    if found.known or found.slug in (UNKNOWN, slug_of(found.root)):
        return found
    # Its own name is taken, perhaps by another process that registered it just now.
    return _resolve(store, cwd, identity, prove)


def _resolve(store: str, cwd: str | None, identity: str, prove: Prove) -> Project:
    try:
        here = os.path.realpath(cwd if cwd is not None else os.getcwd())
        with suppress(FileNotFoundError, NotADirectoryError):  # gone: its memory may be known by its path
            os.stat(os.path.join(here, os.curdir))  # else a repository that is closed would pass for a folder
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return _nowhere()
    checkout = git.find(here) if identity == "git" else None
    doubt = checkout.doubt if checkout else ""
    checkout = None if doubt else checkout
    root = checkout.root if checkout else here
    projects = os.path.join(store, PROJECTS)

    undecided = False

    def same(known: Identity, path: str) -> bool:
        # With `identity: cwd`, only the path counts.
        found = identity != "git" or evidence.is_same(known, path, checkout, prove, doubt)
        nonlocal undecided
        undecided = undecided or found is None
        return bool(found)

    # The common case costs one small file: the identity in the project's own directory names this path.
    direct = read_identity(projects, slug_of(here, masked=False))
    if direct and here in direct.paths and same(direct, here):
        return _found(direct, here, checkout, doubt)

    veiled(here)  # a veiled name in a file is read as this exact path from now on
    top = checkout.top if checkout else root
    around = _around(list(identities(projects, (root, top))), here, root, top)
    named = _named_around(projects, here) if checkout is None and not doubt else []
    for path, each in (*around, *named):
        if same(each, path):
            return _found(each, path, checkout, doubt)
    slug = _nameless(projects, here) or _nameless(projects, root)
    if slug and (_is_empty(projects, slug) or not (doubt or (checkout and checkout.origin))):
        return Project(slug, here if slug == slug_of(here) else root, checkout, known=True)
    everything = list(identities(projects))
    for each in everything:
        if any(_same_place(path, root) for path in each.paths) and same(each, root):
            return Project(each.slug, root, checkout, known=True, identity=each)
    if checkout is None and (not os.path.isdir(here) or (not doubt and here in _no_projects())):
        return _nowhere(here)
    strangers = [each.slug for _, each in around]
    claims = (
        evidence.claims(everything, checkout, strangers, prove)
        if checkout
        else evidence.renamed(everything, root)
    )
    new = Project(free_slug(root, lambda slug: is_directory(os.path.join(projects, slug))), root, checkout)
    new.is_open = undecided or any(each.proved is None for each in claims)
    strangers += filter(None, [slug])
    return _adopted(new, claims) or _with_notice(projects, new, claims, strangers, doubt)


def _adopted(new: Project, claims: list[Claim]) -> Project | None:
    """Return the known project that a new one proves to be, or None."""
    if not claims or not claims[0].proved:
        return None
    known = claims[0].known
    found = Project(known.slug, new.root, new.checkout, known=True, identity=known)
    found.notice = (
        f"using the memory {known.slug} from a new path ({claims[0].reason}); `memolith project unlink` "
        "separates them"
    )
    return found


def _nowhere(here: str = "") -> Project:
    if here and os.path.isdir(here):
        found = Project(UNKNOWN, "", None, notice=_NO_PROJECT)
        found.place = here
        return found
    notice = (
        "there is no project here, because the working directory is gone or cannot be read; only what is "
    )
    return Project(UNKNOWN, "", None, notice=notice + "remembered for all projects is at hand")


_NO_PROJECT = (
    "there is no project here: your home, / and /tmp are none; only what is kept for all projects is at hand "
    "(`memolith project name` makes it one, with its subfolders)"
)


def _no_projects() -> set[str]:
    """Return the directories that nobody means as a project: root, home, those for temporary files."""
    temporary = ("/tmp", "/var/tmp", os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - only compared
    places = ("/", os.path.expanduser("~"), *temporary)
    return {os.path.realpath(place) for place in places}


def _named_around(projects: str, here: str) -> list[tuple[str, Identity]]:
    """Return the folders around `here` that a person made a project with its subfolders, nearest first."""
    named = (each for each in identities(projects, holds="name: ") if each.name)
    found = [(path, each) for each in named for path in each.paths if _is_in(here, path)]
    return sorted(found, key=lambda pair: (-len(pair[0]), pair[1].slug))


def _around(everything: list[Identity], here: str, root: str, top: str) -> list[tuple[str, Identity]]:
    """Return the known paths around `here`, up to the top of its worktree; nearest first, root last."""
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
    """Return a new project, with a notice if a person may expect a memory here (rarely)."""
    notices = []
    broken = read_identity(projects, slug_of(new.root))
    if broken and broken.problem:
        new.broken = broken.problem
        notices.append(f"{broken.problem}; until that is repaired, this directory has a memory of its own")
    elif doubt:
        notices.append(
            f"{doubt}, so it is not looked into, no memory of it is opened, and this is a plain folder to "
            "memolith; `memolith project link NAME` in this directory opens one (`memolith project list`)"
        )
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
    """Return the slug of a store that is older than `project.yml` and belongs to this place, or nothing."""
    directory = os.path.join(projects, slug_of(place))
    has_no_name = is_directory(directory) and stat_of(os.path.join(directory, PROJECT_FILE)) is None
    return slug_of(place) if has_no_name else ""


def _is_empty(projects: str, slug: str) -> bool:
    """Whether another process is creating this store right now: it has nothing to leak yet."""
    try:
        return set(os.listdir(os.path.join(projects, slug))) <= {".tmp"}
    except OSError:
        return False


def _found(known: Identity, path: str, checkout: Checkout | None, doubt: str) -> Project:
    notice = f"{doubt}, so it is not looked into" if doubt and path not in known.linked else ""
    return Project(known.slug, path, checkout, known=True, identity=known, notice=notice)


def identities(
    projects: str, mentioned: tuple[str, ...] = (), *, holds: str = "", strict: bool = False
) -> Iterator[Identity]:
    """Yield every known project by slug, or only those that may mention one of the given paths.

    `holds` is a piece of the file that those have.

    Searching for a path is cheap compared with parsing, and every prompt from a subdirectory needs it.
    `strict` raises StorageError if one cannot be read, for callers that need all of them.
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
    mentioned = tuple(dict.fromkeys(map(veiled, mentioned)))  # usually all the same
    # Such characters may be escaped in the file; then every project is parsed.
    plain = all("\\" not in path and '"' not in path and path.isprintable() for path in mentioned)
    for slug in slugs:
        text = _read(tree, slug, strict=strict)
        if text is None or holds not in text:
            continue
        if mentioned and plain and not any(path in text for path in mentioned):
            continue
        yield parse_identity(slug, text)


def of_gone(projects: str, path: str) -> str:
    """Return the slug of the one project that a directory was of which is gone; empty if none, or several."""
    ways = [path]
    while ways[-1] != (above := os.path.dirname(ways[-1])) and not os.path.isdir(above):
        ways.append(above)
    known = identities(projects, tuple(ways))
    found = [
        each.slug for each in known if {*map(veiled, ways)} & {*each.paths, *each.former} - {*each.apart}
    ]
    return found[0] if len(found) == 1 and not os.path.isdir(path) else ""


def read_identity(projects: str, slug: str) -> Identity | None:
    """Return a project's identity; None if it has none. A broken one names no path, so nothing matches it."""
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
    """Parse the text of a `project.yml`."""
    from memolith.text import yaml

    try:
        return Identity(slug, yaml.parse(text))
    except yaml.YamlError as error:
        return Identity(slug, {}, f"{PROJECTS}/{slug}/{PROJECT_FILE}:{error.line}: {error.problem}")


def exists(projects: str, slug: str) -> bool:
    """Whether a project has a directory. The slug may be user input, even `..`."""
    return bool(slug) and _SLUG_CHARACTERS.issuperset(slug) and is_directory(os.path.join(projects, slug))


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _same_place(one: str, other: str) -> bool:
    """Whether two paths that differ only in case are the same directory (macOS, Windows)."""
    if one.casefold() != other.casefold():
        return False
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
