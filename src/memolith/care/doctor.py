"""`doctor`: finds problems in a store, and fixes those that can be fixed without losing anything."""

from __future__ import annotations

import codecs
import contextlib
import os
import shlex
import stat
import time
from functools import partial

from memolith.base.errors import ConfigError, MemolithError
from memolith.base.values import MAX_INJECT_BYTES, MAX_WRITE_BYTES, Value
from memolith.base.whole import Watch, stat_of
from memolith.care import doubled
from memolith.care.repeats import repeats
from memolith.care.scan import located
from memolith.env.identity import is_gone
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.env.project import PROJECT_FILE, parse_identity
from memolith.memory import note_index, note_links, strays
from memolith.memory.session_copies import secrets_of
from memolith.store import files, ignore, layout, locks, registry, repository
from memolith.store.allow_list import allowed
from memolith.store.archive import SUFFIX, Archive
from memolith.store.together import Command
from memolith.text import frontmatter
from memolith.text.safe import lookalikes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.env.paths import Place
    from memolith.memory.home import Home

_PATIENCE = 3.0  # seconds for secrets in session copies, which may take up gigabytes


class Finding(Value):
    """One problem: its kind, where it is, what to do, and whether `--fix` does it."""

    kind: str
    path: str
    message: str
    fixable: bool


class Checkup(Value):
    """The problems, the repairs, and the reasons why a repair failed."""

    findings: list[Finding]
    fixed: list[Finding]
    problems: list[str]


def check(home: Home, *, fix: bool = False) -> Checkup:
    """Look for problems; with `fix`, first make the safe repairs."""
    problems: list[str] = []
    fixed = repair(home, problems.append) if fix else []
    findings = examine(home)
    new = [each for each in dict.fromkeys(problems) if not any(one.message in each for one in findings)]
    return Checkup(findings=findings, fixed=fixed, problems=new)


def _found(kind: str, path: str, message: str, *, fixable: bool = False) -> Finding:
    return Finding(kind=kind, path=path, message=message, fixable=fixable)


def examine(home: Home) -> list[Finding]:
    """Return all problems, including those of other projects, in a stable order."""
    with Watch() as watch:
        findings = _findings(home)
    known = {os.path.join(home.store, finding.path) for finding in findings}
    for path, error in watch.errors.items():
        if path not in known:
            message = f"cannot be read ({error.strerror}); look at whose it is and who may read it"
            findings.append(_found("unreadable", path, message))
    return sorted(findings, key=lambda finding: (finding.path, finding.kind, finding.message))


def _findings(home: Home) -> list[Finding]:
    root = home.store
    findings = list(_config(home))
    if os.path.islink(root):
        return [*findings, _found("link", root, "the memory directory is a symbolic link; use a real one")]
    if os.path.isdir(root):
        findings += _tree(root)
        for scope in _scopes(home):
            repeated = partial(_repeats, home.today)
            for look in (_index, _hidden, _folders, _twins, repeated, partial(_identity, home)):
                with contextlib.suppress(MemolithError):  # reported as a link or as unreadable
                    findings += look(root, scope)
    return [*findings, *_above(home), *_sessions(home), *_locks(home), *_exposed(home), *_meaning(home)]


def _above(home: Home) -> Iterator[Finding]:
    """Find directories above the home in which others can put another home in its place."""
    place = os.path.dirname(os.path.realpath(home.path))
    while os.name == "posix" and place != os.path.dirname(place):
        found = stat_of(place)
        if found and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
            message = (
                f"other users can replace what is in it, your memory too; `chmod o-w {shlex.quote(place)}`"
            )
            yield _found("mode", place, message)
        place = os.path.dirname(place)


def _meaning(home: Home) -> Iterator[Finding]:
    """Find weights of the model that cannot be used."""
    from memolith.index.vectors import install, meaning

    path = ""
    try:
        path = install.find(home.settings)
        model = meaning.choose(home.settings)
        if model is not None:
            model.embed(["a question"])
    except MemolithError as error:
        if not path:
            return  # the settings are broken, which is a finding already
        yield _found("meaning", path, str(error).removeprefix(f"{path}: "))


def _exposed(home: Home) -> Iterator[Finding]:
    """Find a home inside a git checkout that does not ignore it."""
    if os.path.isdir(home.store) and (lines := ignore.exposed(home.path)):
        path = os.path.join(home.path, ".gitignore")
        message = f"lets git see personal memory; add to it: {' '.join(lines)}"
        yield _found("git", path, message)
    if inside := ignore.tracked(home.path):
        message = f"git keeps it, whatever is ignored: `git rm -r --cached {shlex.quote(inside)}` ends that"
        yield _found("git", home.path, message)


def _sessions(home: Home) -> Iterator[Finding]:
    """Find session copies of all projects that cannot be read or contain a secret.

    The search for secrets has a time limit, because a person is waiting; `scan` reads every copy.
    """
    until = time.monotonic() + _PATIENCE
    for scope in filter(None, layout.scopes(home.path, ("sessions",))):
        copies = Archive(home.path, scope)
        allow = allowed(home.store, scope)
        for name in copies.names():
            path = os.path.join("sessions", scope, f"{name}{SUFFIX}")
            try:
                lines = copies.read(name)
            except MemolithError as error:
                yield _found("unreadable", path, str(error))
                continue
            if lines is None:
                yield _found("unreadable", path, "is no session that can be read; delete it, or add it again")
            elif time.monotonic() < until:
                yield from (_secret(path, *each) for each in secrets_of(lines, allow))


def repair(home: Home, tell: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """Make the safe repairs; return what was repaired.

    A failed repair does not stop the others: `tell` receives the reason, and the finding remains.
    """
    before = [finding for finding in examine(home) if finding.fixable]
    steps = [partial(_mend, home, each) for each in before if each.kind in ("permissions", "lock")]
    with Command("fix"):
        for step in [*steps, *(partial(_tidy, home, scope) for scope in _scopes(home))]:
            try:
                step()
            except MemolithError as error:
                tell(str(error))
    left = {(finding.kind, finding.path, finding.message) for finding in examine(home)}
    return [each for each in before if (each.kind, each.path, each.message) not in left]


def _mend(home: Home, finding: Finding) -> None:
    """Repair one file."""
    if finding.kind == "lock":
        registry.remove_lock(home.path, os.path.basename(finding.path))
    else:
        files.make_private(Tree(home.store), finding.path)


def _tidy(home: Home, scope: str) -> None:
    """Repair the index of a scope and clean up its temporary files."""
    with home.gate.scope(scope):  # taking the lock moves stray temporary files into the history
        _drop_dangling(home, scope)


def _scopes(home: Home) -> list[str]:
    return [layout.USER, *layout.projects(home.path)]


def _config(home: Home) -> Iterator[Finding]:
    from memolith.env.settings import PROJECT_FILE

    path, root = home.settings.path, ""
    try:
        for key in home.settings.unknown_keys():
            yield _found("config", path, f"unknown setting {key!r}; it has no effect")
        root = home.identity.root  # resolving the project loads its settings file
    except ConfigError:
        pass
    for problem in home.settings.problems():
        yield _found("config", path, problem.removeprefix(f"{path}:").removeprefix(" "))
    home.settings.of_project()
    for problem in home.settings.ignored:
        yield _found("config", os.path.join(root, PROJECT_FILE), f"ignored: {problem}")


def _tree(root: str) -> Iterator[Finding]:
    tree = Tree(root)
    for directory, below, names in tree.walk():
        # Hidden files belong to others (`.git`), except our own temporary files.
        below[:] = [name for name in below if name == ".tmp" or not name.startswith(".")]
        with contextlib.suppress(FileNotFoundError, MemolithError):
            yield from _mode(tree.own_folder(directory).stat(), directory or ".", 0o700)
        for name in names:
            relative = f"{directory}/{name}" if directory else name
            if directory.endswith((".tmp", ".tmp/set")):
                message = "left by an interrupted write; --fix moves it into the history"
                if directory.endswith("/set"):
                    message = "left by an interrupted consolidation; --fix finishes it"
                yield _found("stray", relative, message, fixable=True)
                continue
            with contextlib.suppress(FileNotFoundError, MemolithError):
                yield from _file(root, tree.place(relative), relative)


def _mode(found: os.stat_result, relative: str, allowed: int) -> Iterator[Finding]:
    mode = stat.S_IMODE(found.st_mode)
    if os.name == "posix" and mode & ~allowed & 0o777:
        message = f"can be reached by other users (mode {mode:04o})"
        yield _found("permissions", relative, message, fixable=True)


def _file(root: str, place: Place, relative: str) -> Iterator[Finding]:
    found = place.stat()
    if found is None:
        return
    if stat.S_ISLNK(found.st_mode):
        yield _found("link", relative, "is a symbolic link; it is neither read nor written")
    elif not stat.S_ISREG(found.st_mode):
        yield _found("special", relative, "is not a regular file; it is never read")
    else:
        if place.folder.label is None:  # inside a repository, git sets the mode
            yield from _mode(found, relative, 0o600)
        if relative.endswith((".md", ".yml")):
            yield from _text(root, place, relative)


def _text(root: str, place: Place, relative: str) -> Iterator[Finding]:
    try:
        data, size = place.read_part(MAX_LOOK_BYTES)
    except MemolithError as error:
        yield _found("unreadable", relative, str(error))
        return
    try:
        # The part may end in the middle of a character.
        text, _ = codecs.utf_8_decode(data, "strict", size <= len(data))
    except UnicodeDecodeError as error:
        yield _found("encoding", relative, f"is not UTF-8 (byte {error.start}); save it as UTF-8")
        text = files.text_of(data)
    limit = MAX_INJECT_BYTES if relative == layout.MEMORY else MAX_WRITE_BYTES
    if size > limit and not relative.endswith("/raw_memories.md"):  # nobody reads that one as a whole
        message = f"has {size:,} bytes, more than the {limit:,} that can be shown; split it"
        if size > MAX_LOOK_BYTES:
            message += f" (doctor looked at the first {MAX_LOOK_BYTES:,} only)"
        yield _found("oversize", relative, message)
    if "\n<<<<<<< " in f"\n{text}" and "\n>>>>>>> " in text:
        yield _found("conflict", relative, "contains merge conflict markers; resolve them")
    secrets = list(located(text, allowed(root, layout.scope_of(relative))))
    problem = frontmatter.split(text).problem or _headless(relative, text)
    if problem and relative.endswith(".md"):
        if secrets:
            problem = "its head cannot be read"  # the parser's reason would show part of the line
        yield _found("frontmatter", relative, f"{problem}; it is treated as plain text")
    yield from (_secret(relative, line, kind) for line, _, kind in secrets)


def _headless(relative: str, text: str) -> str:
    """Return what is wrong with a note, a record or a ticket whose head has lost its beginning."""
    head, end, _ = text.partition("\n---\n")
    is_entry = any(f"/{each}/" in f"/{relative}" for each in ("notes", "records", "tickets"))
    if not (is_entry and end and not text.startswith("---")):
        return ""
    is_head = all(": " in row or row[:1] in "- " or row.endswith(":") for row in head.split("\n"))
    keys = {row.partition(":")[0] for row in head.split("\n")}
    is_ours = len(keys & {"id", "name", "type", "category", "scope", "title", "status", "created"}) > 1
    return "its head has lost its beginning, the line ---" if is_head and is_ours else ""


def _secret(path: str, line: int, kind: str) -> Finding:
    what = "is marked private" if kind == "private" else f"looks like a secret ({kind})"
    message = f"line {line}: {what}; `memolith scan --purge` masks it, `memolith scan --allow -` keeps it"
    return _found("secret", path, message)


def _index(root: str, scope: str) -> Iterator[Finding]:
    relative = layout.path(scope, layout.INDEX)
    names = note_index.note_files(root, scope)
    tree = Tree(root)
    if tree.mount(layout.path(scope, "notes")) is not None:
        return  # what is gone may be on another branch
    text = files.text_of(tree.read(relative) or b"")
    # Lines in a person's own words stay and are not reported.
    for name in sorted({note_links.target(row) or "" for row in note_links.dangling(text, names)}):
        yield _found("index", relative, f"lists {name}, which is gone", fixable=True)


def _drop_dangling(home: Home, scope: str) -> None:
    relative, names = layout.path(scope, layout.INDEX), note_index.note_files(str(home.root), scope)
    if Tree(home.store).mount(layout.path(scope, "notes")) is not None:
        return

    def apply(old: str | None) -> str | None:
        gone = set(note_links.dangling(old or "", names))
        rows = (old or "").splitlines(keepends=True)
        return old and "".join(row for row in rows if row.rstrip("\r\n") not in gone)

    home.gate.rewrite(relative, apply, op="fix")


def _hidden(root: str, scope: str) -> Iterator[Finding]:
    """Find entries of a repository that nobody sees, because the home has others of their names."""
    tree = Tree(root, alone=True)
    mount = repository.mount_of(Tree(root), layout.path(scope, "notes"))
    for relative in mount.files() if mount else ():
        if mount and tree.is_file(relative) and tree.read(relative) != mount.read(relative):
            message = f"hides another text of this name in {mount.path}; rename one of them"
            yield _found("hidden", relative, message)


def _folders(root: str, scope: str) -> Iterator[Finding]:
    for name, why in strays.strays(root, scope):
        yield _found("folder", layout.path(scope, "notes", name), why)


def _twins(root: str, scope: str) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for name in Tree(root).names(layout.path(scope, "notes")):
        other = seen.setdefault(lookalikes.look(name), name)
        if other != name:
            message = f"looks like {other} (case, look-alike letters); some file systems cannot hold both"
            yield _found("twin", layout.path(scope, "notes", name), message)


def _identity(home: Home, root: str, scope: str) -> Iterator[Finding]:
    relative = layout.path(scope, PROJECT_FILE)
    if not scope:
        return  # the user-wide memory needs none
    data = Tree(root).read(relative)
    if data is None:
        if scope == "default":
            message = "what was written without a directory; `memolith project adopt default` brings it in"
            yield _found("orphan", layout.path(scope), message)
            return
        yield _found("project", relative, "is missing; the next write in that project makes it")
        return
    known = parse_identity(scope, files.text_of(data))
    if known.problem:
        yield _found("project", relative, f"{known.problem}; repair it, or the project is not found")
    elif any(map(os.path.isdir, known.paths)) and (message := doubled.told(home, known)):
        yield _found("project", relative, message)
    elif is_gone(known) and not home.identity.uses(scope):
        message = (
            f"no directory leads here any more (was {known.paths[-1]}); `memolith project move` or "
            f"`project adopt` brings it back, `project rm {scope}` deletes it"
        )
        yield _found("orphan", relative, message)


def _locks(home: Home) -> Iterator[Finding]:
    """Find lock files of deleted projects. A lock itself is never stale: the system releases it."""
    tree = files.state(home.path)
    ours = {"user.lock", "config.lock", "index.lock", "queue.lock", "hook-worker.lock", "vectors.lock"}
    known = ours | {f"{slug}.lock" for slug in _scopes(home)}
    try:
        found = tree.names(locks.DIRECTORY, "")
    except MemolithError as error:
        yield _found("lock", os.path.join(tree.root, locks.DIRECTORY), str(error))
        return
    for name in found:
        path = os.path.join(tree.root, locks.DIRECTORY, name)
        if not tree.is_file(f"{locks.DIRECTORY}/{name}"):
            yield _found("lock", path, "is not a regular file; move it out of the way")
        elif name.endswith(".lock") and name not in known:
            message = "belongs to no project, and goes unless somebody holds it"
            yield _found("lock", path, message, fixable=True)


def _repeats(today: str, root: str, scope: str) -> Iterator[Finding]:
    for relative, message in repeats(root, scope, today):
        yield _found("duplicate", relative, message)
