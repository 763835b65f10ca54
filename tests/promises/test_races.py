"""Several processes, and people with editors, change the same memory at once: nobody loses a line."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import BusyError, ConflictError, MatchError, StorageError
from memolith.env.paths import Place
from memolith.store import files, gate
from memolith.text.digest import sha256
from tests.ledger import proves
from tests.promises import workers
from tests.promises.workers import LONG, STYLES, line, tokens

EIGHT_FILES = (
    "long_term",
    "scratchpad",
    "daily",
    "note:alpha",
    "note:beta",
    "note:gamma",
    "note:delta",
    "note:epsilon",
)
LINES = 500 if LONG else 100
HAND = "- a line that a person wrote\n"


@pytest.fixture(params=["exchange", "no exchange"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write with the system call that swaps two names, and as on systems that have none."""
    if request.param == "no exchange":
        monkeypatch.setattr(files, "exchange", lambda _one, _other: False)
    return str(request.param)


@pytest.fixture
def holder(mem: Mem, work: Path) -> Iterator[subprocess.Popen[str]]:
    """Return a process that holds the lock of the user-wide memory and does not let go."""
    worker = workers.start("hold", mem.home, work)
    assert workers.read_line(worker) == "ready"
    workers.begin(worker)
    assert workers.read_line(worker) == "held"
    yield worker
    workers.stop(worker)


class Tally:
    """How the lines in files compare with those that were acknowledged."""

    def __init__(self, acknowledged: list[str], texts: list[str]) -> None:
        found = Counter(token for text in texts for token in tokens(text))
        lines = [each for text in texts for each in text.splitlines() if " begins a line" in each]
        self.lost = sum(token not in found for token in acknowledged)
        self.twice = sum(count > 1 for count in found.values())
        self.torn = len(lines) - found.total()

    def __repr__(self) -> str:
        return f"{self.lost} lost, {self.twice} twice, {self.torn} torn"


def texts(mem: Mem) -> list[str]:
    """Return the text of every memory file; the index of notes only quotes them."""
    found = workers.memory_files(mem)
    return [data.decode() for name, data in found.items() if not name.endswith("notes/MEMORY.md")]


def history(mem: Mem) -> str:
    """Return all that is in the history, as one text."""
    return b"\n".join(workers.kept(mem)).decode()


def race(mem: Mem, work: Path, processes: int, count: int, *targets: str, writer: str = "ours") -> Tally:
    """Let processes append to the same files; count what became of it."""
    said = workers.run_together(
        [
            workers.start("append", mem.home, work, f"w{who}", count, *targets, writer=writer)
            for who in range(processes)
        ]
    )
    acknowledged = [token for each in said for token in each]
    assert writer != "ours" or len(acknowledged) == processes * count
    return Tally(acknowledged, texts(mem))


# ---------------------------------------------------------------- process against process


@proves("S0.22")
def test_two_processes_appending_100_lines_each_leave_200_lines(mem: Mem, work: Path) -> None:
    assert repr(race(mem, work, 2, 100, "daily")) == "0 lost, 0 twice, 0 torn"
    assert len(tokens("\n".join(texts(mem)))) == 200


@proves("S0.22", "X.8")
def test_eight_processes_appending_to_one_file_lose_nothing(mem: Mem, work: Path) -> None:
    assert repr(race(mem, work, 8, LINES, "daily")) == "0 lost, 0 twice, 0 torn"
    assert len(tokens("\n".join(texts(mem)))) == 8 * LINES


@proves("S0.22", "X.8")
def test_eight_processes_appending_to_eight_files_lose_nothing(mem: Mem, work: Path) -> None:
    assert repr(race(mem, work, 8, LINES, *EIGHT_FILES)) == "0 lost, 0 twice, 0 torn"
    counts = [len(tokens(text)) for text in texts(mem) if tokens(text)]
    assert (len(counts), sum(counts)) == (8, 8 * LINES)


def test_the_count_of_lost_lines_catches_a_writer_without_a_lock(mem: Mem, work: Path) -> None:
    assert race(mem, work, 4, 100, "daily", writer="unlocked").lost > 0


def test_threads_that_share_a_memory_lose_nothing(mem: Mem) -> None:
    def append(who: int) -> None:
        for number in range(25):
            mem.write("note", line(f"t{who}x{number}"), name="shared")

    threads = [threading.Thread(target=append, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(workers.ENOUGH)
    everyone = [f"t{who}x{number}" for who in range(4) for number in range(25)]
    assert repr(Tally(everyone, texts(mem))) == "0 lost, 0 twice, 0 torn"


# ---------------------------------------------------------------- the lock


@pytest.mark.usefixtures("holder")
def test_waiting_for_a_lock_ends_in_a_busy_error_after_the_seconds_that_are_set(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0.3")
    started = time.monotonic()
    with pytest.raises(BusyError, match=r"0\.3 seconds"):
        mem.write("long_term", HAND)
    assert 0.3 <= time.monotonic() - started < 5
    assert not (mem.root / "MEMORY.md").exists()


@pytest.mark.usefixtures("holder")
def test_the_lock_of_one_scope_does_not_stop_writes_to_another(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0.3")
    assert mem.write("daily", HAND).bytes == len(HAND)


@pytest.mark.usefixtures("holder")
def test_reading_never_waits_for_a_lock(mem: Mem) -> None:
    (mem.root / "MEMORY.md").parent.mkdir(parents=True)
    (mem.root / "MEMORY.md").write_text(HAND)
    assert mem.read() == HAND
    assert mem.context_block() is not None
    assert len(mem.search("person")) == 1


def test_a_lock_is_free_at_once_when_its_holder_is_killed(
    mem: Mem, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0")
    with pytest.raises(BusyError):
        mem.write("long_term", HAND)
    workers.stop(holder)
    mem.write("long_term", HAND)
    assert mem.read() == HAND


# ---------------------------------------------------------------- a person's save, at the worst moment


def saver(path: Path, *styles: str) -> Callable[[str | None], str]:
    """Return a change that appends a line, while an editor saves the file in the given styles.

    The change itself saves, the first time it is applied: after our read, before our write.
    """
    left = list(styles)

    def apply(old: str | None) -> str:
        if left:
            workers.save(str(path), left.pop(0), f"hand{len(left)}")
        return (old or "") + ("" if not old or old.endswith("\n") else "\n") + line("agent") + "\n"

    return apply


@pytest.fixture
def page(mem: Mem) -> Path:
    """Return the user-wide MEMORY.md, with a line in it."""
    mem.write("long_term", line("first"))
    return mem.root / "MEMORY.md"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.usefixtures("way")
@proves("X.20")
def test_a_save_between_read_and_write_is_merged_with_the_append(mem: Mem, page: Path, style: str) -> None:
    mem.gate.rewrite("MEMORY.md", saver(page, style), op="write")
    assert tokens(page.read_bytes().decode()) == ["first", "hand0", "agent"]
    assert not list(mem.root.rglob(".tmp/*"))


@pytest.mark.usefixtures("way")
@proves("X.20")
def test_six_saves_in_a_row_between_read_and_write_are_all_merged(mem: Mem, page: Path) -> None:
    """Each save is made on top of our own attempt, so our line may be there more than once, never less."""
    mem.gate.rewrite("MEMORY.md", saver(page, *STYLES), op="write")
    wanted = {"first", "agent", *(f"hand{number}" for number in range(6))}
    assert set(tokens(page.read_bytes().decode() + history(mem))) == wanted
    assert {"first", "hand0", "agent"} <= set(tokens(page.read_bytes().decode()))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.usefixtures("way")
@proves("X.20")
def test_a_save_between_read_and_write_is_a_conflict_for_who_insists_and_stays_in_place(
    mem: Mem, page: Path, style: str
) -> None:
    read = page.read_bytes()
    with pytest.raises(ConflictError) as raised:
        mem.gate.rewrite("MEMORY.md", saver(page, style), op="write", if_sha256=sha256(read))
    assert raised.value.actual == sha256(page.read_bytes())
    assert tokens(page.read_bytes().decode()) == ["first", "hand0"]
    assert not list(mem.root.rglob(".tmp/*"))


@pytest.mark.usefixtures("way")
@proves("X.20")
def test_a_save_of_the_very_text_we_write_is_no_conflict(mem: Mem, page: Path) -> None:
    def apply(_: str | None) -> str:
        page.write_text("the same\n")
        return "the same\n"

    change = mem.gate.rewrite("MEMORY.md", apply, op="overwrite", if_sha256=sha256(page.read_bytes()))
    assert not change.changed
    assert page.read_text() == "the same\n"


@proves("X.20")
def test_a_stale_precondition_is_no_conflict_when_the_file_says_so_already(mem: Mem, page: Path) -> None:
    stale = sha256(b"something else")
    result = mem.write("long_term", page.read_text(), "overwrite", if_sha256=stale)
    assert result.message.startswith("Nothing was written")
    with pytest.raises(ConflictError):
        mem.write("long_term", "another text\n", "overwrite", if_sha256=stale)


@proves("X.20")
def test_an_edit_of_text_that_somebody_replaced_is_a_conflict_for_who_insists(mem: Mem, page: Path) -> None:
    read = sha256(page.read_bytes())
    page.write_text(HAND)
    with pytest.raises(ConflictError):
        mem.edit("long_term", line("first"), "new", if_sha256=read)
    assert page.read_text() == HAND


@pytest.mark.usefixtures("way")
@proves("X.20")
def test_an_edit_whose_text_a_save_removed_in_the_last_moment_fails_and_leaves_the_save(
    mem: Mem, page: Path
) -> None:
    def apply(old: str | None) -> str:
        if old == HAND:
            raise MatchError("MEMORY.md", 0)
        page.write_text(HAND)
        return "edited\n"

    with pytest.raises(MatchError):
        mem.gate.rewrite("MEMORY.md", apply, op="edit")
    assert page.read_text() == HAND
    assert not list(mem.root.rglob(".tmp/*"))


@proves("X.20")
def test_a_full_disk_while_merging_leaves_the_persons_save_in_place(
    mem: Mem, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = files.write_new, []

    def second_time_full(path: Place, data: bytes) -> None:
        calls.append(path.name)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(path, data)

    monkeypatch.setattr(files, "write_new", second_time_full)
    with pytest.raises(StorageError, match="No space left"):
        mem.gate.rewrite("MEMORY.md", saver(page, "in-place"), op="write")
    assert tokens(page.read_text()) == ["first", "hand0"]


@pytest.mark.usefixtures("way")
@proves("X.20")
def test_a_file_deleted_between_read_and_write_is_made_anew(mem: Mem, page: Path) -> None:
    def apply(old: str | None) -> str:
        if old is not None:
            page.unlink()
        return (old or "") + "- agent\n"

    mem.gate.rewrite("MEMORY.md", apply, op="write")
    assert page.read_text() == "- agent\n"


@pytest.mark.usefixtures("way")
@proves("X.20")
def test_a_file_created_between_read_and_write_is_not_overwritten(mem: Mem) -> None:
    path = mem.root / "MEMORY.md"

    def apply(old: str | None) -> str:
        if old is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(HAND)
        return (old or "") + "- agent\n"

    mem.gate.rewrite("MEMORY.md", apply, op="write")
    assert path.read_text() == HAND + "- agent\n"


# ---------------------------------------------------------------- a program that keeps the file open


@pytest.mark.parametrize("new", ["- quite another text\n", None])
@pytest.mark.usefixtures("way")
@proves("X.20", "X.9")
def test_what_a_program_writes_into_a_file_it_kept_open_is_in_the_history(
    mem: Mem, page: Path, new: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells who has a file open")
    monkeypatch.setattr(gate, "_SAVE_SECONDS", 0.05)
    before = page.read_bytes()
    with page.open("ab", buffering=0) as program:
        mem.gate.rewrite("MEMORY.md", lambda _: new, op="edit")
        program.write(line("late").encode() + b"\n")
    assert (page.read_text() if page.exists() else None) == new
    assert "late" in tokens(history(mem))
    mem.undo("MEMORY.md")
    assert page.read_bytes() == before


@proves("X.20")
def test_a_program_that_finishes_its_save_during_our_write_is_waited_for(mem: Mem, page: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells who has a file open")
    program = page.open("r+b", buffering=0)

    def finish() -> None:
        program.seek(0, 2)
        program.write(line("hand").encode() + b"\n")
        program.close()

    timer = threading.Timer(0.1, finish)

    def apply(old: str | None) -> str:
        if not timer.is_alive() and not program.closed:
            timer.start()
        return (old or "") + line("agent") + "\n"

    mem.gate.rewrite("MEMORY.md", apply, op="write")
    timer.join(workers.ENOUGH)
    assert tokens(page.read_text()) == ["first", "hand", "agent"]


# ---------------------------------------------------------------- an editor and an agent


def lost_lines(mem: Mem, work: Path, tmp_path: Path, rounds: int, *, writer: str) -> tuple[int, int, int]:
    """Let an editor and an agent work on one note; return lines of hand and agent, and how many are lost."""
    mem.write("note", line("first"), name="shared")
    note = mem.root / "projects" / mem.project / "notes" / "shared.md"
    done = tmp_path / "done"
    agent, editor = workers.run_together(
        [
            workers.start("agent", mem.home, work, "shared", done, writer=writer),
            workers.start("editor", note, rounds, done),
        ]
    )
    hand = [token for token in editor if token.startswith("hand")]
    # An editor that saves over what it has not read throws that away itself; it is not ours to save.
    thrown = {token.removeprefix("displaced:") for token in editor if token.startswith("displaced:")}
    there = set(tokens(note.read_bytes().decode())) | set(tokens(history(mem).replace("\ufeff", "")))
    lost = [token for token in hand if token not in there]
    lost += [token for token in agent if token not in there | thrown]
    assert len(hand) == rounds
    return len(hand), len(agent), len(lost)


@proves("X.20")
def test_an_editor_and_an_agent_on_one_note_lose_no_line(
    mem: Mem, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HISTORY_VERSIONS", "100000")
    saves = 600 if LONG else 180
    hand, agent, lost = lost_lines(mem, work, tmp_path, saves, writer="ours")
    assert hand == saves
    assert agent > saves // 12
    assert lost == 0


def test_the_search_for_lost_lines_catches_a_writer_that_replaces_blindly(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    assert lost_lines(mem, work, tmp_path, 240, writer="blind")[2] > 0
