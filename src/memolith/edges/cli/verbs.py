"""The verbs that act on anything by its name: show, list, edit, rm, mv."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from typing import TYPE_CHECKING, Any

import click

from memolith.base import whole
from memolith.base.errors import InputError, NotFoundError, PartialError, StorageError, UnsafePathError
from memolith.care import edit as editing
from memolith.edges.cli import common, completion
from memolith.edges.cli.app import cli, opened
from memolith.edges.cli.output import Note
from memolith.edges.cli.paint import Diff, Facts, Table, when
from memolith.edges.cli.sessions import session_table, session_text
from memolith.env.paths import Tree
from memolith.memory import addresses, arguments, find, writing
from memolith.memory.document import diff as difference
from memolith.store import files, layout
from memolith.store.allow_list import allowed, masked
from memolith.store.together import Command
from memolith.text import source_label
from memolith.text.names import SCHEME
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.base.values import WriteResult
    from memolith.care.edit import Edited
    from memolith.edges.cli.output import Answer, Fields
    from memolith.mem import Mem
    from memolith.memory.entries import EntryResult
    from memolith.memory.find import Found

_LISTS = ("notes", "records", "tickets", "sessions", "daily", "projects")
_name = click.argument("name", nargs=-1, required=True, shell_complete=completion.anything)


@cli.command()
@_name
@click.option("--turn", type=int, metavar="N", help="Of a session: only this turn.")
@click.option("--why", is_flag=True, help="Where it came from, who changed it, which sessions were given it.")
@click.option("--text", "bare", is_flag=True, help="Only the text, without its head.")
@click.option("--path", "place", is_flag=True, help="Only where its file is.")
@opened
def show(mem: Mem, name: tuple[str, ...], turn: int | None, why: bool, bare: bool, place: bool) -> Answer:
    """Print a note, record, ticket, session, day, scratchpad, long_term, or what an address names.

    NAME is an id, a title, the beginning of one, or an address (`memolith help names`).

    \b
    memolith show running the tests
    memolith show use-pnpm --why
    memolith show yesterday
    memolith show claude-3f2a --turn 12
    """
    words = " ".join(name)
    if why:
        about = mem.why(words)
        return about.as_dict(), Facts(veil.masked(about.render()))
    if place:
        meant = mem.find(words)
        if not Tree(str(mem.root)).is_file(meant.path or "."):
            raise NotFoundError(f"{meant.name} has no file; `memolith list` shows what has")
        file = veil.masked(layout.locate(str(mem.root), meant.path))
        return {"path": file}, file
    if words.startswith(SCHEME):
        resource = writing.look(mem, words)
        return resource.as_dict(), resource.text
    found = mem.find(words)
    if turn is not None and found.kind != "session":
        raise InputError(f"--turn belongs to a session; {found.name} is a {found.kind}")
    fields, text, *_ = shown(mem, found, turn)
    if bare and found.kind in ("note", "record", "ticket"):
        entry = find.entry_of(mem, found)
        from memolith.recall.covered import without_secrets

        body = without_secrets(str(mem.root), found.path, entry.parsed.body)
        text = source_label.waiting(body, entry.origin)
    return fields, text


def shown(mem: Mem, found: Found, turn: int | None = None) -> tuple[Fields, str]:
    """Return anything as `show` prints it."""
    if found.kind == "session":
        return session_text(mem, found.name, turn)
    if found.kind == "record":
        record = mem.records.get(found.name, common.whose(found))
        return common.described(record, "body", common.status_of(mem, record))
    if found.kind == "ticket":
        return common.described(mem.tickets.get(found.name), "description")
    resource = addresses.of_file(mem, found.path)
    if not resource.text and Tree(str(mem.root)).stat(found.path) is None:
        hint = "`memolith list` shows what there is"
        if found.kind in ("long_term", "scratchpad") or found.name == mem.today:
            hint = f"`memolith write {found.kind} TEXT` makes it"
        none = "nothing was written on" if found.kind == "daily" else "there is no"
        raise NotFoundError(f"{none} {found.name}{'' if found.kind == 'daily' else ' yet'}; {hint}")
    return {**found.as_dict(), **resource.as_dict()}, resource.text or arguments.EMPTY


@cli.command("list")
@click.argument(
    "what", default="all", metavar=f"[{'|'.join(_LISTS)}]", shell_complete=completion.words(*_LISTS)
)
@common.one_of("--scope", common.SCOPES, "Only this scope's (default: both).")
@click.option(
    "--all",
    "archived",
    is_flag=True,
    help="Files of all projects; records also if archived, superseded or expired.",
)
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Only the newest N.")
@opened
def list_command(mem: Mem, what: str, scope: str | None, archived: bool, limit: int | None) -> Answer:
    """List what is kept, newest first: names, kinds, titles, and when each was changed.

    \b
    memolith list
    memolith list notes -n 5
    memolith list notes --scope user
    memolith list sessions
    memolith list notes --all
    """
    if what == "all":
        return _files(mem, scope, "", limit, archived=archived)
    what = f"{what}s" if f"{what}s" in _LISTS else common.choice(what, _LISTS, "kind")
    if what == "sessions":
        return session_table(mem, limit)
    if what == "projects":
        from memolith.edges.cli.projects import project_table

        return project_table(mem, limit)
    if what == "records":
        from memolith.edges.cli.entries import record_table

        return record_table(mem, mem.records.list(None, scope, None, archived=archived), limit, over=archived)
    return _files(mem, scope, what, limit, archived=archived)


def _files(mem: Mem, scope: str | None, folder: str, limit: int | None, *, archived: bool) -> Answer:
    slugs = [mem.project, layout.USER] if scope is None else [mem.scope(scope)]
    others = [each for each in layout.projects(mem.home) if each != mem.project]
    rows = []
    for slug in [*slugs, *(others if archived and scope is None else [])]:
        of = mem.of_project(slug) if slug in others else mem
        for path in of.list():
            below = f"{layout.path(slug, folder)}/" if folder else ""
            if slug == layout.scope_of(path) and path.startswith(below):
                rows += _row(of, path, archived=archived)
    rows = sorted(rows, key=lambda row: row["time"], reverse=True)[:limit]
    fields: dict[str, object] = {"root": str(mem.root), "files": rows, "complete": True, "missing": []}
    if not rows:
        how = {"tickets": "ticket add TITLE", "daily": "write daily TEXT"}.get(folder, "remember TEXT")
        how += " --scope user" if scope == "user" or mem.is_nowhere else ""
        what = {"daily": "log"}.get(folder, folder or "memory")
        if mem.is_nowhere and folder in ("tickets", "daily"):
            return fields, Note(f"no {what} here; go to a project's directory")
        return fields, Note(f"no {what} here{common.elsewhere(mem) or f'; try `memolith {how}`'}")
    cells = [
        (
            row["name"],
            row["kind"],
            "user" if row["scope"] == "user" else _other(mem, row["path"]),
            when(row["time"] / 1e9),
            "" if row["status"] == "active" else row["status"],
            row["title"],
        )
        for row in rows
    ]
    for row in rows:
        del row["time"]
    head = ("name", "kind", "whose", "changed", "status", "title")
    return fields, Table(head, cells, spare=("changed", "whose", "kind"))


def _other(mem: Mem, path: str) -> str:
    """Return whose a file is, if it is another project's."""
    slug = layout.scope_of(path)
    return "" if slug == mem.project else slug


def _row(mem: Mem, path: str, *, archived: bool) -> list[dict[str, Any]]:
    """Return the row of a file; nothing if it is gone, archived, no regular file, or cannot be read."""
    status = Tree(str(mem.root)).stat(path)
    if status is None or not stat.S_ISREG(status.st_mode):
        return []
    found = find.of_path(mem, path)
    try:
        entry = find.entry_of(mem, found) if found.kind in find.KINDS else None
    except (StorageError, UnsafePathError):
        return []  # noted where it was met
    state = entry.status if entry else ""
    if entry and entry.kind == "record":
        state = common.status_of(mem, entry)
    is_outside = bool(entry and source_label.is_outside(entry.origin))
    if state in ("archived", "superseded", "expired") and not archived:
        return []
    return [
        {
            "path": veil.masked(path),
            "name": veil.masked(found.name),
            "kind": found.kind,
            "scope": common.whose(found),
            "status": "waits for review" if is_outside else "" if found.kind == "note" else state,
            "title": masked(Tree(str(mem.root)), path, entry.title) if entry else "",
            "bytes": status.st_size,
            "changed": common.iso(status.st_mtime),
            "time": status.st_mtime_ns,
        }
    ]


@cli.command()
@click.argument("name", nargs=-1, required=True, shell_complete=completion.anything)
@click.option("--old", metavar="TEXT", help="The text to replace; must occur exactly once.")
@click.option("--new", metavar="TEXT", help="The replacement; '' removes the old text.")
@common.if_sha256
@common.source
@opened
def edit(mem: Mem, name: tuple[str, ...], old: str | None, new: str | None, if_sha256: str | None) -> Answer:
    """Open something in your editor ($VISUAL, $EDITOR), or replace a piece of its text.

    The editor gets the file itself. What others write to it meanwhile is kept, and the difference is shown
    afterwards. To add to a note, see `write`; to replace all of it, `remember --title`; to delete it, `rm`.

    \b
    memolith edit running-the-tests
    memolith edit running-the-tests --old 6380 --new 6381
    memolith edit scratchpad --old "- [ ] tests" --new "- [x] tests"
    """
    words = " ".join(name)
    if (old is None) != (new is None):
        given, lacks = ("--new", "--old") if old is None else ("--old", "--new")
        raise InputError(f"{given} needs {lacks}: memolith edit NAME --old TEXT --new TEXT")
    if old == "":
        raise InputError(
            "--old is empty: give the text to replace; `memolith write note NAME TEXT` adds some"
        )
    if old is not None and new is not None:
        return _edited(mem, mem.find(words), old, new, if_sha256)
    if name[-1] == "-" and len(name) > 1:
        known = find.entry_of(mem, mem.find(" ".join(name[:-1]), "note")).title
        raise InputError(f"to replace the whole text: memolith remember --title {shlex.quote(known)} -")
    if len(name) > 1:
        _check_no_text(mem, name)
    if not common.attended():
        path = layout.locate(str(mem.root), mem.find(words).path)
        raise InputError(f"no editor can be opened here; give --old and --new, or edit the file: {path}")
    return left_by_editor(editing.edit(mem, words))


def _check_no_text(mem: Mem, name: tuple[str, ...]) -> None:
    """Say how a text is replaced to somebody who gives it behind the name of a note."""
    try:
        mem.find(" ".join(name))
    except NotFoundError:
        with contextlib.suppress(NotFoundError):
            known = shlex.quote(find.entry_of(mem, mem.find(" ".join(name[:-1]), "note")).title)
            raise InputError(
                f"edit takes no text: --old TEXT --new TEXT replaces a piece, "
                f"`memolith remember --title {known} TEXT` all of it"
            ) from None
        raise


def left_by_editor(done: Edited) -> Answer:
    """Return what an editor did; that it failed is an error, though what it saved stands."""
    shown = Diff(done.shown)  # its difference is masked
    if not done.code:
        return done.as_dict(), shown
    failed = PartialError(f"{done.warnings[0]}; what it saved stands")
    return done.but(warnings=done.warnings[1:]).as_dict(), shown, failed


def _edited(mem: Mem, found: Found, old: str, new: str, if_sha256: str | None) -> Answer:
    """Replace a piece of text, and show the difference."""
    if found.kind in ("session", "file"):
        raise InputError(f"{found.name} is a {found.kind}; a piece of it cannot be replaced")
    tree = Tree(str(mem.root))
    before = tree.read(found.path)
    is_line = f"\n{old}\n" in "\n" + files.text_of(before or b"")
    if not new and is_line and found.kind not in ("record", "ticket"):
        old += "\n"  # a whole line goes as a line, or an empty one would stay
    done = _replace(mem, found, old, new, if_sha256)
    place = os.path.relpath(done.filename, str(mem.root))
    if done.held or tree.read(place) == before:
        return done
    was, now = (files.text_of(each or b"") for each in (before, tree.read(place)))
    name = find.of_path(mem, place).name
    called = name if name == found.name else f"{found.name}, which is {name} now"
    back = "" if whole.lost() else " (`memolith undo` takes it back)"
    changed = difference(was, now, allowed(str(mem.root), layout.scope_of(place)))
    return done.as_dict(), Diff(f"{changed}\n{veil.masked(f'Edited {called}{back}')}")


def _replace(mem: Mem, found: Found, old: str, new: str, if_sha256: str | None) -> WriteResult | EntryResult:
    if found.kind in ("record", "ticket"):
        if if_sha256 is not None:
            raise InputError(f"--if-sha256 is for files, not for a {found.kind}")
        if found.kind == "ticket":
            return mem.tickets.replace(found.name, old, new)
        change, text = arguments.replacement(found.name, old), find.entry_of(mem, found).parsed.body
        return mem.records.update(found.name, change(text, new), scope=common.whose(found))
    target: Any = found.kind
    name = found.name if target in ("note", "daily") else None
    scope_: Any = common.whose(found) if target == "note" else "project"
    return mem.edit(target, old, new, name, scope=scope_, if_sha256=if_sha256)


@cli.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=completion.anything)
@click.option(
    "--yes", is_flag=True, help="Do not ask; required without a terminal for what undo cannot restore."
)
@opened
def rm(mem: Mem, names: tuple[str, ...], yes: bool) -> Answer:
    """Delete a note, record, ticket, day or session. `memolith undo` brings it back, except for a session.

    To remove every trace of a text, also from the history, see `forget`.

    \b
    memolith rm running-the-tests
    memolith rm claude-3f2a1b4c --yes
    """
    found = _meant(mem, names, yes=yes)
    for each in found:
        if each.path and Tree(str(mem.root)).stat(each.path) is None:
            raise NotFoundError(f"there is no {each.name} to delete; `memolith list` shows what there is")
        if each.kind not in ("note", "record", "ticket") and not yes:
            ever = " for good" if each.kind == "session" else ""
            common.agree(f"Delete {each.name}{ever}?", f"this deletes {each.name}{ever}: add --yes")
    with Command("delete", when=len(found) > 1):
        done = [mem.remove(each.path or f"session:{each.name}") for each in found]
    back = " (`memolith undo` brings it back)"
    lines = [each.message.removesuffix(back) if len(done) > 1 else each.message for each in done]
    if len(done) > 1 and all(each.message.endswith(back) for each in done):
        lines.append("`memolith undo` brings all of them back")
    return {"removed": [each.as_dict() for each in done]}, "\n".join(lines)


def _meant(mem: Mem, names: tuple[str, ...], *, yes: bool) -> list[Found]:
    """Return what is to go: one thing whose title has several words, or several by their whole names."""
    if len(names) == 1:
        only = mem.find(names[0])
        common.check_whole(mem, only, names[0], yes=yes)
        return [only]
    with contextlib.suppress(NotFoundError):
        return [mem.find(" ".join(names))]
    found = [mem.find(each) for each in names]
    for each, typed in zip(found, names, strict=True):
        if not find.is_whole(mem, each, typed):
            raise InputError(
                f"{typed!r} is only the beginning of {each.name!r}; of several, give each whole name"
            )
    return found


@cli.command()
@click.argument("name", shell_complete=completion.of("note", "record", "ticket"))
@click.argument("title", nargs=-1)
@click.option(
    "--to",
    metavar="PROJECT",
    shell_complete=completion.goals,
    help="Move it there instead: a project or its directory, or `user`.",
)
@opened
def mv(mem: Mem, name: str, title: tuple[str, ...], to: str | None) -> Answer:
    """Give a note another title; its file gets the name that follows from it. Or move it to another project.

    \b
    memolith mv running-the-tests "Tests and their services"
    memolith mv running-the-tests --to ../blog
    memolith mv answer-in-german --to user
    """
    if to is not None:
        return mem.projects.send(" ".join([name, *title]), to)
    for most in range(len(title), 0, -1):  # a name of several words, without quotes
        words = " ".join([name, *title[:most]])
        if words != words.strip():
            break
        with contextlib.suppress(NotFoundError, InputError):
            if find.is_whole(mem, mem.find(words, "note"), words):
                name, title = words, title[most:]
                break
    if not title:
        raise InputError("give the new TITLE, or --to PROJECT: memolith mv NAME TITLE")
    return mem.rename(name, " ".join(title))
