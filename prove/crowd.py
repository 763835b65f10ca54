"""Processes at work on one memory: how they are forked, waited for, and tell what they did."""

import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path


class Notes:
    """What processes did, a line for each deed, written after its call returned."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, *words: object) -> None:
        """Note something; one write, so that lines of several processes do not mix."""
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(file, (" ".join(map(str, words)) + "\n").encode())
        os.close(file)

    def lines(self) -> list[str]:
        """Return all of them."""
        return self.path.read_text("utf-8").splitlines() if self.path.exists() else []

    def of(self, kind: str) -> list[str]:
        """Return what follows the first word, of those that begin with it."""
        return [line.partition(" ")[2] for line in self.lines() if line.partition(" ")[0] == kind]


def forked(deed: Callable[[], object]) -> int:
    """Do something in a child; return its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        deed()
        code = 0
    except BaseException as error:  # noqa: BLE001 - nothing may get past the end of a forked process
        os.write(2, f"{os.getpid()}: {error!r}\n".encode())
    finally:
        os._exit(code)


def ended(child: int, seconds: float) -> int | None:
    """Return how a process ended, below 0 by which signal; None if it was not done in time, and is killed."""
    deadline = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.001)


def waited(children: Iterable[int], seconds: float) -> list[str]:
    """Wait for processes; return what is wrong with them."""
    deadline = time.monotonic() + seconds
    codes = {child: ended(child, deadline - time.monotonic()) for child in children}
    return [
        f"process {child} " + ("was not done in time" if code is None else f"ended with {code}")
        for child, code in codes.items()
        if code != 0
    ]
