"""The review queue and a person's decisions: texts from outside, and proposals from learning."""

from __future__ import annotations

import os

from memolith.base.errors import InputError, NotFoundError
from memolith.learn.consolidate import proposals
from memolith.memory import review, writing
from memolith.memory.lessons import Lessons
from memolith.memory.records import Records
from memolith.store.layout import PROPOSAL
from memolith.store.screen import quoted
from memolith.store.together import Command
from memolith.text import frontmatter, source_label
from memolith.text.suspicion import suspicions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable

    from memolith.base.values import WriteResult
    from memolith.memory.entries import EntryResult
    from memolith.memory.home import Home
    from memolith.memory.review import Held


class Review:
    """The review queue of one memory. All decisions can be undone, and a refused text is not held again."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def list(self) -> builtins.list[Held]:
        """Return what waits in this project and user-wide, oldest first."""
        return review.waiting(self._home)

    def get(self, held_id: str) -> Held:
        """Return a held text by its id, which may be shortened. NotFoundError; InputError if ambiguous."""
        found = [held for held in self.list() if held_id and held.id.startswith(held_id)]
        if not found:
            raise NotFoundError(f"nothing waits under {quoted(held_id)}; `memolith review` shows what does")
        if len(found) > 1:
            short = ", ".join(held.id for held in found)
            raise InputError(f"{held_id!r} is short for {short}; give more of it")
        return found[0]

    def of(self, name: str) -> builtins.list[Held]:
        """Return all that waits from one session, by its name, or one text: by its id, title or file name.

        The beginning of one is enough.
        """
        every = self.list() if name.strip() else []
        if found := [held for held in every if held.session == name]:
            return found
        same = name.casefold()
        called = [held for held in every if same in names(held)]
        called = called or [
            held for held in every if any(each.startswith(same) for each in (held.id, *names(held)))
        ]
        if len(called) > 1:
            short = ", ".join(held.id for held in called)
            raise InputError(f"{quoted(name)} may be {short}; give the ID")
        return called or [self.get(name)]

    def diff(self, held: Held) -> str:
        """Return what a proposal would change now; empty for other texts."""
        return proposals.describe(self._home, held) if held.call == PROPOSAL else ""

    def accept(self, held_id: str) -> str:
        """Carry out the held call; return what was done. The text is labelled as accepted.

        If that fails (the text to replace is gone, say), it stays in the queue. ConflictError if a proposal
        is outdated.
        """
        with Command("accept"):  # one undo takes back what it wrote, and it waits again
            return self._accept(self.get(held_id))

    def _accept(self, held: Held) -> str:
        if held.call == PROPOSAL:
            return proposals.accept(self._home, held)
        if held.call == review.STORED and not review.decided(self._home, [held], "accept"):
            return f"{held.filename} is accepted"
        if held.call == review.STORED:
            source = held.source.but(accepted=True)
            review.decide(
                self._home, held, lambda old: old and source_label.with_fields(old, source), "accept"
            )
            return f"{held.filename} is yours now"
        home = self._home.from_source(held.source.origin, held.source.taint, reviewed=True)
        result = _CALLS[held.call](home, **held.arguments, **{review.CALLS[held.call][0]: held.text})
        review.decide(self._home, held, lambda _: None, "accept")
        return str(result.message)

    def refuse(self, held_id: str) -> Held:
        """Drop it; it stays in the history, and the same text is not held again."""
        held = self.get(held_id)
        if held.call != review.STORED or review.decided(self._home, [held], "refuse"):
            review.decide(self._home, held, lambda _: None, "refuse")
        return held

    def accept_repository(self, held: builtins.list[Held]) -> None:
        """Accept entries that came with the repository, such as all of a pull: one change, undone as one."""
        with Command("accept"):
            for other in review.decided(self._home, held, "accept"):
                self.accept(other.id)

    def edit(self, held_id: str, text: str) -> Held:
        """Replace it with a person's version; it stays in the queue."""
        held = self.get(held_id)
        if held.call == PROPOSAL:
            proposals.edit(self._home, held, text)
        else:
            self._home.gate.change(held.filename, text, _with_text, op="edit")
        return self.get(held.id)

    def is_safe(self, held: Held) -> bool:
        """Whether it would not be held today: it was edited, or the rules have improved."""
        if held.call == PROPOSAL:
            return proposals.is_safe(self._home, held)
        shown = [each if isinstance(each, str) else "\n".join(each) for each in held.arguments.values()]
        return not suspicions("\n\n".join([*shown, held.text]))


def _with_text(old: str | None, new: str) -> str | None:
    return None if old is None else frontmatter.split(old).head + new


# How to carry out an accepted call, by its stored name.
_CALLS: dict[str, Callable[..., WriteResult | EntryResult]] = {
    "write": writing.write,
    "edit": writing.edit,
    "append_daily": writing.append_daily,
    "remember": writing.remember,
    "update": writing.update,
    "update_section": writing.update_section,
    "lessons.add": lambda home, **given: Lessons(home).add(**given),
    "records.update": lambda home, number, **given: Records(home).update(number, **given),
}


def names(held: Held) -> set[str]:
    """Return what a person may call a text that waits, besides its id."""
    given = [str(held.arguments.get(key) or "") for key in ("title", "name")]
    file = os.path.basename(held.filename).removesuffix(".md")
    return {each.casefold() for each in (*given, file) if each}
