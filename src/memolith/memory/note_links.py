"""Links to notes, as lines of their index and a person's page beside it have them."""

from __future__ import annotations

from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# What no link can contain, or the block takes apart. Spaces are read so, but written between `<` and `>`.
ESCAPES = tuple((char, f"%{ord(char):02X}") for char in " <>^&[]{}`%")  # `%` comes last


def parsed(line: str) -> tuple[str | None, bool]:
    """Return the note that an index line links to, and whether the line has our format."""
    bare = line.strip()
    start = bare.find("](")
    if start < 0 or not bare.startswith(("- [", "* [")):
        return None, False
    angled = bare.startswith("<", start + 2)
    first = start + 3 if angled else start + 2
    end = bare.find(">)" if angled else ")", first)
    while not angled and bare.count("(", first, end) > bare.count(")", first, end) and ")" in bare[end + 1 :]:
        end = bare.find(")", end + 1)  # parentheses in the name, in pairs
    name = bare[first:end].removeprefix("./")
    if not name.endswith(".md"):
        name = name.rpartition("#")[0]  # a section of the note
    if "%" in name:
        for char, code in ESCAPES:
            name = name.replace(code, char)
    if end < 0 or not name.endswith(".md") or "/" in name:
        return None, False
    rest = bare[end + 2 if angled else end + 1 :]
    # Our titles have no brackets and our lines no indentation; `- [ ] [Plan](plan.md)` is a person's.
    ours = line.startswith("- [") and bare.find("]") == start and (not rest or rest.startswith(" — "))
    return name, ours


def target(line: str) -> str | None:
    """Return the note that an index line links to; None if it is not such a line."""
    return parsed(line)[0]


def targets(row: str, slug: str) -> Iterator[str]:
    """Yield the notes that a row of a person's page links to, wherever in it, in any form that people use."""
    below = layout.shown(layout.path(slug, "notes")) + "/"
    for rest in row.split("](")[1:]:
        yield parsed(f"- [x]({rest.replace(below, '', 1)}")[0] or ""
    for rest in row.split("[[")[1:]:
        name = rest.partition("]]")[0].partition("|")[0].partition("#")[0].strip()
        yield f"{name}.md"
        yield f"{layout.file_name(name)}.md"
    label, colon, rest = row.partition("]: ")
    if colon and label.lstrip().startswith("["):
        yield parsed(f"- [x]({(rest.split() or [''])[0].removeprefix(below)})")[0] or ""


def dangling(text: str, names: list[str]) -> list[str]:
    """Return the rows of a person's page that have our format and lead to no note."""
    present = set(names)
    return [row for row in text.splitlines() if parsed(row)[1] and parsed(row)[0] not in present]
