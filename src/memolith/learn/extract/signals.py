"""Phrases by which people ask to have something remembered, and reasons to doubt that they mean it.

Each phrase is anchored at the start of a sentence or clause, where a rule begins: "the docs say you should
never …" and "it always fails" start differently. Nothing else is learned. In other languages only the
plainest forms count, and the statement stays in its language. A sentence that asks, supposes, jokes, reports
or is about this moment teaches nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.learn.extract import aboutness
from memolith.learn.extract.facts import Fact, is_bound, place_of_rule
from memolith.learn.extract.speech import pattern, patterns

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_LEAST_WORDS = 2  # naming something, so that a statement is clear on its own
_NAMES = {"bevorzuge": "Ich bevorzuge", "préfère": "Je préfère"}


def fact(masked: str, text: str, *, rule: bool, answering: bool) -> Fact | None:
    """Return what a sentence teaches, or None. `masked` is the same text with quotations blanked out.

    `rule`: it is in a list of rules. `answering`: it may correct something said before.
    """
    if _is_doubtful(masked):
        return None
    bare = _untagged(text)
    found = _rule(bare) if rule else _in_english(masked[: len(bare)], bare, answering=answering)
    return found or _in_another_language(masked, text)


def _in_english(masked: str, text: str, *, answering: bool) -> Fact | None:
    for name, make in _READERS:
        found = pattern(name).search(masked)
        if not found or (name in _CORRECTIONS and not answering):
            continue
        is_reported = pattern("reports").search(masked[: found.start("said")])
        if not is_reported and (made := make(found, text)):
            return made
    return None


def _rule(text: str) -> Fact | None:
    if _is_passing(text) or is_vague(text) or pattern("again").match(text.partition(" ")[2]):
        return None
    return Fact(sentence(text), *place_of_rule(text))


def _remembered(found: re.Match[str], text: str) -> Fact | None:
    said = text[found.start("said") :]
    if pattern("to-do").match(said) or (
        not found["link"] and (pattern("recalls").match(said) or not pattern("tells").search(said))
    ):
        return None
    if found["link"] == "," and not (
        pattern("we").match(said) or pattern("fact").match(said) or pattern("order").match(said)
    ):
        return None  # "remember, it's all about …" only moralises
    said = said.removeprefix("to ")
    if is_vague(said) or (found["link"] != ":" and _is_passing(said)):
        return None
    return Fact(sentence(said), *place_of_rule(said))


def _from_rule(found: re.Match[str], text: str) -> Fact | None:
    return _rule(text[found.start("said") : found.end("said")])


def _from_order(found: re.Match[str], text: str) -> Fact | None:
    """Read what follows "from now on": an order, not a prediction."""
    said = text[found.start("said") :]
    return _rule(said) if pattern("order").match(said) else None


def _from_always(found: re.Match[str], text: str) -> Fact | None:
    # "don't use black, always use ruff": the rule is both halves.
    whole = pattern("head-rule").match(text[: found.start("said")])
    return _rule(text if whole else text[found.start("said") :])


def _preferred(found: re.Match[str], text: str) -> Fact | None:
    said, verb = text[found.start("said") :], found["verb"].casefold()
    would = "would" in found["how"].casefold()
    if (
        pattern("choice").match(said)
        or _is_passing(said)
        or is_vague(said)
        or (would and not pattern("liked").search(said))
    ):
        return None
    if verb in ("like", "love") and not pattern("liked").search(said):
        return None
    if verb not in ("like", "love", "prefer") and not pattern("plural").match(said):
        return None
    does = {"prefer": "prefers", "like": "likes", "love": "loves", "hate": "hates", "dislike": "dislikes"}
    feeling = does.get(verb) or "does not " + verb.split()[-1]
    scope = "project" if is_bound(said) else "user"
    return Fact(sentence(f"the user {feeling} {said}"), "preferences", scope)


def _decided(found: re.Match[str], text: str) -> Fact | None:
    said = pattern("task-tail").sub("", text[found.start("said") :])
    if pattern("unnamed").search(said) or is_vague(said):
        return None
    said = (
        said if said.casefold().startswith(("decided", "agreed", "settled", "opted")) else f"decided: {said}"
    )
    return Fact(sentence(said), "decisions")


def _corrected(found: re.Match[str], text: str) -> Fact | None:
    said = text[found.start("said") :]
    if pattern("we").match(said) or pattern("instead").match(said) or pattern("always").match(said):
        return _rule(said)
    return None


def _stated(found: re.Match[str], text: str) -> Fact | None:
    said = text[found.start("said") :]
    if pattern("we").match(said) or (pattern("fact").match(said) and not pattern("state").search(said)):
        return _rule(said)
    return None


def _caused(found: re.Match[str], text: str) -> Fact | None:
    said = text[found.start("said") :]
    if pattern("slip").search(said) or _is_passing(said) or is_vague(said) or len(said.split()) < 6:
        return None
    return Fact(sentence(said), "incidents")


def _in_another_language(masked: str, text: str) -> Fact | None:
    for each in patterns("languages"):
        found = each.search(masked)
        if found is None:
            continue
        said = text[found.start("said") : found.end("said")].strip()
        if is_vague(said):
            return None
        first = said.split(maxsplit=1)[0].casefold()
        if first in _NAMES:
            return Fact(sentence(f"{_NAMES[first]}{said[len(first) :]}"), "preferences", "user")
        return Fact(sentence(said), *place_of_rule(said))
    return None


def retracts(sentence: str) -> bool:
    """Whether a sentence retracts what was said before it."""
    return bool(pattern("retracts").match(sentence))


def is_vague(statement: str) -> bool:
    """Whether a statement is unclear on its own: too few words name something."""
    words = {term for term in aboutness.naming(statement) if not aboutness.is_plain(term)}
    return len(words) < _LEAST_WORDS


def _untagged(text: str) -> str:
    """Return a sentence without a polite ending: `…, ok?` is not a question."""
    return str(pattern("tag").sub("", text)).rstrip()


def _is_doubtful(sentence: str) -> bool:
    """Whether a sentence is not a plain statement or rule."""
    bare = _untagged(sentence)
    return bool(
        bare.endswith(("?", "？"))
        or pattern("asks").match(bare)
        or pattern("foreign-ask").search(bare)
        or pattern("supposes").search(bare)
        or pattern("jokes").search(sentence)
        or pattern("moment").search(bare)
    )


def _is_passing(rule: str) -> bool:
    """Whether an order is only about this moment, or about something in view."""
    return bool(pattern("now").search(rule) or pattern("points").search(rule))


def sentence(text: str) -> str:
    """Return a text as a sentence, with an initial capital and a full stop."""
    bare = text.strip(" \t,;:-–—")
    first = bare.split(maxsplit=1)[0] if bare else ""
    # Only a plain word gets a capital; a name such as `app.yaml` keeps its spelling.
    if first.isalpha() and first.islower():
        bare = bare[0].upper() + bare[1:]
    return bare if bare.endswith((".", "!", "。", "！")) else f"{bare}."


_CORRECTIONS = ("corrects", "actually")
_READERS: tuple[tuple[str, Callable[[re.Match[str], str], Fact | None]], ...] = (
    ("remember", _remembered),
    ("cause", _caused),
    ("decision", _decided),
    ("decided", _decided),
    ("lets", _decided),
    ("prefer", _preferred),
    ("henceforth", _from_order),
    ("whenever", _from_rule),
    ("behind", _from_rule),
    ("corrects", _corrected),
    ("always", _from_always),
    ("rather", _from_rule),
    ("stop", _from_rule),
    ("actually", _stated),
)
