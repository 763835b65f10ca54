"""`python -m bench.flat [NOTES]`: what must not grow with memory, and the first look at its meaning.

A new note and a rare word at 100 notes and at NOTES (100,000), in interpreter starts, too; the vectors of
1,000 notes of 50 words, if MEMOLITH_SEMANTIC_MODEL names the weights. CPU times: the machine may be busy.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.corpora import public
from bench.notes import Text, fill
from bench.scale import child, cpu
from memolith import Mem
from memolith.index.vectors import install

RARE = "quibblefrotz"
ROUNDS = 15


def grown(base: Path, size: int) -> str:
    """Measure a memory of some size."""
    start = median(child(sys.executable, "-c", "pass")[0] for _ in range(ROUNDS))
    with Mem.open(base, home=base / f"home-{size}") as mem:
        directory, _ = fill(mem, size, Text())
        (directory / "rare.md").write_text(f"The {RARE} is here.\n", encoding="utf-8")
        mem.index.sync(["", mem.project])
        mem.remember("The first one.", "First")
        note = median(cpu(mem.remember, "x" * 500, f"The note {number}") for number in range(ROUNDS))
        assert len(mem.search(RARE).hits) == 1
        found = median(cpu(mem.search, RARE) for _ in range(ROUNDS))
    told = [f"{what} {ms:.1f} ms ({ms / start:.2f} starts)" for what, ms in (("note", note), ("word", found))]
    return f"{size:>7} notes: {', '.join(told)}"


def embedded(base: Path) -> str:
    """Measure the vectors of 1,000 notes of 50 words."""
    with Mem.open(base, home=base / "home-of-meaning") as mem:
        if not install.find(mem.settings):
            return "no weights: meaning was not measured"
        directory, _ = fill(mem, 0, Text())
        for number, row in enumerate(public("devnotes/corpus")[:1000]):
            said = " ".join(row["text"].split()[:50])
            (directory / f"note-{number}.md").write_text(f"{said}\n", encoding="utf-8")
        mem.index.sync(["", mem.project])
        took = cpu(mem.vectors.sync, ["", mem.project])
        return f"{mem.vectors.sync(['', mem.project])}: {took / 1000:.1f} s"


def main() -> None:
    """Measure and print."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="memolith-flat-") as directory:
        print(embedded(Path(directory)), flush=True)
        for size in (100, most):
            print(grown(Path(directory), size), flush=True)


if __name__ == "__main__":
    main()
