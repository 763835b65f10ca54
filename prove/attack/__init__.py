"""Attacks: what strangers, bad disks and other processes do to a memory, as rounds with counts.

A part is a module with `run(rounds, rng, tally)`, which yields after each round, and `BROKEN`: versions of
ours that are wrong on purpose. Each of those has to be caught by the part that it belongs to, or the run
proves nothing.
"""

import importlib
import random
from contextlib import AbstractContextManager, closing
from typing import Any

from prove.report import Stopwatch, Tally

# How many rounds a part has at most, and how many it may take to notice a broken version.
PARTS = {
    "code": (400, 80),
    "identity": (400, 300),
    "ways": (200, 80),
    "secrets": (600, 60),
    "reads": (100_000, 200),  # as many as there are calls
    "flips": (2000, 200),
    "forks": (200, 20),
}


def run(minutes: float, rounds: int, seed: int, only: str) -> Tally:
    """Attack in every way, or in `only` one, then let each broken version be caught."""
    tally = Tally(seed=seed)
    watch = Stopwatch(minutes)
    chosen = [name for name in PARTS if only in ("", name)]
    if not chosen:
        raise SystemExit(f"--only {only}: must be one of {', '.join(PARTS)}")
    for number, name in enumerate(chosen, start=1):
        most, patience = PARTS[name]
        part = importlib.import_module(f"prove.attack.{name}")
        wanted = min(rounds, most)
        with closing(part.run(wanted, random.Random(f"{seed} {name}"), tally)) as played:
            for done, _ in enumerate(played, start=1):
                if not watch.has_time(0.8 * number / len(chosen)):
                    tally.notes.append(f"{name}: {done} of {wanted} rounds in the time there was")
                    break
        if wanted < patience:
            tally.notes.append(f"{name}: too few rounds to catch a broken version")
            continue
        for each in part.BROKEN:
            _caught(name, part, each, patience, seed, tally)
    return tally


def _caught(name: str, part: Any, broken: Any, most: int, seed: int, tally: Tally) -> None:
    """Attack a broken version until that is noticed."""
    mine = Tally(seed=seed)
    rounds = part.run(most, random.Random(f"{seed} {name} broken"), mine)
    with broken if isinstance(broken, AbstractContextManager) else broken(), closing(rounds):
        noticed = any(mine.violations for _ in rounds) or mine.violations
    missed = [] if noticed else [f"not noticed in {mine.rounds} rounds"]
    tally.check("a broken version is caught", missed, f"{name}, {part.BROKEN.index(broken) + 1}, seed {seed}")
