"""Taking changes back by name: the whole change, in the order in which it was made; and the log of them."""

from pathlib import Path

import pytest

from memolith import HistoryError, Mem
from memolith.care import written
from memolith.memory.undo import lineage
from tests.ledger import proves


@pytest.fixture
def mem(work: Path) -> Mem:
    """Return a memory with a clock that goes on: the order of changes matters here."""
    return Mem.open(work)


def notes(mem: Mem) -> list[str]:
    """Return the names of the notes."""
    return [path.rpartition("/")[2] for path in mem.list() if "/notes/" in path]


@proves("X.9")
def test_a_rename_is_taken_back_and_made_again_as_a_whole_by_either_name(mem: Mem) -> None:
    mem.remember("start here", "M1")
    mem.rename("m1", "M2")
    for name in ("m2", "m1"):
        assert mem.undo(name).also
        assert notes(mem) == ["m1.md"]
        mem.redo(name)
        assert notes(mem) == ["m2.md"]


@proves("X.9")
def test_half_of_a_rename_is_never_taken_back(mem: Mem) -> None:
    mem.remember("start here", "M1")
    mem.rename("m1", "M2")
    mem.remember("another", "M1")
    with pytest.raises(HistoryError, match=r"also changed .*m1\.md, which has changed since"):
        mem.undo("m2")
    assert notes(mem) == ["m1.md", "m2.md"]


@proves("S3.32", "X.9")
def test_a_record_that_replaced_another_is_taken_back_together_with_that(mem: Mem) -> None:
    for text in ("Use tabs.", "Use spaces."):
        replaces = ["use-tabs"] if "spaces" in text else []
        mem.records.add(text, category="decisions", scope="project", supersedes=replaces)
    mem.undo("use-spaces")
    assert [(each.id, each.status) for each in mem.records.list(archived=True)] == [("use-tabs", "active")]


@proves("X.9")
def test_after_an_undo_to_a_version_the_next_one_goes_further_back(mem: Mem) -> None:
    for text in ("one", "two", "three"):
        mem.remember(text, "V")
    mem.undo("v", 2)
    assert mem.read("note", "v").endswith("one\n")
    mem.undo("v")
    assert notes(mem) == []
    mem.redo("v")
    mem.redo("v")
    assert mem.read("note", "v").endswith("three\n")


@proves("X.9")
def test_what_was_forgotten_cannot_be_brought_back_as_an_empty_note(mem: Mem) -> None:
    mem.remember("elsewhere", "Q")
    mem.remember("Old secret plan.", "P")
    mem.remember("New plan.", "P")
    mem.forget("Old secret")
    with pytest.raises(HistoryError, match="was forgotten"):
        mem.undo("p")
    with pytest.raises(HistoryError, match="was forgotten"):
        mem.undo("p", 2)
    with pytest.raises(HistoryError, match="the last thing here was a forget"):
        mem.undo()  # not something older in its place
    assert mem.undo("q").name.endswith("q.md")
    assert mem.read("note", "p").endswith("New plan.\n")


def test_the_history_of_a_note_follows_its_renames(mem: Mem) -> None:
    mem.remember("start", "S1")
    mem.edit("note", "start", "begin", name="s1")
    mem.rename("s1", "S2")
    mem.rename("s2", "S3")
    last = mem.find("s3").path
    assert lineage(mem, last) == [last.replace("s3", name) for name in ("s3", "s2", "s1")]


def test_the_log_says_what_each_change_brought_in_the_order_of_time(mem: Mem) -> None:
    mem.remember("first", "B")
    mem.remember("second", "B")
    mem.remember("another", "A")
    mem.write("note", "more", name="b")
    mem.edit("note", "more", "", name="b")
    mem.remove("b")
    mem.undo()
    says = ["second", "(removed: second)", "(removed: more)", "more", "another", "second", "first"]
    assert [each.says for each in written.since(mem)] == says
