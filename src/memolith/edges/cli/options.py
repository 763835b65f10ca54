"""The options that every command understands, and the memory that they open."""

from __future__ import annotations

import os
import sys

from memolith.base import whole
from memolith.base.errors import ConfigError, InputError
from memolith.base.lean import suppress
from memolith.edges.cli import output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from memolith.env.project import Project
    from memolith.mem import Mem


class Options:
    """The options that every command understands."""

    def __init__(self, mem: Mem | None = None) -> None:
        self.mem = mem  # the memory of a host that runs a command in its own process
        self.terminal = mem is None  # whether we may use the terminal, if any
        self.home: str | None = None
        self.project: str | None = None
        self.json = self.ephemeral = False
        self.repairs = False  # broken settings, so that these do not stop it

    @property
    def attended(self) -> bool:
        """Whether a person can be asked here."""
        return self.terminal and sys.stdin is not None and sys.stdin.isatty()

    def open(self) -> AbstractContextManager[Mem]:
        """Open the memory that the options describe; a host's own stays open."""
        if self.mem is not None:
            from contextlib import nullcontext

            return nullcontext(self.mem)
        if self.project is not None and not os.path.isdir(self.project):
            raise InputError(f"--project {self.project}: no such directory; check the path")
        if self.home is not None and not self.home.strip():
            raise InputError("--home needs a directory")
        from memolith.mem import Mem  # not needed for `--help`

        # At a terminal a person is typing; an agent runs commands through pipes.
        mem = Mem.open(
            self.project,
            home=self.home,
            ephemeral=self.ephemeral,
            origin="user" if self.attended else "agent",
        )
        mem.confirm = self._asked
        if not os.path.isdir(mem.home):
            self._check_place(mem.home)
        return mem

    def answer(self, command: Callable[[Mem], output.Answer | None]) -> output.Answer | None:
        """Run a command on the memory that the options describe; return its answer."""
        with self.open() as mem:
            answer = command(mem)
            with suppress(*[ConfigError] * self.repairs):
                found = mem.identity  # how it was found, where that is not obvious
                if found.notice and (not found.known or not found.registered or whole.wrote()):
                    output.note(found.notice)
                if whole.wrote() and not mem.is_on and mem.projects.get(found.slug).is_off:
                    output.note(f"it is kept, but no agent gets it: {mem.off}")
        return answer

    def _asked(self, found: Project) -> bool:
        """Ask a person whether a memory that was not opened belongs to this project."""
        output.note(found.notice)
        if not self.attended:
            return False
        from click import confirm

        return confirm(f"Use the memory {found.offer} here?", default=False, err=True)

    def _check_place(self, place: str) -> None:
        """Refuse a home that cannot be created because it, or its parent, is a file."""
        while not os.path.lexists(place) and os.path.dirname(place) != place:
            place = os.path.dirname(place)
        if not os.path.isdir(place):
            kind = ConfigError if self.home is None else InputError
            raise kind(f"{place}: not a directory; choose another home with --home or MEMOLITH_HOME")
