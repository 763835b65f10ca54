"""`memolith learn`: learn from sessions, show the cost, and say why something was not learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memolith.base.errors import ConfigError, InputError, PartialError
from memolith.edges.cli import completion, output
from memolith.edges.cli.app import Group, cli, opened
from memolith.edges.cli.paint import Table
from memolith.env.settings import env_name
from memolith.store import registry

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem

_session = click.argument(
    "session", required=False, metavar="[SESSION]", shell_complete=completion.of("session")
)


@cli.group(cls=Group, alone="status")
def learn() -> None:
    """Learn from finished sessions. Off until `memolith learn on`."""


def _switch(word: str, value: str, text: str) -> None:
    """Add a command that sets `memories.enabled`."""

    def run(mem: Mem) -> Answer:
        key = "memories.enabled"
        registry.set_setting(mem.home, mem.settings.path, key, value)
        mem.settings.reload()
        found, origin = mem.settings.lookup(key)
        if found is not (value == "true"):
            raise ConfigError(f"{key} is set to {value}, but the {origin} says otherwise: {env_name(key)}")
        if found and mem.off:
            return {"enabled": found}, f"Learning is on for all projects ({key}), but not here: {mem.off}"
        status = mem.learning.status()
        return {"enabled": found}, "\n".join(status.lines(mem.settings)) if found else "Learning is off."

    learn.command(word, help=f"{text}\n\n\b\nmemolith learn {word}")(opened(run))


_switch(
    "on",
    "true",
    "Learn from sessions from now on, in all projects: by rules, or with the model of `models.default`.",
)
_switch("off", "false", "Learn no more from sessions; what was learned stays (`memory clear` removes it).")


@learn.command("run")
@click.option(
    "--phase",
    metavar="1|2",
    shell_complete=completion.words("1", "2"),
    help="Only extract (1), or only consolidate (2).",
)
@click.option(
    "--force", is_flag=True, help="Include sessions that are not idle yet, and skip the wait between runs."
)
@click.option("--model", metavar="MODEL", help="Instead of models.default; `none` learns by rules.")
@opened
def run_learning(mem: Mem, phase: str | None, force: bool, model: str | None) -> Answer:
    """Extract facts from finished sessions and consolidate them into MEMORY.md.

    Any number of runs may work at once. Without a model, only explicit statements are learned.

    \b
    memolith learn run
    memolith learn run --force --model none
    memolith learn run --phase 2
    """
    if phase not in (None, "1", "2"):
        raise InputError(f"--phase {phase!r}: must be 1 or 2")
    only = int(phase) if phase else None
    report = mem.learning.run(phase=only, force=force, model=model, progress=output.progress("sessions"))
    if model is not None and repr(model) in report.stopped:
        raise InputError(report.stopped.replace("models.default =", "--model"))
    if report.failed:
        why = "part of the run failed; a later run retries it; `memolith learn why` says what happened"
        return report.as_dict(), str(report), PartialError(why)
    return report.as_dict(), str(report)


@learn.command("status")
@opened
def show_status(mem: Mem) -> Answer:
    """Show whether learning is on, what is pending, what failed, and today's cost.

    \b
    memolith learn status
    """
    found = mem.learning.status()
    return found.as_dict(), "\n".join(found.lines(mem.settings))


@learn.command("why")
@_session
@opened
def explain(mem: Mem, session: str | None) -> Answer:
    """Show for each session what was learned from it, or why nothing was.

    \b
    memolith learn why
    memolith learn why claude-3f2a
    """
    reasons = mem.learning.why(session)
    rows = [{"name": name, "why": why} for name, why in reasons.items() if name != "consolidate"]
    fields: dict[str, object] = {"sessions": rows, "consolidate": reasons.get("consolidate", "")}
    if not reasons:
        nothing = "no sessions are stored for this project; `memolith session add` stores one"
        return fields, output.Note(nothing)
    if mem.learning.off:
        return fields, f"Learning is off: {mem.learning.off}"
    said = [f"{row['name']}: {row['why']}" for row in rows]
    return fields, "\n".join([*said, *(f"Consolidation: {why}" for why in [fields["consolidate"]] if why)])


@learn.command("enqueue")
@_session
@opened
def enqueue(mem: Mem, session: str | None) -> Answer:
    """Make the next run learn from SESSION again; without one, consolidate even if nothing is new.

    \b
    memolith learn enqueue
    memolith learn enqueue claude-3f2a
    """
    name = mem.learning.enqueue(session)
    does = f"learns from {name} again" if name else "consolidates even if no session changed"
    return f"Enqueued: the next run {does} (memolith learn run)"


@learn.command("retry")
@_session
@opened
def retry(mem: Mem, session: str | None) -> Answer:
    """Reset the attempts of a failed session; without one, of the consolidation.

    \b
    memolith learn retry claude-3f2a
    """
    return f"{mem.learning.retry(session).key} is retried by the next run"


@learn.command("cancel")
@_session
@opened
def cancel(mem: Mem, session: str | None) -> Answer:
    """Skip a session until it changes; without one, skip the consolidation until something is new.

    \b
    memolith learn cancel claude-3f2a
    """
    return f"{mem.learning.cancel(session).key} is skipped until it changes"


@learn.command("cost")
@click.option("--days", default=30, show_default=True, metavar="N", help="Number of days to show.")
@opened
def show_cost(mem: Mem, days: int) -> Answer:
    """Show what learning has cost, per day, phase and model.

    \b
    memolith learn cost --days 7
    """
    since, rows = mem.learning.costs(days)
    cells = [
        (r.day, r.phase, r.requests, r.tokens_in, r.tokens_out, f"{r.seconds:.1f}", r.model, r.project)
        for r in rows
    ]
    head = ("day", "phase", "requests", "tokens in", "out", "seconds", "model", "project")
    text = Table(head, cells) or f"No model requests since {since}."
    return {"since": since, "costs": [row.as_dict() for row in rows]}, text


@learn.command()
@click.argument("note", nargs=-1, required=True, shell_complete=completion.names)
@opened
def promote(mem: Mem, note: tuple[str, ...]) -> Answer:
    """Turn a note that describes a procedure into a skill: skills/NAME/SKILL.md; each links to the other.

    The skill stays in the memory, where no agent loads it: copy the directory to where your agent looks
    for skills. Run the command again to update the skill from the note. `memolith undo` reverts both.

    \b
    memolith learn promote running-the-tests
    """
    return mem.promote(" ".join(note))
