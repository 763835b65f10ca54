"""`python -m bench.tui`: how fast the terminal app is with 10,000 notes.

Two figures: from the start of the process to the first screen one can use (the list of notes is there), and
from a keystroke in the search to the list that answers it. The process is the real one, in a terminal of its
own; the keystrokes are timed inside the app, from the key event to the list that answers it. On a busy
machine (more load than processors) the start is judged by the processor time it took. Exits with 1 if a
target is missed. A home may be given: `python -m bench.tui HOME PROJECT`.
"""

from __future__ import annotations

import asyncio
import os
import pty
import select
import signal
import sys
import tempfile
import time
from pathlib import Path

from textual import events

from bench.__main__ import fill, median
from memolith import Mem
from memolith.edges.tui.app import Memolith

NOTES = 10_000
START, KEYSTROKE = 1_500.0, 50.0  # milliseconds
QUERIES = ("topic 4711", "what is known of 123", "fact number", "last topic")


def start(home: Path, project: Path, needle: bytes) -> tuple[float, float]:
    """Return the milliseconds until a real process has drawn the list: on the clock, and of a processor."""
    begin = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40", MEMOLITH_HOME=str(home))
        command = [sys.executable, "-m", "memolith", "tui", "--project", str(project)]
        os.execv(sys.executable, command)  # noqa: S606 - this very interpreter
    seen = b""
    try:
        while needle not in seen:
            if not select.select([terminal], [], [], 60)[0]:
                raise SystemExit(f"nothing was drawn within 60 s: {seen[-500:]!r}")
            seen += os.read(terminal, 65_536)
        took = (time.perf_counter() - begin) * 1000
    finally:
        os.kill(child, signal.SIGKILL)
        used = os.wait4(child, 0)[2]
        os.close(terminal)
    return took, (used.ru_utime + used.ru_stime) * 1000


async def keystrokes(mem: Mem) -> list[float]:
    """Return the milliseconds from each key to the list that answers what is typed by then."""
    app = Memolith(mem)
    times = []
    async with app.run_test(size=(120, 40)) as pilot:
        while app.shelf is None or not app.listing.rows:
            await pilot.pause()
        await pilot.press("slash", "x")  # the first question opens the index
        while any(not worker.is_finished for worker in app.workers):
            await pilot.pause()
        for query in QUERIES:
            app.field.value = ""
            await pilot.pause(0.1)
            for char in query:
                key = "space" if char == " " else char
                begin = time.perf_counter()
                drawn = app.answered
                app.post_message(events.Key(key, char))
                while app.answered == drawn and char != " ":  # noqa: ASYNC110 - it runs in this very loop
                    await asyncio.sleep(0.0005)
                times.append((time.perf_counter() - begin) * 1000)
                await pilot.pause(0.05)
    return times


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        if len(sys.argv) > 2:
            home, project = Path(sys.argv[1]), Path(sys.argv[2])
            mem = Mem.open(project, home=home, origin="user")
        else:
            home, project = Path(directory) / "home", Path(directory) / "project"
            project.mkdir()
            mem = fill(home, project, NOTES)
        mem.recall("topic", semantic=False)  # the index is there, as in daily life
        starts = [start(home, project, b"Notes (10,") for _ in range(5)]
        times = asyncio.run(keystrokes(mem))
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    wall, used = (median([each[at] for each in starts]) for at in (0, 1))
    print(f"start to list: {wall:.0f} ms on the clock, {used:.0f} ms of a processor")
    print(f"load {load:.1f} on {processors} processors")
    judged = used if load > processors else wall
    rows = [("start to list", judged, START), ("keystroke to answer", median(times), KEYSTROKE)]
    for name, value, target in rows:
        verdict = "ok" if value <= target else "MISSED"
        print(f"{name:<22} {value:>8.0f} ms   target {target:>6.0f} ms   {verdict}")
    print(f"slowest start {max(starts)[0]:.0f} ms, slowest keystroke {max(times):.0f} ms of {len(times)}")
    return int(any(value > target for _, value, target in rows))


if __name__ == "__main__":
    sys.exit(main())
