"""Hashes of forgotten lines and deleted sessions, which later imports leave out.

The list is `forgotten.txt` in the store. It applies only to imports; a person who writes such a line again,
or names such a session, wants it back.
"""

from __future__ import annotations

from memolith.env.paths import Tree
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memolith.store.gate import Gate

PLACE = "forgotten.txt"
INSTEAD = "[forgotten]"
_HEADER = "# SHA-256 of lines and sessions that are left out of what is imported (memolith forget --help)\n"
_AROUND = " \t-*+>#`_.\"'"


def folded(text: str) -> str:
    """Return a text in the form for comparison: without case, with single spaces."""
    return " ".join(text.casefold().split())


def key(line: str) -> str:
    """Return the hash of a line, ignoring its list marker."""
    return sha256(folded(line).strip(_AROUND).encode("utf-8", "surrogatepass"))


def alias(name: str) -> str:
    """Return a stable replacement for a forgotten name."""
    return f"forgotten-{key(name)[:8]}"


def known(root: str) -> frozenset[str]:
    """Return the hashes of the forgotten lines. StorageError if the list cannot be read.

    Without the list nothing may be imported: forgotten lines would come back.
    """
    data = Tree(root).read(PLACE)
    return frozenset((data or b"").decode("ascii", "replace").split("\n")[1:]) - {""}


def keep(gate: Gate, keys: Iterable[str], *, no_longer: Iterable[str] = ()) -> None:
    """Add to the list. Not in the history: forgetting cannot be undone."""

    def apply(old: str | None) -> str:
        lines = (set((old or "").split("\n")[1:]) | set(keys)).difference(no_longer)
        return _HEADER + "".join(f"{line}\n" for line in sorted(lines - {""}))

    gate.rewrite(PLACE, apply, op="forget", remember=False)


def changed(text: str, is_gone: Callable[[str], bool], instead: str | None = None) -> str:
    """Return a text with forgotten lines removed or replaced."""
    lines = text.split("\n")
    kept = [instead if is_gone(line) else line for line in lines]
    return "\n".join(line for line in kept if line is not None)


def left_out(text: str, keys: frozenset[str], instead: str | None = None) -> str:
    """Return a text from outside without forgotten lines."""
    return changed(text, lambda line: key(line) in keys, instead) if keys else text
