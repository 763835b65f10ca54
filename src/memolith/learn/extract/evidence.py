"""Is a statement supported by what was really said? Checked by code, not by the model that wrote it.

A statement cites turns and quotes. Each quote must appear in its turn, verbatim except for white space, and
not only in text that we or the host injected or that came from outside. The statement must also be about its
quotes: its words, names, numbers and paths come from them or from adjacent turns, and it does not turn a
"never" into an "always". A real quote under an invented claim is dropped just like an invented quote.
"""

from __future__ import annotations

from memolith.base.values import Value
from memolith.learn.extract import aboutness, strip
from memolith.text.secrets.redact import redact
from memolith.text.turns import Hearing
from memolith.text.typed import is_personal, is_plain, parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memolith.memory.sessions import Session

# A shorter quote matches anywhere; a Chinese character counts as three letters.
_LEAST = 12
_MOST_QUOTES = 8
_NEAR = 600
_ENDS = (". ", "! ", "? ", "。")
_STRAIGHT = str.maketrans("‘’‚“”„\u00a0", "''''" + '""' + " ")
# Why a quote does not count.
NO_TURN = "no such turn"
TOO_SHORT = "quote too short"
NOT_THERE = "quote not in its turn"
INJECTED = "quote only in injected text"
OUTSIDE = "quote only from outside"
# Why a statement is dropped although its quotes are real.
NO_EVIDENCE = "no evidence"
NOT_THE_USER = "user's preference without the user's words"
NOT_ABOUT = "statement says more than its quotes"
REVERSED = "statement reverses its quotes"


class Verdict(Value):
    """The result of checking a statement: its valid quotes, or why it is dropped.

    `taint` says whose words they are: `user` or `agent`, or one of TAINTS if any words are somebody else's.
    """

    quotes: list[tuple[int, str]]
    reason: str
    taint: str

    @property
    def holds(self) -> bool:
        """Whether the statement is supported."""
        return not self.reason


class Witness:
    """The words of a session, to check statements against."""

    def __init__(self, session: Session) -> None:
        self._turns = {turn.number: turn for turn in session.turns}
        self._order = [turn.number for turn in session.turns]
        hearing = Hearing()
        self._taints = {
            turn.number: hearing.taint(turn.role, turn.tool, turn.text, turn.taint) for turn in session.turns
        }
        self.taint = hearing.so_far  # for what a model says about the whole session
        self._spoken: dict[int, str] = {}
        self._everything: aboutness.Words | None = None

    def check(self, statement: str, quotes: Iterable[tuple[int, str]], *, of_user: bool = False) -> Verdict:
        """Check a statement against its quotes; with `of_user`, only the user's own words count."""
        good: list[tuple[int, str]] = []
        why = NO_EVIDENCE
        for number, quote in list(quotes)[:_MOST_QUOTES]:
            problem = self._problem(number, quote)
            why = problem or why
            if not problem:
                good.append((number, " ".join(quote.split())))
        if not good:
            return Verdict(quotes=[], reason=why, taint="")
        if of_user:  # text that an agent read and repeats is not the user's rule
            good = [each for each in good if self._turns[each[0]].role == "user"]
        if not good:
            return Verdict(quotes=[], reason=NOT_THE_USER, taint="")
        turns = [self._turns[number] for number, _ in good]
        reason = self._unsupported(statement, good)
        own = "user" if all(turn.role == "user" for turn in turns) else "agent"
        taint = next(filter(None, (self._taint(*each) for each in good)), own)
        return Verdict(quotes=[] if reason else good, reason=reason, taint="" if reason else taint)

    def speaks_for_all(self, quotes: Iterable[tuple[int, str]]) -> bool:
        """Whether the quotes are from short messages without a paste, and say that they are personal."""
        return all(
            is_plain(self._turns[number].text) and is_personal(self._sentence(number, fold(quote)))
            for number, quote in quotes
        )

    def _taint(self, number: int, quote: str) -> str:
        """Return whose words a quote is, unless it is the speaker's own."""
        turn = self._turns[number]
        if turn.role == "user":
            own = _stands_in(fold(quote), fold(parted(turn.text)[0]))
            return turn.taint or ("" if own else "pasted")
        return self._taints[number] or ("tool" if turn.role == "tool" else "")

    def knows(self, text: str) -> bool:
        """Whether everything a text names appears somewhere in the session."""
        if self._everything is None:
            self._everything = aboutness.Words(" ".join(map(self._said, self._order)))
        return all(map(aboutness.explains, aboutness.strange(text, self._everything)))

    def _said(self, number: int) -> str:
        """Return the words of a turn that count as evidence, on one line."""
        if number not in self._spoken:
            turn = self._turns[number]
            known = turn.role != "tool" or strip.tool_kind(turn) in strip.TELLING
            self._spoken[number] = fold(strip.own_words(turn)) if known else ""
        return self._spoken[number]

    def _problem(self, number: int, quote: str) -> str:
        turn = self._turns.get(number)
        if turn is None:
            return NO_TURN
        wanted = fold(quote)
        if not any(map(str.isalnum, wanted)):
            return TOO_SHORT
        said = self._said(number)
        if weight(wanted) < _LEAST and not (turn.role == "user" and _bare(wanted) == _bare(said)):
            return TOO_SHORT
        if _stands_in(wanted, said) or _stands_in(wanted, _redacted(said, wanted)):
            return ""
        if not _stands_in(wanted, fold(turn.text)):
            return NOT_THERE
        is_outside = turn.role == "tool" and strip.tool_kind(turn) not in strip.TELLING | {"own"}
        return OUTSIDE if is_outside else INJECTED

    def _unsupported(self, statement: str, quotes: Sequence[tuple[int, str]]) -> str:
        around = aboutness.Words(" . ".join(self._beside(number, fold(quote)) for number, quote in quotes))
        if aboutness.reverses(statement, [self._sentence(at, fold(quote)) for at, quote in quotes]):
            return REVERSED
        quoted = aboutness.Words(" . ".join(quote for _, quote in quotes))
        return "" if aboutness.is_about(statement, quoted, around) else NOT_ABOUT

    def _sentence(self, number: int, quote: str) -> str:
        """Return the sentences that contain a quote: `use it` may follow a `never`."""
        lines = [fold(line) for line in strip.own_words(self._turns[number]).splitlines()]
        said = next((line for line in lines if quote in line), self._said(number))
        at = said.find(quote)
        if at < 0:
            return quote
        start = max([0, *(found + 1 for mark in _ENDS if (found := said.rfind(mark, 0, at)) >= 0)])
        ends = [found for mark in _ENDS if (found := said.find(mark, at + len(quote) - 1)) >= 0]
        return said[start : min(ends) + 1 if ends else len(said)]

    def _beside(self, number: int, quote: str) -> str:
        """Return the text around a quote: in its turn, the two before it and the one after.

        No more than that: a long output next to a quote has a word for every claim.
        """
        said = self._said(number)
        found = max(0, said.find(quote))
        here = said[max(0, found - _NEAR) : found + len(quote) + _NEAR]
        speech = [each for each in self._order if self._turns[each].role in ("user", "assistant")]
        before = [self._said(each)[-_NEAR:] for each in speech if each < number][-2:]
        after = [self._said(each)[:_NEAR] for each in speech if each > number][:1]
        return " . ".join([*before, here, *after])


def fold(text: str) -> str:
    """Return a text on one line with straight quotation marks, the form in which quotes are compared."""
    return " ".join(text.translate(_STRAIGHT).split())


def _stands_in(quote: str, said: str) -> bool:
    """Whether a text contains a quote, from word boundary to word boundary."""
    at = said.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not _joined(said[at - 1 : at], quote[0]) and not _joined(quote[-1], said[end : end + 1]):
            return True
        at = said.find(quote, at + 1)
    return False


def _joined(one: str, other: str) -> bool:
    """Whether two characters belong to one word; never, in scripts without spaces."""
    return bool(one and other) and all(char.isalnum() and char < "\u0e00" for char in (one, other))


def _redacted(said: str, quote: str) -> str:
    """Return a text as the model saw it if the quote contains a masked value."""
    if "[secret:" not in quote and "[private]" not in quote:
        return ""
    return redact(said).text


def _bare(text: str) -> str:
    return text.strip(" .!…").casefold()


def weight(text: str) -> int:
    """Return the length of a text, with a Chinese character counted as three letters."""
    return sum(3 if char >= "\u2e80" else 1 for char in text)
