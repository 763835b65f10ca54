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

    def answered(self) -> dict[str, int]:
        """Return how many questions of each other domain get an answer."""
        return {
            other: sum(bool(self.corpus.ranking(row, "turn")) for row in rows)
            for other, rows in self.foreign.items()
        }

    def found(self) -> float:
        """Return any@10 of the memory's own questions."""
        return mean(measures(self.corpus.ranking(row, "turn"), row) for row in self.own)["any@10"]


def main() -> int:
    lexical = "--lexical" in sys.argv  # without vectors, even if the extra is installed
    choice = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="memolith-unrelated-") as directory:
        domains = [Domain(name, Path(directory, name), choice, semantic=not lexical) for name in SETS]
        weight = "ANSWER" if lexical else "NEAR"
        print("| threshold | answered | " + " | ".join(f"own: {each.name}" for each in domains) + " |")
        print("|---|---|" + "---|" * len(domains))
        answered = [count for each in domains for count in each.answered().values()]
        total, asked_ = sum(answered), EACH * len(answered)
        kept = [f"{(found := each.found()):.3f} ({found / each.best:.1%} kept)" for each in domains]
        name = f"{weight} {getattr(weights, weight):.3f}"
        print(f"| {name} | {total} of {asked_} ({total / asked_:.1%}) | {' | '.join(kept)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
