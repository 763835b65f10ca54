"""Is this directory a project that we know? Whatever anybody can write proves nothing.

A stranger's archive can contain any address, path or link. The proof is the project's first commit, present
here. If the path held something else before, the history must contain that commit too; at a new path, the
origin must match as well. Without an origin, the old checkout must be gone, and this must be the same
directory or contain a later commit: the first one may come from a template that others share. Where no commit
is known (a plain folder), the folder itself must be the same. Everything else is offered to a person, who can
run `memolith project link`. For a public project, the history and the origin are enough: a clone has no more.
"""

from __future__ import annotations

import os

from memolith.env import git
from memolith.env.settings import owners
from memolith.text.secrets.veil import unveiled, veiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.env.git import Checkout
    from memolith.text.yaml import Node

    # Whether the history of a checkout contains a commit; None if that is not known yet.
    Prove = Callable[[Checkout, str], bool | None]

READ_SECONDS = 0.1  # a prompt waits this long
WRITE_SECONDS = 2.0
_UNMARKED = "-"
_OFF = "off"
_PATHS = ("paths", "linked", "apart", "lent", "former")
_KEYS = frozenset([*_PATHS, "name", "origins", "root_commit", "seen_commits", "marks", "memory"])


class Identity:
    """What we know about a project: the contents of its `project.yml`."""

    def __init__(self, slug: str, fields: dict[str, Node], problem: str = "") -> None:
        self.slug, self.problem = slug, problem
        self.others = {key: value for key, value in fields.items() if key not in _KEYS}  # such as `allow`
        self.name = "".join(_texts(fields.get("name"))[:1])  # given by a person: it has its subfolders, too
        self.paths = _texts(fields.get("paths"))
        self.origins = [veiled(each) for each in _texts(fields.get("origins"))]
        self.linked = _texts(fields.get("linked"))  # paths that a person linked; they need no evidence
        self.apart = _texts(fields.get("apart"))  # paths that a person unlinked; never adopted again
        self.lent = _texts(fields.get("lent"))  # paths that a person linked elsewhere; `unlink` returns them
        self.former = _texts(fields.get("former"))  # paths that it was moved from; sessions were held there
        self.commits = _texts(fields.get("root_commit"))  # several if a person linked another history
        self.seen = _texts(fields.get("seen_commits"))  # `newest`
        self.is_off = fields.get("memory") == _OFF  # a person switched memory off for it
        # The mark by which each path is recognised, in the order of the paths (`git.mark_of`).
        marks = fields.get("marks", "")
        pairs = zip(self.paths, marks.split()[1:] if isinstance(marks, str) else (), strict=False)
        self.marks = {path: mark for path, mark in pairs if mark != _UNMARKED}

    def fields(self) -> dict[str, Node]:
        """Return the contents for `project.yml`."""
        fields: dict[str, Node] = {
            "name": self.name,
            "paths": _written(self.paths),
            "origins": _written(self.origins),
            "root_commit": self.commits[0] if len(self.commits) == 1 else list(self.commits),
            "seen_commits": list(self.seen),
            "linked": _written(self.linked),
            "apart": _written(self.apart),
            "lent": _written(self.lent),
            "former": _written(self.former),
            "memory": _OFF if self.is_off else "",
        }
        if any(path in self.marks for path in self.paths):
            # A word, then decimals: this needs no quotes and does not look like a secret.
            fields["marks"] = " ".join(["inodes", *(self.marks.get(path, _UNMARKED) for path in self.paths)])
        return {key: value for key, value in fields.items() if value or key == "paths"}


def at_once(checkout: Checkout, commit: str) -> bool | None:
    """Search the history for as long as a reader can wait."""
    return checkout.commits.reaches(commit, READ_SECONDS)


def place_mark(path: str, checkout: Checkout | None) -> str:
    """Return the mark of a path: that of its repository, else of the folder."""
    return checkout.mark if checkout and checkout.root == path else git.mark_of(path)


def is_same(
    known: Identity, path: str, checkout: Checkout | None, prove: Prove, doubt: str = ""
) -> bool | None:
    """Whether a known path of a project still belongs to it; None if undecided."""
    seen = known.marks.get(path, "")
    if path in known.linked or not (known.origins or known.commits):
        return _is_same_folder(known, path, checkout, seen, doubt)
    if checkout is None or path != checkout.root:
        return False  # it is no longer a repository
    stays = bool(seen) and seen == checkout.mark
    if stays and not seen.endswith("."):
        return True  # the very same directory: its inode was not reused
    # Forks and projects from one template share history. A checkout that stays in place may gain an origin.
    if seen and (known.origins or not stays) and checkout.origin not in (known.origins or [""]):
        return False
    if not known.commits:  # a shallow clone
        return stays and checkout.origin in known.origins
    commit = _present(known, checkout)
    # A different directory at this path must prove as much as a new path would.
    if commit and seen and not stays:
        last = [] if known.origins else known.seen[-1:]
        return all(map(checkout.commits.has, last)) and prove(checkout, commit)
    return commit is not None


def _is_same_folder(known: Identity, path: str, checkout: Checkout | None, seen: str, doubt: str) -> bool:
    """Do the same for a linked path, or for one without commits and origin."""
    if checkout is None:
        # Without the device: its number may be another one after a restart.
        if seen and seen.partition(".")[2] == git.mark_of(path).partition(".")[2]:
            return True
        return not doubt and (path in known.linked or (not seen and is_ours(path)))
    is_linked, has_no_origin = path in known.linked, not checkout.origin
    if not seen:  # recorded before folders had marks
        return is_linked or has_no_origin
    if path != checkout.root:
        return seen == git.mark_of(path)
    if seen == checkout.mark or (is_linked and checkout.origin in known.origins):
        return True
    return has_no_origin and seen == git.mark_of(path)  # `git init` was run in it


def is_ours(path: str) -> bool:
    """Whether a folder is ours or root's; a missing folder counts as ours."""
    try:
        return os.stat(path).st_uid in owners() | {0} or not hasattr(os, "geteuid")
    except OSError:
        return True


class Claim:
    """A known project that a checkout resembles. `proved` is None while undecided."""

    __slots__ = ("known", "proved", "reason")

    def __init__(self, known: Identity, proved: bool | None, reason: str) -> None:
        self.known, self.proved = known, proved
        self.reason = reason  # what they share, in our words: theirs may be a stranger's


def claims(everything: list[Identity], checkout: Checkout, strangers: list[str], prove: Prove) -> list[Claim]:
    """Return what a checkout at a new path may be. At most one is proved, and comes first."""
    origin, found, moved = checkout.origin, list[Claim](), list[Claim]()
    for each in everything:
        if checkout.root in each.apart:
            continue
        if origin and origin in each.origins:
            found.append(Claim(each, _proved(each, checkout, prove), "same origin"))
        elif origin and origin in each.paths:
            found.append(Claim(each, _proved(each, checkout, prove), "a clone of it"))
        elif origin:
            found += _by_commit(each, checkout, strangers, prove)
        elif each.origins or each.slug in strangers:
            continue
        elif (commit := _present(each, checkout)) is not None:
            (moved if is_gone(each) else found).append(_without_origin(each, checkout, commit, prove))
    if len(moved) > 1:  # copies of one template: impossible to know which one this is
        for claim in moved:
            claim.proved = False
    found += moved
    first = next((claim for claim in found if claim.proved), None)
    return [first] if first else found


def renamed(everything: list[Identity], folder: str) -> list[Claim]:
    """Return the memories of folders without git that are gone, and of which one may be called so now."""
    mark = git.mark_of(folder)
    if not mark or mark.endswith("."):  # inodes are used again
        return []
    reason = "its folder is gone, and this may be it under another name"
    found = (each for each in everything if mark in each.marks.values() and folder not in each.apart)
    return [Claim(each, proved=False, reason=reason) for each in found if is_gone(each)]


def _without_origin(known: Identity, checkout: Checkout, commit: str, prove: Prove) -> Claim:
    reason = f"same first commit {commit[:12]}"
    if not is_gone(known):  # a copy of it, or something else is at its place now
        return Claim(known, proved=False, reason=reason)
    own = _is_its_own(known, checkout) and prove(checkout, commit)
    return Claim(known, own, f"{reason}, and its checkout is gone")


def _by_commit(known: Identity, checkout: Checkout, strangers: list[str], prove: Prove) -> list[Claim]:
    """Return what a checkout with an origin may be that the project is not known to have.

    One that had none when it was written may have got this one since. Else a person decides: a fork has the
    same history.
    """
    is_candidate = _may_be_renamed(known, checkout.origin) if known.origins else known.slug not in strangers
    commit = _present(known, checkout) if is_candidate else None
    if commit is None:
        return []
    for path in known.paths if not known.origins else ():
        there = git.find(path)
        if there and there.origin == checkout.origin and is_same(known, path, there, prove):
            return [Claim(known, _proved(known, checkout, prove), "same origin")]
    other = "another address" if known.origins else "and no address of it is known"
    return [Claim(known, proved=False, reason=f"same first commit {commit[:12]}, {other}")]


def are_one_repository(one: Identity, other: Identity) -> bool:
    """Whether two memories are of one repository, and nobody separated them: one came in an archive."""
    same = {*one.commits} & {*other.commits} and {*one.origins} & {*other.origins}
    return bool(same) and not ({*one.apart} & {*other.paths} or {*other.apart} & {*one.paths})


def _may_be_renamed(known: Identity, origin: str) -> bool:
    """Whether a repository may have got another address at the host where it was."""
    return bool(origin) and any(_host(origin) == _host(each) for each in known.origins)


def _host(origin: str) -> str:
    return origin.partition("/")[0]


def is_gone(known: Identity) -> bool:
    """Whether a project had checkouts and all of them are gone."""
    return bool(known.paths) and not any(os.path.isdir(path) for path in known.paths)


def _is_its_own(known: Identity, checkout: Checkout) -> bool:
    """Whether this is the project's former directory, or contains a commit made there later."""
    is_same = bool(checkout.mark) and checkout.mark in known.marks.values()
    return is_same or (len(known.seen) > 1 and checkout.commits.has(known.seen[-1]))


def newest(known: Identity, checkout: Checkout) -> list[str]:
    """Return the commits that identify a project without an origin after a move.

    The first one that was checked out, and a later one that nobody else has; it is kept while it exists.
    """
    seen = known.seen
    if checkout.origin or (len(seen) > 1 and checkout.commits.has(seen[-1])):
        return seen
    head = checkout.commits.head()
    return seen if not head or head in seen[:1] else [*seen[:1], head]


def _present(known: Identity, checkout: Checkout) -> str | None:
    return next((commit for commit in known.commits if checkout.commits.has(commit)), None)


def _proved(known: Identity, checkout: Checkout, prove: Prove) -> bool | None:
    # A lookup is cheap, so we walk no history for a project that this is not.
    commit = _present(known, checkout)
    return False if commit is None else prove(checkout, commit)


# A file name may be any bytes; YAML is text. A path that is not UTF-8 is stored as `hex:…`.


def _written(texts: list[str]) -> list[Node]:
    return [veiled(each) if _is_text(each) else f"hex:{os.fsencode(each).hex()}" for each in texts]


def _texts(node: Node | None) -> list[str]:
    nodes = node if isinstance(node, list) else [node]
    return [_read_text(each) for each in nodes if isinstance(each, str) and each]


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_text(text: str) -> str:
    try:
        return os.fsdecode(bytes.fromhex(text[4:])) if text.startswith("hex:") else unveiled(text)
    except ValueError:
        return text  # a host named `hex`
