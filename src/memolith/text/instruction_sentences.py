"""A sentence as words, and its mood: whether a deed is ordered, forbidden, reported or only described.

There is no grammar here, only what stands near: a word before the verb, a negation in the same clause,
a verdict behind it. Every look goes over a bounded number of words, so time grows with the text alone.
"""

from __future__ import annotations

from functools import cached_property

from memolith.text import instruction_words as words
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# Links, addresses, options and settings stay whole; an underscore or a hyphen holds a name together.
_TOKEN = lazy(
    r"https?://[^\s<>\"'`)\]]{1,300}|[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{0,60}\w|"
    r"--?[a-z][\w-]{0,60}(?:=[^\s,;`]{1,60})?|(?:~/|\./|/|\$|\.(?=[a-z]))[\w./-]{0,80}\w|"
    r"[^\W_](?:[\w'’.+-]{0,80}[^\W_])?|"
    r"\n[ \t]{0,20}\n|\n[ \t]{0,20}(?=[-*+•#|>]|\d{1,3}[.)])|"
    r"[.!?](?=[\s\"')\]*`_]|$)|[,;:()=|\u2013\u2014]|[^\x00-\x7f\u2013\u2014]{1,200}"
)
_ENDS = frozenset(".!?")
# Longer runs without a full stop are cut: nothing is looked for over such a distance.
_LONGEST = 120
# How far a negation, a subject, an object may be from the verb.
_NEAR = 9

Token = tuple[str, int, int]


def sentences(text: str) -> Iterator[Sentence]:
    """Cut lower-case `text` into sentences; a bullet, a blank line and a heading begin one."""
    found: list[Token] = []
    number = 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        breaks = "\n" in word
        if not breaks:
            found.append((word.replace("’", "'"), match.start(), match.end()))
        if (breaks or word in _ENDS or len(found) >= _LONGEST) and found:
            # `1.` begins a step, it does not end one.
            if word == "." and len(found) == 2 and found[0][0].isdigit():
                found.clear()
                continue
            yield Sentence(found, number)
            number += 1
            found = []
    if found:
        yield Sentence(found, number)


class Sentence:
    """The words of one sentence with their places, and questions about their mood."""

    def __init__(self, tokens: list[Token], number: int) -> None:
        self.tokens = tokens
        self.words = [word for word, _, _ in tokens]
        self.number = number
        self.set = frozenset(self.words)
        self.is_question = self.words[-1] == "?"

    @cached_property
    def is_policy(self) -> bool:
        """Tell whether a numbered rule speaks: "Under OPS-114, …" says what is done, whoever does it."""
        opening = self.words[:12]
        named = not words.POLICY.isdisjoint(opening) or opening[0].split("-")[0] in words.POLICY
        return named and any(map(str.isdigit, "".join(opening)))

    @cached_property
    def is_norm(self) -> bool:
        """Tell whether the sentence begins by saying what people do as a rule."""
        opening = self.words[:8]
        return not words.HABITS.isdisjoint(opening) or not words.NORMS.isdisjoint(opening)

    @cached_property
    def kinds(self) -> list[str]:
        """What kind of safeguard each word is: `core`, `loose`, `ambiguous`, or none."""
        return [words.KINDS.get(word) or _compound_kind(word) for word in self.words]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the place of the words from `first` to `last`."""
        return self.tokens[first][1], self.tokens[last][2]

    def place(self, at: int) -> int:
        """Return which word stands at a place of the text."""
        for number, (_, _, end) in enumerate(self.tokens):
            if end > at:
                return number
        return len(self.tokens) - 1

    def text(self) -> str:
        """Return the words with one blank between them: what was emphasised or wrapped reads the same."""
        return " ".join(self.words)

    def before(self, at: int, how_many: int = _NEAR) -> list[str]:
        """Return the words of the same clause before a place, nearest last."""
        start = max(0, at - how_many)
        for place in range(at - 1, start - 1, -1):
            if self.words[place] in {";", ":", "but", "(", "–", "—"}:
                return self.words[place + 1 : at]
        return self.words[start:at]

    def after(self, at: int, how_many: int = _NEAR) -> list[str]:
        """Return the words after a place."""
        return self.words[at + 1 : at + 1 + how_many]

    def subject_word(self, at: int) -> int:
        """Return the place of the word before `at` that is no adverb, -1 at the beginning."""
        at -= 1
        while at >= 0 and (self.words[at] in words.FILLERS or (self.words[at].endswith("ly"))):
            at -= 1
        return at

    def is_negated(self, at: int) -> bool:
        """Tell whether a negation in the clause before `at` covers it."""
        near = self.before(at, 12)
        if "," in near:
            comma = len(near) - 1 - near[::-1].index(",")
            # "Do not skip, mute or disable …" goes on; "If not, skip …" does not.
            goes_on = any(word in words.WEAKEN or word in {"under", "ever"} for word in near[:comma])
            if not goes_on and not {"or", "nor"} & set(near[comma:] + self.after(at, 5)):
                near = near[comma + 1 :]
        for place, word in enumerate(near):
            if word not in words.NEGATORS and not word.endswith("n't"):
                continue
            if word in words.TURNED_ROUND and words.NOT_NEGATED & set(near[place + 1 : place + 4]):
                continue
            return True
        return False

    def is_condemned(self, at: int) -> bool:
        """Tell whether what follows says that the deed is not wanted, or needs somebody's leave."""
        rest = self.after(at, 24)
        for place, word in enumerate(rest):
            if word in {"so", "because", ";", ":"}:
                return False
            behind = rest[place + 1 : place + 5]
            if word in {"requires", "needs"} and "no" not in behind[:2]:
                return True
            if word in words.VERDICTS and place < 12:
                return True
            if word in {"is", "are", "gets", "be", "counts"} and (
                words.CONDEMNED & set(behind)
                or ({"not", "never"} & set(behind[:2]) and not words.NOT_NEGATED & set(behind))
            ):
                return True
        return False

    def is_reported(self, at: int) -> bool:
        """Tell whether the clause tells what happened or what an attacker does."""
        near = self.before(at, 14)
        if "," in near:
            near = near[len(near) - near[::-1].index(",") :] or near
        # "An agent asked to … should …": what matters comes after the leave.
        for place in range(len(near) - 1, -1, -1):
            if near[place] in words.LEAVE_VERBS:
                near = near[place:]
                break
        for place, word in enumerate(near):
            # "is asked to", "if someone types", "has been to sign": no report.
            before = near[place - 1] if place else ""
            to = word != "used" and near[place + 1 : place + 2] == ["to"]
            if word in words.PAST and before not in words.OPENS and not to:
                return not {"always", "been"} <= set(near)
        return False

    def is_undone(self, at: int) -> bool:
        """Tell whether what is done at `at` is undone later, or the sentence begins with the undoing."""
        return not words.RESTORE.isdisjoint(self.words[at + 1 :]) or self.words[0] in words.RESTORE

    def is_harmless(self, at: int) -> bool:
        """Tell whether the deed at `at` is forbidden, condemned, reported or a question."""
        return self.is_question or self.is_negated(at) or self.is_condemned(at) or self.is_reported(at)

    def has_people(self, at: int) -> bool:
        """Tell whether the words right before `at` name people, or a habit."""
        for word in reversed(self.before(at, 5)):
            if word in {"that", "because", "which"}:
                return False
            if word in words.PEOPLE or word in words.HABITS:
                return True
        return False

    def orders(self, at: int, mood: str) -> bool:
        """Tell whether the verb at `at`, in this mood, is an order, a leave, an advice or a habit."""
        place = self.subject_word(at)
        previous = self.words[place] if place >= 0 else ""
        if previous in {"i", "i'll", "i'd"} or (mood in {"base", "s"} and previous in words.DETERMINERS):
            return False
        near = self.before(at, 8)
        if mood == "base":
            return self._is_order(previous, place, near)
        if mood == "s":
            return previous not in words.RELATIVES and (self.is_policy or self.has_people(at))
        if mood == "ing":
            if previous == "of":
                return not words.HABITS.isdisjoint(near)
            if place > 0 and (self.words[place - 1], previous) in words.ADVISED:
                return not self.is_reported(at)
            past = self.is_reported(at) if previous == "by" else not words.PAST.isdisjoint(self.set)
            return previous in words.ADVICE and not past
        if self.words[at - 1] in words.DETERMINERS or not {"likely", "tend", "only"}.isdisjoint(near):
            return False
        if "be" in near:
            wanted = {"is", "are"} if "to" in near else {"that"} if self.is_policy else set()
            return not words.LEAVES.isdisjoint(near) or not wanted.isdisjoint(near)
        if not words.HABITS.isdisjoint(near):
            return not words.PRESENT.isdisjoint(near) and words.PAST.isdisjoint(near)
        return (self.is_policy or self.is_norm) and not words.PRESENT.isdisjoint(near[-3:])

    def _is_order(self, previous: str, place: int, near: list[str]) -> bool:
        if previous in words.RELATIVES or not words.WHEN.isdisjoint(near[-2:]) or self.words[0] == "only":
            return False
        if previous == "to":
            before = self.words[max(0, place - 5) : place]
            return bool(before) and (
                before[-1] in words.LICENCES
                or not words.LEAVES.isdisjoint(before)
                or (before[-1] in words.TO_BE and not words.WAYS.isdisjoint(self.set))
                or (self.is_policy and not words.SAYS.isdisjoint(self.set))
            )
        return (
            place < 0
            or previous in words.ORDERING
            or (previous in words.TO_BE and self.words[0] in {"what", "all"})
            or previous.isdigit()
            or self.has_people(place + 1)
            # "Crews mute …", whoever they are.
            or (previous.endswith("s") and self.words[place + 1] in words.WEAKEN)
            or not words.HABITS.isdisjoint(self.set)
            or (self.is_norm and previous.endswith("s"))
        )

    def directs(self, at: int) -> bool:
        """Tell whether what stands at `at` is to be used: a verb of doing, ordered, or a leave before it."""
        if self.is_policy:
            return True
        for place in range(at - 1, max(-1, at - 14), -1):
            word = self.words[place]
            if word in words.MODALS:
                return True
            if word in words.DOING and self.orders(place, words.DOING[word]):
                return True
        rest = self.after(at, 8)
        for place, word in enumerate(rest[:-1]):
            if words.DOING.get(word) == "base" and rest[place + 1] in {"it", "this", "that", "them"}:
                return True
        # The line is the command or the setting itself.
        return at == 0 and words.EXPLAINS.isdisjoint(self.set)

    def find(self, start: int, stop: int, wanted: Collection[str]) -> int:
        """Return the first place in `start … stop` whose word is wanted, -1 if there is none."""
        for at in range(max(0, start), min(stop, len(self.words))):
            word = self.words[at]
            if word in wanted or ends_in(word, wanted):
                return at
        return -1


def _compound_kind(word: str) -> str:
    for sign in "-_'":
        if sign in word:
            head = word.split("'", 1)[0] if sign == "'" else word.rsplit(sign, 1)[1]
            kind = words.KINDS.get(head, "")
            return kind if kind != "ambiguous" else ""
    return ""


def ends_in(word: str, wanted: Collection[str]) -> bool:
    """Tell whether the last part of a compound is wanted: `pre-merge-check`, `guard_interlock`."""
    for sign in "-_'":
        if sign in word:
            head = word[: word.index("'")] if sign == "'" else word.rsplit(sign, 1)[1]
            return head in wanted
    return False
