"""An answer that is not whole says so: every read that fails is named; nothing that fails is silent."""

import errno
import json
import os
import random
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from prove.attack import reads
from prove.report import Tally

from memolith import Mem
from memolith.base.whole import NOT_WHOLE, Watch
from memolith.edges.cli import main
from tests.shared import LONG


def test_calls_that_fail_are_never_silent() -> None:
    rounds, tally = 190 if LONG else 40, Tally()
    list(reads.run(rounds, random.Random(16), tally))
    assert (tally.violations, tally.rounds) == ([], rounds)


@pytest.mark.parametrize("broken", reads.BROKEN)
def test_a_version_that_is_silent_is_caught(broken: AbstractContextManager[object]) -> None:
    tally = Tally()
    with broken:
        reads.every(tally, ["library list", "library block"], cold=(False,))
    assert tally.violations


@pytest.mark.parametrize("command", [["context"], ["search", "port"], ["recall", "which port?"], ["list"]])
def test_what_could_not_be_read_is_named_in_json_and_by_the_exit_code(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    mem.remember("It is port 5433.", "Port")
    mem.write("long_term", "- a port is a number")
    mem.recall("port", semantic=False)
    notes = next(Path(mem.root, "projects").iterdir()) / "notes"
    with _unlistable(notes):
        code = main([*command, "--json", "--project", str(work)])
    said = capfd.readouterr()
    printed = json.loads(said.out)
    assert (code, printed["complete"]) == (16, False)
    assert any(str(notes) in each and "Input/output error" in each for each in printed["missing"])
    assert str(notes) in said.err


def test_the_library_says_what_is_missing(mem: Mem) -> None:
    mem.remember("It is port 5433.", "Port")
    notes = next(Path(mem.root, "projects").iterdir()) / "notes"
    with _unlistable(notes):
        for found in (mem.list(), mem.search("port"), mem.recall("port", semantic=False)):
            assert (found.complete, [str(notes) in each for each in found.missing]) == (False, [True])
        block = mem.context_block() or ""
    assert block.count(NOT_WHOLE) == 1
    assert f"projects/{mem.project}/notes" in block
    assert str(mem.home) not in block
    assert mem.context_block() == mem.context_block()
    assert NOT_WHOLE not in (mem.context_block() or "")


def test_what_is_set_aside_is_not_missing_from_an_answer() -> None:
    from memolith.base import whole

    with Watch() as answer:
        with Watch(aside=True) as inner:
            whole.note("/home/cache/x", OSError(errno.EIO, "Input/output error"))
        whole.note("/home/memory/y", OSError(errno.EACCES, "Permission denied"))
    assert (inner.missing, answer.missing) == (
        ["/home/cache/x: Input/output error"],
        ["/home/memory/y: Permission denied"],
    )


class _unlistable(reads.Failing):  # noqa: N801 - reads like a statement
    """Let a directory be one that cannot be opened."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, 0)

    def count(self, name: str, path: str) -> None:
        if name in ("open", "listdir", "scandir") and path == self._below.rstrip("/"):
            raise OSError(errno.EIO, "Input/output error", path)


def test_doctor_names_what_it_could_not_read_and_does_not_say_that_all_is_well(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mem.remember("It is port 5433.", "Port")
    notes = next(Path(mem.root, "projects").iterdir()) / "notes"
    with _unlistable(notes):
        assert main(["doctor", "--project", str(work)]) == 16
    said = capfd.readouterr().out
    assert "in order" not in said
    assert f"found  unreadable   {notes}: cannot be read (Input/output error)" in said


def test_a_file_of_the_repository_that_cannot_be_read_is_no_missing_memory(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("long_term", "- a port is a number")
    (work / ".memolith.yml").write_text("inject:\n  daily: recent\n")
    opened = os.open

    def refusing(path: str, flags: int, *mode: int, dir_fd: int | None = None) -> int:
        if str(path).endswith(".memolith.yml"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, flags, *mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    assert main(["context", "--project", str(work)]) == 0
    assert NOT_WHOLE not in capfd.readouterr().out
    assert main(["doctor", "--project", str(work)]) == 1
    assert "ignored: it cannot be read" in capfd.readouterr().out
