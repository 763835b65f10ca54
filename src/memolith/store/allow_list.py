"""What is not masked: values that only look like secrets, and files known to contain none.

Allowed values are stored as hashes, per project and for all projects of the user.
A project's list is the key `allow` of its `project.yml`, the user's is in `allow.yml`, both in the store. A
file of the same name in somebody's repository is never read.

A person may type a secret into a file by hand, so text is scanned again before an agent sees it (`masked`).
The scanner would double the time of `memolith context`, so clean files are cached in
`cache/cleared-VERSION`, with their fingerprints; the version is that of the rules for secrets, so that they
are scanned again when the rules change. Deleting the cache costs a scan.
"""

from __future__ import annotations

import os

from memolith.base.errors import MemolithError, StorageError, UnsafePathError
from memolith.base.lean import suppress
from memolith.env.paths import Tree
from memolith.env.project import PROJECT_FILE
from memolith.env.settings import open_regular
from memolith.store import files, layout
from memolith.text.secrets.version import RULES

KEY = "allow"
HEADER = "# SHA-256 of values that are stored although they look dangerous (memolith scan --help)\n"
CLEARED = f"cleared-{RULES}"
_MAX_CACHE = 262_144  # bytes


def place(scope: str) -> str:
    """Return the file with a scope's list."""
    return layout.path(scope, PROJECT_FILE) if scope else "allow.yml"


def listed(root: str, scope: str) -> list[str]:
    """Return the hashes that one scope allows; none if its file cannot be read (`doctor` says why)."""
    from memolith.text.yaml import YamlError, parse

    try:
        data = Tree(root).read(place(scope))
        found = parse(files.text_of(data or b"")).get(KEY)
    except (MemolithError, YamlError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def allowed(root: str, scope: str) -> frozenset[str]:
    """Return the hashes of all values that a text of a scope may contain, and those hashes' own hashes."""
    from memolith.text.digest import sha256

    found = [each for one in {layout.USER, scope} for each in listed(root, one) if _is_hash(each)]
    return frozenset([*found, *(sha256(each.encode()) for each in found)])


def _is_hash(text: str) -> bool:
    return len(text) == 64 and not text.strip("0123456789abcdef")


def hashes(text: str) -> list[str]:
    """Return the hashes of what would be masked in `text`, or of the whole text if nothing would be."""
    from memolith.text.digest import sha256
    from memolith.text.secrets.redact import redact

    found = [each for each in redact(text).findings if each.kind != "private"]
    values = [text[each.start : each.end] for each in found] or [text.strip()]
    return list(dict.fromkeys(sha256(value.encode("utf-8", "surrogatepass")) for value in values))


def masked(tree: Tree, relative: str, text: str, seen: tuple[int, ...] | None = None) -> str:
    """Return the text of a file without secrets that a person may have typed into it by hand.

    `seen` is its fingerprint from before it was read; without one, the result is not cached.
    """
    if not text.strip():
        return text
    path = os.path.join(os.path.dirname(tree.root), "cache", CLEARED)
    line = b""
    if seen and "\n" not in relative:  # a name with a newline could vouch for another file
        line = f"{' '.join(map(str, seen))} {relative}\n".encode("utf-8", "surrogateescape")
    known = _read_cleared(path) if line else b""
    if line and b"\n" + line in known:
        return text
    from memolith.text.secrets.redact import redact

    found = redact(text, by_hand=True)
    if found.findings:
        found = redact(text, allowed(tree.root, layout.scope_of(relative)), by_hand=True)
    if found.findings:
        return found.text
    if line:
        _note_clean(path, known, line)
    return text


def fingerprint(tree: Tree, relative: str) -> tuple[int, ...] | None:
    """Return values that change when a file is saved."""
    try:
        return tree.place(relative).fingerprint()
    except (FileNotFoundError, UnsafePathError, StorageError):
        return None


def _read_cleared(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0, opener=open_regular) as file:
            return file.read(_MAX_CACHE)
    except OSError:
        return b"\n"


def _note_clean(path: str, known: bytes, line: bytes) -> None:
    """Replace the line of a file. Not synced, and failures are ignored: it is only a cache."""
    name = line.split(b" ", 4)[4]
    rows = [row for row in known.splitlines(keepends=True) if not row.endswith(b" " + name) and row.strip()]
    data = b"\n" + b"".join(rows)[-_MAX_CACHE // 2 :] + line
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        files.write_cache(path, data)
