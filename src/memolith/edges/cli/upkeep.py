"""Commands that look after a memory: history, undo, doctor, config, demo, completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.base import whole
from memolith.base.errors import ConfigError, InputError
from memolith.edges.cli import completion as completing
from memolith.edges.cli import output
from memolith.edges.cli.app import choice, cli, shared
from memolith.env import settings
from memolith.env.settings_table import TABLE
from memolith.store import registry
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.care.doctor import Finding
    from memolith.edges.cli.options import Options


_SHELLS = ("bash", "zsh", "fish")
_ACTIONS = ("list", "get", "set", "path")
_file = click.argument("file", required=False, shell_complete=completing.files_to_undo)


@cli.command()
@_file
@click.option("--all", "everything", is_flag=True, help="Also changes that took nothing away.")
@click.option("--show", type=int, metavar="VERSION", help="Print the bytes of a version.")
@shared
def history(options: Options, file: str | None, everything: bool, show: int | None) -> None:
    """List the versions that can be brought back: the states before each destructive change.

    FILE is a path below the memory directory, a target (long_term, scratchpad, daily) or a note's name.

    \b
    memolith history
    memolith history long_term
    memolith history database --show 3
    """
    with options.open() as mem:
        from memolith.memory.undo import files_with_history

        keeper = mem.gate.history
        if show is not None:
            if file is None:
                raise InputError("--show needs a FILE")
            data = keeper.read(mem.find_file(file), show)
            if options.json:
                output.json({"path": mem.find_file(file), "text": data.decode("utf-8", "replace")})
            else:
                output.raw(data)
            return
        names = [mem.find_file(file)] if file else files_with_history(mem)
        rows = [row for name in names for row in keeper.versions(name, markers=everything)]
        rows.sort(key=lambda row: (row.time, row.id), reverse=True)
        if options.json:
            output.json({"versions": [row.as_dict() for row in rows]})
        elif not rows:
            output.note("no versions: nothing was overwritten or deleted yet")
        else:
            lines = [f"{'version':>7}  {'when (UTC)':<20}  {'before':<10}  {'by':<9}  {'bytes':>7}  file"]
            for row in rows:
                size = "-" if row.size is None else str(row.size)
                what = f"{row.op:<10}  {row.by or '-':<9}"
                lines.append(f"{row.id:>7}  {row.time:<20}  {what}  {size:>7}  {row.filename}")
            output.text("\n".join(lines))


@cli.command()
@_file
@click.option("--to", type=int, metavar="VERSION", help="Bring back this version (see history).")
@shared
def undo(options: Options, file: str | None, to: int | None) -> None:
    """Take back the last change to FILE (or the last change here), byte for byte.

    Repeat it to go further back. What undo replaces is in the history too.

    \b
    memolith undo
    memolith undo scratchpad
    memolith undo long_term --to 4
    """
    with options.open() as mem:
        if file is None and to is not None:
            raise InputError("--to needs a FILE; `memolith history` shows both")
        done = mem.undo(file, to)
        if options.json:
            output.json(done.as_dict())
        else:
            now = "is gone again" if done.bytes is None else f"is {done.bytes} bytes again"
            output.text(f"Undid change {done.version_undone} of {done.name}: it {now}")
            if done.also:
                output.text(f"and of {len(done.also)} other file(s) that were changed with it")


@cli.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired without losing anything.")
@shared
def doctor(options: Options, fix: bool) -> None:
    """Look for what is wrong: index, frontmatter, duplicates, secrets, sizes, links, orphans, leftovers.

    Exits with 1 while something is wrong.

    \b
    memolith doctor
    memolith doctor --fix
    """
    from memolith.care.doctor import examine, repair

    with options.open() as mem:
        fixed = repair(mem, lambda problem: output.note(problem, "warning")) if fix else []
        left = examine(mem)
        if options.json:
            output.json({"findings": _rows(left), "fixed": _rows(fixed)})
        else:
            for finding in fixed:
                output.text(veil.masked(f"fixed  {finding.kind:<12} {finding.path}: {finding.message}"))
            for finding in left:
                hint = " (--fix repairs it)" if finding.fixable else ""
                line = f"found  {finding.kind:<12} {finding.path}: {finding.message}{hint}"
                output.text(veil.masked(line))
            if not left and not whole.missing():
                output.text("Everything is in order.")
    if left:
        raise click.exceptions.Exit(1)


def _rows(findings: list[Finding]) -> list[dict[str, object]]:
    rows = [finding.as_dict() for finding in findings]
    return [{**row, **{name: veil.masked(str(row[name])) for name in ("path", "message")}} for row in rows]


@cli.command()
@click.argument(
    "action", default="list", metavar="[list|get|set|path]", shell_complete=completing.words(*_ACTIONS)
)
@click.argument("key", required=False, shell_complete=completing.words(*(row[0] for row in TABLE)))
@click.argument("value", required=False, shell_complete=completing.values)
@shared
def config(options: Options, action: str, key: str | None, value: str | None) -> None:
    """Show or change settings. An environment variable beats the file, the file beats the default.

    A project may set inject.daily for itself in a file .memolith.yml; anything else there is ignored.

    \b
    memolith config
    memolith config get long_term.soft_limit
    memolith config set inject.daily recent
    """
    choice(action, _ACTIONS, "action")
    with options.open() as mem:
        if action == "path":
            output.json({"path": mem.settings.path}) if options.json else output.text(mem.settings.path)
            return
        if action == "set":
            if key is None or value is None:
                raise InputError("give a key and a value: memolith config set KEY VALUE")
            settings.check(key, value)
            registry.set_setting(mem.home, mem.settings.path, key, value)
            mem.settings.reload()
        _ = mem.identity  # a project may set some for itself
        rows = [row for row in TABLE if key in (None, row[0])]
        if key is not None and not rows:
            raise ConfigError(settings.unknown_key(key))
        found = [(row[0], *mem.settings.lookup(row[0]), settings.env_name(row[0])) for row in rows]
        if options.json:
            names = ("key", "value", "origin", "environment")
            output.json({"settings": [dict(zip(names, row, strict=True)) for row in found]})
        elif action == "get" and key is not None:
            output.text(_shown(found[0][1]))
        else:
            output.text("\n".join(f"{row[0]:<38} {_shown(row[1]):<10} ({row[2]})" for row in found))


def _shown(value: object) -> str:
    """Return a value as it is written in the file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cli.command()
@shared
def demo(options: Options) -> None:
    """Show the main job in a throw-away home: remember, inject, find, undo, and the files it made.

    \b
    memolith demo
    """
    from memolith.edges.cli.demo import play

    play(as_json=options.json)


@cli.command()
@click.argument("shell", metavar="{bash|zsh|fish}", shell_complete=completing.words(*_SHELLS))
@shared
def completion(options: Options, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  memolith completion bash >> ~/.bashrc
    zsh:   memolith completion zsh >> ~/.zshrc
    fish:  memolith completion fish > ~/.config/fish/completions/memolith.fish
    """
    from click.shell_completion import get_completion_class

    choice(shell, _SHELLS, "shell")
    kind = get_completion_class(shell)
    if kind is None:
        raise InputError(f"no completion for {shell!r}")
    # click runs bash to learn its version; the script itself does not depend on it.
    made = kind(cli, {}, "memolith", "_MEMOLITH_COMPLETE")
    script = made.source_template % made.source_vars()
    output.json({"shell": shell, "script": script}) if options.json else output.text(script)
