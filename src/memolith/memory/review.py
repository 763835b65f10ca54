"""Text from outside waits for a person, whatever it says; until then it is only shown on request, labelled.

Text that agents would see unasked (in MEMORY.md, the checklist, a day, a lesson), or that would replace the
user's own words, becomes a Markdown file in `inbox/` of its scope: the intended call in the frontmatter, the
text below. Its name is a hash of the request, so the same text is held once, and a decision about it is
remembered. Text with a file of its own (a note, a record, a ticket) waits there. A person accepts, refuses or
edits it; each can be undone.
"""

from __future__ import annotations

import time

from memolith.base.errors import ConflictError, MemolithError
from memolith.base.values import MAX_WRITE_BYTES, Source, Value, WriteResult
from memolith.env.mount import ACCEPTED, OWN, REFUSED, key_of
from memolith.env.paths import Tree
from memolith.store import files, layout, repository
from memolith.store.allow_list import allowed
from memolith.store.entry import Entry
from memolith.store.screen import screen, together
from memolith.text import frontmatter, source_label
from memolith.text.digest import sha256
from memolith.text.suspicion import suspicions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memolith.memory.home import Home
    from memolith.store.version import Entry as Version
    from memolith.text.yaml import Node

    Argument = str | list[str] | None

# The calls of `Mem` that store text: which parameter is the text, and their other parameters.
CALLS = {
    "write": ("content", ("target", "mode", "name", "scope")),
    "edit": ("new_str", ("target", "old_str", "name", "scope")),
    "append_daily": ("body", ("heading",)),
    "remember": ("content", ("title", "kind", "scope")),
    "update": ("content", ("mode",)),
    "update_section": ("text", ("section",)),
    "lessons.add": ("text", ()),
    "records.update": ("text", ("number", "title", "scope")),
}
# Kinds that wait in files of their own: accepting one is a word in its head.
STORED = "stored"
_WORDS = {"accept": ACCEPTED, "refuse": REFUSED}
_DECIDED = (
    "# What came with the repository, by SHA-256: `memolith review` writes this, `memolith undo` reverts it"
)
_ID = 16  # digits of an id: enough to rule out collisions
# Arguments that are shown with the text later, and may contain instructions too.
_SHOWN = ("title", "heading", "section", "name", "aliases", "keywords")


class Held(Value):
    """A text that waits: the intended call, its source, and why it was held."""

    arguments: dict[str, str | list[str]]
    call: str
    filename: str
    id: str
    reasons: list[str]
    session: str  # the name of the one that it was learned from, if it was
    since: str
    source: Source
    text: str

    @property
    def is_proposal(self) -> bool:
        """Whether learning proposes it as a change of earlier results."""
        return self.call == layout.PROPOSAL

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name, ready for JSON."""
        return {**super().as_dict(), **self.source.as_dict(), "source": str(self.source)}


def hold(
    home: Home,
    call: str,
    text: str,
    arguments: Mapping[str, Argument],
    *,
    user_wide: bool,
    op: str = "hold",
    apart: str = "",
) -> WriteResult | None:
    """Hold a text for review if it is from outside, else return None; also for a file `apart` of its own.

    `op` names the change in the history, so that undoing an import also removes what it held.
    """
    is_alone = bool(apart) and is_apart(home, apart)
    if not home.source.outside or (is_alone and not was_refused(home, apart, text)):
        return None
    if not user_wide:
        home.register()
    slug = layout.USER if user_wide else home.project
    root = home.store
    asked = {key: value for key, value in arguments.items() if value}
    given, text, warnings = together(asked, text, lambda: allowed(root, slug))
    text, more = screen(text, MAX_WRITE_BYTES, lambda: allowed(root, slug))
    shown = [given[key] for key in _SHOWN if key in given]
    lines = [each if isinstance(each, str) else "\n".join(each) for each in shown]
    found = suspicions("\n\n".join([*lines, text]))
    held_id = content_id(call, repr(given), text)
    relative = layout.path(slug, "inbox", f"{held_id}.md")
    reasons = [_reason(home.source), *(f"{each.rule}: {each.why} ({each.quote!r})" for each in found)]
    with home.gate.scope(slug):
        decided = "refuse" if is_alone else decision(home, relative)
        head: dict[str, Node] = {
            "call": call,
            "arguments": dict(given),  # type: ignore[arg-type]
            **home.source.as_dict(),  # type: ignore[dict-item]
            "since": home.today,
            "reasons": list(dict.fromkeys(reasons)),
        }
        if not decided:
            home.gate.change(relative, text, lambda _, text: frontmatter.compose(head, text), op=op)
    why = "; ".join(dict.fromkeys([_reason(home.source), *(each.why for each in found)]))
    message = f"Held for review as {held_id}, not stored as memory: {why}. A person decides: memolith review"
    if decided:
        word = "refused" if decided == "refuse" else "accepted"
        message = f"Nothing was written: a person {word} this text before ({held_id})"
    return WriteResult(
        filename=layout.locate(home.store, relative),
        held=held_id if not decided else None,
        message=message,
        warnings=[*warnings, *more],
    )


def content_id(*parts: str) -> str:
    """Return the id of a text that waits: a hash of its parts."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass"))[:_ID]


def _reason(source: Source) -> str:
    return f"it came from outside ({source})"


def is_apart(home: Home, relative: str) -> bool:
    """Whether a file has none of the user's own words: it does not exist, or is all from outside."""
    head = files.text_of(Tree(home.store).read_part(relative, MAX_WRITE_BYTES)[0])
    return not head or source_label.is_outside(source_label.of_note(head))


def decision(home: Home, relative: str) -> str:
    """Return a person's last decision about a text: `accept`, `refuse` or nothing."""
    return next((_of(entry) for entry in _decisions(home, relative)), "")


def _of(entry: Version) -> str:
    return entry.op.partition("-")[0]


def _decisions(home: Home, relative: str) -> list[Version]:
    entries = home.gate.history.entries(relative)
    undone = {entry.undoes for entry in entries}
    return [each for each in entries[::-1] if _of(each) in ("accept", "refuse") and each.id not in undone]


def refused(home: Home, relative: str) -> Iterator[str]:
    """Yield the texts that a person refused in files of their own."""
    for entry in _decisions(home, relative):
        if _of(entry) == "refuse" and entry.stored:
            yield files.text_of(home.gate.history.read(relative, entry.id))


def was_refused(home: Home, relative: str, text: str) -> bool:
    """Whether a person refused a text before, alone or among other lines; both are compared masked."""
    if not decision(home, relative):
        return False
    lines = set(screen(text)[0].split("\n")) - {""}
    return any(lines <= set(before.split("\n")) for before in refused(home, relative))


def waiting(home: Home) -> list[Held]:
    """Return what waits for a person in this project and user-wide, oldest first."""
    found = [
        held
        for slug in (layout.USER, home.project)
        for name in Tree(home.store).listed(layout.path(slug, "inbox"))
        if (held := _read(home, layout.path(slug, "inbox", name))) is not None
    ]
    found += [held for slug in dict.fromkeys((layout.USER, home.project)) for held in _stored(home, slug)]
    return sorted(found, key=lambda held: (held.since, held.filename))


def _read(home: Home, relative: str) -> Held | None:
    """Return a held text; None if the file is not one."""
    data = Tree(home.store).read(relative)
    parsed = frontmatter.split(files.text_of(data or b""))
    call = parsed.get("call")
    arguments, reasons = parsed.fields.get("arguments"), parsed.fields.get("reasons")
    takes = ("base",) if call == layout.PROPOSAL else CALLS[call][1] if call in CALLS else None
    if takes is None:
        return None
    known = arguments.items() if isinstance(arguments, dict) else ()
    return Held(
        id=relative.rpartition("/")[2].removesuffix(".md"),
        filename=relative,
        call=call,
        arguments={key: _argument(value) for key, value in known if key in takes},
        source=Source(parsed.get("origin"), parsed.get("taint")),
        session="",
        since=parsed.get("since"),
        reasons=[str(reason) for reason in reasons] if isinstance(reasons, list) else [],
        text=parsed.body,
    )


def decide(home: Home, held: Held, change: Callable[[str | None], str | None], op: str) -> None:
    """Apply a person's decision to the file in which a text waits.

    ConflictError if the text has changed: the decision was not about that.
    """

    def checked(old: str | None) -> str | None:
        if held.call == STORED and (now := content_id(held.filename, old or "")) != held.id:
            raise ConflictError(held.filename, held.id, now)
        return change(old)

    home.gate.rewrite(held.filename, checked, op=op)


def decided(home: Home, waiting: Iterable[Held], op: str) -> list[Held]:
    """Write down a person's decision about entries that came with the repository; return the others.

    Their files stay as they are: they are others', too. The same content is not asked about again, on
    whichever branch. ConflictError if one has changed: the decision was not about that.
    """
    rows: dict[str, str] = {}
    others = []
    tree = Tree(home.store)
    for held in waiting:
        mount = repository.mount_of(tree, held.filename) if held.call == STORED else None
        place = tree.place(held.filename) if mount else None
        raw = place.read(raw=True) if place and place.folder.label else None
        if mount is None or place is None or raw is None or mount.state(raw) == OWN:
            others.append(held)  # its own head says it
            continue
        if (now := content_id(held.filename, files.text_of(place.shown(raw)))) != held.id:
            raise ConflictError(held.filename, held.id, now)
        name = held.filename.removeprefix(f"{layout.path(mount.slug)}/")
        rows[key_of(raw)] = f"{_WORDS[op]} {key_of(raw)} {name}"
    if rows:

        def listed(old: str | None) -> str:
            kept = [
                row
                for row in (old or _DECIDED).splitlines()
                if row.split(" ")[1:2] not in [[key] for key in rows]
            ]
            return "\n".join([*kept, *rows.values(), ""])

        home.gate.rewrite(layout.path(home.project, layout.ACCEPTED), listed, op=op)
    return others


def _stored(home: Home, slug: str) -> Iterator[Held]:
    """Yield the notes, records and tickets of a scope that are from outside."""
    tree = Tree(home.store)
    paths: list[tuple[str, str]] = []
    directories = [("note", layout.path(slug, "notes"))]
    directories += [("record", layout.path(slug, "records", each)) for each in layout.CATEGORIES]
    for kind, directory in [*directories, ("ticket", layout.path(slug, "tickets"))]:
        names = tree.listed(directory)
        paths += [(kind, f"{directory}/{name}") for name in names if name != layout.MEMORY]
    for kind, path in paths:
        try:
            text, about = files.text_of(tree.read(path) or b""), tree.stat(path)
        except MemolithError:
            continue  # `doctor` reports it
        if about is None or not source_label.is_outside(source_label.of_note(text)):
            continue
        mount = repository.mount_of(tree, path)
        if mount and mount.state(tree.place(path).read(raw=True) or b"") == REFUSED:
            continue
        entry = Entry(kind, path.rpartition("/")[2], text)
        source = Source(*entry.origin.split(", "))
        yield Held(
            id=content_id(path, text),
            filename=path,
            call=STORED,
            arguments={"title": entry.title},
            session=entry.parsed.get("source").partition("#")[0] if source.origin == "extracted" else "",
            source=source,
            since=time.strftime("%Y-%m-%d", time.localtime(about.st_mtime)),
            reasons=[f"it came with the repository: {path}" if mount else _reason(source)],
            text=entry.parsed.body,
        )


def _argument(value: Node) -> str | list[str]:
    return value if isinstance(value, str) else [each for each in value if isinstance(each, str)]
