"""A person's decision about a text that was held: write it after all, or drop it. Both can be undone."""

from __future__ import annotations

from memolith import quarantine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.mem import Mem
    from memolith.model import WriteResult
    from memolith.quarantine import Held


def accept(mem: Mem, number: str) -> WriteResult:
    """Do what was asked with a held text. It keeps the label of its source.

    If that fails (the text to replace is gone, say) it goes on waiting.
    """
    held = quarantine.find(mem, number)
    writer = mem.from_source(held.source.origin, held.source.taint, reviewed=True)
    text_parameter = quarantine.CALLS[held.call][0]
    result: WriteResult = getattr(writer, held.call)(**held.arguments, **{text_parameter: held.text})
    _drop(mem, held, "accept")
    return result


def refuse(mem: Mem, number: str) -> Held:
    """Drop a held text; it stays in the history, and the same text will not be held again."""
    held = quarantine.find(mem, number)
    _drop(mem, held, "refuse")
    return held


def _drop(mem: Mem, held: Held, decision: str) -> None:
    mem.gate.rewrite(held.filename, lambda _: None, op=decision)
