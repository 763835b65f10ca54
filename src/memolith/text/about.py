"""Whether a short sentence asks or orders something about a text that must stand beside it.

"What does this page mean?", "explain the text", "is this an attack?": an order or a question about a noun for
a text, or a question whose subject is a bare demonstrative. `points.py` knows more ways to point in eight
languages by the structure of a sentence; this needs little but nouns and demonstratives, so it has many more.
"""

from __future__ import annotations

from memolith.text import voice
from memolith.text.patterns import lazy, sections

_WORDS = {name: [word.replace("_", " ") for word in words] for name, words in sections("about.txt").items()}
_MOST_WORDS, _MOST_QUESTION = 12, 9
_DENSE = r"\u3040-\u30ff\u3400-\u9fff"


def _word(*names: str) -> str:
    words = sorted({word for name in names for word in _WORDS[name]}, key=len, reverse=True)
    return rf"(?<![\w'-])(?:{'|'.join(words)})(?![\w-])"


def _glued(name: str) -> str:
    return "|".join(_WORDS[name])


# A noun for a text behind an article or demonstrative; one adjective may stand between.
_NOUN = lazy(rf"(?u:{_word('which')}\s*(?:\w+\s+)?{_word('texts')}|{_glued('texts-glued')})")
_THING = lazy(rf"(?u:{_word('which')}\s*(?:\w+\s+)?{_word('things')})")
_ORDER = lazy(rf"(?u:{_word('orders')}|{_glued('orders-glued')})")
_ORDERED = lazy(rf"(?u:{_word('orders')}\W+(?:\w+\W+)?{_word('texts')})")
_WRITING = lazy(rf"(?u:{_word('orders')}\W+(?:\w+\W+)?{_word('writing')}\W*\Z)")
_ASKED = lazy(rf"(?u:{_word('asked')})")
_WRITER = lazy(rf"(?u:{_word('writers')})")
_BARE = lazy(
    rf"(?u:{_word('bare')}|{_word('either')}(?=\W*\Z|\s+{_word('small')})|^\W*(?:{_glued('bare-glued')}))"
)
_WHETHER = lazy(rf"(?u:^\W*(?:{'|'.join(_WORDS['whether'])})(?!\w))")
_RUNS = lazy(rf"(?u:{_word('runs')}|\d|[_/`])")
_PART = lazy(rf"(?u:{_word('parts')}|{_glued('parts-glued')})")
_END = lazy(
    rf"(?u:\W*(?:{_word('ends')}\W+(?:\w+\W+){{0,2}}?(?:{_word('texts', 'things')}|quote|thread|zitat))\W*"
    rf"|\W*(?:{'|'.join(_WORDS['source'])})\s*[:：]\s*\S.*)"
)
_NAME = r"[^\W\d_a-zà-ÿа-я][\w.'-]+"
_BY = lazy(rf"(?u:(?:{'|'.join(_WORDS['by'])})\s+{_NAME}(?:\s+{_NAME}){{0,2}}|[~/]\s?{_NAME}|~\s?\w+)")
_DATED = lazy(
    rf"(?u:{_NAME}(?:\s+{_NAME}){{0,2}},?\s+(?:\w+\s+)?(?:\d{{1,2}}[./\s-]+\w{{1,9}}[./\s,-]+\d{{2,4}}|\w{{3,9}}\s\d{{1,2}},?\s\d{{4}}|\d{{4}}-\d\d-\d\d)\W*)"
)
_LEAD = lazy(
    rf"(?u:\W*(?:(?:please|pls|bitte)\s+)?{_word('orders')}(?:\s+\w+){{0,3}}\s*|.{{0,8}}(?:{_glued('heads-glued')}))"
)
_TITLE = lazy(rf"(?u:{_word('texts', 'things')}|docs|documentation|readme|wiki|doku|answers?|task|antwort)")
_TOLD = lazy(rf"(?iu:\W*(?:{'|'.join(_WORDS['told'] + voice.REMEMBERS)}))")


def is_about(sentence: str) -> bool:
    """Whether a sentence asks or orders something about a text that stands elsewhere."""
    said = sentence.strip().casefold().replace("’", "'").replace("l'", "l' ")
    words = len(said.split()) + len(sentence) // 60
    if not said or words > _MOST_WORDS or voice.RULE.search(said):
        return False
    noun = _NOUN.search(said)
    if _WHETHER.fullmatch(said) or _WRITING.search(said) or _ORDERED.search(said):
        return True
    if _ORDER.search(said) and (noun or _THING.search(said)):
        return True
    if said[-1] not in "?？؟" and not _WHETHER.match(said):
        return False
    if noun or (_ASKED.search(said) and (_THING.search(said) or _WRITER.search(said))):
        return True
    return words <= _MOST_QUESTION and bool(_BARE.search(said)) and not _RUNS.search(said)


def names_part(question: str) -> bool:
    """Whether a question names a part of a program, so that it is not about a text beside it."""
    return bool(_PART.search(question.casefold()))


def is_end(line: str) -> bool:
    """Whether the last line of a text says that it ends, where it is from, or who wrote it, and when."""
    bare = line.strip(" ()（）[]*_-–—.")
    return bool(_END.fullmatch(bare.casefold()) or _BY.fullmatch(bare) or _DATED.fullmatch(bare))


def is_lead(head: str, rest: str) -> bool:
    """Whether a few words before a colon say that a text follows: work on one, or what it is.

    A rule may be for such texts ("docs: always in English"); what asks to be remembered is one.
    """
    said = head.strip().casefold()
    if voice.RULE.search(said):
        return False
    return bool(_LEAD.fullmatch(said) or (_TITLE.fullmatch(said) and _TOLD.match(rest)))
