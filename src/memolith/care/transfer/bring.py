"""Importing another program's memory: planned first, then text by text through the gate.

    read the source → name each note, so that links can be mapped → each text is known, new, put beside a
    file with its name, merged line by line, or held for a person

Somebody else's text is labelled as imported, one's own is not. A note carries a short hash of its original
(`imported:` in its head), so that the next import recognises it wherever it is and however it was changed.
All changes of an import share one name in the history, and one `undo` reverts them.
"""

from __future__ import annotations

import contextlib
import os

from memolith.base.errors import InputError, MemolithError, NotFoundError
from memolith.base.values import MAX_WRITE_BYTES, Value
from memolith.care.transfer import sources, texts
from memolith.env import whose
from memolith.env.paths import Tree
from memolith.memory import note_index, notes, review
from memolith.memory.arguments import is_user_wide
from memolith.memory.document import MARKER, TEMPLATE
from memolith.store import files, layout, tombstones
from memolith.store.screen import quoted, refuse_secret
from memolith.store.together import numbered
from memolith.text import frontmatter, markdown, source_label
from memolith.text.digest import sha256
from memolith.text.secrets.redact import redact
from memolith.text.secrets.veil import cut
from memolith.text.yaml import YamlError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.care.transfer.sources import Item, Source
    from memolith.memory.home import Home

_KEY = "imported"
_HEAD = 4096
ACTIONS = ("new", "beside", "merged", "known", "held", "left out", "broken")


class Row(Value):
    """The result for one text: its path in the source, an action, where it is now, and a reason."""

    action: str
    path: str
    to: str
    why: str


class Imported(Value):
    """The result of an import, and the kind of its source."""

    kind: str
    path: str
    rows: list[Row]

    def count(self, action: str) -> int:
        """Return the number of texts with this action."""
        return sum(1 for row in self.rows if row.action == action)


def bring(
    home: Home,
    path: str | os.PathLike[str] | None,
    kind: str | None,
    scope: str | None,
    mine: bool | None,
    tell: Callable[[int, int], None] | None,
    *,
    dry_run: bool,
) -> Imported:
    """Import a file or folder of another program (see `import_memory`)."""
    if kind is not None and kind not in sources.KINDS:
        raise InputError(f"unknown kind {quoted(kind)}; one of {', '.join(sources.KINDS)}")
    if path is None:
        kind = kind or "claude-memory"
        path = sources.find(home, kind, os.environ)
    path = os.fspath(path)
    if not os.path.exists(path):
        raise NotFoundError(f"{quoted(path)}: there is no such file or folder; check the path")
    if os.path.realpath(path).startswith(os.path.join(os.path.realpath(home.path), "")):
        raise InputError(f"{quoted(path)} is this memory itself; to copy it, use memolith export")
    path = _inside(path, kind)
    if link := whose.link_on_the_way(path):
        raise InputError(f"{quoted(link)} is a symbolic link, which is not followed; name its target")
    own = sources.is_mine(path, os.environ) if mine is None else mine
    alone = not own and bool(whose.checkout(path))
    given = scope or ("project" if alone else None)
    source = sources.Source(
        path, kind, lambda kind: _scope(home, given, kind, dry_run=dry_run), alone=alone, ours=home.path
    )
    by = "user" if home.source.origin == "user" else "agent"
    # One's own words need no label: the history names the import, and who made it.
    giver = home.from_source(by) if own else home.from_source("imported", source.taint or None)
    giver.gate.by_hand = False  # no line in a file opts out of masking
    return _Run(giver, source, dry_run=dry_run).go(tell)


def _inside(path: str, kind: str | None) -> str:
    """Return where the memory of a zerostack folder is: from above, all its projects would be this one."""
    if kind not in (None, "zerostack"):
        return path
    places = [os.path.join(path, *below) for below in ((), ("memory",), ("agent", "memory"))]
    memory = next((each for each in places if _has(each, "projects", layout.SCRATCHPAD)), path)
    if (
        kind
        and os.path.isdir(memory)
        and not _has(memory, "projects", layout.SCRATCHPAD, layout.MEMORY, "notes", "daily")
    ):
        raise InputError(
            f"{quoted(path)}: no memory of zerostack, which has MEMORY.md, projects or notes; "
            "name the folder that has them, or say with --from what this is"
        )
    if memory != path and kind is None:
        raise InputError(
            f"{quoted(path)}: the folder above a memory with projects of its own; name {quoted(memory)}, "
            "or say with --from what it is: --from markdown makes all of it notes of this project"
        )
    return memory


def _has(folder: str, *names: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, each)) for each in names)


def _scope(home: Home, scope: str | None, kind: str, *, dry_run: bool) -> str:
    if is_user_wide(scope or ("user" if kind in sources.USER_WIDE else "project")):
        return layout.USER
    if not dry_run:
        home.register()  # before the slug is used: registering may find that it is taken
    return home.project


class _Run:
    """One import."""

    def __init__(self, home: Home, source: Source, *, dry_run: bool) -> None:
        self._source, self._dry_run, self._from = source, dry_run, home.source
        slugs = sorted({item.scope for item in source.items})
        self._mems = {slug: home.of_project(slug or home.project) for slug in slugs}
        self._gate = home.gate
        self._gone = tombstones.known(home.gate.root)
        self._op = numbered("import", os.urandom(3).hex())
        self._rows = [_row(path, "left out", why=why) for path, why in source.left]
        self._names: dict[str, texts.Names] = {}
        self._known: dict[str, dict[str, str]] = {}
        self._refused: set[str] = set()
        self._links: dict[str, dict[str, str]] = {}
        self._titles: dict[str, dict[str, str]] = {}
        self._plan: list[tuple[Item, str]] = []

    def go(self, tell: Callable[[int, int], None] | None) -> Imported:
        for slug in self._mems:
            self._look_around(slug)
        for item in self._source.items:
            self._attempt(item, self._name)
        for slug, titles in self._titles.items():
            self._links[slug] = titles | self._links[slug]
        for number, (item, name) in enumerate(self._plan, 1):
            self._attempt(item, lambda item, name=name: self._put(item, name))  # type: ignore[misc]
            if tell:
                tell(number, len(self._plan))
        return Imported(kind=self._source.kind, path=self._source.path, rows=self._rows)

    def _attempt(self, item: Item, step: Callable[[Item], None]) -> None:
        """Do one step; a text that fails is reported, and the rest continues."""
        try:
            step(item)
        except MemolithError as error:
            self._row(item, "broken", why=str(error))
        except OSError as error:
            self._row(item, "broken", why=f"cannot be read ({error.strerror or error})")

    def _row(self, item: Item, action: str, to: str = "", why: str = "") -> None:
        path = f"{item.path}#{item.section}" if item.section else item.path
        self._rows.append(_row(path, action, to, why))

    # ------------------------------------------------------------ names, before anything is written

    def _look_around(self, slug: str) -> None:
        """Find out which notes a scope has, the marks of imported ones, and what was refused."""
        tree = Tree(self._gate.root)
        directory = layout.path(slug, "notes")
        present = [name[:-3] for name in note_index.note_files(self._gate.root, slug)]
        self._names[slug] = texts.Names(present)
        self._known[slug] = known = {}
        for name in present:
            with contextlib.suppress(MemolithError):
                head = files.text_of(tree.read_part(f"{directory}/{name}.md", _HEAD)[0])
                if f"\n{_KEY}:" in head and (mark := frontmatter.split(head).get(_KEY)):
                    known[mark] = name
        if self._from.outside:
            home = self._mems[slug]
            past = (path for path in self._gate.history.files(slug) if path.startswith(f"{directory}/"))
            self._refused |= {_mark_of(text) for path in past for text in review.refused(home, path)}

    def _name(self, item: Item) -> None:
        """Choose the name of a note; all other texts go where their kind says."""
        if item.becomes != "note":
            self._plan.append((item, ""))
            return
        text, _ = self._source.read(item)
        if not text.strip():
            self._row(item, "left out", why="empty")
            return
        if _mark(item, text) in self._refused:
            self._row(item, "left out", why="a person refused this text before")
            return
        taken = self._names[item.scope]
        wanted = texts.wanted(item.path if not item.section else "", item.name)
        known = self._known[item.scope].get(_mark(item, text))
        name = known or taken.holder(wanted[0])
        there = layout.path(item.scope, "notes", f"{name}.md")
        if name is not None and (known or self._text(there) == text):
            self._row(item, "known", to=there)
        else:
            name = taken.take(taken.free(*wanted, f"{wanted[0][:100]}-imported"))
            self._plan.append((item, name))
        bare = item.path.rpartition(".")[0]
        for number, called in enumerate([bare, os.path.basename(bare), *_titles(text)]):
            # The name of a note's file takes precedence over a title in another note.
            links = self._links if number < 2 else self._titles
            links.setdefault(item.scope, {}).setdefault(called.lower(), name)

    def _text(self, relative: str) -> str | None:
        there = Tree(self._gate.root).read(relative, cut=True)
        return None if there is None else files.text_of(there)

    # ------------------------------------------------------------ text by text

    def _put(self, item: Item, name: str) -> None:
        given, time = self._source.read(item)
        text = tombstones.left_out(given, self._gone)
        if given.strip() and not text.strip():
            self._row(item, "left out", why="all of it was forgotten")
            return
        put = {"note": self._put_note, "skill": self._put_skill}.get(item.becomes, self._put_lines)
        # The hash of the whole original, by which the next import recognises the result.
        put(item, name, text, time, _mark(item, given))

    def _put_note(self, item: Item, name: str, text: str, time: int, mark: str) -> None:
        text = _with_head(texts.relinked(text, item.path, self._links[item.scope]), mark, item)
        self._create(item, layout.note(item.scope, name), name, text, time)

    def _put_skill(self, item: Item, _: str, text: str, time: int, mark: str) -> None:
        refuse_secret(item.name, "name")
        name = texts.note_name(item.name)
        directory = layout.path(item.scope, "skills")
        text = _with_head(text, mark, None)
        for number in ("", "-imported", "-imported-2", "-imported-3"):
            relative = f"{directory}/{name}{number}/SKILL.md"
            there = Tree(self._gate.root).read_part(relative, _HEAD)[0]
            if not there:
                self._create(item, relative, f"skill-{name}", text, time)
                return
            if frontmatter.split(files.text_of(there)).get(_KEY) == _mark_of(text):
                self._row(item, "known", to=relative)
                return
        self._row(item, "left out", why=f"there are several skills called {name} already")

    def _create(self, item: Item, relative: str, name: str, text: str, time: int) -> None:
        """Write a text to a new file; text from outside waits there for review."""
        beside = item.becomes == "note" and name != texts.note_name(item.name)
        if self._dry_run:
            self._row(item, "beside" if beside else "new", to=relative)
            return

        apply = source_label.stamped(lambda _, new: new, self._from, is_note=True)
        with self._gate.scope(item.scope):
            change = self._gate.change(relative, text, apply, op=self._op, if_sha256=sha256(None))
            _keep_time(self._gate.root, relative, time)
        self._row(item, "beside" if beside else "new", to=relative, why="; ".join(change.warnings))

    def _put_lines(self, item: Item, _: str, text: str, time: int, _mark_of_it: str) -> None:
        """Merge a text into its document, checklist or day, section by section."""
        if item.becomes == "daily":
            relative = layout.daily(item.scope, item.name)
        else:
            page = layout.MEMORY if item.becomes == "document" else layout.SCRATCHPAD
            relative = layout.path(item.scope, page)
        text = source_label.own(text.removeprefix("\ufeff").replace("\r\n", "\n"))
        if self._dry_run and self._from.outside:
            self._row(item, "held", why="it waits for review")
            return
        kept = text if self._dry_run else self._not_held(item, text)
        if not kept.strip():
            return

        def apply(old: str | None, new: str) -> str | None:
            base = "" if old is None or old == TEMPLATE else old
            done = markdown.above(base, MARKER, lambda upper: texts.merged(upper, new))
            return old if done == base else done

        if self._dry_run:
            there = Tree(self._gate.root).read(relative)
            old = None if there is None else files.text_of(there, files.EXACT)
            same = apply(old, kept) == old
            self._row(item, "known" if same else "new" if old is None else "merged", to=relative)
            return
        with self._gate.scope(item.scope):
            change = self._gate.change(relative, kept, apply, op=self._op)
            if change.before is None:
                _keep_time(self._gate.root, relative, time)
        action = "known" if not change.changed else "new" if change.before is None else "merged"
        self._row(item, action, to=relative, why="; ".join(change.warnings))

    def _not_held(self, item: Item, text: str) -> str:
        """Return the sections of a text that need no review: none if it is from outside."""
        asked = {"target": "note", "mode": "append", "name": f"imported-{item.becomes}", "scope": "project"}
        if item.becomes == "document" and not item.scope:
            asked = {"target": "long_term", "mode": "append"}
        elif item.becomes == "checklist":
            asked = {"target": "scratchpad", "mode": "append"}
        parts = [("", frontmatter.split(text).head), *sources.sections(text)]
        return "".join(
            part for title, part in parts if not part.strip() or not self._is_held(item, part, asked, title)
        )

    def _is_held(self, item: Item, text: str, asked: dict[str, str], title: str) -> bool:
        home = self._mems[item.scope]
        for part in _parts(text):
            held = review.hold(home, "write", part, asked, user_wide=not item.scope, op=self._op)
            if held is None:
                return False
            where = f"{title}: " if title else ""
            to = os.path.relpath(held.filename, self._gate.root)
            self._row(item, "held", to=to, why="; ".join([f"{where}{held.message}", *held.warnings]))
        return True


def _parts(text: str) -> list[str]:
    """Split a text into parts of whole lines that fit into the review; mask secrets that span parts first."""
    if len(text.encode("utf-8", "surrogatepass")) < MAX_WRITE_BYTES:
        return [text]
    parts, room = [""], 0
    for line in redact(text).text.splitlines(keepends=True):
        size = len(line.encode("utf-8", "surrogatepass"))
        if room < size and parts[-1]:
            parts.append("")
        room = MAX_WRITE_BYTES - 1 - size if not parts[-1] else room - size
        parts[-1] += line
    return parts


def _row(path: str, action: str, to: str = "", why: str = "") -> Row:
    """Return a row, masked: other people's file names may be secrets."""
    return Row(path=redact(path).text, action=action, to=to, why=redact(why).text)


def _mark(item: Item, text: str) -> str:
    """Return the hash by which a note is recognised: of its original path and text."""
    return sha256(f"{item.path}\0{item.section}\0{text}".encode("utf-8", "surrogatepass"))[:12]


def _mark_of(text: str) -> str:
    return frontmatter.split(text).get(_KEY)


def _with_head(text: str, mark: str, item: Item | None) -> str:
    """Return a note with its mark, and with a title if only its file name had one."""
    fields = {_KEY: mark}
    head = frontmatter.split(text)
    if item is not None and not (head.get("name") or head.get("title") or markdown.heading_title(head.body)):
        fields["name"] = cut(markdown.same_line(item.section or item.name), notes.MAX_TITLE) or "Untitled"
    try:
        return frontmatter.set_fields(text, fields)
    except YamlError:
        return frontmatter.compose(dict(fields), text)  # a head that cannot be parsed stays as text


def _titles(text: str) -> list[str]:
    """Return the names that a note gives itself."""
    head = frontmatter.split(text)
    named = [head.get(key) for key in ("name", "title", "permalink")]
    return [each for each in [*named, *head.items("aliases"), *head.items("alias")] if each]


def _keep_time(root: str, relative: str, time: int) -> None:
    with contextlib.suppress(OSError, MemolithError):
        files.set_time(Tree(root).place(relative), time)
