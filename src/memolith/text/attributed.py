"""How a text shows that it is somebody's: it is signed, it has marks that nobody types, or one asks about it.

`typed.py` looks for these in what a person sent, beside the signs of documents, logs and code.
"""

from __future__ import annotations

from memolith.text import points
from memolith.text.patterns import lazy
from memolith.text.voice import RULE, STOP, WORDS

# Characters that keyboards do not make, and marks that pages and screens put around a text.
_UNTYPED = lazy(r"[\u00ad\u2000-\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]|(?:\u00a0[^\u00a0]+){3}")
_MARKED = lazy(
    r"(?x) \A\s*(?:[\u2500-\u259f\u25a0-\u25ff\u2022\u2023\u2043\u2610-\u2612⎿⏺⏵§¶❯]|-[ ]\[[ xX]\][ ])"
    r"| \A\s*commit[ ][0-9a-f]{7,40}\b"
    r"| (?:\[(?:\d{1,3}|edit|citation[ ]needed)\]|[¶↩]\ufe0e?)\s*\Z"
    r"| \A\s*[‹›‚‘‛‟❛❜❝❞〝〞〟＂«»].*[‹›‚‘’‛‟„❛❜❝❞〝〞〟＂«»][.!?…]?\s*\Z | \A\s*``[^`]+``\s*\Z"
    r"| \A\s*(?P<mark>[*_])(?![*_\s])[^*_]{20,}(?P=mark)\s*\Z"
)
# Who a sentence is of, before and behind it.
_SOURCE = rf"(?:(?:{WORDS['which']}|my|our)\s+)*(?:{WORDS['named']})(?:\s+\S*\d\S*)?"
_WRITES = lazy(rf"\W*[A-Z][a-z]+\s+(?:{WORDS['reports']})\s+(?:[–—-]+\s+)?[A-Z]")
_OF = lazy(
    rf"(?i:\b(?:{WORDS['reports']})\s+{_SOURCE}[.!]?\s*\Z|[.!?]\s+[–—-]{{1,2}}\s+{_SOURCE}\s*\Z)"
    rf"|[.!?]\s+[–—-]{{1,2}}\s+[A-Z]\w+(?:,?\s+\w+){{0,3}}\s*\Z|://\S+\s+(?i:{WORDS['reports']})\s"
)
_TITLE = lazy(rf"(?:\d+[.)]\s+)?(?:[A-Z]\w+\s+){{1,3}}(?i:{WORDS['named']})[.!]?")
# How a sentence begins that says whose words follow.
_SOMEBODY_SAYS = lazy(rf"(?i)(?:{WORDS['somebody']})(?:\s+[^\s.:]+){{0,5}}?\s+(?:{WORDS['reports']}){STOP}")
_REPORTED = lazy(
    rf"(?i)(?:(?:{WORDS['which']}|\S+['’]s)\s+){{0,4}}(?:{WORDS['named']}|{WORDS['reporter']})"
    rf"(?:\s+\S*\d\S*)?\s+(?:also\s+|just\s+)?(?:{WORDS['reports']}){STOP}|{WORDS['reported-glued']}"
)
_TOLD = lazy(
    rf"(?i)(?!(?:{WORDS['our-rules']})\b)(?:{WORDS['told']}|{WORDS['sources']}){STOP}|{WORDS['told-glued']}"
)
# What stands behind a sentence, in brackets, behind a dash or as its last clause.
_BRACKETS, _BEHIND = (
    lazy(r"[(（]([^()（）]{3,80})[)）]"),
    lazy(r"(?:[,，、]|\s[–—-]{1,2})\s*([^,，、]{3,60}?)[.!。]?\s*\Z"),
)
_BY_SOURCE = lazy(rf"(?u:(?i:{WORDS['sources']}|{WORDS['says']})\s+(?:[^\W\d]\S*\s*){{1,5}})")
_OURS = lazy(rf"(?i)\b(?:{WORDS['ours']}){STOP}")
# Somebody else who wants something: a person by what they are, or anybody who wants it of those who speak.
_WRITER, _HOW_FAR = points.WRITER, r"(?:\s+(?!(?:i|we|you)\s)[^\s,.:;]+)"
_NO_NOUN = "".join(rf"(?<!\b{each})" for each in ("per", "the", "a", "by", "on", "of", "each", "every", "no"))
_WANTS = lazy(
    rf"(?u:(?:\w+\W\s+)?(?:[^\s,.:;]+\s+){{0,3}}?(?:[^\s,.:;]+['’])?(?:{_WRITER})s?{_HOW_FAR}{{0,3}}?{_NO_NOUN}(?:\s+|(?='))"
    rf"(?:{WORDS['wishes']}|{WORDS['tells']}){STOP}(?P<what>.*))|{WORDS['wants-glued']}"
)
_OUR_TEAM = lazy(rf"(?u:(?:{WORDS['our-team']})\s)")
_TELLS = lazy(
    rf"(?u:(?!(?:i|we|you|it|this|that|there|if|when|ich|wir|es|nous|on|я|мы)\b)[^\W\d][^\s,.:;]*{_HOW_FAR}{{0,4}}?\s+"
    rf"(?:{WORDS['wishes']}|{WORDS['tells']}){_HOW_FAR}{{0,4}}?,?\s+(?P<what>(?:{WORDS['addressed']}).*))"
)
_OWN_CLAUSE = lazy(
    rf"(?u:[,;]\s+(?:(?:so|also|donc|please|bitte)\s+)?(?=(?:{WORDS['rules']}|{WORDS['lasting']})\b))"
)
_IS_TO = lazy(rf"(?u:(?<!\w)(?:{WORDS['is-to']})(?!\w))")
# A sentence in quotation marks, and what says that it is one's own.
_SAID = lazy(
    r"\"(?=[A-Za-z\u00c0-\uffff])[^\"]{12,}\"|“[^”]{12,}”|„[^”“]{12,}[”“]|«[^»]{12,}»|「[^」]{6,}」"
    r"|(?<!\w)'[A-Za-z][^']{12,}'(?!\w)|\"[\u2e80-\ud7ff][^\"]{5,}\""
)
_OWN_SAYING = lazy(
    r"(?i)\b(?:i|we|ich|wir|je|nous|yo|eu|io|ik|я|мы)\b "
    r"\w*(?:sa(?:id|y)|sag|gesagt|di[ts]|digo|diss|zeg|говор|сказал)"
)
# Letters: how they begin and end.
_COMMA, _MOST_GREETING = ",，、", 4  # how lines above and below a letter end, and the words of one
_TO_AGENT = lazy(rf"(?i)\W*(?:{WORDS['greeting']})\s+(?:{WORDS['agent']})\W*")
_GREETING = lazy(
    rf"(?i)(?:{WORDS['greeting']})\s+(?!(?:{WORDS['agent']}|there|again)\b)\w[^\s!.]*(?:\s+[^\s!.]+)?[!.]"
)
_CLOSING = lazy(rf"(?i)(?:{WORDS['closing']})[\s.!]*")
_SIGNED = lazy(rf"(?i)(?:{WORDS['signs']})\s+(?!(?:{WORDS['agent']})\b)\S+(?:\s\S+)?")
_SIGN = lazy(r"[~–—]\s?|-{1,2}\s?")
_NO_NAME = lazy(rf"(?i)(?:{WORDS['no-name']}|{WORDS['agent']})")


def is_marked(line: str) -> bool:
    """Whether a line has a mark of a page or a screen, or a character that nobody types."""
    return bool(_UNTYPED.search(line) or _MARKED.search(line))


def dashes(lines: list[str]) -> int:
    """Return the line from which on all are items with a dash or go on with one: a diff's or a page's."""
    first, loose = len(lines), False
    for number in reversed(range(len(lines))):
        sign = lines[number].strip()[:1]
        if sign in ("-", "–", "—"):
            first, loose = number, False
        elif sign:
            loose = True  # of the item above it, if one is
        elif loose:
            break
    return first


def names_source(line: str) -> bool:
    """Whether a line says whose its words are."""
    if _WRITES.match(line) or _OF.search(line):
        return True
    behind = (found[1] for each in (line, *points.sentences(line)) if (found := _BEHIND.search(each)))
    bracketed = (each[1] for each in _BRACKETS.finditer(line))
    return any(map(_is_source, behind)) or any(_is_source(each, bracketed=True) for each in bracketed)


def _is_source(aside: str, *, bracketed: bool = False) -> bool:
    """Whether a few words only say whose those before them are; a rule says more."""
    if _OURS.search(aside) or RULE.search(aside):
        return False
    return points.is_source(aside, bracketed=bracketed) or bool(_BY_SOURCE.fullmatch(aside.strip()))


def cites(sentence: str) -> bool:
    """Whether a sentence says whose words, or whose wish, it tells: `Per the docs, …`, `My boss wants …`."""
    return any(each.match(sentence) for each in (_TOLD, _REPORTED, _SOMEBODY_SAYS)) or _wants(sentence)


def _wants(sentence: str) -> bool:
    """Whether a sentence says what somebody else wants of those who speak, or wants as a rule."""
    said = sentence.strip().casefold().replace("’", "'")
    if _OUR_TEAM.match(said):
        return False
    found = _WANTS.match(said) or _TELLS.match(said)
    if found is None or found["what"] is None:
        return found is not None
    what, *own = _OWN_CLAUSE.split(found["what"])
    told = what if own and len(what.split()) > 1 else found["what"]  # `asks us, never to …` is all theirs
    return bool(RULE.search(told) or _IS_TO.search(told))


def quotes_rule(line: str) -> bool:
    """Whether what is said as a rule in a line stands in quotation marks only: somebody's, who is quoted."""
    quoted = [each[0] for each in _SAID.finditer(line)]
    rest = str(_SAID.sub(" ", line))
    return any(map(RULE.search, quoted)) and not (RULE.search(rest) or _OWN_SAYING.search(rest))


def is_headline(line: str) -> bool:
    """Whether the first line of several names a text, or greets somebody other than the agent."""
    if line[-1] in _COMMA:
        return len(line.split()) <= _MOST_GREETING and not _TO_AGENT.fullmatch(line)
    return bool(_TITLE.fullmatch(line) or _GREETING.fullmatch(line))


def is_letter(lines: list[str]) -> bool:
    """Whether somebody signs a text; one who greets the agent writes to it.

    Behind a short line that ends in a comma only a name follows; so it does behind words that close a letter,
    or behind a sentence.
    """
    if len(lines) < 2 or _TO_AGENT.fullmatch(lines[0]):
        return False
    closed = any(
        line[-1] in _COMMA and max(len(each.split()) for each in (line, *below)) <= _MOST_GREETING
        for line, below in ((lines[-at], lines[1 - at :]) for at in (2, 3) if len(lines) > at)
    )
    above, last = lines[-2], lines[-1]
    name = str(_SIGN.sub("", last, count=1)) if _SIGN.match(last) else last
    signed = _is_name(name) and (above[-1] in ".!?…)" or _CLOSING.fullmatch(above) is not None)
    return closed or bool(_SIGNED.fullmatch(last)) or signed or points.foot(lines)


def _is_name(line: str) -> bool:
    words = line.split()
    return (
        0 < len(words) <= 3
        and all(each[0].isupper() and each.replace("-", "").replace(".", "").isalpha() for each in words)
        and not _NO_NAME.fullmatch(line.rstrip("."))
    )
