"""Whether somebody meant what a sentence says, and for longer than this moment.

What is asked, supposed or joked teaches nothing. A polite request ("can you always …") is no question. What a
clause says is doubted by what stands before it and in it, not by what follows: "we use pnpm, maybe note that
somewhere" is certain about pnpm.
"""

from __future__ import annotations

from memolith.learn.extract.speech import pattern
from memolith.text.words.terms import STOP, stem

_LEAST_ENGLISH = 2  # small words by which English is known
_CLOSING = " \"'`)”“»」"  # what may stand behind the end of a sentence
_AROUND = ".,;:!?…\"'`()[]{}<>*“”„«»"


def doubts(said: str) -> bool:
    """Whether what was said is asked, imagined, doubted or a joke."""
    bare = str(pattern("confirms-itself").sub("", pattern("tag").sub("", said))).strip()
    if pattern("jokes").search(said) or pattern("unsure").search(bare):
        return True
    if pattern("requests").match(bare):
        return False
    asks = pattern("inverted").match(bare) or pattern("foreign-ask").search(bare)
    return bool(asks) or bare.rstrip(_CLOSING).endswith(("?", "？", "؟"))


def supposes(said: str) -> bool:
    """Whether somebody says of a whole sentence that they think so: of how things are, or as a proposal."""
    return bool(pattern("supposes").search(said.casefold()))


def is_passing(said: str) -> bool:
    """Whether a sentence says itself that it holds for this moment or this piece of work."""
    return bool(pattern("passing").search(said.casefold()))


def is_inverted(said: str) -> bool:
    """Whether a sentence begins as an English question, whatever its end: `what should we do:`."""
    return bool(pattern("inverted").match(said))


def chats(said: str) -> bool:
    """Whether somebody only tells of their day in the words of a rule: `always the same error`."""
    return bool(pattern("chatter").search(said.casefold()))


def passes(said: str) -> bool:
    """Whether what was said is meant for this moment or this place only."""
    return bool(pattern("moment").search(said)) or is_passing(said)


def agrees(answer: str) -> bool:
    """Whether an answer agrees without a reservation."""
    first = answer.partition("\n")[0]
    return bool(pattern("agrees").match(first)) and not pattern("reserves").search(first)


def retracts(sentence: str) -> bool:
    """Whether a sentence takes back what was said right before it."""
    return bool(pattern("retracts").match(sentence.casefold()))


def calls_off(sentence: str) -> bool:
    """Whether a sentence takes back what it names: `forget the squash rule`."""
    return bool(pattern("calls-off").match(sentence.casefold()))


def behind_retraction(sentence: str) -> str:
    """Return what a sentence says besides taking something back: all of it if it takes nothing back."""
    rest = sentence
    while True:
        named = pattern("calls-off").match(rest)
        found = named or pattern("retracts").match(rest)
        if not found:
            return rest
        rest = rest[found.end() :]
        if named and rest[:1] not in _AROUND:  # "… the rule of the tabs, …": more of its name
            rest = rest[next((at for at, char in enumerate(rest) if char in ".,;:!，。；："), len(rest)) :]
        rest = rest.lstrip(_AROUND + " –—-，。；：")


def named_by(retraction: str) -> str:
    """Return the part of a retraction that may name what is taken back: not what it goes back to."""
    found = pattern("restores").search(retraction)
    return retraction[: found.start()] if found else retraction


def turns(sentence: str) -> bool:
    """Whether a sentence may reverse what was said: `we no longer …`. `push to main` reverses no rule."""
    return bool(pattern("turned").search(sentence.casefold()))


def ends(sentence: str) -> bool:
    """Whether a sentence says that something is no longer so."""
    return bool(pattern("ended").search(sentence.casefold()))


def may_say(sentence: str, statement: str) -> bool:
    """Whether a statement may have been made from a sentence: two in English share a word that names."""
    if min(len(STOP.intersection(_words(each))) for each in (sentence, statement)) < _LEAST_ENGLISH:
        return True  # there is no telling between languages
    return bool(naming(sentence) & naming(statement))


def naming(text: str) -> set[str]:
    """Return the stems of the words that say something by themselves."""
    return {stem(word) for word in _words(text) if word not in STOP and len(word) > 1}


def _words(text: str) -> list[str]:
    return [word for each in text.casefold().split() if (word := each.strip(_AROUND))]
