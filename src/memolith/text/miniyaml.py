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
_INDICATORS = "&*!|>%@`{}"


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
        self.raw = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
        self.at = 0

    def more(self) -> bool:
        """Move to the next line that says something."""
        while self.at < len(self.raw):
            bare = self.raw[self.at].strip()
            if bare and not bare.startswith("#"):
                return True
            self.at += 1
        return False

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
        if _is_item(self.raw[self.at].strip()):
            return self.items(indent, depth)
        return self.map(indent, depth)

    def items(self, indent: int, depth: int) -> list[Node]:
        result: list[Node] = []
        while self.more() and self.indent() == indent and _is_item(self.raw[self.at].strip()):
            value = self.raw[self.at].strip()[1:].strip()
            if _key(value) is not None and not value.startswith(("[", '"', "'")):
                raise self.fail("a map inside a list is not supported")
            result.append(self.value(value, indent, depth))
        return result

    def map(self, indent: int, depth: int) -> dict[str, Node]:
        result: dict[str, Node] = {}
        while self.more() and self.indent() == indent:
            line = self.raw[self.at].strip()
            if _is_item(line):
                break
            pair = _key(line)
            if pair is None:
                raise self.fail("expected `key: value`")
            name, value = pair
            try:
                key = _scalar(name)
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
        if value[:1] in ("|", ">") and _strip_comment(value).rstrip("+-") in ("|", ">"):
            return self.literal(value, indent)
        bare = _strip_comment(value)
        if bare:
            try:
                node = _scalar(bare)
            except ValueError as error:
                raise self.fail(str(error)) from None
            self.at += 1
            return node
        self.at += 1
        if not self.more():
            return ""
        below = self.indent()
        if below > indent:
            return self.block(below, depth + 1)
        if in_map and below == indent and _is_item(self.raw[self.at].strip()):
            return self.items(below, depth + 1)
        return ""

    def literal(self, marker: str, indent: int) -> str:
        self.at += 1
        lines: list[str] = []
        while self.at < len(self.raw):
            line = self.raw[self.at]
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                break
            lines.append(line)
            self.at += 1
        margin = min((len(x) - len(x.lstrip(" ")) for x in lines if x.strip()), default=0)
        body = "\n".join(line[margin:].rstrip() for line in lines).rstrip("\n")
        if marker.startswith(">"):
            body = "\n".join(" ".join(part.split("\n")) for part in body.split("\n\n"))
        return body if "-" in marker else body + "\n"


def _is_item(line: str) -> bool:
    return line == "-" or line.startswith("- ")


def _key(line: str) -> tuple[str, str] | None:
    """Split `key: value`; None when the line is not one."""
    if line[:1] in ('"', "'"):
        end = _quote_end(line)
        if end < 0 or not line[end:].startswith(":"):
            return None
        return line[:end], line[end + 1 :].strip()
    at = line.find(": ")
    if at < 0:
        at = len(line) - 1 if line.endswith(":") else -1
    comment = line.find(" #")
    if at <= 0 or 0 <= comment < at:
        return None
    return line[:at].rstrip(), line[at + 1 :].strip()


def _quote_end(text: str) -> int:
    """Return the position after the closing quote of the scalar that `text` begins with, or -1."""
    quote, at = text[0], 1
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


def _strip_comment(value: str) -> str:
    if value[:1] in ('"', "'"):
        end = _quote_end(value)
        rest = value[end:].strip() if end > 0 else ""
        return value[:end] if rest.startswith("#") else value
    if value.startswith("#"):
        return ""
    at = value.find(" #")
    return value[:at].rstrip() if at >= 0 else value


def _scalar(text: str) -> Node:
    """Read one value that stands on a line. ValueError says what is wrong with it."""
    if text[0] in ('"', "'"):
        if _quote_end(text) != len(text):
            raise ValueError("unbalanced quotes")
        return _double(text) if text[0] == '"' else text[1:-1].replace("''", "'")
    if text[0] == "[":
        return _flow_list(text)
    if text[0] in _INDICATORS or text.startswith(("? ", "- ", ", ", "]")):
        raise ValueError(f"{text[:20]!r}: anchors, tags and flow maps are not supported; quote it")
    if ": " in text or text.endswith(":"):
        raise ValueError(f"{text[:40]!r} contains a colon; put it in quotes")
    return text


def _double(text: str) -> str:
    import json

    try:
        value = json.loads(text, strict=False)
    except ValueError:
        raise ValueError(f"{text[:40]!r}: unknown escape in double quotes") from None
    if not isinstance(value, str) or any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError("not a text value")
    return value


def _flow_list(text: str) -> list[Node]:
    if not text.endswith("]"):
        raise ValueError("a [list] must end on its line")
    result: list[Node] = []
    rest = text[1:-1].strip()
    while rest:
        if rest[0] in ('"', "'"):
            end = _quote_end(rest)
            if end < 0:
                raise ValueError("unbalanced quotes")
        else:
            end = rest.find(",") if "," in rest else len(rest)
        item, rest = rest[:end].strip(), rest[end:].strip()
        if not item or item[0] == "[" or "]" in item.strip("\"'"):
            raise ValueError("lists of lists and empty items are not supported")
        result.append(_scalar(item))
        if rest and not rest.startswith(","):
            raise ValueError("expected a comma")
        rest = rest[1:].strip()
    return result


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
    """Write a map of scalars and lists of scalars, one key per line."""
    lines: list[str] = []
    for key, value in fields.items():
        if isinstance(value, list):
            lines.append(f"{dump_scalar(key)}:" + ("" if value else " []"))
            lines += [f"  - {dump_scalar(str(item))}" for item in value]
        else:
            lines.append(f"{dump_scalar(key)}: {dump_scalar(str(value))}")
    return "\n".join(lines) + "\n"


def set_value(text: str, dotted: str, value: str) -> str:
    """Return `text` with the scalar at `dotted` (`a.b`) set; every other line stays as it is.

    Raises YamlError if `text` cannot be read, or if a part of the path is not a map.
    """
    parse(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    names = dotted.split(".")
    start, stop, indent = 0, len(lines), 0
    for depth, name in enumerate(names):
        at = _find_key(lines, name, start, stop, indent)
        last = depth == len(names) - 1
        if at is None:
            pad = " " * indent
            new = [f"{pad}{'  ' * i}{n}:" for i, n in enumerate(names[depth:-1])]
            new.append(f"{pad}{'  ' * (len(names) - 1 - depth)}{names[-1]}: {dump_scalar(value)}")
            lines[stop:stop] = new
            break
        end = _block_end(lines, at, stop)
        if last:
            comment = _trailing_comment(lines[at])
            lines[at:end] = [f"{' ' * indent}{name}: {dump_scalar(value)}{comment}"]
            break
        if _strip_comment((_key(lines[at].strip()) or ("", ""))[1]):
            raise YamlError(at + 1, f"{name!r} is a value, not a group of settings")
        start, stop = at + 1, end
        below = [x for x in lines[start:stop] if x.strip() and not x.strip().startswith("#")]
        indent = len(below[0]) - len(below[0].lstrip(" ")) if below else indent + 2
    result = "\n".join(lines) + "\n"
    parse(result)
    return result.replace("\n", newline)


def _find_key(lines: list[str], name: str, start: int, stop: int, indent: int) -> int | None:
    for at in range(start, stop):
        line = lines[at]
        if len(line) - len(line.lstrip(" ")) == indent:
            pair = _key(line.strip())
            if pair and pair[0].strip("\"'") == name:
                return at
    return None


def _block_end(lines: list[str], at: int, stop: int) -> int:
    """Return the line after the last one that belongs to the key at `at`."""
    indent = len(lines[at]) - len(lines[at].lstrip(" "))
    end = at + 1
    for number in range(at + 1, stop):
        bare = lines[number].strip()
        deeper = len(lines[number]) - len(lines[number].lstrip(" ")) > indent
        if bare and (deeper or (_is_item(bare) and not lines[number].startswith(" " * (indent + 1)))):
            end = number + 1
        elif bare and not bare.startswith("#"):
            break
    return end


def _trailing_comment(line: str) -> str:
    pair = _key(line.strip())
    if pair is None:
        return ""
    value = pair[1]
    rest = value[len(_strip_comment(value)) :].strip()
    return f"  {rest}" if rest.startswith("#") else ""
