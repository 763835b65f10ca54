"""`python -m bench.learning`: what the rules learn from real sessions of strangers.

Reads `sessions/` of the shared data in place (MEMOLITH_DATA): sessions, facts that a developer would want to
know in the next one, and negatives, which a naive learner would store. A fact is found if a statement has its
anchors. `--list` shows every statement with what it matched, `--missed` the facts that were not found. Exits
with 1 if a target is missed. Quality with a model depends on the model and is not measured here.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from bench.corpora import DATA
from memolith.learn.extract import rules
from memolith.memory.sessions import Session, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from memolith.learn.extract.facts import Findings

    Row = dict[str, Any]

KINDS = (
    "rule",
    "preference",
    "correction",
    "decision",
    "constraint",
    "environment",
    "procedure",
    "failure-fix",
)
_SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "", "*": "", "\u00a0": " "})
# Measure: least or most, and whether it is a floor.
TARGETS = {
    "recall": (0.25, True),
    "recall, explicit": (0.60, True),
    "recall, value 3": (0.35, True),
    "precision": (0.60, True),
    "negatives": (0.02, False),
    "noisy": (0.05, False),
}


def main() -> int:
    folder = DATA / "sessions"
    if not folder.is_dir():
        raise SystemExit(f"Nothing was measured: there is no {folder}; set MEMOLITH_DATA.")
    data = Data(folder)
    before = time.process_time()
    learned = {row["id"]: rules.extract(session(row)) for row in data.sessions}
    seconds = time.process_time() - before
    sizes = f"{len(data.sessions)} sessions, {len(data.wanted)} facts, {len(data.negatives)} negatives"
    print(f"{sizes}; {seconds:.1f} s\n")
    missed = 0
    for grade, chosen in (("learned", certain), ("with candidates", everything)):
        found = data.score({name: chosen(each) for name, each in learned.items()})
        print(f"{grade}: {found.stored} statements")
        for name, (part, whole) in found.measures.items():
            share = part / whole if whole else 0.0
            limit, floor = TARGETS[name]
            bad = grade == "learned" and (share < limit if floor else share > limit)
            missed += bad
            print(f"  {name:<18}{part:>5}/{whole:<5}{share:>7.1%}{'  MISSED' if bad else ''}")
        if grade == "learned":
            _groups(data, found.facts)
        if "--list" in sys.argv:
            print("\n".join(f"  {row}" for row in found.rows))
        if "--missed" in sys.argv and grade == "learned":
            rest = [fact for fact in data.wanted if fact["id"] not in found.facts]
            print(
                "\n".join(
                    f"  {each['id']} [{each['kind']}, {each['value']}] {each['statement']}" for each in rest
                )
            )
    return 1 if missed else 0


def certain(found: Findings) -> list[str]:
    return [fact.text for fact in found.facts]


def everything(found: Findings) -> list[str]:
    return [fact.text for fact in [*found.facts, *found.candidates]]


def session(row: Row) -> Session:
    turns = [
        Turn(
            number=number,
            role=turn["role"],
            text=turn["text"],
            time=turn.get("time") or "",
            tool=turn.get("tool") or "",
            outcome=turn.get("outcome") or "",
        )
        for number, turn in enumerate(row["turns"], 1)
    ]
    return Session(id=row["id"], agent=row["agent"], started=row["started"] or "", turns=turns)


class Score:
    """What was found: shares by name, the facts, and each statement with its verdict."""

    def __init__(self) -> None:
        self.facts: set[str] = set()
        self.measures: dict[str, tuple[int, int]] = {}
        self.rows: list[str] = []
        self.stored = 0


class Data:
    """The labelled sessions."""

    def __init__(self, folder: Path) -> None:
        with gzip.open(folder / "sessions.jsonl.gz", "rt", encoding="utf-8") as file:
            self.sessions: list[Row] = [json.loads(line) for line in file]
        self.facts, self.negatives = (
            [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
            for name in ("facts", "negatives")
        )
        self.wanted = [fact for fact in self.facts if not fact["retracted_later"]]

    def score(self, learned: dict[str, list[str]]) -> Score:
        """Return how well statements, given by session, match the facts."""
        facts, negatives = (_by_session(each) for each in (self.facts, self.negatives))
        score = Score()
        bad: set[str] = set()
        right = 0
        for name, statements in learned.items():
            for statement in statements:
                wrong = [each for each in negatives[name] if has(each["anchors"], statement)]
                good = [each for each in facts[name] if has(each["anchors"], statement)]
                bad.update(each["id"] for each in wrong)
                if good and not wrong:
                    right += 1
                    score.facts.update(each["id"] for each in good)
                mark = "NEGATIVE" if wrong else "right" if good else "?"
                score.rows.append(f"{mark:<9}{name}: {statement}")
        score.stored = sum(map(len, learned.values()))
        empty = [name for name in learned if not facts[name]]

        def recalled(keep: Callable[[Row], bool]) -> tuple[int, int]:
            chosen = [fact for fact in self.wanted if keep(fact)]
            return sum(fact["id"] in score.facts for fact in chosen), len(chosen)

        score.measures = {
            "recall": recalled(lambda _: True),
            "recall, explicit": recalled(lambda fact: fact["explicit"]),
            "recall, value 3": recalled(lambda fact: fact["value"] == 3),
            "precision": (right, score.stored),
            "negatives": (len(bad), len(self.negatives)),
            "noisy": (sum(bool(learned[name]) for name in empty), len(empty)),
        }
        return score


def _groups(data: Data, found: set[str]) -> None:
    repository = {row["id"]: row["repo"] for row in data.sessions}
    for kind in (True, False):
        groups: dict[str, list[bool]] = defaultdict(list)
        for fact in data.wanted:
            groups[fact["kind"] if kind else repository[fact["session"]]].append(fact["id"] in found)
        print("  by " + ", ".join(f"{name} {sum(each)}/{len(each)}" for name, each in sorted(groups.items())))


def _by_session(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["session"]].append(row)
    return found


def has(anchors: list[str], statement: str) -> bool:
    """Whether a statement has all anchors; `a|b` means one of them."""
    text = _plain(statement)
    return bool(anchors) and all(any(_plain(each) in text for each in one.split("|")) for one in anchors)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.translate(_SAME)).strip().casefold()


if __name__ == "__main__":
    raise SystemExit(main())
