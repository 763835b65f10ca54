"""Writing, reading and editing the targets: MEMORY.md, scratchpad, daily log, notes.

Each function checks the caller's arguments, holds text from outside for review, and writes the rest through
the gate.
"""

from __future__ import annotations

from memolith.base.errors import InputError, MatchError
from memolith.base.values import MAX_WRITE_BYTES, MODES, NOTE_KINDS, TARGETS, WriteResult
from memolith.env.paths import Tree
from memolith.memory import arguments, daily
from memolith.store import files, layout
from memolith.store.screen import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memolith.index import Unit
    from memolith.memory.addresses import Resource
    from memolith.memory.home import Home
    from memolith.memory.nearby import Near
    from memolith.store.gate import Change

_WRITABLE = "give one of long_term, scratchpad, daily, note, or the address of one"


def write(
    home: Home,
    target: str,
    content: str,
    mode: str = "append",
    name: str | None = None,
    *,
    force: bool = False,
    if_sha256: str | None = None,
    scope: str = "project",
) -> WriteResult:
    """Store `content`; it is on disk when this returns. Dropping half of MEMORY.md needs `force`."""
    where, name, scope = meant(home, target, name, scope)
    how = arguments.one_of(mode, MODES, "mode")
    if where == "note":
        arguments.check_name(name, content)
    elif where == "daily":
        arguments.check_day(name, home.today)
    arguments.check_text(content, empty=how == "overwrite")
    asked = {"target": where, "mode": how, "name": name, "scope": scope}
    if held := _held(home, "write", content, asked, where):
        return held
    _prepare(home, where, scope)
    relative = _locate(home, where, name if where == "note" else None, scope)
    skipped = 0

    def apply(old: str | None, text: str) -> str | None:
        nonlocal skipped
        if where == "long_term":
            new, skipped = _of_document(old, text, how, force=force)
            return old if skipped and new == (old or "") else new
        from memolith.text import markdown

        return text if how == "overwrite" else markdown.append(old or "", text)

    op = "write" if how == "append" else "overwrite"
    change = _change(home, relative, content, apply, op=op, if_sha256=if_sha256)
    return _result(home, change, skipped)


def _of_document(old: str | None, text: str, how: str, *, force: bool) -> tuple[str, int]:
    """Return MEMORY.md with a text added, or instead of it, and how many lines it had already."""
    from memolith.memory import document

    if how == "append":
        return document.add(old or "", text)
    if not force:
        document.guard(old or "", text, layout.MEMORY)
    return text, 0


def read(
    home: Home,
    source: str = "long_term",
    name: str | None = None,
    *,
    offset: int = 0,
    lines: int | None = None,
    scope: str = "project",
) -> str:
    """Return a file's text, at most 32 KiB; `(empty)` if it does not exist."""
    text = look(home, source, name, scope=scope).text
    shown = arguments.page(text, offset, lines)
    return shown if text.strip() else arguments.EMPTY


def look(home: Home, source: str, name: str | None = None, *, scope: str = "project") -> Resource:
    """Return the whole content of a target, or of a place in any form in which memory shows it."""
    from memolith.memory import addresses

    if source not in TARGETS:
        return addresses.resolve(home, addresses.named(home, source))
    return addresses.of_file(home, _locate(home, source, name, scope))


def meant(home: Home, target: str, name: str | None, scope: str) -> tuple[str, str | None, str]:
    """Return the target, name and scope that a target, or an address of one, stands for."""
    if target in TARGETS:
        return arguments.target(target), name, scope
    from memolith.memory import addresses

    slug, parts = addresses.meant(home, addresses.named(home, target, TARGETS))
    kind, own = (parts[0], parts[-1].removesuffix(".md")) if parts else ("", "")
    scope = "project" if slug else "user"
    for where, is_it in (
        ("long_term", parts == (layout.MEMORY,) and not slug),
        ("scratchpad", parts == (layout.SCRATCHPAD,)),
        ("daily", kind == "daily" and len(parts) == 2),
        ("note", kind == "notes" and len(parts) == 2),
    ):
        if is_it:
            return where, own if where in ("daily", "note") else None, scope
    raise InputError(f"{quoted(target)} can be read, but not written; {_WRITABLE}")


def edit(
    home: Home,
    target: str,
    old_str: str | None = None,
    new_str: str = "",
    name: str | None = None,
    *,
    if_sha256: str | None = None,
    scope: str = "project",
) -> WriteResult:
    """Replace the one occurrence of `old_str` with `new_str`; without `old_str`, delete a note."""
    where, name, scope = meant(home, target, name, scope)
    arguments.check_text(new_str, "new_str", empty=True)
    relative = _locate(home, where, name, scope)
    if old_str is None:
        if where != "note":
            raise InputError(f"which text of {where}? Give old_str (CLI: --old TEXT)")
        from memolith.memory import notes

        change = notes.delete(home.gate, relative, if_sha256)
        return _result(home, change, message=f"Deleted {relative}{arguments.way_back(change)}")
    apply = arguments.replacement(relative, old_str)
    if Tree(home.store).stat(relative) is None:
        raise MatchError(relative, 0)  # before anything is created
    asked = {"target": where, "old_str": old_str, "name": name, "scope": scope}
    if held := _held(home, "edit", new_str, asked, where):
        return held
    if where == "note":
        from memolith.memory import notes
        from memolith.text import source_label

        def label(apply: notes.Apply) -> notes.Apply:
            return source_label.stamped(apply, home.source, is_note=True, op="edit")

        change = notes.edited(home.gate, relative, new_str, old_str, label, if_sha256=if_sha256)
    else:
        change = _change(home, relative, new_str, apply, op="edit", if_sha256=if_sha256)
    return _result(home, change)


def append_daily(home: Home, heading: str, body: str) -> WriteResult:
    """Add a timestamped entry to today's log."""
    arguments.check_text(heading, "heading")
    arguments.check_text(body, "body", empty=True)
    if held := _held(home, "append_daily", body, {"heading": heading}, "daily"):
        return held
    from memolith.memory.entries import screened

    given, body, warnings = screened(home.gate, home.project, {"heading": heading}, body)
    entry = daily.entry(home.now(), str(given["heading"]), body)
    _prepare(home, "daily", "project")
    file = layout.daily(home.project, home.today)
    change = _change(home, file, entry, daily.add, op="write", cap=None)  # what was given fits
    change.warnings[:0] = warnings
    return _result(home, change)


def remember(
    home: Home,
    content: str,
    title: str | None = None,
    kind: str | None = None,
    *,
    scope: str = "project",
    instead: Unit | None = None,
) -> WriteResult:
    """Store one fact as a note; the same title replaces the note, and a title made from the text does not.

    So does another value for the same thing, if that is certain or a person says so (`instead`): it goes into
    the note that has the old one.
    """
    from memolith.memory import nearby, notes

    if kind is not None:
        kind = arguments.one_of(notes.KIND_ALIASES.get(kind, kind), NOTE_KINDS, "kind")
    notes.check(content, title)
    slug = home.scope(scope, register=True)
    is_named = title is not None
    title = notes.title_for(home.gate, slug, content) if title is None else title
    asked = {"title": title, "kind": kind or "project", "scope": scope}
    name = notes.name_for(home.gate, slug, title) if home.source.outside else None
    if held := _held(home, "remember", content, asked, "note", name):
        return held
    near = nearby.Near() if instead else nearby.rivals(home, slug, content, title, is_named=is_named)
    if near.again and not is_named:
        if kind in (None, nearby.kind_of(home, near.again)):
            return _known(home, near.again)
        near.sure = near.again  # it is of another kind from now on
    old = instead or near.sure
    if old and not instead and is_named and nearby.are_numbered(old.title, title):
        near.sure, near.others, old = None, [old, *near.others], None  # numbered by hand: `Port 1`, `Port 2`
    # A title that was made from the old words would still say them.
    called = title if old is None or notes.is_made_from(old.title, old.text or "") else old.title
    place = old.path if old else None
    change = notes.remember(home.gate, slug, content, called, kind, home.source, place)
    message = _remembered(change, old, near) if change.changed else None
    if message and home.source.outside:
        message += "; no agent sees it unasked before you accept it: `memolith review`"
    return _result(home, change, message=message)


def _known(home: Home, again: Unit) -> WriteResult:
    """Return that a note says it already."""
    where = f"“{again.title}” ({layout.shown(again.path)})"
    message = f"Nothing was written: {where} says so already; with a title of its own it becomes another note"
    return WriteResult(filename=layout.locate(home.store, again.path), message=message, warnings=[])


def _remembered(change: Change, old: Unit | None, near: Near) -> str:
    """Return what a person reads: what was kept, instead of what, and what it stands beside."""
    from memolith.memory import notes

    done = "Replaced" if change.before else "Remembered"
    said = " ".join((old.text or "").split()) if old else ""
    more = [f"instead of “{said}”"] if said else []
    more += ["`memolith undo` brings the old text back"] if change.before and not change.lost else []
    more += [near.told()] if near.told() and not old else []
    where = "; ".join([layout.shown(change.relative), *more])
    return f"{done} “{notes.shown_title(change)}” ({where})"


def update(
    home: Home,
    content: str,
    mode: str | None = None,
    force: bool = False,
    *,
    action: str | None = None,
    if_sha256: str | None = None,
) -> WriteResult:
    """Append to MEMORY.md, or rewrite it; a rewrite that drops more than half of it needs `force`."""
    from memolith.memory import document

    arguments.check_text(content)
    chosen = arguments.either(mode, action)
    mode = arguments.one_of("append" if chosen is None else chosen, ("append", "rewrite"), "mode")
    if held := _held(home, "update", content, {"mode": mode}, "long_term"):
        return held
    skipped = 0

    def apply(old: str | None, text: str) -> str | None:
        nonlocal skipped
        base = document.TEMPLATE if old is None and mode == "append" else old
        new, skipped = _of_document(base, text, mode, force=force)
        return old if new == base else new

    op = "write" if mode == "append" else "rewrite"
    change = _change(home, layout.MEMORY, content, apply, op=op, if_sha256=if_sha256)
    return _result(home, change, skipped)


def update_section(home: Home, section: str, text: str, *, if_sha256: str | None = None) -> WriteResult:
    """Replace one section of MEMORY.md and date it; all other bytes stay. A new section is created."""
    from memolith.memory import document

    arguments.check_text(section, "section", empty=True)
    arguments.check_text(text, empty=True)
    apply, warnings, made = document.section_setter(section, home.today)
    if held := _held(home, "update_section", text, {"section": section}, "long_term"):
        return held
    change = _change(home, layout.MEMORY, text, apply, op="section", if_sha256=if_sha256)
    change.warnings[:0] = warnings
    result = _result(home, change)
    return result.but(message=f"{result.message} (a new section, “{made[0]}”)") if made else result


def _held(
    home: Home, call: str, text: str, asked: Mapping[str, str | None], where: str, name: str | None = None
) -> WriteResult | None:
    """Hold a text for review instead of writing it, if it is from outside and agents would see it unasked."""
    if not home.source.outside:
        return None
    from memolith.memory.review import hold

    scope = asked.get("scope") or "project"
    _prepare(home, where, scope)
    user_wide = where == "long_term" or (where == "note" and not home.scope(scope))
    apart = _locate(home, where, name or asked.get("name"), scope) if where == "note" else ""
    return hold(home, call, text, asked, user_wide=user_wide, apart=apart)


def _change(
    home: Home,
    relative: str,
    content: str,
    apply: Callable[[str | None, str], str | None],
    *,
    op: str,
    if_sha256: str | None = None,
    cap: int | None = MAX_WRITE_BYTES,
) -> Change:
    is_note = layout.is_note(relative)
    from memolith.memory import notes
    from memolith.text import source_label

    apply = source_label.stamped(apply, home.source, is_note=is_note, op=op)
    if relative == layout.MEMORY:
        apply = _dated(apply, home.today, as_given=op == "overwrite")
    if is_note:
        return notes.write(home.gate, relative, content, apply, op=op, if_sha256=if_sha256)

    def change() -> Change:
        return home.gate.change(relative, content, apply, op=op, if_sha256=if_sha256, cap=cap)

    if relative == layout.MEMORY:
        from memolith.memory.document import kept_small

        return kept_small(home, change)
    return change()


def _dated(
    apply: Callable[[str | None, str], str | None], today: str, *, as_given: bool
) -> Callable[[str | None, str], str | None]:
    """Return a change of MEMORY.md that also dates the sections it changes."""
    from memolith.text import markdown

    def with_dates(old: str | None, text: str) -> str | None:
        new = apply(old, text)
        return new if new is None or new == old else markdown.dated(old or "", new, today, as_given=as_given)

    return with_dates


def _result(home: Home, change: Change, skipped: int = 0, message: str | None = None) -> WriteResult:
    if change.after and change.after.startswith(b"---") and home.source.trusted:
        from memolith.text.source_label import waits

        change.warnings.extend(waits(files.text_of(change.after)))
    return reply(home.store, change, skipped, message)


def reply(store: str, change: Change, skipped: int, message: str | None) -> WriteResult:
    """Describe a change: bytes written, where, and what was omitted or masked."""
    from memolith.text.budget import plural

    path = layout.locate(store, change.relative)
    before, after = change.before or b"", change.after or b""
    size = len(after) - len(before) if after.startswith(before) else change.written
    if message is None and not change.changed:
        size = 0
        why = plural(skipped, "duplicate line") if skipped else "it says so already"
        message = f"Nothing was written to {path}: {why}"
    elif message is None:
        message = f"Wrote {plural(size, 'byte')} to {path}" + (
            f" ({plural(skipped, 'duplicate line')} skipped)" if skipped else ""
        )
    return WriteResult(
        filename=path,
        bytes=size,
        warnings=change.warnings,
        sha256=change.sha256,
        skipped=skipped,
        message=message,
    )


def _prepare(home: Home, target: str, scope: str) -> None:
    # Before any path is built: registering may find that the slug is taken.
    if target != "long_term" and (target != "note" or home.scope(scope)):
        home.register()


def _locate(home: Home, target: str, name: str | None, scope: str) -> str:
    if target == "note":
        if slug := home.scope(scope):
            home.check_project()
        return layout.find_note(home.store, slug, name)
    if target == "long_term":
        return layout.MEMORY
    home.check_project()
    if target == "scratchpad":
        return layout.path(home.project, layout.SCRATCHPAD)
    return layout.daily(home.project, name.strip() if name else home.today)
