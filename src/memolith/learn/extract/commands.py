"""What the commands of a session teach: a form that worked after another had failed, an error with its cause.

A test that fails, is repaired and passes teaches nothing; neither does a slip in a path. So something is
learned only if the command itself was changed, no file was edited between, and the program is one that builds
or tests.
"""

from __future__ import annotations

from memolith.learn.extract import strip
from memolith.learn.extract.facts import Fact
from memolith.learn.extract.signals import is_vague, sentence
from memolith.learn.extract.speech import pattern, words
from memolith.text import turns as spoken
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.memory.sessions import Turn

_NEAR = 8  # turns between a failure and what repairs it
_MOST = 120
_FAILED = frozenset(["error", "failed", "failure", "fail", "timeout", "denied", "rejected", "cancelled"])
_WRAPPERS = frozenset(["sudo", "time", "env", "command", "exec", "nohup"])
_SET = lazy(r"^[A-Z_][A-Z0-9_]*=\S*$")


def facts(turns: Sequence[Turn]) -> Iterator[Fact]:
    """Yield what the commands of a session teach, with the quotes that show it."""
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
    """Whether a tool failed; None if the turn does not say."""
    outcome = turn.outcome.strip().casefold()
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
    if max(len(tried), len(command)) > _MOST or pattern("unfit").search(f"{tried} {command}"):
        return None
    program = _program(tried)
    if program in words("looking") or _program(command) in words("looking") or program not in _words(command):
        return None
    if not _same_purpose(tried, command):
        return None
    error = _error_of(before)
    if not error or pattern("path-slip").search(before.text) or pattern("failing-test").search(before.text):
        return None
    said = f"use `{command}`; `{tried}` gives: {error}"
    quotes = [(turn.number, f"$ {command}"), (before.number, error), (before.number, f"$ {tried}")]
    return Fact(sentence(said), "procedures", quotes=quotes)


def _explained(turns: Sequence[Turn], where: int, at: int) -> Fact | None:
    """Return an error with its cause: the same command failed, then worked, and somebody said why."""
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
    """Return the line of an output that says what went wrong."""
    lines = [line.strip() for line in turn.text.splitlines()[1:]]
    found = [line for line in lines if 8 <= len(line) <= 160 and pattern("error").search(line)]
    return found[0] if found else ""


def _program(command: str) -> str:
    for word in command.split():
        if word not in _WRAPPERS and not _SET.match(word):
            return word.rsplit("/", 1)[-1]
    return ""


def _words(command: str) -> list[str]:
    return [word.rsplit("/", 1)[-1] for word in command.split()]


def _same_purpose(tried: str, command: str) -> bool:
    """Whether one command is another form of the other: they share what they work on."""
    one, other = set(_words(tried)), set(_words(command))
    shared = one & other
    if one <= other:
        return True  # something was added: a variable, a wrapper, a flag
    # `npm test` and `npm run test:unit`
    parts = {part for word in other for part in word.replace(":", " ").replace("-", " ").split()}
    return len((one & other) | (one & parts)) >= max(2, len(one) * 0.6) and bool(shared)
