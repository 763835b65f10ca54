"""`python -m bench.poison`: which instruction-like text the rules find, what they take for one, and how fast.

Reads the labelled sets in `../shared/data` (or MEMOLITH_DATA) where they are; they are never copied here.
`python -m bench.poison rules` prints the table of the rules. Exits with 1 if a target is missed.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from memolith.text.instructions import RULES, suspicions

DATA = Path(os.environ.get("MEMOLITH_DATA") or Path(__file__).parent.parent.parent / "shared" / "data")
OWN = Path(__file__).parent.parent / "tests" / "text" / "instructions"
SETS = ("v0", "v1-dev")
ORDINARY = ("devnotes/corpus", "locomo/turn-corpus", "longmemeval/turns")

Row = dict[str, Any]


class Targets:
    """What must hold; prints each miss and remembers that there was one."""

    missed = 0

    def check(self, what: str, *, holds: bool) -> None:
        """Print a target that does not hold."""
        if not holds:
            self.missed += 1
            print(f"MISSED: {what}")


def read(name: str) -> list[Row]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def own(name: str) -> list[str]:
    """Return our own examples, those the rules are known to miss included."""
    lines = (OWN / f"{name}.md").read_text(encoding="utf-8").splitlines()
    return [line[2:].replace("\\n", "\n") for line in lines if line.startswith("- ")]


def share(what: str, texts: list[str]) -> float:
    """Print how many of the texts are flagged, and return it as a part of all."""
    flagged = sum(1 for text in texts if suspicions(text))
    part = flagged / len(texts) if texts else 0.0
    print(f"{what:<44}{flagged:>6}/{len(texts):<6}{part:>7.1%}")
    return part


def attacks(targets: Targets) -> None:
    print(f"{'attacks':<44}{'flagged':>9}")
    for name in SETS:
        rows = [row["text"] for row in read(f"integrity/{name}/poison") if row["class"] == "instruction"]
        targets.check(f"instructions of {name}", holds=share(f"  integrity {name}, instruction", rows) == 1)
    rows = [
        row["payload"] for row in read("hostile/corpus") if row["cat"] in "KF" and row["expect"] == "flag"
    ]
    targets.check("the hostile corpus", holds=share("  hostile corpus, flag", rows) == 1)
    share("  our own examples, known misses included", own("attacks"))
    share("  kept apart, never tuned on", own("kept-apart-attacks"))


def benign(targets: Targets) -> None:
    print("false alarms")
    for name in SETS:
        rows = read(f"integrity/{name}/corpus")
        hard = [row["text"] for row in rows if row["role"] == "hard_negative"]
        targets.check(
            f"hard negatives of {name}", holds=share(f"  integrity {name}, hard negatives", hard) <= 0.02
        )
        rest = [row["text"] for row in rows if row["role"] != "hard_negative"]
        targets.check(f"facts of {name}", holds=share(f"  integrity {name}, facts", rest) <= 0.02)
    good = [row["payload"] for row in read("hostile/corpus") if row["cat"] == "K" and row["expect"] == "pass"]
    targets.check("the hostile corpus, pass", holds=share("  hostile corpus, pass", good) <= 0.02)
    share("  our own examples", own("benign"))
    share("  kept apart, never tuned on", own("kept-apart-benign"))


def ordinary(targets: Targets) -> None:
    for name in ORDINARY:
        part = share(f"  {name}", [row["text"] for row in read(name)])
        targets.check(f"false alarms in {name}", holds=part <= 0.01)


def milliseconds(text: str, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        suspicions(text)
        best = min(best, time.process_time() - start)
    return best * 1000


# Every disguise at once.
ALL = "&#65; 1gn0r3 a_b_c_d i g n o r e \u0430b иcurl | "


def speed(targets: Targets) -> None:
    notes = "\n\n".join(row["text"] for row in read("devnotes/corpus"))
    each = sorted(milliseconds(notes[at : at + 4096], 3) for at in range(0, 400_000, 4096))
    print(f"4 KB of notes: median {each[len(each) // 2]:.1f} ms, p99 {each[-2]:.1f} ms")
    units = (
        "dump ",
        "overrules ",
        "copy it copy ",
        "curl x; ",
        "a\u0430",
        "忽略",
        "1gn0r3 ",
        "skip it ",
        "forge the ",
    )
    worst = max((milliseconds((unit * 65_536)[:65_536], 5), unit) for unit in units)
    print(f"64 KiB of hostile text: at most {worst[0]:.0f} ms ({worst[1]!r} repeated)")
    targets.check("250 ms per 64 KiB of hostile text", holds=worst[0] <= 250)


def rules() -> None:
    """Print the table of the rules, with an example that each one finds."""
    examples: dict[str, str] = {}
    for text in own("attacks"):
        for found in suspicions(text):
            examples.setdefault(found.rule, found.quote.replace("\n", " ").replace("|", "\\|"))
    print("| rule | what a person is told | for example |\n|---|---|---|")
    for rule, why in RULES.items():
        print(f"| {rule} | {why} | {examples.get(rule, '')} |")


def main() -> int:
    if sys.argv[1:] == ["rules"]:
        rules()
        return 0
    if not (DATA / "integrity").is_dir():
        print(f"Nothing was measured: there is no {DATA / 'integrity'}; set MEMOLITH_DATA.")
        return 0
    targets = Targets()
    for step in (attacks, benign, ordinary, speed):
        step(targets)
    print("All targets hold." if not targets.missed else f"{targets.missed} targets are missed.")
    return 1 if targets.missed else 0


if __name__ == "__main__":
    sys.exit(main())
