"""What a crash, a full or a read-only disk leaves; `prove faults` interrupts the commands themselves."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest
from prove.lines import kept, line, memory_files, tokens

from memolith import Mem
from memolith.base.errors import StorageError
from memolith.care.edit import edit
from memolith.edges.cli import main
from memolith.edges.cli.slash import slash
from memolith.edges.mcp.tools import Tools
from tests.ledger import proves
from tests.store import intruder

OLD = "".join(line(f"old{number}") + "\n" for number in range(20))
NEW = "".join(line(f"new{number}") + "\n" for number in range(30))

# ---------------------------------------------------------------- what a crash left


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
    assert {b"zebra half a li", b"zebra half a note"} <= kept(mem)


@proves("S0.21")
def test_what_a_crash_left_unfinished_is_kept_but_never_brought_back_by_a_plain_undo(mem: Mem) -> None:
    mem.write("long_term", "one\n")
    mem.write("long_term", "two\n", "overwrite")
    (mem.root / ".tmp" / "MEMORY.md.0").write_text("thr")  # killed while it wrote "three"
    mem.undo("MEMORY.md")
    assert mem.read() == "one\n"
    assert b"thr" in kept(mem)


@proves("S0.21", "X.9")
def test_a_change_that_was_killed_before_its_history_was_written_can_be_undone(mem: Mem) -> None:
    mem.write("long_term", "one\n")
    fresh = mem.root / ".tmp" / "MEMORY.md.0"
    fresh.write_text("two\n")
    intruder.exchange(str(fresh), str(mem.root / "MEMORY.md"))  # killed right after it
    assert mem.read() == "two\n"
    mem.undo("MEMORY.md")
    assert mem.read() == "one\n"


# ---------------------------------------------------------------- full and read-only disks


@proves("X.21")
def test_a_full_disk_is_told_damages_nothing_and_is_no_obstacle_once_there_is_room(
    disk: Callable[[str], Path], work: Path
) -> None:
    place = disk("size=128k")
    mem = Mem.open(work, home=place / "home")
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
    assert "afterwards" in tokens("\n".join(each.decode() for each in memory_files(mem).values()))
    assert not list(mem.root.rglob(".tmp/*"))


@pytest.mark.parametrize("size", ["24k", "32k", "40k", "48k", "64k", "96k"])
@proves("X.21")
def test_an_overwrite_on_a_disk_of_any_small_size_is_complete_or_not_done(
    disk: Callable[[str], Path], work: Path, size: str
) -> None:
    mem = Mem.open(work, home=disk(f"size={size}") / "home")
    told = "nothing"
    for text in (OLD, NEW * 8, OLD * 4, NEW * 16, OLD):
        before = memory_files(mem).get("MEMORY.md")
        try:
            mem.write("long_term", text, "overwrite", force=True)
        except StorageError as error:
            told = str(error)
            assert memory_files(mem).get("MEMORY.md") == before
        else:
            assert memory_files(mem)["MEMORY.md"] == text.encode()
    if size in ("24k", "32k", "96k"):  # in between it depends on the size of a page
        assert ("No space left" in told) == (size != "96k")


@proves("X.21")
def test_a_read_only_disk_can_be_read_and_a_write_says_why(disk: Callable[[str], Path], work: Path) -> None:
    place = disk("size=1m")
    mem = Mem.open(work, home=place / "home")
    mem.write("long_term", OLD)
    before = memory_files(mem)
    disk("remount,ro")
    for target in ("long_term", "note"):
        with pytest.raises(StorageError, match=r"Read-only file system.*writable"):
            mem.write(target, NEW, "overwrite", name="topic", force=True)
    assert memory_files(mem) == before
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
            mem.write("long_term", NEW, "overwrite", force=True)
    assert mem.read() == OLD
    assert not list(mem.root.rglob(".tmp/*"))


# ---------------------------------------------------------------- no history


@proves("S0.27")
def test_a_write_whose_history_cannot_be_kept_still_happens_and_warns(mem: Mem) -> None:
    Path(mem.home).mkdir()
    Path(mem.home, "history").write_text("not a directory")
    mem.write("long_term", OLD)
    result = mem.write("long_term", NEW, "overwrite", force=True)
    assert mem.read() == NEW
    assert [each for each in result.warnings if "history" in each]
    mem.write("long_term", "- more\n")
    assert mem.read() == NEW + "- more\n"


@proves("S0.27")
def test_what_destroys_without_a_version_says_so_at_every_door_and_promises_no_undo(mem: Mem) -> None:
    for name in "abcd":
        mem.write("note", "x", name=name)
    records = [
        mem.records.add(text, category="decisions", scope="project").id
        for text in ("Ada runs the build", "Ports start at 7000", "Logs go to syslog")
    ]
    ticket = mem.tickets.add("Fix it").id
    mem.write("scratchpad", "- [ ] x")
    rmtree(Path(mem.home, "history"))
    Path(mem.home, "history").write_text("not a directory")
    tools = Tools(mem)
    said = [
        str(mem.remove("a").as_dict()),
        str(mem.rename("b", "Other").as_dict()),
        str(mem.records.delete(records[0]).as_dict()),
        str(mem.records.reclassify(records[1], "principles").as_dict()),
        str(mem.tickets.delete(ticket).as_dict()),
        str(mem.edit("note", name="c")),
        tools.call("memory_edit", {"target": "note", "name": "d"}).text,
        tools.call("memory_edit", {"target": f"memory://root/records/decisions/{records[2]}.md"}).text,
        slash(mem, "clear scratchpad").text,
    ]
    for each in said:
        assert "could not be put into the history" in each
        assert "undo" not in each


@proves("S0.27")
def test_an_edit_and_a_refusal_without_a_version_stand_and_promise_no_undo(
    mem: Mem, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work)
    mem.write("note", "hello", name="a")
    mem.from_source("imported", "web").remember("Held web text.", title="W")
    rmtree(Path(mem.home, "history"))
    Path(mem.home, "history").write_text("not a directory")

    def typed(path: str) -> int:
        Path(path).write_text(Path(path).read_text().replace("hi", "good day"))
        return 0

    said = []
    for words in (["edit", "a", "--old", "hello", "--new", "hi"], ["review", "refuse", "--all"]):
        assert main(words) == 0
        said.append("".join(capsys.readouterr()))
    said.append(str(edit(mem, "a", typed)))
    assert mem.read("note", name="a").strip().endswith("good day")
    for each in said:
        assert "could not be put into the history" in each
        assert "undo" not in each


@proves("S0.27", "X.9")
def test_what_could_not_be_put_into_the_history_is_there_once_it_can(mem: Mem) -> None:
    Path(mem.home).mkdir()
    blocker = Path(mem.home, "history")
    blocker.write_text("not a directory")
    mem.write("long_term", OLD)
    mem.write("long_term", NEW, "overwrite", force=True)
    mem.write("long_term", "third\n", "overwrite", force=True)
    blocker.unlink()
    mem.write("long_term", "fourth\n", "overwrite")
    assert {OLD.encode(), NEW.encode(), b"third\n"} <= kept(mem)
    assert not list(mem.root.rglob(".tmp/*"))
