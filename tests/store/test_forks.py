"""A child that was forked, while other threads are at work, has nothing of its parent's to wait for."""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from prove.crowd import ended, forked

from memolith import Mem
from memolith.base.errors import BusyError, InputError
from memolith.store import locks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture
def mem(work: Path) -> Mem:
    found = Mem.open(work)
    found.remember("The worker reads the queue.", "Queue")
    found.recall("queue", semantic=False)
    return found


def free(mem: Mem, name: str = "x") -> bool:
    try:
        with locks.locked(mem.home, name, 0.05):
            return True
    except BusyError:
        return False


def test_an_idle_child_does_not_keep_a_lock_that_its_parent_has_given_back(mem: Mem) -> None:
    """Nobody anywhere could write until all children had ended."""
    with locks.locked(mem.home, "x", 1):
        child = forked(lambda: time.sleep(30))
        assert not free(mem)
    try:
        assert free(mem)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_a_child_does_not_give_back_the_lock_of_its_parent(mem: Mem) -> None:
    hold = locks.locked(mem.home, "x", 1)
    with hold:
        child = forked(lambda: hold.__exit__(None, None, None))
        assert ended(child, 10) == 0
        assert not free(mem)
    assert free(mem)


def test_the_lock_of_a_parent_that_was_killed_is_free_although_its_child_lives(mem: Mem) -> None:
    code = (
        "import os, sys, time\n"
        "from memolith.store import locks\n"
        "with locks.locked(sys.argv[1], 'x', 1):\n"
        "    if not os.fork(): time.sleep(30)\n"
        "    print('held', flush=True); time.sleep(30)\n"
    )
    host = subprocess.Popen([sys.executable, "-c", code, mem.home], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "held\n"
    assert not free(mem)
    host.kill()
    host.wait()
    host.stdout.close()
    assert free(mem)


@pytest.mark.parametrize("deed", ["recall", "write", "close"])
def test_a_child_forked_while_another_thread_is_at_work_does_not_hang(mem: Mem, deed: str) -> None:
    """12 of 12 children waited for the lock of a thread that they did not have."""
    stop = threading.Event()
    acts = {
        "recall": lambda: mem.recall("queue", semantic=False).hits[0],
        "write": lambda: mem.write("scratchpad", f"- [ ] {time.monotonic_ns()}"),
        "close": mem.close,
    }

    def work() -> None:
        while not stop.is_set():
            acts["recall"]()
            acts["write"]()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(5):
            time.sleep(0.003)
            assert ended(forked(acts[deed]), 10) == 0
    finally:
        stop.set()
        thread.join()
    assert mem.recall("queue", semantic=False).hits


def test_a_child_that_ends_like_a_program_leaves_its_parents_write_alone(mem: Mem) -> None:
    """To close a connection in the child would roll back what the parent is writing."""
    code = (
        "import os, sys\n"
        "from memolith.store.derived import Derived\n"
        "file = Derived(sys.argv[1], 'x.sqlite3', 1, lambda db: db.execute('CREATE TABLE t (word)'))\n"
        "with file.writing(1) as db:\n"
        "    db.executemany('INSERT INTO t VALUES (?)', [('x' * 3000,)] * 500)\n"
        "    child = os.fork()\n"
        "    if not child: sys.exit()\n"
        "    os.waitpid(child, 0)\n"
        "print(*file.connection().execute('SELECT count(*) FROM t').fetchone())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, mem.home], capture_output=True, text=True, check=False, timeout=20
    )
    assert done.stdout == "500\n", done.stderr


def test_a_memory_is_copied_but_not_sent_to_another_process(mem: Mem) -> None:
    for send in (pickle.dumps, copy.deepcopy):
        with pytest.raises(InputError, match=r"Mem\.open"):
            send(mem)
    assert copy.copy(mem).recall("queue", semantic=False).hits


def test_a_connection_that_nobody_closes_is_closed_with_its_owner(work: Path) -> None:
    """Connections are never collected by themselves, or a child would close its parent's."""
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    for _ in range(20):
        with Mem.open(work) as each:
            each.remember("The worker reads the queue.", "Queue")
        Mem.open(work).recall("queue", semantic=False)
    after = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    assert after - before < 5
