"""Which files and texts hold memory: what search looks through and `list` names, without the indexes."""

from __future__ import annotations

from memolith.base.errors import MemolithError, StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.base.whole import Watch
from memolith.env.paths import Tree
from memolith.memory.daily import days
from memolith.memory.note_index import note_files
from memolith.memory.strays import report_strays
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.memory.home import Home

KINDS = ("memory", "note", "daily", "record", "ticket")
_INBOX = next(kind for kind in layout.KINDS if kind.path == "inbox")


class Listing(list[str]):
    """The names found; `missing` lists what could not be read."""

    def __init__(self, names: list[str], missing: list[str]) -> None:
        super().__init__(names)
        self.missing = missing

    @property
    def complete(self) -> bool:
        """Whether everything could be read."""
        return not self.missing


def listing(home: Home) -> Listing:
    """Return the sorted paths, relative to the store, of the memory files of a project and its user."""
    tree = Tree(home.store)
    with Watch() as watch:
        home.identity.report_unopened(home.store)
        found = sorted(name for name in searchable(home.store, home.project) if tree.is_file(name))
        return Listing(found, watch.missing)


def searchable(root: str, slug: str) -> Iterator[str]:
    """Yield the files that search and listing cover, without the indexes, which are not notes."""
    tree = Tree(root)
    for scope in (layout.USER, slug):
        for kind in layout.KINDS:
            if kind.recalled_as in KINDS and (scope or kind.user_wide):
                yield from _files(tree, scope, kind)
    if slug:
        yield layout.path(slug, layout.SCRATCHPAD)


def _files(tree: Tree, slug: str, kind: layout.Kind) -> list[str]:
    """Return the files of a kind; a directory that cannot be listed must not hide the others."""
    path = layout.path(slug, kind.path)
    if kind.is_file:
        return [path]
    if kind.path == "daily":
        return [f"{path}/{day}.md" for day in days(tree, slug)]
    if kind.path in ("memories", "records"):
        return list(_below(tree, path, flat=kind.path == "records"))
    if kind.path != "notes":
        return [f"{path}/{name}" for name in tree.listed(path)]
    with suppress(UnsafePathError, StorageError):  # noted where it was met
        report_strays(tree.root, slug)
        return [f"{path}/{name}" for name in note_files(tree.root, slug)]
    return []


def _below(tree: Tree, directory: str, *, flat: bool) -> Iterator[str]:
    """Yield the files below a directory; if they are `flat`, also a directory in the place of one."""
    for here, below, names in tree.walk(directory):
        below[:] = [name for name in below if not name.startswith(".")]
        names += [name for name in below if flat]
        yield from (f"{here}/{name}" for name in names if name.endswith(".md") and not name.startswith("."))
        for name in names:
            if name in layout.CATEGORIES:  # a link in the place of a directory: noted where it is met
                tree.listed(f"{here}/{name}")


def waiting(tree: Tree, slug: str) -> Iterator[str]:
    """Yield the texts that wait for a person."""
    for scope in (layout.USER, slug):
        yield from _files(tree, scope, _INBOX)


def sessions(home: Home) -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each session, without secrets, a turn per paragraph."""
    from memolith.memory import addresses
    from memolith.memory.sessions import Sessions

    for session in Sessions(home).list():
        uri = addresses.address("root", "sessions", session.name)
        with suppress(MemolithError):  # a damaged one is reported where it is read
            text = addresses.resolve(home, uri).text
            yield uri, without_secrets(home.store, layout.path(home.project, "sessions"), text)


def without_secrets(root: str, relative: str, text: str) -> str:
    """Return a text without what a person may have typed into it by hand."""
    from memolith.text.secrets.precheck import may_hold_secret

    if not may_hold_secret(text):
        return text
    from memolith.store.allow_list import allowed
    from memolith.text.secrets.redact import redact

    found = redact(text, by_hand=True)
    if found.findings:  # only then the lists of what is allowed are read
        found = redact(text, allowed(root, layout.scope_of(relative)), by_hand=True)
    return found.text
