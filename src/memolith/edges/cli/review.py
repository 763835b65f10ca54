"""`memolith review`: what waits for a person's decision."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from memolith.base import whole
from memolith.base.errors import InputError
from memolith.care.review import names
from memolith.edges.cli import common, completion, output
from memolith.edges.cli.app import cli, opened
from memolith.edges.cli.paint import Table
from memolith.memory.review import STORED
from memolith.store.layout import PROPOSAL
from memolith.store.together import Command
from memolith.text import markdown

if TYPE_CHECKING:
    from memolith.edges.cli.output import Answer
    from memolith.mem import Mem
    from memolith.memory.review import Held

_SHORT = 4  # digits of an ID that nobody types by accident
_ACTIONS = ("list", "show", "accept", "refuse", "edit")


@cli.command()
@click.argument(
    "action",
    default="list",
    metavar="[list|show|accept|refuse|edit]",
    shell_complete=completion.words(*_ACTIONS),
)
@click.argument("ids", nargs=-1, metavar="[ID|NAME|SESSION]...", shell_complete=completion.waiting)
@click.option("--all", "everything", is_flag=True, help="All items in the queue.")
@click.option(
    "--repository", is_flag=True, help="All entries that came with the repository, as after a pull."
)
@click.option("--yes", is_flag=True, help="Do not ask; required without a terminal to accept.")
@click.option(
    "--file",
    metavar="FILE",
    shell_complete=completion.files,
    help="With edit: read the new texts from this file (- for standard input).",
)
@opened
def review(
    mem: Mem,
    action: str,
    ids: tuple[str, ...],
    everything: bool,
    repository: bool,
    yes: bool,
    file: str | None,
) -> Answer:
    """Decide about text that waits for a person.

    That is text from outside (also notes, records and tickets), and, as a diff, changes proposed by learning
    that drop too much. Recall and search find it, labelled; it is not injected or recalled unasked until a
    person accepts it. All decisions can be undone, and refused text is not held a second time. The name of a
    session stands for all that was learned from it and waits.

    \b
    memolith review
    memolith review show 3fa9c1
    memolith review accept 3fa9c1
    memolith review refuse --all
    memolith review accept --repository
    memolith review edit 3fa9c1
    """
    if meant := {"reject": "refuse", "decline": "refuse", "rm": "refuse", "approve": "accept"}.get(action):
        raise InputError(f"unknown action {action!r}; did you mean {meant!r}?")
    common.choice(action, _ACTIONS, "action")
    if file is not None and action != "edit":
        raise InputError("--file belongs to `review edit`")
    if action == "list":
        if ids or everything or repository:
            raise InputError("`review list` takes no ID; use `show`, `accept` or `refuse` with it")
        return _list(mem.review.list())
    if not ids and not everything and not repository:
        raise InputError(f"which one? Give its ID or --all: memolith review {action} ID")
    chosen = _chosen(mem, ids, repository=repository)
    if action == "refuse" and not yes:
        _check_whole(mem, ids)
    if action == "show":
        shown = "\n\n".join(_describe(mem, held) for held in chosen) or "Nothing waits."
        return {"waiting": [_as_dict(mem, held) for held in chosen]}, shown
    if action == "edit":
        return _edit(mem, chosen, file)
    if repository and action == "accept" and chosen:
        return _accept_repository(mem, chosen, yes=yes)
    with Command(action, when=len(chosen) > 1):
        done = [_decide(mem, action, held, yes=yes) for held in chosen]
    text = "\n".join(f"{row['id']}: {row['message']}" for row in done) or "Nothing waits."
    return {"decided": done}, text


def _chosen(mem: Mem, ids: tuple[str, ...], *, repository: bool) -> list[Held]:
    if ids:
        found = {held.id: held for each in ids for held in mem.review.of(each)}
        return list(found.values())
    every = mem.review.list()
    came = [each for each in every if each.call == STORED and each.source.taint == "repository"]
    return came if repository else every


def _check_whole(mem: Mem, ids: tuple[str, ...]) -> None:
    """Ask before a text is refused of whose name only the beginning was given."""
    for given in ids:
        for held in mem.review.of(given):
            is_id = held.id.startswith(given) and len(given) >= _SHORT
            if not is_id and given != held.session and given.casefold() not in names(held):
                called = held.id if held.id.startswith(given) else held.arguments.get("title") or held.id
                short = f"{given!r} is only the beginning of {called!r}"
                common.agree(
                    f"Refuse {called}?", f"{short}; give all of it, or: memolith review refuse {held.id}"
                )


def _list(waiting: list[Held]) -> Answer:
    fields: dict[str, object] = {"waiting": [held.as_dict() for held in waiting]}
    if not waiting:
        return fields, "Nothing waits for review."
    rows = [(held.id, held.since, _what(held), str(held.source), _odd(held)) for held in waiting]
    table = Table(("id", "since", "text", "from", "look at"), rows, spare=("look at", "since", "from"))
    hint = "`memolith review show ID` has the text; `accept ID` or `refuse ID` decides"
    for session, count in Counter(filter(None, (held.session for held in waiting))).most_common(1):
        hint += f"; `accept {session}` takes all {count} from that session" if count > 1 else ""
    return fields, table, output.Note(hint)


def _what(held: Held) -> str:
    """Return what waits: its title, and its first line."""
    if held.is_proposal:
        return "a change of what was learned"
    given = (held.arguments.get(key) for key in ("title", "name", "section", "heading", "target"))
    title = next((str(each) for each in given if each), "")
    says = markdown.first_line(held.text.lstrip("# "), 60)
    is_made = title and says.startswith(title)  # then the text says it
    return says if is_made else ": ".join(filter(None, [title, says]))


def _odd(held: Held) -> str:
    """Return what a person should look at, besides that the text came from outside."""
    if held.is_proposal:
        more = len(held.reasons) - 1
        return (held.reasons or [""])[0] + (f" (+{more})" if more > 0 else "")
    return "; ".join(each.partition(":")[0] for each in held.reasons[1:])


def _as_dict(mem: Mem, held: Held) -> dict[str, object]:
    more = {"diff": mem.review.diff(held)} if held.call == PROPOSAL else {}
    return {**held.as_dict(), **more}


def _describe(mem: Mem, held: Held) -> str:
    reasons = "\n".join(f"  - {reason}" for reason in held.reasons)
    if held.call == PROPOSAL:
        changes = mem.review.diff(held) or "(no difference left)"
        return f"{held.id}  proposed {held.since}, source: {held.source}\nbecause it\n{reasons}\n{changes}"
    asked = ", ".join(f"{key} {value!r}" for key, value in held.arguments.items())
    where = f"in {held.filename}" if held.call == STORED else f"to become: {held.call} {asked}"
    where += f", learned from {held.session}" if held.session else ""
    text = "\n".join(f"  | {line}" for line in held.text.splitlines())
    return f"{held.id}  held {held.since}, source: {held.source}\n{where}\nbecause:\n{reasons}\ntext:\n{text}"


def _decide(mem: Mem, action: str, held: Held, *, yes: bool) -> dict[str, str]:
    if action == "refuse":
        mem.review.refuse(held.id)
        message = "refused" if whole.lost() else "refused; `memolith undo` restores it"
    else:
        if not yes:
            if common.attended():
                output.text(_describe(mem, held))
            common.agree(
                "Store this as memory?",
                f"a person must accept: run this in a terminal, or `memolith review accept {held.id} --yes`",
            )
        message = mem.review.accept(held.id)
    return {"id": held.id, "decision": action, "message": message}


def _accept_repository(mem: Mem, chosen: list[Held], *, yes: bool) -> Answer:
    """Accept what came with the repository at once, after a person has seen the files."""
    rows = [
        f"{held.filename}{'' if mem.review.is_safe(held) else '  (look at it: it may instruct)'}"
        for held in chosen
    ]
    if not yes:
        if common.attended():
            output.text("\n".join([*rows, "", "`memolith review show ID` has the text of each"]))
        common.agree(
            f"Accept these {len(chosen)}?", "a person must accept: run this in a terminal, or add --yes"
        )
    mem.review.accept_repository(chosen)
    decided = [{"id": held.id, "decision": "accept", "message": held.filename} for held in chosen]
    return {"decided": decided}, "\n".join([*(f"accepted {row}" for row in rows)])


def _edit(mem: Mem, chosen: list[Held], file: str | None) -> Answer:
    """Let a person change the texts of a proposal, in an editor or from a file."""
    if len(chosen) != 1 or chosen[0].call != PROPOSAL:
        raise InputError("`review edit` takes the ID of one proposal; accept or refuse other texts")
    if file is not None:
        text: str | None = common.file_text(file)
    elif common.attended():
        text = click.edit(chosen[0].text, extension=".md")
    else:
        raise InputError("no terminal to open an editor in; give the new texts with --file FILE")
    if text is None:
        raise click.exceptions.Exit(1)
    held = mem.review.edit(chosen[0].id, text)
    message = f"changed; `memolith review accept {held.id}` writes it"
    return {"edited": held.id, "message": message}, f"{held.id}: {message}"
