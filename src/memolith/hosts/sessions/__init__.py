"""The agents whose sessions can be read, one file each, all with the same methods.

`places(env, home)` says where the sessions of this machine are, `changed(path)` when one was last changed,
`head(path)` what it is about without reading all of it, `read(path)` gives it, and `grown(path, mark)` what
it has more than the last time. A place is the path of a file, with `#session` where a file holds many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memolith.hosts.sessions.aider import Aider
from memolith.hosts.sessions.claude_code import ClaudeCode
from memolith.hosts.sessions.codex import Codex
from memolith.hosts.sessions.copilot import Copilot
from memolith.hosts.sessions.gemini import Gemini
from memolith.hosts.sessions.generic import Cursor, Generic
from memolith.hosts.sessions.opencode import OpenCode
from memolith.hosts.sessions.pi import Pi

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memolith.memory.sessions import Session


class Agent(Protocol):
    """An agent whose sessions can be read."""

    name: str

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:
        """Yield where the sessions of this machine are, newest first."""

    def changed(self, path: str) -> int:
        """Return when a session was last changed, in nanoseconds."""

    def head(self, path: str) -> Session:
        """Return what a session is about; its turns are not all there."""

    def read(self, path: str) -> Iterator[Session]:
        """Yield the sessions of a place."""

    def grown(self, path: str, mark: str) -> tuple[Session | None, str]:
        """Return what a session has more than when it gave `mark`, and the next mark."""


AGENTS: dict[str, Agent] = {
    each.name: each
    for each in (
        ClaudeCode(),
        Codex(),
        Gemini(),
        Copilot(),
        OpenCode(),
        Pi("pi", ".pi", "PI_CODING_AGENT_DIR"),
        Pi("omp", ".omp", ""),
        Cursor(),
        Aider(),
        Generic(),
    )
}


def guess(path: str) -> Agent:
    """Return the agent whose file this seems to be, by its name and its first records."""
    from memolith.hosts.sessions.recognise import recognise

    return AGENTS[recognise(path)]
