"""Commands about which directory belongs to which memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, NotFoundError, PartialError
from memolith.care.adopt import adopt
from memolith.edges.cli import completion, output
from memolith.edges.cli.app import Group, cli, opened
from memolith.env.identity import Identity
from memolith.env.project import PROJECTS, Project, identities, read_identity, resolve
from memolith.memory.note_index import note_files
from memolith.store import layout, registry
from memolith.text.budget import plural

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem


@cli.group(cls=Group)
def project() -> None:
    """Show and repair which directory belongs to which memory."""


def _directory(mem: Mem) -> str:
    return os.path.join(str(mem.root), PROJECTS)


def _known(mem: Mem, slug: str) -> Identity:
    return read_identity(_directory(mem), slug) or Identity(slug, {})


def _at(mem: Mem, path: str | None) -> tuple[str, Project]:
    """Return the place at a path and its project; without a path, those of this directory."""
    if path is None:
        found = mem.identity
        if not found.root:
            raise InputError("the working directory cannot be read; give a PATH")
        return found.root, found
    if not path.strip():
        raise InputError("PATH is empty; give a directory")
    place = os.path.realpath(os.path.expanduser(path))
    return place, resolve(str(mem.root), place, mem.settings.text("identity"))


@project.command()
@opened
def show(mem: Mem) -> Answer:
    """Show the project of this directory and how it was found.

    \b
    memolith project show
    """
    found = mem.identity
    known = _known(mem, found.slug)
    origin = found.checkout.origin if found.checkout else ""
    facts: dict[str, object] = {
        "slug": found.slug,
        "root": found.root,
        "directory": layout.locate(str(mem.root), layout.path(found.slug)),
        "remembered": found.known,
        "paths": known.paths or ([found.root] if found.root else []),
        "origins": known.origins or ([origin] if origin else []),
        "root_commit": "".join(known.commits[:1]),
        "notice": found.notice,
    }
    return facts, "\n".join(f"{name:<12} {_shown(value)}" for name, value in facts.items() if _shown(value))


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
    rows: list[dict[str, object]] = []
    lines = []
    for slug in layout.projects(mem.home):
        known = _known(mem, slug)
        gone = bool(known.paths) and not any(os.path.isdir(path) for path in known.paths)
        notes = len(note_files(str(mem.root), slug))
        row = {"slug": slug, "paths": known.paths, "origins": known.origins, "notes": notes}
        rows.append({**row, "gone": gone, "problem": known.problem})
        mark = " (gone)" if gone else f" (broken: {known.problem})" if known.problem else ""
        lines.append(f"{slug:<40} {notes:>4} notes  {', '.join(known.paths) or 'path unknown'}{mark}")
    return {"projects": rows}, "\n".join(lines) or output.Note("no project has a memory yet")


_slug = click.argument("slug", shell_complete=completion.slugs)
_path = click.argument("path", required=False, shell_complete=completion.directories)


@project.command()
@_slug
@_path
@opened
def link(mem: Mem, slug: str, path: str | None) -> Answer:
    """Make PATH (default: this project's directory) use the memory SLUG.

    \b
    memolith project link app-59a4a65d
    """
    place, _ = _at(mem, path)
    registry.link(mem.gate, slug, place)
    return {"slug": slug, "path": place}, f"{place} now uses the memory {slug}"


@project.command()
@_path
@opened
def unlink(mem: Mem, path: str | None) -> Answer:
    """Detach PATH (default: this project's directory) from its memory; it gets a new one.

    \b
    memolith project unlink
    """
    place, found = _at(mem, path)
    if found.known and found.root == place:  # other memories may list this path from an earlier project
        owners = [found.slug]
    else:
        owners = [each.slug for each in identities(_directory(mem), strict=True) if place in each.paths]
    if not owners:
        raise NotFoundError(f"{place}: no memory uses it; `memolith project list` shows all memories")
    for slug in owners:
        registry.unlink(mem.gate, slug, place)
    return {"slug": owners[0], "path": place}, f"{place} no longer uses {', '.join(owners)}"


@project.command()
@click.argument("old")
@click.argument("new", shell_complete=completion.directories)
@opened
def move(mem: Mem, old: str, new: str) -> Answer:
    """Tell memolith that the directory OLD has moved to NEW.

    \b
    memolith project move ~/code/app ~/work/app
    """
    before, after = os.path.abspath(os.path.expanduser(old)), _at(mem, new)[0]
    everything = list(identities(_directory(mem), strict=True))
    # Not resolved at first: the old path may be a link to the new one.
    if not any(before in each.paths for each in everything):
        before = os.path.realpath(before)
    owners = [each.slug for each in everything if before in each.paths]
    if not owners:
        raise NotFoundError(f"no memory knows {before}; `memolith project list` shows the paths")
    if len(owners) > 1:  # different repositories have been there over time
        raise InputError(
            f"{before} is known to {', '.join(owners)}; say which: `memolith project link SLUG {after}`"
        )
    registry.move(mem.gate, owners[0], before, after)
    return {"slug": owners[0], "path": after}, f"{owners[0]}: {before} is now {after}"


@project.command("adopt")
@_slug
@opened
def adopt_project(mem: Mem, slug: str) -> Answer:
    """Copy the memory SLUG into this project's memory. Replaces nothing; SLUG itself stays.

    \b
    memolith project adopt old-name-1234abcd
    """
    written, skipped = adopt(mem, slug)
    lines = [f"Copied {plural(len(written), 'file')} from {slug}", *(f"  {name}" for name in written)]
    left = [each.as_dict() for each in skipped]
    fields: dict[str, object] = {"slug": mem.project, "files": written, "skipped": left}
    for each in skipped:
        output.note(f"skipped {each.path}: {each.reason}", "warning")
    if any(each.failed for each in skipped):
        why = "some files could not be read; run adopt again: it replaces nothing"
        return fields, "\n".join(lines), PartialError(why)
    return fields, "\n".join(lines)
