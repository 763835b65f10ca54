"""Vectors as recall sees them: similarities, catching up, several processes, damage, no model."""

import multiprocessing
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memolith import Mem
from memolith.env.settings import Settings
from memolith.index.vectors import nearest
from memolith.index.vectors import packs as packs_module
from memolith.index.vectors.meaning import Vectors
from memolith.index.vectors.packs import Packs
from memolith.index.vectors.statements import parts
from tests.index.vectors.stand_ins import Shelf, WordModel, key
from tests.ledger import proves
from tests.shared import ROOT

DAY = 86_400.0


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "home")


def open_vectors(
    shelf: Shelf, model: WordModel | None = None, now: Callable[[], float] = lambda: DAY
) -> Vectors:
    return Vectors(shelf, Settings(shelf.home), model or WordModel(), now)


def file_of(shelf: Shelf) -> Path:
    return Path(shelf.home, "cache", "vectors-2.sqlite3")


@proves("S4.22")
def test_a_text_is_found_although_no_word_matches(shelf: Shelf) -> None:
    rollback, _, _ = shelf.put("shop", "rollback of a migration", "the weather in Paris", "a new logo")
    vectors = open_vectors(shelf)
    assert vectors.sync(["shop"]).complete
    found = vectors.scores(["shop"], "undo")
    assert found[0][0] == rollback
    assert found[0][1] > 0.3 > found[1][1]


@proves("S4.22", "S4.23")
def test_recall_finds_by_meaning_what_no_word_matches_and_without_a_model_by_words(mem: Mem) -> None:
    mem.remember("How to do a rollback of a migration.", "Rollback")
    mem.remember("The weather in Paris is lovely.", "Weather")
    assert mem.recall("undo", semantic=False).hits == []
    mem._vectors = Vectors(mem.index, mem.settings, WordModel())
    assert [hit.title for hit in mem.recall("undo")][:1] == ["Rollback"]
    assert [hit.title for hit in mem.recall("rollback", semantic=False)] == ["Rollback"]


def test_what_has_no_vector_yet_is_found_by_words_among_what_has(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many new notes, a question was answered by the few that had been embedded, or not at all."""
    monkeypatch.setenv("MEMOLITH_SEMANTIC_SECONDS", "0")
    for number in range(8):
        mem.remember(f"Lunch {number}.", f"Lunch {number}")
    mem.remember("The staging database listens on port 5433, behind the gateway of the office.", "Staging")
    mem._vectors = Vectors(mem.index, mem.settings, WordModel())
    found = mem.recall("which port has the staging database?")
    assert [hit.title for hit in found] == ["Staging"]
    assert found.hits[0].score == pytest.approx(
        mem.recall("which port has the staging database?", semantic=False).hits[0].score, abs=0.15
    )
    assert "8 of 9 texts" in found.notes[0]


def test_what_a_message_says_in_passing_is_found_as_if_it_stood_alone(shelf: Shelf) -> None:
    aside = (
        "By the way we had to undo the migration. " + "The weather in Paris was lovely all week long. " * 8
    )
    passing, weather = shelf.put(
        "shop", aside, "The weather in Paris. It was lovely, and warm all week long."
    )
    vectors = open_vectors(shelf)
    assert vectors.sync(["shop"]).total == 2
    near = dict(vectors.scores(["shop"], "by the way we had to rollback the migration"))
    assert near[passing] > 0.9 > near[weather]
    again = vectors.scores(["shop"], "by the way we had to rollback the migration", [passing, weather])
    assert dict(again) == pytest.approx(near)
    shelf.take("shop", passing)
    open_vectors(shelf).sync(["shop"])
    rows = Packs(shelf.home, 1).keys("words", "shop")
    assert {each[:8] for each in rows} == {unit[:8] for _, unit in shelf.hashes(["shop"])}
    assert len(rows) == 3  # the text that is left, and its two sentences


def test_a_document_has_one_vector() -> None:
    text = "A sentence of a long document. " * 30
    assert parts(text) == [(text, False)]
    assert parts("One sentence alone.") == [("One sentence alone.", False)]


def test_questions_and_scraps_are_part_of_a_text_and_no_statements() -> None:
    text = "One two three four. No. Is it five or six? 五六七八。九十一二！One two three four."
    assert parts(text) == [
        ("One two three four.", True),
        ("No.", False),
        ("Is it five or six?", False),
        ("五六七八。", True),
        ("九十一二！", True),
        ("One two three four.", False),
    ]


def test_only_what_is_new_is_embedded(shelf: Shelf) -> None:
    model = WordModel()
    shelf.put("shop", "one", "two")
    open_vectors(shelf, model).sync(["shop"])
    shelf.put("shop", "three", "two")
    coverage = open_vectors(shelf, model).sync(["shop"])
    assert model.seen[:2] == ["one", "two"]
    assert [text for text in model.seen if text in ("one", "two", "three")] == ["one", "two", "three"]
    assert str(coverage) == "words: 3 of 3 texts"


def test_a_long_lived_process_sees_what_was_added_and_removed(shelf: Shelf) -> None:
    first, second = shelf.put("shop", "alpha one", "alpha two")
    vectors = open_vectors(shelf)
    vectors.sync(["shop"])
    assert {unit for unit, _ in vectors.scores(["shop"], "alpha")} == {first, second}
    shelf.take("shop", first)
    assert [unit for unit, _ in vectors.scores(["shop"], "alpha")] == [second]  # even before it caught up
    (third,) = shelf.put("shop", "alpha three")
    vectors.sync(["shop"])
    assert {unit for unit, _ in vectors.scores(["shop"], "alpha")} == {second, third}


def test_the_vector_of_a_removed_text_is_gone_from_the_file(shelf: Shelf) -> None:
    kept, gone = shelf.put("shop", "kept text", "gone text")
    vectors = open_vectors(shelf)
    vectors.sync(["shop"])
    vector = nearest.quantise([b""], WordModel().embed(["gone text"]))[0][2]
    assert vector in file_of(shelf).read_bytes()
    assert key("gone text") in file_of(shelf).read_bytes()
    shelf.take("shop", gone)
    vectors.sync(["shop"])
    data = b"".join(path.read_bytes() for path in file_of(shelf).parent.iterdir())
    assert vector not in data
    assert key("gone text") not in data
    assert [unit for unit, _ in vectors.scores(["shop"], "text")] == [kept]


def test_a_call_embeds_no_longer_than_its_time_and_says_what_is_left(shelf: Shelf) -> None:
    shelf.put("shop", *(f"text number {number}" for number in range(300)))
    model = WordModel()
    vectors = open_vectors(shelf, model)
    coverage = vectors.sync(["shop"], seconds=0)
    assert 0 < coverage.done < coverage.total == 300
    assert (
        str(coverage)
        == f"words: {coverage.done} of 300 texts, {300 - coverage.done} left (memolith index sync)"
    )
    assert len(vectors.scores(["shop"], "text number 7", limit=1000)) == coverage.done
    steps: list[tuple[int, int]] = []
    assert vectors.sync(["shop"], progress=lambda done, total: steps.append((done, total))).complete
    assert steps[-1] == (300, 300)
    assert len(model.seen) == 300  # none of them twice


def test_another_model_has_its_own_vectors_and_the_unused_ones_go_after_a_month(shelf: Shelf) -> None:
    shelf.put("shop", "one", "two")
    day = 10.0
    for name, dimension in (("old", 64), ("new", 96)):
        model = WordModel(name, dimension)
        vectors = open_vectors(shelf, model, lambda: day * DAY)
        assert vectors.scores(["shop"], "one") == []
        vectors.sync(["shop"])
        assert model.seen[:2] == ["one", "two"]
        assert len(vectors.scores(["shop"], "one")) == 2
    assert Packs(shelf.home, 10).keys("old", "shop")
    day = 45.0
    shelf.put("shop", "three")
    open_vectors(shelf, WordModel("new", 96), lambda: day * DAY).sync(["shop"])
    assert not Packs(shelf.home, 45).keys("old", "shop")
    assert len(Packs(shelf.home, 45).keys("new", "shop")) == 3


def test_a_model_that_changed_its_length_under_one_name_is_asked_again(shelf: Shelf) -> None:
    (unit,) = shelf.put("shop", "one")
    open_vectors(shelf, WordModel("m", 64)).sync(["shop"])
    shelf.put("shop", "two")
    vectors = open_vectors(shelf, WordModel("m", 80))
    vectors.sync(["shop"])
    open_vectors(shelf, WordModel("m", 80)).sync(["shop"])
    assert vectors.scores(["shop"], "one")[0][0] == unit


def test_a_model_that_fails_halfway_keeps_what_it_made_and_says_why(shelf: Shelf) -> None:
    shelf.put("shop", *(f"text {number}" for number in range(100)))
    model = WordModel()
    model.fails_after = 64
    coverage = open_vectors(shelf, model).sync(["shop"])
    assert (coverage.done, coverage.total) == (64, 100)
    assert coverage.problem == "the stand-in does not answer"
    model.fails_after = -1
    assert open_vectors(shelf, model).sync(["shop"]).complete
    assert len([text for text in model.seen if text.startswith("text")]) == 100


def test_candidates_are_compared_and_those_without_a_vector_left_out(shelf: Shelf) -> None:
    one, two, three = shelf.put("shop", "alpha", "beta", "alpha beta")
    vectors = open_vectors(shelf)
    vectors.sync(["shop"])
    (late,) = shelf.put("shop", "alpha late")
    found = vectors.scores(["shop"], "alpha", candidates=[two, one, late, 999])
    assert [unit for unit, _ in found] == [one, two]
    assert {unit for unit, _ in vectors.scores(["shop"], "alpha")} == {one, two, three}


def test_two_units_of_the_same_text_share_a_vector(shelf: Shelf) -> None:
    ids = shelf.put("shop", "same", "same")
    model = WordModel()
    vectors = open_vectors(shelf, model)
    assert vectors.sync(["shop"]).total == 1
    assert [unit for unit, _ in vectors.scores(["shop"], "same")] == ids


# ---------------------------------------------------------------- without the model


@proves("S4.23")
def test_without_the_extra_nothing_is_found_by_meaning_and_nothing_fails(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMOLITH_SEMANTIC_PROVIDER")
    shelf.put("shop", "one")
    code = f"""
import sys
sys.modules["numpy"] = None
from memolith.env.settings import Settings
from memolith.index.vectors.meaning import Vectors
class Index:
    home = {shelf.home!r}
vectors = Vectors(Index(), Settings(Index.home))
print(vectors.scores(["shop"], "one"), vectors.sync(["shop"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[] off (memolith semantic install)\n", "")


def test_switched_off_means_off_even_if_vectors_are_there(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("shop", "car")
    open_vectors(shelf).sync(["shop"])
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")
    vectors = Vectors(shelf, Settings(shelf.home))
    assert vectors.scores(["shop"], "car") == []
    assert str(vectors.sync(["shop"])) == "off (semantic.provider is none)"


# ---------------------------------------------------------------- the file


def test_the_file_is_private(shelf: Shelf) -> None:
    old = os.umask(0)
    try:
        shelf.put("shop", "one")
        open_vectors(shelf).sync(["shop"])
    finally:
        os.umask(old)
    assert stat.S_IMODE(file_of(shelf).stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of(shelf).parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["empty", "half", "garbage", "text", "directory-less", "deleted"])
def test_a_damaged_file_is_made_again(shelf: Shelf, damage: str) -> None:
    shelf.put("shop", *(f"text {number}" for number in range(50)))
    expected = [unit for unit, _ in _synced(shelf).scores(["shop"], "text 7")]
    data = file_of(shelf).read_bytes()
    if damage in ("directory-less", "deleted"):
        file_of(shelf).unlink()
        if damage == "directory-less":
            file_of(shelf).parent.rmdir()
        assert open_vectors(shelf).scores(["shop"], "text 7") == []
    else:
        broken = {"empty": b"", "half": data[: len(data) // 2], "text": b"no database at all " * 500}
        file_of(shelf).write_bytes(broken.get(damage, data[:100] + os.urandom(len(data) - 100)))
    assert [unit for unit, _ in _synced(shelf).scores(["shop"], "text 7")] == expected


def test_a_flipped_bit_in_a_vector_is_noticed(shelf: Shelf) -> None:
    shelf.put("shop", *(f"text {number}" for number in range(50)))
    expected = _synced(shelf).scores(["shop"], "text 7")
    vector = nearest.quantise([b""], WordModel().embed(["text 7"]))[0][2]
    data = bytearray(file_of(shelf).read_bytes())
    data[data.index(vector) + 5] ^= 0x40
    file_of(shelf).write_bytes(data)
    vectors = _synced(shelf)
    vectors.scores(["shop"], "text 7")  # sees the damage and drops the pack
    assert _synced(shelf).scores(["shop"], "text 7") == expected


def _synced(shelf: Shelf) -> Vectors:
    for _ in range(3):  # a file that turns out damaged is emptied, and filled by the next call
        vectors = open_vectors(shelf)
        if vectors.sync(["shop"]).complete and vectors.scores(["shop"], "text"):
            break
    return vectors


def test_vectors_that_are_lost_after_they_were_counted_are_made_again(shelf: Shelf) -> None:
    """Found by `prove attack`: the answer was that of the words alone, and nothing said so."""
    shelf.put("shop", "undo a migration", "the office has plants")
    fresh = open_vectors(shelf)
    fresh.sync(["shop"])
    right = fresh.scores(["shop"], "rollback")
    vectors = open_vectors(shelf)
    assert vectors.sync(["shop"]).complete
    file_of(shelf).write_bytes(b"")
    assert vectors.scores(["shop"], "rollback") == right


def test_a_file_that_cannot_be_written_stops_nothing(shelf: Shelf) -> None:
    shelf.put("shop", "one")
    file_of(shelf).mkdir(parents=True)
    coverage = open_vectors(shelf).sync(["shop"])
    assert not coverage.complete
    assert str(file_of(shelf)) in coverage.problem
    assert open_vectors(shelf).scores(["shop"], "one") == []


def test_a_link_in_the_place_of_the_file_is_not_followed(shelf: Shelf, tmp_path: Path) -> None:
    shelf.put("shop", "one")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    file_of(shelf).parent.mkdir(parents=True)
    file_of(shelf).symlink_to(elsewhere)
    coverage = open_vectors(shelf).sync(["shop"])
    assert "is a symbolic link" in coverage.problem
    assert elsewhere.read_bytes() == b""


_KILLED = """
import sys
from memolith.index.vectors import nearest as scan
from memolith.index.vectors.packs import Packs
from memolith.index.vectors.statements import parts
from tests.index.vectors.stand_ins import WordModel, key
packs = Packs(sys.argv[1], 1)
for number in range(10_000):
    assert packs.add("words", "shop", scan.quantise([key(str(number))], WordModel().embed([str(number)])))
    print(number, flush=True)
"""


def test_what_was_kept_before_a_kill_is_there_after_it(shelf: Shelf) -> None:
    done = -1
    for stop in (3, 20, 57):
        with subprocess.Popen(
            [sys.executable, "-c", _KILLED, shelf.home], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as worker:
            assert worker.stdout is not None
            for line in worker.stdout:
                done = max(done, int(line))
                if int(line) == stop:
                    worker.kill()
                    break
        known = Packs(shelf.home, 1).keys("words", "shop")
        assert {key(str(number)) for number in range(done + 1)} <= known


def test_threads_of_a_server_may_ask_at_the_same_time(shelf: Shelf) -> None:
    ids = shelf.put("shop", *(f"text {number}" for number in range(64)))
    vectors = open_vectors(shelf)
    vectors.sync(["shop"])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda at: vectors.scores(["shop"], f"text {at}", limit=1)[0][0], range(64)))
    assert found == ids


def test_a_search_sees_the_scopes_it_is_for_and_no_other(shelf: Shelf) -> None:
    owner = dict.fromkeys(shelf.put("", "a topic of the user"), "")
    for project in range(10):
        texts = [f"topic {number} of project {project}" for number in range(20)]
        owner.update(dict.fromkeys(shelf.put(f"p{project}", *texts), f"p{project}"))
    vectors = open_vectors(shelf)
    vectors.sync(["", *(f"p{project}" for project in range(10))])
    for number in range(200):
        mine = f"p{number % 10}"
        found = vectors.scores(["", mine], f"topic {number % 20} of project {number % 7}")
        assert {owner[unit] for unit, _ in found} == {"", mine}


def _fill(home: str, first: int) -> None:
    packs = Packs(home, 1)
    for number in range(first, first + 40):
        name = f"text {number}"
        assert packs.add("words", "shop", nearest.quantise([key(name)], WordModel().embed([name])))


def test_several_processes_add_at_the_same_time(shelf: Shelf) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(shelf.home, 40 * number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    shelf.put("shop", *(f"text {number}" for number in range(160)))
    model = WordModel()
    vectors = open_vectors(shelf, model)
    assert vectors.sync(["shop"]).complete
    assert not [text for text in model.seen if text.startswith("text")]  # all were there
    assert len(Packs(shelf.home, 1).numbers("words", "shop")) < 12  # small packs were joined


# ---------------------------------------------------------------- the scan


@pytest.mark.parametrize("count", [3, 5_000, 30_000])
def test_the_nearest_rows_are_those_of_an_exact_search(shelf: Shelf, count: int) -> None:
    numbers = np.random.default_rng(count)
    centres = numbers.standard_normal((50, 96))
    rows = (centres[numbers.integers(50, size=count)] + numbers.standard_normal((count, 96))).astype(
        np.float32
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    keys = [key(str(number)) for number in range(count)]
    packs = Packs(shelf.home, 1)
    packs.add("m", "shop", nearest.quantise(keys, rows))
    matrix = nearest.Matrix()
    matrix.refresh(packs, "m", "shop")
    shares = []
    for row in rows[:20]:
        query = row + numbers.standard_normal(96).astype(np.float32) * 0.05
        query /= np.linalg.norm(query)
        exact = np.argsort(-(rows @ query))[:10]
        names, scores = matrix.nearest(query, 10)
        assert np.all(np.diff(scores) <= 0)
        wanted = set(nearest.names(b"".join(keys[at] for at in exact)).tolist())
        shares.append(len(wanted & set(names.tolist())) / len(wanted))
    assert sum(shares) / len(shares) > 0.97


def test_many_small_additions_make_few_packs(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs_module, "FULL", 64)
    packs = Packs(shelf.home, 1)
    model = WordModel()
    for number in range(300):
        assert packs.add("words", "shop", nearest.quantise([key(str(number))], model.embed([str(number)])))
    assert len(packs.keys("words", "shop")) == 300
    assert len(packs.numbers("words", "shop")) <= 300 // 64 + 8
