"""A memory file in a person's editor: the file itself, without losing anything.

find the file → remember its bytes → run the editor, while the gate keeps what others write
→ is the result text? otherwise restore the bytes
→ merge concurrent changes that the editor overwrote → mask secrets
→ keep the old bytes in the history → show the changes as a diff
"""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from memolith.base import whole
from memolith.base.errors import InputError, MemolithError, NotFoundError
from memolith.base.values import Value
from memolith.env import programs
from memolith.env.mount import OWN
from memolith.env.paths import Tree
from memolith.memory import find as finding
from memolith.memory import note_index, notes
from memolith.memory.document import TEMPLATE, diff
from memolith.store import files, layout, repository
from memolith.store.allow_list import allowed
from memolith.store.screen import check, quoted
from memolith.text import frontmatter
from memolith.text.digest import sha256
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memolith.memory.home import Home
    from memolith.store.history import History

_REMOVED = {"rename": "renamed", "move": "moved", "reclassify": "moved"}
_UNIX = ("nano", "vim", "vi")


class Edited(Value):
    """The result of an edit: the diff (empty: no change), and messages about it."""

    code: int  # of the editor
    diff: str
    lost: bool  # no version from before could be kept
    name: str
    path: str
    warnings: list[str]

    @property
    def shown(self) -> str:
        """What happened, without the messages."""
        done = f"{self.name}: no change"
        if self.diff:
            done = f"Edited {self.name}{'' if self.lost else ' (`memolith undo` takes it back)'}"
        return "\n".join(filter(None, [self.diff, done]))

    def __str__(self) -> str:
        return "\n".join([self.shown, *(f"warning: {each}" for each in self.warnings)])


def find(home: Home, name: str | None) -> str:
    """Return the file that `name` means; without one, the index of the notes.

    The index and MEMORY.md are made if need be, so that a person has where to begin.
    """
    tree = Tree(home.store)
    if name is None:
        home.register()
        note_index.seed(home.gate, home.project)
        return layout.path(home.project, layout.INDEX)
    found = finding.find(home, name)
    if found.kind == "session":
        raise InputError(f"{found.name} is a session; it cannot be edited")
    if found.kind == "long_term" and tree.stat(layout.MEMORY) is None:
        home.gate.rewrite(layout.MEMORY, lambda old: TEMPLATE if old is None else old, op="write")
    if not tree.is_file(found.path):
        raise NotFoundError(f"there is no {found.name} yet; write to it first")
    return found.path


def command(environ: Mapping[str, str], platform: str, which: Callable[[str], str | None]) -> list[str]:
    """Return the editor with its arguments: $VISUAL, $EDITOR, else the system's; empty if there is none."""
    windows = platform == "win32"
    for name in ("VISUAL", "EDITOR"):
        if environ.get(name, "").strip():
            try:
                return shlex.split(environ[name], posix=not windows)
            except ValueError:
                return [environ[name]]
    found = [each for each in (("notepad",) if windows else _UNIX) if which(each)]
    return found[:1]


def run_editor(path: str, project: str = "") -> int:
    """Run the person's editor on a file, outside of the project, and wait; return its exit code."""
    words = command(os.environ, sys.platform, lambda name: programs.find(name, project))
    if not words:
        raise NotFoundError(f"no editor was found; set $EDITOR, or open the file yourself: {path}")
    program, why = programs.find(words[0], project), "it is not in PATH"
    try:
        if program:
            run = [program, *words[1:], path]
            return subprocess.call(run, cwd=os.path.dirname(path), env=programs.environment(project))
    except OSError as error:
        why = error.strerror or str(error)
    raise NotFoundError(
        f"the editor {quoted(words[0])} cannot be started ({why}); set $EDITOR to another, or "
        f"open the file yourself: {path}"
    )


def edit(home: Home, name: str | None = None, run: Callable[[str], int] | None = None) -> Edited:
    """Let a person edit a file: a note, a target, or (without a name) the index of the notes.

    `run` opens an editor on a path and returns its exit code. NotFoundError if the file or an editor is
    missing; nothing is created.
    """
    home = home.from_source("user")
    relative = find(home, name)
    path = layout.locate(home.store, relative)
    locked = partial(home.gate.scope, layout.scope_of(relative))
    with ExitStack() as stack:
        with locked():
            before = Tree(home.store).read(relative) or b""
            others = _others(stack, home, relative)
        code = run(path) if run else run_editor(path, home.identity.root)
        with locked():
            _claim(home, relative, before)
            with whole.Watch() as watch:
                warnings, base, after = _settle(home, relative, before, others())
            stack.close()
    if code:
        warnings.insert(0, f"the editor ended with exit code {code}")
    changed = diff(_text(base), _text(after), allowed(home.store, layout.scope_of(relative)))
    return Edited(code=code, name=relative, path=path, diff=changed, warnings=warnings, lost=bool(watch.lost))


def _others(stack: ExitStack, home: Home, relative: str) -> Callable[[], bytes | None]:
    """Return what tells what others wrote meanwhile; nothing where there can be no history (S0.27)."""
    try:
        return stack.enter_context(home.gate.history.opened(relative))
    except (OSError, MemolithError):
        return lambda: None


def _claim(home: Home, relative: str, before: bytes) -> None:
    """List what a person saved in place of their own entry in a repository: it is their own, too."""
    tree = Tree(home.store)
    mount = repository.mount_of(tree, relative)
    if mount is not None and mount.state(before) == OWN and (left := tree.place(relative).read(raw=True)):
        repository.claim(mount, left)


def _settle(home: Home, relative: str, before: bytes, theirs: bytes | None) -> tuple[list[str], bytes, bytes]:
    """Process the editor's result; return messages, and the bytes before and after."""
    gate, history = home.gate, home.gate.history
    left, wrong = _left(home, relative)
    removed = history.removed(relative)
    did = _REMOVED.get(removed, "deleted")
    if removed and left in (None, before):  # nothing was changed here, so what others did stands
        gate.rewrite(relative, lambda _: None, op="edit", remember=False)
        return [f"it was {did} meanwhile, and stays so"], before, before
    if left == theirs:
        theirs = None  # others wrote last, after the editor's save
    base = before if theirs is None else theirs
    if left == base:
        return [], base, base
    if wrong:
        if left:
            history.keep_copy(relative, _masked(left), "conflict")
        history.wrote(relative, left)
        gate.rewrite(relative, lambda _: _text(base), op="edit", remember=False)
        kept = f"; `memolith history {relative} --all` has what it left" if left else ""
        return [f"{wrong}, so the text from before is back{kept}"], base, base
    new, warnings = _with_theirs(history, relative, before, theirs, _text(left or b""))
    new = notes.followed(_text(base), new) if layout.is_note(relative) else new
    if removed:
        history.mark(relative, "edit", None, sha256(left))
        warnings.append(f"it was {did} meanwhile; your text is kept under the old name")
    elif new != _text(base):
        warnings += _keep(home, relative, base)
    history.wrote(relative, left)  # by hand, but this is noted
    done = gate.change(relative, new, lambda _, text: text, op="edit", remember=False, if_sha256=sha256(left))
    warnings += [each for each in done.warnings if each not in warnings]
    if _problem(new) and not _problem(_text(before)):
        warnings.append(f"its frontmatter cannot be read ({_problem(new)}); edit it again")
    return warnings, base, done.after or b""


def _with_theirs(
    history: History, relative: str, before: bytes, theirs: bytes | None, new: str
) -> tuple[str, list[str]]:
    """Return the editor's text with what others wrote meanwhile, and what to say about it."""
    if theirs is None:
        return new, []
    both = merged(_text(before), _text(theirs), new)
    if both is None:
        history.keep_copy(relative, theirs, "conflict")
        number = history.entries(relative)[-1].id
        return new, [
            "somebody else changed the same lines meanwhile; yours stand, and theirs are version "
            f"{number}: memolith history {relative} {number}"
        ]
    return both, ["what was written to it meanwhile was kept as well"] * (both != new)


def _keep(home: Home, relative: str, base: bytes) -> list[str]:
    """Keep the text from before; return a warning if that is impossible: the person's text stands."""
    try:
        home.gate.history.keep_copy(relative, base, "edit")
    except (OSError, MemolithError) as error:
        whole.note_lost(warning := f"the previous version could not be put into the history: {error}")
        return [warning]
    return []


def _left(home: Home, relative: str) -> tuple[bytes | None, str]:
    """Return the bytes after the edit, and what is wrong with them."""
    name = os.path.basename(relative)
    left = Tree(home.store).read(relative)
    if left is None:
        return None, f"{name} was gone after the editor closed"
    try:
        check(left.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        return left, f"{name} was not UTF-8 (byte {error.start}) after the editor closed"
    except MemolithError as error:
        return left, str(error)
    return left, "" if left.strip() else f"{name} was empty after the editor closed"


def _masked(data: bytes) -> bytes:
    """Mask the secrets in bytes that are not text, treating each byte as a character."""
    return redact(data.decode("latin-1")).text.encode("latin-1", "replace")


def _problem(text: str) -> str:
    return frontmatter.split(text).problem or ""


def _text(data: bytes) -> str:
    return files.text_of(data, files.EXACT)


Hunk = tuple[int, int, tuple[str, ...]]  # start line, end line, replacement


def merged(base: str, one: str, other: str) -> str | None:
    """Return `base` with both changes; None if they change the same lines differently.

    If both insert at the same place, both insertions are kept, those of `one` first: a memory is mostly a
    list that grows at its end.
    """
    lines = base.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"  # or a line appended after it would count as a change of it
    first, second = _hunks(lines, one), _hunks(lines, other)
    second = [hunk for hunk in second if hunk not in first]
    if any(_clash(a, b) for a in first for b in second):
        return None
    result: list[str] = []
    at = 0
    for start, end, new in sorted([*first, *second], key=lambda hunk: hunk[:2]):
        result += [*lines[at:start], *new]
        at = end
    return "".join([*result, *lines[at:]])


def _hunks(lines: list[str], text: str) -> list[Hunk]:
    """Return the changes from `lines` to a text: start line, end line, replacement."""
    new = text.splitlines(keepends=True)
    if new and not new[-1].endswith("\n"):
        new[-1] += "\n"
    steps = difflib.SequenceMatcher(None, lines, new, autojunk=False).get_opcodes()
    return [(a, b, tuple(new[c:d])) for kind, a, b, c, d in steps if kind != "equal"]


def _clash(one: Hunk, other: Hunk) -> bool:
    (a, b, _), (c, d, _) = one, other
    if a == b or c == d:  # an insertion conflicts only with a change around it
        return c < a < d or a < c < b
    return a < d and c < b
