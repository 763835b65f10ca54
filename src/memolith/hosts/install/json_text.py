"""Editing JSON that belongs to somebody else: insert or remove one value, leave every other byte alone.

Comments and trailing commas (JSONC) are understood and kept. Nothing is ever rewritten as a whole: an edit is
a piece of text put in or cut out, in the indentation and the line endings that the file has already.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from memolith.base.errors import ConfigError

Path = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t\r\n]+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
# Blanks and comments up to the end of a line.
_REST = re.compile(r"(?>[ \t]+|/\*(?>[^\n]*?\*/))*+(?>//[^\n]*|(?=\r?\n))")
_MAX_DEPTH = 200


class BrokenError(ConfigError):
    """A text that cannot be read; `line` says where."""

    def __init__(self, line: int, what: str) -> None:
        self.line, self.what = line, what
        super().__init__(f"line {line}: {what}")


class Node:
    """A value and its position; for containers, also those of its members."""

    __slots__ = ("_members", "_text", "end", "start", "value")

    def __init__(self, text: str, start: int) -> None:
        self._text, self._members = text, None if text else list[Member]()
        self.start, self.end = start, start
        self.value: Any = None

    @property
    def members(self) -> list[Member]:
        """The elements of a container, parsed on demand: of a file of megabytes few matter."""
        if self._members is None:
            self._members = []
            if self.is_container and self.end > self.start:
                _Parser(self._text, self.start).members(self._members, isinstance(self.value, dict))
        return self._members

    @property
    def is_container(self) -> bool:
        """Whether it is an object or an array."""
        return isinstance(self.value, (dict, list))

    def find(self, key: str | int) -> Node | None:
        """Return a member's value. If a key occurs twice, the last one counts, as for every reader."""
        found = [each.node for each in self.members if each.key == key]
        return found[-1] if found else None

    def at(self, path: Path) -> Node | None:
        """Return the value at a path, or None."""
        node: Node | None = self
        for key in path:
            node = node.find(key) if node is not None and node.is_container else None
        return node


class Member:
    """One element of a container: from its key (or value) to its value's end, and the comma after it."""

    __slots__ = ("comma", "key", "node", "start")

    def __init__(self, key: str | int, start: int, node: Node) -> None:
        self.key, self.start, self.node = key, start, node
        self.comma = -1


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN is not JSON


_FAST = json.JSONDecoder(parse_constant=_no_constant).raw_decode


class _Parser:
    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.at = text, at

    def document(self) -> Node:
        self.at = 1 if self.text.startswith("\ufeff") else 0
        self.skip()
        node = self.value(0)
        self.skip()
        if self.at < len(self.text):
            raise self.broken("there is text after the end of the value")
        return node

    def broken(self, what: str) -> BrokenError:
        return BrokenError(self.text.count("\n", 0, self.at) + 1, what)

    def skip(self) -> None:
        """Skip blanks and comments."""
        text = self.text
        while True:
            if found := _BLANK.match(text, self.at):
                self.at = found.end()
            elif text.startswith("//", self.at):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                if end < 0:
                    raise self.broken("a comment is not closed")
                self.at = end + 2
            else:
                return

    def value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.broken(f"values are nested more than {_MAX_DEPTH} levels deep")
        node = Node(self.text, self.at)
        char = self.text[self.at : self.at + 1]
        if not char or (char not in '{["' and not _SCALAR.match(self.text, self.at)):
            raise self.broken("a value is expected" + (f", not {char!r}" if char else "; the text ends here"))
        try:  # plain JSON is parsed by the C scanner
            node.value, self.at = _FAST(self.text, self.at)
        except (ValueError, RecursionError):
            if char not in ("{", "["):
                raise self.broken("this value cannot be read") from None
            members: list[Member] = []
            self.members(members, char == "{", depth)
            inside = {each.key: each.node.value for each in members}
            node.value = inside if char == "{" else list(inside.values())
        node.end = self.at
        return node

    def members(self, found: list[Member], is_object: bool, depth: int = 0) -> None:
        """Read the members of the container that begins here."""
        closing = "}" if is_object else "]"
        self.at += 1
        while True:
            self.skip()
            if self.text.startswith(closing, self.at):
                self.at += 1
                return
            if found and found[-1].comma < 0:
                raise self.broken(f"a comma or {closing!r} is expected")
            found.append(self.member(len(found), is_object, depth))
            self.skip()
            if self.text.startswith(",", self.at):
                found[-1].comma = self.at
                self.at += 1

    def member(self, number: int, is_object: bool, depth: int) -> Member:
        start = self.at
        key: str | int = number
        if is_object:
            found = _STRING.match(self.text, self.at)
            if not found:
                raise self.broken("a key in double quotes is expected")
            key, self.at = json.loads(found[0]), found.end()
            self.skip()
            if not self.text.startswith(":", self.at):
                raise self.broken("a colon is expected")
            self.at += 1
            self.skip()
        return Member(key, start, self.value(depth + 1))


@functools.lru_cache(maxsize=4)
def parse(text: str) -> Node:
    """Read JSON with comments and trailing commas; BrokenError names the line. Blank text is an object."""
    if not text.strip("\ufeff \t\r\n"):
        node = Node("", len(text))
        node.value = {}
        return node
    return _Parser(text).document()


def put(text: str, path: Path, value: object) -> str:
    """Return the text with a value at a free path; missing containers are created."""
    root = parse(text)
    depth = next((each for each in range(len(path) - 1, 0, -1) if root.at(path[:each]) is not None), 0)
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _insert(text, path[:depth], path[depth], value)


def append(text: str, path: Path, value: object) -> str:
    """Return the text with a value as the last element of the array at a path."""
    array = parse(text).at(path)
    if array is None:
        return put(text, path, [value])
    return _insert(text, path, len(array.members), value)


def _insert(text: str, path: Path, key: str | int, value: object) -> str:
    """Insert a new member after the last one of a container."""
    node = parse(text).at(path)
    assert node is not None  # noqa: S101 - the caller found it
    if node.start == node.end:  # blank text
        text = text + "{}"
        node = parse(text)
        return _insert(text, path, key, value) + _Style(text).newline
    expected = dict if isinstance(key, str) else list
    if not isinstance(node.value, expected):
        where = ".".join(str(each) for each in path) or "the whole"
        line = text.count("\n", 0, node.start) + 1
        kind = "an object" if expected is dict else "an array"
        raise BrokenError(line, f"{where} is not {kind}")
    style = _Style(text)
    named = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    inside = text[node.start + 1 : node.end - 1]
    if not node.members:
        return _insert_first(text, node, named, value, style)
    last = node.members[-1]
    if "\n" not in inside:  # all on one line: so is ours
        member = named + style.dump(value, None)
        if last.comma >= 0:
            return f"{text[: last.comma + 1]} {member}{text[last.comma :]}"
        return f"{text[: last.node.end]}, {member}{text[last.node.end :]}"
    indent = style.indent_at(last.start) if style.begins_line(last.start) else style.deeper(node.start)
    member = style.newline + indent + named + style.dump(value, indent)
    if last.comma >= 0:
        end = _end_of_line(text, last.comma + 1)
        return f"{text[:end]}{member},{text[end:]}"
    end = _end_of_line(text, last.node.end)
    return f"{text[: last.node.end]},{text[last.node.end : end]}{member}{text[end:]}"


def _insert_first(text: str, node: Node, named: str, value: object, style: _Style) -> str:
    inside = text[node.start + 1 : node.end - 1]
    kept = inside.rstrip(" \t\r\n")  # comments
    indent = style.deeper(node.start)
    closing = style.newline + style.indent_at(node.start)
    begin = node.start + 1 + len(kept)
    member = style.newline + indent + named + style.dump(value, indent)
    return text[:begin] + member + closing + text[node.end - 1 :]


def cut(text: str, path: Path) -> str:
    """Return the text without the member at a path; the gap is closed."""
    root = parse(text)
    holder = root.at(path[:-1])
    numbers = [n for n, each in enumerate(holder.members) if each.key == path[-1]] if holder else []
    if holder is None or not numbers:
        return text
    number = numbers[-1]
    member = holder.members[number]
    closed = _cut(text, holder, number, _back_over_blanks(text, member.start))
    # A comment that runs to the end of its line must not swallow what comes after the cut.
    return closed if _says(closed, root, path) else _cut(text, holder, number, member.start)


def _cut(text: str, holder: Node, number: int, start: int) -> str:
    member = holder.members[number]
    if member.comma >= 0:
        left = text[:start] + text[member.comma + 1 :]
    elif number == 0:
        left = text[:start] + text[member.node.end :]
    else:
        comma = holder.members[number - 1].comma
        left = text[:comma] + text[comma + 1 : start] + text[member.node.end :]
    if len(holder.members) == 1:
        begin, end = holder.start + 1, holder.end - 1 - (len(text) - len(left))
        return left if left[begin:end].strip() else left[:begin] + left[end:]
    return left


def _says(text: str, before: Node, path: Path) -> bool:
    """Whether a text has the same members as before, without the value at a path."""
    try:
        now = parse(text)
    except BrokenError:
        return False
    holder, was = now.at(path[:-1]), before.at(path[:-1])
    return holder is not None and was is not None and len(holder.members) == len(was.members) - 1


def _back_over_blanks(text: str, at: int) -> int:
    """Return where the blanks before a member begin: at the end of the previous line, or after other text."""
    begin = at
    while begin > 0 and text[begin - 1] in " \t":
        begin -= 1
    if begin > 0 and text[begin - 1] == "\n":
        return begin - (2 if text.startswith("\r\n", begin - 2) else 1)
    return begin


def _end_of_line(text: str, at: int) -> int:
    """Return the end of the line if only a comment remains on it, else the position itself."""
    found = _REST.match(text, at)
    return at if found is None else found.end() - found[0].endswith("\r")


class _Style:
    """How a file is written: its unit of indentation and its line endings."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.newline = "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
        found = re.search(r"(?m)^([ \t]+)[\"{\[]", text)
        self.unit = "\t" if found and "\t" in found[1] else (found[1] if found else "  ")

    def indent_at(self, at: int) -> str:
        """Return the indentation of the line at a position."""
        begin = self._text.rfind("\n", 0, at) + 1
        line = self._text[begin:at].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def begins_line(self, at: int) -> bool:
        """Whether there are only blanks before a position on its line."""
        return not self._text[self._text.rfind("\n", 0, at) + 1 : at].strip(" \t")

    def deeper(self, at: int) -> str:
        """Return the indentation of the members of the container at a position."""
        return self.indent_at(at) + self.unit

    def dump(self, value: object, indent: str | None) -> str:
        """Write a value out; on one line without an indentation."""
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit).split("\n")
        return (self.newline + indent).join(lines)
