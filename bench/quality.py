"""`bench/quality CORPUS QUERIES --level turn|session --out RANKING.jsonl`: how well recall ranks a corpus.

Loads the corpus (see ../shared/data/README.md for the format) through the store's files and the index into a
throw-away home, asks `Mem.recall` every question, writes {"id", "ranked": [...]} for each, and prints the
measures next to plain FTS5.

`bench/quality parts [--lexical]` shows what each part of the ranking adds. Every set: bench/report.py.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpora import Corpus, read, replaced
from bench.scoring import MEASURES, Plain, asked, mean, measures
from memolith.recall import weights

if TYPE_CHECKING:
    from collections.abc import Sequence


def show(name: str, scores: dict[str, float]) -> None:
    print(
        f"{name:<28}"
        + "".join(f"{scores[each]:>11.3f}" if each in scores else f"{'–':>11}" for each in MEASURES)
    )


def main(argv: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == ["parts"]:
        from bench import table

        return table.parts(lexical="--lexical" in given[1:])
    parser = argparse.ArgumentParser(prog="bench/quality", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--level", choices=["turn", "session"], default="turn")
    parser.add_argument("--out", type=Path, help="where the rankings go, one JSON line for each question")
    parser.add_argument(
        "--lexical", action="store_true", help="without vectors, even if the extra is installed"
    )
    parser.add_argument("--supersedes", action="store_true", help="tell the store which facts replace which")
    parser.add_argument(
        "--keep", type=Path, help="directory for the home, used again by the next run of the same corpus"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a weight of memolith.recall.weights"
    )
    chosen = parser.parse_args(given)
    for each in chosen.set:
        name, _, value = each.partition("=")
        getattr(weights, name)  # a misspelt name must not measure nothing
        setattr(weights, name, ast.literal_eval(value))
    rows, queries = read(chosen.corpus), read(chosen.queries)
    relations = replaced(queries) if chosen.supersedes else None
    with tempfile.TemporaryDirectory(prefix="memolith-quality-") as directory:
        corpus = Corpus(rows, chosen.keep or Path(directory), relations, semantic=not chosen.lexical)
        start = time.process_time()
        corpus.prepare()
        print(f"{len(rows)} rows indexed in {time.process_time() - start:.1f} s CPU; {corpus.meaning}")
        start = time.process_time()
        rankings = {query["id"]: corpus.ranking(query, chosen.level) for query in queries}
        took = (time.process_time() - start) * 1000 / max(1, len(queries))
    if chosen.out:
        lines = (json.dumps({"id": each, "ranked": ranked}) + "\n" for each, ranked in rankings.items())
        chosen.out.write_text("".join(lines), encoding="utf-8")
    counted = [query for query in queries if asked(query)]
    plain = Plain(rows)
    print(
        f"{len(counted)} questions, {took:.1f} ms CPU each\n{'':<28}"
        + "".join(f"{each:>11}" for each in MEASURES)
    )
    show("plain FTS5 porter", mean(measures(plain.ranking(query, chosen.level), query) for query in counted))
    show("memolith recall", mean(measures(rankings[query["id"]], query) for query in counted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
