"""MEMORY.md as one document with sections: its template, and changes that stay safe.

Used for the user-wide entry page. Supports free appends, dated sections, a rewrite that cannot silently drop
half of the text, and a size limit.
"""

from __future__ import annotations

from memolith.base.errors import InputError, LossError
from memolith.env.paths import Tree
from memolith.store import files, layout
from memolith.store.together import Command
from memolith.text import markdown, source_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.memory.home import Home
    from memolith.store.gate import Change

# Consolidation writes everything below this line in a project's MEMORY.md, and nothing above it.
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
_FEW = 2  # lines that may be replaced without a question; `undo` has them


def add(old: str, text: str) -> tuple[str, int]:
    """Return MEMORY.md with lines added that it does not have, and how many it had.

    They come last, but never under a heading of the template: an appended fact is no policy. Then they get a
    section of their own, unless they bring one.
    """
    from memolith.text import known_lines  # late: the block needs this module, and adds nothing

    labelled = [line for line in old.split("\n") if source_label.label_of(line)]
    bare = map(source_label.unlabelled, labelled)  # the same words are known, whoever said them first
    new, known = known_lines.drop("\n".join([old, *bare]), text)
    if not new.strip():
        return old, known
    sections = markdown.parts(old)
    is_under = bool(sections) and sections[-1].title.casefold() in markdown.TEMPLATE_SECTIONS
    if not is_under or sections[-1].end < len(old) or new.lstrip().startswith(("# ", "## ")):
        return markdown.append(old, new), known
    facts = markdown.find_part(old, markdown.FACTS)
    if facts is None:
        return markdown.append(markdown.append(old, f"\n## {markdown.FACTS}"), new), known
    above, rest = old[: facts.end].rstrip("\r\n"), old[facts.end :]
    return markdown.append(above, f"{new.rstrip()}\n") + markdown.newline_of(old) + rest, known


def guard(old: str, new: str, path: str) -> None:
    """Raise LossError if a new text drops most lines that say something, and more than a few."""
    lost, total = dropped_lines(old, new)
    if lost > _FEW and lost * 2 > total:
        raise LossError(path, lost, total, diff(old, new))


def dropped_lines(old: str, new: str) -> tuple[int, int]:
    """Return how many of the old lines with content are gone, and how many there were."""
    before = [markdown.same_line(line) for line in _lines_with_content(old)]
    after = {markdown.same_line(line) for line in new.splitlines()}
    return sum(1 for line in before if line not in after), len(before)


def _lines_with_content(text: str) -> list[str]:
    """Return the lines with content: losing headings and comments does not count."""
    return [line for line in markdown.presentable(text).splitlines() if line.strip(" #") and line[:1] != "#"]


def diff(old: str, new: str, allow: frozenset[str] = frozenset(), name: str = "") -> str:
    """Return a unified diff for a person, with secrets masked: the file may be edited by hand.

    The values in `allow` are none. Among several, the `name` of the file heads each.
    """
    import difflib

    from memolith.text.secrets.redact import redact

    titles = (f"{name} before".strip(), f"{name} after".strip())
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *titles, lineterm="", n=1)
    return redact("\n".join(lines), allow, by_hand=True).text


def section_setter(section: str, date: str) -> tuple[Callable[[str | None, str], str], list[str], list[str]]:
    """Return the change for `update_section`: a section's body and date.

    And warnings about its title, and a list that has the title afterwards if there was no such section.
    """
    from memolith.store.screen import screen

    title, warnings = screen(section.lstrip("#"))
    title = markdown.same_line(title)
    if not title:
        raise InputError("which section? Give its title, for example --section 'About Me'")

    def apply(old: str | None, text: str) -> str:
        if any(line.startswith(("# ", "## ")) for line in text.splitlines()):
            raise InputError("a section's text may not contain a # or ## heading; use ### inside sections")
        old = TEMPLATE if old is None else old
        made[:] = [] if markdown.find_part(old, title) else [title]
        return markdown.set_part(old, title, text, date)

    made: list[str] = []
    return apply, warnings, made


def hand_written(text: str) -> str:
    """Return the part of a project's MEMORY.md that people and agents wrote."""
    return markdown.halves(text, MARKER)[0]


def overflow(text: str, limit: int) -> list[str]:
    """Return the oldest loose lines that must go for `text` to fit into `limit` characters.

    Only list items and plain lines go; headings, comments, code blocks and the newest line stay.
    """
    excess = length(text) - limit
    go: list[str] = []
    lines = text.splitlines(keepends=True)
    fence = comment = False
    for line in lines[:-1]:
        bare = line.strip()
        comment = comment or bare.startswith("<!--")
        marks_fence = bare.startswith(("```", "~~~"))
        loose = bare and not (fence or comment or marks_fence or bare.startswith("#"))
        if excess > 0 and loose:
            go.append(line)
            excess -= len(line)
        fence = fence != marks_fence
        comment = comment and "-->" not in bare
    return go


def without(text: str, lines: list[str]) -> str:
    """Return `text` without the given lines, removing the first occurrence of each."""
    from collections import Counter

    gone = Counter(lines)
    kept = []
    for line in text.splitlines(keepends=True):
        if gone[line]:
            gone[line] -= 1
        else:
            kept.append(line)
    return "".join(kept)


def length(text: str) -> int:
    """Return how long a document is as an agent gets it: without comments and empty sections."""
    return len(markdown.presentable(text))


def kept_small(home: Home, write: Callable[[], Change]) -> Change:
    """Write MEMORY.md; if it is long now, suggest condensing it, or move its oldest lines to an archive."""
    limit = int(home.settings.number("long_term.soft_limit"))
    archives = home.settings.text("long_term.overflow") == "archive"
    with Command("write", when=archives):
        change = write()
        size = length((change.after or b"").decode("utf-8", "replace"))
        if not limit or size <= limit or not change.changed:
            return change
        if archives:
            change.warnings.append(_archive(home, change, limit))
        else:
            change.warnings.append(
                f"MEMORY.md has {size:,} characters (soft limit {limit:,}): condense it before adding more "
                "(`memolith edit long_term`, or `memolith update - --mode rewrite < FILE`)"
            )
        return change


def _archive(home: Home, change: Change, limit: int) -> str:
    """Move the oldest lines of MEMORY.md to the archive note; return the message about it."""
    archive = layout.note(layout.USER, "memory-archive")
    moved: list[str] = []

    def add(old: str | None) -> str | None:
        text = files.text_of(Tree(home.gate.root).read(layout.MEMORY) or b"", files.EXACT)
        moved[:] = overflow(text, limit)
        return markdown.append(old or "", "".join(moved)) if moved else old

    # Archive first, then remove: a crash in between leaves a line twice, but loses none.
    with home.gate.scope(layout.USER):
        home.gate.rewrite(archive, add, op="archive")
        done = home.gate.rewrite(
            layout.MEMORY,
            lambda old: markdown.dated(old or "", without(old or "", moved), home.today),
            op="archive",
        )
    change.after = done.after
    return f"{len(moved)} of the oldest lines were moved to {archive}"
