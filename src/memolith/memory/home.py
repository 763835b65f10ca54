"""Opening a memory: its location, its project, its settings, and who is writing."""

from __future__ import annotations

import errno
import os
import sys
import time

from memolith.base import whole
from memolith.base.errors import InputError, StorageError
from memolith.base.lean import suppress
from memolith.base.values import Source
from memolith.env import identity as evidence
from memolith.env import project as projects
from memolith.env import runs
from memolith.env.paths import MOUNTS
from memolith.env.settings import Settings, home_for, own
from memolith.memory import arguments, daily
from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from memolith.env.git import Checkout
    from memolith.env.mount import Mount
    from memolith.index import Index
    from memolith.index.vectors.meaning import Vectors
    from memolith.store.gate import Gate


class Home:
    """An open memory and its resources; `Mem` adds the verbs."""

    def __init__(
        self,
        home: str,
        cwd: str | None,
        *,
        now: Callable[[], float] = time.time,
        source: Source | None = None,
    ) -> None:
        self.path = home
        self.source = source or Source("agent")
        self.settings = Settings(home)
        self._cwd, self._now = cwd, now
        self.store = os.path.join(home, layout.STORE)  # the Markdown files
        MOUNTS[self.store] = lambda slug: _mount(home, slug)
        self._project: projects.Project | None = None
        self._doubt: list[tuple[str, OSError]] = []  # read errors while resolving the project
        self._gate: Gate | None = None
        self._index: Index | None = None
        self._vectors: Vectors | None = None
        self._cleanup: Callable[[], None] | None = None
        # Asks a person once whether an unproved memory belongs to this project.
        self.confirm: Callable[[projects.Project], bool] | None = None
        self.patience: float | None = None  # seconds to wait for locks, if the caller has a deadline

    @classmethod
    def open(
        cls,
        cwd: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        ephemeral: bool = False,
        now: Callable[[], float] = time.time,
        origin: str = "agent",
    ) -> Self:
        """Open the memory of the project at `cwd` (default: the current directory).

        `home` overrides where memory is kept. `ephemeral` uses a temporary directory instead and neither
        reads nor writes the real memory; so does MEMOLITH_EPHEMERAL=1, whatever `home` is. `now` supplies
        the time, for tests. `origin` says who is writing, `agent` or `user`; for text from elsewhere, see
        `from_source`.
        """
        source = arguments.source(origin, None)
        place = os.fspath(cwd) if cwd is not None else None
        if ephemeral:
            from memolith.store import ephemeral as throwaway

            directory, cleanup = throwaway.create()
            mem = cls(directory, place, now=now, source=source)
            mem._cleanup = cleanup
            return mem
        where = home_for(os.fspath(home) if home is not None else "", os.environ, sys.platform)
        if runs.is_throwaway(where):
            from memolith.store import ephemeral as throwaway

            throwaway.enter(where)
        for each in (where, os.path.join(where, layout.STORE)):
            with suppress(OSError):  # it does not exist yet, or the first user reports why it is unreachable
                own(each, os.stat(each))
        return cls(where, place, now=now, source=source)

    def from_source(self, origin: str, taint: str | None = None, *, reviewed: bool = False) -> Self:
        """Return the same memory for writing text that comes from elsewhere.

        `origin` is user, agent, extracted or imported; `taint` is web, tool, repository or pasted, or user or
        agent if their own words were extracted or imported. All other text is from outside: it is labelled,
        and shown only on request until a person has `reviewed` and accepted it.
        """
        source = arguments.source(origin, taint, accepted=reviewed)
        other = type(self)(self.path, self._cwd, now=self._now, source=source)
        other.settings = self.settings
        other.confirm = self.confirm
        other._project = self._project  # noqa: SLF001 - may differ from the directory's (`of_project`)
        return other

    def of_project(self, slug: str) -> Self:
        """Return the same memory for another of its projects, wherever that is on disk."""
        other = type(self)(self.path, self._cwd, now=self._now, source=self.source)
        other._project = projects.Project(slug, "", None, known=True)  # noqa: SLF001
        return other

    def close(self) -> None:
        """Close the index; remove an ephemeral memory."""
        if self._vectors is not None:
            self._vectors.close()
            self._vectors = None
        if self._index is not None:
            self._index.close()
            self._index = None
        if self._cleanup is not None:
            self._cleanup()
            self._cleanup = None
            self.path = ""

    def __copy__(self) -> Self:
        return self.from_source(self.source.origin, self.source.taint or None, reviewed=self.source.accepted)

    def __reduce__(self) -> str:
        # Also for `copy.deepcopy`.
        raise InputError(
            f"a memory cannot be pickled: give another process its home ({self.path}) and its directory, and "
            "open it there with Mem.open(cwd, home=home)"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Mem(home={self.path!r}, project={self.project!r})"

    @property
    def root(self) -> Path:
        """The directory of the Markdown files."""
        from pathlib import Path

        return Path(self.store)

    @property
    def project(self) -> str:
        """The slug of the project."""
        return self.identity.slug

    @property
    def identity(self) -> projects.Project:
        """The project of the working directory, and how it was found."""
        if self._project is None or self._doubt:  # after read errors, resolve it again
            self._project = self._found(evidence.READ_SECONDS)
        return self._project

    def _found(self, seconds: float, *, again: bool = False) -> projects.Project:
        end = time.monotonic() + seconds  # for all candidates together

        def prove(checkout: Checkout, commit: str) -> bool | None:
            from memolith.store.registry import reaches

            return reaches(self.path, checkout, commit, end - time.monotonic(), again=again)

        watch = whole.Watch(aside=True)
        try:
            with watch:
                found = projects.resolve(self.store, self._cwd, self.settings.text("identity"), prove)
        finally:
            self._doubt = [each for each in watch.errors.items() if self._matters(*each)]
            for path, error in self._doubt:
                whole.note(path, error)
        self.settings.enter(found.root)
        if whole.stat_of(layout.locate(self.store, layout.path(found.slug, layout.STAGED)), follow=False):
            self.gate.catch_up(found.slug)
        return found

    def _matters(self, path: str, error: OSError) -> bool:
        """Whether an unreadable file may be evidence: not if it is elsewhere and access is denied."""
        return path.startswith(self.path) or error.errno not in (errno.EACCES, errno.EPERM)

    def now(self) -> float:
        """Return the time."""
        return self._now()

    @property
    def today(self) -> str:
        """The current local date."""
        return daily.day(self._now())

    @property
    def yesterday(self) -> str:
        """The local date of the day before."""
        return daily.day_before(self._now())

    @property
    def gate(self) -> Gate:
        """The write path."""
        if not self.path:
            raise InputError("this ephemeral memory is closed; open a new one")
        if self._gate is None:
            from memolith.store.gate import Gate

            origin, is_own = self.source.origin, self.source.origin == "user" and self.source.trusted
            self._gate = Gate(self.path, self.settings, self._now, origin, by_hand=is_own)
        return self._gate

    @property
    def index(self) -> Index:
        """The index, kept open between queries."""
        if self._index is None:
            from memolith.index import Index

            self._index = Index(self.path) if self.patience is None else Index(self.path, wait=self.patience)
        return self._index

    @property
    def vectors(self) -> Vectors:
        """The vectors; they have a `provider` only where `memolith semantic install` was run."""
        if self._vectors is None:
            from memolith.index.vectors.meaning import Vectors

            self._vectors = Vectors(self.index, self.settings)
        return self._vectors

    @property
    def is_ephemeral(self) -> bool:
        """Whether this memory is removed when it is closed, or when the run ends that shares it."""
        return runs.is_throwaway(self.path)

    @property
    def is_warm(self) -> bool:
        """Whether the vectors are already open, so that the next query by meaning is cheap."""
        return self._vectors is not None

    @property
    def summary_tokens(self) -> int:
        """How many tokens of learned text go into the block; 0 while learning, or using it, is off."""
        if not (self.settings.flag("memories.enabled") and self.settings.flag("memories.use")):
            return 0
        return int(self.settings.number("memories.summary_injection_token_limit"))

    @property
    def is_nowhere(self) -> bool:
        """Whether there is no project: the working directory is gone, or for everything."""
        return not (self.identity.root or self.identity.registered)

    @property
    def is_on(self) -> bool:
        """Whether memory is switched on: everywhere (the setting `enabled`), and for this project."""
        known = self.identity.identity
        return self.settings.flag("enabled") and not (known and known.is_off)

    @property
    def off(self) -> str:
        """Why no agent gets any of this memory, and what switches it on; empty while it is on."""
        if self.is_on:
            return ""
        told = [] if self.settings.flag("enabled") else self.settings.problems("enabled")
        return "".join(told) or "memory is off for this project: `memolith project on` switches it on"

    def check_project(self) -> None:
        """Raise InputError if there is no project here, with what to do instead."""
        if self.is_nowhere:
            why = self.identity.notice.partition("; only")[0]
            rest = "go to another directory, or use what is for all projects (long_term, --scope user)"
            raise InputError(f"{why}; {rest}")

    def register(self) -> None:
        """Store the project's identity before its first memory, so that it is found again.

        InputError if there is no project: unrelated memories without a directory must not mix.
        """
        if self.identity.registered:
            return
        self.check_project()
        if self._doubt:  # it may be a known project, which would get a second memory
            raise StorageError(*self._doubt[0])
        self._register(evidence.WRITE_SECONDS)

    def settle(self, seconds: float) -> None:
        """Decide what a reader had no time for, and store the result; for background work."""
        found = self.identity
        if found.is_open:
            found = self._project = self._found(seconds, again=True)
        if found.known and found.root and found.checkout and not (found.registered and found.has_commit):
            self._register(seconds)

    def _register(self, seconds: float) -> None:
        from memolith.store import registry

        end = time.monotonic() + seconds
        if self.identity.is_open:
            self._project = self._found(seconds, again=True)
        if self.identity.offer and self.confirm and self.confirm(self.identity):
            registry.link(self.gate, self.identity.offer, self.identity.root)
            self._project = None
        while True:
            found = self.identity
            try:
                found.written(registry.register(self.gate, found, end - time.monotonic()))
            except registry.SlugTakenError:
                self._project = None
            else:
                return

    def scope(self, scope: str, *, register: bool = False) -> str:
        """Return the slug for the name of a scope: the project's, or an empty one for the user.

        Writers let the project `register` first, because that may find that the slug is taken.
        """
        if arguments.is_user_wide(scope):
            return layout.USER
        if register:
            self.register()
        return self.project


def _mount(home: str, slug: str) -> Mount | None:
    """Return where a project has entries inside its repository, if a person keeps them there."""
    if whole.stat_of(os.path.join(home, "shared", slug, "place")) is None:
        return None
    from memolith.env.mount import Mount

    return Mount(home, slug)
