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
from memolith.learn.extract import alone, doubt, evidence, marks, signals, strip
from memolith.learn.extract.facts import Fact, Findings, findings, nothing
from memolith.learn.extract.signals import is_vague, sentence
from memolith.learn.extract.speech import pattern, words
from memolith.text import markdown, points, typed
from memolith.text import turns as spoken
from memolith.text.patterns import lazy
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.env.settings import Settings
    from memolith.memory.sessions import Session, Turn

MAX_RECORDS = 50
_MOST, _LONG = 320, 220  # characters of a statement, and of a message that speaks of somebody
_MAX_SENTENCE = 400  # characters; longer text is not a spoken sentence
_TITLE = 80
# How a message that opens a task says what is to be done, and behind that, how.
_HOW = frozenset(["must", "not-that", "forbid-once", "none", "ensure"])
_WISHED = frozenset(["must", "we-should"])  # behind "I think …" it is still a thought
_DRAFTED = frozenset(["must", "we-should", "every"])  # behind any thought it may be part of a draft
_TOLD = frozenset(["is", "value"])
_TALE = 12  # sentences of a message that tells how a thing should become
_MOST_BEFORE = 3  # sentences that one may go on with
_NEAR = 8  # turns between a failed command and its corrected form
_MAX_COMMAND = 120
_FAILED = frozenset(["error", "failed", "failure", "fail", "timeout", "denied", "rejected", "cancelled"])
_WRAPPERS = frozenset(["sudo", "time", "env", "command", "exec", "nohup"])
_EXITED, _HEAD = lazy(r"(?i)\n(?:process exited with|exit) code:? (-?\d+)\b"), 600
_AT_PLACE = lazy(r"\S+\.\w+:\d+(?::\d+)?:")  # where a compiler found it
_FED = lazy(r"^(?:echo|printf|cat)\s[^|]*\|\s*(?=\w)")  # what a command reads
_SET = lazy(r"^[A-Z_][A-Z0-9_]*=\S*$")
_LIST = lazy(r"^(?:[A-Za-z]\)|/[\w-]+:[\w-]+|\$[a-z][\w-]*)\s+")  # `b)` or a command before a sentence
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
            fact = fact.but(scope="project")  # noqa: PLW2901 - the message may be somebody else's
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
    answering = False
    for turn in session.turns:
        refusal = strip.refusal(turn)
        if turn.role != "user" and not refusal:
            answering = answering or turn.role in ("assistant", "tool")
            continue
        said += _of_turn(turn, typed.spoken(refusal or strip.own_words(turn)), answering=answering)
    for fact in said:
        if witness.takes_back(*fact.quotes[0]):
            dropped[evidence.RETRACTED] += 1
        else:
            yield fact
    for fact in (*_facts_of_commands(session.turns), *_remedies(session.turns)):
        verdict = witness.check(fact.quotes)
        if verdict.holds:
            yield fact.but(quotes=verdict.quotes, taint=verdict.taint)
        else:
            dropped[verdict.reason] += 1


def _of_turn(turn: Turn, lines: Sequence[str], *, answering: bool) -> list[Fact]:
    """Return what a turn teaches."""
    found: list[Fact] = []
    if _is_nobodys(" ".join(lines)) or (lines and _LATER_ITEM.match(lines[0])):
        return []
    sentences = list(_sentences([line for line in lines if not _is_nobodys(line)]))
    pasted, wonders = typed.has_paste(turn.text), any(points.kind(each.text) == "asks" for each in sentences)
    for at, each in enumerate(sentences):
        if doubt.retracts(each.masked):
            found = []
            continue
        if doubt.calls_off(each.masked):
            continue
        asked = each.rule or any(signals.points_back(after.masked) for after in sentences[at + 1 : at + 2])
        judged = signals.judge(
            each.text, each.masked, rule=asked, answering=answering, refused=turn.role == "tool"
        )
        if not judged or judged.points < signals.POSSIBLE or len(judged.statement) > _MOST:
            continue
        before = sentences[:at][-1:]
        if pasted and set(judged.ways) <= _TOLD:
            continue  # it tells what is in the paste
        fact = signals.fact(judged).but(quotes=[(turn.number, each.text)], taint=turn.taint or "user")
        if not fact.asked and (
            any(alone.is_imagined(one.masked) for one in before)
            or (set(judged.ways) <= _WISHED and any(alone.is_thought(one.masked) for one in before))
            or (set(judged.ways) <= _DRAFTED and any(alone.is_thought(one.masked) for one in sentences[:at]))
            or (set(judged.ways) <= _TOLD | {"we-use"} and alone.is_like(fact.text))
            or (judged.points <= signals.CERTAIN and len(sentences) > _TALE)
            or alone.chooses(fact.text)
            or alone.is_unneeded(fact.text)
            or (not answering and set(judged.ways) <= (_HOW if at else {"must"}))
            or len(_TRAILS.findall(fact.text)) > 1
        ):
            fact = fact.but(certain=False)
        if wonders:  # whether it is right: that makes no rule
            fact = fact.but(certain=False, asked=False)
        if alone.leans(fact.text):
            fact = _with_context(fact, sentences[:at], turn.number)
        found.append(fact)
    return found


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
        listed = bool(typed.BULLET.match(line))
        if header and not listed:
            header = ""
        if header == "?":
            continue  # the choices that it asks about
        for said in _split(_LIST.sub("", typed.BULLET.sub("", line).strip())):
            if said and len(said) <= _MAX_SENTENCE:
                yield _Sentence(text=said, masked=_mask(said), rule=header == "rule" and listed)
        if line.rstrip().endswith((":", "：")):
            header = "rule" if typed.is_rules(line.strip()) else ""
        elif line.rstrip().endswith(("?", "？")) and not listed:
            header = "?"


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


# ---------------------------------------------------------------- commands


def _facts_of_commands(turns: Sequence[Turn]) -> Iterator[Fact]:
    """Yield what the commands of a session teach, with the quotes that prove it.

    A test that fails, is fixed and passes teaches nothing; neither does a typo in a path. So a fact counts
    only if the command itself changed, no file was edited in between, and the program builds or tests.
    """
    failed: list[tuple[int, str]] = []
    edited = -1
    for at, turn in enumerate(turns):
        kind = strip.tool_kind(turn) if turn.role == "tool" else ""
        edited = at if kind == "edit" else edited
        command = spoken.command(turn.tool, turn.text) if kind == "shell" else ""
        if command and _failed(turn):
            failed.append((at, command))
        elif command and _failed(turn) is False:
            for where, tried in failed[::-1]:
                if found := _repaired(turns, where, tried, at, command, edited):
                    yield found
                    break
            failed = [each for each in failed if _program(each[1]) != _program(command)]


def _failed(turn: Turn) -> bool | None:
    """Whether a tool call failed; None if the turn does not say."""
    outcome = turn.outcome.strip().casefold()
    if exited := _EXITED.search(turn.text[:_HEAD]):  # copies of sessions tell it only there
        return int(exited[1]) != 0
    if not outcome:
        return None
    code = outcome.removeprefix("exit").lstrip(" :code")
    return outcome in _FAILED or (code.lstrip("-").isdigit() and int(code) != 0)


def _repaired(
    turns: Sequence[Turn], where: int, tried: str, at: int, command: str, edited: int
) -> Fact | None:
    if at - where > _NEAR:
        return None
    if tried == command:
        return _explained(turns, where, at)
    return _worked(turns[where], tried, turns[at], command) if where > edited else None


def _worked(before: Turn, tried: str, turn: Turn, command: str) -> Fact | None:
    if max(len(tried), len(command)) > _MAX_COMMAND or pattern("unfit").search(f"{tried} {command}"):
        return None
    program = _program(tried)
    if program in words("looking") or _program(command) in words("looking") or program not in _words(command):
        return None
    if not _same_purpose(tried, command):
        return None
    error = _error_of(before)
    if not error or pattern("path-slip").search(before.text) or pattern("failing-test").search(before.text):
        return None
    if any(f"'{word}'" in error for word in tried.split()) or _AT_PLACE.match(error):
        return None  # the state of a thing that is named or of the code, not the form of the command
    said = f"use `{command}`; `{tried}` gives: {error}"
    quotes = [(turn.number, f"$ {command}"), (before.number, error), (before.number, f"$ {tried}")]
    return Fact(sentence(said), "procedures", quotes=quotes)


def _remedies(turns: Sequence[Turn]) -> Iterator[Fact]:
    """Yield what was missing for a command: it failed, one other command ran, and the same one no longer did.

    What a person or an edit changed in between, or several commands, may have been the reason as well.
    """
    missed: dict[str, tuple[Turn, str]] = {}
    helped: list[tuple[Turn, str]] = []
    for turn in turns:
        kind = strip.tool_kind(turn) if turn.role == "tool" else turn.role
        command = spoken.command(turn.tool, turn.text) if kind == "shell" else ""
        if kind in ("edit", "user"):
            missed, helped = {}, []
        elif command in missed:
            (before, error), (last, remedy) = (
                missed.pop(command),
                helped[0] if len(helped) == 1 else (turn, ""),
            )
            # Whether it then fails for another reason does not matter.
            if remedy and before.number < last.number and not pattern("lacks").search(turn.text):
                said = f"`{command}` gives: {error}; `{remedy}` helps"
                quotes = [
                    (before.number, error),
                    (last.number, f"$ {remedy}"),
                    (before.number, f"$ {command}"),
                ]
                yield Fact(sentence(said), "incidents", quotes=quotes)
        elif not command or len(command) > _MAX_COMMAND or pattern("unfit").search(command):
            continue
        elif _failed(turn):
            error = _error_of(turn)
            if pattern("lacks").search(error):
                missed[command] = turn, error
                helped = []
        elif missed and _program(command) not in words("looking"):
            helped.append((turn, command))


def _explained(turns: Sequence[Turn], where: int, at: int) -> Fact | None:
    """Return an error with its cause: a command failed, then worked, and somebody said why."""
    error = _error_of(turns[where])
    if not error or pattern("failing-test").search(turns[where].text):
        return None
    answer = next((turn for turn in turns[at + 1 : at + 2] if turn.role == "assistant"), None)
    agreed = next((turn for turn in turns[at + 2 : at + 3] if turn.role == "user"), None)
    if answer is None or agreed is None or not pattern("confirms").search(agreed.text):
        return None
    for part in strip.own_words(answer).replace("\n", " ").split(". "):
        found = pattern("told-cause").search(part)
        if found and not is_vague(found["said"]) and len(part) < 300:
            said = f"{error}: {found['said']}"
            quotes = [(answer.number, found["said"]), (turns[where].number, error)]
            return Fact(sentence(said), "incidents", quotes=quotes)
    return None


def _error_of(turn: Turn) -> str:
    """Return the line of the output that states the error."""
    lines = [line.strip() for line in turn.text.splitlines()[1:]]
    found = [
        line for line in lines if 8 <= len(line) <= 160 and line[0] != "<" and pattern("error").search(line)
    ]
    return found[0] if found else ""


def _program(command: str) -> str:
    for word in _FED.sub("", command).split():
        if word not in _WRAPPERS and not _SET.match(word):
            return word.rsplit("/", 1)[-1]
    return ""


def _words(command: str) -> list[str]:
    return [word.rsplit("/", 1)[-1] for word in command.split()]


def _same_purpose(tried: str, command: str) -> bool:
    """Whether two commands are forms of each other: they share what they work on."""
    one, other = set(_words(tried)), set(_words(command))
    shared = one & other
    if one <= other:
        return True  # something was added: a variable, a wrapper, a flag
    # `npm test` and `npm run test:unit`
    parts = {part for word in other for part in word.replace(":", " ").replace("-", " ").split()}
    return len((one & other) | (one & parts)) >= max(2, len(one) * 0.6) and bool(shared)
