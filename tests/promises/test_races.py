"""Threads, locks, and people who save at the worst moment; `prove races` lets everybody work at once."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prove.lines import STYLES, kept, line, save, tokens

from memolith import Mem
from memolith.base.errors import BusyError, ConflictError, MatchError, StorageError
from memolith.env.paths import Place
from memolith.store import files, gate
from memolith.text.digest import sha256
from tests.ledger import proves

HAND = "- a line that a person wrote\n"


@pytest.fixture(params=["exchange", "no exchange"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write with the system call that swaps two names, and as on systems that have none."""
    if request.param == "no exchange":
        monkeypatch.setattr(files, "exchange", lambda _one, _other: False)
    return str(request.param)


@pytest.fixture
def holder(mem: Mem) -> Iterator[subprocess.Popen[str]]:
    """Return a process that holds the lock of the user-wide memory and does not let go."""
    code = "import sys, time\nfrom memolith.store import locks\n"
    code += "with locks.locked(sys.argv[1], 'user', 1):\n    print('held', flush=True); time.sleep(60)\n"
    command = [sys.executable, "-c", code, mem.home]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "held\n"
        yield worker
        worker.kill()


def history(mem: Mem) -> str:
    """Return all that is in the history, as one text."""
    return b"\n".join(kept(mem)).decode()


def test_threads_that_share_a_memory_lose_nothing(mem: Mem) -> None:
    def append(who: int) -> None:
        for number in range(25):
            mem.write("note", line(f"t{who}x{number}"), name="shared")

    threads = [threading.Thread(target=append, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    everyone = [f"t{who}x{number}" for who in range(4) for number in range(25)]
    assert sorted(tokens(mem.read("note", "shared"))) == sorted(everyone)


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
    holder.kill()
    holder.wait()
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
            save(str(path), left.pop(0), f"hand{len(left)}")
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


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("known", [True, False])
@proves("X.20")
def test_our_text_is_there_once_though_a_person_saved_it_with_their_own_before_we_took_it_back(
    mem: Mem, page: Path, style: str, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One save lands right before the exchange; the next is based on what was visible right after it."""
    exchange, moments = files.exchange, iter(["hand0", "hand1"])

    def at_the_worst_moment(one: Place, other: Place) -> bool:
        for token in moments:
            save(str(page), "in-place" if token == "hand0" else style, token)
            if token == "hand0":
                assert exchange(one, other)
            else:
                return True
        return exchange(one, other)

    monkeypatch.setattr(files, "exchange", at_the_worst_moment)
    base = sha256(page.read_bytes()) if known else None
    change = mem.gate.rewrite("MEMORY.md", saver(page), op="write", if_sha256=base)
    assert tokens(page.read_bytes().decode()) == ["first", "agent", "hand1"]
    assert change.changed
    assert "hand0" in tokens(history(mem))
    assert not list(mem.root.rglob(".tmp/*"))


@proves("X.20")
def test_a_full_disk_while_merging_leaves_the_persons_save_in_place(
    disk: Callable[[str], Path], work: Path
) -> None:
    place = disk("size=256k")
    mem = Mem.open(work, home=place / "home")
    mem.write("long_term", line("first"))
    page = mem.root / "MEMORY.md"
    append = saver(page, "in-place")

    def apply(old: str | None) -> str:
        if "hand0" in tokens(old or ""):  # their save has been seen, and is being merged
            with contextlib.suppress(OSError), (place / "ballast").open("wb", buffering=0) as ballast:
                while True:
                    ballast.write(bytes(4096))
        return append(old)

    with pytest.raises(StorageError, match="No space left"):
        mem.gate.rewrite("MEMORY.md", apply, op="write")
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
    timer.join(30)
    assert tokens(page.read_text()) == ["first", "hand", "agent"]
