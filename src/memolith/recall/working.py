"""How work is done here, from kept sessions: the checks that pass, and the files that were changed last.

Derived from the index at each question and stored nowhere. It is told to a prompt that names things of this
project, and to no other: any project has tests to fix.
"""

from __future__ import annotations

from memolith.index.units import CHECKS, FILE
from memolith.recall import abstain, rank, weights
from memolith.store import layout
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.index import Work
    from memolith.memory.home import Home


def lines(home: Home, query: str) -> list[str]:
    """Return what to know before working on a task, as items of a list, if it is about this project."""
    slugs = [layout.USER, home.project]
    if not home.project or not home.settings.flag("inject.working"):
        return []
    home.index.sync(slugs)
    if abstain.known_names(home.index.terms(slugs, query)) < weights.AT_HOME:
        return []
    found = home.index.work(slugs, weights.WORKED)
    if not found:
        return []
    about = [each.path for each in rank.by_work(home.index.sessions(slugs, query, weights.HEARD_IN))]
    said = [*_checks(found), *_files(found, about)]
    return [hygiene.for_block(line) for line in said]


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
