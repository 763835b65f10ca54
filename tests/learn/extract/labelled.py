"""Sessions with the statements that they teach, and how many of them the offline extractor finds.

`sessions/tuned.yml` is the half that the rules were tuned on, `sessions/apart.yml` was written before and is
only counted. A session is a list of turns, each `role: text`; a tool's role is its name and outcome (`bash
error`). `learn` lists what it teaches: words that must all be in a statement (`says`) and its place (`as:
scope/category`). Sessions without `learn` teach nothing.
"""

from pathlib import Path
from typing import Any

import yaml

from memolith.base.values import Value
from memolith.learn.extract import rules
from memolith.learn.extract.facts import Fact
from memolith.memory.sessions import Session
from tests.learn import talk

HALVES = ("tuned", "apart")
_FOLDER = Path(__file__).parent / "sessions"


class Score(Value):
    """What was found in one half; `misses`, `wrong` and `misplaced` name sessions, for those who tune."""

    empty: int
    expected: int
    found: int
    misplaced: list[str]
    misses: list[str]
    noisy: int
    said: int
    sessions: int
    wrong: list[str]

    @property
    def precision(self) -> float:
        return (self.said - len(self.wrong)) / self.said if self.said else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.expected

    @property
    def noise(self) -> float:
        """Return the part of the sessions that teach nothing and yielded something."""
        return self.noisy / self.empty


def read(half: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load((_FOLDER / f"{half}.yml").read_text(encoding="utf-8"))
    return rows


def session(row: dict[str, Any]) -> Session:
    turns = [pair for entry in row["turns"] for pair in entry.items()]
    return talk.session(*turns, name=row["name"])


def score(half: str) -> Score:
    rows = read(half)
    misses: list[str] = []
    wrong: list[str] = []
    misplaced: list[str] = []
    found = said = noisy = 0
    for row in rows:
        facts = rules.extract(session(row)).facts
        expected = row.get("learn", [])
        said += len(facts)
        noisy += not expected and bool(facts)
        for label in expected:
            match = next((fact for fact in facts if _says(fact, label)), None)
            found += match is not None
            if match is None:
                misses.append(row["name"])
            elif f"{match.scope}/{match.category}" != label["as"]:
                misplaced.append(f"{row['name']}: {match.scope}/{match.category}, not {label['as']}")
        wrong += [
            f"{row['name']}: {fact.text}" for fact in facts if not any(_says(fact, each) for each in expected)
        ]
    return Score(
        sessions=len(rows),
        empty=sum(1 for row in rows if not row.get("learn")),
        expected=sum(len(row.get("learn", [])) for row in rows),
        found=found,
        said=said,
        noisy=noisy,
        misses=misses,
        wrong=wrong,
        misplaced=misplaced,
    )


def _says(fact: Fact, label: dict[str, Any]) -> bool:
    return all(str(word).casefold() in fact.text.casefold() for word in label["says"])
