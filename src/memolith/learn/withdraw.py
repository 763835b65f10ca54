"""Withdrawing what was learned: from one session, or all of it.

What people wrote stays, even in generated files. `memolith undo` restores every file; only the rows of the
queue are gone for good, and the sessions can be learned from again.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from memolith.base.errors import StorageError
from memolith.base.values import Value
from memolith.base.whole import Watch
from memolith.env.paths import Tree
from memolith.learn.consolidate import consolidate, skills, statements
from memolith.learn.consolidate import current as on_disk
from memolith.learn.consolidate.current import MADE
from memolith.learn.consolidate.sources import SKILL, page_of
from memolith.learn.consolidate.sources import gone as gone_from
from memolith.learn.extract.facts import findings
from memolith.learn.queue.queue import CONSOLIDATE, Queue
from memolith.memory import review, taken_back
from memolith.memory.document import MARKER
from memolith.memory.records import Records
from memolith.store import files, layout, writeset
from memolith.store.together import Command
from memolith.store.writeset import Edit
from memolith.text import source_label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from memolith.learn.consolidate.current import Current, Made
    from memolith.learn.extract.facts import Findings
    from memolith.memory.home import Home
    from memolith.memory.record import Record


class Withdrawn(Value):
    """What was withdrawn."""

    files: list[str]
    jobs: int
    records: list[str]


def withdraw_session(home: Home, queue: Queue, name: str) -> list[str]:
    """Withdraw what was learned from a session; return the ids of the removed records.

    Facts that other sessions also support stay, without this one as a source. Facts that only this one
    supported leave MEMORY.md at the next consolidation.
    """
    gone = _let_go(home, name)
    note_records(home)
    for held in review.waiting(home):
        if str(held.arguments.get("source", "")).partition("#")[0] == name:
            home.gate.rewrite(held.filename, lambda _: None, op="forget")
    # Delete the row last: while it exists, the next run finishes what this one could not.
    if queue.forget_session(home.project, name):
        queue.enqueue(CONSOLIDATE, home.project, forced=True)
    return gone


def forget_session(home: Home, name: str) -> None:
    """Withdraw from every file what only a deleted session taught; without a model, and if learning is off.

    What a run that is at work, or an error, prevents is done by the next run.
    """
    slug = home.project
    with Queue(home.path, home.settings, home.now) as queue:
        heed(home, queue)
        withdraw_session(home, queue, name)
        if not home.settings.flag("memories.project"):
            return
        for job in queue.claim(CONSOLIDATE, project=slug, force=True):
            with queue.kept(job):
                given = queue.extractions.chosen(slug)
                consolidate.run(home, given, None, fence=partial(queue.fenced, job), deadline=math.inf)
        note_records(home)


def unlearn(home: Home, name: str) -> None:
    """Remove the records of a session that teaches nothing any more, unless a part was not looked for."""
    if home.settings.flag("memories.project") and home.settings.flag("memories.user"):
        _let_go(home, name)


def _let_go(home: Home, name: str) -> list[str]:
    """Remove what only a session supports; return the ids of those records."""
    _unnote(home, [each for each in Records(home).list(archived=True, strict=True) if _only(name, each)])
    return Records(home).forget_source(name)


def _only(session: str, record: Record) -> bool:
    """Whether a record is supported by this session alone."""
    sources = filter(None, [record.source, *record.sources])
    return {each.partition("#")[0] for each in sources} == {session}


def _unnote(home: Home, doomed: Iterable[Record]) -> None:
    """Strike out the records that go now: one that is noted and missed was deleted by a person."""
    made = on_disk.read(home).made
    _note(home, made, made.records - {statements.key(each.body) for each in doomed})


def heed(home: Home, queue: Queue) -> None:
    """Note what people took back by hand since the last run: lines of either text, records and skills.

    What they deleted in one place goes from the others too; what they deleted by a command is noted already.
    """
    previous = on_disk.read(home)
    texts: dict[str, str] = {}
    for each in queue.extractions.all(home.project):
        said = [source_label.bare(fact.text) for fact in statements.facts(each)]
        texts |= {statements.key(text): text for text in said}
        for line in statements.nonblank(each.rollout_summary):  # any may be the first that is not taken back
            texts[statements.key(statements.lately(*page_of(each), line))] = statements.content(line)
    lines = previous.forgotten() - previous.made.forgotten
    with Watch() as watch:
        learned = _learned(home)
    # While some cannot be read, there is no telling which were deleted.
    missed = previous.made.records - learned.keys()
    records, unread = (frozenset[str](), missed) if watch.errors else (missed, frozenset[str]())
    skills_gone = [
        f"{SKILL}{name}: {' '.join(texts[key] for key in keys if key in texts)}"
        for name, keys in sorted(previous.deleted_skills().items())
    ]
    taken_back.add(
        home, home.project, [*(texts[key] for key in sorted(lines | records) if key in texts), *skills_gone]
    )
    for key in sorted(lines & learned.keys()):
        record = learned.pop(key)
        Records(home).delete(record.id, scope=record.scope)
    _note(home, previous.made, [*learned, *unread])
    gone = gone_from(home)
    if any(taken_back.has(gone, fact.text) for fact in statements.standing(previous.below.split("\n"))):
        queue.enqueue(CONSOLIDATE, home.project, forced=True)


def without(found: Findings, gone: list[str]) -> Findings:
    """Return the findings of a session without what people took back."""
    everything = [*found.facts, *found.candidates]
    facts = [fact for fact in everything if not taken_back.has(gone, fact.text)]
    if len(facts) == len(everything):
        return found
    left = findings(facts, _left(found.rollout_summary, gone).splitlines(), found.dropped, found.rollout_slug)
    return left.but(outcome=f"{left.outcome}; {len(everything) - len(facts)} taken back by a person before")


def _left(text: str, gone: Sequence[str]) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not taken_back.has(gone, statements.content(line)))


def note_records(home: Home, *, is_told: bool = False) -> None:
    """Note which learned records there are, so that one deleted by hand is missed.

    StorageError if one cannot be read, because the next run would not miss it; not if the failure `is_told`.
    """
    try:
        _note(home, on_disk.read(home).made, _learned(home, strict=True))
    except StorageError:
        if not is_told:
            raise


def _note(home: Home, made: Made, learned: Iterable[str]) -> None:
    noted = made.but(records=frozenset(learned))
    if noted != made:
        path = layout.path(home.project, MADE)

        def apply(old: str | None) -> str:
            return on_disk.parse(old or "").but(records=noted.records).dump()

        home.gate.rewrite(path, apply, op="learn", remember=False)


def _learned(home: Home, *, strict: bool = False) -> dict[str, Record]:
    records = Records(home).list(archived=True, strict=strict)
    return {statements.key(each.body): each for each in records if each.origin.startswith("extracted")}


def withdraw(
    home: Home, *, user: bool = False, everywhere: bool = False, everything: bool = False
) -> Withdrawn:
    """Withdraw what was learned for this project, each project (`everywhere`), or user-wide (`user`).

    `everything` also removes what people wrote here; its history stays, and one undo takes back all files. If
    a record cannot be read, there is no telling whether it was learned: StorageError, before anything is
    withdrawn.
    """
    if not (user or everywhere):
        home.check_project()
    with Command("clear"):
        if user or not everywhere:
            return _withdraw(home, user=user, everything=everything)
        slugs = layout.projects(home.path)
        homes = [home if slug == home.project else home.of_project(slug) for slug in slugs]
        done = [_withdraw(each, user=False, everything=everything) for each in homes]
    return Withdrawn(
        files=[file for each in done for file in each.files],
        jobs=sum(each.jobs for each in done),
        records=[record for each in done for record in each.records],
    )


def _withdraw(home: Home, *, user: bool, everything: bool) -> Withdrawn:
    records = [
        record
        for record in Records(home).list(scope="user" if user else "project", archived=True, strict=True)
        if everything or record.origin.startswith("extracted")
    ]
    learned = [record for record in records if record.origin.startswith("extracted")]
    slugs = layout.projects(home.path) if user else [home.project]
    every = [home.of_project(slug) if user else home for slug in slugs] if learned else []
    for each in every:
        _unnote(each, learned)
    for record in records:
        home.gate.rewrite(record.filename, lambda _: None, op="delete")  # to be learned again, if need be
    with Queue(home.path, home.settings, home.now) as queue:
        if user:
            said = [record.body for record in learned]
            changed = [file for each in every for file in _unsay(each, queue, said)]
            return Withdrawn(files=changed, jobs=0, records=[record.id for record in records])
        jobs = queue.clear(home.project)
    previous = on_disk.read(home)
    edits = list(_edits(home, previous, everything=everything))
    changed = home.gate.commit(home.project, edits).changed if edits else []
    return Withdrawn(files=changed, jobs=jobs, records=[record.id for record in records])


def _unsay(home: Home, queue: Queue, gone: list[str]) -> list[str]:
    """Remove user-wide statements from what a project learned; return its changed files."""
    for each in queue.extractions.all(home.project):
        left = each.but(
            raw_memory=_left(each.raw_memory, gone), rollout_summary=_left(each.rollout_summary, gone)
        )
        if left != each:
            queue.extractions.store(left)
    previous = on_disk.read(home)
    top, made = layout.path(previous.slug), previous.made
    texts = [(layout.MEMORY, MARKER, previous.memory, previous.below)]
    for name, text in sorted(previous.others.items()):
        skill = name.split("/")[1] if name.startswith(f"{on_disk.SKILLS}/") else ""
        if name != MADE and (not skill or previous.is_ours(skill)):  # else a person changed it
            texts.append((name, "", text, text))
    edits, lines, digests = [], set[str](), dict(made.files)
    for name, marker, whole, text in texts:
        if (new := _left(text, gone)) != text:
            new = without_empty_headings(new, made.lines | made.summary)
            base = writeset.base_of(whole, marker)
            is_empty = name == on_disk.SUMMARY and on_disk.body(new).strip() in ("", statements.ALL_OF_IT)
            edits.append(Edit(path=f"{top}/{name}", marker=marker, base=base, new=None if is_empty else new))
            lines |= set(statements.nonblank(text)) - set(statements.nonblank(new))
            if name in digests:
                digests[name] = writeset.base_of(new) or ""
    if not edits:
        return []
    keys = {statements.key(line) for line in lines}  # no person deleted these: they may be learned again
    made = made.but(lines=made.lines - keys, summary=made.summary - keys, files=digests)
    base = writeset.base_of(previous.others.get(MADE))
    edits.append(Edit(path=f"{top}/{MADE}", marker="", base=base, new=made.dump()))
    return home.gate.commit(home.project, edits).changed


def without_empty_headings(text: str, ours: Collection[str]) -> str:
    """Return a text without those headings of `ours` (their keys) that have nothing below them any more."""
    kept: list[str] = []
    below = 1  # the level of the next line that says something; 9: it is no heading
    for line in reversed(text.split("\n")):
        level = len(line) - len(line.lstrip("#")) or 9
        if level < 9 and level >= below and statements.key(line) in ours:
            continue
        kept.append(line)
        if line.strip():
            below = 1 if line == statements.ALL_OF_IT else level
    return "\n".join(reversed(kept))


def _edits(home: Home, previous: Current, *, everything: bool) -> Iterator[Edit]:
    top = layout.path(previous.slug)
    if everything:
        for path in _all_files(home, top):
            text = files.text_of(Tree(home.store).read(path) or b"", files.EXACT)
            yield Edit(path=path, marker="", base=writeset.base_of(text), new=None)
        return
    if previous.below:
        by_hand = "".join(f"{line}\n" for line in previous.by_hand())
        base = writeset.base_of(previous.memory, MARKER)
        yield Edit(path=layout.path(previous.slug, layout.MEMORY), marker=MARKER, base=base, new=by_hand)
    theirs = set(previous.skills) - set(skills.settle({}, previous))
    for path in sorted(set(previous.others) - theirs):
        yield Edit(path=f"{top}/{path}", marker="", base=writeset.base_of(previous.others[path]), new=None)


def _all_files(home: Home, top: str) -> list[str]:
    found = []
    for directory, below, names in Tree(str(home.root), alone=True).walk(top):  # a repository is others', too
        below[:] = [name for name in below if not name.startswith(".")]
        inside = [name for name in names if not name.startswith(".") and name != "project.yml"]
        found += [f"{directory}/{name}" for name in inside]
    return found
