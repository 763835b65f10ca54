"""The queue's database, damaged or refused at any moment, and used by many processes at once."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import BusyError, StorageError, UnsafePathError
from memolith.care.doctor import examine
from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, LeaseLostError, Queue
from tests.conftest import Clock
from tests.learn.queue import workers
from tests.learn.queue.queues import KEY, claim, extracted
from tests.learn.queue.workers import PROJECT, extraction
from tests.ledger import proves
from tests.shared import LONG, without_privileges

# ---------------------------------------------------------------- the file


def remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink()


def change(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(statement)


DAMAGE: dict[str, Callable[[Path, bytes], object]] = {
    "deleted": lambda path, _: path.unlink(),
    "all deleted": lambda path, _: remove(path.parent.glob("state.sqlite3*")),
    "replaced": lambda path, _: path.rename(f"{path}.old").with_name(path.name).write_bytes(b""),
    "tables gone": lambda path, _: change(path, "DROP TABLE jobs"),
    "rubbish": lambda path, _: path.write_bytes(b"this is no database\n" * 500),
    "cut": lambda path, data: path.write_bytes(data[: len(data) // 3]),
    "overwritten": lambda path, data: path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096)),
    "another version": lambda path, _: change(path, "PRAGMA user_version = 77"),
}
WAYS = list(DAMAGE)
GONE = WAYS[:4]


def damage(path: Path, how: str) -> None:
    DAMAGE[how](path, path.read_bytes())


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("when", ["open", "closed"])
def test_whatever_happens_to_the_file_reading_answers_and_work_goes_on(
    queue: Queue, home: Path, how: str, when: str
) -> None:
    extracted(queue, "claude-1")
    queue.enqueue(EXTRACT, f"{PROJECT}/claude-2", 5)
    job = claim(queue)
    if when == "closed":
        queue.close()
    damage(home / "state" / "state.sqlite3", how)
    queue.jobs()
    queue.extractions.all(PROJECT)
    if how in GONE or when == "closed":
        with pytest.raises(LeaseLostError):  # never a success in a file that another one replaced
            queue.finish(job, "a lesson", output=extraction(job))
    else:  # SQLite may still have it all in its journal
        with contextlib.suppress(LeaseLostError):
            queue.finish(job, "a lesson", output=extraction(job))
    queue.close()  # at the latest, the next process notices
    for session in ("claude-8", "claude-9"):
        queue.enqueue(EXTRACT, f"{PROJECT}/{session}", 5)
        queue.close()
    assert claim(queue).session == "claude-8"
    queue.close()
    assert {"claude-8", "claude-9"} <= {job.session for job in queue.jobs()}
    assert all(path.stat().st_mode & 0o077 == 0 for path in home.glob("state/state.sqlite3"))


@pytest.mark.parametrize("how", WAYS)
def test_two_processes_that_find_the_file_damaged_agree_on_a_new_one(
    opened: Callable[[], Queue], home: Path, how: str
) -> None:
    one, other = opened(), opened()
    extracted(one, "claude-1")
    assert len(other.jobs()) == 2
    damage(home / "state" / "state.sqlite3", how)
    for number in range(2, 6):
        (one, other)[number % 2].enqueue(EXTRACT, f"{PROJECT}/claude-{number}", 5)
    assert [job.key for job in one.jobs()] == [job.key for job in other.jobs()]
    wanted = {f"claude-{number}" for number in range(2 if how in GONE else 5, 6)}
    assert wanted <= {job.session for job in one.jobs()}


def test_a_file_that_is_deleted_while_files_are_committed_does_no_harm(queue: Queue, home: Path) -> None:
    extracted(queue, "claude-1")
    job = claim(queue, CONSOLIDATE)
    with queue.fenced(job, "written"):
        damage(home / "state" / "state.sqlite3", "all deleted")
    assert queue.jobs() == []
    extracted(queue, "claude-1")


def test_a_file_that_is_deleted_while_its_lock_is_waited_for_is_not_written_to(
    queue: Queue, home: Path
) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    path = home / "state" / "state.sqlite3"
    assert queue.database._open is not None
    queue.database._open.set_trace_callback(lambda _: path.unlink(missing_ok=True))
    queue.enqueue(EXTRACT, f"{PROJECT}/claude-2", 5)
    assert [job.session for job in queue.jobs()] == ["claude-2"]


def test_the_journal_of_a_database_that_is_gone_is_not_read_into_the_new_one(
    opened: Callable[[], Queue], home: Path, tmp_path: Path
) -> None:
    queue = opened()
    queue.enqueue(EXTRACT, KEY, 5)
    for suffix in ("-wal", "-shm"):
        shutil.copy(home / "state" / f"state.sqlite3{suffix}", tmp_path / f"copy{suffix}")
    queue.close()
    (home / "state" / "state.sqlite3").unlink()
    for suffix in ("-wal", "-shm"):
        shutil.copy(tmp_path / f"copy{suffix}", home / "state" / f"state.sqlite3{suffix}")
    queue.enqueue(EXTRACT, f"{PROJECT}/claude-2", 5)
    assert [job.session for job in queue.jobs()] == ["claude-2"]


def test_a_damaged_file_is_set_aside_and_goes_with_what_is_forgotten(queue: Queue, home: Path) -> None:
    extracted(queue, "claude-1")
    queue.close()
    aside = home / "state" / "state.sqlite3.damaged"
    damage(home / "state" / "state.sqlite3", "tables gone")
    assert queue.jobs() == []
    assert b"of claude-1" in aside.read_bytes()
    queue.enqueue(EXTRACT, KEY, 5)
    queue.forget_session(PROJECT, "claude-1")
    assert not aside.exists()


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_what_is_no_file_is_refused_and_nothing_is_waited_for(
    queue: Queue, home: Path, tmp_path: Path, suffix: str, kind: str
) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    queue.close()
    path = home / "state" / f"state.sqlite3{suffix}"
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    for step in (queue.jobs, lambda: queue.enqueue(EXTRACT, KEY, 6)):
        with pytest.raises(UnsafePathError, match="regular file"):
            step()
    assert not (tmp_path / "elsewhere").exists()


def test_a_database_that_somebody_keeps_locked_can_be_read_and_not_written(
    opened: Callable[[], Queue], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().enqueue(EXTRACT, KEY, 5)
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0.05")
    queue = opened()
    holder = sqlite3.connect(home / "state" / "state.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert len(queue.jobs()) == 1
        with pytest.raises(BusyError, match=r"lock\.seconds"):
            queue.enqueue(EXTRACT, KEY, 6)
    finally:
        holder.close()
    assert queue.enqueue(EXTRACT, KEY, 6)


READ_ONLY = """
import sys
from memolith.env.settings import Settings
from memolith.base.errors import MemolithError
from memolith.learn.queue.queue import Queue
queue = Queue(sys.argv[1], Settings(sys.argv[1]))
print(len(queue.jobs()))
try:
    queue.enqueue("extract", "a/b", 1)
except MemolithError as error:
    print(type(error).__name__, error)
"""


def test_a_home_that_is_read_only_can_be_read_and_says_what_to_do(queue: Queue, home: Path) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    queue.close()
    for path in (home / "state" / "state.sqlite3", home / "state"):
        path.chmod(0o500)
    done = subprocess.run(
        [*without_privileges(), sys.executable, "-c", READ_ONLY, str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    (home / "state").chmod(0o700)
    assert done.stderr == ""
    seen, said = done.stdout.splitlines()
    assert seen == "1"
    assert said.startswith("StorageError")
    assert "writable" in said


def test_a_full_disk_is_told_as_such_and_nothing_is_lost(queue: Queue) -> None:
    queue.enqueue(EXTRACT, KEY, 5)
    queue.database.ask("PRAGMA max_page_count = 1")  # of what there is, SQLite does not take any away

    def fill() -> None:
        with queue.database.writing():
            for number in range(2, 99):
                queue.enqueue(EXTRACT, f"{PROJECT}/claude-{number}-{'x' * 2000}", 5)

    with pytest.raises(StorageError, match="Free some disk space"):
        fill()
    assert [job.key for job in queue.jobs()] == [KEY]


def test_threads_may_share_a_queue(queue: Queue) -> None:
    seen: list[str] = []

    def work() -> None:
        while found := queue.claim(EXTRACT):
            seen.append(found[0].key)
            queue.finish(found[0], "a lesson", output=extraction(found[0]))

    for number in range(24):
        queue.enqueue(EXTRACT, f"{PROJECT}/claude-{number}", number)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(seen), len(set(seen))) == (24, 24)


def test_doctor_finds_nothing_wrong_with_a_home_that_learns(mem: Mem, clock: Clock) -> None:
    mem.write("daily", "x")
    before = examine(mem)
    with Queue(mem.home, mem.settings, clock) as queue:
        queue.enqueue(EXTRACT, KEY, 5)
        assert examine(mem) == before


# ---------------------------------------------------------------- real processes


@proves("S2.38", "S2.44")
def test_20_processes_that_start_at_once_extract_100_sessions_once_each_and_consolidate_once(
    tmp_path: Path,
) -> None:
    report = workers.report("crowd", tmp_path / "crowd", 20, 100)
    assert report["well"]
    assert report["extracted"] == [1] * 100
    assert report["consolidated"] == {"consolidate 100": 1}
    assert int(str(report["most at once"])) <= 8
    assert report["statuses"] == {"done": 101}


def test_that_count_catches_a_queue_whose_leases_hold_nobody_off(tmp_path: Path) -> None:
    counts = workers.report("crowd", tmp_path / "crowd", 4, 4, "broken")["extracted"]
    assert isinstance(counts, list)
    assert max(counts) == 4


@proves("S2.39", "S2.44")
def test_workers_that_are_killed_or_stopped_lose_no_job_and_double_none(tmp_path: Path) -> None:
    rounds = 100 if LONG else 8
    report = workers.report("killed", tmp_path / "killed", 1, rounds)
    assert report["wrong"] == []
    assert report["integrity"] == "ok"
    assert (report["kills"], report["too late"]) == (rounds * 3, rounds)
    assert int(str(report["taken over"])) > 0


def test_a_schema_whose_damage_cannot_even_be_decoded_is_set_aside(
    opened: Callable[..., Queue], home: Path
) -> None:
    """Found by `prove faults`: a UnicodeDecodeError came out."""
    with opened() as queue:
        queue.enqueue(EXTRACT, KEY, 1)
    path = home / "state" / "state.sqlite3"
    data = path.read_bytes()
    assert b"requests_of_day" in data
    path.write_bytes(data.replace(b"requests_of_day", b"reques\x8bs_of_day", 1))
    with opened() as queue:
        queue.enqueue(EXTRACT, KEY, 1)
        assert len(queue.jobs(PROJECT)) == 1
    assert (home / "state" / "state.sqlite3.damaged").exists()
