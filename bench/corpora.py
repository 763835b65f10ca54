"""A corpus of the public benchmark data as a memory: files in the layout of the store, in a throw-away home.

Turns become sessions, single notes and abstracts become notes, dated facts become records. Each haystack is
a project of its own. Files are written directly, as an editor would: ten thousand writes through the gate
would only measure fsync.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memolith import Mem
from memolith.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memolith.base.values import Hit

Row = dict[str, Any]
_AGENT = "bench"


# The public sets; they are never copied here.
DATA = Path(os.environ.get("MEMOLITH_DATA") or Path(__file__).parent.parent.parent / "shared" / "data")


def public(name: str) -> list[Row]:
    """Return the rows of a public set."""
    if not DATA.is_dir():
        raise SystemExit(f"Nothing was measured: there is no {DATA}; set MEMOLITH_DATA.")
    return read(DATA / f"{name}.jsonl.gz")


def read(path: Path) -> list[Row]:
    """Return the rows of a file of gzipped JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def replaced(queries: Sequence[Row]) -> dict[str, list[str]]:
    """Return which rows the last current row of each question replaces."""
    return {
        query["gold"][-1]: [*query["stale"], *query["gold"][:-1]] for query in queries if query.get("stale")
    }


def session_file(name: str, slug: str, started: str, turns: Iterable[Row]) -> bytes:
    """Return a stored session as its file has it; of a turn, role and text count."""
    lines: list[Row] = [{"agent": _AGENT, "id": name, "project": slug, "started": started}]
    for number, row in enumerate(turns, 1):
        role = "assistant" if row["role"] == "assistant" else "user"
        lines.append({"turn": number, "role": role, "time": started, "text": row["text"]})
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return gzip.compress(text.encode(), 1, mtime=0)


class Corpus:
    """A loaded corpus: a memory per haystack, and which row each hit stands for."""

    def __init__(
        self,
        rows: Iterable[Row],
        base: Path,
        supersedes: Mapping[str, list[str]] | None = None,
        *,
        semantic: bool = False,
    ) -> None:
        self.home = base / "home"
        self.memories: dict[str, Mem] = {}
        self._documents: dict[tuple[str, str], str] = {}
        self._sessions: dict[tuple[str, str], str] = {}
        self._now = time.time()
        self._records: dict[str, str] = {}
        self._supersedes = supersedes or {}
        self.semantic, self.meaning = semantic, "words only"
        if semantic:
            from bench import embedded

            embedded.remember()
        haystacks: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            haystacks[row["haystack"]].append(row)
        for number, (name, mine) in enumerate(sorted(haystacks.items())):
            project = base / "work" / f"haystack-{number:03d}"
            project.mkdir(parents=True, exist_ok=True)
            mem = self.memories[name] = Mem.open(project, home=self.home, now=lambda: self._now)
            mem.register()
            self._load(name, mem.project, mine)

    def _load(self, haystack: str, slug: str, rows: list[Row]) -> None:
        sessions: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            sessions[row["session"]].append(row)
        for number, (session, mine) in enumerate(sessions.items()):
            first = mine[0]
            if first["role"] == "session":
                turns = [{**first, "role": "user", "text": line} for line in first["text"].split("\n")]
                self._session(haystack, slug, f"s{number:05d}", session, turns)
            elif "seq" in first:
                for row in mine:
                    self._fact(haystack, slug, row)
            elif first["role"] in ("note", "doc"):
                for row in mine:
                    self._note(haystack, slug, number, row)
            else:
                self._session(haystack, slug, f"s{number:05d}", session, mine)

    def _session(self, haystack: str, slug: str, name: str, session: str, turns: list[Row]) -> None:
        directory = self.home / "sessions" / slug
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        identity = f"{_AGENT}-{name}"
        started = f"{turns[0]['date'] or '2026-01-01T00:00'}:00Z"
        for number, row in enumerate(turns, 1):
            self._documents[haystack, f"session:{identity}#{number}"] = row["doc_id"]
        path = directory / f"{identity}.jsonl.gz"
        if not path.exists():
            path.write_bytes(session_file(name, slug, started, turns))
        self._sessions[haystack, identity] = session

    def _note(self, haystack: str, slug: str, number: int, row: Row) -> None:
        title = " ".join((row.get("title") or "").split())
        name = f"{layout.file_name(title)[:40]}-{number}" if title else f"n{number:05d}"
        body = row["text"].removeprefix(title).lstrip("\n") if title else row["text"]
        head = f"---\nname: {json.dumps(title, ensure_ascii=False)}\ntype: project\n---\n" if title else ""
        self._write(haystack, layout.note(slug, name), f"{head}{body}\n", row["doc_id"])

    def _fact(self, haystack: str, slug: str, row: Row) -> None:
        date = row["date"] or f"2026-01-{row['seq'] + 1:02d}T12:00:00"
        old = ", ".join(self._record(each) for each in self._supersedes.get(row["doc_id"], ()))
        relation = f"supersedes: [{old}]\n" if old else ""
        name = self._record(row["doc_id"])
        head = f"---\nid: {name}\ncategory: decisions\ncreated: {date}\n{relation}---\n"
        directory = layout.path(slug, "records/decisions")
        self._write(haystack, f"{directory}/{name}.md", f"{head}{row['text']}\n", row["doc_id"])

    def _record(self, document: str) -> str:
        """Return the id of a record: a number, for the ids of the corpus say which facts belong together."""
        return self._records.setdefault(document, f"r{len(self._records):05d}")

    def _write(self, haystack: str, relative: str, text: str, document: str) -> None:
        path = self.home / layout.STORE / relative
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            path.write_text(text, encoding="utf-8")
        self._documents[haystack, relative] = document

    def identities(self, haystack: str, hit: Hit, level: str) -> list[str]:
        """Return the rows, or with the level `session` the sessions, that a hit stands for."""
        keys = [hit.id, *hit.also]
        if level == "session" and hit.kind == "session":
            names = [key.removeprefix("session:").rpartition("#")[0] for key in keys]
            return [self._sessions[haystack, name] for name in names if (haystack, name) in self._sessions]
        return [self._documents[haystack, key.partition("#L")[0]] for key in keys]

    def prepare(self) -> None:
        """Index everything now, so that the first question does not pay for it."""
        for mem in self.memories.values():
            slugs = [layout.USER, mem.project]
            mem.index.sync(slugs)
            if self.semantic and mem.vectors.provider is not None:
                self.meaning = str(mem.vectors.sync(slugs)).partition(":")[0]

    def forget_vectors(self) -> None:
        """Make the vectors again, as they are made now."""
        for mem in self.memories.values():
            mem.vectors.clear()
        self.prepare()

    def ranking(self, query: Row, level: str) -> list[str]:
        """Return what recall finds for a query, best first, each once."""
        haystack = query["haystack"]
        if query.get("date"):  # "four weeks ago" counts from there
            self._now = time.mktime(time.strptime(query["date"][:10], "%Y-%m-%d")) + 12 * 3600
        found = self.memories[haystack].recall(
            query["query"], limit=60 if level == "session" else 20, semantic=self.semantic
        )
        return list(dict.fromkeys(each for hit in found for each in self.identities(haystack, hit, level)))
