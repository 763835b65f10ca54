"""The sentences in which a person speaks for themselves: no code, quotation, log, or text to be written.

A line may stand below another that says what it is: "remember these:" makes rules of the list that follows,
"put this into the README:" makes it somebody's text.
"""

from __future__ import annotations

from memolith.base.values import Value
from memolith.text import turns
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 400  # characters of a sentence that somebody says
_SPLIT = lazy(r"(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)\s+(?=[^\s])|(?<=[。！？])(?=.)")
_QUOTED = lazy(
    r"\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|„[^“”\n]{2,300}[“”]|«[^»\n]{2,300}»|「[^」\n]{2,300}」|`[^`\n]{1,300}`"
)


class Sentence(Value):
    """A sentence as it was said. `masked` hides what it quotes; `rule` if a line above makes it one."""

    masked: str
    rule: bool
    text: str


def sentences(text: str) -> Iterator[Sentence]:
    """Yield what a person says in their own words."""
    header = ""  # `rule` while the list below a line with a colon lasts
    for line in turns.spoken(text):
        listed = bool(turns.BULLET.match(line))
        if header == "rule" and not listed:
            header = ""
        for part in _SPLIT.split(turns.BULLET.sub("", line).strip()):
            said = part.strip()
            if said and len(said) <= _MOST:
                yield Sentence(text=said, masked=_mask(said), rule=header == "rule" and listed)
        if line.rstrip().endswith((":", "：")):
            header = "rule" if turns.is_rules(line.strip()) else ""


def _mask(text: str) -> str:
    """Hide what is quoted; every character keeps its place."""
    return str(_QUOTED.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], text))
