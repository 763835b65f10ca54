"""kill -9, a failing, full or read-only disk: old or new text, never a mix, and every acknowledged write."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import StorageError
from memolith.store import files
from memolith.store.history import History
from tests.ledger import proves
from tests.promises import workers
from tests.promises.workers import LONG, line, tokens

OLD = "".join(line(f"old{number}") + "\n" for number in range(20))
NEW = "".join(line(f"new{number}") + "\n" for number in range(30))

# ---------------------------------------------------------------- kill -9 at any moment


def crash(tmp_path: Path, runs: int, writer: str = "ours") -> tuple[int, list[str]]:
    """Kill `runs` writers, two at a time; return how many writes were acknowledged, and problems."""
    both = [workers.start("crash", tmp_path / f"s{seed}", seed, runs // 2, writer=writer) for seed in (1, 2)]
    reports = [json.loads(word) for said in workers.run_together(both) for word in said]
    assert len(reports) == runs
    wrong = [f"after {each['done']} writes: {problem}" for each in reports for problem in each["wrong"]]
    return sum(each["done"] for each in reports), wrong


@proves("S0.21", "S0.28", "X.9")
def test_killed_writers_leave_old_or_new_text_and_every_acknowledged_write(tmp_path: Path) -> None:
    runs = 300 if LONG else 60
    acknowledged, wrong = crash(tmp_path, runs)
    assert wrong == []
    assert acknowledged > runs  # on a busy machine too


def test_the_check_after_a_kill_catches_a_writer_that_writes_in_place(tmp_path: Path) -> None:
    assert any("neither the old nor the new" in each for each in crash(tmp_path, 60, "in-place")[1])


@proves("S0.21", "S0.28")
def test_stray_temporary_files_are_never_shown_and_are_swept_by_the_next_write(mem: Mem, store: Path) -> None:
    mem.write("note", "zebra\n", name="topic")
    for scope in (mem.root, store):
        (scope / ".tmp").mkdir(exist_ok=True)
        (scope / ".tmp" / "MEMORY.md.0").write_text("zebra half a li")
        (scope / ".tmp" / "notes%2Fstray.md.0").write_text("zebra half a note")
    expected = [f"projects/{mem.project}/notes/topic.md"]
    assert mem.list() == expected
    assert [hit.name for hit in mem.search("zebra")] == expected
    assert "half" not in (mem.context_block() or "")
    mem.write("scratchpad", "- next\n")
    mem.write("long_term", "- next\n")
    assert not list(mem.root.rglob(".tmp/*"))
    assert {b"zebra half a li", b"zebra half a note"} <= workers.kept(mem)


@proves("S0.21")
def test_what_a_crash_left_unfinished_is_kept_but_never_brought_back_by_a_plain_undo(mem: Mem) -> None:
    mem.write("long_term", "one\n")
    mem.write("long_term", "two\n", "overwrite")
    (mem.root / ".tmp" / "MEMORY.md.0").write_text("thr")  # killed while it wrote "three"
    mem.undo("MEMORY.md")
    assert mem.read() == "one\n"
    assert b"thr" in workers.kept(mem)


@proves("S0.21", "X.9")
def test_a_change_that_was_killed_before_its_history_was_written_can_be_undone(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("long_term", "one\n")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(History, "keep", killed)
        with pytest.raises(KeyboardInterrupt):
            mem.write("long_term", "two\n", "overwrite")
    assert mem.read() == "two\n"
    mem.undo("MEMORY.md")
    assert mem.read() == "one\n"


# ---------------------------------------------------------------- every file system call, with strace

CALLS = (
    "openat,open,creat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,"
    "mkdir,mkdirat,ftruncate,fchmod,chmod,flock,close,fcntl"
)


class Traced:
    """One command that overwrites a file, run under strace from the same state again and again."""

    def __init__(self, tmp_path: Path, work: Path) -> None:
        self._base, self._work, self._count = tmp_path, work, 0
        self.seed = tmp_path / "seed"
        mem = workers.open_memory(str(self.seed), str(work))
        mem.write("note", line("zebra"), name="topic")
        mem.write("note", OLD, "overwrite", name="topic")
        self.relative = f"projects/{mem.project}/notes/topic.md"

    def run(self, inject: str | None = None, log: Path | None = None) -> tuple[Path, int, str]:
        """Run the command in a fresh home; return the home, the exit code and standard error."""
        self._count += 1
        home = self._base / f"home{self._count}"
        shutil.copytree(self.seed, home)
        command = ["strace", "-qq", "-y", "-s", "0", "-o", str(log or "/dev/null"), "-e", f"trace={CALLS}"]
        if inject:
            command += ["-e", f"inject={inject}"]
        command += [sys.executable, "-m", "memolith", "--home", str(home), "--project", str(self._work)]
        command += ["write", "note", NEW, "--mode", "overwrite", "--name", "topic"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=workers.ENOUGH,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"},
        )
        return home, done.returncode, done.stderr

    def points(self) -> list[tuple[str, int]]:
        """Return the calls that touch the home, each as a name and which call of that name it is."""
        log = self._base / "log"
        home, code, _ = self.run(log=log)
        assert code == 0
        seen: dict[str, int] = {}
        found = []
        for entry in log.read_text(errors="replace").splitlines():
            name = entry.partition("(")[0]
            seen[name] = seen.get(name, 0) + 1
            # Opening for reading changes nothing, but in the middle of a write it matters too.
            if f"{home}/" in entry and ("O_RDONLY" not in entry or "/.tmp" in entry):
                found.append((name, seen[name]))
        return found

    def state(self, home: Path) -> str:
        """Return which text the note has."""
        text = (home / "memory" / self.relative).read_text(encoding="utf-8")
        return {OLD: "old", NEW: "new"}.get(text, f"torn: {text[:200]!r}")


@pytest.fixture
def traced(tmp_path: Path, work: Path) -> Traced:
    """Return a command to be traced."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    probe = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False, capture_output=True)
    if probe.returncode:
        pytest.skip("strace may not trace here")
    return Traced(tmp_path, work)


def spread(points: list[tuple[str, int]], most: int) -> list[tuple[str, int]]:
    """Return at most `most` of the points, evenly spread, so that the test has a bounded time."""
    step = max(1, -(-len(points) // most))
    return points[::step]


@proves("S0.21")
def test_a_kill_around_any_file_system_call_leaves_old_or_new_text(traced: Traced, work: Path) -> None:
    points = spread(traced.points(), 64 if LONG else 20)
    assert len(points) > 10

    def kill(point: tuple[str, int, str]) -> str:
        name, number, moment = point
        home, code, _ = traced.run(f"{name}:{moment}signal=KILL:when={number}")
        if code == 0:
            return f"{point} was not reached"
        state = traced.state(home)
        mem = workers.open_memory(str(home), str(work))
        if mem.list() != [traced.relative] or [hit.name for hit in mem.search("zebra begins")] != mem.list():
            return f"{point}: {mem.list()} is shown"
        mem.write("note", line("afterwards"), name="topic")
        if tokens((mem.root / traced.relative).read_text())[-1] != "afterwards":
            return f"{point}: the next write failed"
        if list(mem.root.rglob(".tmp/*")):
            return f"{point}: temporary files are left"
        if state == "new" and OLD.encode() not in workers.kept(mem):
            return f"{point}: the old text is not in the history"
        return state

    # After one call is before the next, but for what the kernel does in between.
    moments = ("error=EIO:", "") if LONG else ("error=EIO:",)
    around = [(name, number, how) for name, number in points for how in moments]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(kill, around))
    assert set(results) == {"old", "new"}


@pytest.mark.parametrize("code", ["ENOSPC", "EIO"])
@proves("S0.21", "X.21")
def test_a_failure_of_any_file_system_call_is_told_and_tears_nothing(traced: Traced, code: str) -> None:
    points = spread(
        [each for each in traced.points() if each[0] not in ("close", "fcntl")], 40 if LONG else 14
    )
    assert len(points) > 10

    def fail(point: tuple[str, int]) -> str:
        name, number = point
        home, exit_code, message = traced.run(f"{name}:error={code}:when={number}")
        state = traced.state(home)
        if exit_code == 0:
            return "ok" if state == "new" else f"{point}: exit code 0, but the text is {state}"
        if len(message.splitlines()) != 1 or "Traceback" in message:
            return f"{point}: {message}"
        return "ok" if state in ("old", "new") else f"{point}: {state}"

    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(fail, points)) == {"ok"}


# ---------------------------------------------------------------- full and read-only disks


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Return a function that mounts a small file system of its own, or mounts it again."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted: list[Path] = []

    def mount(options: str) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(command, check=False, capture_output=True)
        except FileNotFoundError:
            pytest.skip("there is no mount command")
        if done.returncode:
            pytest.skip("mounting needs root")
        mounted.append(place)
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


@proves("X.21")
def test_a_full_disk_is_told_damages_nothing_and_is_no_obstacle_once_there_is_room(
    disk: Callable[[str], Path], work: Path
) -> None:
    place = disk("size=128k")
    mem = workers.open_memory(str(place / "home"), str(work))
    written: list[str] = []
    ballast = place / "ballast"
    ballast.write_bytes(bytes(64 * 1024))

    def fill() -> None:
        for number in range(1000):
            mem.write("daily", line(f"n{number}"))
            written.append(f"n{number}")

    with pytest.raises(StorageError, match=r"No space left .* before is safe\. Free .*$"):
        fill()
    assert tokens(Path(mem.root, "projects", mem.project, "daily", f"{mem.today}.md").read_text()) == written
    assert len(written) > 20
    assert mem.context_block() is not None
    ballast.unlink()
    mem.write("daily", line("afterwards"))
    assert "afterwards" in tokens("\n".join(each.decode() for each in workers.memory_files(mem).values()))
    assert not list(mem.root.rglob(".tmp/*"))


@pytest.mark.parametrize("size", ["24k", "32k", "40k", "48k", "64k", "96k"])
@proves("X.21")
def test_an_overwrite_on_a_disk_of_any_small_size_is_complete_or_not_done(
    disk: Callable[[str], Path], work: Path, size: str
) -> None:
    mem = workers.open_memory(str(disk(f"size={size}") / "home"), str(work))
    told = "nothing"
    for text in (OLD, NEW * 8, OLD * 4, NEW * 16, OLD):
        before = workers.memory_files(mem).get("MEMORY.md")
        try:
            mem.write("long_term", text, "overwrite")
        except StorageError as error:
            told = str(error)
            assert workers.memory_files(mem).get("MEMORY.md") == before
        else:
            assert workers.memory_files(mem)["MEMORY.md"] == text.encode()
    if size in ("24k", "32k", "96k"):  # in between it depends on the size of a page
        assert ("No space left" in told) == (size != "96k")


@proves("X.21")
def test_a_read_only_disk_can_be_read_and_a_write_says_why(disk: Callable[[str], Path], work: Path) -> None:
    place = disk("size=1m")
    mem = workers.open_memory(str(place / "home"), str(work))
    mem.write("long_term", OLD)
    before = workers.memory_files(mem)
    disk("remount,ro")
    for target in ("long_term", "note"):
        with pytest.raises(StorageError, match=r"Read-only file system.*writable"):
            mem.write(target, NEW, "overwrite", name="topic")
    assert workers.memory_files(mem) == before
    assert mem.read() == OLD
    assert mem.context_block() is not None
    assert len(mem.search("old7")) == 1


@proves("X.21")
def test_a_directory_that_may_not_be_written_to_is_told(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    mem.write("long_term", OLD)
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT and path == "MEMORY.md.0":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, flags, mode, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(StorageError, match="Permission denied"):
            mem.write("long_term", NEW, "overwrite")
    assert mem.read() == OLD
    assert not list(mem.root.rglob(".tmp/*"))


# ---------------------------------------------------------------- no history


@proves("S0.27")
def test_a_write_whose_history_cannot_be_kept_still_happens_and_warns(mem: Mem) -> None:
    Path(mem.home).mkdir()
    Path(mem.home, "history").write_text("not a directory")
    mem.write("long_term", OLD)
    result = mem.write("long_term", NEW, "overwrite")
    assert mem.read() == NEW
    assert [each for each in result.warnings if "history" in each]
    mem.write("long_term", "- more\n")
    assert mem.read() == NEW + "- more\n"


@proves("S0.27", "X.9")
def test_what_could_not_be_put_into_the_history_is_there_once_it_can(mem: Mem) -> None:
    Path(mem.home).mkdir()
    blocker = Path(mem.home, "history")
    blocker.write_text("not a directory")
    mem.write("long_term", OLD)
    mem.write("long_term", NEW, "overwrite")
    mem.write("long_term", "third\n", "overwrite")
    blocker.unlink()
    mem.write("long_term", "fourth\n", "overwrite")
    assert {OLD.encode(), NEW.encode(), b"third\n"} <= workers.kept(mem)
    assert not list(mem.root.rglob(".tmp/*"))


@proves("S0.27")
def test_a_system_without_hard_links_and_exchange_still_writes_and_keeps_history(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **_more: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(files, "_renames", [None])
    monkeypatch.setattr(os, "link", refuse)
    mem.write("long_term", OLD)
    mem.write("long_term", NEW, "overwrite")
    assert mem.read() == NEW
    assert OLD.encode() in workers.kept(mem)
    assert not list(mem.root.rglob(".tmp/*"))
