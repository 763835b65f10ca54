"""A second look at the sessions: unchanged files are not read, and no change is missed."""

import os
import sys

import pytest

from memolith import Mem
from memolith.memory.sessions import Session
from tests.learn.talk import session
from tests.ledger import proves
from tests.shared import until

OPENED: list[str] = []
BLUE, GREY = "We always deploy through the blue queue.", "We always deploy through the grey queue."


def _note(event: str, given: tuple[object, ...]) -> None:
    if event == "open" and str(given[0]).endswith(".jsonl.gz"):
        OPENED.append(str(given[0]))


sys.addaudithook(_note)


def said(text: str, name: str = "s1", **head: str) -> Session:
    return session(("user", text), ("assistant", "Noted."), name=name, time="2026-11-14T01:00:00Z", **head)


def reads_nothing(mem: Mem) -> bool:
    OPENED.clear()
    mem.learning.run()
    return not OPENED


@pytest.fixture
def rested(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> Mem:
    """Return a memory that has learned from two sessions, and whose files have rested for a tick."""
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    mem.sessions.add(said(BLUE))
    mem.sessions.add(said("We always test with tox.", "s2", source="subagent"))
    assert not reads_nothing(mem)
    assert until(lambda: reads_nothing(mem))
    mem.recall("queue", semantic=False)  # the index reads sessions for itself
    OPENED.clear()
    return mem


def facts(mem: Mem) -> set[str]:
    return {each.body.strip() for each in mem.records.list()}


@proves("S2.24", "S2.95")
def test_a_second_run_reads_no_session_that_is_as_it_was(rested: Mem) -> None:
    assert facts(rested) == {BLUE}
    rested.sessions.add(said(GREY, "s3"))
    rested.learning.run()
    assert {os.path.basename(path) for path in OPENED} == {"claude-s3.jsonl.gz"}
    assert facts(rested) == {BLUE, GREY}
    assert rested.learning.why("s2")["claude-s2"] == "it is not an interactive session, but subagent"


@proves("S2.95")
def test_a_changed_session_is_read_again_even_if_size_and_time_are_as_they_were(rested: Mem) -> None:
    path = rested.sessions.add(said(BLUE)).filename
    before = os.stat(path)
    rested.sessions.add(said(GREY))
    with open(path, "ab") as file:  # a gap at the end of a compressed file is nothing
        file.write(b"\0" * (before.st_size - os.path.getsize(path)))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    now = os.stat(path)
    assert (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    rested.learning.run()
    assert GREY in facts(rested)


@proves("S2.95")
def test_what_is_marked_later_is_withdrawn_and_what_is_deleted_is_forgotten(rested: Mem) -> None:
    rested.sessions.add(said(BLUE, mode="polluted"))
    rested.learning.run()
    assert facts(rested) == set()
    rested.sessions.delete("s2")
    rested.learning.run()
    assert set(rested.learning.why()) - {"consolidate"} == {"claude-s1"}
