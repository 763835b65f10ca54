"""The records that the block shows: what people, or their agents for them, asked to keep.

`asked.md` lists them. A preference that a person wrote as a file is shown without being listed: every file
that memolith writes names its source.
"""

from __future__ import annotations

from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.env.paths import Place, Tree
from memolith.store import files, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home

_HEAD = "# Asked to remember\n\nThe block shows these records. Delete a line to leave one out of it.\n\n"
_MOST = 40  # the newest that are shown
_PREFERENCES = "preferences"
_LOOKED_AT = 200  # the newest preferences, which a person may have written as files
_LIST_BYTES = 65_536
_HEAD_BYTES = 2_048  # in which a file of ours names its source


def show(home: Home, filename: str) -> None:
    """List a record among those that the block shows; its file stays the only place with the text."""
    relative = layout.below(home.store, filename, home.project)
    slug = layout.scope_of(relative)
    row = f"- {relative.removeprefix(layout.path(slug, 'records/'))}"

    def listed(old: str | None) -> str:
        rows = [line for line in (old or "").split("\n") if line.startswith("- ") and line != row]
        return _HEAD + "".join(f"{line}\n" for line in [*rows, row][-_MOST:])

    home.gate.rewrite(layout.path(slug, layout.ASKED), listed, op="remember", remember=False)


def preference(home: Home, relative: str, *, wanted: bool = True) -> None:
    """List a record if it is a preference that somebody records: it holds for every task."""
    if wanted and f"/{_PREFERENCES}/" in relative and not home.source.outside:
        show(home, layout.locate(home.store, relative))


def names(tree: Tree, slug: str) -> list[str]:
    """Return the records of a scope that the block shows, by their paths below `records/`, newest first."""
    listed = _listed(tree, slug)
    found = sorted(_preferences(tree, slug), key=lambda each: each[1:], reverse=True)
    names = [f"{_PREFERENCES}/{name}" for name, *_ in found[:_LOOKED_AT]]
    by_hand = [name for name in names if name not in listed and _is_by_hand(tree, slug, name)]
    return [*listed, *by_hand[:_MOST]]


def revision(tree: Tree, slug: str) -> object:
    """Return a value that changes when one of these records may have changed."""
    seen = [tree.stat(layout.path(slug, "records", each)) for each in _listed(tree, slug)]
    return [_preferences(tree, slug), *((each.st_ino, each.st_mtime_ns) if each else None for each in seen)]


def _listed(tree: Tree, slug: str) -> list[str]:
    with suppress(UnsafePathError, StorageError):  # `doctor` reports it
        text = files.text_of(tree.read_part(layout.path(slug, layout.ASKED), _LIST_BYTES, end=True)[0])
        return [line[2:] for line in reversed(text.split("\n")) if line.startswith("- ")]
    return []


def _preferences(tree: Tree, slug: str) -> list[tuple[str, int, int]]:
    """Return each preference in the home, with its time and size. In a repository they are anybody's."""
    found = []
    with suppress(FileNotFoundError, UnsafePathError, StorageError):
        for entry in tree.own_folder(layout.path(slug, "records", _PREFERENCES)).entries():
            if entry.name.endswith(".md") and not entry.name.startswith("."):
                with suppress(FileNotFoundError):
                    about = entry.stat(follow_symlinks=False)  # what is no file is named where it is opened
                    found.append((entry.name, about.st_mtime_ns, about.st_size))
    return found


def _is_by_hand(tree: Tree, slug: str, name: str) -> bool:
    with suppress(FileNotFoundError, UnsafePathError, StorageError):
        folder = tree.own_folder(layout.path(slug, "records", _PREFERENCES))
        head = Place(folder, name.rpartition("/")[2]).read_part(_HEAD_BYTES)[0]
        return not head.startswith(b"---") or b"\nsource:" not in head
    return False
