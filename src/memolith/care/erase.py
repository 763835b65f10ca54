"""Forgetting a fact: every line that has it goes, from memory, history and the copies of sessions.

It cannot be undone, because nothing of it is left; what other programs keep is theirs. The lines are kept as
hashes, so that an import does not bring them back (`store.forgotten`).
"""

from __future__ import annotations

from memolith.base.errors import InputError
from memolith.care import purge
from memolith.care.purge import Cleaned
from memolith.env.project import PROJECTS, read_identity
from memolith.memory.sessions import change_copy
from memolith.store import layout, receipts, tombstones
from memolith.store.screen import quoted
from memolith.text import frontmatter
from memolith.text.yaml import dump_scalar, split_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.care.purge import Mask
    from memolith.memory.home import Home
    from memolith.store.archive import Archive

_LEAST = 4
_FORGOTTEN = "forgotten"
_AS_A_WHOLE = "/items/"  # values of programs: a line less, and they could not be read any more


class Eraser(purge.Cleaner):
    """Takes out the lines that have a text, and remembers them by their hashes."""

    def __init__(self, home: Home, text: str) -> None:
        super().__init__(home)
        self._text = tombstones.folded(text)
        plain = "".join(char if char.isascii() and char.isalnum() else " " for char in self._text)
        self.in_names = "-".join(plain.split())  # as `layout.file_name` spells it
        if len(self.in_names) < _LEAST:
            self.in_names = ""
        if len(self._text) < _LEAST or "\n" in text.strip():
            raise InputError(
                f"{quoted(text)}: give a part of one line, at least {_LEAST} characters, that is in what you "
                "want forgotten and in nothing else"
            )
        self.keys: set[str] = set()

    def has(self, line: str) -> bool:
        """Tell whether a line has the text, or the name of a file that is called so."""
        said = tombstones.folded(line)
        return self._text in said or ("-" in self.in_names and f"{self.in_names}.md" in said)

    def without(self, text: str, instead: str | None = None) -> str:
        """Return a text without the lines that have it."""
        if not self.has(text):
            return text
        self.keys.update(tombstones.key(line) for line in text.split("\n") if self.has(line))
        return tombstones.changed(text, self.has, instead)

    def count(self, path: str, data: bytes) -> int:
        """Return how many lines of a file have it; a look is enough to know their hashes."""
        if path.endswith((".yml", tombstones.PLACE)) or "/project.yml/" in path:
            return 0  # identities and settings are not what somebody said
        lines = [line for line in purge.text_of(data).split("\n") if self.has(line)]
        self.keys.update(map(tombstones.key, lines))
        return len(lines)

    def mask(self, path: str) -> Mask:
        """Return what takes the lines out of a file."""

        def mask(data: bytes) -> bytes:
            text = purge.text_of(data)
            if _AS_A_WHOLE in path and self.count(path, data):
                self.without(text)
                return b""
            return self._in_document(text).encode("utf-8", "surrogateescape")

        return mask

    def _in_document(self, text: str) -> str:
        """Take it out of a document; one that nothing is left of but its head is gone."""
        parts = frontmatter.split(text)
        body = self.without(parts.body)
        if parts.body.strip() and not body.strip() and parts.head:
            self.without(parts.head)
            return ""
        head = []
        for line in parts.head.split("\n"):
            if not self.has(line):
                head.append(line)
                continue
            self.keys.add(tombstones.key(line))
            name = (split_key(line) or ("", ""))[0]
            if name:
                head.append(f"{name}: {dump_scalar(tombstones.INSTEAD)}")
        return "\n".join(head) + body

    def new_name(self, name: str) -> str:
        """Return what a file is called instead of after what is forgotten."""
        return _FORGOTTEN if self.in_names and self.in_names in name.casefold() else ""

    def copy(self, archive: Archive, name: str, *, dry: bool) -> int:
        """Take it out of the copy of a session; its turns keep their numbers."""
        return change_copy(archive, name, lambda text: self.without(text, tombstones.INSTEAD), dry=dry)


def erase(
    home: Home, eraser: Eraser, tell: Callable[[str], None], *, everywhere: bool = False, dry: bool = False
) -> list[Cleaned]:
    """Take a text out of this project and what is kept for all, or out of every project."""
    scopes = layout.scopes(home.path) if everywhere else [layout.USER, home.project]
    done = purge.clean(home, eraser, scopes, tell, dry=dry)
    for path, count in receipts.without(home.path, eraser.in_names, tell, dry=dry):
        done.append(Cleaned(path=path, action="masked", secrets=count))
    for name in receipts.names(home.path, receipts.SUMMARY):
        *about, waiting = receipts.noted(home.path, name)[1] or [""]
        count = eraser.count(name, waiting.encode())
        if count and not dry:
            receipts.note(home.path, name, *about, eraser.without(waiting, tombstones.INSTEAD))
        done += (
            [Cleaned(path=receipts.path(home.path, name), action="masked", secrets=count)] if count else []
        )
    if eraser.keys and not dry:
        tombstones.keep(home.gate, eraser.keys)
    return done


def named_so(home: Home, eraser: Eraser, *, everywhere: bool) -> list[str]:
    """Return what stays: the identities of projects whose folder is called so, by which they are found."""
    slugs = [slug for slug in layout.scopes(home.path) if slug and (everywhere or slug == home.project)]
    left = [slug for slug in slugs if eraser.has(slug) or eraser.has(_identity(home, slug))]
    return [
        f"projects/{slug}: the project's folder is called so, and its name stays in project.yml, its history "
        "and its lock, for the project is found by it; rename the folder and remove the project to lose it"
        for slug in left
    ]


def _identity(home: Home, slug: str) -> str:
    known = read_identity(str(home.root / PROJECTS), slug)
    return "\n".join([*known.paths, *known.origins]) if known else ""
