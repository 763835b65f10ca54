"""A request to remember one thing, typed beside a paste that says itself where it begins and ends.

Elsewhere a rule behind a paste may be the paste's. It is the person's own before an announced paste in the
same line, and behind one fenced block that they asked about.
"""

from __future__ import annotations

from memolith.text import voice
from memolith.text.patterns import lazy

_REMEMBER = r"(?:please\s+)?remember(?:\s+that|:)\s[^.!?:\n]+"
_SHOWS = rf"(?:{voice.WORDS['shows']})\b[^.!?:]{{0,40}}[:：]"
_BEFORE = lazy(rf"(?i)({_REMEMBER}[.!])\s+(?={_SHOWS})")
_ALONE = lazy(rf"(?i){_REMEMBER}[.!]?")
_HEAD = lazy(rf"(?i){_SHOWS}\s*")


def before_paste(line: str) -> list[str]:
    """Return a line in two parts: a request to remember, and the paste that it announces; or nothing."""
    found = _BEFORE.match(line)
    return [found[1], line[found.end() :]] if found else []


def behind_block(lines: list[str], first: int) -> bool:
    """Whether somebody asks for work on one fenced block, or shows it, and then to remember one thing."""
    head = next((line.strip() for line in reversed(lines[:first]) if line.strip()), "")
    fences = [number for number, line in enumerate(lines) if line.startswith("```")]
    if len(fences) != 2 or first != fences[0] or not head:
        return False
    behind = [line for line in lines[fences[1] + 1 :] if line.strip()]
    return (
        behind == lines[-1:]
        and bool(_ALONE.fullmatch(behind[0].strip()))
        and bool(voice.ASKS.search(head) or _HEAD.fullmatch(head))
    )
