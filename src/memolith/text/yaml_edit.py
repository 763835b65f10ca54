"""Setting one value in the YAML that `yaml` reads: comments, order and all other lines stay."""

from __future__ import annotations

from memolith.text.yaml import YamlError, dump_scalar, is_item, parse, read_scalar, split_comment, split_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.text.yaml import Node

    Value = str | Sequence[str]

_SEPARATORS = frozenset("[]{},")


def set_path(text: str, names: list[str], value: Value) -> str:
    """Return `text` with the scalar or list at the path `names` set; groups that are missing are made.

    Raises YamlError if `text` cannot be read, or if a part of the path is not a map.
    """
    expected = parse(text)
    lines, end, stop = _lines(text)
    start = indent = 0
    for depth, name in enumerate(names):
        at = _find_key(lines, name, start, stop, indent)
        if at is None:
            new = [f"{dump_scalar(each)}:" for each in names[depth:]]
            new[-1] += f" {_dump(value)}"
            lines[stop:stop] = [f"{' ' * (indent + 2 * i)}{line}{end}" for i, line in enumerate(new)]
            break
        key, old = split_key(lines[at].strip(" \r")) or ("", "")
        bare, comment = split_comment(old)
        below = _block_end(lines, at, stop, bare)
        if depth == len(names) - 1:
            line = f"{' ' * indent}{key}: {_dump(value)}{comment and '  ' + comment}"
            lines[at:below] = [line + ("\r" if lines[at].endswith("\r") else "")]
            break
        if bare:
            raise YamlError(at + 1, f"{name!r} is a value, not a group of settings")
        start, stop = at + 1, below
        settings = [x for x in lines[start:stop] if x.strip() and not x.lstrip(" ").startswith("#")]
        indent = _indent(settings[0]) if settings else indent + 2
    _put(expected, names, value)
    return _joined(text, lines, expected, ".".join(names))


def drop_path(text: str, names: list[str]) -> str:
    """Return `text` without the value at the path `names`, and without a group that this empties."""
    expected = parse(text)
    lines, _, stop = _lines(text)
    start = indent = 0
    spans: list[tuple[int, int]] = []
    tree: Node | None = expected
    for name in names:
        at = _find_key(lines, name, start, stop, indent)
        if at is None or not isinstance(tree, dict):
            return text
        bare = split_comment((split_key(lines[at].strip(" \r")) or ("", ""))[1])[0]
        spans.append((at, _block_end(lines, at, stop, bare)))
        tree, start, stop = tree.get(name), at + 1, spans[-1][1]
        indent = next(
            (_indent(x) for x in lines[start:stop] if x.strip() and x.lstrip(" ")[0] != "#"), indent
        )
    groups: list[dict[str, Node]] = [expected]
    for name in names[:-1]:
        groups.append(groups[-1][name])  # type: ignore[arg-type]  # found above
    for name, group, (first, last) in zip(reversed(names), reversed(groups), reversed(spans), strict=True):
        del group[name]
        if group or group is expected:
            del lines[first:last]
            break
    return _joined(text, lines, expected, ".".join(names))


def _joined(text: str, lines: list[str], expected: dict[str, Node], name: str) -> str:
    """Return changed lines as a text, if they say what is expected and nothing else."""
    result = text[: text.startswith("\ufeff")] + "\n".join(lines)
    if parse(result) != expected:
        # For example block text at the end of a file without a line break, which would get one.
        raise YamlError(1, f"{name!r} cannot be set without touching its neighbours; edit by hand")
    return result


def _lines(text: str) -> tuple[list[str], str, int]:
    """Return the lines of a text, the line ending of new ones, and how many there are before blank ones."""
    lines = text.removeprefix("\ufeff").split("\n")
    # Lines keep their own `\\r`; new ones follow the first.
    end = "\r" if len(lines) > 1 and lines[0].endswith("\r") else ""
    if lines[-1]:
        lines[-1] += end
        lines.append("")
    stop = len(lines) - 1
    while stop and not lines[stop - 1].strip():
        stop -= 1
    return lines, end, stop


def _dump(value: Value) -> str:
    """Write a value on one line."""
    if isinstance(value, str):
        return dump_scalar(value)
    items = [dump_scalar(item) for item in value]
    # What separates items must stand in quotes.
    return (
        "["
        + ", ".join(f'"{item}"' if set(item) & _SEPARATORS and item[0] != '"' else item for item in items)
        + "]"
    )


def _put(tree: dict[str, Node], names: list[str], value: Value) -> None:
    for name in names[:-1]:
        child = tree.get(name)
        if not isinstance(child, dict):
            child = tree[name] = {}
        tree = child
    tree[names[-1]] = value if isinstance(value, str) else list(value)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _find_key(lines: list[str], name: str, start: int, stop: int, indent: int) -> int | None:
    for at in range(start, stop):
        line = lines[at].strip(" \r")
        if _indent(lines[at]) == indent and not line.startswith("#"):
            pair = split_key(line)
            if pair and read_scalar(pair[0]) == name:
                return at
    return None


def _block_end(lines: list[str], at: int, stop: int, value: str) -> int:
    """Return the line after the last one that belongs to the key at `at` (comments below it do not)."""
    indent = _indent(lines[at])
    literal = value.startswith(("|", ">"))
    end = at + 1
    for number in range(at + 1, stop):
        bare = lines[number].strip(" \r")
        depth = _indent(lines[number])
        if bare.startswith("#") and not (literal and depth > indent):
            continue
        if bare and (depth > indent or (depth == indent and not value and is_item(bare))):
            end = number + 1
        elif bare:
            break
    return end


def set_list(text: str, name: str, values: list[str]) -> str:
    """Return `text` with the list `name` at its top level set; without values, the key goes.

    Lines of values that stay keep their comments. Raises YamlError if `text` cannot be read.
    """
    expected = parse(text)
    expected.pop(name, None)
    lines, end, stop = _lines(text)
    at, head, below, kept = _find_key(lines, name, 0, stop, 0), f"{name}:{end}", stop, list[str]()
    if at is None:
        at = stop
    else:
        bare, _ = split_comment((split_key(lines[at].strip(" \r")) or ("", ""))[1])
        below = _block_end(lines, at, stop, bare)
        head = head if bare else lines[at]
        kept = [line for line in lines[at + 1 : below] if _item(line) in (None, *values)]
    known = {_item(line) for line in kept}
    kept += [f"  - {dump_scalar(value)}{end}" for value in values if value not in known]
    lines[at:below] = [head, *kept] if values else []
    if values:
        expected[name] = [item for line in kept if (item := _item(line)) is not None]
    return _joined(text, lines, expected, name)


def _item(line: str) -> str | None:
    """Return the value of a list's line; None for a comment or an empty line."""
    bare = line.strip(" \r")
    value = split_comment(bare[1:].strip())[0] if is_item(bare) else ""
    return str(read_scalar(value)) if value else None
