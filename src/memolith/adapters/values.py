"""What frameworks keep in a project: values by namespace and key, and conversations that go on.

A value is one Markdown file, with the value as JSON in it:
`("users", "ann")`, `prefs` is `items/users.ann--prefs-1f0c….md` of the project: namespace and key in the
head, the value in a fenced block below. The name begins with the namespace, so that a search reads only
files that may match; the hash at its end separates keys that look the same as file names.

A conversation is `conversations/<name>.jsonl`, one JSON line per item: a host's working state, not shown, not
searched. A finished conversation is stored as a session, which is recalled and learned from. All of it is
written through the gate: secrets are masked, two processes lose nothing, and removals can be undone.
"""

from __future__ import annotations

import json
import time

from memolith.base.errors import InputError, MemolithError, TextError, TooLargeError
from memolith.base.values import Value
from memolith.env.paths import MAX_FILE_BYTES, MAX_FILE_LINES, Tree
from memolith.store import files, layout
from memolith.store.screen import quoted, refuse_secret, screen
from memolith.text import frontmatter
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from memolith.mem import Mem
    from memolith.text.yaml import Node

_OPEN, _CLOSE = "```json\n", "\n```\n"
_STEM = 100
_KEY = 60
_HITS = 200
_NAME = 60


class Item(Value):
    """A value with its namespace, key and times (ISO 8601, UTC)."""

    created: str
    key: str
    namespace: tuple[str, ...]
    updated: str
    value: dict[str, Any]


class Kept:
    """A framework's data in a project: plain files, written through the gate."""

    def __init__(self, mem: Mem) -> None:
        if not mem.source.trusted:
            raise InputError(
                f"{mem.source} may not store data here, only an agent or its user; use Mem.open()"
            )
        self._mem = mem

    @property
    def _tree(self) -> Tree:
        return Tree(self._mem.store)


class Items(Kept):
    """The values of a project."""

    def get(self, namespace: Sequence[str], key: str) -> Item | None:
        """Return one value, or None."""
        found = self._read(self._relative(namespace, key))
        is_same = found is not None and (found.namespace, found.key) == (tuple(namespace), key)
        return found if is_same else None

    def put(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> list[str]:
        """Store a value, replacing the previous one; return warnings (a secret was masked)."""
        for text in (*namespace, key):
            _check_name(text)
        self._mem.register()
        now = _stamp(self._mem.now())
        body = f"{_OPEN}{_dumped(value, indent=2)}{_CLOSE}"

        def apply(old: str | None, text: str) -> str:
            try:
                _value(text, key)
            except TextError:  # the apparent secret extends beyond its string
                raise InputError(f"{quoted(key)}: a secret in it cannot be masked; remove it") from None
            before = frontmatter.split(old or "").get("created")
            head: dict[str, Node] = {
                "title": " / ".join([*namespace, key]),
                "namespace": list(namespace),
                "key": key,
                "created": before or now,
                "updated": now,
            }
            return frontmatter.compose(head, text)

        change = self._mem.gate.change(self._relative(namespace, key), body, apply, op="put")
        return change.warnings

    def delete(self, namespace: Sequence[str], key: str) -> None:
        """Remove a value, if there is one; `undo` restores it."""
        relative = self._relative(namespace, key)
        if self._tree.is_file(relative):
            self._mem.gate.rewrite(relative, lambda _: None, op="delete")

    def all(self, prefix: Sequence[str] = ()) -> Iterator[Item]:
        """Yield the values of a namespace and those below it; skip unreadable files."""
        directory, wanted = layout.path(self._mem.project, "items"), tuple(prefix)
        start = _stem(wanted)
        for name in self._tree.names(directory):
            if name.startswith(start):
                try:
                    found = self._read(f"{directory}/{name}")
                except MemolithError:
                    continue  # a link, or JSON that a person broke; `doctor` and `get` report it
                if found is not None and found.namespace[: len(wanted)] == wanted:
                    yield found

    def scores(self, query: str) -> dict[tuple[tuple[str, ...], str], float]:
        """Return the scores of the values that answer a question."""
        found: dict[tuple[tuple[str, ...], str], float] = {}
        directory = layout.path(self._mem.project, "items") + "/"
        root = self._mem.store
        for hit in self._mem.recall(query, limit=_HITS, scopes=["project"], kinds=["note"]):
            relative = hit.filename.removeprefix(root).lstrip("/\\").replace("\\", "/")
            item = self._read(relative) if relative.startswith(directory) else None
            if item is not None:
                found.setdefault((item.namespace, item.key), hit.score)
        return found

    def _relative(self, namespace: Sequence[str], key: str) -> str:
        digest = sha256(json.dumps([*namespace, key]).encode())[:12]
        name = f"{_stem(namespace)}--{_slug(key)[:_KEY]}-{digest}.md"
        return layout.path(self._mem.project, "items", name)

    def _read(self, relative: str) -> Item | None:
        data = self._tree.read(relative)
        if data is None:
            return None
        parsed = frontmatter.split(files.text_of(data))
        if parsed.problem or not parsed.get("key"):
            return None
        return Item(
            namespace=tuple(parsed.items("namespace")),
            key=parsed.get("key"),
            created=parsed.get("created"),
            updated=parsed.get("updated"),
            value=_value(parsed.body, relative),
        )


def _stem(namespace: Sequence[str]) -> str:
    return ".".join(map(_slug, namespace))[:_STEM]


def _slug(text: str) -> str:
    """Return a text in characters that every file system allows in a name."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "-" for char in text)


def _check_name(text: object) -> None:
    """Refuse a name that could not be found again: a secret in it would be masked."""
    if not isinstance(text, str) or not text:
        raise InputError(f"{quoted(text)} cannot be part of a namespace or a key: give a non-empty string")
    if screen(text)[0] != text or "\n" in text or "\r" in text:
        raise InputError(f"{quoted(text)} cannot be part of a namespace or a key; choose plain words")


def _dumped(value: object, indent: int | None = None) -> str:
    """Return a value as JSON; compact unless there is an indent."""
    separators = None if indent else (",", ":")
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"the value is not JSON ({error}); give strings, numbers, lists and maps") from None


def _value(text: str, where: str) -> dict[str, Any]:
    start, end = text.find(_OPEN), text.rfind(_CLOSE.rstrip("\n"))
    try:
        value = json.loads(text[start + len(_OPEN) : end]) if 0 <= start < end else None
    except ValueError as error:
        raise TextError(f"{where}: its JSON is broken ({error}); repair it, or `memolith undo`") from None
    if not isinstance(value, dict):
        raise TextError(f"{where}: no JSON object in it; repair it, or `memolith undo`")
    return value


def _stamp(seconds: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1_000_000):06d}+00:00"


# ---------------------------------------------------------------- LangGraph's filters

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: bool(value > other),
    "$gte": lambda value, other: bool(value >= other),
    "$lt": lambda value, other: bool(value < other),
    "$lte": lambda value, other: bool(value <= other),
}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value matches a filter: `{"age": {"$gt": 3}, "name": "Ann"}`."""
    return all(_is(value.get(key), each) for key, each in (wanted or {}).items())


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(key.startswith("$") for key in wanted):
            return all(_compared(value, name, other) for name, other in wanted.items())
        return isinstance(value, dict) and all(_is(value.get(key), each) for key, each in wanted.items())
    if isinstance(wanted, (list, tuple)):
        same = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return same and all(map(_is, value, wanted))
    return bool(value == wanted)


def _compared(value: Any, name: str, other: Any) -> bool:
    if name not in _COMPARED:
        raise InputError(f"unknown filter operator {name!r}; one of {', '.join(_COMPARED)}")
    if name not in ("$eq", "$ne") and not _have_order(value, other):
        return False
    return _COMPARED[name](value, other)


def _have_order(value: object, other: object) -> bool:
    """Whether both are numbers, or both are strings (such as dates)."""
    return all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (value, other)) or (
        isinstance(value, str) and isinstance(other, str)
    )


def namespaces(
    found: Iterable[tuple[str, ...]],
    conditions: Sequence[tuple[str, Sequence[str]]],
    max_depth: int | None,
) -> list[tuple[str, ...]]:
    """Return those that meet all conditions (`prefix` or `suffix`, `*` is any label), cut and sorted."""
    kept = [each for each in found if all(_meets(each, how, path) for how, path in conditions)]
    return sorted({each[:max_depth] for each in kept})


def _meets(namespace: tuple[str, ...], how: str, path: Sequence[str]) -> bool:
    if how not in ("prefix", "suffix"):
        raise InputError(f"unknown match type {how!r}; prefix or suffix")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if how == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


# ---------------------------------------------------------------- conversations


class Conversation(Kept):
    """One conversation of a project, by the host's id for it."""

    def __init__(self, mem: Mem, conversation_id: str) -> None:
        super().__init__(mem)
        if not isinstance(conversation_id, str) or not conversation_id.strip():
            raise InputError("a conversation needs an id; give a non-empty string")
        refuse_secret(conversation_id, "id of the conversation")
        self.name = _file_name(conversation_id)

    @property
    def _relative(self) -> str:
        return layout.path(self._mem.project, "conversations", f"{self.name}.jsonl")

    def items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first; with `limit`, only the newest ones."""
        data = self._tree.read(self._relative)
        lines = [line for line in files.text_of(data or b"").split("\n") if line.strip()]
        first = 0 if limit is None else max(0, len(lines) - max(0, limit))
        return [self._item(line, number) for number, line in enumerate(lines, 1) if number > first]

    def add(self, items: Sequence[object]) -> list[str]:
        """Append items; return warnings (a secret was masked)."""
        if not items:
            return []
        self._mem.register()
        warnings: list[str] = []
        lines = []
        for item in items:
            line, more = screen(_dumped(item))
            try:
                json.loads(line)
            except ValueError:  # the apparent secret extends beyond its string
                raise InputError("a secret in the conversation cannot be masked; remove it") from None
            lines.append(line)
            warnings += more

        def apply(old: str | None, text: str) -> str:
            if text.count("\n") != len(lines):
                raise TextError("several items together look like one secret; leave it out")
            new = f"{_ended(old or '')}{text}"
            size = len(new.encode("utf-8", "surrogateescape"))
            if size > MAX_FILE_BYTES or new.count("\n") > MAX_FILE_LINES:
                raise TooLargeError(
                    f"{self._relative}: would grow to {size:,} bytes; the limit of a conversation is "
                    f"{MAX_FILE_BYTES:,}: clear it, or continue in a new one"
                )
            return new

        change = self._mem.gate.change(
            self._relative, "".join(f"{line}\n" for line in lines), apply, op="write"
        )
        return list(dict.fromkeys([*warnings, *change.warnings]))

    def pop(self) -> Any:
        """Remove and return the newest item, if there is one."""
        taken: list[Any] = []

        def apply(old: str | None) -> str | None:
            taken.clear()
            lines = [line for line in (old or "").split("\n") if line.strip()]
            if not lines:
                return old
            taken.append(self._item(lines.pop(), len(lines) + 1))
            return "".join(f"{line}\n" for line in lines)

        if self._tree.is_file(self._relative):
            self._mem.gate.rewrite(self._relative, apply, op="pop")
        return taken[0] if taken else None

    def clear(self) -> None:
        """Remove all items; `undo` restores them."""
        if self._tree.is_file(self._relative):
            self._mem.gate.rewrite(self._relative, lambda _: None, op="clear")

    def _item(self, line: str, number: int) -> Any:
        try:
            return json.loads(line)
        except ValueError as error:
            where = f"{self._relative}, line {number}"
            raise TextError(f"{where}: not JSON ({error}); repair the line, or delete it") from None


def _file_name(conversation_id: str) -> str:
    """Return the file name of an id: itself if it can be one, else a short form with a hash."""
    plain = _slug(conversation_id)
    if plain == conversation_id.casefold() and len(plain) <= _NAME:
        return plain
    return f"{plain[:_NAME].casefold()}-{sha256(conversation_id.encode('utf-8', 'surrogatepass'))[:8]}"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
