"""Aider: `.aider.chat.history.md` in a project, all its chats in one file; a place in it is `…#<time>`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memolith.agents import reading
from memolith.agents.reading import Transcript, Whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memolith.sessions import Session

FILE = ".aider.chat.history.md"
_BEGIN = "# aider chat started at "
_MAX_LINE = 65_536
_EDITED = "Applied edit to "


class Aider(Whole):
    """`#### ` is what a person typed, `> ` what the program says, all else is the answer."""

    name = "aider"

    def places(self, env: Mapping[str, str], home: str) -> Iterator[str]:  # noqa: D102 - see Whole
        given = [path for name in ("AIDER_CHAT_HISTORY_FILE",) if os.path.isfile(path := env.get(name, ""))]
        here = reading.newest(env["PWD"], FILE) if env.get("PWD") else []
        near = reading.newest(home, FILE, f"[!.]*/{FILE}", f"[!.]*/[!.]*/{FILE}")
        for path in dict.fromkeys([*given, *here, *near]):
            for started in reversed([line for line in _lines(path) if line.startswith(_BEGIN)]):
                yield f"{path}#{_id(started)}"

    def changed(self, path: str) -> int:  # noqa: D102
        return super().changed(path.partition("#")[0])

    def read(self, path: str) -> Iterator[Session]:  # noqa: D102
        file, _, wanted = path.partition("#")
        chat: _Chat | None = None
        for line in _lines(file):
            if line.startswith(_BEGIN):
                if chat and (found := chat.end()):
                    yield found
                is_wanted = not wanted or _id(line) == wanted
                chat = _Chat(self.name, file, line) if is_wanted else None
            elif chat:
                chat.take(line)
        if chat and (found := chat.end()):
            yield found


class _Chat:
    """A chat while its lines are read: those of one speaker are one turn."""

    def __init__(self, agent: str, path: str, begin: str) -> None:
        self._into = Transcript(agent, path)
        self._time = _time(begin)
        self._into.know(id=_id(begin), cwd=os.path.dirname(os.path.abspath(path)), started=self._time)
        self._role, self._size = "", 0
        self._lines: list[str] = []

    def take(self, line: str) -> None:
        if line.startswith("#### "):
            self._go_on("user", line[5:].rstrip())
            if line[5:].startswith("/web "):
                self._into.fetched("web")
        elif line.startswith("> "):
            self._go_on("", "")
            if line[2:].startswith(_EDITED):
                self._into.call("", "edit", {"path": line[2:].removeprefix(_EDITED).strip()})
                self._into.result("", line[2:].strip(), ok=True, time=self._time)
        elif line.strip() or self._role == "assistant":
            self._go_on("assistant", line.rstrip())

    def end(self) -> Session | None:
        self._go_on("", "")
        return self._into.session("") if self._into.turns else None

    def _go_on(self, role: str, line: str) -> None:
        if role != self._role:
            if self._role:
                self._into.say(self._role, "\n".join(self._lines), self._time)
            self._role, self._lines = role, []
            self._size = 0
        self._size += len(line) + 1
        if self._size < 2 * _MAX_LINE:  # a turn keeps less
            self._lines.append(line)


def _lines(path: str) -> Iterator[str]:
    with open(path, "rb") as file:
        while line := file.readline(_MAX_LINE):
            yield line.decode("utf-8", "replace").rstrip("\r\n")


def _id(begin: str) -> str:
    return reading.safe(begin.removeprefix(_BEGIN).strip().replace(" ", "T"))


def _time(begin: str) -> str:
    """Return when a chat began; aider writes the time of the place."""
    from datetime import datetime

    try:
        found = datetime.fromisoformat(begin.removeprefix(_BEGIN).strip())
    except ValueError:
        return ""
    return found.astimezone().isoformat(timespec="seconds")
