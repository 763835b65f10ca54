"""Every set, by words only and with the semantic extra where it is installed; and what each part adds.

`bench/quality parts` leaves out or changes one part of the ranking at a time, without the threshold.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from prove.texts import parts as parts_of

from bench.corpora import Corpus, Row, public, replaced
from bench.scoring import Plain, asked, mean, measures
from memolith.index.vectors import statements
from memolith.recall import weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

Loaded = tuple[Corpus, list[Row], str, tuple[str, ...]]
FORMS = ("plain", "words", "meaning", "words, supersedes known", "meaning, supersedes known")

# name: corpus, questions, level, what is printed
SETS = {
    name: (corpus, questions, level, tuple(wanted.split()))
    for name, corpus, questions, level, wanted in (
        row.split("; ") for row in parts_of(Path(__file__).with_name("sets.txt"))["sets"]
    )
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


def weighed(new: dict[str, object]) -> AbstractContextManager[object]:
    """Rank with other weights, for a while."""
    return patch.dict(vars(weights), new)


def scores(corpus: Corpus, queries: list[Row], level: str) -> dict[str, float]:
    return mean(measures(corpus.ranking(query, level), query) for query in queries)


def told(found: dict[str, float], wanted: Sequence[str]) -> str:
    return " / ".join(f"{found[each]:.3f}" for each in wanted if each in found)


def every(*, lexical: bool) -> Iterator[Row]:
    """Yield what each set gives: the measures of each of the `FORMS` that there is."""
    for name, (corpus, questions, level, wanted) in SETS.items():
        data, asked_ = public(corpus), public(questions)
        queries = [query for query in asked_ if asked(query, adversarial="adversarial" in name)]
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


def parts(*, lexical: bool) -> int:
    """Print what recall finds with one part left out or changed; of LoCoMo every third question."""
    chosen = {name: SETS[name] for name in SETS if name.startswith(("devnotes", "LoCoMo, t", "Long", "Sci"))}
    del chosen["devnotes, keywords"]
    print("| | " + " | ".join(chosen) + " |\n|---|" + "---|" * len(chosen))
    with tempfile.TemporaryDirectory(prefix="memolith-parts-") as directory, weighed(NO_THRESHOLD):
        loaded: list[Loaded] = []
        for number, (corpus, questions, level, wanted) in enumerate(chosen.values()):
            queries = [query for query in public(questions) if asked(query)]
            memory = Corpus(public(corpus), Path(directory, str(number)), semantic=not lexical)
            memory.prepare()
            step = 3 if "locomo" in corpus else 1
            loaded.append((memory, queries[::step], level, (wanted[0], wanted[1], "NDCG@10")))
        for name, changed in PARTS.items():
            if lexical and name.startswith(("words", "meaning")):
                continue
            with weighed(changed):
                print(f"| {name} | {' | '.join(_told(loaded))} |", flush=True)
        if not lexical:
            with patch.object(statements, "SHORT", 0):
                for memory, *_ in loaded:
                    memory.forget_vectors()
                print(f"| one vector for each text | {' | '.join(_told(loaded))} |", flush=True)
    return 0


def _told(loaded: list[Loaded]) -> Iterator[str]:
    for memory, queries, level, wanted in loaded:
        yield told(scores(memory, queries, level), wanted)
