"""Facts of a session as records.

What a person asked outright to have remembered ("remember that …") is kept as soon as the session is brought
in: that is a request, not learning, so it needs no setting of learning, no model, and no review.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memolith.base.errors import MemolithError, StorageError
from memolith.env.paths import Tree
from memolith.learn.extract import rules
from memolith.learn.extract.eligible import seconds
from memolith.learn.extract.facts import MOST_OUTSIDE
from memolith.memory import asked as to_show
from memolith.memory import nearby, taken_back
from memolith.memory.records import Records
from memolith.memory.sessions import Sessions
from memolith.store import layout
from memolith.text import source_label
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.learn.extract.facts import Fact
    from memolith.memory.home import Home
    from memolith.memory.record import Record


def asked(home: Home, name: str, new: int) -> int:
    """Keep what people asked to have remembered in the last `new` turns of a session; return how much."""
    if not new or not home.settings.flag("hooks.remember"):
        return 0
    session = Sessions(home).get(name)
    if session.mode in ("disabled", "polluted") or session.source not in ("", "interactive"):
        return 0
    last = max((turn.number for turn in session.turns), default=0)
    found = rules.extract(session, home.settings).facts
    said = {turn.number: turn.time for turn in session.turns}
    fresh = [
        fact
        for fact in found
        if fact.asked
        and fact.quotes[0][0] > last - new
        and not _was_taken_back(home, fact, said[fact.quotes[0][0]])
    ]
    return records(home, name, fresh, shown=True)[0]


def _few(home: Home, session: str, facts: list[Fact]) -> list[Fact]:
    """Return the facts, without those from outside that would be too many of one session to decide about.

    A session that goes on is read again and again, and may say something else each time.
    """
    if not any(fact.outside for fact in facts):
        return facts
    waiting = [
        record.body
        for record in Records(home).list(archived=True)
        if source_label.is_outside(record.origin)
        and session in (each.partition("#")[0] for each in (record.source, *record.sources))
    ]
    kept = []
    for fact in facts:
        if fact.outside and not any(likeness.same(fact.text, each) for each in waiting):
            if len(waiting) >= MOST_OUTSIDE:
                continue
            waiting.append(fact.text)
        kept.append(fact)
    return kept


def _was_taken_back(home: Home, fact: Fact, said: str) -> bool:
    """Whether a person took something back after it was said: a copy of the session may say it once more."""
    for slug in (home.project, layout.USER):
        if taken_back.has(taken_back.read(home, slug), fact.text):
            return (seconds(said) or 0.0) <= taken_back.noted(home, slug)
    return False


def _times(home: Home, session: str) -> dict[int, float | None]:
    """Return when each turn of a session was said: by its own time, or that of the whole session."""
    found = Sessions(home).read(session)
    return {turn.number: seconds(turn.time or found.started) for turn in found.turns} if found else {}


def _is_later(home: Home, session: str, fact: Fact, said: float | None, record: Record) -> bool:
    """Whether a record was said, or put away, after a fact of a session: learning is not in order of time.

    What a person wrote or changed is as old as its file. A record that says the same is no later word: it
    gets one more source.
    """
    counts = record.status == "candidate" or record.holds(home.today)
    if counts and nearby.repeats((fact.title, fact.text), (record.title, record.body), named=True):
        return False
    sources = [each.partition("#") for each in (record.source, *record.sources)]
    put_away = record.status in ("archived", "superseded")
    if put_away and session in (name for name, _, _ in sources):
        return True  # it was kept of this session, and then something else was said
    if said is None:
        return False
    told = [_times(home, name).get(int(turn)) for name, _, turn in sources if turn.isdigit()]
    changed = Tree(home.store).stat(record.filename)
    if put_away or not any(told):
        return changed is not None and changed.st_mtime > said
    return max(filter(None, told)) > said


def records(home: Home, session: str, facts: Iterable[Fact], *, shown: bool = False) -> tuple[int, str]:
    """Store facts as records; one that is refused does not stop the others. Return how many, and why not.

    `shown` ones are part of the block, whether learning is on or off.
    """
    stored, refused = 0, []
    when = _times(home, session)
    for fact in _few(home, session, list(facts)):
        source = f"{session}#{fact.quotes[0][0]}" if fact.quotes else session
        said = when.get(fact.quotes[0][0]) if fact.quotes else None
        try:
            record = Records(home.from_source("extracted", fact.taint or None)).add(
                fact.text,
                category=fact.category,
                scope=fact.scope,
                title=fact.title,
                aliases=fact.aliases,
                keywords=fact.keywords,
                source=source,
                certain=fact.certain,
                is_later=partial(_is_later, home, session, fact, said),
            )
        except StorageError:
            raise
        except MemolithError as error:
            refused.append(str(error))
            continue
        stored += fact.certain and bool(record.id)
        if shown and record.id:
            to_show.show(home, record.filename)
    return stored, f"; {len(refused)} refused: {refused[0]}" if refused else ""
