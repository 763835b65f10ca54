"""The sentences in which a person speaks for themselves: no code, quotation, log, or text to be written.

A line may stand below another that says what it is: "remember these:" makes rules of the list that follows,
"put this into the README:" makes it somebody's text.
"""

from __future__ import annotations

from memolith.model import Value
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 400  # characters of a sentence that somebody says
_MOST_LINES, _MOST_TEXT = 60, 3_000  # whatever is longer was pasted
_MOST_HEADER = 80
_SPLIT = lazy(r"(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)\s+(?=[^\s])|(?<=[。！？])(?=.)")
_BULLET = lazy(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
_PASTED = ("    ", "\t", ">", "|")
_FENCE = ("```", "~~~")
# Lines that a program wrote.
_MACHINE = lazy(
    r"(?i)^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|(?:error|warn(?:ing)?|info|debug|fatal|traceback"
    r"|exception)\b\s*[:\[(]"
    r"|at [\w.$<>]+ ?\(|file \"|[$%#>➜❯]\s|\+\+\+|---|@@|[{}\[\]|<]|[\w.-]+@[\w.-]+:|\S+\.\w{1,4}:\d+|npm err"
    r"|\w+error\b|(?:import|def|class|const|var|return|function|public|private|#include) .*[;:({]\s*$)"
    r"|[;{}]\s*$|=>|\bv?\d+\.\d+\.\d+\b.*\bv?\d+\.\d+\.\d+\b"
)
_RULES = lazy(
    r"(?i)^(?:\W|\b(?:ok|okay|please|so|also|and|btw|a few|some|two|three|few|my|our|the|these|more|other"
    r"|basic|things?|notes?)\b)*"
    r"\b(?:remember(?! to\b)|keep in mind|rules?|conventions?|house rules|from now on|going forward|(?:in"
    r"|for) the future|always|never"
    r"|merk dir|ab jetzt|regeln|retiens|désormais|recuerda|reglas)\b"
    r"|^(?:请)?(?:记住|以后|规则)|^(?:今後|覚えて|ルール)"
)
# What follows such a line is not the user's own rule.
_TEXT = lazy(
    r"(?i)\b(?:write|add|put|insert|append|say(?:s|ing)?|said|text|comment|readme|docs?|document|message"
    r"|prompt"
    r"|template|translate|draft|post|copy|paste|reply|email|e-mail|tweet|blog|docstring|string|error|logs?"
    r"|output"
    r"|getting|got|here'?s|here is|here are|this is|these are|following|guide|guideline from|from (?:the"
    r"|their)|spec"
    r"|story|stories|implement|requirements?|example|quote|wrote|review|check|convert|rewrite|summari[sz]e"
    r"|explain"
    r"|fix|issue|ticket|feedback|title|description|changelog|prompt|bot|header|label|button)\b"
)
_QUOTED = lazy(
    r"\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|„[^“”\n]{2,300}[“”]|«[^»\n]{2,300}»|「[^」\n]{2,300}」|`[^`\n]{1,300}`"
)


class Sentence(Value):
    """A sentence as it was said. `masked` hides what it quotes; `rule` if a line above makes it one."""

    __slots__ = ("masked", "rule", "text")
    masked: str
    rule: bool
    text: str


def sentences(text: str) -> Iterator[Sentence]:
    """Yield what a person says in their own words."""
    header = ""  # `rule` or `text`, while the lines below one with a colon last
    for line in _spoken(text):
        listed = bool(_BULLET.match(line))
        if header == "rule" and not listed:
            header = ""
        for part in _SPLIT.split(_BULLET.sub("", line).strip()):
            said = part.strip()
            if said and len(said) <= _MOST:
                yield Sentence(text=said, masked=_mask(said), rule=header == "rule" and listed)
        if line.rstrip().endswith((":", "：")):
            header = "rule" if _is_rules(line.strip()) else ""
            if not header and _TEXT.search(line):
                return  # the rest is a text to be written, or one that somebody else wrote


def _spoken(text: str) -> Iterator[str]:
    """Yield the lines that are neither code nor quoted nor a program's."""
    lines = text.split("\n")
    if len(lines) > _MOST_LINES or len(text) > _MOST_TEXT:
        return
    fence = ""
    for line in lines:
        bare = line.strip()
        if bare.startswith(_FENCE):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        elif bare and not fence and not (line.startswith(_PASTED) or _MACHINE.search(bare)):
            yield line


def _is_rules(line: str) -> bool:
    return len(line) <= _MOST_HEADER and bool(_RULES.search(line)) and not _TEXT.search(line)


def _mask(text: str) -> str:
    """Hide what is quoted; every character keeps its place."""
    return str(_QUOTED.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], text))
