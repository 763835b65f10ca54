"""Learning without a model: only what a session states outright.

It learns from explicit signals only: "remember that …", "from now on …", corrections, stated preferences and
decisions, commands that worked after another form had failed. When in doubt it learns nothing: a missed fact
can be repeated, a false one has to be found first.

A sentence counts as a person's own unless it is code, a quotation, a log, or text to be written. A line above
may say what a sentence is: "remember these:" turns the list below into rules.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memolith.base.values import Value
from memolith.learn.extract import alone, commands, doubt, evidence, marks, signals, strip
from memolith.learn.extract.facts import Fact, Findings, findings, nothing
from memolith.learn.extract.signals import sentence
from memolith.text import markdown, points, typed
from memolith.text.patterns import lazy
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from memolith.env.settings import Settings
    from memolith.memory.sessions import Session, Turn

MAX_RECORDS = 50
_MOST, _LONG = 320, 220  # characters of a statement, and of a message that speaks of somebody
_MAX_SENTENCE = 400  # characters; longer text is not a spoken sentence
_TITLE = 80
_SHORT_HEADER = 3  # words that announce a list without a colon
_WISHED = frozenset(["must", "we-should"])  # behind "I think …" it is still a thought
_DRAFTED = frozenset(["must", "we-should", "every"])  # behind any thought it may be part of a draft
_MUST, _SHOULD = frozenset(["must"]), frozenset(["must", "correct", "not-that", "rather"])
_TOLD = frozenset(["is", "value"])
_TALE = 12  # sentences of a message that tells how a thing should become
_MOST_CUT = 2 / 3  # of what is left
_MOST_BEFORE = 3  # sentences that one may go on with
# `b)`, "PS:" or a command before a sentence
_LIST = lazy(r"^(?:[A-Za-z]\)|/[\w-]+:[\w-]+|\$[a-z][\w-]*|[Pp]\.?\s?[SsDd]\.?\s*[:：])\s+")
# One of the choices that a question lists: `A) …`, `(2) …`, `option B: …`
_CHOICE = lazy(
    r"(?i)^\s*(?:[-*+•]\s+)?(?:\(?[a-h1-9][).]|(?:option|variante?|opción|opção) [a-h1-9]\b)[:.)]?\s"
)
_TRAILS = lazy(r"\w ?\.\.+ ?\w")  # "it got merged..which was"
_LATER_ITEM = lazy(r"^\s*[2-9][.)]\s")  # copied out of somebody's list
_SPLIT = lazy(r"(?<=[.!?…])\s+(?=[^\s])|(?<=[。！？])(?=.)")
_ABBREVIATED = lazy(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|etc|approx|ca|cf|no|nr|fig|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Ss]ra?|Inc|Ltd|Co|bzw|z\.\s?B|d\.\s?h|usw"
    r"|p\. ?ej|[A-Z])\.$"
)
_LISTS = lazy(r"(?:etc|usw)\.$")  # ends a sentence as well
_QUOTED = lazy(
    r"\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|„[^“”\n]{2,300}[“”]|«[^»\n]{2,300}»|「[^」\n]{2,300}」|`[^`\n]{1,300}`"
)


class _Sentence(Value):
    """A sentence as written. `masked` hides its quotations; `rule` is set if a line above makes it a rule."""

    masked: str
    rule: bool
    text: str


def extract(session: Session, settings: Settings | None = None) -> Findings:
    """Return what a session states outright; most sessions teach nothing."""
    witness = evidence.Witness(session)
    dropped: Counter[str] = Counter()
    kept: list[Fact] = []
    for fact in _facts(session, witness, dropped):
        if fact.scope == "user" and not witness.speaks_for_all(fact.quotes):
            mine = not fact.asked and alone.is_of_me(fact.text)
            # The message may be somebody else's; what is one person's own is nothing for a project.
            fact = fact.but(scope="project", certain=fact.certain and not mine)  # noqa: PLW2901
        if settings is not None and not settings.flag(f"memories.{fact.scope}"):
            dropped[f"memories.{fact.scope} is off"] += 1
        elif len(kept) < MAX_RECORDS:
            # Repeated, or with another value: the last statement counts.
            kept = [
                each
                for each in kept
                if not likeness.same(each.text, fact.text)
                and not likeness.contradicts(each.text, fact.text)
                and not fact.text.startswith(each.text.rstrip("."))
            ]
            kept.append(fact.but(title=_title(fact.text)))
    if not kept:
        return nothing("nothing in it was said to be remembered", dropped)
    return findings(kept, [], dropped, "")


def _title(text: str) -> str:
    """Return the beginning of a statement, cut between words: half a number would be another one."""
    short = markdown.first_line(text, _TITLE).rstrip(".。")
    return f"{short.rpartition(' ')[0]}…" if short.endswith("…") and " " in short else short


def _facts(session: Session, witness: evidence.Witness, dropped: Counter[str]) -> Iterator[Fact]:
    said: list[Fact] = []
    answering, heard = False, set[str]()
    for turn in session.turns:
        refusal = strip.refusal(turn)
        if turn.role != "user" and not refusal:
            answering = answering or turn.role in ("assistant", "tool")
            continue
        lines = typed.spoken(refusal or strip.own_words(turn))
        found = _of_turn(turn, lines, heard, answering=answering)
        heard.add(_message(lines))
        said += found or commands.refused(turn, refusal)
    for fact in said:
        if witness.takes_back(*fact.quotes[0]):
            dropped[evidence.RETRACTED] += 1
        else:
            yield fact
    for fact in commands.facts(session.turns):
        verdict = witness.check(fact.quotes)
        if verdict.holds:
            yield fact.but(quotes=verdict.quotes, taint=verdict.taint)
        else:
            dropped[verdict.reason] += 1


def _of_turn(turn: Turn, lines: Sequence[str], heard: Collection[str], *, answering: bool) -> list[Fact]:
    """Return what a turn teaches; `heard` are the messages before it."""
    found: list[Fact] = []
    if _is_nobodys(" ".join(lines)) or (lines and _LATER_ITEM.match(lines[0])):
        return []
    sentences = list(_sentences([line for line in lines if not _is_nobodys(line)]))
    pasted = typed.has_paste(turn.text)
    wonders = any(
        points.kind(each.text) == "asks" and each.text[-1] not in ":：" for each in sentences
    )  # a colon asks about what follows
    for at, each in enumerate(sentences):
        if doubt.retracts(each.masked):
            found = []
            continue
        after = "".join(one.masked for one in sentences[at + 1 : at + 2])
        if doubt.calls_off(each.masked) or alone.is_fault(each.masked, after):
            continue
        asked = each.rule or signals.points_back(after)
        judged = signals.judge(
            each.text, each.masked, rule=asked, answering=answering, refused=turn.role == "tool"
        )
        if len(sentences) == 1 and answering and turn.role == "user":
            judged = _informing(each, judged, again=_message(lines) in heard)
        if not judged or judged.points < signals.POSSIBLE or len(judged.statement) > _MOST:
            continue
        before = sentences[:at][-1:]
        if (pasted and set(judged.ways) <= _TOLD) or (
            "keep" not in judged.ways and any(alone.is_imagined(one.masked) for one in [*before, each])
        ):
            continue  # it tells what is in the paste, or in a world that is imagined
        fact = signals.fact(judged).but(quotes=[(turn.number, each.text)], taint=turn.taint or "user")
        fact = fact.but(asked=fact.asked and not _is_aside(each, before))
        if not fact.asked and (
            any(alone.is_imagined(one.masked) for one in sentences[:at])
            or (set(judged.ways) <= _WISHED and any(alone.is_thought(one.masked) for one in before))
            or (set(judged.ways) <= _DRAFTED and any(alone.is_thought(one.masked) for one in sentences[:at]))
            or (set(judged.ways) <= _TOLD | {"we-use"} and alone.is_like(fact.text))
            or (judged.points <= signals.CERTAIN and len(sentences) > _TALE)
            or (judged.ways == ["we-do"] and alone.is_wanted(fact.text))
            or ("mended" in judged.ways and alone.points_at(fact.text))
            or alone.chooses(fact.text)
            or alone.is_unneeded(fact.text)
            or alone.is_for_one(fact.text)
            or (
                not answering
                and (set(judged.ways) <= alone.HOW if at else _opens_task(fact.text, set(judged.ways)))
            )
            or len(_TRAILS.findall(fact.text)) > 1
        ):
            fact = fact.but(certain=False)
        # Whoever wonders whether it is right makes no rule.
        fact = _standing(fact.but(certain=fact.certain and not wonders, asked=fact.asked and not wonders))
        if alone.leans(fact.text) or ("mended" in judged.ways and turn.role == "user"):
            fact = _with_context(fact, sentences[:at], turn.number)
        found.append(fact)
    return found


def _opens_task(text: str, ways: set[str]) -> bool:
    """Whether a message that begins so may describe what is to be built: "the page should …, not …"."""
    return "must" in ways and ways <= (_MUST if alone.is_strict(text) else _SHOULD)


def _informing(said: _Sentence, judged: signals.Judged | None, *, again: bool) -> signals.Judged | None:
    """Return how a message is judged that says nothing but how something is.

    Whoever says it twice, or tells what something does by its nature, wants it to be known.
    """
    told = judged is not None and judged.points >= 0 and set(judged.ways) <= _TOLD
    if (again and told) or signals.tells(said.masked):
        return signals.Judged(points=signals.CERTAIN, statement=sentence(said.text), ways=["is"])
    return judged


def _message(lines: Sequence[str]) -> str:
    return " ".join(lines).casefold()


def _is_aside(said: _Sentence, before: Sequence[_Sentence]) -> bool:
    """Whether a sentence in brackets is a remark on a question: "… now? (note that …)"."""
    return said.text[0] in "(（" and any(one.text.endswith(("?", "？")) for one in before)


def _standing(fact: Fact) -> Fact:
    """Return a fact without what it does not name; a candidate if the rest says too much or too little."""
    text = alone.without_tail(fact.text)
    if text != fact.text and not fact.asked:
        order = marks.read(text).letters[:1] == "Y"  # "you should run … that will …"
        mainly = len(fact.text) - len(text) > _MOST_CUT * len(text)  # what it was about is not named
        certain = fact.certain and not (order or mainly or alone.is_needless(text))
        fact = fact.but(text=text, certain=certain)
    return fact.but(certain=False) if alone.is_of_agent(fact.text) else fact


def _with_context(fact: Fact, before: Sequence[_Sentence], turn: int) -> Fact:
    """Return a fact that cannot be understood alone, behind the sentences that it goes on with.

    Where there are none, or only a request, it is a candidate, unless somebody asked to have it remembered.
    """
    if not fact.asked and (clause := alone.own_clause(fact.text)):
        return fact.but(text=clause)
    context, quotes = "", list(fact.quotes)
    for each in before[: -_MOST_BEFORE - 1 : -1]:
        said = sentence(each.text)
        context = f"{said} {context}".rstrip()
        quotes.append((turn, each.text))
        if len(context) + len(fact.text) >= _MOST:
            break
        if context.count('"') % 2 == 0 and not alone.leans(said):
            lasts = fact.certain and not alone.is_task(context) and not alone.passes(context)
            return fact.but(text=f"{context} {fact.text}", quotes=quotes, certain=fact.asked or lasts)
    return fact.but(certain=fact.asked)


def _is_nobodys(text: str) -> bool:
    """Whether a long text speaks neither of a person nor to one: then it is hardly typed."""
    return len(text) >= _LONG and not set("IWYAK") & set(marks.read(_mask(text)).letters)


def _sentences(lines: Sequence[str]) -> Iterator[_Sentence]:
    """Yield the sentences of lines that are a person's own words."""
    header = ""  # `rule` within the list below a line that ends in a colon, `?` below a question
    for line in lines:
        listed = bool(typed.BULLET.match(line) or (header == "?" and _CHOICE.match(line)))
        if header and not listed:
            header = ""
        if header == "?":
            continue  # the choices that it asks about
        asked = False
        for part in _split(_LIST.sub("", typed.BULLET.sub("", line).strip())):
            if asked and _CHOICE.match(part):
                break  # the choices stand in the same line
            asked, said = part.endswith(("?", "？")), str(_LIST.sub("", part))
            if said and len(said) <= _MAX_SENTENCE:
                yield _Sentence(
                    text=said, masked=_mask(said), rule=header == "rule" and listed and not alone.passes(said)
                )
        if line.rstrip().endswith(("?", "？")):
            header = header if listed else "?"
        elif line.rstrip().endswith((":", "：")) or len(line.split()) <= _SHORT_HEADER:
            header = "rule" if typed.is_rules(line.strip()) else header if listed else ""
            header = header or ("?" if doubt.is_inverted(line.strip()) else "")


def _split(line: str) -> list[str]:
    """Split a line into sentences; the dot of an abbreviation ends none."""
    found: list[str] = []
    for part in _SPLIT.split(line):
        if found and _ABBREVIATED.search(found[-1]) and not (_LISTS.search(found[-1]) and part[0].isupper()):
            found[-1] += f" {part.strip()}"
        else:
            found.append(part.strip())
    return found


def _mask(text: str) -> str:
    """Blank out quotations; every character keeps its position."""
    return str(_QUOTED.sub(lambda found: found[0][0] + "·" * (len(found[0]) - 2) + found[0][-1], text))
