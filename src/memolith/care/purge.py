"""`scan --purge`: masks the secrets that a person or an older version brought into a home.

`PLACES` is the one table of what a home consists of and how each part is cleaned. Memory files are changed
through the gate, so that a save by hand is not lost, and no version that holds the secret stays. The bytes
go and the trail stays: which file changed when and by what can still be read and undone.
"""

from __future__ import annotations

import os

from memolith.base.errors import MemolithError
from memolith.base.values import Value
from memolith.care import mask as masking
from memolith.care.scan import Report, codec_of, name_kinds, scope_of, shown, walk
from memolith.env.paths import Place, Tree
from memolith.memory import note_index
from memolith.memory.sessions import mask_copy
from memolith.store import layout
from memolith.store.allow_list import allowed
from memolith.store.archive import Archive
from memolith.text.secrets.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.memory.home import Home

    Mask = Callable[[bytes], bytes]
    Clean = Callable[[Home, str, Mask], bool]


class Cleaned(Value):
    """A file that was masked or renamed: what it is called now, what was done, how many secrets it had."""

    action: str
    path: str
    secrets: int


def _memory(home: Home, path: str, mask: Mask) -> bool:
    return masking.mask_memory(home.gate, _below(path, str(home.root)), mask)


def _file(home: Home, path: str, mask: Mask) -> bool:
    history = os.path.join(home.path, "history")
    return masking.mask_file(Tree(history).place(_below(path, history)), mask)


def _settings(home: Home, path: str, mask: Mask) -> bool:
    return masking.mask_settings(home.path, path, mask)


# Where a path below the home begins, and how a file there is cleaned. The first that fits counts. What fits
# none is not ours, or is held open by its file (locks); it is only reported.
PLACES: tuple[tuple[str, Clean], ...] = (
    ("memory/", _memory),
    ("history/", _file),
    ("config.yml", _settings),
)


_SKILLS = "skills"
_FIXED = ("MEMORY.md", "SKILL.md")


class Cleaner:
    """What is looked for, and how it is taken out: secrets, if nothing else is said."""

    def __init__(self, home: Home, show: Callable[[int], None] = lambda _: None) -> None:
        self._home, self._show, self._looked = home, show, 0

    def count(self, path: str, data: bytes) -> int:
        """Return how often a file has it."""
        self._looked += 1
        self._show(self._looked)
        return len(redact(text_of(data), _allow(self._home, path), by_hand=True).findings)

    def mask(self, path: str) -> Mask:
        """Return what takes it out of the bytes of a file; bytes that are no text stay as they are."""
        return _mask(self._home, path)

    def copy(self, archive: Archive, name: str, *, dry: bool) -> int:
        """Take it out of the copy of a session; return how often it was there. `dry` only counts."""
        return 0 if dry else mask_copy(archive, name)

    def new_name(self, name: str) -> str:
        """Return what a file is called instead, without an ending; empty if its name does not have it."""
        kinds = name_kinds(name)
        return layout.file_name(f"secret {kinds[0]}") if kinds else ""


def purge(
    home: Home, tell: Callable[[str], None] = lambda _: None, show: Callable[[int], None] = lambda _: None
) -> list[Cleaned]:
    """Mask every secret of a home; return what was changed. What resists keeps nothing else from it.

    `tell` gets what resists, `show` how many files were looked at.
    """
    return clean(home, Cleaner(home, show), layout.scopes(home.path), tell)


def clean(
    home: Home, cleaner: Cleaner, scopes: list[str], tell: Callable[[str], None], *, dry: bool = False
) -> list[Cleaned]:
    """Clean the memory, history and sessions of some scopes, and the home's own files."""
    done: list[Cleaned] = []
    for scope in scopes:
        try:
            # Taking the lock turns what a crash left behind into versions.
            with home.gate.scope(scope):
                for tree in ("memory", "history"):
                    done += _clean_tree(home, tree, scope, cleaner, tell, dry=dry)
                done += _rename(home, scope, cleaner, tell, dry=dry)
                done += _sessions(home, scope, cleaner, dry=dry) if scope else []
        except MemolithError as error:
            tell(str(error))
    done += _clean_tree(home, "", "", cleaner, tell, dry=dry)
    if done and not dry:
        masking.drop_cache(home.path)
    return done


def _sessions(home: Home, scope: str, cleaner: Cleaner, *, dry: bool) -> list[Cleaned]:
    archive = Archive(home.path, scope)
    found = [(name, cleaner.copy(archive, name, dry=dry)) for name in archive.names()]
    return [
        Cleaned(path=archive.path(name), action="masked", secrets=count) for name, count in found if count
    ]


def _clean_tree(
    home: Home, tree: str, scope: str, cleaner: Cleaner, tell: Callable[[str], None], *, dry: bool = False
) -> list[Cleaned]:
    """Clean the files of one scope in the memory or the history; without a tree, the home's own files."""
    done = []
    for path in _files(home, tree, scope):
        how = next((how for start, how in PLACES if _below(path, home.path).startswith(start)), None)
        try:
            count = cleaner.count(path, Place.of(path).read() or b"") if how else 0
            if how and count and (dry or how(home, path, cleaner.mask(path))):
                done.append(Cleaned(path=shown(path), action="masked", secrets=count))
        except (MemolithError, OSError) as error:
            tell(str(error))
    return done


def _files(home: Home, tree: str, scope: str) -> list[str]:
    if not tree:
        return [each.path for each in os.scandir(home.path) if each.is_file(follow_symlinks=False)]
    top = os.path.join(home.path, tree, *filter(None, layout.scope_directory(scope).split("/")))
    if os.path.islink(top) or not os.path.isdir(top):
        return []
    found = list(walk(top, Report(lambda _: None)))
    return [path for path in found if scope_of(_below(path, home.path)) == scope]


def _rename(
    home: Home, scope: str, cleaner: Cleaner, tell: Callable[[str], None], *, dry: bool
) -> list[Cleaned]:
    """Give files whose name has it another one, in the memory and in the history."""
    done = []
    for relative in _named(home, scope):
        name = cleaner.new_name(os.path.basename(relative))
        if not name:
            continue
        fresh = relative
        try:
            if not dry:
                fresh = masking.rename(home.gate, relative, name)
                note_index.update_index(home.gate, scope, fresh if layout.notes(scope) in fresh else None)
        except MemolithError as error:
            tell(str(error))
            continue
        done.append(Cleaned(path=layout.locate(str(home.root), fresh), action="renamed", secrets=1))
    # The index lost a line with the old name; the copy of it that was kept has it too.
    again = done and not dry
    return [*done, *(_clean_tree(home, "history", scope, cleaner, tell) if again else [])]


def _named(home: Home, scope: str) -> list[str]:
    """Return the files of a scope that are called after what is in them, also those only the history has."""
    found = set()
    top = layout.scope_directory(scope)
    for tree in (Tree(str(home.root)), Tree(os.path.join(home.path, "history"))):
        for kind in [each.path for each in layout.KINDS if each.has_titles]:
            for directory, below, names in tree.walk(f"{top}/{kind}" if top else kind):
                # In the history, a file is a directory of its versions.
                found |= {f"{directory}/{name}" for name in [*names, *below] if name.endswith(".md")}
                if directory.endswith(_SKILLS):
                    found |= {f"{directory}/{name}" for name in below}
                below[:] = [name for name in below if not name.endswith(".md")]
    # Deeper ones first: their directory may get another name.
    rest = (path for path in found if os.path.basename(path) not in _FIXED)
    return sorted(rest, key=lambda path: (-path.count("/"), path))


def _below(path: str, top: str) -> str:
    return os.path.relpath(path, top).replace(os.sep, "/")


def _allow(home: Home, path: str) -> frozenset[str]:
    return allowed(str(home.root), scope_of(_below(path, home.path)))


def text_of(data: bytes) -> str:
    """Return the bytes of a file as text, of which nothing is lost."""
    return data.decode(codec_of(data), "surrogateescape" if codec_of(data) == "utf-8" else "surrogatepass")


def _mask(home: Home, path: str) -> Mask:
    """Return what masks the bytes of a file; bytes that are no text stay as they are."""
    allow = _allow(home, path)
    is_yaml = ".yml" in _below(path, home.path)

    def mask(data: bytes) -> bytes:
        text = redact(text_of(data), allow, by_hand=True).text
        codec = codec_of(data)
        errors = "surrogateescape" if codec == "utf-8" else "surrogatepass"
        return quote_markers(text, whole=is_yaml).encode(codec, errors)

    return mask


def quote_markers(text: str, *, whole: bool = False) -> str:
    """Quote a marker that is the value of a key in a note's head: in YAML, its bracket would begin a list.

    `whole`: all of the text is YAML.
    """
    from memolith.text.yaml import dump_scalar, split_key

    end = text.find("\n---", 3) if text.startswith("---") and not whole else -1
    head = text if whole else text[: end + 1] if end > 0 else ""
    lines = head.splitlines(keepends=True)
    for number, line in enumerate(lines):
        bare = line.strip()
        value = bare[2:].strip() if bare.startswith("- ") else (split_key(bare) or ("", ""))[1]
        if value.startswith(("[secret:", "[private]")):
            at = line.index(value)
            lines[number] = line[:at] + dump_scalar(value) + line[at + len(value) :]
    return "".join(lines) + text[len(head) :]
