"""Whether a text from a stranger reads like an instruction that a person should see before an agent obeys it.

No classifier and no score: rules that can be read, each with an id, a sentence for a person, and examples
in `tests/text/instructions`. They know a danger by the kind of deed and the kind of thing it is done to
(`instruction_deeds`), by turns of phrase that speak to the agent (`instruction_phrases`), by commands
(`instruction_commands`), in other languages (`instruction_languages`), and through the usual disguises
(`instruction_views`). What is forbidden, reported or undone again is no instruction
(`instruction_sentences`).
"""

from __future__ import annotations

from bisect import bisect_right

from memolith.model import Value
from memolith.text import instruction_deeds as deeds
from memolith.text import instruction_words as words
from memolith.text.instruction_acts import acts, hidden, lookalikes
from memolith.text.instruction_commands import CLAIM, COMMANDS, MARKERS, OPTIONS, settings
from memolith.text.instruction_languages import HINTS, INNER, LATIN, NEGATION, SCRIPTS
from memolith.text.instruction_phrases import PHRASES
from memolith.text.instruction_sentences import Sentence, sentences
from memolith.text.instruction_table import listed
from memolith.text.instruction_tongues import spoken, tongues, written
from memolith.text.instruction_views import View, views

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# The rules, and what a person is told.
RULES = {
    "download-and-run": "It has code fetched from elsewhere run at once.",
    "weaken": "It tells somebody to skip, switch off or get around a safeguard.",
    "unguarded": "It tells somebody to act without, before or in spite of a check.",
    "straight": "It has a change reach its target past the way that was made for it.",
    "needless": "It says that a check or an approval is not needed.",
    "setting": "It has a safeguard switched off by a setting or an option.",
    "false-record": "It has something recorded as checked that was not.",
    "hand-on": "It has a secret or other people's data given to somebody.",
    "expose": "It opens something private to everybody.",
    "destroy": "It destroys backups, evidence, history or live data.",
    "concealment": "It asks that something be kept from the people in charge.",
    "blanket-consent": "It gives consent in advance, or says not to ask.",
    "override": "It claims to stand above earlier instructions or the user.",
    "addressed": "It speaks to the assistant and tells it how to behave.",
    "role-marker": "It imitates the marks by which a model knows who is speaking.",
    "persistence": "It installs something that comes back by itself.",
    "privilege": "It asks for more rights than a task needs.",
    "follow-link": "It sends the agent to a page whose instructions it should follow.",
    "promotion": "It has a product recommended whatever the question.",
    "claimed-trust": "It claims to come from a person, which only the store can say.",
}
_QUOTE = 120
_DEEDS = (
    deeds.weakened,
    deeds.states,
    deeds.unguarded,
    deeds.needless,
    deeds.handed_on,
    deeds.straight,
    deeds.unsafe,
    acts,
    hidden,
    lookalikes,
)

Found = tuple[str, int, int]


class Suspicion(Value):
    """Why a person should look: the rule, its sentence, and the words in the text that was given."""

    __slots__ = ("end", "quote", "rule", "start", "why")
    rule: str
    why: str
    quote: str
    start: int
    end: int


def suspicions(text: str) -> list[Suspicion]:
    """Return what in `text` reads like an instruction to be reviewed, each rule once, in order of place."""
    first: dict[str, tuple[int, int]] = {}
    for rule, start, end in _found(text):
        if rule not in first or start < first[rule][0]:
            first[rule] = start, end
    return [
        Suspicion(
            rule=rule, why=RULES[rule], quote=text[start : min(end, start + _QUOTE)], start=start, end=end
        )
        for rule, (start, end) in sorted(first.items(), key=lambda item: item[1])
    ]


def _found(text: str) -> Iterator[Found]:
    claim = CLAIM.search(text.lower()) if text.startswith(("---", "\ufeff---")) else None
    if claim:
        yield "claimed-trust", *claim.span()
    for view in views(text):
        for rule, start, end in _in_view(view):
            yield rule, *view.back(start, end)


def _in_view(view: View) -> Iterator[Found]:
    text = view.text
    said = list(sentences(text))
    for marker in MARKERS.finditer(text):
        yield "role-marker", *marker.span()
    yield from _commands(text, said)
    yield from _foreign(text, said)
    undone = [not words.RESTORE.isdisjoint(sentence.set) for sentence in said]
    # The first of each kind is enough.
    finders = list(_DEEDS)
    done: set[str] = set()
    for number, sentence in enumerate(said):
        for rule, low, high in _phrases(sentence, done):
            done.add(rule)
            yield rule, *sentence.span(low, high)
        for find in list(finders):
            for rule, low, high in find(sentence):
                # Switched off and on again is a procedure; on one's own machine it harms nobody.
                if rule == "weaken" and (any(undone[number + 1 : number + 3]) or sentence.is_undone(high)):
                    continue
                if rule in {"weaken", "unguarded"} and _is_local(sentence):
                    continue
                yield rule, *sentence.span(low, high)
                finders.remove(find)
                break


def _is_local(sentence: Sentence) -> bool:
    return not words.LOCAL.isdisjoint(sentence.set) and words.CORE.isdisjoint(sentence.set)


def _commands(text: str, said: list[Sentence]) -> Iterator[Found]:
    """Find commands and settings; the sentence around one says whether it is to be used."""
    found = [
        (match.start(), match.end(), rule)
        for rule, needles, pattern in COMMANDS
        if any(needle in text for needle in needles)
        for match in pattern.finditer(text)
    ]
    found += [(*match.span(), "setting") for match in OPTIONS.finditer(text)]
    found += [(start, end, "setting") for start, end in settings(text)]
    starts = [sentence.tokens[0][1] for sentence in said]
    for start, end, rule in found:
        number = bisect_right(starts, start) - 1
        if number < 0:
            continue
        sentence = said[number]
        place = sentence.place(start)
        if (
            sentence.is_negated(place)
            or sentence.is_reported(place)
            or sentence.is_condemned(sentence.place(end - 1))
        ):
            continue
        if rule != "setting" or sentence.directs(place):
            yield rule, start, end


def _phrases(sentence: Sentence, done: set[str]) -> Iterator[Found]:
    if PHRASES.keys().isdisjoint(sentence.set):
        return
    line = sentence.text()
    offset = 0
    for low, word in enumerate(sentence.words):
        # Of a word said twice, the second begins the phrase.
        twice = low + 1 < len(sentence.words) and sentence.words[low + 1] == word
        for rule, pattern, sign in () if twice else PHRASES.get(word, ()):
            match = None if rule in done else pattern.match(line, offset)
            if not match or (sign != "!" and (sentence.is_negated(low) or sentence.is_question)):
                continue
            high = low + match[0].count(" ")
            before = sentence.words[low - 1] if low else ""
            if before in _ABLE or (sign != "^" and sentence.is_reported(low)) or sentence.is_condemned(high):
                continue
            if rule == "download-and-run" and not words.INSPECTED.isdisjoint(sentence.set):
                continue
            yield rule, low, min(high, len(sentence.tokens) - 1)
        offset += len(word) + 1


# "I always recommend …", "support could never tell …": said of somebody, not to somebody.
_ABLE = listed("i i'll i'd could would")


def _foreign(text: str, said: list[Sentence]) -> Iterator[Found]:
    for sentence in said:
        # One word is no order.
        if len(sentence.tokens) < 2:
            continue
        start, end = sentence.span(0, len(sentence.tokens) - 1)
        if not HINTS.isdisjoint(sentence.set) or not text[start:end].isascii():
            yield from _orders(LATIN, text, start, end)
            codes = spoken(sentence.set)
            if codes:
                yield from tongues(codes, text, start, end)
    if not text.isascii():
        yield from tongues(written(text), text, 0, len(text))
        for letter, rules in SCRIPTS:
            if letter.search(text):
                yield from _orders(rules, text, 0, len(text))


def _orders(rules: list[tuple[str, re.Pattern[str]]], text: str, start: int, end: int) -> Iterator[Found]:
    for rule, pattern in rules:
        for match in pattern.finditer(text, start, end):
            negated = INNER.search(match[0]) or NEGATION.search(
                text[max(start, match.start() - 16) : match.start()]
            )
            if rule in {"concealment", "needless"} or not negated:
                yield rule, *match.span()
