"""What memolith is good for, right after it was installed: past sessions read, learned from, recalled.

Whoever asks for this has agreed to the rules that learn offline, although learning is off by default: no
model is asked, nothing leaves the machine, and the setting stays as it was.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.env.settings import Settings
from memolith.hosts.sessions.gather import Gatherer, Outcome
from memolith.prompt import brief
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memolith.hosts.sessions.gather import Place
    from memolith.mem import Mem

    Progress = Callable[[int, int], None] | None

_HITS = 5
_QUERY = 400  # characters of a request that say what it is about


class FirstImport(Value):
    """What became of the sessions, how many records they taught, and what is known about the last request."""

    brief: str
    brought: list[Outcome]
    records: int


def first_import(mem: Mem, places: Sequence[Place], sessions: Progress, files: Progress) -> FirstImport:
    """Import, index, learn by rules and recall; `sessions` and `files` are told how far it is."""
    with Gatherer(mem) as gatherer:
        brought = gatherer.bring_all(places, sessions)
        mems = gatherer.memories
        mem.index.sync(list(mems), progress=files)
        records = sum(_learn(each) for each in mems.values())
        return FirstImport(brief=_brief(mem, mems, brought), brought=brought, records=records)


def _learn(mem: Mem) -> int:
    """Learn by rules from what was finished; return how many records that gave."""
    enabled, origin = mem.settings.lookup("memories.enabled")
    if not enabled and origin != "default":
        return 0  # somebody switched it off, and meant it
    agreed = Settings(mem.home, {**os.environ, "MEMOLITH_MEMORIES_ENABLED": "true"})
    agreed.enter(mem.identity.root)
    mem.settings, kept = agreed, mem.settings
    try:
        return 0 if mem.learning.off else mem.learning.run(model="none").records
    finally:
        mem.settings = kept


def _brief(mem: Mem, mems: dict[str, Mem], brought: list[Outcome]) -> str:
    """Return what memory says about the last thing somebody worked on: here, or where most was."""
    counts = Counter(each.project for each in brought if each.action != "skipped")
    chosen = mem if counts[mem.project] else mems.get(next(iter(counts.most_common(1)), ("", 0))[0])
    if chosen is None:
        return ""
    sessions = [each for each in chosen.sessions.list() if each.source in ("", "interactive")]
    for last in reversed(sessions[-3:]):
        turns = chosen.sessions.get(last.name).turns
        request = next((turn.text.strip() for turn in turns if turn.role == "user" and turn.text.strip()), "")
        if not request:
            continue
        found = chosen.recall(request[:_QUERY], limit=_HITS * 2, semantic=False)
        others = [hit for hit in found.hits if last.name not in hit.source][:_HITS] or found.hits[:1]
        if others:
            about = " ".join(request[:_QUERY].split())
            about = about if len(about) <= 70 else f"{about[:70]}…"
            return f'What is known in {chosen.project} about "{about}":\n{veil.masked(brief.items(others))}'
    return ""
