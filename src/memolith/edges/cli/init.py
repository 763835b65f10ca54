"""`memolith init`: install memolith into the agents on this machine, and uninstall it."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from shutil import which
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError
from memolith.edges.cli import completion, output
from memolith.edges.cli.app import cli, shared
from memolith.edges.cli.common import choice, one_of
from memolith.edges.cli.options import Options
from memolith.edges.cli.paint import Diff, Facts, Table
from memolith.env import programs
from memolith.hosts.install import agents as hosts
from memolith.hosts.install import check as checking
from memolith.hosts.install import health
from memolith.hosts.install import plan as planning
from memolith.hosts.install.agents import Place
from memolith.hosts.sessions import gather
from memolith.store import layout, outside
from memolith.text.budget import plural
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.edges.cli.output import Answer
    from memolith.hosts.install.agents import Host
    from memolith.hosts.install.plan import Planner, Step
    from memolith.hosts.sessions.gather import Outcome
    from memolith.mem import Mem

_SCOPES = ("user", "project")
NAMES = tuple(hosts.HOSTS)


@cli.command()
@click.argument("named", nargs=-1, metavar="[AGENT]...", shell_complete=completion.words(*NAMES))
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help=f"Only this agent, even if it was not detected: {', '.join(NAMES)}. May be repeated.",
    shell_complete=completion.words(*NAMES),
)
@one_of("--scope", _SCOPES, "Whose settings files.", default="user", show_default=True)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Remove memolith from the files.")
@click.option("--check", is_flag=True, help="Only check whether the installation works.")
@click.option(
    "--native", is_flag=True, help="Also let Claude Code keep its own memory in this project's notes."
)
@click.option(
    "--import", "bring", is_flag=True, help="Then read past sessions, learn by rules, show a brief."
)
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal.")
@shared
def init(
    options: Options,
    named: tuple[str, ...],
    agents: tuple[str, ...],
    scope: str,
    dry_run: bool,
    uninstall: bool,
    check: bool,
    native: bool,
    bring: bool,
    yes: bool,
) -> Answer | None:
    """Install memolith into the agents on this machine: hooks, MCP server and a slash command.

    First shows what would change in which file; at the question, `d` shows every line, and so does --dry-run.
    Comments, order and unknown keys of the files stay, a copy of each is kept, and --uninstall restores the
    same bytes. docs/agents/ describes what happens then.

    \b
    memolith init
    memolith init claude codex --yes --import
    memolith init --check
    memolith init --uninstall
    """
    choice(scope, _SCOPES, "scope")
    chosen = [hosts.HOSTS[choice(each, NAMES, "agent")] for each in dict.fromkeys((*named, *agents))]
    _check_home(options, installs=not (uninstall or check))
    with options.open() as mem:
        place = _place(mem, scope, installs=not (uninstall or check))
        found = chosen or [each for each in hosts.HOSTS.values() if uninstall or each.is_here(place)]
        planner = planning.Planner(place, outside.Installs(mem.home))
        if check:
            return _check(place, planner, found, mem.home)
        notes = layout.locate(str(mem.root), layout.path(mem.project, "notes"))
        here = place.but(project=mem.identity.root)
        own_memory = [hosts.native(here, notes)] if native or uninstall else []
        steps = []
        for host in found:
            steps += planner.steps(host, own_memory if host.name == "claude" else (), uninstall=uninstall)
        steps += planner.recorded([host.name for host in found], steps) if uninstall else []
        failed = [step.problem for step in steps if step.problem is not None]
        if not options.json:
            _show(found, steps, uninstall=uninstall, lines=dry_run)
        is_asked = options.attended and not (yes or dry_run)
        changes = sum(step.is_change for step in steps)
        refusal = _refusal(found, steps, uninstall=uninstall, dry_run=dry_run, yes=yes, is_asked=is_asked)
        if not refusal or not (changes or dry_run):
            wrong = planner.apply_all(steps, uninstall=uninstall)
            for error in wrong if not options.json else []:
                output.note(str(error), "error")
            failed += wrong
            changes -= len(wrong)
        doubles = _notes(place, planner, found, uninstall=uninstall, named=bool(chosen))
        advice = [] if uninstall else _advice(found, steps)
        # What could be asked of a person, or said with --yes, and was neither.
        is_left = bring and not (uninstall or dry_run or yes or is_asked)
        message = refusal or f"{plural(changes, 'file')} changed"
        if is_left and not (refusal and changes):
            message += "; nothing was imported: repeat with --yes"
        rows = [
            {
                "agent": step.host,
                "path": step.path,
                "action": step.action,
                "problem": str(step.problem) if step.problem else "",
            }
            for step in steps
        ]
        fields = {"files": rows, "notes": doubles, "advice": advice, "written": not refusal}
        lines = [*(f"Note: {each}" for each in doubles), message]
        lines += [f"  {each}" for each in advice if not refusal]
        output.answer(({**fields, "message": message}, "\n".join(lines)), as_json=options.json)
        may_offer = is_asked and bool(found) and (not refusal or not any(step.is_change for step in steps))
        if not uninstall and (may_offer or (bring and yes and not dry_run)):
            _import(options, mem, asked=bring)
    if failed:
        raise click.exceptions.Exit(failed[0].exit_code)
    if is_left or (refusal and changes and not (dry_run or yes or is_asked)):
        raise click.exceptions.Exit(2)  # nobody could be asked
    return None


def _notes(
    place: Place, planner: Planner, found: Sequence[Host], *, uninstall: bool, named: bool
) -> list[str]:
    """Return notes about what a person may not expect: double installations, and those that stay."""
    if not uninstall:
        return planning.doubles(place, [each.name for each in found])
    return [
        f"{root} has memolith in its own files, for all who share them; `memolith init --uninstall "
        f"--scope project --project {shlex.quote(root)}` removes it there"
        for root in ([] if named or place.project else planner.elsewhere())
    ]


def _refusal(
    found: Sequence[Host], steps: Sequence[Step], *, uninstall: bool, dry_run: bool, yes: bool, is_asked: bool
) -> str:
    """Return why nothing is written; empty if it may be. Asks a person at a terminal."""
    changes = sum(step.is_change for step in steps)
    files = plural(changes, "file")
    if not found:
        return f"No agent found on this machine; name one with --agent ({', '.join(NAMES)})"
    if not changes:
        if any(step.problem for step in steps):
            return "Nothing was changed"
        return "memolith is not installed" if uninstall else "Nothing to change"
    if dry_run:
        return f"{files} would change; nothing was written"
    if not yes and not is_asked:
        return f"{files} would change; nothing was written: repeat with --yes; --dry-run shows every line"
    return "" if not is_asked or _agreed(found, steps, files, uninstall=uninstall) else "Nothing was changed"


def _agreed(found: Sequence[Host], steps: Sequence[Step], files: str, *, uninstall: bool) -> bool:
    """Ask a person, who may look at every line first."""
    while True:
        question = f"Change {files}? [Y/n, d shows every line]"
        answer = click.prompt(question, default="y", show_default=False, err=True).strip().lower()
        if answer in ("y", "yes", "n", "no"):
            return answer.startswith("y")
        if answer == "d":
            _show(found, steps, uninstall=uninstall, lines=True)


_PLAN = {"created": "create", "changed": "change", "removed": "remove", "unchanged": "keep"}


def _show(found: Sequence[Host], steps: Sequence[Step], *, uninstall: bool, lines: bool) -> None:
    """Show what happens to which file of which agent, as a table; or every line of it."""
    titles, rows = {host.name: host.title for host in found}, []
    for step in steps:
        title = titles.get(step.host, step.host)
        if step.problem is not None:
            output.note(str(step.problem), "error")
        elif uninstall and not step.is_change:
            continue
        elif not lines:
            path = step.path.replace(os.path.expanduser("~/"), "~/", 1)
            rows.append((title, _PLAN[step.action], path, step.holds if step.is_change else ""))
        else:
            output.text(f"{title}: {step.path} ({_PLAN[step.action]})")
            changed = veil.masked(step.diff()).split("\n")[2:]
            output.text(Diff("\n".join(changed))) if step.is_change else None
    if rows:
        output.text(Table(("agent", "plan", "file", "what"), rows, spare=("what",)))


def _advice(found: Sequence[Host], steps: Sequence[Step]) -> list[str]:
    changed = {step.host for step in steps if step.is_change}
    return [f"{host.title}: {host.advice}{_slash(host, steps)}" for host in found if host.name in changed]


def _slash(host: Host, steps: Sequence[Step]) -> str:
    """Return what a person types there to see memory; empty if it has no such command."""
    ways = {
        **dict.fromkeys(("commands", "command", "extensions"), "`/memolith`"),
        "prompts": "`/prompts:memolith`",
        "plugins": "`memory: show` in the palette",
    }
    folders = [os.path.basename(os.path.dirname(each.path)) for each in steps if each.host == host.name]
    typed = next((ways[each] for each in folders if each in ways), "")
    return f"; {typed} asks memory" if typed else ""


def _import(options: Options, mem: Mem, *, asked: bool) -> None:
    """Import past sessions if a person agrees; show what was learned from them."""
    places = [each for each in gather.find(os.environ, os.path.expanduser("~")) if not each.problem]
    if asked:
        _import_notes(options, mem)
    if not places:
        if asked and not options.json:
            output.text("No past sessions found on this machine")
        return
    if not asked:
        with gather.Gatherer(mem, dry_run=True) as gatherer:
            looked = gatherer.bring_all(places, output.progress("sessions"))
        fresh = sum(each.action in ("new", "grown") for each in looked)
        question = f"Read {plural(fresh, 'past session')} into memory and learn by rules, on this machine?"
        if not fresh or not click.confirm(question, default=True, err=True):
            output.text("Later: memolith init --import" if fresh else "All past sessions are known already")
            return
    done = gather.first_import(mem, places, output.progress("sessions"), output.progress("files"))
    summary = _counted(done.brought)
    summary += f"\n{plural(done.records, 'fact')} learned by rules, offline; `memolith recall QUESTION` asks"
    if not mem.settings.flag("memories.enabled"):
        summary += ", and `memolith learn on` goes on learning"
    if options.json:
        output.note(summary.replace("\n", " "))  # the answer has been printed
    else:
        output.text(f"{done.brief}\n\n{summary}" if done.brief else summary)


def _import_notes(options: Options, mem: Mem) -> None:
    """Import what Claude Code keeps about this project, which `memolith import` finds by itself, too."""
    try:
        done = mem.import_()
    except InputError:  # it keeps nothing
        return
    told = f"{plural(done.count('new'), 'memory', 'memories')} of Claude Code about this project imported"
    known = done.count("known")
    told += f", {known:,} known" if known else ""
    output.note(told) if options.json else output.text(told)


def _counted(brought: Sequence[Outcome]) -> str:
    """Return what became of the sessions of this machine, and why most of the skipped ones were."""
    counts = Counter(each.action for each in brought)
    read = [each for each in brought if each.action in ("new", "grown")]
    told = f"{plural(len(read), 'session')} read"
    if read:
        told += (
            f": {plural(sum(each.added for each in read), 'turn')} of "
            f"{plural(len({each.agent for each in read}), 'agent')} in "
            f"{plural(len({each.project for each in read}), 'project')}"
        )
    masked = sum(each.masked for each in read)
    told += f", {plural(masked, 'secret')} masked" if masked else ""
    told += f"; {counts['known']:,} known" if counts["known"] else ""
    if counts["skipped"]:
        reasons = Counter(each.reason.partition(":")[0] for each in brought if each.action == "skipped")
        (why, most), *others = reasons.most_common()
        these = "" if not others else f" of {most:,}"
        told += f"; {counts['skipped']:,} skipped ({why}{these})"
        told += "; `memolith session import --dry-run` names them"
    return told


def command_path() -> str:
    """Return the absolute path of the command for agents to start; one that can run, if there is any."""
    started = sys.argv[0] if os.path.basename(sys.argv[0]).startswith("memolith") else ""
    beside = os.path.join(os.path.dirname(sys.executable), "memolith.exe" if os.name == "nt" else "memolith")
    places = (started and which(started), beside, programs.find("memolith"))
    found = [each for each in places if each and os.path.isfile(each) and os.access(each, os.X_OK)]
    if not found:
        raise InputError(
            "the `memolith` command was not found; install it (`uv tool install`, `pipx install`), then try "
            "again"
        )
    path = os.path.abspath(min(found, key=lambda each: bool(health.lost_interpreter(each))))
    if f"{os.sep}archive-v" in path:  # the cache of `uvx`, which may be pruned at any time
        raise InputError(
            f"{path} may be removed at any time; install memolith (`uv tool install`), then try again"
        )
    return path


def _check_home(options: Options, *, installs: bool) -> None:
    """Refuse a home that the agents would not use: they know that of the environment, or the default."""
    if options.ephemeral:
        raise InputError(
            "--ephemeral-memory: cannot install a throw-away memory, as it could not be uninstalled later"
        )
    if options.home is not None and installs:
        with Options().open() as usual, options.open() as wanted:
            if os.path.realpath(usual.home) != os.path.realpath(wanted.home):
                raise InputError(
                    f"--home {options.home}: agents would use {usual.home} all the same; set MEMOLITH_HOME "
                    "where they start (your shell's profile), then run `memolith init`"
                )


def _place(mem: Mem, scope: str, *, installs: bool) -> Place:
    project = mem.identity.root if scope == "project" else ""
    if scope == "project" and not project:
        raise InputError("--scope project: this directory is not in a project; name one with --project PATH")
    # A project's files are shared with people who have the command elsewhere.
    command = "memolith" if project else command_path()
    lost = health.lost_interpreter(command) if installs and not project else ""
    if lost:  # its environment was moved, and is run by `python -m memolith`
        raise InputError(f"{command} cannot run: its interpreter {lost} is gone; install memolith again")
    return Place(env=dict(os.environ), home=os.path.expanduser("~"), project=project, command=command)


def _check(place: Place, planner: Planner, found: Sequence[Host], home: str) -> Answer:
    rows, without = checking.examine(place, planner, found, home)
    found = [host for host in found if host not in without]
    notes = planning.doubles(place, [each.name for each in found])
    bad = {what for what, each in rows if not each.is_good}
    notes += [f"{host.title}: {host.advice}" for host in found if host.title in bad]
    checked = [{"what": what, "is_good": each.is_good, "told": each.message} for what, each in rows]
    lines = [
        f"{'ok ' if each.is_good else 'BAD'}  {what}: {veil.masked(each.message)}" for what, each in rows
    ]
    absent = "not installed; `memolith init --agent"
    lines += [f"-    {host.title}: {absent} {host.name}` adds it" for host in without]
    lines += [f"Note: {note}" for note in notes]
    is_good = all(each.is_good for _, each in rows)
    more = [] if is_good else [click.exceptions.Exit(1)]
    return {"checked": checked, "notes": notes}, Facts("\n".join(lines)), *more
