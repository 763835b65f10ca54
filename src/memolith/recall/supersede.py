"""What is valid now: dates and status of a unit, and which of two statements about one thing holds.

People add to a memory more often than they correct it. "Deploys go through X" stays on disk when somebody
writes "deploys moved to Y", and often it matches a question better. So a later hit that reads like a change
of the same thing goes before the earlier one. This hides nothing: only a person or an agent can do that, with
`supersedes`, `status` or `valid_until`.
"""

from __future__ import annotations

from memolith.recall import weights
from memolith.recall.statement import (
    BEFORE_NAMES,
    CHANGE,
    MOST,
    NOW,
    Statement,
    bare,
    ignored,
    overlap,
    share,
    tells,
)
from memolith.store import entry
from memolith.text.source_label import is_outside
from memolith.text.words import talk, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from memolith.index import Unit

# Verbs that say how something is, words for what took another's place or gave up its own, who speaks, and
# pronouns for what was spoken of (`it closes at nine`).
_VERBS = (
    "is are was were be been has have had ist sind war waren wird werden wurde wurden hat haben est sont "
    "était ont été es son está están fue era sono è são foi jest są"
)
_ADJECTIVES = "former formerly latest new newer old older previous"
_PERSONS = "i i'm i've i'd we we're we've ich wir je j'ai nous yo mi"
_PRONOUNS = "it it's its they their he she this that es sie er ihr il elle ils elles"
_ENDS = (
    "from instead replace replaced replaces drop dropped retire retired longer anymore stop stopped quit "
    "left leaving sold removed deleted deprecated discontinued decommissioned withdrawn ended closed gave "
    "superseded avoiding cancelled swap swapped cut switched statt stattdessen ersetzt remplacé reemplazado "
    "sostituito substituído заменён"
)
_GIVEN_UP = frozenset(_ENDS.split())
_SAYS, _OLD_NEW = frozenset(_VERBS.split()), frozenset(_ADJECTIVES.split())
_SPEAKERS, _REFERS = frozenset(_PERSONS.split()), frozenset(_PRONOUNS.split())


def replaces(
    later: Statement,
    earlier: Statement,
    question: Collection[str],
    common: float | None = None,
) -> bool:
    """Whether a later statement seems to replace an earlier one, as far as the question is about it.

    `common`, if known, is how much of the earlier one is in the later one, weighted by rarity: words that all
    facts about the billing service share are not enough.
    """
    if not _may_replace(later, earlier, common):
        return False
    asked = earlier.having(question).difference(ignored())
    same = later.having(asked)
    if not (later.changes or same == asked or _begin_alike(later, earlier)):
        return False  # before what takes longer
    if is_sibling(later, earlier, question):
        return False
    # One word in common may be chance; then what a change is about, as far as it says, must be the same.
    is_chance = later.changes and _in_common(later, earlier) < weights.SHARED
    if is_chance and is_of_another(later, earlier, question):
        return False
    if same and same != asked and not _is_of_same(later, earlier):
        return False
    if is_chance and asked and not same and _GIVEN_UP.isdisjoint(later.words):
        return False  # it is about the value, not about what was asked
    if not later.changes:
        # The export cron runs at another time than the cleanup cron: a word of the question tells them apart.
        is_short = len(asked) > 1 and max(len(later.subject), len(earlier.subject)) <= weights.SHORT
        return (
            same == asked
            and len(later.subject & earlier.subject) > 1  # of a name alone, anything may be said
            and share(later.words, earlier.words) >= weights.SAME_SENTENCE / 2
            and overlap(later, earlier) >= (weights.SAME_WORDS if is_short else weights.SAME_SENTENCE)
        ) or _begin_alike(later, earlier)
    shared = overlap(later, earlier)
    is_alike = len(same) >= max(2, len(asked) // 2)  # both match the question: they need less in common
    least = weights.SAME_ANSWER if is_alike else weights.SAME_SUBJECT if same else weights.OTHER_WORDS
    return shared >= least and (common is None or common >= least * weights.RARE)


def may_be_instead(
    later: Statement, earlier: Statement, question: Collection[str], theirs: Collection[str]
) -> bool:
    """Whether both are what people say of themselves, and the later one tells of a change in their lives.

    `I drive a Corolla`, `I just bought a Tesla`: asked what they drive, and with hardly anything else known,
    that is what they may be asked about. What the question calls `theirs`, the later one must name as well.
    """
    if not (later.changes and talk.is_of_self(later.text) and talk.is_of_self(earlier.text)):
        return False
    named = earlier.having(theirs)
    if named and not later.having(named):
        return False
    return not is_sibling(later, earlier, question) and not is_of_another(later, earlier, question)


def _in_common(later: Statement, earlier: Statement) -> int:
    """Return how many terms both have, without the units of a value: `5 seconds`."""
    pairs = zip(later.begins, later.begins[1:], strict=False)
    units = {term for value, word in pairs if value.isdecimal() for term in terms.count(word)[0]}
    return len((later.subject & earlier.subject) - units)


def _is_of_same(later: Statement, earlier: Statement) -> bool:
    """Whether two statements share more than a name: their first word, two terms, or a number that differs.

    `Restarted Redis again.` and `The tests use Redis now.` say nothing of the port of Redis. With a pronoun,
    one term is enough: `The store closes at eight.`, `I looked: it closes at nine.`
    """
    first = [_first(each) for each in (later, earlier)]
    values = (word for word in later.words - earlier.words if any(map(str.isdigit, word)))
    both = len(later.subject & earlier.subject)
    is_first = first[0] == first[1] != ""
    return is_first or both > 1 or any(values) or (both == 1 and bool(_REFERS & later.words))


def _first(each: Statement) -> str:
    """Return the first word that names something; none if somebody does something: `we keep`."""
    word = next((word for word in each.begins if word in _SPEAKERS or tells(word)), "")
    return "" if word in _SPEAKERS else word


def _may_replace(later: Statement, earlier: Statement, common: float | None) -> bool:
    """Whether a statement can replace an earlier one, whatever the question: a cheap no for most."""
    if later.changes:
        return (common is None or common >= _LEAST * weights.RARE) and overlap(later, earlier) >= _LEAST
    return _begin_alike(later, earlier) or share(later.words, earlier.words) >= weights.SAME_SENTENCE / 2


_LEAST = min(weights.SAME_ANSWER, weights.SAME_SUBJECT, weights.OTHER_WORDS)


def outdated(log: str, question: Collection[str]) -> int:
    """Return how many lines of a log precede the one that replaces an earlier answer; 0 if none does."""
    lines = [Statement(line, "", f"{at:04d}") for at, line in enumerate(log.split("\n")[:MOST])]
    told = [line for line in lines if line.having(question)]
    for at in range(len(told) - 1, 0, -1):
        for earlier in told[:at]:
            if overlap(told[at], earlier) >= weights.OTHER_WORDS and replaces(told[at], earlier, question):
                return int(told[at].date)
    return 0


def _begin_alike(one: Statement, other: Statement) -> bool:
    """Whether two sentences give the same thing another value: `The SDK is under …`."""
    if one.begins[:1] != other.begins[:1]:
        return False  # as most
    alike = 0
    for mine, theirs in zip(one.begins, other.begins, strict=False):
        if mine != theirs:
            break
        alike += 1
    telling = sum(word not in terms.STOP for word in one.begins[:alike])
    words = alike - sum(map(terms.is_dense, one.begins[:alike])) / 2  # two characters are about a word
    return words >= weights.BEGINS and telling >= 1 and alike < len(other.begins)


def is_sibling(later: Statement, earlier: Statement, question: Collection[str]) -> bool:
    """Whether the later one says the same of something else than the question is about.

    It lacks a word of the question and has another in its place: `archives of X-rays`, `archives of letters`.
    """
    missing = earlier.having(question).difference(ignored())
    missing -= later.having(missing)
    return bool(missing) and (
        _goes_on_alike(later, earlier, missing)
        or _has_another(later, earlier, missing)
        or _has_other_numbers(later, earlier, missing)
    )


def is_of_another(later: Statement, earlier: Statement, question: Collection[str]) -> bool:
    """Whether a change names what it is about, and neither the earlier one nor the question has that.

    `The lunch menu is now in the wiki` says nothing of the runbook there; `We moved to Svelte` may be about
    anything, and who does something may be the new value: `Jules took over the update`.
    """
    named, acts = _named(later)
    said = [term for term in (set(terms.count(word)[0]) - ignored() for word in named) if term]
    known = earlier.terms.union(question) if acts is not None else set(question)
    strange = [term.isdisjoint(known) for term in said]
    if not said or all(strange):
        return bool(said) and not acts
    return any(strange)


def _named(later: Statement) -> tuple[list[str], bool | None]:
    """Return what a sentence is about, as it names it, and whether that does something.

    That is before the verb and in the title, or what is called new (then None): `We have a new dentist`.
    """
    words = [] if any(map(terms.is_dense, later.begins)) else later.begins
    titled = [word for word in map(bare, later.title.split()) if word not in words]
    verb = next((at for at, word in enumerate(words) if word in _SAYS or word in CHANGE - _OLD_NEW), -1)
    before = [] if _SPEAKERS.union(_REFERS).intersection(words[: verb + 1]) else words[: verb + 1]
    new = next((at for at, word in enumerate(words) if word in _OLD_NEW), len(words))
    is_new = CHANGE.intersection(words) <= _OLD_NEW or not any(map(_names_it, words[:new]))
    if is_new and not any(map(_names_it, before)):
        return list(filter(_names_it, words[new + 1 : new + 2])), None
    acts = words[verb] not in _SAYS and words[verb] not in NOW
    return list(filter(_names_it, [*titled, *before])), acts


def _names_it(word: str) -> bool:
    return tells(word) and word not in CHANGE and word not in _SAYS and any(map(str.isalpha, word))


def _goes_on_alike(later: Statement, earlier: Statement, missing: set[str]) -> bool:
    """Whether both differ in a few words and go on alike, and what is missing is among these."""
    mine, theirs = later.begins, earlier.begins
    at = next((at for at, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]), None)
    if at is None or mine[at] in CHANGE:
        return False
    for end in range(at + 1, at + 1 + weights.SLOT):
        go_on = theirs[end : end + 2]
        there = (each for each in range(at + 1, at + 1 + weights.SLOT) if mine[each : each + 2] == go_on)
        instead = mine[at : next(there, at)]
        if len(go_on) == 2 and not terms.STOP.issuperset(instead) and not terms.STOP.issuperset(go_on):
            space = "" if terms.is_dense(theirs[at]) else " "
            return not missing.isdisjoint(terms.count(space.join(theirs[at:end]))[0])
    return False


def _has_other_numbers(later: Statement, earlier: Statement, missing: set[str]) -> bool:
    """Whether the question names one of several numbers that the later one has others for.

    One of them is a name, not a value: `Gateway 3 listens on port 703`, `Gateway 5 … on port 705`.
    """
    mine, theirs = ({word for word in each.words if _is_number(word)} for each in (later, earlier))
    several = min(len(mine - theirs), len(theirs - mine)) > 1
    return several and any(map(_is_number, missing))


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word))


def _has_another(later: Statement, earlier: Statement, missing: set[str]) -> bool:
    """Whether another name stands where one is missing: `the API timeout`, `the worker timeout was raised`.

    What follows a verb of change, or ends a sentence, is a value and not what the sentence is about.
    """
    changes = (at for at, word in enumerate(later.begins) if word in CHANGE - NOW)
    until = next(changes, len(later.begins))
    mine = _names(later.begins, lambda term: term not in earlier.terms, until)
    theirs = _names(earlier.begins, lambda term: term in missing, len(earlier.begins))
    return any(
        after is not None and ((before and before == mine_before) or (after and after == mine_after))
        for before, after in theirs
        for mine_before, mine_after in mine
    )


def _names(words: list[str], wanted: Callable[[str], bool], until: int) -> list[tuple[str, str | None]]:
    """Return what is before and after each wanted word that names something; None: it is the last.

    Such a word begins the sentence or follows a word for place or possession (then what is before that
    counts), or another such name. What follows such a word belongs to something else.
    """
    found: list[tuple[str, str | None]] = []
    telling = [at for at, word in enumerate(words) if tells(word)]
    follows = True  # the word before is such a name, or there is none
    for place, at in enumerate(telling):
        if at >= until:
            break
        placed = words[at - 1] in BEFORE_NAMES if at else False
        follows = (
            placed or (at > 0 and words[at - 1] in NOW) or (follows and (at == 0 or tells(words[at - 1])))
        )
        follows = follows and words[at][:1].isalpha() and any(map(wanted, terms.count(words[at])[0]))
        if follows:
            after = telling[place + 1] if place + 1 < len(telling) else None
            apart = after is not None and not BEFORE_NAMES.isdisjoint(words[at + 1 : after])
            before = words[telling[place - 1]] if placed and place else ""
            found.append((before, None if after is None else "" if apart else words[after]))
    return found


def holds(unit: Unit, day: str, *, past: bool = False) -> bool:
    """Whether to recall a unit on a day; `past` asks what was valid then, not what is valid now.

    A unit that was archived or superseded later was valid in the past.
    """
    if unit.status == "quarantined" or (unit.status in ("archived", "superseded") and not past):
        return False
    if past and unit.date[:10] > day:
        return False
    return entry.holds(day, unit.expires, unit.valid_from, unit.valid_until)


def superseded(units: Iterable[Unit], day: str, *, past: bool = False) -> set[tuple[str, str]]:
    """Return scope and id of the records that others among these units replace, as of a day."""
    return {
        (unit.scope, old)
        for unit in units
        if unit.supersedes and holds(unit, day, past=past) and not is_outside(unit.source)
        for old in unit.supersedes
        if old != unit.record
    }
