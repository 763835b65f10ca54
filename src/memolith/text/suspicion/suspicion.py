"""Why a person should look at a text from outside before an agent reads it: patterns, each with its reason.

Origin decides what is held (`memory/review.py`), never this list: a text without a match is held all the
same. The patterns are data (`patterns.txt`); they are tried on the text as it stands and with the usual
disguises taken off (`views.py`).
"""

from __future__ import annotations

import os
import re
from functools import cache

from memolith.base.values import Value
from memolith.text.suspicion.views import views

RULES = {
    "role-marker": "It imitates the marks by which a model knows who is speaking.",
    "override": "It claims to stand above earlier instructions or the user.",
    "addressed": "It speaks to the assistant that reads it.",
    "concealment": "It asks that something be kept from people.",
    "blanket-consent": "It gives consent in advance, or says not to ask.",
    "download-and-run": "It has code fetched from elsewhere run at once.",
    "hand-on": "It has a secret or private data sent to somebody.",
    "destroy": "It destroys backups, evidence, history or whole directories.",
    "safeguard-off": "It switches a safeguard off, or goes around one.",
    "persistence": "It installs something that comes back by itself.",
    "follow-link": "It sends the agent to a page whose instructions it should follow.",
    "claimed-trust": "It claims to come from a person, which only the store can say.",
}
_QUOTE = 120  # characters
_PATTERNS = os.path.join(os.path.dirname(__file__), "patterns.txt")


class Suspicion(Value):
    """Why a person should look: the rule, its sentence, and the words of the text that match it."""

    rule: str
    why: str
    quote: str
    start: int
    end: int


def suspicions(text: str) -> list[Suspicion]:
    """Return what in `text` a person should look at: each rule at most once, in order of place."""
    first: dict[str, tuple[int, int]] = {}
    for view in views(text):
        for rule, pattern in _patterns():
            if match := pattern.search(view.text):
                place = view.back(*match.span())
                first[rule] = min(first.get(rule, place), place)
    return [
        Suspicion(
            rule=rule, why=RULES[rule], quote=text[start : min(end, start + _QUOTE)], start=start, end=end
        )
        for rule, (start, end) in sorted(first.items(), key=lambda item: item[1])
    ]


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Read the table: one pattern for each rule."""
    with open(_PATTERNS, encoding="utf-8") as file:
        table = file.read().replace("\n    ", "")
    lists: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    heading = ""
    for line in table.split("\n"):
        if line.startswith(("# ", "= ")):
            heading = line
        elif line and heading.startswith("= "):
            lists[heading[2:]] = line
        elif line and heading:
            rows.setdefault(heading[2:], []).append(line)
    found = []
    for rule, each in rows.items():
        pattern = "|".join(each).replace("~", r"[^.!?;\n]{0,40}?")
        for name, value in lists.items():
            pattern = pattern.replace(f"{{{name}}}", value)
        found.append((rule, re.compile(pattern)))
    return found
