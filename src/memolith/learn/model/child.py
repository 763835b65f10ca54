"""Running a program that asks a model: in an empty directory, bounded in time and output, gone afterwards.

It gets a process group of its own and no terminal; the group is killed at the deadline, and also after a
good end, should a helper have stayed behind. MEMOLITH_INTERNAL=1 tells our own hooks to stay silent in it.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.env import programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

GUARD = "MEMOLITH_INTERNAL"
MAX_BYTES = 16 << 20
_GRACE = 0.5  # seconds between asking to end and making it end
_LOOK = 0.05  # how often one looks whether it ended while others hold its output open
_PIECE = 65_536
# What tells an agent that it runs inside another session: this one stands on its own.
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")


class Ended(Value):
    """How a program ended. `code` is None if it had to be stopped: `why` is `timeout` or `too_large`."""

    code: int | None
    error: str
    output: str
    why: str


@contextlib.contextmanager
def workplace(files: Mapping[str, str]) -> Iterator[str]:
    """Give a private directory with some files in it, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="memolith-", ignore_cleanup_errors=True) as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield folder


def environment(env: Mapping[str, str], project: str = "", **more: str) -> dict[str, str]:
    """Return what a program gets of an environment: nothing of ours but the guard, nothing of the project."""
    safe = programs.environment(project, env)
    kept = {
        key: value for key, value in safe.items() if not key.startswith("MEMOLITH_") and key not in _NESTED
    }
    return {**kept, GUARD: "1", **more}


def run(argv: Sequence[str], text: str, *, folder: str, env: Mapping[str, str], seconds: float) -> Ended:
    """Run a program in a folder with `text` on its standard input; OSError if it cannot be started."""
    deadline = time.monotonic() + max(seconds - _GRACE, seconds / 2)  # ending it takes time too
    with tempfile.TemporaryFile() as given:  # not a pipe: it may read late, or never
        given.write(text.encode("utf-8", "replace"))
        given.seek(0)
        process = subprocess.Popen(
            list(argv),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
        )
    try:
        output, error, why = _listen(process, deadline)
    finally:
        if not _has_ended(process):
            _signal(process, signal.SIGTERM)
            _wait(process, _GRACE)
        _signal(process, signal.SIGKILL)
        code = process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
    return Ended(
        code=None if why else code,
        error=error.decode("utf-8", "replace"),
        output=output.decode("utf-8", "replace"),
        why=why,
    )


def _listen(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes, str]:
    """Read what a program says until it ends; return why it has to be stopped, if it does not."""
    assert process.stdout  # noqa: S101
    assert process.stderr  # noqa: S101
    heard = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    why = ""
    with selectors.DefaultSelector() as selector:
        for number in heard:
            os.set_blocking(number, False)
            selector.register(number, selectors.EVENT_READ)
        while not why:
            ended = _has_ended(process)
            left = deadline - time.monotonic()
            ready = selector.select(0 if ended else max(0, min(left, _LOOK))) if selector.get_map() else []
            if not selector.get_map() and not ended:
                _wait(process, max(left, 0))
            for key, _ in ready:
                piece = os.read(key.fd, _PIECE)
                heard[key.fd] += piece
                if not piece:
                    selector.unregister(key.fd)
            if ended and not ready:
                break
            if sum(map(len, heard.values())) > MAX_BYTES:
                why = "too_large"
            elif left <= 0 and not ended:
                why = "timeout"
    output, error = heard.values()
    return bytes(output), bytes(error), why


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Tell whether it ended, and leave it unreaped: as long as it is, its group's number is nobody else's."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    end = time.monotonic() + seconds
    pause = 0.001
    while not _has_ended(process) and (left := end - time.monotonic()) > 0:
        time.sleep(min(pause, left))
        pause = min(pause * 2, _LOOK)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
