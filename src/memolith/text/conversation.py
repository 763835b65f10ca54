"""Whether a text is a conversation: its lines say who speaks, and two speakers take turns.

Who speaks stands before a colon, in brackets or in a tag, maybe behind the time, or alone as a heading. A
role (`user`, `Claude`) is known by its name. Any two other names are speakers once they alternate for long:
`Problem: … Fix: …` has the same form, and is short.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = """
user human you me i assistant ai bot agent system tool developer model chatgpt gpt claude gemini copilot codex
cursor grok llm benutzer benutzerin nutzer mensch ich du assistent assistentin ki utilisateur humain moi vous
toi ia usuario humano yo tú asistente usuário eu você assistente пользователь человек я ты вы ассистент
помощник ии бот 用户 我 你 您 助手 助理 人类 ユーザー 私 あなた アシスタント 人間
"""
_ROLES = frozenset(_NAMES.split())
_FEW, _MANY = 4, 6  # turns of which one speaker is known by a role, and of any two
_TIME = r"(?:[\[(]?\d{1,4}[-/.:年]\d[^\s\])]*[\])]?(?:\s*[AaPp]\.?[Mm]\.?[\])]?)?[\s,–—-]*){0,3}"
_NAME = r"[^\W\d_][\w.'-]*(?: [\w.'-]+){0,2}"
_SPEAKER = re.compile(
    rf"\s*(?:>\s*)*(?P<heading>\#{{1,6}} |\*\*|__)?{_TIME}(?:"
    rf"\[(?P<bracket>{_NAME})\]\W?|<(?P<tag>{_NAME})>|(?P<name>{_NAME})\s*(?:[\[(][^\])\n]{{1,24}}[\])]\s*)?"
    rf"(?:,?\s*{_TIME})?(?P<colon>\**_*[:：])?(?P<rest>.*))"
)


def turns(text: str) -> int:
    """Return how many turns a conversation has; 0 if a text is none."""
    said = Counter(speakers := list(_speakers(text)))
    known = [count for name, count in said.items() if name in _ROLES]
    if sum(known) >= _FEW and max(known) > 1:
        return sum(known)
    pair = [name for name, _ in said.most_common(2)]
    two = [name for name in speakers if name in pair]
    least = _FEW if _ROLES.intersection(pair) else _MANY
    alternates = all(one != other for one, other in pairwise(two))
    return len(two) if len(pair) > 1 and len(two) >= least and alternates else 0


def _speakers(text: str) -> Iterator[str]:
    for line in text.splitlines():
        found = _SPEAKER.match(line)
        if found is None:
            continue
        name = (found["bracket"] or found["tag"] or found["name"]).casefold().strip(".'-")
        alone = found["heading"] and not (found["rest"] or "").strip("*_# ")
        if found["name"] is None or found["colon"] or alone:
            yield name
