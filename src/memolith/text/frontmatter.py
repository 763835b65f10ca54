"""Splitting a Markdown file into its YAML head and its body, and changing single keys in the head.

`split` never fails and never loses a byte: `head + body == text`. A head that cannot be understood is
reported, and the file is then treated as plain text (it is never rewritten because of that).
"""

from __future__ import annotations

from memolith.text import yaml as miniyaml
from memolith.text.markdown import newline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memolith.text.yaml import Node


class Parsed:
    """A file's text in two parts, the fields of its head, and what was wrong with the head."""

    __slots__ = ("body", "fields", "head", "problem")

    def __init__(self, head: str, body: str, fields: dict[str, Node], problem: str | None) -> None:
        self.head, self.body, self.fields, self.problem = head, body, fields, problem

    def get(self, key: str) -> str:
        """Return a text field, or the empty string."""
        value = self.fields.get(key, "")
        return value if isinstance(value, str) else ""

    def items(self, key: str) -> list[str]:
        """Return a list field; a single text counts as a list of one."""
        value = self.fields.get(key, [])
        found = value if isinstance(value, list) else [value]
        return [item for item in found if isinstance(item, str) and item]


def split(text: str) -> Parsed:
    """Take the head (with its `---` lines) from the body; `head + body == text`."""
    first = text.find("\n")
    if first < 0 or text[:first].rstrip("\r ") != "---":
        return Parsed("", text, {}, None)
    at = first + 1
    while at < len(text) and at <= miniyaml.MAX_BYTES + first:
        end = text.find("\n", at)
        line = text[at:] if end < 0 else text[at:end]
        if line.rstrip("\r ") in ("---", "..."):
            cut = len(text) if end < 0 else end + 1
            return _parse(text[:cut], text[cut:], text[first + 1 : at])
        if end < 0:
            break
        at = end + 1
    return Parsed("", text, {}, "the frontmatter has no closing --- line")


def _parse(head: str, body: str, yaml: str) -> Parsed:
    try:
        return Parsed(head, body, miniyaml.parse(yaml), None)
    except miniyaml.YamlError as error:
        return Parsed(head, body, {}, f"frontmatter line {error.line + 1}: {error.problem}")


def compose(fields: dict[str, Node], body: str) -> str:
    """Build a new file from fields and a body."""
    return f"---\n{miniyaml.dump(fields)}---\n{body}"


def set_fields(text: str, changes: Mapping[str, str | Sequence[str] | None]) -> str:
    """Set top-level texts and lists, or remove them (None); every other byte of the file stays as it is.

    A file without a head gets one. Raises YamlError when the head cannot be understood.
    """
    parsed = split(text)
    if parsed.problem:
        raise miniyaml.YamlError(1, parsed.problem)
    if not parsed.head:
        head = compose({key: _node(value) for key, value in changes.items() if value is not None}, "")
        return head.replace("\n", newline_of(text)) + text
    from memolith.text.yaml_edit import set_list, set_path

    start = parsed.head.index("\n") + 1
    close = parsed.head.rindex("\n", 0, len(parsed.head) - 1) + 1
    yaml = parsed.head[start:close]
    for key, value in changes.items():
        if value is None:
            yaml = set_list(yaml, key, []) if key in parsed.fields else yaml
        elif parsed.fields.get(key) != _node(value):
            # A head without lines has no line ending of its own; the `---` above it has one.
            newline = "\n" if yaml else newline_of(parsed.head)
            yaml = set_path(yaml, [key], value).replace("\n", newline)
    return parsed.head[:start] + yaml + parsed.head[close:] + parsed.body


def _node(value: str | Sequence[str]) -> Node:
    return value if isinstance(value, str) else list(value)
