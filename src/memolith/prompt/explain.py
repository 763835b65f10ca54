"""Why the block is as it is: which file contributed which bytes, what was cut and why, and the cost.

One function serves `memolith context --explain` and every user interface; it explains the same block that an
agent gets, built by the same code in the same call.
"""

from __future__ import annotations

from memolith.base.errors import InputError
from memolith.base.values import MAX_INJECT_BYTES, Value
from memolith.env.paths import Tree
from memolith.prompt.block import of
from memolith.text.budget import Section, estimate_tokens, utf8_len

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memolith.base.values import Hit
    from memolith.memory.home import Home

FRAME = "(frame)"
WHOLE = "whole"
_NEAR = 512  # how far below its limit a cut section may end: cuts are at line ends


class Part(Value):
    """One section of the block: its source, its size, what is missing and why.

    `file` is the path in the store, `recall` for recalled text, `(frame)` for the text around the sections.
    The `bytes` of all parts add up to the size of the block.
    """

    bytes: int
    cut: int
    file: str
    shown: bool
    title: str
    tokens: int
    why: str


class Explanation(Value):
    """The block and its parts in display order; omitted parts come last."""

    block: str | None
    bytes: int
    cut: int
    limit: int
    off: str  # why nothing is, while memory is switched off
    parts: list[Part]
    tokens: int

    def cost(self, price: float, per_day: int) -> float:
        """Return the daily cost of the block, by the price per million tokens and the requests per day."""
        if price < 0 or per_day < 0:
            raise InputError("a price and a number of prompts cannot be negative")
        return self.tokens * price * per_day / 1_000_000

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {**super().as_dict(), "parts": [part.as_dict() for part in self.parts]}

    def render(self) -> str:
        """Return the explanation for a person: a table with a bar for each part."""
        if self.block is None:
            return f"Nothing is injected: {self.off or 'nothing is remembered here yet'}."
        rows = [f"{'bytes':>7} {'tokens':>6} {'cut':>7}  {'':<12}  from"]
        for part in self.parts:
            cut = f"{part.cut:,}" if part.cut else "-"
            bar = "█" * round(12 * part.bytes / max(1, self.bytes)) or ("▏" if part.bytes else "")
            why = "" if part.why == WHOLE else f"  ({part.why})"
            rows.append(f"{part.bytes:>7,} {part.tokens:>6,} {cut:>7}  {bar:<12}  {part.file}{why}")
        rows.append(
            f"{self.bytes:>7,} {self.tokens:>6,} {f'{self.cut:,}' if self.cut else '-':>7}  "
            f"together, of {self.limit:,} bytes at most"
        )
        return "\n".join(rows)


def explain(
    home: Home, recall: Callable[[], Sequence[Hit]] | None = None, *, max_chars: int | None = None
) -> Explanation:
    """Return the block of a memory, and its parts; `recall` returns what is known about a task."""
    block = of(home, recall, max_chars=max_chars)
    tree = Tree(home.store)
    parts = [
        _part(tree, section, size, unread=unread, shown=section in block.sections, host=max_chars)
        for section, size, unread in block.candidates
    ]
    parts.sort(key=lambda part: not part.shown)
    size = utf8_len(block.text)
    frame = size - sum(part.bytes for part in parts)
    if block.text:
        tokens = max(0, estimate_tokens(block.text) - sum(part.tokens for part in parts))
        around = Part(file=FRAME, title="", bytes=frame, tokens=tokens, cut=0, shown=True, why=WHOLE)
        parts.append(around)
    return Explanation(
        block=block.text or None,
        bytes=size,
        tokens=estimate_tokens(block.text),
        cut=sum(part.cut for part in parts),
        limit=MAX_INJECT_BYTES,
        off=home.off,
        parts=parts,
    )


def _part(tree: Tree, section: Section, size: int, *, unread: bool, shown: bool, host: int | None) -> Part:
    """Describe a section; `size` is its bytes before cutting."""
    text = f"## {section.title}\n{section.body}\n\n" if shown else ""
    body = utf8_len(section.body) if shown else 0
    limit = "the block's limit" if host is None else f"the host's limit of {host:,} characters"
    if shown and size > section.cap >= body > section.cap - _NEAR:
        limit = f"its own limit of {section.cap:,} bytes"
    cut = max(0, (_on_disk(tree, section.source) if unread or section.left_out else size) - body)
    if not shown:
        why = f"left out: what comes first uses up {limit}"
    elif section.left_out:
        why = section.left_out
    else:
        why = f"cut: {limit}" if section.cut else WHOLE
    return Part(
        file=section.source,
        title=section.title,
        bytes=utf8_len(text),
        tokens=estimate_tokens(text),
        cut=0 if why == WHOLE else cut,
        shown=shown,
        why=why,
    )


def _on_disk(tree: Tree, relative: str) -> int:
    """Return the size of a file that may have been read only in part; 0 if it is not a file."""
    if relative == "recall" or "://" in relative:
        return 0
    found = tree.stat(relative)
    return found.st_size if found else 0
