"""What memory says twice, but for case, punctuation and little words: lines of a file, notes, records."""

from __future__ import annotations

from memolith.base.values import MAX_WRITE_BYTES
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.memory import note_index
from memolith.store import files, layout
from memolith.store.entry import Entry
from memolith.text import frontmatter, markdown, source_label
from memolith.text.digest import sha256
from memolith.text.secrets.redact import redact
from memolith.text.words import likeness
from memolith.text.words.terms import is_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW = 3  # words of a line outside MEMORY.md: "all green" may well stand twice in a log
_DENSE = 2  # characters of a script without spaces that are as much as a word
_LOGS = 31  # the newest days that are looked at
_SHOWN = 5  # lines of a file that are named; a file of thousands alike is one matter


def repeats(root: str, scope: str, today: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a scope that say something twice, each with what it says."""
    tree = Tree(root)
    yield from _twice(tree, layout.path(scope, layout.MEMORY), 1)
    notes = [layout.path(scope, "notes", name) for name in note_index.note_files(root, scope)]
    yield from _alike(tree, "note", notes, today)
    folders = list(tree.walk(layout.path(scope, "records")))
    records = [f"{folder}/{name}" for folder, _, names in folders for name in names if name.endswith(".md")]
    yield from _alike(tree, "record", records, today)
    days = layout.path(scope, "daily")
    for name in tree.names(days)[-_LOGS:]:
        yield from _twice(tree, f"{days}/{name}", _FEW)


def _twice(tree: Tree, relative: str, few: int) -> Iterator[tuple[str, str]]:
    text = files.text_of(tree.read_part(relative, MAX_WRITE_BYTES)[0])
    yield from _lines(relative, markdown.presentable(text), few)


def _lines(relative: str, text: str, few: int) -> Iterator[tuple[str, str]]:
    """Yield what a text says in two lines; code and headings may well repeat themselves."""
    seen: dict[tuple[str, ...], int] = {}
    more, is_free = -_SHOWN, True
    for number, line, is_fenced in markdown.rows(text):
        # Code by its indentation: no paragraph stands above it.
        is_code = is_fenced or (is_free and line.startswith(("    ", "\t")))
        is_free = is_code or not line.strip()
        if is_code or line.startswith("#") or not any(map(str.isalnum, line)):
            continue
        if _size(line) >= few and seen.setdefault(_said(line), number) != number:
            more += 1
            if more <= 0:
                yield relative, f"says twice: {redact(line).text.strip()[:60]!r}; keep one"
    if more > 0:
        yield relative, f"says {more} more lines twice"


def _said(line: str) -> tuple[str, ...]:
    return likeness.said(source_label.unlabelled(line))


def _size(line: str) -> int:
    """Return the number of words of a line, little ones too."""
    return sum(
        max(1, sum(map(is_dense, word)) // _DENSE)
        for word in source_label.unlabelled(line).split()
        if any(map(str.isalnum, word))
    )


def _alike(tree: Tree, kind: str, names: list[str], today: str) -> Iterator[tuple[str, str]]:
    """Yield the files that say the same as one before, and what notes say in two lines."""
    seen: dict[str, str] = {}
    for relative in names:
        text = files.text_of(tree.read_part(relative, MAX_LOOK_BYTES)[0])
        body = frontmatter.split(text).body.strip()
        if kind == "record" and not Entry(kind, relative, text).holds(today):
            continue
        # In code each sign counts.
        words = [body] if "`" in body or "~~~" in body else [" ".join(_said(row)) for row in body.split("\n")]
        key = sha256("\n".join(words).encode("utf-8", "surrogatepass"))
        if body and (other := seen.setdefault(key, relative)) != relative:
            shown = other.rpartition("/" if kind == "note" else "records/")[2]
            yield relative, f"says the same as {shown}; keep one"
        elif kind == "note":
            yield from _lines(relative, body, _FEW)
