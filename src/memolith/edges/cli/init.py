"""`memolith init`: making memolith part of the agents on this machine, and taking it out again."""

from __future__ import annotations

import os
import sys
from shutil import which
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, MemolithError
from memolith.edges.cli import completion, first_import, output
from memolith.edges.cli.app import cli, shared
from memolith.edges.cli.common import choice
from memolith.env import programs
from memolith.hosts.install import agents as hosts
from memolith.hosts.install import check as checking
from memolith.hosts.install import plan as planning
from memolith.hosts.install.agents import Place
from memolith.store import layout, outside
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.edges.cli.options import Options
    from memolith.hosts.install.agents import Host, Target
    from memolith.hosts.install.plan import Planner, Step
    from memolith.mem import Mem

_SCOPES = ("user", "project")
NAMES = ("claude", "codex", "gemini", "copilot", "cursor", "opencode", "pi")


@cli.command()
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help=f"Only this one, also if it was not found: {', '.join(NAMES)}. May be repeated.",
    shell_complete=completion.words(*NAMES),
)
@click.option(
    "--scope", default="user", show_default=True, metavar="user|project", help="Whose settings files."
)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take memolith out of the files again.")
@click.option("--check", is_flag=True, help="Only look whether what is installed works.")
@click.option(
    "--native", is_flag=True, help="Also let Claude Code keep its own memory in this project's notes."
)
@click.option(
    "--import", "bring", is_flag=True, help="Then read past sessions, learn by rules, show a brief."
)
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@shared
def init(
    options: Options,
    agents: tuple[str, ...],
    scope: str,
    dry_run: bool,
    uninstall: bool,
    check: bool,
    native: bool,
    bring: bool,
    yes: bool,
) -> None:
    """Make memolith part of the agents on this machine: hooks, MCP server and a slash command.

    Shows first what changes in files that are there, and what new ones hold (--dry-run: every line).
    Comments, order and unknown keys of the files stay, a copy of each is kept, and --uninstall gives back the
    same bytes. docs/agents/ says what happens then.

    \b
    memolith init
    memolith init --agent claude --agent codex --yes --import
    memolith init --check
    memolith init --uninstall
    """
    choice(scope, _SCOPES, "scope")
    named = [hosts.HOSTS[choice(each, NAMES, "agent")] for each in agents]
    if options.ephemeral:
        raise InputError("a throw-away memory cannot be installed: how to take it back would be lost with it")
    with options.open() as mem:
        place = _place(mem, scope)
        found = named or [each for each in hosts.HOSTS.values() if uninstall or each.is_here(place)]
        planner = planning.Planner(place, outside.Installs(mem.home))
        if check:
            return _check(options, place, planner, found)
        here = place.but(project=mem.identity.root)
        notes = layout.locate(str(mem.root), layout.path(mem.project, "notes"))
        more = [hosts.native(here, notes)] if native or uninstall else []
        flow = _Flow(options, planner, found, more, uninstall=uninstall)
        flow.notes = [] if uninstall else planning.doubles(place, [each.name for each in found])
        flow.run(dry_run=dry_run, yes=yes)
        if not uninstall and (flow.may_offer or (bring and yes and not dry_run)):
            first_import.show(options, mem, asked=bring)
        flow.end()
    return None


def command_path() -> str:
    """Return the absolute path of the command that agents are to start."""
    started = sys.argv[0] if os.path.basename(sys.argv[0]).startswith("memolith") else ""
    beside = os.path.join(os.path.dirname(sys.executable), "memolith.exe" if os.name == "nt" else "memolith")
    for each in (started and which(started), beside, programs.find("memolith")):
        if each and os.path.isfile(each) and os.access(each, os.X_OK):
            path = os.path.abspath(each)
            if f"{os.sep}archive-v" in path:  # where `uvx` keeps what it may remove at any time
                raise InputError(
                    f"{path} may be removed at any time; install memolith (`uv tool install`), then try again"
                )
            return path
    raise InputError(
        "the `memolith` command was not found; install it (`uv tool install`, `pipx install`), then try again"
    )


def _place(mem: Mem, scope: str) -> Place:
    project = mem.identity.root if scope == "project" else ""
    if scope == "project" and not project:
        raise InputError("--scope project: this is no directory of a project; name one with --project PATH")
    # A project's files are shared with people who have it elsewhere.
    command = "memolith" if project else command_path()
    return Place(env=dict(os.environ), home=os.path.expanduser("~"), project=project, command=command)


class _Flow:
    """Show, ask, write, report."""

    def __init__(
        self,
        options: Options,
        planner: Planner,
        found: Sequence[Host],
        more: Sequence[Target],
        *,
        uninstall: bool,
    ) -> None:
        self._options, self._planner, self._hosts = options, planner, found
        self._more, self._uninstall = more, uninstall
        self._steps: list[Step] = []
        self._failed: list[MemolithError] = []
        self.notes: list[str] = []
        self.may_offer = False

    def run(self, *, dry_run: bool, yes: bool) -> None:
        """Do what the command is for; `end` says how it went."""
        for host in self._hosts:
            plan = self._planner.uninstall if self._uninstall else self._planner.install
            self._steps += plan(host, self._more if host.name == "claude" else ())
        changes = [step for step in self._steps if step.is_change]
        self._failed = [step.problem for step in self._steps if step.problem is not None]
        if not self._options.json:
            self._show(dry_run=dry_run)
        is_asked = not yes and not dry_run and sys.stdin is not None and sys.stdin.isatty()
        written = False
        if not self._hosts:
            message = f"No agent was found on this machine; name one with --agent ({', '.join(NAMES)})"
        elif not changes:
            left = "Nothing of memolith is installed" if self._uninstall else "Nothing to change"
            message = left if not self._failed else "Nothing was changed"
        elif dry_run:
            message = f"{len(changes)} file(s) would change; nothing was written"
        elif not yes and not is_asked:
            would = f"{len(changes)} file(s) would change; nothing was written"
            message = f"{would}: repeat with --yes; --dry-run shows all"
        elif is_asked and not click.confirm(f"Change {len(changes)} file(s)?", default=True, err=True):
            message = "Nothing was changed"
        else:
            done = self._apply(changes)
            if self._uninstall:  # what others took out themselves
                self._planner.forget(self._steps)
            written = True
            message = f"{done} file(s) changed"
        if written or not (changes or dry_run):
            self._planner.tidy(self._steps)
        self.may_offer = is_asked and (written or not changes) and bool(self._hosts)
        self._report(message, written=written)

    def _apply(self, changes: Sequence[Step]) -> int:
        done = 0
        # Backwards: the first file of an agent may have needed the directory that the others are in.
        for step in reversed(changes) if self._uninstall else changes:
            try:
                self._planner.apply(step, uninstall=self._uninstall)
                done += 1
            except MemolithError as error:  # one file never stops the rest
                self._failed.append(error)
                if not self._options.json:
                    output.note(str(error), "error")
        return done

    def _show(self, *, dry_run: bool) -> None:
        for host in self._hosts:
            steps = [each for each in self._steps if each.host == host.name]
            if self._uninstall and not any(each.is_change or each.problem for each in steps):
                continue
            output.text(f"{host.title}")
            for step in steps:
                if step.problem is not None:
                    output.note(str(step.problem), "error")
                elif not step.is_change:
                    output.text(f"  unchanged  {step.path}")
                elif not dry_run and (step.target.form == "text" or None in (step.before, step.after)):
                    output.text(f"  {step.action:<9}  {step.path} ({step.holds})")
                else:
                    output.text(f"  {step.action:<9}  {step.path}")
                    lines = veil.masked(step.diff()).split("\n")[2:]
                    output.text("\n".join(f"    {line}" for line in lines))

    def _report(self, message: str, *, written: bool) -> None:
        advice = [
            f"{host.title}: {each}"
            for host in self._hosts
            for each in host.advice
            if not self._uninstall and any(step.is_change for step in self._steps if step.host == host.name)
        ]
        if self._options.json:
            rows = [
                {
                    "agent": step.host,
                    "path": step.path,
                    "action": step.action,
                    "problem": str(step.problem) if step.problem else "",
                }
                for step in self._steps
            ]
            fields: dict[str, object] = {"files": rows, "notes": self.notes, "advice": advice}
            output.json({**fields, "written": written, "message": message})
            return
        for note in self.notes:
            output.text(f"Note: {note}")
        output.text(message)
        for each in advice if written else []:
            output.text(f"  {each}")

    def end(self) -> None:
        """Leave with the code of the first thing that went wrong."""
        if self._failed:
            click.get_current_context().exit(self._failed[0].exit_code)


def _check(options: Options, place: Place, planner: Planner, found: Sequence[Host]) -> None:
    common = [checking.program(place.command, place.env)]
    if common[0].is_good:
        common += [checking.hook(place.command, place.env), checking.server(place.command, place.env)]
    rows = [("memolith", each) for each in common]
    planned = {host.name: planner.install(host) for host in found}
    without = [host for host in found if checking.is_absent(planned[host.name])]
    if len(without) < len(found):
        found = [host for host in found if host not in without]
    else:
        without = []
    for host in found:
        steps = planned[host.name]
        rows.append((host.title, checking.files(steps)))
        if host.name == "codex" and rows[-1][1].is_good:
            rows.append((host.title, checking.codex_trust(steps)))
    notes = planning.doubles(place, [each.name for each in found])
    notes += [f"{host.title}: {each}" for host in found for each in host.advice]
    is_good = all(each.is_good for _, each in rows)
    if options.json:
        checked = [{"what": what, "is_good": each.is_good, "told": each.message} for what, each in rows]
        output.json({"checked": checked, "notes": notes})
    else:
        for what, each in rows:
            output.text(f"{'ok ' if each.is_good else 'BAD'}  {what}: {veil.masked(each.message)}")
        for host in without:
            output.text(f"-    {host.title}: not installed; `memolith init --agent {host.name}` adds it")
        for note in notes:
            output.text(f"Note: {note}")
    if not is_good:
        click.get_current_context().exit(1)
