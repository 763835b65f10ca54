"""Was it really said, by whom, and meant to last? Checked by code, not by the model that claims it.

A statement cites turns and quotes. A quote must stand in what somebody said, but for case, white space and
the form of letters; one that stands in another turn counts for that turn. What is kept is not the statement
but the whole sentence of the quote, as it was said: so nothing is invented, and no `never` gets lost.

The sentence is judged: a rule needs the user's words, or words that the user agreed to. What is asked,
imagined or meant for this moment teaches nothing, and neither does what was taken back later; what the user
only thinks ("I think we should …") is no more than a candidate. Words that are somebody else's (pasted,
quoted, brought by a tool) keep the name of where they came from: a person decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.learn.extract import alone, doubt, strip
from memolith.learn.extract.folded import Folded, fold, weight
from memolith.learn.extract.signals import is_errand, is_secret, is_vague
from memolith.learn.extract.signals import sentence as as_sentence
from memolith.learn.extract.speech import pattern
from memolith.text import conversation
from memolith.text.patterns import lazy
from memolith.text.secrets.redact import redact
from memolith.text.turns import Hearing
from memolith.text.typed import BULLET, is_plain, parted
from memolith.text.voice import is_personal
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memolith.memory.sessions import Session

    Quotes = Iterable[tuple[int, str]]

# A shorter quote matches anywhere; a Chinese character counts as three letters.
_LEAST = 12
_MOST_QUOTES = 8
_MOST_SENTENCES = 2  # of one fact
_SHORT = 30  # characters of a clause that only leads to the next
_LONG, _NEAR = 500, 160  # characters of a sentence, and those shown beside a quote of a longer one
_END = lazy(r"(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bno\.)\s+|(?<=[。！？])|\n")
_CLAUSE = lazy(r"[,;()–—，；]|\s-+\s|\.\.\.")
_QUOTED = lazy(r"\"[^\"\n]{2,}\"|“[^”\n]{2,}”|„[^“”\n]{2,}[“”]|«[^»\n]{2,}»|「[^」\n]{2,}」")
_FENCE = lazy(r"(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)")
_MARKED = lazy(r"[ \t]*(?:[>|＞│]|[+-]{3} |@@ |\$ |\d{4}-\d\d-\d\d[T ]\d\d:)")
_QUOTE_MARK = lazy(r"\s*(?:[>＞│]\s*)+")
# What may be learned only from the user, or from what the user agreed to.
_THEIRS = ("decisions", "principles", "preferences")
# Why a quote does not count.
NO_TURN = "no such turn"
TOO_SHORT = "quote too short"
NOT_THERE = "quote not in the session"
INJECTED = "quote only in injected text"
OUTSIDE = "quote only from outside"
# Why a real quote teaches nothing.
NO_EVIDENCE = "no evidence"
NOT_THE_USER = "not the user's words, nor agreed to"
NOT_ABOUT = "statement is not about its quote"
CONVERSATION = "somebody else's conversation"
DOUBTED = "asked, supposed or doubted"
PASSING = "meant for this moment"
RETRACTED = "taken back later"
MASKED = "nothing but a secret"
OUTPUT = "output of a program"
ERRAND = "said of the work at hand"


class Said(Value):
    """A quote as it was said: its turn and speaker, and the whole sentence, untouched."""

    by: str  # user, assistant or tool
    certain: bool  # else its speaker says that they only think so
    sentence: str
    clause: str  # the part of the sentence that has the quote
    taint: str  # whose words they are if not the speaker's own
    turn: int


class Verdict(Value):
    """The result of checking quotes: what they say and who said it, or why they teach nothing.

    `taint` says whose words they are: `user` or `agent`, or one of TAINTS if any words are somebody else's.
    Not `certain`: somebody said that they think so.
    """

    certain: bool
    quotes: list[tuple[int, str]]
    reason: str
    taint: str
    text: str

    @property
    def holds(self) -> bool:
        """Whether the quotes teach something."""
        return not self.reason


class Witness:
    """The words of a session, to check quotes against."""

    def __init__(self, session: Session) -> None:
        self._turns = {turn.number: turn for turn in session.turns}
        hearing = Hearing(session.cwd)
        self._taints = {
            turn.number: hearing.taint(turn.role, turn.tool, turn.text, turn.taint) for turn in session.turns
        }
        self._spoken: dict[int, Folded] = {}
        self._withdrawn = list(self._retractions())

    def check(self, quotes: Quotes, *, of_user: bool = False) -> Verdict:
        """Check that quotes were really said; with `of_user`, only the user's own words count."""
        found, why = self._found(quotes)
        if found and of_user and not (found := [each for each in found if self._speaker(each[0]) == "user"]):
            why = NOT_THE_USER
        said = [self._as_said(number, *place, *place) for number, *place in found]
        return _verdict(said) if said else _refused(why)

    def learn(self, statement: str, category: str, quotes: Quotes) -> Verdict:
        """Return the sentences of the quotes if they teach something that lasts."""
        found, why = self._found(quotes)
        good: list[Said] = []
        for number, start, end in found:
            for first, last in _sentences(self._words(number).raw, start, end):
                said = self._as_said(number, max(start, first), min(end, last), first, last)
                problem = self._doubt(said, category)
                why = problem or why
                if not problem and said not in good:
                    good.append(said)
        good = good[:_MOST_SENTENCES]
        if good and not any(doubt.may_say(each.sentence, statement) for each in good):
            good, why = [], NOT_ABOUT
        return _verdict(good) if good else _refused(why)

    def speaks_for_all(self, quotes: Quotes) -> bool:
        """Whether the quotes are from short messages without a paste, and say that they are personal."""
        return all(is_plain(self._turns[number].text) and is_personal(said) for number, said in quotes)

    def knows(self, words: str) -> bool:
        """Whether somebody said these words in the session, one after the other."""
        wanted = fold(words)
        speech = (number for number, turn in self._turns.items() if turn.role in ("user", "assistant"))
        return any(self._words(number).find(wanted) for number in speech)

    def _found(self, quotes: Quotes) -> tuple[list[tuple[int, int, int]], str]:
        """Return where quotes stand (turn, start, end), and why the last of the others does not count."""
        found: list[tuple[int, int, int]] = []
        why = NO_EVIDENCE
        for number, quote in list(quotes)[:_MOST_QUOTES]:
            place = self._place(number, quote)
            if isinstance(place, str):
                why = place
            elif place not in found:
                found.append(place)
        return found, why

    def _place(self, number: int, quote: str) -> tuple[int, int, int] | str:
        """Return where a quote stands, or why it does not count."""
        wanted = fold(quote)
        if not any(map(str.isalnum, wanted)):
            return TOO_SHORT
        here = self._turns.get(number)
        whole = here is not None and _bare(wanted) == _bare(self._words(number).text)
        if weight(wanted) < _LEAST and not (whole and self._speaker(number) == "user"):
            return TOO_SHORT
        # Where the user said it, it is theirs, whatever turn is named.
        for each in sorted(self._turns, key=lambda one: (self._speaker(one) != "user", one != number, one)):
            if place := self._words(each).find(wanted):
                return each, *place
        if here is None:
            return NO_TURN
        if not Folded(here.text).find(wanted):
            return NOT_THERE
        is_outside = here.role == "tool" and strip.tool_kind(here) not in strip.TELLING | {"own"}
        return OUTSIDE if is_outside else INJECTED

    def _as_said(self, number: int, start: int, end: int, first: int, last: int) -> Said:
        text, by = self._words(number).raw, self._speaker(number)
        cited = "pasted" if by != "tool" and _is_cited(text, start, end) else ""
        sentence, clause = (cut(text, first, last, start, end) for cut in (_shortened, _clause))
        return Said(
            turn=number,
            by=by,
            certain=not (
                doubt.supposes(clause) or doubt.supposes(sentence) or self._is_task(number, sentence)
            ),
            sentence=sentence,
            clause=clause,
            taint=self._taint(number, text[start:end]) or cited,
        )

    def _doubt(self, said: Said, category: str) -> str:
        """Return why a sentence teaches nothing."""
        if said.taint == "pasted" and conversation.turns(self._words(said.turn).raw):
            return CONVERSATION
        if pattern("output").search(said.sentence):
            return OUTPUT
        if is_secret(said.sentence):
            return MASKED
        if said.by != "user" and category in _THEIRS and not self._agreed(said.turn):
            return NOT_THE_USER
        if said.by != "tool" and (doubt.doubts(said.clause) or not (said.certain or said.by == "user")):
            return DOUBTED
        if said.by != "tool" and doubt.passes(said.clause):
            return PASSING
        if self.takes_back(said.turn, said.sentence) or (
            (rest := doubt.behind_retraction(said.sentence)) != said.sentence and is_vague(rest)
        ):
            return RETRACTED
        return ERRAND if said.by == "user" and is_errand(said.sentence) else ""

    def _is_task(self, number: int, sentence: str) -> bool:
        """Whether the user only says what is to be done now, or how a thing should become."""
        before = (turn.role for turn in self._turns.values() if turn.number < number)
        return self._speaker(number) == "user" and alone.is_at_hand(sentence, answering="assistant" in before)

    def _agreed(self, number: int) -> bool:
        """Whether the user's next words agree with a turn of the agent."""
        after = [turn for turn in self._turns.values() if turn.number > number and turn.role == "user"]
        return bool(after) and doubt.agrees(strip.own_words(after[0]).strip())

    def _retractions(self) -> Iterator[tuple[int, str, int]]:
        """Yield where the user takes something back, the words, and the turn that `that` is, or none."""
        before = 0
        for turn in self._turns.values():
            if turn.role != "user":
                continue
            for sentence in filter(None, map(_one_line, _END.split(strip.own_words(turn)))):
                if doubt.retracts(sentence):
                    yield turn.number, sentence, before
                elif not doubt.passes(sentence) and (doubt.calls_off(sentence) or doubt.turns(sentence)):
                    yield turn.number, sentence, -1
                if sentence.count(" ") > 1:  # `No, wait.` says nothing that could be taken back
                    before = turn.number
            before = turn.number

    def takes_back(self, turn: int, sentence: str) -> bool:
        """Whether the user takes back later what a sentence of a turn says."""
        words = likeness.naming(sentence)
        return any(
            turn == before
            or (
                before < 0
                and not doubt.calls_off(later)
                and likeness.reverses(sentence, later, ended=doubt.ends(later))
            )
            or (
                (before >= 0 or doubt.calls_off(later))
                and bool(likeness.naming(doubt.named_by(later)) & words)
            )
            for number, later, before in self._withdrawn
            if turn < number or (turn == number and self._comes_before(turn, sentence, later))
        )

    def _comes_before(self, turn: int, sentence: str, later: str) -> bool:
        text = _one_line(self._words(turn).raw)
        return 0 <= text.find(_one_line(sentence)) < text.find(later)

    def _speaker(self, number: int) -> str:
        turn = self._turns[number]
        return "user" if strip.refusal(turn) else turn.role

    def _words(self, number: int) -> Folded:
        """Return the words of a turn that count as evidence."""
        if number not in self._spoken:
            turn = self._turns[number]
            refusal = strip.refusal(turn)
            known = turn.role != "tool" or strip.tool_kind(turn) in strip.TELLING
            said = refusal or (strip.own_words(turn) if known else "")
            self._spoken[number] = Folded(redact(said).text)  # as the model saw it
        return self._spoken[number]

    def _taint(self, number: int, quote: str) -> str:
        """Return whose words a quote is, unless it is the speaker's own."""
        turn = self._turns[number]
        if self._speaker(number) == "user":
            own = strip.refusal(turn) or Folded(parted(redact(turn.text).text)[0]).find(fold(quote))
            return turn.taint or ("" if own else "pasted")
        return self._taints[number] or ("tool" if turn.role == "tool" else "")


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences begin and end in which a place of a text lies."""
    first = 0
    for found in [*_END.finditer(text), None]:
        last = found.start() if found else len(text)
        begin = first
        for each in (_QUOTE_MARK, BULLET):
            mark = each.match(text[begin:last])
            begin += mark.end() if mark else 0
        if last > max(start, begin) and begin < end:
            yield begin, last
        first = found.end() if found else last


def _clause(text: str, first: int, last: int, start: int, end: int) -> str:
    """Return the part of a sentence that has the quote, with a short one before it (`for now, …`)."""
    after = _CLAUSE.search(text, end, last)
    starts = [first, *(found.end() for found in _CLAUSE.finditer(text, first, start))]
    begin = starts[-2] if len(starts) > 1 and starts[-1] - starts[-2] <= _SHORT else starts[-1]
    return text[begin : after.start() if after else last].strip()


def _shortened(text: str, first: int, last: int, start: int, end: int) -> str:
    """Return a sentence on one line; of one that nobody would read, the words around the quote."""
    if last - first <= _LONG or end - start >= _LONG:
        return _one_line(text[first:last])
    left, right = max(first, start - _NEAR), min(last, end + _NEAR)
    left = text.find(" ", left, start) + 1 or start if left > first else left
    right = text.rfind(" ", end, right) if right < last else right
    right = max(right, end)
    before, after = "… " if left > first else "", " …" if right < last else ""
    return f"{before}{' '.join(text[left:right].split())}{after}"


def _is_cited(text: str, start: int, end: int) -> bool:
    """Whether a place of a text is in a fence, in quotation marks, or in lines that are no speech."""
    if any(each.start() <= start < each.end() for each in _FENCE.finditer(text)):
        return True
    first = text.rfind("\n", 0, start) + 1
    line = text[first : (text.find("\n", end) + 1 or len(text) + 1) - 1]
    quoted = (each.span() for each in _QUOTED.finditer(line))
    return bool(_MARKED.match(line)) or any(
        one <= start - first and end - first <= two for one, two in quoted
    )


def _verdict(found: Sequence[Said]) -> Verdict:
    own = "user" if all(each.by == "user" for each in found) else "agent"
    taint = next((each.taint for each in found if each.taint), own)
    return Verdict(
        quotes=[(each.turn, each.sentence) for each in found],
        certain=all(each.certain for each in found),
        reason="",
        taint=taint,
        text=" ".join(as_sentence(each.sentence) for each in found),
    )


def _refused(why: str) -> Verdict:
    return Verdict(certain=False, quotes=[], reason=why, taint="", text="")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _bare(text: str) -> str:
    return text.strip(" .!…").casefold()
