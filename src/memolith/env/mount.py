"""The part of a project's memory that is inside its repository, if a person keeps it there.

Then `.memolith/` of one checkout has their own notes, records and tickets, beside those of their colleagues;
everything else stays in the home, and what the home has comes first. Only a file of the home says so
(`shared/<slug>/place`), never one of the repository: that is somebody else's text. An entry there is one's
own while its hash is among those of what was written here (`shared/<slug>/known/`), and accepted while a
person's list has it (`accepted.txt` of the project). Any other is read as if its head said that it is from
outside, so no reader can take it for one's own.
"""

from __future__ import annotations

import errno
import os

from memolith.base import whole
from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.base.values import Source
from memolith.env.folders import Both, Folder
from memolith.env.git import mark_of
from memolith.env.paths import SHARED, Tree
from memolith.env.settings import open_regular
from memolith.text import source_label
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins

FOLDER = ".memolith"  # in the checkout
LIST = "accepted.txt"  # of a project, in the store
OWN, ACCEPTED, REFUSED = "own", "accepted", "refused"
_GONE = (
    "the checkout with this project's entries is not there any more; run `memolith project share` in the one "
    "that has them now, or `memolith project unshare --gone`"
)
_RESERVED = "MEMORY.md"  # a person's own page among the notes


def directory(home: str, slug: str) -> str:
    """Return where a home keeps what it knows about a shared project."""
    return os.path.join(home, "shared", slug)


class Mount:
    """The entries of one project inside its repository."""

    def __init__(self, home: str, slug: str) -> None:
        """Read where they are. FileNotFoundError if no file of the home says so."""
        self.slug, self.directory = slug, directory(home, slug)
        place = os.path.join(self.directory, "place")
        try:
            with open(place, "rb", buffering=0, opener=open_regular) as file:
                name, self._mark, top = os.fsdecode(file.read(65_536)).split("\n", 2)
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            why = OSError(
                errno.EINVAL, f"does not say where entries are ({error}); run `memolith project share`"
            )
            whole.note(place, why)
            raise StorageError(place, why) from error
        self.top = top.removesuffix("\n")
        self.path = os.path.join(self.top, FOLDER)
        self.temporary = f"{FOLDER}/{name}"  # which nobody can guess who has the repository
        self._store = os.path.join(home, "memory")
        self._decided: dict[str, str] | None = None
        self.list = f"projects/{slug}/{LIST}"  # the path in the store of what a person decided

    @property
    def tree(self) -> Tree:
        """The checkout. StorageError if it is no longer the one that the person chose."""
        now, mark = mark_of(self.top), self._mark
        # The number of a disk may change when the system starts.
        same = now == mark or (now.partition(".")[2] == mark.partition(".")[2] and not mark.endswith("."))
        if now and same:
            return Tree(self.top)
        error = OSError(errno.ESTALE, _GONE)
        whole.note(self.path, error)
        raise StorageError(self.path, error)

    def inside(self, relative: str) -> str:
        """Return the path in the checkout of a path in the store."""
        return f"{FOLDER}/{relative.split('/', 2)[2]}"

    def folder(self, tree: Tree, directory: str) -> Folder:
        """Open a directory of the store together with the one inside the repository."""
        first = None
        with suppress(FileNotFoundError):
            first = tree.own_folder(directory)
        try:
            other = self.labelled(self.tree.folder(self.inside(directory)))
        except FileNotFoundError:
            if first is None:
                raise
            return first
        except (StorageError, UnsafePathError):
            if first is None:
                raise
            return first  # it is noted that the answer lacks the other
        return other if first is None else Both(first, other, _RESERVED)

    def labelled(self, folder: Folder) -> Folder:
        """Return a directory of the repository, whose files say whose they are."""
        folder.label = self.label
        return folder

    def label(self, data: bytes) -> bytes:
        """Return the bytes of an entry, with a head that says whose it is unless it is one's own."""
        state = self.state(data)
        if state == OWN:
            return data
        text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        source = Source("imported", "repository", accepted=state == ACCEPTED)
        return source_label.with_fields(text, source).encode("utf-8", "surrogateescape")

    def state(self, data: bytes) -> str:
        """Return whose an entry is: `OWN`, or what a person decided about it, or nothing."""
        key = key_of(data)
        if os.path.exists(os.path.join(self.directory, "known", key)):
            return OWN
        if self._decided is None:
            rows = (Tree(self._store).read(self.list, cut=True) or b"").decode("utf-8", "replace").split("\n")
            pairs = (row.split(" ") for row in rows if row.startswith((ACCEPTED, REFUSED)))
            self._decided = {pair[1]: pair[0] for pair in pairs if len(pair) > 1}
        return self._decided.get(key, "")

    def read(self, relative: str) -> bytes | None:
        """Return an entry inside the repository as a reader gets it."""
        data = self.tree.read(self.inside(relative))
        return None if data is None else self.label(data)

    def files(self) -> builtins.list[str]:
        """Return the paths in the store of all entries inside the repository."""
        found, tree = [], self.tree
        for kind in SHARED:
            for at, _, names in tree.walk(f"{FOLDER}/{kind}"):
                below = at.removeprefix(FOLDER)
                found += [f"projects/{self.slug}{below}/{name}" for name in names if name != _RESERVED]
        return found


def key_of(data: bytes) -> str:
    """Return the hash by which an entry is known, whatever line endings git gave it."""
    return sha256(data.replace(b"\r\n", b"\n"))


def of(tree: Tree, relative: str) -> Mount | None:
    """Return where else there may be what is at a path of a store."""
    found = tree.mount(relative)
    return found if isinstance(found, Mount) else None


def locate(root: str, relative: str) -> str:
    """Return the location on disk of what is inside a repository; nothing if it is in the store."""
    tree = Tree(root)
    mount = of(tree, relative)
    if mount is None:
        return ""
    with suppress(FileNotFoundError, StorageError, UnsafePathError):
        place = tree.place(relative)
        return place.path if place.folder.label else ""
    return ""
