"""Texts that wait for a person: from a source we do not trust, and worded like an instruction.

Each is a Markdown file in `inbox/` of its scope: in the frontmatter what was to be done with it and why it
was stopped, the text below. Nothing in `inbox/` is injected, searched or recalled. A file's name is the hash
of what is asked, so the same text is held once, and what a person decided about it stays decided.
"""

from __future__ import annotations

from memolith.errors import InputError, NotFoundError
from memolith.model import MAX_WRITE_BYTES, Source, Value, WriteResult
from memolith.places import Tree
from memolith.store import files, layout
from memolith.store.screening import quoted
from memolith.text import frontmatter
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.mem import Mem
    from memolith.text.miniyaml import Node

    Argument = str | list[str] | None

# The calls of `Mem` that bring text: which parameter is the text, and which others they take.
CALLS = {
    "write": ("content", ("target", "mode", "name", "scope")),
    "edit": ("new_str", ("target", "old_str", "name", "scope")),
    "append_daily": ("body", ("heading",)),
    "remember": ("content", ("title", "kind", "scope")),
    "update": ("content", ("mode",)),
    "update_section": ("text", ("section",)),
    "lessons.add": ("text", ()),
    "records.add": (
        "text",
        ("category", "scope", "title", "aliases", "keywords", "supersedes", "source", "expires"),
    ),
    "records.update": ("text", ("number", "title", "scope")),
    "tickets.add": ("description", ("title", "number", "type", "priority", "status")),
    "tickets.update": ("description", ("number", "title")),
    "tickets.note": ("text", ("number",)),
}
# What a consolidation would write, waiting to be decided about (`learn.waiting`).
PROPOSAL = "consolidate"
# What is shown with the text later, and may instruct as well.
_SHOWN = ("title", "heading", "section", "name", "aliases", "keywords")


class Held(Value):
    """A text that waits: what was to be done with it, where it came from, and why it was stopped."""

    __slots__ = ("arguments", "call", "filename", "id", "reasons", "since", "source", "text")
    arguments: dict[str, str | list[str]]
    call: str
    filename: str
    id: str
    reasons: list[str]
    since: str
    source: Source
    text: str

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {**super().as_dict(), **self.source.as_dict(), "source": str(self.source)}


def hold(
    mem: Mem, call: str, text: str, arguments: Mapping[str, Argument], *, user_wide: bool, op: str = "hold"
) -> WriteResult | None:
    """Keep a text for review if nobody we trust wrote it and it reads like an instruction, else None.

    `op` names the change in the history: an import takes back what it had held, too.
    """
    if mem.source.trusted or mem.reviewed:
        return None
    from memolith.store.allowing import allowed
    from memolith.store.screening import screen
    from memolith.text.instructions import suspicions

    if not user_wide:
        mem.register()
    slug = layout.USER if user_wide else mem.project
    root = str(mem.root)
    given = {
        key: screen(value)[0] if isinstance(value, str) else [screen(each)[0] for each in value]
        for key, value in arguments.items()
        if value
    }
    text, warnings = screen(text, MAX_WRITE_BYTES, lambda: allowed(root, slug))
    shown = [given[key] for key in _SHOWN if key in given]
    lines = [each if isinstance(each, str) else "\n".join(each) for each in shown]
    found = suspicions("\n\n".join([*lines, text]))
    if not found:
        return None
    number = sha256("\0".join([call, repr(given), text]).encode("utf-8", "surrogatepass"))[:8]
    relative = layout.held(slug, number)
    reasons = list(dict.fromkeys(f"{each.rule}: {each.why} ({each.quote!r})" for each in found))
    with mem.gate.scope(slug):
        decided = decision(mem, relative)
        if decided == "accept":
            return None
        head: dict[str, Node] = {
            "call": call,
            "arguments": dict(given),  # type: ignore[arg-type]
            **mem.source.as_dict(),  # type: ignore[dict-item]
            "since": mem.today,
            "reasons": list(reasons),
        }
        if decided != "refuse":
            mem.gate.change(relative, text, lambda _, text: frontmatter.compose(head, text), op=op)
    why = "; ".join(dict.fromkeys(each.why for each in found))
    message = f"Held for review as {number}, not stored as memory: {why}. A person decides: memolith review"
    if decided == "refuse":
        message = f"Nothing was written: a person refused this text before ({number})"
    return WriteResult(
        filename=layout.locate(str(mem.root), relative),
        bytes=0,
        held=number,
        message=message,
        sha256="",
        skipped=0,
        warnings=warnings,
    )


def decision(mem: Mem, relative: str) -> str:
    """Return what a person last decided about a text: `accept`, `refuse` or nothing."""
    entries = mem.gate.history.entries(relative)
    undone = {entry.undoes for entry in entries}
    for entry in reversed(entries):
        if entry.op in ("accept", "refuse") and entry.id not in undone:
            return entry.op
    return ""


def waiting(mem: Mem) -> list[Held]:
    """Return what waits for a person in this project and user-wide, oldest first."""
    found = [
        held
        for slug in (layout.USER, mem.project)
        for name in Tree(str(mem.root)).names(layout.inbox(slug))
        if (held := _read(mem, f"{layout.inbox(slug)}/{name}")) is not None
    ]
    return sorted(found, key=lambda held: (held.since, held.filename))


def find(mem: Mem, number: str) -> Held:
    """Return what waits under a number, which may be shortened. NotFoundError, or InputError if ambiguous."""
    found = [held for held in waiting(mem) if number and held.id.startswith(number)]
    if not found:
        raise NotFoundError(f"nothing waits under {quoted(number)}; `memolith review` shows what does")
    if len(found) > 1:
        raise InputError(f"{number!r} is short for {', '.join(held.id for held in found)}; give more of it")
    return found[0]


def _read(mem: Mem, relative: str) -> Held | None:
    """Return a held text; None for what is not one."""
    data = Tree(str(mem.root)).read(relative)
    parsed = frontmatter.split(files.text_of(data or b""))
    call = parsed.get("call")
    arguments, reasons = parsed.fields.get("arguments"), parsed.fields.get("reasons")
    takes = ("base",) if call == PROPOSAL else CALLS[call][1] if call in CALLS else None
    if takes is None:
        return None
    known = arguments.items() if isinstance(arguments, dict) else ()
    return Held(
        id=relative.rpartition("/")[2].removesuffix(".md"),
        filename=relative,
        call=call,
        arguments={key: _argument(value) for key, value in known if key in takes},
        source=Source(origin=parsed.get("origin"), taint=parsed.get("taint")),
        since=parsed.get("since"),
        reasons=[str(reason) for reason in reasons] if isinstance(reasons, list) else [],
        text=parsed.body,
    )


def _argument(value: Node) -> str | list[str]:
    return value if isinstance(value, str) else [each for each in value if isinstance(each, str)]
