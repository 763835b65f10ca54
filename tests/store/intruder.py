"""Programs that the tests of file safety run as processes of their own: `python -m tests.store.intruder`."""

import contextlib
import ctypes
import io
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.shared import ROOT


def exchange(one: str, other: str) -> None:
    """Swap two names in one system call, so that there is always something at both."""
    at_cwd, rename_exchange = -100, 2
    library = ctypes.CDLL(None, use_errno=True)
    if library.renameat2(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), rename_exchange):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), one)


def _swap(one: str, other: str) -> None:
    """Swap two names as fast as possible, until standard input ends; say how often."""
    at_cwd, rename_exchange = -100, 2
    call = ctypes.CDLL(None).renameat2
    first, second, count = os.fsencode(one), os.fsencode(other), 0
    print("ready", flush=True)
    while not select.select([0], [], [], 0)[0]:
        for _ in range(64):
            count += call(at_cwd, first, at_cwd, second, rename_exchange) == 0
    print(count)


def _probe(*commands: str) -> None:
    """Run commands in this process; say how each ended, how long it took, and the most memory used."""
    from memolith.edges.cli import main

    done = []
    for command in commands:
        out, begun, worked = io.StringIO(), time.perf_counter(), time.process_time()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = main(json.loads(command))
        worked = time.process_time() - worked
        done.append([code, worked, time.perf_counter() - begun, out.getvalue()])
    status = Path("/proc/self/status").read_text(encoding="ascii")
    most = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    print(json.dumps({"done": done, "kilobytes": int(most)}))


@contextlib.contextmanager
def swapping(one: Path, other: Path) -> Iterator[list[int]]:
    """Swap two names all the time; the list has the number of swaps afterwards."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.store.intruder", "swap", str(one), str(other)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    count: list[int] = []
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        yield count
        count.append(int(worker.communicate(timeout=60)[0]))
    finally:
        worker.kill()
        worker.wait(60)


class Probe:
    """What commands did in a process of their own."""

    def __init__(self, home: Path, project: Path, commands: list[list[str]]) -> None:
        self.commands = commands
        words = [
            json.dumps([*command, "--home", str(home), "--project", str(project)]) for command in commands
        ]
        done = subprocess.run(
            [sys.executable, "-m", "tests.store.intruder", "probe", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        self.codes: dict[str, int] = {}
        self.working: dict[str, float] = {}  # seconds
        self.waiting: dict[str, float] = {}
        self.output: dict[str, str] = {}
        for command, (code, worked, took, output) in zip(commands, said["done"], strict=True):
            name = " ".join(command)
            self.codes[name], self.output[name] = code, output
            # `doctor` scans all that it reads for secrets, with `--fix` twice. A busy machine doubles what a
            # command takes, or more.
            rounds = 4 if "--fix" in command else 2 if "doctor" in command else 1
            self.working[name] = worked / rounds
            self.waiting[name] = took - 5 * worked
        self.megabytes = said["kilobytes"] / 1024


if __name__ == "__main__":
    work: dict[str, Callable[..., None]] = {"swap": _swap, "probe": _probe}
    work[sys.argv[1]](*sys.argv[2:])
