"""What the shell offers at <TAB>: the words that an argument or option takes, and names from this memory.

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
from memolith.memory import arguments
from memolith.memory.note_index import note_files
from memolith.store import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from memolith.mem import Mem

    Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def words(*allowed: str) -> Complete:
    """Return the function that offers some fixed words."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _starting(incomplete, allowed)

    return complete


def sources(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer what can be read: targets, and addresses that lead somewhere."""
    from memolith.memory.addresses import complete

    found = _in_memory(ctx, lambda mem: complete(mem, incomplete))
    return _starting(incomplete, [*TARGETS, "list", *found])


def directories(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer directories."""
    return [CompletionItem(incomplete, type="dir")]


def names(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the notes of the scope that was given; the days of the log where the log is meant."""

    def look(mem: Mem) -> list[str]:
        # Behind an option without its value, click has not given the arguments their names yet.
        if "daily" in (*ctx.args[:1], ctx.params.get("target"), ctx.params.get("source")):
            return _stems(Tree(str(mem.root)).names(layout.path(mem.project, "daily")))
        user_wide = arguments.is_user_wide(ctx.params.get("scope") or "project")
        return _notes(mem, layout.USER if user_wide else mem.project)

    return _starting(incomplete, _in_memory(ctx, look))


def files_to_undo(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the targets and all notes that can be meant here."""

    def look(mem: Mem) -> list[str]:
        return list(dict.fromkeys([*_notes(mem, mem.project), *_notes(mem, layout.USER)]))

    return _starting(incomplete, ["long_term", "scratchpad", "daily", *_in_memory(ctx, look)])


def slugs(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the projects that have a memory."""
    return _starting(incomplete, _in_memory(ctx, lambda mem: layout.projects(mem.home)))


def values(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer what the setting that was given can be."""
    setting = SETTINGS.get(ctx.params.get("key") or "")
    return _starting(incomplete, setting.kind if setting and isinstance(setting.kind, tuple) else ())


def _in_memory(ctx: click.Context, look: Callable[[Mem], list[str]]) -> list[str]:
    """Look into the memory that the words so far mean. What is wrong with it is no business of <TAB>."""
    given = {**ctx.find_root().params, **{name: value for name, value in ctx.params.items() if value}}
    options = Options()
    options.home = given.get("home")
    if given.get("project"):
        options.project = os.path.expanduser(given["project"])  # the shell has not done it yet
    try:
        with options.open() as mem:
            return look(mem)
    except (MemolithError, OSError):
        return []


def _notes(mem: Mem, slug: str) -> list[str]:
    return _stems(note_files(str(mem.root), slug))


def _stems(found: list[str]) -> list[str]:
    return [name.removesuffix(".md") for name in found]


def _starting(incomplete: str, found: tuple[str, ...] | list[str]) -> list[CompletionItem]:
    return [CompletionItem(word) for word in found if word.startswith(incomplete)]
