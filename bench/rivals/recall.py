"""How often the right turn of a LoCoMo conversation is among the first five or ten: the same for everyone."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bench.corpora import Row, read
from bench.rivals.talking import Failed
from bench.scoring import asked, mean, measures
from bench.secrets import DATA

if TYPE_CHECKING:
    from bench.rivals.stand import Figures, Stand


def locomo(stand: Stand) -> Figures:
    """Each turn is a text of its own, each conversation a scope; questions of the categories 1 to 4."""
    place = DATA / "locomo"
    if not place.is_dir():
        raise Failed(f"there is no {place}; set MEMOLITH_DATA")
    turns: dict[str, list[Row]] = defaultdict(list)
    for row in read(place / "turn-corpus.jsonl.gz"):
        turns[row["haystack"]].append(row)
    chosen = sorted(turns)[: stand.amounts.conversations]
    # By number: what a turn is called must not say where it stands.
    names = {row["doc_id"]: f"t{number:05}" for name in chosen for number, row in enumerate(turns[name])}
    ids = {(name, names[row["doc_id"]]): row["doc_id"] for name in chosen for row in turns[name]}
    questions = [
        query
        for query in read(place / "turn-queries.jsonl.gz")
        if asked(query) and query["haystack"] in chosen
    ]
    with stand.talk() as talk:
        for number, name in enumerate(chosen):
            rows = [[names[row["doc_id"]], row["text"]] for row in turns[name]]
            talk.ask("fill", 2 * stand.amounts.limit, scope=f"c{number}", rows=rows)
        talk.ask("ready", stand.amounts.limit)
        scores = []
        for query in questions:
            scope = f"c{chosen.index(query['haystack'])}"
            found = talk.ask("find", stand.amounts.limit, query=query["query"], top=10, scope=scope)
            ranked = [ids[query["haystack"], each] for each in found if (query["haystack"], each) in ids]
            scores.append(measures(ranked, query))
    total = sum(len(turns[name]) for name in chosen)
    return {**mean(scores), "questions": len(questions), "turns": total, "conversations": len(chosen)}
