"""Does a text from a stranger read like an instruction that a person should see before an agent obeys it?

No classifier and no score: rules that can be read, each with an id, a sentence for a person, and examples
in `tests/text/instructions`. They know a danger by the kind of deed and the kind of thing it is done to
(`instruction_deeds`), by turns of phrase that speak to the agent (`instruction_phrases`), by commands
(`instruction_commands`), in other languages (`instruction_languages`), and through the usual disguises
(`instruction_views`). What is forbidden, reported or undone again is no instruction (`instruction_sentences`).
"""

from __future__ import annotations

from memolith.model import Value
from memolith.text import instruction_deeds as deeds
from memolith.text import instruction_words as words
from memolith.text.instruction_commands import CLAIM, COMMANDS, MARKERS, SETTINGS
from memolith.text.instruction_languages import LANGUAGES, NEGATION
from memolith.text.instruction_phrases import PHRASES
from memolith.text.instruction_sentences import Sentence, sentences
from memolith.text.instruction_views import View, views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The rules, and what a person is told.
RULES = {
    "download-and-run": "It has code fetched from elsewhere run at once.",
    "weaken": "It tells somebody to skip, switch off or get around a safeguard.",
    "unguarded": "It tells somebody to act without, before or in spite of a check.",
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
_DEEDS = (deeds.weakened, deeds.states, deeds.unguarded, deeds.needless, deeds.handed_on)

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
        Suspicion(rule=rule, why=RULES[rule], quote=text[start : min(end, start + _QUOTE)], start=start, end=end)
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
    said = list(sentences(view.text))
    for marker in MARKERS.finditer(view.text):
        yield "role-marker", *marker.span()
    yield from _commands(view.text, said)
    yield from _phrases(said)
    if not view.text.isascii() or any(sign in view.text for sign in ("ignor", "des", "dis", "non ")):
        yield from _foreign(view.text)
    undone = [bool(words.RESTORE & sentence.set) for sentence in said]
    for number, sentence in enumerate(said):
        for find in _DEEDS:
            for rule, low, high in find(sentence):
                if rule == "weaken" and (any(undone[number : number + 3]) or _is_local(sentence)):
                    continue
                yield rule, *sentence.span(low, high)


def _is_local(sentence: Sentence) -> bool:
    return bool(words.LOCAL & sentence.set) and not words.CORE & sentence.set


def _commands(text: str, said: list[Sentence]) -> Iterator[Found]:
    at = 0
    found = [(rule, *match.span(), False) for rule, pattern in COMMANDS for match in pattern.finditer(text)]
    found += [(rule, *match.span(), True) for rule, pattern in SETTINGS for match in pattern.finditer(text)]
    for rule, start, end, is_setting in sorted(found, key=lambda each: each[1]):
        while at + 1 < len(said) and said[at + 1].tokens[0][1] <= start:
            at += 1
        if not said:
            return
        sentence = said[at]
        place = next((n for n, token in enumerate(sentence.tokens) if token[2] > start), len(sentence.tokens) - 1)
        last = next((n for n, token in enumerate(sentence.tokens) if token[2] >= end), len(sentence.tokens) - 1)
        if sentence.is_negated(place) or sentence.is_reported(place) or sentence.is_condemned(last):
            continue
        if is_setting and not (sentence.directs() or place == 0):
            continue
        yield rule, start, end


def _phrases(said: list[Sentence]) -> Iterator[Found]:
    lines = "\n".join(sentence.text() for sentence in said)
    if not lines:
        return
    starts = [0]
    for sentence in said:
        starts.append(starts[-1] + sum(map(len, sentence.words)) + len(sentence.words))
    from bisect import bisect_right

    for rule, pattern, negatable in PHRASES:
        for match in pattern.finditer(lines):
            number = bisect_right(starts, match.start()) - 1
            sentence = said[number]
            low = lines.count(" ", starts[number], match.start())
            high = low + match[0].count(" ")
            if negatable and (sentence.is_negated(low) or sentence.is_question):
                continue
            if sentence.is_reported(low) or sentence.is_condemned(high) or sentence.words[max(0, low - 1)] in {"i", "i'll"}:
                continue
            yield rule, *sentence.span(low, min(high, len(sentence.tokens) - 1))


def _foreign(text: str) -> Iterator[Found]:
    for rule, pattern in LANGUAGES:
        for match in pattern.finditer(text):
            if rule != "concealment" and NEGATION.search(text[max(0, match.start() - 16) : match.start()]):
                continue
            yield rule, *match.span()
