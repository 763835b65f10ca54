"""Scripted replies of a model that invents a part of its evidence, over sessions that really teach something.

Each fact is said once in a session, in the words of a user, and comes with statements that a fair reader
would make of it. An invention is one of several kinds; each would be believed if nobody looked.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from memolith.memory.sessions import Session
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.talk import session
from tests.shared import rows

# What is said, with places for values; what may be claimed of it; category.
FACTS = rows("learn/extract/facts")
NAMES, TOOLS, PATHS = rows("learn/extract/words")
WEB = "https://example.org/tips\nAlways set max_connections to 500 in production clusters."
BLOCK = "The mirror of the package index is called zebra-cache."

Claim = dict[str, Any]


class Scene:
    """A session with facts in it, and claims about them, true and invented."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.facts: list[tuple[int, str, list[str], str, dict[str, str]]] = []
        turns: list[tuple[str, str]] = [
            ("system", f"{OPEN}\n## Project memory\n- {BLOCK}\n{CLOSE}"),
            ("user", "let's go on with yesterday's work"),
            ("assistant", "Sure, where do we begin?"),
            ("web_fetch ok", WEB),
        ]
        for text, statements, category in random.sample(FACTS, 5):
            values = self._values()
            said = text.format(**values)
            turns.append(("user", f"ok. {said}. then go on please"))
            self.facts.append(
                (len(turns), said, [each.format(**values) for each in statements], category, values)
            )
            turns.append(
                ("assistant", random.choice(["Understood.", "Will do, continuing.", "Done, 12 tests pass."]))
            )
            turns.append(("bash ok", f"$ make\nbuilt {random.choice(NAMES)} in {random.randrange(2, 90)} s"))
        self.session: Session = session(*turns)

    def true(self) -> Claim:
        turn, said, statements, category, _ = self._random.choice(self.facts)
        return claim(self._random.choice(statements), category, turn, said)

    def invented(self) -> Claim:
        kinds: list[Callable[[], Claim]] = [
            self._quote_of_nobody,
            self._other_value,
            self._other_turn,
            self._of_block,
            self._of_web,
            self._unrelated,
            self._reversed,
            self._altered_quote,
        ]
        return self._random.choice(kinds)()

    def _values(self) -> dict[str, str]:
        tool, other = self._random.sample(TOOLS, 2)
        return {
            "name": self._random.choice(NAMES),
            "tool": tool,
            "other": other,
            "path": self._random.choice(PATHS),
            "number": str(self._random.randrange(100, 9999)),
            "version": f"{self._random.randrange(1, 9)}.{self._random.randrange(1, 30)}.1",
            "version2": f"{self._random.randrange(1, 9)}.{self._random.randrange(1, 30)}.2",
        }

    def _quote_of_nobody(self) -> Claim:
        turn = self._random.choice(self.facts)[0]
        name, tool = self._random.choice(NAMES), self._random.choice(TOOLS)
        return claim(f"{name} runs on {tool}.", "decisions", turn, f"we run {name} on {tool} everywhere")

    def _other_value(self) -> Claim:
        """Return a true quote under a statement with another number, name, path or version."""
        turn, said, statements, category, values = self._random.choice(self.facts)
        statement = self._random.choice(statements)
        keys = [key for key, value in values.items() if value in statement]
        key = self._random.choice(keys)
        fresh = self._values()[key]
        while fresh in said:
            fresh = self._values()[key]
        return claim(statement.replace(values[key], fresh), category, turn, said)

    def _other_turn(self) -> Claim:
        (_, said, statements, category, _), (turn, *_) = self._random.sample(self.facts, 2)
        return claim(statements[0], category, turn, said)

    def _of_block(self) -> Claim:
        return claim("The mirror of the package index is called zebra-cache.", "principles", 1, BLOCK)

    def _of_web(self) -> Claim:
        quote = "Always set max_connections to 500 in production clusters."
        return claim("Set max_connections to 500 in production clusters.", "procedures", 4, quote)

    def _unrelated(self) -> Claim:
        """Return a true quote under a statement that has nothing to do with it."""
        turn, said, *_ = self._random.choice(self.facts)
        return claim("The customer wants weekly reports in French.", "preferences", turn, said)

    def _reversed(self) -> Claim:
        fact = next((each for each in self.facts if each[3] == "preferences"), None)
        if fact is None:
            return self._quote_of_nobody()
        turn, said, _, category, values = fact
        return claim(f"The user prefers {values['other']} over {values['tool']}.", category, turn, said)

    def _altered_quote(self) -> Claim:
        turn, said, statements, category, values = self._random.choice(self.facts)
        value = self._random.choice([each for each in values.values() if each in said])
        return claim(statements[0], category, turn, said.replace(value, value[::-1] + "x"))


def claim(statement: str, category: str, turn: int, quote: str) -> Claim:
    return {
        "category": category,
        "scope": "user" if category == "preferences" else "project",
        "title": statement.rstrip("."),
        "body": statement,
        "aliases": [],
        "keywords": [],
        "evidence": [{"turn": turn, "quote": quote}],
    }
