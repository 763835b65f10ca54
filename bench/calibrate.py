"""`python -m bench.calibrate [--lexical]`: whether of the hits with a score of 0.8 eight of ten are right.

Asks the public sets, takes the first five hits of each question, and prints for each range of scores how many
are right: as it is, and with a map that was fitted without the set that is asked.
"""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import pairwise, product
from math import exp, log
from pathlib import Path

from bench import table
from bench.corpora import Corpus, public
from bench.scoring import asked
from memolith.recall import weights

Point = tuple[float, bool]  # the evidence of a hit, and whether it is right
Map = tuple[float, float, float]  # centre, slope below it, slope above it

_HITS = 5
_MOST = 300  # questions of a set
_EDGES = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
_BELOW, _ABOVE = (2.6, 3.0, 3.4, 3.8, 4.2), (0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 2.6, 3.4)  # slopes to choose from


def points(name: str, base: Path, *, semantic: bool, now: Map) -> list[Point]:
    """Return the best hits of a set's questions."""
    corpus_name, questions, level = table.SETS[name][:3]
    corpus = Corpus(public(corpus_name), base, semantic=semantic)
    corpus.prepare()
    rows = [row for row in public(questions) if asked(row)]
    found: list[Point] = []
    for row in rows[:: -(-len(rows) // _MOST)]:
        memory = corpus.memories[row["haystack"]]
        for hit in memory.recall(row["query"], limit=_HITS, semantic=semantic):
            right = set(row["gold"]).intersection(corpus.identities(row["haystack"], hit, level))
            found.append((evidence(hit.score, now), bool(right)))
    return found


def evidence(score: float, now: Map) -> float:
    """Return the evidence that a score stands for."""
    score = min(max(score, 0.0001), 0.9999)
    return now[0] + log(score / (1 - score)) / now[1 if score < 0.5 else 2]


def probability(x: float, by: Map) -> float:
    return 1 / (1 + exp(min(30.0, by[1 if x < by[0] else 2] * (by[0] - x))))


def fitted(sets: list[list[Point]], centre: float) -> Map:
    """Return the likeliest map; every set counts alike."""

    def likelihood(by: Map) -> float:
        return sum(
            sum(log(max(1e-9, p if right else 1 - p)) for x, right in mine for p in [probability(x, by)])
            / len(mine)
            for mine in sets
        )

    steps = [centre + step / 25 for step in range(-3, 4)]
    return max(product(steps, _BELOW, _ABOVE), key=likelihood)


def main() -> int:
    semantic = "--lexical" not in sys.argv[1:]
    centre = weights.CENTRE_WITH_MEANING if semantic else weights.CENTRE
    now = (centre, weights.SLOPE, weights.SLOPE_ABOVE)
    data: dict[str, list[Point]] = {}
    for name in (each for each in table.SETS if each != "LoCoMo, sessions"):
        began = time.process_time()
        with tempfile.TemporaryDirectory(prefix="memolith-calibrate-") as directory:
            data[name] = points(name, Path(directory), semantic=semantic, now=now)
        print(f"{name}: {len(data[name])} hits, {time.process_time() - began:.0f} s CPU", file=sys.stderr)
    left = {name: fitted([data[each] for each in data if each != name], centre) for name in data}
    print(f"fitted on all sets (centre, slopes): {fitted(list(data.values()), centre)}; now: {now}\n")
    print(
        "| score | hits | mean score | right | fitted without the set: hits | mean | right |\n"
        + "|---" * 7
        + "|"
    )
    for low, high in pairwise(_EDGES):
        cells = [f"{low:.1f} to {min(high, 1.0):.1f}"]
        for by in (dict.fromkeys(data, now), left):
            scored = [(probability(x, by[name]), right) for name in data for x, right in data[name]]
            here = [each for each in scored if low <= each[0] < high]
            mean = [f"{sum(part) / len(here):.2f}" for part in zip(*here, strict=True)] or ["–", "–"]
            cells += [str(len(here)), *mean]
        print("| " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
