"""Recalled hits as text for a prompt.

An item is shown whole or not at all, with its source to open and its score. Without hits the text is empty.
"""

from __future__ import annotations

from memolith.store import layout
from memolith.text.budget import estimate_tokens
from memolith.text.safe import hygiene, structure
from memolith.text.safe.structure import CLOSE, OPEN
from memolith.text.source_label import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.base.values import Hit, Recall

TOKENS = 1500  # default size of the brief in the block
_WHOLE = 700  # characters up to which the whole text is shown instead of the part around the match


def item(hit: Hit) -> str:
    """Return a hit as one item of the brief: source, score, origin, and text."""
    text = hit.text.strip() if len(hit.text) <= _WHOLE else hit.snippet
    kind = f"{hit.kind}/{hit.category}" if hit.category and hit.kind == "record" else hit.kind
    about = ", ".join(each for each in (kind, hit.scope, hit.date[:10], "weak" if hit.weak else "") if each)
    origin = f" {label(hit.origin)}" if hit.origin else ""
    named = (
        f"{hit.title}: " if hit.title and hit.turn is None and hit.title not in f"{hit.source} {text}" else ""
    )
    body = hygiene.for_block(named + text).replace("\n", "\n  ")
    place = hygiene.for_block(layout.shown(hit.source))
    return f"{structure.item(hit.score)}{place} ({about}){origin}\n  {body}"


def fitting(hits: Sequence[Hit], tokens: int) -> list[Hit]:
    """Return the hits whose items fit into a number of tokens together; one that is too long is skipped."""
    kept: list[Hit] = []
    for hit in hits:
        size = estimate_tokens(item(hit)) + 1
        if size <= tokens:
            kept.append(hit)
            tokens -= size
    return kept


def items(hits: Sequence[Hit]) -> str:
    """Return the body of the brief; empty without hits."""
    return "\n".join(item(hit) for hit in hits)


def prompt(found: Recall) -> str:
    """Return text that is ready for a prompt; empty without hits."""
    if not found.hits:
        return ""
    return f"{OPEN}\n## {structure.RECALLED}\n{items(found.hits)}\n{CLOSE}"
