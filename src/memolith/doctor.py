"""`doctor`: finds what is wrong with a store, and repairs what can be repaired without losing anything."""

from __future__ import annotations

import os
import stat

from memolith import notes
from memolith.errors import ConfigError, MemolithError
from memolith.model import MAX_INJECT_BYTES, MAX_WRITE_BYTES, Value
from memolith.project import PROJECT_FILE, PROJECTS, parse_identity
from memolith.store import files, layout
from memolith.text import frontmatter, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.mem import Mem


class Finding(Value):
    """One thing that is wrong: what kind, where, what to do, and whether `--fix` does it."""

    __slots__ = ("fixable", "kind", "message", "path")
    kind: str
    path: str
    message: str
    fixable: bool


def _found(kind: str, path: str, message: str, *, fixable: bool = False) -> Finding:
    return Finding(kind=kind, path=path, message=message, fixable=fixable)


def examine(mem: Mem) -> list[Finding]:
    """Return everything that is wrong, all projects included, in a stable order."""
    root = str(mem.root)
    findings = list(_config(mem))
    if os.path.islink(root):
        return [*findings, _found("link", root, "the memory directory is a symbolic link; use a real one")]
    if os.path.isdir(root):
        findings += _tree(root)
        for scope in scopes(root):
            findings += _index(root, scope)
            findings += _twins(root, scope)
            if scope:
                findings += _identity(root, scope)
        findings += _repeats(root)
    return sorted(findings, key=lambda finding: (finding.path, finding.kind, finding.message))


def repair(mem: Mem) -> list[Finding]:
    """Repair what is safe to repair; return what was repaired."""
    root = str(mem.root)
    before = [finding for finding in examine(mem) if finding.fixable]
    for finding in before:
        if finding.kind == "permissions":
            path = layout.locate(root, finding.path) if finding.path != "." else root
            with files.told(path):
                os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)
    for scope in scopes(root):
        with mem.gate.scope(scope):  # taking the lock puts stray temporary files into the history
            notes.update_index(mem.gate, scope)
    left = {(finding.kind, finding.path, finding.message) for finding in examine(mem)}
    return [each for each in before if (each.kind, each.path, each.message) not in left]


def scopes(root: str) -> list[str]:
    """Return the user-wide scope and every project's."""
    directory = os.path.join(root, PROJECTS)
    slugs = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    return [layout.USER, *(slug for slug in slugs if os.path.isdir(os.path.join(directory, slug)))]


def _config(mem: Mem) -> Iterator[Finding]:
    from memolith.config import TABLE

    path = mem.settings.path
    try:
        for key in mem.settings.unknown_keys():
            yield _found("config", path, f"unknown setting {key!r}; it has no effect")
        for row in TABLE:
            mem.settings.get(row[0])
    except ConfigError as error:
        yield _found("config", path, str(error))


def _tree(root: str) -> Iterator[Finding]:
    for directory, below, names in os.walk(root):
        below.sort()
        place = os.path.relpath(directory, root).replace(os.sep, "/")
        yield from _mode(directory, place, 0o700)
        for name in sorted([*names, *(n for n in below if os.path.islink(os.path.join(directory, n)))]):
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, root).replace(os.sep, "/")
            if os.path.basename(directory) == ".tmp":
                message = "left by an interrupted write; --fix moves it into the history"
                yield _found("stray", relative, message, fixable=True)
                continue
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                yield _found("link", relative, "is a symbolic link; it is neither read nor written")
            elif not stat.S_ISREG(mode):
                yield _found("special", relative, "is not a regular file; it is never read")
            else:
                yield from _mode(path, relative, 0o600)
                if name.endswith((".md", ".yml")):
                    yield from _file(path, relative)


def _mode(path: str, relative: str, allowed: int) -> Iterator[Finding]:
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    if os.name == "posix" and mode & ~allowed & 0o777:
        message = f"can be reached by other users (mode {mode:04o})"
        yield _found("permissions", relative, message, fixable=True)


def _file(path: str, relative: str) -> Iterator[Finding]:
    from memolith.text.secrets import redact

    try:
        data = files.read(path) or b""
    except MemolithError as error:
        yield _found("unreadable", relative, str(error))
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield _found("encoding", relative, f"is not UTF-8 (byte {error.start}); save it as UTF-8")
        text = files.text_of(data)
    limit = MAX_INJECT_BYTES if relative == layout.MEMORY else MAX_WRITE_BYTES
    if len(data) > limit:
        message = f"has {len(data):,} bytes, more than the {limit:,} that can be shown; split it"
        yield _found("oversize", relative, message)
    if "\n<<<<<<< " in f"\n{text}" and "\n>>>>>>> " in text:
        yield _found("conflict", relative, "contains merge conflict markers; resolve them")
    problem = frontmatter.split(text).problem
    if problem and relative.endswith(".md"):
        yield _found("frontmatter", relative, f"{problem}; it is treated as plain text")
    for finding in redact(text).findings:
        line = text.count("\n", 0, finding.start) + 1
        yield _found("secret", relative, f"line {line}: looks like a {finding.kind}; remove it")


def _index(root: str, scope: str) -> Iterator[Finding]:
    relative = layout.index(scope)
    path = layout.locate(root, relative)
    present = set(notes.note_files(root, scope))
    try:
        text = files.text_of(files.read(path) or b"")
    except MemolithError:
        return  # reported as a link
    listed = [target for line in text.splitlines() if (target := notes.link_target(line))]
    for name in sorted(set(listed) - present):
        yield _found("index", relative, f"lists {name}, which is gone", fixable=True)
    for name in sorted(present - set(listed)):
        yield _found("index", relative, f"does not list {name}", fixable=True)
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield _found("index", relative, f"lists {name} more than once", fixable=True)


def _twins(root: str, scope: str) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for name in files.names(layout.locate(root, layout.notes(scope))):
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            message = f"differs from {other} only in case; some file systems cannot hold both"
            yield _found("twin", f"{layout.notes(scope)}/{name}", message)


def _identity(root: str, scope: str) -> Iterator[Finding]:
    relative = f"{layout.scope_directory(scope)}/{PROJECT_FILE}"
    try:
        data = files.read(layout.locate(root, relative))
    except MemolithError:
        return  # reported as a link
    if data is None:
        yield _found("project", relative, "is missing; the next write in that project makes it")
        return
    known = parse_identity(scope, files.text_of(data))
    if known.problem:
        yield _found("project", relative, f"{known.problem}; repair it, or the project is not found")
    elif known.paths and not any(os.path.isdir(path) for path in known.paths):
        message = (
            f"no directory leads here any more (was {known.paths[-1]}); `memolith project move` or "
            "`memolith project adopt` brings it back"
        )
        yield _found("orphan", relative, message)


def _repeats(root: str) -> Iterator[Finding]:
    """Lines of MEMORY.md that say the same but for case and punctuation."""
    try:
        text = files.text_of(files.read(layout.locate(root, layout.MEMORY)) or b"")
    except MemolithError:
        return
    seen: dict[str, int] = {}
    for number, line in enumerate(markdown.presentable(text).splitlines(), 1):
        if line.startswith("#"):
            continue
        key = " ".join("".join(c if c.isalnum() else " " for c in line.casefold()).split())
        if key and seen.setdefault(key, number) != number:
            yield _found("duplicate", layout.MEMORY, f"says twice: {line.strip()[:60]!r}; keep one")
