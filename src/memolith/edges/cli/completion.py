"""Shell completion: the words that an argument or option takes, and names from this memory.

Only offers. What is accepted, and how a mistake is explained, is decided where the value is used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from memolith.base.errors import MemolithError
from memolith.base.values import TARGETS
from memolith.edges.cli.options import Options
from memolith.env.paths import Tree
from memolith.env.settings import SETTINGS
from memolith.store import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click

    from memolith.mem import Mem

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def words(*allowed: str) -> Complete:
    """Return the function that offers some fixed words."""
    return lambda _ctx, _param, incomplete: _starting(incomplete, allowed)


def directories(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer directories."""
    return [CompletionItem(incomplete, type="dir")]


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer files and directories."""
    return [CompletionItem(incomplete, type="file")]


def helped(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer what `help` explains: commands and those below them, topics, settings."""
    from memolith.edges.cli.topics import topics

    command: click.Command | None = ctx.find_root().command
    typed = ctx.params.get("words") or ()
    for word in typed:
        command = getattr(command, "get_command", lambda _, __: None)(ctx, word)
    below: list[str] = getattr(command, "list_commands", lambda _: [])(ctx)
    return _starting(incomplete, below if typed else [*below, *topics(), *SETTINGS])


def values(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the values of the setting already typed."""
    setting = SETTINGS.get(ctx.params.get("key") or "")
    return _starting(incomplete, setting.kind if setting and isinstance(setting.kind, tuple) else ())


def _from_memory(
    look: Callable[[Mem, click.Context, str], list[str]], *allowed: str, first: bool = False
) -> Complete:
    """Return the function that offers some fixed words, and names from the memory that the options select.

    `first`: the fixed words are offered only where no name is typed yet.
    """

    def offer(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        given = {**ctx.find_root().params, **{name: value for name, value in ctx.params.items() if value}}
        options = Options()
        options.home = given.get("home")
        if given.get("project"):
            options.project = os.path.expanduser(given["project"])  # the shell has not expanded it yet
        try:
            with options.open() as mem:
                found = look(mem, ctx, incomplete)
        except (MemolithError, OSError):  # completion never reports errors
            found = []
        fixed = () if first and _typed(ctx) else allowed
        return _starting(incomplete, [*fixed, *found])

    return offer


def _names(mem: Mem, ctx: click.Context, _: str) -> list[str]:
    # After an option that still lacks its value, click has not named the arguments yet.
    if "daily" in (*ctx.args[:1], ctx.params.get("target"), ctx.params.get("source")):
        return _stems(Tree(str(mem.root)).names(layout.path(mem.project, "daily")))
    return _notes(mem, mem.scope(ctx.params.get("scope") or "project"))


def _addresses(mem: Mem, _: click.Context, incomplete: str) -> list[str]:
    from memolith.memory.addresses import complete

    return complete(mem, incomplete)


def _notes(mem: Mem, *slugs: str) -> list[str]:
    from memolith.memory.note_index import note_files

    return list(dict.fromkeys(_stems([name for slug in slugs for name in note_files(str(mem.root), slug)])))


def _stems(found: list[str]) -> list[str]:
    return [name.removesuffix(".md") for name in found]


def _starting(incomplete: str, found: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(word) for word in found if word.startswith(incomplete)]


def of(*kinds: str) -> Complete:
    """Return the function that offers the names of these kinds: note, record, ticket, session."""

    def look(mem: Mem, _: click.Context, __: str) -> list[str]:
        from memolith.memory.find import names

        return list(dict.fromkeys(each.name for kind in kinds for each in names(mem, kind)))

    return _from_memory(look)


def _typed(ctx: click.Context) -> tuple[str, ...]:
    """Return the words of a name that are there already."""
    return tuple(ctx.params.get("name") or ctx.args)


def _name_or_version(mem: Mem, ctx: click.Context, incomplete: str) -> list[str]:
    from memolith.memory.find import find_file
    from memolith.memory.undo import lineage

    if not (typed := _typed(ctx)):
        return _any(mem, ctx, incomplete)
    path = find_file(mem, " ".join(typed))
    return [str(each.id) for each in mem.gate.history.versions(*lineage(mem, path))]


def _goals(mem: Mem, _: click.Context, __: str) -> list[str]:
    return ["user", "project", *layout.projects(mem.home)]


def _places(mem: Mem, _: click.Context, __: str) -> list[str]:
    return [path for each in mem.projects.list() for path in each.paths]


def agents(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the agents whose sessions can be read."""
    from memolith.hosts.sessions import AGENTS

    return _starting(incomplete, AGENTS)


def _waiting(mem: Mem, _: click.Context, __: str) -> list[str]:
    return [held.id for held in mem.review.list()]


def _any(mem: Mem, ctx: click.Context, incomplete: str) -> list[str]:
    from memolith.memory.find import KINDS, names

    if incomplete.startswith("memory:"):
        return _addresses(mem, ctx, incomplete)
    return list(dict.fromkeys(each.name for kind in KINDS for each in names(mem, kind)))


_TARGETS = ("long_term", "scratchpad", "today", "yesterday")
# Whatever has a name; targets and existing addresses; the notes of the given scope, or the days of the log;
# projects that have a memory; where a note can go; directories that projects have or had; whatever has
# a name, or the versions of the file already typed; what waits for a person.
anything = _from_memory(_any, *_TARGETS)
sources = _from_memory(_addresses, *TARGETS, "list")
names = _from_memory(_names)
slugs = _from_memory(lambda mem, _, __: layout.projects(mem.home))
goals = _from_memory(_goals)
places = _from_memory(_places)
anything_or_version = _from_memory(_name_or_version, *_TARGETS, first=True)
waiting = _from_memory(_waiting)
