"""What the commands of a session teach: the form that worked, what was lacking, what a person refused.

The calls and their outcomes prove it, not what the agent says of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.learn.extract import marks, strip
from memolith.learn.extract.facts import Fact, Quotes
from memolith.learn.extract.signals import is_vague, sentence
from memolith.learn.extract.speech import pattern, words
from memolith.text import turns as spoken
from memolith.text import typed
from memolith.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.memory.sessions import Turn

_NEAR = 8  # turns between a failed command and its corrected form
_MAX_COMMAND = 120
_REFUSES = lazy(r"^[JAO,]*F?[NV][^?HhQMXSd]+$")  # "let's not do …"
_MOST_HELPED = 3  # commands that one remedy is said to help
_FAILED = frozenset(["error", "failed", "failure", "fail", "timeout", "denied", "rejected", "cancelled"])
_WRAPPERS = frozenset(["sudo", "time", "env", "command", "exec", "nohup"])
_EXITED, _HEAD = lazy(r"(?i)\n(?:process exited with|exit) code:? (-?\d+)\b"), 600
_AT_PLACE = lazy(r"\S+\.\w+:\d+(?::\d+)?:")  # where a compiler found it
_FED = lazy(r"^(?:echo|printf|cat)\s[^|]*\|\s*(?=\w)")  # what a command reads
_SET = lazy(r"^[A-Z_][A-Z0-9_]*=\S*$")
_TELLS_HOW = lazy(r"[^`?]{12,}: `[^`\s]+ [^`]+`[.!]?$")  # "fetch the tags first: `git fetch --tags`"


def facts(turns: Sequence[Turn]) -> Iterator[Fact]:
    """Yield what the commands of a session teach, with the quotes that prove it."""
    yield from _repairs(turns)
    yield from _remedies(turns)


def refused(turn: Turn, refusal: str) -> list[Fact]:
    """Return what a refusal teaches with a command: the one to run instead, or the one that was refused."""
    letters = marks.read(refusal).letters
    # A colon before a command tells how; what stands before it must be the person's own all the same.
    tells = _TELLS_HOW.match(refusal)
    own = f"{refusal.rpartition(': `')[0]}.\nand so on." if tells else refusal
    if "\n" in refusal or len(refusal) > _MAX_COMMAND or typed.has_paste(own):
        return []
    if tells and not set("?QHTdI") & set(letters):
        said, category, quotes = refusal, "procedures", [(turn.number, refusal)]
        # It may be one step of this work.
        return [Fact(sentence(said), category, quotes=quotes, taint=turn.taint or "user", certain=False)]
    command = spoken.command(turn.tool, turn.text) if refusal and strip.tool_kind(turn) == "shell" else ""
    if not command or len(command) > _MAX_COMMAND or pattern("unfit").search(command):
        return []
    if not _REFUSES.match(letters):
        return []
    quotes = [(turn.number, refusal), (turn.number, f"$ {command}")]
    said = f"`{command}` was refused: {refusal}"
    return [Fact(sentence(said), "principles", quotes=quotes, taint=turn.taint or "tool")]


def _repairs(turns: Sequence[Turn]) -> Iterator[Fact]:
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
    if pattern("silent").match(turn.text.partition("\n")[2]):
        return None  # it may have done nothing
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
    found: dict[str, tuple[list[str], Quotes]] = {}  # by remedy: what it helped against
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
                said, quotes = found.setdefault(remedy, ([], []))
                said += [f"`{command}` gives: {error}"][: _MOST_HELPED - len(said)]
                quotes += [
                    (before.number, error),
                    (last.number, f"$ {remedy}"),
                    (before.number, f"$ {command}"),
                ]
        elif not command or len(command) > _MAX_COMMAND or pattern("unfit").search(command):
            continue
        elif _failed(turn):
            error = _error_of(turn)
            if pattern("lacks").search(error):
                missed[command] = turn, error
                helped = []
        elif missed and _program(command) not in words("looking"):
            helped.append((turn, command))
    for remedy, (against, quotes) in found.items():
        helps = "; ".join([*against, f"`{remedy}` helps"])
        yield Fact(sentence(helps), "incidents", quotes=quotes)


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
