"""A host forks while its threads use a memory: nobody may wait for a lock that nobody will give back.

In each round a host process opens a memory, lets threads write, recall or both, and makes children in one of
the ways that programs do: plain forks (as servers do before they serve), forks of forks, out of asyncio,
inside a lock, `multiprocessing` by fork, forkserver and spawn. Children write, ask, are idle, close what they
inherited, or end at once. Meanwhile somebody outside writes, once more after the host was killed. What was
acknowledged must be in its file, once.
"""

import asyncio
import contextlib
import fcntl
import gc
import multiprocessing
import os
import select
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from memolith import BusyError, Mem
from memolith.store import locks
from prove.ask import Place
from prove.crowd import Notes, forked, waited
from prove.report import Tally
from prove.world import scratch

_ENOUGH = 15.0  # seconds in which every child must be done
_PATIENCE = "3"  # seconds for a lock, of whoever is outside
_THREADS = ("write", "recall", "write and recall", "sync")
_CHILDREN = ("write", "recall", "write and recall", "idle", "exit", "close")
_WAYS = (
    *("fork", "fork", "fork", "nested", "inside a lock", "asyncio", "multiprocessing fork"),
    *("fork", "fork", "fork", "nested", "inside a lock", "asyncio", "multiprocessing fork"),
    *("multiprocessing spawn", "multiprocessing forkserver"),  # half a second each
)


def run(rounds: int, rng: Random, tally: Tally) -> Iterator[None]:
    """Let a host fork, again and again."""
    os.environ["MEMOLITH_LOCK_SECONDS"] = _PATIENCE
    try:
        for number in range(rounds):
            with scratch() as base:
                _round(base, number, rng, tally)
            yield
    finally:
        del os.environ["MEMOLITH_LOCK_SECONDS"]


class _Place(Place):
    """Where a round happens, and what everybody in it told."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.notes = Notes(base / "told")

    def act(self, mem: Mem, deed: str, who: str) -> None:
        """Do something with a memory, and tell when it is done."""
        if "write" in deed:
            line = f"- [ ] {who} {os.getpid()} {time.monotonic_ns()}"
            mem.write("scratchpad", line)
            self.notes.add("wrote", line)
        if "recall" in deed:
            mem.recall("queue worker", semantic=False)
        if deed == "sync":
            mem.index.rebuild(["", mem.project])

    def child(self, mem: Mem | None, deed: str) -> None:
        """Be a child: do something, or nothing until the end."""
        self.notes.add("child", os.getpid())
        if deed == "idle":
            time.sleep(60)
        if deed == "close" and mem is not None:
            mem.close()
            gc.collect()
        for _ in range(2 if deed not in ("exit", "close") else 0):
            self.act(mem or self.open(), deed, "child")
        self.notes.add("done", os.getpid())


def _round(base: Path, number: int, rng: Random, tally: Tally) -> None:
    place = _Place(base)
    way, threads, child = rng.choice(_WAYS), rng.choice(_THREADS), rng.choice(_CHILDREN)
    about = f"round {number}: {way}, threads {threads}, children {child}"
    tally.round(f"{way}; children {child}")
    ready, tell = os.pipe()
    host = forked(lambda: _host(place, way, threads, child, rng.random() * 0.02, tell))
    os.close(tell)
    wrong = [] if select.select([ready], [], [], _ENOUGH)[0] and os.read(ready, 1) == b"r" else ["it hangs"]
    os.close(ready)
    tally.check("a host that forks goes on", wrong, about)
    idle = child == "idle" or bool(wrong)
    tally.check("nobody outside waits for a child", _outside(place, "beside"), about)
    os.kill(host, signal.SIGKILL)
    os.waitpid(host, 0)
    tally.check("nobody outside waits for the child of a dead host", _outside(place, "after"), about)
    children, done = place.notes.of("child"), set(place.notes.of("done"))
    hanging = [each for each in children if each not in done and not idle]
    tally.check("no child hangs", [f"child {each} is not done" for each in hanging], about)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(host, signal.SIGKILL)  # children of children too
    written = place.home.glob("memory/projects/*/SCRATCHPAD.md")  # none if everybody hangs
    often = Counter(line for path in written for line in path.read_text().splitlines())
    lost = [f"{often[line]} times: {line}" for line in place.notes.of("wrote") if often[line] != 1]
    tally.check("what was acknowledged is there once", lost[:3], about)


def _outside(place: _Place, who: str) -> list[str]:
    """Write from a process that has nothing to do with the host."""
    child = forked(lambda: place.act(place.open(), "write and recall", who))
    return waited({child}, _ENOUGH)


def _host(place: _Place, way: str, threads: str, child: str, pause: float, tell: int) -> None:
    os.setpgrp()
    mem = place.open()
    for number in range(12):
        mem.remember(f"The worker reads queue {number}.", f"Queue {number}")
    mem.recall("queue", semantic=False)  # all is imported, and the index is open
    acts = [0, 0]

    def work(which: int) -> None:
        while True:
            with contextlib.suppress(BusyError):  # told, on a busy machine; but it must go on in the end
                place.act(mem, threads, f"thread {which}")
                acts[which] += 1

    if way == "asyncio":
        asyncio.run(_loop(place, mem, threads, child))
    else:
        for which in range(2):
            threading.Thread(target=work, args=(which,), daemon=True).start()
        _until(lambda: all(acts))
        time.sleep(pause)
        _children(place, mem, way, child)
        before = list(acts)
        _until(lambda: all(now > then for now, then in zip(acts, before, strict=True)))
    os.write(tell, b"r")
    time.sleep(60)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _ENOUGH
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.001)
    if not holds():
        raise TimeoutError("a thread of the host does not go on")


def _children(place: _Place, mem: Mem, way: str, deed: str) -> None:
    """Make three children and wait for those that do something."""
    kind = way.partition("multiprocessing ")[2]
    if kind:
        context: Any = multiprocessing.get_context(kind)
        shared = mem if kind == "fork" else None  # the others open it: it cannot be sent
        made = [context.Process(target=place.child, args=(shared, deed)) for _ in range(3)]
        for process in made:
            process.start()
        for process in made:
            if deed != "idle":
                process.join(_ENOUGH)
        _until(lambda: len(place.notes.of("child")) == len(made))
        return

    def act() -> None:
        if way == "nested":
            inner = {forked(lambda: place.child(mem, deed))}
            if deed != "idle":
                waited(inner, _ENOUGH)
        place.child(mem, deed)

    hold = locks.locked(mem.home, mem.project, 5.0) if way == "inside a lock" else contextlib.nullcontext()
    with hold:
        workers = {forked(act) for _ in range(3)}
    if deed != "idle":
        waited(workers, _ENOUGH)


async def _loop(place: _Place, mem: Mem, threads: str, deed: str) -> None:
    asking = [asyncio.to_thread(place.act, mem, threads, f"task {number}") for number in range(6)]
    tasks = [asyncio.create_task(each) for each in asking]
    await asyncio.sleep(0.005)
    made = {forked(lambda: place.child(mem, deed)) for _ in range(3)}
    if deed != "idle":
        await asyncio.to_thread(waited, made, _ENOUGH)
    await asyncio.wait_for(asyncio.gather(*tasks), _ENOUGH)


def _never_unlocks(fd: int, operation: int, real: Callable[[int, int], None] = fcntl.flock) -> None:
    if operation != fcntl.LOCK_UN:
        real(fd, operation)


@contextlib.contextmanager
def _inherits() -> Iterator[None]:
    """Leave everything open in the child, and give locks back only by closing their files."""
    with patch.multiple(locks, _owners=[], watch_forks=lambda _: None), patch("fcntl.flock", _never_unlocks):
        yield


BROKEN: tuple[Any, ...] = (_inherits,)
