"""Commands about finished sessions: those passed in, and those that agents keep on this machine."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import click

from memolith.base.errors import InputError, MemolithError, NotFoundError, PartialError
from memolith.care.remove import taught
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import Group, cli, opened
from memolith.edges.cli.paint import Table, when
from memolith.env import whose
from memolith.hosts.sessions import gather
from memolith.memory.addresses import turn_label
from memolith.memory.find import Found
from memolith.memory.sessions import STATUSES, Session, read_turns
from memolith.text.budget import plural
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer, Fields
    from memolith.hosts.sessions.gather import Gatherer, Outcome
    from memolith.mem import Mem

_session = click.argument("name", metavar="SESSION", shell_complete=completion.of("session"))
_ACTIONS = ("new", "grown", "known", "skipped")


@cli.group(cls=Group, alone="list")
def session() -> None:
    """Finished sessions, kept redacted and compressed as a source for recall."""


@session.command("add")
@click.argument("file", metavar="FILE", shell_complete=completion.files)
@click.option(
    "--agent",
    required=True,
    metavar="NAME",
    shell_complete=completion.agents,
    help="The agent of the session.",
)
@click.option("--id", "session_id", required=True, metavar="ID", help="The session's id in the agent.")
@click.option(
    "--ticket",
    metavar="ID",
    shell_complete=completion.of("ticket"),
    help="The ticket that the session worked on.",
)
@click.option(
    "--mine/--others",
    default=None,
    help="Whose session: your own, or somebody else's (default: yours, unless FILE is in a checkout).",
)
@common.one_of("--status", STATUSES, default="completed", show_default=True)
@click.option("--scope", default="project", hidden=True)
@opened
def add_session(
    mem: Mem,
    file: str,
    agent: str,
    session_id: str,
    ticket: str | None,
    mine: bool | None,
    status: str,
    scope: str,
) -> Answer:
    """Store a session from JSON lines (- reads standard input), one turn each: {"role", "text", "time"}.

    Adding a session again changes nothing; one that has grown adds its new turns. Secrets are masked. It is
    taken for your own, unless FILE lies in a checkout or belongs to another user. Somebody else's is shown
    only when asked for, and nothing is learned from it.

    \b
    memolith session add turns.jsonl --agent claude --id 3f2a
    """
    common.choice(status, STATUSES, "status")
    turns = list(read_turns(common.file_text(file).split("\n"), file))
    linked = mem.tickets.get(ticket).id if ticket else ""
    started = next((turn.time for turn in turns if turn.time), "")
    value = Session(agent=agent, id=session_id, started=started, status=status, ticket=linked, turns=turns)
    if mine is None:
        mine = file == "-" or whose.is_taken_at_word(file)
    if not mine:
        value = gather.labelled(value)
    done = mem.sessions.add(value, scope=scope, again=True)
    if linked:
        mem.tickets.link(linked, done.name)
    return done


@session.command("list")
@click.option("-n", "--limit", type=click.IntRange(1), metavar="N", help="Only the newest N.")
@opened
def list_sessions(mem: Mem, limit: int | None) -> Answer:
    """List sessions, newest first, with what they began with.

    \b
    memolith session list --limit 10
    """
    return session_table(mem, limit)


def session_table(mem: Mem, limit: int | None = None) -> Answer:
    """Return the sessions of a project as a list."""
    found = list(reversed(mem.sessions.list()))[:limit]
    fields: dict[str, object] = {
        "sessions": [{**each.head(), "title": each.title, "turns": len(each.turns)} for each in found]
    }
    short = _shortened([each.name for each in found])
    rows = [
        (
            short[each.name],
            when(each.started) if each.started else "",
            len(each.turns),
            each.ticket,
            each.title,
        )
        for each in found
    ]
    table = Table(
        ("session", "when", "turns", "ticket", "began with"), rows, spare=("ticket", "turns", "when")
    )
    nothing = "no sessions are stored for this project; `memolith session import` reads those of your agents"
    return fields, table or output.Note(nothing)


def _shortened(names: list[str]) -> dict[str, str]:
    """Return the beginning of each name that is enough to tell it from the others."""
    begins = Counter(name[:size] for name in names for size in range(len(name) + 1))
    found = {}
    for name in names:
        least = name.find("-") + 1 + _SHORT
        found[name] = next(
            (
                name[:size]
                for size in range(least, len(name))
                if begins[name[:size]] == 1 and name[size - 1].isalnum()
            ),
            name,
        )
    return found


_SHORT = 8  # characters of an id


@session.command("show")
@click.argument("name", required=False, metavar="[SESSION]", shell_complete=completion.of("session"))
@click.option("--turn", type=int, metavar="N", help="Only this turn.")
@opened
def show_session(mem: Mem, name: str | None, turn: int | None) -> Answer:
    """Print a session (by default the last one), or one turn of it.

    \b
    memolith session show
    memolith session show claude-3f2a --turn 12
    """
    if name in (None, "last", "latest"):
        known = mem.sessions.list()
        if not known:
            raise NotFoundError(
                "no sessions are stored for this project; `memolith session import` reads some"
            )
        name = known[-1].name
    return session_text(mem, str(name), turn)


def session_text(mem: Mem, name: str, turn: int | None = None) -> tuple[Fields, str]:
    """Return a session, or one turn of it."""
    found = mem.sessions.get(name)
    turns = [each for each in found.turns if turn in (None, each.number)]
    if turn is not None and not turns:
        raise NotFoundError(f"{found.name} has no turn {turn}; they are 1 to {len(found.turns)}")
    fields = {**found.head(), "turns": [each.as_dict() for each in turns]}
    heads = [" ".join(filter(None, [each.role, each.tool, each.outcome, when(each.time)])) for each in turns]
    heads = [f"{head}{turn_label(each)}" for head, each in zip(heads, turns, strict=True)]
    shown = [f"#{each.number} {head}\n{each.text}\n" for each, head in zip(turns, heads, strict=True)]
    return fields, "".join(shown)


@session.command("rm")
@_session
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can be asked.")
@opened
def delete_session(mem: Mem, name: str, yes: bool) -> Answer:
    """Delete a session's copy for good, and what was learned from it alone; it cannot be undone.

    Its records and statements go with it, or while learning is on, when it runs next. What its transcript
    says later stays away, too, until you name the file: memolith session import FILE.

    \b
    memolith session rm claude-3f2a
    """
    found = mem.sessions.get(name)
    common.check_whole(mem, Found(kind="session", name=found.name, path=""), name, yes=yes)
    if not yes:
        learned = " and what was learned from it alone" if taught(mem, found.name) else ""
        question = f"Delete {found.name} ({plural(len(found.turns), 'turn')}){learned} for good?"
        common.agree(question, f"this deletes {found.name} for good: add --yes")
    return mem.remove(f"session:{found.name}")


@session.command("import")
@click.argument("paths", metavar="[PATH]...", nargs=-1, shell_complete=completion.files)
@click.option(
    "--agent",
    metavar="NAME",
    shell_complete=completion.agents,
    help="Only sessions of this agent, or the agent that wrote the PATHs.",
)
@click.option("--mine", is_flag=True, help="The PATHs hold your own sessions, wherever they are.")
@click.option("--dry-run", is_flag=True, help="Only show what would be read; store nothing.")
@opened
def import_sessions(mem: Mem, paths: tuple[str, ...], agent: str | None, mine: bool, dry_run: bool) -> Answer:
    """Import the sessions that agents keep on this machine, or those at PATH, each into its project's memory.

    Finds those of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI, Factory droid, Cline, opencode, pi,
    oh-my-pi and Cursor. Secrets are masked. Sessions that have not grown are skipped, so you may interrupt
    this and run it as often as you like.

    A file elsewhere, such as aider's, may be anybody's: it goes into this project's memory, is shown only
    when asked for, and nothing is learned from it, unless you say that it is yours. Links are not followed.

    \b
    memolith session import --dry-run
    memolith session import
    memolith session import .aider.chat.history.md --mine
    memolith session import turns.jsonl --agent generic
    """
    only = gather.agent_named(agent) if agent is not None else None
    if mine and not paths:
        raise InputError("--mine needs the files of your sessions: memolith session import --mine PATH")
    if paths:
        places = gather.named(paths, only, mine=mine)
    else:
        places = gather.find(os.environ, os.path.expanduser("~"), only)
    with gather.Gatherer(mem, dry_run=dry_run) as gatherer:
        brought = gatherer.bring_all(places, output.progress("sessions"))
    fields, text = _report(brought, dry_run=dry_run)
    return fields, text, *_problems(gatherer)


def _problems(gatherer: Gatherer) -> list[MemolithError]:
    """Return what an import ends with: a full disk is an error, not a reason to skip a session."""
    if gatherer.refused:
        return [gatherer.refused]
    if gatherer.shortened:
        are = "is" if gatherer.shortened == 1 else "are"
        return [
            PartialError(
                f"{plural(gatherer.shortened, 'session')} {are} too long to be kept whole, or cannot be read "
                "as a whole; a turn in between says what is left out"
            )
        ]
    if gatherer.unread:
        left = "some sessions could not be read or listed; fix what is named above and import again"
        return [PartialError(left)]
    return []


def _report(brought: list[Outcome], *, dry_run: bool) -> tuple[dict[str, object], str]:
    rows, message = _summary(brought), _message(brought, dry_run=dry_run)
    sessions = [
        {key: veil.masked(value) if isinstance(value, str) else value for key, value in row.items()}
        for row in (each.as_dict() for each in brought)
    ]
    columns = ("agent", "project", "read", *_ACTIONS)
    table = Table(columns, [[row[key] for key in columns] for row in rows])
    lines: list[str] = [table] if rows else []
    why = Counter(each.reason for each in brought if each.action == "skipped")
    lines += [f"skipped {count}: {veil.masked(reason)}" for reason, count in sorted(why.items())]
    return {"summary": rows, "sessions": sessions, "message": message}, "\n".join([*lines, message])


def _summary(brought: list[Outcome]) -> list[dict[str, str | int]]:
    """Return the counts for each agent and project."""
    counts = Counter((each.agent, each.project, each.action) for each in brought)
    pairs = sorted({(agent, project) for agent, project, _ in counts})
    rows: list[dict[str, str | int]] = []
    for agent, project in pairs:
        by_action = {action: counts[agent, project, action] for action in _ACTIONS}
        read = by_action["new"] + by_action["grown"]
        rows.append({"agent": agent, "project": project or "-", "read": read, **by_action})
    return rows


def _message(brought: list[Outcome], *, dry_run: bool) -> str:
    if not brought:
        return "No sessions found; name a file or a directory of them"
    counts = Counter(each.action for each in brought)
    counted = ", ".join(f"{counts[action]} {action}" for action in _ACTIONS if counts[action])
    if dry_run:
        return f"Would import: {counted}. Nothing was stored"
    turns, masked = sum(each.added for each in brought), sum(each.masked for each in brought)
    hidden = f", {plural(masked, 'secret')} masked" if masked else ""
    return f"{counted}; {plural(turns, 'new turn')}{hidden}"
