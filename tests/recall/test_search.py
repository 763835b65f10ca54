"""Search: literal, deterministic, over the files themselves."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError, Mem, SearchHit, SearchResults, StorageError, Tools
from memolith.edges.cli import main
from memolith.recall.search import search
from tests.ledger import proves


def names(results: SearchResults) -> list[str]:
    return [hit.path.name for hit in results.hits]


@proves("S0.54", "S0.61", "S0.62", "S0.56")
def test_terms_keep_their_order_and_count_matching_lines_over_all_files(mem: Mem) -> None:
    mem.write("long_term", "alpha Beta\nbeta\ngamma")
    mem.write("note", "ALPHABET soup", name="soup")
    results = mem.search("beta  alpha BETA nothing")
    assert results.terms == [("beta", 2), ("alpha", 2), ("nothing", 0)]
    first, second = results.hits
    assert isinstance(first, SearchHit)
    assert first.path == mem.root / "MEMORY.md"
    assert first.matched_terms == ["beta", "alpha"]
    assert first.total_hits == 2
    assert first.is_memory_md
    assert not first.filename_only
    assert first.date is None
    assert second.matched_terms == ["alpha"]


@proves("S0.55")
@pytest.mark.parametrize("term", ["a+b", "C++", "(x)", ".*", "[a]", "\\d", "^x", "a|b", "%_", "'\""])
def test_terms_are_literal(mem: Mem, term: str) -> None:
    mem.write("note", f"here is {term} in a line", name="has")
    mem.write("note", "aab xx abc d 1 plain", name="not")
    assert names(mem.search(term)) == ["has.md"]


@proves("S0.57")
def test_matches_come_with_three_lines_around_and_at_most_five_windows(mem: Mem) -> None:
    lines = [f"line {n}" for n in range(200)]
    for n in (10, 14, 40, 80, 120, 160, 190):
        lines[n] = f"hit {n}"
    mem.write("note", "\n".join(lines), name="n")
    body = mem.search("hit").hits[0].body
    windows = body.split("\n⋯\n")
    assert len(windows) == 5
    assert windows[0].splitlines() == lines[7:18]
    assert windows[4].splitlines() == lines[157:164]
    assert mem.search("hit").hits[0].total_hits == 7


@proves("S0.58")
def test_a_matching_file_name_gives_a_preview(mem: Mem) -> None:
    mem.write("note", "\nfirst\n\nsecond\nthird\nfourth", name="deployment")
    hit = mem.search("DEPLOY").hits[0]
    assert hit.filename_only
    assert hit.total_hits == 0
    assert hit.body == "first\nsecond\nthird"
    assert hit.matched_terms == ["DEPLOY"]


@proves("S0.59", "X.23")
def test_ranking_follows_its_keys_in_order(mem: Mem, store: Path) -> None:
    mem.write("long_term", "one")
    (store / "daily").mkdir(parents=True)
    (store / "MEMORY.md").write_text("one two\n")
    (store / "daily" / "2026-01-01.md").write_text("one\n")
    (store / "daily" / "2026-02-01.md").write_text("one\n")
    mem.write("note", "one two", name="two-terms")
    mem.write("note", "one\none", name="two-lines")
    mem.write("note", "one", name="b")
    mem.write("note", "one", name="a")
    mem.write("note", "nothing", name="one-in-name")
    mem.write("note", "nothing", name="one-and-two")
    results = mem.search("one two")
    assert [
        str(hit.path.relative_to(mem.root)).removeprefix(f"projects/{mem.project}/") for hit in results
    ] == [
        "MEMORY.md",
        "notes/two-terms.md",
        "MEMORY.md",
        "notes/one-and-two.md",
        "notes/two-lines.md",
        "daily/2026-02-01.md",
        "daily/2026-01-01.md",
        "notes/a.md",
        "notes/b.md",
        "notes/one-in-name.md",
    ]
    assert [hit.is_memory_md for hit in results][:3] == [False, False, True]
    assert results.hits[5].date == "2026-02-01"


@proves("S0.54", "S0.59")
def test_quoted_words_are_one_term_and_without_quotes_a_line_with_all_of_them_comes_first(mem: Mem) -> None:
    mem.write("long_term", "redis and port, on and on")
    mem.write("note", "The suite needs\nRedis on port 6380.", name="whole")
    mem.write("note", "on this port: redis", name="all")
    found = mem.search('"Redis on port" 6380')
    assert (names(found), found.terms) == (["whole.md"], [("Redis on port", 1), ("6380", 1)])
    assert names(mem.search("redis on port")) == ["whole.md", "MEMORY.md", "all.md"]
    for literal in ('"', '"redis', 'say "on', '""'):
        mem.write("note", f"here {literal} stands", name="quoted", mode="overwrite")
        assert names(mem.search(literal))[0] == "quoted.md"


@proves("S0.56")
def test_among_several_words_one_of_two_letters_matches_as_a_word(mem: Mem) -> None:
    mem.write("note", "The decisions of the frontend.", name="decision")
    mem.write("note", "Port on/off: 値は五千.", name="port")
    assert names(mem.search("on port")) == ["port.md"]
    assert names(mem.search("port 値は")) == ["port.md"]
    assert names(mem.search("on")) == ["decision.md", "port.md"]
    assert names(mem.search("on po", loose=True)) == ["port.md", "decision.md"]


@proves("S0.57")
def test_of_many_matches_in_a_file_those_with_all_the_words_are_shown(mem: Mem) -> None:
    lines = [f"line {n}" for n in range(200)]
    for n in (10, 40, 70, 100, 130, 160):
        lines[n] = f"hit {n}"
    lines[190] = "big hit"
    mem.write("note", "\n".join(lines), name="n")
    assert mem.search("big hit").hits[0].body.split("\n⋯\n")[-1].splitlines() == lines[187:194]


@proves("S0.60")
def test_of_a_head_what_a_file_is_to_be_found_by_is_searched_and_shown_once(mem: Mem, store: Path) -> None:
    mem.remember("The suite needs Redis.")
    (hit,) = mem.search("redis").hits
    assert (hit.body, hit.total_hits) == ("The suite needs Redis.", 1)
    mem.records.add("Use pnpm.", category="decisions", scope="project", keywords=["packages"])
    (hit,) = mem.search("packages").hits
    assert hit.body == "packages\nUse pnpm."
    for word in ("decisions", "active", "created", "category"):
        assert word not in mem.search(word).render()
    (store / "notes" / "own.md").write_text("---\nname: Own\nauthor: Ann\nimported: port17\n---\nText.\n")
    assert mem.search("ann").hits[0].body == "Own\nAnn\nText."
    assert mem.search("port17").hits == []


@proves("S0.60", "S0.5", "S1.27")
def test_another_projects_memory_is_never_found(mem: Mem, work: Path) -> None:
    other = Mem.open(work.parent)
    other.write("note", "needle", name="n")
    other.write("daily", "needle")
    other.write("scratchpad", "- [ ] needle")
    mem.write("note", "hay", name="h")
    assert mem.search("needle").hits == []
    assert "needle" not in (mem.context_block() or "")
    assert mem.read("note", "n") == "(empty)"
    assert all("n.md" not in name for name in mem.list())
    other.write("long_term", "needle")
    assert names(mem.search("needle")) == ["MEMORY.md"]


@proves("X.23")
def test_the_index_is_not_a_note(mem: Mem) -> None:
    mem.remember("body", "Uncommon title")
    assert names(mem.search("uncommon")) == ["uncommon-title.md"]
    assert not any(name.endswith("notes/MEMORY.md") for name in mem.list())


@proves("S0.63")
def test_rendering_keeps_its_limit_and_drops_the_lowest_ranked_first(mem: Mem) -> None:
    for n in range(20):
        mem.write("note", "word\n" * (20 - n) + "filler " * 50, name=f"n{n:02d}")
    results = mem.search("word")
    text = results.render()
    assert text.startswith("1 term: word(210) — 20 files, 20 shown")
    short = results.render(3000)
    assert len(short.encode()) <= 3000
    assert "n00.md" in short
    assert "n19.md" not in short
    shown = short.count("### ")
    assert f"{shown} shown" in short
    assert f"[{20 - shown} more files" in short


class Told(list[SearchHit]):
    """Hits that count how many of them somebody looked at."""

    looked = 0

    def __iter__(self) -> Iterator[SearchHit]:
        for hit in super().__iter__():
            self.looked += 1
            yield hit


def test_rendering_looks_at_no_more_hits_than_there_is_room_for() -> None:
    hits = Told(
        SearchHit(
            filename=f"/m/{number}.md",
            name=f"{number}.md",
            matched_terms=["word"],
            total_hits=1,
            body="word " * 40,
            filename_only=False,
            date=None,
            is_memory_md=False,
            source="",
        )
        for number in range(50_000)
    )
    text = SearchResults([("word", 50_000)], hits).render(8_000)
    assert hits.looked < 60
    shown = text.count("###")
    assert shown > 30
    assert f"50,000 files, {shown} shown" in text
    assert f"[{50_000 - shown:,} more files not shown" in text


@proves("S0.63")
@given(limit=st.integers(min_value=0, max_value=2000), words=st.lists(st.text(min_size=1), max_size=4))
def test_rendering_never_exceeds_any_limit(limit: int, words: list[str]) -> None:
    hit = SearchHit(
        filename="/x/é.md",
        name="é.md",
        matched_terms=words,
        total_hits=1,
        body="bödy\n" * 80,
        filename_only=False,
        date=None,
        source="",
        is_memory_md=False,
    )
    results = SearchResults([(word, 1) for word in words], [hit, hit])
    assert len(results.render(limit).encode("utf-8", "replace")) <= limit


@proves("S0.64")
@pytest.mark.parametrize("query", ["", "   ", "\n\t", "absent"])
def test_a_query_without_match_is_no_error(mem: Mem, query: str) -> None:
    mem.write("note", "text", name="n")
    assert mem.search(query).hits == []
    assert "No memory matched" in mem.search(query).render()


@proves("X.10", "X.11")
def test_a_fact_written_one_way_is_found_every_other_way(mem: Mem) -> None:
    mem.write("note", "alpha fact", name="one")
    mem.remember("beta fact", "Two")
    mem.update("gamma fact")
    mem.write("long_term", "delta fact")
    mem.update_section("About Me", "epsilon fact")
    assert len(mem.search("fact").hits) == 3
    assert mem.read("note", "two").endswith("beta fact\n")
    assert "gamma fact" in mem.read()
    block = mem.context_block() or ""
    for word in ("gamma", "delta", "epsilon", "[one](one.md) — alpha fact", "[Two](two.md) — beta fact"):
        assert word in block
    mem.edit("note", "alpha", "omega", "one")
    assert names(mem.search("omega")) == ["one.md"]


@proves("S0.58")
def test_the_name_of_the_entry_page_is_found_like_any_other(mem: Mem) -> None:
    (mem.root).mkdir(parents=True)
    (mem.root / "MEMORY.md").write_text("- a fact\n")
    (hit,) = mem.search("memory").hits
    assert hit.path == mem.root / "MEMORY.md"
    assert hit.filename_only
    assert hit.is_memory_md
    assert hit.body == "- a fact"


def test_a_file_that_cannot_be_read_does_not_hide_the_others(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("note", "needle", name="good")
    mem.write("note", "needle", name="locked")
    real = os.open

    def refuse(path: str, flags: int, *more: int, dir_fd: int | None = None) -> int:
        if path == "locked.md":
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, *more, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    assert names(mem.search("needle")) == ["good.md"]


def test_a_directory_that_cannot_be_listed_does_not_hide_the_others(
    mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("note", "needle", name="n")
    mem.write("long_term", "needle")
    mem.write("daily", "needle")
    real = os.scandir

    def refuse(fd: int) -> object:
        if os.path.samestat(os.fstat(fd), os.stat(store / "notes")):
            raise PermissionError(13, "Permission denied")
        return real(fd)

    monkeypatch.setattr(os, "scandir", refuse)
    assert names(mem.search("needle")) == ["MEMORY.md", "2026-11-15.md"]


@pytest.mark.parametrize("linked", ["notes", "daily", "."])
def test_a_linked_directory_is_neither_searched_nor_listed(
    mem: Mem, store: Path, tmp_path: Path, linked: str
) -> None:
    mem.write("note", "needle", name="n")
    mem.write("daily", "needle")
    mem.write("long_term", "needle")
    place = store / linked
    place.rename(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", store / linked, target_is_directory=True)
    left = {"notes": ["MEMORY.md", "2026-11-15.md"], "daily": ["MEMORY.md", "n.md"], ".": ["MEMORY.md"]}
    assert names(mem.search("needle")) == left[linked]
    assert sorted(name.rpartition("/")[2] for name in mem.list()) == sorted(left[linked])


@proves("S0.54")
def test_a_long_note_is_searched_and_read_to_its_end_and_one_that_is_too_long_is_named(mem: Mem) -> None:
    mem.write("note", "short", name="long")
    path = (mem.root / "projects" / mem.project / "notes") / "long.md"
    path.write_text("an ordinary line of a note\n" * 60_000 + "the walrus is last\n")
    found = mem.search("walrus")
    assert (names(found), found.complete) == (["long.md"], True)
    assert "walrus" in mem.read("note", "long", offset=60_000)
    path.write_text("an ordinary line of a note\n" * 190_000 + "the walrus is last\n")
    found = mem.search("walrus")
    assert (names(found), found.complete) == ([], False)
    assert "long.md" in found.missing[0]
    with pytest.raises(StorageError, match="split it"):
        mem.read("note", "long")


def test_notes_in_a_folder_are_named_as_what_is_not_part_of_the_memory(mem: Mem) -> None:
    mem.write("note", "the walrus", name="top")
    deep = (mem.root / "projects" / mem.project / "notes") / "deep"
    deep.mkdir()
    (deep / "a.md").write_text("the walrus\n")
    for found in (mem.search("walrus"), mem.list(), mem.recall("walrus")):
        assert not found.complete
        assert "notes/deep: is a folder" in found.missing[0]
    (deep / "a.md").rename(deep.parent / "a.MD")
    deep.rmdir()
    for found in (mem.search("walrus"), mem.list(), mem.recall("walrus")):
        assert "notes/a.MD: is not part of the memory" in found.missing[0]
    for _ in range(2):
        assert "notes/a.MD" in (mem.context_block() or "")


ODD = (
    "Straße und ẞ, İstanbul, ﬁne, e\u0301te\u0301",
    "値は五千、ポートは六千。",
    "a/b-c_d.e:f@g#h  x--y  «quoted» C++ $HOME",
    "<!-- hidden walrus --> token ghp_" + "9tk6Pb3GMtzqqya3hrgJDMBCM7Fame6ewgg5",
    "z" * 300 + " end",
    "\u00a0no-break\u2003space\u2028line",
)


@proves("S0.54", "S0.60")
def test_among_many_notes_the_index_leaves_out_nothing_that_the_files_contain(mem: Mem, store: Path) -> None:
    mem.write("long_term", "alpha walrus")
    notes = store / "notes"
    notes.mkdir(parents=True)
    for number in range(700):
        odd = ODD[number % len(ODD)] if number < 60 else ""
        text = f"---\nname: Title {number}\ntags: [tag{number % 7}]\n---\nword{number % 50} common {odd}\n"
        (notes / f"Note-{number}.md").write_text(text)

    def compare(*queries: str) -> None:
        for query in queries:
            quick, thorough = mem.search(query), search(str(mem.root), mem.project, query)
            assert quick.as_dict() == thorough.as_dict() | {"missing": quick.missing}, query

    compare(
        "walrus", "WORD4", "ord49", "tag3", "title", "note-69", "STRASSE", "ße", "値は", "五千、", "e:f@g"
    )
    compare("--", "C++", "zzz", "ghp_", "istanbul", "fine", "ée", "no-break", "nothing-like-it", "5 walrus")
    compare("e", "[tag6]", "9.md")
    in_place = notes / "Note-123.md"
    in_place.write_text(in_place.read_text().replace("common", "walrus"))
    compare("walrus", "common", "note-12")
    (notes / "Note-124.md").unlink()
    compare("walrus", "note-12")
    (notes / "Note-125.md").rename(notes / "walrus.md")
    compare("walrus", "note-12")
    (notes / "Note-126.md").write_text("WALRUS\n")
    compare("walrus", "word26")


@proves("X.8")
def test_among_many_notes_a_secret_typed_by_hand_is_masked_whenever_it_came(mem: Mem, store: Path) -> None:
    secret = f"hunter-{os.urandom(6).hex()}"
    notes = store / "notes"
    notes.mkdir(parents=True)
    for number in range(600):
        (notes / f"note-{number}.md").write_text(f"The database of shop {number}.\n")
    early, late, replaced = (notes / f"note-{number}.md" for number in (7, 8, 9))
    early.write_text(f"The database password is {secret}\n")
    assert secret not in mem.search("database", limit=600).render(1_000_000)
    late.write_text(f"The database password is {secret}\n")
    aside = notes / "aside.tmp"
    aside.write_text(f"The database password is {secret}\n")
    aside.replace(replaced)
    for _ in range(2):
        found = mem.search("database", limit=600)
        shown = {hit.path.name: hit.body for hit in found}
        assert len(shown) == 600
        assert not any(secret in body for body in shown.values())
        assert all("[secret:" in shown[path.name] for path in (early, late, replaced))
        assert list(mem.search(secret)) == []


# ---------------------------------------------------------------- how a file must match, and pages


@pytest.fixture
def ferries(mem: Mem) -> Mem:
    """Return a memory with two words on one line, on neighbouring lines, far apart, and only one of them."""
    apart = "\n".join(f"line {number}" for number in range(8))
    for name, text in (
        ("one", "The zebra takes the ferry."),
        ("next", "The zebra waits.\nA ferry comes.\nThe end."),
        ("far", f"The zebra waits.\n{apart}\nA ferry comes."),
        ("half", "The zebra walks."),
    ):
        mem.write("note", text, name=name)
    return mem


@proves("S2.74")
@pytest.mark.parametrize(
    ("within", "found"),
    [
        (None, {"one", "next", "far", "half"}),
        (1, {"one"}),
        (2, {"one", "next"}),
        (9, {"one", "next"}),
        (10, {"one", "next", "far"}),
    ],
)
def test_any_word_or_all_of_them_within_so_many_lines(
    ferries: Mem, within: int | None, found: set[str]
) -> None:
    hits = ferries.search("ferry zebra", within=within)
    assert {Path(hit.filename).stem for hit in hits} == found
    assert ferries.search("ferry zebra giraffe", within=100).hits == []
    assert all(hit.matched_terms == ["ferry", "zebra"] for hit in hits if within)


@proves("S2.74")
def test_a_loose_search_ignores_what_stands_between_letters(mem: Mem) -> None:
    for name, text in (("a", "the session cache"), ("b", "SESSION_CACHE=1"), ("c", "session\ncache")):
        mem.write("note", text, name=name)
    assert [hit.name[-4:] for hit in mem.search("session-cache", loose=True)] == ["a.md", "b.md"]
    assert mem.search("session-cache").hits == []
    assert mem.search("- / .", loose=True).hits == []


@proves("S2.74")
def test_as_many_lines_as_asked_for_stand_around_a_match(mem: Mem) -> None:
    mem.write("note", "a\nb\nzebra\nc\nd", name="n")
    assert [mem.search("zebra", context=lines).hits[0].body for lines in (0, 1)] == ["zebra", "b\nzebra\nc"]
    for wrong in (
        {"context": -1},
        {"context": 101},
        {"within": 0},
        {"within": 101},
        {"offset": -1},
        {"limit": 0},
    ):
        with pytest.raises(InputError):
            mem.search("zebra", **wrong)  # type: ignore[arg-type]


@proves("S2.74")
def test_pages_show_every_file_once_and_say_that_there_are_more(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for number in range(45):
        mem.write("note", f"zebra {number}", name=f"n{number:02}")
    whole = [hit.name for hit in mem.search("zebra")]
    pages = [mem.search("zebra", offset=offset, limit=20) for offset in (0, 20, 40, 60)]
    assert [hit.name for page in pages for hit in page] == whole
    assert [page.files for page in pages] == [45] * 4
    assert "[25 more files not shown; offset 20 has the next" in pages[0].render()
    assert "more file" not in pages[2].render()
    tools = Tools(mem)
    answers = [tools.call("memory_search", {"query": "zebra", "offset": offset}) for offset in (0, 20, 40)]
    hits: list[Any] = [answer.data["hits"] for answer in answers]
    assert [len(page) for page in hits] == [20, 20, 5]
    assert len({hit["uri"] for page in hits for hit in page}) == 45
    assert "offset 40 has the next" in answers[1].text
    shown = [
        tools.call("memory_read", {"source": "list", "offset": at, "lines": 20}).text for at in (0, 20, 40)
    ]
    assert len({line for page in shown for line in page.splitlines() if line.startswith("memory:")}) == 45
    assert "offset 20 has the next" in shown[0]
    assert "has the next" not in shown[2]
    command = [
        "search",
        "zebra 44",
        "--within",
        "1",
        "--context",
        "0",
        "--limit",
        "1",
        "--project",
        str(work),
    ]
    assert main(command) == 0
    assert "n44.md (zebra, 44)\nzebra 44" in capfd.readouterr().out


@proves("S2.74")
def test_hidden_files_are_neither_found_nor_listed(mem: Mem, store: Path) -> None:
    mem.write("note", "zebra", name="seen")
    for hidden in (
        "notes/.hidden.md",
        "memories/.hidden.md",
        "memories/.git/x.md",
        "records/decisions/.x.md",
    ):
        (store / hidden).parent.mkdir(parents=True, exist_ok=True)
        (store / hidden).write_text("zebra")
    assert [hit.name.rpartition("/")[2] for hit in mem.search("zebra")] == ["seen.md"]
    assert [name.rpartition("/")[2] for name in mem.list()] == ["seen.md"]
    assert [Path(hit.filename).name for hit in mem.recall("zebra", semantic=False)] == ["seen.md"]
