"""Commands about which directory belongs to which memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, NotFoundError, PartialError
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import Group, cli, opened
from memolith.edges.cli.paint import Table
from memolith.store import layout
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem
    from memolith.store.sharing import Shared


@cli.group(cls=Group, alone="show")
def project() -> None:
    """Show and repair which directory belongs to which memory."""


@project.command()
@opened
def show(mem: Mem) -> Answer:
    """Show the project of this directory and how it was found.

    \b
    memolith project show
    """
    found = mem.identity
    known = mem.projects.get(found.slug)
    origin = found.checkout.origin if found.checkout else ""
    facts: dict[str, object] = {
        "slug": found.slug,
        "name": known.name,
        "root": found.root,
        "directory": layout.locate(str(mem.root), layout.path(found.slug)),
        "shared": mem.projects.shared(),
        "memory": "on" if mem.is_on else "off",
        "remembered": found.known,
        "paths": known.paths or ([found.root] if found.root else []),
        "origins": known.origins or ([origin] if origin else []),
        "root_commit": "".join(known.commits[:1]),
        "notice": found.notice,
    }
    rows = [(name, _shown(value)) for name, value in facts.items() if name != "notice"]  # which is a note
    text = "\n".join(f"{name:<12} {value}" for name, value in rows if value)
    told = found.known and found.registered  # else it is said beside any answer
    return facts, text, *([output.Note(found.notice)] if told and found.notice else [])


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value or "")


@project.command("list")
@opened
def list_projects(mem: Mem) -> Answer:
    """List all projects that have a memory; `gone` marks those whose directory no longer exists.

    \b
    memolith project list
    """
    return project_table(mem)


def project_table(mem: Mem, limit: int | None = None) -> Answer:
    """Return all projects as a list."""
    found = mem.projects.list()[:limit]
    cells = []
    for each in found:
        state = "gone" if each.gone else f"broken: {each.problem}" if each.problem else ""
        state = state or ("memory is off" if each.off else "")
        cells.append((each.slug, each.name, each.notes, state, ", ".join(each.paths) or "path unknown"))
    fields: dict[str, object] = {
        "projects": [{name: getattr(each, name) for name in _LISTED} for each in found]
    }
    table = Table(("project", "name", "notes", "state", "directories"), cells, spare=("name", "notes"))
    return fields, table or output.Note("no project has a memory yet")


_LISTED = ("slug", "name", "paths", "origins", "notes", "off", "gone", "problem")
_slug = click.argument("slug", shell_complete=completion.slugs)
_path = click.argument("path", required=False, shell_complete=completion.directories)


@project.command()
@click.argument("name", nargs=-1, metavar="[NAME]")
@opened
def name(mem: Mem, name: tuple[str, ...]) -> Answer:
    """Name the project here; a folder without git becomes one project with all its subfolders.

    \b
    memolith project name "Lab notes"
    """
    called, place = mem.projects.name(" ".join(name) if name else None)
    again = "to change the name, give another one; undo leaves it"
    return {"name": called, "path": place}, f"{place} is the project {called}, with its subfolders ({again})"


@project.command()
@_slug
@_path
@opened
def link(mem: Mem, slug: str, path: str | None) -> Answer:
    """Make PATH (default: this project's directory) use the memory SLUG, or the project of that name.

    \b
    memolith project link app-59a4a65d
    """
    place = mem.projects.link(slug, path)
    slug = mem.projects.find(slug)
    own = mem.projects.lent(place)
    left = f"; its own memory {own} stays, and `memolith project unlink` gives it back" if own else ""
    return {"slug": slug, "path": place}, f"{place} now uses the memory {slug}{left}"


@project.command()
@_path
@opened
def unlink(mem: Mem, path: str | None) -> Answer:
    """Detach PATH (default: this project's directory) from its memory; it gets its own one, or a new one.

    \b
    memolith project unlink
    """
    place, owners = mem.projects.unlink(path)
    given = next((each.slug for each in mem.projects.list() if place in each.paths), "")
    back = f"; it has its own memory {given} again" if given else ""
    return {"slug": owners[0], "path": place}, f"{place} no longer uses {', '.join(owners)}{back}"


@project.command()
@click.argument("old", shell_complete=completion.places)
@click.argument("new", shell_complete=completion.directories)
@opened
def move(mem: Mem, old: str, new: str) -> Answer:
    """Tell memolith that the directory OLD has moved to NEW.

    \b
    memolith project move ~/code/app ~/work/app
    """
    slug, before, after = mem.projects.move(old, new)
    return {"slug": slug, "path": after}, f"{slug}: {before} is now {after}"


@project.command()
@click.argument("slug", required=False, shell_complete=completion.slugs)
@click.option("--yes", is_flag=True, help="Do not ask; then SLUG must be given.")
@opened
def rm(mem: Mem, slug: str | None, yes: bool) -> Answer:
    """Delete all that is kept of a project: memory, history, sessions. Its folder stays as it is.

    It is the project here, or one whose directories are gone. This cannot be undone;
    `memolith export` keeps a copy.

    \b
    memolith project rm app-59a4a65d
    """
    if slug is None:
        if not mem.identity.known:
            raise NotFoundError("there is no memory of a project here; `memolith project list` shows all")
        slug = mem.project
        if yes or not common.attended():
            raise InputError(f"which one? This one is {slug}: memolith project rm {slug} --yes")
    found = mem.projects.removable(slug)
    used = mem.projects.users(found)
    is_short = found.slug.startswith(slug) and slug not in (found.slug, found.slug.rpartition("-")[0])
    if is_short and slug.casefold() != found.name.casefold() and (yes or not common.attended()):
        raise InputError(f"{slug!r} is only the beginning of {found.slug!r}; give the whole name")
    if not yes:
        what = f"{found.slug} ({plural(found.notes, 'note')}), with its history and sessions, for good"
        here = f"{used[0]} starts anew. " if used else ""
        copy = f"`memolith export FILE.tar.gz{f' --project {used[0]}' if used else ''}` keeps a copy"
        common.agree(
            f"{here}{copy}.\nDelete {what}?", f"this deletes {what}. {here}{copy}; to delete it, add --yes"
        )
    mem.projects.remove(found.slug)
    return {"slug": found.slug}, f"Deleted all that was kept of {found.slug}"


@project.command()
@opened
def off(mem: Mem) -> Answer:
    """Switch memory off for this project: its agents get and keep nothing, and learn nothing.

    What is there stays, and your own commands go on reading and writing it.

    \b
    memolith project off
    """
    slug = mem.projects.switch(off=True)
    on = "what is kept stays, and `memolith project on` switches it on again"
    return {"slug": slug, "memory": "off"}, f"Memory is off for {slug}: {on}"


@project.command()
@opened
def on(mem: Mem) -> Answer:
    """Switch memory on again for this project.

    \b
    memolith project on
    """
    slug = mem.projects.switch(off=False)
    return {"slug": slug, "memory": "on"}, f"Memory is on for {slug}"


@project.command()
@opened
def share(mem: Mem) -> Answer:
    """Keep this project's own notes, records and tickets inside its repository, for a team.

    They move to .memolith/ of this checkout, a file each, and git carries them. What others put there is
    found on request, labelled, and is in no block before `memolith review accept --repository`. All else
    stays in the home: MEMORY.md, checklist, logs, sessions, what was learned or brought in. Nothing in a
    repository can switch this on.

    \b
    memolith project share
    """
    done = mem.projects.share()
    return _brought(done, f"{plural(len(done.files), 'file')} moved to {done.folder}; commit it")


@project.command()
@click.option("--gone", is_flag=True, help="The checkout is gone: stop without copying anything.")
@opened
def unshare(mem: Mem, gone: bool) -> Answer:
    """Copy the entries inside the repository back into the home, and keep them there again.

    The files in the checkout stay, for they may be others', too.

    \b
    memolith project unshare
    """
    done = mem.projects.unshare(gone=gone)
    copied = plural(len(done.files), "file")
    return _brought(done, f"{copied} copied; {done.folder} is not used any more, and stays as it is")


def _brought(done: Shared, message: str) -> Answer:
    rows = [message, *(f"  {name}" for name in done.files)]
    rows += [f"  {name} stays where it is: it {why}" for name, why in done.left.items()]
    return done.as_dict(), "\n".join(rows)


@project.command("adopt")
@_slug
@opened
def adopt_project(mem: Mem, slug: str) -> Answer:
    """Copy the memory SLUG into this project's memory. Replaces nothing; SLUG itself stays.

    Its sessions, and what was learned from them, are not copied.

    \b
    memolith project adopt old-name-1234abcd
    """
    written, skipped = mem.projects.adopt(slug)
    source = mem.projects.find(slug)
    stays = source in layout.scopes(mem.home, ("sessions",))
    more = f"; its sessions, and what was learned from them, stay in {source}" if stays else ""
    lines = [f"Copied {plural(len(written), 'file')} from {slug}{more}", *(f"  {name}" for name in written)]
    left = [each.as_dict() for each in skipped]
    fields: dict[str, object] = {"slug": mem.project, "files": written, "skipped": left}
    for each in skipped:
        output.note(f"skipped {each.path}: {each.reason}", "warning")
    if any(each.failed for each in skipped):
        why = "some files could not be read; run adopt again: it replaces nothing"
        return fields, "\n".join(lines), PartialError(why)
    return fields, "\n".join(lines)
