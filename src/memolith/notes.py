"""Notes: one fact or topic per file, and an index of one line each that follows the files.

The index is `notes/MEMORY.md`. memolith adds and removes lines; what a person wrote in between, and how they
worded a line, stays. Whether the index still matches its directory is told by one comparison of two times
(`is_current`), so that a prompt does not pay for listing thousands of files.
"""

from __future__ import annotations

import os

from memolith.errors import InputError, MemolithError, NotFoundError, StorageError, UnsafePathError
from memolith.model import MAX_WRITE_BYTES
from memolith.store import files, layout
from memolith.text import frontmatter, lookalike, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.store.gate import Change, Gate

KINDS = ("user", "project", "domain", "preference", "reference")
_KIND_ALIASES = {"simulator": "domain"}
HEADER = "# Notes\n\n"
_COUNT = "<!-- memolith: {} notes, one line each -->\n\n"
# Enough of a note to know its title and first line: a title may take 6 bytes per character (`\u2028`).
_GLANCE = 4096
MAX_TITLE = 200
# What cannot stand in a link as it is. Spaces are read in this form, but written between `<` and `>`.
_ESCAPES = ((" ", "%20"), ("<", "%3C"), (">", "%3E"), ("%", "%25"))


def note_files(root: str, slug: str) -> list[str]:
    """Return the names of a scope's note files, sorted; the index is not a note.

    Neither are links and directories, nor names that cannot stand in a line of the index.
    """
    directory = layout.locate(root, layout.notes(slug))
    try:
        with os.scandir(directory) as entries:
            found = [
                entry.name
                for entry in entries
                if layout.is_note_file(entry.name) and entry.is_file(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(directory, error) from error
    return sorted(found)


def check(content: str, title: str) -> None:
    """Refuse a note without title or text, before anything is created for it."""
    from memolith.store.screening import check as check_text

    check_text(title, "title")
    check_text(content)
    title = markdown.same_line(title)
    if not title:
        raise InputError("a note needs a title; give --title TEXT")
    if len(title) > MAX_TITLE:
        raise InputError(
            f"the title has {len(title)} characters, more than {MAX_TITLE}; shorten it: {title[:40]!r}…"
        )
    if not content.strip():
        raise InputError(f"nothing to remember under {title!r}; give the text of the note")


def remember(gate: Gate, slug: str, content: str, title: str, kind: str) -> Change:
    """Store a note under its title and keep its line in the index; the same title replaces the note."""
    check(content, title)
    title = markdown.same_line(title)
    kind = _KIND_ALIASES.get(kind, kind)
    from memolith.store.screening import screen

    title, warnings = screen(title)
    title = markdown.same_line(title)  # what was taken out of it may leave two spaces, or nothing
    if not title:
        raise InputError("a note needs a title of visible characters; give --title TEXT")
    with gate.scope(slug):
        relative = _file_for(gate, slug, title)

        def compose(old: str | None, text: str) -> str:
            body = text if text.endswith("\n") else text + "\n"
            fields = {
                "name": title,
                "description": markdown.first_line(text),
                "type": kind if kind in KINDS else "project",
            }
            if old is not None:
                parsed = frontmatter.split(old)
                if parsed.head and not parsed.problem:
                    return frontmatter.set_fields(parsed.head, fields) + body
            return frontmatter.compose(dict(fields), body)

        change = gate.change(relative, content, compose, op="remember", cap=MAX_WRITE_BYTES)
        change.warnings[:0] = warnings
        update_index(gate, slug, relative)
    return change


def write(
    gate: Gate,
    relative: str,
    content: str,
    apply: Callable[[str | None, str], str | None],
    *,
    op: str,
    if_sha256: str | None,
) -> Change:
    """Change a note, and let the index follow in the same lock."""
    slug = layout.scope_of(relative)
    with gate.scope(slug):
        warnings = _check_new_name(gate, relative)
        change = gate.change(relative, content, apply, op=op, if_sha256=if_sha256, cap=MAX_WRITE_BYTES)
        change.warnings[:0] = warnings
        update_index(gate, slug, relative if op in ("overwrite", "edit") else None)
    return change


def delete(gate: Gate, relative: str, if_sha256: str | None) -> Change:
    """Remove a note and its line; its text goes into the history. NotFoundError if there is none."""
    slug = layout.scope_of(relative)
    if not os.path.lexists(layout.locate(gate.root, relative)):
        name = os.path.basename(relative)[:-3]
        raise NotFoundError(f"there is no note {name!r}; `memolith list notes` shows them")
    with gate.scope(slug):
        change = gate.rewrite(relative, lambda _: None, op="delete", if_sha256=if_sha256)
        update_index(gate, slug)
    return change


def _file_for(gate: Gate, slug: str, title: str) -> str:
    """Return the file of the note called `title`: its own, or a new name that no other note has."""
    title = lookalike.composed(title)
    base = layout.file_name(title)
    taken = {name.casefold() for name in files.names(layout.locate(gate.root, layout.notes(slug)))}
    number = 1
    while True:
        name = base if number == 1 else f"{base}-{number}"
        relative = layout.note(slug, name)
        if f"{name}.md" not in taken:
            return relative
        other = markdown.same_line(_describe(layout.locate(gate.root, relative))[0])
        if lookalike.composed(other) == title:
            return relative
        number += 1


def _check_new_name(gate: Gate, relative: str) -> list[str]:
    """Refuse a new name that a reader takes for that of another note; return warnings about it."""
    directory, file = os.path.split(layout.locate(gate.root, relative))
    if os.path.lexists(os.path.join(directory, file)):
        return []
    return layout.check_new_note(file[:-3], [other[:-3] for other in files.names(directory)])


# ---------------------------------------------------------------- the index


def update_index(gate: Gate, slug: str, relative: str | None = None) -> None:
    """Bring the index in line with the notes. The line of the note `relative` is made anew; others stay.

    It is not stamped here: a note that somebody adds between our listing and the stamp would go unseen.
    """
    if not os.path.isdir(layout.locate(gate.root, layout.notes(slug))):
        return
    fresh = os.path.basename(relative) if relative else ""
    with gate.scope(slug):
        try:
            _rewrite_index(gate, slug, fresh, remember=False)
        except _LineLostError:
            _rewrite_index(gate, slug, fresh, remember=True)


class _LineLostError(Exception):
    """The index would lose a line that a person may have worded; a copy of it has to be kept."""


def _rewrite_index(gate: Gate, slug: str, fresh: str, *, remember: bool) -> None:
    """Write the index anew. A copy of the old one is kept only if asked for: it grows with the notes."""
    directory = layout.locate(gate.root, layout.notes(slug))

    def apply(old: str | None) -> str | None:
        new, lost = _reconcile(old, directory, note_files(gate.root, slug), fresh)
        if lost and not remember:
            raise _LineLostError
        return new

    gate.rewrite(layout.index(slug), apply, op="index", remember=remember)


def _reconcile(old: str | None, directory: str, names: list[str], fresh: str) -> tuple[str | None, bool]:
    """Return the index's text, lines of new notes last, and whether any line was changed or taken out."""
    if old is None and not names:
        return None, False
    newline = markdown.newline_of(old or "")
    rows = (old if old is not None else HEADER + _COUNT.format(0)).splitlines(keepends=True)
    kept, places = survey(rows, names)
    lost = len(kept) < len(rows)
    place = places.get(fresh, -1)
    if place >= 0:
        line = _line(directory, fresh)
        if kept[place].strip() != line:
            kept[place] = line + newline
            lost = True
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += newline
    kept += [_line(directory, name) + newline for name in names if name not in places]
    return _set_count("".join(kept), len(names)), lost


def survey(rows: list[str], names: list[str]) -> tuple[list[str], dict[str, int]]:
    """Return the lines of an index that stay, and the place of each note's own line in them.

    The place is -1 for a note that only a person's own lines mention. What a person wrote stays, even if its
    note is gone. Lines that look like ours go with their note, and if they repeat one under the same heading.
    """
    present = set(names)
    kept: list[str] = []
    places: dict[str, int] = {}
    known: set[str] = set()
    section: set[str] = set()
    for row in rows:
        target, ours = _link(row)
        if target is None:
            if row.startswith("#"):
                section = set()
        elif target not in present:
            if ours:
                continue
        else:
            bare = row.strip()
            if bare in known or (ours and target in section):
                continue
            known.add(bare)
            section.add(target)
            if places.get(target, -1) < 0:
                places[target] = len(kept) if ours else -1
        kept.append(row)
    return kept, places


def _set_count(text: str, count: int) -> str:
    start = text.find("<!-- memolith: ")
    end = text.find(" notes", start)
    if min(start, end) < 0 or not text[start + 15 : end].isdecimal():
        return text  # somebody else's comment
    return f"{text[: start + 15]}{count}{text[end:]}"


def _stamp(path: str, directory: str, time: int) -> None:
    """Give the index its directory's time: from now on a difference means that a note came or went."""
    try:
        for _ in range(2):
            # The second try gets a finer clock on newer kernels: they refine it once it was looked at.
            os.utime(path, ns=(time, time))
            if is_current(path, directory):
                return
    except OSError:
        return  # readers then compare the names themselves: slower, never wrong


def is_current(path: str, directory: str) -> bool:
    """Tell whether no note came or went since the index was written, by two `stat` calls.

    The directory's time must be the index's, and the stamp must be younger than that: a note
    that appeared within the same tick of the clock would otherwise go unseen.
    """
    try:
        index, folder = os.stat(path), os.stat(directory)
    except OSError:
        return False
    return index.st_mtime_ns == folder.st_mtime_ns < index.st_ctime_ns


def glance(root: str, slug: str, lines: int, size: int) -> tuple[str, int]:
    """Return the end of the index (the newest notes) within limits, and how many notes are left out.

    An index that is out of date is corrected in what is returned only. One that turns out to be right is
    stamped, so that the next call need not look again; no file is ever created or changed here.
    """
    try:
        files.refuse_links(root, layout.index(slug))
        return _glance(root, slug, lines, size)
    except (StorageError, UnsafePathError):
        return "", 0  # a link or an unreadable directory costs its notes, not the block; `doctor` reports it


def _glance(root: str, slug: str, lines: int, size: int) -> tuple[str, int]:
    path = layout.locate(root, layout.index(slug))
    directory = os.path.dirname(path)
    if is_current(path, directory):
        data, total = files.read_part(path, size * 2, end=True)
        if total <= len(data):
            return _newest(files.text_of(data).splitlines(), None, lines, size)
        count = _read_count(path)
        if count is not None:
            return _newest(files.text_of(data).splitlines()[1:], count, lines, size)
    try:
        time = os.stat(directory).st_mtime_ns
    except OSError:
        return "", 0
    names = note_files(root, slug)
    rows = files.text_of(files.read(path) or b"").splitlines()
    kept, places = survey(rows, names)
    missing = [name for name in names if name not in places]
    if rows and not missing and len(kept) == len(rows):
        _stamp(path, directory, time)
    # Only as many unknown notes are opened as can be shown.
    kept += [_line(directory, name) for name in missing[-lines:]]
    return _newest(kept, len(names), lines, size)


def _newest(rows: list[str], count: int | None, lines: int, size: int) -> tuple[str, int]:
    rows = [row for row in rows if row.strip() and not row.lstrip().startswith(("<!--", "# "))]
    if count is None:
        count = len({link_target(row) for row in rows} - {None})
    kept: list[str] = []
    for row in reversed(rows):
        size -= len(row.encode("utf-8", "replace")) + 1
        if size < 0 or len(kept) >= lines:
            break
        kept.append(row)
    shown = len({link_target(row) for row in kept} - {None})
    return "\n".join(reversed(kept)), max(0, count - shown)


def _read_count(path: str) -> int | None:
    head = files.text_of(files.read_part(path, 512)[0])
    number = head.partition("<!-- memolith: ")[2].partition(" notes")[0]
    return int(number) if number.isdecimal() else None


def link_target(line: str) -> str | None:
    """Return the note that an index line points to; None if it is not such a line."""
    return _link(line)[0]


def _link(line: str) -> tuple[str | None, bool]:
    """Return the note that an index line points to, and whether the line looks like one of ours."""
    bare = line.strip()
    start = bare.find("](")
    if start < 0 or not bare.startswith(("- [", "* [")):
        return None, False
    angled = bare.startswith("<", start + 2)
    first = start + 3 if angled else start + 2
    end = bare.find(">)" if angled else ")", first)
    target = bare[first:end].removeprefix("./")
    if "%" in target:
        for char, code in _ESCAPES:
            target = target.replace(code, char)
    if end < 0 or not target.endswith(".md") or "/" in target:
        return None, False
    rest = bare[end + 2 if angled else end + 1 :]
    # Our titles have no brackets and our lines no indentation; `- [ ] [Plan](plan.md)` is a person's.
    ours = line.startswith("- [") and bare.find("]") == start and (not rest or rest.startswith(" — "))
    return target, ours


def _line(directory: str, name: str) -> str:
    title, hook = _describe(os.path.join(directory, name))
    title = title.replace("[", "(").replace("]", ")")
    target = name
    for char, code in reversed(_ESCAPES[1:]):
        target = target.replace(char, code)
    target = f"<{target}>" if " " in name or "(" in name or ")" in name else target
    return f"- [{title}]({target})" + (f" — {hook}" if hook else "")


def _describe(path: str) -> tuple[str, str]:
    """Return a note's title and hook, from its frontmatter or else from its first lines."""
    stem = os.path.basename(path)[:-3]
    try:
        data = files.read_part(path, _GLANCE)[0]
    except MemolithError:
        return stem, ""  # a link or unreadable file keeps its name; `doctor` says what is wrong
    parsed = frontmatter.split(files.text_of(data))
    body = parsed.body if not parsed.problem else parsed.body.removeprefix("---")
    title = parsed.get("name") or parsed.get("title") or markdown.heading_title(body) or stem
    hook = parsed.get("description") or markdown.first_line(
        "\n".join(line for line in body.splitlines() if not line.startswith("# "))
    )
    return markdown.same_line(title), markdown.first_line(hook)
