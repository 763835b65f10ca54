"""How far it is: a bar at a terminal, nothing in a pipe, and Ctrl-C at the worst moment."""

import io
import os
import pty
import select
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from memolith import Mem
from memolith.care.doctor import examine
from memolith.edges.cli import main, output
from tests.conftest import Clock


class Terminal(io.TextIOWrapper):
    """A terminal; with `interrupts`, somebody presses Ctrl-C when a bar is drawn."""

    interrupts: bool = False

    def write(self, text: str) -> int:
        if self.interrupts and text.startswith("\rmemolith: "):
            self.interrupts = False
            raise KeyboardInterrupt
        return super().write(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Terminal, int]]:
    """Return a terminal to be standard error, and the side on which a person looks at it."""
    seen, end = pty.openpty()
    monkeypatch.setattr(output, "PROGRESS_AFTER", -1.0)  # nobody waits a second for a test
    with Terminal(os.fdopen(end, "wb"), encoding="utf-8", write_through=True) as stream:
        yield stream, seen
    os.close(seen)


def shown(seen: int) -> str:
    """Return what was written to the terminal since; the kernel brings it a moment later, in pieces."""
    found = b""
    while select.select([seen], [], [], 0.1)[0]:
        found += os.read(seen, 1 << 16)
    return found.decode()


@pytest.fixture
def full(mem: Mem, tmp_path: Path) -> Path:
    """Return a directory with something to do for every command that may take long."""
    for number in range(3):
        mem.remember(f"Fact {number} about the gateway.", f"Fact {number}")
        (tmp_path / f"{number}.jsonl").write_text('{"role": "user", "text": "Remember to use pnpm here."}\n')
    vault = tmp_path / "vault"
    vault.mkdir()
    for number in range(3):
        (vault / f"{number}.md").write_text(f"Plan {number}.")
    return tmp_path


LONG = {
    "index sync": ["files"],
    "index rebuild": ["files"],
    "session import": ["sessions"],
    "import": ["texts"],
    "export": ["files"],
    "scan": ["files"],
    "learn run": ["sessions"],
}


def arguments(name: str, full: Path) -> list[str]:
    """Return a command line that has something to do."""
    return {
        "session import": [*(str(full / f"{n}.jsonl") for n in range(3)), "--agent", "generic"],
        "import": [str(full / "vault")],
        "export": [str(full / "memory.tar.gz")],
        "scan": [str(full / "vault")],
        "learn run": ["--force", "--model", "none"],
    }.get(name, [])


@pytest.mark.parametrize("name", LONG)
def test_what_takes_long_says_how_far_it_is_and_can_be_interrupted(
    name: str,
    full: Path,
    work: Path,
    clock: Clock,
    terminal: tuple[Terminal, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream, seen = terminal
    monkeypatch.setattr("sys.stderr", stream)
    if name == "learn run":
        monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
        # The first is looked at alone, so that there is something between the beginning and the end.
        main(["session", "import", "--mine", *arguments("session import", full), "--project", str(work)])
    shown(seen)
    command = [*name.split(), *arguments(name, full), "--project", str(work)]
    stream.interrupts = True
    assert main(command) == 130
    told = shown(seen)
    assert "interrupted; " in told
    assert " again" in told or "continues where it stopped" in told
    assert not list(full.glob("*.tar.gz*")) + list(full.glob(".*.tmp"))
    assert main(command) == 0  # and goes on, with nothing in its way
    drawn = shown(seen)
    assert f" {LONG[name][0]}\x1b[K" in drawn
    assert drawn.rstrip().endswith("\x1b[K") or "\r\x1b[K" in drawn
    assert [each for each in examine(Mem.open(work, now=clock)) if each.kind != "orphan"] == []


def test_a_pipe_gets_no_bar_but_is_told_how_to_go_on(
    full: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "PROGRESS_AFTER", -1.0)
    for name in LONG:
        if name != "learn run":
            assert main([*name.split(), *arguments(name, full), "--project", str(work)]) == 0
            assert "\r" not in "".join(capfd.readouterr())


def test_a_bar_is_drawn_only_after_a_second(
    terminal: tuple[Terminal, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", terminal[0])
    monkeypatch.setattr(output, "PROGRESS_AFTER", 1.0)
    show = output.progress("files")
    assert show
    show(1, 3)
    show(3, 3)
    assert shown(terminal[1]) == ""
    monkeypatch.setattr(output, "PROGRESS_AFTER", 0.0)
    show = output.progress("files")
    assert show
    show(1, 4)
    assert shown(terminal[1]) == "\rmemolith: [#####               ] 1 of 4 files\x1b[K"
    show(4, 4)
    assert shown(terminal[1]) == "\r\x1b[K"


def test_a_bar_says_how_long_the_rest_takes(
    terminal: tuple[Terminal, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", terminal[0])
    monkeypatch.setattr(output, "PROGRESS_AFTER", 0.0)
    monkeypatch.setattr(output, "_drawn", False)  # and again afterwards
    seconds = iter([0.0, 10.0, 10.0, 10.0, 40.0, 40.0, 40.0, 70.0, 70.0, 70.0])
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    show = output.progress("texts")
    assert show
    show(100, 1000)  # these were there before
    shown(terminal[1])
    show(200, 1000)
    assert (
        shown(terminal[1]) == "\rmemolith: [####                ] 200 of 1,000 texts, about 4 min left\x1b[K"
    )
    show(700, 1000)
    assert "700 of 1,000 texts, about 30 s left" in shown(terminal[1])
