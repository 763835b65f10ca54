"""Aider: `.aider.chat.history.md` in a project, all its chats in one file; a place in it is `…#<time>`.

The file lies in the project, where a clone may have brought it: it is looked for only in the home directory
and where a variable says, and any other has to be named. What was answered is in it word for word, so an
answer can look like a prompt; what aider noted of the keyboard (`.aider.input.history`) cannot.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

from memolith.env.settings import open_regular
from memolith.hosts.sessions.files import Agent, newest
from memolith.hosts.sessions.transcript import Transcript, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memolith.memory.sessions import Session

FILE = ".aider.chat.history.md"
_BEGIN = "# aider chat started at "
_TYPED = ".aider.input.history"
_MAX_LINE = 65_536
_MAX_TYPED = 16 * 1_048_576
_BREAK = "  "  # behind each line that aider itself wrote
_EDITED = "Applied edit to "
_LEAST_ECHO = 60  # characters; a shorter line may be a person's own


class Aider(Agent):
    """`#### ` is what a person typed unless it is in an answer, `> ` what the program says."""

    name = "aider"

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:  # noqa: D102 - see Agent
        named = env.get("AIDER_CHAT_HISTORY_FILE", "")
        for path in dict.fromkeys([*([named] if os.path.isfile(named) else []), *newest(home, FILE)]):
            for started in reversed([line for line in _lines(path) if line.startswith(_BEGIN)]):
                yield f"{path}#{_id(started)}"

    def changed(self, path: str) -> int:  # noqa: D102
        return super().changed(path.partition("#")[0])

    def read(self, path: str) -> Iterator[Session]:  # noqa: D102
        file, _, wanted = path.partition("#")
        chat: _Chat | None = None
        typed = _typed(os.path.join(os.path.dirname(file), _TYPED))
        for line in _lines(file):
            if line.startswith(_BEGIN):
                if chat and (found := chat.end()):
                    yield found
                is_wanted = not wanted or _id(line) == wanted
                chat = _Chat(self.name, file, line, typed) if is_wanted else None
            elif chat:
                chat.take(line)
        if chat and (found := chat.end()):
            yield found


# Its commands that bring nothing but the repository's files.
_STAYING = (
    " /add /drop /ask /code /architect /context /ok /commit /undo /diff /ls /lint"
    " /clear /reset /model /models /settings /tokens /map /help /exit /quit /multiline "
)


class _Chat:
    """A chat while its lines are read: those of one speaker are one turn."""

    def __init__(self, agent: str, path: str, begin: str, typed: set[str] | None) -> None:
        self._into = Transcript(agent, path)
        self._time = _time(begin)
        self._into.know(id=_id(begin), cwd=os.path.dirname(os.path.realpath(path)), started=self._time)
        self._typed = typed
        self._role, self._size = "", 0
        self._blank = True  # whether the line before was empty
        self._lines: list[str] = []
        self._answer: set[str] = set()  # the lines of the last answer

    def take(self, line: str) -> None:
        blank, self._blank = self._blank, not line
        if line.startswith("#### ") and self._is_typed(line, after_blank=blank):
            self._go_on("user", line[5:].rstrip())
            self._run(line[5:].strip())
        elif line.startswith("> ") and line.endswith(_BREAK):
            self._go_on("", "")
            if line[2:].startswith(_EDITED):
                self._into.call("", "edit", {"path": line[2:].removeprefix(_EDITED).strip()})
                self._into.result("", line[2:].strip(), ok=True, time=self._time)
        elif line.strip() or self._role == "assistant":
            self._go_on("assistant", line.rstrip())

    def _run(self, line: str) -> None:
        """Heed what a command of aider's brings."""
        name, _, rest = line.partition(" ")
        if line.startswith("!") or name in ("/run", "/test", "/git"):
            self._into.fetched("bash", f"$ {line[1:] if line[0] == '!' or name == '/git' else rest}")
        elif line.startswith("/") and name[1:].isalpha() and f" {name} " not in _STAYING:
            self._into.fetched("web" if name == "/web" else "aider")

    def _is_typed(self, line: str, *, after_blank: bool) -> bool:
        """Whether a line is a prompt's: aider ends it with two blanks, and begins none in an answer.

        In doubt it is not: a heading of an answer that is a prompt's to the letter would speak for the user.
        """
        begins = after_blank and self._role == ""
        known = self._typed is None or line[5:].strip() in self._typed
        return line.endswith(_BREAK) and known and (begins or self._role == "user")

    def _is_echo(self) -> bool:
        """Whether aider passes an answer on as a prompt, as it does with the plan of an architect."""
        said = [line.strip() for line in self._lines if line.strip()]
        long = sum(map(len, said)) >= _LEAST_ECHO
        return self._role == "user" and long and self._answer.issuperset(said)

    def end(self) -> Session | None:
        self._go_on("", "")
        return self._into.session("") if self._into.turns else None

    def _go_on(self, role: str, line: str) -> None:
        if role != self._role:
            if self._role and not self._is_echo():
                self._into.say(self._role, "\n".join(self._lines), self._time)
            if self._role == "assistant":
                self._answer = {line.strip() for line in self._lines}
            self._role, self._lines = role, []
            self._size = 0
        self._size += len(line) + 1
        if self._size < 2 * _MAX_LINE:  # a turn keeps less
            self._lines.append(line)


def _lines(path: str) -> Iterator[str]:
    with open(path, "rb", opener=open_regular) as file:
        while line := file.readline(_MAX_LINE):
            yield line.decode("utf-8", "replace").rstrip("\r\n")


def _typed(path: str) -> set[str] | None:
    """Return the lines that were typed, as far as aider noted them; None if it did not."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            noted = file.read(_MAX_TYPED).decode("utf-8", "replace")
    except OSError:
        return None
    return {line[1:].strip() for line in noted.split("\n") if line.startswith("+")}


def _id(begin: str) -> str:
    return safe(begin.removeprefix(_BEGIN).strip().replace(" ", "T"))


def _time(begin: str) -> str:
    """Return when a chat began; aider writes the time of the place."""
    try:
        found = datetime.fromisoformat(begin.removeprefix(_BEGIN).strip())
    except ValueError:
        return ""
    return found.astimezone().isoformat(timespec="seconds")
