"""Attacks: what strangers, bad disks and other processes do to a memory, as rounds with counts.

A part is a module with `run(rounds, rng, tally)` and `BROKEN`: versions of ours that are wrong on purpose.
Each of those has to be caught by the part that it belongs to, or the run proves nothing.
"""

import importlib
import random
from contextlib import AbstractContextManager
from typing import Any

from prove.report import Stopwatch, Tally

# How many rounds a part has by default, and how many it may take to notice a broken version.
PARTS = {
    "code": (400, 40),
    "identity": (240, 200),
    "ways": (200, 80),
    "secrets": (600, 60),
    "reads": (400, 200),
    "flips": (2000, 200),
    "forks": (200, 20),
}
_STEP = 20  # rounds between two looks at the clock


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
        done = 0
        rng = random.Random(f"{seed} {name}")
        while done < wanted and watch.has_time(0.8 * number / len(chosen)):
            step = min(_STEP, wanted - done)
            part.run(step, rng, tally)
            done += step
        if done < wanted:
            tally.notes.append(f"{name}: {done} of {wanted} rounds in the time there was")
        if wanted < patience:
            tally.notes.append(f"{name}: too few rounds to catch a broken version")
            continue
        for each in part.BROKEN:
            _caught(name, part, each, patience, seed, tally)
    return tally


def _caught(name: str, part: Any, broken: Any, most: int, seed: int, tally: Tally) -> None:
    """Attack a broken version until that is noticed."""
    mine = Tally(seed=seed)
    rng = random.Random(f"{seed} {name} broken")
    done = 0
    with broken if isinstance(broken, AbstractContextManager) else broken():
        while done < most and not mine.violations:
            part.run(min(_STEP, most - done), rng, mine)
            done += _STEP
    missed = [] if mine.violations else [f"not noticed in {done} rounds"]
    tally.check("a broken version is caught", missed, f"{name}, {part.BROKEN.index(broken) + 1}, seed {seed}")
