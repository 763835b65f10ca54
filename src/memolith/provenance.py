"""Where a text came from, written next to it where a reader of the file, the block or a search sees it.

What the user or their agent wrote is shown as it is (the history knows whose change it was). Everything else
is labelled by the write path, whatever the text says of itself: a note in its frontmatter (`origin`, `taint`,
`accepted`), a shared document at the end of each line, `[source: extracted, web]`, for any may be shown
alone. What a label calls outside is shown to who asks, and to nobody else (`is_outside`).
"""

from __future__ import annotations

from memolith.model import ORIGINS, OWN, Source
from memolith.text import frontmatter
from memolith.text.miniyaml import MAX_BYTES, YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Apply = Callable[[str | None, str], str | None]
    Fields = Mapping[str, str | Sequence[str]]

_LABEL = "[source:"
# A label that a stranger's text brings along must not look like one of ours.
_IMITATION = "(source:"
KEYS = ("origin", "taint", "accepted")
NONE = "none"


def label(source: str) -> str:
    """Return a source as it stands in a text."""
    return f"{_LABEL} {source}]"


def is_outside(source: str) -> bool:
    """Tell whether a source, as a label has it, is somebody from outside whom no person accepted."""
    if not source:
        return False
    origin, *rest = source.split(", ")
    accepted = rest[-1:] == ["accepted"]
    taint = rest[0] if len(rest) > accepted else ""
    return origin in ORIGINS and Source(origin, taint, accepted=accepted).outside


def inside(text: str) -> str:
    """Return a text without the lines that are labelled as from outside."""
    if _LABEL not in text:
        return text
    return "\n".join(line for line in text.split("\n") if not _is_labelled_outside(line))


def _is_labelled_outside(line: str) -> bool:
    return any(is_outside(part.partition("]")[0].strip()) for part in line.split(_LABEL)[1:])


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
        return apply(old, marked(text, source))

    return with_source


def own(text: str) -> str:
    """Return a stranger's text without anything that looks like our label."""
    return text.replace(_LABEL, _IMITATION)


def bare(text: str) -> str:
    """Return a text without its label."""
    return text.partition(f" {_LABEL}")[0]


def fields(source: Source) -> dict[str, str]:
    """Return what a note's frontmatter says of its source."""
    given = {"origin": source.origin, "taint": source.taint, "accepted": "yes" if source.accepted else ""}
    return {key: value for key, value in given.items() if value}


def cleared(parsed: frontmatter.Parsed, known: Fields) -> Fields:
    """Return the fields of a head with what it says otherwise about its source taken back."""
    return {**{key: NONE for key in KEYS if key in parsed.fields}, **known}


def with_fields(text: str, source: Source) -> str:
    """Return a note's text with its source in the frontmatter, over whatever it claims there."""
    try:
        labelled = frontmatter.set_fields(text, cleared(frontmatter.split(text), fields(source)))
    except YamlError:
        labelled = ""
    # A head that cannot be read, or could not be any more, stays as the first lines of the text.
    return labelled if of_note(labelled) == str(source) else frontmatter.compose(dict(fields(source)), text)


def of_note(text: str) -> str:
    """Return the source that a note's frontmatter names, or nothing for the user's and their agent's own."""
    if not text.startswith("---") or "origin" not in text[:MAX_BYTES]:
        return ""
    head = frontmatter.split(text)
    origin, taint, accepted = (head.get(key).removeprefix(NONE) for key in KEYS)
    source = Source(origin, taint, accepted=bool(accepted))
    return "" if source.trusted or not origin else str(source)


def marked(text: str, source: Source) -> str:
    """Return a text with a label at the end of each line that says something; code stays as it is.

    The user's or their agent's own words, extracted or imported, are labelled once, where they begin.
    """
    mark = label(str(source))
    lines = []
    fence = ""
    once = source.taint in OWN
    for line in text.split("\n"):
        bare = line.strip()
        opens = bare[:3] if bare.startswith(("```", "~~~")) else ""
        inside_code = bool(fence)
        if opens and opens == (fence or opens):
            fence = "" if inside_code else opens
        plain = mark and bare.strip("-=*_ ") and not opens and not inside_code
        lines.append(f"{line.rstrip()} {mark}" if plain else line)
        mark = "" if plain and once else mark
    return "\n".join(lines)
