"""No answer is older than the files: whatever way a change came, the next query sees it (R12)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.index import Index, walk
from tests.index.corpus import BOTH, SLUG, ranked, session, write
from tests.ledger import proves

NOTES = f"memory/projects/{SLUG}/notes"
KEY = f"projects/{SLUG}/notes/a.md"


def overwritten(path: Path) -> None:
    path.write_text("zebra\n")


def in_place(path: Path) -> None:
    with path.open("r+") as file:
        file.write("zebra")


def same_size_and_times(path: Path) -> None:
    before = path.stat()
    in_place(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(path: Path) -> None:
    other = path.with_name("a.md~")
    other.write_text("zebra crossing\n")
    other.replace(path)


def copied_with_times(path: Path) -> None:
    other = path.with_name("copy.txt")
    other.write_text("zebra")
    os.utime(other, ns=(1, path.stat().st_mtime_ns))
    shutil.copy2(other, path)


def moved_in(path: Path) -> None:
    path.unlink()
    other = path.parent.parent / "away.md"
    other.write_text("zebra\n")
    other.rename(path)


def directory_swapped(path: Path) -> None:
    parent = path.parent
    shutil.copytree(parent, parent.with_name("other"))
    (parent.with_name("other") / "a.md").write_text("zebra\n")
    parent.rename(parent.with_name("old"))
    parent.with_name("other").rename(parent)


def by_another_process(path: Path) -> None:
    subprocess.run([sys.executable, "-c", f"open({str(path)!r}, 'w').write('zebra')"], check=True)


CHANGES: list[Callable[[Path], None]] = [
    overwritten,
    in_place,
    same_size_and_times,
    replaced,
    copied_with_times,
    moved_in,
    directory_swapped,
    by_another_process,
]


@proves("S3.22")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("long_lived", [True, False])
def test_every_way_to_change_a_file_is_seen_by_the_next_query(
    tmp_path: Path, change: Callable[[Path], None], long_lived: bool
) -> None:
    path = write(tmp_path, f"{NOTES}/a.md", "horse\n")
    index = Index(str(tmp_path))
    for _ in range(3):  # the third answer is the first one with the help of the journal
        assert ranked(index, "horse") == [KEY]
    change(path)
    index = index if long_lived else Index(str(tmp_path))
    assert ranked(index, "zebra") == [KEY]
    path.unlink()
    assert ranked(index, "zebra horse") == []
    path.write_text("horse\n")
    assert ranked(index, "horse") == [KEY]


@pytest.mark.parametrize("long_lived", [True, False])
def test_fifty_quick_edits_of_the_same_size_are_all_seen(tmp_path: Path, long_lived: bool) -> None:
    path = write(tmp_path, f"{NOTES}/a.md", "word000\n")
    index = Index(str(tmp_path))
    for number in range(50):
        if not long_lived:
            index = Index(str(tmp_path))
        path.write_text(f"word{number:03}\n")
        assert ranked(index, f"word{number:03}") == [KEY]


def test_new_directories_and_new_projects_are_seen(tmp_path: Path) -> None:
    with Index(str(tmp_path)) as index:
        for _ in range(3):
            assert ranked(index, "zebra") == []
        write(tmp_path, f"memory/projects/{SLUG}/records/decisions/d.md", "zebra\n")
        assert ranked(index, "zebra") == [f"projects/{SLUG}/records/decisions/d.md"]
        write(tmp_path, "memory/projects/other/notes/n.md", "zebra\n")
        assert len(ranked(index, "zebra")) == 1
        assert ranked(index, "zebra", ["other"]) == ["projects/other/notes/n.md"]
        shutil.rmtree(tmp_path / "memory")
        assert ranked(index, "zebra") == []


def test_more_changes_than_the_kernel_queues_are_seen(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"{NOTES}/{name}.md", "horse\n") for name in "ab"]
    with Index(str(tmp_path)) as index:
        for _ in range(3):
            index.sync(BOTH)
        for _ in range(9000):
            for path in paths:  # in turn: equal events in a row are one
                os.utime(path)
        paths[0].write_text("zebra\n")
        assert ranked(index, "zebra") == [KEY]


def test_what_one_writes_the_same_process_reads(tmp_path: Path, work: Path) -> None:
    mem = Mem.open(work, home=tmp_path / "home")
    with Index(mem.home) as index:
        for number in range(5):
            mem.remember(f"The number{number} is here.", f"Title {number}")
            mem.write("daily", f"entry{number}")
            assert ranked(index, f"number{number}", ["", mem.project])
            assert ranked(index, f"entry{number}", ["", mem.project])


def test_a_forked_child_and_its_parent_both_see_changes(tmp_path: Path) -> None:
    path = write(tmp_path, f"{NOTES}/a.md", "horse\n")
    index = Index(str(tmp_path))
    for _ in range(3):
        index.sync(BOTH)
    path.write_text("zebra\n")
    child = os.fork()
    if child == 0:
        os._exit(0 if ranked(index, "zebra") == [KEY] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert ranked(index, "zebra") == [KEY]


@proves("S3.40")
def test_a_session_that_grows_keeps_the_rows_of_its_turns(tmp_path: Path) -> None:
    turns = [("user", f"question {n}") for n in range(5)]
    session(tmp_path, "s", turns)
    with Index(str(tmp_path)) as index:
        index.sync(BOTH)
        before = index.hashes(BOTH)
        index.sync(BOTH)
        assert index.hashes(BOTH) == before
        session(tmp_path, "s", [*turns, ("assistant", "an answer")])
        assert index.sync(BOTH).units == 6
        assert index.hashes(BOTH)[:5] == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named_and_the_others_are_found(tmp_path: Path) -> None:
    write(tmp_path, f"{NOTES}/a.md", "horse\n")
    path = write(tmp_path, f"{NOTES}/b.md", "zebra\n")
    path.chmod(0)
    with Index(str(tmp_path)) as index:
        state = index.sync(BOTH)
        assert not state.complete
        assert "b.md" in state.missing[0]
        assert ranked(index, "horse") == [KEY]
        path.chmod(0o600)
        assert index.sync(BOTH).complete
        assert ranked(index, "zebra") == [f"projects/{SLUG}/notes/b.md"]


def test_time_that_runs_out_is_named_and_something_is_always_done(tmp_path: Path) -> None:
    for number in range(401):
        write(tmp_path, f"{NOTES}/a{number}.md", "horse\n")
    with Index(str(tmp_path)) as index:
        state = index.sync(BOTH, seconds=-1)
        assert (state.complete, state.changed, state.files) == (False, 400, 400)
        assert "not reached in time" in state.missing[0]
        # What is new comes first, however many of the others are too young for their times to be believed.
        state = index.sync(BOTH, seconds=-1)
        assert (state.changed, state.files) == (1, 401)
        assert index.sync(BOTH).complete


def test_links_and_what_nobody_asked_for_in_the_inbox_are_no_memory(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "zebra\n")
    path = write(tmp_path, f"{NOTES}/a.md", "horse\n")
    path.with_name("link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(path.with_name("pipe.md"))
    write(tmp_path, f"memory/projects/{SLUG}/inbox/1.md", "zebra\n")
    write(tmp_path, f"{NOTES}/held.md", "---\nstatus: quarantined\n---\nzebra\n")
    (tmp_path / "memory" / "notes").symlink_to(path.parent)
    with Index(str(tmp_path)) as index:
        assert ranked(index, "zebra horse") == [KEY]


def test_the_signature_of_a_directory_is_the_sum_of_its_files(tmp_path: Path) -> None:
    for name in ("a", "b", "ü"):
        write(tmp_path, f"{NOTES}/{name}.md", name)
    place = next(place for place in walk.places(SLUG) if place.path == NOTES)
    entries = walk.entries(str(tmp_path), place)
    total = sum(entry.digest() for entry in entries.values()) & ((1 << 63) - 1)
    assert walk.signature(str(tmp_path), place) == total


def test_large_files_are_taken_in_a_few_at_a_time(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path, f"{NOTES}/{number}.md", f"word{number} " + "hay " * 100_000)
    told: list[tuple[int, int]] = []
    with Index(str(tmp_path)) as index:
        state = index.sync(BOTH, progress=lambda done, total: told.append((done, total)))
        assert told == [(0, 5), (2, 5), (4, 5), (5, 5)]
        assert state.complete
        found = [ranked(index, f"word{number}")[0] for number in range(5)]
        assert found == [f"projects/{SLUG}/notes/{number}.md" for number in range(5)]


@pytest.mark.parametrize("year", [-300, 0, 260, 500])
def test_a_file_of_any_time_is_found_and_found_again(tmp_path: Path, year: int) -> None:
    """After 2262 its nanoseconds are more than SQLite's integers hold."""
    path = write(tmp_path, f"{NOTES}/a.md", "a zebra")
    os.utime(path, (0, year * 31_556_952))
    with Index(str(tmp_path)) as index:
        for _ in range(2):
            assert ranked(index, "zebra") == [KEY]
            assert index.sync(BOTH).complete


def test_a_name_that_is_no_text_hides_only_its_file(tmp_path: Path) -> None:
    write(tmp_path, f"{NOTES}/a.md", "a zebra")
    (tmp_path / NOTES / os.fsdecode(b"b\xff.md")).write_text("a zebra")
    with Index(str(tmp_path)) as index:
        assert KEY in ranked(index, "zebra")
