"""MEMORY.md as one document with sections: its template, and changes that stay safe.

Used for the user-wide entry page. Free appends, dated sections, a rewrite that cannot drop half of
the text unnoticed, and a size that asks to be kept small.
"""

from __future__ import annotations

from memolith.errors import InputError, LossError
from memolith.text import markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.mem import Mem
    from memolith.store.gate import Change

# Everything below this line in a project's MEMORY.md is written by consolidation; nothing above it is.
MARKER = "<!-- memolith: consolidated below, rewritten by learning; write above this line -->"

SECTIONS = (
    ("About Me", "name, time zone, languages, what I work on"),
    ("Interaction Preferences", "how I like answers, code, tone"),
    ("Safety + Guardrails", "what must never be done without asking"),
    ("Machine / Runtime", "this machine, its tools and quirks"),
    ("Memory Management Policy", "what to keep, what to leave out, how to tidy up"),
)
TEMPLATE = (
    "# Memory\n\n"
    "<!-- Keep only what will still matter in about 3 months and changes behaviour.\n"
    "     How to use tools or do the job belongs in the system prompt, not here. -->\n"
) + "".join(f"\n## {title}\n<!-- {hint} -->\n" for title, hint in SECTIONS)


def appender(mode: str, *, force: bool, path: str) -> Callable[[str | None, str], str]:
    """Return the change for `update`: add to the end, or replace all (InputError for another mode)."""
    if mode == "append":
        return lambda old, text: _append(TEMPLATE if old is None else old, text)
    if mode == "rewrite":
        return lambda old, text: _rewrite(old or "", text, force=force, path=path)
    raise InputError(f"unknown mode {mode!r}; one of append, rewrite")


def _append(old: str, text: str) -> str:
    new, _ = markdown.drop_known_lines(old, text)
    return markdown.append(old, new) if new.strip() else old


def _rewrite(old: str, text: str, *, force: bool, path: str) -> str:
    if not force:
        lost, total = dropped_lines(old, text)
        if total and lost * 2 > total:
            raise LossError(path, lost, total, diff(old, text))
    return text


def dropped_lines(old: str, new: str) -> tuple[int, int]:
    """Return how many of the old lines that say something are gone, and how many there were."""
    before = [markdown.same_line(line) for line in _said(old)]
    after = {markdown.same_line(line) for line in new.splitlines()}
    return sum(1 for line in before if line not in after), len(before)


def _said(text: str) -> list[str]:
    """Return the lines with content: a template's headings and comments are no loss."""
    return [line for line in markdown.presentable(text).splitlines() if line.strip()]


def diff(old: str, new: str) -> str:
    """Return a unified diff for a person to read."""
    import difflib

    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", lineterm="", n=1)
    return "\n".join(lines)


def section_setter(section: str, date: str) -> Callable[[str | None, str], str]:
    """Return the change for `update_section`: one section's body and date, no other byte."""
    title = markdown.same_line(section.lstrip("#"))
    if not title:
        raise InputError("which section? Give its title, for example --section 'About Me'")

    def apply(old: str | None, text: str) -> str:
        if any(line.startswith("## ") for line in text.splitlines()):
            raise InputError("a section's text may not contain a `## ` heading; use ### inside sections")
        return markdown.set_part(TEMPLATE if old is None else old, title, text, date)

    return apply


def hand_written(text: str) -> str:
    """Return the part of a project's MEMORY.md that people and agents wrote."""
    at = text.find(MARKER)
    return text if at < 0 else text[:at]


def overflow(text: str, limit: int) -> tuple[str, str]:
    """Split `text` into what stays within `limit` characters and the oldest loose lines that go.

    Only list items and plain lines move; headings, comments and the newest lines stay.
    """
    excess = len(text) - limit
    stay: list[str] = []
    go: list[str] = []
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        bare = line.strip()
        movable = bare and not bare.startswith(("#", "<!--")) and "-->" not in bare
        if excess > 0 and movable and number < len(lines) - 1:
            go.append(line)
            excess -= len(line)
        else:
            stay.append(line)
    return "".join(stay), "".join(go)


def keep_small(mem: Mem, change: Change) -> None:
    """Ask to condense a long MEMORY.md, or move its oldest lines to an archive note."""
    limit = int(mem.settings.number("long_term.soft_limit"))
    text = (change.after or b"").decode("utf-8", "replace")
    if not limit or len(text) <= limit:
        return
    moved = overflow(text, limit)[1] if mem.settings.text("long_term.overflow") == "archive" else ""
    if not moved:
        change.warnings.append(
            f"MEMORY.md has {len(text)} characters (soft limit {limit}): condense it before adding more"
        )
        return
    # Archived first, then removed: a crash in between leaves a line twice, never nowhere.
    archive = mem.write("note", moved, name="memory-archive", scope="user")
    done = mem.gate.rewrite(
        change.relative,
        lambda old: overflow(old or "", limit)[0],
        op="archive",
        if_sha256=change.sha256,
    )
    change.after = done.after
    change.warnings.append(f"the oldest lines were moved to {archive.filename}")
