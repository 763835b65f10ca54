"""The one write path. Whoever changes a memory file calls `Gate.change`.

    lock of the scope → read → precondition → clean and scan the new text → apply → temporary file, synced
    → exchange with the real one → look at what came out → directory synced → old bytes to history → return

Acknowledged means durable: when `change` returns, the new bytes survive a power loss.
A change is a pure function from old text to new text. If a person saved the file in the meantime, the
function is simply applied again to what they saved, so neither side loses anything; a caller that
insists on a certain state (`if_sha256`) gets a ConflictError instead and their save stays.
"""

from __future__ import annotations

import contextlib
import os
import time
from _thread import get_ident

from memolith import repository
from memolith.errors import ConflictError, MemolithError, StorageError
from memolith.store import files, layout
from memolith.store.allowing import allowed
from memolith.store.history import History
from memolith.store.locks import locked
from memolith.store.screening import screen
from memolith.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memolith.config import Settings

    # From the text before (None: no file) to the text after (None: no file).
    Apply = Callable[[str | None], str | None]
    _Out = tuple[bytes | None, str | None, bool]

_TEMPORARY = ".tmp"
# How long a program that is just saving the file in place may take to finish.
_SAVE_SECONDS = 1.0
_MAX_ROUNDS = 100


class Change:
    """What a change did: the bytes before and after, and what the caller should be told.

    `written` is the size of the new text as it was stored, cleaned and masked.
    """

    __slots__ = ("after", "before", "relative", "warnings", "written")

    def __init__(self, relative: str, before: bytes | None, after: bytes | None, warnings: list[str]) -> None:
        self.relative, self.before, self.after = relative, before, after
        self.warnings = warnings
        self.written = 0

    @property
    def changed(self) -> bool:
        """Whether the file is different now."""
        return self.before != self.after

    @property
    def sha256(self) -> str:
        """The content hash of the file afterwards."""
        return sha256(self.after)


class Gate:
    """The write path of one home."""

    def __init__(self, home: str, settings: Settings, now: Callable[[], float]) -> None:
        self.root = os.path.join(home, layout.STORE)
        self._home, self._settings, self._now = home, settings, now
        self._held: dict[int, str] = {}  # by thread, so that threads wait for each other too

    @property
    def history(self) -> History:
        """The versions kept by this gate."""
        return History(
            os.path.join(self._home, "history"),
            self._now,
            int(self._settings.number("history.versions")),
            self._settings.number("history.days"),
        )

    @contextlib.contextmanager
    def scope(self, slug: str) -> Iterator[None]:
        """Hold the lock of a scope for several changes that belong together."""
        me = get_ident()
        if self._held.get(me) == slug:
            yield
            return
        if me in self._held:
            raise RuntimeError("locks of two scopes at once can deadlock")
        # Before anything is touched: a link in place of the temporary directory would lead out of it.
        files.refuse_links(self.root, "/".join(filter(None, [layout.scope_directory(slug), _TEMPORARY, "x"])))
        if not os.path.isdir(self._home):
            self._found_home()
        path = os.path.join(self._home, "state", "locks", f"{slug or 'user'}.lock")
        with locked(path, self._settings.number("lock.seconds")):
            self._held[me] = slug
            try:
                self._recover(slug)
                yield
            finally:
                del self._held[me]

    def _found_home(self) -> None:
        """Make the home; inside a git checkout, keep personal memory out of it (S4.2)."""
        files.make_directory(self._home)
        if repository.find(os.path.realpath(self._home)):
            with files.told(self._home), contextlib.suppress(FileExistsError):
                files.write_new(os.path.join(self._home, ".gitignore"), b"*\n")

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
        text, warnings = screen(text, cap, lambda: allowed(self.root, layout.scope_of(relative)))
        result = self.rewrite(
            relative, lambda old: apply(old, text), op=op, if_sha256=if_sha256, remember=remember
        )
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
        """Change a file by a function of its own text; for changes that bring no new text."""

        def on_bytes(old: bytes | None) -> bytes | None:
            # Bytes that are not UTF-8 pass through untouched.
            new = apply(None if old is None else old.decode("utf-8", "surrogateescape"))
            return None if new is None else new.encode("utf-8", "surrogateescape")

        with self.scope(layout.scope_of(relative)):
            return self._apply(relative, on_bytes, op, if_sha256, undoes, remember=remember)

    def undo(self, relative: str, version: int | None) -> tuple[Change, int]:
        """Put back the bytes from before a change; return what happened and which change it was."""
        files.refuse_links(self.root, relative)
        with self.scope(layout.scope_of(relative)):
            history = self.history
            entry = history.to_undo(relative, version)
            current = files.read(layout.locate(self.root, relative))
            before = history.state_before(relative, entry, current)
            done = self._apply(relative, lambda _: before, "undo", None, entry.id, remember=True)
            if not done.changed:
                # Noted all the same, else the next undo would stop at this change again.
                length = None if done.after is None else len(done.after)
                with contextlib.suppress(OSError, StorageError):
                    history.mark(relative, "undo", length, done.sha256, entry.id)
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
        files.refuse_links(self.root, relative)
        path = layout.locate(self.root, relative)
        history = self.history  # a wrong setting is told before anything is written
        deadline: float | None = None
        for _ in range(_MAX_ROUNDS):
            seen = files.fingerprint(path)
            base = files.read(path)
            new = _applied(relative, apply, base, if_sha256)
            if new == base:
                return Change(relative, base, base, [])
            with files.told(path):
                out = self._put(relative, path, new, base, seen)
            if out is _LOST_RACE:
                continue
            actual, holder, still_open = out
            if still_open and deadline is None:
                deadline = time.monotonic() + _SAVE_SECONDS
            if actual != base or (deadline and still_open and time.monotonic() < deadline):
                # Somebody saved between our read and our write, or is just saving: theirs first.
                self._give_back(relative, path, new, holder)
                if actual != base and actual:
                    # Our text, made from an older one, stood there for a moment. A program that read just
                    # then and saves again throws theirs away, so a copy is kept.
                    with contextlib.suppress(OSError, StorageError):
                        history.keep_copy(relative, actual, "conflict")
                if still_open and deadline:
                    files.wait_for_writers(path, deadline - time.monotonic())
                continue
            if still_open and holder is not None:
                # Whatever that program writes from now on lands in this version, not in the void.
                self._store_version(relative, holder, "open-elsewhere")
                holder = None
            return self._finish(history, relative, base, new, holder, op, undoes, remember=remember)
        raise StorageError(path, BlockingIOError(11, "the file is being changed all the time"))

    def _put(self, relative: str, path: str, new: bytes | None, old: bytes | None, seen: object) -> _Out:
        """Bring `new` to `path` and take out what was really there; `old` is what we think it is.

        `seen` is the file's fingerprint when we read it. If that is another one now, we do not even
        begin: our text, made from an older one, would be visible for a moment.

        Returns the bytes that were there, the file that holds them, and whether somebody still has
        that file open for writing; `_LOST_RACE` when the file appeared or vanished meanwhile.
        """
        holder = self._temporary(relative)
        if new is None:
            if files.fingerprint(path) != seen:
                return _LOST_RACE
            try:
                os.rename(path, holder)
            except FileNotFoundError:
                return _LOST_RACE
        else:
            files.make_directory(os.path.dirname(path))
            try:
                files.write_new(holder, new)
                if old is None:
                    if files.create(holder, path):
                        return None, None, False
                    os.unlink(holder)
                    return _LOST_RACE
                if files.fingerprint(path) != seen:
                    os.unlink(holder)
                    return _LOST_RACE
                self._swap(relative, holder, path)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.unlink(holder)
                if isinstance(error, FileNotFoundError) and not os.path.lexists(path):
                    return _LOST_RACE
                raise
        gone = files.wait_for_writers(holder, 0)
        return files.read(holder), holder, not gone

    def _swap(self, relative: str, one: str, other: str) -> None:
        """Exchange two files' names, where the system cannot do it at once in three steps."""
        if files.exchange(one, other):
            return
        spare = self._temporary(relative)
        try:
            os.link(other, spare)
        except FileNotFoundError:
            raise
        except OSError:  # no hard links either: a copy
            files.write_new(spare, files.read(other) or b"")
        files.replace(one, other)
        os.rename(spare, one)

    def _give_back(self, relative: str, path: str, ours: bytes | None, holder: str | None) -> None:
        """Put a person's save, which we took out, back in its place."""
        if holder is None:
            return
        with files.told(path):
            try:
                if ours is None:
                    taken = not files.create(holder, path)
                else:
                    self._swap(relative, holder, path)
                    # Somebody may have saved over our text even now: the newer one wins.
                    gone = files.wait_for_writers(holder, _SAVE_SECONDS)
                    taken = not gone or files.read(holder) != ours
                    if taken:
                        self._swap(relative, holder, path)
                    else:
                        os.unlink(holder)
            except FileNotFoundError:  # they deleted our text
                taken = not files.create(holder, path)
            if taken:
                self._store_version(relative, holder, "conflict")
            files.sync_directory(os.path.dirname(path))

    def _finish(
        self,
        history: History,
        relative: str,
        before: bytes | None,
        after: bytes | None,
        kept: str | None,
        op: str,
        undoes: int | None,
        *,
        remember: bool,
    ) -> Change:
        path = layout.locate(self.root, relative)
        with files.told(path):
            files.sync_directory(os.path.dirname(path))
        change = Change(relative, before, after, [])
        grown = before is None or (after is not None and after.startswith(before))
        try:
            if remember and not grown and kept is not None:
                history.keep(relative, kept, op, undoes)
            elif remember and not grown:  # the file itself is an `open-elsewhere` version now
                history.keep_copy(relative, before or b"", op, undoes)
            else:
                if kept is not None:
                    os.unlink(kept)
                if remember:
                    length = None if before is None else len(before)
                    name = "create" if before is None and op == "write" else op
                    history.mark(relative, name, length, change.sha256, undoes)
        except (OSError, StorageError) as error:
            # The write stands (S0.27). The old bytes wait in the temporary file for the next sweep.
            change.warnings.append(f"the previous version could not be put into the history: {error}")
        return change

    def _store_version(self, relative: str, holder: str, op: str) -> None:
        # If this fails, the bytes stay in the temporary file for the next sweep.
        with contextlib.suppress(OSError, StorageError):
            self.history.keep(relative, holder, op)

    # Temporary files have a directory of their own in each scope, so that finding stray ones
    # costs nothing. Under the lock of the scope, whatever is there was left by a crash.

    def _temporary_directory(self, scope: str) -> str:
        return layout.locate(self.root, "/".join(filter(None, [layout.scope_directory(scope), _TEMPORARY])))

    def _temporary(self, relative: str) -> str:
        scope = layout.scope_of(relative)
        directory = self._temporary_directory(scope)
        files.make_directory(directory)
        inside = relative[len(layout.scope_directory(scope)) :].lstrip("/")
        name = inside.replace("%", "%25").replace("/", "%2F")
        number = 0
        while os.path.lexists(path := os.path.join(directory, f"{name}.{number}")):
            number += 1
        return path

    def _recover(self, scope: str) -> None:
        """Deal with what a crashed writer left: known bytes go, others become a version."""
        directory = self._temporary_directory(scope)
        try:
            stray = os.listdir(directory)
        except (FileNotFoundError, NotADirectoryError):
            return
        for name in stray:
            inside = name.rpartition(".")[0].replace("%2F", "/").replace("%25", "%")
            relative = "/".join(filter(None, [layout.scope_directory(scope), inside]))
            holder = os.path.join(directory, name)
            with contextlib.suppress(OSError, MemolithError):  # what is not ours to read stays
                data = files.read(holder)
                if not data or data == files.read(layout.locate(self.root, relative)):
                    os.unlink(holder)
                else:
                    self.history.keep(relative, holder, _was(holder))


_LOST_RACE: _Out = (b"", None, False)


def _applied(
    relative: str, apply: Callable[[bytes | None], bytes | None], base: bytes | None, if_sha256: str | None
) -> bytes | None:
    """Return what a change makes of `base`. ConflictError if that is not the state the caller insists on.

    Where the change would not change anything, there is no conflict.
    """
    if if_sha256 is None or if_sha256 == sha256(base):
        return apply(base)
    try:
        new = apply(base)
    except MemolithError:  # such as a text that is not there: because of the other change
        raise ConflictError(relative, if_sha256, sha256(base)) from None
    if new != base:
        raise ConflictError(relative, if_sha256, sha256(base))
    return new


def _was(stray: str) -> str:
    """Tell what a stray temporary file is: bytes that were the memory file, or our own unfinished ones.

    Exchanging names changes a file's ctime; only what was written last and never moved has both times equal.
    """
    found = os.stat(stray)
    return "recovered" if found.st_ctime_ns != found.st_mtime_ns else "unfinished"
