"""Starting the app: what it needs, its keys, and a run in a real terminal."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.binding import Binding

from memolith import InputError, Mem
from memolith.edges.cli import main
from memolith.edges.tui import keys
from memolith.edges.tui.app import Memolith
from memolith.edges.tui.search import Newest
from tests.shared import ROOT


def test_without_textual_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    assert main(["tui"]) == 12
    assert "`pip install '.[tui]'`, as you installed it" in capfd.readouterr().err


def key_table() -> str:
    """Return the keys as Markdown, as they stand in docs/tui.md."""
    lines = []
    for name, group in {**keys.GROUPS, "In the editor": keys.IN_EDITOR}.items():
        lines += [f"**{name}**", "", "| key | |", "|---|---|"]
        lines += [f"| `{key.written}` | {key.help} |" for key in group if key.help]
        lines.append("")
    return "\n".join(lines)


@pytest.mark.parametrize(("arguments", "told"), [([], "needs a terminal"), (["--json"], "has no --json")])
def test_in_a_pipe_or_for_json_the_command_says_what_to_use_instead(
    arguments: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["tui", *arguments]) == 2
    assert told in capfd.readouterr().err


def test_only_the_command_imports_textual() -> None:
    load = "from memolith.edges.cli.app import load_commands; load_commands()"
    code = f"{load}; import sys; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_documented_keys_are_those_of_the_program() -> None:
    assert key_table() in (ROOT / "docs" / "tui.md").read_text(encoding="utf-8"), "copy key_table() there"
    table = [key for group in keys.GROUPS.values() for key in group]
    bound = {each.key for each in Memolith.BINDINGS if isinstance(each, Binding)} - {"down"}
    assert bound == {key.key for key in table if key.action}
    assert len({key.key for key in table}) == len(table)
    for key in table:
        name = key.action.partition("(")[0]
        assert not name or name == "quit" or hasattr(Memolith, f"action_{name}"), key


def test_of_what_is_asked_while_something_is_done_only_the_newest_is_done() -> None:
    done: list[tuple[int, object]] = []
    worked: list[int] = []

    def work(number: int) -> int:
        worked.append(number)
        if number == 3:
            raise InputError("three is not allowed")
        return number * 10

    async def run() -> None:
        tasks: list[asyncio.Task[None]] = []
        newest: Newest[int, int] = Newest(
            lambda coroutine: tasks.append(asyncio.ensure_future(coroutine)),
            work,
            lambda asked, answer, problem: done.append((asked, problem or answer)),
        )
        for number in range(3):
            newest.ask(number)
        await tasks[0]
        newest.ask(3)
        await tasks[1]

    asyncio.run(run())
    assert worked == [2, 3]
    assert done[0] == (2, 20)
    assert str(done[1][1]) == "three is not allowed"


# ---------------------------------------------------------------- a real terminal


class Tmux:
    """A terminal of 80 by 24 in which a command runs."""

    def __init__(self, socket: Path, command: str, environment: dict[str, str]) -> None:
        self._base = ["tmux", "-S", str(socket), "-f", os.devnull]
        self._environment = environment
        self._do("new-session", "-d", "-x", "80", "-y", "24", command)

    def _do(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._base, *arguments], env=self._environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def keys(self, *keys: str) -> None:
        self._do("send-keys", *keys)

    def screen(self) -> str:
        return self._do("capture-pane", "-p")

    def until(self, condition: Callable[[str], bool], what: str) -> str:
        end = time.monotonic() + 40
        while time.monotonic() < end:
            shown = self.screen()
            if condition(shown):
                return shown
            time.sleep(0.1)  # another program draws; asking it all the time would slow it down
        raise AssertionError(f"{what} did not happen; the screen shows\n{self.screen()}")

    def close(self) -> None:
        subprocess.run([*self._base, "kill-server"], env=self._environment, capture_output=True, check=False)


@pytest.fixture
def terminal(person: Mem, tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed; this test drives the app in a real terminal")
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\nsed -i "s/5433/5499/" "$1"\n')
    script.chmod(0o755)
    directory = Path("/tmp") / f"memolith-tmux-{os.getpid()}"  # a socket's path is limited to some 100 bytes
    directory.mkdir(mode=0o700, exist_ok=True)
    command = f"{sys.executable} -m memolith tui --project {person.identity.root}; echo code $?; cat"
    environment = {**os.environ, "TERM": "xterm-256color", "EDITOR": str(script), "LC_ALL": "C.UTF-8"}
    started = Tmux(directory / "socket", command, environment)
    yield started
    started.close()
    shutil.rmtree(directory)


def test_in_a_real_terminal_of_80_by_24_one_can_find_edit_undo_and_leave(terminal: Tmux, store: Path) -> None:
    path = store / "notes" / "database.md"
    (store / "notes" / "evil.md").write_text("\x1b[2J\x1b]0;pwned\x07 evil", encoding="utf-8")
    shown = terminal.until(
        lambda screen: "Running the tests" in screen and "h History" in screen and "q Quit" in screen,
        "the first screen",
    )
    lines = shown.splitlines()
    assert lines[0].startswith(" memolith")
    assert "Search everything" in lines[0]
    assert any("▼ All projects" in line for line in lines)
    footer = "/ Search h History n New e Edit d Delete u Undo ? Help q Quit"
    assert " ".join(lines[23].split()) == footer
    terminal.keys("/", "port")
    terminal.until(lambda screen: "because: words: port" in screen, "the hit")
    terminal.keys("Down")
    terminal.until(lambda screen: "h History" in screen, "the list")
    terminal.keys("Enter")
    shown = terminal.until(lambda screen: "found     words: port" in screen, "the text")
    assert "╭" in shown
    terminal.keys("Escape")
    terminal.until(lambda screen: "because: words" in screen, "the list again")
    terminal.keys("Escape")
    terminal.until(lambda screen: "Notes (3)" in screen, "the shelf again")
    terminal.keys("Enter", "E")
    terminal.until(lambda screen: "Saved Database" in screen, "the edit in $EDITOR")
    assert "5499" in path.read_text(encoding="utf-8")
    terminal.keys("u")
    terminal.until(lambda screen: "Undone" in screen, "the undo")
    assert "5433" in path.read_text(encoding="utf-8")
    terminal.keys("Down", "Enter")
    terminal.until(lambda screen: "␛[2J␛]0;pwned␇ evil" in screen, "the escapes as signs")
    terminal.keys("q")
    terminal.until(lambda screen: "code 0" in screen, "the end")
