"""What people save or delete by hand is a change of its own: in the log, in the history, and for undo."""

from pathlib import Path

import pytest

from memolith import HistoryError, Mem
from memolith.care import written
from memolith.care.edit import edit
from tests.ledger import proves


def logged(mem: Mem) -> list[tuple[str, str, str]]:
    return [(each.by, each.op, each.says) for each in written.since(mem)]


@pytest.fixture
def mem(work: Path) -> Mem:
    """Return a memory whose clock runs: what came first decides."""
    return Mem.open(work)


@pytest.fixture
def sky(mem: Mem, store: Path) -> Path:
    mem.remember("The sky is blue.", "Sky")
    return store / "notes" / "sky.md"


@proves("X.27")
def test_the_log_has_what_was_written_and_then_what_was_saved_by_hand(mem: Mem, sky: Path) -> None:
    sky.write_text("I typed this.\n")
    assert logged(mem) == [("hand", "save", "I typed this."), ("agent", "remember", "The sky is blue.")]
    assert logged(mem) == logged(mem)  # looking twice is no second change
    newest = mem.why("sky").changes[0]
    assert (newest.op, newest.by) == ("save", "hand")
    mem.write("note", "And this.", name="sky")
    assert [each[:2] for each in logged(mem)] == [("agent", "write"), ("hand", "save"), ("agent", "remember")]


@proves("X.27")
@pytest.mark.parametrize("text", ["Other.\n", None, "same and more"])
def test_undo_takes_back_what_was_done_by_hand_before_what_memolith_did(
    mem: Mem, sky: Path, text: str | None
) -> None:
    before = sky.read_bytes()
    after = None if text is None else before + b"More.\n" if text == "same and more" else text.encode()
    sky.unlink()
    if after is not None:
        sky.write_bytes(after)
    done = mem.undo("sky")
    assert (done.by, done.op) == ("hand", "delete" if after is None else "save")
    assert sky.read_bytes() == before
    mem.redo("sky")
    assert (sky.read_bytes() if sky.exists() else None) == after
    mem.undo("sky")
    mem.undo("sky")
    assert not sky.exists()
    with pytest.raises(HistoryError, match="nothing to undo"):
        mem.undo("sky")


@proves("X.27")
def test_an_undo_without_a_name_takes_back_the_newest_line_of_the_log(mem: Mem, sky: Path) -> None:
    mem.remember("The sea is green.", "Sea")
    sky.write_text("I typed this.\n")
    assert mem.undo().by == "hand"
    assert "The sky is blue." in sky.read_text()
    assert mem.undo().name.endswith("sea.md")


@proves("X.27")
def test_what_memolith_does_to_a_file_is_not_called_a_save_by_hand(mem: Mem) -> None:
    mem.remember("The sky is blue.", "Sky")
    mem.write("note", "A secret plan.\nAnother line.", name="sky")
    mem.forget("secret plan")
    edit(mem, "sky", lambda path: int(Path(path).write_text("Edited.\n") < 0))
    edit(mem, "sky", lambda path: int(Path(path).write_text("") < 0))  # memolith puts it back
    mem.rename("sky", "Heaven")
    mem.projects.send("heaven", "user")
    mem.undo()
    mem.redo()
    assert "hand" not in {by for by, _, _ in logged(mem)}


@proves("X.27")
def test_a_torn_or_missing_copy_of_what_was_written_is_no_reason_to_claim_anything(
    mem: Mem, sky: Path
) -> None:
    for kept in Path(mem.home).glob("history/**/written.*"):
        kept.write_text("The sky")
    assert [each[:2] for each in logged(mem)] == [("agent", "remember")]
    sky.write_text("I typed this.\n")
    mem.undo("sky")
    assert not sky.exists()


@proves("X.9")
def test_redo_without_a_name_does_not_reach_past_a_newer_change(mem: Mem) -> None:
    mem.remember("A1", "aa")
    mem.remove("aa")
    mem.undo()
    mem.remember("B1", "bb")
    with pytest.raises(HistoryError, match=r"bb was changed after the last undo; .*redo aa"):
        mem.redo()
    mem.undo()
    assert mem.redo().name.endswith("bb.md")
    assert mem.redo("aa").bytes is None
