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


def waited(children: Iterable[int], seconds: float) -> list[str]:
    """Wait for processes; return what is wrong with them. Who is not done in time is ended."""
    left, wrong, deadline = set(children), [], time.monotonic() + seconds
    while left:
        for each in list(left):
            found, status = os.waitpid(each, os.WNOHANG)
            if found:
                left.discard(each)
                code = os.waitstatus_to_exitcode(status)
                wrong += [f"process {each} ended with {code}"] if code else []
        if left and time.monotonic() > deadline:
            for each in left:
                os.kill(each, signal.SIGKILL)
                os.waitpid(each, 0)
            return [*wrong, f"{len(left)} processes were not done after {seconds:g} seconds"]
        time.sleep(0.002)
    return wrong
