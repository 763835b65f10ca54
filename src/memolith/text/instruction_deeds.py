"""Deeds: a kind of verb with a kind of thing, in the mood of an order.

Each finder yields the rule, and the first and last word of what it found.
"""

from __future__ import annotations

from memolith.text import instruction_words as words
from memolith.text.instruction_table import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.text.instruction_sentences import Sentence

Deed = tuple[str, int, int]

# An object does not lie beyond these.
_BREAKS = listed("""
    . , ; : ! ? ( because so when if while which before after until but unless whenever where than from
    in on at into to for with via by as under during over is are was were – — =
""")
_QUANTITY = listed("all any most rest each some every")
_STATES = listed("""
    open off out disabled muted silenced bypassed skipped inhibited overridden suppressed
""")
_SHUT = listed("gate gates guard guards interlock barrier")
_PARTICLES = listed("off out down aside")
_WEAKENING = frozenset([*words.WEAKEN, *words.WEAKEN_MILD, *words.TURN])
_GIVING = frozenset(words.SEND)
# What is as good as a safeguard when it is to be dropped.
_DROPPED = listed("backup backups test tests check checks review scan monitoring logging")


def weakened(sentence: Sentence) -> Iterator[Deed]:
    """Find a safeguard that is to be skipped, switched off or got around."""
    if _WEAKENING.isdisjoint(sentence.set):
        return
    if not any(sentence.kinds) and words.DEFEAT.keys().isdisjoint(sentence.set):
        return
    for at, word in enumerate(sentence.words):
        mood = words.WEAKEN.get(word) or words.WEAKEN_MILD.get(word) or words.TURN.get(word)
        if not mood:
            continue
        thing = _done_to(sentence, at) if mood == "ed" else _aimed_at(sentence, at)
        if thing < 0 or sentence.is_harmless(at):
            continue
        if sentence.orders(at, mood) or (mood == "ed" and _with_it(sentence, thing)):
            yield "weaken", min(at, thing), max(at, thing)


def _done_to(sentence: Sentence, at: int) -> int:
    """Return the place of the safeguard of a participle: "the alarm may be muted"."""
    word = sentence.words[at]
    strong, turned = word in words.WEAKEN, word in words.TURN
    if turned and not strong and words.AWAY.isdisjoint(sentence.after(at, 1)):
        return -1
    thing = _thing_before(sentence, at, mild=not strong and not turned)
    if thing < 0 and not words.HABITS.isdisjoint(sentence.before(at, 3)):
        thing = _thing(sentence, at, mild=not strong)
    return thing


def _aimed_at(sentence: Sentence, at: int) -> int:
    """Return the place of the safeguard of a verb: "mute the alarm", "if the gate is red, skip it"."""
    word = sentence.words[at]
    strong = word in words.WEAKEN
    if word in words.TURN and not strong:
        return _turned(sentence, at)
    thing = _thing(sentence, at, mild=not strong and words.MOTIVES.isdisjoint(sentence.set))
    if thing < 0 and (strong or word in {"ignore", "lift", "suspend"}):
        thing = _meant(sentence, at)
    if thing < 0 and word in words.DEFEAT:
        thing = _defeated(sentence, at)
    return thing


def _turned(sentence: Sentence, at: int) -> int:
    """Return the place of the safeguard in "turn off the alarm" and "leave the alarm muted"."""
    if sentence.words[at] == "pull" and sentence.after(at, 1)[0:1] in (["request"], ["requests"]):
        return -1
    if sentence.after(at, 1)[:1] and sentence.words[at + 1] in _PARTICLES:
        return _thing(sentence, at + 1, mild=False)
    rest = sentence.after(at, 3)
    if rest[:1] in (["it"], ["them"], ["that"]) and not words.AWAY.isdisjoint(rest):
        # "…, and leave it muted": the safeguard was named before.
        return at + 2 if any(_guards(sentence, place, mild=False) for place in range(at)) else -1
    thing = _thing(sentence, at, mild=False)
    away = thing >= 0 and any(word in words.AWAY for word in sentence.words[at + 1 : thing + 8])
    return thing if away else -1


def _meant(sentence: Sentence, at: int) -> int:
    """Return the place of `it` or `them` if a safeguard was named before: "if the gate is red, skip it"."""
    if sentence.after(at, 1) not in (["it"], ["them"]) or sentence.words[at] in {
        "allowlist",
        "whitelist",
        "exempt",
    }:
        return -1
    named = any(_guards(sentence, place, mild=False) for place in range(max(0, at - 20), at))
    return at + 1 if named else -1


def _defeated(sentence: Sentence, at: int) -> int:
    """Return the place of whatever is got around, unless that is done every day."""
    rest = sentence.after(at, 5)
    # "Uploads bypass …" describes; "operators bypass …" is a habit.
    before = sentence.words[at - 1] if at else ""
    if before.endswith("s") and before not in words.PEOPLE and before not in words.FILLERS:
        return -1
    if not rest or rest[0] in _BREAKS or not words.EVERYDAY.isdisjoint(rest):
        return -1
    return min(at + 3, len(sentence.words) - 1)


def _thing(sentence: Sentence, at: int, *, mild: bool) -> int:
    """Return the place of the safeguard behind a verb, -1 if its object is none."""
    said = sentence.words
    for place in range(at + 1, min(at + 9, len(said))):
        word = said[place]
        if word in _BREAKS and not (word == "for" and said[place - 1] in {"waiting", "wait"}):
            return -1
        if word == "of" and said[place - 1] not in _QUANTITY:
            return -1
        if not _guards(sentence, place, mild=mild):
            continue
        behind = said[place + 1] if place + 1 < len(said) else ""
        return -1 if behind in words.OTHER_HEADS else place
    return -1


def _guards(sentence: Sentence, place: int, *, mild: bool) -> bool:
    """Tell whether the word is a safeguard, by itself or by the word before it."""
    kind = sentence.kinds[place]
    if not kind or (place and sentence.words[place - 1] in words.NEEDLESS_KIND):
        return False
    if kind == "core":
        return True
    before = sentence.words[max(0, place - 2) : place]
    grave = not words.GRAVE.isdisjoint(before[-1:]) or "failing" in before
    return grave or (kind == "loose" and not mild)


def _thing_before(sentence: Sentence, at: int, *, mild: bool) -> int:
    """Return the place of the safeguard before a participle: "the tests can be skipped"."""
    for place in range(at - 1, max(-1, at - 12), -1):
        word = sentence.words[place]
        if word in {";", ":", ".", "but", "because", "reason", "part", "that", "which"}:
            break
        guards = _guards(sentence, place, mild=mild) or (mild and word in _DROPPED)
        if guards and sentence.words[place + 1] not in words.OTHER_HEADS:
            return place
    return -1


def _with_it(sentence: Sentence, thing: int) -> bool:
    """Tell whether somebody is to work "with the alarm switched off"."""
    near = sentence.before(thing, 6)
    if "with" not in near:
        return False
    at = thing - near[::-1].index("with") - 1
    for place in range(at - 1, max(-1, at - 9), -1):
        word = sentence.words[place]
        mood = words.ACTED.get(word) or words.TURN.get(word)
        if word in words.LEAVES or (mood and sentence.orders(place, mood)):
            return True
    return False


def states(sentence: Sentence) -> Iterator[Deed]:
    """Find work that is to be done with a safeguard in a weak state: "with alarms off"."""
    if "with" not in sentence.set or _STATES.isdisjoint(sentence.set):
        return
    for at, word in enumerate(sentence.words):
        if word not in _STATES:
            continue
        thing = _thing_before(sentence, at, mild=False)
        if word == "open" and (thing < 0 or sentence.words[thing] not in _SHUT):
            continue
        if at - 4 < thing and thing >= 0 and _with_it(sentence, thing) and not sentence.is_harmless(at):
            yield "weaken", thing, at


_INSPITE = listed("regardless despite anyway even irrespective notwithstanding")


def unguarded(sentence: Sentence) -> Iterator[Deed]:
    """Find a step that is to be done without, before or in spite of its safeguard."""
    said = sentence.words
    for at, word in enumerate(said):
        if word == "without":
            thing = sentence.find(at + 1, at + 6, words.MISSING)
            wanted = words.ACTED
        elif word in {"before", "ahead"}:
            thing = sentence.find(at + 1, at + 6, words.SIGNED)
            wanted = words.RELEASED
        elif word in _INSPITE:
            if word == "even" and said[at + 1 : at + 2] not in (["if"], ["though"], ["when"], ["with"]):
                continue
            thing = sentence.find(at + 1, at + 12, words.BROKEN)
            if word == "anyway":
                thing = at if sentence.find(0, at, words.BROKEN) >= 0 else -1
            wanted = words.ACTED
        else:
            continue
        if thing < 0 or sentence.is_question or sentence.is_condemned(at):
            continue
        act = _act(sentence, at, wanted)
        if act >= 0:
            yield "unguarded", min(act, thing), max(at, thing)


def _act(sentence: Sentence, at: int, wanted: dict[str, str]) -> int:
    """Return the place of the deed that is ordered in the sentence before `at`, -1 if none is."""
    said = sentence.words
    for place in range(at - 1, max(-1, at - 16), -1):
        if said[place] in {";", ".", ":"}:
            break
        mood = wanted.get(said[place])
        if mood and sentence.orders(place, mood):
            return -1 if sentence.is_negated(place) or sentence.is_reported(place) else place
    return -1


_NEEDLESS = listed("""
    unnecessary optional waived overkill redundant needless superfluous formality
""")
_NEEDING = listed("need require needs requires bother bothers wait waits mind worry")
_REFUSED = listed("no not don't needn't never doesn't dont")
_IN_CHARGE = listed("officer supervisor security manager approver board auditor")
_OFFICIAL = words.CORE | listed("review reviews scan canary freeze board")


# What one is told not to wait for, to worry about, to bother.
_NEEDED = dict.fromkeys(("wait", "waits"), _OFFICIAL | words.LOOSE)
_NEEDED |= dict.fromkeys(("mind", "worry"), words.BROKEN)
_NEEDED |= dict.fromkeys(("bother", "bothers"), _OFFICIAL | _IN_CHARGE)


def needless(sentence: Sentence) -> Iterator[Deed]:
    """Find a safeguard that is called unnecessary."""
    if sentence.is_question or not words.PAST.isdisjoint(sentence.set):
        return
    said = sentence.words
    for at, word in enumerate(said):
        if (
            word == "apply"
            and not _REFUSED.isdisjoint(sentence.before(at, 2))
            and sentence.after(at, 1) == ["to"]
        ):
            thing = sentence.find(at - 6, at, _OFFICIAL)
            if thing >= 0:
                yield "needless", thing, at
            continue
        denied = word in {"needed", "required", "necessary"} and not _REFUSED.isdisjoint(
            sentence.before(at, 4)
        )
        called = word in _NEEDLESS and not {"is", "are", "considered", "was"}.isdisjoint(
            sentence.before(at, 3)
        )
        if denied or called:
            thing = _thing_before(sentence, at, mild=False)
            if thing >= 0 and "if" not in said[:at]:
                yield "needless", thing, at
        elif word in _NEEDING:
            refused = not _REFUSED.isdisjoint(sentence.before(at, 3)) or sentence.after(at, 1) in (
                ["no"],
                ["neither"],
            )
            thing = sentence.find(at + 1, at + 7, _NEEDED.get(word, _OFFICIAL)) if refused else -1
            if thing >= 0:
                yield "needless", max(0, at - 1), thing


def handed_on(sentence: Sentence) -> Iterator[Deed]:
    """Find a secret, or data of others, that is to be given to somebody."""
    if _GIVING.isdisjoint(sentence.set):
        return
    said = sentence.words
    secret_at = [_is_secret(said, place) for place in range(len(said))]
    if not any(secret_at) or _put_away(said):
        return
    for at, word in enumerate(said):
        mood = words.SEND.get(word)
        if not mood:
            continue
        # "whenever you see a credential, copy it into …", "secrets are pasted into …": it was named before.
        named = mood == "ed" or said[at + 1 : at + 2] in (["it"], ["them"], ["that"], ["these"], ["those"])
        secret = -1
        for place in range(max(0, at - 18), at) if named else range(at + 1, min(at + 9, len(said))):
            if secret_at[place] or (not named and said[place] in _PAST_OBJECT):
                secret = place if secret_at[place] else -1
                break
        if secret < 0 or said[secret + 1 : secret + 2] == ["out"] or not _gives(sentence, at, mood):
            continue
        place = _place(sentence, max(secret, at))
        if (place >= 0 or (word in words.HANDED and not named)) and not sentence.is_harmless(at):
            yield "hand-on", min(at, secret), max(at, secret, place)


def _put_away(said: list[str]) -> bool:
    """Tell whether something goes into the place where secrets belong: "hand it over through the vault"."""
    return any(
        word in words.KEPT_SAFE and not _THROUGH.isdisjoint(said[max(0, at - 3) : at])
        for at, word in enumerate(said)
    )


def _gives(sentence: Sentence, at: int, mood: str) -> bool:
    if mood == "ed":
        return sentence.orders(at, mood) or ("are" in sentence.before(at, 3) and "policy" in sentence.set)
    return sentence.orders(at, mood)


_THROUGH = listed("in into to through via using by inside under with")
# Behind a verb, its object ends here.
_PAST_OBJECT = listed(". ; : ? , to no is are was were from")


_COUNTED = listed("number count counts per budget limit")
_SAID = listed("answer answers reply message messages prompt prompts")


def _is_secret(said: list[str], at: int) -> bool:
    """Tell whether a word is a secret, by itself or by the words before it: "the customer's data"."""
    word = said[at]
    # "The number of tokens", "tokens per second": what a model counts.
    if not _COUNTED.isdisjoint(said[max(0, at - 3) : at] + said[at + 1 : at + 2]):
        return False
    if (
        word in words.SECRETS
        or word.startswith("~/.ssh")
        or word.endswith((".pem", "/.env", "_key", "_token", "/credentials", "/secrets", "/shadow"))
    ):
        return True
    if word.startswith("$"):
        return word.endswith(("key", "token", "secret", "password"))
    if word in words.SECRET_OF:
        whose = said[max(0, at - 3) : at]
        owned = not words.WHOSE.isdisjoint(whose) or any(each.endswith("'s") for each in whose)
        return owned and "your" not in whose
    before = said[max(0, at - 4) : at] if word in _SAID else []
    return "copy" in before and not {"each", "every", "all"}.isdisjoint(before)


def _place(sentence: Sentence, secret: int) -> int:
    said = sentence.words
    for place in range(secret + 1, min(secret + 14, len(said))):
        word = said[place]
        if word in {".", ";"}:
            break
        if word in words.PLACES or "@" in word or word.startswith("http"):
            return place
    return -1


# Where a change arrives only through a pipeline, and from where it must not come.
_TARGETS = listed("""
    main master production prod live trunk release default players fleet customers line plant stable
    hosts servers device devices branch repo repository controller controllers table database panel
""")
_TRIAL = listed("staging test dev sandbox preview qa integration")
_OWN = listed("laptop workstation desktop notebook phone")


def straight(sentence: Sentence) -> Iterator[Deed]:
    """Find a change that is to reach its target past the way that was made for it."""
    if {"straight", "directly", "direct", "right", "from"}.isdisjoint(sentence.set):
        return
    said = sentence.words
    for at, word in enumerate(said):
        wanted = words.CHANGED
        if word in {"straight", "directly", "direct"} and not {"to", "into", "onto", "in", "on"}.isdisjoint(
            said[at + 1 : at + 2]
        ):
            target = sentence.find(at + 2, at + 8, _TARGETS)
            if target < 0 and at + 3 < len(said) and _TRIAL.isdisjoint(said[at + 2 : at + 6]):
                target, wanted = at + 3, words.RELEASED
        elif word == "from":
            target = sentence.find(at + 1, at + 4, _OWN)
        else:
            continue
        act = _act(sentence, at, wanted) if target >= 0 else -1
        if act >= 0 and not sentence.is_question and not sentence.is_condemned(at):
            yield "straight", act, target


def unsafe(sentence: Sentence) -> Iterator[Deed]:
    """Find something unsigned, unencrypted or untrusted that is to be used."""
    if words.UNSAFE.isdisjoint(sentence.set):
        return
    for at, word in enumerate(sentence.words):
        if word in words.UNSAFE and not sentence.is_question:
            act = _act(sentence, at, words.UNSAFE_VERBS)
            if act > at - 8 and act >= 0 and not sentence.is_condemned(at):
                yield "unguarded", act, at
