"""`python -m bench.quality all` and `python -m bench.quality parts`: every set, and what each part adds.

`all` asks every question of every set, by words only and with the semantic extra where it is installed;
`parts` leaves out or changes one part of the ranking at a time, without the threshold.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpora import Corpus, Row, read, replaced
from bench.scoring import Plain, asked, mean, measures
from bench.secrets import DATA
from memolith.index.vectors import packs
from memolith.recall import weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Loaded = tuple[Corpus, list[Row], str, tuple[str, ...]]
FORMS = ("plain", "words", "meaning", "words, supersedes known", "meaning, supersedes known")

# name: corpus, questions, level, what is printed
SETS = {
    "devnotes, as typed": ("devnotes/corpus", "devnotes/queries-asked", "turn", ("any@5", "any@10", "MRR")),
    "devnotes, keywords": ("devnotes/corpus", "devnotes/queries-requery", "turn", ("any@5", "any@10", "MRR")),
    "LoCoMo, turns": ("locomo/turn-corpus", "locomo/turn-queries", "turn", ("any@5", "any@10", "NDCG@10")),
    "LoCoMo, sessions": (
        "locomo/session-corpus",
        "locomo/session-queries",
        "session",
        ("any@5", "any@10", "recall@10"),
    ),
    "LongMemEval, sessions": (
        "longmemeval/turns",
        "longmemeval/queries",
        "session",
        ("any@5", "any@10", "NDCG@10"),
    ),
    "SciFact": ("scifact/corpus", "scifact/queries", "turn", ("any@5", "any@10", "NDCG@10")),
    "integrity v0": ("integrity/v0/corpus", "integrity/v0/queries", "turn", ("any@5", "any@10", "current")),
    "integrity v1-dev": (
        "integrity/v1-dev/corpus",
        "integrity/v1-dev/queries",
        "turn",
        ("any@5", "any@10", "current"),
    ),
    "supersession": ("supersession/corpus", "supersession/queries", "turn", ("any@5", "any@10", "current")),
}
# What is left out or changed, as weights of the ranking.
PARTS: dict[str, dict[str, object]] = {
    "all": {},
    "no neighbours": {"NEIGHBOURS": ()},
    "no conversation": {"CONVERSATION": 0.0},
    "no company (words only)": {"TOGETHER": 0.0},
    "none of the three": {"NEIGHBOURS": (), "CONVERSATION": 0.0, "TOGETHER": 0.0},
    "no dates": {"WHEN": 0.0},
    "no roles": {"ROLES": {}},
    "asking words count fully": {"FILLER": 1.0},
    "neighbours × 0.75": {"NEIGHBOURS": (0.225, 0.11)},
    "neighbours × 1.25": {"NEIGHBOURS": (0.375, 0.19)},
    "words × 0.75": {"SATURATION": 1.6},
    "words × 1.25": {"SATURATION": 0.96},
    "meaning only": {"SATURATION": 1e9},
}
NO_THRESHOLD: dict[str, object] = {"ANSWER": -9.0, "NEAR": -1.0, "TAIL": 0.0}


class Weights:
    """Other weights of the ranking, for a while."""

    def __init__(self, new: dict[str, object]) -> None:
        self._new = new
        self._old = {name: getattr(weights, name) for name in new}

    def __enter__(self) -> None:
        for name, value in self._new.items():
            setattr(weights, name, value)

    def __exit__(self, *_: object) -> None:
        for name, value in self._old.items():
            setattr(weights, name, value)


def rows(path: str) -> list[Row]:
    if not DATA.is_dir():
        raise SystemExit(f"Nothing was measured: there is no {DATA}; set MEMOLITH_DATA.")
    return read(DATA / f"{path}.jsonl.gz")


def scores(corpus: Corpus, queries: list[Row], level: str) -> dict[str, float]:
    return mean(measures(corpus.ranking(query, level), query) for query in queries)


def told(found: dict[str, float], wanted: Sequence[str]) -> str:
    return " / ".join(f"{found[each]:.3f}" for each in wanted if each in found)


def every(*, lexical: bool) -> Iterator[Row]:
    """Yield what each set gives: the measures of each of the `FORMS` that there is."""
    for name, (corpus, questions, level, wanted) in SETS.items():
        data, asked_ = rows(corpus), rows(questions)
        queries = [query for query in asked_ if asked(query)]
        plain = Plain(data)
        found: Row = {
            "set": name,
            "questions": len(queries),
            "stale": sum(1 for query in queries if query.get("stale")),
            "measures": wanted,
            "plain": mean(measures(plain.ranking(query, level), query) for query in queries),
        }
        for relations, known in ((None, ""), (replaced(asked_), ", supersedes known")):
            if known and "current" not in wanted:
                continue
            for semantic in (False,) if lexical else (False, True):
                with tempfile.TemporaryDirectory(prefix="memolith-quality-") as directory:
                    memory = Corpus(data, Path(directory), relations, semantic=semantic)
                    memory.prepare()
                    form = ("meaning" if semantic else "words") + known
                    found[form] = scores(memory, queries, level)
        yield found


def whole(*, lexical: bool) -> int:
    """Print a row for each set: plain FTS5, words only, with the extra; then with `supersedes` known."""
    print("| set | measure | plain FTS5 | words only | with the extra | `supersedes` known, both |")
    print("|---|---|---|---|---|---|")
    for row in every(lexical=lexical):
        wanted = row["measures"]
        shown = " | ".join(told(row[form], wanted) for form in FORMS if form in row)
        print(f"| {row['set']} ({row['questions']}) | {' / '.join(wanted)} | {shown} |", flush=True)
    return 0


def parts(*, lexical: bool) -> int:
    """Print what recall finds with one part left out or changed; of LoCoMo every third question."""
    chosen = {name: SETS[name] for name in SETS if name.startswith(("devnotes", "LoCoMo, t", "Long", "Sci"))}
    del chosen["devnotes, keywords"]
    print("| | " + " | ".join(chosen) + " |\n|---|" + "---|" * len(chosen))
    with tempfile.TemporaryDirectory(prefix="memolith-parts-") as directory, Weights(NO_THRESHOLD):
        loaded: list[Loaded] = []
        for number, (corpus, questions, level, wanted) in enumerate(chosen.values()):
            queries = [query for query in rows(questions) if asked(query)]
            memory = Corpus(rows(corpus), Path(directory, str(number)), semantic=not lexical)
            memory.prepare()
            step = 3 if "locomo" in corpus else 1
            loaded.append((memory, queries[::step], level, (wanted[0], wanted[1], "NDCG@10")))
        for name, weights in PARTS.items():
            if lexical and name.startswith(("words", "meaning")):
                continue
            with Weights(weights):
                print(f"| {name} | {' | '.join(_told(loaded))} |", flush=True)
        if not lexical:
            short, packs.SHORT = packs.SHORT, 0
            for memory, *_ in loaded:
                memory.forget_vectors()
            print(f"| one vector for each text | {' | '.join(_told(loaded))} |", flush=True)
            packs.SHORT = short
    return 0


def _told(loaded: list[Loaded]) -> Iterator[str]:
    for memory, queries, level, wanted in loaded:
        yield told(scores(memory, queries, level), wanted)
