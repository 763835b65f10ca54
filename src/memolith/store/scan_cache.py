"""Which files were scanned for secrets already, so that showing them costs no second scan.

memolith masks secrets when it writes, but a person may type one into a file by hand. What is shown to an
agent is therefore scanned once more. The scanner would double the time of `memolith context`, so a file that
was found clean is noted in `cache/cleared`, with what changes when it is saved. Deleting that costs a scan.
"""

from __future__ import annotations

import os

from memolith.base.errors import StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.env.settings import open_regular
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.paths import Tree

_MAX_BYTES = 262_144


def masked(tree: Tree, relative: str, text: str, seen: tuple[int, ...] | None) -> str:
    """Return the text of a file without secrets. `seen` is its fingerprint from before it was read."""
    if not text.strip():
        return text
    path = os.path.join(os.path.dirname(tree.root), "cache", "cleared")
    line = b""
    if seen and "\n" not in relative:  # a name of two lines could speak for another file
        line = f"{' '.join(map(str, seen))} {relative}\n".encode("utf-8", "surrogateescape")
    known = _read(path)
    if line and b"\n" + line in known:
        return text
    from memolith.store.allow_list import allowed
    from memolith.text.secrets.redact import redact

    found = redact(text, by_hand=True)
    if found.findings:
        found = redact(text, allowed(tree.root, layout.scope_of(relative)), by_hand=True)
    if found.findings:
        return found.text
    if line:
        _write(path, known, line)
    return text


def fingerprint(tree: Tree, relative: str) -> tuple[int, ...] | None:
    """Return what changes when a file is saved."""
    try:
        return tree.place(relative).fingerprint()
    except (FileNotFoundError, UnsafePathError, StorageError):
        return None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0, opener=open_regular) as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return b"\n"


def _write(path: str, known: bytes, line: bytes) -> None:
    """Replace the line of a file. Not synced, and nobody is told if it fails: it is only a cache."""
    name = line.split(b" ", 4)[4]
    rows = [row for row in known.splitlines(keepends=True) if not row.endswith(b" " + name) and row.strip()]
    data = b"\n" + b"".join(rows)[-_MAX_BYTES // 2 :] + line
    temporary = f"{path}.{os.getpid()}"
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
        os.replace(temporary, path)
