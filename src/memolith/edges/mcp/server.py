"""`memolith mcp`: a server on standard input and output that runs until its client closes the input.

One thread answers one request at a time. It reads what has arrived before starting each, so that a request
cancelled while queued never starts. The memory stays open between requests.
"""

from __future__ import annotations

import os
import sys
from collections import deque

from memolith.base.errors import ConfigError, StorageError
from memolith.edges.mcp import wire
from memolith.edges.mcp.protocol import Protocol, cancelled_by
from memolith.env import runs
from memolith.env.settings import Settings, home_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memolith.mem import Mem

_CHUNK = 65_536
_WAITING = 100  # messages read ahead
_FLAGS = {"--read-only": "read_only", "--ephemeral-memory": "ephemeral"}
_VALUES = {"--home": "home", "--project": "project"}


class Server:
    """The memory's location, and the permissions on it."""

    def __init__(
        self,
        home: str | None = None,
        project: str | None = None,
        *,
        ephemeral: bool = False,
        read_only: bool = False,
    ) -> None:
        self._home, self._project, self._ephemeral, self._read_only = home, project, ephemeral, read_only
        self._mem: Mem | None = None

    def mem(self) -> Mem:
        """Return the memory of the project that the client works in; no message can choose another."""
        if self._mem is None:
            from memolith.mem import Mem

            place = self._project or os.environ.get("CLAUDE_PROJECT_DIR")
            here = place if place and os.path.isdir(place) else None
            self._mem = Mem.open(here, home=self._home, ephemeral=self._ephemeral, origin="agent")
        return self._mem

    def settings(self) -> Settings | None:
        """Return the settings without opening the memory; None if there is no home."""
        try:
            return Settings(home_for(self._home or "", os.environ, sys.platform))
        except ConfigError:
            return None

    def serve(self) -> int:
        """Answer until standard input ends; return the exit code."""
        if value := runs.inherited():
            os.environ[runs.VARIABLE] = value
        # Other output goes to standard error, or the client would take it for an answer.
        answers = os.dup(1)
        os.dup2(2, 1)
        try:
            _serve(Protocol(self.mem, read_only=self._read_only, settings=self.settings()), 0, answers)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client is gone
        except OSError as error:  # of our input or output: errors of the memory are answers
            os.write(2, f"memolith: error: lost the client: {error}\n".encode())
            return StorageError.exit_code
        except KeyboardInterrupt:
            return 130
        finally:
            os.dup2(answers, 1)
            os.close(answers)
            if self._mem is not None:
                self._mem.close()
        return 0


def run(arguments: list[str]) -> int | None:
    """Serve if the arguments are plain; None leaves help and errors to click."""
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif name in _VALUES:
            given[_VALUES[name]] = value if equals else next(rest, "")
        else:
            return None
    if given.get("home") == "" or not os.path.isdir(given.get("project", ".")):
        return None
    if any(stream is None for stream in (sys.stdin, sys.stdout, sys.stderr)) or sys.stdin.isatty():
        return None
    return Server(**given).serve()


def _serve(protocol: Protocol, source: int, sink: int) -> None:
    queue: deque[object] = deque()
    for lines in _arriving(source, queue):
        for line in lines:
            message = wire.parse(line)
            gone = cancelled_by(message)
            if gone is not None:
                kept = [each for each in queue if not (isinstance(each, dict) and each.get("id") == gone)]
                queue.clear()
                queue.extend(kept)
            else:
                queue.append(message)
        if queue:
            answer = protocol.answer(queue.popleft())
            if answer is not None:
                _send(sink, wire.encode(answer))


def _arriving(source: int, queue: deque[object]) -> Iterator[list[bytes]]:
    """Yield the lines that have arrived; wait only if nothing is left to do. Ends when all are answered."""
    part, ended = bytearray(), False
    while True:
        lines: list[bytes] = []
        while (
            not ended and len(queue) + len(lines) < _WAITING and _ready(source, wait=not queue and not lines)
        ):
            data = os.read(source, _CHUNK)
            ended = not data
            *whole, rest = data.split(b"\n")
            for piece in whole:
                _keep(part, piece)
                lines.append(bytes(part))
                part.clear()
            _keep(part, rest)
        if ended and part:
            lines.append(bytes(part))
            part.clear()
        lines = [line for line in lines if line.strip()]
        if not lines and not queue and ended:
            return
        yield lines


def _keep(part: bytearray, more: bytes) -> None:
    """Add to a line; of one that is too long, keep just enough to detect that."""
    part += more[: max(0, wire.MAX_LINE + 1 - len(part))]


def _ready(source: int, *, wait: bool) -> bool:
    """Whether reading will not block."""
    if wait:
        return True
    from select import select

    try:
        return bool(select([source], [], [], 0)[0])
    except (OSError, ValueError):  # Windows supports this for sockets only: read when idle
        return False


def _send(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]
