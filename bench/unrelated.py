"""`python -m bench.unrelated`: questions of one domain asked of another's memory must get no answer.

Asks developers', chat and science questions of memories about something else, and the same questions of their
own memory with and without the threshold. Reads the public sets in `../shared/data` (or MEMOLITH_DATA).
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from bench import table
from bench.corpora import Corpus, Row, public
from bench.scoring import asked, mean, measures
from bench.table import NO_THRESHOLD, weighed
from memolith.recall import weights

SETS = {"notes": "devnotes, as typed", "chat": "LoCoMo, turns", "science": "SciFact"}
EACH = 34  # questions of each domain to each other one: 204 in all
SEED = 7


def questions(name: str) -> list[Row]:
    return [row for row in public(table.SETS[SETS[name]][1]) if asked(row)]


class Domain:
    """A memory, questions of other domains for it, and its own."""

    def __init__(self, name: str, base: Path, choice: random.Random, *, semantic: bool) -> None:
        self.name = name
        self.corpus = Corpus(public(table.SETS[SETS[name]][0]), base, semantic=semantic)
        self.corpus.prepare()
        self.foreign: dict[str, list[Row]] = {}
        for other in SETS:
            if other != name:
                rows = choice.sample(questions(other), EACH)
                places = [choice.choice(sorted(self.corpus.memories)) for _ in rows]
                self.foreign[other] = [
                    {**row, "haystack": place} for row, place in zip(rows, places, strict=True)
                ]
        self.own = questions(name)[:: 3 if name == "chat" else 1]
        with weighed(NO_THRESHOLD):
            self.best = self.found()

    def answered(self) -> tuple[int, int]:
        """Return how many questions of other domains get an answer, and how many one that is not weak."""
        rows = [row for foreign in self.foreign.values() for row in foreign]
        found = [
            self.corpus.memories[row["haystack"]].recall(row["query"], semantic=self.corpus.semantic)
            for row in rows
        ]
        return sum(bool(each.hits) for each in found), sum(
            any(not hit.weak for hit in each.hits) for each in found
        )

    def found(self) -> float:
        """Return any@10 of the memory's own questions."""
        return mean(measures(self.corpus.ranking(row, "turn"), row) for row in self.own)["any@10"]


def main() -> int:
    lexical = "--lexical" in sys.argv  # without vectors, even if the extra is installed
    choice = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="memolith-unrelated-") as directory:
        domains = [Domain(name, Path(directory, name), choice, semantic=not lexical) for name in SETS]
        weight = "ANSWER" if lexical else "NEAR"
        print(
            "| threshold | answered | not as weak | "
            + " | ".join(f"own: {each.name}" for each in domains)
            + " |"
        )
        print("|---|---|---|" + "---|" * len(domains))
        counts = [each.answered() for each in domains]
        asked_ = sum(len(rows) for each in domains for rows in each.foreign.values())
        shares = [
            f"{(total := sum(row))} of {asked_} ({total / asked_:.1%})" for row in zip(*counts, strict=True)
        ]
        kept = [f"{(found := each.found()):.3f} ({found / each.best:.1%} kept)" for each in domains]
        print(f"| {weight} {getattr(weights, weight):.3f} | {' | '.join([*shares, *kept])} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
