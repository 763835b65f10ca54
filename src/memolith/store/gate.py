"""The one write path. Every change to a memory file goes through `Gate.change`.

    lock of the scope → read → precondition → clean and scan the new text → apply → scan the lines it touches
    → temporary file, synced → exchange with the real one → look at what came out → … → history → return

Acknowledged means durable: when `change` returns, the new bytes survive a power loss.
A change is a pure function from old text to new text. If a person saved the file meanwhile, the function is
applied again to their text, so neither side loses anything; a caller that requires a certain state
(`if_sha256`) gets a ConflictError instead, and the person's save stays.
"""

from __future__ import annotations

import contextlib
import os
import time
from _thread import get_ident
from functools import partial

from memolith.base import whole
from memolith.base.errors import ConflictError, MemolithError, StorageError
from memolith.env.paths import Place, Tree
from memolith.store import files, ignore, layout, repository, temporary, together, writeset
from memolith.store.allow_list import allowed
from memolith.store.history import History
from memolith.store.locks import locked
from memolith.store.screen import screen, settled
from memolith.text.digest import sha256
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memolith.env.settings import Settings
    from memolith.store.temporary import Out
    from memolith.store.writeset import Committed, Edit

    # From the text before (None: no file) to the text after (None: no file).
    Apply = Callable[[str | None], str | None]

# How long to wait for a program that is saving the file in place.
_SAVE_SECONDS, _MAX_ROUNDS = 1.0, 100
_VERBATIM = ("overwrite", "rewrite")  # these changes leave nothing of the file, not even its mark


class Change:
    """The result of a change: the bytes before and after, and warnings for the caller.

    `written` is the size of the new text as stored; `lost`: the old one could not be put into the history.
    """

    __slots__ = ("after", "before", "lost", "relative", "warnings", "written")

    def __init__(self, relative: str, before: bytes | None, after: bytes | None, warnings: list[str]) -> None:
        self.relative, self.before, self.after = relative, before, after
        self.warnings, self.written, self.lost = warnings, 0, False

    @property
    def changed(self) -> bool:
        """Whether the file changed."""
        return self.before != self.after

    @property
    def sha256(self) -> str:
        """The content hash of the file afterwards."""
        return sha256(self.after)


class Gate:
    """The write path of one home."""

    def __init__(
        self, home: str, settings: Settings, now: Callable[[], float], by: str = "", *, by_hand: bool = False
    ) -> None:
        self.root = os.path.join(home, layout.STORE)
        self._home, self._settings, self._now, self._by = home, settings, now, by
        self.by_hand = by_hand  # then lines may opt out of masking
        self._is_private = False  # whether it was made sure that git ignores the home
        self._held: dict[int, str] = {}  # per thread, so that threads exclude each other too

    @property
    def history(self) -> History:
        """The versions kept by this gate."""
        return History(
            os.path.join(self._home, "history"),
            self._now,
            int(self._settings.number("history.versions")),
            self._settings.number("history.days"),
            self._by,
        )

    @contextlib.contextmanager
    def scope(self, slug: str, seconds: float | None = None) -> Iterator[None]:
        """Hold the lock of a scope for several changes that belong together; wait for it for `seconds`."""
        me = get_ident()
        if self._held.get(me) == slug:
            yield
            return
        if me in self._held:
            raise RuntimeError("locks of two scopes at once can deadlock")
        tree = Tree(self.root)
        tree.check(layout.path(slug, layout.STAGED))  # a link in its place must not be followed
        if not self._is_private:
            ignore.keep_out(self._home)
            self._is_private = True
        wait = self._settings.number("lock.seconds") if seconds is None else seconds
        with locked(self._home, slug or "user", wait):
            self._held[me] = slug
            try:
                if temporary.recover(tree, slug, self.history):
                    self._finish_set(slug)
                del tree  # a traceback would hold the directories open
                yield
            finally:
                del self._held[me]

    def catch_up(self, slug: str) -> None:
        """Finish a set of changes that a crash interrupted, for a reader: never waits, never fails."""
        if get_ident() not in self._held:
            with contextlib.suppress(MemolithError, OSError), self.scope(slug, 0):
                pass

    def change(
        self,
        relative: str,
        text: str,
        apply: Callable[[str | None, str], str | None],
        *,
        op: str,
        if_sha256: str | None = None,
        remember: bool = True,
        cap: int | None = None,
    ) -> Change:
        """Change a file with new text: `apply(old, text)` returns the file's text afterwards.

        The text is checked, cleaned, masked and cut to `cap` before `apply` sees it. `op` names the change
        in the history (`remember=False`: none is kept), `if_sha256` is the precondition.
        """
        allow = partial(allowed, self.root, layout.scope_of(relative))
        text, warnings = screen(text, cap, allow, by_hand=self.by_hand)

        def applied(old: str | None) -> str | None:
            new = apply(old, text)
            # Not even a line joined from harmless pieces may opt out, unless a person writes it.
            return new if new is None or self.by_hand else hygiene.unallowed(new, old or "")

        result = self.rewrite(relative, applied, op=op, if_sha256=if_sha256, remember=remember)
        result.warnings[:0] = warnings
        result.written = len(text.encode("utf-8"))
        return result

    def rewrite(
        self,
        relative: str,
        apply: Apply,
        *,
        op: str,
        if_sha256: str | None = None,
        undoes: int | None = None,
        remember: bool = True,
    ) -> Change:
        """Change a file by a function of its text; secrets in the lines it touches are masked."""
        allow, masked = partial(allowed, self.root, layout.scope_of(relative)), list[str]()

        def on_bytes(old: bytes | None) -> bytes | None:
            # Bytes that are not UTF-8 pass through untouched, and so does a byte order mark.
            text = None if old is None else files.text_of(old, files.EXACT)
            new = apply(text)
            if new is None:
                return None
            new, masked[:] = settled(text or "", new, allow, name=relative)
            return files.bytes_of(new, None if op in _VERBATIM else old)

        with self.scope(layout.scope_of(relative)):
            done = self._apply(relative, on_bytes, together.named(op), if_sha256, undoes, remember=remember)
        done.warnings[:0] = masked
        whole.note_write()
        return done

    def commit(self, slug: str, edits: Iterable[Edit], *, op: str = "learn") -> Committed:
        """Change all files of a set, or none (`writeset`); `op` names it in the history.

        ConflictError if a file no longer has the text that its change is based on.
        """
        with self.scope(slug):
            writeset.stage(Tree(self.root), slug, edits, together.named(op))
            return self._finish_set(slug)

    def _finish_set(self, slug: str) -> Committed:
        return writeset.finish(Tree(self.root), self.history, self.rewrite, slug)

    def undo(self, relative: str, version: int | None, op: str = "undo") -> tuple[Change, int]:
        """Put back the bytes from before a change (of an undo, to redo it); return it and its number."""
        Tree(self.root).check(relative)
        with self.scope(layout.scope_of(relative)):
            history = self.history
            entry = history.to_undo(relative, version)
            current = Tree(self.root).read(relative)
            before = history.state_before(relative, entry, current, since=version is None)
            done = self._apply(relative, lambda _: before, op, None, entry.id, remember=True)
            if not done.changed:
                # Recorded anyway, or the next undo would stop at this change again.
                with contextlib.suppress(OSError, MemolithError):
                    history.mark(relative, op, done.after, done.sha256, entry.id)
                    history.wrote(relative, done.after)
            return done, entry.id

    # ------------------------------------------------------------ inside

    def _apply(
        self,
        relative: str,
        apply: Callable[[bytes | None], bytes | None],
        op: str,
        if_sha256: str | None,
        undoes: int | None,
        *,
        remember: bool,
    ) -> Change:
        history = self.history  # a wrong setting fails before anything is written
        deadline: float | None = None
        seen_briefly: list[temporary.Attempt] = []
        for _ in range(_MAX_ROUNDS):
            tree = Tree(self.root)
            seen, base, shown = temporary.look(tree, relative)
            if done := next((each for each in seen_briefly if each.is_in(base)), None):
                # Somebody saved it with their own change: applied again, it would be there twice.
                how = (history, relative, done.place, done.before, shown, None, op, undoes)
                return self._finish(*how, remember=remember)
            new = _applied(relative, apply, shown, if_sha256)
            if new == shown:
                return Change(relative, shown, shown, [])
            place = repository.place_for(tree, relative, new or b"")
            with files.storage_errors(place.path):
                out = self._put(tree, relative, place, new, base, seen)
            if out is _LOST_RACE:
                continue
            actual, holder, still_open = out
            if still_open and deadline is None:
                deadline = time.monotonic() + _SAVE_SECONDS
            if actual != base or (deadline and still_open and time.monotonic() < deadline):
                # Somebody saved between our read and our write, or is saving now: their text goes first.
                self._give_back(tree, relative, place, new, holder)
                if actual != base:
                    # Ours was briefly visible: a program that read it and saves again would discard theirs.
                    self._keep_copy(relative, actual and place.shown(actual))
                seen_briefly.append(temporary.Attempt(place, base or b"", new or b"", actual or b""))
                if still_open and deadline:
                    files.wait_for_writers(place, deadline - time.monotonic())
                continue
            if still_open and holder is not None:
                # Whatever that program writes from now on lands in this version and is not lost.
                self._store_version(relative, holder, "open-elsewhere")
                holder = None
            return self._finish(history, relative, place, shown, new, holder, op, undoes, remember=remember)
        raise StorageError(layout.locate(self.root, relative), BlockingIOError(11, "the file keeps changing"))

    def _put(
        self, tree: Tree, relative: str, place: Place, new: bytes | None, old: bytes | None, seen: object
    ) -> Out:
        """Put `new` at `place` and take out the actual old file; `old` is its expected content.

        If the file no longer has the fingerprint `seen`, do not even start: our text, based on an older one,
        would be briefly visible.
        Returns the bytes that were there, the file that holds them, and whether somebody still has that
        open for writing; `_LOST_RACE` when the file appeared or vanished meanwhile.
        """
        temporary.check_size(place, new)
        holder = temporary.new(tree, relative, place)
        if new is None:
            if place.fingerprint() != seen:
                return _LOST_RACE
            try:
                files.rename(place, holder)
            except FileNotFoundError:
                return _LOST_RACE
        else:
            try:
                if place.folder.label and (mount := repository.mount_of(tree, relative)):
                    repository.claim(mount, new)
                files.write_new(holder, new)
                if old is None:
                    if files.create(holder, place):
                        return None, None, False
                    files.unlink(holder)
                    return _LOST_RACE
                if place.fingerprint() != seen:
                    files.unlink(holder)
                    return _LOST_RACE
                temporary.swap(tree, relative, holder, place)
            except OSError as error:
                with contextlib.suppress(OSError):
                    files.unlink(holder)
                if isinstance(error, FileNotFoundError) and place.stat() is None:
                    return _LOST_RACE
                raise
        return temporary.inspect(holder, place, new)

    def _give_back(
        self, tree: Tree, relative: str, place: Place, ours: bytes | None, holder: Place | None
    ) -> None:
        """Restore a person's save that we took out."""
        if holder is None:
            return
        with files.storage_errors(place.path):
            try:
                if ours is None:
                    taken = not files.create(holder, place)
                else:
                    temporary.swap(tree, relative, holder, place)
                    # Somebody may have saved over our text meanwhile: the newer one wins.
                    gone = files.wait_for_writers(holder, _SAVE_SECONDS)
                    newer = holder.read(raw=True)
                    taken = not gone or newer != ours
                    if taken:
                        temporary.swap(tree, relative, holder, place)
                        # The older save was briefly visible: as with ours, keep a copy.
                        self._keep_copy(relative, newer and place.shown(newer))
                    else:
                        files.unlink(holder)
            except FileNotFoundError:  # they deleted our text
                taken = not files.create(holder, place)
            if taken:
                self._store_version(relative, holder, "conflict")
            files.sync_directory(place.folder)

    def _finish(
        self,
        history: History,
        relative: str,
        place: Place,
        before: bytes | None,
        after: bytes | None,
        kept: Place | None,
        op: str,
        undoes: int | None,
        *,
        remember: bool,
    ) -> Change:
        with files.storage_errors(place.path):
            files.sync_directory(place.folder)
        change = Change(relative, before, after, [])
        grown = before is None or (after is not None and after.startswith(before))
        names = history.names(relative)
        if not place.folder.label:  # in a repository, git writes as well
            over = history.notice(relative, before, kept, names)
            clean = undoes is None and bool(over or before is None)  # an undo may bring back a secret
            history.wrote(relative, after, over, clean=clean)  # before the version: a crash is no person
        try:
            if remember and not grown and kept is not None:
                history.keep(relative, kept, op, undoes)
            elif remember and not grown:  # the file itself is an `open-elsewhere` version now
                history.keep_copy(relative, before or b"", op, undoes)
            else:
                if kept is not None:
                    files.unlink(kept)
                if remember:
                    name = "create" if before is None and op == "write" else op
                    history.mark(relative, name, before, change.sha256, undoes)
            history.keep_meanwhile(relative, after, names)
        except (OSError, MemolithError) as error:
            # The write stands (S0.27). The old bytes wait in the temporary file for the next sweep.
            change.lost = True
            change.warnings.append(f"the previous version could not be put into the history: {error}")
            whole.note_lost(change.warnings[-1])
        return change

    def _keep_copy(self, relative: str, data: bytes | None) -> None:
        if data:
            with contextlib.suppress(OSError, MemolithError):
                self.history.keep_copy(relative, data, "conflict")

    def _store_version(self, relative: str, holder: Place, op: str) -> None:
        # If this fails, the bytes stay in the temporary file for the next sweep.
        with contextlib.suppress(OSError, MemolithError):
            self.history.keep(relative, holder, op)


_LOST_RACE: Out = (b"", None, False)


def _applied(
    relative: str, apply: Callable[[bytes | None], bytes | None], base: bytes | None, if_sha256: str | None
) -> bytes | None:
    """Apply a change to `base`. ConflictError if that is not the state the caller requires.

    A change without effect never conflicts.
    """
    if if_sha256 is None or if_sha256 == sha256(base):
        return apply(base)
    try:
        new = apply(base)
    except MemolithError:  # such as a missing text: because of the other change
        raise ConflictError(relative, if_sha256, sha256(base)) from None
    if new != base:
        raise ConflictError(relative, if_sha256, sha256(base))
    return new
