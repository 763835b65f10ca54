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

    from memolith.memory.home import Home
    from memolith.memory.quarantine import Held


def accept(home: Home, number: str) -> str:
    """Do what was asked with a held text; return what was done. Its label says that it was accepted.

    If that fails (the text to replace is gone, say) it goes on waiting.
    """
    held = quarantine.find(home, number)
    if held.call == quarantine.STORED:
        source = Source(held.source.origin, held.source.taint, accepted=True)
        _rewrite(home, held, lambda old: old and source_label.with_fields(old, source), "accept")
        return f"{held.filename} is yours now"
    place: object = home.from_source(held.source.origin, held.source.taint, reviewed=True)
    # `records.add` is a call of a part of the memory.
    for name in held.call.split("."):
        place = getattr(place, name)
    text_parameter = quarantine.CALLS[held.call][0]
    result = place(**held.arguments, **{text_parameter: held.text})  # type: ignore[operator]
    _drop(home, held, "accept")
    return str(result.message)


def refuse(home: Home, number: str) -> Held:
    """Drop a held text; it stays in the history, and the same text will not be held again."""
    held = quarantine.find(home, number)
    _drop(home, held, "refuse")
    return held


def edit(home: Home, number: str, text: str) -> Held:
    """Replace a held text by what a person made of it; it goes on waiting."""
    held = quarantine.find(home, number)
    home.gate.change(
        held.filename, text, lambda old, new: None if old is None else split(old).head + new, op="edit"
    )
    return quarantine.find(home, held.id)


def is_safe(held: Held) -> bool:
    """Tell whether a text would not be held if it came now: it was edited, or the rules are better."""
    from memolith.text.suspicion.suspicion import suspicions

    shown = [each if isinstance(each, str) else "\n".join(each) for each in held.arguments.values()]
    return not suspicions("\n\n".join([*shown, held.text]))


def _drop(home: Home, held: Held, decision: str) -> None:
    _rewrite(home, held, lambda _: None, decision)


def _rewrite(home: Home, held: Held, change: Callable[[str | None], str | None], op: str) -> None:
    slug = layout.scope_of(held.filename)
    with home.gate.scope(slug):
        home.gate.rewrite(held.filename, change, op=op)
        if held.filename.startswith(f"{layout.notes(slug)}/"):
            note_index.update_index(home.gate, slug, held.filename)
