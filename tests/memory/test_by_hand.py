"""What people save or delete by hand is a change of its own: in the log, in the history, and for undo."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from memolith import HistoryError, Mem
from memolith.care import written
from memolith.care.edit import edit
from tests.ledger import proves

KEY = "AKIA" + "Q3EGRIVKMO5TJ2XL"


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
@pytest.mark.parametrize("name", ["notes/MEMORY.md", "skills/deploy/SKILL.md", "taken_back.md"])
def test_a_page_that_a_person_writes_beside_the_notes_is_taken_back_before_the_note(
    mem: Mem, sky: Path, store: Path, name: str
) -> None:
    page = store / name
    before = page.read_text() if page.exists() else None
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{before or ''}My own line.\n")
    assert logged(mem) == [("hand", "save", "My own line."), ("agent", "remember", "The sky is blue.")]
    assert mem.undo().name.endswith(name)
    assert (page.read_text() if page.exists() else None) == before
    assert mem.redo().name.endswith(name)
    assert "My own line." in page.read_text()
    mem.undo()
    assert mem.undo().name.endswith("sky.md")
    assert not sky.exists()


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


def copies(mem: Mem) -> list[Path]:
    return [path for path in Path(mem.home).glob("history/**/sky.md/written.*") if path.stat().st_size]


@proves("X.27", "X.8")
def test_no_copy_is_kept_of_a_text_with_a_secret_however_it_came_there(mem: Mem, sky: Path) -> None:
    (kept,) = copies(mem)
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (sky.read_bytes(), 0o600)
    sky.write_text(f"The key is {KEY}\n")
    logged(mem)
    assert copies(mem) == []
    mem.write("note", "A harmless line.", name="sky")
    assert copies(mem) == []
    mem.remove("sky")
    mem.undo("sky")
    assert KEY in sky.read_text()
    assert copies(mem) == []
    mem.write("note", "Nothing else.", "overwrite", name="sky", force=True)
    assert [KEY in path.read_text() for path in copies(mem)] == [False]
    mem.undo("sky")
    assert KEY in sky.read_text()
    assert copies(mem) == []


@proves("X.27", "X.8")
@pytest.mark.parametrize("begin", ["", "The sky is blue.\n", None])
def test_undo_of_a_change_by_hand_keeps_its_text_for_redo_but_not_the_secret_in_it(
    mem: Mem, sky: Path, begin: str | None
) -> None:
    before = sky.read_text()
    sky.write_text(f"{before if begin is None else begin}I typed this.\nThe key is {KEY}\n")
    typed = sky.read_text()
    assert mem.undo("sky").by == "hand"
    assert sky.read_text() == before
    assert KEY not in "".join(
        path.read_text() for path in Path(mem.home).glob("history/**/*.*") if path.is_file()
    )
    mem.redo("sky")
    assert sky.read_text() == typed.replace(KEY, "[secret:aws-key-id]")
    mem.undo("sky")
    assert sky.read_text() == before


@proves("X.27")
def test_undo_of_a_change_by_hand_keeps_what_a_person_allowed(mem: Mem, sky: Path) -> None:
    sky.write_text(f"The key is {KEY} memolith:allow\n")
    mem.undo("sky")
    mem.redo("sky")
    assert KEY in sky.read_text()


@proves("X.27")
def test_the_copy_goes_with_what_is_forgotten_or_removed(mem: Mem, sky: Path) -> None:
    mem.write("note", "The moon is made of cheese.", name="sky")
    mem.forget("made of cheese")
    assert [b"cheese" in path.read_bytes() for path in copies(mem)] == [b"cheese" in sky.read_bytes()]
    mem.write("note", "The moon is far away.", name="sky")
    assert len(copies(mem)) == 1
    mem.remove("sky")
    assert copies(mem) == []


@proves("X.27")
def test_undo_waits_for_who_writes_and_then_takes_back_what_was_done_by_hand(mem: Mem, sky: Path) -> None:
    before = sky.read_bytes()
    sky.write_text("I typed this.\n")
    held = threading.Event()

    def write() -> None:
        with Mem.open(mem.identity.root or ".", home=mem.home) as other, other.gate.scope(mem.project):
            held.set()
            threading.Event().wait(0.3)

    writer = threading.Thread(target=write)
    writer.start()
    held.wait()
    done = mem.undo("sky")
    writer.join()
    assert (done.by, sky.read_bytes()) == ("hand", before)


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


@proves("X.27")
def test_the_log_masks_what_was_typed_by_hand(mem: Mem, sky: Path) -> None:
    sky.write_text("The staging password:\nhunter2zzq9\n")
    assert "hunter2" not in str(logged(mem))
    sky.write_text(f"key = {KEY}\n")
    assert KEY not in str(logged(mem))
    assert ("hand", "save") in [each[:2] for each in logged(mem)]


@proves("X.27")
def test_a_file_made_by_hand_is_in_the_log_and_can_be_undone(mem: Mem, store: Path) -> None:
    made = {
        "notes/plan.md": "The plan.\n",
        "records/decisions/tabs.md": "We use tabs.\n",
        "daily/2026-01-02.md": "- it rained\n",
        "SCRATCHPAD.md": "- [ ] call Ann\n",
        "MEMORY.md": "Of this project.\n",
        "notes/MEMORY.md": "A line of mine\n",
    }
    for name, text in made.items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text(text)
    said = {("hand", "save", text.strip()) for text in made.values()}
    assert set(logged(mem)) == said
    assert logged(mem) == logged(mem)
    assert (mem.why("plan").changes[0].op, mem.why("plan").changes[0].by) == ("save", "hand")
    mem.write("note", "More.", name="plan")
    assert logged(mem)[0][:2] == ("agent", "write")
    mem.undo("plan")
    assert (mem.undo("plan").by, (store / "notes" / "plan.md").exists()) == ("hand", False)
    assert mem.redo("plan").bytes == len("The plan.\n")


@proves("X.27")
def test_what_was_made_by_hand_is_a_change_before_what_is_written_over_it(mem: Mem, store: Path) -> None:
    mem.remember("The sky is blue.", "Sky")
    (store / "notes" / "plan.md").write_text("The plan.\n")
    mem.write("note", "More.", name="plan")
    assert [each[:2] for each in logged(mem)] == [("agent", "write"), ("hand", "save"), ("agent", "remember")]
    mem.undo("plan")
    assert (store / "notes" / "plan.md").read_text() == "The plan.\n"


@proves("X.27")
def test_a_file_renamed_by_hand_was_deleted_and_made(mem: Mem, sky: Path) -> None:
    sky.rename(sky.with_name("heaven.md"))
    assert logged(mem) == [
        ("hand", "delete", "(removed: The sky is blue.)"),
        ("hand", "save", "The sky is blue."),
        ("agent", "remember", "The sky is blue."),
    ]


@proves("X.27", "S0.27")
def test_a_file_whose_history_is_lost_is_not_said_to_be_made_by_hand(mem: Mem) -> None:
    mem.remember("The sky is blue.", "Sky")
    if not hasattr(os, "getxattr"):
        pytest.skip("files cannot be marked here")
    shutil.rmtree(Path(mem.home) / "history")
    assert logged(mem) == []
