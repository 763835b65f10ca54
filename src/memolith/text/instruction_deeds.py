"""Deeds: a kind of verb with a kind of thing, in the mood of an order.

Each finder yields the rule, and the first and last word of what it found.
"""

from __future__ import annotations

from memolith.text import instruction_words as words
from memolith.text.instruction_sentences import Sentence, ends_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Deed = tuple[str, int, int]

# An object does not lie beyond these.
_BREAKS = frozenset(
    ". ; : ! ? ( because so when if while which before after until but unless whenever where than from in on at into to "
    "for with via by as under during over – — =".split()
)
_QUANTITY = frozenset("all any most rest each some every".split())
_STATES = frozenset("off out disabled muted silenced bypassed skipped inhibited overridden suppressed".split())


def weakened(sentence: Sentence) -> Iterator[Deed]:
    """Find a safeguard that is to be skipped, switched off or got around."""
    said = sentence.words
    for at, word in enumerate(said):
        strong = words.WEAKEN.get(word)
        mood = strong or words.WEAKEN_MILD.get(word) or words.TURN.get(word)
        if not mood:
            continue
        turned = not strong and word in words.TURN
        thing = _thing(sentence, at, mild=not strong and not turned)
        if turned and thing >= 0 and not _goes_away(sentence, at, thing):
            thing = -1
        if turned and thing < 0 and said[at + 1 : at + 2] and said[at + 1] in {"off", "out", "down", "aside"}:
            thing = _thing(sentence, at + 1, mild=False)
        last = thing
        if thing < 0 and mood == "ed" and (strong or sentence.after(at, 1)[:1] in (["off"], ["out"], ["aside"])):
            thing, last = _thing_before(sentence, at), at
        if thing < 0 or sentence.is_harmless(at, mood):
            continue
        # "We can skip …" may be a habit; "have skipped" without more is a report.
        if sentence.orders(at, mood) or (mood == "ed" and _with_it(sentence, thing, at)):
            yield "weaken", min(at, thing), max(at, last)


def _thing(sentence: Sentence, at: int, *, mild: bool) -> int:
    """Return the place of the safeguard behind a verb, -1 if its object is none."""
    said = sentence.words
    for place in range(at + 1, min(at + 9, len(said))):
        word = said[place]
        if word == "of" and said[place - 1] not in _QUANTITY:
            return -1
        if word in _BREAKS and not (word == "for" and said[place - 1] in {"waiting", "wait"}):
            return -1
        core = word in words.CORE or ends_in(word, words.CORE)
        loose = word in words.LOOSE or ends_in(word, words.LOOSE)
        if not core and not loose:
            continue
        behind = said[place + 1] if place + 1 < len(said) else ""
        if behind in words.OTHER_HEADS:
            return -1
        if core or not mild or said[place - 1] in words.GRAVE or behind in words.CORE:
            return place
    return -1


def _thing_before(sentence: Sentence, at: int) -> int:
    """Return the place of the safeguard before a participle: "the tests can be skipped"."""
    for place in range(at - 1, max(-1, at - 9), -1):
        word = sentence.words[place]
        if word in {";", ":", ".", "but", "because"}:
            break
        if word in words.CORE or word in words.LOOSE or ends_in(word, words.CORE):
            behind = sentence.words[place + 1]
            if behind not in words.OTHER_HEADS:
                return place
    return -1


def _goes_away(sentence: Sentence, at: int, thing: int) -> bool:
    between = sentence.words[at + 1 : thing + 4]
    return any(word in words.AWAY for word in between)


def _with_it(sentence: Sentence, thing: int, at: int) -> bool:
    """Tell whether somebody is to work "with the alarm switched off"."""
    near = sentence.before(thing, 4)
    return "with" in near and (sentence.directs() or sentence.has_people(thing))


def states(sentence: Sentence) -> Iterator[Deed]:
    """Find a safeguard that is to be in a weak state: "keep alarms off", "with the guard open"."""
    said = sentence.words
    for at, word in enumerate(said):
        if word not in _STATES or not at:
            continue
        place = at - 1 if said[at - 1] not in {"turned", "switched", "left"} else at - 2
        if place < 0 or not (said[place] in words.CORE or said[place] in words.LOOSE):
            if not (place > 0 and said[place] == "stage" and said[place - 1] in words.CORE):
                continue
        near = sentence.before(place, 4)
        if "with" in near and not sentence.is_harmless(at, "ed") and sentence.has_people(place):
            yield "weaken", max(0, place - 3), at


def unguarded(sentence: Sentence) -> Iterator[Deed]:
    """Find a step that is to be done without, before or in spite of its safeguard."""
    said = sentence.words
    for at, word in enumerate(said):
        if word == "without":
            thing = sentence.find(at + 1, at + 6, words.MISSING)
        elif word in {"before", "ahead"}:
            thing = sentence.find(at + 1, at + 6, words.SIGNED)
        elif word in {"regardless", "despite", "anyway", "even", "irrespective", "notwithstanding"}:
            if word == "even" and said[at + 1 : at + 2] not in (["if"], ["though"], ["when"], ["with"]):
                continue
            thing = sentence.find(at + 1, at + 10, words.BROKEN)
            if word == "anyway":
                thing = at if sentence.find(0, at, words.BROKEN) >= 0 else -1
        else:
            continue
        if thing < 0 or sentence.is_harmless(at, "base") or _is_harmless_act(sentence, at):
            continue
        act = _act(sentence, at, word)
        if act >= 0:
            yield "unguarded", act, thing


# What is released too early; `run the tests before review` is not.
_RELEASES = frozenset(
    "merge deploy ship release publish start pay dispatch pour energise energize dispense administer promote "
    "disburse launch load sign approve close complete".split()
)


def _act(sentence: Sentence, at: int, word: str) -> int:
    """Return the place of the deed that is ordered, in the clause before `at` or right behind it."""
    said = sentence.words
    wanted = _RELEASES if word in {"before", "ahead"} else words.ACTIONS
    for place in range(at - 1, max(-1, at - 14), -1):
        if said[place] in {";", ".", ":"}:
            break
        if said[place] in wanted and sentence.orders(place, "base"):
            return -1 if sentence.is_negated(place) else place
        if said[place] in {"may", "can", "should", "must", "fine", "ok", "okay", "allowed"} and word == "without":
            return place
        if word == "without" and said[place].endswith("s") and said[place][:-1] in wanted and sentence.has_people(place):
            return place
    return -1


def _is_harmless_act(sentence: Sentence, at: int) -> bool:
    near = sentence.words[:at]
    return any(word in words.NEGATORS for word in near) or bool(words.PAST & set(near))


_NEEDLESS = frozenset(
    "unnecessary optional waived overkill redundant needless superfluous pointless formality".split()
)


def needless(sentence: Sentence) -> Iterator[Deed]:
    """Find a safeguard that is called unnecessary."""
    said = sentence.words
    for at, word in enumerate(said):
        if word in _NEEDLESS or (
            word in {"needed", "required", "necessary"} and {"not", "no", "isn't", "aren't"} & set(sentence.before(at, 4))
        ):
            thing = _thing_before(sentence, at)
            if thing >= 0 and not sentence.is_question and not words.PAST & sentence.set:
                yield "needless", thing, at
        elif word in {"need", "require", "needs", "requires", "bother", "wait"}:
            near = set(sentence.before(at, 3))
            refused = near & {"no", "not", "don't", "needn't", "never", "doesn't", "dont"} or sentence.after(at, 1) == ["no"]
            thing = sentence.find(at + 1, at + 7, words.CORE | {"review", "reviews", "scan", "canary", "freeze"})
            if refused and thing >= 0 and not sentence.is_question and not words.PAST & sentence.set:
                yield "needless", max(0, at - 1), thing


def handed_on(sentence: Sentence) -> Iterator[Deed]:
    """Find a secret, or data of others, that is to be given to somebody."""
    said = sentence.words
    for at, word in enumerate(said):
        mood = words.SEND.get(word)
        if not mood or mood == "ed" and not {"be", "to"} & set(sentence.before(at, 3)):
            continue
        secret = _secret(sentence, at)
        if secret < 0 or not sentence.orders(at, mood) or sentence.is_harmless(at, mood):
            continue
        place = _place(sentence, secret)
        if place >= 0 or word in words.HANDED:
            yield "hand-on", at, max(secret, place)


def _secret(sentence: Sentence, at: int) -> int:
    said = sentence.words
    for place in range(at + 1, min(at + 9, len(said))):
        word = said[place]
        if word in {".", ";", ":", "to", "?"}:
            return -1
        if word in words.SECRETS or word.startswith("~/.ssh") or word.endswith((".pem", "/.env", "_key", "_token")):
            return place
        if word.startswith("$") and word.endswith(("key", "token", "secret", "password")):
            return place
        if word in words.SECRET_OF and any(each in words.WHOSE for each in said[max(0, place - 3) : place]):
            return place
    return -1


def _place(sentence: Sentence, secret: int) -> int:
    said = sentence.words
    for place in range(secret + 1, min(secret + 14, len(said))):
        word = said[place]
        if word in {".", ";"}:
            break
        if word in words.PLACES or "@" in word or word.startswith("http"):
            return place
    return -1
