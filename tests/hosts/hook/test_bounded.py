"""A prompt is held for no more than a second and a half; what could not be done is said or queued."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prove.world import can_trace

from memolith import Mem
from memolith.base.whole import NOT_WHOLE
from memolith.edges.cli import main
from memolith.hosts.hook import payload, worker
from memolith.store import receipts
from memolith.text.safe.structure import TROUBLE
from tests.care.test_scan import canary
from tests.hosts.hook.conftest import context, unless_busy

HOOK = [sys.executable, "-m", "memolith", "hook"]
# Seconds; waiting for a processor does not count, so on a busy machine a prompt may take two more.
HELD = 1.5 if os.getloadavg()[0] < (os.cpu_count() or 1) else 3.5
_HOLDER = """
import os, signal, sys
from memolith.env.paths import Place
from memolith.store import locks
hold = locks.holding(Place.of(sys.argv[1]), os.O_CREAT, 5)
hold.__enter__()
print("held", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""


@contextmanager
def stopped(lock: Path) -> Iterator[None]:
    """Let a process hold a lock that was stopped (Ctrl-Z, a debugger, a laptop's lid)."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(lock)], stdout=subprocess.PIPE)
    assert holder.stdout
    assert holder.stdout.readline() == b"held\n"
    os.waitpid(holder.pid, os.WUNTRACED)
    try:
        yield
    finally:
        holder.kill()
        holder.communicate()


def tell(
    work: Path, event: str, session: str = "s", before: tuple[str, ...] = (), **fields: str
) -> tuple[str, float]:
    """Return what a hook says about an event, and how long it took."""
    row = {"session_id": session, "hook_event_name": event, "cwd": str(work), **fields}
    began = time.monotonic()
    done = subprocess.run([*before, *HOOK], input=json.dumps(row).encode(), capture_output=True, check=False)
    passed = time.monotonic() - began
    assert (done.returncode, done.stderr) == (0, b"")
    return context(done.stdout.decode()) if done.stdout else "", passed


def usual(work: Path) -> float:
    """Return what an event costs here and now, when nothing is in its way."""
    costs = [tell(work, "UserPromptSubmit", f"usual-{each}", prompt="which port?")[1] for each in range(2)]
    unless_busy(max(costs))
    return max(costs)


def _slug(home: Path) -> str:
    return next((home / "memory/projects").iterdir()).name


_BUSY = """
import sys, time
from memolith.hosts.hook import deadline
deadline.begin(0.1)
try:
    until = time.process_time() + float(sys.argv[1])
    while time.process_time() < until:
        pass
    time.sleep(float(sys.argv[2]))
    deadline.end()  # else it strikes while the interpreter ends
    print("done")
except deadline.LateError:
    deadline.end()
    print("late")
"""


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="needs Linux")
def test_waiting_for_a_processor_does_not_count_and_waiting_for_anything_else_does() -> None:
    pinned = f"import os; os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
    rivals = [subprocess.Popen([sys.executable, "-c", f"{pinned}while True: pass"]) for _ in range(6)]

    def outcome(work: float, sleep: float) -> str:
        command = [sys.executable, "-c", pinned + _BUSY, str(work), str(sleep)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        assert outcome(0.06, 0) == "done"  # half a second by the clock
        assert outcome(0, 9) == "late"
    finally:
        for each in rivals:
            each.kill()
            each.wait()


@pytest.mark.parametrize("lock", ["state/hooks/s.log", "state/locks/index.lock", "state/locks/{slug}.lock"])
def test_a_prompt_does_not_wait_for_who_was_stopped(home: Path, work: Path, lock: str) -> None:
    cost = usual(work)
    with Mem.open(work) as mem:
        mem.remember("It is port 5434 since May.", "Port now")  # so that the index has something to do
    with stopped(home / lock.format(slug=_slug(home))):
        said, passed = tell(work, "UserPromptSubmit", prompt="which port is it?")
    assert passed < HELD + cost
    assert "Notes index" in said
    assert "It is port 5433" in said


def test_the_summary_of_a_stopped_writers_project_is_queued_and_stored_later(home: Path, work: Path) -> None:
    secret = canary("in a summary")
    cost = usual(work)
    summary = f"We moved to port 5434.\nThe token is {secret}.\nIt was in the zebra's stable."
    with stopped(home / f"state/locks/{_slug(home)}.lock"):
        said, passed = tell(work, "PostCompact", compact_summary=summary)
        (queued,) = receipts.names(str(home), ".summary")
        assert secret not in (home / "state/hooks" / queued).read_text()
    assert (said, passed < HELD + cost) == ("", True)
    assert main(["forget", "zebra's stable", "--yes", "--project", str(work)]) == 0
    assert "zebra's stable" not in Path(receipts.path(str(home), queued)).read_text()
    with Mem.open(work) as mem:
        assert any("stored" in line for line in list(worker.work(mem)))
        (waiting,) = mem.review.list()  # nobody knows what was in the session
    assert ("We moved to port 5434." in waiting.text, secret in waiting.text) == (True, False)
    assert receipts.names(str(home), ".summary") == []


@pytest.mark.skipif(not can_trace(), reason="strace may not trace here")
@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_on_a_slow_disk_what_was_read_in_time_is_said(
    home: Path, work: Path, event: str, tmp_path: Path
) -> None:
    """Each look at a record takes some tenths of a second; the block has none of them."""
    with Mem.open(work) as mem:
        for name in ("decisions", "incidents", "principles"):
            mem.records.add(f"The port of {name} is 7.", category=name, scope="project", title=f"Port {name}")
    traced = ("strace", "-f", "-o", "/dev/null")
    cost = max(tell(work, event, name, traced, prompt="which port is it?")[1] for name in ("other", "third"))
    with Mem.open(work) as mem:
        mem.records.add("It is port 5434 since May.", category="decisions", scope="project", title="May")
    # Not `getdents64`: once the alarm is due, the kernel ends it after each name, and each would be slow.
    slow = ("-e", "trace=openat,newfstatat", "-e", "inject=all:delay_enter=300000")
    records = [each for path in home.rglob("records/*") for each in ("-P", str(path))]
    said, passed = tell(
        work, event, "s", ("strace", "-f", "-o", str(tmp_path / "log"), *slow, *records), prompt="which port?"
    )
    # A delay is not cut short, and a hook that was late starts a worker, which the usual one does not.
    assert passed < HELD + (0.5 if event == "SessionStart" else 0) + 0.3 + 0.2 + cost
    assert "It is port 5433." in said  # the block
    assert (TROUBLE in said) == (event == "UserPromptSubmit")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3 * 1024**3)


COMMANDS = (["context"], ["search", "port"], ["recall", "port"], ["list"], ["status"], ["read", "long_term"])


@pytest.mark.parametrize(
    "file", ["config.yml", "memory/allow.yml", "memory/projects/{slug}/project.yml", "work"]
)
@pytest.mark.parametrize("make", [_pipe, _endless, _sparse], ids=["pipe", "zero", "3 GB"])
def test_settings_and_lists_are_read_through_the_bounded_door(
    home: Path, work: Path, file: str, make: Callable[[Path], None]
) -> None:
    path = work / ".memolith.yml" if file == "work" else home / file.format(slug=_slug(home))
    path.unlink(missing_ok=True)
    make(path)
    for command in COMMANDS:
        began = time.process_time()
        main([*command, "--project", str(work)])
        assert time.process_time() - began < HELD
    with Mem.open(work) as mem:
        mem.settings.reload()
    said, passed = tell(work, "SessionStart")
    assert passed < 2 * HELD
    assert "5433" in said or TROUBLE in said or NOT_WHOLE in said or "project.yml" in file


def test_a_pipe_as_transcript_holds_nobody_up(home: Path, work: Path) -> None:
    cost = usual(work)
    _pipe(work / "rollout-1.jsonl")
    for event in ("PostCompact", "UserPromptSubmit", "Stop", "SessionEnd"):
        passed = tell(work, event, prompt="port?", transcript_path=str(work / "rollout-1.jsonl"))[1]
        assert passed < HELD + cost, event
    assert home.is_dir()


def test_the_alarm_of_a_host_is_left_alone(host_alarm: list[int], work: Path, home: Path) -> None:
    from memolith.hosts.hook import edge

    row = {"session_id": "s", "hook_event_name": "SessionStart", "cwd": str(work)}
    assert edge.answer(json.dumps(row).encode(), "claude")
    assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    assert host_alarm == []
    assert home.is_dir()


@pytest.fixture
def host_alarm() -> Iterator[list[int]]:
    """Set an alarm as a host might."""
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 60)
    yield rung
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_prompt_full_of_what_hooks_said_is_read_at_once() -> None:
    began = time.monotonic()
    call = payload.read(
        json.dumps(
            {
                "session_id": "s",
                "hook_event_name": "UserPromptSubmit",
                "prompt": "<hook_context>x</hook_context> \n" * 200_000 + "Which port?",
            }
        ).encode()
    )
    assert call.prompt == "Which port?"
    assert time.monotonic() - began < HELD
