"""Measures of a ranking, and the plain full-text search that it has to beat."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.corpora import Row

MEASURES = ("any@5", "any@10", "all@5", "all@10", "recall@10", "NDCG@5", "NDCG@10", "MRR", "current")
# A common English list; the baseline searches for the other words.
STOP = frozenset(Path(__file__).with_name("stop-words.txt").read_text(encoding="utf-8").split())


def measures(ranked: Sequence[str], query: Row) -> dict[str, float]:
    """Return the measures of one ranking; `current` only for a question with a stale answer."""
    gold = set(query["gold"])
    found = [place for place, each in enumerate(ranked) if each in gold]
    result = {"MRR": 1 / (found[0] + 1) if found else 0.0}
    for most in (5, 10):
        first = [place for place in found if place < most]
        ideal = sum(1 / math.log2(place + 2) for place in range(min(most, len(gold))))
        result |= {
            f"any@{most}": float(bool(first)),
            f"all@{most}": float(len(first) == len(gold)),  # elsewhere called recall_all
            f"recall@{most}": len(first) / len(gold),
            f"NDCG@{most}": sum(1 / math.log2(place + 2) for place in first) / ideal,
        }
    if query.get("stale"):
        stale = [place for place, each in enumerate(ranked) if each in query["stale"]]
        result["current"] = float(bool(found) and (not stale or found[0] < stale[0]))
    return result


def mean(scores: Iterable[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the questions that have it."""
    values: dict[str, list[float]] = defaultdict(list)
    for each in scores:
        for name, value in each.items():
            values[name].append(value)
    return {name: sum(values[name]) / len(values[name]) for name in MEASURES if name in values}


def asked(query: Row, *, adversarial: bool = False) -> bool:
    """Tell whether a question counts: it has an answer, and is not one of those that must not be answered.

    Others publish LoCoMo with its `adversarial` questions (category 5), for which evidence is named, too.
    """
    if not query["gold"] or query.get("abstention"):
        return False
    return adversarial or query.get("category", 1) in (1, 2, 3, 4, None)


class Table:
    """FTS5 with Porter stemming over texts: OR of the words but stop words, whole texts, BM25."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._table = sqlite3.connect(":memory:")
        self._table.execute("CREATE VIRTUAL TABLE rows USING fts5(text, tokenize='porter unicode61')")
        self._table.executemany("INSERT INTO rows (rowid, text) VALUES (?, ?)", enumerate(texts))

    def best(self, question: str, limit: int) -> list[int]:
        """Return which texts answer a question best, counted from 0."""
        words = "".join(char if char.isalnum() else " " for char in question.lower()).split()
        telling = [word for word in words if word not in STOP] or words
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(telling))
        if not match:
            return []
        found = self._table.execute(
            "SELECT rowid FROM rows WHERE rows MATCH ? ORDER BY bm25(rows), rowid LIMIT ?", [match, limit]
        )
        return [row[0] for row in found]


class Plain:
    """Plain full-text search over the same rows."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[row["haystack"]].append(row)
        self._tables = {
            name: Table(f"{row.get('title') or ''}\n{row['text']}" for row in mine)
            for name, mine in self._rows.items()
        }

    def ranking(self, query: Row, level: str) -> list[str]:
        """Return the rows (or their sessions) for a query, best first."""
        field = "session" if level == "session" else "doc_id"
        mine = self._rows[query["haystack"]]
        found = self._tables[query["haystack"]].best(query["query"], 1000)
        return list(dict.fromkeys(mine[number][field] for number in found))
