"""Whether a sentence says by its small words that it holds for later, too.

`signals.py` weighs how people speak in long sessions, mostly English. Here stands what needs no weighing: who
says "always", "from now on", "at our place", "we decided", "so don't …" or "no more …", and tells neither how
something went nor what they only suppose, says how they want it. These words are few in every language, so
what is named, and by which verb, does not matter.
"""

from __future__ import annotations

import re

from memolith.base.values import Value

_OPENS = r"^(?:[JAOFzfR,.]{0,3},|[JAOzf,]|N,|V,)*"
# How something went, what is supposed, asked or told by somebody else.
_AGAINST = re.compile(r"[XHhQ?ri]")
# What is at hand, or holds for this moment: what was decided or holds from now on is so all the same.
_AT_HAND = re.compile(r"[Md]")
# "I always forget …", "you never listen", "it never …": no rule, but what happens.
_HAPPENS = re.compile(
    r"^[JOz,]*(?:I(?!p|P|[^,]{0,4}[Dogt])[^,PDo]{0,2}[LV]|Y[J.]?[LV]|[Td][^,]{0,3}[LV])"
    # "if that is so, …", "a helper that is always used", "let's …", "rename it everywhere", "…, just tell me"
    r"|TB?[LV]|^[JO,]*(?:LI|F[uv.n]|S[^,]*[TdI])|^[JA,]*(?:u[^,]*[LV]|[uv][^,]*L[eW]?$)|,J[uv]I"
)
# Each of these says it alone.
_SAYS = {
    # "always tabs in this repo", "leave lock files alone unless I ask"; Polish "nie, …" is no "never"
    "always": re.compile(r"(?<!^)V|V(?!,)|L"),
    # "at our place …"
    "ours": re.compile(rf"{_OPENS}\.?e[^,]|[,c][Jz]?e"),
    "when-you": re.compile(r"wY[^,XTd]{1,8},?[^,]{0,2}[NVLU]|wY[vU][^,XTdx]{1,8},[JA]*[vu]"),
    # "before you delete anything, ask me"
    "ask-before": re.compile(r"q[^,]*,[JA]*[vU]I"),
    # "…, so don't …"
    "hence": re.compile(r"z[JA]*(?:N|V|E|[^,]{0,3}(?:C|[LV]|[DoG]))"),
    # "stop adding …", "no more … in the …"
    "no-more": re.compile(rf"{_OPENS}(?:N[vU]|N[.n]{{2,6}}$)|,[JA]+NU"),
    # "you may …", "answer me …", "shorter answers"
    "may": re.compile(r"oY|Y[Do]|YN[^,]{0,3}[.n]*[q]"),
    # "I'm a designer", "we're on Node 18", "Anna owns …", "one commit per …"
    "who": re.compile(r"^[JO,]*1[.n]"),
    "on": re.compile(r"^[JO,A]*3\.?n"),
    "whose": re.compile(r"^[JO,]*[^,IYTd]{1,5}4."),
    "each-of": re.compile(r"^[JAO,]*T[^,TdIY]{1,3}0."),
    "prefers": re.compile(r"[.n]P$"),
    "answers": re.compile(r"^[JAO,]*[.CNU]{1,3}j|[.,]j$|^[JAO,]*UI"),
}
# These say it whenever that was: "we decided yesterday", "from now on".
_SINCE = {
    "henceforth": re.compile(r"l(?!$)|[^,]{2}l$|,[AJ]?l"),
    "decided": re.compile(r"^(?:[JOzTBA.,]){0,4}b|W[^,]{0,6}b|e[^,]{0,6}b|[^NISX,]b$|,[J.]{0,2}b$"),
}
# Two of these may say it.
_HINTS = {
    "must": re.compile(r"o|DN"),
    "every": re.compile(r"E"),
    "contrast": re.compile(r"[^,]J?,?J?N[.n]{1,3}(?:$|,)|C"),
    "like": re.compile(r"^[JOAaz,]*I?p(?![tTd])|P(?![Td])"),
    "like-none": re.compile(r"^[JOAaz,]*I?p[^,]*,?N|P[^,]*,N|[pP]B?$"),
    "mine": re.compile(r"I?pm"),
    "corrects": re.compile(r"^(?:N,|O,?)"),
    "so": re.compile(r"^(?:N,|O,?)[J,]*[^,xTd]{1,5}B[^,xTdX]{1,4}(?:$|,)"),
    "here": re.compile(r"(?<=[^,])e|[^,]W$"),
    "first": re.compile(r"q[^,]*[LVYI]"),
}
_LEAST_HINTS, _ENOUGH = 2, 3


class Lasting(Value):
    """What a sentence says by its small words: whether it is certain, and the ways in which it speaks."""

    certain: bool
    ways: list[str]


def judge(letters: str) -> Lasting | None:
    """Judge the marks of a sentence; None if they say nothing that lasts."""
    letters = letters.replace("y", "")
    if _AGAINST.search(letters) or _HAPPENS.search(letters):
        return None
    since, says, hints = (
        [name for name, found in each.items() if found.search(letters)] for each in (_SINCE, _SAYS, _HINTS)
    )
    if since or (says and not _AT_HAND.search(letters)):
        return Lasting(certain=True, ways=since + says)
    certain = len(hints) >= _ENOUGH and not _AT_HAND.search(letters)
    return Lasting(certain=certain, ways=hints) if len(hints) >= _LEAST_HINTS else None
