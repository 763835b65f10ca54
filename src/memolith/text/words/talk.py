"""What is said in passing and answers nothing: questions, greetings, requests, announcements.

A transcript is full of it, and much of it repeats the words of the next question. Pure functions over words
(`talk.txt`); whatever is not recognised counts as a statement.
"""

from __future__ import annotations

from memolith.text.patterns import sections
from memolith.text.words import terms

_TABLE = {name: frozenset(words) for name, words in sections("words/talk.txt").items()}
_ANNOUNCED, _UNKNOWN, _CORRECTS = (
    tuple(word.replace("_", " ") for word in _TABLE[name]) for name in ("announced", "unknown", "corrects")
)
_ENDS = ".!?。！？؟…\n"
_ASKS = ("?", "？", "؟")
_AROUND = ".,;:!?\"'()[]*`_#-–—¿¡"
_KEYWORDS = 8  # words; a shorter text that asks for nothing is a search
_BRIEF, _SHORT = 7, 160  # words of what is said in passing, characters of an announcement


def is_task(text: str) -> bool:
    """Whether a text wants something done: where work was done counts for it, besides what is known."""
    words = _words(text)
    if is_question(text):
        is_polite = bool(words) and words[0] in _TABLE["polite"] and words[1:2] != ["i"]
        return is_polite and _TABLE["telling"].isdisjoint(words[2:4])
    return len(words) > _KEYWORDS or not _TABLE["requests"].isdisjoint(words[:2])


def is_question(text: str) -> bool:
    """Whether a text only asks."""
    said = _sentences(text)
    return bool(said) and all(map(_asks, said))


def is_correction(text: str) -> bool:
    """Whether somebody says what is to be remembered, or that something is otherwise."""
    return text.casefold().lstrip("¿¡ ").startswith(_CORRECTS)


def is_empty(text: str) -> bool:
    """Whether a prompt names nothing that memory could know about: `hi`, `2`, `commit and push`."""
    told = (word for word in _words(text) if not word.isdigit() and word not in terms.STOP)
    return all(word in _TABLE["passing"] or word in _TABLE["chores"] for word in told)


def says_nothing(text: str, role: str) -> bool:
    """Whether a turn of a session answers no question: it asks, greets, announces or acknowledges."""
    said = [each for each in _sentences(text) if not _is_passing(each)]
    if role == "user":
        return all(_asks(each) or not _TABLE["requests"].isdisjoint(_words(each)[:2]) for each in said)
    return all(_asks(each) or _is_announced(each) for each in said)


def _sentences(text: str) -> list[str]:
    found, begin = [], 0
    for at, char in enumerate(text):
        ends = char in _ENDS and (char == "\n" or not char.isascii() or text[at + 1 : at + 2].strip() == "")
        if ends:
            found.append(text[begin : at + 1].strip())
            begin = at + 1
    return [each for each in (*found, text[begin:].strip()) if each]


def _asks(sentence: str) -> bool:
    return sentence.endswith(_ASKS) or not _TABLE["asking"].isdisjoint(_words(sentence)[:1])


def _is_passing(sentence: str) -> bool:
    words = _words(sentence)
    return len(words) <= _BRIEF and all(word in _TABLE["passing"] for word in words)


def _is_announced(sentence: str) -> bool:
    low = sentence.casefold().replace("’", "'")
    if low.startswith(_UNKNOWN):
        return True
    first = low.partition(",")[0].partition(":")[0].strip(f"{_AROUND} ")
    starts = low.startswith(tuple(f"{each} " for each in _ANNOUNCED)) or first in _ANNOUNCED
    # What is longer, or has a number, says something, too.
    return starts and len(sentence) < _SHORT and not any(map(str.isdigit, sentence))


def _words(text: str) -> list[str]:
    return [word for each in text.replace("’", "'").casefold().split() if (word := each.strip(_AROUND))]
