"""A person's decision about a text that was held: write it after all, or drop it. Both can be undone."""

from __future__ import annotations

from memolith.base.values import Source
from memolith.memory import note_index, quarantine
from memolith.store import layout
from memolith.text import source_label
from memolith.text.frontmatter import split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.mem import Mem
    from memolith.memory.quarantine import Held


def accept(mem: Mem, number: str) -> str:
    """Do what was asked with a held text; return what was done. Its label says that it was accepted.

    If that fails (the text to replace is gone, say) it goes on waiting.
    """
    held = quarantine.find(mem, number)
    if held.call == quarantine.STORED:
        source = Source(held.source.origin, held.source.taint, accepted=True)
        _rewrite(mem, held, lambda old: old and source_label.with_fields(old, source), "accept")
        return f"{held.filename} is yours now"
    place: object = mem.from_source(held.source.origin, held.source.taint, reviewed=True)
    # `records.add` is a call of a part of the memory.
    for name in held.call.split("."):
        place = getattr(place, name)
    text_parameter = quarantine.CALLS[held.call][0]
    result = place(**held.arguments, **{text_parameter: held.text})  # type: ignore[operator]
    _drop(mem, held, "accept")
    return str(result.message)


def refuse(mem: Mem, number: str) -> Held:
    """Drop a held text; it stays in the history, and the same text will not be held again."""
    held = quarantine.find(mem, number)
    _drop(mem, held, "refuse")
    return held


def edit(mem: Mem, number: str, text: str) -> Held:
    """Replace a held text by what a person made of it; it goes on waiting."""
    held = quarantine.find(mem, number)
    mem.gate.change(
        held.filename, text, lambda old, new: None if old is None else split(old).head + new, op="edit"
    )
    return quarantine.find(mem, held.id)


def is_safe(held: Held) -> bool:
    """Tell whether a text would not be held if it came now: it was edited, or the rules are better."""
    from memolith.text.suspicion.suspicion import suspicions

    shown = [each if isinstance(each, str) else "\n".join(each) for each in held.arguments.values()]
    return not suspicions("\n\n".join([*shown, held.text]))


def _drop(mem: Mem, held: Held, decision: str) -> None:
    _rewrite(mem, held, lambda _: None, decision)


def _rewrite(mem: Mem, held: Held, change: Callable[[str | None], str | None], op: str) -> None:
    slug = layout.scope_of(held.filename)
    with mem.gate.scope(slug):
        mem.gate.rewrite(held.filename, change, op=op)
        if held.filename.startswith(f"{layout.notes(slug)}/"):
            note_index.update_index(mem.gate, slug, held.filename)
