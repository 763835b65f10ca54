"""Notes: one fact or topic per file, and an index of one line each that follows the files.

The index is `notes/MEMORY.md`. memolith adds and removes lines; what a person wrote in between, and how they
worded a line, stays. Whether the index still matches its directory is told by one comparison of two times
(`is_current`), so that a prompt does not pay for listing thousands of files.
"""

from __future__ import annotations

import os

from memolith.errors import InputError, MemolithError, NotFoundError
from memolith.store import files, layout
from memolith.text import frontmatter, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.store.gate import Change, Gate

KINDS = ("user", "project", "domain", "preference", "reference")
_KIND_ALIASES = {"simulator": "domain"}
HEADER = "# Notes\n\n"
_COUNT = "<!-- memolith: {} notes, one line each -->\n\n"
# Enough of a note to know its title and first line.
_GLANCE = 4096


def note_files(root: str, slug: str) -> list[str]:
    """Return the names of a scope's note files, sorted; the index is not a note."""
    return [
        name
        for name in files.names(layout.locate(root, layout.notes(slug)))
        if name.casefold() != "memory.md"
    ]


def remember(gate: Gate, slug: str, content: str, title: str, kind: str) -> Change:
    """Store a note under its title and keep its line in the index; the same title replaces the note."""
    title = markdown.same_line(title)
    if not title:
        raise InputError("a note needs a title; give --title TEXT")
    if not content.strip():
        raise InputError(f"nothing to remember under {title!r}; give the text of the note")
    kind = _KIND_ALIASES.get(kind, kind)
    from memolith.store.screening import screen

    title, warnings = screen(title)
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

        change = gate.change(relative, content, compose, op="remember")
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
        _check_new_name(gate, relative)
        change = gate.change(relative, content, apply, op=op, if_sha256=if_sha256)
        update_index(gate, slug, relative if op == "overwrite" else None)
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
    base = layout.file_name(title)
    taken = {name.casefold() for name in files.names(layout.locate(gate.root, layout.notes(slug)))}
    number = 1
    while True:
        name = base if number == 1 else f"{base}-{number}"
        relative = layout.note(slug, name)
        if f"{name}.md" not in taken:
            return relative
        if markdown.same_line(_describe(layout.locate(gate.root, relative))[0]) == title:
            return relative
        number += 1


def _check_new_name(gate: Gate, relative: str) -> None:
    """Refuse a name that differs from a note's only in case: some file systems cannot tell them apart."""
    directory, name = os.path.split(layout.locate(gate.root, relative))
    if os.path.lexists(os.path.join(directory, name)):
        return
    for other in files.names(directory):
        if other.casefold() == name.casefold():
            raise InputError(f"there is a note {other[:-3]!r} already; names must differ in more than case")


# ---------------------------------------------------------------- the index


def update_index(gate: Gate, slug: str, relative: str | None = None) -> None:
    """Bring the index in line with the notes. The line of the note `relative` is made anew; others stay."""
    path = layout.locate(gate.root, layout.index(slug))
    directory = os.path.dirname(path)
    if not os.path.isdir(directory):
        return
    with gate.scope(slug):
        fresh = os.path.basename(relative) if relative else None
        gate.rewrite(
            layout.index(slug),
            lambda old: _reconcile(old, directory, note_files(gate.root, slug), fresh),
            op="index",
            remember=False,
        )
        _stamp(path, directory, os.stat(directory).st_mtime_ns)


def _reconcile(old: str | None, directory: str, names: list[str], fresh: str | None) -> str | None:
    """Return the index's text: lines of missing notes go, lines of new notes come last."""
    present = set(names)
    if old is None and not present:
        return None
    newline = markdown.newline_of(old or "")
    lines: list[str] = []
    seen: set[str] = set()
    for line in (old if old is not None else HEADER + _COUNT.format(0)).splitlines(keepends=True):
        target = link_target(line)
        if target is None:
            lines.append(line)
        elif target in present and target not in seen:
            seen.add(target)
            lines.append(line if target != fresh else _line(directory, target) + newline)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    lines += [_line(directory, name) + newline for name in names if name in present - seen]
    return _set_count("".join(lines), len(present))


def _set_count(text: str, count: int) -> str:
    start = text.find("<!-- memolith: ")
    end = text.find(" notes", start)
    if start < 0 or end < 0:
        return text
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
    if not names:
        return "", 0
    missing = dict.fromkeys(names)
    rows = []
    stale = False
    for line in files.text_of(files.read(path) or b"").splitlines():
        target = link_target(line)
        if target is None or target in missing:
            rows.append(line)
            missing.pop(target or "", None)
        else:
            stale = True
    if not missing and not stale:
        _stamp(path, directory, time)
    # Only as many unknown notes are opened as can be shown.
    rows += [_line(directory, name) for name in list(missing)[-lines:]]
    return _newest(rows, len(names), lines, size)


def _newest(rows: list[str], count: int | None, lines: int, size: int) -> tuple[str, int]:
    rows = [row for row in rows if row.strip() and not row.lstrip().startswith(("<!--", "# "))]
    if count is None:
        count = sum(1 for row in rows if link_target(row))
    kept: list[str] = []
    for row in reversed(rows):
        size -= len(row.encode("utf-8", "replace")) + 1
        if size < 0 or len(kept) >= lines:
            break
        kept.append(row)
    shown = sum(1 for row in kept if link_target(row))
    return "\n".join(reversed(kept)), max(0, count - shown)


def _read_count(path: str) -> int | None:
    head = files.text_of(files.read_part(path, 512)[0])
    number = head.partition("<!-- memolith: ")[2].partition(" notes")[0]
    return int(number) if number.isdecimal() else None


def link_target(line: str) -> str | None:
    """Return the note that an index line points to; None if it is not such a line."""
    bare = line.strip()
    if not bare.startswith(("- [", "* [")):
        return None
    start = bare.find("](")
    end = bare.find(")", start)
    if start < 0 or end < 0:
        return None
    target = bare[start + 2 : end].strip("<>").removeprefix("./").replace("%20", " ")
    return target if target.endswith(".md") and "/" not in target else None


def _line(directory: str, name: str) -> str:
    title, hook = _describe(os.path.join(directory, name))
    title = title.replace("[", "(").replace("]", ")")
    target = f"<{name}>" if " " in name or "(" in name or ")" in name else name
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
