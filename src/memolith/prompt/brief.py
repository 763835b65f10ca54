"""Recalled hits as text for a prompt.

An item is shown whole or not at all, the best first, with the address to read. Without hits it is empty.
"""

from __future__ import annotations

from memolith.base.errors import MemolithError
from memolith.base.lean import suppress
from memolith.store import files, layout
from memolith.text import frontmatter, markdown
from memolith.text.budget import estimate_tokens
from memolith.text.safe import hygiene, structure
from memolith.text.safe.structure import CLOSE, OPEN
from memolith.text.source_label import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memolith.base.values import Hit
    from memolith.env.paths import Tree

TOKENS = 1500  # default size of the brief in the block
_NAME = 13  # characters of a session's id: of those that begin with a time, to the millisecond
_HEAD = 4096  # bytes in which a note names its kind
_WHOLE = 700  # characters up to which the whole text is shown instead of the part around the match


def place(hit: Hit) -> str:
    """Return the address of a hit, as the tools read it; a session's name is shortened."""
    if hit.turn is not None:
        agent, _, name = hit.record.partition("-")
        return f"memory://root/sessions/{agent}-{name[:_NAME].rstrip('-')}/{hit.turn}"
    return layout.shown(hit.source.rpartition(":")[0])


def item(hit: Hit) -> str:
    """Return a hit as one item of the brief: address, kind, date, origin, and text."""
    text = hit.text.strip() if len(hit.text) <= _WHOLE else hit.snippet
    if hit.kind == "memory":  # comments are for people, as in the block
        text = markdown.strip_comments(text).strip() or text
    kind = f"{hit.kind}/{hit.category}" if hit.category and hit.kind == "record" else hit.kind
    about = ", ".join(each for each in (kind, hit.date[:10], "weak" if hit.weak else "") if each)
    origin = f" {label(hit.origin)}" if hit.origin else ""
    named = (
        f"{hit.title}: " if hit.title and hit.turn is None and hit.title not in f"{hit.source} {text}" else ""
    )
    body = hygiene.for_block(named + text).replace("\n", "\n  ")
    return f"{structure.item(hygiene.for_block(place(hit)), about)}{origin}\n  {body}"


def fitting(hits: Sequence[Hit], tokens: int) -> list[Hit]:
    """Return the hits that fit into a brief of so many tokens; one that is too long is skipped."""
    kept: list[Hit] = []
    tokens -= estimate_tokens(f"{OPEN}\n## {structure.RECALLED}\n{CLOSE}") + 1
    for hit in hits:
        size = estimate_tokens(item(hit)) + 1
        if size <= tokens:
            kept.append(hit)
            tokens -= size
    return kept


def untold(hits: Sequence[Hit], lines: Iterable[str], tree: Tree) -> list[Hit]:
    """Return the hits without records and preferences that stand in the block, given its lines."""
    about = [hit for hit in hits if hit.kind == "record" or (hit.kind == "note" and _is_wish(hit, tree))]
    shown = set(lines) if about else set[str]()
    told = [hit for hit in about if _stands(hit, shown)]
    return [hit for hit in hits if hit not in told]


def _is_wish(hit: Hit, tree: Tree) -> bool:
    with suppress(MemolithError):
        head = files.text_of(tree.read_part(hit.source.rpartition(":")[0], _HEAD)[0])
        return frontmatter.split(head).get("type") == "preference"
    return False


def _stands(hit: Hit, shown: set[str]) -> bool:
    """Whether a record is a line of the block, or a note's text in its line of the index."""
    if hit.kind == "record":
        body = markdown.close_up(hygiene.for_block(hit.text)).strip()
        return shown.issuperset(line for line in structure.entry(body).split("\n") if line)
    text = markdown.same_line(hygiene.for_block(hit.text))
    name = f"]({hit.source.rpartition(':')[0].rpartition('/')[2]}) — "
    return any(name in line and text in line.partition(name)[2] for line in shown)


def items(hits: Sequence[Hit]) -> str:
    """Return the body of the brief; empty without hits."""
    return "\n".join(item(hit) for hit in hits)


def prompt(hits: Sequence[Hit], worked: Sequence[str] = ()) -> str:
    """Return text that is ready for a prompt, with how work is done here; empty without either."""
    parts = [f"## {structure.RECALLED}\n{items(hits)}"] if hits else []
    parts += ["\n".join([f"## {structure.WORKING}", *worked])] if worked else []
    return "\n".join([OPEN, *parts, CLOSE]) if parts else ""
