"""Which directories lead to which memory, and copying the memory of one project into another.

A copy replaces nothing, and the source stays.
"""

from __future__ import annotations

import os
from functools import partial

from memolith.base.errors import (
    InputError,
    MemolithError,
    NotFoundError,
    StorageError,
    TextError,
    TooLargeError,
    UnsafePathError,
)
from memolith.base.values import MAX_ACCEPT_BYTES, Value
from memolith.env.identity import Identity, is_gone
from memolith.env.paths import Tree
from memolith.env.project import PROJECTS, identities, read_identity, resolve
from memolith.memory import arguments, asked, note_index
from memolith.memory.document import MARKER, hand_written
from memolith.memory.entries import numbered
from memolith.memory.find import find
from memolith.memory.tidy import Tidied
from memolith.store import layout, registry, sharing
from memolith.store.allow_list import allowed
from memolith.store.files import EXACT, bytes_of, text_of
from memolith.store.screen import quoted, refuse_secret, screen, settled
from memolith.store.together import Command
from memolith.text import frontmatter, known_lines, markdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins

    from memolith.env.project import Project
    from memolith.memory.home import Home
    from memolith.store.sharing import Shared


class Skipped(Value):
    """A file that was not copied, and why; `failed` means a read error, so that a retry may help."""

    failed: bool
    path: str
    reason: str


class Known(Value):
    """A project that has a memory; it is `gone` if none of its directories exists any more."""

    gone: bool
    name: str
    notes: int
    off: bool  # a person switched memory off for it
    origins: list[str]
    paths: list[str]
    problem: str | None
    slug: str


class Projects:
    """All projects of a home. A path defaults to the directory of the current project."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._directory = os.path.join(home.store, PROJECTS)

    def get(self, slug: str) -> Identity:
        """Return the paths and the evidence of a project, as far as they are stored."""
        return read_identity(self._directory, slug) or Identity(slug, {})

    def list(self) -> builtins.list[Known]:
        """Return all projects that have a memory."""
        every = [self.get(slug) for slug in layout.projects(self._home.path)]
        return [
            Known(
                slug=each.slug,
                name=each.name,
                paths=each.paths,
                origins=each.origins,
                notes=len(note_index.note_files(self._home.store, each.slug)),
                off=each.is_off,
                gone=is_gone(each) and not self._home.identity.uses(each.slug),
                problem=each.problem,
            )
            for each in every
        ]

    def name(self, name: str | None = None) -> tuple[str, str]:
        """Name the project here, by default after its folder; a folder gets its subfolders with it.

        Returns the name and the path.
        """
        home = self._home
        found = home.identity
        place = found.place
        if not place:
            raise InputError(f"{found.notice.partition('; only')[0]}; go to the one that you mean")
        if name is not None:
            arguments.check_text(name, "NAME")
        called = markdown.same_line(name or "") or os.path.basename(place) or "root"
        refuse_secret(called, "name")
        if found.root:
            home.register()
        registry.name(home.gate, home.project if found.root else "", place, called)
        return called, place

    def switch(self, *, off: bool) -> str:
        """Switch memory off for the project here, or on again: what is kept of it stays."""
        self._home.register()
        registry.switch(self._home.gate, self._home.project, off=off)
        return self._home.project

    def find(self, text: str) -> str:
        """Return the slug that a person means: it, its beginning, a project's name or its directory."""
        known = self.list() if text.strip() else []
        where = os.path.realpath(os.path.expanduser(text)) if os.path.isdir(text) else ""
        ways = (
            [each.slug for each in known if each.slug == text],
            [each.slug for each in known if each.name.casefold() == text.casefold()],
            [each.slug for each in known if each.slug.startswith(text)],
            [each.slug for each in known if where in each.paths],
        )
        found = next(filter(None, ways), [])
        if len(found) > 1:
            raise InputError(f"{quoted(text)} may be {', '.join(found)}; give more of it")
        if not found:
            raise NotFoundError(f"no project {quoted(text)}; `memolith project list` shows them all")
        return found[0]

    def send(self, name: str, to: str) -> Tidied:
        """Move a note to another project, or to the `user`; `undo` takes it back as a whole."""
        home = self._home
        found = find(home, name, ("note",))
        if found.kind != "note":
            raise InputError(f"only notes can be moved, not {found.name}")
        slug = layout.USER if to == "user" else home.project
        if to not in ("user", "project"):
            slug = self._of_directory(to) if os.path.isdir(to) else self.find(to)
        text, name = _read(home.store, found.path), os.path.basename(found.path)
        goal, text = _free_name(home.store, layout.path(slug, "notes", name), text)
        if slug == layout.scope_of(found.path):
            raise InputError(f"{found.name} is there already")
        with Command("move"):
            if goal:
                home.gate.rewrite(goal, lambda _: text, op="move")
            gone = home.gate.rewrite(found.path, lambda _: None, op="move")
        back = "" if gone.lost else " (`memolith undo` brings it back)"
        message = f"Moved {found.name} to {slug or 'the notes for all projects'}{back}"
        file = goal or found.path
        return Tidied(kind="note", name=found.name, filename=file, message=message, warnings=gone.warnings)

    def link(self, slug: str, path: str | None = None) -> str:
        """Let a path use the memory of a project; return the path in full."""
        place, _ = self._at(path)
        if not os.path.isdir(place):
            swapped = f"the memory comes first: memolith project link {path} {slug}"
            known = os.path.isdir(slug) and path in {each.slug for each in self.list()}
            raise NotFoundError(f"{place}: no such directory; {swapped if known else 'check the path'}")
        registry.link(self._home.gate, self.find(slug), place)
        return place

    def unlink(self, path: str | None = None) -> tuple[str, builtins.list[str]]:
        """Detach a path from its memory; return it in full, and the projects that had it."""
        place, found = self._at(path)
        if found.known and found.root == place:  # other memories may list this path from an earlier project
            owners = [found.slug]
        else:
            owners = [each.slug for each in self._identities() if place in each.paths]
        if not owners:
            raise NotFoundError(f"{place}: no memory uses it; `memolith project list` shows all memories")
        for slug in owners:
            registry.unlink(self._home.gate, slug, place)
        if own := self.lent(place):
            registry.link(self._home.gate, own, place)
        return place, owners

    def lent(self, place: str) -> str:
        """Return the memory that a path had before a person linked it to another; empty if none."""
        return next((each.slug for each in self._identities() if place in each.lent), "")

    def removable(self, text: str) -> Known:
        """Return the project that a person means, if it is the one here or no directory uses it."""
        slug = self.find(text)
        found = next(each for each in self.list() if each.slug == slug)
        used, here = self.users(found), self._home.identity
        if used and not here.uses(slug) and slug != self._home.project:
            raise InputError(f"{used[0]} uses {slug}; delete it from there: add --project {used[0]}")
        return found

    def users(self, known: Known) -> builtins.list[str]:
        """Return the directories that use the memory of a project."""
        used, here = [path for path in known.paths if os.path.isdir(path)], self._home.identity
        if here.uses(known.slug):  # a repository that was moved, and has not been written from its new path
            used.append(here.root)
        return list(dict.fromkeys(used))

    def remove(self, text: str) -> str:
        """Delete all that is kept of a project, for good; return its slug. See `removable`."""
        from memolith.care.erase import drop_cache  # late: `list` and `show` need neither
        from memolith.learn.queue.queue import Queue

        slug, home = self.removable(text).slug, self._home
        with Queue(home.path, home.settings, home.now) as queue:
            queue.clear(slug)
        drop_cache(home.path)  # while the memory is there: it is deleted last, so that this can be repeated
        registry.remove(home.gate, home.path, slug)
        return slug

    def move(self, old: str, new: str) -> tuple[str, str, str]:
        """Replace a path by the one it moved to; return the project, and both paths in full."""
        before, after = os.path.abspath(os.path.expanduser(old)), self._at(new)[0]
        everything = self._identities()
        # Not resolved at first: the old path may be a link to the new one.
        if not any(before in each.paths for each in everything):
            before = os.path.realpath(before)
        owners = [each.slug for each in everything if before in each.paths]
        if not owners:
            raise NotFoundError(f"no memory knows {before}; `memolith project list` shows the paths")
        if len(owners) > 1:  # different repositories have been there over time
            raise InputError(
                f"{before} is known to {', '.join(owners)}; say which: `memolith project link SLUG {after}`"
            )
        if not os.path.isdir(after):
            raise NotFoundError(f"{after}: no such directory; move the folder first, or give its path now")
        registry.move(self._home.gate, owners[0], before, after)
        return owners[0], before, after

    def adopt(self, source: str) -> tuple[builtins.list[str], builtins.list[Skipped]]:
        """Copy the notes, records, tickets, logs, checklist and MEMORY.md of a project into the current one.

        A log or checklist that exists in both is appended, MEMORY.md is merged line by line, entries that
        differ get a new name; a value, or a file that an agent keeps, is not overwritten. Sessions, and what
        was learned from them, stay with `source`. Running it twice changes nothing. Returns the files that
        were written, and the source files that cannot be memory: links, special files, files that are too
        large.
        """
        home = self._home
        source = self.find(source)
        root, target = home.store, home.project
        if source == target:
            raise InputError(f"{source} is this project already")
        home.register()
        target = home.project  # registering may have changed it
        with Command("adopt"):
            return self._copied(root, source, target)

    def _copied(
        self, root: str, source: str, target: str
    ) -> tuple[builtins.list[str], builtins.list[Skipped]]:
        written: builtins.list[str] = []
        skipped: builtins.list[Skipped] = []
        asked_for = {layout.path(source, "records", each) for each in asked.names(Tree(root), source)}
        for relative in _texts(root, source):
            text = None
            try:
                text = _read(root, relative)
                if relative == layout.path(source, layout.MEMORY):
                    text = hand_written(text)  # the generated part is built again from the adopted memory
                is_asked = relative in asked_for
                if _is_learned(relative, text) and not is_asked:
                    continue
                goal = relative.replace(layout.path(source), layout.path(target), 1)
                brought = _bring(self._home, text, goal)
                for each in brought if is_asked else ():
                    asked.show(self._home, layout.locate(root, each))
                written += brought
            except MemolithError as error:
                if text is not None and not isinstance(error, UnsafePathError):
                    raise  # the source is not to blame
                reason = str(error).removeprefix(f"{layout.locate(root, relative)}: ")
                failed = isinstance(error, StorageError)
                skipped.append(Skipped(path=relative, reason=reason, failed=failed))
        return written, skipped

    def share(self) -> Shared:
        """Keep this project's own notes, records and tickets in its checkout from now on, in `.memolith/`.

        For a team: git carries them. What others put there waits for review; everything else, and what was
        learned or brought in, stays in the home.
        """
        home = self._home
        if home.identity.checkout is None:
            raise InputError("this project is no git repository; `git init` makes it one")
        home.register()
        return sharing.share(home.gate, home.path, home.project, home.identity.checkout.top)

    def unshare(self, *, gone: bool = False) -> Shared:
        """Copy what is in the checkout back into the home, and keep it there; the checkout stays as it is.

        `gone`: there is no checkout any more, so nothing is copied.
        """
        return sharing.unshare(self._home.gate, self._home.path, self._home.project, gone=gone)

    def shared(self) -> str:
        """Return the folder of the checkout that has this project's entries; empty if none has."""
        found = sharing.found(self._home.path, self._home.project)
        return found.path if found else ""

    def _identities(self) -> builtins.list[Identity]:
        return list(identities(self._directory, strict=True))

    def _of_directory(self, path: str) -> str:
        """Return the project of a directory, which may have no memory yet."""
        other = type(self._home).open(path, home=self._home.path)
        other.register()
        return other.project

    def _at(self, path: str | None) -> tuple[str, Project]:
        """Return the place at a path and its project."""
        if path is None:
            found = self._home.identity
            if not found.root:
                raise InputError("the working directory cannot be read; give a PATH")
            return found.root, found
        if not path.strip():
            raise InputError("PATH is empty; give a directory")
        place = os.path.realpath(os.path.expanduser(path))
        return place, resolve(self._home.store, place, self._home.settings.text("identity"))


def _texts(root: str, slug: str) -> list[str]:
    """Return the files that hold a project's memory, without the index of its notes, which is not copied."""
    tree, found = Tree(root), []
    for kind in layout.KINDS:
        path = layout.path(slug, kind.path)
        if kind.adopted and kind.is_file:
            found.append(path)
        elif kind.adopted and kind.path in ("memories", "records"):
            found += [f"{at}/{name}" for at, _, names in tree.walk(path) for name in names]
        elif kind.adopted:
            found += [f"{path}/{name}" for name in tree.names(path)]
    return [relative for relative in found if relative != layout.path(slug, layout.INDEX)]


def _read(root: str, relative: str) -> str:
    """Return a file of the source, ready to store: cleaned and masked if it is text."""
    data, size = Tree(root).read_part(relative, MAX_ACCEPT_BYTES)
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(f"has {size:,} bytes, more than the {MAX_ACCEPT_BYTES:,} of a memory; split it")
    try:
        return screen(data.decode(), allow=partial(allowed, root, layout.scope_of(relative)), by_hand=True)[0]
    except (UnicodeDecodeError, TextError):  # other bytes stay as they were
        return text_of(data, EXACT)


def _bring(home: Home, text: str, goal: str) -> list[str]:
    """Add a text to the file `goal`, or as an entry beside it; return the changed files."""
    kind = goal.removeprefix(layout.path(home.project) + "/").partition("/")[0]
    if kind in ("notes", "records", "tickets"):
        goal, text = _free_name(home.store, goal, text)
    if not text.strip() or not goal:
        return []
    by_line = goal == layout.path(home.project, layout.MEMORY)
    # An agent's file, or a value, is one piece: the existing one stays.
    whole = goal.startswith(tuple(layout.path(home.project, each) + "/" for each in ("items", "memories")))

    def merge(old: str | None) -> str:
        if old is None:
            return text
        if whole:
            return old
        new, _ = known_lines.drop(old, text) if by_line else (text, 0)
        if not new.strip() or _contains(old, new):
            return old
        return markdown.above(old, MARKER, lambda upper: markdown.append(upper, new))

    return [goal] if home.gate.rewrite(goal, merge, op="adopt").changed else []


def _contains(old: str, new: str) -> bool:
    """Whether `old` contains `new` as complete lines."""
    old, new = (each.replace("\r\n", "\n").rstrip("\n") for each in (old, new))
    return f"\n{new}\n" in f"\n{old}\n"


def _is_learned(relative: str, text: str) -> bool:
    """Whether a file is a record that was taken out of a session."""
    return "/records/" in relative and frontmatter.split(text).get("origin").startswith("extracted")


def _free_name(root: str, goal: str, text: str) -> tuple[str, str]:
    """Return a free name for a copied entry, and its text under it; no name if it is there already."""
    tree, allow = Tree(root), partial(allowed, root, layout.scope_of(goal))
    for name in (f"{each}.md" for each in numbered(goal.removesuffix(".md"))):
        if name != goal and frontmatter.split(text).get("id"):
            text = frontmatter.set_fields(text, {"id": os.path.basename(name)[:-3]})
        if tree.stat(name) is None:
            return name, text
        # The gate masks what it writes; the name of a note may say that a line of it is a secret.
        if tree.is_file(name) and tree.read(name) == bytes_of(settled("", text, allow, name=name)[0], None):
            break
    return "", text
