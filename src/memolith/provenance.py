"""Where a text came from, written next to it where a reader of the file, the block or a search sees it.

What the user or their agent wrote is shown as it is (the history knows whose change it was). Everything else
is labelled by the write path, whatever the text says of itself: a note in its frontmatter (`origin`,
`taint`), a shared document at the end of each line, `[source: extracted, web]`, for any may be shown alone.
"""

from __future__ import annotations

from memolith.model import Source
from memolith.text import frontmatter
from memolith.text.miniyaml import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Apply = Callable[[str | None, str], str | None]

_LABEL = "[source:"
# A label that a stranger's text brings along must not look like one of ours.
_IMITATION = "(source:"
KEYS = ("origin", "taint")
_HEAD = 4096


def label(source: str) -> str:
    """Return a source as it stands in a text."""
    return f"{_LABEL} {source}]"


def stamped(apply: Apply, source: Source, *, is_note: bool) -> Apply:
    """Return a change that does the same and leaves the source of the text in the file."""
    if source.trusted:
        return apply

    def with_source(old: str | None, text: str) -> str | None:
        text = own(text)
        new = apply(old, text)
        if new is None or new == old:
            return new
        if is_note:
            return with_fields(new, source)
        return apply(old, marked(text, label(str(source))))

    return with_source


def own(text: str) -> str:
    """Return a stranger's text without anything that looks like our label."""
    return text.replace(_LABEL, _IMITATION)


def fields(source: Source) -> dict[str, str]:
    """Return what a note's frontmatter says of its source."""
    return {"origin": source.origin, **({"taint": source.taint} if source.taint else {})}


def with_fields(text: str, source: Source) -> str:
    """Return a note's text with its source in the frontmatter, over whatever it claims there."""
    try:
        return frontmatter.set_fields(text, fields(source))
    except YamlError:
        # A head that cannot be read stays as the first lines of the text.
        return frontmatter.compose(dict(fields(source)), text)


def of_note(text: str) -> str:
    """Return the source that a note's frontmatter names, or nothing for the user's and their agent's own."""
    if not text.startswith("---") or "origin" not in text[:_HEAD]:
        return ""
    head = frontmatter.split(text)
    source = Source(origin=head.get("origin"), taint=head.get("taint").removeprefix("none"))
    return "" if source.trusted or source.origin in ("", "none") else str(source)


def marked(text: str, mark: str) -> str:
    """Return a text with a label at the end of each line that says something; code stays as it is."""
    lines = []
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        opens = bare[:3] if bare.startswith(("```", "~~~")) else ""
        inside = bool(fence)
        if opens and opens == (fence or opens):
            fence = "" if inside else opens
        plain = bare.strip("-=*_ ") and not opens and not inside
        lines.append(f"{line.rstrip()} {mark}" if plain else line)
    return "\n".join(lines)
