"""`python -m bench.unrelated`: questions of one domain asked of another's memory must get no answer.

Asks developers', chat and science questions of memories about something else, and the same questions of their
own memory with and without the threshold. Reads the public sets in `../shared/data` (or MEMOLITH_DATA).
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from bench.corpora import Corpus, Row, read
from bench.scoring import asked, mean, measures
from bench.secrets import DATA
from memolith import ranking

# name: corpus, questions
SETS = {
    "notes": ("devnotes/corpus", "devnotes/queries-asked"),
    "chat": ("locomo/turn-corpus", "locomo/turn-queries"),
    "science": ("scifact/corpus", "scifact/queries"),
}
EACH = 34  # questions of each domain to each other one: 204 in all
SEED = 7


def questions(name: str) -> list[Row]:
    return [row for row in read(DATA / f"{SETS[name][1]}.jsonl.gz") if asked(row)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.unrelated")
    parser.add_argument(
        "--lexical", action="store_true", help="without vectors, even if the extra is installed"
    )
    parser.add_argument("--keep", type=Path, help="directory for the homes, used again by the next run")
    chosen = parser.parse_args()
    if not (DATA / "devnotes").is_dir():
        print(f"Nothing was measured: there is no {DATA / 'devnotes'}; set MEMOLITH_DATA.")
        return 0
    choice = random.Random(SEED)
    wrong, total = 0, 0
    with tempfile.TemporaryDirectory(prefix="memolith-unrelated-") as directory:
        for name, (rows, _) in SETS.items():
            base = (chosen.keep or Path(directory)) / name
            corpus = Corpus(read(DATA / f"{rows}.jsonl.gz"), base, semantic=not chosen.lexical)
            corpus.prepare()
            for other in SETS:
                if other == name:
                    continue
                foreign = choice.sample(questions(other), EACH)
                places = [choice.choice(sorted(corpus.memories)) for _ in foreign]
                moved = [{**row, "haystack": place} for row, place in zip(foreign, places, strict=True)]
                answered = [row["query"] for row in moved if corpus.ranking(row, "turn")]
                wrong, total = wrong + len(answered), total + len(moved)
                print(
                    f"questions about {other} to a memory of {name}: {len(answered)} of {len(moved)} answered"
                )
            own = choice.sample(questions(name), min(62, len(questions(name))))
            print(f"own questions about {name}: any@10 {kept(corpus, own)}")
    print(f"unrelated questions answered: {wrong} of {total} ({wrong / total:.1%})")
    return 0


def kept(corpus: Corpus, own: list[Row]) -> str:
    """Return any@10 with and without the threshold."""
    found = mean(measures(corpus.ranking(row, "turn"), row) for row in own)["any@10"]
    before = ranking.ANSWER, ranking.NEAR, ranking.TAIL
    ranking.ANSWER = ranking.NEAR = ranking.TAIL = 0.0
    try:
        best = mean(measures(corpus.ranking(row, "turn"), row) for row in own)["any@10"]
    finally:
        ranking.ANSWER, ranking.NEAR, ranking.TAIL = before
    return f"{found:.3f} of {best:.3f} without a threshold ({found / best:.1%} kept)"


if __name__ == "__main__":
    raise SystemExit(main())
