"""What was done here, and how: the checks that pass, the files that were changed last, what is of a day.

Derived from the index at each question and stored nowhere. It is told to a prompt that names things of this
project; to a chore about a check ("fix the failing tests"), how checks are run; to no other.
"""

from __future__ import annotations

from math import log

from memolith.index.units import CHECKS, FILE
from memolith.recall import abstain, rank, settle, statement, supersede, weights
from memolith.store import layout
from memolith.text.safe import hygiene
from memolith.text.words import named, talk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.index import Index, Session, Unit, Work
    from memolith.memory.home import Home


def lines(home: Home, query: str) -> list[str]:
    """Return what to know before working on a task, as items of a list, if it is about this project."""
    slugs = [layout.USER, home.project]
    if not home.project or not home.settings.flag("inject.working"):
        return []
    home.index.sync(slugs)
    check = talk.is_check(query)
    known = check or abstain.known_names(home.index.terms(slugs, query)) >= weights.AT_HOME
    told = named.Named(query)
    found = home.index.work(slugs, weights.WORKED) if known or told else []
    known = known or any(told.paths("\n".join(each.what.casefold() for each in found if each.kind == FILE)))
    if not (found and known):
        return []
    if check:
        return [hygiene.for_block(line) for line in _checks(found)]
    about = [each.path for each in by_work(home.index.sessions(slugs, query, weights.HEARD_IN))]
    said = [*_checks(found), *_files(found, about)]
    return [hygiene.for_block(line) for line in said]


def by_work(sessions: Sequence[Session]) -> list[Session]:
    """Return sessions in the order in which they help with a task: what was said in them, of what, and when.

    Time counts from the newest of them: after a holiday, the last session is still where work goes on. What
    many of them were about, the task is likely to be about, too.
    """
    most = max((each.score for each in sessions), default=0.0) or 1.0
    best = max((each.best for each in sessions), default=0.0) or 1.0
    names = max((each.in_files for each in sessions), default=0.0) or 1.0
    hours = {each.path: 24 * statement.day_of(each.started) for each in sessions}
    newest = max(hours.values(), default=0.0)

    def evidence(each: Session) -> float:
        ago = log(1 + (newest - hours[each.path]) / weights.LATELY_HOURS)
        return each.score / most + weights.BEST_TURN * each.best / best + weights.LATELY / (1 + ago)

    told = {each.path: evidence(each) for each in sessions}
    alike = _alike(sessions, sorted(sessions, key=lambda each: -told[each.path])[: weights.SESSIONS])
    for each in sessions:
        told[each.path] += weights.IN_FILES * each.in_files / names + weights.SAME_FILES * alike[each.path]
    return sorted(sessions, key=lambda each: (-told[each.path], -hours[each.path], each.path))


def _alike(sessions: Sequence[Session], best: Sequence[Session]) -> dict[str, float]:
    """Return how much the files of each session are those of the best ones, from 0 to 1."""
    worth: dict[str, int] = {}
    for each in best:
        for file in each.files:
            worth[file] = worth.get(file, 0) + 1
    # The mean: a session that names everything is about nothing.
    found = {
        each.path: sum(worth.get(file, 0) for file in each.files) / (len(each.files) + 1) for each in sessions
    }
    most = max(found.values(), default=0.0) or 1.0
    return {path: mean / most for path, mean in found.items()}


def nearest(index: Index, asked: rank.Question, sessions: Sequence[Session]) -> list[rank.Ranked]:
    """Return where work was done that is nearest to a task about which nothing is known: all of it weak."""
    units = index.units([each.unit_id for each in sessions[: weights.UNASKED]])
    score = rank.certainty(0.0, weights.CENTRE)
    return [
        rank.Ranked(
            unit=unit, score=score, terms=[], also=[], newer_than=[], weak=True, why="worked on lately"
        )
        for unit in units
        if asked.allows(unit)
    ]


def on_named(index: Index, asked: rank.Question, ranked: list[rank.Ranked]) -> list[rank.Ranked]:
    """Put the newest sessions about a file that who asks names before what is weak, and as weak.

    What they said need not have a word of the question. A long text names many files, and has words enough.
    """
    if asked.unasked:  # none of it would be told
        return ranked
    about = index.of_files(asked.slugs, asked.query, weights.UNASKED)
    is_long = len(asked.query) >= weights.LONG_TEXT
    known = {hit.unit.path for hit in (ranked if is_long else ranked[: asked.limit])}
    score = rank.certainty(0.0, weights.CENTRE)
    found = [
        rank.Ranked(
            unit=unit,
            score=score,
            terms=[],
            also=[],
            newer_than=[],
            weak=True,
            why=f"worked on {hygiene.for_block(about[unit.id])}",
        )
        for unit in index.units(list(about))
        if unit.path not in known and asked.allows(unit)
    ]
    weak = (at for at, hit in enumerate(ranked) if settle.is_weak(hit) and not is_long)
    sure = next(weak, len(ranked))
    return ranked[:sure] + found + ranked[sure:]


def of_days(units: Sequence[Unit], asked: rank.Question) -> list[rank.Ranked]:
    """Return what is known of the days that a question is about: logs first, then what else is of them."""
    order = {"daily": 0, "summary": 1, "record": 2, "note": 2, "ticket": 2, "session": 3}
    found = [
        unit
        for unit in units
        if unit.kind in order and unit.parent is None and asked.allows(unit)
        if supersede.holds(unit, asked.day, past=asked.past) and (not unit.is_turn or unit.turn == 1)
    ]
    found.sort(key=lambda unit: unit.date, reverse=True)
    found.sort(key=lambda unit: order[unit.kind])
    score = rank.certainty(weights.CENTRE, weights.CENTRE)
    return [
        rank.Ranked(unit=unit, score=score, terms=[], also=[], newer_than=[], weak=False, why="of that time")
        for unit in found[: asked.limit]
    ]


def _checks(found: Sequence[Work]) -> list[str]:
    """Return a line with the forms of checks that pass, and what failed instead."""
    sessions = list(dict.fromkeys(each.path for each in found))  # the newest first
    passed: dict[tuple[str, str], float] = {}
    failed: dict[str, str] = {}
    counted = set()
    for each in found:
        if each.kind == FILE or len(each.what) > weights.FORM:
            continue
        if not each.ok:
            failed.setdefault(each.kind, each.what)
        elif (each.path, each.what) not in counted:
            counted.add((each.path, each.what))
            key = each.kind, each.what
            passed[key] = passed.get(key, 0.0) + weights.LESS ** sessions.index(each.path)
    best = sorted(passed, key=lambda key: -passed[key])
    kept = [key for kind in CHECKS for key in [each for each in best if each[0] == kind][: weights.FORMS]]
    kept = [key for key in best if key in kept][: weights.CHECKS]
    told = [
        f"{kind} {', '.join(f'`{form}`' for each, form in kept if each == kind)}"
        # A form that passed elsewhere is no bad form.
        + (f" (failed: `{bad}`)" if (bad := failed.get(kind)) and (kind, bad) not in passed else "")
        for kind in CHECKS
        if any(each == kind for each, _ in kept)
    ]
    return [f"- passes here: {'; '.join(told)}"] if told else []


def _files(found: Sequence[Work], about: Sequence[str]) -> list[str]:
    """Return a line with the files of sessions about the task, and of the last ones."""
    sessions = list(dict.fromkeys(each.path for each in found))
    worth: dict[str, float] = {}
    for each in found:
        if each.kind == FILE:
            lately = weights.LATELY / (1 + sessions.index(each.path))
            near = 1 / (1 + about.index(each.path)) if each.path in about else 0.0
            worth[each.what] = max(worth.get(each.what, 0.0), near + lately)
    files = sorted(worth, key=lambda path: -worth[path])[: weights.FILES]
    return [f"- changed lately: {', '.join(f'`{path}`' for path in files)}"] if files else []
