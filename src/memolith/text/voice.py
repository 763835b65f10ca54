"""What a sentence says of the one who speaks: a rule that lasts, a request, a wish of their own."""

from __future__ import annotations

from memolith.text.patterns import lazy, sections

_TABLE = sections("typed.txt")
REMEMBERS = [word.replace("_", " ") for word in _TABLE.pop("remembers")]
WORDS = {name: "|".join(words).replace("_", " ") for name, words in _TABLE.items()}
WORDS["opening"] += "".join(f"|{word}" for word in REMEMBERS)
# Patterns know no case and no word ends beyond ASCII.
for _word in REMEMBERS:
    WORDS["rules" if _word[0].isascii() and _word[-1].isascii() else "rules-glued"] += (
        f"|[{_word[0].upper()}{_word[0]}]{_word[1:]}"
    )
RULE = lazy(rf"(?iu:\b(?:{WORDS['rules']}|{WORDS['lasting']})\b)|{WORDS['rules-glued']}")
SPEAKS = lazy(rf"(?iu:\b(?:{WORDS['speaks']})\b)")
ASKS = lazy(
    rf"(?i)^\W*(?:(?:ok|so|and|but|also|now)\b\W*)*(?:{WORDS['asks']}|(?:{WORDS['speaks']})\b)|[?？؟]\W*$"
)
# A sentence that begins by saying that it is the speaker's wish, or for all that is theirs; patterns know no
# word ends beyond ASCII, so those are spelt out.
STOP = r"(?=[\s,.;:!?，。！、]|$)"
_PERSONAL = lazy(
    rf"([\s,.:!-]*(?:(?:(?:{WORDS['opening']}){STOP}|(?:{WORDS['opening-glued']}))[\s,.:!，、-]*)*)"
    rf"(?:(?:{WORDS['mine']}|{WORDS['everywhere']}){STOP}|(?:{WORDS['mine-glued']})"
    rf"|[^,;:，；：、]*(?:(?<!\S)(?:{WORDS['all-mine']}){STOP}|(?:{WORDS['all-mine-glued']})))"
)
# What is for one thing ("the billing worker", "our API"), or a wish that names or counts one ("I prefer Anna
# as reviewer", "I want 5 retries"), is for the project that has it.
_ALL = lazy(rf"(?<!\S)(?:{WORDS['everywhere']}|{WORDS['all-mine']}){STOP}|(?:{WORDS['all-mine-glued']})")
_ONE = lazy(rf"(?<!\S)(?:{WORDS['one-thing']}){STOP}|{WORDS['one-thing-glued']}")
_NAMES_ONE = lazy(r"\d|\w[_/]\w|`|^I\b.*\s(?!I\b)[A-Z]")
_WHOLE_WORDS = lazy(r"[\u3040-\u9fff]")  # characters that say as much as several letters
_FEW = 6
# Where verbs say who speaks, pronouns are left out.
_SELF = lazy(
    r"(?i)\W*(?:i|we|ich|wir|je|nous|eu|yo|io|ik|я|мы"
    r"|prefiero|quiero|odio|preferisco|voglio|vorrei|prefiro|quero|odeio|wolę|chcę|lubię|nienawidzę)\b"
)


def is_personal(sentence: str) -> bool:
    """Whether a sentence says itself that it is about the person who speaks, or about all their projects.

    A rule that says neither may be a page's ("as the runbook puts it, never …"); it is for this project only.
    So is a wish for one thing.
    """
    words = " ".join(sentence.split()).replace("’", "'")
    said = words.casefold()
    found = _PERSONAL.match(said)
    if not found:
        return False
    begins = found.end(1)  # the "that" of "remember that …" is no thing
    return bool(_ALL.search(said)) or not (_ONE.search(said[begins:]) or _NAMES_ONE.search(words))


def is_for_all(head: str) -> bool:
    """Whether a few words before a colon say only that what follows is for all that is the speaker's."""
    return len(head.split()) <= _FEW and bool(_ALL.search(head.casefold()))


def is_own(sentence: str) -> bool:
    """Whether somebody speaks for themselves, or to the agent."""
    return bool(SPEAKS.search(sentence) or _SELF.match(sentence))


def asks(sentence: str) -> bool:
    """Whether a sentence is only a request."""
    few = len(sentence.split()) <= 2 and len(sentence) + 3 * len(_WHOLE_WORDS.findall(sentence)) <= 16
    return few or (bool(ASKS.search(sentence)) and not RULE.search(sentence))
