"""Whatever happens to the file of the index, the answers are those of a fresh one (R5)."""

import os
import random
import sqlite3
import time
import zlib
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prove.attack.flips import bits, rewrite
from prove.damage import DAMAGE

from memolith.env.paths import Place
from memolith.index import Index, schema
from memolith.store import page_sums
from memolith.store.derived import Derived
from tests.index.corpus import BOTH, SLUG, everything, fill, ranked, write
from tests.ledger import proves
from tests.shared import LONG


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    fill(place)
    return place


@proves("S3.24")
@pytest.mark.parametrize(
    ("name", "opened"),
    [(name, False) for name in list(DAMAGE)[:: 1 if LONG else 3]]
    + [(name, True) for name in ("deleted", "flip 1", "cut 10")],
)
def test_a_damaged_index_is_made_anew_with_the_same_answers(home: Path, name: str, opened: bool) -> None:
    with Index(str(home)) as index:
        fresh = everything(index)
        if not opened:
            index.close()
        DAMAGE[name](Path(index.path))
        state = index.sync(BOTH)
        assert (state.complete, state.notes) == (True, [])
        assert everything(index) == fresh


def test_a_new_index_takes_along_those_of_other_versions_that_nobody_writes(home: Path) -> None:
    cache = home / "cache"
    cache.mkdir(exist_ok=True)
    old, used, other = (cache / name for name in ("index-3-x.sqlite3", "index-4-x.sqlite3", "list"))
    for file in (old, used, other):
        file.write_text("words")
    for file in (old, other):
        os.utime(file, (1_000_000_000, 1_000_000_000))
    with Index(str(home)) as index:
        assert everything(index)
    assert [file.exists() for file in (old, used, other)] == [False, True, True]


@pytest.mark.parametrize("end", ["", ".sums", "-journal"])
def test_a_directory_in_the_place_of_a_file_of_the_index_is_named_and_answered_from_memory(
    home: Path, end: str
) -> None:
    with Index(str(home)) as index:
        fresh = everything(index)
    place = Path(f"{index.path}{end}")
    place.unlink(missing_ok=True)
    place.mkdir()
    if end:
        Path(index.path).write_bytes(b"")
    with Index(str(home)) as index:
        assert everything(index) == fresh
        assert f"{place}: is a directory" in index.sync(BOTH).notes[0]


def test_a_locked_index_is_answered_from_memory_and_says_so(home: Path) -> None:
    """A prompt waited for it for four seconds, and got nothing."""
    with Index(str(home), wait=0.05) as index:
        fresh = everything(index)
        write(home, "memory/notes/new.md", "a zebra")
        holder = sqlite3.connect(index.path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        assert ranked(index, "zebra") == ["notes/new.md"]
        state = index.sync(BOTH)
        assert state.complete
        assert "memory only" in state.notes[0]
        (home / "memory/notes/new.md").unlink()
        assert everything(index) == fresh
        holder.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_cache_is_read_and_changes_are_answered_from_memory(home: Path) -> None:
    with Index(str(home)) as index:
        fresh = everything(index)
        cache = Path(index.path).parent
    for path in cache.iterdir():
        path.chmod(0o400)
    cache.chmod(0o500)
    try:
        with Index(str(home)) as index:
            assert everything(index) == fresh
            assert index.sync(BOTH).notes == []
            write(home, "memory/notes/new.md", "a zebra")
            assert ranked(index, "zebra") == ["notes/new.md"]
            assert index.sync(BOTH).notes
    finally:
        cache.chmod(0o700)


def test_a_cache_that_is_a_file_or_a_link_is_not_used(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (home / "cache").symlink_to(tmp_path / "elsewhere")
    with Index(str(home)) as index:
        assert ranked(index, "tea") == ["MEMORY.md#L3-4"]
        assert "symbolic link" in index.sync(BOTH).notes[0]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_without_fts5_an_ordinary_table_gives_the_same_answers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Index(str(home)) as index:
        fresh = everything(index)
        index.rebuild(BOTH)
        monkeypatch.setattr(schema, "_FTS", "CREATE VIRTUAL TABLE words USING no_such_module(terms)")
        index.rebuild(BOTH)
        assert everything(index) == fresh
        write(home, "memory/projects/shop/notes/topic-000.md", "changed")
        assert "projects/shop/notes/topic-000.md" not in ranked(index, "redis")


def test_an_index_grown_in_any_order_answers_like_a_fresh_one(home: Path) -> None:
    with Index(str(home)) as index:
        index.sync(BOTH)
        notes = sorted((home / "memory/projects/shop/notes").iterdir())
        texts = {path: path.read_text() for path in notes}
        for path in notes[::2]:
            path.unlink()
        index.sync(BOTH)
        for path in reversed(notes):
            path.write_text(texts[path] + "more\n")
            index.sync(BOTH)
        grown = everything(index)
        index.rebuild(BOTH)
        assert everything(index) == grown


def test_the_file_is_private(home: Path) -> None:
    with Index(str(home)) as index:
        index.sync(BOTH)
        assert Path(index.path).stat().st_mode & 0o777 == 0o600
        assert Path(index.path).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.DatabaseError("malformed"),
        UnicodeDecodeError("utf-8", b"\x8b", 0, 1, "x"),
        zlib.error("invalid distance too far back"),
        TypeError("'NoneType' object is not subscriptable"),
        IndexError("array index out of range"),
    ],
)
def test_an_index_that_is_damaged_time_and_again_is_answered_from_memory_and_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Found by `prove faults`: an error of SQLite came out, or an empty answer."""
    with Index(str(home)) as index:
        fresh = everything(index)

        def damaged(_wait: float) -> sqlite3.Connection:
            raise error

        monkeypatch.setattr(index._file, "connection", damaged)
        assert everything(index) == fresh
        assert "memory only" in index.sync(BOTH).notes[0]


def test_what_somebody_changed_in_the_middle_of_a_write_is_not_sealed(tmp_path: Path) -> None:
    """Else it would be believed for ever; `prove faults` damages the index while it is asked."""

    def build(database: sqlite3.Connection) -> None:
        database.execute("CREATE TABLE t (word)")

    file = Derived(str(tmp_path), "x.sqlite3", 1, build)
    with file.writing(1) as connection:
        connection.execute("INSERT INTO t VALUES ('zebra')")

    def write_and_change() -> None:
        with file.writing(1) as connection:
            connection.execute("INSERT INTO t VALUES ('other')")
            Path(file.path).write_bytes(Path(file.path).read_bytes().replace(b"zebra", b"horse"))

    with pytest.raises(sqlite3.Error, match="changed"):
        write_and_change()
    assert file.connection() is None


def test_an_index_that_is_thrown_away_while_it_is_brought_up_to_date_is_whole_afterwards(home: Path) -> None:
    """Found by reading on after `prove faults`: the new one had only what had changed."""
    time.sleep(0.06)  # what is younger is read again each time
    with Index(str(home)) as index:
        index.sync(BOTH)
        write(home, f"memory/projects/{SLUG}/notes/new.md", "Something else.\n")
        thrown: list[str] = []

        def throw(_done: int, _total: int) -> None:  # what changed is known, nothing is written yet
            if not thrown:
                thrown.append(index.path)
                Path(index.path).unlink()

        state = index.sync(BOTH, progress=throw)
        assert thrown
        assert (state.complete, state.notes) == (True, [])
        index.trust(BOTH)  # else it is mended in between
        found = everything(index)
        Path(index.path).unlink()
    with Index(str(home)) as fresh:
        assert everything(fresh) == found


@proves("S3.24")
@pytest.mark.parametrize("opened", [False, True])
def test_bits_that_flip_while_the_times_are_kept_change_no_answer(home: Path, opened: bool) -> None:
    """18 of 300 answers were others, and two a TypeError. The long run: `prove attack`."""
    with Index(str(home)) as index:
        fresh = everything(index)
        for seed in range(40 if LONG else 8):
            if not opened:
                index.close()
            path = Path(index.path)
            rewrite(path, bits(path.read_bytes(), b"", random.Random(seed)))
            assert everything(index) == fresh, seed
            assert index.sync(BOTH).notes == []


def test_a_write_notes_the_sums_of_the_pages_that_it_changed_and_of_no_other(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One too few, and a good index would be thrown away; all of them, and a write would read everything."""
    with Index(str(home)) as index:
        index.sync(BOTH)
        made = schema.identity(index._connection() or sqlite3.connect(":memory:"))
        read: list[int] = []
        pages = page_sums._pages

        def reading(file: int, begin: int, end: int, page: int) -> Iterator["array[int]"]:
            read.append(begin)
            return pages(file, begin, end, page)

        monkeypatch.setattr(page_sums, "_pages", reading)
        notes = sorted((home / "memory/projects/shop/notes").iterdir())
        for number, path in enumerate([*notes, *notes[::3]]):
            if number % 3:
                path.write_text(f"{'zebra horse ' * number}\n")
            else:
                path.unlink(missing_ok=True)
            index.sync(BOTH)
            stamp = Place.of(index.path).fingerprint()
            assert stamp is not None
            assert 0 not in read
            assert page_sums.Sums(index.path).hold(stamp)
            read.clear()
        assert schema.identity(index._connection() or sqlite3.connect(":memory:")) == made


def test_a_large_file_that_was_found_right_is_not_read_again_for_ten_minutes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_sums, "_SMALL", 0)
    looks: list[int] = []
    look = page_sums._is_right

    def looking(*given: Any) -> bool:
        looks.append(given[0])
        return look(*given)

    monkeypatch.setattr(page_sums, "_is_right", looking)

    def asked() -> int:
        looks.clear()
        with Index(str(home)) as index:
            assert ranked(index, "tea") == ["MEMORY.md#L3-4"]
        return len(looks)

    asked()
    assert asked() == 0
    with Index(str(home)) as index:
        path = Path(index.path)
    os.utime(path)  # somebody touched it: what is in it may be something else
    assert (asked(), asked()) == (1, 0)
    later = time.time() + page_sums.TRUSTED + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert asked() == 1


def test_an_emptied_file_is_damage() -> None:
    """Found by `prove faults`: it was a TypeError."""
    with pytest.raises(sqlite3.DatabaseError):
        schema.words(sqlite3.connect(":memory:"))
