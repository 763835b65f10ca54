"""What people took back: deleted records, lines and skills that learning wrote. It does not bring them back.

A Markdown list in each scope, `taken_back.md`; whoever deletes one of its lines allows learning it again, and
so does a record that says it.
"""

from __future__ import annotations

from memolith.env.paths import Tree
from memolith.store import files, layout
from memolith.store.together import Command
from memolith.text.words import likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.memory.home import Home
    from memolith.store.gate import Change

FILE = "taken_back.md"
_HEAD = "# Taken back\n\nLearning does not bring these back. Delete a line to allow it again.\n\n"
_FREE = 0.5  # of the words, where nothing is lost if they only seem alike
_MOST = 2_000  # the newest that are kept


def read(home: Home, slug: str) -> list[str]:
    """Return what people took back in a scope, oldest first."""
    data = Tree(home.store).read(layout.path(slug, FILE))
    lines = files.text_of(data or b"").split("\n")
    return [line[2:].strip() for line in lines if line.startswith("- ")]


def add(home: Home, slug: str, texts: Iterable[str]) -> None:
    """Note that people took these back; once is enough."""
    new = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    known = read(home, slug)
    if fresh := [text for text in new if text and text not in known]:
        rows = "".join(f"- {text}\n" for text in [*known, *fresh][-_MOST:])
        home.gate.rewrite(layout.path(slug, FILE), lambda _: _HEAD + rows, op="take back")


def remove(home: Home, filename: str, origin: str, text: str) -> Change:
    """Delete a record, and note that if it was learned; one undo takes back both."""
    was_learned = origin.startswith("extracted")
    with Command("unlearn", when=was_learned):
        if was_learned:
            add(home, layout.scope_of(filename), [text])
        return home.gate.rewrite(filename, lambda _: None, op="delete")


def has(texts: Iterable[str], said: str, *, free: bool = False) -> bool:
    """Whether something that was said is among what people took back, in these words or much like them.

    `free`: it is in a model's own words, which need not be like them.
    """
    if free:
        return any(likeness.says_again(each, said, _FREE) for each in texts)
    return any(likeness.says_again(each, said, of_both=True) for each in texts)


def noted(home: Home, slug: str) -> float:
    """Return when something was last taken back in a scope; 0 if nothing ever was."""
    found = Tree(home.store).stat(layout.path(slug, FILE))
    return found.st_mtime if found else 0.0
