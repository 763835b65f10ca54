"""Commands that look after a memory: log, history, undo, doctor, index, config; demo and completion."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from memolith.base import whole
from memolith.base.errors import ConfigError, InputError
from memolith.care import written
from memolith.care.erase import masked
from memolith.edges.cli import completion as completing
from memolith.edges.cli import output
from memolith.edges.cli.app import cli, opened, shared
from memolith.edges.cli.common import choice, listed
from memolith.env import programs, settings
from memolith.memory.undo import files_with_history
from memolith.store import layout, registry
from memolith.store.allow_list import allowed
from memolith.text.budget import plural
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.care.doctor import Finding
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.index.vectors.meaning import Coverage
    from memolith.mem import Mem

_SHELLS = ("bash", "zsh", "fish")
_ACTIONS = ("list", "get", "set", "path")
_INDEX_ACTIONS = ("status", "sync", "rebuild")
_AGAIN = "`memolith index sync` continues where it stopped, and so does the next recall"
_file = click.argument("file", required=False, shell_complete=completing.files_to_undo)


@cli.command()
@_file
@click.option("--all", "everything", is_flag=True, help="Include changes that removed nothing.")
@click.option("--show", type=int, metavar="VERSION", help="Print a version, with secrets masked.")
@shared
def history(options: Options, file: str | None, everything: bool, show: int | None) -> Answer | None:
    """List the versions that can be restored: the states before each destructive change.

    FILE is a path below the memory directory, a target (long_term, scratchpad, daily) or a note's name.

    \b
    memolith history
    memolith history long_term
    memolith history database --show 3
    """
    if show is None:
        return options.answer(lambda mem: _versions(mem, file, everything=everything))
    if file is None:
        raise InputError("--show needs a FILE")
    with options.open() as mem:
        name = mem.find_file(file)
        kept = mem.gate.history.read(name, show)
        data = masked(kept, allowed(str(mem.root), layout.scope_of(name)))
    if data != kept:
        output.note("a secret in it is masked; `memolith scan --purge` removes it from the history")
    if options.json:
        return {"path": name, "text": data.decode("utf-8", "replace")}, ""
    output.raw(data)
    return None


@cli.command()
@click.option("--days", type=click.IntRange(1, 3650), default=1, help="How many days back; 1 is today.")
@shared
def log(options: Options, days: int) -> Answer | None:
    """Show what was written to memory today: when, by whom, from where, and its first line.

    \b
    memolith log
    memolith log --days 7 --json
    """
    return options.answer(lambda mem: _written(mem, days))


def _written(mem: Mem, days: int) -> Answer:
    rows = written.since(mem, days)
    lines = []
    for row in rows:
        lines.append(f"{row.time}  {row.by or '-':<9}  {row.op:<8}  {row.says}")
        lines.append(f"    {row.filename}{f', from {row.source}' if row.source else ''}")
    return listed("written", rows, lines, "nothing was written today" if days == 1 else "nothing was written")


def _versions(mem: Mem, file: str | None, *, everything: bool) -> Answer:
    names = [mem.find_file(file)] if file else files_with_history(mem)
    rows = [row for name in names for row in mem.gate.history.versions(name, markers=everything)]
    rows.sort(key=lambda row: (row.time, row.id), reverse=True)
    lines = [
        f"{row.id:>7}  {row.time:<20}  {row.op:<10}  {row.by or '-':<9}  "
        f"{'-' if row.size is None else row.size:>7}  {row.filename}"
        for row in rows
    ]
    head = f"{'version':>7}  {'when (UTC)':<20}  {'before':<10}  {'by':<9}  {'bytes':>7}  file"
    nothing = "no versions: nothing has been overwritten or deleted yet"
    return listed("versions", rows, [head, *lines] if rows else [], nothing)


@cli.command()
@_file
@click.option("--to", type=int, metavar="VERSION", help="Restore this version (see history).")
@opened
def undo(mem: Mem, file: str | None, to: int | None) -> Answer:
    """Revert the last change to FILE (or the last change here), byte for byte.

    Repeat to go further back. What undo replaces goes into the history, too.

    \b
    memolith undo
    memolith undo scratchpad
    memolith undo long_term --to 4
    """
    if file is None and to is not None:
        raise InputError("--to needs a FILE; `memolith history` shows both")
    done = mem.undo(file, to)
    now = "is gone again" if done.bytes is None else f"is {done.bytes} bytes again"
    text = f"Undid change {done.version_undone} of {done.name}: it {now}"
    if done.also:
        text += f"\nand {plural(len(done.also), 'other file')} changed with it"
    return done.as_dict(), text


@cli.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired without loss.")
@opened
def doctor(mem: Mem, fix: bool) -> Answer:
    """Check for problems: index, frontmatter, duplicates, secrets, sizes, links, orphans, leftovers.

    Exits with 1 if there are any.

    \b
    memolith doctor
    memolith doctor --fix
    """
    found = mem.doctor(fix=fix)
    for problem in found.problems:
        output.note(problem, "warning")
    fields: dict[str, object] = {"findings": _rows(found.findings), "fixed": _rows(found.fixed)}
    lines = [f"fixed  {each.kind:<12} {each.path}: {each.message}" for each in found.fixed]
    for each in found.findings:
        hint = " (--fix repairs it)" if each.fixable else ""
        lines.append(f"found  {each.kind:<12} {each.path}: {each.message}{hint}")
    if found.findings:
        return fields, veil.masked("\n".join(lines)), click.exceptions.Exit(1)
    if not whole.missing():
        lines.append("Everything is in order.")
    return fields, veil.masked("\n".join(lines))


def _rows(findings: list[Finding]) -> list[dict[str, object]]:
    rows = [finding.as_dict() for finding in findings]
    return [{**row, **{name: veil.masked(str(row[name])) for name in ("path", "message")}} for row in rows]


@cli.command()
@click.argument(
    "action",
    default="status",
    metavar="[status|sync|rebuild]",
    shell_complete=completing.words(*_INDEX_ACTIONS),
)
@opened
def index(mem: Mem, action: str) -> Answer:
    """Show, update or rebuild the index that recall searches. It is derived from the files.

    Recall updates it automatically; deleting it loses nothing. With memolith[semantic], `sync` and `rebuild`
    also compute the vectors that recall had no time for; a service on another machine gets only the texts of
    this project and the user's.

    \b
    memolith index
    memolith index rebuild
    """
    choice(action, _INDEX_ACTIONS, "action")
    found = mem.index
    slugs = list(dict.fromkeys([layout.USER, *layout.projects(mem.home), *found.scopes()]))
    if action == "status":
        state = found.status(slugs)
    elif action == "sync":
        state = found.sync(slugs, progress=output.progress("files", _AGAIN))
    else:
        mem.vectors.clear()
        state = found.rebuild(slugs, progress=output.progress("files", _AGAIN))
    meaning = str(_meaning(mem, slugs, catch_up=action != "status"))
    size = os.path.getsize(found.path) if os.path.isfile(found.path) else 0
    held = f"{plural(state.files, 'file')}, {plural(state.units, 'unit')}, {size:,} bytes in {found.path}"
    lines = [
        *(f"missing  {what}" for what in state.missing),
        held if state.complete else f"{held}, not complete",
        f"{plural(state.changed, 'file')} {'to catch up' if action == 'status' else 'read'}",
        f"Meaning: {meaning}",
    ]
    fields: dict[str, object] = {"path": found.path, "bytes": size, **state.as_dict(), "meaning": meaning}
    return fields, "\n".join(lines), *(output.Note(f"warning: {note}") for note in state.notes)


def _meaning(mem: Mem, slugs: list[str], *, catch_up: bool) -> Coverage:
    """Return how many units have a vector; without a time limit, as nobody waits for an answer."""
    vectors = mem.vectors
    if getattr(vectors.provider, "sends", False):
        slugs = [layout.USER, mem.project]
    return (
        vectors.sync(slugs, progress=output.progress("texts", _AGAIN))
        if catch_up
        else vectors.coverage(slugs)
    )


@cli.command()
@click.argument(
    "action", default="list", metavar="[list|get|set|path]", shell_complete=completing.words(*_ACTIONS)
)
@click.argument("key", required=False, shell_complete=completing.words(*settings.SETTINGS))
@click.argument("value", required=False, shell_complete=completing.values)
@opened
def config(mem: Mem, action: str, key: str | None, value: str | None) -> Answer:
    """Show or change settings. Environment variables override the file, the file overrides defaults.

    A project may set inject.daily in a file .memolith.yml; anything else there is ignored.

    \b
    memolith config
    memolith config get long_term.soft_limit
    memolith config set inject.daily recent
    """
    choice(action, _ACTIONS, "action")
    if action == "path":
        return {"path": mem.settings.path}, mem.settings.path
    if action == "set":
        if key is None or value is None:
            raise InputError("give a key and a value: memolith config set KEY VALUE")
        settings.check(key, value)
        registry.set_setting(mem.home, mem.settings.path, key, value)
        mem.settings.reload()
    _ = mem.identity  # a project may override some
    keys = [each for each in settings.SETTINGS if key in (None, each)]
    if key is not None and not keys:
        raise ConfigError(settings.unknown_key(key))
    found = [(each, *mem.settings.lookup(each), settings.env_name(each)) for each in keys]
    names = ("key", "value", "origin", "environment")
    fields: dict[str, object] = {"settings": [dict(zip(names, row, strict=True)) for row in found]}
    if action == "get" and key is not None:
        return fields, _shown(found[0][1])
    return fields, "\n".join(f"{row[0]:<38} {_shown(row[1]):<10} ({row[2]})" for row in found)


def _shown(value: object) -> str:
    """Return a value as written in the file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cli.command()
@shared
def demo(options: Options) -> Answer:
    """Run a tour in a throw-away home: remember, inject, find, undo, and the files behind it.

    \b
    memolith demo
    """
    steps: list[dict[str, object]] = []
    with TemporaryDirectory(prefix="memolith-demo-") as base:
        home, project = os.path.join(base, "home"), Path(base, "shop")
        project.mkdir()
        title = ""
        for line in filter(None, Path(__file__).with_name("demo.txt").read_text("utf-8").splitlines()):
            if line.startswith("#"):
                title = line
                continue
            answer = _played(line, home, str(project)).replace(home, "$MEMOLITH_HOME").rstrip("\n")
            steps.append({"title": title.removeprefix("# "), "command": shlex.split(line), "answer": answer})
            if not options.json:
                output.text((f"\n{title}\n" if title else "") + f"$ {line}\n{answer}")
            title = ""
        store = Path(home, "memory")
        made = sorted(str(each.relative_to(store)) for each in store.rglob("*") if each.is_file())
    files = "\n".join(f"  memory/{name}" for name in made)
    end = 'Your own memory was not touched. Begin with: memolith write long_term "- …"'
    text = f"\n# The files, all plain Markdown (now removed):\n{files}\n\n{end}"
    return {"steps": steps, "files": made}, text


def _played(line: str, home: str, project: str) -> str:
    """Run a command with the real program; return what it prints."""
    done = subprocess.run(
        programs.ourselves(*shlex.split(line)[1:], "--home", home, "--project", project),
        capture_output=True,
        input=Path(__file__).with_name("demo.jsonl").read_text("utf-8"),  # the session that it adds
        encoding="utf-8",
        check=False,
        # The temporary directory may be inside a repository; the demo's project must not be.
        env={**programs.environment(), "GIT_CEILING_DIRECTORIES": os.path.dirname(project)},
    )
    return done.stdout + done.stderr


@cli.command()
@click.argument("shell", metavar="{bash|zsh|fish}", shell_complete=completing.words(*_SHELLS))
@shared
def completion(_: Options, shell: str) -> Answer:
    """Print the completion script for a shell.

    \b
    bash:  memolith completion bash >> ~/.bashrc
    zsh:   memolith completion zsh >> ~/.zshrc
    fish:  memolith completion fish > ~/.config/fish/completions/memolith.fish
    """
    kind = get_completion_class(choice(shell, _SHELLS, "shell"))
    if kind is None:
        raise InputError(f"no completion for {shell!r}")
    # click runs bash to learn its version; the script itself does not depend on it.
    made = kind(cli, {}, "memolith", "_MEMOLITH_COMPLETE")
    script = made.source_template % made.source_vars()
    return {"shell": shell, "script": script}, script
