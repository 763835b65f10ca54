"""The sentences in which a person speaks for themselves: no code, no quotation, no log, no text to be written.

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
_MOST_LINES = 60  # more lines than that were pasted
_SPLIT = lazy(r"(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)\s+(?=[^\s])|(?<=[。！？])(?=.)")
_BULLET = lazy(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
_FENCE = ("```", "~~~")
# Lines that a program wrote.
_MACHINE = lazy(
    r"(?i)^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|(?:error|warn(?:ing)?|info|debug|fatal|traceback|exception)\b\s*[:\[(]"
    r"|at [\w.$<>]+ ?\(|file \"|[$%#>➜❯]\s|\+\+\+|---|@@|[{}\[\]|<]|[\w.-]+@[\w.-]+:|\S+\.\w{1,4}:\d+|npm err"
    r"|\w+error\b|(?:import|def|class|const|var|return|function|public|private|#include) .*[;:({]\s*$)"
    r"|[;{}]\s*$|=>|\bv?\d+\.\d+\.\d+\b.*\bv?\d+\.\d+\.\d+\b"
)
_RULES = lazy(
    r"(?i)\b(?:remember|keep in mind|note|rules?|conventions?|guidelines?|principles|preferences|from now on"
    r"|going forward|(?:in|for) the future|always|merk dir|ab jetzt|regeln|retiens|désormais|recuerda|reglas)\b"
    r"|记住|以后|规则|今後|覚えて|ルール"
)
# What follows such a line is not the user's own rule.
_TEXT = lazy(
    r"(?i)\b(?:write|add|put|insert|append|say(?:s|ing)?|said|text|comment|readme|docs?|document|message|prompt"
    r"|template|translate|draft|post|copy|paste|reply|email|e-mail|tweet|blog|docstring|string|error|logs?|output"
    r"|getting|got|here'?s|here is|here are|this is|these are|following|guide|guideline from|from (?:the|their)|spec"
    r"|story|stories|implement|requirements?|example|quote|wrote|review|check|convert|rewrite|summari[sz]e|explain"
    r"|fix|issue|ticket|feedback|title|description|changelog|prompt|bot|header|label|button)\b"
)
_QUOTED = lazy(r"\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|„[^“”\n]{2,300}[“”]|«[^»\n]{2,300}»|「[^」\n]{2,300}」|`[^`\n]{1,300}`")


class Sentence(Value):
    """A sentence as it was said. `masked` hides what it quotes; `rule` if a line above makes it one."""

    __slots__ = ("masked", "rule", "text")
    masked: str
    rule: bool
    text: str


def sentences(text: str) -> Iterator[Sentence]:
    """Yield what a person says in their own words."""
    lines = text.split("\n")
    if len(lines) > _MOST_LINES:
        return
    fence = ""
    header = ""  # `rule` or `text`, while the lines below one with a colon last
    for line in lines:
        bare = line.strip()
        if bare.startswith(_FENCE):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            continue
        if fence or not bare:
            continue
        if bare.startswith((">", "|")) or _MACHINE.search(bare) or line.startswith(("    ", "\t")):
            continue
        listed = bool(_BULLET.match(line))
        if header == "text":
            continue
        if header == "rule" and not listed:
            header = ""
        body = _BULLET.sub("", line).strip()
        for part in _SPLIT.split(body):
            said = part.strip()
            if said and len(said) <= _MOST:
                yield Sentence(text=said, masked=_mask(said), rule=header == "rule" and listed)
        if bare.endswith((":", "：")):
            header = "rule" if _is_rules(bare) else "text" if _TEXT.search(bare) else ""


def _is_rules(line: str) -> bool:
    return bool(_RULES.search(line)) and not _TEXT.search(line.casefold().replace("note", ""))


def _mask(text: str) -> str:
    """Hide what is quoted; every character keeps its place."""
    return str(_QUOTED.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], text))
