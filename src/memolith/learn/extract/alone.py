"""Whether a statement says all that it says by itself, for longer than the task in which it was said.

A stranger who reads it months later has no sentence before it, no list of choices and no task at hand. What
goes on with another sentence is stored behind that one or waits as a candidate; so does what names nothing
but a choice, a thing at hand or the next step.
"""

from __future__ import annotations

import re

from memolith.learn.extract import marks, signals
from memolith.learn.extract.speech import pattern, words
from memolith.text.words.terms import STOP

# What goes on with the sentence before: "since they …", "instead, …", "the last one …".
_RESTS = re.compile(r"^R(?:[BTd]|[^,]*$)|^F?C(?:,|u)|^\.{1,3}TT?[XDoB]")
_LETTER = re.compile(r"(?<=[a-z] )[ABDE](?=[.,;)]|\s(?:instead|for|with|and|then)\b|$)")
_CLAUSES = re.compile(r"[,;，、；–—]\s*")
_FAULT = re.compile(r"[JO]*[^JOLVWIYSNwuvUAE][^?]*?[LV]")  # something does it, nobody is told to
_VERBS = "oDgBNLVX"
_CHOOSING = "UvuPFDpt"
_QUOTES = re.compile(r"\"[^\"\n]{2,300}\"|`[^`\n]{1,300}`")
# "please …", "add …", "I'd like to remove …"
_DOES = re.compile(r"^[JO,]*A|^[JFO,]*[uv](?![.n]{0,2}[DB])|^[JO,]*Ip[J.]*t[uv]")
# How a message that opens a task says what is to be done, and how.
HOW = frozenset(["must", "not-that", "forbid-once", "none", "ensure"])
# "add …", "can you add …", "now implement …", "…を追加して"
_TO_DO = re.compile(r"^(?:N,)?(?:[JAFO,]*|[JA]*C)[vu](?![.n]{0,2}[DB]|[I.]?L|V[^X]|N[.n])|^[JAO,]*M|[uv]A$")
_LASTS = re.compile(r"[lLVEGCwqj]")
_COMMA = re.compile(r"^[^,]*?[Td][^,]*?[,O](?=.)")
_BETWEEN = " \t,;:.!?、，：；。（("


def leans(statement: str) -> bool:
    """Whether a statement cannot be understood without the sentence before it.

    It points back before it names anything ("don't give it a number"), or is the rest of a thought ("since
    they …", "instead, …", "using …").
    """
    masked, articles = _hidden(statement), words("articles")
    read = marks.read(masked)
    if _RESTS.search(read.letters) or pattern("goes-on").search(masked) or _is_gerund(masked, read.letters):
        return True
    if not pattern("empty-it").match(masked) and (
        pattern("stands-for").match(masked) or _points(masked, read)
    ):
        return True
    ends = [*read.places, len(masked)][1:]
    for at, (letter, start, end) in enumerate(zip(read.letters, read.places, ends, strict=False)):
        word = masked[start:end].strip(_BETWEEN).casefold()
        after = read.letters[at + 1 : at + 2]
        if letter in ".n#mWx" and word not in STOP:
            return False
        if masked[end - 1 :].lstrip().startswith(":") or masked[start:end].rstrip().endswith(":"):
            return False  # "let's agree on this: …"
        if letter == "T" and word == "one" and after and after in ".nxuv":
            return False  # "one migration per …"
        if letter == "d" and after in ".nx":
            return False  # "this service runs on …"
        if "r" in read.letters[max(0, at - 2) : at]:
            return False  # "when I say ship it, …"
        if letter in "Td" and word not in articles and (word != "that" or after in "BDoXNk,"):
            return not pattern("empty-it").match(masked, start)  # "it's important to …" points at nothing
    return False


def _points(masked: str, read: marks.Marks) -> bool:
    """Whether a sentence begins with a pronoun that stands alone before its verb: "dieser darf nie …"."""
    found = pattern("points-to").match(masked)
    at = read.places.index(found.end()) if found and found.end() in read.places else None
    return at is not None and read.letters[at] in _VERBS


def own_clause(statement: str) -> str:
    """Return the later clause of a statement that leans if it says all: "this is wrong, only X should …"."""
    read = marks.read(_hidden(statement))
    comma = _COMMA.search(read.letters)
    if not comma:
        return ""
    rest = statement[read.places[comma.end()] :]
    judged = signals.weigh(read.letters[comma.end() :], rest, answering=True, refused=False)
    says_all = (
        judged is not None
        and judged.points >= signals.CERTAIN
        and not leans(rest)
        and not signals.is_vague(rest)
    )
    return signals.sentence(rest) if says_all else ""


def chooses(statement: str) -> bool:
    """Whether a statement names one of several choices by a letter ("do B", "direction A is cleaner")."""
    masked = _hidden(statement)
    read = marks.read(masked)
    if pattern("choice").search(masked):
        return True
    places = [found.start() for found in _LETTER.finditer(masked)]
    return any(read.letters[read.places.index(at) - 1] in _CHOOSING for at in places if at in read.places)


def is_task(text: str) -> bool:
    """Whether a sentence only asks for something, or for something to be done."""
    return text.rstrip().endswith(("?", "？")) or bool(_DOES.search(marks.read(_hidden(text)).letters))


def is_fault(masked: str, after: str = "") -> bool:
    """Whether a sentence tells what is wrong, to have it mended: "the dialog never closes, please fix it"."""
    *told, last = _CLAUSES.split(masked)
    if not (told and pattern("mend-it").match(last)):
        told, last = [masked], after
    return bool(pattern("mend-it").match(last) and _FAULT.match(marks.read(" ".join(told)).letters))


def is_wanted(statement: str) -> bool:
    """Whether a statement says what is wanted now: "we need a cache for X1"."""
    return bool(pattern("to-do").search(statement))


def is_at_hand(said: str, *, answering: bool) -> bool:
    """Whether a sentence is for the work at hand: what is to be done now, or how a thing should become.

    Not one that says itself that it lasts, or why. Of a message that opens a task (nothing was said before
    it) even what must be so is a part of the task.
    """
    masked = _hidden(said)
    read = marks.read(masked)
    if is_fault(masked):
        return True
    if _LASTS.search(read.letters + read.fine) or pattern("again").search(masked):
        return False
    judged = signals.judge(said, masked, rule=False, answering=answering, refused=False)
    if judged and judged.points >= signals.CERTAIN and (answering or not set(judged.ways) <= HOW):
        return False
    return bool(_TO_DO.search(read.letters) or is_task(said) or pattern("to-do").search(masked))


def passes(context: str) -> bool:
    """Whether what a statement goes on with is about this moment: "in this branch we have …"."""
    return "M" in marks.read(_hidden(context)).letters or bool(pattern("moment").search(context))


def points_at(statement: str) -> bool:
    """Whether a statement names a thing at hand: "… to recover from this bug state"."""
    return "d" in marks.read(_hidden(statement)).letters


def is_like(statement: str) -> bool:
    """Whether a statement only says that something is as what was spoken of: "the other is `X` as well"."""
    return bool(pattern("likewise").search(statement))


def is_unneeded(statement: str) -> bool:
    """Whether a statement only says that a thing at hand is not needed: "we don't need the second test"."""
    return bool(pattern("unneeded").search(statement))


def without_tail(statement: str) -> str:
    """Return a statement without a last clause about what it does not name: "…, so this is obsolete"."""
    found = pattern("tail").search(_hidden(statement))
    if not found or is_open(rest := statement[: found.start()].rstrip(" ,;:-–—，、")):
        return statement
    return statement if signals.is_vague(rest) else signals.sentence(rest)


def is_open(text: str) -> bool:
    """Whether a text ends within brackets or a quotation."""
    return text.count("(") != text.count(")") or bool(text.count('"') % 2 or text.count("`") % 2)


def is_needless(statement: str) -> bool:
    """Whether a statement says that something is not needed: without its reason, one case becomes a rule."""
    return bool(pattern("needless").search(statement))


def is_of_agent(statement: str) -> bool:
    """Whether a statement is about the tools that the agent of this session has."""
    return bool(pattern("of-agent").search(statement))


def is_for_one(statement: str) -> bool:
    """Whether a statement is for one branch, request, plan or file, or tells how something runs right now."""
    if pattern("under-way").search(_hidden(statement)):
        return True
    one = pattern("one-thing").search(statement)
    return bool(one) and not set("LVEl") & set(marks.read(_hidden(statement)).letters)


def is_of_me(statement: str) -> bool:
    """Whether a statement is about what belongs to the person who speaks: "my login is …"."""
    return bool(pattern("of-me").search(statement))


def is_strict(statement: str) -> bool:
    """Whether a statement says what must be, not only what should be."""
    return "o" in marks.read(_hidden(statement)).letters


def is_imagined(masked: str) -> bool:
    """Whether a sentence asks to imagine what follows."""
    return bool(pattern("imagines").search(masked))


def is_thought(masked: str) -> bool:
    """Whether a sentence says what somebody thinks or supposes."""
    return bool(set("hH") & set(marks.read(masked).letters))


def _hidden(text: str) -> str:
    """Return a text with its quotations blanked out."""
    return str(_QUOTES.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], text))


def _is_gerund(masked: str, letters: str) -> bool:
    """Whether a sentence is only what goes with the one before: "using the small model"."""
    first = masked.split(maxsplit=1)[0].casefold() if masked else ""
    return first.endswith("ing") and letters[:1] in ("U", "v", "u") and not set("BDoN") & set(letters[:8])
