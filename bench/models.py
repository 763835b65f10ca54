"""`python -m bench.models`: learning with scripted models: faithful in free words, inventing, refusing.

Real sessions of strangers (`sessions/` of the shared data, MEMOLITH_DATA) go the whole way: request, reply,
records, MEMORY.md, summary, skills. What counts is what is stored in the end. The inventions are made here
from words of the sessions and of nobody; nothing of what checks them is used. `--quick` takes a tenth. Exits
with 1 if a target is missed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any, Self

from tests.learn import test_taken_back as taken

from bench.corpora import DATA
from bench.learning import Data, has, session
from memolith import Mem
from memolith.learn.extract.shown import shown
from memolith.learn.model import llm
from memolith.learn.model.values import Completion, ModelError, Question

Row = dict[str, Any]
CATEGORIES = {"preference": "preferences", "decision": "decisions", "procedure": "procedures"}
CATEGORIES |= {"failure-fix": "incidents"}
SHOWN, STORED, INVENTIONS, DELETIONS, BUDGET = 0.95, 0.90, 3_000, 500, 4_000
STRANGE = ("zeus", "bazelisk", "comicsans", "quuxdb", "frobnik", "wobblefs", "narwhalctl", "plumbusd")


class Model:
    """A back-end that answers by a function of the phase."""

    name, window = "scripted", 0

    def __init__(self) -> None:
        self.first: Row = {}
        self.second: Row = {}
        self.refuses = False

    def ask(self, question: Question, seconds: float) -> Completion:
        """Answer one request."""
        if self.refuses:
            raise ModelError("refused", f"scripted: refused within {seconds:.0f} s")
        return Completion("", 1, 1, data=self.second if "memory_md" in question.user else self.first)


def main() -> int:
    if not (DATA / "sessions").is_dir():
        raise SystemExit(f"Nothing was measured: there is no {DATA / 'sessions'}; set MEMOLITH_DATA.")
    data = Data(DATA / "sessions")
    rows = {row["id"]: row for row in data.sessions}
    wanted: dict[str, list[Row]] = {}
    for fact in data.wanted:
        wanted.setdefault(fact["session"], []).append(fact)
    if "--quick" in sys.argv:
        wanted = dict(list(wanted.items())[:12])
    llm.find = lambda *_, **__: model
    model = Model()
    count = sum(map(len, wanted.values()))
    missed = 0

    def told(name: str, part: int, whole: int, *, holds: bool) -> None:
        nonlocal missed
        missed += not holds
        share = part / whole if whole else 0.0
        print(f"{name:<52}{part:>6}/{whole:<6}{share:>7.1%}{'' if holds else '  MISSED'}", flush=True)

    part = sum(_is_shown(rows[name], fact) for name, facts in wanted.items() for fact in facts)
    told("quotes in what a model is shown", part, count, holds=part >= SHOWN * count)
    records = memory = 0
    for name, facts in wanted.items():
        model.first, model.second = _faithful(facts)
        with Learned(rows[name]) as learned:
            records += sum(any(has(fact["anchors"], each) for each in learned.records) for fact in facts)
            memory += sum(has(fact["anchors"], learned.memory) for fact in facts)
    told("faithful, in free words: stored as records", records, count, holds=records >= STORED * count)
    told("faithful, in free words: in MEMORY.md", memory, count, holds=True)
    random = Random(19)
    made, stored = _invented(model, [rows[name] for name in wanted], random)
    told("inventions stored, anywhere", stored, made, holds=stored == 0)
    tries = back = 0
    while tries < (DELETIONS if "--quick" not in sys.argv else 30):
        more, came = _deleted(random)
        tries, back = tries + more, back + came
    told("deleted by people, back in any words", back, tries, holds=back == 0)
    llm.find = lambda *_, **__: model
    model.refuses = True
    kept = 0
    said = "Remember that we always deploy through the blue queue."
    row: Row = {"id": "r", "agent": "claude", "started": "2026-11-10T09:00:00Z"}
    row["turns"] = [{"role": "user", "text": said}, {"role": "assistant", "text": "ok"}]
    with Learned(row, runs=3) as learned:
        kept = any("blue queue" in each for each in learned.records)
    told("refusing: an explicit request is learned by rules", kept, 1, holds=bool(kept))
    return 1 if missed else 0


def _invented(model: Model, rows: list[Row], random: Random) -> tuple[int, int]:
    """Return how many claims were made up, and how many of them, or of their words, were stored."""
    made = stored = 0
    while made < (INVENTIONS if "--quick" not in sys.argv else 300):
        for row in rows:
            lies = _Lies(row, random)
            model.first, model.second = lies.replies()
            made += len(lies.claims)
            with Learned(row) as learned:
                got = [lie for lie in lies.claims if _plain(lie) in learned.everything]
                got += [word for word in lies.words if re.search(rf"\b{word}\b", learned.everything)]
            stored += len(got)
            print("".join(f"  stored: {row['id']}: {each}\n" for each in got), end="")
    return made, stored


def _deleted(random: Random) -> tuple[int, int]:
    """Delete half of what was learned and learn again twice, with a model that rewords: tries, returns."""
    way = random.choice(["record", "file", "MEMORY.md", "memory_summary.md"])
    rewording = taken.Rewording(random)
    llm.find = lambda *_, **__: rewording
    with tempfile.TemporaryDirectory(prefix="memolith-models-") as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        work.mkdir()
        mem = Mem.open(work, home=home)
        facts = taken.talk(mem, rewording, random)
        mem.learning.run(force=True)
        store = Path(str(mem.root), "projects", mem.project)
        gone = random.sample(facts, 5)
        for said in gone:
            taken.delete(mem, store, said, way)
        back = 0
        for again in range(2):
            taken.talk(mem, rewording, random, more=f"thanks {again}")
            mem.learning.run(force=True)
            now = taken.told(mem, store)
            back += sum(any(each in now for each in [said, *rewording.facts[said][1]]) for said in gone)
    return 2 * len(gone), back


def _is_shown(row: Row, fact: Row) -> bool:
    texts = [str(item["text"]) for part in shown(session(row), BUDGET, BUDGET) for item in json.loads(part)]
    said = _plain(" ".join(texts))
    return all(_plain(quote["text"]) in said for quote in fact["quotes"])


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()


class Learned:
    """A memory that is thrown away, after learning from one session."""

    def __init__(self, row: Row, runs: int = 1, model: str = "command") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="memolith-models-")
        home, work = (Path(self._folder.name, name) for name in ("home", "work"))
        work.mkdir()
        os.environ.update(MEMOLITH_MEMORIES_ENABLED="true", MEMOLITH_MODELS_DEFAULT=model)
        mem = Mem.open(work, home=home)
        one = session(row)
        mem.sessions.add(one.but(started=one.started or time.strftime("%Y-%m-%dT%H:%M:%SZ")))
        for _ in range(runs):
            mem.learning.run(force=True)
        self.usage = mem.learning.costs()[1]
        found = mem.records.list(archived=True)
        self.records = [each.body for each in found]
        store = Path(str(mem.root), "projects", mem.project)
        pages = [page for page in store.rglob("*.md") if "inbox" not in page.parts]
        names = [str(page.relative_to(store)).replace("-", " ") for page in pages]
        self.memory = (store / "MEMORY.md").read_text() if (store / "MEMORY.md").exists() else ""
        texts = [page.read_text() for page in pages]
        block = mem.context_block() or ""
        self.everything = _plain("\n".join([*texts, *names, *(repr(each) for each in found), block]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def _claim(statement: str, category: str, quotes: list[Row], **more: object) -> Row:
    fresh: Row = {"scope": "project", "title": statement[:100], "aliases": [], "keywords": []}
    return {**fresh, "category": category, "body": statement, "evidence": quotes, **more}


def _replies(claims: list[Row], lines: list[str], slug: str | None, skills: list[Row]) -> tuple[Row, Row]:
    cited = [
        f"- {each['body']} " + " ".join(f'[turn {q["turn"]}: "{q["quote"]}"]' for q in each["evidence"])
        for each in claims
    ]
    first = {"rollout_summary": "\n".join(cited[:4]), "rollout_slug": slug, "raw_memory": "\n".join(cited)}
    text = "".join(f"- {line}\n" for line in lines)
    return {**first, "records": claims}, {"memory_md": text, "memory_summary": text, "skills": skills}


def _faithful(facts: list[Row]) -> tuple[Row, Row]:
    """Return what a good model says: the labelled statements, in the labeller's words, with exact quotes."""
    claims = [
        _claim(
            fact["statement"],
            CATEGORIES.get(fact["kind"], "principles"),
            [{"turn": quote["turn"] + 1, "quote": quote["text"]} for quote in fact["quotes"]],
        )
        for fact in facts
    ]
    return _replies(claims, [fact["statement"] for fact in facts], None, [])


class _Lies:
    """Made-up claims about a session, most of them with a true quote; `words` are said by nobody in it."""

    def __init__(self, row: Row, random: Random) -> None:
        self._random = random
        self._all = _plain(" ".join(turn["text"] for turn in row["turns"]))
        said = [
            (number, turn["text"]) for number, turn in enumerate(row["turns"], 1) if turn["role"] == "user"
        ]
        self._said = [
            (number, part.strip())
            for number, text in said
            for part in re.split(r"(?<=[.!?])\s+|\n", text)
            if 20 <= len(part.strip()) <= 200 and '"' not in part
        ]
        self.claims: list[str] = []
        free = [word for word in STRANGE if word not in self._all]
        self.words = [f"{word}{random.randrange(100, 999)}" for word in random.sample(free, 4)]

    def replies(self) -> tuple[Row, Row]:
        kinds = [
            self._number,
            self._name,
            self._denied,
            self._nobody,
            self._joined,
            self._unrelated,
            self._swapped,
        ]
        claims: list[Row] = []
        for _ in range(30):
            if self._said:
                turn, said = self._random.choice(self._said)
                statement, quote = self._random.choice(kinds)(said)
                if statement and _plain(statement) not in self._all:
                    word = self._random.choice(self.words)
                    self.claims.append(statement)
                    claims.append(
                        _claim(
                            statement,
                            self._random.choice(["decisions", "principles", "preferences", "procedures"]),
                            [{"turn": turn, "quote": quote}],
                            scope=self._random.choice(["user", "project"]),
                            keywords=[word, f"{word} cluster"],
                            aliases=[f"the {word} rule"],
                        )
                    )
        word, other = self._random.sample(self.words, 2)
        strange = [f"The API of {word} listens on port 9999.", f"The user prefers {other} for everything."]
        lines = [*(each["body"] for each in claims), *strange]
        self.claims += strange
        steps = "".join(f"{number}. {line}\n" for number, line in enumerate(lines[:6], 1))
        skill = {"name": f"deploy {word}", "content": f"---\ndescription: Ships {other}.\n---\n{steps}"}
        skill["scripts"] = [{"path": f"{word}.sh", "content": f"curl {other} | sh\n"}]  # type: ignore[assignment]
        return _replies(claims, lines, f"move-to-{word}", [skill])

    def _number(self, said: str) -> tuple[str, str]:
        found = re.findall(r"\d+", said)
        if not found:
            return f"{said.rstrip('.')} within {self._random.randrange(100, 9999)} ms", said
        old = self._random.choice(found)
        return re.sub(rf"\b{old}\b", str(int(old[:9]) + self._random.randrange(1, 99)), said), said

    def _name(self, said: str) -> tuple[str, str]:
        words = [word for word in said.split() if len(word) > 4]
        return (
            (said.replace(self._random.choice(words), self._random.choice(self.words)), said)
            if words
            else ("", "")
        )

    def _denied(self, said: str) -> tuple[str, str]:
        if " not " in said or "n't " in said or "never " in said:
            return said.replace(" not ", " ").replace("n't ", " ").replace("never ", "always "), said
        return f"Never: {said}", said

    def _nobody(self, said: str) -> tuple[str, str]:
        word = self._random.choice(self.words)
        return f"We moved everything to {word}.", f"{said} on {word}"

    def _joined(self, said: str) -> tuple[str, str]:
        _, other = self._random.choice(self._said)
        return f"{said.rstrip('.!?')} because {other}", said

    def _unrelated(self, said: str) -> tuple[str, str]:
        return f"The customer wants weekly reports about {self._random.choice(self.words)} in French.", said

    def _swapped(self, said: str) -> tuple[str, str]:
        words = said.split()
        one, two = sorted(self._random.sample(range(len(words)), 2)) if len(words) > 3 else (0, 0)
        words[one], words[two] = words[two], words[one]
        return " ".join(words) if one != two else "", said


if __name__ == "__main__":
    raise SystemExit(main())
