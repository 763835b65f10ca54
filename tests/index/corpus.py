"""A small memory with every kind of file, and questions to it."""

import gzip
import json
from pathlib import Path

from memolith.index import Index

SLUG = "shop"
BOTH = ["", SLUG]
WORDS = (
    *("redis", "postgres", "deploy", "rollback", "cache", "token", "gateway", "invoice"),
    *("webhook", "retry", "queue", "worker", "cron", "backup", "restore", "index"),
)


def write(home: Path, path: str, text: str) -> Path:
    """Write a file by hand, as an editor would."""
    place = home / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def session(home: Path, name: str, turns: list[tuple[str, str]], slug: str = SLUG) -> Path:
    """Write a stored session."""
    rows: list[dict[str, object]] = [
        {"agent": "claude", "id": name, "project": slug, "started": "2026-01-02T03:04"}
    ]
    rows += [{"turn": n, "role": role, "time": None, "text": text} for n, (role, text) in enumerate(turns, 1)]
    place = home / "sessions" / slug / f"claude-{name}.jsonl.gz"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(gzip.compress("\n".join(json.dumps(row) for row in rows).encode()))
    return place


def fill(home: Path, notes: int = 40) -> None:
    """Make a memory that any of WORDS finds something in."""
    write(
        home,
        "memory/MEMORY.md",
        "# Memory\n\n## About me\n- I drink tea.\n\n## Servers\n- The gateway is blue.\n",
    )
    base = f"memory/projects/{SLUG}"
    for number in range(notes):
        said = " ".join(WORDS[(number * 7 + step * step) % len(WORDS)] for step in range(number % 11 + 3))
        write(home, f"{base}/notes/topic-{number:03}.md", f"---\nname: Topic {number}\n---\n{said}.\n")
    write(
        home,
        f"{base}/daily/2026-01-02.md",
        "### 10:11 — standup\nThe queue was full.\n\n### 12:30 — lunch\nSoup.\n",
    )
    write(
        home,
        f"{base}/records/decisions/use-postgres.md",
        "---\nid: postgres-for-us\ntitle: Database\naliases: [pg, elephant]\nkeywords: storage\n"
        "created: 2025-05-06\nsupersedes: [use-mysql]\n---\nWe chose postgres.\n",
    )
    write(
        home,
        f"{base}/tickets/t-1.md",
        "---\nid: t-1\ntitle: Slow invoice\ntype: bug\n---\nThe invoice page.\n",
    )
    session(home, "abc", [("user", "Is the worker slow?"), ("tool", "noise"), ("assistant", "A cron runs.")])


def ranked(index: Index, query: str, slugs: list[str] | None = None) -> list[str]:
    """Return the keys that a query finds, best first."""
    slugs = BOTH if slugs is None else slugs
    index.sync(slugs)
    scores = {match.unit_id: match.score for match in index.lexical(slugs, query)}
    units = index.units(list(scores))
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    return [unit.key for unit in sorted(units, key=lambda unit: (-scores[unit.id], unit.key))]


def everything(index: Index) -> dict[str, list[str]]:
    """Return the answers to all questions."""
    return {query: ranked(index, query) for query in [*WORDS, "queue worker", "invoice page gateway", "tea"]}
