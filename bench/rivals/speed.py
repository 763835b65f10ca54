"""The jobs that take times: starting, writing one note, taking in many files, searching them."""

from __future__ import annotations

import os
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from bench.rivals.stand import Figures, Stand, against_bare, notes, within
from bench.rivals.talking import Failed, Talk

SYNCS = "fsync,fdatasync,sync_file_range,msync,syncfs"
TRACED = 10


def start(stand: Stand) -> Figures:
    """From nothing to the first answer: on the command line, and in a process that imports and opens it."""
    name, text = notes(1)[0]
    with stand.talk() as talk:
        talk.ask("fill", stand.amounts.limit, scope="main", rows=[[name, text]])
    word = text.split()[-2]

    def process() -> None:
        with stand.talk() as talk:
            talk.ask("ready", stand.amounts.limit)
            if name not in talk.ask("find", stand.amounts.limit, query=word, top=10):
                raise Failed("it did not find the one note")

    stand.shell(word)  # caches and byte code are warm for everyone
    return {"shell": against_bare(stand, lambda: stand.shell(word)), "process": against_bare(stand, process)}


def write(stand: Stand) -> Figures:
    """One note, from the call to the acknowledgement; next to a bare durable write on the same disk."""
    rows = notes(stand.amounts.writes + TRACED, seed=11)
    with stand.talk() as talk:
        talk.ask("ready", stand.amounts.limit)
        talk.ask("write", stand.amounts.limit, name="first", text=rows[0][1])
        times, cpus, floors = [], [], []
        with tempfile.TemporaryDirectory(dir=stand.home) as place:
            for name, text in within(stand.amounts.patience, rows[TRACED:]):
                _, took, cpu = talk.timed("write", stand.amounts.limit, name=name, text=text)
                times.append(took)
                cpus.append(cpu)
                floors.append(durable(Path(place), name, text))
        p50 = statistics.median(times)
        return {
            "ms": p50 * 1000,
            "cpu_ms": statistics.mean(cpus) * 1000,
            "ratio": p50 / statistics.median(floors),
            "floor_ms": statistics.median(floors) * 1000,
            "writes": len(times),
            "syncs": syncs(talk, rows[:TRACED], stand.amounts.limit),
        }


def durable(place: Path, name: str, text: str) -> float:
    """Return the seconds of a write that survives a power loss: temporary file, sync, rename, sync."""
    begin = time.perf_counter()
    temporary = place / f"{name}.tmp"
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(place / name)
    directory = os.open(place, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
    return time.perf_counter() - begin


def syncs(talk: Talk, rows: list[tuple[str, str]], limit: float) -> float | None:
    """Return how often the process syncs for one write; None where strace cannot look."""
    if shutil.which("strace") is None:
        return None
    with tempfile.NamedTemporaryFile() as log:
        command = ["strace", "-f", "-e", f"trace={SYNCS}", "-o", log.name, "-p", str(talk.process.pid)]
        tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert tracer.stderr
            if "attached" not in tracer.stderr.readline():
                return None
            for name, text in rows:
                talk.ask("write", limit, name=f"traced-{name}", text=text)
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.communicate()
        calls = Path(log.name).read_text(errors="replace").splitlines()
    return sum("sync(" in call or "sync_file_range(" in call for call in calls) / len(rows)


def sync(stand: Stand) -> Figures:
    """Files that lie in a folder become searchable."""
    with stand.talk() as talk:
        folder = Path(talk.ask("folder", scope="main"))
        for name, text in notes(stand.amounts.files):
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
        _, took, cpu = talk.timed("sync", stand.amounts.limit, scope="main")
    return {"seconds": took, "cpu": cpu, "files": stand.amounts.files}


def search(stand: Stand) -> Figures:
    """Ask for four words of a note, among all that `sync` took in; then memory, then the command line."""
    chosen = random.Random(5)
    rows = notes(stand.amounts.files)
    asked = [
        (name, text.partition("\n\n")[2]) for name, text in chosen.choices(rows, k=stand.amounts.questions)
    ]
    questions = [(name, " ".join(chosen.sample(text.rstrip(".\n").split(), 4))) for name, text in asked]
    with stand.talk() as talk:
        talk.ask("ready", stand.amounts.limit)
        for _, query in questions[:3]:
            talk.ask("find", stand.amounts.limit, query=query, top=10)
        times, cpus, found = [], [], 0
        for name, query in within(stand.amounts.patience, questions):
            answer, took, cpu = talk.timed("find", stand.amounts.limit, query=query, top=10)
            times.append(took)
            cpus.append(cpu)
            found += name in answer
        times.sort()
        megabytes = talk.megabytes()
    return {
        "cpu_ms": statistics.mean(cpus) * 1000,
        "p50_ms": statistics.median(times) * 1000,
        "p95_ms": times[int(len(times) * 0.95)] * 1000,
        "found": found / len(times),
        "questions": len(times),
        "megabytes": megabytes,
        "shell": against_bare(stand, lambda: stand.shell(questions[0][1])),
    }
