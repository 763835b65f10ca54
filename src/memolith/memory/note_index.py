"""The index of the notes, `notes/MEMORY.md`: one line per note, kept in sync with the files.

memolith adds and removes lines; a person's own text and wording stay. Comparing two timestamps shows whether
the index still matches its directory (`is_current`), so that a prompt need not list thousands of files. It
contains the newest `MOST` notes, which bounds the cost of a write.
"""

from __future__ import annotations

import os
from errno import EISDIR

from memolith.base import whole
from memolith.base.errors import MemolithError, StorageError, UnsafePathError
from memolith.env.paths import Place, Tree
from memolith.store import files, layout
from memolith.store.entry import Entry
from memolith.text import markdown, source_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.paths import Folder
    from memolith.store.gate import Gate

MOST = 10_000
HEADER = "# Notes\n\n"
_COUNT = "<!-- memolith: {} notes, one line each -->\n\n"
# Enough of a note to know its source, title and first line: a head may have 16 KiB.
_GLANCE = 20_480
# Characters that a link cannot contain. Spaces are parsed in this form, but written between `<` and `>`.
_ESCAPES = ((" ", "%20"), ("<", "%3C"), (">", "%3E"), ("^", "%5E"), ("%", "%25"))


def note_files(root: str, slug: str) -> list[str]:
    """Return the sorted names of a scope's note files.

    Without the index itself, links, directories, and names that a line of the index cannot contain.
    """
    try:
        return _note_names(Tree(root).folder(layout.path(slug, "notes")))
    except (FileNotFoundError, UnsafePathError):
        return []  # `doctor` reports a link


NO_FOLDERS = "is a folder; notes in it are not part of the memory, move them into notes/ itself"


def note_folders(root: str, slug: str) -> list[str]:
    """Return the sorted names of the folders among a scope's notes, which nothing reads."""
    try:
        found = Tree(root).folder(layout.path(slug, "notes")).entries()
        return sorted(
            each.name
            for each in found
            if each.is_dir(follow_symlinks=False) and not each.name.startswith(".")
        )
    except (FileNotFoundError, UnsafePathError):
        return []


def report_folders(root: str, slug: str) -> None:
    """Say of each such folder that an answer is without what is in it."""
    for name in note_folders(root, slug):
        whole.note(layout.locate(root, layout.path(slug, "notes", name)), OSError(EISDIR, NO_FOLDERS))


def _note_names(folder: Folder) -> list[str]:
    return sorted(
        entry.name
        for entry in folder.entries()
        if layout.is_note_file(entry.name) and entry.is_file(follow_symlinks=False)
    )


def update_index(gate: Gate, slug: str, relative: str | None = None) -> None:
    """Sync the index with the notes. The line of the note `relative` is rewritten; other lines stay.

    It is not stamped here, or a note that appears between our listing and the stamp would be missed.
    """
    fresh = os.path.basename(relative) if relative else ""
    with gate.scope(slug):
        try:
            _rewrite_index(gate, slug, fresh, remember=False)
        except _LineLostError:
            _rewrite_index(gate, slug, fresh, remember=True)


def drop_line(gate: Gate, relative: str) -> None:
    """Remove a note's line from the index before the note changes and the line becomes wrong.

    A note without a line is read from its file, so readers never see the old line after an interruption.
    """

    def apply(old: str | None) -> str | None:
        name = os.path.basename(relative)
        rows = (old or "").splitlines(keepends=True)
        return old and "".join(row for row in rows if _link(row) != (name, True))

    gate.rewrite(layout.path(layout.scope_of(relative), layout.INDEX), apply, op="index", remember=False)


def maybe_outside(root: str, slug: str) -> list[str]:
    """Return the names of notes that may be from outside: their line says so, or they have no line."""
    index = files.text_of(Tree(root).read(layout.path(slug, layout.INDEX), cut=True) or b"")
    names = note_files(root, slug)
    rows, places = survey(index.split("\n"), names)
    labelled = {link_target(row) for row in rows if row != source_label.inside(row)}
    return [*(name for name in names if name in labelled), *unlisted(names, places)]


class _LineLostError(Exception):
    """The index would lose a line that a person may have worded; a copy must be kept."""


def _rewrite_index(gate: Gate, slug: str, fresh: str, *, remember: bool) -> None:
    """Rewrite the index. Keep a copy of the old one only on request: it grows with the notes."""
    unread: list[str] = []

    def apply(old: str | None) -> str | None:
        try:
            folder = Tree(gate.root).folder(layout.path(slug, "notes"))
        except FileNotFoundError:
            return old
        new, lost = _reconcile(old, folder, _note_names(folder), fresh, unread)
        if lost and not remember:
            raise _LineLostError
        return new

    gate.rewrite(layout.path(slug, layout.INDEX), apply, op="index", remember=remember)
    if unread:  # not the directory's time: the next reader then reads those notes
        _stamp(Tree(gate.root).place(layout.path(slug, layout.INDEX)), 0)


def _reconcile(
    old: str | None, folder: Folder, names: list[str], fresh: str, unread: list[str]
) -> tuple[str | None, bool]:
    """Return the index's text, with new notes last, and whether any line was changed or removed.

    Notes that cannot be read get no line; their names are added to `unread`.
    """
    if old is None and not names:
        return None, False
    newline = markdown.newline_of(old or "")
    rows = (old if old is not None else HEADER + _COUNT.format(0)).splitlines(keepends=True)
    kept, places = survey(rows, names)
    lost = len(kept) < len(rows)
    place = places.get(fresh, -1)
    if place >= 0:
        line = _line(folder, fresh)
        if kept[place].strip() != line:
            kept[place] = line + newline if line else ""
            unread += [fresh] if not line else []
            lost = True
    added = unlisted(names, places, fresh)
    over = len(places) + len(added) - MOST
    if over > 0:
        kept, reworded = _without_oldest(kept, places, over, folder)
        lost = lost or reworded
    if kept and kept[-1] and not kept[-1].endswith("\n"):
        kept[-1] += newline
    lines = {name: _line(folder, name) for name in added}
    unread += [name for name, line in lines.items() if not line]
    kept += [line + newline for line in lines.values() if line]
    return _set_count("".join(kept), len(names)), lost


def unlisted(names: list[str], places: dict[str, int], fresh: str = "") -> list[str]:
    """Return the notes that should get a line: as many as there is room for, and a new one."""
    missing = [name for name in names if name not in places]
    room = max(MOST - len(places), 0)
    if len(missing) <= room:
        return missing
    last = [name for name in missing if name != fresh][-room:] if room else []
    return [*last, fresh] if fresh in missing else last


def _without_oldest(
    kept: list[str], places: dict[str, int], count: int, folder: Folder
) -> tuple[list[str], bool]:
    """Drop the oldest of our lines; also return whether a person had reworded one of them."""
    oldest = sorted((place, name) for name, place in places.items() if place >= 0)[:count]
    reworded = any(kept[place].strip() != _line(folder, name) for place, name in oldest)
    gone = {place for place, _ in oldest}
    return [row for place, row in enumerate(kept) if place not in gone], reworded


def survey(rows: list[str], names: list[str]) -> tuple[list[str], dict[str, int]]:
    """Return the lines of an index that stay, and the position of each note's own line among them.

    The position is -1 for a note that only a person's own lines mention. A person's text stays even if its
    note is gone. Lines in our format go with their note, or if they repeat one under the same heading.
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


def _stamp(index: Place, time: int) -> None:
    """Set the index's time: the directory's, so that a later difference means a new or removed note."""
    try:
        for _ in range(2):
            # On newer kernels the second try gets a finer timestamp: reading it refines the clock.
            files.set_time(index, time)
            if is_current(index):
                return
    except OSError:
        return  # readers then compare the names themselves: slower, never wrong


def is_current(place: Place) -> bool:
    """Whether no note was added or removed since the index was written, by two `stat` calls.

    The directory's time must equal the index's, and the stamp must be younger: otherwise a note that appeared
    within the same clock tick would be missed.
    """
    index, folder = place.stat(), place.folder.stat()
    return index is not None and index.st_mtime_ns == folder.st_mtime_ns < index.st_ctime_ns


def glance(root: Tree, slug: str, lines: int, size: int) -> tuple[str, int]:
    """Return the end of the index (the newest notes) within limits, and the number of omitted notes.

    An outdated index is corrected only in the result. One that proves to be right is stamped, so that the
    next call need not check again; no file is ever created or changed here.
    """
    try:
        return _glance(root, slug, lines, size)
    except (FileNotFoundError, StorageError, UnsafePathError):
        return "", 0  # a link or an unreadable directory costs its notes, not the block; `doctor` reports it


def _glance(root: Tree, slug: str, lines: int, size: int) -> tuple[str, int]:
    index = root.place(layout.path(slug, layout.INDEX))
    if is_current(index):
        data, total = index.read_part(size * 2, end=True)
        if total <= len(data):
            return _newest(files.text_of(data).splitlines(), None, lines, size)
        count = _read_count(index)
        if count is not None:
            return _newest(files.text_of(data).splitlines()[1:], count, lines, size)
    time = index.folder.stat().st_mtime_ns
    names = _note_names(index.folder)
    rows = files.text_of(index.read() or b"").splitlines()
    kept, places = survey(rows, names)
    missing = unlisted(names, places)
    if rows and not missing and len(kept) == len(rows):
        _stamp(index, time)
    # Open only as many unlisted notes as can be shown.
    kept += [line for name in missing[-lines:] if (line := _line(index.folder, name))]
    return _newest(kept, len(names), lines, size)


def _newest(rows: list[str], count: int | None, lines: int, size: int) -> tuple[str, int]:
    rows = [row for row in rows if row.strip() and not row.lstrip().startswith(("<!--", "# "))]
    if count is None:
        count = len({link_target(row) for row in rows} - {None})
    own = [row for row in rows if source_label.inside(row)]
    rows, count = own, count - (len(rows) - len(own))
    kept: list[str] = []
    for row in reversed(rows):
        size -= len(row.encode("utf-8", "replace")) + 1
        if size < 0 or len(kept) >= lines:
            break
        kept.append(row)
    shown = len({link_target(row) for row in kept} - {None})
    return "\n".join(reversed(kept)), max(0, count - shown)


def _read_count(index: Place) -> int | None:
    head = files.text_of(index.read_part(512)[0])
    number = head.partition("<!-- memolith: ")[2].partition(" notes")[0]
    return int(number) if number.isdecimal() else None


def link_target(line: str) -> str | None:
    """Return the note that an index line links to; None if it is not such a line."""
    return _link(line)[0]


def _link(line: str) -> tuple[str | None, bool]:
    """Return the note that an index line links to, and whether the line has our format."""
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


def _line(folder: Folder, name: str) -> str:
    """Return a note's line; empty if the note cannot be read, because then its source is unknown."""
    title, hook = describe(Place(folder, name))
    if hook is None:
        return ""
    title = title.replace("[", "(").replace("]", ")")
    target = name
    for char, code in reversed(_ESCAPES[1:]):
        target = target.replace(char, code)
    if " " in name or "(" in name or ")" in name:
        # `<memory` could be mistaken for our block's tag.
        target = f"<./{target}>" if name.lower().startswith("memory") else f"<{target}>"
    return f"- [{title}]({target})" + (f" — {hook}" if hook else "")


def describe(note: Place) -> tuple[str, str | None]:
    """Return a note's title and hook, from its frontmatter or else from its first lines."""
    try:
        data = note.read_part(_GLANCE)[0]
    except MemolithError:
        return note.name[:-3], None  # a link or unreadable file; `doctor` says what is wrong
    entry = Entry("note", note.name, files.text_of(data))
    parsed, source = entry.parsed, entry.origin
    body = parsed.body if not parsed.problem else parsed.body.removeprefix("---")
    hook = parsed.get("description") or markdown.first_line(
        "\n".join(line for line in body.splitlines() if not line.startswith("# "))
    )
    hook = markdown.first_line(hook)
    hook = (
        f"{source_label.own(hook)} {source_label.label(source)}".lstrip()
        if source
        else source_label.escaped(hook)
    )
    return entry.title, hook
