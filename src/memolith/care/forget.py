"""Forgetting a fact: deletes every line with it from memory, history, session copies and learned text.

This cannot be undone, because nothing remains; other programs' data is not touched. Hashes of the lines are
kept, so that an import does not bring them back (`store.tombstones`).
"""

from __future__ import annotations

import os
import re
from unicodedata import normalize

from memolith.base.errors import InputError, NotFoundError
from memolith.base.values import Value
from memolith.care.erase import erase, text_of
from memolith.env.project import PROJECTS, read_identity
from memolith.learn.queue.queue import Queue
from memolith.memory.session_copies import change_copy
from memolith.store import files, finals, layout, receipts, tombstones
from memolith.store.screen import quoted
from memolith.text import frontmatter
from memolith.text.safe.lookalikes import composed
from memolith.text.secrets.redact import redact
from memolith.text.yaml import dump_scalar, split_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.memory.home import Home
    from memolith.store.archive import Archive

_LEAST = 4
_CUT = 40  # characters of a name that may have been cut at its maximum length
_FULL = 47  # ... and of one that was cut inside or right after a word
_TOLD = 6  # letters that identify a word
_LONG_NAME = re.compile(r"[^\W_][\w-]{30,}")
_ESCAPED = re.compile(r'\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["\\/bfnrt])')
_ESCAPES = {"n": "\n", "r": "\n", "t": " ", "b": " ", "f": " "}
_FORGOTTEN = "forgotten"
_OURS = (
    "allow.yml",
    "config.yml",
    "project.yml",
    tombstones.PLACE,
)  # settings and identities: not statements
# Fields of a head that hold a word from one of our lists, or a date.
_OWN_KEYS = frozenset(
    [
        "origin",
        "taint",
        "accepted",
        "status",
        "type",
        "category",
        "scope",
        "temporal",
        "priority",
        "created",
        "updated",
        "expires",
        "valid_from",
        "valid_until",
    ]
)
_SHOWN = 20
_AS_A_WHOLE = "items"  # values of programs: unreadable with a line removed


class Forgotten(Value):
    """The number of deleted lines for each place below the home; and what may remain elsewhere.

    `lines` are some of them, with secrets masked; `inside` are longer words in which the text was found.
    """

    inside: list[str]
    lines: list[str]
    places: dict[str, int]
    problems: list[str]


def forget(home: Home, text: str, *, everywhere: bool = False, dry_run: bool = False) -> Forgotten:
    """Delete every line with `text` from this project and the user-wide memory, or from every project.

    The hashes of the lines are written first, so that an interruption cannot lose them with the lines.
    NotFoundError if no line matches.
    """
    fact = _Fact(home.path, text)
    problems: list[str] = []
    found = _everywhere(home, fact, problems.append, everywhere=everywhere, dry=True)
    if not found:
        also = "" if everywhere else "everywhere (CLI: --all) looks into the other projects, too, and "
        raise NotFoundError(f"no line that is kept has this text; {also}`memolith search` finds words of it")
    if not dry_run:  # what was found before is told: a file that is gone, or has another name, cannot say it
        problems.clear()
        tombstones.keep(home.gate, fact.keys)
        _everywhere(home, fact, problems.append, everywhere=everywhere, dry=False)
        tombstones.keep(home.gate, fact.keys)
        slugs = layout.scopes(home.path) if everywhere else [home.project]
        finals.note(home.path, slugs, "a forget", home.now())
    problems += _identities(home, fact, everywhere=everywhere)
    return Forgotten(
        places=_places(home, found), problems=problems, lines=fact.shown(), inside=fact.longer_words()
    )


def _places(home: Home, found: list[tuple[str, int]]) -> dict[str, int]:
    """Return the number of lines for each place below the home; all versions of a file are one place."""
    places: dict[str, int] = {}
    for path, lines in found:
        place = os.path.relpath(path, home.path)
        place = os.path.dirname(place) if place.startswith("history") else place
        places[place] = places.get(place, 0) + lines
    return places


def _everywhere(
    home: Home, fact: _Fact, tell: Callable[[str], None], *, everywhere: bool, dry: bool
) -> list[tuple[str, int]]:
    """Process everything that is stored; return each file with the fact, and its number of lines."""
    learned = _learned(home, fact, everywhere=everywhere, dry=dry)
    here = [] if home.is_nowhere else [home.project]
    scopes = layout.scopes(home.path) if everywhere else [layout.USER, *here]
    erased = list(erase(home, fact, scopes, tell, dry=dry))
    found = [(path, count) for path, count, named in erased if not named]
    found += [(path, 1) for path, _, named in erased if named and path not in dict(found)]
    found += receipts.blank_names(home.path, fact.is_in_name, tell, dry=dry)
    for name in receipts.names(home.path, receipts.SHOWN):
        lines = receipts.read_note(home.path, name)[1]
        rest = [line for line in lines if not fact.has(line)]
        if len(rest) < len(lines) and not dry:
            receipts.note(home.path, name, *rest)
        found += [(receipts.path(home.path, name), len(lines) - len(rest))] if len(rest) < len(lines) else []
    for name in receipts.names(home.path, receipts.SUMMARY):
        *about, waiting = receipts.read_note(home.path, name)[1] or [""]
        count = fact.count(name, waiting.encode())
        if count and not dry:
            receipts.note(home.path, name, *about, fact.without(waiting, tombstones.INSTEAD))
        found += [(receipts.path(home.path, name), count)] if count else []
    return [*found, *learned, *_logged(home, fact, dry=dry)]


def _logged(home: Home, fact: _Fact, *, dry: bool) -> Iterator[tuple[str, int]]:
    """Delete it from the logs, which name sessions."""
    state = files.state(home.path)
    for name in state.names("log", ""):
        place = state.place(f"log/{name}")
        lines = text_of(place.read() or b"").split("\n")
        rest = [line for line in lines if not fact.is_named(line)]
        if len(rest) < len(lines):
            if not dry:
                files.overwrite(place, "\n".join(rest).encode("utf-8", "surrogateescape"))
            yield place.path, len(lines) - len(rest)


def _learned(home: Home, fact: _Fact, *, everywhere: bool, dry: bool) -> list[tuple[str, int]]:
    """Delete it from text that was extracted from sessions and waits for consolidation."""
    lines = 0

    def change(text: str) -> str:
        nonlocal lines
        lines += sum(map(fact.has, text.split("\n")))
        rest = fact.without(text)
        return text if dry else rest

    def rename(session: str) -> str:
        nonlocal lines
        agent, dash, called = session.partition("-")
        new = fact.new_id(called)
        lines += new != called
        return session if dry else f"{agent}{dash}{new}"

    with Queue(home.path, home.settings, home.now) as queue:
        queue.erase(None if everywhere else home.project, change, rename)
        return [(queue.database.path, lines)] if lines else []


def _identities(home: Home, fact: _Fact, *, everywhere: bool) -> list[str]:
    """Return what stays: identities of projects whose folder has this name, which are needed to find them."""
    slugs = [slug for slug in layout.scopes(home.path) if slug and (everywhere or slug == home.project)]
    left = [slug for slug in slugs if fact.has(slug) or fact.has(_identity(home, slug))]
    return [
        f"projects/{slug}: the project's folder is called so, and its name stays in project.yml, its history "
        "and its lock, for the project is found by it; rename the folder and remove the project to lose it"
        for slug in left
    ]


def _identity(home: Home, slug: str) -> str:
    known = read_identity(os.path.join(home.store, PROJECTS), slug)
    return "\n".join([*known.paths, *known.origins]) if known else ""


class _Fact:
    """The lines with a text; collects their hashes wherever they are found."""

    def __init__(self, home: str, text: str) -> None:
        self._home = home
        self._text = _folded(text)
        if len(self._text) < _LEAST or "\n" in text.strip():
            raise InputError(
                f"{quoted(text)}: give a part of one line, at least {_LEAST} characters, that is in what you "
                "want forgotten and in nothing else"
            )
        # An accent may be a separate character, which is missing in the name; some names have ASCII only.
        forms = (self._text, normalize("NFD", self._text))
        spelled = {_spelled(form, ascii_only=only) for form in forms for only in (False, True)}
        self._names = [name for name in spelled if len(name) >= _LEAST]
        self.keys: set[str] = set()
        self._seen: dict[str, None] = {}  # the lines, in the order in which they were found

    def shown(self) -> list[str]:
        """Return some of the lines, without secrets."""
        return [redact(each).text for each in list(self._seen)[:_SHOWN]]

    def longer_words(self) -> list[str]:
        """Return the longer words in which the text was found: perhaps nobody meant them."""
        words = re.compile(rf"\w*{re.escape(self._text)}\w*")
        found = dict.fromkeys(each for line in self._seen for each in words.findall(_folded(line)))
        return [each for each in found if each != self._text][:_SHOWN]

    def has(self, line: str) -> bool:
        """Whether a line has the text, plain or escaped as in JSON, or the name of a file named after it."""
        folded = _folded(line)
        if self._text in folded or any("-" in name and f"{name}.md" in folded for name in self._names):
            return True
        if any(map(self._is_cut, _LONG_NAME.findall(folded))):
            return True
        inside = _unescaped(line)
        return inside != line and any(map(self.has, inside.split("\n")))

    def is_named(self, line: str) -> bool:
        """Whether a line of a head or a log contains it; files and sessions are named there."""
        return self.has(line) or any("-" in name and name in _folded(line) for name in self._names)

    def _is_in_head(self, line: str) -> bool:
        """Whether a line of a head contains it in somebody's words, not in ours: `imported` is no port."""
        return (split_key(line) or ("", ""))[0] not in _OWN_KEYS and self.is_named(line)

    def is_in_name(self, name: str) -> bool:
        """Whether the name of a file, a folder or a session contains it, or a truncated form of it."""
        both = [_spelled(_folded(name), ascii_only=only) for only in (False, True)]
        is_in = self._text in _folded(name) or any(each in form for each in self._names for form in both)
        return is_in or self._is_cut(_spelled(_folded(os.path.splitext(name)[0])))

    def _is_cut(self, name: str) -> bool:
        """Whether a name of maximum length, perhaps numbered, was cut inside of the text."""
        bare = name.rstrip("0123456789").rstrip("-") if name[-1:].isdigit() else name
        return any(
            (max(len(each), len(each.encode()) // 2) >= _CUT and long.startswith(each))
            or (len(each) >= _FULL and _ends_in(each, long))
            for long in self._names
            for each in (name, bare)
        )

    def without(self, text: str, instead: str | None = None) -> str:
        """Return a text without the matching lines."""
        if not self.has(text):
            return text
        lines = [line for line in text.split("\n") if self.has(line)]
        self.keys.update(map(tombstones.key, lines))
        self._seen.update(dict.fromkeys(line.strip() for line in lines))
        return tombstones.changed(text, self.has, instead)

    def count(self, path: str, data: bytes) -> int:
        """Return the number of matching lines in a file; this also collects their hashes."""
        kind, *names = self._inside(path)
        if kind in _OURS:
            return 0
        parts = frontmatter.split(text_of(data))
        lines = [line for line in parts.head.split("\n") if self._is_in_head(line)]
        lines += [line for line in parts.body.split("\n") if self.has(line)]
        self.keys.update(map(tombstones.key, lines))
        self._seen.update(dict.fromkeys(line.strip() for line in lines))
        # The name of a value is its key, which it contains.
        return len(lines) + (kind == _AS_A_WHOLE and bool(data) and any(map(self.is_in_name, names[:1])))

    def change(self, path: str, data: bytes) -> bytes:
        """Return a file without the matching lines; a value is deleted as a whole."""
        text = text_of(data)
        if self._inside(path)[0] == _AS_A_WHOLE and self.count(path, data):
            self.without(text)
            return b""
        is_titled = self._inside(path)[0] == "tickets"  # which may have no text from the beginning
        return self._in_document(text, is_titled=is_titled).encode("utf-8", "surrogateescape")

    def _inside(self, path: str) -> list[str]:
        """Return the parts of a path below its scope: first a kind of memory, or the file itself."""
        parts = os.path.relpath(path, self._home).split(os.sep)
        parts = parts[1:] if parts[0] in ("memory", "history") else parts
        return parts[2:] if parts[0] == PROJECTS and len(parts) > 2 else parts

    def _in_document(self, text: str, *, is_titled: bool) -> str:
        """Delete it from a document; one with only its head left is deleted, unless it has a title."""
        parts = frontmatter.split(text)
        body = self.without(parts.body)
        is_titled = is_titled and not self.has(parts.get("title"))
        if parts.body.strip() and not body.strip() and parts.head and not is_titled:
            self.without(parts.head)
            return ""
        head = []
        for line in parts.head.split("\n"):
            if not self._is_in_head(line):
                head.append(line)
                continue
            self.keys.add(tombstones.key(line))
            name = (split_key(line) or ("", ""))[0]
            if name:
                head.append(f"{name}: {dump_scalar(tombstones.INSTEAD)}")
        return "\n".join(head) + body

    def new_name(self, name: str) -> str:
        """Return a neutral name for a file that is named after the text."""
        return _FORGOTTEN if self.is_in_name(name) else ""

    def new_id(self, session: str) -> str:
        """Return the id of a session, or a new one if it contains the text: an import finds it by that."""
        if not self.is_in_name(session):
            return session
        self.keys.add(tombstones.key(session))
        return tombstones.alias(session)

    def change_copy(self, archive: Archive, name: str, *, dry: bool) -> int:
        """Delete it from a session copy; the turns keep their numbers."""
        return change_copy(
            archive, name, lambda text: self.without(text, tombstones.INSTEAD), self.new_id, dry=dry
        )


def _ends_in(name: str, wanted: str) -> bool:
    """Whether a name ends in a prefix of another that is long enough to identify it."""
    _, found, rest = f"-{name}".rpartition(f"-{wanted[:_TOLD]}")
    return bool(found) and wanted[_TOLD:].startswith(rest)


def _folded(text: str) -> str:
    return tombstones.folded(composed(text))


def _spelled(text: str, *, ascii_only: bool = False) -> str:
    """Return a text as it appears in names: as in `layout.file_name`, or with other separators."""
    kept = (char if char.isalnum() and (char.isascii() or not ascii_only) else " " for char in text)
    return "-".join("".join(kept).split())


def _unescaped(line: str) -> str:
    """Undo one level of JSON and YAML escapes in a line; nested texts need several calls."""

    def meant(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPES.get(code, code)

    if "\\" not in line:
        return line
    plain = _ESCAPED.sub(meant, line)
    # Two escaped surrogates are one character.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
