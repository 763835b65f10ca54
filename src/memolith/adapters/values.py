"""Values that a program keeps by namespace and key: one Markdown file each, with the value as JSON in it.

`("users", "ann")`, `prefs` is `items/users.ann--prefs-1f0c….md` of the project: what it is called in the
head, the value in a fenced block below. The name begins with the namespace, so that a search reads only
files that may match; the hash at its end keeps apart what only looks the same as a file name.
"""

from __future__ import annotations

import json
import time

from memolith.base.errors import InputError, MemolithError, TextError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.store import files, layout
from memolith.store.screen import quoted, screen
from memolith.text import frontmatter
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from memolith.mem import Mem
    from memolith.text.yaml import Node

_OPEN, _CLOSE = "```json\n", "\n```\n"
_STEM = 100
_KEY = 60
_HITS = 200


class Item(Value):
    """A value with its place and its times (ISO 8601, UTC)."""

    created: str
    key: str
    namespace: tuple[str, ...]
    updated: str
    value: dict[str, Any]


class Items:
    """The values of a project."""

    def __init__(self, mem: Mem) -> None:
        if not mem.source.trusted:
            raise InputError(f"{mem.source} keeps no values: only an agent or its user does; use Mem.open()")
        self._mem = mem

    def get(self, namespace: Sequence[str], key: str) -> Item | None:
        """Return one value; None if there is none."""
        found = self._read(self._relative(namespace, key))
        same = found is not None and (found.namespace, found.key) == (tuple(namespace), key)
        return found if same else None

    def put(self, namespace: Sequence[str], key: str, value: dict[str, Any]) -> list[str]:
        """Store a value in place of the one before; return what was done to it (a secret masked)."""
        for text in (*namespace, key):
            _check_name(text)
        self._mem.register()
        now = _stamp(self._mem.now())
        body = f"{_OPEN}{_dumped(value)}{_CLOSE}"

        def apply(old: str | None, text: str) -> str:
            try:
                _value(text, key)
            except TextError:  # what looks like a secret goes over the end of its text
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
        """Remove a value, if there is one; `undo` brings it back."""
        relative = self._relative(namespace, key)
        if Tree(str(self._mem.root)).is_file(relative):
            self._mem.gate.rewrite(relative, lambda _: None, op="delete")

    def all(self, prefix: Sequence[str] = ()) -> Iterator[Item]:
        """Yield the values of a namespace and those below it; what cannot be read is left out."""
        directory, wanted = layout.items(self._mem.project), tuple(prefix)
        start = _stem(wanted)
        for name in Tree(str(self._mem.root)).names(directory):
            if name.startswith(start):
                try:
                    found = self._read(f"{directory}/{name}")
                except MemolithError:
                    continue  # a link, or JSON that a person broke; `doctor` and `get` tell
                if found is not None and found.namespace[: len(wanted)] == wanted:
                    yield found

    def scores(self, query: str) -> dict[tuple[tuple[str, ...], str], float]:
        """Return how well values answer a question; those that do not are left out."""
        found: dict[tuple[tuple[str, ...], str], float] = {}
        directory = f"{layout.items(self._mem.project)}/"
        root = str(self._mem.root)
        for hit in self._mem.recall(query, limit=_HITS, scopes=["project"], kinds=["note"]):
            relative = hit.filename.removeprefix(root).lstrip("/\\").replace("\\", "/")
            item = self._read(relative) if relative.startswith(directory) else None
            if item is not None:
                found.setdefault((item.namespace, item.key), hit.score)
        return found

    def _relative(self, namespace: Sequence[str], key: str) -> str:
        number = sha256(json.dumps([*namespace, key]).encode())[:12]
        name = f"{_stem(namespace)}--{_slug(key)[:_KEY]}-{number}.md"
        return f"{layout.items(self._mem.project)}/{name}"

    def _read(self, relative: str) -> Item | None:
        data = Tree(str(self._mem.root)).read(relative)
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
    return "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "-" for char in text)


def _check_name(text: object) -> None:
    """Refuse what could not be found again under its name: a secret would be masked in it."""
    if not isinstance(text, str) or not text:
        raise InputError(f"{quoted(text)} cannot be part of a namespace or a key: give a text")
    if screen(text)[0] != text or "\n" in text or "\r" in text:
        raise InputError(f"{quoted(text)} cannot be part of a namespace or a key; choose plain words")


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"the value is not JSON ({error}); give texts, numbers, lists and maps") from None


def _value(text: str, where: str) -> dict[str, Any]:
    start, end = text.find(_OPEN), text.rfind(_CLOSE.rstrip("\n"))
    try:
        value = json.loads(text[start + len(_OPEN) : end]) if 0 <= start < end else None
    except ValueError as error:
        raise TextError(f"{where}: its JSON is broken ({error}); repair it, or `memolith undo`") from None
    if not isinstance(value, dict):
        raise TextError(f"{where}: there is no JSON object in it; repair it, or `memolith undo`")
    return value


def _stamp(seconds: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1_000_000):06d}+00:00"
