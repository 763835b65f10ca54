"""The small, strict part of YAML that memolith's own files use, read and edited line by line.

Why not a YAML library: the settings are read on every prompt and the fastest library costs twice a
bare interpreter start; full YAML brings anchors, tags and type guessing that a memory file from
somebody else's repository could abuse; and dumping a parsed tree loses comments, order and style.
What is accepted here means the same to every YAML parser (a test compares with PyYAML).

Accepted: nested maps by indentation, lists (`- a` or `[a, b]`), plain, 'single' and "double" quoted
scalars, comments, `|` and `>` block text. Every scalar is a string. Anchors, aliases, tags, flow maps,
duplicate keys, tabs as indentation and documents over 16 KiB or 20 levels are errors with a line number.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Node = str | list["Node"] | dict[str, "Node"]

MAX_BYTES = 16_384
MAX_DEPTH = 20
# A plain scalar may not begin with these (some parsers allow `?` and `:` in places; nobody needs them).
_INDICATORS = "&*!|>%@`{}],#?:"
# A key further to the right than this is not a key to other parsers.
_MAX_KEY = 1000


class YamlError(ValueError):
    """Text outside the accepted part of YAML; `line` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        self.line, self.problem = line, problem
        super().__init__(f"line {line}: {problem}")


def parse(text: str) -> dict[str, Node]:
    """Return the map that `text` describes.

    Raises YamlError, never anything else, for any other text.
    """
    if len(text) > MAX_BYTES:
        raise YamlError(1, f"longer than {MAX_BYTES} characters")
    reader = _Reader(text)
    node = reader.block(0, 0) if reader.more() else {}
    if reader.more():
        raise YamlError(reader.number(), "unexpected indentation")
    if not isinstance(node, dict):
        raise YamlError(1, "expected `key: value` lines")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        text = text.replace("\r\n", "\n").removeprefix("\ufeff")
        for char in set(text):
            if _is_forbidden(char):
                line = text.count("\n", 0, text.index(char)) + 1
                raise YamlError(line, f'character U+{ord(char):04X}; write it as "\\u{ord(char):04x}"')
        self.raw = text.split("\n")
        self.at = 0

    def more(self) -> bool:
        """Move to the next line that says something."""
        while self.at < len(self.raw):
            bare = self.line()
            if bare and bare[0] != "#":
                return True
            self.at += 1
        return False

    def line(self) -> str:
        # Only spaces: to YAML, other white space is text (or, a tab, an error).
        return self.raw[self.at].strip(" ")

    def number(self) -> int:
        return self.at + 1

    def fail(self, problem: str) -> YamlError:
        return YamlError(self.number(), problem)

    def indent(self) -> int:
        line = self.raw[self.at]
        bare = line.lstrip(" ")
        if bare.startswith("\t"):
            raise self.fail("tab used as indentation")
        return len(line) - len(bare)

    def block(self, indent: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH} levels")
        if is_item(self.line()):
            return self.items(indent, depth)
        return self.map(indent, depth)

    def items(self, indent: int, depth: int) -> list[Node]:
        result: list[Node] = []
        while self.more() and self.indent() == indent and is_item(self.line()):
            value = self.line()[1:].strip(" ")
            if split_key(value) is not None and not value.startswith(("[", '"', "'", "#")):
                raise self.fail("a map inside a list is not supported")
            result.append(self.value(value, indent, depth))
        return result

    def map(self, indent: int, depth: int) -> dict[str, Node]:
        result: dict[str, Node] = {}
        while self.more() and self.indent() == indent:
            line = self.line()
            if is_item(line):
                break
            pair = split_key(line)
            # `---` and `...` separate documents.
            if pair is None or (indent == 0 and line.startswith(("---", "..."))):
                raise self.fail("expected `key: value`")
            name, value = pair
            try:
                key = read_scalar(name)
            except ValueError as error:
                raise self.fail(str(error)) from None
            if not isinstance(key, str):
                raise self.fail("a key must be text")
            if key in result:
                raise self.fail(f"duplicate key {key!r}")
            result[key] = self.value(value, indent, depth, in_map=True)
        if self.more() and self.indent() > indent:
            raise self.fail("unexpected indentation")
        return result

    def value(self, value: str, indent: int, depth: int, *, in_map: bool = False) -> Node:
        """Read what follows `key:` or `-`, on this line or indented below it."""
        try:
            bare = split_comment(value)[0]
            if bare in ("|", "|-", ">", ">-"):
                return self.literal(bare, indent)
            if bare:
                node = read_scalar(bare)
                self.at += 1
                return node
        except ValueError as error:
            raise error if isinstance(error, YamlError) else self.fail(str(error)) from None
        self.at += 1
        if not self.more():
            return ""
        below = self.indent()
        if below > indent:
            return self.block(below, depth + 1)
        if in_map and below == indent and is_item(self.line()):
            return self.items(below, depth + 1)
        return ""

    def literal(self, marker: str, indent: int) -> str:
        """Read block text. What parsers disagree about (odd indentation) is an error."""
        self.at += 1
        lines: list[str] = []
        margin = size = 0
        while self.at < len(self.raw):
            line = self.raw[self.at]
            bare = line.lstrip(" ")
            if bare and len(line) - len(bare) <= indent:
                break
            margin = margin or (len(line) - len(bare) if bare else 0)
            if bare and len(line) - len(bare) < margin:
                raise self.fail("block text must not go back to the left")
            lines.append(line)
            self.at += 1
            size = len(lines) if bare else size
        if size and any(len(line) > margin and not line.strip(" ") for line in lines):
            raise self.fail("a line of block text has nothing but spaces")
        ended = self.at - len(lines) + size < len(self.raw)
        lines = [line[margin:] for line in lines[:size]]
        if marker[0] == ">":
            lines = [self.folded(lines)]
        return "\n".join(lines) + ("\n" if size and ended and marker[1:] != "-" else "")

    def folded(self, lines: list[str]) -> str:
        result = ""
        follows = False
        for line in lines:
            if line.startswith((" ", "\t")):
                raise self.fail("indented lines in `>` text are not supported; use `|`")
            result += (" " if follows and line else "") + (line or "\n")
            follows = bool(line)
        return result


def _is_forbidden(char: str) -> bool:
    """Whether YAML forbids a character, or takes it for a line break that editors do not show."""
    return (
        (char < " " and char not in "\t\n")
        or "\x7f" <= char <= "\x9f"
        or "\ud800" <= char <= "\udfff"
        or char in "\u2028\u2029\ufeff\ufffe\uffff"
    )


def is_item(line: str) -> bool:
    """Whether a line is an item of a list."""
    return line == "-" or line.startswith("- ")


def split_key(line: str) -> tuple[str, str] | None:
    """Split `key: value`; None when the line is not one."""
    if line[:1] in ('"', "'"):
        at = _quote_end(line, 0)
        if at < 0 or line[at : at + 1] != ":" or line[at + 1 : at + 2] not in ("", " "):
            return None
    else:
        at = line.find(": ")
        if at < 0:
            at = len(line) - 1 if line.endswith(":") else -1
        if at <= 0 or 0 <= line.find(" #") < at:
            return None
    return (line[:at].rstrip(" "), line[at + 1 :].strip(" ")) if at <= _MAX_KEY else None


def _quote_end(text: str, start: int) -> int:
    """Return the position after the closing quote of the scalar at `start`, or -1."""
    quote, at = text[start], start + 1
    while at < len(text):
        if quote == '"' and text[at] == "\\":
            at += 2
            continue
        if text[at] == quote:
            if quote == "'" and text[at + 1 : at + 2] == "'":
                at += 2
                continue
            return at + 1
        at += 1
    return -1


def split_comment(value: str) -> tuple[str, str]:
    """Split a value from the comment after it. ValueError for a list that does not end."""
    if value.startswith("#"):
        return "", value
    end = 0
    if value[:1] in ('"', "'"):
        end = max(_quote_end(value, 0), 0)
    elif value[:1] == "[":
        end = _flow_list(value)[1]
    at = value.find(" #", end)
    return (value, "") if at < 0 else (value[:at].rstrip(" "), value[at + 1 :])


def read_scalar(text: str) -> Node:
    """Read one value that stands on a line. ValueError says what is wrong with it."""
    if text[0] in ('"', "'"):
        if _quote_end(text, 0) != len(text):
            raise ValueError("unbalanced quotes")
        return _double(text) if text[0] == '"' else text[1:-1].replace("''", "'")
    if text[0] == "[":
        items, end = _flow_list(text)
        if end != len(text):
            raise ValueError("unexpected text after a [list]")
        return items
    if text[0] in _INDICATORS or text == "-" or text.startswith("- "):
        raise ValueError(f"{text[:20]!r}: anchors, tags and flow maps are not supported; quote it")
    if ": " in text or text.endswith(":"):
        raise ValueError(f"{text[:40]!r} contains a colon; put it in quotes")
    if "\t" in text:
        raise ValueError(f"{text[:40]!r} contains a tab; put it in quotes")
    return text


def _double(text: str) -> str:
    if "\\" not in text:
        return text[1:-1]
    try:
        from _json import scanstring  # `json` imports `re`: together an interpreter start
    except ImportError:
        from json.decoder import scanstring  # type: ignore[attr-defined,no-redef]

    try:
        value, _ = scanstring(text, 1, False)  # noqa: FBT003 - it takes no names
    except (ValueError, SystemError):  # the latter where nobody imported the error that it wants to raise
        raise ValueError(f"{text[:40]!r}: unknown escape in double quotes") from None
    # JSON joins \\ud83d\\ude00 into one character, YAML does not.
    if "\\ud" in text.lower() and any("d800" <= part[:4] <= "dfff" for part in text.lower().split("\\u")[1:]):
        raise ValueError(f"{text[:40]!r}: half a character; write it as itself")
    return str(value)


def _flow_list(text: str) -> tuple[list[Node], int]:
    """Read the [list] that `text` begins with; return it and the position after it."""
    result: list[Node] = []
    at = 1
    while True:
        at = _skip_spaces(text, at)
        if text[at : at + 1] == "]":
            return result, at + 1
        start = at
        if text[at : at + 1] in ('"', "'"):
            at = _quote_end(text, at)
            if at < 0:
                raise ValueError("unbalanced quotes")
            item = text[start:at]
        else:
            while at < len(text) and text[at] not in ",]":
                at += 1
            item = text[start:at].rstrip(" ")
            if not item or any(sign in item for sign in ("[", "{", "}", "?", " #")):
                raise ValueError("lists of lists, flow maps and empty items are not supported")
        at = _skip_spaces(text, at)
        if text[at : at + 1] not in (",", "]"):
            raise ValueError("a [list] must end on its line, with commas between its items")
        result.append(read_scalar(item))
        at += text[at] == ","


def _skip_spaces(text: str, at: int) -> int:
    while text[at : at + 1] == " ":
        at += 1
    return at


_PLAIN_FIRST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/_")
_PLAIN = _PLAIN_FIRST | frozenset("0123456789 .,+=@~()-")
# Plain words that other YAML parsers read as something else than text.
_NOT_TEXT = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"])


def dump_scalar(value: str) -> str:
    """Write `value` so that every YAML parser reads the same text back."""
    if (
        value
        and value[0] in _PLAIN_FIRST
        and value[-1] != " "
        and _PLAIN.issuperset(value)
        and value.lower() not in _NOT_TEXT
    ):
        return value
    import json

    # JSON strings are YAML double-quoted scalars; C1 controls, BOM and line separators must be
    # escaped for YAML though JSON would leave them.
    quoted = json.dumps(value, ensure_ascii=False)
    if quoted.isascii() and "\x7f" not in quoted:
        return quoted
    return "".join(
        f"\\u{ord(char):04x}"
        if "\x7f" <= char <= "\xa0" or char in "\u2028\u2029\ufeff\ufffe\uffff"
        else char
        for char in quoted
    )


def dump(fields: dict[str, Node]) -> str:
    """Write a map, one key per line."""
    return "".join(f"{dump_scalar(key)}:{_dump_node(value, '  ')}" for key, value in fields.items())


def _dump_node(node: Node, pad: str) -> str:
    """Return what follows `key:` or `-`, to the end of the last line."""
    if isinstance(node, dict):
        lines = [f"{pad}{dump_scalar(key)}:{_dump_node(value, pad + '  ')}" for key, value in node.items()]
        return "\n" + "".join(lines)
    if isinstance(node, list) and node:
        return "\n" + "".join(f"{pad}-{_dump_node(item, pad + '  ')}" for item in node)
    return " []\n" if node == [] else f" {dump_scalar(str(node))}\n"
