"""Where a text came from, written next to it where a reader of the file, the block or a search sees it.

What the user or their agent wrote is shown as it is (the history knows whose change it was). Everything else
is labelled by the write path, whatever the text says of itself: a note in its frontmatter (`origin`, `taint`,
`accepted`), a shared document at the end of each line, `[source: extracted, web]`, for any may be shown
alone. What a label calls outside is shown only to those who ask (`is_outside`).
"""

from __future__ import annotations

from memolith.base.values import ORIGINS, OWN, Source
from memolith.text import frontmatter
from memolith.text.yaml import MAX_BYTES, YamlError

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
    """Whether a source, as a label has it, is somebody from outside whom no person accepted."""
    if not source:
        return False
    known = _source(source)
    return known.origin in ORIGINS and known.outside


def label_of(line: str) -> str:
    """Return the source that a line is labelled with: only at its end, where the write path puts it."""
    line = line.rstrip()
    _, found, source = f" {line}".rpartition(f" {_LABEL}")
    source = source[:-1].strip()
    known = found and line.endswith("]") and "]" not in source and _source(source).origin in ORIGINS
    return source if known else ""


def inside(text: str, *, anywhere: bool = False) -> str:
    """Return a text without the lines that are labelled as from outside.

    What a person writes may speak of labels; in what we made ourselves one may stand `anywhere` in its line.
    """
    if _LABEL not in text:
        return text

    def is_labelled(line: str) -> bool:
        if not anywhere:
            return is_outside(label_of(line))
        return any(is_outside(part.partition("]")[0].strip()) for part in line.split(_LABEL)[1:])

    return "\n".join(line for line in text.split("\n") if not is_labelled(line))


def stamped(apply: Apply, source: Source, *, is_note: bool, op: str = "write") -> Apply:
    """Return a change that does the same and leaves the source of the text in the file."""

    def with_source(old: str | None, text: str) -> str | None:
        text = own(text)
        new = apply(old, text)
        if new is None or new == old:
            return new
        if is_note:
            return with_fields(new, _of_both(old or "", new, source))
        return apply(old, marked(text, source))

    def with_known(old: str | None, text: str) -> str | None:
        new = apply(old, text)
        if new is None or new == old:
            return new
        return kept_head(old, new) if is_note else _kept_labels(old or "", new, op)

    return with_known if source.trusted else with_source


def _of_both(old: str, new: str, source: Source) -> Source:
    """Return the source of a note that a text was put into: what waits there goes on waiting with it."""
    was = of_note(old)
    if not source.accepted or not is_outside(was):
        return source
    kept = set(map(str.strip, frontmatter.split(new).body.split("\n"))) - {""}
    is_left = any(line.strip() in kept for line in frontmatter.split(old).body.split("\n"))
    return _source(was) if is_left else source


def kept_head(old: str | None, new: str) -> str:
    """Return a file whose head names the same source as before; only a person's review changes that.

    A new one may say that it is from outside, but not that it was accepted.
    """
    was, says = of_note(old or ""), of_note(new)
    if says == was or (old is None and is_outside(says)):
        return new
    return (
        with_fields(new, _source(was))
        if was
        else frontmatter.set_fields(new, cleared(frontmatter.split(new), {}))
    )


def _kept_labels(old: str, new: str, op: str) -> str:
    """Return a document whose lines are labelled as they were, and no line of one's own is."""
    if _LABEL not in new and _LABEL not in old:
        return new
    before, after = old.split("\n"), new.split("\n")
    there, stays = set(before), set(after)
    labels = {unlabelled(line): label_of(line) for line in before if label_of(line)}
    gone = {label_of(line) for line in before if line.strip() and line not in stays}
    # What stands in place of a labelled line, and of nothing else, is that line, changed.
    changed = gone.copy().pop() if op == "edit" and len(gone) == 1 else ""

    def kept(line: str) -> str:
        has = label_of(line)
        if line in there or not line.strip():
            return line
        if has:
            return escaped(line) if op == "write" or has not in labels.values() else line
        was = labels.get(line.rstrip()) or changed
        return f"{line.rstrip()} {label(was)}" if was else line

    return "\n".join(map(kept, after))


def unlabelled(line: str) -> str:
    """Return a line without the label at its end."""
    return line.rpartition(_LABEL)[0].rstrip() if label_of(line) else line


def escaped(line: str) -> str:
    """Escape what looks like a label at the end of a person's own line."""
    said, found, rest = line.rpartition(_LABEL)
    return f"{said}\\{found}{rest}" if label_of(line) else line


def waits(text: str) -> list[str]:
    """Return what to tell somebody whose words are now in a file that waits for a person, if it does."""
    was = of_note(text)
    return [f"it keeps its label ({was}) and waits for a person: memolith review"] if is_outside(was) else []


def _source(text: str) -> Source:
    """Return the source that a label names."""
    origin, *rest = text.split(", ")
    accepted = rest[-1:] == ["accepted"]
    return Source(origin, rest[0] if len(rest) > accepted else "", accepted=accepted)


def own(text: str) -> str:
    """Return a stranger's text without anything that looks like our label."""
    return text.replace(_LABEL, _IMITATION)


def bare(text: str) -> str:
    """Return a text without its label."""
    return text.partition(f" {_LABEL}")[0]


def taken_off(line: str) -> str:
    """Return a line without its first label, with what stands behind it."""
    before, _, rest = line.partition(f" {_LABEL}")
    return before + rest.partition("]")[2]


def fields(source: Source) -> dict[str, str]:
    """Return what a note's frontmatter says of its source."""
    values = {"origin": source.origin, "taint": source.taint, "accepted": "yes" if source.accepted else ""}
    return {key: value for key, value in values.items() if value}


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


def above(lines: list[str], first: int) -> str:
    """Return the source that lines from one on have by what stands above them, or nothing.

    That is a note's head, the beginning of a turn in a session (`[3] assistant [source: …]: …`), or the line
    that opens code.
    """
    if known := of_note("".join(lines)):
        return known
    source, fence = "", ""
    for line in lines[:first]:
        mark = line.lstrip()[:3]
        if line.startswith("[") and line[1:].partition("]")[0].isdigit():
            source, fence = _first_source(line), ""
        elif fence:
            source, fence = ("", "") if mark == fence else (source, fence)
        elif mark in ("```", "~~~") and _first_source(line):
            source, fence = _first_source(line), mark
    return source


def _first_source(line: str) -> str:
    return line.partition(_LABEL)[2].partition("]")[0].strip() if _LABEL in line else ""


def marked(text: str, source: Source) -> str:
    """Return a text with a label at the end of each line that says something.

    Code keeps its lines: the one that opens it has the label; what never ends is no code. The user's or their
    agent's own words, extracted or imported, are labelled once, where they begin.
    """
    mark = label(str(source))
    lines = text.split("\n")
    once, closes = source.taint in OWN, -1
    for number, line in enumerate(lines):
        bare = line.strip()
        if number <= closes:
            continue
        if bare.startswith(("```", "~~~")):
            closes = _closing(lines, number)
            if once and closes >= 0:
                continue
        if mark and bare.strip("-=*_ "):
            lines[number] = f"{line.rstrip()} {mark}"
            mark = "" if once else mark
    return "\n".join(lines)


def waiting(text: str, was: str) -> str:
    """Return a text, labelled line by line if its source (as a label has it) waits for a person."""
    return marked(text, _source(was)) if is_outside(was) else text


def _closing(lines: list[str], start: int) -> int:
    """Return where code ends that begins at a line, or -1: at as many of its marks, alone in a line."""
    opening = lines[start].strip()
    fence = opening[: len(opening) - len(opening.lstrip(opening[0]))]
    for number in range(start + 1, len(lines)):
        bare = lines[number].strip()
        if bare.startswith(fence) and not bare.strip(fence[0]):
            return number
    return -1
