"""What the commands of a session teach: a form that worked after another had failed, an error with its cause.

A test that fails, is repaired and passes teaches nothing; neither does a slip in a path. So something is
learned only if the command itself was changed, no file was edited between, and the program is one that builds
or tests.
"""

from __future__ import annotations

from memolith.learn.extract import strip, tool_turns
from memolith.learn.extract.rules import doubt
from memolith.learn.extract.rules.signals import Lesson, sentence
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memolith.memory.sessions import Turn

Quotes = list[tuple[int, str]]
_NEAR = 8  # turns between a failure and what repairs it
_MOST = 120
# Programs that look around, or act on what is there at the moment.
_LOOKERS = """
ls cat cd grep rg find sed awk head tail echo git rm cp mv mkdir touch curl wget which pwd ps kill sleep tree
wc sort chmod chown ssh scp psql sqlite3 jq diff open code vim nano man env export source history date df
du less more gh kubectl docker ping whoami type stat file xargs tee tar unzip rsync
"""
_LOOKING = frozenset(_LOOKERS.split())
_WRAPPERS = frozenset(["sudo", "time", "env", "command", "exec", "nohup"])
_SET = lazy(r"^[A-Z_][A-Z0-9_]*=\S*$")
_UNFIT = lazy(r"[\n]|<<|/tmp/|\$\(|&&.*&&| -c ['\"]|/var/folders|~/\.cache|;\s*\w")
_PATH_SLIP = lazy(
    r"(?i)no such file or directory|cannot access|does not exist|not a git command|did you mean"
    r"|unknown (?:command|option)|syntax error|unexpected token"
)
_ERROR = lazy(
    r"(?i)error|not found|missing|cannot|can't|failed|fatal|no module|not set|denied|refused|undefined"
    r"|unable|required|unsupported|must"
)
_FAILING_TEST = lazy(r"(?i)\bFAIL(?:ED|URES?)?\b|\bassert|✗|✕|--- FAIL|tests? failed|\d+ failing|\d+ failed")
_CAUSE = lazy(
    r"(?i)(?:^|\s)(?P<said>(?:the )?(?:root cause|cause|problem|issue|reason|culprit|error) was\b.+|(?:it "
    r"|the (?:build|test|tests|suite|script|command) )(?:failed|broke) because\b.+)"
)
_CONFIRMS = lazy(
    r"(?i)\b(?:that (?:did|fixed|solved|works?|was) it|works? now|that works|fixed|solved|perfect|great|thx"
    r"|thanks|thank you|nice|awesome)\b"
)


def lessons(turns: Sequence[Turn]) -> Iterator[tuple[Lesson, Quotes]]:
    """Yield what the commands of a session teach, with the quotes that show it."""
    failed: list[tuple[int, str]] = []
    edited = -1
    for at, turn in enumerate(turns):
        kind = tool_turns.kind(turn) if turn.role == "tool" else ""
        edited = at if kind == "edit" else edited
        command = tool_turns.command(turn) if kind == "shell" else ""
        if command and tool_turns.failed(turn):
            failed.append((at, command))
        elif command and tool_turns.failed(turn) is False:
            for where, tried in failed[::-1]:
                if found := _repaired(turns, where, tried, at, command, edited):
                    yield found
                    break
            failed = [each for each in failed if _program(each[1]) != _program(command)]


def _repaired(
    turns: Sequence[Turn], where: int, tried: str, at: int, command: str, edited: int
) -> tuple[Lesson, Quotes] | None:
    if at - where > _NEAR:
        return None
    if tried == command:
        return _explained(turns, where, at)
    return _worked(turns[where], tried, turns[at], command) if where > edited else None


def _worked(before: Turn, tried: str, turn: Turn, command: str) -> tuple[Lesson, Quotes] | None:
    if max(len(tried), len(command)) > _MOST or _UNFIT.search(f"{tried} {command}"):
        return None
    program = _program(tried)
    if program in _LOOKING or _program(command) in _LOOKING or program not in _words(command):
        return None
    if not _same_purpose(tried, command):
        return None
    error = _error_of(before)
    if not error or _PATH_SLIP.search(before.text) or _FAILING_TEST.search(before.text):
        return None
    said = f"use `{command}`; `{tried}` gives: {error}"
    lesson = Lesson(category="procedures", scope="project", statement=sentence(said))
    return lesson, [(turn.number, f"$ {command}"), (before.number, error), (before.number, f"$ {tried}")]


def _explained(turns: Sequence[Turn], where: int, at: int) -> tuple[Lesson, Quotes] | None:
    """Return an error with its cause: the same command failed, then worked, and somebody said why."""
    error = _error_of(turns[where])
    if not error or _FAILING_TEST.search(turns[where].text):
        return None
    told = next((turn for turn in turns[at + 1 : at + 2] if turn.role == "assistant"), None)
    agreed = next((turn for turn in turns[at + 2 : at + 3] if turn.role == "user"), None)
    if told is None or agreed is None or not _CONFIRMS.search(agreed.text):
        return None
    for part in strip.own_words(told).replace("\n", " ").split(". "):
        found = _CAUSE.search(part)
        if found and not doubt.vague(found["said"]) and len(part) < 300:
            said = f"{error}: {found['said']}"
            lesson = Lesson(category="incidents", scope="project", statement=sentence(said))
            return lesson, [(told.number, found["said"]), (turns[where].number, error)]
    return None


def _error_of(turn: Turn) -> str:
    """Return the line of an output that says what went wrong."""
    lines = [line.strip() for line in turn.text.splitlines()[1:]]
    found = [line for line in lines if 8 <= len(line) <= 160 and _ERROR.search(line)]
    return found[0] if found else ""


def _program(command: str) -> str:
    for word in command.split():
        if word not in _WRAPPERS and not _SET.match(word):
            return word.rsplit("/", 1)[-1]
    return ""


def _words(command: str) -> list[str]:
    return [word.rsplit("/", 1)[-1] for word in command.split()]


def _same_purpose(tried: str, command: str) -> bool:
    """Tell whether one command is another form of the other: they share what they work on."""
    one, other = set(_words(tried)), set(_words(command))
    shared = one & other
    if one <= other:
        return True  # something was added: a variable, a wrapper, a flag
    # `npm test` and `npm run test:unit`
    parts = {part for word in other for part in word.replace(":", " ").replace("-", " ").split()}
    return len((one & other) | (one & parts)) >= max(2, len(one) * 0.6) and bool(shared)
