"""What a model wrote, traced back to what was said: each line to the facts that it is about.

A model arranges and merges; it has no words of its own in a memory. A line stands for the facts it mentions,
and those are written, as they were said. A line that is about no fact waits for a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.learn.consolidate import statements
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.learn.extract.facts import Fact

_WHOLE = 0.8  # of a fact's words are in a line: the line says it
_PART = 0.4  # of a line's words are in a fact: it is what the line was made from
_PART_CITED = 0.2  # if the line names the fact's session


class Traced(Value):
    """The facts that a text mentions, in its order, and its lines that are about none."""

    facts: list[Fact]
    unsupported: list[str]


class Support:
    """Facts, to trace lines back to."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._facts = [(fact, likeness.naming(fact.text)) for fact in facts]
        self._by_key = {statements.key(fact.text): fact for fact in facts}

    def trace(self, text: str) -> Traced:
        """Trace the lines of a text; headings, fences and blank lines say nothing."""
        found: dict[str, Fact] = {}
        unsupported: list[str] = []
        for line in _saying(text):
            facts = list(self.of(line))
            found |= {each.text: each for each in facts if each.text not in found}
            if not facts:
                unsupported.append(line)
        return Traced(facts=list(found.values()), unsupported=unsupported)

    def of(self, line: str) -> Iterator[Fact]:
        """Yield the facts that a line is about."""
        said = statements.content(line)
        if exact := self._by_key.get(statements.key(line)):
            yield exact
            return
        words = likeness.naming(said)
        cited = statements.sessions_of(line)
        best, most = None, 0.0
        for fact, named in self._facts:
            shared = len(words & named)
            if named and shared >= _WHOLE * len(named):
                yield fact
                best, most = None, 2.0
            elif words and shared > most * len(words):
                is_cited = any(each.partition("#")[0] in cited for each in fact.sources)
                if shared >= (_PART_CITED if is_cited else _PART) * len(words):
                    best, most = fact, shared / len(words)
        if best is not None:
            yield best


def _saying(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        bare = line.strip()
        if bare and not bare.startswith(("#", "<!--", "```", "~~~")) and any(map(str.isalnum, bare)):
            yield line.strip()
