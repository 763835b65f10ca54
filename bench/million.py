"""A memory of a million units: mostly turns of sessions, as years of work with agents leave them.

4,000 sessions of 240 turns and 40,000 notes are 44,000 files: a file for each unit would measure the file
system, and nobody has a million notes. A turn has about 35 words, a note about 90.
"""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

from bench import costs, scale
from bench.corpora import session_file
from bench.notes import Text, fill
from bench.scoring import Table
from memolith import Mem
from memolith.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.results import Row

TURNS = 240
SHARE = 25  # one unit of so many is a note


def sessions(slug: str, directory: Path, count: int, text: Text) -> Iterator[str]:
    """Write sessions of so many turns in all; yield what was said."""
    directory.mkdir(parents=True, mode=0o700)
    length = random.Random(11)
    for number in range(count // TURNS):
        turns = [
            {
                "role": "assistant" if turn % 2 else "user",
                "text": " ".join(text.words(8 + int(length.expovariate(1 / 27)))) + ".",
            }
            for turn in range(TURNS)
        ]
        name, started = f"s{number:05}", f"2026-{1 + number % 10:02}-{1 + number % 28:02}T09:00:00Z"
        (directory / f"bench-{name}.jsonl.gz").write_bytes(session_file(name, slug, started, turns))
        yield from (turn["text"] for turn in turns)


def measure(home: Path, units: int = 1_000_000, asked: int = 60) -> Row:
    """Make the memory, index it, ask it; return the figures."""
    text = Text()
    mem = Mem.open(scale.WORK, home=home)
    scopes = ["", mem.project]
    notes, size = fill(mem, units // SHARE, text)
    turns = home / "sessions" / mem.project
    said = list(sessions(mem.project, turns, units - units // SHARE, text))
    queries = scale.questions(text)[:asked]
    shell = ["--home", str(home), "--project", scale.WORK]
    cpu, wall = scale.spent(), time.perf_counter()
    resident = costs.peak(costs.COMMAND, *shell, "index", "sync", MEMOLITH_SEMANTIC_PROVIDER="none")
    got: Row = {
        "index_cpu_s": scale.spent() - cpu,
        "index_wall_s": time.perf_counter() - wall,
        "index_memory_mb": resident,
    }
    state = mem.index.sync(scopes)
    got |= {
        "units": state.units,
        "files": state.files,
        "text_mb": (size + sum(len(each) for each in said)) / costs.MEGABYTE,
        "files_mb": _size(notes, turns) / costs.MEGABYTE,
        "index_mb": os.path.getsize(mem.index.path) / costs.MEGABYTE,
        "recall_memory_mb": costs.peak(costs.COMMAND, *shell, "recall", queries[0]),
    }
    walks, syncs = [], []
    for _ in range(5):
        walks.append(sum(scale.cpu(scale.walk, each) for each in (notes, turns)))
        with Index(str(home)) as fresh:
            syncs.append(scale.cpu(fresh.sync, scopes))
    mem.index.sync(scopes)
    got |= {
        "sync_ms": scale.percentile(syncs, 0.5),
        "walk_ms": scale.percentile(walks, 0.5),
        "long_lived_sync_ms": scale.percentile([scale.cpu(mem.index.sync, scopes) for _ in range(20)], 0.5),
    }
    start = time.process_time()
    plain = Table([*scale.texts(notes), *said])
    got["plain_build_cpu_s"] = time.process_time() - start
    recalls, plains = [], []
    for query in queries:
        recalls.append(scale.cpu(lambda query: mem.recall(query, semantic=False), query))
        plains.append(scale.cpu(plain.best, query, 10))
    for name, values in (("recall", recalls), ("plain", plains)):
        got[f"{name}_p50_ms"] = scale.percentile(values, 0.5)
        got[f"{name}_p95_ms"] = scale.percentile(values, 0.95)
    mem.close()
    return got


def _size(*directories: Path) -> int:
    return sum(entry.stat().st_size for directory in directories for entry in os.scandir(directory))
