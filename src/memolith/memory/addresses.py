"""Reading memory by address: `memory://root/notes/deploy.md` gives the text, or the names in a directory.

`memory://root/sessions/claude-3f2a1b/12` is a turn of a session and those around it; a name may be shortened.

`root` and `project` are this project's memory (`memory://root` itself is the summary), `user` is the memory
for all projects. Only memory can be reached: not what waits for review, not other projects, not our own
files. Addresses are read-only, and no answer or error reveals where the memory is on disk.
"""

from __future__ import annotations

import os
import stat
from urllib.parse import quote, unquote

from memolith.base.errors import InputError, MemolithError, NotFoundError, StorageError, UnsafePathError
from memolith.base.values import TARGETS, Source, Value
from memolith.env.paths import Tree
from memolith.memory import note_index
from memolith.memory.sessions import Sessions
from memolith.store import files, layout
from memolith.store.allow_list import masked
from memolith.store.entry import Entry
from memolith.store.screen import quoted
from memolith.text import turns, typed
from memolith.text.names import NAMESPACES, SCHEME, parse_address
from memolith.text.safe.lookalikes import composed
from memolith.text.source_label import label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.memory.home import Home
    from memolith.memory.sessions import Turn

SESSIONS = "sessions"
_KINDS = {kind.path: kind for kind in layout.KINDS if kind.has_address}
_PLAIN = "text/plain"
_SHORT = 12  # characters of a session's name that are enough
_AROUND = 1  # turns before and after the one that an address names


class Resource(Value):
    """The target of an address: a `text`, or the addresses in a directory (`listing`, else None)."""

    listing: list[str] | None
    mime: str
    text: str
    uri: str


def resolve(home: Home, uri: str) -> Resource:
    """Return the target of an address.

    InputError if the address is invalid, NotFoundError if nothing is there.
    """
    scope, parts = meant(home, uri)
    tree = Tree(home.store)
    try:
        if scope == home.project:
            home.check_project()
        if not _exists(tree, scope):
            what = "nothing is remembered yet" if not scope else "this project has no memory yet"
            raise NotFoundError(f"{uri}: {what}; it begins with the first `memolith write` or `remember`")
        if not parts:
            return _listing(uri, _top(home, tree, scope))
        if parts[0] == SESSIONS and scope:
            return _session(home, uri, parts[1:])
        return _file(tree, scope, parts, uri)
    except UnsafePathError:
        raise UnsafePathError(
            f"{uri}: is a link or no regular file; memory is only read from real files"
        ) from None
    except StorageError as error:
        raise StorageError(uri, error.error) from None


def of_file(home: Home, relative: str) -> Resource:
    """Return a file of the store with its address; the text is empty if the file does not exist."""
    tree = Tree(home.store)
    data = tree.read(relative)
    text = masked(tree, relative, files.text_of(data or b""))
    return Resource(uri=layout.shown(relative), mime=mime(relative), listing=None, text=text)


def meant(home: Home, uri: str) -> tuple[str, tuple[str, ...]]:
    """Return the scope of an address, and the parts of its path."""
    namespace, parts = parse_address(uri)
    if namespace == "root" and not parts:
        parts = (layout.SUMMARY,)
    return layout.USER if namespace == "user" else home.project, parts


def complete(home: Home, prefix: str) -> list[str]:
    """Return the existing addresses that begin with `prefix`; never raises."""
    head, slash, _ = prefix[len(SCHEME) :].rpartition("/") if prefix.startswith(SCHEME) else ("", "", "")
    if not slash:
        found = [f"{SCHEME}{name}" for name in NAMESPACES if _leads(home, name)]
    else:
        # `memory://root` contains the project's names; by itself, that address is the summary.
        listed = f"{SCHEME}{'project' if head == 'root' else head}"
        try:
            found = resolve(home, listed).listing or []
        except MemolithError:
            found = []
        found = [each.replace(listed, f"{SCHEME}{head}", 1) for each in found]
    return [each for each in found if each.startswith(prefix)]


def _leads(home: Home, namespace: str) -> bool:
    try:
        return bool(resolve(home, f"{SCHEME}{namespace}").uri)
    except MemolithError:
        return namespace == "root" and _leads(home, "project")


def address(namespace: str, *parts: str) -> str:
    """Return the address of a place in its canonical form."""
    return "/".join(
        [f"{SCHEME}{namespace}", *(quote(part, safe="") if part.isascii() else part for part in parts)]
    )


def named(home: Home, text: str, targets: Sequence[str] = (*TARGETS, "list")) -> str:
    """Return the address for whatever form a place was shown in; InputError if it is none.

    Addresses with a line or a turn behind them, paths in the store or on disk, the links of the notes' index,
    and the bare names of notes, of this project first. `targets` are the words that the caller knows itself.
    """
    place = text.strip().strip("`<>\"'()") if isinstance(text, str) else ""
    for word in (" turn ", " line "):
        place, found, number = place.partition(word)
        if found and word == " turn " and number.isdecimal():
            place = f"{place}/{number}"
    head, colon, line = place.rpartition(":")
    place = head if colon and line.isdecimal() else place
    if place.startswith(SCHEME):
        return place
    inside = layout.below(home.store, place, home.project)
    place, said = inside.removeprefix(f"projects/{home.project}/"), place
    if place.startswith("session "):
        return f"{SCHEME}root/{SESSIONS}/{place.removeprefix('session ')}"
    # What the block calls MEMORY.md is the user's. A path says whose it is; `notes/x.md` may be either's.
    is_on_disk = said.startswith(f"{home.store}{os.sep}") and place == inside
    is_users = is_on_disk or place == layout.MEMORY == text.strip()
    scopes = [layout.USER] if is_users else [home.project, *([layout.USER] if place == inside else [])]
    tree, bare = Tree(home.store), place.removeprefix("note:").strip()
    linked = [f"notes/{unquote(place)}"] if "%" in place else []
    for scope in scopes:
        for guess in (place, f"notes/{bare}", f"notes/{bare}.md", f"daily/{place}.md", *linked):
            if bare and ".." not in place and tree.stat(layout.path(scope, guess)) is not None:
                return layout.shown(layout.path(scope, guess))
    from difflib import get_close_matches  # late: only for an error

    if bare and place.startswith("note:"):
        return layout.shown(layout.path(home.project, "notes", f"{bare.removesuffix('.md')}.md"))
    named = ", ".join("note:NAME" if each == "note" else each for each in targets)
    hint = f"give an address that memory showed (memory://…), or one of {named}"
    if near := get_close_matches(place, targets, 1, _NEAR):
        hint = f"did you mean {near[0]}?"
    raise InputError(f"{quoted(text)}: nothing in memory has this name; {hint}")


_NEAR = 0.8  # how alike a mistyped target is


def mime(path: str) -> str:
    """Return the media type of a file, by its name."""
    return "text/markdown" if path.endswith(".md") else _PLAIN


def _exists(tree: Tree, scope: str) -> bool:
    try:
        tree.folder(layout.path(scope))
    except FileNotFoundError:
        return False
    return True


def _top(home: Home, tree: Tree, scope: str) -> list[tuple[str, ...]]:
    """Return the readable entries at the top of a scope."""
    base = layout.path(scope)
    there = [entry.name for entry in tree.folder(base).entries() if not entry.is_symlink()]
    known = [name for name in _KINDS if name in there]
    if scope and Sessions(home).list():
        known.append(SESSIONS)
    return [(name,) for name in sorted(known)]


def _listing(uri: str, rows: list[tuple[str, ...]]) -> Resource:
    namespace = parse_address(uri)[0]
    found = [address(namespace, *row) for row in rows]
    return Resource(uri=uri, mime=_PLAIN, listing=found, text="\n".join(found))


def _file(tree: Tree, scope: str, parts: tuple[str, ...], uri: str) -> Resource:
    if parts[0] not in _KINDS or (_KINDS[parts[0]].is_file and len(parts) > 1):
        raise _nothing(uri)
    relative = _spelled(tree, scope, parts)
    found = tree.stat(relative)
    if found is None:
        raise _nothing(uri)
    if stat.S_ISDIR(found.st_mode):
        return _listing(uri, [(*parts, name) for name in _names(tree, relative)])
    data = tree.read(relative)
    if data is None:
        raise _nothing(uri)
    text = files.text_of(data)
    if relative == layout.path(scope, layout.INDEX):
        text = note_index.whole(tree, scope)
    if parts[0] == "records" and Entry("record", parts[-1], text).status == "quarantined":
        raise _nothing(uri)
    return Resource(uri=uri, mime=mime(relative), listing=None, text=masked(tree, relative, text))


def _spelled(tree: Tree, scope: str, parts: tuple[str, ...]) -> str:
    """Return the path as it is on disk, where another system may have decomposed its accents."""
    path = layout.path(scope)
    for part in parts:
        here = f"{path}/{part}" if path else part
        if not part.isascii() and tree.stat(here) is None:
            try:
                same = [name for name in tree.folder(path).names() if composed(name) == part]
            except FileNotFoundError:
                same = []
            here = f"{path}/{same[0]}" if same else here
        path = here
    return path


def _names(tree: Tree, directory: str) -> list[str]:
    """Return the names in a directory that have addresses."""
    found = []
    for entry in tree.folder(directory).entries():
        name = composed(entry.name)
        if entry.is_symlink() or name.startswith("."):
            continue
        try:
            parse_address(address("root", name))
        except MemolithError:
            continue
        found.append(name)
    return sorted(found)


def _session(home: Home, uri: str, rest: tuple[str, ...]) -> Resource:
    if not rest:
        return _listing(uri, [(SESSIONS, each.name) for each in Sessions(home).list()])
    if len(rest) > 1 and not (len(rest) == 2 and rest[1].isdecimal()):
        raise _nothing(uri)
    try:
        session = Sessions(home).get(rest[0])
    except MemolithError:
        raise _nothing(uri) from None
    if session.name != rest[0] and len(rest[0]) < _SHORT:
        raise _nothing(uri)
    shown = session.turns
    if len(rest) > 1:
        shown = [turn for turn in shown if abs(turn.number - int(rest[1])) <= _AROUND]
    turns = "\n\n".join(f"[{turn.number}] {turn.role}{turn_label(turn)}: {turn.text}" for turn in shown)
    return Resource(uri=uri, mime=_PLAIN, listing=None, text=turns)


def turn_label(turn: Turn) -> str:
    """Return the label of a turn whose words may be somebody else's, with a leading space; else nothing."""
    taint = turn.taint
    if turn.role == "tool":
        taint = taint or turns.taint(turn.tool, turn.text)
    elif turn.role == "user":
        taint = taint or ("pasted" if typed.has_paste(turn.text) else "")
    return f" {label(str(Source('agent', taint)))}" if taint else ""


def _nothing(uri: str) -> NotFoundError:
    hint = (
        "nothing was learned from sessions yet"
        if uri == f"{SCHEME}root"
        else "memory://project lists what is"
    )
    return NotFoundError(f"{uri}: not found; {hint}")
