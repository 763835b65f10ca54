"""What is said in passing and answers nothing: questions, greetings, requests, announcements.

A transcript is full of it, and much of it repeats the words of the next question. Pure functions over words
(`talk.txt`); whatever is not recognised counts as a statement.
"""

from __future__ import annotations

from memolith.text.patterns import sections
from memolith.text.words import terms

_TABLE = {name: frozenset(words) for name, words in sections("words/talk.txt").items()}
_ANNOUNCED, _ACKNOWLEDGED, _UNKNOWN, _CORRECTS, _PERSON = (
    tuple(word.replace("_", " ").casefold() for word in _TABLE[name])
    for name in ("announced", "acknowledged", "unknown", "corrects", "person")
)
_OWNERS = frozenset(each for each in _PERSON if " " not in each)  # `my`; of others with 's
_UNKNOWN_DENSE = tuple(each for each in _UNKNOWN if each[0] >= "\u3000")
_ENDS = ".!?。！？؟…\n"
_ASKS = ("?", "？", "؟")
_AROUND = ".,;:!?\"'()[]*`_#-–—¿¡"
_KEYWORDS = 8  # words; a shorter text that asks for nothing is a search
_BRIEF, _SHORT = 7, 160  # words of what is said in passing, characters of an announcement


def is_task(text: str) -> bool:
    """Whether a text wants something done: where work was done counts for it, besides what is known."""
    said = _sentences(text)
    asked = [each for each in said if _asks(each)]
    clauses = [_words(clause) for each in said if each not in asked for clause in _clauses(each)]
    requests = any(not _TABLE["requests"].isdisjoint(clause[:2]) for clause in clauses)
    if asked:
        return requests or any(_wants(_words(clause)) for each in asked for clause in _clauses(each))
    return requests or sum(map(len, clauses)) > _KEYWORDS


def _wants(words: list[str]) -> bool:
    """Whether a clause of a question asks politely for something to be done: `can you check?`."""
    is_polite = words[:1] != [] and words[0] in _TABLE["polite"] and words[1:2] in (["you"], ["we"])
    return is_polite and _TABLE["telling"].isdisjoint(words[2:4])


def _clauses(text: str) -> list[str]:
    for mark in (" - ", ", ", "; ", ": "):
        text = text.replace(mark, "\n")
    return text.splitlines()


def is_question(text: str) -> bool:
    """Whether a text only asks."""
    said = _sentences(text)
    return bool(said) and all(map(_asks, said))


def is_about_person(text: str) -> bool:
    """Whether a text asks about the person whose memory this is: `my camera`, `the user's camera`."""
    return asked_of_person(text) is not None


def asked_of_person(text: str) -> set[str] | None:
    """Return the terms of what is theirs in a question about this person (`my camera`); None: of nobody."""
    said = f" {' '.join(_words(text))} "
    about, named = False, list[str]()
    for each in _PERSON:
        ends = " " if each in _OWNERS else "'s "
        about |= f" {each} " in said or f" {each}'s " in said
        for after in said.split(f" {each}{ends}")[1:]:
            words = after.split()
            stop = next((at for at, word in enumerate(words) if word in terms.STOP), len(words))
            named += words[:stop]
    return set(terms.of_query(" ".join(named))) if about else None


def is_of_self(text: str) -> bool:
    """Whether somebody speaks of themselves: `I shoot on film`."""
    return not _TABLE["self"].isdisjoint(_words(text)[:1])


def is_correction(text: str) -> bool:
    """Whether somebody says what is to be remembered, or that something is otherwise."""
    return text.casefold().lstrip("¿¡ ").startswith(_CORRECTS)


def is_empty(text: str) -> bool:
    """Whether a prompt names nothing that memory could know about: `hi`, `2`, `commit and push`."""
    words = _words(text)
    told = (word for word in words if any(map(str.isalpha, word)) and word not in terms.STOP)
    return _thanks(text) or all(word in _hollow(words) or word in _TABLE["chores"] for word in told)


def is_check(text: str) -> bool:
    """Whether a prompt is a chore about a check: `fix the failing tests`."""
    return is_empty(text) and not _TABLE["checks"].isdisjoint(_words(text))


def says_nothing(text: str, role: str) -> bool:
    """Whether a turn of a session answers no question: it asks, greets, announces or acknowledges."""
    if role == "user":
        said = [each for each in _sentences(text) if not _is_passing(each)]
        asks = all(_asks(each) or not _TABLE["requests"].isdisjoint(_words(each)[:2]) for each in said)
        return asks or _thanks(text)
    return is_passing(text, role)


def is_passing(text: str, role: str) -> bool:
    """Whether a turn is without content, even to somebody who looks for what was asked in a session."""
    said = [each for each in _sentences(text) if not _is_passing(each)]
    spoken = role != "user" and all(_asks(each) or _is_announced(each) for each in said)
    return not said or spoken or _thanks(text)


def is_hollow(text: str, role: str) -> bool:
    """Whether a turn is without content even for a task, for which an announcement tells of work."""
    said = [each for each in _sentences(text) if not _is_passing(each)]
    return not said or _thanks(text) or (role != "user" and all(map(_is_of_no_help, said)))


def _is_of_no_help(sentence: str) -> bool:
    """Whether an agent only says that it has no answer, or offers its help."""
    if not _asks(sentence):
        return len(sentence) < _SHORT // 2 and sentence.casefold().replace("’", "'").startswith(_UNKNOWN)
    offers = (terms.STOP, _TABLE["passing"], _TABLE["offers"])
    return all(any(word in each for each in offers) for word in _words(sentence))


def _thanks(text: str) -> bool:
    """Whether somebody only says thank you, in whatever words."""
    words = _words(text)
    plain = _TABLE["requests"].isdisjoint(words) and all(word.replace("'", "").isalpha() for word in words)
    return (
        words[:1] != []
        and words[0] in _TABLE["thanks"]
        and len(words) <= _BRIEF
        and plain
        and "?" not in text
    )


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
    return len(words) <= _BRIEF and _hollow(words).issuperset(words)


def _hollow(words: list[str]) -> frozenset[str]:
    """Return the words that say nothing; after a greeting, these are more."""
    greets = not _TABLE["greets"].isdisjoint(words[:1])
    return _TABLE["passing"] | _TABLE["greeting"] if greets else _TABLE["passing"]


def _is_announced(sentence: str) -> bool:
    """Whether an agent says what it is about to do, that it heard, or that it has no answer."""
    low = sentence.casefold().replace("’", "'").strip(f"{_AROUND} ")
    while (said := next((each for each in _ACKNOWLEDGED if _begins(low, each)), None)) is not None:
        low = low[len(said) :].lstrip(f"{_AROUND} ")
    if low.startswith(_UNKNOWN) or any(each in low for each in _UNKNOWN_DENSE) or _is_passing(low):
        return True
    # What is longer, or has a number, says something, too.
    starts = any(_begins(low, each) for each in _ANNOUNCED)
    return starts and len(sentence) < _SHORT and not any(map(str.isdigit, sentence))


def _begins(text: str, words: str) -> bool:
    return text.startswith(words) and not text[len(words) : len(words) + 1].isalnum()


def _words(text: str) -> list[str]:
    return [word for each in text.replace("’", "'").casefold().split() if (word := each.strip(_AROUND))]
