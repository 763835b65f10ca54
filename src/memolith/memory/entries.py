"""Markdown files with a YAML head and an id: what records and tickets have in common.

`Entries` is the base class of both: how to change or remove an entry, and how to report that.
"""

from __future__ import annotations

import difflib
import errno
import time
from itertools import count

from memolith.base.errors import InputError, MemolithError, NotFoundError, StorageError
from memolith.base.values import MAX_WRITE_BYTES, Value
from memolith.env.paths import Tree
from memolith.memory import arguments
from memolith.store import files, layout
from memolith.store.allow_list import allowed, masked
from memolith.store.entry import Entry
from memolith.store.screen import quoted, refuse_secret, together
from memolith.text import frontmatter, markdown, source_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memolith.base.values import Source
    from memolith.memory.home import Home
    from memolith.store.gate import Change, Gate

    Fields = Mapping[str, str | Sequence[str]]

MAX_ID = 60
_SOURCES = frozenset(["source", "sources", "sessions"])
# Fields whose values we made, or checked against a list: nobody's words.
_CODES = frozenset(
    ["id", "category", "scope", "status", "type", "priority", "temporal", "created", "updated"]
)
_CODES |= {"expires", "valid_from", "valid_until", "supersedes", "superseded_by", *source_label.KEYS}


class EntryResult(Value):
    """The result of changing a record or ticket. `held` is its review id if it waits for a person."""

    created: bool = False
    filename: str
    held: str | None = None
    id: str
    message: str
    superseded: list[str]  # the ids of records that it replaced
    warnings: list[str]


class Entries:
    """The records or the tickets of a memory."""

    _kind = ""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._root = home.store

    _cap: int | None = MAX_WRITE_BYTES  # of the text of an entry

    def _write(self, relative: str, fields: Fields, text: str | None = None, op: str = "") -> Change:
        """Change fields of an entry, and its text if given; a new text is labelled with its source."""
        whose = self._home.source if text is not None or "title" in fields else None
        fields = {**fields, "updated": self._home.today}
        known = load(self._root, relative, self._kind)
        if known and not known[0].parsed.get("created"):
            fields["created"] = known[1]  # until now, only the file's own date said when
        if known and known[0].parsed.problem:
            fields.setdefault("title", known[0].title)  # below the new head, the broken one is text
        return store(self._home.gate, relative, fields, text, op or self._kind, whose, cap=self._cap)

    def _remove(self, relative: str, op: str = "delete") -> Change:
        """Delete an entry; the history keeps its text."""
        return self._home.gate.rewrite(relative, lambda _: None, op=op)

    def _stays(self, relative: str, origin: str) -> bool:
        """Whether an entry inside a repository stays as it is when something new is said.

        What sessions teach stays in the home, and what others wrote is theirs until it is accepted.
        """
        tree = Tree(self._root)
        if tree.mount(relative) is None or not tree.place(relative).folder.label:
            return False
        return not self._home.source.trusted or source_label.is_outside(origin)

    def _done(
        self,
        entry_id: str,
        relative: str,
        message: str,
        warnings: Sequence[str] = (),
        *,
        superseded: Sequence[str] = (),
        created: bool = False,
    ) -> EntryResult:
        if created and self._home.source.outside:
            message += "; no agent sees it unasked before you accept it: `memolith review`"
        return EntryResult(
            id=entry_id,
            filename=layout.locate(self._root, relative),
            message=message,
            warnings=list(warnings),
            superseded=list(superseded),
            created=created,
        )


def load(root: str, relative: str, kind: str, *, strict: bool = False) -> tuple[Entry, str] | None:
    """Return an entry and the date of its file's last change; None if it is missing or must not be read.

    A secret that a person typed into the file is masked, because the entry may be shown. `strict` is for
    callers that write depending on the result: a read error raises StorageError.
    """
    tree = Tree(root)
    try:
        data, found = tree.read(relative), tree.stat(relative)
    except MemolithError as error:
        if strict and isinstance(error, StorageError) and error.error.errno != errno.EFBIG:
            raise
        return None  # a link or an unreadable file must not hide the others; `doctor` reports it
    if data is None or found is None:
        return None
    changed = time.strftime("%Y-%m-%d", time.localtime(found.st_mtime))
    text = masked(tree, relative, files.text_of(data))
    return Entry(kind, relative.rpartition("/")[2], text), changed


def new_id(title: str, taken: Iterable[str]) -> str:
    """Return a readable id that no other entry has, ignoring case."""
    known = {each.casefold() for each in taken}
    return next(name for name in numbered(layout.file_name(title)) if name not in known)


def numbered(name: str) -> Iterator[str]:
    """Yield a name, then numbered variants of it in case others have it."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def check_id(text: str) -> str:
    """Return an id given by a person as a valid file name; InputError if it cannot be one."""
    bare = text.strip()
    if not all(char.isascii() and (char.isalnum() or char in "-_") for char in bare) or len(bare) > MAX_ID:
        raise InputError(f"id {quoted(text)} is not allowed; use letters, digits, - and _, at most {MAX_ID}")
    refuse_secret(layout.note_name(bare), "id")
    return bare


def match(wanted: str, ids: Iterable[str], what: str, short: Callable[[str], str] = str) -> str:
    """Return the matching id: an exact match, or the only one that (or whose `short` form) starts with it."""
    known = list(ids)
    if wanted in known:
        return wanted
    begins = {each for each in known if each.startswith(wanted) or short(each).startswith(wanted)}
    found = sorted(begins) if wanted else []
    if len(found) == 1:
        return found[0]
    if found:
        shown = ", ".join(quoted(each)[1:-1] for each in found[:5])
        raise InputError(f"{quoted(wanted)} is short for {shown}; give more of it")
    near = difflib.get_close_matches(wanted, known, 1)
    hint = f"did you mean {quoted(near[0])}? " if near else ""
    raise NotFoundError(f"no {what} {quoted(wanted)}; {hint}`memolith {what} list` shows them")


def titled(title: str, text: str) -> str:
    """Return a title for an entry, without secrets that it contains or that the text reveals."""
    return markdown.same_line(str(together({"title": title}, text)[0]["title"]))


def screened(
    gate: Gate, scope: str, fields: Fields, text: str
) -> tuple[dict[str, str | list[str]], str, list[str]]:
    """Mask the fields and the text of one call, by the allow-list of a scope; also return warnings."""
    return together(fields, text, lambda: allowed(gate.root, scope), by_hand=gate.by_hand)


def store(
    gate: Gate,
    relative: str,
    fields: Fields,
    body: str | None,
    op: str,
    source: Source | None = None,
    *,
    cap: int | None = MAX_WRITE_BYTES,
) -> Change:
    """Write an entry: a new file, or an existing one with some fields and perhaps the body changed.

    A body with several texts, each of which fits, has no `cap` of its own.

    An existing head keeps its keys, comments and order. A head that cannot be parsed stays as text below a
    new one; InputError if that text is to be replaced. `source` is the source of a new text.
    """
    if cap:
        arguments.check_text(body or "", empty=True)
    label = source_label.fields(source) if source and not source.trusted else {}
    exact = {key: value for key, value in fields.items() if _is_exact(key, value)} | label
    words = {key: value for key, value in fields.items() if key not in exact}
    shown, text_given, warnings = screened(gate, layout.scope_of(relative), words, body or "")
    given = {key: exact[key] if key in exact else shown[key] for key in [*fields, *label]}
    one = markdown.same_line
    clean: dict[str, str | list[str]] = {
        key: one(value) if isinstance(value, str) else [each for each in map(one, value) if each]
        for key, value in given.items()
    }

    def compose(old: str | None, text: str) -> str:
        parsed = frontmatter.split(old or "")
        if body is not None:
            check_head(parsed.problem, gate.root, relative)
        known = source_label.cleared(parsed, clean) if label and parsed.head else clean
        rest = None if body is None else text if text.endswith("\n") else f"{text}\n"
        return with_fields(old or "", known, rest)

    change = gate.change(relative, text_given, compose, op=op, cap=cap)
    change.warnings[:0] = warnings
    return change


def _is_exact(key: str, value: str | Sequence[str]) -> bool:
    """Whether a field is what we made or checked, which is no secret beside whatever words."""
    from memolith.text.secrets.redact import is_citation

    return key in _CODES or (
        key in _SOURCES and all(map(is_citation, [value] if isinstance(value, str) else value))
    )


def check_head(problem: str | None, root: str, relative: str) -> None:
    """Refuse a change that would drop a broken head, or bury it in the text."""
    if problem:
        raise InputError(
            f"{layout.locate(root, relative)}: its head cannot be read, and would go with the text; "
            "mend the head in the file first (`memolith doctor` says where)"
        )


def sources(parsed: frontmatter.Parsed) -> list[str]:
    """Return all sources of a record if it has several: `source` is the first."""
    several = parsed.items("sources")
    return list(dict.fromkeys([parsed.get("source") or "user", *several])) if several else []


def with_fields(old: str, fields: Fields, body: str | None = None) -> str:
    """Return an entry's text with some fields changed, and its body if given."""
    parsed = frontmatter.split(old)
    if parsed.problem:
        return frontmatter.set_fields("", fields) + old
    return frontmatter.set_fields(parsed.head, fields) + (parsed.body if body is None else body)


def date(value: str | None, field: str) -> str:
    """Return a given date, or nothing; InputError if it is not a date."""
    if value is None or not value.strip():
        return ""
    if not layout.is_date(value.strip()):
        raise InputError(f"--{field.replace('_', '-')} {quoted(value)} is not a date; write it as YYYY-MM-DD")
    return value.strip()
