"""Undoing changes, and doing them again."""

from __future__ import annotations

import contextlib

from memolith.base.errors import HistoryError, MemolithError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.env.project import PROJECT_FILE
from memolith.index import walk
from memolith.memory import note_index, taken_back
from memolith.memory.document import diff
from memolith.memory.find import find_file, of_path
from memolith.store import files, finals, layout
from memolith.store.allow_list import allowed
from memolith.store.together import is_across, is_part, is_whole
from memolith.text import frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from memolith.memory.home import Home
    from memolith.store.gate import Change
    from memolith.store.history import History
    from memolith.store.version import Entry

_MOVED = ("rename-", "replace-", "reclassify-")  # a file that has another name, or place, since
_SHOWN = 3  # files of one change whose differences are shown


class Undone(Value):
    """The result of an undo or redo: the file, which change, its size now (None: it is gone), its hash.

    `also` lists the other files of a change to several files, which is undone as one. `by` made the change
    `op` at `time`; `diff` is what was taken back, or done again.
    """

    also: list[str]
    by: str
    bytes: int | None
    diff: str
    op: str
    time: str
    name: str
    path: str
    sha256: str
    version_undone: int


def files_with_history(home: Home, slugs: Iterable[str] | None = None) -> list[str]:
    """Return the files that have versions, by default of this project and user.

    Without identities, a host's conversations, and pages of the notes that nobody has changed: nobody means
    those by "the newest change". They can be undone by name.
    """
    return [name for name in _files(home, slugs) if not _is_aside(home, name)]


def _files(home: Home, slugs: Iterable[str] | None) -> list[str]:
    keeper = home.gate.history
    return [name for slug in slugs or (layout.USER, home.project) for name in keeper.files(slug)]


def _is_aside(home: Home, name: str) -> bool:
    kept = layout.path(home.project, "conversations")
    if name.endswith(layout.INDEX):
        return all(map(is_seeded, home.gate.history.entries(name)))
    return name.endswith(PROJECT_FILE) or name.startswith(f"{kept}/")


def is_seeded(entry: Entry) -> bool:
    """Whether a change only made the page of the notes, which came along with the first of them."""
    return entry.op == note_index.SEEDED


def notice(home: Home, seconds: float | None = 0) -> None:
    """Note what people saved or deleted by hand, so that it can be told and undone; never fails.

    It waits `seconds` for who writes, by default not at all; None is as long as a write does.
    """
    tree, history = Tree(home.store), home.gate.history
    for slug in (layout.USER, home.project):
        with contextlib.suppress(MemolithError, OSError):
            known = list(history.files(slug))
            new = [name for name in _present(home, slug) if not history.names(name)]
            if known or new:  # else a reader would make the home
                with home.gate.scope(slug, seconds):
                    there = set(filter(tree.is_file, known)) if new else set(known)
                    gone = {copy for name in known if name not in there for copy in history.names(name)}
                    for name in (*known, *new):
                        _look(tree, history, name, gone)


def _present(home: Home, slug: str) -> Iterator[str]:
    """Yield the files that are memory, but not sessions, which nobody writes by hand."""
    for place in walk.places(slug):
        if place.accepts is not walk.is_session:
            with contextlib.suppress(MemolithError, OSError):
                for name in walk.entries(home.path, place):
                    yield f"{place.path}/{name}".partition("/")[2]
    tree = Tree(home.store)
    pages = (layout.path(slug, name) for name in (layout.INDEX, taken_back.FILE))
    yield from filter(tree.is_file, pages)
    for directory, _, names in tree.walk(layout.path(slug, "skills")) if slug else ():
        yield from (f"{directory}/{name}" for name in names if not name.startswith("."))


def _look(tree: Tree, history: History, name: str, gone: Collection[str]) -> None:
    with contextlib.suppress(MemolithError):  # one bad file hides no other
        try:
            place = tree.place(name)
        except FileNotFoundError:
            history.notice(name, None)
        else:
            if not place.folder.label:  # in a repository, git writes as well
                history.notice(name, place.read(), place, gone=gone)


def undo(home: Home, file: str | None, version: int | None) -> Undone:
    """Undo a change of `file`, or the newest change of all files; a rename, say, as a whole."""
    notice(home, None)
    final = finals.last(home.path, home.project) if file is None else None
    try:
        relative = newest_file(home) if file is None else find_file(home, file)
    except HistoryError as error:
        if final is None:
            raise
        raise HistoryError(f"the last thing here was {final.what}, which cannot be undone") from error
    history = home.gate.history
    if version is not None and (former := version_of(home, relative, version)) != relative:
        return _restored(home, relative, former, version)
    entry = history.to_undo(relative, version)
    if version is not None and entry.before == "absent":
        raise HistoryError(
            f"{relative}: version {version} has no text, because that change made it; "
            f"`memolith rm {of_path(home, relative).name}` deletes it, and `memolith history` has the others"
        )
    if final is not None and final.stamp > entry.stamp:
        raise HistoryError(
            f"the last thing here was {final.what}, which cannot be undone; to take back the change before "
            f"it ({entry.op.partition('-')[0]}): `memolith undo {of_path(home, relative).name}`"
        )
    if _is_elsewhere(home, entry.op):
        raise HistoryError(
            f"nothing to undo here: the {entry.op.partition('-')[0]} of {of_path(home, relative).name} was "
            "made in another project; undo it there"
        )
    whole = version is None and (file is None or is_whole(entry.op))
    also = _set_of(home, relative, entry.op) if whole else []
    others = [(other, home.gate.undo(other, None)[0]) for other in also]
    return _undone(home, entry, [(relative, home.gate.undo(relative, version)[0]), *others])


def version_of(home: Home, relative: str, version: int) -> str:
    """Return the file that has a version: the one named, or the one that it was before it was renamed."""
    for name in lineage(home, relative):
        if version in (entry.id for entry in home.gate.history.entries(name)):
            return name
    return relative


def _restored(home: Home, relative: str, former: str, version: int) -> Undone:
    """Restore the text that a file had under a former name; its title stays that of its name now."""
    entry = home.gate.history.to_undo(former, version)
    text = files.text_of(home.gate.history.read(former, version))

    def apply(old: str | None) -> str:
        title, parsed = frontmatter.split(old or "").get("name"), frontmatter.split(text)
        if not title or parsed.problem or not parsed.head:
            return text
        return frontmatter.set_fields(parsed.head, {"name": title}) + parsed.body

    return _undone(home, entry, [(relative, home.gate.rewrite(relative, apply, op="restore"))])


def redo(home: Home, file: str | None) -> Undone:
    """Take an undo back, of `file` or the newest of all; HistoryError if something was changed since."""
    notice(home, None)
    history = home.gate.history
    undone = [(entry.stamp, name, entry) for name, entry in _each(home, history.to_redo)]
    if file is not None:
        relative = find_file(home, file)
        entry = history.to_redo(relative)
    elif undone:
        when, relative, entry = max(undone, key=lambda each: each[:2])
        _refuse_if_newer(home, when, relative)
    else:
        raise HistoryError("nothing to redo: no undo, or something was changed since")
    change = history.undone_by(relative, entry)
    whole = is_part(change) if file is None else is_whole(change)
    others = _each(home, history.to_redo, _slugs(home, change)) if whole else ()
    also = [name for name, other in others if name != relative and history.undone_by(name, other) == change]
    made = next((each for each in history.entries(relative) if each.id == entry.undoes), entry)
    done = _undone(
        home,
        entry,
        [(name, home.gate.undo(name, history.to_redo(name).id, op="redo")[0]) for name in (relative, *also)],
    )
    return done.but(op=made.op, by=made.by, time=made.time)


def _refuse_if_newer(home: Home, when: str, relative: str) -> None:
    """Raise HistoryError if something else was changed after the last undo."""
    standing = ((home.gate.history.standing(name), name) for name in files_with_history(home))
    told = ((made[-1].stamp, name) for made, name in standing if made and not is_seeded(made[-1]))
    newer = max(told, default=("", ""))
    if newer[0] > when:
        other, undone = (of_path(home, each).name for each in (newer[1], relative))
        raise HistoryError(
            f"nothing to redo: {other} was changed after the last undo; `memolith redo {undone}` redoes that"
        )


def _undone(home: Home, entry: Entry, done: list[tuple[str, Change]]) -> Undone:
    relative, change = done[0]
    diffs = []
    for name, one in done[:_SHOWN]:
        slug = layout.scope_of(name)
        called = name.removeprefix(f"{layout.path(slug)}/" if slug else "") if len(done) > 1 else ""
        old, new = (files.text_of(each or b"") for each in (one.before, one.after))
        diffs.append(diff(old, new, allowed(home.store, slug), called))
    return Undone(
        also=[name for name, _ in done[1:]],
        by=entry.by,
        op=entry.op,
        time=entry.time,
        diff="\n".join(filter(None, diffs)),
        name=relative,
        path=layout.locate(home.store, relative),
        version_undone=entry.id,
        bytes=None if change.after is None else len(change.after),
        sha256=change.sha256,
    )


def lineage(home: Home, relative: str) -> list[str]:
    """Return a file and those that it was before it was renamed or moved."""
    found = [relative]
    for name in found:
        entries = home.gate.history.entries(name)
        came = {each.op for each in entries if each.before == "absent" and each.op.startswith(_MOVED)}
        others = [each for each in files_with_history(home) if each not in found] if came else []
        found += [each for each in others if came & {entry.op for entry in home.gate.history.entries(each)}]
    return found


def _set_of(home: Home, relative: str, op: str) -> list[str]:
    """Return the other files that the same command changed.

    HistoryError if one of them has changed since, and half of it cannot be taken back.
    """
    if not is_part(op):
        return []
    keeper, found = home.gate.history, []
    for name in _files(home, _slugs(home, op)):
        standing = [each.op for each in keeper.standing(name)]
        if name == relative or op not in standing:
            continue
        if standing[-1] == op:
            found.append(name)
        elif is_whole(op):
            raise HistoryError(
                f"{relative}: the {op.partition('-')[0]} also changed {name}, which has changed since; "
                f"`memolith undo {name}` first"
            )
    return found


def _slugs(home: Home, op: str) -> Iterable[str] | None:
    """Return the scopes that a change may span; None for this project and user."""
    return (layout.USER, *Tree(home.store).names("projects", "")) if is_across(op) else None


def newest_file(home: Home) -> str:
    """Return the file that was changed last, by anybody. HistoryError if there is none."""
    tree = Tree(home.store)
    for name, entry in sorted(_undoable(home), key=lambda each: (each[1].stamp, each[0]), reverse=True):
        is_forgotten = entry.before == "absent" and not tree.is_file(name)  # what it made is gone for good
        if not is_forgotten and not _is_elsewhere(home, entry.op):
            return name
    raise HistoryError("nothing to undo: memolith changed nothing here yet")


def _is_elsewhere(home: Home, op: str) -> bool:
    """Whether a change of several files was made in other projects alone, as a note moved from one."""
    history = home.gate.history
    made = {
        slug
        for slug in (Tree(home.store).names("projects", "") if is_across(op) else ())
        for name in history.files(slug)
        for entry in history.entries(name)
        if entry.op == op and not (op.startswith("move-") and entry.before == "absent")
    }
    return bool(made) and home.project not in made


def _undoable(home: Home, slugs: Iterable[str] | None = None) -> Iterator[tuple[str, Entry]]:
    """Yield the files that have a change to undo, with that change."""
    return _each(home, lambda name: home.gate.history.to_undo(name, None), slugs)


def _each(
    home: Home, change: Callable[[str], Entry], slugs: Iterable[str] | None = None
) -> Iterator[tuple[str, Entry]]:
    """Yield the files with the change to undo or redo, the ones nobody means only as part of a command."""
    history = home.gate.history
    for name in _files(home, slugs):
        with contextlib.suppress(HistoryError):
            entry = change(name)
            op = entry.op if entry.undoes is None else history.undone_by(name, entry)
            if is_part(op) or not (is_seeded(entry) or _is_aside(home, name)):
                yield name, entry
