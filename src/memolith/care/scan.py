"""`scan`: finds secrets in a home, a folder or a text; and `allow`: the list of values that may stay.

A finding gives the place and the kind; no part of the value is ever shown, so paths are masked too.
"""

from __future__ import annotations

import os
from collections import Counter

from memolith.base.errors import InputError, NotFoundError, StorageError
from memolith.base.values import Value
from memolith.base.whole import NOT_FILES, note
from memolith.env.settings import open_regular
from memolith.memory import arguments
from memolith.memory.session_copies import secrets_of
from memolith.store import allow_list, layout, sharing
from memolith.store.allow_list import allowed
from memolith.store.archive import DAMAGED, SUFFIX, lines_of
from memolith.store.history import WRITTEN
from memolith.store.version import Entry
from memolith.text.secrets.redact import masked, redact
from memolith.text.secrets.tokens import slugged_tokens
from memolith.text.yaml import YamlError
from memolith.text.yaml_edit import set_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.memory.home import Home

    Tell = Callable[[int], None]

# Up to this size the scanner's time is linear, and its memory a small multiple of the size.
MAX_BYTES = 10_485_760
_GLANCE = 8192
_WHY = {
    "damaged": DAMAGED,
    "large": f"has more than {MAX_BYTES:,} bytes",
    "link": NOT_FILES[True],
    "special": NOT_FILES[False],
    "unreadable": "cannot be read",
}
# Derived from the files that are scanned anyway; copies of other programs' settings, kept to restore them.
_NOT_OURS = ("cache/", "models/", "state/installs/")
_TABLES = ".sqlite3"  # what is stored there was masked before
_SHORTEST = 6  # minimum letters of a typed hash
_BOMS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


class Leak(Value):
    """A secret: the file, the place in it (line 0: in the file's name), and its kind."""

    path: str
    line: int
    column: int
    kind: str

    def __str__(self) -> str:
        where = f"{self.line}:{self.column}" if self.line else "name"
        return f"{self.path}:{where} {self.kind}"


class Report:
    """The result of a scan: its findings, how many files it read, and what it skipped.

    `unread` is what it should have read, each with the reason; an answer lacks it.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.leaks: list[Leak] = []
        self.files = 0
        self.skipped: Counter[str] = Counter()
        self.unread: list[tuple[str, str]] = []

    def skip(self, reason: str, path: str, *, ours: bool) -> None:
        """Note what is not read. Outside of a memory, only what cannot be read is missed."""
        self.skipped[reason] += 1
        if ours or reason == "unreadable":
            self.unread.append((path, _WHY[reason]))
            note(shown(path), OSError(0, _WHY[reason]))

    def add(self, path: str, data: bytes, allow: frozenset[str], *, ours: bool = False) -> None:
        """Scan the bytes of a file. Outside of a memory, only text is scanned, and no part is private."""
        if not ours and _is_binary(data):
            self.skipped["binary"] += 1
            return
        self.files += 1
        self._tell(self.files)
        text = data.decode(codec_of(data), "replace")
        for line, column, kind in located(text, allow):
            if ours or kind != "private":
                self.leaks.append(Leak(path=shown(path), line=line, column=column, kind=kind))

    def add_copy(self, path: str, lines: list[str], allow: frozenset[str], *, ours: bool) -> None:
        """Scan a session copy."""
        self.files += 1
        self._tell(self.files)
        for line, kind in secrets_of(lines, allow):
            if ours or kind != "private":
                self.leaks.append(Leak(path=shown(path), line=line, column=1, kind=kind))

    def add_name(self, path: str) -> None:
        """Scan the last part of a path."""
        for kind in name_kinds(os.path.basename(path)):
            self.leaks.append(Leak(path=shown(path), line=0, column=0, kind=kind))


def located(text: str, allow: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and kind of each secret in a text, in its order."""
    line, at = 1, 0
    for finding in redact(text, allow, by_hand=True).findings:
        line, at = line + text.count("\n", at, finding.start), finding.start
        yield line, at - text.rfind("\n", 0, at), finding.kind


def codec_of(data: bytes) -> str:
    """Return the encoding, judged by the first bytes of a text."""
    return next((codec for bom, codec in _BOMS if data.startswith(bom)), "utf-8")


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:_GLANCE] and codec_of(data) == "utf-8"


def shown(path: str) -> str:
    """Return a path that is safe to print: a name may be a secret itself."""
    return os.sep.join(_masked_name(part)[0] for part in path.split(os.sep))


def _masked_name(name: str) -> tuple[str, list[str]]:
    """Return a name without its secrets, and their kinds; one made of a text has lost capitals and signs."""
    stem = name.removesuffix(".md")
    spans = [(each.kind, each.start, each.end) for each in redact(stem).findings]
    spans = spans or sorted(slugged_tokens(stem), key=lambda span: span[1])[:1]
    return masked(stem, spans) + name[len(stem) :], [kind for kind, _, _ in spans]


def name_kinds(name: str) -> list[str]:
    """Return the kinds of secrets in a file's name; version names are memolith's own."""
    try:
        Entry(name)
    except ValueError:
        if name.startswith(WRITTEN):
            return []
        pieces = name.replace("%2F", "/").split("/")  # a temporary file is named after its target's path
        return [kind for piece in pieces for kind in _masked_name(piece)[1]]
    return []


def scan(home: Home, path: str | bytes | None, tell: Tell) -> Report:
    """Scan everything in a home, a file or folder, or the bytes of a text."""
    if path is None:
        return scan_home(home, tell)
    allow = allowed(home.store, home.project)
    report = Report(tell)
    if isinstance(path, bytes):
        report.add("-", path, allow)
        return report
    if not path.strip():
        raise InputError("PATH is empty; give a file or a folder")
    path = os.path.expanduser(path)
    top = os.path.realpath(path)  # a link is followed only if it is `path` itself
    if not os.path.exists(top):
        raise NotFoundError(f"{shown(path)}: there is no such file or folder; check the path")
    if not os.path.isdir(top):
        _look(report, path, top, allow)
        return report
    for place in walk(top, report):
        _look(report, os.path.normpath(os.path.join(path, os.path.relpath(place, top))), place, allow)
    return report


def scan_home(home: Home, tell: Tell = lambda _: None) -> Report:
    """Scan everything in a home, and what it has inside repositories, including file names."""
    report = Report(tell)
    if os.path.isdir(home.path):
        for place in walk(home.path, report, names=True, ours=True):
            relative = os.path.relpath(place, home.path).replace(os.sep, "/")
            if relative.startswith(_NOT_OURS) or _is_copy(relative):
                continue
            _look(report, place, place, allowed(home.store, scope_of(relative)), ours=True)
        for slug in layout.projects(home.path):
            try:
                mount = sharing.found(home.path, slug)
            except StorageError:
                report.skip("unreadable", layout.locate(home.store, layout.path(slug)), ours=True)
                continue
            if mount is None or os.path.islink(mount.path) or not os.path.isdir(mount.path):
                continue
            for place in walk(mount.path, report, names=True, ours=True):
                _look(report, place, place, allowed(home.store, slug), ours=True)
    return report


def _is_copy(relative: str) -> bool:
    """Whether a file is the copy of what was written last: none is kept of a text with a secret."""
    return relative.startswith("history/") and relative.rpartition("/")[2].startswith(WRITTEN)


def scope_of(relative: str) -> str:
    """Return the scope of a path below a home: memory and history have the same folders."""
    parts = relative.split("/")
    if parts[0] == "sessions":
        return parts[1]
    return parts[2] if len(parts) > 3 and parts[1] == "projects" else ""


def walk(top: str, report: Report, *, names: bool = False, ours: bool = False) -> Iterator[str]:
    """Yield the regular files below a folder. Links are not followed, git's own files are skipped.

    `names` are scanned, too; `ours` is a part of the memory.
    """
    try:
        with os.scandir(top) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        report.skip("unreadable", top, ours=ours)
        return
    for entry in found:
        if names:
            report.add_name(entry.path)
        if entry.is_symlink():
            report.skip("link", entry.path, ours=ours)
        elif entry.is_dir(follow_symlinks=False):
            if entry.name != ".git":
                yield from walk(entry.path, report, names=names, ours=ours)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path
        else:
            report.skip("special", entry.path, ours=ours)


def _look(report: Report, path: str, place: str, allow: frozenset[str], *, ours: bool = False) -> None:
    """Scan the file at `place` and report it as `path`; in a session copy, scan the decoded texts."""
    try:
        with open(place, "rb", buffering=0, opener=open_regular) as file:
            is_large = os.fstat(file.fileno()).st_size > MAX_BYTES
            data = file.read(_GLANCE) if is_large else file.readall()
    except OSError:
        report.skip("unreadable", path, ours=ours)
        return
    if is_large and (ours or not _is_binary(data)):
        report.skip("large", path, ours=ours and not place.endswith(_TABLES))
        return
    lines = lines_of(data) if place.endswith(SUFFIX) else None
    if lines is None and ours and place.endswith(SUFFIX):
        report.skip("damaged", path, ours=True)
    if lines is None:
        report.add(path, data, allow, ours=ours)
    else:
        report.add_copy(path, lines, allow, ours=ours)


# ---------------------------------------------------------------- the allow-list


class Allowed(Value):
    """The hashes of the values that a scope may store, and those that a call changed."""

    changed: list[str]
    hashes: list[str]
    scope: str  # the slug of the project; empty for all projects


def allow(home: Home, value: str | None, *, remove: bool, scope: str) -> Allowed:
    """Add a value to the list of a scope, or remove it (by value, or by at least six letters of its hash)."""
    if not arguments.is_user_wide(scope) and value is not None:
        home.register()
    slug = home.scope(scope)
    known = allow_list.listed(home.store, slug)
    if value is None:
        if remove:
            raise InputError("--disallow needs a VALUE; `memolith scan --allowed` lists the hashes")
        return Allowed(scope=slug, hashes=known, changed=[])
    if not value.strip():
        raise InputError("there is no value; give it as VALUE, or - to read it from standard input")
    changed = allow_list.hashes(value)
    if remove:
        changed = [each for each in known if each in changed] or _beginning(known, value.strip())
        known = [each for each in known if each not in changed]
    else:
        known = list(dict.fromkeys([*known, *changed]))
    place = allow_list.place(slug)

    def apply(old: str | None) -> str:
        start = old if old is not None else ("" if slug else allow_list.HEADER)
        try:
            return set_list(start, allow_list.KEY, known)
        except YamlError as error:
            raise InputError(f"{place}:{error.line}: {error.problem}; repair the file first") from None

    # Not in the history: `memolith scan --disallow` reverts it, and undo is for memories.
    home.gate.rewrite(place, apply, op=allow_list.KEY, remember=False)
    return Allowed(scope=slug, hashes=known, changed=changed)


def _beginning(known: list[str], text: str) -> list[str]:
    found = [each for each in known if len(text) >= _SHORTEST and each.startswith(text.lower())]
    if len(found) > 1:
        raise InputError(f"{len(found)} hashes begin with {text!r}; give more of it")
    if not found:
        raise NotFoundError("this value is not on the list; `memolith scan --allowed` shows the hashes")
    return found
