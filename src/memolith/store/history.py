"""Versions: the state of a file before each change that removed something.

Terms. A *version* is the state before one change. It is a file under
`history/<path of the memory file>/`; everything about it is in its name:

    000012.20261115T223001123456Z.edit.full.-         the bytes before an edit
    000013.20261115T223105000211Z.append.cut812-9f2c….-   the file was 812 bytes long before an append
    000014.20261115T223212500120Z.create.absent.-     there was no file
    000015.20261115T224001000000Z.undo.full.u12       the bytes before undoing change 12 (redo: u15)
    000016.20261115T224502000000Z.edit@agent.full.-   whose text the change brought, where that is known
    000017.20261115T225000000000Z.edit.forgotten.-    `forget` removed all that the version held

Beside them, `written.<hash>` has the bytes that memolith wrote last (`written.absent`: it removed the file).
Where the file says something else, a person saved or deleted it, which becomes a version, too: `save@hand`;
and so does a file of which there is nothing here, and which does not have our mark.

An append removes nothing, so no bytes are stored for it; the length is enough to undo it as long as the
file still ends in the appended text (checked by hash).
"""

from __future__ import annotations

import contextlib
import os
import time

from memolith.base.errors import HistoryError, MemolithError, UnsafePathError
from memolith.base.values import Version
from memolith.env.paths import Place, Tree
from memolith.store import files, layout
from memolith.store.allow_list import allowed
from memolith.store.together import is_part
from memolith.store.version import Entry, stamp
from memolith.text.digest import sha256
from memolith.text.secrets.redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator


_MARKERS_KEPT = 50
REDO = "redo"
_FORGOTTEN = "forgotten"
# Versions found, not created by a change: restored only when asked for by number.
_MEANWHILE = "meanwhile"  # written while a person had the file open: their editor may overwrite it
_FOUND = frozenset(["conflict", _MEANWHILE, "open-elsewhere", "unfinished"])
WRITTEN, _ABSENT = "written.", "absent"
BY_HAND = "hand"
_OPENED = "opened-by-"  # a file in the history directory of what a person has open
_AGE = 86_400.0  # seconds after which such a file was left by a crash


class History:
    """The versions of all files of a home. Callers hold the lock of the file's scope."""

    def __init__(
        self, directory: str, now: Callable[[], float], versions: int, days: float, by: str = ""
    ) -> None:
        self._tree, self._now, self._by = Tree(directory), now, by
        self._versions, self._days = versions, days

    def entries(self, relative: str) -> list[Entry]:
        """Return the versions of a file, oldest first."""
        try:
            names = self._tree.folder(relative).names()
        except (FileNotFoundError, UnsafePathError):
            return []
        found = []
        for name in names:
            # Subdirectories are other files' histories; anything else is not ours.
            try:
                found.append(Entry(name))
            except ValueError:
                continue
        return sorted(found, key=lambda entry: entry.id)

    def keep(self, relative: str, source: Place, op: str, undoes: int | None = None) -> None:
        """Move the file `source`, which holds the bytes before a change, into the history."""
        veiled = self._veiled(relative, source, undoes)
        with self._adding(relative, op, "full", undoes) as target:
            moved = not veiled and source.folder.label is None  # else it, too, must say whose it was
            try:
                if moved:
                    files.rename(source, target)
            except OSError:
                moved = False
            if not moved:
                files.write_new(target, veiled or source.read() or b"")
                files.unlink(source)
            files.sync_directory(target.folder)

    def _veiled(self, relative: str, source: Place, undoes: int | None) -> bytes | None:
        """Return the text of a change by hand that is taken back, if it has a secret: masked."""
        if not undoes or not any((undoes, BY_HAND) == (each.id, each.by) for each in self.entries(relative)):
            return None
        data = source.read() or b""
        store = os.path.join(os.path.dirname(self._tree.root), layout.STORE)
        allow = allowed(store, layout.scope_of(relative))
        found = redact(files.text_of(data, files.EXACT), allow, by_hand=True)
        return files.bytes_of(found.text, data) if found.findings else None

    def keep_copy(self, relative: str, data: bytes, op: str, undoes: int | None = None) -> None:
        """Store the bytes before a change."""
        with self._adding(relative, op, "full", undoes) as target:
            files.write_new(target, data)
            files.sync_directory(target.folder)

    def mark(
        self, relative: str, op: str, before: bytes | None, after: str, undoes: int | None = None
    ) -> None:
        """Record a change that removed nothing: the bytes before it (None: no file) are the beginning.

        Not synced: after a power loss the change itself stands, only its undo may be lost.
        """
        state = _ABSENT if before is None else f"cut{len(before)}-{after[:16]}"
        with self._adding(relative, op, state, undoes) as target:
            os.close(os.open(target.at, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=target.fd))

    def names(self, relative: str) -> list[str]:
        """Return all that is kept of a file, by name; nothing where there can be no history."""
        with contextlib.suppress(OSError, MemolithError):
            return self._tree.names(relative, "")
        return []

    def wrote(self, relative: str, data: bytes | None, over: str = "", *, clean: bool = False) -> None:
        """Remember what memolith wrote last, in place of the copy `over`; not a secret that a person typed.

        `clean`: there is none. Not synced: whatever is torn is not believed.
        """
        with contextlib.suppress(OSError, MemolithError):
            folder = files.make_folder(self._tree, relative)
            files.unlink(Place(folder, over)) if over else self.unwrite(relative)
            if clean or not data or not redact(files.text_of(data)).findings:
                files.write_new(Place(folder, _copy(data)), data or b"", sync=False)

    def unwrite(self, relative: str) -> None:
        """Forget what memolith wrote last, for others write the file from now on, such as git."""
        for name in self.names(relative):
            if name.startswith(WRITTEN):
                files.unlink(self._tree.place(f"{relative}/{name}"))

    def notice(
        self,
        relative: str,
        now: bytes | None,
        place: Place | None = None,
        names: list[str] | None = None,
        gone: Collection[str] = (),
    ) -> str:
        """Make what a person saved or deleted by hand a change of its own; `place` has their file.

        Returns the name of the copy if the file is as it was written. `names` is what is kept of the file,
        `gone` the copies of files that are not there any more.
        """
        with contextlib.suppress(OSError, MemolithError):  # a write goes on
            names = self.names(relative) if names is None else names
            if place and not names and (_copy(now) in gone or not place.is_marked()):
                self._note_hand(relative, None, now, place)  # they made it, or gave it this name
            copies = [each for each in names if each.startswith(WRITTEN)]
            if copies == [_copy(now)]:
                return copies[0]
            if len(copies) != 1 or self._is_open(relative, names):
                return ""  # an archive may bring another; `edit` notes itself what a person did
            was = None if copies == [_copy(None)] else self._tree.read(f"{relative}/{copies[0]}") or b""
            if copies == [_copy(was)]:  # else torn
                self._note_hand(relative, was, now, place)
        return ""

    def removed(self, relative: str) -> str:
        """Return what memolith removed a file with, such as `delete`; empty if it wrote the file last."""
        gone = _copy(None) in self.names(relative)
        return self.entries(relative)[-1].op.partition("-")[0] if gone else ""

    def _note_hand(self, relative: str, was: bytes | None, now: bytes | None, place: Place | None) -> None:
        last, at = max((each.stamp for each in self.entries(relative)), default=""), self._now()
        found = place.stat() if place else None
        if place and found:
            # A file that was moved here is older than that; the gate has moved what it hands over itself.
            came = was is None and relative.endswith(f"/{place.name}")
            saved = found.st_ctime if came else found.st_mtime
            at = saved if last < stamp(saved) < stamp(at) else at
        theirs = History(self._tree.root, lambda: at, self._versions, self._days, BY_HAND)
        op = "delete" if now is None else "save"
        # With a secret it has a version all the same: what its undo keeps has another hash.
        grown = now is not None and was is not None and now.startswith(was)
        if was is None or (grown and not redact(files.text_of(now or b"")).findings):
            theirs.mark(relative, op, was, sha256(now))
        else:
            theirs.keep_copy(relative, was, op)
        self.wrote(relative, now)

    @contextlib.contextmanager
    def opened(self, relative: str) -> Iterator[Callable[[], bytes | None]]:
        """Have what is written kept while a person has a file open; what this yields returns the newest."""
        last = max((entry.id for entry in self.entries(relative)), default=0)
        name = f"{_OPENED}{os.getpid()}-{time.monotonic_ns()}"
        note = Place(files.make_folder(self._tree, relative), name)
        os.close(os.open(note.at, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=note.fd))

        def newest() -> bytes | None:
            found = [each for each in self.entries(relative) if each.op == _MEANWHILE and each.id > last]
            return self._tree.read(f"{relative}/{found[-1].name}") if found else None

        try:
            yield newest
        finally:
            files.unlink(note)
            if not self._is_open(relative, self.names(relative)):
                self._drop_meanwhile(relative)

    def keep_meanwhile(self, relative: str, data: bytes | None, names: list[str]) -> None:
        """Keep what was just written if a person has the file open, according to what is kept of it."""
        if data and self._is_open(relative, names):
            self._drop_meanwhile(relative)
            self.keep_copy(relative, data, _MEANWHILE)

    def _is_open(self, relative: str, names: list[str]) -> bool:
        notes = [name for name in names if name.startswith(_OPENED)]
        found = (self._tree.stat(f"{relative}/{name}") for name in notes)
        return any(each is not None and time.time() - each.st_mtime < _AGE for each in found)

    def _drop_meanwhile(self, relative: str) -> None:
        for entry in self.entries(relative):
            if entry.op == _MEANWHILE:
                files.unlink(self._tree.place(f"{relative}/{entry.name}"))

    def state_before(
        self, relative: str, entry: Entry, current: bytes | None, *, since: bool = False
    ) -> bytes | None:
        """Return the file's bytes before the change `entry`, and all `since`; None if there was no file."""
        for each in reversed(self.standing(relative) if since else ()):
            if each.id > entry.id:
                current = self.state_before(relative, each, current)
        if entry.stored:
            return self._tree.read(f"{relative}/{entry.name}")
        if entry.before == _ABSENT:
            return None
        if entry.before == _FORGOTTEN:
            raise HistoryError(f"{relative}: what version {entry.id} said was forgotten")
        length, _, after = entry.before[3:].partition("-")
        if current is None or not sha256(current).startswith(after):
            raise HistoryError(
                f"{relative}: has changed since version {entry.id}, which was an append; "
                "edit the file by hand, or restore an older version with --to"
            )
        return current[: int(length)]

    def to_undo(self, relative: str, version: int | None) -> Entry:
        """Return the change to undo: the given one, or the newest not yet undone."""
        entries = self.entries(relative)
        if version is not None:
            for entry in entries:
                if entry.id == version:
                    return entry
            known = ", ".join(str(entry.id) for entry in entries) or "none"
            raise HistoryError(f"{relative}: no version {version}; there are: {known}")
        if not (standing := self.standing(relative)):
            raise HistoryError(f"{relative}: nothing to undo")
        if standing[-1].before == _FORGOTTEN:
            raise HistoryError(f"{relative}: nothing to undo; what it said before was forgotten")
        first = last = standing.pop()
        while standing and is_part(last.op) and standing[-1].op == last.op:
            first = standing.pop()  # one command changed the file several times
        return first

    def standing(self, relative: str) -> list[Entry]:
        """Return the changes that no undo took back, oldest first; `--to` took back several."""
        found: list[Entry] = []
        before: dict[int | None, list[Entry]] = {}
        for entry in self.entries(relative):
            before[entry.id] = found
            if entry.op in ("undo", REDO):  # the state before a change is back, and what stood then
                found = before.get(entry.undoes, [each for each in found if each.id < (entry.undoes or 0)])
            elif entry.op not in _FOUND:
                found = [*found, entry]
        return found

    def states(
        self, relative: str, now: bytes | None
    ) -> Iterator[tuple[Entry, tuple[bytes | None, bytes | None] | None]]:
        """Yield each change, newest first, with the bytes before and after it; None if they are not known."""
        after, known = now, True
        for entry in reversed(self.entries(relative)):
            try:
                before = self.state_before(relative, entry, after if known else b"")
            except HistoryError:  # somebody edited the file by hand in between, or it was forgotten
                yield entry, None
                known = False
                continue
            yield entry, (before, after) if known else None
            after, known = before, True

    def follow(self, relative: str, former: str) -> None:
        """Give the versions of a renamed file numbers that it did not have under its former name."""
        entries, before = self.entries(relative), self.entries(former)
        if relative == former or not entries or not before:
            return
        last, number = entries[-1], max(entries[-1].id, before[-1].id + 1)
        folder = self._tree.folder(relative)
        with contextlib.suppress(OSError):
            name = f"{number:06d}.{last.name.partition('.')[2]}"
            files.rename(Place(folder, last.name), Place(folder, name))

    def drop(self, relative: str) -> None:
        """Remove the versions of a file for good."""
        self.unwrite(relative)
        for entry in self.entries(relative):
            files.unlink(self._tree.place(f"{relative}/{entry.name}"))

    def blank(self, place: Place) -> None:
        """Note in a version's name that all it held was forgotten: an empty file is no version."""
        name = place.name.replace(".full.", f".{_FORGOTTEN}.")
        files.rename(place, Place(place.folder, name))

    def to_redo(self, relative: str) -> Entry:
        """Return the undo to take back: the newest that is not yet redone, if nothing was changed since."""
        entries = self.entries(relative)
        redone = {entry.undoes for entry in entries if entry.op == REDO}
        for entry in reversed(entries):
            if entry.op == "undo" and entry.id not in redone:
                return entry
            if entry.op not in ("undo", REDO, *_FOUND):
                break
        raise HistoryError(f"{relative}: nothing to redo")

    def undone_by(self, relative: str, undo: Entry) -> str:
        """Return what the history calls the change that an undo took back."""
        return next((entry.op for entry in self.entries(relative) if entry.id == undo.undoes), "")

    def versions(self, *names: str, markers: bool = False) -> list[Version]:
        """Return the versions of files for showing, newest first."""
        rows = [(entry, name) for name in names for entry in reversed(self.entries(name))]
        if len(names) > 1:
            rows.sort(key=lambda row: (row[0].stamp, row[0].id), reverse=True)
        result = []
        for entry, relative in rows:
            if not (entry.stored or markers):
                continue
            found = self._tree.stat(f"{relative}/{entry.name}") if entry.stored else None
            result.append(
                Version(
                    filename=relative,
                    id=entry.id,
                    op=entry.op,
                    by=entry.by,
                    size=found.st_size if found else None,
                    time=entry.time,
                    undoes=entry.undoes,
                )
            )
        return result

    def read(self, relative: str, version: int) -> bytes:
        """Return the stored bytes of a version."""
        entry = self.to_undo(relative, version)
        if not entry.stored:
            why = "nothing was there before it" if entry.before == "absent" else "its change only added"
            later = [each.id for each in self.entries(relative) if each.stored]
            hint = f"`memolith history {relative} {later[0]}` prints one" if later else "none has"
            raise HistoryError(f"{relative}: version {version} has no text, {why}; {hint}")
        return self._tree.read(f"{relative}/{entry.name}") or b""

    def files(self, scope: str) -> Iterator[str]:
        """Yield the files of a scope that have a history."""
        for directory, below, names in self._tree.walk(layout.path(scope)):
            if scope == layout.USER and not directory and "projects" in below:
                below.remove("projects")
            if any(name[:1].isdigit() for name in names):
                yield directory

    @contextlib.contextmanager
    def _adding(self, relative: str, op: str, before: str, undoes: int | None) -> Iterator[Place]:
        """Yield the place for a new version; then prune old ones."""
        folder = files.make_folder(self._tree, relative)
        entries = self.entries(relative)
        number = entries[-1].id + 1 if entries else 1
        undo = f"u{undoes}" if undoes is not None else "-"
        who = f"@{self._by}" if self._by and op not in _FOUND else ""
        name = f"{number:06d}.{stamp(self._now())}.{op}{who}.{before}.{undo}"
        yield Place(folder, name)
        entries.append(Entry(name))
        full = [entry for entry in entries if entry.stored]
        markers = [entry for entry in entries if not entry.stored]
        oldest = stamp(self._now() - self._days * 86_400)
        drop = full[: -self._versions] if self._versions else full[:-1]
        drop += [entry for entry in full[-self._versions : -1] if entry.stamp < oldest]
        # Undo cannot go past a pruned version: a marker before it (such as "there was no file") would undo
        # more than one change.
        gone = max((entry.id for entry in drop), default=0)
        drop += [entry for entry in markers if entry.id < gone]
        drop += markers[:-_MARKERS_KEPT]
        for entry in drop:
            with contextlib.suppress(FileNotFoundError):
                files.unlink(Place(folder, entry.name))


def _copy(data: bytes | None) -> str:
    """Return the name of the copy of what was written."""
    return WRITTEN + (_ABSENT if data is None else sha256(data)[:16])
