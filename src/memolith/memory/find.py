"""What a person means by a name: one answer for show, edit, rm, mv, history, undo and `/memory`.

A name is a target (`long_term`, `today`, a date), an address (`memory://…`), a path in the store or on disk,
an id, a title, or the beginning of one that nothing else begins with. `note:NAME` and its like say the kind.
What contains a slash is that address, path or title, and never a name that it ends in.
"""

from __future__ import annotations

import difflib
import os

from memolith.base.errors import InputError, NotFoundError, UnsafePathError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.memory import addresses, note_index
from memolith.memory.sessions import Sessions
from memolith.store import files, layout
from memolith.store.entry import Entry
from memolith.store.screen import quoted
from memolith.text.names import SCHEME
from memolith.text.safe.lookalikes import composed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memolith.memory.home import Home

KINDS = ("note", "record", "ticket", "session")
_FOLDERS = {"note": "notes", "record": "records", "ticket": "tickets", "daily": "daily"}
_MOST_NAMED = 5
_GOES = ("delete", "refuse")  # how a thing goes that `undo` brings back
_HINT = "`memolith list` shows what there is"


class Found(Value):
    """What a name means. `path` is its file in the store; a session has none."""

    kind: str
    name: str
    path: str


def find(home: Home, text: str, kinds: Iterable[str] = KINDS, *, gone: bool = False) -> Found:
    """Return what a name means; `gone`: also what was deleted and has a history.

    InputError if it may be several, NotFoundError if it is nothing.
    """
    wanted, kinds = text.strip().removesuffix("…"), tuple(kinds)  # a narrow table cuts names so
    if not wanted:
        raise InputError(f"a name is needed; {_HINT}")
    kind, _, rest = wanted.partition(":")
    is_kind = kind in KINDS and bool(rest.strip())
    if is_kind:
        wanted, kinds = rest.strip(), (kind,)
    place = wanted.replace("\\", "/")
    if ("/" in place or not is_kind) and (found := _place(home, place)):
        if found.kind in KINDS and found.kind not in kinds:
            raise NotFoundError(f"{quoted(wanted)} is a {found.kind}, no {kinds[0]}")
        return found
    bare = wanted if "/" in place else wanted.removesuffix(".md").strip()
    known = [each for kind in kinds for each in names(home, kind)]
    for is_meant in _ways(home, bare):
        if several := [each for each in known if is_meant(each)]:
            return _one(wanted, several)
    lost = _gone(home, bare)
    if gone and lost:
        return lost
    what, kept = (
        f"no {kinds[0]}" if len(kinds) == 1 else "nothing",
        lost if lost and lost.kind in kinds else None,
    )
    raise NotFoundError(f"{what} is called {quoted(wanted)}; {_next(home, wanted, kinds, known, kept)}")


def _next(home: Home, wanted: str, kinds: tuple[str, ...], known: list[Found], lost: Found | None) -> str:
    """Return what to do about a name that nothing has: what it was, what is like it, or where all are."""
    if layout.scope_of(wanted) not in (layout.USER, home.project):
        return "that is another project's; `memolith project list` shows where it is"
    op = home.gate.history.entries(lost.path)[-1].op.partition("-")[0] if lost else ""
    if lost and (now := _now(home, lost.path)):
        return f"{lost.name} is called {now.name} now: `memolith show {now.name}`"
    if near := difflib.get_close_matches(wanted.removesuffix(".md"), [each.name for each in known], 1):
        return f"did you mean {quoted(near[0])}?"
    if lost and op in _GOES:
        return f"{lost.kind}:{lost.name} was {op}d: `memolith undo {lost.name}` brings it back"
    if lost and op == "move":
        return (
            f"{lost.kind}:{lost.name} was moved to another project: `memolith history {lost.name}` says when"
        )
    if len(kinds) > 1:
        return _HINT
    named = ", ".join(dict.fromkeys(each.name for each in known)) if len(known) <= _MOST_NAMED else ""
    return f"`memolith list {kinds[0]}s` shows them" + (f": {named}" if named else "")


def is_whole(home: Home, found: Found, text: str) -> bool:
    """Whether a name is all of the name or title of what it means, not its beginning."""
    if found.kind not in KINDS:
        return True
    kind, _, rest = text.strip().partition(":")
    same = composed(rest if kind in KINDS else text).casefold().removesuffix(".md").strip().rstrip(".,;:!?")
    title = composed(entry_of(home, found).title).casefold() if found.path else ""
    name = composed(found.name).casefold()
    if same in (name, title.rstrip(" .,;:!?"), name.partition("-")[2] if found.kind == "session" else name):
        return True
    return "/" in same and not title.startswith(same)  # an address or a path is never a beginning


def find_file(home: Home, text: str) -> str:
    """Return the path in the store of the file that a name means; it may be gone and have a history."""
    found = find(home, text, gone=True)
    if not found.path:
        raise InputError(f"{found.name} is a session, which has no history")
    return found.path


def day_of(home: Home, word: str) -> str:
    """Return the date that a word means (today, yesterday, YYYY-MM-DD), or nothing."""
    if word in ("daily", "today"):
        return home.today
    if word == "yesterday":
        return home.yesterday
    return word if layout.is_date(word) else ""


def day_at(home: Home, word: str, *, ahead: bool = False) -> str:
    """Return the date that a word means, also `tomorrow` and `7d` (ago, or `ahead`); else the word itself."""
    number = {"tomorrow": "1"}.get(word, word.removesuffix("d") if word.endswith("d") else "")
    if number.isdecimal() and len(number) < _DIGITS:
        from datetime import date, timedelta  # late: recall need not import it

        days = timedelta(int(number) if ahead or word == "tomorrow" else -int(number))
        return (date.fromisoformat(home.today) + days).isoformat()
    return day_of(home, word) or word


_DIGITS = 5  # of a number of days


def entry_of(home: Home, found: Found) -> Entry:
    """Return the parsed file of a note, record or ticket."""
    data = Tree(home.store).read(found.path) or b""
    return Entry(found.kind, os.path.basename(found.path), files.text_of(data))


def _place(home: Home, text: str) -> Found | None:
    """Return what a target, a date, an address or a path means."""
    word = text.lower().replace("-", "_")
    if word in ("long_term", "memory.md"):
        return of_path(home, layout.MEMORY)
    if word in ("scratchpad", "scratchpad.md"):
        home.check_project()
        return of_path(home, layout.path(home.project, layout.SCRATCHPAD))
    if day := day_of(home, text):
        home.check_project()
        return Found(kind="daily", name=day, path=layout.daily(home.project, day))
    if text.startswith(SCHEME):
        scope, parts = addresses.meant(home, text)
        if parts[:1] == ("sessions",) and len(parts) == 2:
            return next((each for each in names(home, "session") if each.name == parts[1]), None)
        places = [layout.path(scope, *parts)]
    elif "/" in text or text.partition("#L")[0].partition(":")[0].endswith(".md"):
        line = text.partition("#L")[0].rpartition(":")
        bare = line[0] if line[2].isdigit() else text.partition("#L")[0]
        on_disk = os.path.abspath(bare)
        inside = layout.below(home.store, on_disk, home.project)
        places = [] if f"/{inside}" == on_disk else [inside]
        places += [] if os.path.isabs(bare) else [text, bare, layout.path(home.project, bare)]
    else:
        return None
    for place in (file for each in places for file in (each, f"{each}.md")):
        if layout.scope_of(place) in (layout.USER, home.project) and _was_there(home, place):
            return of_path(home, place)
    return None


def _was_there(home: Home, place: str) -> bool:
    """Whether a file is there, or was and has a history."""
    tree = Tree(home.store)
    try:
        tree.check(place)
    except UnsafePathError:
        return False
    return tree.is_file(place) or bool(home.gate.history.entries(place))


def of_path(home: Home, path: str) -> Found:
    """Return what a file of the store is."""
    if path in (layout.MEMORY, layout.path(home.project, layout.SCRATCHPAD)):
        target = "long_term" if path == layout.MEMORY else "scratchpad"
        return Found(kind=target, name=target, path=path)
    parts = path.removeprefix(f"{layout.path(layout.scope_of(path))}/").split("/")
    kind = next((kind for kind, folder in _FOLDERS.items() if parts[0] == folder and len(parts) > 1), "file")
    return Found(kind=kind, name=parts[-1].removesuffix(".md") if kind != "file" else path, path=path)


def _gone(home: Home, text: str) -> Found | None:
    """Return the note, record or ticket that a name or a title meant and that is gone, but has a history."""
    tree, known = Tree(home.store), list[Found]()
    for slug in (home.project, layout.USER):
        found = (of_path(home, path) for path in home.gate.history.files(slug))
        known += [each for each in found if each.kind in KINDS and not tree.is_file(each.path)]
    for wanted in (text.removesuffix(".md"), layout.file_name(text)):
        for is_meant in list(_ways(home, wanted))[: _WHOLE if "/" in text else None]:
            if several := [each for each in known if is_meant(each)]:
                return _one(text, several)
    return None


def _now(home: Home, path: str) -> Found | None:
    """Return what a file that is gone became by the change that took it away; None if nothing here did."""
    op = home.gate.history.entries(path)[-1].op
    there = (each for slug in (home.project, layout.USER) for each in home.gate.history.files(slug))
    for each in there if "-" in op else ():  # a change of several files has a number
        made = home.gate.history.entries(each)
        if each != path and any(one.op == op and one.before == "absent" for one in made):
            return of_path(home, each) if Tree(home.store).is_file(each) else _now(home, each)
    return None


def names(home: Home, kind: str) -> Iterator[Found]:
    """Yield everything of a kind: what is in this project first, then what is the user's."""
    if kind == "session":
        for name in Sessions(home).stats():
            yield Found(kind=kind, name=name, path="")
        return
    tree = Tree(home.store)
    for slug in (home.project, layout.USER):
        if kind == "note":
            places = [layout.path(slug, "notes", name) for name in note_index.note_files(home.store, slug)]
        else:
            below = layout.CATEGORIES if kind == "record" else ("",)
            folders = [layout.path(slug, _FOLDERS[kind], each) for each in below]
            places = [f"{folder}/{name}" for folder in folders for name in tree.listed(folder)]
        for place in places:
            yield Found(kind=kind, name=os.path.basename(place).removesuffix(".md"), path=place)


_WHOLE = 2  # the ways that compare a whole name


def _ways(home: Home, wanted: str) -> Iterator[Callable[[Found], bool]]:
    """Yield the ways in which a name may be meant, the strictest first."""
    same, titles = composed(wanted).casefold(), dict[str, str]()

    def title(each: Found) -> str:
        if each.path and each.path not in titles:
            titles[each.path] = composed(entry_of(home, each).title).casefold()
        return titles.get(each.path, "")

    yield lambda each: composed(each.name) == composed(wanted)
    yield lambda each: composed(each.name).casefold() == same
    yield lambda each: title(each) == same
    yield lambda each: title(each) == same.rstrip(" .,;:!?")  # a title made from a text has no full stop
    yield (
        lambda each: (
            each.name.casefold().startswith(same)
            or (each.kind == "session" and each.name.partition("-")[2].casefold().startswith(same))
        )
    )
    yield lambda each: title(each).startswith(same)
    begin, cut, end = same.partition("…")  # a narrow table cuts names in the middle if they begin alike
    if cut:
        yield lambda each: each.name.casefold().startswith(begin) and each.name.casefold().endswith(end)


def _one(wanted: str, found: list[Found]) -> Found:
    """Return the one that is meant; the project's own before the user's of the same name."""
    first = found[0]
    others = [each for each in found[1:] if (each.kind, each.name) != (first.kind, first.name)]
    if not others:
        return first
    named = ", ".join(f"{each.kind}:{each.name}" for each in (first, *others)[:_MOST_NAMED])
    more = "" if len(others) < _MOST_NAMED else " and more"
    raise InputError(f"{quoted(wanted)} may be {named}{more}; give more of the name, or one of these")
